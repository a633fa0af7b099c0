/* azekura.verify_block(): check a stored row from end to end. */
#include "pgext/pgext.h"

#include "utils/typcache.h"

#include "pgext/scan.h"

PGEXT_FUNCTION(azekura_verify_block);

static struct buf borrow(bool has_value, Datum d)
{
    if (!has_value)
        return (struct buf){0};
    struct varlena *v = PG_DETOAST_DATUM_PACKED(d);
    size_t n = VARSIZE_ANY_EXHDR(v);
    return (struct buf){.p = VARDATA_ANY(v), .n = n, .cap = n, .max = n};
}

/* verify_block(row of log_block): null, or the fault in a sentence */
Datum azekura_verify_block(PG_FUNCTION_ARGS)
{
    HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
    TupleDesc desc =
        lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
    ItemPointerSetInvalid(&tuple.t_self);
    struct stored_block stored;
    struct blocks_row *row = blocks_row_of(desc);
    if (!blocks_row_is_whole(row))
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the row is not one of azekura.log_block")));
    blocks_read_row(row, &tuple, &stored);
    ReleaseTupleDesc(desc);
    if (stored.messages < 1 || stored.messages > BLOCK_MAX_MESSAGES)
        PG_RETURN_TEXT_P(cstring_to_text(
            psprintf("%d messages are out of 1..%d", stored.messages, BLOCK_MAX_MESSAGES)));

    struct block meta = {
        .first_at_us = stored.first_at_us,
        .last_at_us = stored.last_at_us,
        .first_seq = stored.first_seq,
        .messages = (uint32_t)stored.messages,
        .raw_bytes = (uint64_t)stored.raw_bytes,
        .severities = stored.severities,
        .facilities = stored.facilities,
        .listeners = stored.listeners,
        .senders = borrow(stored.senders != 0, stored.senders),
        .tokens = borrow(stored.has_tokens, stored.tokens),
    };
    struct block_reader reader;
    struct err err = {0};
    scan_reader_init(&reader, &stored);
    if (block_verify(&reader, &meta, &err) < 0)
        PG_RETURN_TEXT_P(cstring_to_text(err.message));
    PG_RETURN_NULL();
}
