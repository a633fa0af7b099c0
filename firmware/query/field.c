/* The fields of the language: their names, and how the values of each are read. */
#include "query/internal.h"

#include "base/record.h"
#include "base/utf8.h"

#define MARKS_N 6 /* enum record_flag */

_Static_assert(RECORD_DECODED == 1 << (MARKS_N - 1), "every mark has a name here");
_Static_assert(FORMAT_COUNT <= 32, "formats are bits of a query_node");

static const char *text_listener_name(unsigned value)
{
    return listener_name(value);
}

static const char *text_format_name(unsigned value)
{
    return record_format_name(value);
}

static const char *mark_name(unsigned value)
{
    return record_flag_name(1u << value);
}

static int parse_by_name(struct view text, unsigned n, const char *(*name)(unsigned))
{
    for (unsigned i = 0; i < n; i++)
        if (view_eq_nocase(text, view_str(name(i))))
            return (int)i;
    return -EINVAL;
}

static int listener_parse(struct view text)
{
    return parse_by_name(text, LISTENER_COUNT, text_listener_name);
}

static int format_parse(struct view text)
{
    return parse_by_name(text, FORMAT_COUNT, text_format_name);
}

static int mark_parse(struct view text)
{
    return parse_by_name(text, MARKS_N, mark_name);
}

#define VALUE_FIELD(n, b)                                                   \
    {                                                                       \
        .name = n, .type = QUERY_FIELD_VALUE, .bit = b, .kind = QUERY_VALUE \
    }
#define TEXT_FIELD(n, b)                                                  \
    {                                                                     \
        .name = n, .type = QUERY_FIELD_TEXT, .bit = b, .kind = QUERY_TEXT \
    }

static const struct query_field_info fields[] = {
    VALUE_FIELD("hostname", FIELD_HOSTNAME),
    VALUE_FIELD("app_name", FIELD_APP_NAME),
    VALUE_FIELD("procid", FIELD_PROCID),
    VALUE_FIELD("msgid", FIELD_MSGID),
    TEXT_FIELD("structured_data", FIELD_STRUCTURED_DATA),
    TEXT_FIELD("message", FIELD_MESSAGE),
    {.name = "severity",
     .type = QUERY_FIELD_BITS,
     .kind = QUERY_SEVERITY,
     .values_n = 8,
     .value_name = severity_name,
     .value_parse = severity_parse,
     .is_ordered = true,
     .what = "a severity",
     .values_help = "emerg, alert, crit, err, warning, notice, info, debug or 0 to 7"},
    {.name = "facility",
     .type = QUERY_FIELD_BITS,
     .kind = QUERY_FACILITY,
     .values_n = 24,
     .value_name = facility_name,
     .value_parse = facility_parse,
     .is_ordered = true,
     .what = "a facility",
     .values_help = "kern, user, mail, daemon, auth, …, local0 to local7 or 0 to 23"},
    {.name = "source", .type = QUERY_FIELD_SOURCE, .kind = QUERY_SOURCE},
    {.name = "listener",
     .type = QUERY_FIELD_BITS,
     .kind = QUERY_LISTENER,
     .values_n = LISTENER_COUNT,
     .value_name = text_listener_name,
     .value_parse = listener_parse,
     .what = "a listener"},
    {.name = "format",
     .type = QUERY_FIELD_BITS,
     .kind = QUERY_FORMAT,
     .values_n = FORMAT_COUNT,
     .value_name = text_format_name,
     .value_parse = format_parse,
     .what = "a format",
     .values_help = "raw, rfc5424, rfc3164, cisco, cef, leef, json, kv, fortinet, … (what a "
                    "message shows as its form)"},
    {.name = "mark",
     .type = QUERY_FIELD_BITS,
     .kind = QUERY_MARK,
     .values_n = MARKS_N,
     .value_name = mark_name,
     .value_parse = mark_parse,
     .what = "a mark"},
};

const struct query_field_info query_field_pair = {
    .name = "kv.NAME", .type = QUERY_FIELD_PAIR, .kind = QUERY_PAIR};

const char *query_field_names(void)
{
    return "hostname, app_name, procid, msgid, structured_data, message, severity, facility, "
           "source, "
           "listener, format, mark, kv.NAME";
}

const struct query_field_info *query_field_find(struct view name)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (view_eq(name, view_str(fields[i].name)))
            return &fields[i];
    return NULL;
}

const struct query_field_info *query_field_of_bit(unsigned bit)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (fields[i].bit == bit)
            return &fields[i];
    return NULL;
}

const struct query_field_info *query_field_of_kind(enum query_kind kind)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (fields[i].kind == kind)
            return &fields[i];
    return NULL;
}

/* Names other products give to the same thing, and which are too far for a slip of the finger. */
static const struct {
    const char *other, *ours;
} other_names[] = {
    {"host", "hostname"},    {"app", "app_name"},   {"appname", "app_name"},
    {"program", "app_name"}, {"level", "severity"}, {"structured", "structured_data"},
};

#define NAME_MAX_BYTES 24

/* Letters to insert, remove, change or swap with their neighbour (optimal string alignment). */
static unsigned distance(struct view a, const char *b)
{
    size_t n = strlen(b);
    unsigned row[3][NAME_MAX_BYTES + 1];
    if (a.n > NAME_MAX_BYTES || n > NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    for (size_t j = 0; j <= n; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.n; i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned d = before[j - 1] + (a.p[i - 1] != b[j - 1]);
            d = MIN(d, before[j] + 1);
            d = MIN(d, now[j - 1] + 1);
            if (i > 1 && j > 1 && a.p[i - 1] == b[j - 2] && a.p[i - 2] == b[j - 1])
                d = MIN(d, earlier[j - 2] + 1);
            now[j] = d;
        }
    }
    return row[a.n % 3][n];
}

const struct query_field_info *query_field_near(struct view name)
{
    for (size_t i = 0; i < ARRAY_LEN(other_names); i++)
        if (view_eq(name, view_str(other_names[i].other)))
            return query_field_find(view_str(other_names[i].ours));
    const struct query_field_info *best = NULL;
    unsigned best_distance = UINT32_MAX;
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        unsigned d = distance(name, fields[i].name);
        unsigned near = strlen(fields[i].name) >= 8 ? 2 : 1; /* "massage" is near, "forum" is not */
        if (d <= near && d < best_distance) {
            best = &fields[i];
            best_distance = d;
        }
    }
    return best;
}

/* ---- values of enumerations ---- */

/* Shell-like: * any characters, ? one.  Both are short, names are ASCII. */
static bool name_matches(struct view pattern, const char *name)
{
    size_t i = 0, j = 0, star = SIZE_MAX, star_j = 0, n = strlen(name);
    while (j < n) {
        if (i < pattern.n && pattern.p[i] == '*') {
            star = i++;
            star_j = j;
        } else if (i < pattern.n && (pattern.p[i] == '?' ||
                                     utf8_fold((unsigned char)pattern.p[i]) == (uint32_t)name[j])) {
            i++;
            j++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            j = ++star_j;
        } else {
            return false;
        }
    }
    while (i < pattern.n && pattern.p[i] == '*')
        i++;
    return i == pattern.n;
}

static int not_a_value(const struct query_field_info *f, struct view value, char *message,
                       size_t size)
{
    char names[160];
    const char *help = f->values_help;
    if (!help) {
        size_t n = 0;
        for (unsigned i = 0; i < f->values_n && n < sizeof(names); i++)
            n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
                                  i == 0                 ? ""
                                  : i + 1 == f->values_n ? " or "
                                                         : ", ",
                                  f->value_name(i));
        help = names;
    }
    if (value.n == 0)
        snprintf(message, size, "%s is missing here; write %s", f->what, help);
    else
        snprintf(message, size, "\"%.*s\" is not %s; write %s",
                 (int)utf8_clean_prefix(view_of(value.p, MIN(value.n, (size_t)40))), value.p,
                 f->what, help);
    return -EINVAL;
}

static uint32_t all_bits(const struct query_field_info *f)
{
    return f->values_n == 32 ? UINT32_MAX : (UINT32_C(1) << f->values_n) - 1;
}

/* "<=warning" */
static int compared_bits(const struct query_field_info *f, struct view value, uint32_t *ret,
                         char *message, size_t size)
{
    bool is_less = value.p[0] == '<', is_more = value.p[0] == '>';
    size_t sign = value.n > 1 && value.p[1] == '=' ? 2 : 1;
    bool with_equal = value.p[0] == '=' || sign == 2;
    struct view name = view_of(value.p + sign, value.n - sign);
    int v = f->value_parse(name);
    if (v < 0)
        return not_a_value(f, name, message, size);
    uint32_t one = UINT32_C(1) << v, bits = with_equal ? one : 0;
    if (is_less)
        bits |= one - 1;
    if (is_more)
        bits |= all_bits(f) & ~((one << 1) - 1);
    if (bits == 0) {
        snprintf(message, size, "nothing can match: no %s is %s %s", f->name,
                 is_less ? "below" : "above", f->value_name((unsigned)v));
        return -EINVAL;
    }
    *ret = bits;
    return 0;
}

/* "err..notice", in either order */
static int range_bits(const struct query_field_info *f, struct view value, const char *dots,
                      uint32_t *ret, char *message, size_t size)
{
    struct view ends[2] = {view_of(value.p, (size_t)(dots - value.p)),
                           view_of(dots + 2, value.n - (size_t)(dots - value.p) - 2)};
    int v[2];
    for (int i = 0; i < 2; i++) {
        v[i] = f->value_parse(ends[i]);
        if (v[i] < 0)
            return not_a_value(f, ends[i], message, size);
    }
    unsigned low = (unsigned)MIN(v[0], v[1]), high = (unsigned)MAX(v[0], v[1]);
    *ret = (uint32_t)(((UINT64_C(2) << high) - 1) & ~((UINT64_C(1) << low) - 1));
    return 0;
}

static int one_value_bits(const struct query_field_info *f, struct view value, uint32_t *ret,
                          char *message, size_t size)
{
    const char *dots = value.n ? memmem(value.p, value.n, "..", 2) : NULL;
    if (f->is_ordered && value.n && strchr("<>=", value.p[0]))
        return compared_bits(f, value, ret, message, size);
    if (f->is_ordered && dots)
        return range_bits(f, value, dots, ret, message, size);
    if (value.n && (memchr(value.p, '*', value.n) || memchr(value.p, '?', value.n))) {
        uint32_t bits = 0;
        for (unsigned i = 0; i < f->values_n; i++)
            if (name_matches(value, f->value_name(i)))
                bits |= UINT32_C(1) << i;
        if (bits == 0)
            return not_a_value(f, value, message, size);
        *ret = bits;
        return 0;
    }
    int v = f->value_parse(value);
    if (v < 0)
        return not_a_value(f, value, message, size);
    *ret = UINT32_C(1) << v;
    return 0;
}

int query_field_bits(const struct query_field_info *f, struct view value, uint32_t *ret,
                     char *message, size_t size)
{
    uint32_t bits = 0;
    for (size_t at = 0; at <= value.n;) {
        const char *comma = at < value.n ? memchr(value.p + at, ',', value.n - at) : NULL;
        size_t n = comma ? (size_t)(comma - value.p) - at : value.n - at;
        uint32_t some = 0;
        int rc = one_value_bits(f, view_of(value.p + at, n), &some, message, size);
        if (rc < 0)
            return rc;
        bits |= some;
        at += n + 1;
    }
    *ret = bits;
    return 0;
}
