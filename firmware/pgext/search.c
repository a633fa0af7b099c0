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
    if (result->setDesc->natts != ENTRY_FIELDS)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("azekura.logs has %d columns where %d are expected",
                               result->setDesc->natts, ENTRY_FIELDS)));
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

/* The row with exactly this seq among those of one microsecond. */
static bool find_seq(struct scan_block *b, uint64_t seq, uint32_t *ret_row)
{
    for (uint32_t i = rows_next(b->rows, 0); i != UINT32_MAX; i = rows_next(b->rows, i + 1)) {
        if (block_seq(&b->reader, i) == seq) {
            *ret_row = i;
            return true;
        }
    }
    return false;
}

static bytea *raw_of_row(struct scan_block *b, uint32_t row)
{
    struct err err = {0};
    struct buf out = BUF_INIT(MESSAGE_MAX_BYTES_LIMIT + HEADER_FIELD_MAX_BYTES);
    int e = block_raw(&b->reader, row, &out, &err);
    bytea *raw = NULL;
    if (e >= 0 && (raw = palloc_extended(out.n + VARHDRSZ, MCXT_ALLOC_NO_OOM)) != NULL) {
        SET_VARSIZE(raw, out.n + VARHDRSZ);
        memcpy(VARDATA(raw), buf_view(&out).p, out.n);
    }
    buf_free(&out); /* before any ERROR: it is not palloc'd */
    if (e == -ENOSPC || (e >= 0 && raw == NULL))
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("the message is longer than %d bytes", MESSAGE_MAX_BYTES_LIMIT)));
    if (e < 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the message's block is damaged"),
                        errdetail("%s", err.message)));
    return raw;
}

/* raw(id): the bytes as received; null where there is no such message. */
Datum azekura_raw(PG_FUNCTION_ARGS)
{
    struct entry_id id = id_of_view(view_of_argument(fcinfo, 0), "id",
                                    "An id is what azekura.logs shows in its column id.");
    if (id.at_us == INT64_MAX || id.at_us == INT64_MIN)
        PG_RETURN_NULL();
    struct scan_spec spec = {
        .from_us = id.at_us,
        .to_us = id.at_us + 1,
        .order = SCAN_BLOCKS,
        .columns = 1u << COLUMN_SEQ,
        .wants_rows = true,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    struct scan *scan = scan_open(&spec);
    struct scan_block *b;
    bytea *raw = NULL;
    uint32_t row;
    while (raw == NULL && (b = scan_next_block(scan)) != NULL) {
        if (find_seq(b, id.seq, &row))
            raw = raw_of_row(b, row);
    }
    scan_discard(&scan);
    if (raw == NULL)
        PG_RETURN_NULL();
    PG_RETURN_BYTEA_P(raw);
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
