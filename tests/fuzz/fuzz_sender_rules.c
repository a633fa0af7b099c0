/* STATE/receiver/senders of any bytes: rules or an error that names the line; rules written as text
 * are read as the same, and give every sender the same answers. */
#include "base/limits.h"
#include "receiver/sender_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const struct sender_rules *a, const struct sender_rules *b,
                       const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 16 <= size && i < 640; i += 8) {
        struct ip ip = {.family = data[i] & 1 ? 4 : 6};
        memcpy(ip.bytes, data + i, ip.family == 4 ? 4 : 16);
        struct sender_limit x = sender_rules_limit_of(a, &ip), y = sender_rules_limit_of(b, &ip);
        CHECK(x.rate == y.rate && x.burst == y.burst && x.burst >= 1);
        CHECK(x.rate <= SENDER_RATE_MAX && x.burst <= SENDER_BURST_MAX);
        CHECK(groups_find(a->groups, &ip) == groups_find(b->groups, &ip));
        CHECK(groups_find(a->groups, &ip) < SOURCE_GROUPS_MAX);
        struct source_setting s = sender_rules_setting_of(a, &ip),
                              t = sender_rules_setting_of(b, &ip);
        CHECK(s.charset == t.charset && s.framing == t.framing && !s.zone == !t.zone);
        CHECK(!s.zone || strcmp(zone_name(s.zone), zone_name(t.zone)) == 0);
        for (uint8_t listener = 0; listener < LISTENER_COUNT; listener++)
            CHECK(sender_rules_is_allowed(a, listener, &ip) ==
                  sender_rules_is_allowed(b, listener, &ip));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES),
               again = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES);
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    int rc = sender_rules_parse(r, view_of((const char *)data, size), &err);
    CHECK(rc == 0 || (rc < 0 && err.message[0] && strncmp(err.message, "line ", 5) == 0));
    sender_rules_format(r, &text);
    CHECK(!text.is_full);
    struct sender_rules *same = sender_rules_new();
    CHECK(sender_rules_parse(same, buf_view(&text), &err) == 0);
    sender_rules_format(same, &again);
    CHECK(view_eq(buf_view(&text), buf_view(&again)));
    check_same(r, same, data, size);
    sender_rules_free(&r);
    sender_rules_free(&same);
    buf_free(&text);
    buf_free(&again);
    return 0;
}
