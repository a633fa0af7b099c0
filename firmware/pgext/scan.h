/* The one way through the stored messages: search(), the foreign table, histogram(), facets() and
 * raw() are all loops over a scan.
 *
 *   blocks in range ──▶ metadata, token index ──▶ columns of the query ──▶ rows ──▶ merged in order
 *                         skipped                    evaluated to a set
 */
#ifndef AZEKURA_SCAN_H
#define AZEKURA_SCAN_H

#include "pgext/blocks.h"
#include "pgext/entry_id.h"
#include "pgext/rows.h"
#include "pgext/skip.h"
#include "lib/ilist.h"
#include "lib/pairingheap.h"

enum scan_order {
    SCAN_ASC,   /* rows by (received_at, seq) */
    SCAN_DESC,  /* the same, backward */
    SCAN_BLOCKS /* block by block, newest first; rows of different blocks in no order */
};

struct scan_spec {
    const struct query_node *query; /* borrowed for the life of the scan; NULL: everything */
    int64_t from_us, to_us;         /* [from, to) */
    enum scan_order order;
    bool has_after;
    struct entry_id after; /* only what comes strictly after it in the order */
    uint32_t columns;      /* bit of enum block_column: loaded for matching rows */
    bool wants_rows;       /* false: the count is enough for a block that matches as a whole */
    int64_t limit_us;      /* of work; 0: none */
    Snapshot snapshot;
    Oid user; /* whose right to read is checked */
    /* instead of the table's blocks: these, in the order of reading; for compaction */
    const struct stored_block *list;
    size_t list_n;
};

struct scan_stats {
    uint64_t blocks_in_range, skipped_by_metadata, skipped_by_tokens;
    uint64_t blocks_counted; /* matched as a whole, without opening them */
    uint64_t blocks_read;    /* at least one column was */
    uint64_t messages_examined, matched, damaged;
    int64_t elapsed_us;
    bool is_complete;
    bool has_resume;
    struct entry_id resume; /* where to go on after is_complete == false */
};

struct scan_block {
    struct stored_block stored;
    struct block_reader reader; /* with the columns of the spec loaded, unless is_whole */
    bool is_whole;              /* every row matches and nothing was loaded; `rows` is not set */
    uint32_t matches;
    struct rows *rows;
    /* of the merge */
    struct entry_id key;
    uint32_t row;
    bool is_loaded;
    uint64_t load; /* number of this opening of columns in the session: for caches over them */
    pairingheap_node heap_node;
    dlist_node list_node;
    MemoryContext context; /* holds this block; its child holds the columns */
    MemoryContext columns_context;
    struct scan *scan;
};

struct scan;

/* Lives in a context of its own under CurrentMemoryContext; an ERROR closes it. */
struct scan *scan_open(const struct scan_spec *spec);
/* SCAN_BLOCKS: the next block with a matching row, valid until the next call; NULL at the end. */
struct scan_block *scan_next_block(struct scan *s);
/* SCAN_ASC, SCAN_DESC: the next row, valid until the next call; false at the end. */
bool scan_next_row(struct scan *s, struct scan_block **ret_block, uint32_t *ret_row);
/* Load a further column of a block that was given.  false (after a WARNING): it is damaged, the
 * block's rows are to be left out. */
bool scan_load(struct scan_block *b, enum block_column c);
const struct scan_stats *scan_stats(const struct scan *s);
/* Also makes the numbers those of azekura.last_scan(). */
void scan_close(struct scan **s);
/* Like scan_close, but leaves azekura.last_scan() alone: for look-ups inside other work. */
void scan_discard(struct scan **s);
/* How many blocks the range and the metadata leave to be opened or counted; opens none. */
uint64_t scan_count_candidates(const struct scan_spec *spec);
/* Add the numbers of `b` to `a`. */
void scan_stats_add(struct scan_stats *a, const struct scan_stats *b);
/* The last closed scan of this session; false when there was none. */
bool scan_last(struct scan_stats *ret);

/* Prepare a reader over a stored row; memory comes from CurrentMemoryContext at the time of the
 * call. */
void scan_reader_init(struct block_reader *r, struct stored_block *stored);
/* WARNING about a block that does not verify. */
void scan_warn_damaged(const struct stored_block *stored, const struct err *err);

#endif
