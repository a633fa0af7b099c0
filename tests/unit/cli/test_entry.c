/* One message as text and as JSON. */
#include "cli/entry.h"

#include <criterion/criterion.h>

static struct search_entry full(void)
{
    return (struct search_entry){.received_at_us = INT64_C(1773144000000001),
                                 .reported_at_us = TIME_NONE,
                                 .source = VIEW("192.0.2.1"),
                                 .listener = VIEW("udp"),
                                 .facility = 20,
                                 .severity = 3,
                                 .hostname = VIEW("core-1"),
                                 .app_name = VIEW("sshd"),
                                 .procid = VIEW("123"),
                                 .msgid = VIEW_NULL,
                                 .structured_data = VIEW_NULL,
                                 .message = VIEW("a\nb \"c\" \x1b[0m"),
                                 .format = VIEW("rfc3164"),
                                 .id = VIEW("0123456789abcdef-0123456789abcdef")};
}

static const char *as_text(const struct search_entry *e)
{
    static struct buf out = {.max = 4096};
    struct zone *z = NULL;
    cr_assert_eq(zone_load("Asia/Tokyo", &z, NULL), 0);
    buf_clear(&out);
    entry_add_text(&out, e, z);
    zone_free(&z);
    return buf_str(&out);
}

Test(entry, text_is_one_line_without_control_characters)
{
    struct search_entry e = full();
    cr_expect_str_eq(as_text(&e),
                     "2026-03-10 21:00:00.000001+09:00 192.0.2.1 local4.err core-1 sshd[123]: "
                     "a\\nb \"c\" \\x1b[0m");
    e.msgid = VIEW("ID47");
    e.structured_data = VIEW("[x y=\"1\"]");
    cr_expect(strstr(as_text(&e), " core-1 sshd[123] ID47 [x y=\"1\"]: a"));
    e.hostname = e.app_name = e.msgid = e.structured_data = VIEW_NULL;
    cr_expect(strstr(as_text(&e), " local4.err [123]: a"));
    e.procid = VIEW_NULL;
    e.message = VIEW("");
    cr_expect_str_eq(as_text(&e), "2026-03-10 21:00:00.000001+09:00 192.0.2.1 local4.err: ");
}

Test(entry, json_has_exactly_the_fields_of_a_message)
{
    struct search_entry e = full();
    struct buf out = BUF_INIT(4096);
    entry_add_json(&out, &e);
    cr_expect_str_eq(buf_str(&out),
                     "{\"received_at\":\"2026-03-10T12:00:00.000001Z\",\"reported_at\":null,"
                     "\"source\":\"192.0.2.1\","
                     "\"listener\":\"udp\",\"facility\":20,\"severity\":3,\"hostname\":\"core-1\","
                     "\"app_name\":\"sshd\","
                     "\"procid\":\"123\",\"msgid\":null,\"structured_data\":null,\"message\":"
                     "\"a\\nb \\\"c\\\" \\u001b[0m\","
                     "\"format\":\"rfc3164\",\"id\":\"0123456789abcdef-0123456789abcdef\"}",
                     "%s", buf_str(&out));
    buf_free(&out);
}
