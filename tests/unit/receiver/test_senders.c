/* What a lane knows of its senders. */
#include <criterion/criterion.h>

#include <unistd.h>

#include "base/clock.h"
#include "receiver/senders.h"

#define T0 (INT64_C(1773100800) * US_PER_SECOND) /* wall clock */
#define SECOND US_PER_SECOND

static struct senders *senders;
static struct sender_rules *rules;

static struct sender_rules *parse(const char *text)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    cr_assert_eq(sender_rules_parse(r, view_str(text), &err), 0, "%s", err.message);
    return r;
}

static void set_up(void)
{
    senders = senders_new(NULL, 0);
    rules = parse("");
}

static void tear_down(void)
{
    senders_free(&senders);
    sender_rules_free(&rules);
}

TestSuite(senders, .init = set_up, .fini = tear_down);

static void use(const char *text)
{
    sender_rules_free(&rules);
    rules = parse(text);
}

static struct ip numbered(unsigned n)
{
    return (struct ip){4, {10, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
}

static struct sender *find(unsigned n, int64_t now_us)
{
    struct ip ip = numbered(n);
    return senders_find(senders, rules, LISTENER_UDP, &ip, now_us);
}

static uint64_t known(void)
{
    struct senders_counts c;
    senders_counts(senders, &c);
    return c.known;
}

Test(senders, each_address_and_listener_is_one_and_has_what_the_rules_say)
{
    use("member 10.0.0.2 4\nallow 10.0.0.0/31 udp\neveryone 100 10\n");
    struct ip a = numbered(1), b = numbered(2);
    struct sender *x = senders_find(senders, rules, LISTENER_UDP, &a, 0);
    cr_expect(x->is_allowed);
    cr_expect_eq(x->group, 0);
    cr_expect_eq(x->interval_ns, 10000000);
    struct sender *y = senders_find(senders, rules, LISTENER_TCP, &a, 0);
    cr_expect_neq(x, y);
    cr_expect(y->is_allowed, "the list is about udp");
    x = senders_find(senders, rules, LISTENER_UDP, &b, 0);
    cr_expect_not(x->is_allowed);
    cr_expect_eq(x->group, 4);
    cr_expect_eq(senders_find(senders, rules, LISTENER_TCP, &a, 0), y, "found again");
    cr_expect_eq(known(), 3);
    use("");
    x = senders_find(senders, rules, LISTENER_UDP, &b, 0);
    cr_expect(x->is_allowed, "other rules hold at once");
    cr_expect_eq(x->group, 0);
    cr_expect_eq(x->interval_ns, 0);
}

/* Seen twice, so that it is no longer on trial; when it is free again. */
static int64_t meet(unsigned n, int64_t now_us)
{
    find(n, now_us)->streams = 1 + n; /* something that is known of it */
    (void)find(n, now_us + SECOND);
    return now_us + SECOND;
}

Test(senders, thousands_are_told_apart)
{
    enum { MANY = 50000 };
    int64_t now = 0;
    for (unsigned n = 0; n < MANY; n++)
        now = meet(n, now);
    for (unsigned n = 0; n < MANY; n++) {
        struct ip ip = numbered(n);
        struct sender *x = find(n, now);
        cr_assert(ip_eq(&x->source, &ip) && x->streams == 1 + n, "%u", n);
    }
    cr_expect_eq(known(), MANY);
}

Test(senders, made_up_addresses_push_out_one_another)
{
    enum { REAL = 1000, MADE_UP = 1000000 };
    int64_t now = 0;
    for (unsigned n = 0; n < REAL; n++)
        now = meet(n, now);
    for (unsigned n = 0; n < MADE_UP; n++)
        (void)find(0x100000 + n, now);
    cr_expect_eq(known(), REAL + SENDERS_TRIAL_MAX, "bounded");
    for (unsigned n = 0; n < REAL; n++)
        cr_assert_eq(find(n, now)->streams, 1 + n, "sender %u is still known", n);
    struct senders_counts c;
    senders_counts(senders, &c);
    cr_expect_eq(c.evicted, MADE_UP - SENDERS_TRIAL_MAX);
}

Test(senders, of_those_that_are_protected_the_longest_silent_goes)
{
    enum { KEPT = SENDERS_MAX - SENDERS_TRIAL_MAX - 1, SURPLUS = 100 };
    int64_t now = 0;
    for (unsigned n = 0; n < KEPT + SURPLUS; n++)
        now = meet(n, now);
    for (unsigned n = 0; n < SENDERS_MAX; n++)
        (void)find(0x100000 + n, now);
    cr_expect_leq(known(), SENDERS_MAX);
    /* from the back, since who is not known pushes out another */
    for (unsigned n = KEPT + SURPLUS; n-- > SURPLUS;)
        cr_assert_eq(find(n, now)->streams, 1 + n, "%u", n);
    cr_expect_eq(find(SURPLUS - 1, now)->streams, 0);
}

/* ---- rates ---- */

static unsigned take(unsigned n, unsigned messages, int64_t now_us)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < messages; i++)
        taken += sender_take(senders, find(n, now_us), now_us, T0 + now_us);
    return taken;
}

Test(senders, a_burst_passes_and_then_the_rate)
{
    static const struct {
        const char *rules;
        unsigned at_once, after_1_s, after_1_s_of_many;
    } cases[] = {
        {"everyone 100 10\n", 10, 10, 100}, /* at once never more than the burst */
        {"everyone 1 1\n", 1, 1, 1},
        {"everyone 10 1000\n", 1000, 10, 10},
        {"everyone 3 5\n", 5, 3, 3},
        {"everyone 0 1\n", 5000, 5000, 5000},
        {"limit 10.0.0.0/8 7 7\neveryone 1 1\n", 7, 7, 7},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        tear_down();
        set_up();
        use(cases[i].rules);
        cr_expect_eq(take(1, 5000, 0), cases[i].at_once, "%s", cases[i].rules);
        cr_expect_eq(take(1, 5000, SECOND), cases[i].after_1_s, "%s", cases[i].rules);
        unsigned taken = 0;
        for (int64_t ms = 1; ms <= 1000; ms++)
            taken += take(1, 5, SECOND + ms * 1000);
        cr_expect_eq(taken, cases[i].after_1_s_of_many, "%s: %u", cases[i].rules, taken);
        cr_expect_eq(take(2, 5000, SECOND), cases[i].at_once, "%s: another sender", cases[i].rules);
    }
}

Test(senders, another_limit_is_in_force_with_the_next_message)
{
    use("everyone 1 1\n");
    cr_expect_eq(take(1, 10, 0), 1);
    use("everyone 5 5\n");
    cr_expect_eq(take(1, 10, 0), 5, "it begins with its whole burst");
    use("");
    cr_expect_eq(take(1, 10, 0), 10);
}

struct told {
    unsigned n;
    char text[8][512];
    struct ip source[8];
    unsigned has_no_room_after; /* 0: it has */
};

static bool hear(void *context, uint8_t listener, const struct ip *source, struct view message)
{
    struct told *t = context;
    cr_expect_eq(listener, LISTENER_UDP);
    if (t->n < 8) {
        snprintf(t->text[t->n], sizeof(t->text[0]), "%.*s", VIEW_ARG(message));
        t->source[t->n] = *source;
    }
    t->n++;
    return t->has_no_room_after == 0 || t->n % t->has_no_room_after != 0;
}

Test(senders, what_overflows_is_told_of_once_a_minute_with_its_number)
{
    struct told t = {0};
    use("everyone 10 10\n");
    (void)take(1, 50, 0);
    (void)take(2, 9, 0);
    (void)take(3, 11, 20 * SECOND);
    cr_expect(senders_due_summaries(senders, 59 * SECOND, T0 + 59 * SECOND, false, hear, &t));
    cr_expect_eq(t.n, 0, "not before the minute is over");
    (void)take(1, 15, 59 * SECOND);
    cr_expect(senders_due_summaries(senders, 60 * SECOND, T0 + 60 * SECOND, false, hear, &t));
    cr_assert_eq(t.n, 1);
    struct ip first = numbered(1);
    cr_expect(ip_eq(&t.source[0], &first));
    cr_expect_str_eq(t.text[0],
                     "<44>1 2026-03-10T00:01:00.000000Z - azekura - RATELIMIT - 45 messages from "
                     "10.0.0.1 by udp were refused in the minute since "
                     "2026-03-10T00:00:00.000000Z: over 10 messages/s");
    cr_expect(senders_due_summaries(senders, 79 * SECOND, T0 + 79 * SECOND, false, hear, &t));
    cr_expect_eq(t.n, 1, "once");
    cr_expect(senders_due_summaries(senders, 79 * SECOND, T0 + 79 * SECOND, true, hear, &t));
    cr_assert_eq(t.n, 2, "at the end all are told");
    cr_expect(strstr(t.text[1], "<44>1 ") && strstr(t.text[1], " 1 messages from 10.0.0.3 "), "%s",
              t.text[1]);
    struct senders_counts c;
    senders_counts(senders, &c);
    cr_expect_eq(c.limited, 0);
}

Test(senders, a_sender_that_is_forgotten_is_told_of_all_the_same)
{
    struct told t = {0};
    use("everyone 1 1\n");
    for (unsigned n = 0; n < 5; n++)
        (void)take(n, 3, 0);
    for (unsigned n = 0; n < SENDERS_MAX; n++)
        (void)find(0x100000 + n, 0);
    cr_expect(senders_due_summaries(senders, SECOND, T0, false, hear, &t));
    cr_expect_eq(t.n, 5);
    for (unsigned i = 0; i < 5; i++)
        cr_expect(strstr(t.text[i], " 2 messages from 10.0.0."), "%s", t.text[i]);
}

Test(senders, what_there_is_no_room_to_tell_is_told_later)
{
    struct told t = {.has_no_room_after = 3};
    use("everyone 1 1\n");
    for (unsigned n = 0; n < 4; n++) /* forgotten at once */
        (void)take(n, 3, 0);
    for (unsigned n = 0; n < SENDERS_MAX; n++)
        (void)find(0x100000 + n, 0);
    for (unsigned n = 10; n < 14; n++)
        (void)take(n, 3, 0);
    cr_expect_not(senders_due_summaries(senders, SECOND, T0, true, hear, &t));
    cr_expect_eq(t.n, 3);
    cr_expect_not(senders_due_summaries(senders, SECOND, T0, true, hear, &t));
    cr_expect_eq(t.n, 6);
    cr_expect(senders_due_summaries(senders, SECOND, T0, true, hear, &t));
    cr_expect_eq(t.n, 8, "each once");
}

/* ---- names ---- */

Test(senders, made_up_addresses_are_named_so_many_and_those_seen_again_all_the_same)
{
    enum { REAL = 1000, MADE_UP = 1000000, NEW = SENDERS_NAMED_BURST / 2 };
    unsigned named = 0;
    int64_t now = 0;
    for (unsigned n = 0; n < MADE_UP; n++)
        named += senders_name(senders, find(0x100000 + n, now), now);
    cr_expect_eq(named, NEW);
    now += SECOND;
    for (unsigned n = 0; n < REAL; n++)
        cr_assert_eq(senders_name(senders, find(n, now), now), n < SENDERS_NAMED_RATE, "%u", n);
    now += SECOND / 10;
    for (unsigned n = 0; n < REAL; n++)
        cr_assert(senders_name(senders, find(n, now), now), "%u is seen again", n);
    named = 0;
    for (unsigned n = 0; n < MADE_UP; n++)
        named += senders_name(senders, find(0x800000 + n, now), now);
    cr_expect_eq(named, 0, "what comes again is for the others first");
    for (unsigned n = 0; n < REAL; n++)
        cr_assert(senders_name(senders, find(n, now), now), "%u stays named", n);
    struct ip known = numbered(1), other = numbered(0x700000);
    cr_expect(senders_name_address(senders, LISTENER_UDP, &known, now));
    cr_expect_not(senders_name_address(senders, LISTENER_UDP, &other, now));
    cr_expect(senders_name_address(senders, LISTENER_UDP, &other, now + 600 * SECOND));
}

/* ---- those not allowed ---- */

Test(senders, refused_senders_are_reported_with_their_first_bytes)
{
    struct ip a = numbered(1), b = {6, {0xfe, 0x80, [15] = 1}};
    char large[3000];
    memset(large, 'x', sizeof(large));
    cr_expect_null(senders_take_refused(senders));
    (void)senders_refuse(senders, LISTENER_TCP, &b, view_of("", 0), T0);
    (void)senders_refuse(senders, LISTENER_UDP, &a, VIEW("<13>first"), T0 + 1);
    (void)senders_refuse(senders, LISTENER_UDP, &a, VIEW("<13>second"), T0 + 2);
    (void)senders_refuse(senders, LISTENER_TCP, &b, view_of(large, sizeof(large)), T0 + 3);
    cr_expect_null(senders_take_refused(senders), "not made ready yet");
    senders_put_refused(senders);
    (void)senders_refuse(senders, LISTENER_UDP, &a, VIEW("<13>third"), T0 + 4);
    senders_put_refused(senders); /* the first report has not been taken: this one waits */
    struct refused_senders *r = senders_take_refused(senders);
    cr_assert_not_null(r);
    cr_assert_eq(r->n, 2);
    cr_expect_eq(r->messages, 4);
    cr_expect_eq(r->list[0].payload_n, SENDERS_REFUSED_PAYLOAD_BYTES);
    cr_expect_eq(r->list[0].messages, 2);
    cr_expect(ip_eq(&r->list[1].source, &a));
    cr_expect_eq(r->list[1].listener, LISTENER_UDP);
    cr_expect_eq(r->list[1].first_at_us, T0 + 1);
    cr_expect_eq(r->list[1].last_at_us, T0 + 2);
    cr_expect(view_eq(view_of(r->list[1].payload, r->list[1].payload_n), VIEW("<13>first")));
    senders_give_back(senders, &r);
    r = senders_take_refused(senders);
    cr_assert_not_null(r, "what could not be told is taken again");
    free(r);
    senders_put_refused(senders);
    r = senders_take_refused(senders);
    cr_assert_not_null(r);
    cr_expect_eq(r->messages, 1);
    free(r);
}

Test(senders, beyond_what_a_report_names_the_rest_is_counted_together)
{
    struct ip any = {.family = 4}, any6 = {.family = 6}, v6 = {6, {0x20, [15] = 1}};
    for (unsigned n = 0; n < SENDERS_REFUSED_MAX; n++) {
        struct ip ip = numbered(n);
        const struct ip *as = senders_refuse(senders, LISTENER_UDP, &ip, VIEW("x"), T0);
        cr_assert(ip_eq(as, &ip));
    }
    for (unsigned n = SENDERS_REFUSED_MAX; n < 1000; n++) {
        struct ip ip = numbered(n);
        cr_assert(ip_eq(senders_refuse(senders, LISTENER_UDP, &ip, VIEW("x"), T0), &any));
    }
    cr_expect(ip_eq(senders_refuse(senders, LISTENER_UDP, &v6, VIEW("x"), T0), &any6));
    struct ip ip = numbered(7);
    cr_expect(ip_eq(senders_refuse(senders, LISTENER_UDP, &ip, VIEW("x"), T0), &ip),
              "who is named stays so");
    senders_put_refused(senders);
    struct refused_senders *r = senders_take_refused(senders);
    cr_expect_eq(r->n, SENDERS_REFUSED_MAX);
    cr_expect_eq(r->others, 1000 - SENDERS_REFUSED_MAX + 1);
    cr_expect_eq(r->messages, 1002);
    free(r);
}

/* ---- sequence numbers ---- */

static unsigned one_lane(const struct ip *source, uint8_t listener, unsigned lanes)
{
    (void)source;
    (void)listener;
    (void)lanes;
    return 0;
}

Test(senders, a_sender_may_begin_so_many_streams_and_no_more)
{
    char path[] = "/tmp/azk-senders-XXXXXX";
    int fd = mkstemp(path);
    struct sequences *sequences = NULL;
    struct err err = {0};
    cr_assert_geq(fd, 0);
    close(fd);
    cr_assert_eq(sequences_open(path, 1, one_lane, &sequences, &err), 0, "%s", err.message);
    struct senders *s = senders_new(sequences, 0);
    struct ip ip = numbered(1);
    struct sender *x = senders_find(s, rules, LISTENER_TCP, &ip, 0);
    struct sequence_gap gap;
    unsigned gaps = 0;
    for (unsigned number = 1; number <= 71; number += 70)
        for (unsigned stream = 0; stream < SEQUENCE_STREAMS_A_SOURCE + 500; stream++) {
            char text[64];
            int n = snprintf(text, sizeof(text), "seq=%016x-%05u-%010u", 1, stream, number);
            struct record r = {.received_at_us = T0, .message = view_of(text, (size_t)n)};
            gaps += senders_sequence(s, x, &r, &gap);
        }
    cr_expect_eq(x->streams, SEQUENCE_STREAMS_A_SOURCE);
    cr_expect_leq(gaps, SEQUENCE_STREAMS_A_SOURCE, "%u", gaps);
    cr_expect_geq(gaps, SEQUENCE_STREAMS_A_SOURCE * 9 / 10, "few sets of the table are full: %u",
                  gaps);
    struct senders_counts c;
    senders_counts(s, &c);
    cr_expect_eq(c.missing, 6 * (uint64_t)gaps, "69 numbers, 63 of them still awaited");
    senders_free(&s);
    sequences_close(&sequences, true);
    (void)unlink(path);
}
