/* Health of sources: counts, the room for them, guesses, and what other settings begin anew. */
#include <criterion/criterion.h>

#include "receiver/health.h"

struct fixture {
    struct health *h;
    struct senders *senders;
    struct sender_rules *rules;
    int64_t now_us;
};

static struct sender_rules *parse(const char *text)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    cr_assert_eq(sender_rules_parse(r, view_str(text), &err), 0, "%s", err.message);
    return r;
}

static struct fixture begin(const char *rules)
{
    return (struct fixture){health_new(), senders_new(NULL, 0), parse(rules), US_PER_SECOND};
}

static void end(struct fixture *f)
{
    health_free(&f->h);
    senders_free(&f->senders);
    sender_rules_free(&f->rules);
}

static void count(struct fixture *f, const char *source, uint8_t listener, struct record r)
{
    struct ip ip;
    cr_assert_eq(ip_parse(view_str(source), &ip), 0);
    if (view_is_null(r.raw))
        r.raw = VIEW("x");
    health_count(f->h, senders_find(f->senders, f->rules, listener, &ip, f->now_us), &r);
}

static struct health_report *report(struct fixture *f)
{
    f->now_us += HEALTH_REPORT_US;
    health_put(f->h, f->rules, f->now_us);
    return health_take(f->h);
}

static const struct health_row *row_of(const struct health_report *r, const char *source)
{
    struct ip ip;
    cr_assert_eq(ip_parse(view_str(source), &ip), 0);
    for (uint32_t i = 1; r && i < r->n; i++)
        if (ip_eq(&r->rows[i].source, &ip))
            return &r->rows[i];
    return NULL;
}

#define RECORD(...) ((struct record){__VA_ARGS__})
#define PLAIN(...) RECORD(.format = FORMAT_RFC3164, .reported_at_us = TIME_NONE, __VA_ARGS__)

Test(health, formats_and_marks_are_counted_for_each_source_of_whatever_listener)
{
    struct fixture f = begin("everyone 0 1\n");
    for (int i = 0; i < 40; i++)
        count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = 0));
    count(&f, "192.0.2.1", LISTENER_TCP,
          RECORD(.format = FORMAT_RAW, .reported_at_us = TIME_NONE, .received_at_us = 77));
    count(&f, "192.0.2.1", LISTENER_TCP,
          PLAIN(.flags = RECORD_TRUNCATED | RECORD_NO_PRI | RECORD_BAD_TIME | RECORD_CLOCK_SKEW));
    count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = RECORD_DECODED));
    count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = RECORD_DECODED | RECORD_INVALID_UTF8));
    count(&f, "2001:db8::1", LISTENER_UDP, PLAIN(.flags = RECORD_INVALID_UTF8));
    struct health_report *r = report(&f);
    const struct health_row *a = row_of(r, "192.0.2.1"), *b = row_of(r, "2001:db8::1");
    cr_assert(a && b && r->n == 3);
    cr_expect_eq(a->formats[FORMAT_RFC3164], 43);
    cr_expect_eq(a->formats[FORMAT_RAW], 1);
    cr_expect_eq(a->messages, 44);
    cr_expect_eq(a->last_raw_at_us, 77);
    cr_expect(a->truncated == 1 && a->no_pri == 1 && a->bad_time == 1 && a->skewed == 1);
    cr_expect(a->decoded == 2 && a->invalid_utf8 == 1 && a->undecodable == 1);
    cr_expect(b->invalid_utf8 == 1 && b->undecodable == 0 && b->last_raw_at_us == 0);
    free(r);
    cr_expect_null(report(&f), "nothing came since");
    count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = 0));
    r = report(&f);
    cr_expect_eq(row_of(r, "192.0.2.1")->messages, 1, "a report has what came since the last one");
    free(r);
    end(&f);
}

Test(health, a_report_waits_until_the_last_one_is_taken)
{
    struct fixture f = begin("everyone 0 1\n");
    for (int i = 0; i < 3; i++) {
        count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = 0));
        f.now_us += HEALTH_REPORT_US;
        health_put(f.h, f.rules, f.now_us);
    }
    struct health_report *r = health_take(f.h);
    cr_expect_eq(row_of(r, "192.0.2.1")->messages, 1);
    free(r);
    r = report(&f);
    cr_expect_eq(row_of(r, "192.0.2.1")->messages, 2);
    free(r);
    end(&f);
}

Test(health, the_clock_is_the_median_of_its_last_samples)
{
    struct fixture f = begin("everyone 0 1\n");
    int64_t skew_us = -1;
    for (int i = 0; i < 20 * HEALTH_SAMPLE; i++)
        count(&f, "192.0.2.1", LISTENER_UDP,
              RECORD(.format = FORMAT_RFC3164, .received_at_us = 0,
                     .reported_at_us = i % 48 == 0 ? INT64_C(1) << 50 : 3600));
    count(&f, "192.0.2.2", LISTENER_UDP, PLAIN(.flags = 0));
    struct health_report *r = report(&f);
    cr_expect(health_skew(row_of(r, "192.0.2.1"), &skew_us));
    cr_expect_eq(skew_us, 3600, "%lld", (long long)skew_us);
    cr_expect_not(health_skew(row_of(r, "192.0.2.2"), &skew_us), "there was no time");
    free(r);
    end(&f);
}

Test(health, a_charset_is_guessed_until_the_right_one_is_set)
{
    static const char bytes[] =
        "<13>\x94\x46\x8f\xd8\x82\xc9\x8e\xb8\x94\x73\x82\xb5\x82\xdc\x82\xb5"
        "\x82\xbd"; /* 認証に失敗しました */
    const struct view text = view_of(bytes, sizeof(bytes) - 1);
    struct fixture f = begin("everyone 0 1\n");
    for (int i = 0; i < 5; i++)
        count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = RECORD_INVALID_UTF8, .raw = text));
    struct health_report *r = report(&f);
    const struct health_row *row = row_of(r, "192.0.2.1");
    cr_assert(row->guess);
    cr_expect_str_eq(charset_name(row->guess), "Shift_JIS");
    cr_expect_geq(row->percent, 60);
    free(r);
    /* counted before the setting, and told after it: not at all */
    count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = RECORD_INVALID_UTF8, .raw = text));
    sender_rules_free(&f.rules);
    f.rules = parse("source 192.0.2.0/24 - Shift_JIS -\n");
    r = report(&f);
    cr_expect_null(row_of(r, "192.0.2.1"));
    free(r);
    /* the same zone and charset of another set of rules changes nothing */
    count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = RECORD_DECODED));
    sender_rules_free(&f.rules);
    f.rules = parse("source 192.0.2.0/24 - Shift_JIS -\nlimit 10.0.0.0/8 1 1\n");
    count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = RECORD_DECODED));
    r = report(&f);
    cr_expect_eq(row_of(r, "192.0.2.1")->decoded, 2);
    cr_expect_null(row_of(r, "192.0.2.1")->guess);
    free(r);
    end(&f);
}

Test(health, iso_2022_jp_is_guessed_although_it_is_ascii)
{
    struct fixture f = begin("everyone 0 1\n");
    for (int i = 0; i < 3 * HEALTH_SAMPLE; i++)
        count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.raw = VIEW("<13>\033$B<:GT\033(B")));
    struct health_report *r = report(&f);
    cr_expect_str_eq(charset_name(row_of(r, "192.0.2.1")->guess), "ISO-2022-JP");
    free(r);
    end(&f);
}

Test(health, a_benchmark_is_no_source)
{
    struct fixture f = begin("member 127.66.0.0/16 32\n");
    for (int i = 0; i < 100; i++)
        count(&f, "127.66.0.1", LISTENER_UDP, PLAIN(.flags = RECORD_NO_PRI));
    cr_expect_null(report(&f));
    end(&f);
}

Test(health, made_up_addresses_leave_room_for_who_is_seen_again)
{
    struct fixture f = begin("everyone 0 1\n");
    char source[32];
    for (int i = 0; i < 3 * HEALTH_SOURCES_MAX; i++) {
        snprintf(source, sizeof(source), "10.%d.%d.1", i / 250, i % 250);
        count(&f, source, LISTENER_UDP, PLAIN(.flags = 0));
    }
    for (int i = 0; i < 2; i++) {
        f.now_us += US_PER_SECOND;
        count(&f, "192.0.2.1", LISTENER_UDP, PLAIN(.flags = 0));
    }
    struct health_report *r = report(&f);
    cr_expect_eq(r->n, HEALTH_SOURCES_MAX / 2 + 2, "%u", r->n);
    cr_expect_not_null(row_of(r, "192.0.2.1"));
    free(r);
    end(&f);
}
