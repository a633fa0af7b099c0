/* Read azekura.log_block without SQL: the day partitions in the range one after another, each
 * through its index in the order wanted.
 *
 *   log_block_20261129   log_block_20261130        newest first: by (last_at, first_at), backward
 *   [b b bb b b b b b]   [b b b b b b b b b]       oldest first: by (first_at, last_at)
 *                     ◀───────────────────
 *
 * A block never leaves its day partition, so the partitions' bounds alone decide which are visited,
 * and the order within partitions is the order of all.  A query over SPI was the alternative: it
 * would plan over all partitions each time, and a foreign scan cannot hold an SPI connection
 * between its rows. */
#include "pgext/blocks.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/namespace.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "executor/tuptable.h"
#include "optimizer/plancat.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

struct blocks {
    Snapshot snapshot;
    int64_t from_us, to_us;
    bool newest_first;
    MemoryContext context;
    Relation parent;
    Oid *partitions; /* in the order of reading */
    int partitions_n, next_partition;
    /* the partition being read */
    Relation part, index;
    IndexScanDesc scan;
    TupleTableSlot *slot;
    struct blocks_row *row;
};

Oid blocks_relation(void)
{
    Oid schema = get_namespace_oid("azekura", false);
    Oid relid = get_relname_relid("log_block", schema);
    if (!OidIsValid(relid))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("relation \"azekura.log_block\" does not exist"),
                        errhint("Run the migrations with \"azekura migrate\".")));
    return relid;
}

/* The range partitions that overlap [from, to), in the order of reading. */
static void list_partitions(struct blocks *b)
{
    PartitionDesc desc = RelationGetPartitionDesc(b->parent, true);
    PartitionBoundInfo bounds = desc->boundinfo;
    b->partitions = palloc((size_t)Max(desc->nparts, 1) * sizeof(Oid));
    if (bounds == NULL)
        return;
    if (bounds->strategy != PARTITION_STRATEGY_RANGE)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"azekura.log_block\" is not partitioned by range")));
    /* the partition of indexes[i] reaches from datum i - 1 up to datum i */
    for (int i = 1; i < bounds->ndatums; i++) {
        int index = bounds->indexes[i];
        if (index < 0)
            continue;
        int64_t lower = bounds->kind[i - 1][0] == PARTITION_RANGE_DATUM_VALUE
                            ? us_of_timestamp(DatumGetTimestampTz(bounds->datums[i - 1][0]))
                            : INT64_MIN;
        int64_t upper = bounds->kind[i][0] == PARTITION_RANGE_DATUM_VALUE
                            ? us_of_timestamp(DatumGetTimestampTz(bounds->datums[i][0]))
                            : INT64_MAX;
        if (lower < b->to_us && upper > b->from_us)
            b->partitions[b->partitions_n++] = desc->oids[index];
    }
    for (int i = 0; b->newest_first && i < b->partitions_n / 2; i++) {
        Oid swap = b->partitions[i];
        b->partitions[i] = b->partitions[b->partitions_n - 1 - i];
        b->partitions[b->partitions_n - 1 - i] = swap;
    }
}

struct blocks *blocks_open(Snapshot snapshot, Oid user, int64_t from_us, int64_t to_us,
                           bool newest_first)
{
    Oid relid = blocks_relation();
    AclResult acl = pg_class_aclcheck(relid, user, ACL_SELECT);
    if (acl != ACLCHECK_OK)
        aclcheck_error(acl, OBJECT_TABLE, "log_block");
    if (GetDatabaseEncoding() != PG_UTF8)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("azekura needs a database with encoding UTF8, this one has %s",
                               GetDatabaseEncodingName())));
    struct blocks *b = palloc0(sizeof(*b));
    b->snapshot = snapshot;
    b->from_us = from_us;
    b->to_us = to_us;
    b->newest_first = newest_first;
    b->context = CurrentMemoryContext;
    b->parent = table_open(relid, AccessShareLock);
    list_partitions(b);
    return b;
}

static AttrNumber attribute(Relation rel, const char *name)
{
    AttrNumber n = get_attnum(RelationGetRelid(rel), name);
    if (n == InvalidAttrNumber)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("column \"%s\" of relation \"%s\" does not exist", name,
                               RelationGetRelationName(rel))));
    return n;
}

/* The partition's index over (first, second); ERROR when there is none: only an administrator can
 * have dropped it. */
static Relation open_index(Relation part, const char *first, const char *second)
{
    AttrNumber a = attribute(part, first);
    AttrNumber b = attribute(part, second);
    List *indexes = RelationGetIndexList(part);
    ListCell *cell;
    foreach (cell, indexes) {
        Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        Form_pg_index form = index->rd_index;
        if (form->indisvalid && index->rd_rel->relam == BTREE_AM_OID && form->indnkeyatts >= 2 &&
            form->indkey.values[0] == a && form->indkey.values[1] == b &&
            index->rd_indoption[0] == 0 && index->rd_indoption[1] == 0 &&
            heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL))
            return index;
        index_close(index, AccessShareLock);
    }
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("relation \"%s\" has no index over (%s, %s)",
                           RelationGetRelationName(part), first, second),
                    errhint("Create it on azekura.log_block.")));
}

static void open_partition(struct blocks *b, Oid relid)
{
    b->part = table_open(relid, AccessShareLock);
    b->index = b->newest_first ? open_index(b->part, "last_at", "first_at")
                               : open_index(b->part, "first_at", "last_at");
    ScanKeyData keys[2];
    int n = 0;
    if (b->from_us != RANGE_OPEN_FROM)
        ScanKeyInit(&keys[n++], b->newest_first ? 1 : 2, BTGreaterEqualStrategyNumber,
                    F_TIMESTAMPTZ_GE, TimestampTzGetDatum(timestamp_of_us(b->from_us)));
    if (b->to_us != RANGE_OPEN_TO)
        ScanKeyInit(&keys[n++], b->newest_first ? 2 : 1, BTLessStrategyNumber, F_TIMESTAMPTZ_LT,
                    TimestampTzGetDatum(timestamp_of_us(b->to_us)));
    if (n == 2 && keys[0].sk_attno > keys[1].sk_attno) {
        ScanKeyData swap = keys[0]; /* index scans want their keys in the order of the columns */
        keys[0] = keys[1];
        keys[1] = swap;
    }
    b->slot = table_slot_create(b->part, NULL);
    b->row = blocks_row_of(RelationGetDescr(b->part));
    b->scan = index_beginscan(b->part, b->index, b->snapshot, n, 0);
    index_rescan(b->scan, keys, n, NULL, 0);
}

static void close_partition(struct blocks *b)
{
    if (b->part == NULL)
        return;
    index_endscan(b->scan);
    ExecDropSingleTupleTableSlot(b->slot);
    index_close(b->index, NoLock); /* locks stay until the transaction ends, as for any query */
    table_close(b->part, NoLock);
    b->part = NULL;
}

/* What an attribute is: one of these, or BLOCK_COLUMN + enum block_column. */
enum {
    UNUSED,
    FIRST_AT,
    LAST_AT,
    FIRST_SEQ,
    MESSAGES,
    RAW_BYTES,
    SEVERITIES,
    FACILITIES,
    LISTENERS,
    SENDERS,
    TOKENS,
    BLOCK_COLUMN
};

static int meaning_of_name(const char *name)
{
    static const char *const names[] = {
        [FIRST_AT] = "first_at",     [LAST_AT] = "last_at",     [FIRST_SEQ] = "first_seq",
        [MESSAGES] = "messages",     [RAW_BYTES] = "raw_bytes", [SEVERITIES] = "severities",
        [FACILITIES] = "facilities", [LISTENERS] = "listeners", [SENDERS] = "senders",
        [TOKENS] = "tokens",
    };
    for (int i = FIRST_AT; i < BLOCK_COLUMN; i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
    }
    for (int c = 0; c < BLOCK_COLUMNS; c++) {
        if (strcmp(name, block_column_name(c)) == 0)
            return BLOCK_COLUMN + c;
    }
    return UNUSED;
}

struct blocks_row *blocks_row_of(TupleDesc desc)
{
    struct blocks_row *row = palloc(sizeof(*row));
    row->desc = desc;
    row->values = palloc((size_t)desc->natts * sizeof(Datum));
    row->nulls = palloc((size_t)desc->natts * sizeof(bool));
    row->meanings = palloc((size_t)desc->natts * sizeof(int));
    for (int i = 0; i < desc->natts; i++) {
        Form_pg_attribute a = TupleDescAttr(desc, i);
        row->meanings[i] = a->attisdropped ? UNUSED : meaning_of_name(NameStr(a->attname));
    }
    return row;
}

static Oid type_of_meaning(int meaning)
{
    static const Oid types[BLOCK_COLUMN] = {
        [FIRST_AT] = TIMESTAMPTZOID, [LAST_AT] = TIMESTAMPTZOID, [FIRST_SEQ] = INT8OID,
        [MESSAGES] = INT4OID,        [RAW_BYTES] = INT8OID,      [SEVERITIES] = INT2OID,
        [FACILITIES] = INT4OID,      [LISTENERS] = INT2OID,      [SENDERS] = BYTEAOID,
        [TOKENS] = BYTEAOID,
    };
    return meaning < BLOCK_COLUMN ? types[meaning] : BYTEAOID;
}

bool blocks_row_is_whole(const struct blocks_row *row)
{
    uint64_t found = 0;
    for (int i = 0; i < row->desc->natts; i++) {
        int meaning = row->meanings[i];
        if (meaning == UNUSED)
            continue;
        if (TupleDescAttr(row->desc, i)->atttypid != type_of_meaning(meaning))
            return false;
        found |= UINT64_C(1) << meaning;
    }
    return found == (UINT64_C(1) << (BLOCK_COLUMN + BLOCK_COLUMNS)) - 2;
}

static void set_field(struct stored_block *s, int meaning, Datum value)
{
    switch (meaning) {
    case UNUSED:
        break;
    case FIRST_AT:
        s->first_at_us = us_of_timestamp(DatumGetTimestampTz(value));
        break;
    case LAST_AT:
        s->last_at_us = us_of_timestamp(DatumGetTimestampTz(value));
        break;
    case FIRST_SEQ:
        s->first_seq = (uint64_t)DatumGetInt64(value);
        break;
    case MESSAGES:
        s->messages = DatumGetInt32(value);
        break;
    case RAW_BYTES:
        s->raw_bytes = DatumGetInt64(value);
        break;
    case SEVERITIES:
        s->severities = (uint8_t)DatumGetInt16(value);
        break;
    case FACILITIES:
        s->facilities = (uint32_t)DatumGetInt32(value);
        break;
    case LISTENERS:
        s->listeners = (uint8_t)DatumGetInt16(value);
        break;
    case SENDERS:
        s->senders = value;
        break;
    case TOKENS:
        s->tokens = value;
        s->has_tokens = true;
        break;
    default:
        s->columns[meaning - BLOCK_COLUMN] = value;
        s->has_column[meaning - BLOCK_COLUMN] = true;
    }
}

void blocks_read_row(struct blocks_row *row, HeapTuple tuple, struct stored_block *ret)
{
    heap_deform_tuple(tuple, row->desc, row->values, row->nulls);
    *ret = (struct stored_block){.tuple = tuple};
    for (int i = 0; i < row->desc->natts; i++) {
        if (!row->nulls[i])
            set_field(ret, row->meanings[i], row->values[i]);
    }
}

bool blocks_next(struct blocks *b, struct stored_block *ret)
{
    MemoryContext old = MemoryContextSwitchTo(b->context);
    bool is_found = false;
    while (!is_found) {
        CHECK_FOR_INTERRUPTS();
        if (b->part == NULL) {
            if (b->next_partition >= b->partitions_n)
                break;
            open_partition(b, b->partitions[b->next_partition++]);
        }
        ScanDirection way = b->newest_first ? BackwardScanDirection : ForwardScanDirection;
        if (!index_getnext_slot(b->scan, way, b->slot)) {
            close_partition(b);
            continue;
        }
        HeapTuple tuple = ExecCopySlotHeapTuple(b->slot);
        blocks_read_row(b->row, tuple, ret);
        is_found = true;
    }
    MemoryContextSwitchTo(old);
    return is_found;
}

static Datum moved(Datum d, const HeapTupleData *from, const HeapTupleData *to)
{
    return PointerGetDatum((char *)to->t_data + (DatumGetPointer(d) - (char *)from->t_data));
}

void blocks_copy(struct stored_block *ret, const struct stored_block *from)
{
    *ret = *from;
    ret->tuple = heap_copytuple(from->tuple);
    ret->senders = moved(from->senders, from->tuple, ret->tuple);
    if (from->has_tokens)
        ret->tokens = moved(from->tokens, from->tuple, ret->tuple);
    for (int c = 0; c < BLOCK_COLUMNS; c++) {
        if (from->has_column[c])
            ret->columns[c] = moved(from->columns[c], from->tuple, ret->tuple);
    }
}

void blocks_free_tuple(struct stored_block *s)
{
    if (s->tuple)
        heap_freetuple(s->tuple);
    s->tuple = NULL;
}

void blocks_close(struct blocks *b)
{
    close_partition(b);
    table_close(b->parent, NoLock);
    pfree(b->partitions);
    pfree(b);
}

static double estimated_tuples(Relation part)
{
    BlockNumber pages;
    double tuples, all_visible;
    estimate_rel_size(part, NULL, &pages, &tuples, &all_visible);
    return tuples;
}

void blocks_estimate(Snapshot snapshot, Oid user, int64_t from_us, int64_t to_us, uint32_t exact,
                     double *ret_blocks, double *ret_messages)
{
    struct blocks *b = blocks_open(snapshot, user, from_us, to_us, true);
    double blocks = 0, messages = 0;
    struct stored_block s;
    while (blocks < exact && blocks_next(b, &s)) {
        blocks++;
        messages += s.messages;
        blocks_free_tuple(&s);
    }
    if (blocks >= exact && blocks > 0) {
        /* the newest ones are counted; the mean block stands for the rest */
        double mean = messages / blocks;
        double rest = b->part ? Max(estimated_tuples(b->part) - blocks, 0) : 0;
        for (int i = b->next_partition; i < b->partitions_n; i++) {
            Relation part = table_open(b->partitions[i], AccessShareLock);
            rest += estimated_tuples(part);
            table_close(part, NoLock);
        }
        blocks += rest;
        messages += rest * mean;
    }
    blocks_close(b);
    *ret_blocks = blocks;
    *ret_messages = messages;
}
