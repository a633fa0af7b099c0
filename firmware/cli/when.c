/* Times of the command line.  Pure: the caller says what time it is. */
#include "cli/when.h"

static int bad_time(struct view text, const char *what, struct err *err)
{
    return err_set(err, EINVAL, "bad_value",
                   "\"%.*s\" %s; write 2026-03-10 12:00, 2026-03-10T12:00:00+09:00, "
                   "-1h, -7d or now",
                   (int)MIN(text.n, (size_t)60), text.p ? text.p : "", what);
}

/* "-7d" */
static int parse_ago(struct view text, int64_t now_us, int64_t *ret_us)
{
    static const struct {
        char unit;
        int64_t us;
    } units[] = {{'s', US_PER_SECOND},
                 {'m', US_PER_MINUTE},
                 {'h', 60 * US_PER_MINUTE},
                 {'d', US_PER_DAY},
                 {'w', 7 * US_PER_DAY}};
    uint64_t n;
    if (text.n < 3 || view_u64(view_of(text.p + 1, text.n - 2), 1000000, &n) < 0)
        return -EINVAL;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (text.p[text.n - 1] == units[i].unit) {
            *ret_us = now_us - (int64_t)n * units[i].us;
            return 0;
        }
    }
    return -EINVAL;
}

/* Exactly n digits at *at, which moves behind them. */
static bool digits(struct view t, size_t *at, size_t n, unsigned *ret)
{
    uint64_t v;
    if (t.n - *at < n || view_u64(view_of(t.p + *at, n), 9999, &v) < 0)
        return false;
    *at += n;
    *ret = (unsigned)v;
    return true;
}

static bool literal(struct view t, size_t *at, const char *any_of)
{
    if (*at >= t.n || !strchr(any_of, t.p[*at]))
        return false;
    ++*at;
    return true;
}

/* ":05.25" after hours and minutes */
static bool parse_seconds(struct view t, size_t *at, struct civil *c)
{
    unsigned second;
    if (!literal(t, at, ":") || !digits(t, at, 2, &second))
        return false;
    c->second = (uint8_t)MIN(second, 99u);
    if (*at == t.n)
        return true;
    if (!literal(t, at, ".") || *at == t.n)
        return false;
    for (uint32_t scale = 100000; *at < t.n; ++*at, scale /= 10) {
        if (t.p[*at] < '0' || t.p[*at] > '9')
            return false;
        c->microsecond += (uint32_t)(t.p[*at] - '0') * scale;
    }
    return true;
}

/* The form alone: the day may not exist. */
static bool parse_local(struct view t, struct civil *c)
{
    size_t at = 0;
    unsigned year, month, day, hour, minute;
    if (!digits(t, &at, 4, &year) || !literal(t, &at, "-") || !digits(t, &at, 2, &month) ||
        !literal(t, &at, "-") || !digits(t, &at, 2, &day))
        return false;
    *c = (struct civil){.year = (int32_t)year, .month = (uint8_t)month, .day = (uint8_t)day};
    if (at < t.n) {
        if (!literal(t, &at, " Tt") || !digits(t, &at, 2, &hour) || !literal(t, &at, ":") ||
            !digits(t, &at, 2, &minute))
            return false;
        c->hour = (uint8_t)hour;
        c->minute = (uint8_t)minute;
        if (at < t.n && !parse_seconds(t, &at, c))
            return false;
    }
    return true;
}

int when_parse(struct view text, int64_t now_us, const struct zone *zone, int64_t *ret_us,
               struct err *err)
{
    struct civil c;
    text = view_trim(text);
    if (view_eq(text, VIEW("now"))) {
        *ret_us = now_us;
        return 0;
    }
    if (text.n > 0 && text.p[0] == '-')
        return parse_ago(text, now_us, ret_us) < 0 ? bad_time(text, "is not a time", err) : 0;
    if (text.n > 0 && rfc3339_parse(text, ret_us) == 0)
        return 0;
    if (text.n == 0 || !parse_local(text, &c))
        return bad_time(text, "is not a time", err);
    if (!civil_is_valid(&c))
        return bad_time(text, "is not in the calendar", err);
    *ret_us = zone_to_us(zone, &c, false);
    return 0;
}

void when_format(int64_t us, const struct zone *zone, char out[WHEN_MAX])
{
    struct civil c;
    int32_t offset = zone_offset(zone, us);
    unsigned minutes = (unsigned)(offset < 0 ? -offset : offset) / 60;
    civil_from_us(us + offset * US_PER_SECOND, &c);
    snprintf(out, WHEN_MAX, "%04d-%02u-%02u %02u:%02u:%02u.%06u%c%02u:%02u", c.year, c.month, c.day,
             c.hour, c.minute, c.second, c.microsecond, offset < 0 ? '-' : '+', minutes / 60 % 100,
             minutes % 60);
}

void when_format_age(int64_t us, char out[WHEN_MAX])
{
    int64_t s = us / US_PER_SECOND;
    if (s < 120)
        snprintf(out, WHEN_MAX, "%lld s", (long long)s);
    else if (s < 7200)
        snprintf(out, WHEN_MAX, "%lld min", (long long)(s / 60));
    else if (s < 48 * 3600)
        snprintf(out, WHEN_MAX, "%lld h", (long long)(s / 3600));
    else
        snprintf(out, WHEN_MAX, "%lld days", (long long)(s / 86400));
}
