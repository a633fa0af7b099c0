/* A tree written as a query again.  Parsing the result gives the same tree (but for places). */
#include "query/internal.h"

#include "base/record.h"

static void add_quoted(struct buf *out, struct view v)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < v.n; i++) {
        if (v.p[i] == '"' || v.p[i] == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, v.p[i]);
    }
    buf_add_char(out, '"');
}

static void add_gap(struct buf *out, struct query_gap g)
{
    for (size_t i = 0; i < g.chars; i++)
        buf_add_char(out, '?');
    if (g.or_more)
        buf_add_char(out, '*');
}

/* A border is missing although the text at that end would have one. */
static bool is_open_text(bool border, char end)
{
    return !border && query_is_word_byte(end);
}

static void add_pattern(struct buf *out, const struct query_pattern *p, bool is_value)
{
    if (p->pieces_n == 0 && p->left_border && p->right_border)
        buf_add_str(out, "\"\""); /* the empty value of a pair */
    for (size_t i = 0; i <= p->pieces_n; i++) {
        struct query_gap g = {.or_more = true};
        if (p->gaps)
            g = p->gaps[i];
        else if (i == 0)
            g.or_more = is_value ? !p->left_border
                                 : is_open_text(p->left_border, p->pieces[0].p[0]);
        else if (i == p->pieces_n)
            g.or_more = is_value ? !p->right_border
                                 : is_open_text(p->right_border,
                                                p->pieces[i - 1].p[p->pieces[i - 1].n - 1]);
        add_gap(out, g);
        if (i < p->pieces_n)
            add_quoted(out, p->pieces[i]);
    }
}

/* Names in their order with commas; neighbours of an ordered field as a range. */
static void add_bits(struct buf *out, const struct query_field_info *f, uint32_t bits)
{
    bool is_first = true;
    for (unsigned i = 0; i < f->values_n; i++) {
        if (!(bits >> i & 1))
            continue;
        unsigned last = i;
        while (f->is_ordered && last + 1 < f->values_n && (bits >> (last + 1) & 1))
            last++;
        buf_printf(out, "%s%s", is_first ? "" : ",", f->value_name(i));
        if (last > i)
            buf_printf(out, "..%s", f->value_name(last));
        is_first = false;
        i = last;
    }
}

static void add_network(struct buf *out, const struct ip_network *n)
{
    char text[IP_TEXT_MAX];
    ip_format(&n->address, text);
    buf_add_str(out, text);
    if (n->prefix != (n->address.family == 4 ? 32 : 128))
        buf_printf(out, "/%u", n->prefix);
}

static void add_pair(struct buf *out, const struct query_node *q)
{
    buf_add_str(out, "kv.");
    add_pattern(out, &q->name, true);
    buf_add_char(out, ':');
    if (q->test == QUERY_TEST_PRESENT)
        buf_add_char(out, '*');
    else if (q->test == QUERY_TEST_NUMBER)
        query_range_format(&q->range, out);
    else
        add_pattern(out, &q->pattern, true);
}

static void add_node(struct buf *out, const struct query_node *q);

static void add_children(struct buf *out, const struct query_node *q, const char *between)
{
    for (size_t i = 0; i < q->children_n; i++) {
        const struct query_node *c = q->children[i];
        bool is_group = c->kind == QUERY_OR || (c->kind == QUERY_AND && q->kind == QUERY_AND);
        buf_add_str(out, i > 0 ? between : "");
        buf_add_str(out, is_group ? "(" : "");
        add_node(out, c);
        buf_add_str(out, is_group ? ")" : "");
    }
}

static void add_not(struct buf *out, const struct query_node *child)
{
    bool is_group = child->kind == QUERY_OR || child->kind == QUERY_AND;
    buf_add_str(out, child->kind == QUERY_NOT ? "NOT " : is_group ? "-(" : "-");
    add_node(out, child);
    buf_add_str(out, is_group ? ")" : "");
}

/* Nesting is bounded by QUERY_MAX_DEPTH, which the parser keeps. */
static void add_node(struct buf *out, const struct query_node *q)
{
    const struct query_field_info *f;
    switch (q->kind) {
    case QUERY_ALL:
        buf_add_char(out, '*');
        break;
    case QUERY_AND:
        add_children(out, q, " ");
        break;
    case QUERY_OR:
        add_children(out, q, " OR ");
        break;
    case QUERY_NOT:
        add_not(out, q->children[0]);
        break;
    case QUERY_TEXT:
    case QUERY_VALUE:
    case QUERY_PRESENT:
        if (q->fields != FIELD_ANY_TEXT)
            buf_printf(out, "%s:", query_field_of_bit(q->fields)->name);
        if (q->kind == QUERY_PRESENT)
            buf_add_char(out, '*');
        else
            add_pattern(out, &q->pattern, q->kind == QUERY_VALUE);
        break;
    case QUERY_SEVERITY:
    case QUERY_FACILITY:
    case QUERY_LISTENER:
    case QUERY_FORMAT:
    case QUERY_MARK:
        f = query_field_of_kind(q->kind);
        buf_printf(out, "%s:", f->name);
        add_bits(out, f, q->bits);
        break;
    case QUERY_PAIR:
        add_pair(out, q);
        break;
    case QUERY_SOURCE:
        buf_add_str(out, "source:");
        add_network(out, &q->network);
        break;
    }
}

int query_format(const struct query_node *q, struct buf *out)
{
    size_t before = out->n;
    bool was_full = out->is_full;
    out->is_full = false;
    add_node(out, q);
    if (out->is_full) {
        out->n = before;
        return -ENOSPC;
    }
    out->is_full = was_full;
    return 0;
}
