/* azekura.search(), raw() and last_scan(). */
#include "pgext/pgext.h"

#include "utils/snapmgr.h"

#include "pgext/entry.h"

PGEXT_FUNCTION(azekura_search);
PGEXT_FUNCTION(azekura_raw);
PGEXT_FUNCTION(azekura_last_scan);

/* ---- arguments ---- */

static struct entry_id id_of_view(struct view text, const char *what, const char *hint)
{
    struct entry_id id;
    if (entry_id_parse(text, &id) < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("invalid %s \"%.*s\"", what, (int)Min(text.n, 100), text.p),
                        errhint("%s", hint)));
    return id;
}

static enum scan_order order_of_argument(FunctionCallInfo fcinfo, int n)
{
    struct view text = view_of_argument(fcinfo, n);
    if (PG_ARGISNULL(n) || view_eq_nocase(text, VIEW("desc")))
        return SCAN_DESC;
    if (view_eq_nocase(text, VIEW("asc")))
        return SCAN_ASC;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("invalid order \"%.*s\"", (int)Min(text.n, 100), text.p),
                    errhint("The order is \"asc\" or \"desc\".")));
}

/* ---- search ---- */

/* search(query, from, to, limit, order, cursor) */
Datum azekura_search(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    entry_check_desc(result->setDesc);
    int64_t limit = PG_ARGISNULL(3) ? INT64_MAX : PG_GETARG_INT32(3);
    if (limit < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("limit %lld is negative", (long long)limit)));
    struct scan_spec spec = {
        .query = query_of_text(view_of_argument(fcinfo, 0)),
        .order = order_of_argument(fcinfo, 4),
        .columns = entry_columns(ENTRY_ALL_FIELDS),
        .limit_us = (int64_t)azekura_time_limit_ms * 1000,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    range_of_arguments(fcinfo, 1, &spec.from_us, &spec.to_us);
    if (!PG_ARGISNULL(5)) {
        spec.has_after = true;
        spec.after = id_of_view(view_of_argument(fcinfo, 5), "cursor",
                                "A cursor is the id of the last entry seen.");
    }

    struct scan *scan = scan_open(&spec);
    MemoryContext row_context =
        AllocSetContextCreate(CurrentMemoryContext, "azekura row", ALLOCSET_DEFAULT_SIZES);
    struct entry_maker maker = {.fields = ENTRY_ALL_FIELDS};
    struct scan_block *block;
    uint32_t row;
    for (int64_t n = 0; n < limit && scan_next_row(scan, &block, &row); n++) {
        Datum values[ENTRY_FIELDS];
        bool nulls[ENTRY_FIELDS];
        MemoryContext old = MemoryContextSwitchTo(row_context);
        entry_make(&maker, block, row, values, nulls);
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
        MemoryContextSwitchTo(old);
        MemoryContextReset(row_context);
    }
    scan_close(&scan);
    return (Datum)0;
}

/* ---- raw ---- */

/* The block of the last call in this statement: a list of ids in order opens each block once, and
 * finds each id where the one before was. */
struct raw_cache {
    MemoryContext context; /* of the block; reset for another one */
    struct stored_block stored;
    struct block_reader reader;
    uint32_t next; /* row after the one found last: a guess */
    bool has_block;
};

/* The row with this id; -1: not in this block. */
static int64_t find_id(const struct block_reader *r, struct entry_id id)
{
    for (uint32_t i = block_lower_bound(r, id.at_us); i < r->messages; i++) {
        if (block_time(r, i) != id.at_us)
            return -1;
        if (block_seq(r, i) == id.seq)
            return i;
    }
    return -1;
}

static bool is_at(const struct block_reader *r, uint32_t row, struct entry_id id)
{
    return row < r->messages && block_time(r, row) == id.at_us && block_seq(r, row) == id.seq;
}

static int64_t find_cached(const struct raw_cache *cache, struct entry_id id)
{
    if (!cache->has_block)
        return -1;
    return is_at(&cache->reader, cache->next, id) ? cache->next : find_id(&cache->reader, id);
}

/* Make a block the cached one, in memory of its own, so that the scan that found it can be closed.
 */
static void keep_block(struct raw_cache *cache, const struct scan_block *b)
{
    struct err err = {0};
    cache->has_block = false;
    MemoryContextReset(cache->context);
    MemoryContext old = MemoryContextSwitchTo(cache->context);
    blocks_copy(&cache->stored, &b->stored);
    scan_reader_init(&cache->reader, &cache->stored);
    int e = block_load(&cache->reader, COLUMN_TIMES, &err);
    if (e >= 0)
        e = block_load(&cache->reader, COLUMN_SEQ, &err);
    MemoryContextSwitchTo(old);
    cache->has_block = e >= 0; /* the scan has loaded these two before */
}

static int64_t find_in_store(struct raw_cache *cache, struct entry_id id)
{
    struct scan_spec spec = {
        .from_us = id.at_us,
        .to_us = id.at_us + 1,
        .order = SCAN_BLOCKS,
        .columns = 1u << COLUMN_TIMES | 1u << COLUMN_SEQ,
        .wants_rows = true,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    struct scan *scan = scan_open(&spec);
    int64_t row = -1;
    for (struct scan_block *b; row < 0 && (b = scan_next_block(scan)) != NULL;) {
        row = find_id(&b->reader, id);
        if (row >= 0)
            keep_block(cache, b);
    }
    scan_discard(&scan);
    return cache->has_block ? row : -1;
}

static bytea *raw_of_row(struct raw_cache *cache, uint32_t row)
{
    struct err err = {0};
    struct buf out = BUF_INIT(MESSAGE_MAX_BYTES_LIMIT + HEADER_FIELD_MAX_BYTES);
    bytea *raw = NULL;
    MemoryContext old = MemoryContextSwitchTo(cache->context);
    int e = block_raw(&cache->reader, row, &out, &err);
    MemoryContextSwitchTo(old);
    if (e >= 0 && (raw = palloc_extended(out.n + VARHDRSZ, MCXT_ALLOC_NO_OOM)) != NULL) {
        SET_VARSIZE(raw, out.n + VARHDRSZ);
        memcpy(VARDATA(raw), buf_view(&out).p, out.n);
    }
    buf_free(&out); /* before any ERROR: it is not palloc'd */
    if (e >= 0 && raw == NULL)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    if (e < 0)
        ereport(ERROR,
                (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the block of the message is damaged"),
                 errdetail("%s",
                           e == -ENOSPC ? "The message is longer than any can be." : err.message)));
    return raw;
}

/* raw(id): the bytes as received; null where there is no such message. */
Datum azekura_raw(PG_FUNCTION_ARGS)
{
    struct entry_id id = id_of_view(view_of_argument(fcinfo, 0), "id",
                                    "An id is what azekura.logs shows in its column id.");
    if (id.at_us == INT64_MAX || id.at_us == INT64_MIN)
        PG_RETURN_NULL();
    struct raw_cache *cache = fcinfo->flinfo->fn_extra;
    if (cache == NULL) {
        cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(*cache));
        cache->context =
            AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "azekura raw", ALLOCSET_DEFAULT_SIZES);
        fcinfo->flinfo->fn_extra = cache;
    }
    int64_t row = find_cached(cache, id);
    if (row < 0)
        row = find_in_store(cache, id);
    if (row < 0)
        PG_RETURN_NULL();
    cache->next = (uint32_t)row + 1;
    PG_RETURN_BYTEA_P(raw_of_row(cache, (uint32_t)row));
}

/* ---- last_scan ---- */

/* blocks_in_range, blocks_read, messages_examined, matched, damaged, elapsed_us, complete, resume;
 * a row of nulls before the first scan of the session. */
Datum azekura_last_scan(PG_FUNCTION_ARGS)
{
    TupleDesc desc;
    if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "azekura.last_scan() must return a row");
    Datum values[8] = {0};
    bool nulls[8];
    struct scan_stats s;
    memset(nulls, true, sizeof(nulls));
    if (scan_last(&s)) {
        memset(nulls, false, sizeof(nulls));
        values[0] = Int64GetDatum((int64)s.blocks_in_range);
        values[1] = Int64GetDatum((int64)s.blocks_read);
        values[2] = Int64GetDatum((int64)s.messages_examined);
        values[3] = Int64GetDatum((int64)s.matched);
        values[4] = Int64GetDatum((int64)s.damaged);
        values[5] = Int64GetDatum(s.elapsed_us);
        values[6] = BoolGetDatum(s.is_complete);
        nulls[7] = !s.has_resume;
        if (s.has_resume) {
            char id[ENTRY_ID_BYTES];
            entry_id_format(s.resume, id);
            values[7] = text_of_view(view_of(id, sizeof(id)));
        }
    }
    HeapTuple tuple = heap_form_tuple(BlessTupleDesc(desc), values, nulls);
    PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}
