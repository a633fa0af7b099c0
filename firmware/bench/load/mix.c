/* The mix of messages a benchmark sends: shapes of real devices, invented names.  About 160 bytes
 * on average, every address, port, number and id drawn anew, so that nearly no two messages are the
 * same.  Weights follow what a company's collector sees: firewalls most, then servers. */
#include "bench/load/template.h"

/* A program's line: in RFC 3164's form TAG[PID]: TEXT, in RFC 5424's APP-NAME PROCID - - TEXT. */
#define PROGRAM(WEIGHT, PRI, HOSTS, APP, PID, TEXT)                                 \
    {                                                                               \
        "<" PRI ">{time} {word:" HOSTS "} " APP "[" PID "]: " TEXT,                 \
            "<" PRI ">1 {zoned} {word:" HOSTS "} " APP " " PID " - - " TEXT, WEIGHT \
    }
/* A device's line: its own head, or RFC 5424's with APP and MSGID. */
#define DEVICE(WEIGHT, PRI, OWN, HOSTS, APP, MSGID, TEXT)                                        \
    {                                                                                            \
        "<" PRI ">" OWN TEXT, "<" PRI ">1 {zoned} {word:" HOSTS "} " APP " - " MSGID " - " TEXT, \
            WEIGHT                                                                               \
    }
#define ASA(WEIGHT, PRI, ID, TEXT) \
    DEVICE(WEIGHT, PRI, "{cisco} {word:firewalls} : ", "firewalls", "asa", ID, "%ASA-" ID ": " TEXT)
#define ASA_BARE(WEIGHT, PRI, ID, TEXT) \
    DEVICE(WEIGHT, PRI, "{time} {word:firewalls} ", "firewalls", "asa", ID, "%ASA-" ID ": " TEXT)
#define IOS(WEIGHT, PRI, ID, TEXT)                                                               \
    DEVICE(WEIGHT, PRI, "{int:900000}: {word:switches}: {time}.{int:1000}: ", "switches", "ios", \
           ID, "%" ID ": " TEXT)

const struct mix_source mix_sources[] = {
    /* Cisco ASA */
    ASA_BARE(120, "166", "6-302013",
             "Built outbound TCP connection {int:90000000} for outside:{ip}/443 ({ip}/443) to "
             "inside:{ip:10}/{port} ({ip}/{port})"),
    ASA_BARE(120, "166", "6-302014",
             "Teardown TCP connection {int:90000000} for outside:{ip}/443 to inside:{ip:10}/{port} "
             "duration 0:00:{int:60} bytes {int:900000} TCP FINs"),
    ASA(40, "166", "6-302015",
        "Built outbound UDP connection {int:90000000} for outside:{ip}/53 ({ip}/53) to "
        "inside:{ip:10}/{port} ({ip}/{port})"),
    ASA_BARE(60, "164", "4-106023",
             "Deny tcp src outside:{ip}/{port} dst inside:{ip:10}/22 by access-group "
             "\"outside_in\" [0x{hex:8}, 0x0]"),
    /* Cisco IOS */
    IOS(15, "189", "LINEPROTO-5-UPDOWN",
        "Line protocol on Interface GigabitEthernet1/0/{int:48}, changed state to up"),
    IOS(10, "187", "LINK-3-UPDOWN", "Interface GigabitEthernet1/0/{int:48}, changed state to down"),
    IOS(10, "190", "SEC-6-IPACCESSLOGP",
        "list 101 denied tcp {ip}({port}) -> {ip:10}(445), {int:90} packets"),
    /* FortiGate, key=value */
    {"<189>date={date} time={clock} devname=\"{word:firewalls}\" devid=\"FGT60F{hex:10}\" "
     "eventtime={epoch}{int:1000000000} tz=\"+0900\" logid=\"0000000013\" type=\"traffic\" "
     "subtype=\"forward\" level=\"notice\" vd=\"root\" srcip={ip:10} srcport={port} "
     "srcintf=\"lan\" dstip={ip} dstport=443 dstintf=\"wan1\" sessionid={int:90000000} proto=6 "
     "action=\"close\" policyid={int:90} service=\"HTTPS\" duration={int:900} "
     "sentbyte={int:900000} rcvdbyte={int:9000000}",
     "<189>1 {zoned} {word:firewalls} fortigate - 0000000013 - type=\"traffic\" "
     "subtype=\"forward\" level=\"notice\" vd=\"root\" srcip={ip:10} srcport={port} dstip={ip} "
     "dstport=443 sessionid={int:90000000} proto=6 action=\"close\" policyid={int:90} "
     "service=\"HTTPS\" duration={int:900} sentbyte={int:900000} rcvdbyte={int:9000000}",
     80},
    /* PAN-OS, comma separated */
    DEVICE(60, "14", "{time} {word:firewalls} ", "firewalls", "pan-os", "TRAFFIC",
           "1,{slash},0{int:100000000},TRAFFIC,end,2562,{slash},{ip:10},{ip},{ip},{ip},"
           "allow-web,,,ssl,vsys1,trust,untrust,ethernet1/2,ethernet1/1,forwarder,{slash},"
           "{int:900000},1,{port},443,{port},443,0x400053,tcp,allow,{int:90000},{int:9000},"
           "{int:90000},{int:90}"),
    /* sshd, sudo and their like */
    PROGRAM(60, "86", "servers", "sshd", "{int:32768}",
            "Failed password for {word:users} from {ip} port {port} ssh2"),
    PROGRAM(30, "86", "servers", "sshd", "{int:32768}",
            "Accepted publickey for {word:users} from {ip:10} port {port} ssh2"),
    PROGRAM(30, "86", "servers", "sshd", "{int:32768}",
            "Received disconnect from {ip} port {port}:11: Bye Bye [preauth]"),
    PROGRAM(20, "30", "servers", "dhcpd", "{int:32768}",
            "DHCPACK on {ip:10} to {mac} via eth{int:4}"),
    PROGRAM(20, "22", "servers", "postfix/smtpd", "{int:32768}",
            "{hex:10}: client={word:servers}.example.net[{ip}]"),
    PROGRAM(15, "78", "servers", "CRON", "{int:32768}",
            "({word:users}) CMD (/usr/local/bin/backup --job {int:5000})"),
    PROGRAM(40, "14", "servers", "app", "{int:32768}",
            "level=info request={hex:16} user={word:users} path={word:paths} took={int:2000}ms"),
    PROGRAM(30, "134", "firewalls", "filterlog", "{int:32768}",
            "9,,,1000000103,igb0,match,block,in,4,0x0,,64,{int:65536},0,DF,6,tcp,60,{ip},{ip},"
            "{port},443,0,S"),
    PROGRAM(10, "27", "switches", "snmpd", "{int:32768}", "Connection from UDP: [{ip:10}]:{port}"),
    DEVICE(30, "4", "{time} {word:firewalls} kernel: ", "firewalls", "kernel", "-",
           "[{int:900000}.{int:1000000}] DROP IN=eth0 OUT= SRC={ip} DST={ip} LEN=60 TTL=52 "
           "ID={int:65536} PROTO=TCP SPT={port} DPT={int:1024}"),
    /* Windows, as NXLog's and Snare's agents send it */
    {"<14>1 {utc} {word:windows}.corp.example.net Microsoft-Windows-Security-Auditing {int:9000} - "
     "[NXLOG@14506 Keywords=\"-9214364837600034816\" EventType=\"AUDIT_SUCCESS\" "
     "EventID=\"4624\" ProviderGuid=\"{hex:32}\" Version=\"2\" RecordNumber=\"{int:90000000}\" "
     "TargetUserName=\"{word:users}\" LogonType=\"3\" IpAddress=\"{ip:10}\"] An account was "
     "successfully logged on.",
     "<14>1 {utc} {word:windows}.corp.example.net Microsoft-Windows-Security-Auditing {int:9000} - "
     "[NXLOG@14506 Keywords=\"-9214364837600034816\" EventType=\"AUDIT_SUCCESS\" "
     "EventID=\"4624\" ProviderGuid=\"{hex:32}\" Version=\"2\" RecordNumber=\"{int:90000000}\" "
     "TargetUserName=\"{word:users}\" LogonType=\"3\" IpAddress=\"{ip:10}\"] An account was "
     "successfully logged on.",
     30},
    DEVICE(30, "13", "{time} {word:windows} ", "windows", "MSWinEventLog", "4625",
           "MSWinEventLog\t1\tSecurity\t{int:900000}\t{blank}\t4625\t"
           "Microsoft-Windows-Security-Auditing\t{word:users}\tN/A\tFailure Audit\t"
           "{word:windows}\tLogon\t\tAn account failed to log on. Source Network Address: {ip} "
           "Source Port: {port}\t{int:90000}"),
    /* web servers */
    DEVICE(50, "190", "{time} {word:servers} nginx: ", "servers", "nginx", "-",
           "{ip} - - [{web}] \"GET {word:paths}?id={int:1000000} HTTP/1.1\" 200 {int:90000} \"-\" "
           "\"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/128.0\""),
    DEVICE(30, "190", "{time} {word:servers} httpd: ", "servers", "httpd", "-",
           "{ip} - {word:users} [{web}] \"POST {word:paths} HTTP/2.0\" 302 {int:900}"),
    /* CEF and JSON */
    DEVICE(20, "132", "{time} {word:servers} ", "servers", "ips", "IPS",
           "CEF:0|Example Networks|IPS|4.2|{int:90000}|Blocked exploit attempt|8|src={ip} "
           "spt={port} dst={ip:10} dpt=445 act=blocked cnt={int:90} rt={epoch}000"),
    PROGRAM(
        30, "142", "servers", "orders", "{int:32768}",
        "{{\"time\":\"{utc}\",\"level\":\"info\",\"trace\":\"{hex:32}\",\"user\":\"{word:users}\","
        "\"path\":\"{word:paths}\",\"status\":200,\"took_us\":{int:2000000}}"),
    /* RFC 5424 with structured data */
    {"<165>1 {zoned} {word:servers} evntslog {int:32768} ID{int:90} "
     "[origin ip=\"{ip:10}\" software=\"evntslog\"][meta sequenceId=\"{int:2000000000}\"] "
     "Application {word:paths} answered {int:90000} requests",
     "<165>1 {zoned} {word:servers} evntslog {int:32768} ID{int:90} "
     "[origin ip=\"{ip:10}\" software=\"evntslog\"][meta sequenceId=\"{int:2000000000}\"] "
     "Application {word:paths} answered {int:90000} requests",
     20},
    /* UTF-8 */
    PROGRAM(20, "133", "servers", "keiri", "{int:32768}",
            "ユーザー {word:names} が {ip:10} からログインしました（端末番号 {int:90000}）"),
    PROGRAM(10, "131", "servers", "kanri", "{int:32768}",
            "エラー: 装置 {word:switches} のポート {int:48} で通信断を検出しました "
            "受付番号={int:9000000}"),
};
const size_t mix_sources_n = ARRAY_LEN(mix_sources);

const struct mix_source *mix_draw(struct random *r)
{
    uint32_t all = 0;
    for (size_t i = 0; i < mix_sources_n; i++)
        all += mix_sources[i].weight;
    uint32_t at = random_below(r, all);
    size_t i = 0;
    while (at >= mix_sources[i].weight)
        at -= mix_sources[i++].weight;
    return &mix_sources[i];
}

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

static const char *const windows[] = {"DC01",    "DC02",    "FS01", "PC-1041",
                                      "PC-1042", "PC-2207", "SQL01"};
static const char *const names[] = {"佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村"};

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
    {"windows", windows, ARRAY_LEN(windows)},
    {"names", names, ARRAY_LEN(names)},
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
