/* Time: int64_t microseconds since 1970-01-01T00:00:00Z everywhere (`…_us`); durations from the
 * monotonic clock are `mono_us`.  Leap seconds do not exist in it (POSIX). */
#ifndef AZEKURA_CLOCK_H
#define AZEKURA_CLOCK_H

#include "base/base.h"
#include "base/view.h"

#define US_PER_SECOND INT64_C(1000000)
#define US_PER_MINUTE (60 * US_PER_SECOND)
#define US_PER_DAY (86400 * US_PER_SECOND)
/* No time: a message that carries none. */
#define TIME_NONE INT64_MIN

int64_t clock_wall_us(void);
int64_t clock_mono_us(void);

/* A date and time of day without zone; the proleptic Gregorian calendar. */
struct civil {
    int32_t year;
    uint8_t month;  /* 1…12 */
    uint8_t day;    /* 1…31 */
    uint8_t hour;   /* 0…23 */
    uint8_t minute; /* 0…59 */
    uint8_t second; /* 0…60, 60 only for a leap second as sent */
    uint32_t microsecond;
};

bool year_is_leap(int32_t year);
/* Days since 1970-01-01 (algorithm: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
int64_t days_from_civil(int32_t year, unsigned month, unsigned day);
/* The civil time as if it were UTC.  Second 60 gives the first instant of the next minute. */
int64_t civil_to_us(const struct civil *c);
void civil_from_us(int64_t us, struct civil *ret);
bool civil_is_valid(const struct civil *c); /* every field in range, the day exists in its month */

#define RFC3339_MAX 40
/* "2026-03-10T12:00:00.123456Z", always UTC and six digits; returns the length.  Years 0…9999. */
size_t rfc3339_format(int64_t us, char out[RFC3339_MAX]);
/* RFC 3339 §5.6 date-time with zone, "T", "t" or a blank between, any number of fraction digits
 * (cut to microseconds).  0, or -EINVAL. */
MUST_USE int rfc3339_parse(struct view text, int64_t *ret_us);

#endif
