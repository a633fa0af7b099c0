/* Scan and resolve times.  Pure; on the path of every message, so no sscanf and no table larger
 * than the zone words. */
#include "syslog/tag.h"
#include "syslog/timestamp_parts.h"

/* ---- small pieces ---- */

unsigned timestamp_month(const char *p)
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

/* The same for a word after a time, where a colon alone may be part of what follows
 * ("2001:db8::1"). */
static bool is_word_boundary(const struct cursor *c)
{
    bool has_colon = cursor_at(c, ':');
    return timestamp_boundary(c) &&
           (!has_colon || cursor_left(c) == 1 || c->p[1] == ' ' || c->p[1] == '%');
}

/* [.,]digits after the seconds, or ":" and three of them. */
static void scan_fraction(struct cursor *c, struct timestamp *t)
{
    if (cursor_left(c) < 2 || !is_digit(c->p[1]))
        return;
    bool has_colon = *c->p == ':' && cursor_left(c) > 4 && c->p[4] == ' '; /* H3C's ":123 " */
    if (*c->p != '.' && *c->p != ',' && !has_colon)
        return;
    if (*c->p != '.')
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

/* " PM" after "1:41:07". */
static void scan_half_of_day(struct cursor *c, struct timestamp *t)
{
    if (cursor_left(c) < 3 || c->p[0] != ' ' || (c->p[2] | 0x20) != 'm' ||
        ((c->p[1] | 0x20) != 'a' && (c->p[1] | 0x20) != 'p') || t->civil.hour < 1 ||
        t->civil.hour > 12)
        return;
    struct cursor at = {c->p + 3, c->end};
    if (!timestamp_boundary(&at))
        return;
    t->civil.hour = (uint8_t)(t->civil.hour % 12 + ((c->p[1] | 0x20) == 'p' ? 12 : 0));
    t->form = TIME_FORM_NONE;
    *c = at;
}

/* "11:45" and a blank or a zone: no seconds. */
static bool scan_short_clock(struct cursor *c, size_t hour_digits, struct timestamp *t)
{
    unsigned hour = hour_digits == 2 ? two(c->p) : (unsigned)(c->p[0] - '0');
    unsigned minute = two(c->p + hour_digits + 1);
    const char *after = c->p + hour_digits + 3;
    if (hour > 23 || minute > 59 || (*after != ' ' && *after != 'Z' && *after != '+'))
        return false;
    t->civil.hour = (uint8_t)hour;
    t->civil.minute = (uint8_t)minute;
    t->form = TIME_FORM_NONE;
    c->p = after;
    return true;
}

bool timestamp_clock(struct cursor *c, struct timestamp *t)
{
    struct cursor at = *c;
    size_t hour_digits = cursor_left(&at) >= 2 && at.p[1] == ':' ? 1 : 2;
    if (cursor_left(&at) < hour_digits + 6 || at.p[hour_digits] != ':')
        return false;
    if (UNLIKELY(at.p[hour_digits + 3] != ':'))
        return scan_short_clock(c, hour_digits, t);
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
    scan_half_of_day(&at, t);
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
    {"SST", AMBIGUOUS}, {"WIB", 420},       {"DST", AMBIGUOUS}, {"ICT", 420},
    {"PHT", 480},       {"WITA", 480},      {"WIT", 540},       {"CLT", -240},
    {"COT", -300},      {"PET", -300},      {"BRST", -120},     {"CLST", -180},
    {"TRT", 180},       {"IDT", 180},       {"IRST", 210},      {"NPT", 345},
    {"MMT", 390},       {"MYT", 480},       {"VET", -240},      {"UYT", -180},
    {"HDT", -540},      {"CHST", 600},      {"GST", AMBIGUOUS},
};

bool timestamp_offset(struct cursor *c, struct timestamp *t)
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
    if (hour > 23 || minute > 59 || !timestamp_boundary(&at))
        return false;
    int offset = (int)(hour * 60 + minute);
    t->offset_min = (int16_t)(*c->p == '-' ? -offset : offset);
    t->has_offset = true;
    if (cursor_left(&at) >= 4 && memcmp(at.p, " DST", 4) == 0) {
        struct cursor after = {at.p + 4, at.end};
        if (timestamp_boundary(&after))
            at = after; /* the offset has summer time in it */
    }
    *c = at;
    return true;
}

/* "+9", "+09:00": at the sign, of an ISO time or after a word ("GMT+9"). */
static bool scan_short_offset(struct cursor *c, struct timestamp *t)
{
    if (cursor_left(c) < 2 || (*c->p != '+' && *c->p != '-'))
        return false;
    if (timestamp_offset(c, t))
        return true;
    struct cursor at = {c->p + 2, c->end};
    if (!is_digit(c->p[1]) || !timestamp_boundary(&at))
        return false;
    t->offset_min = (int16_t)((c->p[1] - '0') * (*c->p == '-' ? -60 : 60));
    t->has_offset = true;
    *c = at;
    return true;
}

/* A host and "name[123]:" follow: what stands before them is no host. */
static bool is_before_header(struct cursor c)
{
    struct tag tag;
    skip_blanks(&c);
    struct view host = peek_token(&c);
    if (!tag_is_plain_host(host))
        return false;
    c.p += host.n;
    skip_blanks(&c);
    struct view word = peek_token(&c);
    return tag_match_bracket(word, &tag) && tag.end[-1] == ':' && !view_is_null(tag.pid);
}

/* "Europe/Prague": which offset that is depends on rules that are not known here. */
static bool scan_zone_name(struct cursor *c, struct timestamp *t)
{
    static const struct {
        uint8_t n;
        char text[11];
    } areas[] = {{7, "Africa/"}, {8, "America/"},  {11, "Antarctica/"}, {7, "Arctic/"},
                 {5, "Asia/"},   {9, "Atlantic/"}, {10, "Australia/"},  {4, "Etc/"},
                 {7, "Europe/"}, {7, "Indian/"},   {8, "Pacific/"}};
    for (size_t i = 0; i < ARRAY_LEN(areas); i++) {
        if (*c->p != areas[i].text[0] || cursor_left(c) <= areas[i].n ||
            memcmp(c->p, areas[i].text, areas[i].n) != 0)
            continue;
        struct cursor at = {c->p + areas[i].n, c->end};
        struct view city = view_of(at.p, 0);
        while (at.p < at.end && (is_letter(*at.p) || is_digit(*at.p) || *at.p == '_' ||
                                 *at.p == '/' || *at.p == '-' || *at.p == '+'))
            at.p++;
        city.n = (size_t)(at.p - city.p);
        if (city.n < 3 || city.n > 40 || !is_word_boundary(&at))
            return false;
        bool is_utc = areas[i].n == 4 && (view_eq(city, VIEW("UTC")) || view_eq(city, VIEW("GMT")));
        t->has_offset = is_utc;
        t->is_ambiguous = !is_utc;
        *c = at;
        return true;
    }
    return false;
}

/* A word of capitals.  One that is not in the list counts as a zone only where nothing else can
 * stand: before Cisco's ": %", and with a T at its end before a host and a process. */
static bool scan_zone_word(struct cursor *c, struct timestamp *t)
{
    size_t n = 0;
    while (n < 6 && n < cursor_left(c) && is_upper(c->p[n]))
        n++;
    struct cursor at = {c->p + n, c->end};
    if (n == 2 && memcmp(c->p, "TZ", 2) == 0 && cursor_left(&at) > 1 && is_digit(at.p[1]) &&
        (*at.p == '-' || *at.p == '+')) { /* RFC 3164's example: which way is not said */
        for (at.p += 2; at.p < at.end && is_digit(*at.p);)
            at.p++;
        t->is_ambiguous = true;
        *c = at;
        return true;
    }
    if (n == 3 && (memcmp(c->p, "GMT", 3) == 0 || memcmp(c->p, "UTC", 3) == 0) &&
        scan_short_offset(&at, t)) {
        *c = at;
        return true;
    }
    if (n >= 3 && cursor_left(&at) > 2 && (*at.p == '+' || *at.p == '-') && is_digit(at.p[1]) &&
        at.p[2] == ' ')
        at.p += 2; /* "JST+9", "JST-9": the word says it */
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
    if (n >= 3 && ((cursor_left(&at) >= 3 && memcmp(at.p, ": %", 3) == 0) ||
                   (at.p[-1] == 'T' && is_before_header(at)))) {
        t->is_ambiguous = true;
        *c = at;
        return true;
    }
    return false;
}

void timestamp_zone_after_blank(struct cursor *c, struct timestamp *t)
{
    if (!cursor_at(c, ' '))
        return;
    struct cursor at = {c->p + 1, c->end};
    if (UNLIKELY(cursor_at(&at, '('))) {
        const char *close = memchr(at.p, ')', MIN(cursor_left(&at), (size_t)12));
        struct cursor inner = {at.p + 1, close};
        if (close && (timestamp_offset(&inner, t) || scan_zone_word(&inner, t)) && inner.p == close)
            c->p = close + 1;
        return;
    }
    if (timestamp_offset(&at, t) || scan_zone_word(&at, t) ||
        (at.p < at.end && is_upper(*at.p) && scan_zone_name(&at, t)))
        *c = at;
}

/* ---- forms ---- */

enum timestamp_result timestamp_judge(const struct timestamp *t)
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
    if (!timestamp_clock(&at, &t))
        return TIMESTAMP_ABSENT;
    const char *clock_end = at.p;
    if (cursor_at(&at, 'Z') || cursor_at(&at, 'z')) {
        t.form = t.form == TIME_FORM_ISO_LOCAL && *at.p == 'Z' ? TIME_FORM_ISO_Z : TIME_FORM_NONE;
        t.has_offset = true;
        at.p++;
    } else if (scan_short_offset(&at, &t)) {
        bool is_canonical = at.p - clock_end == 6 && t.form == TIME_FORM_ISO_LOCAL;
        t.form = is_canonical ? TIME_FORM_ISO_OFFSET : TIME_FORM_NONE;
    }
    if (!timestamp_boundary(&at))
        return TIMESTAMP_ABSENT;
    t.text = view_of(p, (size_t)(at.p - p));
    if (!t.has_offset)
        timestamp_zone_after_blank(&at, &t);
    *ret = t;
    *c = at;
    return timestamp_judge(&t);
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

/* Of "Mar", "Mar.", "Sept" or "March" at the cursor, which stands for the month. */
static size_t month_bytes(const struct cursor *c, unsigned month)
{
    static const char *const rests[12] = {"uary", "ruary", "ch",     "il",   "",      "e",
                                          "y",    "ust",   "tember", "ober", "ember", "ember"};
    if (LIKELY(cursor_left(c) < 4 || c->p[3] == ' '))
        return 3;
    if (cursor_left(c) > 4 && c->p[4] == ' ' && (c->p[3] == '.' || (month == 9 && c->p[3] == 't')))
        return 4;
    size_t n = strlen(rests[month - 1]);
    bool is_full = cursor_left(c) > 3 + n && c->p[3 + n] == ' ' &&
                   view_eq_nocase(view_of(c->p + 3, n), view_of(rests[month - 1], n));
    return is_full ? 3 + n : 3;
}

enum timestamp_result timestamp_bsd(struct cursor *c, struct timestamp *t)
{
    struct cursor at = *c;
    t->civil.month = (uint8_t)timestamp_month(at.p);
    at.p += month_bytes(&at, t->civil.month);
    if (!scan_day(&at, t))
        return TIMESTAMP_ABSENT;
    if (at.p - c->p > 6)
        t->form = TIME_FORM_NONE; /* the month in full */
    bool has_comma = cursor_at(&at, ',');
    at.p += has_comma;
    if (at.p == at.end || !is_blank(*at.p))
        return TIMESTAMP_ABSENT;
    bool is_plain = *at.p++ == ' ';
    for (; at.p < at.end && is_blank(*at.p); is_plain = false)
        at.p++;
    if (!t->has_year && cursor_left(&at) > 5 && at.p[4] == ' ' && four(at.p) < 10000) {
        t->has_year = true;
        t->civil.year = (int32_t)four(at.p);
        t->form = t->form == TIME_FORM_BSD ? TIME_FORM_BSD_YEAR : TIME_FORM_NONE;
        at.p += 5;
    } else if (!t->has_year && cursor_left(&at) > 6 && at.p[4] == ',' && at.p[5] == ' ' &&
               four(at.p) < 10000) { /* "Mar 10 2026, 11:45:00" */
        t->has_year = true;
        t->civil.year = (int32_t)four(at.p);
        is_plain = false;
        at.p += 6;
    }
    if (!timestamp_clock(&at, t))
        return TIMESTAMP_ABSENT;
    if (t->digits > 0 || has_comma || !is_plain)
        t->form = TIME_FORM_NONE;
    t->text = view_of(c->p, (size_t)(at.p - c->p));
    if (UNLIKELY(cursor_at(&at, 'Z'))) {
        at.p++;
        t->has_offset = true;
        if (!timestamp_boundary(&at))
            return TIMESTAMP_ABSENT;
    } else if (!timestamp_offset(&at, t)) {
        if (!timestamp_boundary(&at))
            return TIMESTAMP_ABSENT;
        const char *core_end = at.p;
        scan_year_after(&at, t);
        timestamp_zone_after_blank(&at, t);
        scan_year_after(&at, t);
        if (at.p != core_end && t->has_year && t->form != TIME_FORM_BSD_YEAR)
            t->form = TIME_FORM_NONE; /* the year is not in the text */
    }
    *c = at;
    return timestamp_judge(t);
}

static enum timestamp_result scan_any(struct cursor *c, struct timestamp *ret)
{
    struct cursor at = *c;
    struct timestamp t = {.form = TIME_FORM_NONE};
    enum timestamp_result result = TIMESTAMP_ABSENT;
    if (cursor_left(c) < 14)
        return TIMESTAMP_ABSENT;
    if (is_digit(at.p[0])) {
        result = timestamp_iso(&at, &t);
        if (result == TIMESTAMP_ABSENT) {
            t = (struct timestamp){.form = TIME_FORM_NONE};
            result = timestamp_digits_first(&at, &t);
        }
    } else if (timestamp_month(at.p)) {
        result = at.p[3] == '-' ? timestamp_month_first(&at, &t) : timestamp_bsd(&at, &t);
    } else if (is_letter(at.p[0])) {
        result = timestamp_weekday(&at, &t);
    }
    if (result == TIMESTAMP_ABSENT)
        return TIMESTAMP_ABSENT;
    *ret = t;
    *c = at;
    return result;
}

/* ---- the last times again ---- */

#define BSD_BYTES 15      /* "Mar  9 10:41:07" */
#define BSD_YEAR_BYTES 20 /* "Mar  9 2026 10:41:07" */

/* A blank and something that neither a year nor a zone begins with: the time ends here. */
static bool ends_surely(const char *p)
{
    return p[0] == ' ' && ((p[1] >= 'a' && p[1] <= 'z') || p[1] == ':' || p[1] == '%');
}

static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t head[2], tail[2];
    memcpy(&head[0], a, 8);
    memcpy(&head[1], b, 8);
    memcpy(&tail[0], a + n - 8, 8);
    memcpy(&tail[1], b + n - 8, 8);
    return ((head[0] ^ head[1]) | (tail[0] ^ tail[1])) == 0 &&
           (n <= 16 || memcmp(a + 8, b + 8, n - 16) == 0);
}

static bool scan_cached(struct cursor *c, const struct syslog_cache *cache, struct timestamp *ret,
                        enum timestamp_result *ret_result)
{
    for (unsigned i = 0; i < ARRAY_LEN(cache->scanned); i++) {
        size_t n = cache->scanned[i].n;
        if (n == 0 || cursor_left(c) < n + 2 || !same_bytes(c->p, cache->scanned[i].text, n) ||
            !ends_surely(c->p + n))
            continue;
        *ret = (struct timestamp){.civil = cache->scanned[i].civil,
                                  .has_year = cache->scanned[i].has_year,
                                  .form = cache->scanned[i].form,
                                  .text = view_of(c->p, n)};
        *ret_result = (enum timestamp_result)cache->scanned[i].result;
        c->p += n;
        return true;
    }
    return false;
}

/* Only what is nothing but its text: no zone, no fraction, nothing behind it. */
static void cache_scanned(const struct cursor *before, const struct cursor *after,
                          struct syslog_cache *cache, const struct timestamp *t,
                          enum timestamp_result result)
{
    size_t n = (size_t)(after->p - before->p);
    if (t->text.p != before->p || t->text.n != n || (n != BSD_BYTES && n != BSD_YEAR_BYTES) ||
        is_digit(*before->p) || t->has_offset || t->is_ambiguous || t->digits > 0 ||
        cursor_left(after) < 2 || !ends_surely(after->p))
        return;
    unsigned i = n == BSD_YEAR_BYTES;
    memcpy(cache->scanned[i].text, before->p, n);
    cache->scanned[i].n = (uint8_t)n;
    cache->scanned[i].result = (uint8_t)result;
    cache->scanned[i].civil = t->civil;
    cache->scanned[i].form = t->form;
    cache->scanned[i].has_year = t->has_year;
}

enum timestamp_result timestamp_scan(struct cursor *c, struct syslog_cache *cache,
                                     struct timestamp *ret)
{
    enum timestamp_result result;
    if (c->p == c->end)
        return TIMESTAMP_ABSENT;
    if (LIKELY(scan_cached(c, cache, ret, &result)))
        return result;
    struct cursor before = *c;
    result = scan_any(c, ret);
    if (result != TIMESTAMP_ABSENT)
        cache_scanned(&before, c, cache, ret, result);
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

/* Civil time and what the text says of year and zone; the fraction apart.  Never 0. */
static uint64_t packed(const struct timestamp *t)
{
    const struct civil *c = &t->civil;
    return (uint64_t)(uint32_t)c->year << 32 | (uint64_t)(c->month & 15u) << 28 |
           (uint64_t)(c->day & 31u) << 23 | (uint64_t)(c->hour & 31u) << 18 |
           (uint64_t)(c->minute & 63u) << 12 | (uint64_t)(c->second & 63u) << 6 |
           (uint64_t)t->has_year << 2 | (uint64_t)t->has_offset << 1 | 1;
}

/* Year and side of a repeated hour are those nearest to the moment of reception: the same at all
 * moments this near to the answer, for no zone goes back by less than four times as much. */
#define NEAR_US (5 * US_PER_MINUTE)

static bool is_near(int64_t a, int64_t b)
{
    return distance(a, b) < NEAR_US;
}

/* Whether the second's answer of before is that of now. */
static bool is_resolved(const struct syslog_cache *cache, const struct timestamp *t,
                        const struct syslog_context *ctx)
{
    int64_t at_us = cache->resolved.at_us, received_us = cache->resolved.received_at_us;
    return cache->resolved.civil == packed(t) && cache->resolved.zone == ctx->zone &&
           cache->resolved.text_offset_min == t->offset_min &&
           ((is_near(at_us, ctx->received_at_us) && is_near(at_us, received_us)) ||
            (received_us == ctx->received_at_us &&
             cache->resolved.microsecond == t->civil.microsecond));
}

/* The instant of the whole second, and the minutes east of UTC in force. */
static int64_t resolve(const struct timestamp *t, struct syslog_context *ctx,
                       int16_t *ret_offset_min)
{
    struct syslog_cache *cache = &ctx->cache;
    if (UNLIKELY(!is_resolved(cache, t, ctx))) {
        struct civil c = t->civil;
        if (!t->has_year)
            choose_year(&c, t, ctx);
        int64_t civil_us = civil_to_us(&c), at = civil_us - t->offset_min * US_PER_MINUTE;
        if (!t->has_offset)
            at = zone_to_us_near(ctx->zone, &c, ctx->received_at_us);
        cache->resolved.civil = packed(t);
        cache->resolved.microsecond = c.microsecond;
        cache->resolved.zone = ctx->zone;
        cache->resolved.received_at_us = ctx->received_at_us;
        cache->resolved.at_us = at - c.microsecond;
        cache->resolved.text_offset_min = t->offset_min;
        cache->resolved.offset_min = (int16_t)((civil_us - at) / US_PER_MINUTE);
    }
    *ret_offset_min = cache->resolved.offset_min;
    return cache->resolved.at_us;
}

/* "03/10/2026": which of the two is the month is a setting of the device.  Where both can be, the
 * day that is nearer to that of reception; ambiguous when it is not within a day of it. */
static bool choose_day(struct timestamp *t, const struct syslog_context *ctx)
{
    struct civil other = t->civil;
    other.month = t->civil.day;
    other.day = t->civil.month;
    bool is_month_first = civil_is_valid(&t->civil);
    if (!civil_is_valid(&other))
        return is_month_first;
    int64_t first = distance(civil_to_us(&t->civil), ctx->received_at_us);
    int64_t second = distance(civil_to_us(&other), ctx->received_at_us);
    if (!is_month_first || second < first) {
        t->civil = other;
        first = second;
    }
    t->is_ambiguous |= is_month_first && other.day != other.month && first > US_PER_DAY;
    return true;
}

void timestamp_apply(const struct timestamp *scanned, enum timestamp_result result,
                     struct syslog_context *ctx, struct record *r)
{
    struct timestamp chosen;
    const struct timestamp *t = scanned;
    if (UNLIKELY(result == TIMESTAMP_GOOD && t->has_slashes)) {
        chosen = *t;
        t = &chosen;
        if (!choose_day(&chosen, ctx))
            result = TIMESTAMP_UNUSABLE;
    }
    if (result == TIMESTAMP_ABSENT)
        return;
    if (result == TIMESTAMP_UNUSABLE) {
        r->flags |= RECORD_BAD_TIME;
        return;
    }
    if (t->is_ambiguous)
        r->flags |= RECORD_BAD_TIME;
    r->reported_at_us = resolve(t, ctx, &r->time_offset_min) + t->civil.microsecond;
    r->time_text = t->text;
    r->time_form = t->form;
    r->time_digits = t->digits;
}
