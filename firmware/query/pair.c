/* Pairs against kv.NAME:VALUE, and ranges of numbers. */
#include "query/internal.h"

#include <math.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "query/pairs.h"

#define NUMBER_MAX_BYTES 64

/* A decimal number and nothing else. */
static bool read_number(struct view v, double *ret)
{
    char text[NUMBER_MAX_BYTES];
    bool has_digit = false;
    v = view_trim(v);
    if (v.n == 0 || v.n >= sizeof(text))
        return false;
    for (size_t i = 0; i < v.n; i++) {
        bool is_digit = v.p[i] >= '0' && v.p[i] <= '9';
        if (!is_digit && !strchr("+-.eE", v.p[i]))
            return false;
        has_digit |= is_digit;
        text[i] = v.p[i];
    }
    text[v.n] = 0;
    char *end;
    double number = has_digit ? strtod(text, &end) : 0;
    if (!has_digit || *end || !isfinite(number))
        return false;
    *ret = number;
    return true;
}

static int not_a_number(struct view text, char *message, size_t size)
{
    if (text.n == 0) {
        snprintf(message, size, "a number must follow < and >, as in >1000 or <=5");
        return -EINVAL;
    }
    snprintf(message, size,
             "\"%.*s\" is not a number; write >1000, <=5 or 1..10, and to search for this value as "
             "it stands put it into quotes",
             (int)utf8_clean_prefix(view_of(text.p, MIN(text.n, (size_t)40))), text.p);
    return -EINVAL;
}

int query_range_parse(struct view value, struct query_range *ret, char *message, size_t size)
{
    struct query_range r = {.low = -INFINITY, .high = INFINITY};
    if (value.n > 0 && (value.p[0] == '<' || value.p[0] == '>')) {
        bool with_end = value.n > 1 && value.p[1] == '=', is_less = value.p[0] == '<';
        size_t sign = with_end ? 2 : 1;
        struct view text = view_of(value.p + sign, value.n - sign);
        if (!read_number(text, is_less ? &r.high : &r.low))
            return not_a_number(text, message, size);
        r.without_low = !is_less && !with_end;
        r.without_high = is_less && !with_end;
        *ret = r;
        return 1;
    }
    const char *dots = value.n ? memmem(value.p, value.n, "..", 2) : NULL;
    if (dots == NULL || !read_number(view_of(value.p, (size_t)(dots - value.p)), &r.low) ||
        !read_number(view_of(dots + 2, value.n - (size_t)(dots - value.p) - 2), &r.high))
        return 0; /* "a..b" is text */
    if (r.low > r.high) {
        double low = r.high;
        r.high = r.low;
        r.low = low;
    }
    *ret = r;
    return 1;
}

void query_range_format(const struct query_range *r, struct buf *out)
{
    if (isfinite(r->low) && isfinite(r->high))
        buf_printf(out, "%.17g..%.17g", r->low, r->high);
    else if (isfinite(r->low))
        buf_printf(out, ">%s%.17g", r->without_low ? "" : "=", r->low);
    else
        buf_printf(out, "<%s%.17g", r->without_high ? "" : "=", r->high);
}

static bool is_in_range(const struct query_range *r, struct view value)
{
    double x;
    if (view_is_null(value) || !read_number(value, &x))
        return false;
    return (r->without_low ? x > r->low : x >= r->low) &&
           (r->without_high ? x < r->high : x <= r->high);
}

/* A name without wildcards is as long as what it matches: most pairs are passed by at that. */
static bool name_matches(const struct query_pattern *name, struct view v)
{
    bool is_plain = name->pieces_n == 1 && name->left_border && name->right_border && !name->gaps;
    return (!is_plain || name->pieces[0].n == v.n) && query_value_matches(name, v);
}

bool query_pair_is_named(const struct query_pattern *name, const struct pair *p)
{
    return name_matches(name, p->name) || (!view_is_null(p->alias) && name_matches(name, p->alias));
}

bool query_pair_matches(const struct query_node *q, const struct pair *p)
{
    if (!query_pair_is_named(&q->name, p))
        return false;
    struct view value = p->is_veiled ? VIEW_NULL : p->value;
    switch (q->test) {
    case QUERY_TEST_PRESENT:
        return true;
    case QUERY_TEST_NUMBER:
        return is_in_range(&q->range, value) || is_in_range(&q->range, p->written);
    case QUERY_TEST_VALUE:
        return query_value_matches(&q->pattern, value) ||
               query_value_matches(&q->pattern, p->written);
    }
    return false;
}

/* ---- what must stand in the text ---- */

/* Names that readers of CEF and LEEF give to what has none in the message. */
static const char *const made_names[] = {
    "cef.version",      "cef.vendor",   "cef.product",   "cef.device_version",
    "cef.signature_id", "cef.name",     "cef.severity",  "leef.version",
    "leef.vendor",      "leef.product", "leef.event_id", "leef.product_version",
    "version",          "vendor",       "product",       "device_version",
    "signature_id",     "name",         "severity",      "event_id",
    "product_version",
};

static bool may_be_made(const struct query_pattern *name)
{
    for (size_t i = 0; i < ARRAY_LEN(made_names); i++)
        if (query_value_matches(name, view_str(made_names[i])))
            return true;
    return false;
}

bool query_pair_name_is_written(const struct query_pattern *name)
{
    return name->pieces_n == 1 && !name->gaps && name->left_border && name->right_border &&
           name->pieces[0].n < PAIRS_NAME_MAX / 2 && !may_be_made(name);
}

/* The longest run of word bytes (and of `also`) in the pieces, not of digits alone if
 * `with_letter`. */
static struct view longest_run(const struct query_pattern *p, char also, bool with_letter)
{
    struct view best = VIEW_NULL;
    for (size_t i = 0; i < p->pieces_n; i++) {
        struct view v = p->pieces[i];
        for (size_t at = 0, from; at < v.n; at++) {
            bool has_letter = false;
            for (from = at; at < v.n && (query_is_word_byte(v.p[at]) || v.p[at] == also); at++)
                has_letter |= v.p[at] >= 'a';
            if (at - from > best.n && (has_letter || !with_letter))
                best = view_of(v.p + from, at - from);
        }
    }
    return best;
}

struct query_bait query_pair_bait(const struct query_node *q)
{
    struct query_bait bait = {.value = VIEW_NULL};
    if (q->test == QUERY_TEST_VALUE && q->pattern.pieces_n > 0) {
        struct view first = q->pattern.pieces[0], last = q->pattern.pieces[q->pattern.pieces_n - 1];
        bait.value = longest_run(&q->pattern, '.', false);
        /* before and after a value there is no letter; inside, an escape may end in one */
        bait.left_border = bait.value.p == first.p && q->pattern.left_border && !q->pattern.gaps &&
                           query_is_word_byte(first.p[0]);
        bait.right_border = bait.value.n > 0 && bait.value.p + bait.value.n == last.p + last.n &&
                            q->pattern.right_border && !q->pattern.gaps &&
                            query_is_word_byte(last.p[last.n - 1]);
    }
    if (!may_be_made(&q->name))
        bait.name = longest_run(&q->name, '\0', true);
    return bait;
}
