/* The decisions of the 20 % rule: a table of cases, and properties of thousands of random stores.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "store/rule.h"

#define MB INT64_C(1000000)
#define NOON (INT64_C(1796040000) * US_PER_SECOND) /* 2026-11-30 12:00 UTC */
#define MAX_PIECES 400

static struct piece pieces[MAX_PIECES];
static struct arena arena;

/* A box of 1000 MB: budget 200 MB, high water 800 MB, one group, nothing in it, noon of 30
 * November. */
static struct retention box(void)
{
    struct retention r = {
        .now_us = NOON,
        .zone = "UTC",
        .today = 20261130,
        .month = 202611,
        .month_start_us = NOON - 29 * US_PER_DAY - US_PER_DAY / 2,
        .month_end_us = NOON + US_PER_DAY / 2,
        .fs_total_bytes = 100000 * MB,
        .fs_free_bytes = 90000 * MB,
        .capacity_bytes = 1000 * MB,
        .budget_bytes = 200 * MB,
        .high_water_bytes = 800 * MB,
        .policy = POLICY_TRIM,
        .shed_floor = 4,
        .pieces = pieces,
        .groups_n = 1,
    };
    r.groups[0] = (struct source_group){0, "default", -1, -1, false};
    return r;
}

static int32_t day_of(int64_t us)
{
    struct civil c;
    civil_from_us(us, &c);
    return c.year * 10000 + c.month * 100 + c.day;
}

/* The piece of a group `days_ago` (0: today's, open). */
static struct piece *add(struct retention *r, int days_ago, uint8_t group, int64_t bytes)
{
    cr_assert_lt(r->pieces_n, MAX_PIECES);
    struct piece *p = &pieces[r->pieces_n++];
    memset(p, 0, sizeof(*p));
    p->group = group;
    p->lower_us = NOON - US_PER_DAY / 2 - days_ago * US_PER_DAY;
    p->upper_us = p->lower_us + US_PER_DAY;
    p->day = day_of(p->lower_us);
    p->bytes = bytes;
    p->messages = bytes / 20;
    p->raw_bytes = bytes * 5;
    snprintf(p->name, sizeof(p->name), "log_block_g%d_%d", group, p->day);
    r->database_bytes += bytes;
    return p;
}

static struct rule_plan plan_of(const struct retention *r)
{
    struct rule_plan plan;
    arena_clear(&arena);
    rule_plan(r, r->policy, &arena, &plan);
    return plan;
}

/* "20261101 trim, 20261102 trim" */
static const char *told(const struct rule_plan *plan)
{
    static char text[4096];
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < plan->deletions_n; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d %s", i ? ", " : "",
                              plan->deletions[i].piece->day,
                              rule_reason_names[plan->deletions[i].reason]);
    return text;
}

/* Thirty closed days of October and November, each of `bytes`, and an open one. */
static struct retention thirty_days(int64_t bytes)
{
    struct retention r = box();
    for (int ago = 30; ago >= 0; ago--)
        add(&r, ago, 0, bytes);
    return r;
}

Test(rule, a_month_within_its_budget_keeps_everything)
{
    for (int policy = 0; policy < POLICIES; policy++) {
        struct retention r = thirty_days(5 * MB);
        r.policy = policy;
        struct rule_plan plan = plan_of(&r);
        cr_expect_eq(plan.deletions_n, 0, "%s: %s", retention_policy_names[policy], told(&plan));
        cr_expect_eq(plan.bytes, 0);
        cr_expect_eq(plan.shed_from[0], 8);
        cr_expect_eq(plan.held_bytes, 0);
    }
}

Test(rule, what_each_policy_does_with_a_month_of_240_of_200_mb)
{
    static const struct {
        enum retention_policy policy;
        const char *deletions;
        int shed_from;
    } cases[] = {
        {POLICY_TRIM, "20261101 trim, 20261102 trim, 20261103 trim, 20261104 trim, 20261105 trim",
         8},
        {POLICY_SHED, "20261101 trim, 20261102 trim, 20261103 trim, 20261104 trim, 20261105 trim",
         4},
        {POLICY_BORROW, "", 8}, /* together there is room */
        {POLICY_WARN, "", 8},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = thirty_days(8 * MB);
        r.policy = cases[i].policy;
        struct rule_plan plan = plan_of(&r);
        const char *name = retention_policy_names[cases[i].policy];
        cr_expect_str_eq(told(&plan), cases[i].deletions, "%s: %s", name, told(&plan));
        cr_expect_eq(plan.shed_from[0], cases[i].shed_from, "%s: %d", name, plan.shed_from[0]);
    }
}

Test(rule, borrow_takes_older_months_until_the_month_is_paid_for)
{
    struct retention r = box();
    r.policy = POLICY_BORROW;
    for (int ago = 90; ago > 29; ago--)
        add(&r, ago, 0, 10 * MB); /* 610 MB of September and October */
    for (int ago = 29; ago >= 0; ago--)
        add(&r, ago, 0, 7 * MB); /* 210 MB of November */
    struct rule_plan plan = plan_of(&r);
    /* 820 MB; together they may take 800 - 10 */
    cr_expect_str_eq(told(&plan), "20260901 borrow, 20260902 borrow, 20260903 borrow", "%s",
                     told(&plan));
    r.high_water_bytes = 100 * MB;
    plan = plan_of(&r);
    for (size_t i = 0; i < plan.deletions_n; i++)
        cr_expect(plan.deletions[i].reason == RULE_GUARD || plan.deletions[i].piece->day < 20261101,
                  "borrow never takes of the month itself");
}

Test(rule, the_budget_itself_may_be_used_to_the_last_byte)
{
    struct retention r = box();
    add(&r, 1, 0, 100 * MB);
    add(&r, 0, 0, 100 * MB);
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    pieces[1].bytes++;
    cr_expect_eq(plan_of(&r).deletions_n, 1);
}

Test(rule, what_comes_until_the_next_look_is_kept_free)
{
    struct retention r = thirty_days(6 * MB + MB / 2); /* 195 MB */
    r.growth_bytes_s = 5 * MB;
    cr_expect_eq(rule_margin_bytes(&r), 10 * MB);
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20261101 trim", "%s", told(&plan));
    r.growth_bytes_s = INT64_MAX;
    cr_expect_eq(rule_margin_bytes(&r), 50 * MB, "and never more than a quarter of the budget");
    r.growth_bytes_s = -1;
    cr_expect_eq(rule_margin_bytes(&r), 0);
}

Test(rule, held_pieces_are_counted_and_stay)
{
    struct retention r = thirty_days(8 * MB);
    for (size_t i = 0; i < r.pieces_n; i++)
        pieces[i].is_held = pieces[i].day >= 20261101 && pieces[i].day <= 20261103;
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan),
                     "20261104 trim, 20261105 trim, 20261106 trim, 20261107 trim, 20261108 trim",
                     "%s", told(&plan));
    cr_expect_eq(plan.held_bytes, 0);
    for (size_t i = 0; i < r.pieces_n; i++)
        pieces[i].is_held = true;
    plan = plan_of(&r);
    cr_expect_eq(plan.deletions_n, 0);
    cr_expect_eq(plan.held_bytes, 40 * MB);
}

Test(rule, an_open_piece_is_split_and_never_dropped)
{
    struct retention r = box();
    add(&r, 1, 0, 5 * MB);
    struct piece *today = add(&r, 0, 0, 250 * MB);
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20261129 trim");
    cr_expect_eq(plan.split[0], today);
    r.now_us = today->upper_us - 1;
    plan = plan_of(&r);
    cr_expect_null(plan.split[0], "it ends by itself");
    cr_expect_str_eq(told(&plan), "20261129 trim");
}

static struct rule_plan open_of(const struct retention *r, const struct rule_plan *plan)
{
    struct rule_plan open;
    rule_plan_open(r, r->policy, plan, &arena, &open);
    return open;
}

Test(rule, what_came_today_goes_after_its_split_when_nothing_else_is_left)
{
    struct retention r = box();
    r.groups[r.groups_n++] = (struct source_group){3, "debug", 1, -1, false};
    add(&r, 1, 3, 1 * MB);
    add(&r, 1, 0, 50 * MB);
    add(&r, 0, 0, 50 * MB); /* is split for its size, and stays */
    struct piece *today = add(&r, 0, 3, 3 * MB);
    struct rule_plan plan = plan_of(&r), open = open_of(&r, &plan);
    cr_expect_str_eq(told(&plan), "20261129 quota", "%s", told(&plan));
    cr_expect_str_eq(told(&open), "20261130 quota", "%s", told(&open));
    cr_assert(open.deletions_n == 1 && open.deletions[0].piece == today);
    cr_expect(open.messages == today->messages && open.bytes == 3 * MB);
    static const struct {
        const char *name;
        int64_t bytes;
        bool is_held, is_doubted;
        enum retention_policy policy;
    } stays[] = {{"within the quota", MB, false, false, POLICY_TRIM},
                 {"held", 3 * MB, true, false, POLICY_TRIM},
                 {"a clock that is doubted", 3 * MB, false, true, POLICY_TRIM},
                 {"borrow takes older months", 3 * MB, false, false, POLICY_BORROW},
                 {"warn", 3 * MB, false, false, POLICY_WARN}};
    for (size_t i = 0; i < ARRAY_LEN(stays); i++) {
        today->bytes = stays[i].bytes;
        today->is_held = stays[i].is_held;
        r.is_clock_doubted = stays[i].is_doubted;
        r.policy = stays[i].policy;
        plan = plan_of(&r);
        cr_expect_eq(open_of(&r, &plan).deletions_n, 0, "%s", stays[i].name);
    }
}

Test(rule, an_open_piece_is_split_when_it_is_a_thirty_second_of_the_budget)
{
    struct retention r = box();
    struct piece *today = add(&r, 0, 0, 200 * MB / 32);
    cr_expect_null(plan_of(&r).split[0]);
    today->bytes++;
    cr_expect_eq(plan_of(&r).split[0], today);
    r.is_clock_doubted = true;
    cr_expect_eq(plan_of(&r).split[0], today, "the guard needs it whatever the clock says");
    today->messages = 0;
    cr_expect_null(plan_of(&r).split[0], "there is nothing in it");
}

Test(rule, a_group_with_a_small_quota_has_small_pieces)
{
    struct retention r = box();
    r.groups[r.groups_n++] = (struct source_group){3, "debug", 10, -1, false};
    struct piece *other = add(&r, 0, 0, 2 * MB), *debug = add(&r, 0, 3, 2 * MB);
    struct rule_plan plan = plan_of(&r);
    cr_expect_null(plan.split[0]);
    cr_expect_eq(plan.split[3], debug);
    cr_expect(other->bytes == debug->bytes);
}

Test(rule, keep_days_counts_local_days_and_groups_have_their_own)
{
    struct retention r = box();
    r.keep_days = 10;
    r.groups[r.groups_n++] = (struct source_group){1, "brief", -1, 2, false};
    r.groups[r.groups_n++] = (struct source_group){2, "for ever", -1, 0, false};
    for (int ago = 12; ago >= 0; ago--)
        for (uint8_t g = 0; g < 3; g++)
            add(&r, ago, g, MB);
    struct rule_plan plan = plan_of(&r);
    size_t of[3] = {0};
    for (size_t i = 0; i < plan.deletions_n; i++) {
        of[plan.deletions[i].piece->group]++;
        cr_expect_eq(plan.deletions[i].reason, RULE_KEEP_DAYS);
    }
    cr_expect_eq(of[0], 2, "the 18th and 19th, not the 20th");
    cr_expect_eq(of[1], 10);
    cr_expect_eq(of[2], 0);
    r.is_clock_doubted = true;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
}

Test(rule, what_a_wrong_clock_dated_ages_from_when_it_came)
{
    struct retention r = box();
    r.keep_days = 10;
    add(&r, 40, 0, MB)->age_day = 20261125;
    add(&r, 39, 0, MB)->age_day = 20261105;
    add(&r, 38, 0, MB);
    add(&r, 5, 0, MB)->age_day = 20261001;
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20261022 keep_days, 20261023 keep_days", "%s", told(&plan));
}

Test(rule, a_leap_day_is_a_day)
{
    struct retention r = box();
    r.keep_days = 1;
    r.now_us = days_from_civil(2028, 3, 1) * US_PER_DAY;
    r.today = 20280301;
    r.month = 202803;
    static const int32_t days[] = {20280227, 20280228, 20280229};
    for (int i = 0; i < 3; i++) {
        struct piece *p = add(&r, 0, 0, MB);
        p->day = days[i];
        p->lower_us = days_from_civil(2028, 2, 27 + (unsigned)i) * US_PER_DAY;
        p->upper_us = p->lower_us + US_PER_DAY;
    }
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20280227 keep_days, 20280228 keep_days", "%s", told(&plan));
}

Test(rule, a_quota_touches_its_own_group_only)
{
    static const struct {
        enum retention_policy policy;
        size_t deletions;
        int shed_other, shed_debug;
    } cases[] = {
        {POLICY_TRIM, 5, 8, 8},
        {POLICY_SHED, 5, 8, 4},
        {POLICY_BORROW, 0, 8, 8}, /* of the whole store it may have 10 %: 80 MB */
        {POLICY_WARN, 0, 8, 8},
    };
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        struct retention r = box();
        r.policy = cases[k].policy;
        r.groups[r.groups_n++] = (struct source_group){1, "debug", 10, -1, false}; /* 20 MB */
        for (int ago = 24; ago >= 0; ago--) {
            add(&r, ago, 0, MB);
            add(&r, ago, 1, MB);
        }
        struct rule_plan plan = plan_of(&r);
        const char *name = retention_policy_names[cases[k].policy];
        cr_expect_eq(plan.deletions_n, cases[k].deletions, "%s: %s", name, told(&plan));
        for (size_t i = 0; i < plan.deletions_n; i++) {
            cr_expect_eq(plan.deletions[i].piece->group, 1);
            cr_expect_eq(plan.deletions[i].reason, RULE_QUOTA);
        }
        cr_expect_eq(plan.shed_from[0], cases[k].shed_other, "%s", name);
        cr_expect_eq(plan.shed_from[1], cases[k].shed_debug, "%s", name);
    }
}

Test(rule, severities_are_refused_one_after_the_other)
{
    static const struct {
        int64_t bytes;
        int floor, from;
    } cases[] = {
        {189 * MB, 4, 8},
        {190 * MB, 4, 7},
        {192500000, 4, 6},
        {195 * MB, 4, 5},
        {197500000, 4, 4},
        {200 * MB, 4, 4},
        {400 * MB, 4, 4},
        {190 * MB, 7, 7},
        {400 * MB, 7, 7},
        {400 * MB, 1, 1},
        {190 * MB + 10 * MB / 7 + 1, 1, 6},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box();
        r.policy = POLICY_SHED;
        r.shed_floor = cases[i].floor;
        add(&r, 0, 0, cases[i].bytes);
        cr_expect_eq(plan_of(&r).shed_from[0], cases[i].from, "%lld bytes, floor %d: %d",
                     (long long)cases[i].bytes, cases[i].floor, plan_of(&r).shed_from[0]);
    }
}

Test(rule, a_refusal_is_not_taken_back_for_a_swing)
{
    struct retention r = box();
    r.policy = POLICY_SHED;
    add(&r, 0, 0, 189 * MB + MB / 2);
    r.shed_now[0] = (struct shedding){7, NOON - 3600 * US_PER_SECOND};
    cr_expect_eq(plan_of(&r).shed_from[0], 7, "half a step below it stays");
    pieces[0].bytes = 188 * MB;
    cr_expect_eq(plan_of(&r).shed_from[0], 8);
    r.shed_now[0].since_us = NOON - US_PER_SECOND;
    cr_expect_eq(plan_of(&r).shed_from[0], 7, "a minute it stays");
    r.policy = POLICY_TRIM;
    cr_expect_eq(plan_of(&r).shed_from[0], 8, "another policy ends it at once");
    r.policy = POLICY_SHED;
    r.is_clock_doubted = true;
    cr_expect_eq(plan_of(&r).shed_from[0], 8, "and so does a clock that is doubted");
}

Test(rule, the_guard_takes_the_oldest_of_any_group_whatever_the_policy_and_clock)
{
    for (int policy = 0; policy < POLICIES; policy++) {
        struct retention r = box();
        r.policy = policy;
        r.is_clock_doubted = true;
        r.groups[r.groups_n++] = (struct source_group){1, "other", -1, -1, false};
        for (int ago = 100; ago >= 0; ago--)
            add(&r, ago, (uint8_t)(ago % 2), 7 * MB);
        r.wal_bytes = 100 * MB;
        r.spool_bytes = 10 * MB; /* 707 + 110 of 800 */
        struct rule_plan plan = plan_of(&r);
        cr_expect_str_eq(told(&plan), "20260822 guard, 20260823 guard, 20260824 guard", "%s",
                         told(&plan));
    }
}

Test(rule, nothing_goes_for_a_swing_of_the_write_ahead_log)
{
    static const struct {
        int64_t wal;
        size_t deletions;
    } cases[] = {{0, 1}, {100 * MB, 1}, {200 * MB, 1}, {201 * MB, 4}, {9000 * MB, 4}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box();
        for (int ago = 70; ago >= 0; ago--)
            add(&r, ago, 0, 10 * MB);
        r.policy = POLICY_WARN;
        r.wal_limit_bytes = 100 * MB; /* 710 + 100 of 800 */
        r.wal_bytes = cases[i].wal;
        cr_expect_eq(plan_of(&r).deletions_n, cases[i].deletions, "%lld: %zu",
                     (long long)cases[i].wal, plan_of(&r).deletions_n);
    }
}

/* As a capacity is set for the first time: the server's own limit is far above it. */
Test(rule, nothing_goes_for_a_write_ahead_log_that_could_not_fit)
{
    struct retention r = thirty_days(5 * MB);
    r.wal_bytes = 16 * MB;
    r.wal_limit_bytes = 2000 * MB;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    r.wal_limit_bytes = 125 * MB;
    r.wal_bytes = 2000 * MB;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
}

Test(rule, the_guard_makes_room_where_others_filled_the_file_system)
{
    struct retention r = thirty_days(MB);
    r.fs_total_bytes = 2000 * MB; /* 3 %: 60 MB */
    r.fs_free_bytes = 57 * MB + MB / 2;
    struct rule_plan plan = plan_of(&r);
    cr_expect_eq(plan.deletions_n, 3, "%s", told(&plan));
    r.fs_free_bytes = 60 * MB;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    r.fs_total_bytes = 0; /* not known */
    r.fs_free_bytes = 0;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
}

Test(rule, what_lies_in_the_future_goes_last_and_only_to_the_guard)
{
    struct retention r = box();
    r.keep_days = 1;
    add(&r, 1, 0, 5 * MB);
    add(&r, 0, 0, MB);
    struct piece *empty = add(&r, -1, 0, MB), *future = add(&r, -3650, 0, 300 * MB);
    empty->messages = 0;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    r.high_water_bytes = 100 * MB;
    struct rule_plan plan = plan_of(&r);
    cr_expect_eq(plan.deletions_n, 2);
    cr_expect_eq(plan.deletions[1].piece, future);
}

Test(rule, a_request_takes_its_closed_days_of_its_group)
{
    static const struct {
        int32_t from, to;
        int group;
        size_t deletions;
        int64_t held;
    } cases[] = {
        {20261103, 20261105, -1, 6, 0}, {20261103, 20261105, 1, 3, 0},
        {20261103, 20261103, 0, 1, 0},  {20261110, 20261112, -1, 4, 16 * MB},
        {20261130, 20261130, -1, 0, 0}, {20271130, 20281130, -1, 0, 0},
        {20261105, 20261103, -1, 0, 0}, {0, 99999999, 7, 0, 0},
    };
    struct retention r = box();
    r.groups[r.groups_n++] = (struct source_group){1, "other", -1, -1, false};
    for (int ago = 29; ago >= 0; ago--)
        for (uint8_t g = 0; g < 2; g++)
            add(&r, ago, g, 8 * MB)->is_held = ago == 19;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rule_plan plan;
        arena_clear(&arena);
        rule_plan_request(&r, cases[i].from, cases[i].to, cases[i].group, &arena, &plan);
        cr_expect_eq(plan.deletions_n, cases[i].deletions, "%d…%d: %s", cases[i].from, cases[i].to,
                     told(&plan));
        cr_expect_eq(plan.held_bytes, cases[i].held, "%d…%d", cases[i].from, cases[i].to);
        cr_expect_eq(plan.bytes, (int64_t)cases[i].deletions * 8 * MB);
    }
}

Test(rule, states)
{
    static const struct {
        int64_t used, forecast;
        enum retention_state before, state;
    } cases[] = {
        {10 * MB, -1, RETENTION_OK, RETENTION_OK},
        {10 * MB, 159 * MB, RETENTION_OK, RETENTION_OK},
        {10 * MB, 160 * MB, RETENTION_OK, RETENTION_WATCH},
        {10 * MB, 200 * MB, RETENTION_OK, RETENTION_OVER_FORECAST},
        {199 * MB, 500 * MB, RETENTION_OK, RETENTION_OVER_FORECAST},
        {200 * MB, 200 * MB, RETENTION_OK, RETENTION_OVER},
        {200 * MB, -1, RETENTION_OK, RETENTION_OVER},
        {170 * MB, -1, RETENTION_OK, RETENTION_WATCH},
        {10 * MB, 156 * MB, RETENTION_WATCH, RETENTION_WATCH},
        {10 * MB, 154 * MB, RETENTION_WATCH, RETENTION_OK},
        {10 * MB, 196 * MB, RETENTION_OVER_FORECAST, RETENTION_OVER_FORECAST},
        {10 * MB, 194 * MB, RETENTION_OVER_FORECAST, RETENTION_WATCH},
        {185 * MB, 250 * MB, RETENTION_OVER, RETENTION_OVER},
        {179 * MB, 250 * MB, RETENTION_OVER, RETENTION_OVER_FORECAST},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box();
        add(&r, 0, 0, cases[i].used);
        r.state_before = cases[i].before;
        r.state_month = r.month;
        cr_expect_eq(rule_state(&r, cases[i].forecast), cases[i].state, "case %zu: %s", i,
                     retention_state_names[rule_state(&r, cases[i].forecast)]);
    }
    struct retention r = box();
    add(&r, 0, 0, 185 * MB);
    r.state_before = RETENTION_OVER;
    r.state_month = 202610;
    cr_expect_eq(rule_state(&r, -1), RETENTION_WATCH, "a new month begins anew");
}

/* ---- properties ---- */

static uint64_t seed;
static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

static struct retention random_box(uint64_t number)
{
    seed = number;
    struct retention r = box();
    r.policy = chance(POLICIES);
    r.shed_floor = 1 + (int)chance(7);
    r.keep_days = chance(3) ? 0 : (int64_t)chance(60);
    r.is_clock_doubted = chance(8) == 0;
    r.growth_bytes_s = chance(2) ? (int64_t)chance(20) * MB : 0;
    r.wal_bytes = (int64_t)chance(300) * MB;
    r.spool_bytes = chance(4) ? 0 : (int64_t)chance(50) * MB;
    if (chance(4) == 0)
        r.fs_free_bytes = (int64_t)chance(400) * MB;
    while (r.groups_n < 1 + chance(4)) {
        uint8_t id = (uint8_t)r.groups_n;
        r.groups[r.groups_n++] = (struct source_group){id, "g",
                                                       chance(2) ? (double)(1 + chance(100)) : -1,
                                                       chance(3) ? -1 : (int64_t)chance(40), false};
    }
    int days = (int)chance(90);
    int64_t size = 1 + (int64_t)chance(12) * MB;
    uint32_t holds = chance(3) ? 1000000 : 1 + chance(6);
    for (int ago = days; ago >= -2; ago--)
        for (size_t g = 0; g < r.groups_n; g++)
            if (chance(5) && r.pieces_n < MAX_PIECES)
                add(&r, ago, (uint8_t)g, ago < 0 ? 40000 : (int64_t)chance((uint32_t)size + 1))
                    ->is_held = chance(holds) == 0;
    return r;
}

static bool is_planned(const struct rule_plan *plan, const struct piece *p)
{
    for (size_t i = 0; i < plan->deletions_n; i++)
        if (plan->deletions[i].piece == p)
            return true;
    return false;
}

/* Nothing that is held or open, nothing twice, and the sums are those of the deletions. */
static void check_deletions(const struct retention *r, const struct rule_plan *plan, uint64_t n)
{
    int64_t messages = 0, raw = 0, bytes = 0;
    for (size_t i = 0; i < plan->deletions_n; i++) {
        const struct piece *p = plan->deletions[i].piece;
        cr_assert(p >= r->pieces && p < r->pieces + r->pieces_n, "box %llu", (unsigned long long)n);
        cr_assert_not(p->is_held, "box %llu: a held piece", (unsigned long long)n);
        cr_assert_not(p->lower_us <= r->now_us && p->upper_us > r->now_us,
                      "box %llu: an open piece", (unsigned long long)n);
        for (size_t k = 0; k < i; k++)
            cr_assert_neq(plan->deletions[k].piece, p, "box %llu: twice", (unsigned long long)n);
        cr_assert(!r->is_clock_doubted || plan->deletions[i].reason == RULE_GUARD);
        messages += p->messages;
        raw += p->raw_bytes;
        bytes += p->bytes;
    }
    cr_assert(messages == plan->messages && raw == plan->raw_bytes && bytes == plan->bytes,
              "box %llu: sums", (unsigned long long)n);
}

struct left {
    int64_t held, droppable;
};

/* What would still be there of a month (0: of all), by group (-1: all). */
static int64_t bytes_after(const struct retention *r, const struct rule_plan *plan, int32_t month,
                           int group, struct left *ret)
{
    int64_t sum = 0;
    *ret = (struct left){0};
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *p = &r->pieces[i];
        if ((month && p->day / 100 != month) || (group >= 0 && p->group != group) ||
            is_planned(plan, p))
            continue;
        sum += p->bytes;
        if (p->is_held)
            ret->held += p->bytes;
        else if (p->upper_us <= r->now_us)
            ret->droppable += p->bytes;
    }
    return sum;
}

/* Usage after the plan is within the target, or nothing that could go is left and held_bytes says
 * how much of it is held. */
static void check_target(const struct rule_plan *plan, int64_t excess, const struct left *left,
                         const char *what, uint64_t n)
{
    if (excess <= 0)
        return;
    cr_assert_eq(left->droppable, 0, "box %llu: %s leaves %lld over, and %lld could go",
                 (unsigned long long)n, what, (long long)excess, (long long)left->droppable);
    cr_assert_geq(plan->held_bytes, MIN(excess, left->held), "box %llu: %s", (unsigned long long)n,
                  what);
}

static void check_targets(const struct retention *r, const struct rule_plan *plan, uint64_t n)
{
    struct left left;
    int64_t margin = rule_margin_bytes(r), after;
    bool trims = (r->policy == POLICY_TRIM || r->policy == POLICY_SHED) && !r->is_clock_doubted;
    int64_t free_bytes = r->policy == POLICY_SHED ? 0 : margin;
    after = bytes_after(r, plan, r->month, -1, &left);
    if (trims)
        check_target(plan, after + free_bytes - r->budget_bytes, &left, "the month", n);
    for (size_t g = 0; g < r->groups_n && trims; g++) {
        if (r->groups[g].quota_percent < 0)
            continue;
        int64_t quota = (int64_t)((double)r->budget_bytes * r->groups[g].quota_percent / 100);
        after = bytes_after(r, plan, r->month, r->groups[g].id, &left);
        check_target(plan, after + free_bytes - quota, &left, "a quota", n);
    }
    (void)bytes_after(r, plan, 0, -1, &left);
    check_target(
        plan, rule_used_bytes(r) - plan->bytes + rule_guard_margin_bytes(r) - r->high_water_bytes,
        &left, "the guard", n);
    check_target(plan, rule_free_limit_bytes(r) - r->fs_free_bytes - plan->bytes, &left,
                 "the file system", n);
}

/* The last piece of each reason but keep_days was needed: without it its target is missed. */
static void check_minimal(const struct retention *r, const struct rule_plan *plan, uint64_t n)
{
    int64_t margin = rule_margin_bytes(r), guard = 0, freed_before = 0, month = 0;
    const struct piece *last_guard = NULL, *last_trim = NULL;
    for (size_t i = 0; i < plan->deletions_n; i++) {
        const struct rule_deletion *d = &plan->deletions[i];
        if (d->reason == RULE_GUARD) {
            guard += d->piece->bytes;
            last_guard = d->piece;
        } else {
            freed_before += d->piece->bytes;
            month += d->piece->day / 100 == r->month ? d->piece->bytes : 0;
        }
        if (d->reason == RULE_TRIM)
            last_trim = d->piece;
    }
    if (last_guard) {
        int64_t freed = freed_before + guard - last_guard->bytes;
        cr_assert(rule_used_bytes(r) - freed + rule_guard_margin_bytes(r) > r->high_water_bytes ||
                      r->fs_free_bytes + freed < rule_free_limit_bytes(r),
                  "box %llu: the guard took one too many", (unsigned long long)n);
    }
    if (last_trim)
        cr_assert(retention_month_bytes(r, r->month, -1) - month + last_trim->bytes + margin >
                      r->budget_bytes,
                  "box %llu: trim took one too many", (unsigned long long)n);
}

/* Within a group and a reason, what is older and may go has gone before. */
static void check_oldest_first(const struct retention *r, const struct rule_plan *plan, uint64_t n)
{
    for (size_t i = 1; i < plan->deletions_n; i++) {
        const struct rule_deletion *a = &plan->deletions[i - 1], *b = &plan->deletions[i];
        if (a->reason == b->reason &&
            (a->reason != RULE_QUOTA || a->piece->group == b->piece->group))
            cr_assert_lt(a->piece - r->pieces, b->piece - r->pieces, "box %llu",
                         (unsigned long long)n);
    }
}

Test(rule, properties_hold_for_ten_thousand_stores)
{
    size_t with_deletions = 0;
    for (uint64_t n = 1; n <= 10000; n++) {
        struct retention r = random_box(n);
        struct rule_plan plan = plan_of(&r), again;
        check_deletions(&r, &plan, n);
        check_targets(&r, &plan, n);
        check_minimal(&r, &plan, n);
        check_oldest_first(&r, &plan, n);
        rule_plan(&r, r.policy, &arena, &again);
        cr_assert_eq(plan.deletions_n, again.deletions_n);
        for (size_t i = 0; i < plan.deletions_n; i++)
            cr_assert(plan.deletions[i].piece == again.deletions[i].piece &&
                      plan.deletions[i].reason == again.deletions[i].reason);
        cr_assert_arr_eq(plan.shed_from, again.shed_from, sizeof(plan.shed_from));
        with_deletions += plan.deletions_n > 0;
    }
    cr_expect_gt(with_deletions, 3000, "%zu", with_deletions);
}

/* The store as the keeper leaves it when it has carried out a plan. */
static struct retention carried_out(const struct retention *r, const struct rule_plan *plan)
{
    static struct piece left[MAX_PIECES];
    struct retention next = *r;
    next.pieces = left;
    next.pieces_n = 0;
    next.database_bytes -= plan->bytes;
    next.fs_free_bytes += plan->bytes;
    for (size_t i = 0; i < r->pieces_n; i++) {
        bool is_gone = false;
        for (size_t k = 0; k < plan->deletions_n && !is_gone; k++)
            is_gone = plan->deletions[k].piece == &r->pieces[i];
        if (is_gone)
            continue;
        left[next.pieces_n] = r->pieces[i];
        if (plan->split[r->pieces[i].group] == &r->pieces[i])
            left[next.pieces_n].upper_us = r->now_us;
        next.pieces_n++;
    }
    return next;
}

Test(rule, what_is_open_goes_as_the_look_after_the_splits_decides)
{
    size_t with_open = 0;
    for (uint64_t n = 1; n <= 10000; n++) {
        struct retention r = random_box(n);
        struct rule_plan plan = plan_of(&r), open = open_of(&r, &plan), next;
        struct retention after = carried_out(&r, &plan);
        rule_plan(&after, after.policy, &arena, &next);
        cr_assert_eq(open.deletions_n, next.deletions_n, "box %llu: %zu, then %zu",
                     (unsigned long long)n, open.deletions_n, next.deletions_n);
        for (size_t i = 0; i < open.deletions_n; i++) {
            const struct piece *p = open.deletions[i].piece;
            cr_assert_eq(plan.split[p->group], p, "box %llu: %s is no open piece",
                         (unsigned long long)n, p->name);
            cr_assert_str_eq(p->name, next.deletions[i].piece->name);
            cr_assert_eq(open.deletions[i].reason, next.deletions[i].reason);
        }
        cr_assert(open.bytes == next.bytes && open.messages == next.messages);
        with_open += open.deletions_n > 0;
    }
    cr_expect_gt(with_open, 100, "%zu", with_open);
}

/* Within the headroom nothing new is decided, wherever the bytes go. */
Test(rule, nothing_new_happens_within_the_headroom)
{
    size_t with_room = 0;
    for (uint64_t n = 1; n <= 3000; n++) {
        struct retention r = random_box(n);
        int64_t room = rule_headroom_bytes(&r);
        struct rule_plan before = plan_of(&r);
        /* only a store at rest has one */
        if (room < 2 || before.deletions_n || before.held_bytes)
            continue;
        with_room++;
        for (size_t i = 0; i < r.pieces_n; i++) {
            if (r.pieces[i].lower_us > r.now_us || r.pieces[i].upper_us <= r.now_us)
                continue;
            int8_t shed[SOURCE_GROUPS_MAX];
            before = plan_of(&r);
            memcpy(shed, before.shed_from, sizeof(shed));
            r.pieces[i].bytes += room - 1;
            r.database_bytes += room - 1;
            struct rule_plan after = plan_of(&r);
            cr_assert_eq(after.deletions_n, 0, "box %llu", (unsigned long long)n);
            cr_assert_arr_eq(after.shed_from, shed, sizeof(shed), "box %llu",
                             (unsigned long long)n);
            cr_assert(r.pieces[i].is_held || after.split[r.pieces[i].group] == NULL ||
                          after.split[r.pieces[i].group] == &r.pieces[i],
                      "box %llu", (unsigned long long)n);
            r.pieces[i].bytes -= room - 1;
            r.database_bytes -= room - 1;
        }
    }
    cr_expect_gt(with_room, 200, "%zu", with_room);
}

Test(rule, the_guard_is_in_need_well_above_the_high_water_or_without_free_space)
{
    static const struct {
        const char *name;
        int64_t used, fs_free;
        bool is_in_need;
    } cases[] = {
        {"below the high water", 799 * MB, 90000 * MB, false},
        {"a little above", 849 * MB, 90000 * MB, false},
        {"a quarter of the rest", 851 * MB, 90000 * MB, true},
        {"somebody else fills the disk", 10 * MB, 200 * MB, true},
        {"a little above the free space that is kept", 10 * MB, 300 * MB, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box();
        r.database_bytes = cases[i].used;
        r.fs_free_bytes = cases[i].fs_free;
        cr_expect_eq(rule_is_in_need(&r), cases[i].is_in_need, "%s", cases[i].name);
    }
}

Test(rule, a_group_whose_piece_is_still_to_come_is_looked_at_before_that_is_large)
{
    struct retention r = box(); /* no piece at all: the keeper looks before partitions are made */
    int64_t room = rule_headroom_bytes(&r);
    struct piece *p = add(&r, 0, 0, room + 1);
    cr_expect_leq(room, r.budget_bytes / 32, "%lld", (long long)room);
    cr_expect_eq(plan_of(&r).split[0], p);
    cr_expect_eq(rule_headroom_bytes(&r), 0);
}

Test(rule, a_small_quota_makes_small_pieces_only_where_it_is_kept)
{
    static const struct {
        enum retention_policy policy;
        int64_t largest;
    } cases[] = {
        {POLICY_TRIM, 20000 * MB / 10 / 32},   /* of the quota */
        {POLICY_SHED, 20000 * MB / 10 / 32},   /* */
        {POLICY_BORROW, 20000 * MB / 10 / 32}, /* the months together keep it */
        {POLICY_WARN, 20000 * MB / 32},        /* nobody does */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box();
        r.capacity_bytes = 100000 * MB;
        r.budget_bytes = 20000 * MB;
        r.high_water_bytes = 80000 * MB;
        r.policy = cases[i].policy;
        r.groups[1] = (struct source_group){1, "debug", 10, -1, false};
        r.groups_n = 2;
        struct piece *p = add(&r, 0, 1, cases[i].largest);
        cr_expect_null(plan_of(&r).split[1], "%s", retention_policy_names[r.policy]);
        p->bytes++;
        cr_expect_eq(plan_of(&r).split[1], p, "%s", retention_policy_names[r.policy]);
    }
    struct retention r = box();
    r.capacity_bytes = 100000 * MB;
    r.budget_bytes = 20000 * MB;
    r.high_water_bytes = 80000 * MB;
    r.policy = POLICY_BORROW;
    r.groups[1] = (struct source_group){1, "debug", 0.1, -1, false};
    r.groups_n = 2;
    (void)add(&r, 0, 1, 20000 * MB / 1024);
    cr_expect_null(plan_of(&r).split[1], "there would be thousands of pieces");
}

/* ---- the benchmark's messages ---- */

static struct piece *add_benchmark(struct retention *r, int days_ago, int64_t bytes)
{
    if (r->groups[r->groups_n - 1].id != SOURCE_GROUP_BENCHMARK)
        r->groups[r->groups_n++] =
            (struct source_group){SOURCE_GROUP_BENCHMARK, "benchmark", -1, 7, false};
    return add(r, days_ago, SOURCE_GROUP_BENCHMARK, bytes);
}

Test(rule, messages_of_the_benchmark_use_nothing_of_the_month)
{
    for (int policy = 0; policy < POLICIES; policy++) {
        struct retention r = thirty_days(5 * MB);
        int64_t room = rule_headroom_bytes(&r);
        r.policy = policy;
        add_benchmark(&r, 2, 300 * MB);
        add_benchmark(&r, 0, 100 * MB);
        struct rule_plan plan = plan_of(&r);
        cr_expect_eq(plan.deletions_n, 0, "%s: %s", retention_policy_names[policy], told(&plan));
        cr_expect_eq(plan.shed_from[0], 8);
        cr_expect_eq(plan.shed_from[SOURCE_GROUP_BENCHMARK], 8);
        cr_expect_eq(rule_state(&r, -1), RETENTION_OK);
        cr_expect_leq(rule_headroom_bytes(&r), room);
    }
}

Test(rule, nothing_of_the_benchmark_is_shed_in_a_month_that_is_over)
{
    struct retention r = thirty_days(10 * MB);
    r.policy = POLICY_SHED;
    add_benchmark(&r, 0, 100 * MB);
    struct rule_plan plan = plan_of(&r);
    cr_expect_lt(plan.shed_from[0], 8);
    cr_expect_eq(plan.shed_from[SOURCE_GROUP_BENCHMARK], 8);
}

Test(rule, what_the_benchmark_brings_a_second_is_no_reason_to_trim_the_month)
{
    struct retention r = thirty_days(6660 * 1000); /* 199.8 of 200 MB */
    r.benchmark_growth_bytes_s = 10 * MB;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    r.growth_bytes_s = 10 * MB;
    cr_expect_gt(plan_of(&r).deletions_n, 0, "of logs it is one");
}

Test(rule, the_guard_keeps_free_what_comes_until_the_next_look_however_small_the_budget_is)
{
    static const struct {
        int64_t logs, benchmark, margin; /* MB a second, MB a second, MB */
    } cases[] = {
        {0, 0, 0},     {-5, -5, 0},   {30, 0, 60},     {0, 30, 60},   {30, 20, 100},
        {100, 0, 200}, {190, 0, 380}, {190, 190, 400}, {500, 0, 400}, {0, INT64_MAX / MB, 400}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box(); /* a budget of 200 MB, a high water of 800 */
        r.growth_bytes_s = cases[i].logs * MB;
        r.benchmark_growth_bytes_s = cases[i].benchmark * MB;
        cr_expect_eq(rule_guard_margin_bytes(&r), cases[i].margin * MB, "%zu: %lld", i,
                     (long long)rule_guard_margin_bytes(&r));
    }
    struct retention r = thirty_days(20 * MB); /* 600 MB of 800 */
    r.policy = POLICY_WARN;
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    r.growth_bytes_s = 95 * MB;
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20261031 guard");
    cr_expect_eq(rule_headroom_bytes(&r), 0);
}

Test(rule, the_guard_makes_room_for_what_the_benchmark_brings)
{
    struct retention r = box();
    add(&r, 2, 0, 100 * MB);
    add_benchmark(&r, 1, 690 * MB);
    cr_expect_eq(plan_of(&r).deletions_n, 0);
    r.benchmark_growth_bytes_s = 10 * MB;
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20261129 guard");
}

Test(rule, the_guard_takes_the_benchmark_before_the_oldest_log)
{
    static const struct {
        const char *name;
        int64_t closed, open, logs; /* MB, of 800 */
        const char *deletions;
    } cases[] = {
        {"below the high water", 100, 100, 590, ""},
        {"the closed piece is enough", 100, 100, 650, "20261128 guard"},
        {"then the one that is written to", 100, 100, 750, "20261128 guard, 20261130 guard"},
        {"then the oldest logs", 10, 10, 850, "20261128 guard, 20261130 guard, 20261031 guard"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct retention r = box();
        r.policy = POLICY_WARN;
        add(&r, 30, 0, cases[i].logs * MB);
        add_benchmark(&r, 2, cases[i].closed * MB);
        add_benchmark(&r, 0, cases[i].open * MB);
        struct rule_plan plan = plan_of(&r);
        cr_expect_str_eq(told(&plan), cases[i].deletions, "%s: %s", cases[i].name, told(&plan));
        r.is_clock_doubted = true;
        plan = plan_of(&r);
        cr_expect_str_eq(told(&plan), cases[i].deletions, "%s, clock doubted", cases[i].name);
    }
}

Test(rule, messages_of_the_benchmark_go_after_seven_days)
{
    struct retention r = box();
    add(&r, 9, 0, MB);
    add_benchmark(&r, 9, MB);
    add_benchmark(&r, 8, MB);
    add_benchmark(&r, 7, MB);
    struct rule_plan plan = plan_of(&r);
    cr_expect_str_eq(told(&plan), "20261121 keep_days, 20261122 keep_days");
    for (size_t i = 0; i < plan.deletions_n; i++)
        cr_expect_eq(plan.deletions[i].piece->group, SOURCE_GROUP_BENCHMARK);
}

Test(rule, a_request_for_all_groups_is_one_for_logs_and_one_for_the_benchmark_takes_all_of_it)
{
    struct retention r = box();
    struct rule_plan plan;
    add(&r, 2, 0, MB);
    add_benchmark(&r, 2, 2 * MB);
    add_benchmark(&r, 0, 3 * MB);
    add_benchmark(&r, -1, 0)->messages = 0; /* made ahead */
    arena_clear(&arena);
    rule_plan_request(&r, 20261101, 20261201, -1, &arena, &plan);
    cr_expect_eq(plan.bytes, MB);
    rule_plan_request(&r, 20261101, 20261201, SOURCE_GROUP_BENCHMARK, &arena, &plan);
    cr_expect_eq(plan.deletions_n, 2);
    cr_expect_eq(plan.bytes, 5 * MB);
}

static int by_time(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int order = (x->lower_us > y->lower_us) - (x->lower_us < y->lower_us);
    return order ? order : x->group - y->group;
}

/* The deletions of logs for any reason but the guard's. */
static const char *of_logs(const struct rule_plan *plan)
{
    static char text[MAX_PIECES * 64];
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < plan->deletions_n; i++)
        if (plan->deletions[i].reason != RULE_GUARD &&
            !piece_is_benchmark(plan->deletions[i].piece))
            n += (size_t)snprintf(
                text + n, sizeof(text) - n, "%s %lld %d;", plan->deletions[i].piece->name,
                (long long)plan->deletions[i].piece->lower_us, plan->deletions[i].reason);
    return text;
}

Test(rule, with_the_benchmark_in_it_a_store_keeps_every_log_that_it_keeps_without)
{
    size_t guarded = 0;
    for (uint64_t n = 1; n <= 5000; n++) {
        struct retention r = random_box(n);
        if (r.pieces_n + 3 > MAX_PIECES)
            continue;
        struct rule_plan plan = plan_of(&r);
        uint8_t shed[SOURCE_GROUPS_USER_MAX];
        int64_t logs_bytes = 0;
        memcpy(shed, plan.shed_from, sizeof(shed));
        for (size_t i = 0; i < plan.deletions_n; i++)
            logs_bytes += plan.deletions[i].piece->bytes;
        char *before = strdup(of_logs(&plan));

        for (int ago = 2; ago >= 0; ago--)
            add_benchmark(&r, ago, (int64_t)(n % 97) * MB + 1000);
        qsort(r.pieces, r.pieces_n, sizeof(*r.pieces), by_time);
        plan = plan_of(&r);
        cr_assert_str_eq(of_logs(&plan), before, "box %llu", (unsigned long long)n);
        cr_assert_arr_eq(plan.shed_from, shed, sizeof(shed), "box %llu", (unsigned long long)n);
        int64_t with_bytes = 0;
        size_t benchmark = 0;
        for (size_t i = 0; i < plan.deletions_n; i++) {
            if (piece_is_benchmark(plan.deletions[i].piece)) {
                benchmark++;
                continue;
            }
            with_bytes += plan.deletions[i].piece->bytes;
            if (plan.deletions[i].reason == RULE_GUARD)
                cr_assert_eq(benchmark, 3, "box %llu: a log before the benchmark's",
                             (unsigned long long)n);
        }
        cr_assert_leq(with_bytes, logs_bytes, "box %llu", (unsigned long long)n);
        guarded += benchmark > 0;
        free(before);
    }
    cr_expect_gt(guarded, 100, "%zu", guarded);
}
