/* azekura.compact(): merge the small finished blocks of a piece into full ones, in the calling
 * transaction.
 *
 *   before  [▪▪▪][▪][▪▪][█████████][▪▪][▪]      small ones in, rows sorted by (received_at, seq)
 *   after   [▪▪▪▪▪▪▪▪▪][█████████]              full ones left alone
 *
 * The new blocks are built from what a first statement read; then the old ones are deleted and the
 * new ones inserted.  Had another transaction deleted one of the old blocks meanwhile, its rows
 * would come back by that: so the number deleted must be the number read, else all is undone by an
 * ERROR.  Two compactions of one piece wait for each other.  A crash leaves the piece as it was. */
#include "pgext/pgext.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/snapmgr.h"

#include "base/arena.h"
#include "base/limits.h"
#include "pgext/scan.h"

PGEXT_FUNCTION(azekura_compact);

/* blocks with as many messages, or half of what a block may hold in text, are full enough */
#define COMPACT_SMALL_MESSAGES 32768
#define COMPACT_SMALL_BYTES (BLOCK_MAX_TEXT_BYTES / 2)
#define COMPACT_MAX_BLOCKS 100000
/* as received, merged by one call: its new blocks wait in memory, compressed, until the old ones
 * are deleted; with text of random bytes that is as much again */
#define COMPACT_MAX_BYTES (256 << 20)

/* The columns of a row of log_block in the order of the INSERT below. */
enum {
    VALUE_TOKENS = 9,
    VALUE_GROUP = 10,
    VALUE_COLUMNS = 11,
    VALUES = VALUE_COLUMNS + BLOCK_COLUMNS
};

struct new_block {
    Datum values[VALUES];
    char nulls[VALUES]; /* ' ' or 'n' */
    struct new_block *next;
};

/* What is not palloc'd; freed with its memory context. */
struct compact_memory {
    struct block_builder *builder;
    struct block block;
    struct arena arena;
    MemoryContextCallback callback;
};

struct compaction {
    MemoryContext context; /* that of the call: outlives SPI's statements */
    Datum piece;           /* its name, a text */
    Datum group, lower, upper;
    struct compact_memory *memory;
    /* the old blocks */
    struct stored_block *old;
    Datum *ctids, *first_ats, *first_seqs;
    size_t old_n;
    uint64_t messages;
    /* the new ones */
    struct new_block *first, **last;
    size_t new_n;
    uint64_t written;
};

static void free_memory(void *arg)
{
    struct compact_memory *m = arg;
    block_builder_free(&m->builder);
    block_free(&m->block);
    arena_done(&m->arena);
}

static struct compact_memory *new_memory(void)
{
    struct compact_memory *m = palloc0(sizeof(*m));
    m->callback.func = free_memory;
    m->callback.arg = m;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &m->callback);
    m->builder = block_builder_new();
    return m;
}

/* ---- the old blocks ---- */

static void find_piece(struct compaction *c)
{
    Oid types[1] = {TEXTOID};
    int e = SPI_execute_with_args("select source_group, lower, upper from azekura.day_partition"
                                  " where name = $1",
                                  1, types, &c->piece, NULL, false, 0);
    if (e != SPI_OK_SELECT)
        elog(ERROR, "cannot read azekura.day_partition: %s", SPI_result_code_string(e));
    if (SPI_processed != 1) {
        struct view name = view_of_text(DatumGetTextPP(c->piece));
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("there is no piece \"%.*s\"", (int)Min(name.n, 100), name.p),
                        errhint("azekura.day_partition names them.")));
    }
    bool is_null;
    TupleDesc desc = SPI_tuptable->tupdesc;
    c->group = SPI_getbinval(SPI_tuptable->vals[0], desc, 1, &is_null);
    c->lower = SPI_getbinval(SPI_tuptable->vals[0], desc, 2, &is_null);
    c->upper = SPI_getbinval(SPI_tuptable->vals[0], desc, 3, &is_null);
}

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
static void read_old(struct compaction *c, Datum older_than, int32_t max_blocks)
{
    Oid types[7] = {TIMESTAMPTZOID, TIMESTAMPTZOID, TIMESTAMPTZOID, INT4OID,
                    INT8OID,        INT4OID,        INT2OID};
    Datum values[7] = {c->lower,
                       c->upper,
                       older_than,
                       Int32GetDatum(COMPACT_SMALL_MESSAGES),
                       Int64GetDatum(COMPACT_SMALL_BYTES),
                       Int32GetDatum(max_blocks),
                       c->group};
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
    size_t n = Max(table->numvals, 1);
    int64_t bytes = 0;
    c->old = palloc(n * sizeof(*c->old));
    c->ctids = palloc(n * sizeof(Datum));
    c->first_ats = palloc(n * sizeof(Datum));
    c->first_seqs = palloc(n * sizeof(Datum));
    for (uint64 i = 0; i < table->numvals; i++) {
        bool is_null;
        struct stored_block *s = &c->old[c->old_n];
        CHECK_FOR_INTERRUPTS();
        blocks_read_row(row, table->vals[i], s);
        if (bytes + s->raw_bytes > COMPACT_MAX_BYTES)
            break;
        if (!loads(s))
            continue;
        bytes += s->raw_bytes;
        c->ctids[c->old_n] = SPI_getbinval(table->vals[i], table->tupdesc, ctid, &is_null);
        c->first_ats[c->old_n] = TimestampTzGetDatum(timestamp_of_us(s->first_at_us));
        c->first_seqs[c->old_n] = Int64GetDatum((int64)s->first_seq);
        c->messages += (uint64_t)s->messages;
        c->old_n++;
    }
}

/* ---- the new blocks ---- */

static void set_bytes(struct new_block *b, int i, const struct buf *bytes, bool null_when_empty)
{
    b->nulls[i] = bytes->n == 0 && null_when_empty ? 'n' : ' ';
    if (b->nulls[i] == 'n')
        return;
    bytea *v = palloc(bytes->n + VARHDRSZ);
    SET_VARSIZE(v, bytes->n + VARHDRSZ);
    memcpy(VARDATA(v), buf_view(bytes).p, bytes->n);
    b->values[i] = PointerGetDatum(v);
}

/* Close the builder's block and keep it for the INSERT. */
static void finish_block(struct compaction *c)
{
    struct compact_memory *m = c->memory;
    if (block_builder_messages(m->builder) == 0)
        return;
    block_builder_finish(m->builder, &m->block);
    const struct block *from = &m->block;
    struct new_block *b = palloc0(sizeof(*b));
    memset(b->nulls, ' ', sizeof(b->nulls));
    b->values[0] = TimestampTzGetDatum(timestamp_of_us(from->first_at_us));
    b->values[1] = TimestampTzGetDatum(timestamp_of_us(from->last_at_us));
    b->values[2] = Int64GetDatum((int64)from->first_seq);
    b->values[3] = Int32GetDatum((int32)from->messages);
    b->values[4] = Int64GetDatum((int64)from->raw_bytes);
    b->values[5] = Int16GetDatum(from->severities);
    b->values[6] = Int32GetDatum((int32)from->facilities);
    b->values[7] = Int16GetDatum(from->listeners);
    set_bytes(b, 8, &from->senders, false);
    set_bytes(b, VALUE_TOKENS, &from->tokens, true);
    b->values[VALUE_GROUP] = c->group;
    for (int i = 0; i < BLOCK_COLUMNS; i++)
        set_bytes(b, VALUE_COLUMNS + i, &from->columns[i], true);
    c->written += from->messages;
    block_free(&m->block);
    *c->last = b;
    c->last = &b->next;
    c->new_n++;
}

static void add_row(struct compaction *c, struct scan_block *b, uint32_t row)
{
    struct compact_memory *m = c->memory;
    struct record record;
    struct err err = {0};
    if (block_record(&b->reader, row, &m->arena, &record, &err) < 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("cannot compact a damaged block"),
                        errdetail("%s", err.message)));
    uint64_t seq = block_seq(&b->reader, row);
    if (block_builder_messages(m->builder) == 0)
        block_builder_clear(m->builder, seq);
    int e = block_builder_add_seq(m->builder, &record, seq);
    if (e == -ENOSPC) {
        MemoryContext old = MemoryContextSwitchTo(c->context);
        finish_block(c);
        MemoryContextSwitchTo(old);
        block_builder_clear(m->builder, seq);
        e = block_builder_add_seq(m->builder, &record, seq);
    }
    arena_clear(&m->arena);
    if (e < 0)
        elog(ERROR, "cannot add a stored message to a new block: error %d", -e);
}

static void build_new(struct compaction *c)
{
    struct scan_spec spec = {
        .from_us = RANGE_OPEN_FROM,
        .to_us = RANGE_OPEN_TO,
        .order = SCAN_ASC,
        .columns = (1u << BLOCK_COLUMNS) - 1,
        .wants_rows = true,
        .user = GetUserId(),
        .list = c->old,
        .list_n = c->old_n,
    };
    struct scan *scan = scan_open(&spec);
    struct scan_block *b;
    uint32_t row;
    while (scan_next_row(scan, &b, &row))
        add_row(c, b, row);
    uint64_t damaged = scan_stats(scan)->damaged;
    finish_block(c);
    scan_discard(&scan);
    if (damaged > 0 || c->written != c->messages)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                        errmsg("compaction read %llu messages of %llu",
                               (unsigned long long)c->written, (unsigned long long)c->messages)));
}

/* ---- the exchange ---- */

static void delete_old(struct compaction *c)
{
    int n = (int)c->old_n;
    Oid types[6] = {TIDARRAYOID,    TIMESTAMPTZARRAYOID, INT8ARRAYOID,
                    TIMESTAMPTZOID, TIMESTAMPTZOID,      INT2OID};
    Datum values[6] = {
        PointerGetDatum(
            construct_array(c->ctids, n, TIDOID, sizeof(ItemPointerData), false, TYPALIGN_SHORT)),
        PointerGetDatum(
            construct_array(c->first_ats, n, TIMESTAMPTZOID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
        PointerGetDatum(
            construct_array(c->first_seqs, n, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
        c->lower,
        c->upper,
        c->group,
    };
    int e = SPI_execute_with_args(
        "delete from azekura.log_block b using unnest($1, $2, $3) o(at, first_at, first_seq)"
        " where b.ctid = o.at and b.first_at = o.first_at and b.first_seq = o.first_seq"
        " and b.source_group = $6 and b.first_at >= $4 and b.first_at < $5",
        6, types, values, NULL, false, 0);
    if (e != SPI_OK_DELETE)
        elog(ERROR, "cannot delete from azekura.log_block: %s", SPI_result_code_string(e));
    if (SPI_processed != c->old_n)
        ereport(ERROR,
                (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                 errmsg("blocks were deleted by another transaction while they were compacted"),
                 errhint("Try again.")));
}

static void insert_new(const struct compaction *c)
{
    static const char head[] = "insert into azekura.log_block (first_at, last_at, first_seq, "
                               "messages, raw_bytes, severities,"
                               " facilities, listeners, senders, tokens, source_group";
    Oid types[VALUES] = {TIMESTAMPTZOID, TIMESTAMPTZOID, INT8OID,  INT4OID,  INT8OID, INT2OID,
                         INT4OID,        INT2OID,        BYTEAOID, BYTEAOID, INT2OID};
    StringInfoData sql;
    initStringInfo(&sql);
    appendStringInfoString(&sql, head);
    for (int i = 0; i < BLOCK_COLUMNS; i++) {
        types[VALUE_COLUMNS + i] = BYTEAOID;
        appendStringInfo(&sql, ", %s", quote_identifier(block_column_name(i)));
    }
    for (int i = 0; i < VALUES; i++)
        appendStringInfo(&sql, "%s$%d", i == 0 ? ") values (" : ", ", i + 1);
    appendStringInfoChar(&sql, ')');
    SPIPlanPtr plan = SPI_prepare(sql.data, VALUES, types);
    if (plan == NULL)
        elog(ERROR, "cannot prepare the INSERT: %s", SPI_result_code_string(SPI_result));
    for (struct new_block *b = c->first; b; b = b->next) {
        int e = SPI_execute_plan(plan, b->values, b->nulls, false, 0);
        if (e != SPI_OK_INSERT)
            elog(ERROR, "cannot insert into azekura.log_block: %s", SPI_result_code_string(e));
    }
}

/* The piece is to be measured again.  Last of all: storing waits for this row until the end. */
static void mark_changed(const struct compaction *c)
{
    Oid types[1] = {TEXTOID};
    Datum values[1] = {c->piece};
    int e = SPI_execute_with_args("update azekura.day_partition set changed_at = clock_timestamp()"
                                  " where name = $1",
                                  1, types, values, NULL, false, 0);
    if (e != SPI_OK_UPDATE)
        elog(ERROR, "cannot update azekura.day_partition: %s", SPI_result_code_string(e));
}

static void lock_piece(const struct compaction *c)
{
    Oid types[1] = {TEXTOID};
    Datum values[1] = {c->piece};
    int e = SPI_execute_with_args(
        "select pg_advisory_xact_lock(hashtext('azekura.compact'), hashtext($1))", 1, types, values,
        NULL, false, 0);
    if (e != SPI_OK_SELECT)
        elog(ERROR, "cannot lock the piece: %s", SPI_result_code_string(e));
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
    struct compaction c = {
        .context = CurrentMemoryContext, .memory = new_memory(), .piece = PG_GETARG_DATUM(0)};
    c.last = &c.first;
    lock_piece(&c);
    find_piece(&c);
    read_old(&c, PG_GETARG_DATUM(1), max_blocks);
    size_t before = c.old_n;
    size_t after = before;
    if (c.old_n >= 2) {
        build_new(&c);
        if (c.new_n < c.old_n) {
            delete_old(&c);
            insert_new(&c);
            mark_changed(&c);
            after = c.new_n;
        }
    }
    SPI_finish();
    Datum values[2] = {Int64GetDatum((int64)before), Int64GetDatum((int64)after)};
    bool nulls[2] = {false, false};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
