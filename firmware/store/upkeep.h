/* What the keeper does to the store: pieces ahead of time, compaction, giving space back,
 * forgetting what is over. */
#ifndef AZEKURA_STORE_UPKEEP_H
#define AZEKURA_STORE_UPKEEP_H

#include "store/connection.h"

/* Make sure that today and `days` days from it have a piece in every group in use, days of `zone`.
 * Returns how many pieces were looked at, or negative. */
MUST_USE int64_t upkeep_partitions(PGconn *c, int64_t days, const char *zone, struct err *err);

#define UPKEEP_PIECE_MAX 64 /* bytes of a piece's name with its zero: PostgreSQL's limit */
/* Merge small blocks of one piece of the last `days` days into full ones: the oldest after `after`
 * (name of a piece; "": from the first one on) that is over and has two small blocks, or one of
 * today in which `small_blocks` have gathered.  Blocks younger than `quiet_seconds` are left alone.
 * One transaction of at most `max_blocks` blocks. Returns 1 when something was merged (there may be
 * more in this piece); 0 when there was nothing to be won in it (damaged blocks stay, and such that
 * do not fit together: go on after it); or negative.  ret_piece, in all cases: the piece, "" when
 * there is none left. */
MUST_USE int upkeep_compact(PGconn *c, int64_t days, const char *after, int64_t small_blocks,
                            int64_t quiet_seconds, int64_t max_blocks,
                            char ret_piece[UPKEEP_PIECE_MAX], struct err *err);

/* Give back what compaction has left as holes in one piece that is over and merged: the oldest
 * after `after` that was not looked at since it changed.  It is written anew when more than a fifth
 * of it is holes; that needs as much free space as the piece will take, for a moment.  Returns 1
 * with the piece and the bytes given back (0: nothing to be won, or others need it now: go on after
 * it, it comes again in the next round); 0 and "" when there is none left; or negative. */
MUST_USE int upkeep_rewrite(PGconn *c, const char *after, char ret_piece[UPKEEP_PIECE_MAX],
                            int64_t *ret_bytes, struct err *err);

/* Drop pieces that are over and never had a message, or whose group is retired; a bounded number a
 * call.  Returns how many, or negative. */
MUST_USE int64_t upkeep_drop_empty(PGconn *c, struct err *err);

/* Forget ended sessions and failed log-ins older than a day.  Returns rows removed, or negative. */
MUST_USE int64_t upkeep_forget_access(PGconn *c, struct err *err);

/* Forget the ledger's minutes, gaps and refused senders older than `days`, a bounded number a call.
 * Returns rows removed, or negative. */
MUST_USE int64_t upkeep_forget_ledger(PGconn *c, int64_t days, struct err *err);

#endif
