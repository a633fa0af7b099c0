/* Which rows of a block a query matches. */
#ifndef AZEKURA_EVALUATE_H
#define AZEKURA_EVALUATE_H

#include "block/block.h"
#include "query/query.h"
#include "pgext/rows.h"

/* The rows among `candidates` that match `q` (NULL: all of them), in *ret; *ret and `candidates`
 * are different sets.  Loads the columns it needs, cheap ones first, and none when no candidate is
 * left. Scratch memory comes from r->memory.  0, or -EBADMSG with *err when a column is damaged. */
MUST_USE int evaluate_rows(struct block_reader *r, const struct query_node *q,
                           const struct rows *candidates, struct rows *ret, struct err *err);

/* The same for one QUERY_PAIR; *ret is empty at first. */
MUST_USE int evaluate_pair(struct block_reader *r, const struct query_node *q,
                           const struct rows *candidates, struct rows *ret, struct err *err);
/* Rows of a loaded text column in which `p` is found, added to *ret. */
void evaluate_text(struct block_reader *r, const struct query_pattern *p, enum block_column c,
                   const struct rows *candidates, struct rows *ret);
/* Room for the pairs of any one text of a loaded column (query/pairs.h). */
char *pairs_scratch_of_column(struct block_reader *r, enum block_column c);

#endif
