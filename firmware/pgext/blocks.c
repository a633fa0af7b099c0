/* Read azekura.log_block without SQL: its pieces in the range, each through its index in the order
 * wanted, merged.
 *
 *   default  [b b bb b b b][b b b b b b b b b]      newest first: by (last_at, first_at), backward
 *   g3       [ b   b   b  ][b b][  b    b   b]      oldest first: by (first_at, last_at)
 *                     ◀───────────────────
 *
 * The pieces of one group follow each other, those of different groups lie side by side.  A piece
 * is opened when the merge has come to its range; until then its bounds say that it has nothing
 * due.
 *
 * A block begins within its piece.  It lies within a quarter of an hour (the receiver closes it
 * there; merged ones hold what was in such), so that where a piece was split at `upper`, its last
 * blocks may reach up to the next full quarter: "reach" below, azekura.piece_reach() in SQL.
 *
 * A query over SPI was the alternative: it would plan over all partitions each time, and a foreign
 * scan cannot hold an SPI connection between its rows. */
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
#include "lib/pairingheap.h"
#include "optimizer/plancat.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/partcache.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* a block ends before the next multiple of this: every zone's midnight is one */
#define QUARTER_US (INT64_C(900) * US_PER_SECOND)
/* pieces that an estimate looks at; more are taken to be like these */
#define ESTIMATE_PIECES 256

struct range {
    Oid relid;
    int64_t lower_us, reach_us; /* first_at ≥ lower, last_at < reach */
};

/* Ranges of one group, by time. */
struct run {
    int begin, end; /* of blocks.ranges: those not opened yet */
};

/* An open piece and the next of its blocks. */
struct open_piece {
    Relation part, index;
    IndexScanDesc scan;
    TupleTableSlot *slot;
    struct blocks_row *row;
    struct stored_block head;
    uint32_t given; /* blocks before it */
    pairingheap_node heap_node;
};

struct blocks {
    Snapshot snapshot;
    int64_t from_us, to_us;
    bool newest_first;
    MemoryContext context;
    Relation parent;
    struct range *ranges; /* by group and time */
    struct run *runs;
    int runs_n;
    const struct range *next; /* the first to be opened of those not open yet; NULL: none */
    struct run *next_run;
    pairingheap open;         /* by head, the due one on top */
    struct open_piece *given; /* whose head was given out; still on top */
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

/* ---- which pieces ---- */

static int64_t reach_of(int64_t upper_us)
{
    int64_t over = upper_us % QUARTER_US, reach;
    if (upper_us == INT64_MIN || upper_us == INT64_MAX || over == 0)
        return upper_us;
    if (__builtin_add_overflow(upper_us, over > 0 ? QUARTER_US - over : -over, &reach))
        return INT64_MAX;
    return reach;
}

/* The range between two bounds of (source_group, first_at) that follow each other; whether both
 * have the same group and a time.  Of other partitions nothing is known but that they are there. */
static bool read_range(const PartitionBoundInfoData *bounds, int upper, struct range *ret)
{
    const int lower = upper - 1;
    bool is_piece = true;
    for (int i = lower; i <= upper; i++)
        is_piece &= bounds->kind[i][0] == PARTITION_RANGE_DATUM_VALUE &&
                    bounds->kind[i][1] == PARTITION_RANGE_DATUM_VALUE;
    is_piece = is_piece &&
               DatumGetInt16(bounds->datums[lower][0]) == DatumGetInt16(bounds->datums[upper][0]);
    ret->lower_us = INT64_MIN;
    ret->reach_us = INT64_MAX;
    if (is_piece) {
        ret->lower_us = us_of_timestamp(DatumGetTimestampTz(bounds->datums[lower][1]));
        ret->reach_us = reach_of(us_of_timestamp(DatumGetTimestampTz(bounds->datums[upper][1])));
    }
    return is_piece;
}

/* The pieces that may hold something of [from, to), in runs of one group each. */
static void list_ranges(struct blocks *b)
{
    PartitionDesc desc = RelationGetPartitionDesc(b->parent, true);
    PartitionBoundInfo bounds = desc->boundinfo;
    size_t max = (size_t)Max(desc->nparts, 1);
    b->ranges = palloc(max * sizeof(*b->ranges));
    b->runs = palloc(max * sizeof(*b->runs));
    if (bounds == NULL)
        return;
    if (bounds->strategy != PARTITION_STRATEGY_RANGE ||
        RelationGetPartitionKey(b->parent)->partnatts != 2)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"azekura.log_block\" is not partitioned by range of "
                               "(source_group, first_at)")));
    int n = 0;
    bool is_piece_before = false;
    int16 group = 0;
    /* the partition of indexes[i] reaches from bound i - 1 up to bound i */
    for (int i = 1; i < bounds->ndatums; i++) {
        struct range r;
        if (bounds->indexes[i] < 0)
            continue;
        bool is_piece = read_range(bounds, i, &r);
        if (r.lower_us >= b->to_us || r.reach_us <= b->from_us)
            continue;
        int16 its_group = is_piece ? DatumGetInt16(bounds->datums[i][0]) : 0;
        if (!is_piece || !is_piece_before || its_group != group)
            b->runs[b->runs_n++] = (struct run){n, n};
        r.relid = desc->oids[bounds->indexes[i]];
        b->ranges[n++] = r;
        b->runs[b->runs_n - 1].end = n;
        is_piece_before = is_piece;
        group = its_group;
    }
}

/* Where a range begins in the order of reading: comparable with edge_of_block(), earlier is more.
 */
static int64_t edge_of_range(const struct blocks *b, const struct range *r)
{
    if (b->newest_first)
        return r->reach_us == INT64_MAX ? INT64_MAX : r->reach_us - 1;
    return r->lower_us == INT64_MIN ? INT64_MAX : -r->lower_us;
}

static int64_t edge_of_block(const struct blocks *b, const struct stored_block *s)
{
    if (b->newest_first)
        return s->last_at_us;
    return s->first_at_us == INT64_MIN ? INT64_MAX : -s->first_at_us;
}

/* Choose the range to be opened first of all that are not open. */
static void choose_next(struct blocks *b)
{
    b->next = NULL;
    for (int i = 0; i < b->runs_n; i++) {
        struct run *run = &b->runs[i];
        if (run->begin == run->end)
            continue;
        const struct range *r = &b->ranges[b->newest_first ? run->end - 1 : run->begin];
        if (b->next == NULL || edge_of_range(b, r) > edge_of_range(b, b->next)) {
            b->next = r;
            b->next_run = run;
        }
    }
}

static int compare_heads(const pairingheap_node *x, const pairingheap_node *y, void *arg)
{
    const struct blocks *b = arg;
    int64_t ex =
        edge_of_block(b, &pairingheap_const_container(struct open_piece, heap_node, x)->head);
    int64_t ey =
        edge_of_block(b, &pairingheap_const_container(struct open_piece, heap_node, y)->head);
    return (ex > ey) - (ex < ey);
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
    b->open.ph_compare = compare_heads;
    b->open.ph_arg = b;
    b->parent = table_open(relid, AccessShareLock);
    list_ranges(b);
    choose_next(b);
    return b;
}

/* ---- one piece ---- */

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

static void begin_scan(const struct blocks *b, struct open_piece *p)
{
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
    p->scan = index_beginscan(p->part, p->index, b->snapshot, n, 0);
    index_rescan(p->scan, keys, n, NULL, 0);
}

/* Read the piece's next block; false: it has no more. */
static bool read_head(const struct blocks *b, struct open_piece *p)
{
    ScanDirection way = b->newest_first ? BackwardScanDirection : ForwardScanDirection;
    if (!index_getnext_slot(p->scan, way, p->slot))
        return false;
    blocks_read_row(p->row, ExecCopySlotHeapTuple(p->slot), &p->head);
    return true;
}

/* The lock on log_block, which is kept as for any query, keeps a piece from being dropped; one for
 * each piece as well would fill the server's table of locks. */
static void close_piece(struct open_piece *p)
{
    index_endscan(p->scan);
    ExecDropSingleTupleTableSlot(p->slot);
    index_close(p->index, AccessShareLock);
    table_close(p->part, AccessShareLock);
    pfree(p);
}

static void open_next(struct blocks *b)
{
    struct open_piece *p = palloc0(sizeof(*p));
    p->part = table_open(b->next->relid, AccessShareLock);
    p->index = b->newest_first ? open_index(p->part, "last_at", "first_at")
                               : open_index(p->part, "first_at", "last_at");
    p->slot = table_slot_create(p->part, NULL);
    p->row = blocks_row_of(RelationGetDescr(p->part));
    begin_scan(b, p);
    if (b->newest_first)
        b->next_run->end--;
    else
        b->next_run->begin++;
    choose_next(b);
    if (read_head(b, p))
        pairingheap_add(&b->open, &p->heap_node);
    else
        close_piece(p);
}

/* ---- rows ---- */

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
    SOURCE_GROUP,
    BLOCK_COLUMN
};

static int meaning_of_name(const char *name)
{
    static const char *const names[] = {
        [FIRST_AT] = "first_at",     [LAST_AT] = "last_at",           [FIRST_SEQ] = "first_seq",
        [MESSAGES] = "messages",     [RAW_BYTES] = "raw_bytes",       [SEVERITIES] = "severities",
        [FACILITIES] = "facilities", [LISTENERS] = "listeners",       [SENDERS] = "senders",
        [TOKENS] = "tokens",         [SOURCE_GROUP] = "source_group",
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
        [TOKENS] = BYTEAOID,         [SOURCE_GROUP] = INT2OID,
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
    case SOURCE_GROUP:
        s->source_group = DatumGetInt16(value);
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

/* Move the piece whose head was given out to its next block. */
static void advance_given(struct blocks *b)
{
    struct open_piece *p = b->given;
    if (p == NULL)
        return;
    b->given = NULL;
    pairingheap_remove(&b->open, &p->heap_node);
    if (read_head(b, p))
        pairingheap_add(&b->open, &p->heap_node);
    else
        close_piece(p);
}

static struct open_piece *due_piece(struct blocks *b)
{
    if (pairingheap_is_empty(&b->open))
        return NULL;
    return pairingheap_container(struct open_piece, heap_node, pairingheap_first(&b->open));
}

bool blocks_next(struct blocks *b, struct stored_block *ret)
{
    MemoryContext old = MemoryContextSwitchTo(b->context);
    advance_given(b);
    struct open_piece *due = due_piece(b);
    while (b->next && (due == NULL || edge_of_range(b, b->next) > edge_of_block(b, &due->head))) {
        CHECK_FOR_INTERRUPTS();
        open_next(b);
        due = due_piece(b);
    }
    MemoryContextSwitchTo(old);
    if (due == NULL)
        return false;
    *ret = due->head;
    due->head.tuple = NULL; /* the caller's */
    due->given++;
    b->given = due;
    return true;
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
    for (struct open_piece *p; (p = due_piece(b)) != NULL;) {
        pairingheap_remove_first(&b->open);
        blocks_free_tuple(&p->head);
        close_piece(p);
    }
    table_close(b->parent, NoLock); /* its lock stays until the transaction ends */
    pfree(b->runs);
    pfree(b->ranges);
    pfree(b);
}

static double estimated_tuples(Relation part)
{
    BlockNumber pages;
    double tuples, all_visible;
    estimate_rel_size(part, NULL, &pages, &tuples, &all_visible);
    return tuples;
}

/* Blocks in the ranges that were not opened, by PostgreSQL's statistics. */
static double estimate_unopened(const struct blocks *b)
{
    double found = 0;
    int unopened = 0, looked_at = 0, seen = 0;
    for (int i = 0; i < b->runs_n; i++)
        unopened += b->runs[i].end - b->runs[i].begin;
    int step = unopened / ESTIMATE_PIECES + 1;
    for (int i = 0; i < b->runs_n; i++) {
        for (int k = b->runs[i].begin; k < b->runs[i].end; k++) {
            if (seen++ % step != 0)
                continue;
            Relation part = table_open(b->ranges[k].relid, AccessShareLock);
            found += estimated_tuples(part);
            table_close(part, AccessShareLock);
            looked_at++;
        }
    }
    return looked_at > 0 ? found / looked_at * unopened : 0;
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
        double rest = estimate_unopened(b);
        for (struct open_piece *p; (p = due_piece(b)) != NULL;) {
            rest += Max(estimated_tuples(p->part) - p->given, 0);
            pairingheap_remove_first(&b->open);
            blocks_free_tuple(&p->head);
            close_piece(p);
        }
        blocks += rest;
        messages += rest * mean;
    }
    blocks_close(b);
    *ret_blocks = blocks;
    *ret_messages = messages;
}
