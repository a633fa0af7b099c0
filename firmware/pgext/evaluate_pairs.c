/* Rows with a pair (query/pairs.h): the rare step of a search for kv.NAME:VALUE is to read the
 * pairs of a message.  Before it, texts are asked for a piece of the value and of the name that
 * they must have, all at once as for a word. */
#include "pgext/evaluate.h"

#include "query/pairs.h"

struct pair_search {
    const struct query_node *q;
    char *scratch;
    bool is_found;
};

static bool look_at_pair(void *context, const struct pair *p)
{
    struct pair_search *s = context;
    s->is_found = query_pair_matches(s->q, p);
    return !s->is_found;
}

static bool has_pair(struct pair_search *s, enum block_column c, struct view text)
{
    if (text.n == 0)
        return false;
    s->is_found = false;
    if (c == COLUMN_MESSAGE)
        pairs_of_message(text, s->scratch, look_at_pair, s);
    else
        pairs_of_structured_data(text, s->scratch, look_at_pair, s);
    return s->is_found;
}

static size_t longest_text(const struct block_texts *texts, uint32_t n)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < n; i++)
        longest = MAX(longest, (size_t)(texts->offsets[i + 1] - texts->offsets[i]));
    return longest;
}

char *pairs_scratch_of_column(struct block_reader *r, enum block_column c)
{
    struct block_texts texts = block_column_texts(r, c);
    size_t n = texts.all.n > 0 ? longest_text(&texts, r->messages) : 0;
    return r->memory.alloc(r->memory.context, n + 1);
}

static void search_rows(struct block_reader *r, struct pair_search *s, enum block_column c,
                        const struct rows *candidates, struct rows *ret)
{
    for (uint32_t i = rows_next(candidates, 0); i != UINT32_MAX; i = rows_next(candidates, i + 1)) {
        if (has_pair(s, c, block_text(r, c, i)))
            rows_add(ret, i);
    }
}

/* Only the rows of *rows whose text has the piece; a null one is in every text. */
static struct rows *with_piece(struct block_reader *r, struct view piece, bool left, bool right,
                               enum block_column c, struct rows *rows)
{
    if (piece.n == 0 || rows_next(rows, 0) == UINT32_MAX)
        return rows;
    struct query_pattern p = {
        .pieces = &piece, .pieces_n = 1, .left_border = left, .right_border = right};
    struct rows *ret = r->memory.alloc(r->memory.context, sizeof(*ret));
    rows_none(ret, rows->n);
    evaluate_text(r, &p, c, rows, ret);
    return ret;
}

int evaluate_pair(struct block_reader *r, const struct query_node *q, const struct rows *candidates,
                  struct rows *ret, struct err *err)
{
    static const enum block_column columns[] = {COLUMN_STRUCTURED_DATA, COLUMN_MESSAGE};
    struct query_bait bait = query_pair_bait(q);
    struct pair_search s = {.q = q};
    struct rows *rest = r->memory.alloc(r->memory.context, sizeof(*rest));
    *rest = *candidates;
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        int e = block_load(r, columns[i], err);
        if (e < 0)
            return e;
        if (block_column_texts(r, columns[i]).all.n == 0)
            continue;
        struct rows *worth =
            with_piece(r, bait.value, bait.left_border, bait.right_border, columns[i], rest);
        worth = with_piece(r, bait.name, false, false, columns[i], worth);
        if (rows_next(worth, 0) == UINT32_MAX)
            continue;
        s.scratch = pairs_scratch_of_column(r, columns[i]);
        search_rows(r, &s, columns[i], worth, ret);
        rows_and_not(rest, candidates, ret);
    }
    return 0;
}
