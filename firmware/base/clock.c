/* Clocks and the calendar. */
#include "base/clock.h"

#include <time.h>

static int64_t now_us(clockid_t id)
{
    struct timespec ts;
    CHECK(clock_gettime(id, &ts) == 0);
    return (int64_t)ts.tv_sec * US_PER_SECOND + ts.tv_nsec / 1000;
}

int64_t clock_wall_us(void)
{
    return now_us(CLOCK_REALTIME);
}

int64_t clock_mono_us(void)
{
    return now_us(CLOCK_MONOTONIC);
}

bool year_is_leap(int32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_in_month(int32_t year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && year_is_leap(year) ? 29 : days[month - 1];
}

bool civil_is_valid(const struct civil *c)
{
    return c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           c->day <= days_in_month(c->year, c->month) && c->hour <= 23 && c->minute <= 59 &&
           c->second <= 60 && c->microsecond < 1000000;
}

int64_t days_from_civil(int32_t year, unsigned month, unsigned day)
{
    /* Years begin in March, so that the leap day is the last; eras of 400 years. */
    int64_t y = (int64_t)year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

int64_t civil_to_us(const struct civil *c)
{
    int64_t seconds = days_from_civil(c->year, c->month, c->day) * 86400 + c->hour * 3600 +
                      c->minute * 60 + c->second;
    return seconds * US_PER_SECOND + c->microsecond;
}

void civil_from_us(int64_t us, struct civil *ret)
{
    int64_t days = us / US_PER_DAY, rest = us % US_PER_DAY;
    if (rest < 0) {
        rest += US_PER_DAY;
        days--;
    }
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t day_of_era = z - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t mp = (5 * day_of_year + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9;
    ret->year = (int32_t)(year_of_era + era * 400 + (month <= 2));
    ret->month = (uint8_t)month;
    ret->day = (uint8_t)(day_of_year - (153 * mp + 2) / 5 + 1);
    int64_t seconds = rest / US_PER_SECOND;
    ret->microsecond = (uint32_t)(rest % US_PER_SECOND);
    ret->hour = (uint8_t)(seconds / 3600);
    ret->minute = (uint8_t)(seconds / 60 % 60);
    ret->second = (uint8_t)(seconds % 60);
}

size_t rfc3339_format(int64_t us, char out[RFC3339_MAX])
{
    struct civil c;
    civil_from_us(us, &c);
    int n = snprintf(out, RFC3339_MAX, "%04d-%02u-%02uT%02u:%02u:%02u.%06uZ", c.year, c.month,
                     c.day, c.hour, c.minute, c.second, c.microsecond);
    CHECK(n > 0 && n < RFC3339_MAX);
    return (size_t)n;
}

/* Exactly `digits` decimal digits at *p; advances. */
static bool take_number(const char **p, const char *end, unsigned digits, uint32_t *ret)
{
    if ((size_t)(end - *p) < digits)
        return false;
    uint32_t value = 0;
    for (unsigned i = 0; i < digits; i++, (*p)++) {
        if (**p < '0' || **p > '9')
            return false;
        value = value * 10 + (uint32_t)(**p - '0');
    }
    *ret = value;
    return true;
}

static bool take_char(const char **p, const char *end, const char *set)
{
    if (*p == end || **p == '\0' || strchr(set, **p) == NULL)
        return false;
    (*p)++;
    return true;
}

/* ".123456789": cut to microseconds; no point: 0. */
static bool take_fraction(const char **p, const char *end, uint32_t *ret_us)
{
    *ret_us = 0;
    if (!take_char(p, end, ".,"))
        return true;
    const char *start = *p;
    uint32_t scale = 100000;
    for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
        *ret_us += scale * (uint32_t)(**p - '0');
        scale /= 10;
    }
    return *p > start;
}

/* "Z", "+09:00", "-0330": seconds east. */
static bool take_offset(const char **p, const char *end, int64_t *ret_seconds)
{
    if (take_char(p, end, "Zz")) {
        *ret_seconds = 0;
        return true;
    }
    uint32_t hours, minutes;
    bool is_west = *p < end && **p == '-';
    if (!take_char(p, end, "+-") || !take_number(p, end, 2, &hours))
        return false;
    (void)take_char(p, end, ":");
    if (!take_number(p, end, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *ret_seconds = (is_west ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
    return true;
}

int rfc3339_parse(struct view text, int64_t *ret_us)
{
    const char *p = text.p, *end = text.p + text.n;
    uint32_t year, month, day, hour, minute, second, us;
    int64_t offset;
    if (text.n == 0 || !take_number(&p, end, 4, &year) || !take_char(&p, end, "-") ||
        !take_number(&p, end, 2, &month) || !take_char(&p, end, "-") ||
        !take_number(&p, end, 2, &day) || !take_char(&p, end, "Tt ") ||
        !take_number(&p, end, 2, &hour) || !take_char(&p, end, ":") ||
        !take_number(&p, end, 2, &minute) || !take_char(&p, end, ":") ||
        !take_number(&p, end, 2, &second) || !take_fraction(&p, end, &us) ||
        !take_offset(&p, end, &offset) || p != end)
        return -EINVAL;
    struct civil c = {.year = (int32_t)year,
                      .month = (uint8_t)month,
                      .day = (uint8_t)day,
                      .hour = (uint8_t)hour,
                      .minute = (uint8_t)minute,
                      .second = (uint8_t)second,
                      .microsecond = us};
    if (!civil_is_valid(&c))
        return -EINVAL;
    *ret_us = civil_to_us(&c) - offset * US_PER_SECOND;
    return 0;
}
