#include "helper/table.h"

#include <criterion/criterion.h>

#include "helper/request.h"
#include "helper/server.h"

#define ASK(command, arguments) \
    "{\"command\":\"" command "\",\"actor\":\"alice\",\"arguments\":" arguments "}"

/* No root at all: whatever gets beyond the checks fails for want of a program, and writes nothing.
 */
static struct helper nowhere = {.root = "/nonexistent/azekura", .trial_until_us = TRIAL_NONE};

Test(table, malformed_requests_get_no_answer)
{
    static const char *const cases[] = {
        "",
        "null",
        "[]",
        "{}",
        "{\"command\":\"hostname.get\"}",
        "{\"command\":\"hostname.get\",\"actor\":\"\"}",
        "{\"command\":\"hostname.get\",\"actor\":\"a\\nb\"}",
        "{\"command\":\"hostname.get\",\"actor\":\"a\\u0000b\"}",
        "{\"command\":\"hostname.get\",\"actor\":7}",
        "{\"command\":\"hostname.get\",\"actor\":\"a\",\"more\":1}",
        "{\"command\":\"hostname.get\",\"actor\":\"a\",\"actor\":\"b\"}",
        "{\"command\":\"hostname.get\",\"actor\":\"a\",\"arguments\":[]}",
        "{\"command\":\"hostname.get\",\"actor\":\"a\"} {}",
        "{\"command\":\"sh\",\"actor\":\"a\"}",
        "{\"command\":\"\",\"actor\":\"a\"}",
        "{\"command\":\"HOSTNAME.GET\",\"actor\":\"a\"}",
        "{\"command\":\"../hostname.get\",\"actor\":\"a\"}",
        ASK("hostname.get", "{\"name\":\"x\"}"),
        ASK("hostname.set", "{\"name\":1}"),
        ASK("hostname.set", "{\"name\":[\"x\"]}"),
        ASK("hostname.set", "{\"name\":\"x\",\"path\":\"/etc/shadow\"}"),
        ASK("ssh.set", "{\"enabled\":\"yes\"}"),
        ASK("network.set", "{\"settings\":\"x\"}"),
        ASK("network.set", "{\"settings\":{\"a\":[[[[[[[[[[]]]]]]]]]]}}"),
        "{\"command\":\"hostname.set\",\"actor\":\"a\",\"arguments\":{\"name\":\"\xff\"}}",
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int fd;
        char *answer = server_answer(&nowhere, view_str(cases[i]), 0, &fd);
        cr_expect_null(answer, "%s was answered: %s", cases[i], answer);
        free(answer);
    }
}

Test(table, hostile_values_are_refused_with_their_field)
{
    static const struct {
        const char *packet, *field;
    } cases[] = {
        {ASK("hostname.set", "{}"), "name"},
        {ASK("hostname.set", "{\"name\":\"\"}"), "name"},
        {ASK("hostname.set", "{\"name\":\"a;reboot\"}"), "name"},
        {ASK("hostname.set", "{\"name\":\"$(id)\"}"), "name"},
        {ASK("hostname.set", "{\"name\":\"-F\"}"), "name"},
        {ASK("hostname.set", "{\"name\":\"../x\"}"), "name"},
        {ASK("timezone.set", "{\"zone\":\"../../etc/shadow\"}"), "zone"},
        {ASK("timezone.set", "{\"zone\":\"/etc/shadow\"}"), "zone"},
        {ASK("timezone.set", "{\"zone\":\"\"}"), "zone"},
        {ASK("timezone.set", "{\"zone\":\"Mars/Base\"}"), "zone"},
        {ASK("ntp.set", "{}"), "servers"},
        {ASK("ntp.set", "{\"servers\":[\"a b\"]}"), "servers[0]"},
        {ASK("ntp.set", "{\"servers\":[\"ok.example\",\"x\\npool evil\"]}"), NULL},
        {ASK("ntp.set", "{\"servers\":[\"1.2.3\"]}"), "servers[0]"},
        {ASK("ntp.set", "{\"servers\":[7]}"), "servers[0]"},
        {ASK("ntp.set", "{\"servers\":[1,2,3,4,5,6,7,8,9]}"), "servers"},
        {ASK("ssh.set", "{\"enabled\":true,\"keys\":[]}"), "keys"},
        {ASK("ssh.set", "{\"enabled\":true}"), "keys"},
        {ASK("ssh.set", "{\"enabled\":true,\"keys\":[\"command=\\\"sh\\\" ssh-ed25519 AAAA\"]}"),
         "keys[0]"},
        {ASK("ssh.set", "{\"enabled\":true,\"keys\":[\"ssh-ed25519 AAAA\"]}"), "keys[0]"},
        {ASK("firewall.apply", "{\"listeners\":[{\"protocol\":\"udp\",\"port\":0}]}"),
         "listeners[0].port"},
        {ASK("firewall.apply", "{\"listeners\":[{\"protocol\":\"udp\",\"port\":514.5}]}"),
         "listeners[0].port"},
        {ASK("firewall.apply", "{\"listeners\":[{\"protocol\":\"}\",\"port\":1}]}"),
         "listeners[0]"},
        {ASK("firewall.apply", "{\"listeners\":[],\"networks\":[\"0.0.0.0/0 } }\"]}"),
         "networks[0]"},
        {ASK("services.restart", "{\"service\":\"ssh\"}"), "service"},
        {ASK("services.restart", "{\"service\":\"\"}"), "service"},
        {ASK("services.restart", "{\"service\":\"web|nginx\"}"), "service"},
        {ASK("factory.reset", "{\"confirm\":\"erase\"}"), "confirm"},
        {ASK("update.info", "{\"bundle\":\"../../../etc/shadow\"}"), "bundle"},
        {ASK("update.info", "{\"bundle\":\"/etc/x.raucb\"}"), "bundle"},
        {ASK("update.install", "{\"bundle\":\"-x.raucb\"}"), "bundle"},
        {ASK("update.install", "{\"bundle\":\"http://evil/x.raucb\"}"), "bundle"},
        {ASK("update.install", "{\"bundle\":\".raucb\"}"), "bundle"},
        {ASK("update.install", "{\"bundle\":\"missing.raucb\"}"), "bundle"},
        {ASK("update.mark", "{\"slot\":\"rootfs.0\",\"state\":\"good\"}"), "slot"},
        {ASK("update.mark", "{\"slot\":\"other\",\"state\":\"format\"}"), "state"},
        {ASK("console.code", "{\"code\":\"abc\"}"), "code"},
        {ASK("console.code", "{\"code\":\"ABCD\",\"seconds\":1}"), "seconds"},
        {ASK("tls.install", "{\"key\":\"x\"}"), "certificate"},
        {ASK("tls.request", "{\"common_name\":\"\"}"), "common_name"},
        {ASK("network.confirm", "{}"), "trial"},
        {ASK("network.set", "{}"), "settings"},
        {ASK("network.set", "{\"settings\":{},\"confirm_seconds\":0}"), "confirm_seconds"},
        {ASK("network.set", "{\"settings\":{\"interfaces\":[{\"name\":\"../e\"}]}}"),
         "interfaces[0].name"},
        {ASK("network.set",
             "{\"settings\":{\"interfaces\":[{\"name\":\"eth0\",\"ipv4\":{\"method\":"
             "\"dhcp\"}}]}}"),
         "interfaces[0].name"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int fd;
        char *answer = server_answer(&nowhere, view_str(cases[i].packet), 0, &fd);
        cJSON *tree = cJSON_Parse(answer);
        const cJSON *error = cJSON_GetObjectItem(tree, "error");
        const char *field = cJSON_GetStringValue(cJSON_GetObjectItem(error, "field"));
        cr_expect_not_null(error, "%s: %s", cases[i].packet, answer);
        if (cases[i].field)
            cr_expect_str_eq(field ? field : "", cases[i].field, "%s: %s", cases[i].packet, answer);
        cJSON_Delete(tree);
        free(answer);
    }
}

Test(table, every_command_is_found_by_its_name_and_no_other)
{
    for (size_t i = 0; i < commands_n; i++)
        cr_expect_eq(command_find(commands[i].name), &commands[i], "%s", commands[i].name);
    cr_expect_null(command_find("network"));
}
