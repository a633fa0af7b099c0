/* azekura.compact(): merge the small finished blocks of a piece into full ones, in the calling
 * transaction.
 *
 *   before  [▪▪▪][▪][▪▪][█████████][▪▪][▪]      small ones in, rows sorted by (received_at, seq)
 *   after   [▪▪▪▪▪▪▪▪▪][█████████]              full ones left alone
 *
 * The new blocks are built from what a first statement read; exchange.h then puts them in the place
 * of the old ones. */
#include "pgext/pgext.h"

#include "executor/spi.h"

#include "base/limits.h"
#include "pgext/exchange.h"
#include "pgext/scan.h"

PGEXT_FUNCTION(azekura_compact);

/* blocks with as many messages, or half of what a block may hold in text, are full enough */
#define COMPACT_SMALL_MESSAGES 32768
#define COMPACT_SMALL_BYTES (BLOCK_MAX_TEXT_BYTES / 2)
#define COMPACT_MAX_BLOCKS 100000
/* as received, merged by one call: its new blocks wait in memory, compressed, until the old ones
 * are deleted; with text of random bytes that is as much again */
#define COMPACT_MAX_BYTES (256 << 20)

static bool loads(struct stored_block *s)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "azekura check", ALLOCSET_DEFAULT_SIZES);
    MemoryContext old = MemoryContextSwitchTo(context);
    struct block_reader reader;
    struct err err = {0};
    int e = 0;
    scan_reader_init(&reader, s);
    for (int c = 0; c < BLOCK_COLUMNS && e >= 0; c++)
        e = block_load(&reader, c, &err);
    MemoryContextSwitchTo(old);
    if (e < 0)
        scan_warn_damaged(s, &err);
    MemoryContextDelete(context);
    return e >= 0;
}

/* The small finished blocks of the piece; a damaged one is left where it is. */
static void read_old(struct exchange *x, Datum older_than, int32_t max_blocks)
{
    Oid types[7] = {TIMESTAMPTZOID, TIMESTAMPTZOID, TIMESTAMPTZOID, INT4OID,
                    INT8OID,        INT4OID,        INT2OID};
    Datum values[7] = {x->lower,
                       x->upper,
                       older_than,
                       Int32GetDatum(COMPACT_SMALL_MESSAGES),
                       Int64GetDatum(COMPACT_SMALL_BYTES),
                       Int32GetDatum(max_blocks),
                       x->group};
    int e = SPI_execute_with_args(
        "select *, ctid from azekura.log_block where source_group = $7 and first_at >= $1"
        " and first_at < $2 and last_at < $3 and messages < $4 and raw_bytes < $5"
        " order by first_at, first_seq limit $6",
        7, types, values, NULL, false, 0);
    if (e != SPI_OK_SELECT)
        elog(ERROR, "cannot read azekura.log_block: %s", SPI_result_code_string(e));
    SPITupleTable *table = SPI_tuptable;
    struct blocks_row *row = blocks_row_of(table->tupdesc);
    int ctid = SPI_fnumber(table->tupdesc, "ctid");
    int64_t bytes = 0;
    exchange_reserve(x, table->numvals);
    for (uint64 i = 0; i < table->numvals; i++) {
        bool is_null;
        struct stored_block s;
        CHECK_FOR_INTERRUPTS();
        blocks_read_row(row, table->vals[i], &s);
        if (bytes + s.raw_bytes > COMPACT_MAX_BYTES)
            break;
        if (!loads(&s))
            continue;
        bytes += s.raw_bytes;
        exchange_take(x, &s, SPI_getbinval(table->vals[i], table->tupdesc, ctid, &is_null));
    }
}

/* ---- the new blocks ---- */

static void add_row(struct exchange *x, struct scan_block *b, uint32_t row)
{
    struct record record;
    struct err err = {0};
    if (block_record(&b->reader, row, &x->memory->arena, &record, &err) < 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("cannot compact a damaged block"),
                        errdetail("%s", err.message)));
    exchange_add(x, &record, block_seq(&b->reader, row));
}

static void build_new(struct exchange *x)
{
    struct scan_spec spec = {
        .from_us = RANGE_OPEN_FROM,
        .to_us = RANGE_OPEN_TO,
        .order = SCAN_ASC,
        .columns = (1u << BLOCK_COLUMNS) - 1,
        .wants_rows = true,
        .user = GetUserId(),
        .list = x->old,
        .list_n = x->old_n,
    };
    struct scan *scan = scan_open(&spec);
    struct scan_block *b;
    uint32_t row;
    while (scan_next_row(scan, &b, &row))
        add_row(x, b, row);
    uint64_t damaged = scan_stats(scan)->damaged;
    exchange_finish(x);
    scan_discard(&scan);
    if (damaged > 0 || x->written != x->messages)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                        errmsg("compaction read %llu messages of %llu",
                               (unsigned long long)x->written, (unsigned long long)x->messages)));
}

/* compact(partition, older_than, max_blocks) → blocks_before, blocks_after; the same number twice:
 * nothing was changed */
Datum azekura_compact(PG_FUNCTION_ARGS)
{
    TupleDesc desc;
    if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "azekura.compact() must return a row");
    desc = BlessTupleDesc(desc);
    int32_t max_blocks = PG_GETARG_INT32(2);
    if (max_blocks < 2 || max_blocks > COMPACT_MAX_BLOCKS)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("max_blocks %d is out of 2..%d", max_blocks, COMPACT_MAX_BLOCKS)));
    SPI_connect();
    struct exchange x;
    exchange_begin(&x, PG_GETARG_DATUM(0));
    read_old(&x, PG_GETARG_DATUM(1), max_blocks);
    size_t before = x.old_n;
    size_t after = before;
    if (x.old_n >= 2) {
        build_new(&x);
        if (x.new_n < x.old_n) {
            exchange_swap(&x);
            after = x.new_n;
        }
    }
    SPI_finish();
    Datum values[2] = {Int64GetDatum((int64)before), Int64GetDatum((int64)after)};
    bool nulls[2] = {false, false};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
