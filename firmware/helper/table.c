/* The table of commands (table.h). */
#include "helper/table.h"

#include "helper/subjects.h"

#define TEXT(n, most, ...)                                         \
    {                                                              \
        .name = n, .kind = ARGUMENT_TEXT, .max = most, __VA_ARGS__ \
    }
#define NUMBER(n, least, most)                                         \
    {                                                                  \
        .name = n, .kind = ARGUMENT_INTEGER, .min = least, .max = most \
    }
#define FLAG(n, ...)                                  \
    {                                                 \
        .name = n, .kind = ARGUMENT_FLAG, __VA_ARGS__ \
    }
#define LIST(n, most, ...)                                         \
    {                                                              \
        .name = n, .kind = ARGUMENT_LIST, .max = most, __VA_ARGS__ \
    }
#define OBJECT(n, ...)                                  \
    {                                                   \
        .name = n, .kind = ARGUMENT_OBJECT, __VA_ARGS__ \
    }
#define NEEDED .is_needed = true
#define SECRET .is_secret = true

const struct command commands[] = {
    {"network.get", network_get, false, "settings, what is on trial, and the cards", {{0}}},
    {"network.set",
     network_set,
     false,
     "put a network on trial; reverts unless confirmed",
     {OBJECT("settings", NEEDED), NUMBER("confirm_seconds", TRIAL_MIN_S, TRIAL_MAX_S)}},
    {"network.confirm",
     network_confirm,
     false,
     "keep the network on trial",
     {TEXT("trial", 32, NEEDED)}},
    {"network.revert", network_revert, false, "give up the network on trial", {{0}}},
    {"hostname.get", hostname_get, false, "the name of the box", {{0}}},
    {"hostname.set", hostname_set, false, "name the box", {TEXT("name", 64, NEEDED)}},
    {"clock.get", clock_get, false, "time zone and time servers", {{0}}},
    {"timezone.set",
     timezone_set,
     false,
     "set the time zone",
     {TEXT("zone", SOURCE_ZONE_MAX_BYTES, NEEDED)}},
    {"ntp.set",
     ntp_set,
     false,
     "set the time servers; none: Debian's pool",
     {LIST("servers", NTP_SERVERS_MAX, NEEDED)}},
    {"ssh.get", ssh_get, false, "whether SSH is on, and its keys", {{0}}},
    {"ssh.set",
     ssh_set,
     false,
     "switch SSH on or off, with the keys that may log in",
     {FLAG("enabled", NEEDED), LIST("keys", SSH_KEYS_MAX)}},
    {"tls.get", tls_get, false, "the certificate of the web console", {{0}}},
    {"tls.request",
     tls_request,
     false,
     "a new key, and a request for its certificate",
     {TEXT("common_name", 64, NEEDED), TEXT("organization", 64), TEXT("country", 2),
      LIST("names", TLS_NAMES_MAX)}},
    {"tls.install",
     tls_install,
     false,
     "the certificate of the web console, with its key",
     {TEXT("certificate", 57344, NEEDED), TEXT("key", 16384, SECRET)}},
    {"firewall.apply",
     firewall_apply_command,
     false,
     "open the ports of the listeners",
     {LIST("listeners", FIREWALL_LISTENERS_MAX, NEEDED), LIST("networks", SENDER_NETWORKS_MAX)}},
    {"restart", restart, false, "restart the box", {{0}}},
    {"shutdown", power_off, false, "shut the box down", {{0}}},
    {"services.restart",
     services_restart,
     false,
     "restart a service",
     {TEXT("service", 16, NEEDED, .choice = "|receiver|keeper|web|database|nginx|chrony|")}},
    {"support.bundle", support_bundle, true, "a tar.zst for support, without secrets", {{0}}},
    {"factory.reset",
     factory_reset,
     false,
     "erase logs and settings and restart",
     {TEXT("confirm", 16, NEEDED), FLAG("keep_network")}},
    {"update.status", update_status, true, "both slots, and how far an installation is", {{0}}},
    {"update.info",
     update_info,
     true,
     "what an uploaded bundle holds",
     {TEXT("bundle", 100, NEEDED)}},
    {"update.install",
     update_install,
     true,
     "write an uploaded bundle to the other slot",
     {TEXT("bundle", 100, NEEDED)}},
    {"update.mark",
     update_mark,
     true,
     "call a slot good, bad, or the next one to start",
     {TEXT("slot", 8, NEEDED, .choice = "|booted|other|"),
      TEXT("state", 8, NEEDED, .choice = "|good|bad|active|")}},
    {"console.code",
     console_code,
     false,
     "a code to be shown at the console; none: forget it",
     {TEXT("code", 32, SECRET), NUMBER("seconds", 60, 86400)}},
};
const size_t commands_n = ARRAY_LEN(commands);

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < commands_n; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}
