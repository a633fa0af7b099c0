/* A search for a pair and the token index: what is found in a text is never ruled out by the words
 * that the index has of that text, nor by the piece that is looked for before pairs are read.
 * Input: the query's name, a NUL, its value, a NUL, the text.  The pairs of the text itself are
 * asked for as well, each by its own name and value. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/record.h"
#include "base/utf8.h"
#include "block/tokens.h"
#include "pgext/skip.h"
#include "query/pairs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TOKENS_MAX 65536
#define ASKED_MAX 16 /* pairs of the text that are asked for */

struct token_list {
    uint64_t hashes[TOKENS_MAX];
    size_t n;
};

static void note_hash(void *context, uint64_t hash)
{
    struct token_list *l = context;
    CHECK(l->n < TOKENS_MAX);
    l->hashes[l->n++] = hash;
}

static bool may_contain(void *context, uint64_t hash)
{
    const struct token_list *l = context;
    for (size_t i = 0; i < l->n; i++)
        if (l->hashes[i] == hash)
            return true;
    return false;
}

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

static bool has_bait(struct view piece, struct view text, bool left, bool right)
{
    size_t length;
    struct query_pattern p = {
        .pieces = &piece, .pieces_n = 1, .left_border = left, .right_border = right};
    return piece.n == 0 || query_find(&p, text, 0, &length) >= 0;
}

/* kv."name":"value", and the same with a part of the value. */
static void ask(struct view name, struct view value, const char *star, const struct record *r,
                struct token_list *index)
{
    struct arena a = ARENA_INIT;
    struct buf text = BUF_INIT(1 << 20);
    const struct query_node *q;
    struct query_error error;
    buf_add_str(&text, "kv.");
    add_quoted(&text, name);
    buf_add_char(&text, ':');
    add_quoted(&text, value);
    buf_add_str(&text, star);
    if (query_parse(&a, buf_view(&text), &q, &error) == 0 && q->kind == QUERY_PAIR &&
        query_matches(q, r)) {
        struct skip_block b = {.context = index, .may_contain = may_contain};
        struct query_bait bait = query_pair_bait(q);
        CHECK(!skip_pair_is_missing(q, &b));
        CHECK(has_bait(bait.value, r->message, bait.left_border, bait.right_border));
        CHECK(has_bait(bait.name, r->message, false, false));
    }
    buf_free(&text);
    arena_done(&a);
}

struct asking {
    const struct record *r;
    struct token_list *index;
    unsigned n;
};

static bool ask_for_pair(void *context, const struct pair *p)
{
    struct asking *s = context;
    struct view half = p->value;
    half.n = utf8_clean_prefix(view_of(half.p, half.n / 2));
    ask(p->name, p->value, "", s->r, s->index);
    ask(p->name, half, "*", s->r, s->index);
    if (p->alias.p)
        ask(p->alias, p->value, "", s->r, s->index);
    if (p->written.p)
        ask(p->name, p->written, "", s->r, s->index);
    return ++s->n < ASKED_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct token_list index;
    struct buf parts[3] = {BUF_INIT(1 << 20), BUF_INIT(1 << 20), BUF_INIT(1 << 20)};
    if (size > 8192)
        return 0;
    for (size_t i = 0; i < 3; i++) {
        const uint8_t *nul = i < 2 && size ? memchr(data, 0, size) : NULL;
        size_t n = nul ? (size_t)(nul - data) : size;
        CHECK(utf8_clean(view_of((const char *)data, n), &parts[i]) == 0);
        data += n + (nul != NULL);
        size -= n + (nul != NULL);
    }
    struct record r = {.reported_at_us = TIME_NONE, .message = buf_view(&parts[2])};
    char *scratch = xmalloc(r.message.n + 1);
    struct asking s = {.r = &r, .index = &index};
    index.n = 0;
    tokens_of_text(r.message, note_hash, &index);
    ask(buf_view(&parts[0]), buf_view(&parts[1]), "", &r, &index);
    ask(buf_view(&parts[0]), buf_view(&parts[1]), "*", &r, &index);
    pairs_of_message(r.message, scratch, ask_for_pair, &s);
    free(scratch);
    for (size_t i = 0; i < 3; i++)
        buf_free(&parts[i]);
    return 0;
}
