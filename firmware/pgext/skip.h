/* What a block's metadata say about a query, before the block is opened: three answers, of which
 * only "some" costs work. */
#ifndef AZEKURA_SKIP_H
#define AZEKURA_SKIP_H

#include "query/query.h"
#include "block/tokens.h"

enum skip_answer {
    SKIP_NONE, /* no row can match */
    SKIP_SOME, /* the block has to be opened */
    SKIP_ALL,  /* every row matches */
};

struct skip_block {
    uint8_t severities;
    uint32_t facilities;
    uint8_t listeners;
    void *context;                         /* of the two functions below */
    struct view (*senders)(void *context); /* the stored list, fetched when asked for */
    bool (*may_contain)(void *context, uint64_t token); /* the token index */
};

/* What metadata ruled a block out; for EXPLAIN. */
enum skip_reason { SKIP_BY_METADATA, SKIP_BY_TOKENS };

/* `q` NULL: everything.  The token index is asked only when the rest does not decide.  *ret_reason
 * is set for SKIP_NONE. */
enum skip_answer skip_decide(const struct query_node *q, const struct skip_block *b,
                             enum skip_reason *ret_reason);
/* The token index says that no message has a pair that `q` (QUERY_PAIR) matches. */
bool skip_pair_is_missing(const struct query_node *q, const struct skip_block *b);

#endif
