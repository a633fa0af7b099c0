/* Whole values against patterns, and whole messages against queries. */
#include "query/internal.h"

#include "base/record.h"
#include "query/pairs.h"

static struct query_gap gap_before(const struct query_pattern *p, size_t i)
{
    if (p->gaps)
        return p->gaps[i];
    bool is_open = i == 0 ? !p->left_border : i == p->pieces_n ? !p->right_border : true;
    return (struct query_gap){.or_more = is_open};
}

/* Skip n code points from `at`: the place behind them, or SIZE_MAX beyond the end. */
static size_t skip_chars(struct view v, size_t at, size_t n)
{
    for (; n > 0; n--) {
        if (at >= v.n)
            return SIZE_MAX;
        at += query_char_bytes(v, at);
    }
    return at;
}

/* Only the last `*` passed ever needs to take more: what came before it fits where it first did. */
bool query_value_matches(const struct query_pattern *p, struct view value)
{
    if (view_is_null(value))
        return false;
    size_t i = 0, at = 0;                /* next piece, place in the value */
    size_t star = SIZE_MAX, star_at = 0; /* the piece after the last `*`, and where it is tried */
    for (;;) {
        struct query_gap gap = gap_before(p, i);
        bool is_retry = star == i && at == star_at;
        if (!is_retry) {
            at = skip_chars(value, at, gap.chars);
            if (at == SIZE_MAX)
                return false; /* taking more cannot help: it only leaves less */
            if (gap.or_more) {
                star = i;
                star_at = at;
            }
        }
        if (i == p->pieces_n) {
            if (gap.or_more || at == value.n)
                return true;
        } else if (query_piece_at(p->pieces[i], value, at)) {
            at += p->pieces[i].n;
            i++;
            continue;
        }
        if (star == SIZE_MAX)
            return false;
        i = star;
        star_at = at = skip_chars(value, star_at, 1);
        if (at == SIZE_MAX)
            return false;
    }
}

static struct view field_of(const struct record *r, unsigned bit)
{
    switch (bit) {
    case FIELD_HOSTNAME:
        return r->hostname;
    case FIELD_APP_NAME:
        return r->app_name;
    case FIELD_PROCID:
        return r->procid;
    case FIELD_MSGID:
        return r->msgid;
    case FIELD_STRUCTURED_DATA:
        return r->structured_data;
    case FIELD_MESSAGE:
        return r->message;
    default:
        return VIEW_NULL;
    }
}

static bool text_matches(const struct query_node *q, const struct record *r)
{
    for (unsigned bit = FIELD_MESSAGE; bit > 0; bit >>= 1) {
        struct view v = q->fields & bit ? field_of(r, bit) : VIEW_NULL;
        size_t length;
        if (!view_is_null(v) && query_find(&q->pattern, v, 0, &length) >= 0)
            return true;
    }
    return false;
}

static bool has_bit(uint32_t bits, unsigned n)
{
    return n < 32 && (bits >> n & 1);
}

struct pair_search {
    const struct query_node *q;
    bool is_found;
};

static bool look_at_pair(void *context, const struct pair *p)
{
    struct pair_search *s = context;
    s->is_found = query_pair_matches(s->q, p);
    return !s->is_found;
}

static bool some_pair_matches(const struct query_node *q, const struct record *r)
{
    char small[2048];
    size_t n = MAX(r->message.n, r->structured_data.n);
    char *scratch = n <= sizeof(small) ? small : xmalloc(n);
    struct pair_search s = {.q = q};
    pairs_of_structured_data(r->structured_data, scratch, look_at_pair, &s);
    if (!s.is_found)
        pairs_of_message(r->message, scratch, look_at_pair, &s);
    if (scratch != small)
        free(scratch);
    return s.is_found;
}

bool query_matches(const struct query_node *q, const struct record *r)
{
    switch (q->kind) {
    case QUERY_ALL:
        return true;
    case QUERY_AND:
        for (size_t i = 0; i < q->children_n; i++)
            if (!query_matches(q->children[i], r))
                return false;
        return true;
    case QUERY_OR:
        for (size_t i = 0; i < q->children_n; i++)
            if (query_matches(q->children[i], r))
                return true;
        return false;
    case QUERY_NOT:
        return !query_matches(q->children[0], r);
    case QUERY_TEXT:
        return text_matches(q, r);
    case QUERY_VALUE:
        return query_value_matches(&q->pattern, field_of(r, q->fields));
    case QUERY_PRESENT:
        return !view_is_null(field_of(r, q->fields));
    case QUERY_SEVERITY:
        return has_bit(q->bits, r->severity);
    case QUERY_FACILITY:
        return has_bit(q->bits, r->facility);
    case QUERY_SOURCE:
        return ip_in_network(&r->source, &q->network);
    case QUERY_LISTENER:
        return has_bit(q->bits, r->listener);
    case QUERY_FORMAT:
        return has_bit(q->bits, r->format);
    case QUERY_MARK:
        return (q->bits & r->flags) != 0;
    case QUERY_PAIR:
        return some_pair_matches(q, r);
    }
    return false;
}
