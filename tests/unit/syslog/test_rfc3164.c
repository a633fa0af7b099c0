#include "unit/syslog/expect.h"

#define T "Mar 10 11:59:05"
#define AT "2026-03-10T11:59:05Z"
#define SOUND_AS(f) .format = f, .pri = 30, .time = AT, .form = TIME_FORM_BSD
#define SOUND SOUND_AS(FORMAT_RFC3164)

static const struct expect_row hosts[] = {
    {"<30>" T " h app: x", SOUND, .host = "h", .app = "app", .message = "x"},
    {"<30>  " T "  h   app: x", SOUND, .host = "h", .app = "app", .message = "x"},
    {"<30>" T " fw.example.net app: x", SOUND, .host = "fw.example.net", .app = "app",
     .message = "x"},
    {"<30>" T " 192.0.2.7 app: x", SOUND, .host = "192.0.2.7", .app = "app", .message = "x"},
    {"<30>" T " 2001:db8::1 app: x", SOUND, .host = "2001:db8::1", .app = "app", .message = "x"},
    {"<30>" T " ::ffff:192.0.2.7 app: x", SOUND, .host = "::ffff:192.0.2.7", .app = "app",
     .message = "x"},
    {"<30>" T " fe80::1%eth0 app: x", SOUND, .host = "fe80::1%eth0", .app = "app", .message = "x"},
    {"<30>" T " slot1/bigip1 notice tmsh[1]: x", SOUND, .host = "slot1/bigip1", .app = "tmsh",
     .pid = "1", .message = "x"},
    {"<30>" T " h h app: repeated", SOUND, .host = "h", .app = "app", .message = "repeated"},
    {"<30>" T " ap,00:11,v4: logread[5]: x", SOUND, .host = "ap,00:11,v4", .app = "logread",
     .pid = "5", .message = "x"},
    {"<30>" T " Message forwarded from aix1: sshd[5]: x", SOUND, .host = "aix1", .app = "sshd",
     .pid = "5", .message = "x"},
    {"<30>" T " - app: nil host", SOUND, .app = "app", .message = "nil host"},
    {"<30>" T " h", SOUND, .host = "h"},
    {"<30>" T, SOUND},
    {"<30>" T " h : %DAEMON-4: x", SOUND, .host = "h", .app = "%DAEMON-4", .message = "x"},
    {"<30>Mar 10 11:59:09 " T " h app: two times", SOUND, .host = "h", .app = "app",
     .message = "two times"},
    /* no host */
    {"<30>" T " sshd[12]: x", SOUND, .app = "sshd", .pid = "12", .message = "x"},
    {"<30>" T " sshd: x", SOUND, .app = "sshd", .message = "x"},
    {"<30>" T " nasapi[190] - log", SOUND, .app = "nasapi", .pid = "190", .message = "- log"},
    {"<30>" T " ID=ED3 link down", SOUND, .message = "ID=ED3 link down"},
    {"<30>" T " [INSPECT] LAN2[out][2] x", SOUND_AS(FORMAT_YAMAHA),
     .message = "[INSPECT] LAN2[out][2] x"},
    {"<30>" T " {\"a\":1}", SOUND_AS(FORMAT_JSON), .message = "{\"a\":1}"},
    {"<30>" T " ERROR disk full", SOUND, .message = "ERROR disk full"},
    {"<30>" T " last message repeated 5 times", SOUND, .message = "last message repeated 5 times"},
    {"<30>" T " h last message repeated 99999999999999999999 times", SOUND, .host = "h",
     .message = "last message repeated 99999999999999999999 times"},
};

static const struct expect_row tags[] = {
    {"<30>" T " h postfix/smtp[77]: x", SOUND, .host = "h", .app = "postfix/smtp", .pid = "77",
     .message = "x"},
    {"<30>" T " h run-parts(/etc/cron.hourly)[7]: x", SOUND, .host = "h",
     .app = "run-parts(/etc/cron.hourly)", .pid = "7", .message = "x"},
    {"<30>" T " h web.1.abc[x]: y", SOUND, .host = "h", .app = "web.1.abc", .pid = "x",
     .message = "y"},
    {"<30>" T " h app[web][12]: y", SOUND, .host = "h", .app = "app[web]", .pid = "12",
     .message = "y"},
    {"<30>" T " h root[85]:no blank", SOUND, .host = "h", .app = "root", .pid = "85",
     .message = "no blank"},
    {"<30>" T " h UNKN[0x800023]: x", SOUND, .host = "h", .app = "UNKN", .pid = "0x800023",
     .message = "x"},
    {"<30>" T " h app[]: x", SOUND, .host = "h", .app = "app", .message = "x"},
    {"<30>" T " h app[31 [t-6] cut", SOUND, .host = "h", .app = "app", .pid = "31",
     .message = "[t-6] cut"},
    {"<30>" T " h app[12] no colon", SOUND, .host = "h", .app = "app", .pid = "12",
     .message = "no colon"},
    {"<30>" T " h LAN2[out] text", SOUND_AS(FORMAT_YAMAHA), .host = "h",
     .message = "LAN2[out] text"},
    {"<30>" T " h a-tag-of-more-than-thirty-two-characters[1]: x", SOUND, .host = "h",
     .app = "a-tag-of-more-than-thirty-two-characters", .pid = "1", .message = "x"},
    {"<30>" T " h \xe3\x82\xb5[1]: x", SOUND, .host = "h", .app = "\xe3\x82\xb5", .pid = "1",
     .message = "x"},
    {"<30>" T " h WLAN/4/ONLINE:OID 1.3", SOUND, .host = "h", .app = "WLAN/4/ONLINE",
     .message = "OID 1.3"},
    {"<30>" T " h Server Administrator: Storage: x", SOUND, .host = "h",
     .app = "Server Administrator", .message = "Storage: x"},
    {"<30>" T " h backup job[12]: x", SOUND, .host = "h", .app = "backup job", .pid = "12",
     .message = "x"},
    {"<30>" T " h app:  two blanks", SOUND, .host = "h", .app = "app", .message = " two blanks"},
    {"<30>" T " h app:", SOUND, .host = "h", .app = "app"},
    /* not tags */
    {"<30>" T " h Failed password for root: x", SOUND, .host = "h",
     .message = "Failed password for root: x"},
    {"<30>" T " h -- MARK --", SOUND, .host = "h", .message = "-- MARK --"},
    {"<30>" T " h {\"k\":\"v\"}", SOUND_AS(FORMAT_JSON), .host = "h", .message = "{\"k\":\"v\"}"},
    {"<30>" T " h http://[::1]:80 is up", SOUND, .host = "h", .message = "http://[::1]:80 is up"},
    {"<30>" T " h 10:22:33: x", SOUND, .host = "h", .message = "10:22:33: x"},
    {"<30>" T " h 2001:db8::1: x", SOUND, .host = "h", .message = "2001:db8::1: x"},
    {"<30>" T " h src=a: x", SOUND, .host = "h", .message = "src=a: x"},
    {"<30>" T " h WARNING: x", SOUND, .host = "h", .message = "WARNING: x"},
    {"<30>" T " h key:value x", SOUND, .host = "h", .message = "key:value x"},
};

#define PLAIN_AS(f) .format = f, .pri = 30
#define PLAIN PLAIN_AS(FORMAT_RFC3164)

static const struct expect_row timeless[] = {
    {"<30>app[12]: x", PLAIN, .app = "app", .pid = "12", .message = "x"},
    {"<30>app: x", PLAIN, .app = "app", .message = "x"},
    {"<30> app: x", PLAIN, .app = "app", .message = "x"},
    {"<30>date=2026-03-10 time=11:58:01 a=\"b\"", PLAIN_AS(FORMAT_KV),
     .message = "date=2026-03-10 time=11:58:01 a=\"b\""},
    {"<30>[Login Failed]: x", PLAIN, .message = "[Login Failed]: x"},
    {"<30>last message repeated 5 times", PLAIN, .message = "last message repeated 5 times"},
    {"<30>1: ", PLAIN, .message = "1: "},
    {"<30>", PLAIN},
    {"<30> ", PLAIN},
    {"<30>Link Down: port 3", PLAIN, .message = "Link Down: port 3"},
    {"<30>web-1 sshd[12]: x", PLAIN, .host = "web-1", .app = "sshd", .pid = "12", .message = "x"},
    {"<30>backup job[12]: x", PLAIN, .message = "backup job[12]: x"},
    {"<30>fw-1 CEF:0|A|B|1|2|C|3|src=192.0.2.1", PLAIN_AS(FORMAT_CEF), .host = "fw-1",
     .message = "CEF:0|A|B|1|2|C|3|src=192.0.2.1"},
    {"<30>1 Link down", PLAIN, .message = "1 Link down"},
    /* without PRI only a time makes a header */
    {T " h app[1]: x", .format = FORMAT_RFC3164, .pri = -1, .time = AT, .form = TIME_FORM_BSD,
     .host = "h", .app = "app", .pid = "1", .message = "x"},
    {"app[1]: x", .format = FORMAT_RAW, .pri = -1, .message = "app[1]: x"},
    {"Host: logs.example.net:514", .format = FORMAT_RAW, .pri = -1,
     .message = "Host: logs.example.net:514"},
};

Test(rfc3164, hosts_are_found_and_what_is_no_host_is_not_taken_for_one)
{
    EXPECT_ROWS(hosts);
}

Test(rfc3164, tags_of_any_shape_are_found_and_text_is_not_taken_for_one)
{
    EXPECT_ROWS(tags);
}

Test(rfc3164, without_a_time_a_host_needs_a_process_behind_it)
{
    EXPECT_ROWS(timeless);
}
