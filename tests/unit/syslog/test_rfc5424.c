#include "unit/syslog/expect.h"

#define T "2026-03-10T11:11:12Z"
#define SOUND .format = FORMAT_RFC5424, .pri = 14, .time = T, .form = TIME_FORM_ISO_Z

static const struct expect_row rows[] = {
    {"<14>1 " T " h app 77 ID1 [a@1 k=\"v\"] hello", SOUND, .host = "h", .app = "app", .pid = "77",
     .msgid = "ID1", .data = "[a@1 k=\"v\"]", .message = "hello"},
    {"<14>1 " T " - - - - - hello", SOUND, .message = "hello"},
    {"<14>1 - - - - - - hello", .format = FORMAT_RFC5424, .pri = 14, .message = "hello"},
    {"<14>1 - - - - - -", .format = FORMAT_RFC5424, .pri = 14},
    {"<14>1 " T " h app 77 ID1 -", SOUND, .host = "h", .app = "app", .pid = "77", .msgid = "ID1"},
    {"<14>1 " T " h app - - -  two blanks", SOUND, .host = "h", .app = "app",
     .message = " two blanks"},
    {"<14>1 " T " h app - - - \xef\xbb\xbf with BOM", SOUND, .host = "h", .app = "app",
     .message = " with BOM"},
    {"<14>1 " T " \xe3\x82\xb5 app - - - x", SOUND, .host = "\xe3\x82\xb5", .app = "app",
     .message = "x"},
    /* versions and the time */
    {"<14>2 " T " h app - - - x", SOUND, .host = "h", .app = "app", .message = "x"},
    {"<14>1   " T " h app - - - x", SOUND, .host = "h", .app = "app", .message = "x"},
    {"<14>1 2026-03-10T11:11:12.5+09:00 h app - - - x", .format = FORMAT_RFC5424, .pri = 14,
     .time = "2026-03-10T02:11:12.5Z", .form = TIME_FORM_ISO_OFFSET, .host = "h", .app = "app",
     .message = "x"},
    {"<14>1 2026-03-10T11:11:12.1234567Z h app - - - x", .format = FORMAT_RFC5424, .pri = 14,
     .time = "2026-03-10T11:11:12.123456Z", .host = "h", .app = "app", .message = "x"},
    {"<14>1 2026-06-30T23:59:60Z h app - - - leap second", .format = FORMAT_RFC5424, .pri = 14,
     .time = "2026-07-01T00:00:00Z", .host = "h", .app = "app", .message = "leap second"},
    {"<14>1 2026-03-10 11:11:12 h app - - - blank", .format = FORMAT_RFC5424, .pri = 14, .time = T,
     .form = TIME_FORM_ISO_BLANK, .host = "h", .app = "app", .message = "blank"},
    {"<14>1 2026-13-10T11:11:12Z h app - - - month 13", .format = FORMAT_RFC5424, .pri = 14,
     .flags = RECORD_BAD_TIME, .host = "h", .app = "app", .message = "month 13"},
    {"<14>1 2026-3-10T11:11:12Z h app - - - short month", .format = FORMAT_RFC5424, .pri = 14,
     .flags = RECORD_BAD_TIME, .host = "h", .app = "app", .message = "short month"},
    {"1 " T " h app - - - no PRI", .format = FORMAT_RFC5424, .pri = -1, .time = T,
     .form = TIME_FORM_ISO_Z, .host = "h", .app = "app", .message = "no PRI"},
    {"<14> 1 " T " h app - - - x", SOUND, .host = "h", .app = "app", .message = "x"},
    {"<14>1 packet lost", .format = FORMAT_RFC3164, .pri = 14, .message = "1 packet lost"},
    {"1 packet lost", .format = FORMAT_RAW, .pri = -1, .message = "1 packet lost"},
    /* headers that end early or have empty fields */
    {"<14>1 ", .format = FORMAT_RFC5424, .pri = 14},
    {"<14>1 " T, SOUND},
    {"<14>1 " T " h", SOUND, .host = "h"},
    {"<14>1 " T " h app 7", SOUND, .host = "h", .app = "app", .pid = "7"},
    {"<14>1 " T " h  7 - - empty app", SOUND, .host = "h", .pid = "7", .message = "empty app"},
    {"<14>1 " T "  h app 7 - - doubled blank", SOUND, .host = "h", .app = "app", .pid = "7",
     .message = "doubled blank"},
    {"<14>1 " T " h app - -  [a b=\"c\"] x", SOUND, .host = "h", .app = "app",
     .data = "[a b=\"c\"]", .message = "x"},
    /* structured data */
    {"<14>1 " T " h app - - no data", SOUND, .host = "h", .app = "app", .message = "no data"},
    {"<14>1 " T " h app - - -dash", SOUND, .host = "h", .app = "app", .message = "-dash"},
    {"<14>1 " T " h app - - [a]", SOUND, .host = "h", .app = "app", .data = "[a]"},
    {"<14>1 " T " h app - - [a x=\"1\"][a y=\"2\"] z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"1\"][a y=\"2\"]", .message = "z"},
    {"<14>1 " T " h app - - [a x=\"1\"] [b] z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"1\"]", .message = "[b] z"},
    {"<14>1 " T " h app - - [a x=\"q\\\" b\\] s\\\\\"] z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"q\\\" b\\] s\\\\\"]", .message = "z"},
    {"<14>1 " T " h app - - [a x=\"an ] inside\"] z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"an ] inside\"]", .message = "z"},
    {"<14>1 " T " h app - - [a x=\"say \"no\"!\"] z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"say \"no\"!\"]", .message = "z"},
    {"<14>1 " T " h app - - [a x=\"1\" ]z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"1\" ]", .message = "z"},
    {"<14>1 " T " h app - - [a x=\"1\"][not data z", SOUND, .host = "h", .app = "app",
     .data = "[a x=\"1\"]", .message = "[not data z"},
    {"<14>1 " T " h app - - [a x=\"never closed", SOUND, .host = "h", .app = "app",
     .message = "[a x=\"never closed"},
    {"<14>1 " T " h app - - [this is text]", SOUND, .host = "h", .app = "app",
     .message = "[this is text]"},
    {"<14>1 " T " h app - - [a x=1] z", SOUND, .host = "h", .app = "app", .message = "[a x=1] z"},
};

Test(rfc5424, headers_and_structured_data_are_read_as_far_as_they_are_sound)
{
    EXPECT_ROWS(rows);
}

Test(rfc5424, a_field_longer_than_the_limit_is_text)
{
    char in[HEADER_FIELD_MAX_BYTES + 64], *p = in;
    for (int extra = 0; extra <= 1; extra++) {
        size_t n = HEADER_FIELD_MAX_BYTES + (size_t)extra;
        p = in + snprintf(in, sizeof(in), "<14>1 - ");
        char *host = p;
        memset(host, 'h', n);
        host[n] = '\0';
        snprintf(p + n, 32, " app 1 - - x");
        struct expect_row row = {in, .format = FORMAT_RFC5424, .pri = 14};
        char *text = xstrdup(host);
        if (extra) {
            row.message = text;
        } else {
            text[n] = '\0';
            row.host = text;
            row.app = "app";
            row.pid = "1";
            row.message = "x";
        }
        expect_row_check(&row);
        free(text);
    }
}
