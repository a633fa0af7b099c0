#include <criterion/criterion.h>

#include <math.h>

#include "store/sizing.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * MAX(fabs(a), fabs(b));
}

Test(sizing, the_formula_gives_what_it_says)
{
    static const struct {
        const char *name;
        struct sizing_input in;
        struct sizing out;
    } cases[] = {
        /* 2000/s × 86,400 s × 50 B = 8.64 GB a day, 263.0016 GB a month */
        {"a year is larger than five months",
         {.rate = 2000,
          .message_bytes = 200,
          .keep_days = 365,
          .share_percent = 20,
          .high_water_percent = 80},
         {.day_bytes = 8.64e9, .month_bytes = 263.0016e9, .storage_needed_bytes = 3.942e12}},
        {"for few days the share of a month decides",
         {.rate = 2000,
          .message_bytes = 200,
          .keep_days = 30,
          .share_percent = 20,
          .high_water_percent = 80},
         {.day_bytes = 8.64e9, .month_bytes = 263.0016e9, .storage_needed_bytes = 1315.008e9}},
        {"measured bytes win over the ratio",
         {.rate = 1,
          .message_bytes = 200,
          .stored_bytes = 20,
          .share_percent = 20,
          .high_water_percent = 80},
         {.day_bytes = 1728000, .month_bytes = 52600320, .storage_needed_bytes = 263001600}},
        {"of a storage its days and the month's part are told",
         {.rate = 100,
          .message_bytes = 400,
          .storage_bytes = 240e9,
          .share_percent = 20,
          .high_water_percent = 80},
         {.day_bytes = 864e6,
          .month_bytes = 26300.16e6,
          .storage_needed_bytes = 131500.8e6,
          .history_days = 240e9 * 0.8 / 864e6,
          .month_share_percent = 26300.16e6 / 240e9 * 100}},
        {"nothing needs nothing",
         {.storage_bytes = 1e9,
          .message_bytes = 200,
          .keep_days = 365,
          .share_percent = 20,
          .high_water_percent = 80},
         {.day_bytes = 0}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sizing s;
        const struct sizing *x = &cases[i].out;
        sizing_compute(&cases[i].in, &s);
        cr_expect(near(s.day_bytes, x->day_bytes), "%s: day %f", cases[i].name, s.day_bytes);
        cr_expect(near(s.month_bytes, x->month_bytes), "%s: month %f", cases[i].name,
                  s.month_bytes);
        cr_expect(near(s.storage_needed_bytes, x->storage_needed_bytes), "%s: needs %f",
                  cases[i].name, s.storage_needed_bytes);
        cr_expect(near(s.history_days, x->history_days), "%s: %f days", cases[i].name,
                  s.history_days);
        cr_expect(near(s.month_share_percent, x->month_share_percent), "%s: share %f",
                  cases[i].name, s.month_share_percent);
    }
}

Test(sizing, what_is_needed_holds_what_was_asked)
{
    for (double rate = 1; rate < 1e6; rate *= 7) {
        for (double days = 1; days < 4000; days *= 3) {
            struct sizing_input in = {.rate = rate,
                                      .message_bytes = 180,
                                      .keep_days = days,
                                      .share_percent = 20,
                                      .high_water_percent = 80};
            struct sizing s;
            sizing_compute(&in, &s);
            in.storage_bytes = s.storage_needed_bytes;
            sizing_compute(&in, &s);
            cr_expect(s.history_days >= days * (1 - 1e-9));
            cr_expect(s.month_share_percent <= 20 * (1 + 1e-9));
        }
    }
}

Test(sizing, a_figure_that_cannot_be_is_named_with_its_limits)
{
    static const struct sizing_input good = {
        .rate = 1, .message_bytes = 200, .share_percent = 20, .high_water_percent = 80};
    struct sizing_input bad[7];
    static const char *const fields[] = {"rate",    "bytes", "stored_bytes", "days",
                                         "storage", "share", "high_water"};
    struct err err;
    cr_expect(sizing_check(&good, &err) == 0);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        bad[i] = good;
    bad[0].rate = 1e8;
    bad[1].message_bytes = -1;
    bad[2].stored_bytes = NAN;
    bad[3].keep_days = 36601;
    bad[4].storage_bytes = INFINITY;
    bad[5].share_percent = 0;
    bad[6].high_water_percent = 96;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        cr_expect(sizing_check(&bad[i], &err) == -EINVAL, "%s", fields[i]);
        cr_expect_str_eq(err.field, fields[i]);
        cr_expect(strstr(err.message, "out of"), "%s", err.message);
    }
    cr_expect(sizing_check(&bad[6], &err) < 0 && strstr(err.message, "96 is out of 30..95 %"), "%s",
              err.message);
}
