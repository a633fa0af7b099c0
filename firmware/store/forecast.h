/* How large the month will become.  Pure.
 *
 * Each remaining day is expected like the same weekdays of the last four weeks (their median, so
 * that one burst is no habit), carried on with the trend of those weeks where there is one
 * (Theil–Sen; used only when Mann–Kendall finds it significant); with less history like the days
 * seen so far, working days and weekends apart once both are known.  The interval comes from the
 * spread of what is known: it is wide when little is. */
#ifndef AZEKURA_STORE_FORECAST_H
#define AZEKURA_STORE_FORECAST_H

#include "base/base.h"

#define FORECAST_DAYS 42 /* of history looked at, at most */

struct forecast_input {
    const int64_t *day_bytes; /* whole days before today, oldest first, the last is yesterday; < 0:
                                 the box was off */
    int days;                 /* at most FORECAST_DAYS are used, the last ones */
    int today_weekday;        /* 0 Monday … 6 Sunday */
    double today_elapsed;     /* part of today that is over, 0…1 */
    int64_t today_bytes;
    int64_t month_bytes; /* of the month so far, today included */
    int days_left;       /* whole days of the month after today */
    int64_t budget_bytes;
};

enum forecast_basis { FORECAST_NONE, FORECAST_DAYS_SEEN, FORECAST_WEEKDAYS };

struct forecast {
    enum forecast_basis
        basis; /* FORECAST_NONE: less than one day is known, nothing below means anything */
    int64_t bytes, low, high; /* at the end of the month; low…high: 90 % interval */
    int64_t day_bytes; /* a day, on the mean of the next four weeks: for "history that fits" */
    int64_t day_low, day_high;
    int reached_in_days; /* until the budget is reached: 0 today …; -1: not within this month */
    int reached_earliest, reached_latest; /* with the interval's ends; -1 likewise */
};

void forecast_month(const struct forecast_input *in, struct forecast *ret);

#endif
