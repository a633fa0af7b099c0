/* The scan engine.  In order, it merges the rows of blocks that overlap in time:
 *
 *   newest first        unread: their last_at never rises ──▶
 *   open  ██████▓▓▓     next  ░░░░░░░      a row leaves only when no unread block can hold one
 *   open     ███▓▓▓▓▓▓    …      ░░░░░     that comes before it
 *
 * Each open block has a memory context; a heap gives the one whose row is due. */
#include "pgext/scan.h"

#include "access/detoast.h"
#include "pgext/evaluate.h"

/* decompressed columns kept open at once; beyond it, blocks that are not due are closed and read
 * again */
#define SCAN_OPEN_BYTES (256u << 20)

struct scan {
    struct scan_spec spec;
    MemoryContext context;
    struct blocks *blocks; /* NULL when the spec has a list */
    size_t next_of_list;
    struct stored_block next; /* the first unread one */
    bool has_next;
    pairingheap heap;           /* of open blocks, the due one on top */
    dlist_head open;            /* the same blocks */
    struct scan_block *current; /* whose row was given last */
    int64_t started_us;
    struct entry_id start; /* where the search begins in the order */
    struct scan_stats stats;
};

static struct scan_stats last_stats;
static bool has_last_stats;

/* ---- reading a stored row ---- */

static void *reader_alloc(void *context, size_t n)
{
    return MemoryContextAllocExtended(context, n, MCXT_ALLOC_HUGE);
}

static struct view reader_fetch(void *context, enum block_column c)
{
    struct stored_block *stored = context;
    if (!stored->has_column[c])
        return VIEW_NULL;
    struct varlena *v = PG_DETOAST_DATUM_PACKED(stored->columns[c]);
    return view_of(VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v));
}

void scan_reader_init(struct block_reader *r, struct stored_block *stored)
{
    struct block_memory memory = {reader_alloc, CurrentMemoryContext};
    block_reader_init(r, (uint32_t)stored->messages, stored->first_seq, memory, reader_fetch,
                      stored);
}

void scan_warn_damaged(const struct stored_block *stored, const struct err *err)
{
    ereport(WARNING,
            (errcode(ERRCODE_DATA_CORRUPTED),
             errmsg("block of azekura.log_block with first_at %s, first_seq %lld is damaged, "
                    "skipping its %d messages",
                    timestamptz_to_str(timestamp_of_us(stored->first_at_us)),
                    (long long)stored->first_seq, stored->messages),
             errdetail("%s", err->message)));
}

/* ---- metadata ---- */

static struct view skip_senders(void *context)
{
    struct stored_block *stored = context;
    struct varlena *v = PG_DETOAST_DATUM_PACKED(stored->senders);
    return view_of(VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v));
}

/* A slice of the stored index: one chunk of TOAST and no more. */
static bool skip_may_contain(void *context, uint64_t token)
{
    struct stored_block *stored = context;
    if (!stored->has_tokens)
        return true;
    uint64_t offset;
    uint32_t bytes;
    tokens_slice(toast_raw_datum_size(stored->tokens) - VARHDRSZ, token, &offset, &bytes);
    if (bytes == 0)
        return true;
    struct varlena *v = PG_DETOAST_DATUM_SLICE(stored->tokens, (int32)offset, (int32)bytes);
    bool may = tokens_slice_may_contain(view_of(VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v)), token);
    pfree(v);
    return may;
}

static enum skip_answer decide(const struct scan *s, struct stored_block *stored,
                               enum skip_reason *ret_reason)
{
    struct skip_block meta = {stored->severities, stored->facilities, stored->listeners, stored,
                              skip_senders,       skip_may_contain};
    *ret_reason = SKIP_BY_METADATA;
    return skip_decide(s->spec.query, &meta, ret_reason);
}

/* ---- opening a block ---- */

static int load_columns(struct scan_block *b, struct err *err)
{
    for (int c = 0; c < BLOCK_COLUMNS; c++) {
        if (b->scan->spec.columns >> c & 1) {
            int e = block_load(&b->reader, c, err);
            if (e < 0)
                return e;
        }
    }
    static uint64_t loads;
    b->is_loaded = true;
    b->load = ++loads;
    return 0;
}

/* Take the rows off that do not come after the cursor: of the cursor's own microsecond, by seq. */
static int apply_cursor(struct scan_block *b, struct rows *candidates, struct err *err)
{
    const struct scan_spec *spec = &b->scan->spec;
    uint32_t row = block_lower_bound(&b->reader, spec->after.at_us);
    if (row >= candidates->n || block_time(&b->reader, row) != spec->after.at_us)
        return 0;
    int e = block_load(&b->reader, COLUMN_SEQ, err);
    if (e < 0)
        return e;
    for (; row < candidates->n && block_time(&b->reader, row) == spec->after.at_us; row++) {
        uint64_t seq = block_seq(&b->reader, row);
        if (spec->order == SCAN_ASC ? seq <= spec->after.seq : seq >= spec->after.seq)
            rows_remove(candidates, row);
    }
    return 0;
}

static int find_rows(struct scan_block *b, bool all_match, struct err *err)
{
    const struct scan_spec *spec = &b->scan->spec;
    struct stored_block *stored = &b->stored;
    uint32_t n = (uint32_t)stored->messages;
    bool is_inside = stored->first_at_us >= spec->from_us && stored->last_at_us < spec->to_us;
    bool has_cursor = spec->has_after && stored->first_at_us <= spec->after.at_us &&
                      stored->last_at_us >= spec->after.at_us;
    if (is_inside && !has_cursor && all_match && !spec->wants_rows) {
        b->is_whole = true;
        b->matches = n;
        return 0;
    }
    struct rows *candidates = palloc(sizeof(*candidates));
    /* beside the columns, which may be closed and read again */
    b->rows = MemoryContextAlloc(b->context, sizeof(*b->rows));
    uint32_t low = 0, high = n;
    if (!is_inside || has_cursor) {
        int e = block_load(&b->reader, COLUMN_TIMES, err);
        if (e < 0)
            return e;
        low = spec->from_us == RANGE_OPEN_FROM ? 0 : block_lower_bound(&b->reader, spec->from_us);
        high = spec->to_us == RANGE_OPEN_TO ? n : block_lower_bound(&b->reader, spec->to_us);
    }
    rows_range(candidates, n, low, high);
    int e = has_cursor ? apply_cursor(b, candidates, err) : 0;
    if (e >= 0)
        e = evaluate_rows(&b->reader, all_match ? NULL : spec->query, candidates, b->rows, err);
    if (e < 0)
        return e;
    b->matches = rows_count(b->rows);
    return b->matches > 0 ? load_columns(b, err) : 0;
}

static void mark_damaged(struct scan_block *b, const struct err *err)
{
    b->scan->stats.damaged++;
    scan_warn_damaged(&b->stored, err);
}

static bool has_read_column(const struct block_reader *r)
{
    for (int c = 0; c < BLOCK_COLUMNS; c++) {
        if (r->decoded[c])
            return true;
    }
    return false;
}

static void free_block(struct scan_block **b)
{
    if (*b == NULL)
        return;
    blocks_free_tuple(&(*b)->stored);
    MemoryContextDelete((*b)->context);
    *b = NULL;
}

static struct scan_block *new_block(struct scan *s)
{
    MemoryContext context =
        AllocSetContextCreate(s->context, "azekura block", ALLOCSET_DEFAULT_SIZES);
    struct scan_block *b = MemoryContextAllocZero(context, sizeof(*b));
    b->context = context;
    b->columns_context =
        AllocSetContextCreate(context, "azekura block columns", ALLOCSET_DEFAULT_SIZES);
    b->scan = s;
    b->stored = s->next;
    return b;
}

static void read_next(struct scan *s)
{
    if (s->spec.list) {
        s->has_next = s->next_of_list < s->spec.list_n;
        if (s->has_next)
            s->next = s->spec.list[s->next_of_list++];
        s->next.tuple = NULL; /* the list keeps it */
    } else {
        s->has_next = blocks_next(s->blocks, &s->next);
    }
    if (s->has_next)
        s->stats.blocks_in_range++;
}

/* Take the next unread block and evaluate it: the block, or NULL when it has no matching row. */
static struct scan_block *open_next(struct scan *s)
{
    struct scan_block *b = new_block(s);
    read_next(s);
    MemoryContext old = MemoryContextSwitchTo(b->columns_context);
    enum skip_reason reason;
    enum skip_answer answer = decide(s, &b->stored, &reason);
    if (answer == SKIP_NONE) {
        if (reason == SKIP_BY_TOKENS)
            s->stats.skipped_by_tokens++;
        else
            s->stats.skipped_by_metadata++;
    } else {
        struct err err = {0};
        int e = 0;
        if (b->stored.messages < 1 || b->stored.messages > BLOCK_MAX_MESSAGES) {
            e = err_set(&err, EBADMSG, "bad_block", "it claims %d messages", b->stored.messages);
        } else {
            scan_reader_init(&b->reader, &b->stored);
            e = find_rows(b, answer == SKIP_ALL, &err);
        }
        if (b->is_whole)
            s->stats.blocks_counted++;
        else if (has_read_column(&b->reader)) {
            s->stats.blocks_read++;
            s->stats.messages_examined += (uint64_t)b->stored.messages;
        }
        if (e < 0) {
            mark_damaged(b, &err);
            b->matches = 0;
        }
        s->stats.matched += b->matches;
    }
    MemoryContextSwitchTo(old);
    if (b->matches == 0)
        free_block(&b);
    return b;
}

/* ---- time ---- */

static int64_t edge(const struct scan *s)
{
    return s->spec.order == SCAN_ASC ? s->next.first_at_us : s->next.last_at_us;
}

/* The point in the order before everything in unread blocks. */
static struct entry_id resume_point(const struct scan *s)
{
    return s->spec.order == SCAN_ASC ? (struct entry_id){edge(s) - 1, UINT64_MAX}
                                     : (struct entry_id){edge(s) + 1, 0};
}

/* Whether to stop before the next unread block.  Only where the search has come forward from where
 * it began: a caller that goes on from each resume point comes to the end, however short the time.
 */
static bool is_time_up(struct scan *s)
{
    if (s->spec.limit_us == 0 || clock_mono_us() - s->started_us < s->spec.limit_us)
        return false;
    struct entry_id resume = resume_point(s);
    int forward = entry_id_compare(resume, s->start);
    if (s->spec.order == SCAN_ASC ? forward <= 0 : forward >= 0)
        return false;
    s->stats.is_complete = false;
    if (s->spec.order != SCAN_BLOCKS) {
        s->stats.has_resume = true;
        s->stats.resume = resume;
    }
    return true;
}

/* ---- the scan ---- */

static int compare_due(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
    const struct scan *s = arg;
    int order = entry_id_compare(pairingheap_const_container(struct scan_block, heap_node, a)->key,
                                 pairingheap_const_container(struct scan_block, heap_node, b)->key);
    return s->spec.order == SCAN_DESC ? order : -order;
}

struct scan *scan_open(const struct scan_spec *spec)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "azekura scan", ALLOCSET_DEFAULT_SIZES);
    MemoryContext old = MemoryContextSwitchTo(context);
    struct scan *s = palloc0(sizeof(*s));
    s->context = context;
    s->spec = *spec;
    s->stats.is_complete = true;
    s->started_us = clock_mono_us();
    bool is_ordered = spec->order != SCAN_BLOCKS;
    if (is_ordered) {
        s->spec.wants_rows = true;
        s->spec.columns |= 1u << COLUMN_TIMES | 1u << COLUMN_SEQ;
    }
    if (spec->has_after) {
        /* the cursor narrows the range; its own microsecond is sorted out by seq */
        if (spec->order == SCAN_ASC)
            s->spec.from_us = Max(spec->from_us, spec->after.at_us);
        else if (spec->after.at_us < INT64_MAX)
            s->spec.to_us = Min(spec->to_us, spec->after.at_us + 1);
    }
    s->heap.ph_compare = compare_due;
    s->heap.ph_arg = s;
    dlist_init(&s->open);
    if (spec->list == NULL)
        s->blocks = blocks_open(spec->snapshot, spec->user, s->spec.from_us, s->spec.to_us,
                                spec->order != SCAN_ASC);
    if (s->spec.from_us < s->spec.to_us)
        read_next(s);
    if (spec->has_after)
        s->start = spec->after;
    else if (s->has_next)
        s->start = resume_point(s);
    MemoryContextSwitchTo(old);
    return s;
}

struct scan_block *scan_next_block(struct scan *s)
{
    free_block(&s->current);
    while (s->has_next && s->current == NULL) {
        CHECK_FOR_INTERRUPTS();
        if (is_time_up(s))
            return NULL;
        s->current = open_next(s);
    }
    return s->current;
}

static void set_key(struct scan_block *b)
{
    b->key = (struct entry_id){block_time(&b->reader, b->row), block_seq(&b->reader, b->row)};
}

/* Close the columns of blocks that are not due when too much is open; bitmaps and keys stay. */
static void limit_memory(struct scan *s)
{
    if (MemoryContextMemAllocated(s->context, true) < SCAN_OPEN_BYTES)
        return;
    dlist_iter i;
    dlist_foreach(i, &s->open)
    {
        struct scan_block *b = dlist_container(struct scan_block, list_node, i.cur);
        if (&b->heap_node == pairingheap_first(&s->heap) || !b->is_loaded)
            continue;
        MemoryContextReset(b->columns_context);
        b->is_loaded = false;
    }
}

static bool reload(struct scan_block *b)
{
    if (b->is_loaded)
        return true;
    MemoryContext old = MemoryContextSwitchTo(b->columns_context);
    struct err err = {0};
    scan_reader_init(&b->reader, &b->stored);
    int e = load_columns(b, &err);
    MemoryContextSwitchTo(old);
    if (e < 0)
        mark_damaged(b, &err);
    return e >= 0;
}

static void push(struct scan *s, struct scan_block *b)
{
    b->row = s->spec.order == SCAN_ASC ? rows_next(b->rows, 0) : rows_previous(b->rows, UINT32_MAX);
    set_key(b);
    pairingheap_add(&s->heap, &b->heap_node);
    dlist_push_tail(&s->open, &b->list_node);
    limit_memory(s);
}

/* Move the block whose row was given last to its next row. */
static void advance_current(struct scan *s)
{
    struct scan_block *b = s->current;
    if (b == NULL)
        return;
    s->current = NULL;
    pairingheap_remove(&s->heap, &b->heap_node);
    if (s->spec.order == SCAN_ASC)
        b->row = rows_next(b->rows, b->row + 1);
    else
        b->row = b->row == 0 ? UINT32_MAX : rows_previous(b->rows, b->row - 1);
    if (b->row == UINT32_MAX) {
        dlist_delete(&b->list_node);
        free_block(&b);
        return;
    }
    set_key(b);
    pairingheap_add(&s->heap, &b->heap_node);
}

/* Whether the first unread block may hold a row that comes before the key. */
static bool may_precede(const struct scan *s, struct entry_id key)
{
    return s->spec.order == SCAN_ASC ? s->next.first_at_us <= key.at_us
                                     : s->next.last_at_us >= key.at_us;
}

static struct scan_block *due_block(struct scan *s)
{
    if (pairingheap_is_empty(&s->heap))
        return NULL;
    return pairingheap_container(struct scan_block, heap_node, pairingheap_first(&s->heap));
}

bool scan_next_row(struct scan *s, struct scan_block **ret_block, uint32_t *ret_row)
{
    advance_current(s);
    for (;;) {
        struct scan_block *due = due_block(s);
        if (s->has_next && (due == NULL || may_precede(s, due->key))) {
            CHECK_FOR_INTERRUPTS();
            if (is_time_up(s))
                return false;
            struct scan_block *b = open_next(s);
            if (b)
                push(s, b);
            continue;
        }
        if (due == NULL)
            return false;
        if (!reload(due)) {
            pairingheap_remove(&s->heap, &due->heap_node);
            dlist_delete(&due->list_node);
            free_block(&due);
            continue;
        }
        s->current = due;
        *ret_block = due;
        *ret_row = due->row;
        return true;
    }
}

bool scan_load(struct scan_block *b, enum block_column c)
{
    if (b->reader.decoded[c])
        return true;
    if (b->is_whole && !has_read_column(&b->reader)) {
        b->scan->stats.blocks_counted--;
        b->scan->stats.blocks_read++;
        b->scan->stats.messages_examined += (uint64_t)b->stored.messages;
    }
    MemoryContext old = MemoryContextSwitchTo(b->columns_context);
    struct err err = {0};
    int e = block_load(&b->reader, c, &err);
    MemoryContextSwitchTo(old);
    if (e < 0)
        mark_damaged(b, &err);
    return e >= 0;
}

const struct scan_stats *scan_stats(const struct scan *s)
{
    return &s->stats;
}

void scan_discard(struct scan **s)
{
    if (*s == NULL)
        return;
    if ((*s)->blocks)
        blocks_close((*s)->blocks);
    MemoryContextDelete((*s)->context);
    *s = NULL;
}

void scan_close(struct scan **s)
{
    if (*s == NULL)
        return;
    (*s)->stats.elapsed_us = clock_mono_us() - (*s)->started_us;
    last_stats = (*s)->stats;
    has_last_stats = true;
    scan_discard(s);
}

uint64_t scan_count_candidates(const struct scan_spec *spec)
{
    struct scan *s = scan_open(spec);
    MemoryContext scratch =
        AllocSetContextCreate(s->context, "azekura metadata", ALLOCSET_DEFAULT_SIZES);
    MemoryContext old = MemoryContextSwitchTo(scratch);
    uint64_t n = 0;
    for (; s->has_next; read_next(s)) {
        enum skip_reason reason;
        n += decide(s, &s->next, &reason) != SKIP_NONE;
        blocks_free_tuple(&s->next);
        MemoryContextReset(scratch);
    }
    MemoryContextSwitchTo(old);
    scan_discard(&s);
    return n;
}

void scan_stats_add(struct scan_stats *a, const struct scan_stats *b)
{
    a->blocks_in_range += b->blocks_in_range;
    a->skipped_by_metadata += b->skipped_by_metadata;
    a->skipped_by_tokens += b->skipped_by_tokens;
    a->blocks_counted += b->blocks_counted;
    a->blocks_read += b->blocks_read;
    a->messages_examined += b->messages_examined;
    a->matched += b->matched;
    a->damaged += b->damaged;
}

bool scan_last(struct scan_stats *ret)
{
    if (has_last_stats)
        *ret = last_stats;
    return has_last_stats;
}
