#include <criterion/criterion.h>

#include <math.h>

#include "store/retention_use.h"

static struct arena arena;

#define DAY(y, m, d) (days_from_civil(y, m, d) * US_PER_DAY)

/* A box in UTC, noon of 2026-11-05, with these pieces. */
static struct retention box(struct piece *pieces, size_t n)
{
    struct retention r = {.zone = "UTC",
                          .now_us = DAY(2026, 11, 5) + US_PER_DAY / 2,
                          .today = 20261105,
                          .month = 202611,
                          .month_start_us = DAY(2026, 11, 1),
                          .month_end_us = DAY(2026, 12, 1),
                          .high_water_bytes = 10000,
                          .database_bytes = 2000,
                          .wal_bytes = 500,
                          .budget_bytes = 2000,
                          .pieces = pieces,
                          .pieces_n = n,
                          .groups_n = 2};
    r.groups[1].id = 3;
    snprintf(r.groups[0].name, sizeof(r.groups[0].name), "default");
    snprintf(r.groups[1].name, sizeof(r.groups[1].name), "debug");
    return r;
}

static struct piece piece(int32_t day, int hour, uint8_t group, int64_t bytes)
{
    struct piece p = {
        .group = group, .day = day, .messages = bytes, .raw_bytes = bytes * 5, .bytes = bytes};
    int64_t at = DAY(day / 10000, (unsigned)(day / 100 % 100), (unsigned)(day % 100));
    snprintf(p.name, sizeof(p.name), "log_block_%d_%d_%d", day, hour, group);
    p.lower_us = at + hour * 3600 * US_PER_SECOND;
    p.upper_us = at + US_PER_DAY;
    return p;
}

Test(retention_use, days_are_counted_over_months_years_and_leap_days)
{
    static const struct {
        int32_t day;
        int days;
        int32_t after;
    } cases[] = {{20261130, 1, 20261201}, {20261231, 1, 20270101},  {20280228, 1, 20280229},
                 {20280229, 1, 20280301}, {20270228, 1, 20270301},  {20260301, -1, 20260228},
                 {20261105, 0, 20261105}, {20260101, -1, 20251231}, {20261101, 30, 20261201}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(day_after(cases[i].day, cases[i].days) == cases[i].after, "%d + %d: %d",
                  cases[i].day, cases[i].days, day_after(cases[i].day, cases[i].days));
}

Test(retention_use, a_day_is_read_only_when_it_exists)
{
    static const struct {
        const char *text;
        int32_t day; /* 0: refused */
    } cases[] = {{"2026-11-30", 20261130}, {"1970-01-01", 19700101},
                 {"2028-02-29", 20280229}, {"2027-02-29", 0},
                 {"2026-11-31", 0},        {"2026-13-01", 0},
                 {"2026-00-10", 0},        {"2026-1-01", 0},
                 {"2026-11-3", 0},         {"20261130", 0},
                 {"2026-11-30 ", 0},       {"+026-11-30", 0},
                 {"1969-12-31", 0},        {"", 0},
                 {"2026/11/30", 0}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int32_t day = 0;
        char back[DAY_TEXT_MAX];
        int rc = day_parse(view_str(cases[i].text), &day);
        cr_expect((rc < 0 ? 0 : day) == cases[i].day, "\"%s\": %d", cases[i].text, day);
        cr_expect(rc < 0 || strcmp(day_format(day, back), cases[i].text) == 0);
    }
    char text[DAY_TEXT_MAX];
    cr_expect_str_eq(month_format(202602, text), "2026-02");
}

Test(retention_use, months_are_summed_by_group_newest_first_and_this_one_is_always_there)
{
    struct piece pieces[] = {piece(20261030, 0, 0, 100), piece(20261030, 0, 3, 10),
                             piece(20261031, 0, 0, 200), piece(20261101, 0, 0, 400),
                             piece(20261101, 12, 0, 50), piece(20261105, 0, 3, 7),
                             piece(20261208, 0, 0, 0)};
    struct retention r = box(pieces, ARRAY_LEN(pieces));
    struct month_use *m;
    cr_assert(use_by_month(&r, &arena, &m) == 2);
    cr_expect(m[0].month == 202611 && m[0].all.bytes == 457 && m[0].days == 2, "%d days",
              m[0].days);
    cr_expect(m[0].by_group[0] == 450 && m[0].by_group[3] == 7);
    cr_expect(m[1].month == 202610 && m[1].all.messages == 310 && m[1].days == 2);
    cr_expect(m[1].all.raw_bytes == 1550 && m[1].by_group[3] == 10);
    r.pieces_n = 0;
    cr_assert(use_by_month(&r, &arena, &m) == 1);
    cr_expect(m[0].month == 202611 && m[0].all.bytes == 0 && m[0].days == 0);
    arena_done(&arena);
}

Test(retention_use, days_are_the_sum_of_their_pieces)
{
    struct piece pieces[] = {piece(20261031, 0, 0, 100), piece(20261101, 0, 0, 400),
                             piece(20261101, 0, 3, 40), piece(20261101, 12, 0, 50),
                             piece(20261105, 0, 0, 9)};
    pieces[2].is_held = true;
    struct retention r = box(pieces, ARRAY_LEN(pieces));
    struct day_use *d;
    cr_assert(use_by_day(&r, 20261101, 20261130, &arena, &d) == 2);
    cr_expect(d[0].day == 20261101 && d[0].all.bytes == 490 && d[0].is_held && !d[0].is_open);
    cr_expect(d[0].by_group[0].bytes == 450 && d[0].by_group[3].messages == 40);
    cr_expect(d[1].day == 20261105 && !d[1].is_held && d[1].is_open);
    cr_expect(use_by_day(&r, 20270101, 20270131, &arena, &d) == 0);
    arena_done(&arena);
}

Test(retention_use, history_that_fits_is_what_the_rest_of_the_database_leaves)
{
    struct piece pieces[] = {piece(20261103, 0, 0, 300), piece(20261104, 0, 0, 700)};
    struct retention r = box(pieces, ARRAY_LEN(pieces));
    struct history h;
    struct forecast f = {
        .basis = FORECAST_DAYS_SEEN, .day_bytes = 100, .day_low = 50, .day_high = 200};
    use_history(&r, &f, &h);
    cr_expect(h.oldest_us == DAY(2026, 11, 3) && fabs(h.days - 2.5) < 1e-9, "%f", h.days);
    /* 10,000 - (2,000 + 500 - 1,000) */
    cr_expect(fabs(h.fits_days - 85) < 1e-9 && fabs(h.fits_low - 42.5) < 1e-9 &&
              fabs(h.fits_high - 170) < 1e-9);
    f.basis = FORECAST_NONE;
    use_history(&r, &f, &h);
    cr_expect(h.fits_days < 0 && h.fits_low < 0 && h.fits_high < 0);
    pieces[0].messages = pieces[1].messages = 0;
    use_history(&r, &f, &h);
    cr_expect(h.oldest_us == TIME_NONE && h.days == 0);
}

Test(retention_use, figures_are_those_of_the_last_seven_whole_days)
{
    struct piece pieces[12];
    for (int i = 0; i < 12; i++)
        pieces[i] = piece(day_after(20261105, i - 11), 0, 0, i == 11 ? 5000000 : 86400 * 2);
    struct retention r = box(pieces, ARRAY_LEN(pieces));
    struct use_figures f;
    use_figures(&r, &f);
    cr_expect(fabs(f.rate - 2) < 1e-9, "%f", f.rate);
    cr_expect(fabs(f.message_bytes - 5) < 1e-9 && fabs(f.stored_bytes - 1) < 1e-9);
    r.pieces = pieces + 11; /* a box of today: half a day */
    r.pieces_n = 1;
    use_figures(&r, &f);
    cr_expect(fabs(f.rate - 5000000 / 43200.0) < 1e-6, "%f", f.rate);
    r.pieces_n = 0;
    use_figures(&r, &f);
    cr_expect(f.rate == 0 && f.message_bytes == 0 && f.stored_bytes == 0);
}

Test(retention_use, deletions_are_told_by_group_and_reason_in_days_that_follow_each_other)
{
    struct piece pieces[] = {piece(20261030, 0, 0, 100), piece(20261030, 0, 3, 10),
                             piece(20261031, 0, 0, 200), piece(20261031, 0, 3, 20),
                             piece(20261101, 0, 0, 400), piece(20261101, 12, 0, 50),
                             piece(20261103, 0, 0, 7)};
    struct rule_deletion list[] = {{&pieces[0], RULE_TRIM}, {&pieces[1], RULE_QUOTA},
                                   {&pieces[2], RULE_TRIM}, {&pieces[3], RULE_TRIM},
                                   {&pieces[4], RULE_TRIM}, {&pieces[5], RULE_TRIM},
                                   {&pieces[6], RULE_TRIM}};
    struct rule_plan plan = {.deletions = list, .deletions_n = ARRAY_LEN(list)};
    static const struct deletion_range expected[] = {
        {20261030, 20261101, 0, RULE_TRIM, {750, 750, 3750}},
        {20261030, 20261030, 3, RULE_QUOTA, {10, 10, 50}},
        {20261031, 20261031, 3, RULE_TRIM, {20, 20, 100}},
        {20261103, 20261103, 0, RULE_TRIM, {7, 7, 35}}};
    struct deletion_range *d;
    cr_assert(use_deletions(&plan, &arena, &d) == ARRAY_LEN(expected));
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        const struct deletion_range *x = &expected[i];
        cr_expect(d[i].from_day == x->from_day && d[i].to_day == x->to_day &&
                      d[i].group == x->group && d[i].reason == x->reason &&
                      d[i].all.bytes == x->all.bytes && d[i].all.messages == x->all.messages &&
                      d[i].all.raw_bytes == x->all.raw_bytes,
                  "range %zu: %d to %d, group %d, %lld bytes", i, d[i].from_day, d[i].to_day,
                  d[i].group, (long long)d[i].all.bytes);
    }
    arena_done(&arena);
}

Test(retention_use, groups_have_names_and_the_lowest_severity_shed_counts)
{
    struct retention r = box(NULL, 0);
    struct rule_plan plan = {.deletions_n = 0};
    char name[GROUP_NAME_MAX];
    memset(plan.shed_from, 8, sizeof(plan.shed_from));
    cr_expect(use_shed_from(&r, &plan) == 8);
    plan.shed_from[3] = 6;
    plan.shed_from[7] = 1; /* no such group */
    cr_expect(use_shed_from(&r, &plan) == 6);
    cr_expect_str_eq(use_group_name(&r, 3, name), "debug");
    cr_expect_str_eq(use_group_name(&r, 9, name), "group 9");
    cr_expect(use_group_id(&r, VIEW("debug")) == 3 && use_group_id(&r, VIEW("Debug")) == -1);
}

Test(retention_use, messages_of_the_benchmark_are_in_one_sum_and_no_other)
{
    struct piece list[] = {
        piece(20261102, 0, SOURCE_GROUP_BENCHMARK, 4000), piece(20261104, 0, 0, 10),
        piece(20261104, 0, SOURCE_GROUP_BENCHMARK, 500),  piece(20261105, 0, 3, 20),
        piece(20261105, 0, SOURCE_GROUP_BENCHMARK, 300),
    };
    struct retention r = box(list, ARRAY_LEN(list));
    struct month_use *months;
    struct day_use *days;
    struct use all;
    use_benchmark(&r, &all);
    cr_expect_eq(all.bytes, 4800);
    cr_expect_eq(all.messages, 4800);
    cr_expect_eq(use_by_month(&r, &arena, &months), 1);
    cr_expect_eq(months[0].all.bytes, 30);
    cr_expect_eq(months[0].days, 2);
    cr_expect_eq(months[0].by_group[SOURCE_GROUP_BENCHMARK], 0);
    cr_expect_eq(use_by_day(&r, 20261101, 20261130, &arena, &days), 2);
    cr_expect_eq(days[0].day, 20261104);
    cr_expect_eq(days[0].all.bytes, 10);
    cr_expect_eq(days[1].by_group[SOURCE_GROUP_BENCHMARK].bytes, 0);
    struct history h;
    struct forecast none = {.basis = FORECAST_NONE};
    use_history(&r, &none, &h);
    cr_expect_eq(h.oldest_us, list[1].lower_us);
    struct use_figures f;
    use_figures(&r, &f);
    cr_expect_float_eq(f.stored_bytes, 1, 1e-9);
}
