/* azekura.copy_blocks(): copy the rows of one piece into a fresh table, for
 * azekura.rewrite_piece().
 *
 * An INSERT … SELECT would do, but for one thing: whoever took his snapshot before, and comes to
 * the table only after the exchange, would see none of the new rows, which for him are of the
 * future: a search that waited for the lock would find nothing in this piece.  So the rows are
 * frozen, which makes them visible to all, as COPY FREEZE does.  That is right only in a table that
 * nobody else sees before all is committed: one that was made in this very transaction. */
#include "pgext/pgext.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "utils/acl.h"
#include "utils/snapmgr.h"

#include "pgext/blocks.h"

PGEXT_FUNCTION(azekura_copy_blocks);

static void check_source(Relation from)
{
    if (pg_class_aclcheck(RelationGetRelid(from), GetUserId(), ACL_SELECT) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, RelationGetRelationName(from));
    if (from->rd_rel->relkind != RELKIND_RELATION ||
        !blocks_row_is_whole(blocks_row_of(RelationGetDescr(from))))
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"%s\" is not a piece of azekura.log_block",
                               RelationGetRelationName(from))));
}

static void check_target(Relation to)
{
    if (!pg_class_ownercheck(RelationGetRelid(to), GetUserId()))
        aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(to));
    if (to->rd_rel->relkind != RELKIND_RELATION || to->rd_createSubid == InvalidSubTransactionId)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("table \"%s\" was not made in this transaction",
                               RelationGetRelationName(to))));
}

/* Rows from one table to the other; how many.  Indexes are left as they are. */
static int64 copy_rows(Relation from, Relation to)
{
    TupleConversionMap *map = convert_tuples_by_name(RelationGetDescr(from), RelationGetDescr(to));
    TableScanDesc scan = table_beginscan(from, GetActiveSnapshot(), 0, NULL);
    BulkInsertState bulk = GetBulkInsertState();
    CommandId command = GetCurrentCommandId(true);
    /* a row's columns are fetched and stored again: megabytes that must not add up */
    MemoryContext row_context =
        AllocSetContextCreate(CurrentMemoryContext, "azekura copied row", ALLOCSET_DEFAULT_SIZES);
    int64 n = 0;
    for (HeapTuple tuple; (tuple = heap_getnext(scan, ForwardScanDirection)) != NULL; n++) {
        CHECK_FOR_INTERRUPTS();
        MemoryContext old = MemoryContextSwitchTo(row_context);
        HeapTuple copy = map ? execute_attr_map_tuple(tuple, map) : heap_copytuple(tuple);
        heap_insert(to, copy, command, HEAP_INSERT_FROZEN | HEAP_INSERT_SKIP_FSM, bulk);
        MemoryContextSwitchTo(old);
        MemoryContextReset(row_context);
    }
    FreeBulkInsertState(bulk);
    table_endscan(scan);
    MemoryContextDelete(row_context);
    return n;
}

/* copy_blocks(from, to) → rows */
Datum azekura_copy_blocks(PG_FUNCTION_ARGS)
{
    Relation from = table_open(PG_GETARG_OID(0), AccessShareLock);
    Relation to = table_open(PG_GETARG_OID(1), RowExclusiveLock);
    check_source(from);
    check_target(to);
    int64 n = copy_rows(from, to);
    table_close(to, NoLock);
    table_close(from, NoLock);
    PG_RETURN_INT64(n);
}
