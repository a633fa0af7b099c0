/* The mix of messages a benchmark sends: shapes of real devices, invented names.  About 110 bytes
 * on average, every address, port, number and id drawn anew, so that nearly no two messages are the
 * same. */
#include "bench/template.h"

const char *const mix_sources[] = {
    "<86>{time} {word:servers} sshd[{int:32768}]: Failed password for {word:users} from {ip} port "
    "{port} ssh2",
    "<86>{time} {word:servers} sshd[{int:32768}]: Accepted publickey for {word:users} from {ip:10} "
    "port {port} ssh2",
    "<86>{time} {word:servers} sshd[{int:32768}]: Received disconnect from {ip} port {port}:11: "
    "Bye Bye [preauth]",
    "<166>{time} {word:firewalls} %ASA-6-302013: Built outbound TCP connection {int:90000000} for "
    "outside:{ip}/443 "
    "({ip}/443) to inside:{ip:10}/{port} ({ip}/{port})",
    "<166>{time} {word:firewalls} %ASA-6-302014: Teardown TCP connection {int:90000000} for "
    "outside:{ip}/443 to "
    "inside:{ip:10}/{port} duration 0:00:{int:60} bytes {int:900000} TCP FINs",
    "<164>{time} {word:firewalls} %ASA-4-106023: Deny tcp src outside:{ip}/{port} dst "
    "inside:{ip:10}/22 by "
    "access-group \"outside_in\" [0x{hex:8}, 0x0]",
    "<189>{time} {word:switches} {int:900000}: %LINEPROTO-5-UPDOWN: Line protocol on Interface "
    "GigabitEthernet1/0/{int:48}, changed state to up",
    "<190>{time} {word:servers} nginx: {ip} - - \"GET {word:paths}?id={int:1000000} HTTP/1.1\" 200 "
    "{int:90000} \"-\"",
    "<190>{time} {word:servers} nginx: {ip} - - \"POST {word:paths} HTTP/2.0\" 302 {int:900} \"-\"",
    "<30>{time} {word:servers} dhcpd[{int:32768}]: DHCPACK on {ip:10} to {mac} via eth{int:4}",
    "<22>{time} {word:servers} postfix/smtpd[{int:32768}]: {hex:10}: "
    "client={word:servers}.example.net[{ip}]",
    "<4>{time} {word:firewalls} kernel: [{int:900000}.{int:1000000}] DROP IN=eth0 OUT= SRC={ip} "
    "DST={ip} LEN=60 TTL=52 "
    "ID={int:65536} PROTO=TCP SPT={port} DPT={int:1024}",
    "<78>{time} {word:servers} CRON[{int:32768}]: ({word:users}) CMD (/usr/local/bin/backup --job "
    "{int:5000})",
    "<14>{time} {word:servers} app[{int:32768}]: level=info request={hex:16} user={word:users} "
    "path={word:paths} "
    "took={int:2000}ms",
    "<134>{time} {word:firewalls} filterlog[{int:32768}]: "
    "9,,,1000000103,igb0,match,block,in,4,0x0,,64,{int:65536},0,DF,6,"
    "tcp,60,{ip},{ip},{port},443,0,S",
    "<27>{time} {word:switches} snmpd[{int:32768}]: Connection from UDP: [{ip:10}]:{port}",
};
const size_t mix_sources_n = ARRAY_LEN(mix_sources);

static const char *const users[] = {"root",      "admin",    "alice",  "bob", "carol", "dave",
                                    "oracle",    "postgres", "backup", "git", "sato",  "suzuki",
                                    "takahashi", "tanaka",   "guest",  "test"};
static const char *const servers[] = {"web01",   "web02",   "web03",   "db01",  "db02",   "mail01",
                                      "app01",   "app02",   "app03",   "app04", "file01", "ldap01",
                                      "proxy01", "proxy02", "build01", "mon01"};
static const char *const firewalls[] = {"fw-tokyo-1", "fw-tokyo-2", "fw-osaka-1", "fw-branch-17",
                                        "fw-branch-23"};
static const char *const switches[] = {"sw-core-1", "sw-core-2", "sw-access-101", "sw-access-102",
                                       "sw-access-203"};
static const char *const paths[] = {"/",
                                    "/index.html",
                                    "/login",
                                    "/api/v2/orders",
                                    "/api/v2/items",
                                    "/static/app.js",
                                    "/images/logo.png",
                                    "/search",
                                    "/admin",
                                    "/wp-login.php",
                                    "/health",
                                    "/docs"};

static const struct {
    const char *name;
    const char *const *words;
    uint32_t n;
} lists[] = {
    {"users", users, ARRAY_LEN(users)},
    {"servers", servers, ARRAY_LEN(servers)},
    {"firewalls", firewalls, ARRAY_LEN(firewalls)},
    {"switches", switches, ARRAY_LEN(switches)},
    {"paths", paths, ARRAY_LEN(paths)},
};

const char *const *mix_words(struct view name, uint32_t *ret_n)
{
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        if (view_eq(name, view_str(lists[i].name))) {
            *ret_n = lists[i].n;
            return lists[i].words;
        }
    }
    return NULL;
}
