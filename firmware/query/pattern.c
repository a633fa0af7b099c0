/* Writing patterns: literal text and wildcards in, folded pieces with gaps and borders out. */
#include "query/internal.h"

#include "base/limits.h"
#include "base/utf8.h"

/* Room for one more piece, and for the gap behind it. */
static void make_room(struct query_writer *w)
{
    struct query_pattern *p = &w->pattern;
    if (p->pieces_n < w->cap)
        return;
    size_t cap = w->cap ? w->cap * 2 : 2;
    struct view *pieces = arena_alloc(w->arena, cap * sizeof(*pieces));
    struct query_gap *gaps = arena_alloc(w->arena, (cap + 1) * sizeof(*gaps));
    if (p->pieces_n > 0) {
        memcpy(pieces, p->pieces, p->pieces_n * sizeof(*pieces));
        memcpy(gaps, p->gaps, p->pieces_n * sizeof(*gaps));
    }
    p->pieces = pieces;
    p->gaps = gaps;
    w->cap = cap;
}

static void end_piece(struct query_writer *w)
{
    if (w->text.n == 0)
        return;
    make_room(w);
    struct query_pattern *p = &w->pattern;
    char *folded = arena_alloc(w->arena, w->text.n);
    utf8_fold_text(buf_view(&w->text), folded);
    p->pieces[p->pieces_n] = view_of(folded, w->text.n);
    p->gaps[p->pieces_n] = w->gap;
    p->pieces_n++;
    w->gap = (struct query_gap){0};
    buf_clear(&w->text);
}

void query_writer_add(struct query_writer *w, struct view literal)
{
    w->text.max = QUERY_MAX_BYTES;
    CHECK(buf_add_view(&w->text, literal) == 0); /* a piece is never longer than the query */
}

void query_writer_wildcard(struct query_writer *w, char c)
{
    end_piece(w);
    if (c == '*') {
        w->gap.or_more = true;
    } else {
        w->gap.chars++;
        w->has_chars = true;
    }
}

bool query_writer_is_everything(const struct query_writer *w)
{
    return w->pattern.pieces_n == 0 && w->text.n == 0 && !w->has_chars && w->gap.or_more;
}

static bool is_open(struct query_gap g)
{
    return g.chars > 0 || g.or_more;
}

void query_writer_finish(struct query_writer *w, struct query_pattern *ret)
{
    end_piece(w);
    make_room(w);
    struct query_pattern *p = &w->pattern;
    p->gaps[p->pieces_n] = w->gap;
    p->left_border = !is_open(p->gaps[0]);
    p->right_border = !is_open(p->gaps[p->pieces_n]);
    if (!w->is_value && p->pieces_n > 0) {
        struct view first = p->pieces[0], last = p->pieces[p->pieces_n - 1];
        p->left_border = p->left_border && query_is_word_byte(first.p[0]);
        p->right_border = p->right_border && query_is_word_byte(last.p[last.n - 1]);
    }
    if (!w->has_chars)
        p->gaps = NULL;
    *ret = *p;
}
