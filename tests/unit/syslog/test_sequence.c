/* Numbers in messages, and what is missing of streams of them. */
#include <criterion/criterion.h>

#include "syslog/sequence.h"
#include "syslog/syslog.h"

/* ---- finding ---- */

static bool find(const char *text, struct sequence *ret)
{
    static struct zone *utc;
    struct buf scratch = BUF_INIT(1 << 20);
    struct record r;
    if (!utc)
        cr_assert_eq(zone_load("UTC", &utc, NULL), 0);
    struct syslog_context c = {.zone = utc, .scratch = &scratch};
    syslog_parse(&c, view_str(text), &r);
    bool is_found = sequence_of(&r, ret);
    buf_free(&scratch);
    return is_found;
}

#define MARK "seq=00000000deadbeef-00007-0000000042"

Test(sequence, numbers_are_found_where_senders_put_them)
{
    static const struct {
        const char *text;
        int kind; /* -1: none */
        uint64_t number;
    } cases[] = {
        {"<34>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"17\"] x", SEQUENCE_META, 17},
        {"<34>1 2026-03-10T12:00:00Z h app - - [a@1 b=\"c\"][meta sysUpTime=\"9\" "
         "sequenceId=\"2147483647\" language=\"de\"] x",
         SEQUENCE_META, 2147483647},
        {"<34>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"2147483648\"] x", -1, 0},
        {"<34>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"\"] x", -1, 0},
        {"<34>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"1x\"] x", -1, 0},
        {"<34>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"99999999999\"] x", -1, 0},
        {"<34>1 2026-03-10T12:00:00Z h app - - [meta a=\"1\"][b sequenceId=\"5\"] x", -1, 0},
        {"<34>1 2026-03-10T12:00:00Z h app - - [metadata sequenceId=\"5\"] x", -1, 0},
        {"<34>1 2026-03-10T12:00:00Z h app - - - [meta sequenceId=\"5\"]", -1, 0},
        {"<189>82: 00:20:10: %SYS-5-CONFIG_I: Configured from console", SEQUENCE_CISCO, 82},
        {"<189>000123: *Mar 10 11:22:33.123 UTC: %SYS-5-CONFIG_I: Configured", SEQUENCE_CISCO, 123},
        {"<189>sw2: 000124: Mar 10 11:22:33: %LINK-3-UPDOWN: down", SEQUENCE_CISCO, 124},
        {"<189>4294967295: Mar 10 11:22:33: %LINK-3-UPDOWN: down", SEQUENCE_CISCO, 4294967295},
        {"<189>4294967296: Mar 10 11:22:33: %LINK-3-UPDOWN: down", -1, 0},
        {"<166>Mar 10 2026 11:22:33: %ASA-6-302013: Built", -1, 0},
        {"<14>Mar 10 11:22:33 h b: " MARK " n=1 PADD", SEQUENCE_MARK, 42},
        {"<14>Mar 10 11:22:33 h app: text of some kind " MARK, SEQUENCE_MARK, 42},
        {"<14>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"17\"] x " MARK, SEQUENCE_META,
         17},
        {"<14>Mar 10 11:22:33 h p[1]: seq: 0000000000, thread: 0000, runid: 1, stamp: "
         "2026-03-09T10:41:07 " MARK " PADD",
         SEQUENCE_MARK, 42},
        {"<14>Mar 10 11:22:33 h p[1]: seq: 0, a=b =seq =, sea=1 = " MARK " PADD", SEQUENCE_MARK,
         42},
        {"<14>Mar 10 11:22:33 h p[1]: seq: 0, a=b seq=1 " MARK " PADD, the first is none", -1, 0},
        {"<14>Mar 10 11:22:33 h app: in the middle " MARK " of it", -1, 0},
        {"<14>Mar 10 11:22:33 h app: seq=00000000deadbeef-00007-000000004x", -1, 0},
        {"<14>Mar 10 11:22:33 h app: seq=00000000deadbeef+00007-0000000042", -1, 0},
        {"<14>Mar 10 11:22:33 h app: seq=00000000deadbeef-00007+0000000042", -1, 0},
        {"<14>Mar 10 11:22:33 h app: seq=1", -1, 0},
        {"<14>Mar 10 11:22:33 h app: seq: nothing of the kind, though it is long enough for one",
         -1, 0},
        {"", -1, 0},
        {"<14>", -1, 0},
        {"<189>%SYS-5-CONFIG_I: x", -1, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sequence s = {.kind = 99};
        bool is_found = find(cases[i].text, &s);
        cr_expect_eq(is_found, cases[i].kind >= 0, "%s", cases[i].text);
        if (!is_found)
            continue;
        cr_expect_eq(s.kind, cases[i].kind, "%s", cases[i].text);
        cr_expect_eq(s.number, cases[i].number, "%s: %llu", cases[i].text,
                     (unsigned long long)s.number);
    }
}

Test(sequence, no_beginning_of_a_message_is_read_beyond_its_end)
{
    static const char *const whole[] = {
        "<34>1 2026-03-10T12:00:00Z h app - - [meta sequenceId=\"17\"] x",
        "<189>000123: *Mar 10 11:22:33.123 UTC: %SYS-5-CONFIG_I: Configured",
        ("<14>Mar 10 11:22:33 h app: seq: 1, x " MARK " y"),
        ("<14>Mar 10 11:22:33 h app: text " MARK),
    };
    for (size_t i = 0; i < ARRAY_LEN(whole); i++)
        for (size_t n = 0; n <= strlen(whole[i]); n++) {
            char *part = strndup(whole[i], n); /* the address sanitizer sees its end */
            struct sequence s;
            (void)find(part, &s);
            free(part);
        }
}

Test(sequence, streams_of_one_sender_are_told_apart_by_who_counts)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } cases[] = {
        {"<34>1 - h app - - [meta sequenceId=\"1\"] x",
         "<34>1 - h app 7 ID [meta sequenceId=\"2\"] y", true},
        {"<34>1 - h app - - [meta sequenceId=\"1\"] x",
         "<34>1 - h other - - [meta sequenceId=\"1\"] x", false},
        {"<34>1 - h app - - [meta sequenceId=\"1\"] x",
         "<34>1 - h2 app - - [meta sequenceId=\"1\"] x", false},
        {"<34>1 - ha pp - - [meta sequenceId=\"1\"] x",
         "<34>1 - h app - - [meta sequenceId=\"1\"] x", false},
        {"<189>sw1: 1: Mar 10 11:22:33: %LINK-3-UPDOWN: down",
         "<189>sw1: 2: Mar 10 11:22:33: %SYS-5-CONFIG_I: x", true},
        {"<189>sw1: 1: Mar 10 11:22:33: %LINK-3-UPDOWN: down",
         "<189>sw2: 1: Mar 10 11:22:33: %LINK-3-UPDOWN: down", false},
        {"<14>Mar 10 11:22:33 h b: seq=00000000deadbeef-00007-0000000042",
         "<14>Mar 10 11:22:33 g c: seq=00000000deadbeef-00007-0000000043", true},
        {"<14>Mar 10 11:22:33 h b: seq=00000000deadbeef-00007-0000000042",
         "<14>Mar 10 11:22:33 h b: seq=00000000deadbeef-00008-0000000042", false},
        {"<14>Mar 10 11:22:33 h b: seq=00000000deadbeef-00007-0000000042",
         "<14>Mar 10 11:22:33 h b: seq=00000000deadbeee-00007-0000000042", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sequence a, b;
        cr_assert(find(cases[i].a, &a), "%s", cases[i].a);
        cr_assert(find(cases[i].b, &b), "%s", cases[i].b);
        cr_expect_eq(a.stream == b.stream, cases[i].is_same, "%s | %s", cases[i].a, cases[i].b);
    }
}

/* ---- following ---- */

/* "1..5 7 9..6": numbers and runs of them, up or down; "/" settles. */
static struct sequence_gap follow(struct sequence_state *s, enum sequence_kind kind,
                                  const char *text)
{
    struct sequence_gap gap = {0};
    while (*text) {
        char *end;
        if (*text == ' ' || *text == '/') {
            if (*text++ == '/')
                (void)sequence_settle(s, &gap);
            continue;
        }
        uint64_t from = strtoull(text, &end, 10), to = from;
        cr_assert(end > text, "%s", text);
        if (strncmp(end, "..", 2) == 0)
            to = strtoull(end + 2, &end, 10);
        text = end;
        for (;; from += from < to ? 1 : (uint64_t)-1) {
            sequence_take(s, kind, from, &gap);
            if (from == to)
                break;
        }
    }
    return gap;
}

Test(sequence, what_is_missing_and_what_is_repeated_is_counted)
{
    static const struct {
        const char *what, *numbers;
        enum sequence_kind kind;
        uint64_t missing, repeated;
    } cases[] = {
        {"all in order", "1..5000 /", SEQUENCE_META, 0, 0},
        {"one number alone", "77 /", SEQUENCE_META, 0, 0},
        {"one is lost", "1..49 51..200 /", SEQUENCE_META, 1, 0},
        {"what is lost at the end shows when the stream falls silent", "1..10 12 /", SEQUENCE_META,
         1, 0},
        {"several are lost", "1..10 12..20 23..24 100..400 /", SEQUENCE_CISCO, 1 + 2 + 75, 0},
        {"a number is missing once, however often the stream falls silent", "1..10 12 / / 13 /",
         SEQUENCE_META, 1, 0},
        {"a thousand are lost", "1..10 1000..1300 /", SEQUENCE_META, 989, 0},
        {"so are a million, when the stream goes on behind them", "1..100 1000101..1000200 /",
         SEQUENCE_MARK, 1000000, 0},
        {"and when it falls silent before", "1..100 1000101 /", SEQUENCE_MARK, 1000000, 0},
        {"with what was awaited before", "1..98 100 1000101..1000200 /", SEQUENCE_MARK, 1000001, 0},
        {"neighbours change places", "1..10 12 11 13 16 15 14 17..90 /", SEQUENCE_META, 0, 0},
        {"the whole window comes backwards", "1..100 163..101 164..300 /", SEQUENCE_META, 0, 0},
        {"beyond it one is missing", "1..100 102..300 101 301..400 /", SEQUENCE_META, 1, 0},
        {"the first ones change places", "3 1 2 4..100 /", SEQUENCE_META, 0, 0},
        {"each comes twice", "1 1 2 2 3 3 4 4 /", SEQUENCE_CISCO, 0, 4},
        {"some come once more, late", "1..50 30..40 51..90 /", SEQUENCE_CISCO, 0, 11},
        {"lost and repeated", "1..50 52..60 55 61..200 /", SEQUENCE_CISCO, 1, 1},
        {"a device is restarted", "1..70000 1..500 /", SEQUENCE_CISCO, 0, 0},
        {"and begins at 0", "5000..7000 0..100 /", SEQUENCE_META, 0, 0},
        {"and the first ones are lost", "1..70000 5..500 /", SEQUENCE_CISCO, 0, 0},
        {"soon after it was started", "1..40 1..100 /", SEQUENCE_CISCO, 0, 0},
        {"twice", "1..40 1..100 1..300 /", SEQUENCE_CISCO, 0, 0},
        {"with one lost since", "1..7000 1..20 22..300 /", SEQUENCE_CISCO, 1, 0},
        {"it was counted far on", "2000000000..2000000100 1..100 /", SEQUENCE_META, 0, 0},
        {"the counter wraps", "2147483000..2147483647 1..500 /", SEQUENCE_META, 0, 0},
        {"and numbers are lost around it", "2147483000..2147483640 3..500 /", SEQUENCE_META, 9, 0},
        {"32 bits wrap to 0", "4294967000..4294967295 0..500 /", SEQUENCE_CISCO, 0, 0},
        {"a relay sends again what it had not seen confirmed", "1..9000 5000..9100 /",
         SEQUENCE_META, 0, 4001},
        {"and goes on beyond it with a loss", "1..9000 5000..9000 9003..9100 /", SEQUENCE_META, 2,
         4001},
        {"sent again with holes: nothing of that is missing", "1..9000 5000..5100 5110..9100 /",
         SEQUENCE_META, 0, 4001 - 9},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sequence_state s = {0};
        struct sequence_gap gap = follow(&s, cases[i].kind, cases[i].numbers);
        cr_expect_eq(gap.missing, cases[i].missing, "%s: %llu missing", cases[i].what,
                     (unsigned long long)gap.missing);
        cr_expect_eq(gap.repeated, cases[i].repeated, "%s: %llu repeated", cases[i].what,
                     (unsigned long long)gap.repeated);
    }
}

/* Two programs of one name, each with a counter of its own. */
Test(sequence, two_counters_under_one_name_make_no_gaps)
{
    static const uint64_t begins[][2] = {
        {1, 5000}, {5000, 1}, {1, 2000000}, {2000000, 1}, {100000, 130000}};
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        struct sequence_state s = {0};
        struct sequence_gap gap = {0};
        uint64_t next[2] = {begins[i][0], begins[i][1]}, seed = 7;
        for (int n = 0; n < 4000; n++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            /* runs shorter than what would make a new track believed */
            sequence_take(&s, SEQUENCE_META, next[seed >> 63]++, &gap);
        }
        cr_expect_eq(gap.missing + gap.repeated, 0, "from %llu and %llu: %llu, %llu",
                     (unsigned long long)begins[i][0], (unsigned long long)begins[i][1],
                     (unsigned long long)gap.missing, (unsigned long long)gap.repeated);
    }
}

/* The plain way to say the same, for a stream that only loses and reorders within the window. */
Test(sequence, random_losses_and_disorder_within_the_window_are_counted_exactly)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct sequence_state s = {0};
        struct sequence_gap gap = {0};
        uint64_t x = seed, lost = 0, repeated = 0, held = 0;
        for (uint64_t n = 1000; n < 6000; n++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            unsigned chance = (unsigned)(x >> 40) % 100;
            if (n > 1000 && chance < 3 && n < 5990) {
                lost++;
                continue;
            }
            if (chance < 10 && held == 0 && n > 1000 && n < 5990) {
                held = n; /* comes later */
                continue;
            }
            sequence_take(&s, SEQUENCE_MARK, n, &gap);
            if (chance > 95) {
                sequence_take(&s, SEQUENCE_MARK, n, &gap);
                repeated++;
            }
            if (held && n - held > x % 50) {
                sequence_take(&s, SEQUENCE_MARK, held, &gap);
                held = 0;
            }
        }
        (void)sequence_settle(&s, &gap);
        cr_expect_eq(gap.missing, lost + (held != 0), "seed %llu: %llu of %llu",
                     (unsigned long long)seed, (unsigned long long)gap.missing,
                     (unsigned long long)lost);
        cr_expect_eq(gap.repeated, repeated, "seed %llu", (unsigned long long)seed);
    }
}

Test(sequence, numbers_made_up_at_random_never_count_as_more_than_a_jump_each)
{
    struct sequence_state s = {0};
    struct sequence_gap gap = {0};
    uint64_t x = 1;
    for (int i = 0; i < 100000; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        sequence_take(&s, (enum sequence_kind)(i % SEQUENCE_KINDS), x >> 33, &gap);
        cr_assert_lt(s.recent, 2);
    }
    (void)sequence_settle(&s, &gap);
    cr_expect_lt(gap.missing, UINT64_C(100000) * SEQUENCE_NEAR);
}
