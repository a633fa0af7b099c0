/* Messages as vendors' devices send them, a row each: their forms, with invented names
 * and addresses. */
#include "unit/syslog/expect.h"
#include "unit/syslog/stream.h"

static const struct expect_row cisco[] = {
    {"<189>30: core1: 6340004: *Mar 10 11:45:20: %SEC-6-IPACCESSLOGP: list IN denied tcp "
     "192.0.2.5(55244) -> 198.51.100.7(443), 1 packet",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:20Z", .form = TIME_FORM_BSD,
     .flags = RECORD_BAD_TIME, .host = "core1", .app = "%SEC-6-IPACCESSLOGP",
     .message = "list IN denied tcp 192.0.2.5(55244) -> 198.51.100.7(443), 1 packet"},
    {"<189>30: core1: Mar 10 11:58:46.000001: %SYS-6-LOGGINGHOST_STARTSTOP: Logging to host "
     "192.0.2.9 stopped",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:58:46.000001Z", .host = "core1",
     .app = "%SYS-6-LOGGINGHOST_STARTSTOP", .message = "Logging to host 192.0.2.9 stopped"},
    {"<189>core1: *Mar 10 11:58:46.411: %SYSMGR-STANDBY-3-SHUTDOWN_START: The System Manager",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:58:46.411000Z",
     .flags = RECORD_BAD_TIME, .host = "core1", .app = "%SYSMGR-STANDBY-3-SHUTDOWN_START",
     .message = "The System Manager"},
    {"<189>core1: 00:01:01: %SYSMGR-STANDBY-3-SHUTDOWN_START: The System Manager",
     .format = FORMAT_CISCO, .pri = 189, .host = "core1", .app = "%SYSMGR-STANDBY-3-SHUTDOWN_START",
     .message = "The System Manager"},
    {"<189>30: core1: 1 2: %SYSMGR-STANDBY-3-SHUTDOWN_START: shutdown", .format = FORMAT_CISCO,
     .pri = 189, .host = "core1", .app = "%SYSMGR-STANDBY-3-SHUTDOWN_START", .message = "shutdown"},
    {"<189>101 21: %SYSMGR-STANDBY-3-SHUTDOWN_START: shutdown", .format = FORMAT_CISCO, .pri = 189,
     .app = "%SYSMGR-STANDBY-3-SHUTDOWN_START", .message = "shutdown"},
    {"<189>22191: core1: 022546: .Mar 10 06:45:00.123 CDT: %PARSER-5-CFGLOG_LOGGEDCMD: User:a "
     "logged command:!exec: enable",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00.123000Z", .host = "core1",
     .app = "%PARSER-5-CFGLOG_LOGGEDCMD", .message = "User:a logged command:!exec: enable"},
    {"<189>core1: 2026 Mar 10 06:45:00.123 CDT: %MODULE-2-MOD_SOMEPORTS_FAILED: Module 13",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00.123000Z", .host = "core1",
     .app = "%MODULE-2-MOD_SOMEPORTS_FAILED", .message = "Module 13"},
    {"<189>Mar 10 11:45:00.123 UTC: %SYS-5-CONFIG_I: Configured from console",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00.123000Z",
     .app = "%SYS-5-CONFIG_I", .message = "Configured from console"},
    {"<189>84027: Mar 10 11:45:00.123 DST: %SYS-5-CONFIG_I: Configured", .format = FORMAT_CISCO,
     .pri = 189, .time = "2026-03-10T11:45:00.123000Z", .flags = RECORD_BAD_TIME,
     .app = "%SYS-5-CONFIG_I", .message = "Configured"},
    {"<189>: 2026 Mar 10 07:45:00 EDT: %L2FM-4-L2FM_MAC_MOVE: Mac 0000.5e00.5301",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00Z",
     .app = "%L2FM-4-L2FM_MAC_MOVE", .message = "Mac 0000.5e00.5301"},
    {"<111> Mar 10 11:45:00 n9k1 %MODULE-5-MOD_OK: Module 1 is online", .format = FORMAT_CISCO,
     .pri = 111, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "n9k1",
     .app = "%MODULE-5-MOD_OK", .message = "Module 1 is online"},
    {"<11>Mar 10 11:45:00 apic1 %LOG_LOCAL0-2-SYSTEM_MSG "
     "[F0110][soaking][node-failed][critical][topology/pod-1] Node 102 not reachable",
     .format = FORMAT_CISCO, .pri = 11, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "apic1", .app = "%LOG_LOCAL0-2-SYSTEM_MSG",
     .message = "[F0110][soaking][node-failed][critical][topology/pod-1] Node 102 not reachable"},
    {"<11>Mar 10 11:45:00 apic1 %LOG_-2-SYSTEM_MSG [F0110] x", .format = FORMAT_CISCO, .pri = 11,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "apic1",
     .app = "%LOG_-2-SYSTEM_MSG", .message = "[F0110] x"},
    {"<11>July 10 22:45:28 apic1 %LOG_LOCAL0-2-SYSTEM_MSG [F0110] long month",
     .format = FORMAT_CISCO, .pri = 11, .time = "2026-07-10T22:45:28Z", .host = "apic1",
     .app = "%LOG_LOCAL0-2-SYSTEM_MSG", .message = "[F0110] long month"},
    {"<189>Mar 10 11:45:00 rtr1 93: SSH2 0: Unexpected message received", .format = FORMAT_RFC3164,
     .pri = 189, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "rtr1",
     .message = "93: SSH2 0: Unexpected message received"},
    {"<189>Mar 10 11:45:00 rtr1 636: .Mar 10 07:44:56.590 EDT: %SEC-6-IPACCESSLOGP: list 102 "
     "denied",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:44:56.590000Z", .host = "rtr1",
     .app = "%SEC-6-IPACCESSLOGP", .message = "list 102 denied"},
    {"<189>123: Mar 10 05:15:25.217 UTC: %SEC-6-IPACCESSLOGP: list 1", .format = FORMAT_CISCO,
     .pri = 189, .time = "2026-03-10T05:15:25.217000Z", .app = "%SEC-6-IPACCESSLOGP",
     .message = "list 1"},
    {"<189>123: rtr1: *Mar  1 18:48:50.483 UTC: %SYS-5-CONFIG_I: x", .format = FORMAT_CISCO,
     .pri = 189, .time = "2026-03-01T18:48:50.483000Z", .flags = RECORD_BAD_TIME, .host = "rtr1",
     .app = "%SYS-5-CONFIG_I", .message = "x"},
    {"<189>45: 1w2d: %LINK-3-UPDOWN: Interface Gi0/1, changed state to up", .format = FORMAT_CISCO,
     .pri = 189, .app = "%LINK-3-UPDOWN", .message = "Interface Gi0/1, changed state to up"},
    {"<189>45: 1y23w: %LINK-3-UPDOWN: Interface Gi0/1, changed state to up", .format = FORMAT_CISCO,
     .pri = 189, .app = "%LINK-3-UPDOWN", .message = "Interface Gi0/1, changed state to up"},
    {"<189>45: 00:00:12: %LINK-3-UPDOWN: Interface Gi0/1, changed state to up",
     .format = FORMAT_CISCO, .pri = 189, .app = "%LINK-3-UPDOWN",
     .message = "Interface Gi0/1, changed state to up"},
    {"<189>45: 00:00:12.345: %LINK-3-UPDOWN: Interface Gi0/1", .format = FORMAT_CISCO, .pri = 189,
     .app = "%LINK-3-UPDOWN", .message = "Interface Gi0/1"},
    {"<166>%ASA-6-302013: Built inbound TCP connection", .format = FORMAT_CISCO, .pri = 166,
     .app = "%ASA-6-302013", .message = "Built inbound TCP connection"},
    {"<166>Mar 10 2026 11:45:00: %ASA-6-302013: Built", .format = FORMAT_CISCO, .pri = 166,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD_YEAR, .app = "%ASA-6-302013",
     .message = "Built"},
    {"<166>Mar 10 2026 11:45:00 asa1 : %ASA-6-302013: Built", .format = FORMAT_CISCO, .pri = 166,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD_YEAR, .host = "asa1",
     .app = "%ASA-6-302013", .message = "Built"},
    {"<166>Mar 10 11:45:00 asa1 %ASA-session-6-302013: Built", .format = FORMAT_CISCO, .pri = 166,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "asa1",
     .app = "%ASA-session-6-302013", .message = "Built"},
    {"<166>2026-03-10T11:45:00Z asa1 : %ASA-3-710003: TCP access denied", .format = FORMAT_CISCO,
     .pri = 166, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z, .host = "asa1",
     .app = "%ASA-3-710003", .message = "TCP access denied"},
    {"<166>Mar 10 11:45:00 192.0.2.8 Mar 10 2026 11:44:59 asa1 : %ASA-4-106023: Deny",
     .format = FORMAT_CISCO, .pri = 166, .time = "2026-03-10T11:44:59Z", .form = TIME_FORM_BSD_YEAR,
     .host = "asa1", .app = "%ASA-4-106023", .message = "Deny"},
    {"2026-03-10T11:45:00Z ftd1  %FTD-6-430003: DeviceUUID: 90e1", .format = FORMAT_CISCO,
     .pri = -1, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z, .host = "ftd1",
     .app = "%FTD-6-430003", .message = "DeviceUUID: 90e1"},
    {"<118>2026-03-10T11:45:00Z %FTD-6-430003: DeviceUUID: 90e1", .format = FORMAT_CISCO,
     .pri = 118, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z, .app = "%FTD-6-430003",
     .message = "DeviceUUID: 90e1"},
    {"<118>2026-03-10T11:45:00Z  %FTD-1-430002: EventPriority: Low", .format = FORMAT_CISCO,
     .pri = 118, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z, .app = "%FTD-1-430002",
     .message = "EventPriority: Low"},
    {"<189>Mar 10 2026 11:45:00.123 UTC: %PIX-6-302014: Teardown", .format = FORMAT_CISCO,
     .pri = 189, .time = "2026-03-10T11:45:00.123000Z", .app = "%PIX-6-302014",
     .message = "Teardown"},
    {"<164>Mar 10 2026 11:45:00: %FWSM-4-106023: Deny udp", .format = FORMAT_CISCO, .pri = 164,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD_YEAR, .app = "%FWSM-4-106023",
     .message = "Deny udp"},
    {"<189>82: RP/0/RP0/CPU0:Mar 10 11:45:00.123 JST: config[65712]: %MGBL-SYS-5-CONFIG_I : "
     "Configured from console",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T02:45:00.123000Z",
     .app = "%MGBL-SYS-5-CONFIG_I", .pid = "65712", .message = "Configured from console"},
    {"<189>82: xr1 RP/0/RP0/CPU0:2026 Mar 10 11:45:00.123 UTC: ifmgr[230]: "
     "%PKT_INFRA-LINK-3-UPDOWN : x",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00.123000Z", .host = "xr1",
     .app = "%PKT_INFRA-LINK-3-UPDOWN", .pid = "230", .message = "x"},
    {"<189>82: xr1 LC/0/0/CPU0:Mar 10 11:45:00 : ifmgr[230]: %PKT_INFRA-LINK-3-UPDOWN : x",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "xr1", .app = "%PKT_INFRA-LINK-3-UPDOWN", .pid = "230", .message = "x"},
    {"<134>wlc1: *apfMsConnTask_1: Mar 10 11:45:00.123: %APF-6-USER_NAME_CREATED: apf_ms.c:7000 x",
     .format = FORMAT_CISCO, .pri = 134, .time = "2026-03-10T11:45:00.123000Z", .host = "wlc1",
     .app = "%APF-6-USER_NAME_CREATED", .message = "apf_ms.c:7000 x"},
    {"<134>Mar 10 11:45:00 wlc1 wlc1: *Dot1x_NW_MsgTask_0: Mar 10 11:45:00.123: "
     "#DOT1X-3-ABORT_AUTH: 1x_auth.c:1 x",
     .format = FORMAT_CISCO, .pri = 134, .time = "2026-03-10T11:45:00.123000Z", .host = "wlc1",
     .app = "#DOT1X-3-ABORT_AUTH", .message = "1x_auth.c:1 x"},
    {"<132>wlc1: -Traceback: 0x1 0x2", .format = FORMAT_RFC3164, .pri = 132, .app = "wlc1",
     .message = "-Traceback: 0x1 0x2"},
    {"<187>Mar 10 11:45:00: wcm: *%LWAPP-3-REPLAY_ERR: 1 wcm: Received replay",
     .format = FORMAT_CISCO, .pri = 187, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "wcm", .app = "%LWAPP-3-REPLAY_ERR", .message = "1 wcm: Received replay"},
    {"<187>Mar 10 11:45:00.778 JST: *%LWAPP-3-REPLAY_ERR: 1 wcm: Received replay",
     .format = FORMAT_CISCO, .pri = 187, .time = "2026-03-10T02:45:00.778000Z",
     .app = "%LWAPP-3-REPLAY_ERR", .message = "1 wcm: Received replay"},
    {"<189>Mar 10 11:45:00 2026 rtr1 : %SYS-5-CONFIG_I: x", .format = FORMAT_CISCO, .pri = 189,
     .time = "2026-03-10T11:45:00Z", .host = "rtr1", .app = "%SYS-5-CONFIG_I", .message = "x"},
    {"<189>rtr1: Mar 10 2026 11:45:00.123 +09:00: %SYS-5-CONFIG_I: x", .format = FORMAT_CISCO,
     .pri = 189, .time = "2026-03-10T02:45:00.123000Z", .host = "rtr1", .app = "%SYS-5-CONFIG_I",
     .message = "x"},
    {"<189>1: rtr1: 000012: Mar 10 11:45:00.123 CET: %BGP-5-ADJCHANGE: neighbor 192.0.2.1 Up",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T10:45:00.123000Z", .host = "rtr1",
     .app = "%BGP-5-ADJCHANGE", .message = "neighbor 192.0.2.1 Up"},
    {"<189>Mar 10 11:45:00 sw1: %STP-6-PORT_STATE: Port e17 instance moving from Disabled to "
     "Forwarding",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "sw1", .app = "%STP-6-PORT_STATE",
     .message = "Port e17 instance moving from Disabled to Forwarding"},
    {"<189>Mar 10 11:45:00 sw-sg1 %LINK-I-Up:  gi1", .format = FORMAT_CISCO, .pri = 189,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "sw-sg1", .app = "%LINK-I-Up",
     .message = " gi1"},
    {"<189>%LINK-W-Down:  gi3", .format = FORMAT_CISCO, .pri = 189, .app = "%LINK-W-Down",
     .message = " gi3"},
    {"<13>Mar 10 11:45:00 sg300 %AAA-I-CONNECT: New http connection for user cisco, source "
     "192.0.2.1 destination 192.0.2.2 ACCEPTED",
     .format = FORMAT_CISCO, .pri = 13, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "sg300", .app = "%AAA-I-CONNECT",
     .message =
         "New http connection for user cisco, source 192.0.2.1 destination 192.0.2.2 ACCEPTED"},
    {"<188>Mar 10 11:45:00 SLM2048 COPY-N-TRAP: The copy operation", .format = FORMAT_RFC3164,
     .pri = 188, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "SLM2048",
     .app = "COPY-N-TRAP", .message = "The copy operation"},
    {"<189>Mar 10 11:45:00 fi1 : 2026 Mar 10 11:45:00 UTC: %UCSM-6-AUDIT: "
     "[session][internal][creation]",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00Z", .host = "fi1",
     .app = "%UCSM-6-AUDIT", .message = "[session][internal][creation]"},
    {"<189>: 2026 Mar 10 11:45:00 JST: %UCSM-5-x: [F0283]", .format = FORMAT_CISCO, .pri = 189,
     .time = "2026-03-10T02:45:00Z", .app = "%UCSM-5-x", .message = "[F0283]"},
    {"<189>: 2026 Mar 10 11:45:00.123 UTC: %DAEMON-3-SYSTEM_MSG: ftp disabled - xinetd[4930]",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00.123000Z",
     .app = "%DAEMON-3-SYSTEM_MSG", .message = "ftp disabled - xinetd[4930]"},
    {"<13>Mar 10 11:45:00 cucm1 1: Mar 10 2026 11:45:00.123 UTC :  "
     "%UC_AUDITLOG-5-AdministrativeEvent: %[ UserID=a]: x",
     .format = FORMAT_CISCO, .pri = 13, .time = "2026-03-10T11:45:00.123000Z", .host = "cucm1",
     .app = "%UC_AUDITLOG-5-AdministrativeEvent", .message = "%[ UserID=a]: x"},
    {"<189>56: Mar 10 2026 11:45:00.12 UTC : %UC_CALLMANAGER-4-EndPointUnregistered: "
     "%[DeviceName=SEP]: x",
     .format = FORMAT_CISCO, .pri = 189, .time = "2026-03-10T11:45:00.120000Z",
     .app = "%UC_CALLMANAGER-4-EndPointUnregistered", .message = "%[DeviceName=SEP]: x"},
    {"<181>Mar 10 11:45:00 ise1 CISE_RADIUS_Accounting 0000370855 2 0 2026-03-10 11:45:00.123 "
     "+00:00 0011 3002 NOTICE Radius-Accounting: x, ConfigVersionId=1,",
     .format = FORMAT_CISCO, .pri = 181, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "ise1", .app = "CISE_RADIUS_Accounting",
     .message = "0000370855 2 0 2026-03-10 11:45:00.123 +00:00 0011 3002 NOTICE Radius-Accounting: "
                "x, ConfigVersionId=1,"},
    {"<181>Mar 10 11:45:00 ise1 CISE_RADIUS_Accounting 0000370855 2 1  Step=11004,",
     .format = FORMAT_CISCO, .pri = 181, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "ise1", .app = "CISE_RADIUS_Accounting", .message = "0000370855 2 1  Step=11004,"},
};

static const struct expect_row meraki[] = {
    {"<14>1 1773143100.123456789 mx84 flows src=192.0.2.186 dst=198.51.100.36 protocol=udp "
     "sport=55719 dport=53 pattern: allow all",
     .format = FORMAT_MERAKI, .pri = 14, .time = "2026-03-10T11:45:00.123456Z", .host = "mx84",
     .message = "flows src=192.0.2.186 dst=198.51.100.36 protocol=udp sport=55719 dport=53 "
                "pattern: allow all"},
    {"<134>1 1773143100.123456789 MX84 urls src=192.0.2.186:63735 dst=198.51.100.1:80 "
     "mac=58:1F:AA:CE:61:F2 request: GET https://example.com/",
     .format = FORMAT_MERAKI, .pri = 134, .time = "2026-03-10T11:45:00.123456Z", .host = "MX84",
     .message = "urls src=192.0.2.186:63735 dst=198.51.100.1:80 mac=58:1F:AA:CE:61:F2 request: GET "
                "https://example.com/"},
    {"<134>1 1773143100.123456789 MX84 ip_flow_end src=192.0.2.1 dst=198.51.100.1 protocol=udp "
     "sport=1043 dport=9930",
     .format = FORMAT_MERAKI, .pri = 134, .time = "2026-03-10T11:45:00.123456Z", .host = "MX84",
     .message = "ip_flow_end src=192.0.2.1 dst=198.51.100.1 protocol=udp sport=1043 dport=9930"},
    {"<134>1 Mar 10 11:45:00 192.0.2.1 1 1773143100.207232138 MX84 events Cellular connection up",
     .format = FORMAT_MERAKI, .pri = 134, .time = "2026-03-10T11:45:00.207232Z", .host = "MX84",
     .message = "events Cellular connection up"},
    {"<134>Mar 10 11:45:00 192.0.2.1 1 1773143100.207232138 MX84 events Cellular connection up",
     .format = FORMAT_MERAKI, .pri = 134, .time = "2026-03-10T11:45:00.207232Z", .host = "MX84",
     .message = "events Cellular connection up"},
    {"<134>1 1773143100.123456789 my_AP events type=association radio='0' vap='1'",
     .format = FORMAT_MERAKI, .pri = 134, .time = "2026-03-10T11:45:00.123456Z", .host = "my_AP",
     .message = "events type=association radio='0' vap='1'"},
};

static const struct expect_row firewalls_and_routers[] = {
    /* huawei h3c */
    {"<189>Oct  4 2025 23:46:14 hw-ce1 %%01SHELL/5/CMDRECORD[l](324):Record command information. "
     "(Task=vt0)",
     .format = FORMAT_HUAWEI, .pri = 189, .time = "2025-10-04T23:46:14Z",
     .form = TIME_FORM_BSD_YEAR, .host = "hw-ce1", .app = "%%01SHELL/5/CMDRECORD[l](324)",
     .message = "Record command information. (Task=vt0)"},
    {"<189>Jan 23 2026 13:27:53 hw1 %%01SHELL/6/DISPLAY_CMDRECORD(l)[21]:Record command "
     "information.",
     .format = FORMAT_HUAWEI, .pri = 189, .time = "2026-01-23T13:27:53Z",
     .form = TIME_FORM_BSD_YEAR, .host = "hw1", .app = "%%01SHELL/6/DISPLAY_CMDRECORD(l)",
     .pid = "21", .message = "Record command information."},
    {"<189> Feb 27 2026 22:07:01 hw_AR12-01 %%01SHELL/5/CMDRECORD(l)[7475]:Record command "
     "information.",
     .format = FORMAT_HUAWEI, .pri = 189, .time = "2026-02-27T22:07:01Z",
     .form = TIME_FORM_BSD_YEAR, .host = "hw_AR12-01", .app = "%%01SHELL/5/CMDRECORD(l)",
     .pid = "7475", .message = "Record command information."},
    {"<188>2026-03-10 11:45:00 USG2110 %%01HTTPD/4/FAIL(l): User admin(IP:192.0.2.249 ID:321) "
     "login failed",
     .format = FORMAT_HUAWEI, .pri = 188, .time = "2026-03-10T11:45:00Z",
     .form = TIME_FORM_ISO_BLANK, .host = "USG2110", .app = "%%01HTTPD/4/FAIL(l)",
     .message = "User admin(IP:192.0.2.249 ID:321) login failed"},
    {"<188>Mar 10 2026 11:45:00+09:00 DST hw2 %%01IFNET/4/LINK_STATE(l)[1]:The line protocol",
     .format = FORMAT_HUAWEI, .pri = 188, .time = "2026-03-10T02:45:00Z",
     .form = TIME_FORM_BSD_YEAR, .host = "hw2", .app = "%%01IFNET/4/LINK_STATE(l)", .pid = "1",
     .message = "The line protocol"},
    {"<189>Mar 10 2026 11:45:00 hw2 IFPDT/4/IF_STATE: x", .format = FORMAT_RFC3164, .pri = 189,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD_YEAR, .host = "hw2",
     .app = "IFPDT/4/IF_STATE", .message = "x"},
    {"<174>Mar 10 01:33:51 2026 67-215 %%10SHELL/6/SHELL_CMD: -Line=aux0-IPAddr=**-User=**; "
     "Command is quit.",
     .format = FORMAT_H3C, .pri = 174, .time = "2026-03-10T01:33:51Z", .host = "67-215",
     .app = "%%10SHELL/6/SHELL_CMD", .message = "-Line=aux0-IPAddr=**-User=**; Command is quit."},
    {"<174>Mar 10 01:33:51 2026 h3c-s6800-01:  %%10SHELL/6/SHELL_CMD: x", .format = FORMAT_H3C,
     .pri = 174, .time = "2026-03-10T01:33:51Z", .host = "h3c-s6800-01",
     .app = "%%10SHELL/6/SHELL_CMD", .message = "x"},
    {"<189>Mar 10 11:45:00 2026 H3C %%10IFNET/3/LINK_UPDOWN: GigabitEthernet1/0/7 link status is "
     "UP.",
     .format = FORMAT_H3C, .pri = 189, .time = "2026-03-10T11:45:00Z", .host = "H3C",
     .app = "%%10IFNET/3/LINK_UPDOWN", .message = "GigabitEthernet1/0/7 link status is UP."},
    {"<189>Mar 10 11:45:00:123 2026 H3C %%10IFNET/3/LINK_UPDOWN: x", .format = FORMAT_H3C,
     .pri = 189, .time = "2026-03-10T11:45:00.123000Z", .host = "H3C",
     .app = "%%10IFNET/3/LINK_UPDOWN", .message = "x"},
    /* fortinet */
    {"<189>date=2026-03-10 time=20:45:00 devname=\"fg1\" devid=\"FGT1\" "
     "eventtime=1773143100006125684 tz=\"+0900\" logid=\"0000000013\" type=\"traffic\"",
     .format = FORMAT_FORTINET, .pri = 189, .time = "2026-03-10T11:45:00Z",
     .message = "date=2026-03-10 time=20:45:00 devname=\"fg1\" devid=\"FGT1\" "
                "eventtime=1773143100006125684 tz=\"+0900\" logid=\"0000000013\" type=\"traffic\""},
    {"<189>date=2026-03-10 time=11:45:00 devname=fg1 devid=FGT1 logid=0000000013 type=traffic",
     .format = FORMAT_FORTINET, .pri = 189,
     .message =
         "date=2026-03-10 time=11:45:00 devname=fg1 devid=FGT1 logid=0000000013 type=traffic"},
    {"<189>logver=604081914 timestamp=1773143100 devname=\"fg1\" devid=\"FGT1\" vd=\"root\" "
     "date=2026-03-10 time=11:45:00 logid=\"1\"",
     .format = FORMAT_FORTINET, .pri = 189,
     .message = "logver=604081914 timestamp=1773143100 devname=\"fg1\" devid=\"FGT1\" vd=\"root\" "
                "date=2026-03-10 time=11:45:00 logid=\"1\""},
    {"<189>Mar 10 11:45:00 192.0.2.1 date=2026-03-10 time=11:45:00 devname=fg1 logid=1",
     .format = FORMAT_FORTINET, .pri = 189, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "192.0.2.1", .message = "date=2026-03-10 time=11:45:00 devname=fg1 logid=1"},
    {"<189>Mar 10 11:45:00 fg1 CEF:0|Fortinet|Fortigate|v6.0.3|00013|traffic:forward "
     "accept|3|deviceExternalId=FG",
     .format = FORMAT_CEF, .pri = 189, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "fg1",
     .message =
         "CEF:0|Fortinet|Fortigate|v6.0.3|00013|traffic:forward accept|3|deviceExternalId=FG"},
    /* paloalto */
    {"<14>Mar 10 11:45:00 PA-220 1,2026/03/10 11:44:59,012801096514,TRAFFIC,end,2049,2026/03/10 "
     "11:44:59,192.0.2.1,198.51.100.2,0.0.0.0,0.0.0.0,allow",
     .format = FORMAT_PALOALTO, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "PA-220",
     .message = "1,2026/03/10 11:44:59,012801096514,TRAFFIC,end,2049,2026/03/10 "
                "11:44:59,192.0.2.1,198.51.100.2,0.0.0.0,0.0.0.0,allow"},
    {"<14>1,2026/03/10 11:44:59,012801096514,THREAT,url,2049,2026/03/10 11:44:59",
     .format = FORMAT_PALOALTO, .pri = 14,
     .message = "1,2026/03/10 11:44:59,012801096514,THREAT,url,2049,2026/03/10 11:44:59"},
    {"<14>Mar 10 11:45:00 2026 pa1.example.net 1,2026/03/10 11:44:59,0128,SYSTEM,general,0",
     .format = FORMAT_PALOALTO, .pri = 14, .time = "2026-03-10T11:45:00Z",
     .host = "pa1.example.net", .message = "1,2026/03/10 11:44:59,0128,SYSTEM,general,0"},
    {"<14>1 2026-03-10T11:45:00.000+00:00 pa1 - - - - 1,2026/03/10 11:44:59,0128,SYSTEM,general",
     .format = FORMAT_RFC5424, .pri = 14, .time = "2026-03-10T11:45:00Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "pa1",
     .message = "1,2026/03/10 11:44:59,0128,SYSTEM,general"},
    {"<14>Mar 10 11:45:00 PA-220 : 1,2026/03/10 11:44:59,0128,CONFIG,0,0",
     .format = FORMAT_PALOALTO, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "PA-220", .message = "1,2026/03/10 11:44:59,0128,CONFIG,0,0"},
    /* sophos sonicwall watchguard */
    {"<30>device=\"SFW\" date=2026-03-10 time=20:45:00 timezone=\"JST\" device_name=\"XGS\" "
     "device_id=S1 log_id=010101600001 log_type=\"Firewall\"",
     .format = FORMAT_SOPHOS, .pri = 30, .time = "2026-03-10T11:45:00Z",
     .message = "device=\"SFW\" date=2026-03-10 time=20:45:00 timezone=\"JST\" device_name=\"XGS\" "
                "device_id=S1 log_id=010101600001 log_type=\"Firewall\""},
    {"<30>device_name=\"SFW\" timestamp=\"2026-03-10T20:45:00+0900\" device_model=\"XGS87\" "
     "device_serial_id=\"X1\" log_id=\"010101600001\" log_type=\"Firewall\" "
     "log_component=\"Firewall Rule\"",
     .format = FORMAT_SOPHOS, .pri = 30, .time = "2026-03-10T11:45:00Z",
     .message = "device_name=\"SFW\" timestamp=\"2026-03-10T20:45:00+0900\" device_model=\"XGS87\" "
                "device_serial_id=\"X1\" log_id=\"010101600001\" log_type=\"Firewall\" "
                "log_component=\"Firewall Rule\""},
    {"2026-03-10T11:45:00.337928+00:00 fw.example.net device=\"SFW\" date=2026-03-10 time=11:45:00 "
     "timezone=\"-03\" device_name=\"SG\" log_id=020804407002",
     .format = FORMAT_SOPHOS, .pri = -1, .time = "2026-03-10T11:45:00.337928Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "fw.example.net",
     .message = "device=\"SFW\" date=2026-03-10 time=11:45:00 timezone=\"-03\" device_name=\"SG\" "
                "log_id=020804407002"},
    {"<30>2026:03:10-11:45:00 utm1 ulogd[4823]: id=\"2001\" severity=\"info\" sys=\"SecureNet\" "
     "sub=\"packetfilter\" name=\"Packet dropped\" action=\"drop\"",
     .format = FORMAT_SOPHOS, .pri = 30, .time = "2026-03-10T11:45:00Z", .host = "utm1",
     .app = "ulogd", .pid = "4823",
     .message = "id=\"2001\" severity=\"info\" sys=\"SecureNet\" sub=\"packetfilter\" "
                "name=\"Packet dropped\" action=\"drop\""},
    {"<30>2026:03:10-11:45:00 utm-1 httpproxy[1]: id=\"0001\" severity=\"info\" sys=\"SecureWeb\" "
     "sub=\"http\"",
     .format = FORMAT_SOPHOS, .pri = 30, .time = "2026-03-10T11:45:00Z", .host = "utm-1",
     .app = "httpproxy", .pid = "1",
     .message = "id=\"0001\" severity=\"info\" sys=\"SecureWeb\" sub=\"http\""},
    {"<134>  id=firewall sn=18B16900 time=\"2026-03-10 11:45:00 UTC\" fw=192.0.2.1 pri=6 c=1024 "
     "m=537 msg=\"x\"",
     .format = FORMAT_SONICWALL, .pri = 134, .time = "2026-03-10T11:45:00Z",
     .message = "id=firewall sn=18B16900 time=\"2026-03-10 11:45:00 UTC\" fw=192.0.2.1 pri=6 "
                "c=1024 m=537 msg=\"x\""},
    {"<134>id=sonic1 sn=18B16900 time=\"2026-03-10 11:45:00\" fw=192.0.2.1 pri=6 m=537",
     .format = FORMAT_SONICWALL, .pri = 134,
     .message = "id=sonic1 sn=18B16900 time=\"2026-03-10 11:45:00\" fw=192.0.2.1 pri=6 m=537"},
    {"<142>Mar 10 11:45:00 FB1 80BE052F336C0 (2026-03-10T11:45:00) firewall: msg_id=\"3000-0148\" "
     "Allow 1-Trusted 0-External tcp",
     .format = FORMAT_WATCHGUARD, .pri = 142, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "FB1", .app = "firewall",
     .message = "msg_id=\"3000-0148\" Allow 1-Trusted 0-External tcp"},
    {"<142>Mar 10 11:45:00 FB1 (2026-03-10T11:45:00) firewall: msg_id=\"3000-0148\" Deny "
     "0-External Firebox",
     .format = FORMAT_WATCHGUARD, .pri = 142, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "FB1", .app = "firewall", .message = "msg_id=\"3000-0148\" Deny 0-External Firebox"},
    {"<142>Mar 10 11:45:00 WatchGuard-XTM FVE123 firewall: msg_id=\"3000-0148\" Allow 1-Trusted",
     .format = FORMAT_WATCHGUARD, .pri = 142, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "WatchGuard-XTM", .app = "firewall",
     .message = "msg_id=\"3000-0148\" Allow 1-Trusted"},
    {"<142>Mar 10 11:45:00 801304C6AA57D FB1 (2026-03-10T11:45:00) http-proxy[1]: "
     "msg_id=\"1AFF-0024\" Allow",
     .format = FORMAT_WATCHGUARD, .pri = 142, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "FB1", .app = "http-proxy", .pid = "1", .message = "msg_id=\"1AFF-0024\" Allow"},
    /* juniper */
    {"<28>Mar 10 11:45:00 srx1 mgd[1234]: UI_CMDLINE_READ_LINE: User 'a', command 'show log'",
     .format = FORMAT_JUNIPER, .pri = 28, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "srx1", .app = "mgd", .pid = "1234",
     .message = "UI_CMDLINE_READ_LINE: User 'a', command 'show log'"},
    {"<14>Mar 10 11:45:00  srx1 RT_FLOW: RT_FLOW_SESSION_CREATE: session created "
     "192.0.2.1/1->198.51.100.1/2",
     .format = FORMAT_JUNIPER, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "srx1", .app = "RT_FLOW",
     .message = "RT_FLOW_SESSION_CREATE: session created 192.0.2.1/1->198.51.100.1/2"},
    {"<14>1 2026-03-10T11:45:00.123+09:00 srx1 RT_FLOW - RT_FLOW_SESSION_CLOSE "
     "[junos@2636.1.1.1.2.129 reason=\"TCP FIN\" source-address=\"192.0.2.1\"] session closed",
     .format = FORMAT_RFC5424, .pri = 14, .time = "2026-03-10T02:45:00.123000Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "srx1", .app = "RT_FLOW",
     .msgid = "RT_FLOW_SESSION_CLOSE",
     .data = "[junos@2636.1.1.1.2.129 reason=\"TCP FIN\" source-address=\"192.0.2.1\"]",
     .message = "session closed"},
    {"<30>Mar 10 11:45:00 2026 srx1 sshd[123]: Accepted", .format = FORMAT_RFC3164, .pri = 30,
     .time = "2026-03-10T11:45:00Z", .host = "srx1", .app = "sshd", .pid = "123",
     .message = "Accepted"},
    {"<28>Mar 10 2026 11:45:00.123 UTC mx1 rpd[1]: %DAEMON-4-RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP "
     "peer",
     .format = FORMAT_JUNIPER, .pri = 28, .time = "2026-03-10T11:45:00.123000Z", .host = "mx1",
     .app = "rpd", .pid = "1", .message = "%DAEMON-4-RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer"},
    {"<28>Mar 10 11:45:00 mx1-re0 chassisd[1]: CHASSISD_SNMP_TRAP6: SNMP trap",
     .format = FORMAT_JUNIPER, .pri = 28, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "mx1-re0", .app = "chassisd", .pid = "1", .message = "CHASSISD_SNMP_TRAP6: SNMP trap"},
    {"<45>Mar 10 11:45:00 mx1 /kernel: rts_commit_proc", .format = FORMAT_RFC3164, .pri = 45,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "mx1", .app = "/kernel",
     .message = "rts_commit_proc"},
    {"<45>Mar 10 11:45:00 mx1 fpc0 PFE: x", .format = FORMAT_RFC3164, .pri = 45,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "mx1",
     .message = "fpc0 PFE: x"},
    /* checkpoint f5 netscaler */
    {"<134>1 2026-03-10T11:45:00Z gw1 CheckPoint 26203 - [sc4s@2620 action=\"Detect\" "
     "ifname=\"eth0\" policy=\"x[db_tag={9};policy_name=Standard\\]\" proto=\"6\"]",
     .format = FORMAT_RFC5424, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z,
     .host = "gw1", .app = "CheckPoint", .pid = "26203",
     .data = "[sc4s@2620 action=\"Detect\" ifname=\"eth0\" "
             "policy=\"x[db_tag={9};policy_name=Standard\\]\" proto=\"6\"]"},
    {"<134>1 2026-03-10T11:45:00Z gw1 CheckPoint 26203 - [action:\"Accept\"; flags:\"810244\"; "
     "ifdir:\"inbound\"; loguid:\"{0x4,0x1}\"; origin:\"192.0.2.1\"]",
     .format = FORMAT_RFC5424, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z,
     .host = "gw1", .app = "CheckPoint", .pid = "26203",
     .message = "[action:\"Accept\"; flags:\"810244\"; ifdir:\"inbound\"; loguid:\"{0x4,0x1}\"; "
                "origin:\"192.0.2.1\"]"},
    {"<134>Mar 10 11:45:00 gw1 Action=\"accept\" UUid=\"{0x0}\" rule=\"1\" src=\"192.0.2.1\" "
     "loguid=\"{0x1}\"",
     .format = FORMAT_CHECKPOINT, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "gw1",
     .message = "Action=\"accept\" UUid=\"{0x0}\" rule=\"1\" src=\"192.0.2.1\" loguid=\"{0x1}\""},
    {"<133>Mar 10 11:45:00 bigip1.example.net notice tmsh[16322]: 01420002:5: AUDIT - pid=16322 "
     "user=root",
     .format = FORMAT_F5, .pri = 133, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "bigip1.example.net", .app = "tmsh", .pid = "16322",
     .message = "01420002:5: AUDIT - pid=16322 user=root"},
    {"<133>Mar 10 11:45:00 bigip1 info httpd(pam_audit)[16784]: 01070417:6: AUDIT - user a - RAW: "
     "x",
     .format = FORMAT_F5, .pri = 133, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "bigip1", .app = "httpd(pam_audit)", .pid = "16784",
     .message = "01070417:6: AUDIT - user a - RAW: x"},
    {"<133>Mar 10 11:45:00 bigip1 err tmm1[23068]: 01220001:3: TCL error: /Common/x <HTTP_REQUEST>",
     .format = FORMAT_F5, .pri = 133, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "bigip1", .app = "tmm1", .pid = "23068",
     .message = "01220001:3: TCL error: /Common/x <HTTP_REQUEST>"},
    {"<134>Mar 10 11:45:00 bigip1 "
     "ASM:unit_hostname=\"bigip1\",management_ip_address=\"192.0.2.1\",http_class_name=\"/Common/"
     "a\"",
     .format = FORMAT_F5, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "bigip1",
     .message = "ASM:unit_hostname=\"bigip1\",management_ip_address=\"192.0.2.1\",http_class_name="
                "\"/Common/a\""},
    {"<134>2026-03-10T11:45:00.972208-08:00 "
     "192.0.2.5,f5_irule=HSL,src_ip=192.0.2.30,vip=192.0.2.160",
     .format = FORMAT_RFC3164, .pri = 134, .time = "2026-03-10T19:45:00.972208Z",
     .form = TIME_FORM_ISO_OFFSET,
     .message = "192.0.2.5,f5_irule=HSL,src_ip=192.0.2.30,vip=192.0.2.160"},
    {"<134> 03/10/2026:11:45:00 GMT ns1 0-PPE-0 : default SSLVPN LOGIN 123 0 : Context a@192.0.2.1 "
     "- SessionId: 1",
     .format = FORMAT_NETSCALER, .pri = 134, .time = "2026-03-10T11:45:00Z", .host = "ns1",
     .message = "0-PPE-0 : default SSLVPN LOGIN 123 0 : Context a@192.0.2.1 - SessionId: 1"},
    {"<134> 10/03/2026:11:45:00 GMT ns1 0-PPE-0 : default TCP CONN_TERMINATE 1874124822 0 :  "
     "Source 192.0.2.1:47990",
     .format = FORMAT_NETSCALER, .pri = 134, .time = "2026-03-10T11:45:00Z", .host = "ns1",
     .message = "0-PPE-0 : default TCP CONN_TERMINATE 1874124822 0 :  Source 192.0.2.1:47990"},
    {"<134> 03/10/2026:11:45:00 GMT  0-PPE-0 : UI CMD_EXECUTED 123 0 : User nsroot",
     .format = FORMAT_NETSCALER, .pri = 134, .time = "2026-03-10T11:45:00Z",
     .message = "0-PPE-0 : UI CMD_EXECUTED 123 0 : User nsroot"},
    {"<134>03/10/2026:11:45:00  ns1 PPE-0 : EVENT DEVICEUP 1 0 : Device",
     .format = FORMAT_NETSCALER, .pri = 134, .time = "2026-03-10T11:45:00Z", .host = "ns1",
     .message = "PPE-0 : EVENT DEVICEUP 1 0 : Device"},
    {"<12>Mar 10 11:45:00 svm_service: 192.0.2.1  10/03/2026:11:45:00 GMT ns2 0-PPE-0 : GUI "
     "CMD_EXECUTED : User nsroot",
     .format = FORMAT_RFC3164, .pri = 12, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .app = "svm_service",
     .message = "192.0.2.1  10/03/2026:11:45:00 GMT ns2 0-PPE-0 : GUI CMD_EXECUTED : User nsroot"},
    {"<12>Mar 10 11:45:00 [289]: AAA Message : In receive_ldap: null", .format = FORMAT_RFC3164,
     .pri = 12, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .message = "[289]: AAA Message : In receive_ldap: null"},
    {"<134> CEF:0|Citrix|NetScaler|NS13.0|APPFW|APPFW_X|6|src=192.0.2.1", .format = FORMAT_CEF,
     .pri = 134, .message = "CEF:0|Citrix|NetScaler|NS13.0|APPFW|APPFW_X|6|src=192.0.2.1"},
    /* vmware */
    {"<166>2026-03-10T11:45:00.123Z esx1.example.net Hostd: info hostd[2099463] [Originator@6876 "
     "sub=Vimsvc.ha-eventmgr] Event 1",
     .format = FORMAT_VMWARE, .pri = 166, .time = "2026-03-10T11:45:00.123000Z",
     .form = TIME_FORM_ISO_Z, .host = "esx1.example.net", .app = "Hostd",
     .message = "info hostd[2099463] [Originator@6876 sub=Vimsvc.ha-eventmgr] Event 1"},
    {"<166>2026-03-10T11:45:00.123Z esx1 vmkernel: cpu1:2097)ScsiDeviceIO: 1",
     .format = FORMAT_VMWARE, .pri = 166, .time = "2026-03-10T11:45:00.123000Z",
     .form = TIME_FORM_ISO_Z, .host = "esx1", .app = "vmkernel",
     .message = "cpu1:2097)ScsiDeviceIO: 1"},
    {"<167>2026-03-10T11:45:00.123Z esx1 Rhttpproxy: verbose rhttpproxy[2475368] [Originator@6876 "
     "sub=Proxy Req 81133] Resolved",
     .format = FORMAT_VMWARE, .pri = 167, .time = "2026-03-10T11:45:00.123000Z",
     .form = TIME_FORM_ISO_Z, .host = "esx1", .app = "Rhttpproxy",
     .message = "verbose rhttpproxy[2475368] [Originator@6876 sub=Proxy Req 81133] Resolved"},
    {"<14>1 2026-03-10T11:45:00.123+00:00 vcsa vpxd 12345 - - Event [123] [1-1] "
     "[2026-03-10T11:45:00.123Z] [vim.event.UserLoginSessionEvent] [info] [a] [] [1] [User a "
     "logged in]",
     .format = FORMAT_RFC5424, .pri = 14, .time = "2026-03-10T11:45:00.123000Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "vcsa", .app = "vpxd", .pid = "12345",
     .message = "Event [123] [1-1] [2026-03-10T11:45:00.123Z] [vim.event.UserLoginSessionEvent] "
                "[info] [a] [] [1] [User a logged in]"},
    {"<13>1 2026-03-10T11:45:00.654835+01:00 vcsa vmon 2237 - -  Executing op API_HEALTH",
     .format = FORMAT_RFC5424, .pri = 13, .time = "2026-03-10T10:45:00.654835Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "vcsa", .app = "vmon", .pid = "2237",
     .message = " Executing op API_HEALTH"},
    {"<166>Mar 10 11:45:00 esx1 vobd: [vmfsCorrelator] 1us: x", .format = FORMAT_VMWARE, .pri = 166,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "esx1", .app = "vobd",
     .message = "[vmfsCorrelator] 1us: x"},
    {"<166>2026-03-10T11:45:00Z esx1 hostd[2099]: [Originator@6876 sub=x] y",
     .format = FORMAT_VMWARE, .pri = 166, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z,
     .host = "esx1", .app = "hostd", .pid = "2099", .message = "[Originator@6876 sub=x] y"},
};

static const struct expect_row others[] = {
    /* mikrotik ubiquiti pfsense */
    {"<30>Mar 10 11:45:00 RB4011 system,info,account user admin logged in from 192.0.2.5 via "
     "winbox",
     .format = FORMAT_MIKROTIK, .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "RB4011",
     .message = "system,info,account user admin logged in from 192.0.2.5 via winbox"},
    {"<30>Mar 10 11:45:00 system,info,account user admin logged in", .format = FORMAT_MIKROTIK,
     .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .message = "system,info,account user admin logged in"},
    {"<134>system,info,account user admin logged in from 198.51.100.7 via ssh",
     .format = FORMAT_MIKROTIK, .pri = 134,
     .message = "system,info,account user admin logged in from 198.51.100.7 via ssh"},
    {"<134>firewall,info input: in:ether1 out:(unknown 0), src-mac 02:00:5e:aa:bb:cc, proto TCP "
     "(SYN), 203.0.113.9:51234->203.0.113.1:22, len 60",
     .format = FORMAT_MIKROTIK, .pri = 134,
     .message = "firewall,info input: in:ether1 out:(unknown 0), src-mac 02:00:5e:aa:bb:cc, proto "
                "TCP (SYN), 203.0.113.9:51234->203.0.113.1:22, len 60"},
    {"<30>Mar 10 11:45:00 MikroTik dhcp,info dhcp1 assigned 192.0.2.5", .format = FORMAT_MIKROTIK,
     .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "MikroTik",
     .message = "dhcp,info dhcp1 assigned 192.0.2.5"},
    {"<30>2026-03-10T11:45:00+09:00 rb1 wireless,debug wlan1: x", .format = FORMAT_MIKROTIK,
     .pri = 30, .time = "2026-03-10T02:45:00Z", .form = TIME_FORM_ISO_OFFSET, .host = "rb1",
     .message = "wireless,debug wlan1: x"},
    {"<4>Mar 10 11:45:00 UDM kernel: [WAN_LOCAL-D-2147483647] DESCR=\"x\" IN=eth8 OUT= MAC=00:00 "
     "SRC=192.0.2.1 DST=198.51.100.1",
     .format = FORMAT_IPTABLES, .pri = 4, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "UDM", .app = "kernel",
     .message = "[WAN_LOCAL-D-2147483647] DESCR=\"x\" IN=eth8 OUT= MAC=00:00 SRC=192.0.2.1 "
                "DST=198.51.100.1"},
    {"<4>Mar 10 11:45:00 ubnt kernel: [ 123.456789] [LAN_IN-2000-A]IN=eth1 OUT=eth0 SRC=192.0.2.1",
     .format = FORMAT_IPTABLES, .pri = 4, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "ubnt", .app = "kernel",
     .message = "[ 123.456789] [LAN_IN-2000-A]IN=eth1 OUT=eth0 SRC=192.0.2.1"},
    {"<30>Mar 10 11:45:00 (\"U7LT,00005e005301,v4.0.69.10871\") hostapd: ath0: STA "
     "00:00:5e:00:53:02 IEEE 802.11: associated",
     .format = FORMAT_RFC3164, .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "U7LT,00005e005301,v4.0.69.10871", .app = "hostapd",
     .message = "ath0: STA 00:00:5e:00:53:02 IEEE 802.11: associated"},
    {"<30>Mar 10 11:45:00 U7PG2,00005e005302,v4.0.66.10832: hostapd: ath0: STA x",
     .format = FORMAT_RFC3164, .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "U7PG2,00005e005302,v4.0.66.10832", .app = "hostapd", .message = "ath0: STA x"},
    {"<14>Mar 10 11:45:00 USW-Flex 00005e005301,USW-Flex-6.2.14: switch: TRAPMGR: Link Up: 0/1",
     .format = FORMAT_RFC3164, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "USW-Flex", .app = "switch", .message = "TRAPMGR: Link Up: 0/1"},
    {"<134>Mar 10 11:45:00 pf1 filterlog[12345]: "
     "5,,,1000000103,em0,match,block,in,4,0x0,,64,0,0,none,6,tcp,60,203.0.113.104,198.51.100.10,"
     "55001,22",
     .format = FORMAT_FILTERLOG, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "pf1", .app = "filterlog", .pid = "12345",
     .message = "5,,,1000000103,em0,match,block,in,4,0x0,,64,0,0,none,6,tcp,60,203.0.113.104,198."
                "51.100.10,55001,22"},
    {"<134>Mar 10 11:45:00 filterlog[12345]: 5,,,1000000103,em0,match,block,in,4",
     .format = FORMAT_FILTERLOG, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .app = "filterlog", .pid = "12345", .message = "5,,,1000000103,em0,match,block,in,4"},
    {"<134>Mar 10 11:45:00 filterlog: 5,,,1000000103,em0,match,block,in,4",
     .format = FORMAT_FILTERLOG, .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .app = "filterlog", .message = "5,,,1000000103,em0,match,block,in,4"},
    {"<134>1 2026-03-10T11:45:00.123456+00:00 pf1.example.net filterlog 12345 - - "
     "5,,,1000000103,em0",
     .format = FORMAT_RFC5424, .pri = 134, .time = "2026-03-10T11:45:00.123456Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "pf1.example.net", .app = "filterlog", .pid = "12345",
     .message = "5,,,1000000103,em0"},
    /* synology qnap apc printers */
    {"<14>Mar 10 11:45:00 nas1 Connection: User [admin] from [192.0.2.1] logged in successfully "
     "via [DSM].",
     .format = FORMAT_RFC3164, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "nas1", .app = "Connection",
     .message = "User [admin] from [192.0.2.1] logged in successfully via [DSM]."},
    {"<14>Mar 10 11:45:00 nas1 WinFileService Event: write, Path: /share/a.txt, File/Folder: File, "
     "Size: 1 KB, User: a, IP: 192.0.2.2",
     .format = FORMAT_RFC3164, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "nas1", .app = "WinFileService",
     .message =
         "Event: write, Path: /share/a.txt, File/Folder: File, Size: 1 KB, User: a, IP: 192.0.2.2"},
    {"<14>Mar 10 11:45:00 nas1 System SYSTEM: Local UPS was plugged in.", .format = FORMAT_RFC3164,
     .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "nas1",
     .app = "System SYSTEM", .message = "Local UPS was plugged in."},
    {"<30>Mar 10 11:45:00 QNAP1 qulogd[12945]: conn log: Users: admin, Source IP: 192.0.2.10",
     .format = FORMAT_RFC3164, .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "QNAP1", .app = "qulogd", .pid = "12945",
     .message = "conn log: Users: admin, Source IP: 192.0.2.10"},
    {"<30>Mar 10 11:45:00 QNAP1 qlogd[1]: event log: Users: System", .format = FORMAT_RFC3164,
     .pri = 30, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "QNAP1",
     .app = "qlogd", .pid = "1", .message = "event log: Users: System"},
    {"<131>Mar 10 11:45:00 192.0.2.5 UPS: On battery power in response to an input power problem. "
     "0x0109",
     .format = FORMAT_RFC3164, .pri = 131, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "192.0.2.5", .app = "UPS",
     .message = "On battery power in response to an input power problem. 0x0109"},
    {"<135>Mar 10 11:45:00 apc1 System: Web user 'apc' logged in from 192.0.2.9. 0x0014",
     .format = FORMAT_RFC3164, .pri = 135, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "apc1", .app = "System", .message = "Web user 'apc' logged in from 192.0.2.9. 0x0014"},
    {"<131> System: Warmstart. 0x0002", .format = FORMAT_RFC3164, .pri = 131, .app = "System",
     .message = "Warmstart. 0x0002"},
    {"<12>printer: paper jam", .format = FORMAT_RFC3164, .pri = 12, .app = "printer",
     .message = "paper jam"},
    {"<12>Mar 10 11:45:00 NPI000001 printer: cover/door open", .format = FORMAT_RFC3164, .pri = 12,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "NPI000001", .app = "printer",
     .message = "cover/door open"},
    {"<13>Mar 10 11:45:00 HP000001 powered up", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "HP000001",
     .message = "powered up"},
    {"<142>2026-03-10T11:45:00Z RNP000001 [device] toner", .format = FORMAT_RFC3164, .pri = 142,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z, .host = "RNP000001",
     .message = "[device] toner"},
    /* yamaha allied nec fujitsu */
    {"<13>[INSPECT] PP[01][in][1000] TCP 192.0.2.1:80 > 198.51.100.1:80 (2026/03/10 11:45:00)",
     .format = FORMAT_YAMAHA, .pri = 13,
     .message =
         "[INSPECT] PP[01][in][1000] TCP 192.0.2.1:80 > 198.51.100.1:80 (2026/03/10 11:45:00)"},
    {"<13>PP[01] Rejected at IN(1000) filter: TCP 192.0.2.1:80 > 198.51.100.1:80",
     .format = FORMAT_YAMAHA, .pri = 13,
     .message = "PP[01] Rejected at IN(1000) filter: TCP 192.0.2.1:80 > 198.51.100.1:80"},
    {"<13>PP[01] PPPoE Connect", .format = FORMAT_YAMAHA, .pri = 13,
     .message = "PP[01] PPPoE Connect"},
    {"<13>LAN2: link down", .format = FORMAT_RFC3164, .pri = 13, .app = "LAN2",
     .message = "link down"},
    {"<13>Mar 10 11:45:00 192.0.2.1 PP[01] Rejected at IN(1000) filter: TCP",
     .format = FORMAT_YAMAHA, .pri = 13, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "192.0.2.1", .message = "PP[01] Rejected at IN(1000) filter: TCP"},
    {"<13>TUNNEL[1] Rejected at OUT(2000) filter: UDP", .format = FORMAT_YAMAHA, .pri = 13,
     .message = "TUNNEL[1] Rejected at OUT(2000) filter: UDP"},
    {"<13>Login succeeded for HTTP: 192.0.2.1 admin", .format = FORMAT_RFC3164, .pri = 13,
     .message = "Login succeeded for HTTP: 192.0.2.1 admin"},
    {"<13>[IKE] respond ISAKMP phase to 192.0.2.1", .format = FORMAT_RFC3164, .pri = 13,
     .message = "[IKE] respond ISAKMP phase to 192.0.2.1"},
    {"<13>same message repeated 3 times", .format = FORMAT_RFC3164, .pri = 13,
     .message = "same message repeated 3 times"},
    {"<13>IP Tunnel[1] Up", .format = FORMAT_RFC3164, .pri = 13, .message = "IP Tunnel[1] Up"},
    {"<134>Mar 10 11:45:00 awplus IMISH[12345]: [manager@ttyS0]show log", .format = FORMAT_RFC3164,
     .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "awplus",
     .app = "IMISH", .pid = "12345", .message = "[manager@ttyS0]show log"},
    {"<28>Mar 10 11:45:00 awplus NSM[1]: Port up notification received for port1.0.1",
     .format = FORMAT_RFC3164, .pri = 28, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "awplus", .app = "NSM", .pid = "1",
     .message = "Port up notification received for port1.0.1"},
    {"<28>2026 Mar 10 11:45:00 user.warning awplus NSM[1]: Port up", .format = FORMAT_RFC3164,
     .pri = 28, .time = "2026-03-10T11:45:00Z", .host = "awplus", .app = "NSM", .pid = "1",
     .message = "Port up"},
    {"<134>Mar 10 11:45:00 192.0.2.5 ATKK: INTF: interface UP", .format = FORMAT_RFC3164,
     .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "192.0.2.5",
     .app = "ATKK", .message = "INTF: interface UP"},
    {"<134>Mar 10 11:45:00 IX2215 IKE.012: no proposal", .format = FORMAT_RFC3164, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "IX2215", .app = "IKE.012",
     .message = "no proposal"},
    {"<134>Mar 10 11:45:00 192.0.2.5 IP.030: x", .format = FORMAT_RFC3164, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "192.0.2.5", .app = "IP.030",
     .message = "x"},
    {"<134>Mar 10 11:45:00 ix1 BGP.007 neighbor down", .format = FORMAT_RFC3164, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "ix1",
     .message = "BGP.007 neighbor down"},
    {"<142>Mar 10 11:45:00 192.0.2.1 Si-R: init: system startup now.", .format = FORMAT_RFC3164,
     .pri = 142, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "192.0.2.1",
     .app = "Si-R", .message = "init: system startup now."},
    {"<142>Mar 10 11:45:00 sir1 protocol: lan 0 link up", .format = FORMAT_RFC3164, .pri = 142,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "sir1", .app = "protocol",
     .message = "lan 0 link up"},
    {"<142>Mar 10 11:45:00 192.0.2.1 SR-S324TR1 logon: login admin", .format = FORMAT_RFC3164,
     .pri = 142, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "192.0.2.1",
     .message = "SR-S324TR1 logon: login admin"},
    /* windows, cef, leef, json */
    {"<14>Mar 10 11:45:00 WIN1 MSWinEventLog 1 Security 123 Tue Mar 10 11:44:59 2026 4624 "
     "Microsoft-Windows-Security-Auditing a User",
     .format = FORMAT_SNARE, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "WIN1",
     .message = "MSWinEventLog 1 Security 123 Tue Mar 10 11:44:59 2026 4624 "
                "Microsoft-Windows-Security-Auditing a User"},
    {"<14>Mar 10 11:45:00 WIN1.example.net\tMSWinEventLog\t1\tSecurity\t123\tTue Mar 10 11:44:59 "
     "2026\t4624",
     .format = FORMAT_SNARE, .pri = 14, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "WIN1.example.net",
     .message = "MSWinEventLog\t1\tSecurity\t123\tTue Mar 10 11:44:59 2026\t4624"},
    {"<14>WIN1\tMSWinEventLog\t1\tSecurity\t123\tTue Mar 10 11:44:59 2026\t4624",
     .format = FORMAT_SNARE, .pri = 14, .host = "WIN1",
     .message = "MSWinEventLog\t1\tSecurity\t123\tTue Mar 10 11:44:59 2026\t4624"},
    {"<13>Mar 10 11:45:00 WIN1 Microsoft-Windows-Security-Auditing[4]: An account was logged off.",
     .format = FORMAT_RFC3164, .pri = 13, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "WIN1", .app = "Microsoft-Windows-Security-Auditing", .pid = "4",
     .message = "An account was logged off."},
    {"<14>1 2026-03-10T11:45:00.123456+09:00 WIN1 Microsoft-Windows-Security-Auditing 636 - "
     "[NXLOG@14506 Keywords=\"-9214364837600034816\" EventType=\"AUDIT_SUCCESS\"] An account",
     .format = FORMAT_RFC5424, .pri = 14, .time = "2026-03-10T02:45:00.123456Z",
     .form = TIME_FORM_ISO_OFFSET, .host = "WIN1", .app = "Microsoft-Windows-Security-Auditing",
     .pid = "636",
     .data = "[NXLOG@14506 Keywords=\"-9214364837600034816\" EventType=\"AUDIT_SUCCESS\"]",
     .message = "An account"},
    {"<13>Mar 10 11:45:00 WIN1 "
     "AgentDevice=WindowsLog\tAgentLogFile=Security\tPluginVersion=7\tSource=x",
     .format = FORMAT_KV, .pri = 13, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD,
     .host = "WIN1",
     .message = "AgentDevice=WindowsLog\tAgentLogFile=Security\tPluginVersion=7\tSource=x"},
    {"<13>Mar 10 11:45:00 WIN1 Security-Auditing: 4624: AUDIT_SUCCESS x", .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "WIN1",
     .app = "Security-Auditing", .message = "4624: AUDIT_SUCCESS x"},
    {"<134>Mar 10 11:45:00 h1 CEF: 0|A|B|1|2|C|3|src=192.0.2.1", .format = FORMAT_CEF, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "h1",
     .message = "CEF: 0|A|B|1|2|C|3|src=192.0.2.1"},
    {"<134>CEF:0|A|B|1|2|C|3|src=192.0.2.1", .format = FORMAT_CEF, .pri = 134,
     .message = "CEF:0|A|B|1|2|C|3|src=192.0.2.1"},
    {"CEF:0|A|B|1|2|C|3|src=192.0.2.1", .format = FORMAT_CEF, .pri = -1,
     .message = "CEF:0|A|B|1|2|C|3|src=192.0.2.1"},
    {"<134>Mar 10 11:45:00 h1 LEEF:2.0|A|B|1|2|^|src=192.0.2.1^dst=x", .format = FORMAT_LEEF,
     .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "h1",
     .message = "LEEF:2.0|A|B|1|2|^|src=192.0.2.1^dst=x"},
    {"<134>2026-03-10T11:45:00.123Z h1 CEF:0|A|B|1|2|C|3|rt=1", .format = FORMAT_CEF, .pri = 134,
     .time = "2026-03-10T11:45:00.123000Z", .form = TIME_FORM_ISO_Z, .host = "h1",
     .message = "CEF:0|A|B|1|2|C|3|rt=1"},
    {"<134>Mar 10 11:45:00 h1 app[1]: CEF:0|A|B", .format = FORMAT_CEF, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "h1", .app = "app", .pid = "1",
     .message = "CEF:0|A|B"},
    {"<134>1 2026-03-10T11:45:00Z h1 CEF - - - CEF:0|A|B|1|2|C|3|x=y", .format = FORMAT_RFC5424,
     .pri = 134, .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_ISO_Z, .host = "h1",
     .app = "CEF", .message = "CEF:0|A|B|1|2|C|3|x=y"},
    {"<134>{\"a\":1,\"b\":\"x\"}", .format = FORMAT_JSON, .pri = 134,
     .message = "{\"a\":1,\"b\":\"x\"}"},
    {"{\"time\":\"2026-03-10T11:45:00Z\",\"level\":\"info\"}", .format = FORMAT_JSON, .pri = -1,
     .message = "{\"time\":\"2026-03-10T11:45:00Z\",\"level\":\"info\"}"},
    {"<134>Mar 10 11:45:00 h1 app: {\"a\":1}", .format = FORMAT_JSON, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "h1", .app = "app",
     .message = "{\"a\":1}"},
    {"<134>Mar 10 11:45:00 h1 @cee: {\"a\":1}", .format = FORMAT_JSON, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "h1", .app = "@cee",
     .message = "{\"a\":1}"},
    {"<134>Mar 10 11:45:00 h1 app: @cee:{\"a\":1}", .format = FORMAT_JSON, .pri = 134,
     .time = "2026-03-10T11:45:00Z", .form = TIME_FORM_BSD, .host = "h1", .app = "app",
     .message = "@cee:{\"a\":1}"},
    {"<13>MiniSwitch 00005e005301,USW_FLEX_MINI-1.8.6.694: NETDEV: Setup PVID",
     .format = FORMAT_RFC3164, .pri = 13, .host = "MiniSwitch", .app = "NETDEV",
     .message = "Setup PVID"},
    {"<30>dns,packet --- got query", .format = FORMAT_MIKROTIK, .pri = 30,
     .message = "dns,packet --- got query"},
    {"<131>Mar 10 11:00:00 bigip1,Hostname=\"bigip1.x\",EventID=\"1\"", .format = FORMAT_KV,
     .pri = 131, .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD, .host = "bigip1",
     .message = "Hostname=\"bigip1.x\",EventID=\"1\""},
    {"<14>Mar 10 11:00:00 1,2026/03/10 11:00:00,001234567890,CONFIG,0,x,y",
     .format = FORMAT_PALOALTO, .pri = 14, .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD,
     .message = "1,2026/03/10 11:00:00,001234567890,CONFIG,0,x,y"},
    {"<134>1 1773140400.5 MX_84 bridge_anyconnect_client_vpn_firewall x=1 y=2",
     .format = FORMAT_MERAKI, .pri = 134, .time = "2026-03-10T11:00:00.5Z", .form = TIME_FORM_NONE,
     .host = "MX_84", .message = "bridge_anyconnect_client_vpn_firewall x=1 y=2"},
};

static void expect_stream(const struct expect_row *row, const char *p, size_t n)
{
    for (size_t first = 0; first < n; first++) { /* 0: one byte at a time */
        struct stream s;
        stream_run(&s, p, n, first, MESSAGE_MAX_BYTES_DEFAULT, FRAME_AUTO);
        bool is_same = s.count == 1 && view_eq(view_of(s.messages[0].p, s.messages[0].n),
                                               view_of(row->in, strlen(row->in)));
        cr_expect(is_same, "%s: not itself when the first read is of %zu bytes", row->in, first);
        stream_close(&s);
    }
}

/* Counted and with LF, at every cut into reads, the message is the same bytes; every beginning of
 * it is parsed without a look beyond its end (which ASan sees). */
static void expect_streams(const struct expect_row *rows, size_t count)
{
    struct buf scratch = BUF_INIT(3 * MESSAGE_MAX_BYTES_DEFAULT + 64);
    struct zone *zone = NULL;
    cr_assert(zone_load("UTC", &zone, NULL) == 0);
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(rows[i].in);
        char text[1024];
        int length = snprintf(text, sizeof(text), "%zu %s", n, rows[i].in);
        expect_stream(&rows[i], text, (size_t)length);
        length = snprintf(text, sizeof(text), "%s\n", rows[i].in);
        expect_stream(&rows[i], text, (size_t)length);
        for (size_t prefix = 1; prefix < n; prefix++) {
            struct syslog_context ctx = {
                .received_at_us = INT64_C(1773144000000000), .zone = zone, .scratch = &scratch};
            struct record r;
            char *exact = xmalloc(prefix);
            memcpy(exact, rows[i].in, prefix);
            syslog_parse(&ctx, view_of(exact, prefix), &r);
            cr_expect(r.raw.n == prefix && r.format < FORMAT_COUNT, "%s", rows[i].in);
            free(exact);
        }
    }
    zone_free(&zone);
    buf_free(&scratch);
}

Test(devices, by_streams_each_is_the_same_however_it_is_cut)
{
    expect_streams(cisco, ARRAY_LEN(cisco));
    expect_streams(meraki, ARRAY_LEN(meraki));
    expect_streams(firewalls_and_routers, ARRAY_LEN(firewalls_and_routers));
    expect_streams(others, ARRAY_LEN(others));
}

Test(devices, cisco_of_every_kind)
{
    EXPECT_ROWS(cisco);
}

Test(devices, merakis_epoch_is_the_time_whatever_relay_stands_before_it)
{
    EXPECT_ROWS(meraki);
}

Test(devices, firewalls_and_routers)
{
    EXPECT_ROWS(firewalls_and_routers);
}

Test(devices, access_points_storage_printers_agents_and_bodies)
{
    EXPECT_ROWS(others);
}
