/* When the clock is doubted, and when no longer. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "store/retention_clock.h"

#define HOUR (60 * US_PER_MINUTE)
#define START (INT64_C(1796040000) * US_PER_SECOND) /* 2026-11-30 12:00 UTC */

static struct clock_reference trusted(void)
{
    return (struct clock_reference){
        {START, 5 * HOUR, "one"}, TIME_NONE, TIME_NONE, TIME_NONE, TIME_NONE, TIME_NONE, TIME_NONE};
}

static enum clock_change judge(struct clock_reference *ref, int64_t wall_us, int64_t boot_us,
                               const char *boot)
{
    struct clock_reading now = {.wall_us = wall_us, .boot_us = boot_us};
    snprintf(now.boot_id, sizeof(now.boot_id), "%s", boot);
    return clock_judge(ref, &now);
}

Test(retention_clock, a_jump_that_nothing_explains_is_doubted)
{
    static const struct {
        const char *name;
        int64_t wall_us, boot_us; /* since START, since the boot */
        const char *boot;
        enum clock_change change;
    } cases[] = {
        {"a minute later", US_PER_MINUTE, 5 * HOUR + US_PER_MINUTE, "one", CLOCK_SAME},
        {"a week later", 7 * US_PER_DAY, 5 * HOUR + 7 * US_PER_DAY, "one", CLOCK_SAME},
        {"corrected by 59 minutes back", -59 * US_PER_MINUTE, 5 * HOUR, "one", CLOCK_SAME},
        {"61 minutes back", -61 * US_PER_MINUTE, 5 * HOUR, "one", CLOCK_DOUBTED},
        {"a month back", -30 * US_PER_DAY, 5 * HOUR, "one", CLOCK_DOUBTED},
        {"23 hours ahead", 23 * HOUR, 5 * HOUR, "one", CLOCK_SAME},
        {"25 hours ahead", 25 * HOUR, 5 * HOUR, "one", CLOCK_DOUBTED},
        {"ten years ahead", 3652 * US_PER_DAY, 5 * HOUR, "one", CLOCK_DOUBTED},
        {"off for a month", 30 * US_PER_DAY, US_PER_MINUTE, "two", CLOCK_SAME},
        {"off for a year, or set wrong", 365 * US_PER_DAY, US_PER_MINUTE, "two", CLOCK_DOUBTED},
        {"started anew, two hours back", -2 * HOUR, US_PER_MINUTE, "two", CLOCK_DOUBTED},
        {"started anew with an empty battery", -START, US_PER_MINUTE, "two", CLOCK_DOUBTED},
        {"up for 40 days since a start we did not see", 41 * US_PER_DAY, 40 * US_PER_DAY, "two",
         CLOCK_SAME},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct clock_reference ref = trusted();
        enum clock_change change =
            judge(&ref, START + cases[i].wall_us, cases[i].boot_us, cases[i].boot);
        cr_expect_eq(change, cases[i].change, "%s: %d", cases[i].name, change);
        cr_expect_eq(ref.doubted_since_us != TIME_NONE, cases[i].change == CLOCK_DOUBTED, "%s",
                     cases[i].name);
        cr_expect_str_eq(ref.last.boot_id, cases[i].boot);
    }
}

Test(retention_clock, a_doubted_clock_is_trusted_when_it_is_back_in_step)
{
    struct clock_reference ref = trusted();
    cr_assert_eq(judge(&ref, START + 3652 * US_PER_DAY, 6 * HOUR, "one"), CLOCK_DOUBTED);
    cr_expect_eq(ref.from_us, START + HOUR);
    cr_expect_eq(ref.to_us, START + 3652 * US_PER_DAY);
    /* it stays doubted while it runs on, also over a start */
    cr_expect_eq(judge(&ref, START + 3653 * US_PER_DAY, 30 * HOUR, "one"), CLOCK_SAME);
    cr_expect_eq(judge(&ref, START + 3653 * US_PER_DAY, HOUR, "two"), CLOCK_SAME);
    cr_expect_neq(ref.doubted_since_us, TIME_NONE);
    cr_expect_eq(ref.last.wall_us, START + 26 * HOUR, "what it should show");
    cr_expect_eq(ref.boot_us, START - 5 * HOUR);
    cr_expect_eq(judge(&ref, START + 27 * HOUR, 2 * HOUR, "two"), CLOCK_BACK_IN_STEP);
    cr_expect_eq(ref.low_us, START + 3652 * US_PER_DAY, "what was stamped wrong");
    cr_expect_eq(ref.high_us, START + 3653 * US_PER_DAY + HOUR);
    cr_expect_eq(ref.doubted_since_us, TIME_NONE);
    cr_expect_eq(judge(&ref, START + 28 * HOUR, 3 * HOUR, "two"), CLOCK_SAME);
}

Test(retention_clock, a_second_jump_away_changes_nothing)
{
    struct clock_reference ref = trusted();
    cr_assert_eq(judge(&ref, START - 30 * US_PER_DAY, 5 * HOUR, "one"), CLOCK_DOUBTED);
    cr_expect_eq(judge(&ref, START + 900 * US_PER_DAY, 6 * HOUR, "one"), CLOCK_SAME);
    cr_expect_eq(ref.to_us, START - 30 * US_PER_DAY);
    cr_expect_eq(ref.low_us, START - 30 * US_PER_DAY);
    cr_expect_eq(ref.high_us, START + 900 * US_PER_DAY);
    cr_expect_eq(judge(&ref, START + 2 * HOUR, 7 * HOUR, "one"), CLOCK_BACK_IN_STEP);
}

Test(retention_clock, a_confirmed_clock_is_trusted_from_there_on)
{
    int64_t later = START + 3652 * US_PER_DAY;
    /* as azekura.confirm_clock() leaves it: no boot is known */
    struct clock_reference ref = trusted();
    ref.last = (struct clock_reading){later, 6 * HOUR, ""};
    cr_expect_eq(judge(&ref, later + US_PER_SECOND, 400 * US_PER_DAY, "one"), CLOCK_SAME);
    cr_expect_eq(judge(&ref, later + HOUR, 400 * US_PER_DAY + HOUR, "one"), CLOCK_SAME);
    cr_expect_eq(judge(&ref, START, 400 * US_PER_DAY + 2 * HOUR, "one"), CLOCK_DOUBTED);
}

Test(retention_clock, is_read_from_the_system)
{
    struct clock_reading a, b;
    struct err err;
    cr_assert_eq(clock_read(&a, &err), 0, "%s", err.message);
    cr_assert_eq(clock_read(&b, &err), 0);
    cr_expect_eq(strlen(a.boot_id), 36);
    cr_expect_str_eq(a.boot_id, b.boot_id);
    cr_expect_leq(a.boot_us, b.boot_us);
}
