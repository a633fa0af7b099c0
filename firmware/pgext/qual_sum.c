/* Turn conditions with values into a range of time and a predicate tree (executor's side of
 * quals.h).
 *
 * A condition that is not exact becomes one that is no narrower: equal text by the query language's
 * folded comparison, LIKE by the literal text between its wildcards. */
#include "pgext/pgext.h"

#include <sys/socket.h>

#include "access/stratnum.h"
#include "utils/array.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"

#include "base/utf8.h"
#include "pgext/quals.h"

/* elements of = ANY (…) that are looked up one by one; longer lists are left to the executor */
#define QUAL_MAX_ELEMENTS 256

void qual_sum_init(struct qual_sum *s, size_t max_quals)
{
    *s = (struct qual_sum){.from_us = RANGE_OPEN_FROM, .to_us = RANGE_OPEN_TO};
    s->nodes = palloc((max_quals + 1) * sizeof(*s->nodes));
}

const struct query_node *qual_sum_query(const struct qual_sum *s)
{
    if (s->nodes_n <= 1)
        return s->nodes_n == 0 ? NULL : s->nodes[0];
    struct query_node *all = palloc0(sizeof(*all));
    all->kind = QUERY_AND;
    all->children = (struct query_node **)s->nodes;
    all->children_n = s->nodes_n;
    return all;
}

static struct query_node *new_node(enum query_kind kind)
{
    struct query_node *q = palloc0(sizeof(*q));
    q->kind = kind;
    return q;
}

static void add_node(struct qual_sum *s, const struct query_node *q)
{
    s->nodes[s->nodes_n++] = q;
}

/* ---- numbers ---- */

static int64_t int_of(Oid type, Datum v)
{
    switch (type) {
    case INT2OID:
        return DatumGetInt16(v);
    case INT4OID:
        return DatumGetInt32(v);
    default:
        return DatumGetInt64(v);
    }
}

static uint32_t bits_of_comparison(int op, int64_t value)
{
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++) {
        bool holds = op == BTLessStrategyNumber           ? i < value
                     : op == BTLessEqualStrategyNumber    ? i <= value
                     : op == BTEqualStrategyNumber        ? i == value
                     : op == BTGreaterEqualStrategyNumber ? i >= value
                                                          : i > value;
        bits |= (uint32_t)holds << i;
    }
    return bits;
}

static void add_time(struct qual_sum *s, int op, int64_t us)
{
    int64_t after = us < INT64_MAX ? us + 1 : us;
    int64_t from = RANGE_OPEN_FROM, to = RANGE_OPEN_TO;
    switch (op) {
    case BTLessStrategyNumber:
        to = us;
        break;
    case BTLessEqualStrategyNumber:
        to = after;
        break;
    case BTEqualStrategyNumber:
        from = us;
        to = after;
        break;
    case BTGreaterEqualStrategyNumber:
        from = us;
        break;
    default:
        from = after;
    }
    /* no message is at an infinity, so that the open ends stand for these too */
    if (us == INT64_MIN && op <= BTEqualStrategyNumber)
        s->is_empty = true;
    if (us == INT64_MAX && op >= BTEqualStrategyNumber)
        s->is_empty = true;
    s->from_us = Max(s->from_us, from);
    s->to_us = Min(s->to_us, to);
}

/* ---- one value ---- */

static uint32_t bit_of_name(int field, struct view name)
{
    for (unsigned i = 0; i < 32; i++) {
        const char *known = field == ENTRY_LISTENER ? listener_name(i) : record_format_name(i);
        if (known && view_eq(name, view_str(known)))
            return 1u << i;
    }
    return 0;
}

static struct view folded(struct view text)
{
    char *copy = palloc(text.n + 1);
    utf8_fold_text(text, copy);
    return view_of(copy, text.n);
}

static unsigned query_field_of(int field)
{
    switch (field) {
    case ENTRY_HOSTNAME:
        return FIELD_HOSTNAME;
    case ENTRY_APP_NAME:
        return FIELD_APP_NAME;
    case ENTRY_PROCID:
        return FIELD_PROCID;
    case ENTRY_MSGID:
        return FIELD_MSGID;
    case ENTRY_STRUCTURED_DATA:
        return FIELD_STRUCTURED_DATA;
    default:
        return FIELD_MESSAGE;
    }
}

static struct query_node *value_node(int field, struct view value)
{
    if (value.n == 0)
        return new_node(QUERY_ALL); /* a pattern has no empty pieces: left to the executor */
    struct query_node *q = new_node(QUERY_VALUE);
    q->fields = query_field_of(field);
    q->pattern.pieces = palloc(sizeof(struct view));
    q->pattern.pieces[0] = folded(value);
    q->pattern.pieces_n = 1;
    q->pattern.left_border = q->pattern.right_border = true;
    return q;
}

static void add_source(struct qual_sum *s, int op, const inet *value)
{
    int bits = ip_family(value) == PGSQL_AF_INET ? 32 : 128;
    if (op != QUAL_SOURCE_SUBEQ && op != QUAL_SOURCE_SUB && ip_bits(value) != bits) {
        s->is_empty = true; /* a sender is a single address and equals no network */
        return;
    }
    if (op == QUAL_SOURCE_SUB && ip_bits(value) == bits) {
        s->is_empty = true; /* nothing is strictly inside one address */
        return;
    }
    struct query_node *q = new_node(QUERY_SOURCE);
    q->network.address.family = bits == 32 ? 4 : 6;
    q->network.prefix = ip_bits(value);
    memcpy(q->network.address.bytes, ip_addr(value), (size_t)bits / 8);
    for (int i = ip_bits(value); i < bits; i++)
        q->network.address.bytes[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
    add_node(s, q);
}

/* ---- LIKE ---- */

/* ILIKE folds by the database's collation, which takes more characters for 'i' and 'k' than we do
 * (U+0130, U+212A) and knows more alphabets: only what cannot differ is looked for. */
static bool ends_literal(char c, bool ignore_case)
{
    return ignore_case && ((unsigned char)c >= 0x80 || strchr("iIkK", c) != NULL);
}

static struct query_node *literal_node(int field, struct view literal)
{
    struct query_node *q = new_node(QUERY_TEXT);
    q->fields = query_field_of(field);
    q->pattern.pieces = palloc(sizeof(struct view));
    q->pattern.pieces[0] = folded(literal);
    q->pattern.pieces_n = 1;
    return q;
}

/* The literal runs of a pattern, all of which must occur. */
static struct query_node *like_node(int field, struct view pattern, bool ignore_case)
{
    struct query_node *all = new_node(QUERY_AND);
    all->children = palloc((pattern.n + 1) * sizeof(*all->children));
    char *run = palloc(pattern.n + 1);
    size_t run_n = 0;
    for (size_t i = 0; i <= pattern.n; i++) {
        bool is_end = i == pattern.n || pattern.p[i] == '%' || pattern.p[i] == '_';
        if (!is_end && pattern.p[i] == '\\' && i + 1 < pattern.n)
            i++;
        if (!is_end && !ends_literal(pattern.p[i], ignore_case)) {
            run[run_n++] = pattern.p[i];
            continue;
        }
        if (run_n > 0)
            all->children[all->children_n++] = literal_node(field, view_of(run, run_n));
        run_n = 0;
    }
    if (all->children_n == 0)
        all->kind = QUERY_ALL;
    return all;
}

/* ---- = ANY ---- */

static void add_array(struct qual_sum *s, const struct qual *q, Datum array)
{
    ArrayType *a = DatumGetArrayTypeP(array);
    Oid type = ARR_ELEMTYPE(a);
    int16 length;
    bool by_value;
    char align;
    get_typlenbyvalalign(type, &length, &by_value, &align);
    Datum *values;
    bool *nulls;
    int n;
    deconstruct_array(a, type, length, by_value, align, &values, &nulls, &n);
    if (q->kind == QUAL_VALUE) {
        if (n > QUAL_MAX_ELEMENTS)
            return;
        struct query_node *any = new_node(QUERY_OR);
        any->children = palloc((size_t)(n + 1) * sizeof(*any->children));
        for (int i = 0; i < n; i++) {
            if (!nulls[i])
                any->children[any->children_n++] =
                    value_node(q->field, view_of_text(DatumGetTextPP(values[i])));
        }
        s->is_empty |= any->children_n == 0;
        add_node(s, any);
        return;
    }
    struct query_node *node = new_node(q->field == ENTRY_SEVERITY   ? QUERY_SEVERITY
                                       : q->field == ENTRY_FACILITY ? QUERY_FACILITY
                                       : q->field == ENTRY_LISTENER ? QUERY_LISTENER
                                                                    : QUERY_FORMAT);
    for (int i = 0; i < n; i++) {
        if (!nulls[i] && q->kind == QUAL_NUMBER)
            node->bits |= bits_of_comparison(BTEqualStrategyNumber, int_of(type, values[i]));
        else if (!nulls[i])
            node->bits |= bit_of_name(q->field, view_of_text(DatumGetTextPP(values[i])));
    }
    add_node(s, node);
}

void qual_sum_add(struct qual_sum *s, const struct qual *q, Datum value, bool is_null)
{
    if (is_null) {
        s->is_empty = true;
        return;
    }
    if (q->is_array) {
        add_array(s, q, value);
        return;
    }
    struct query_node *node;
    switch (q->kind) {
    case QUAL_TIME:
        add_time(s, q->op, us_of_timestamp(DatumGetTimestampTz(value)));
        break;
    case QUAL_NUMBER:
        node = new_node(q->field == ENTRY_SEVERITY ? QUERY_SEVERITY : QUERY_FACILITY);
        node->bits = bits_of_comparison(q->op, int_of(q->type, value));
        add_node(s, node);
        break;
    case QUAL_NAME:
        node = new_node(q->field == ENTRY_LISTENER ? QUERY_LISTENER : QUERY_FORMAT);
        node->bits = bit_of_name(q->field, view_of_text(DatumGetTextPP(value)));
        add_node(s, node);
        break;
    case QUAL_QUERY:
        add_node(s, query_of_text(view_of_text(DatumGetTextPP(value))));
        break;
    case QUAL_SOURCE:
        add_source(s, q->op, DatumGetInetPP(value));
        break;
    case QUAL_VALUE:
        add_node(s, value_node(q->field, view_of_text(DatumGetTextPP(value))));
        break;
    case QUAL_LIKE:
    case QUAL_ILIKE:
        add_node(s,
                 like_node(q->field, view_of_text(DatumGetTextPP(value)), q->kind == QUAL_ILIKE));
        break;
    }
}
