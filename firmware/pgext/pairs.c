/* azekura.pairs(), pairs_of() and marks(): what a message is made of beside its fields. */
#include "pgext/pgext.h"

#include "utils/snapmgr.h"

#include "pgext/entry.h"
#include "pgext/pairs.h"
#include "pgext/parser.h"
#include "query/pairs.h"

PGEXT_FUNCTION(azekura_pairs);
PGEXT_FUNCTION(azekura_pairs_of);
PGEXT_FUNCTION(azekura_marks);

/* ---- the message of an id ---- */

bool pairs_find_message(struct view id, uint32_t columns, struct pairs_message *ret)
{
    struct entry_id at;
    if (entry_id_parse(id, &at) < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("invalid id \"%.*s\"", (int)Min(id.n, 100), id.p),
                        errhint("An id is what azekura.logs shows in its column id.")));
    if (at.at_us == INT64_MAX || at.at_us == INT64_MIN)
        return false;
    struct scan_spec spec = {
        .from_us = at.at_us,
        .to_us = at.at_us + 1,
        .order = SCAN_BLOCKS,
        .columns = 1u << COLUMN_TIMES | 1u << COLUMN_SEQ | columns,
        .wants_rows = true,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    struct scan *scan = scan_open(&spec);
    bool is_found = false;
    for (struct scan_block *b; !is_found && (b = scan_next_block(scan)) != NULL;) {
        uint32_t row;
        is_found = block_row_of_seq(&b->reader, at.seq, &row) &&
                   block_time(&b->reader, row) == at.at_us;
        if (!is_found)
            continue;
        *ret = (struct pairs_message){.message = VIEW_NULL};
        if (columns & 1u << COLUMN_FLAGS)
            ret->flags = block_flags(&b->reader, row);
        if (columns & 1u << COLUMN_MESSAGE) {
            struct view m = block_text(&b->reader, COLUMN_MESSAGE, row);
            ret->message = view_of(pnstrdup(m.p ? m.p : "", m.n), m.n);
        }
        if (columns & 1u << COLUMN_STRUCTURED_DATA) {
            struct view d = block_text(&b->reader, COLUMN_STRUCTURED_DATA, row);
            if (d.p)
                ret->structured_data = view_of(pnstrdup(d.p, d.n), d.n);
        }
    }
    scan_discard(&scan);
    return is_found;
}

/* ---- pairs ---- */

static bool put_pair(void *context, const struct pair *p)
{
    ReturnSetInfo *result = context;
    Datum values[2] = {text_of_view(p->name), text_of_view(p->value)};
    bool nulls[2] = {false, false};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    pfree(DatumGetPointer(values[0]));
    pfree(DatumGetPointer(values[1]));
    return true;
}

static void put_pairs(ReturnSetInfo *result, struct view message, struct view structured_data)
{
    char *scratch = palloc(Max(message.n, structured_data.n) + 1);
    pairs_of_structured_data(structured_data, scratch, put_pair, result);
    pairs_of_message(message, scratch, put_pair, result);
    pfree(scratch);
}

/* pairs(id) */
Datum azekura_pairs(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    struct pairs_message m;
    if (!PG_ARGISNULL(0) &&
        pairs_find_message(view_of_argument(fcinfo, 0),
                           1u << COLUMN_MESSAGE | 1u << COLUMN_STRUCTURED_DATA, &m))
        put_pairs((ReturnSetInfo *)fcinfo->resultinfo, m.message, m.structured_data);
    return (Datum)0;
}

/* pairs_of(message, structured_data) */
Datum azekura_pairs_of(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    put_pairs((ReturnSetInfo *)fcinfo->resultinfo, view_of_argument(fcinfo, 0),
              view_of_argument(fcinfo, 1));
    return (Datum)0;
}

/* marks(id): null where there is no such message */
Datum azekura_marks(PG_FUNCTION_ARGS)
{
    struct pairs_message m;
    if (!pairs_find_message(view_of_argument(fcinfo, 0), 1u << COLUMN_FLAGS, &m))
        PG_RETURN_NULL();
    PG_RETURN_DATUM(parser_marks(m.flags));
}
