/* Evaluate a predicate tree over the columns of a block to a set of rows.  Pure: no PostgreSQL.
 *
 *   AND   the cheapest child first; what it leaves are the next one's candidates
 *   OR    each child is asked only about rows that no earlier child has matched
 *   dictionary columns: each distinct value is matched once, then rows look their entry up
 *   text columns: one search through the text of all rows at once finds rows worth a look, since
 * rows lie one after another; each of them is then matched alone, so that nothing matches across
 *         the border of two rows and word borders at a row's ends are true ones */
#include "pgext/evaluate.h"

static struct rows *new_rows(struct block_reader *r)
{
    return r->memory.alloc(r->memory.context, sizeof(struct rows));
}

/* ---- columns of small numbers ---- */

static unsigned small_value(const struct block_reader *r, enum query_kind kind, uint32_t row)
{
    switch (kind) {
    case QUERY_SEVERITY:
        return block_pri(r, row) & 7;
    case QUERY_FACILITY:
        return block_pri(r, row) >> 3;
    case QUERY_LISTENER:
        return block_listener(r, row);
    default:
        return block_format(r, row);
    }
}

static int evaluate_bits(struct block_reader *r, const struct query_node *q,
                         const struct rows *candidates, struct rows *ret, struct err *err)
{
    enum block_column c = q->kind == QUERY_LISTENER ? COLUMN_LISTENERS
                          : q->kind == QUERY_FORMAT ? COLUMN_FORMATS
                          : q->kind == QUERY_MARK   ? COLUMN_FLAGS
                                                    : COLUMN_PRI;
    int e = block_load(r, c, err);
    if (e < 0)
        return e;
    for (uint32_t i = rows_next(candidates, 0); i != UINT32_MAX; i = rows_next(candidates, i + 1)) {
        if (q->kind == QUERY_MARK) {
            if (q->bits & block_flags(r, i))
                rows_add(ret, i);
            continue;
        }
        unsigned v = small_value(r, q->kind, i);
        if (v < 32 && (q->bits >> v & 1))
            rows_add(ret, i);
    }
    return 0;
}

/* ---- dictionary columns ---- */

typedef bool (*entry_fn)(const struct block_reader *r, const struct query_node *q,
                         enum block_column c, uint32_t entry);

static bool source_matches(const struct block_reader *r, const struct query_node *q,
                           enum block_column c, uint32_t entry)
{
    (void)c;
    struct ip ip;
    block_dictionary_source(r, entry, &ip);
    return ip_in_network(&ip, &q->network);
}

static bool text_matches(const struct query_pattern *p, struct view text)
{
    size_t length;
    return text.p != NULL && query_find(p, text, 0, &length) >= 0;
}

static bool entry_text_matches(const struct block_reader *r, const struct query_node *q,
                               enum block_column c, uint32_t entry)
{
    return text_matches(&q->pattern, block_dictionary_text(r, c, entry));
}

static bool entry_value_matches(const struct block_reader *r, const struct query_node *q,
                                enum block_column c, uint32_t entry)
{
    struct view value = block_dictionary_text(r, c, entry);
    return value.p != NULL && query_value_matches(&q->pattern, value);
}

static bool entry_is_present(const struct block_reader *r, const struct query_node *q,
                             enum block_column c, uint32_t entry)
{
    (void)q;
    return block_dictionary_text(r, c, entry).p != NULL;
}

/* Add the candidates whose entry fits.  An entry is tried when the first row asks for it. */
static int evaluate_dictionary(struct block_reader *r, const struct query_node *q,
                               enum block_column c, entry_fn fits, const struct rows *candidates,
                               struct rows *ret, struct err *err)
{
    enum { UNKNOWN, NO, YES };
    int e = block_load(r, c, err);
    if (e < 0)
        return e;
    uint32_t size = block_dictionary_size(r, c);
    const uint16_t *entries = block_dictionary_rows(r, c);
    uint8_t *known = r->memory.alloc(r->memory.context, (size_t)size + 1);
    memset(known, UNKNOWN, (size_t)size + 1);
    for (uint32_t i = rows_next(candidates, 0); i != UINT32_MAX; i = rows_next(candidates, i + 1)) {
        uint32_t entry = entries ? entries[i] : 0;
        if (known[entry] == UNKNOWN)
            known[entry] = fits(r, q, c, entry) ? YES : NO;
        if (known[entry] == YES)
            rows_add(ret, i);
    }
    return 0;
}

/* ---- text columns ---- */

/* The text that holds byte `at`: offsets[k] ≤ at < offsets[k + 1], not before `k`. */
static uint32_t text_of_offset(const uint32_t *offsets, uint32_t n, uint32_t k, size_t at)
{
    uint32_t low = k, step = 1;
    for (; low + step < n && offsets[low + step] <= at; step *= 2)
        low += step;
    uint32_t high = MIN(n, low + step);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (offsets[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void evaluate_rows_one_by_one(struct block_reader *r, const struct query_pattern *p,
                                     enum block_column c, const struct rows *candidates,
                                     struct rows *ret)
{
    for (uint32_t i = rows_next(candidates, 0); i != UINT32_MAX; i = rows_next(candidates, i + 1)) {
        if (text_matches(p, block_text(r, c, i)))
            rows_add(ret, i);
    }
}

static void evaluate_whole_column(struct block_reader *r, const struct query_pattern *p,
                                  enum block_column c, const struct rows *candidates,
                                  struct rows *ret)
{
    struct block_texts texts = block_column_texts(r, c);
    struct view piece = p->pieces[0];
    for (size_t i = 1; i < p->pieces_n; i++) {
        if (p->pieces[i].n > piece.n)
            piece = p->pieces[i];
    }
    const struct query_pattern bait = {.pieces = &piece, .pieces_n = 1};
    uint32_t k = 0;
    size_t at = 0;
    while (at < texts.all.n) {
        size_t length;
        int64_t hit = query_find(&bait, texts.all, at, &length);
        if (hit < 0)
            return;
        k = text_of_offset(texts.offsets, candidates->n, k, (size_t)hit);
        if ((size_t)hit + length > texts.offsets[k + 1]) {
            at = (size_t)hit + 1; /* runs over into the next text */
            continue;
        }
        uint32_t row = texts.order != NULL ? texts.order[k] : k;
        if (rows_has(candidates, row) && text_matches(p, block_text(r, c, row)))
            rows_add(ret, row);
        at = texts.offsets[k + 1];
    }
}

void evaluate_text(struct block_reader *r, const struct query_pattern *p, enum block_column c,
                   const struct rows *candidates, struct rows *ret)
{
    /* below one row in eight, looking at those alone is cheaper than a run over everything */
    if (p->pieces_n == 0 || rows_count(candidates) < candidates->n / 8)
        evaluate_rows_one_by_one(r, p, c, candidates, ret);
    else
        evaluate_whole_column(r, p, c, candidates, ret);
}

static int evaluate_text_column(struct block_reader *r, const struct query_node *q,
                                enum block_column c, const struct rows *candidates,
                                struct rows *ret, struct err *err)
{
    int e = block_load(r, c, err);
    if (e < 0)
        return e;
    evaluate_text(r, &q->pattern, c, candidates, ret);
    return 0;
}

static int evaluate_text_present(struct block_reader *r, enum block_column c,
                                 const struct rows *candidates, struct rows *ret, struct err *err)
{
    int e = block_load(r, c, err);
    if (e < 0)
        return e;
    for (uint32_t i = rows_next(candidates, 0); i != UINT32_MAX; i = rows_next(candidates, i + 1)) {
        if (block_text(r, c, i).p != NULL)
            rows_add(ret, i);
    }
    return 0;
}

/* ---- nodes ---- */

static const struct {
    unsigned field;
    enum block_column column;
} text_fields[] = {
    /* the cheap ones first: a row that one of them matches is not looked for in the next */
    {FIELD_APP_NAME, COLUMN_APP_NAME}, {FIELD_HOSTNAME, COLUMN_HOSTNAME},
    {FIELD_MSGID, COLUMN_MSGID},       {FIELD_PROCID, COLUMN_PROCID},
    {FIELD_MESSAGE, COLUMN_MESSAGE},   {FIELD_STRUCTURED_DATA, COLUMN_STRUCTURED_DATA},
};

static int evaluate_one_field(struct block_reader *r, const struct query_node *q,
                              enum block_column c, const struct rows *candidates, struct rows *ret,
                              struct err *err)
{
    bool is_dictionary = c < COLUMN_STRUCTURED_DATA;
    switch (q->kind) {
    case QUERY_TEXT:
        if (is_dictionary)
            return evaluate_dictionary(r, q, c, entry_text_matches, candidates, ret, err);
        return evaluate_text_column(r, q, c, candidates, ret, err);
    case QUERY_VALUE:
        return evaluate_dictionary(r, q, c, entry_value_matches, candidates, ret, err);
    default:
        if (is_dictionary)
            return evaluate_dictionary(r, q, c, entry_is_present, candidates, ret, err);
        return evaluate_text_present(r, c, candidates, ret, err);
    }
}

/* Any of q->fields; *ret is empty at first. */
static int evaluate_fields(struct block_reader *r, const struct query_node *q,
                           const struct rows *candidates, struct rows *ret, struct err *err)
{
    struct rows *rest = new_rows(r);
    *rest = *candidates;
    for (size_t i = 0; i < ARRAY_LEN(text_fields); i++) {
        if (!(q->fields & text_fields[i].field))
            continue;
        int e = evaluate_one_field(r, q, text_fields[i].column, rest, ret, err);
        if (e < 0)
            return e;
        rows_and_not(rest, candidates, ret);
        if (rows_count(rest) == 0)
            break;
    }
    return 0;
}

/* The work a node brings, roughly: for the order of AND's children. */
static unsigned cost(const struct query_node *q)
{
    unsigned sum = 0;
    switch (q->kind) {
    case QUERY_ALL:
        return 0;
    case QUERY_AND:
    case QUERY_OR:
    case QUERY_NOT:
        for (size_t i = 0; i < q->children_n; i++)
            sum += cost(q->children[i]);
        return sum;
    case QUERY_TEXT:
    case QUERY_PRESENT:
        if (q->fields & (FIELD_MESSAGE | FIELD_STRUCTURED_DATA))
            return q->kind == QUERY_TEXT ? 1000 : 300;
        return 30;
    case QUERY_PAIR:
        return 3000;
    case QUERY_VALUE:
        return 20;
    case QUERY_SOURCE:
        return 15;
    default:
        return 10;
    }
}

static int evaluate_and(struct block_reader *r, const struct query_node *q,
                        const struct rows *candidates, struct rows *ret, struct err *err)
{
    struct rows *rest = new_rows(r);
    bool *is_done = r->memory.alloc(r->memory.context, q->children_n + 1);
    memset(is_done, 0, q->children_n + 1);
    *rest = *candidates;
    *ret = *candidates;
    for (size_t round = 0; round < q->children_n; round++) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < q->children_n; i++) {
            if (!is_done[i] && (next == SIZE_MAX || cost(q->children[i]) < cost(q->children[next])))
                next = i;
        }
        is_done[next] = true;
        int e = evaluate_rows(r, q->children[next], rest, ret, err);
        if (e < 0)
            return e;
        if (rows_count(ret) == 0)
            return 0;
        *rest = *ret;
    }
    return 0;
}

static int evaluate_or(struct block_reader *r, const struct query_node *q,
                       const struct rows *candidates, struct rows *ret, struct err *err)
{
    struct rows *rest = new_rows(r);
    struct rows *found = new_rows(r);
    *rest = *candidates;
    for (size_t i = 0; i < q->children_n; i++) {
        int e = evaluate_rows(r, q->children[i], rest, found, err);
        if (e < 0)
            return e;
        rows_or(ret, found);
        rows_and_not(rest, rest, found);
    }
    return 0;
}

int evaluate_rows(struct block_reader *r, const struct query_node *q, const struct rows *candidates,
                  struct rows *ret, struct err *err)
{
    rows_none(ret, candidates->n);
    if (rows_next(candidates, 0) == UINT32_MAX)
        return 0;
    if (q == NULL || q->kind == QUERY_ALL) {
        *ret = *candidates;
        return 0;
    }
    switch (q->kind) {
    case QUERY_AND:
        return evaluate_and(r, q, candidates, ret, err);
    case QUERY_OR:
        return evaluate_or(r, q, candidates, ret, err);
    case QUERY_NOT: {
        struct rows *found = new_rows(r);
        int e = evaluate_rows(r, q->children[0], candidates, found, err);
        if (e < 0)
            return e;
        rows_and_not(ret, candidates, found);
        return 0;
    }
    case QUERY_SOURCE:
        return evaluate_dictionary(r, q, COLUMN_SOURCES, source_matches, candidates, ret, err);
    case QUERY_TEXT:
    case QUERY_VALUE:
    case QUERY_PRESENT:
        return evaluate_fields(r, q, candidates, ret, err);
    case QUERY_PAIR:
        return evaluate_pair(r, q, candidates, ret, err);
    default:
        return evaluate_bits(r, q, candidates, ret, err);
    }
}
