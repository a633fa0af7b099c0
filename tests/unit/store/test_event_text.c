/* The sentences of events, and the table behind them. */
#include "store/event.h"

#include <criterion/criterion.h>

static void expect_text(const char *what, const char *kind, const struct event_params *p,
                        const struct zone *zone, enum event_language language, const char *expected)
{
    struct buf b = BUF_INIT(4096);
    event_text(kind, p, zone, language, &b);
    cr_expect_str_eq(buf_str(&b), expected, "%s: \"%s\"", what, buf_str(&b));
    buf_free(&b);
}

Test(event_text, values_are_written_by_their_type)
{
    static const struct {
        const char *what, *value, *expected;
    } cases[] = {
        {"nothing", "0", "Deleted A to B of group g: 0 messages, 0 B (r, a)."},
        {"small", "999", "Deleted A to B of group g: 999 messages, 999 B (r, a)."},
        {"rounds up to the next prefix", "999500",
         "Deleted A to B of group g: 1.00 M messages, 1.00 MB (r, a)."},
        {"thousands", "1000", "Deleted A to B of group g: 1.00 k messages, 1.00 kB (r, a)."},
        {"three digits, not four", "9996",
         "Deleted A to B of group g: 10.0 k messages, 10.0 kB (r, a)."},
        {"millions", "12100000", "Deleted A to B of group g: 12.1 M messages, 12.1 MB (r, a)."},
        {"hundreds", "301400000", "Deleted A to B of group g: 301 M messages, 301 MB (r, a)."},
        {"the largest", "9223372036854775807",
         "Deleted A to B of group g: 9.22 E messages, 9.22 EB (r, a)."},
        {"no number", "-5", "Deleted A to B of group g: -5 messages, -5 (r, a)."},
        {"too large a number", "99999999999999999999",
         "Deleted A to B of group g: 99999999999999999999 messages, 99999999999999999999 (r, a)."},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct event_params p = {.text = {"from", "A", "to", "B", "group", "g", "messages",
                                          cases[i].value, "bytes", cases[i].value, "reason", "r",
                                          "actor", "a"},
                                 .n = 7};
        expect_text(cases[i].what, "retention.deleted", &p, NULL, EVENT_EN, cases[i].expected);
    }
}

Test(event_text, times_are_written_in_the_zone_of_the_box)
{
    struct zone *tokyo = NULL, *st_johns = NULL;
    struct err err;
    cr_assert_eq(zone_load("Asia/Tokyo", &tokyo, &err), 0, "%s", err.message);
    cr_assert_eq(zone_load("America/St_Johns", &st_johns, &err), 0, "%s", err.message);
    struct event_params p = {.text = {"daemon", "web", "started", "2026-11-29T20:30:05.250000Z"},
                             .n = 2};
    expect_text("UTC", "daemon.failed", &p, NULL, EVENT_EN,
                "web had ended without saying that it stopped; it was last started 2026-11-29 "
                "20:30:05 UTC.");
    expect_text("east", "daemon.failed", &p, tokyo, EVENT_EN,
                "web had ended without saying that it stopped; it was last started 2026-11-30 "
                "05:30:05 +09:00.");
    expect_text("west, half an hour", "daemon.failed", &p, st_johns, EVENT_EN,
                "web had ended without saying that it stopped; it was last started 2026-11-29 "
                "17:00:05 -03:30.");
    expect_text("Japanese", "daemon.failed", &p, tokyo, EVENT_JA,
                "web が停止の記録を残さずに終了していました（前回の起動: 2026-11-30 05:30:05 "
                "+09:00）。");
    zone_free(&tokyo);
    zone_free(&st_johns);
}

Test(event_text, what_is_missing_or_unknown_is_shown_as_such)
{
    struct event_params none = {.n = 0}, two = {.text = {"a", "1", "b", "{a}"}, .n = 2};
    expect_text("missing", "daemon.started", &none, NULL, EVENT_EN, "? started.");
    expect_text("unknown kind", "power.lost", &two, NULL, EVENT_EN, "power.lost: a=1, b={a}");
    expect_text("unknown kind without particulars", "power.lost", &none, NULL, EVENT_JA,
                "power.lost");
    struct event_params braces = {.text = {"actor", "{names}", "names", "x"}, .n = 2};
    expect_text("a value is not looked into", "settings.changed", &braces, NULL, EVENT_EN,
                "{names} changed x.");
}

/* Every {name:type} of one language is in the other, and of a type there is. */
static int parameters_of(const char *text, char names[EVENT_PARAMS_MAX][40])
{
    int n = 0;
    while ((text = strchr(text, '{'))) {
        size_t inside = strcspn(++text, "}");
        cr_assert(text[inside] == '}' && inside > 0 && inside < 40 && n < EVENT_PARAMS_MAX);
        snprintf(names[n++], 40, "%.*s", (int)inside, text);
        text += inside;
    }
    return n;
}

static bool holds(char names[EVENT_PARAMS_MAX][40], int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

Test(event_text, both_languages_say_the_same_particulars)
{
    for (int k = 0; k < EVENT_KINDS; k++) {
        const struct event_type *t = &event_types[k];
        char en[EVENT_PARAMS_MAX][40], ja[EVENT_PARAMS_MAX][40];
        int en_n = parameters_of(t->en, en), ja_n = parameters_of(t->ja, ja);
        cr_expect_eq(en_n, ja_n, "%s: %d and %d", t->name, en_n, ja_n);
        cr_expect_leq(t->severity, 7, "%s", t->name);
        cr_expect_eq(event_kind_of(t->name), k, "%s is named twice", t->name);
        for (int i = 0; i < en_n; i++) {
            const char *type = strchr(en[i], ':');
            cr_expect(holds(ja, ja_n, en[i]), "%s: {%s} is missing in Japanese", t->name, en[i]);
            cr_expect(!type || strcmp(type, ":bytes") == 0 || strcmp(type, ":count") == 0 ||
                          strcmp(type, ":time") == 0 || strcmp(type, ":day") == 0 ||
                          strcmp(type, ":word") == 0 || strcmp(type, ":days") == 0,
                      "%s: {%s}", t->name, en[i]);
        }
    }
    cr_expect_eq(event_kind_of("no.such"), -1);
}

Test(event_text, one_day_is_no_days)
{
    struct event_params p = {.text = {"subject", "CN=box", "until", "?", "days", "1"}, .n = 3};
    expect_text("one", "tls.expires", &p, NULL, EVENT_EN,
                "The TLS certificate of this box (CN=box) expires on ?, in less than 1 day.");
    expect_text("one, Japanese", "tls.expires", &p, NULL, EVENT_JA,
                "この装置の TLS 証明書（CN=box）は ? に期限が切れます（あと 1 日以内）。");
    p.text[5] = "30";
    expect_text("many", "tls.expires", &p, NULL, EVENT_EN,
                "The TLS certificate of this box (CN=box) expires on ?, in less than 30 days.");
}

Test(event_text, codes_are_read_as_words_of_the_language)
{
    struct event_params p = {.text = {"month", "2026-11", "from", "ok", "to", "over_forecast",
                                      "used", "10", "budget", "9"},
                             .n = 5};
    expect_text(
        "English", "retention.state", &p, NULL, EVENT_EN,
        "The month 2026-11 is likely to pass the budget now, it was within the budget: 10 B "
        "of 9 B used.");
    expect_text("Japanese", "retention.state", &p, NULL, EVENT_JA,
                "2026-11 は予算を超える見込みになりました（以前は予算内。使用 10 B / 予算 9 B）。");
    struct event_params why = {.text = {"why", "it was confirmed"}, .n = 1};
    expect_text("a reason", "clock.trusted", &why, NULL, EVENT_JA,
                "時計を再び信頼します（確認されました）。");
    struct event_params newer = {.text = {"why", "of a newer program"}, .n = 1};
    expect_text("unknown", "clock.trusted", &newer, NULL, EVENT_JA,
                "時計を再び信頼します（of a newer program）。");
}
