/* Times that few devices write:
 *
 *   2026 Mar 10 11:45:00         NX-OS
 *   10 Mar 2026 11:45:00         also with "-"
 *   10/Mar/2026:11:45:00 +0900   as web servers do, also with a blank
 *   Mar-10-2026 11:45:00         and 2026-Mar-10
 *   03/10/2026:11:45:00 GMT      NetScaler, by its setting also 10/03; with "-"
 *   10.03.2026 11:45:00          day first
 *   2026:03:10-11:45:00          Sophos UTM
 *   2026/3/9 1:02:03             also with "-" or ".", and "_", "," or "-" before the clock
 *   20260310T114500Z             also with a blank and colons, and without the T
 *   Tue Mar 10 11:45:00 2026     and any of the others after a weekday, short or in full */
#include "syslog/timestamp_parts.h"

static void set_date(struct timestamp *t, unsigned year, unsigned month, unsigned day)
{
    t->civil.year = (int32_t)year;
    t->civil.month = (uint8_t)month;
    t->civil.day = (uint8_t)day;
    t->has_year = true;
}

static enum timestamp_result finish(struct cursor *c, struct cursor *at, struct timestamp *t)
{
    t->text = view_of(c->p, (size_t)(at->p - c->p));
    if (t->has_offset ? !timestamp_boundary(at) : !timestamp_offset(at, t)) {
        if (t->has_offset || !timestamp_boundary(at))
            return TIMESTAMP_ABSENT;
        timestamp_zone_after_blank(at, t);
    }
    t->form = TIME_FORM_NONE;
    *c = *at;
    return timestamp_judge(t);
}

/* "10 Mar 2026 11:22:33", "10-Mar-2026 11:22:33", "10/Mar/2026:11:22:33". */
static enum timestamp_result scan_day_first(struct cursor *c, struct timestamp *t)
{
    size_t digits = is_digit(c->p[1]) ? 2 : 1;
    const char *p = c->p + digits;
    if (c->end - p < 13 || (*p != ' ' && *p != '-' && *p != '/') || p[4] != *p)
        return TIMESTAMP_ABSENT;
    if (*p == ' ' && is_digit(p[5]) && (p[7] == ':' || p[6] == ':')) { /* no year */
        struct cursor clock = {p + 5, c->end};
        t->civil.month = (uint8_t)timestamp_month(p + 1);
        t->civil.day = (uint8_t)(digits == 2 ? two(c->p) : (unsigned)(c->p[0] - '0'));
        if (t->civil.month == 0 || !timestamp_clock(&clock, t))
            return TIMESTAMP_ABSENT;
        return finish(c, &clock, t);
    }
    if (c->end - p < 18 || (p[9] != ' ' && (*p != '/' || p[9] != ':')))
        return TIMESTAMP_ABSENT;
    t->civil.month = (uint8_t)timestamp_month(p + 1);
    t->civil.day = (uint8_t)(digits == 2 ? two(c->p) : (unsigned)(c->p[0] - '0'));
    t->civil.year = (int32_t)four(p + 5);
    t->has_year = true;
    struct cursor at = {p + 10, c->end};
    if (t->civil.month == 0 || t->civil.year > 9999 || !timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    return finish(c, &at, t);
}

/* "10.03.2026 11:45:00". */
static enum timestamp_result scan_dots(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    unsigned day = two(p), month = two(p + 3), year = four(p + 6);
    if (cursor_left(c) < 19 || p[5] != '.' || p[10] != ' ' || month > 99 || day > 99 || year > 9999)
        return TIMESTAMP_ABSENT;
    struct cursor at = {p + 11, c->end};
    if (!timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    set_date(t, year, month, day);
    return finish(c, &at, t);
}

/* One or two digits at *p, which moves; 100: none. */
static unsigned one_or_two(const char **p)
{
    unsigned n = is_digit(**p) ? (unsigned)(**p - '0') : 100;
    if (n < 100 && is_digit((*p)[1]))
        n = n * 10 + (unsigned)(*++*p - '0');
    ++*p;
    return n;
}

/* The clock and all after it, of a date that has been read. */
static enum timestamp_result finish_date(struct cursor *c, const char *clock, unsigned year,
                                         unsigned month, unsigned day, struct timestamp *t)
{
    struct cursor at = {clock, c->end};
    if (month == 0 || year > 9999 || day > 99 || !timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    set_date(t, year, month, day);
    return finish(c, &at, t);
}

/* "Mar-10-2026 11:45:00". */
enum timestamp_result timestamp_month_first(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    if (cursor_left(c) < 20 || p[6] != p[3] || p[11] != ' ')
        return TIMESTAMP_ABSENT;
    return finish_date(c, p + 12, four(p + 7), timestamp_month(p), two(p + 4), t);
}

/* "2026-Mar-10 11:45:00". */
static enum timestamp_result scan_month_between(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    if (cursor_left(c) < 20 || p[8] != p[4] || (p[11] != ' ' && p[11] != 'T'))
        return TIMESTAMP_ABSENT;
    return finish_date(c, p + 12, four(p), timestamp_month(p + 5), two(p + 9), t);
}

/* "2026/3/9 1:02:03", "2026.03.10 11:45:00", "2026-03-10_11:45:00". */
static enum timestamp_result scan_year_first(struct cursor *c, struct timestamp *t)
{
    if (cursor_left(c) < 16)
        return TIMESTAMP_ABSENT;
    const char *p = c->p + 5, separator = c->p[4];
    unsigned year = four(c->p), month = one_or_two(&p), day;
    if (year > 9999 || month > 99 || *p++ != separator || (day = one_or_two(&p)) > 99)
        return TIMESTAMP_ABSENT;
    if (*p != ' ' && *p != 'T' && *p != '_' && *p != ',' && *p != '-')
        return TIMESTAMP_ABSENT;
    struct cursor at = {p + 1, c->end};
    if (!timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    set_date(t, year, month, day);
    if (cursor_at(&at, 'Z')) {
        t->has_offset = true;
        at.p++;
    }
    return finish(c, &at, t);
}

/* "20260310T114500Z", "20260310 11:45:00". */
static enum timestamp_result scan_compact(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    unsigned year = four(p), month = two(p + 4), day = two(p + 6);
    if (cursor_left(c) < 16 || year < 1970 || year > 2099 || month > 12 || day > 31)
        return TIMESTAMP_ABSENT;
    struct cursor at = {p + 9, c->end};
    if (p[8] == 'T' && is_digit(p[11])) {
        unsigned hour = two(p + 9), minute = two(p + 11), second = two(p + 13);
        if (hour > 23 || minute > 59 || second > 60)
            return TIMESTAMP_ABSENT;
        t->civil.hour = (uint8_t)hour;
        t->civil.minute = (uint8_t)minute;
        t->civil.second = (uint8_t)second;
        at.p = p + 15;
    } else if (is_digit(p[8]) && is_digit(p[13]) && p[14] == ' ') {
        t->civil.hour = (uint8_t)two(p + 8);
        t->civil.minute = (uint8_t)two(p + 10);
        t->civil.second = (uint8_t)two(p + 12);
        at.p = p + 14;
        if (t->civil.hour > 23 || t->civil.minute > 59 || t->civil.second > 60)
            return TIMESTAMP_ABSENT;
    } else if ((p[8] != ' ' && p[8] != 'T' && p[8] != '-') || !timestamp_clock(&at, t)) {
        return TIMESTAMP_ABSENT;
    }
    set_date(t, year, month, day);
    if (cursor_at(&at, 'Z')) {
        t->has_offset = true;
        at.p++;
    }
    return finish(c, &at, t);
}

/* "03/10/2026:11:45:00", also with a blank or "-" for signs: taken as month first here. */
static enum timestamp_result scan_slashes(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    unsigned month = two(p), day = two(p + 3), year = four(p + 6);
    if (cursor_left(c) < 19 || p[5] != p[2] || (p[10] != ':' && p[10] != ' ' && p[10] != '-') ||
        month > 31 || day > 31 || year > 9999)
        return TIMESTAMP_ABSENT;
    struct cursor at = {p + 11, c->end};
    if (!timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    set_date(t, year, month, day);
    t->has_slashes = true;
    enum timestamp_result result = finish(c, &at, t);
    if (result == TIMESTAMP_UNUSABLE && month > 12 && day >= 1 && day <= 12)
        return TIMESTAMP_GOOD; /* the other way round */
    return result;
}

/* "2026:03:10-11:45:00". */
static enum timestamp_result scan_colons(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    unsigned year = four(p), month = two(p + 5), day = two(p + 8);
    if (cursor_left(c) < 19 || p[7] != ':' || p[10] != '-' || year > 9999 || month > 99 || day > 99)
        return TIMESTAMP_ABSENT;
    struct cursor at = {p + 11, c->end};
    if (!timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    set_date(t, year, month, day);
    return finish(c, &at, t);
}

enum timestamp_result timestamp_digits_first(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    if (p[4] == ' ' && four(p) < 10000 && cursor_left(c) > 19 && timestamp_month(p + 5)) {
        struct cursor at = {p + 5, c->end};
        t->has_year = true;
        t->civil.year = (int32_t)four(p);
        enum timestamp_result result = timestamp_bsd(&at, t);
        t->form = TIME_FORM_NONE;
        if (result != TIMESTAMP_ABSENT)
            *c = at;
        return result;
    }
    if (p[4] == ':')
        return scan_colons(c, t);
    if ((p[2] == '/' || p[2] == '-') && is_digit(p[3]))
        return scan_slashes(c, t);
    if (p[2] == '.' && p[5] == '.')
        return scan_dots(c, t);
    if ((p[4] == '/' || p[4] == '-') && is_letter(p[5]))
        return scan_month_between(c, t);
    if (p[4] == '/' || p[4] == '-' || p[4] == '.')
        return scan_year_first(c, t);
    if (is_digit(p[4]) && is_digit(p[7]))
        return scan_compact(c, t);
    return scan_day_first(c, t);
}

/* Of "Tue" or "Tuesday" at p, with the comma that may follow; 0: it is none. */
static size_t weekday_bytes(const struct cursor *c)
{
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};
    struct view word = peek_token(c);
    if (word.n > 3 && word.p[word.n - 1] == ',')
        word.n--;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if ((word.n == 3 || word.n == strlen(names[i])) &&
            view_eq_nocase(word, view_of(names[i], word.n)))
            return word.n + (word.p + word.n < c->end && word.p[word.n] == ',');
    }
    return 0;
}

enum timestamp_result timestamp_weekday(struct cursor *c, struct timestamp *t)
{
    struct cursor at = *c;
    size_t n = weekday_bytes(&at);
    if (n == 0)
        return TIMESTAMP_ABSENT;
    at.p += n;
    skip_blanks(&at);
    if (cursor_left(&at) < 14)
        return TIMESTAMP_ABSENT;
    enum timestamp_result result = TIMESTAMP_ABSENT;
    if (timestamp_month(at.p)) {
        result = timestamp_bsd(&at, t);
    } else if (is_digit(*at.p)) {
        result = timestamp_iso(&at, t);
        if (result == TIMESTAMP_ABSENT) {
            *t = (struct timestamp){.form = TIME_FORM_NONE};
            result = timestamp_digits_first(&at, t);
        }
    }
    if (result != TIMESTAMP_ABSENT)
        *c = at;
    return result;
}

#define EPOCH_DIGITS 10 /* from 2001 to 2286 */

bool timestamp_epoch(struct cursor *c, int64_t *ret_us)
{
    if (cursor_left(c) < EPOCH_DIGITS + 2 || *c->p == '0')
        return false;
    int64_t us = 0, scale = US_PER_SECOND;
    const char *p = c->p;
    for (; p < c->p + EPOCH_DIGITS; p++) {
        if (!is_digit(*p))
            return false;
        us = us * 10 + (*p - '0');
    }
    us *= US_PER_SECOND;
    if (c->end - p > 4 && is_digit(*p) && is_digit(p[1]) && is_digit(p[2])) { /* milliseconds */
        us += ((p[0] - '0') * 100 + (p[1] - '0') * 10 + (p[2] - '0')) * INT64_C(1000);
        p += 3;
    } else if (*p == '.') {
        for (p++; p < c->end && is_digit(*p); p++) {
            scale /= 10;
            us += scale * (*p - '0');
        }
    }
    if (p == c->end || *p != ' ')
        return false;
    c->p = p + 1;
    *ret_us = us;
    return true;
}
