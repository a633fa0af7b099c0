/* Exchanging blocks of a piece (exchange.h). */
#include "pgext/exchange.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"

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

static void free_memory(void *arg)
{
    struct exchange_memory *m = arg;
    block_builder_free(&m->builder);
    block_free(&m->block);
    arena_done(&m->arena);
}

static struct exchange_memory *new_memory(void)
{
    struct exchange_memory *m = palloc0(sizeof(*m));
    m->callback.func = free_memory;
    m->callback.arg = m;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &m->callback);
    m->builder = block_builder_new();
    return m;
}

static void lock_piece(const struct exchange *x)
{
    Oid types[1] = {TEXTOID};
    Datum values[1] = {x->piece};
    int e = SPI_execute_with_args(
        "select pg_advisory_xact_lock(hashtext('azekura.compact'), hashtext($1))", 1, types, values,
        NULL, false, 0);
    if (e != SPI_OK_SELECT)
        elog(ERROR, "cannot lock the piece: %s", SPI_result_code_string(e));
}

static void find_piece(struct exchange *x)
{
    Oid types[1] = {TEXTOID};
    int e = SPI_execute_with_args("select source_group, lower, upper from azekura.day_partition"
                                  " where name = $1",
                                  1, types, &x->piece, NULL, false, 0);
    if (e != SPI_OK_SELECT)
        elog(ERROR, "cannot read azekura.day_partition: %s", SPI_result_code_string(e));
    if (SPI_processed != 1) {
        struct view name = view_of_text(DatumGetTextPP(x->piece));
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("there is no piece \"%.*s\"", (int)Min(name.n, 100), name.p),
                        errhint("azekura.day_partition names them.")));
    }
    bool is_null;
    TupleDesc desc = SPI_tuptable->tupdesc;
    x->group = SPI_getbinval(SPI_tuptable->vals[0], desc, 1, &is_null);
    x->lower = SPI_getbinval(SPI_tuptable->vals[0], desc, 2, &is_null);
    x->upper = SPI_getbinval(SPI_tuptable->vals[0], desc, 3, &is_null);
}

/* ---- the old blocks ---- */

void exchange_begin(struct exchange *x, Datum name)
{
    *x = (struct exchange){.context = CurrentMemoryContext, .memory = new_memory(), .piece = name};
    x->last = &x->first;
    lock_piece(x);
    find_piece(x);
}

void exchange_reserve(struct exchange *x, size_t old_max)
{
    size_t n = Max(old_max, 1);
    x->old = palloc(n * sizeof(*x->old));
    x->ctids = palloc(n * sizeof(Datum));
    x->first_ats = palloc(n * sizeof(Datum));
    x->first_seqs = palloc(n * sizeof(Datum));
}

void exchange_take(struct exchange *x, const struct stored_block *s, Datum ctid)
{
    x->old[x->old_n] = *s;
    x->ctids[x->old_n] = ctid;
    x->first_ats[x->old_n] = TimestampTzGetDatum(timestamp_of_us(s->first_at_us));
    x->first_seqs[x->old_n] = Int64GetDatum((int64)s->first_seq);
    x->messages += (uint64_t)s->messages;
    x->old_n++;
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
static void finish_block(struct exchange *x)
{
    struct exchange_memory *m = x->memory;
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
    b->values[VALUE_GROUP] = x->group;
    for (int i = 0; i < BLOCK_COLUMNS; i++)
        set_bytes(b, VALUE_COLUMNS + i, &from->columns[i], true);
    x->written += from->messages;
    x->last_first_at_us = from->first_at_us;
    block_free(&m->block);
    *x->last = b;
    x->last = &b->next;
    x->new_n++;
}

void exchange_finish(struct exchange *x)
{
    MemoryContext old = MemoryContextSwitchTo(x->context);
    finish_block(x);
    MemoryContextSwitchTo(old);
}

void exchange_add(struct exchange *x, const struct record *r, uint64_t seq)
{
    struct exchange_memory *m = x->memory;
    if (block_builder_messages(m->builder) == 0)
        block_builder_clear(m->builder, seq);
    int e = block_builder_add_seq(m->builder, r, seq);
    if (e == -ENOSPC) {
        exchange_finish(x);
        block_builder_clear(m->builder, seq);
        e = block_builder_add_seq(m->builder, r, seq);
    }
    arena_clear(&m->arena);
    if (e < 0)
        elog(ERROR, "cannot add a stored message to a new block: error %d", -e);
}

/* ---- the exchange ---- */

static void delete_old(struct exchange *x)
{
    int n = (int)x->old_n;
    Oid types[6] = {TIDARRAYOID,    TIMESTAMPTZARRAYOID, INT8ARRAYOID,
                    TIMESTAMPTZOID, TIMESTAMPTZOID,      INT2OID};
    Datum values[6] = {
        PointerGetDatum(
            construct_array(x->ctids, n, TIDOID, sizeof(ItemPointerData), false, TYPALIGN_SHORT)),
        PointerGetDatum(
            construct_array(x->first_ats, n, TIMESTAMPTZOID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
        PointerGetDatum(
            construct_array(x->first_seqs, n, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
        x->lower,
        x->upper,
        x->group,
    };
    int e = SPI_execute_with_args(
        "delete from azekura.log_block b using unnest($1, $2, $3) o(at, first_at, first_seq)"
        " where b.ctid = o.at and b.first_at = o.first_at and b.first_seq = o.first_seq"
        " and b.source_group = $6 and b.first_at >= $4 and b.first_at < $5",
        6, types, values, NULL, false, 0);
    if (e != SPI_OK_DELETE)
        elog(ERROR, "cannot delete from azekura.log_block: %s", SPI_result_code_string(e));
    if (SPI_processed != x->old_n)
        ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                        errmsg("blocks were changed by another transaction meanwhile"),
                        errhint("Try again.")));
}

static void insert_new(const struct exchange *x)
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
    for (struct new_block *b = x->first; b; b = b->next) {
        int e = SPI_execute_plan(plan, b->values, b->nulls, false, 0);
        if (e != SPI_OK_INSERT)
            elog(ERROR, "cannot insert into azekura.log_block: %s", SPI_result_code_string(e));
    }
}

/* The piece is to be measured again.  Last of all: storing waits for this row until the end. */
static void mark_changed(const struct exchange *x)
{
    Oid types[1] = {TEXTOID};
    Datum values[1] = {x->piece};
    int e = SPI_execute_with_args("update azekura.day_partition set changed_at = clock_timestamp()"
                                  " where name = $1",
                                  1, types, values, NULL, false, 0);
    if (e != SPI_OK_UPDATE)
        elog(ERROR, "cannot update azekura.day_partition: %s", SPI_result_code_string(e));
}

void exchange_swap(struct exchange *x)
{
    delete_old(x);
    insert_new(x);
    mark_changed(x);
}
