#include "unit/syslog/expect.h"

#define CISCO .format = FORMAT_CISCO, .pri = 189
#define IOS "%SYS-5-CONFIG_I: Configured from console"
#define PARTS .app = "%SYS-5-CONFIG_I", .message = "Configured from console"

static const struct expect_row rows[] = {
    {"<189>" IOS, CISCO, PARTS},
    {"<189>82: " IOS, CISCO, PARTS},
    {"<189>82: 00:20:10: " IOS, CISCO, PARTS},
    {"<189>82: 1d02h: " IOS, CISCO, PARTS},
    {"<189>82: 3w4d: " IOS, CISCO, PARTS},
    {"<189>82: Mar 10 11:20:10: " IOS, CISCO, PARTS, .time = "2026-03-10T11:20:10Z",
     .form = TIME_FORM_BSD},
    {"<189>82: .Mar 10 11:20:10.123: " IOS, CISCO, PARTS, .time = "2026-03-10T11:20:10.123Z"},
    {"<189>82: *Mar 10 11:20:10: " IOS, CISCO, PARTS, .time = "2026-03-10T11:20:10Z",
     .form = TIME_FORM_BSD, .flags = RECORD_BAD_TIME},
    {"<189>82: sw2: Mar 10 2026 07:03:59.338 UTC: " IOS, CISCO, PARTS, .host = "sw2",
     .time = "2026-03-10T07:03:59.338Z"},
    {"<189>82: sw2: Mar 10 07:03:59 EDT: " IOS, CISCO, PARTS, .host = "sw2",
     .time = "2026-03-10T11:03:59Z", .form = TIME_FORM_BSD},
    {"<189>82: Mar 10 11:20:10 XYZT: " IOS, CISCO, PARTS, .time = "2026-03-10T11:20:10Z",
     .form = TIME_FORM_BSD, .flags = RECORD_BAD_TIME},
    {"<189>: 2026 Mar 10 08:15:30 EDT: " IOS, CISCO, PARTS, .time = "2026-03-10T12:15:30Z"},
    {"<189>2026 Mar 10 08:15:30 n9k1 " IOS, CISCO, PARTS, .host = "n9k1",
     .time = "2026-03-10T08:15:30Z"},
    {"<189>Mar 10 11:00:00 rtr1 82: *Mar 10 10:59:59.123: " IOS, CISCO, PARTS, .host = "rtr1",
     .time = "2026-03-10T10:59:59.123Z", .flags = RECORD_BAD_TIME},
    {"<189>:Mar 10 11:00:00 UTC: %ASA-6-302015: Built", CISCO, .app = "%ASA-6-302015",
     .message = "Built", .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD},
    {"<189>Mar 10 2026 11:00:00 asa1 : %ASA-6-302015: Built", CISCO, .host = "asa1",
     .app = "%ASA-6-302015", .message = "Built", .time = "2026-03-10T11:00:00Z",
     .form = TIME_FORM_BSD_YEAR},
    {"<189>2026-03-10T07:37:58Z: %ASA-6-302014: Teardown", CISCO, .app = "%ASA-6-302014",
     .message = "Teardown", .time = "2026-03-10T07:37:58Z", .form = TIME_FORM_ISO_Z},
    {"<189>wlc1: *spamApTask1: Mar 10 08:52:01.958: %CAPWAP-4-DISC: [PA]x", CISCO, .host = "wlc1",
     .app = "%CAPWAP-4-DISC", .message = "[PA]x", .time = "2026-03-10T08:52:01.958Z"},
    {"<189>82: RP/0/RSP0/CPU0:Mar 10 11:11:11.123 UTC: ifmgr[123]: %PKT_INFRA-LINK-3-UPDOWN : "
     "Interface x",
     CISCO, .pid = "123", .app = "%PKT_INFRA-LINK-3-UPDOWN", .message = "Interface x",
     .time = "2026-03-10T11:11:11.123Z"},
    {"<189>82: r1 RP/0/RSP0/CPU0: Mar 10 11:11:11 UTC: ifmgr[123]: %PKT-3-UPDOWN: x", CISCO,
     .host = "r1", .pid = "123", .app = "%PKT-3-UPDOWN", .message = "x",
     .time = "2026-03-10T11:11:11Z", .form = TIME_FORM_BSD},
    /* a mnemonic in somebody else's text */
    {"<189>Mar 10 11:00:00 h app[1]: see %SYS-5-CONFIG_I: x", .format = FORMAT_RFC3164, .pri = 189,
     .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD, .host = "h", .app = "app", .pid = "1",
     .message = "see %SYS-5-CONFIG_I: x"},
    {"<189>app: 100% done", .format = FORMAT_RFC3164, .pri = 189, .app = "app",
     .message = "100% done"},
    {"<189>82: %SYS-9-X: severity 9", .format = FORMAT_RFC3164, .pri = 189,
     .message = "82: %SYS-9-X: severity 9"},
    {"<189>\n%SYS-5-X: x", .format = FORMAT_RFC3164, .pri = 189, .message = "\n%SYS-5-X: x"},
    {IOS, .format = FORMAT_RAW, .pri = -1, .message = IOS},
    {"<189>45: 192.0.2.3: Mar 10 11:00:00: %SYS-5-CONFIG_I: x", .format = FORMAT_CISCO, .pri = 189,
     .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD, .host = "192.0.2.3",
     .app = "%SYS-5-CONFIG_I", .message = "x"},
    {"<189>45: sw1: Mar 10 11:00:00 Asia/Tokyo: %SYS-5-CONFIG_I: x", .format = FORMAT_CISCO,
     .pri = 189, .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD, .host = "sw1",
     .app = "%SYS-5-CONFIG_I", .message = "x", .flags = RECORD_BAD_TIME},
};

Test(cisco, heads_in_any_order_are_read_and_never_become_hosts)
{
    EXPECT_ROWS(rows);
}
