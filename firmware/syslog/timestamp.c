/* Scan and resolve times.  Pure; on the path of every message, so no sscanf and no table larger
 * than the zone words. */
#include "syslog/timestamp.h"

/* ---- small pieces ---- */

/* Two digits, or 100 (out of range of everything). */
static unsigned two(const char *p)
{
    unsigned a = (unsigned char)p[0] - '0', b = (unsigned char)p[1] - '0';
    return a <= 9 && b <= 9 ? a * 10 + b : 100;
}

static unsigned four(const char *p)
{
    unsigned a = two(p), b = two(p + 2);
    return a < 100 && b < 100 ? a * 100 + b : 10000;
}

/* 1…12, or 0. */
static unsigned month_of(const char *p)
{
#define MONTH(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))
    uint32_t name =
        MONTH((unsigned char)p[0] | 0x20, (unsigned char)p[1] | 0x20, (unsigned char)p[2] | 0x20);
    switch (name) {
    case MONTH('j', 'a', 'n'):
        return 1;
    case MONTH('f', 'e', 'b'):
        return 2;
    case MONTH('m', 'a', 'r'):
        return 3;
    case MONTH('a', 'p', 'r'):
        return 4;
    case MONTH('m', 'a', 'y'):
        return 5;
    case MONTH('j', 'u', 'n'):
        return 6;
    case MONTH('j', 'u', 'l'):
        return 7;
    case MONTH('a', 'u', 'g'):
        return 8;
    case MONTH('s', 'e', 'p'):
        return 9;
    case MONTH('o', 'c', 't'):
        return 10;
    case MONTH('n', 'o', 'v'):
        return 11;
    case MONTH('d', 'e', 'c'):
        return 12;
    default:
        return 0;
    }
}

static bool is_boundary(const struct cursor *c)
{
    return c->p == c->end || *c->p == ' ' || *c->p == '\t' || *c->p == ':' || *c->p == '\n' ||
           *c->p == '\r';
}

/* The same for a word after a time, where a colon alone may be part of what follows
 * ("2001:db8::1"). */
static bool is_word_boundary(const struct cursor *c)
{
    bool has_colon = cursor_at(c, ':');
    return is_boundary(c) &&
           (!has_colon || cursor_left(c) == 1 || c->p[1] == ' ' || c->p[1] == '%');
}

/* [.,]digits after the seconds. */
static void scan_fraction(struct cursor *c, struct timestamp *t)
{
    if (cursor_left(c) < 2 || (*c->p != '.' && *c->p != ',') || !is_digit(c->p[1]))
        return;
    if (*c->p == ',')
        t->form = TIME_FORM_NONE;
    uint32_t us = 0;
    unsigned digits = 0;
    for (c->p++; c->p < c->end && is_digit(*c->p); c->p++) {
        if (digits < 6)
            us = us * 10 + (uint32_t)(*c->p - '0');
        else
            t->form = TIME_FORM_NONE; /* more precise than what is kept */
        digits = MIN(digits + 1, 7u);
    }
    t->digits = (uint8_t)MIN(digits, 6u);
    for (; digits < 6; digits++)
        us *= 10;
    t->civil.microsecond = us;
}

/* H:MM:SS or HH:MM:SS, with fraction. */
static bool scan_clock(struct cursor *c, struct timestamp *t)
{
    struct cursor at = *c;
    size_t hour_digits = cursor_left(&at) >= 2 && at.p[1] == ':' ? 1 : 2;
    if (cursor_left(&at) < hour_digits + 6 || at.p[hour_digits] != ':' ||
        at.p[hour_digits + 3] != ':')
        return false;
    unsigned hour = hour_digits == 2    ? two(at.p)
                    : is_digit(at.p[0]) ? (unsigned)(at.p[0] - '0')
                                        : 100;
    unsigned minute = two(at.p + hour_digits + 1), second = two(at.p + hour_digits + 4);
    if (hour > 99 || minute > 99 || second > 99)
        return false;
    if (hour_digits == 1 || second == 60)
        t->form = TIME_FORM_NONE;
    t->civil.hour = (uint8_t)hour;
    t->civil.minute = (uint8_t)minute;
    t->civil.second = (uint8_t)second;
    at.p += hour_digits + 6;
    scan_fraction(&at, t);
    *c = at;
    return true;
}

/* ---- zones ---- */

struct zone_word {
    char name[6];
    int16_t offset_min;
};

#define AMBIGUOUS INT16_MAX
static const struct zone_word zone_words[] = {
    {"UTC", 0},         {"GMT", 0},         {"Z", 0},           {"JST", 540},
    {"KST", 540},       {"EST", -300},      {"EDT", -240},      {"CDT", -300},
    {"MST", -420},      {"MDT", -360},      {"PST", -480},      {"PDT", -420},
    {"AKST", -540},     {"AKDT", -480},     {"HST", -600},      {"NST", -210},
    {"NDT", -150},      {"ADT", -180},      {"BRT", -180},      {"ART", -180},
    {"WET", 0},         {"WEST", 60},       {"CET", 60},        {"CEST", 120},
    {"MET", 60},        {"MEST", 120},      {"EET", 120},       {"EEST", 180},
    {"MSK", 180},       {"SAST", 120},      {"PKT", 300},       {"HKT", 480},
    {"SGT", 480},       {"AWST", 480},      {"ACST", 570},      {"ACDT", 630},
    {"AEST", 600},      {"AEDT", 660},      {"NZST", 720},      {"NZDT", 780},
    {"CST", AMBIGUOUS}, {"IST", AMBIGUOUS}, {"BST", AMBIGUOUS}, {"AST", AMBIGUOUS},
    {"SST", AMBIGUOUS}, {"WIB", 420},
};

/* "+09:00", "+0900", "+09" at the cursor. */
static bool scan_offset(struct cursor *c, struct timestamp *t)
{
    size_t n = cursor_left(c);
    if (n < 3 || (*c->p != '+' && *c->p != '-'))
        return false;
    struct cursor at = {c->p + 3, c->end};
    unsigned hour = two(c->p + 1), minute = 0;
    if (n >= 6 && c->p[3] == ':' && is_digit(c->p[4])) {
        minute = two(c->p + 4);
        at.p = c->p + 6;
    } else if (n >= 5 && is_digit(c->p[3])) {
        minute = two(c->p + 3);
        at.p = c->p + 5;
    }
    if (hour > 23 || minute > 59 || !is_boundary(&at))
        return false;
    int offset = (int)(hour * 60 + minute);
    t->offset_min = (int16_t)(*c->p == '-' ? -offset : offset);
    t->has_offset = true;
    *c = at;
    return true;
}

/* A word of capitals.  One that is not in the list counts as a zone only where nothing else can
 * stand: before Cisco's ": %". */
static bool scan_zone_word(struct cursor *c, struct timestamp *t)
{
    size_t n = 0;
    while (n < 6 && n < cursor_left(c) && is_upper(c->p[n]))
        n++;
    struct cursor at = {c->p + n, c->end};
    if (n == 0 || n > 5 || !is_word_boundary(&at))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(zone_words); i++) {
        const struct zone_word *w = &zone_words[i];
        if (memcmp(w->name, c->p, n) == 0 && (n == sizeof(w->name) || w->name[n] == '\0')) {
            t->is_ambiguous = w->offset_min == AMBIGUOUS;
            t->has_offset = !t->is_ambiguous;
            t->offset_min = t->is_ambiguous ? 0 : w->offset_min;
            *c = at;
            return true;
        }
    }
    if (n >= 3 && cursor_left(&at) >= 3 && memcmp(at.p, ": %", 3) == 0) {
        t->is_ambiguous = true;
        *c = at;
        return true;
    }
    return false;
}

/* A zone after a blank: it belongs to the time, but not to the text that the layout renders. */
static void scan_zone_after_blank(struct cursor *c, struct timestamp *t)
{
    if (!cursor_at(c, ' '))
        return;
    struct cursor at = {c->p + 1, c->end};
    if (scan_offset(&at, t) || scan_zone_word(&at, t))
        *c = at;
}

/* ---- forms ---- */

static enum timestamp_result judge(const struct timestamp *t)
{
    struct civil c = t->civil;
    if (!t->has_year)
        c.year = 2000; /* a leap year */
    return civil_is_valid(&c) ? TIMESTAMP_GOOD : TIMESTAMP_UNUSABLE;
}

enum timestamp_result timestamp_iso(struct cursor *c, struct timestamp *ret)
{
    const char *p = c->p;
    if (cursor_left(c) < 19 || (p[4] != '-' && p[4] != '/') || p[7] != p[4] || p[13] != ':')
        return TIMESTAMP_ABSENT;
    if (p[10] != 'T' && p[10] != ' ' && p[10] != 't')
        return TIMESTAMP_ABSENT;
    unsigned year = four(p), month = two(p + 5), day = two(p + 8);
    if (year > 9999 || month > 99 || day > 99)
        return TIMESTAMP_ABSENT;
    struct timestamp t = {.has_year = true, .form = TIME_FORM_ISO_LOCAL};
    t.civil.year = (int32_t)year;
    t.civil.month = (uint8_t)month;
    t.civil.day = (uint8_t)day;
    struct cursor at = {p + 11, c->end};
    if (p[10] == ' ')
        t.form = TIME_FORM_ISO_BLANK;
    if (p[4] == '/' || p[10] == 't')
        t.form = TIME_FORM_NONE;
    if (!scan_clock(&at, &t))
        return TIMESTAMP_ABSENT;
    const char *clock_end = at.p;
    if (cursor_at(&at, 'Z') || cursor_at(&at, 'z')) {
        t.form = t.form == TIME_FORM_ISO_LOCAL && *at.p == 'Z' ? TIME_FORM_ISO_Z : TIME_FORM_NONE;
        t.has_offset = true;
        at.p++;
    } else if (scan_offset(&at, &t)) {
        bool is_canonical = at.p - clock_end == 6 && t.form == TIME_FORM_ISO_LOCAL;
        t.form = is_canonical ? TIME_FORM_ISO_OFFSET : TIME_FORM_NONE;
    }
    if (!is_boundary(&at))
        return TIMESTAMP_ABSENT;
    t.text = view_of(p, (size_t)(at.p - p));
    if (!t.has_offset)
        scan_zone_after_blank(&at, &t);
    *ret = t;
    *c = at;
    return judge(&t);
}

/* " 2026" and then a boundary: the year after the time. */
static void scan_year_after(struct cursor *c, struct timestamp *t)
{
    if (t->has_year || cursor_left(c) < 5 || *c->p != ' ')
        return;
    unsigned year = four(c->p + 1);
    struct cursor at = {c->p + 5, c->end};
    if (year < 1970 || year > 2099 || !is_word_boundary(&at))
        return;
    t->has_year = true;
    t->civil.year = (int32_t)year;
    *c = at;
}

/* The day after the month: sets the form that its padding shows. */
static bool scan_day(struct cursor *c, struct timestamp *t)
{
    const char *p = c->p;
    if (cursor_left(c) < 4 || p[0] != ' ')
        return false;
    size_t blanks = p[1] == ' ' ? 2 : 1, digits = is_digit(p[blanks + 1]) ? 2 : 1;
    if (!is_digit(p[blanks]))
        return false;
    t->civil.day = (uint8_t)(digits == 2 ? two(p + blanks) : (unsigned)(p[blanks] - '0'));
    if (blanks + digits != 3)
        t->form = TIME_FORM_NONE;
    else
        t->form = p[blanks] == '0' ? TIME_FORM_BSD_ZERO : TIME_FORM_BSD;
    c->p += blanks + digits;
    return true;
}

/* "Mar  9 10:41:07", with a year between or after, a fraction and a zone. */
static enum timestamp_result scan_bsd(struct cursor *c, struct timestamp *t)
{
    struct cursor at = *c;
    t->civil.month = (uint8_t)month_of(at.p);
    at.p += 3;
    if (!scan_day(&at, t))
        return TIMESTAMP_ABSENT;
    if (cursor_at(&at, ','))
        at.p++;
    if (!cursor_at(&at, ' '))
        return TIMESTAMP_ABSENT;
    at.p++;
    if (!t->has_year && cursor_left(&at) > 5 && at.p[4] == ' ' && four(at.p) < 10000) {
        t->has_year = true;
        t->civil.year = (int32_t)four(at.p);
        t->form = t->form == TIME_FORM_BSD ? TIME_FORM_BSD_YEAR : TIME_FORM_NONE;
        at.p += 5;
    }
    if (!scan_clock(&at, t))
        return TIMESTAMP_ABSENT;
    if (t->digits > 0 || at.p[-1] == ',')
        t->form = TIME_FORM_NONE;
    t->text = view_of(c->p, (size_t)(at.p - c->p));
    if (!scan_offset(&at, t)) {
        if (!is_boundary(&at))
            return TIMESTAMP_ABSENT;
        const char *core_end = at.p;
        scan_year_after(&at, t);
        scan_zone_after_blank(&at, t);
        scan_year_after(&at, t);
        if (at.p != core_end && t->has_year && t->form != TIME_FORM_BSD_YEAR)
            t->form = TIME_FORM_NONE; /* the year is not in the text */
    }
    *c = at;
    return judge(t);
}

/* "10 Mar 2026 11:22:33" or "10-Mar-2026 11:22:33". */
static enum timestamp_result scan_day_first(struct cursor *c, struct timestamp *t)
{
    size_t digits = cursor_left(c) > 2 && is_digit(c->p[1]) ? 2 : 1;
    const char *p = c->p + digits;
    if (c->end - p < 18 || (*p != ' ' && *p != '-') || p[4] != *p || p[9] != ' ')
        return TIMESTAMP_ABSENT;
    t->civil.month = (uint8_t)month_of(p + 1);
    t->civil.day = (uint8_t)(digits == 2 ? two(c->p) : (unsigned)(c->p[0] - '0'));
    t->civil.year = (int32_t)four(p + 5);
    t->has_year = true;
    struct cursor at = {p + 10, c->end};
    if (t->civil.month == 0 || t->civil.year > 9999 || !scan_clock(&at, t))
        return TIMESTAMP_ABSENT;
    t->text = view_of(c->p, (size_t)(at.p - c->p));
    if (!scan_offset(&at, t)) {
        if (!is_boundary(&at))
            return TIMESTAMP_ABSENT;
        scan_zone_after_blank(&at, t);
    }
    t->form = TIME_FORM_NONE;
    *c = at;
    return judge(t);
}

enum timestamp_result timestamp_scan(struct cursor *c, struct timestamp *ret)
{
    struct cursor at = *c;
    struct timestamp t = {.form = TIME_FORM_NONE};
    enum timestamp_result result = TIMESTAMP_ABSENT;
    if (cursor_left(c) < 14)
        return TIMESTAMP_ABSENT;
    if (is_digit(at.p[0])) {
        result = timestamp_iso(&at, &t);
        if (result == TIMESTAMP_ABSENT && at.p[4] == ' ' && four(at.p) < 10000 &&
            cursor_left(&at) > 19 && month_of(at.p + 5)) {
            t = (struct timestamp){.has_year = true};
            t.civil.year = (int32_t)four(at.p);
            at.p += 5;
            result = scan_bsd(&at, &t);
            t.form = TIME_FORM_NONE;
        } else if (result == TIMESTAMP_ABSENT) {
            t = (struct timestamp){.form = TIME_FORM_NONE};
            result = scan_day_first(&at, &t);
        }
    } else if (month_of(at.p)) {
        result = scan_bsd(&at, &t);
    } else if (at.p[3] == ' ' && is_letter(at.p[0]) && cursor_left(&at) > 18 &&
               month_of(at.p + 4)) {
        at.p += 4; /* a weekday */
        result = scan_bsd(&at, &t);
    }
    if (result == TIMESTAMP_ABSENT)
        return TIMESTAMP_ABSENT;
    *ret = t;
    *c = at;
    return result;
}

/* ---- the instant ---- */

#define HALF_YEAR_US (INT64_C(365) * US_PER_DAY / 2)

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* Put the year into *c that brings it nearest to `now_us` (both local).  Of two years that are a
 * day or less from equally near, the past one.  29 February: the nearest leap year. */
static void search_year(struct civil *c, int64_t now_us)
{
    struct civil now;
    civil_from_us(now_us, &now);
    int64_t best = INT64_MAX;
    int32_t best_year = now.year;
    for (int32_t year = now.year - 8; year <= now.year + 8; year++) {
        c->year = year;
        if (!civil_is_valid(c))
            continue;
        int64_t d = distance(civil_to_us(c), now_us);
        if (best == INT64_MAX || d + US_PER_DAY < best) {
            best = d;
            best_year = year;
        }
    }
    c->year = best_year;
}

/* The same, quick for nearly all messages: a year that is nearer than half a year whatever the zone
 * is the nearest, and arithmetic on days guesses it. */
static void choose_year(struct civil *c, const struct timestamp *t,
                        const struct syslog_context *ctx)
{
    int64_t received_us = ctx->received_at_us;
    c->year = (int32_t)(1970 + received_us / US_PER_DAY * 400 / 146097);
    if (civil_is_valid(c) && distance(civil_to_us(c), received_us) < HALF_YEAR_US - 3 * US_PER_DAY)
        return;
    int64_t offset_us = t->has_offset ? t->offset_min * US_PER_MINUTE
                                      : zone_offset(ctx->zone, received_us) * US_PER_SECOND;
    search_year(c, received_us + offset_us);
}

void timestamp_apply(const struct timestamp *t, enum timestamp_result result,
                     const struct syslog_context *ctx, struct record *r)
{
    if (result == TIMESTAMP_ABSENT)
        return;
    if (result == TIMESTAMP_UNUSABLE) {
        r->flags |= RECORD_BAD_TIME;
        return;
    }
    struct civil c = t->civil;
    if (t->is_ambiguous)
        r->flags |= RECORD_BAD_TIME;
    int64_t offset_us = t->offset_min * US_PER_MINUTE;
    if (!t->has_year)
        choose_year(&c, t, ctx);
    int64_t civil_us = civil_to_us(&c), at = civil_us - offset_us;
    if (!t->has_offset)
        at = zone_to_us_near(ctx->zone, &c, ctx->received_at_us);
    r->reported_at_us = at;
    r->time_text = t->text;
    r->time_form = t->form;
    r->time_digits = t->digits;
    r->time_offset_min = (int16_t)((civil_us - at) / US_PER_MINUTE);
}
