/* Decide by metadata whether a block has to be opened.  Pure: no PostgreSQL.
 *
 * Each node answers for the whole block; NOT turns the answer round, AND takes the smallest, OR the
 * largest.  The token index can only say "none".  It is asked in a second pass, because each token
 * costs a read of stored pages while the rest of the metadata is at hand. */
#include "pgext/skip.h"

#include "block/senders.h"

static enum skip_answer of_bits(uint32_t present, uint32_t wanted)
{
    if ((present & wanted) == 0)
        return SKIP_NONE;
    return (present & ~wanted) == 0 ? SKIP_ALL : SKIP_SOME;
}

static enum skip_answer of_source(const struct query_node *q, const struct skip_block *b)
{
    struct view senders = b->senders(b->context);
    if (!senders_in_network(senders, &q->network))
        return SKIP_NONE;
    size_t position = 0;
    bool has_any = false;
    for (struct ip ip; senders_next(senders, &position, &ip);) {
        has_any = true;
        if (!ip_in_network(&ip, &q->network))
            return SKIP_SOME;
    }
    /* a malformed list ends early: then the block decides */
    return has_any && position == senders.n ? SKIP_ALL : SKIP_SOME;
}

struct token_search {
    const struct skip_block *b;
    bool is_missing;
};

static void look_up(void *context, uint64_t token)
{
    struct token_search *s = context;
    if (!s->is_missing && !s->b->may_contain(s->b->context, token))
        s->is_missing = true;
}

static enum skip_answer of_tokens(const struct query_node *q, const struct skip_block *b)
{
    const struct query_pattern *p = &q->pattern;
    struct token_search s = {b, false};
    for (size_t i = 0; i < p->pieces_n && !s.is_missing; i++) {
        bool left = i == 0 && p->left_border;
        bool right = i + 1 == p->pieces_n && p->right_border;
        tokens_of_needle(p->pieces[i], left, right, look_up, &s);
    }
    return s.is_missing ? SKIP_NONE : SKIP_SOME;
}

static enum skip_answer answer(const struct query_node *q, const struct skip_block *b,
                               bool with_tokens)
{
    switch (q->kind) {
    case QUERY_ALL:
        return SKIP_ALL;
    case QUERY_AND: {
        enum skip_answer least = SKIP_ALL;
        for (size_t i = 0; i < q->children_n && least != SKIP_NONE; i++) {
            enum skip_answer a = answer(q->children[i], b, with_tokens);
            least = MIN(least, a);
        }
        return least;
    }
    case QUERY_OR: {
        enum skip_answer most = SKIP_NONE;
        for (size_t i = 0; i < q->children_n && most != SKIP_ALL; i++) {
            enum skip_answer a = answer(q->children[i], b, with_tokens);
            most = MAX(most, a);
        }
        return most;
    }
    case QUERY_NOT:
        return (enum skip_answer)(SKIP_ALL - answer(q->children[0], b, with_tokens));
    case QUERY_TEXT:
    case QUERY_VALUE:
        return with_tokens ? of_tokens(q, b) : SKIP_SOME;
    case QUERY_SEVERITY:
        return of_bits(b->severities, q->bits);
    case QUERY_FACILITY:
        return of_bits(b->facilities, q->bits);
    case QUERY_LISTENER:
        return of_bits(b->listeners, q->bits);
    case QUERY_SOURCE:
        return of_source(q, b);
    case QUERY_PRESENT:
        return q->fields == FIELD_MESSAGE ? SKIP_ALL : SKIP_SOME;
    case QUERY_FORMAT:
    case QUERY_MARK:
        return SKIP_SOME;
    case QUERY_PAIR:
        return with_tokens && skip_pair_is_missing(q, b) ? SKIP_NONE : SKIP_SOME;
    }
    return SKIP_SOME;
}

enum skip_answer skip_decide(const struct query_node *q, const struct skip_block *b,
                             enum skip_reason *ret_reason)
{
    if (q == NULL)
        return SKIP_ALL;
    enum skip_answer a = answer(q, b, false);
    if (a == SKIP_NONE)
        *ret_reason = SKIP_BY_METADATA;
    if (a != SKIP_SOME)
        return a;
    a = answer(q, b, true);
    if (a == SKIP_NONE)
        *ret_reason = SKIP_BY_TOKENS;
    return a;
}
