/* The parameters of azekura.count_rates().  That the server takes them whatever is in a name is
 * seen in tests/scenario/rates_*. */
#include <criterion/criterion.h>

#include "store/unit_rates.h"

static const int64_t noon_us = INT64_C(1773144000000000);

/* Rows of one list, and the struct around them. */
static struct block_counts counts_of(struct counts_minute *minutes, uint32_t n)
{
    return (struct block_counts){.minutes = minutes, .minutes_n = n};
}

static struct counts_row row(unsigned kind, const char *name, unsigned severity, uint32_t messages,
                             uint64_t bytes)
{
    return (struct counts_row){view_str(name), (uint8_t)kind, (uint8_t)severity, messages, bytes};
}

static void expect_call(const struct unit_rates_call *c, const char *const values[])
{
    for (int i = 0; i < UNIT_RATES_PARAMETERS; i++)
        cr_expect_str_eq(c->values[i], values[i], "parameter %d: %s", i + 1, c->values[i]);
}

Test(unit_rates, a_unit_becomes_a_call_with_a_row_a_count)
{
    struct counts_row sources[] = {row(COUNTS_VALUE, "192.0.2.1", 0, 3, 300)};
    struct counts_row hosts[] = {row(COUNTS_NONE, NULL, 6, 1, 100),
                                 row(COUNTS_VALUE, "fw\"0\\1", 3, 1, 100),
                                 row(COUNTS_OTHERS, NULL, 7, 1, 100)};
    struct counts_row apps[] = {row(COUNTS_VALUE, "", 0, 3, 300)};
    struct counts_minute minute = {.minute_us = noon_us,
                                   .last_at_us = noon_us + 1500000,
                                   .messages = 3,
                                   .bytes = 300,
                                   .rows = {sources, hosts, apps},
                                   .rows_n = {1, 3, 1}};
    struct block_counts counts = counts_of(&minute, 1);
    struct unit_rates_block block = {&counts, 12345, 0};
    struct unit_row ledger = {.minute_us = noon_us, .arrived = 5, .stored = 3, .bytes = 500};
    ledger.refused[REASON_OVERSIZE] = 2;
    struct unit_drop drop = {noon_us, LISTENER_UDP, 9};
    struct unit_rates r;
    unit_rates_make(&block, 1, &ledger, 1, &drop, 1, &r);
    cr_assert_eq(r.n, 1);
    cr_expect_eq(r.calls[0].minute_us, noon_us);
    static const char *const values[] = {
        "2026-03-10T12:00:01.500000Z",
        "12345",
        "{1,7,8,7,7,5,6,6}",
        "{\"=192.0.2.1\",\"=fw\\\"0\\\\1\",\"=\",\"-\",\"*\",\"=udp\",\"=oversize\",\"=kernel\"}",
        "{0,3,0,6,7,0,0,0}",
        "{3,1,3,1,1,5,2,9}",
        "{300,100,300,100,100,500,0,0}",
    };
    expect_call(&r.calls[0], values);
    unit_rates_free(&r);
    unit_rates_free(&r);
}

Test(unit_rates, each_minute_is_a_call_in_their_order_whoever_names_it)
{
    struct counts_row list[] = {row(COUNTS_VALUE, "x", 0, 1, 10)};
    struct counts_minute minutes[] = {
        {noon_us, noon_us, 1, 10, {list, list, list}, {1, 1, 1}},
        {noon_us + US_PER_MINUTE,
         noon_us + US_PER_MINUTE + 5,
         3,
         30,
         {list, list, list},
         {1, 1, 1}},
    };
    struct block_counts counts = counts_of(minutes, 2);
    struct unit_rates_block block = {&counts, 1001, 0};
    struct unit_row ledger = {.minute_us = noon_us - US_PER_MINUTE, .arrived = 1};
    struct unit_drop drop = {noon_us + 2 * US_PER_MINUTE, LISTENER_TCP, 1};
    struct unit_rates r;
    unit_rates_make(&block, 1, &ledger, 1, &drop, 1, &r);
    cr_assert_eq(r.n, 4);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(r.calls[i].minute_us, noon_us + (i - 1) * US_PER_MINUTE, "call %d", i);
    /* the bytes stored are shared out, and none is lost to rounding */
    cr_expect_str_eq(r.calls[1].values[1], "250");
    cr_expect_str_eq(r.calls[2].values[1], "751");
    cr_expect_str_eq(r.calls[0].values[0], "2026-03-10T11:59:00.000000Z");
    cr_expect_str_eq(r.calls[0].values[1], "0");
    unit_rates_free(&r);
}

Test(unit_rates, what_counts_nothing_makes_no_call)
{
    struct unit_row ledger = {.minute_us = noon_us};
    struct unit_rates r;
    unit_rates_make(NULL, 0, NULL, 0, NULL, 0, &r);
    cr_expect_eq(r.n, 0);
    unit_rates_free(&r);
    unit_rates_make(NULL, 0, &ledger, 1, NULL, 0, &r);
    cr_expect_eq(r.n, 0);
    unit_rates_free(&r);
    struct unit_rates_block none = {NULL, 0, 0}; /* a block that was set aside */
    unit_rates_make(&none, 1, NULL, 0, NULL, 0, &r);
    cr_expect_eq(r.n, 0);
    unit_rates_free(&r);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        n++;
    return n;
}

Test(unit_rates, blocks_of_many_groups_have_no_more_names_than_one)
{
    enum { NAMES = RATE_NAMES_A_UNIT / 2 + 300 };
    static char names[2][NAMES][24];
    static struct counts_row rows[2][2 * NAMES];
    struct counts_minute minutes[2];
    struct block_counts counts[2];
    struct unit_rates_block blocks[2];
    for (int g = 0; g < 2; g++) {
        for (int i = 0; i < NAMES; i++) {
            snprintf(names[g][i], sizeof(names[g][i]), "%d-%d", g, i);
            rows[g][2 * i] = row(COUNTS_VALUE, names[g][i], 3, 1, 1);
            rows[g][2 * i + 1] = row(COUNTS_VALUE, names[g][i], 6, 1, 1);
        }
        minutes[g] = (struct counts_minute){.minute_us = noon_us,
                                            .last_at_us = noon_us,
                                            .messages = 2 * NAMES,
                                            .bytes = 2 * NAMES,
                                            .rows = {NULL, rows[g], NULL},
                                            .rows_n = {0, 2 * NAMES, 0}};
        counts[g] = counts_of(&minutes[g], 1);
        blocks[g] = (struct unit_rates_block){&counts[g], 1000, 0};
    }
    struct unit_rates r;
    unit_rates_make(blocks, 2, NULL, 0, NULL, 0, &r);
    cr_assert_eq(r.n, 1);
    cr_expect_eq(occurrences(r.calls[0].values[3], "\"="), 2 * RATE_NAMES_A_UNIT);
    cr_expect_eq(occurrences(r.calls[0].values[3], "\"*\""), 2);
    char tail[64];
    int rest = 2 * NAMES - RATE_NAMES_A_UNIT;
    snprintf(tail, sizeof(tail), ",%d,%d}", rest, rest);
    const char *messages = r.calls[0].values[5];
    cr_expect_str_eq(messages + strlen(messages) - strlen(tail), tail);
    cr_expect_str_eq(r.calls[0].values[1], "2000");
    unit_rates_free(&r);
}

Test(unit_rates, the_longest_unit_has_room)
{
    static char name[RATE_NAME_MAX_BYTES];
    static struct counts_row rows[RATE_NAMES_A_UNIT * 8];
    memset(name, '"', sizeof(name));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        rows[i] = (struct counts_row){view_of(name, sizeof(name)), COUNTS_VALUE, (uint8_t)(i % 8),
                                      UINT32_MAX, UINT64_MAX / 8};
    struct counts_minute minute = {.minute_us = noon_us,
                                   .last_at_us = noon_us,
                                   .messages = 1,
                                   .bytes = 1,
                                   .rows = {rows, rows, rows},
                                   .rows_n = {RATE_NAMES_A_UNIT, ARRAY_LEN(rows), ARRAY_LEN(rows)}};
    struct block_counts counts = counts_of(&minute, 1);
    struct unit_rates_block block = {&counts, UINT64_MAX, 0};
    struct unit_rates r;
    unit_rates_make(&block, 1, NULL, 0, NULL, 0, &r);
    cr_expect_eq(r.n, 1);
    unit_rates_free(&r);
}

Test(unit_rates, the_benchmarks_block_counts_in_no_name_and_its_ledger_rows_count)
{
    struct counts_row logs[] = {row(COUNTS_VALUE, "fw01", 3, 2, 20)};
    struct counts_row bench[] = {row(COUNTS_VALUE, "loadgen", 6, 5, 50)};
    struct counts_minute minutes[] = {
        {noon_us, noon_us + 1, 2, 20, {logs, logs, logs}, {1, 1, 1}},
        {noon_us, noon_us + 2, 5, 50, {bench, bench, bench}, {1, 1, 1}},
    };
    struct block_counts counts[] = {counts_of(&minutes[0], 1), counts_of(&minutes[1], 1)};
    struct unit_rates_block blocks[] = {{&counts[0], 100, 0},
                                        {&counts[1], 7000, SOURCE_GROUP_BENCHMARK}};
    struct unit_row rows[] = {
        {.minute_us = noon_us, .arrived = 2, .stored = 2, .bytes = 20},
        {.minute_us = noon_us, .arrived = 6, .stored = 5, .bytes = 60},
    };
    rows[1].refused[REASON_OVERSIZE] = 1;
    struct unit_rates r;
    unit_rates_make(blocks, 2, rows, 2, NULL, 0, &r);
    cr_assert_eq(r.n, 1);
    static const char *const values[] = {
        "2026-03-10T12:00:00.000001Z",
        "100",
        "{1,7,8,5,6}",
        "{\"=fw01\",\"=fw01\",\"=fw01\",\"=udp\",\"=oversize\"}",
        "{3,3,3,0,0}",
        "{2,2,2,8,1}",
        "{20,20,20,80,0}",
    };
    expect_call(&r.calls[0], values);
    unit_rates_free(&r);
}
