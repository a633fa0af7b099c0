/* Sums of what is kept, and what the forecast is asked with. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "store/retention.h"

static struct piece pieces[200];

/* 10 November 2026, noon in the zone; a Tuesday. */
static struct retention box(const char *zone, int64_t now_us, int64_t month_end_us)
{
    return (struct retention){
        .now_us = now_us,
        .zone = zone,
        .today = 20261110,
        .month = 202611,
        .month_end_us = month_end_us,
        .budget_bytes = 1000,
        .pieces = pieces,
    };
}

static int64_t utc(int32_t day, int hour)
{
    return days_from_civil(day / 10000, (unsigned)(day / 100 % 100), (unsigned)(day % 100)) *
               US_PER_DAY +
           hour * 60 * US_PER_MINUTE;
}

static void add(struct retention *r, int32_t day, int hour, uint8_t group, int64_t bytes)
{
    struct piece *p = &pieces[r->pieces_n++];
    *p = (struct piece){.group = group, .day = day, .bytes = bytes, .messages = bytes};
    p->lower_us = utc(day, hour);
    p->upper_us = p->lower_us + 60 * US_PER_MINUTE;
}

Test(retention, sums_by_month_and_group)
{
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    add(&r, 20261031, 0, 0, 1);
    add(&r, 20261101, 0, 0, 10);
    add(&r, 20261101, 0, 3, 100);
    add(&r, 20251101, 0, 0, 1000);
    r.database_bytes = 5000;
    r.wal_bytes = 200;
    r.spool_bytes = 30;
    cr_expect_eq(retention_month_bytes(&r, 202611, -1), 110);
    cr_expect_eq(retention_month_bytes(&r, 202611, 3), 100);
    cr_expect_eq(retention_month_bytes(&r, 202610, -1), 1);
    cr_expect_eq(retention_month_bytes(&r, 202609, -1), 0);
    cr_expect_eq(retention_pieces_bytes(&r), 1111);
    cr_expect_eq(retention_used_bytes(&r), 5230);
}

Test(retention, the_forecast_is_asked_with_whole_days)
{
    int64_t days[FORECAST_DAYS];
    struct forecast_input in;
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    add(&r, 20261105, 3, 0, 5); /* its beginning is gone */
    add(&r, 20261106, 0, 0, 60);
    add(&r, 20261106, 5, 0, 1); /* a second piece of the day */
    /* nothing of the 7th: the box was off */
    add(&r, 20261108, 0, 0, 80);
    add(&r, 20261108, 0, 2, 8);
    add(&r, 20261109, 0, 0, 0); /* on, and nothing came */
    add(&r, 20261110, 0, 0, 100);
    retention_forecast_input(&r, days, &in);
    static const int64_t expected[] = {-1, 61, -1, 88, 0};
    cr_assert_eq(in.days, 5);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(in.day_bytes[i], expected[i], "day %d: %lld", i, (long long)in.day_bytes[i]);
    cr_expect_eq(in.today_bytes, 100);
    cr_expect_eq(in.month_bytes, 254);
    cr_expect_eq(in.today_weekday, 1);
    cr_expect_eq(in.days_left, 20);
    cr_expect_float_eq(in.today_elapsed, 0.5, 1e-9);
    cr_expect_eq(in.budget_bytes, 1000);
}

Test(retention, the_first_day_of_the_box_is_no_whole_one)
{
    int64_t days[FORECAST_DAYS];
    struct forecast_input in;
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    add(&r, 20261109, 0, 0, 4); /* set up an hour before midnight */
    add(&r, 20261110, 0, 0, 50);
    retention_forecast_input(&r, days, &in);
    cr_assert_eq(in.days, 1);
    cr_expect_eq(in.day_bytes[0], -1);
    r.today = 20261111;
    r.now_us += US_PER_DAY;
    retention_forecast_input(&r, days, &in);
    cr_assert_eq(in.days, 2);
    cr_expect(in.day_bytes[0] == -1 && in.day_bytes[1] == 50);
}

Test(retention, a_day_ahead_is_not_yesterday)
{
    int64_t days[FORECAST_DAYS];
    struct forecast_input in;
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    add(&r, 20261110, 0, 0, 100);
    add(&r, 20261111, 0, 0, 40);
    retention_forecast_input(&r, days, &in);
    cr_expect_eq(in.days, 0);
    cr_expect_eq(in.today_bytes, 100);
}

Test(retention, long_histories_are_cut_to_what_is_asked_for)
{
    int64_t days[FORECAST_DAYS];
    struct forecast_input in;
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    for (int ago = 100; ago >= 0; ago--) {
        struct civil c;
        civil_from_us(utc(20261110, 0) - ago * US_PER_DAY, &c);
        add(&r, c.year * 10000 + c.month * 100 + c.day, 0, 0, 1000 + ago);
    }
    retention_forecast_input(&r, days, &in);
    cr_assert_eq(in.days, FORECAST_DAYS);
    cr_expect_eq(in.day_bytes[0], 1000 + FORECAST_DAYS);
    cr_expect_eq(in.day_bytes[FORECAST_DAYS - 1], 1001);
}

/* The day of a change of the clocks is 25 hours long: noon is 13 hours after midnight. */
Test(retention, days_are_those_of_the_zone)
{
    int64_t days[FORECAST_DAYS];
    struct forecast_input in;
    struct retention r = box("America/Los_Angeles", utc(20261101, 20), utc(20261201, 8));
    r.today = 20261101;
    retention_forecast_input(&r, days, &in);
    cr_expect_float_eq(in.today_elapsed, 13.0 / 25, 1e-9);
    cr_expect_eq(in.days_left, 29);
    cr_expect_eq(in.today_weekday, 6);
}

Test(retention, what_is_made_ahead_for_days_to_come_is_in_no_month)
{
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    add(&r, 20261110, 0, 0, 10);
    add(&r, 20261111, 0, 0, 100);
    pieces[1].messages = 0;
    cr_expect_eq(retention_month_bytes(&r, 202611, -1), 10);
    cr_expect_eq(retention_month_bytes(&r, 202611, 0), 10);
    cr_expect_eq(retention_pieces_bytes(&r), 110, "on the disk it is");
    pieces[1].messages = 1; /* of a clock that is ahead */
    cr_expect_eq(retention_month_bytes(&r, 202611, -1), 110);
    pieces[1].day = 20261110;
    pieces[1].messages = 0; /* today's, until something comes */
    cr_expect_eq(retention_month_bytes(&r, 202611, -1), 110);
}

Test(retention, messages_of_the_benchmark_are_in_no_month_and_no_forecast)
{
    int64_t days[FORECAST_DAYS];
    struct forecast_input in;
    struct retention r = box("UTC", utc(20261110, 12), utc(20261201, 0));
    add(&r, 20261101, 0, SOURCE_GROUP_BENCHMARK, 1000);
    add(&r, 20261107, 0, 0, 10);
    add(&r, 20261108, 0, 0, 20);
    add(&r, 20261109, 0, 0, 30);
    add(&r, 20261109, 0, SOURCE_GROUP_BENCHMARK, 5000);
    add(&r, 20261110, 0, SOURCE_GROUP_BENCHMARK, 7000);
    cr_expect_eq(retention_month_bytes(&r, 202611, -1), 60);
    cr_expect_eq(retention_month_bytes(&r, 202611, SOURCE_GROUP_BENCHMARK), 13000);
    cr_expect_eq(retention_pieces_bytes(&r), 13060, "on the disk they are");
    retention_forecast_input(&r, days, &in);
    cr_expect_eq(in.month_bytes, 60);
    cr_expect_eq(in.today_bytes, 0);
    cr_expect_eq(in.days, 3, "the history begins with a log");
    cr_expect_eq(in.day_bytes[in.days - 1], 30);
    cr_expect_eq(in.day_bytes[in.days - 2], 20);
}
