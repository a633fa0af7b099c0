/* The foreign table azekura.logs, planner's side: which conditions the scan takes over, how many
 * rows to expect, and whether they can come in order. */
#include "pgext/pgext.h"

#include "access/stratnum.h"
#include "access/table.h"
#include "foreign/foreign.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "pgext/fdw.h"

PGEXT_FUNCTION(azekura_fdw_handler);
PGEXT_FUNCTION(azekura_fdw_validator);

/* blocks whose rows are read for an estimate; of more, the mean stands for the rest */
#define ESTIMATE_BLOCKS 1000

Datum azekura_fdw_handler(PG_FUNCTION_ARGS)
{
    FdwRoutine *r = makeNode(FdwRoutine);
    (void)fcinfo;
    r->GetForeignRelSize = fdw_get_rel_size;
    r->GetForeignPaths = fdw_get_paths;
    r->GetForeignPlan = fdw_get_plan;
    r->GetForeignUpperPaths = fdw_get_upper_paths;
    r->BeginForeignScan = fdw_begin;
    r->IterateForeignScan = fdw_iterate;
    r->ReScanForeignScan = fdw_rescan;
    r->EndForeignScan = fdw_end;
    r->ExplainForeignScan = fdw_explain;
    PG_RETURN_POINTER(r);
}

/* No options: the relation is azekura.logs and nothing else. */
Datum azekura_fdw_validator(PG_FUNCTION_ARGS)
{
    ArrayType *options = PG_GETARG_ARRAYTYPE_P(0);
    if (ARR_NDIM(options) > 0)
        ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
                        errmsg("the foreign data wrapper azekura_blocks has no options")));
    PG_RETURN_VOID();
}

/* ---- private lists ---- */

List *fdw_plan_to_list(const struct fdw_plan *p)
{
    List *list = list_make4(makeInteger((int)p->fields), makeInteger(p->order),
                            makeInteger(p->is_count), makeString(p->shown ? p->shown : ""));
    ListCell *cell;
    foreach (cell, p->quals) {
        const struct qual *q = lfirst(cell);
        list = lappend(list,
                       list_make5(makeInteger(q->kind), makeInteger(q->field), makeInteger(q->op),
                                  makeInteger(q->is_array), makeInteger((int)q->type)));
    }
    return list;
}

void fdw_plan_of_list(List *list, struct fdw_plan *ret)
{
    *ret = (struct fdw_plan){.fields = (uint32_t)intVal(linitial(list)),
                             .order = (enum scan_order)intVal(lsecond(list)),
                             .is_count = intVal(lthird(list)) != 0,
                             .shown = strVal(lfourth(list))};
    for (int i = 4; i < list_length(list); i++) {
        List *parts = list_nth(list, i);
        struct qual *q = palloc0(sizeof(*q));
        q->kind = (enum qual_kind)intVal(linitial(parts));
        q->field = intVal(lsecond(parts));
        q->op = intVal(lthird(parts));
        q->is_array = intVal(lfourth(parts)) != 0;
        q->type = (Oid)intVal(list_nth(parts, 4));
        ret->quals = lappend(ret->quals, q);
    }
}

/* ---- estimates ---- */

/* The range of time as far as its bounds are known now; now() counts as known. */
static void planned_range(PlannerInfo *root, struct rel_plan *p, struct qual_sum *ret)
{
    ListCell *cell;
    qual_sum_init(ret, (size_t)list_length(p->quals));
    foreach (cell, p->quals) {
        struct qual *q = lfirst(cell);
        if (q->kind != QUAL_TIME)
            continue;
        Node *value = estimate_expression_value(root, (Node *)q->value);
        if (IsA(value, Const))
            qual_sum_add(ret, q, ((Const *)value)->constvalue, ((Const *)value)->constisnull);
    }
}

void fdw_get_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid table)
{
    Relation logs = table_open(table, NoLock);
    entry_check_desc(RelationGetDescr(logs));
    table_close(logs, NoLock);
    struct rel_plan *p = palloc0(sizeof(*p));
    p->relid = rel->relid;
    p->table = table;
    List *others = NIL; /* conditions whose selectivity counts: the range of time counts itself */
    ListCell *cell;
    foreach (cell, rel->baserestrictinfo) {
        RestrictInfo *info = lfirst_node(RestrictInfo, cell);
        struct qual q;
        bool is_taken = qual_of_clause(info->clause, rel->relid, &q);
        if (is_taken) {
            struct qual *copy = palloc(sizeof(*copy));
            *copy = q;
            p->quals = lappend(p->quals, copy);
            p->taken = lappend(p->taken, info);
        }
        if (!is_taken || !qual_is_exact(&q))
            p->rechecks = lappend(p->rechecks, info);
        if (!is_taken || q.kind != QUAL_TIME)
            others = lappend(others, info);
    }
    struct qual_sum range;
    planned_range(root, p, &range);
    RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
    Oid user = OidIsValid(rte->checkAsUser) ? rte->checkAsUser : GetUserId();
    if (!range.is_empty)
        blocks_estimate(GetActiveSnapshot(), user, range.from_us, range.to_us, ESTIMATE_BLOCKS,
                        &p->blocks, &p->messages);
    rel->tuples = p->messages;
    rel->rows = clamp_row_est(p->messages *
                              clauselist_selectivity(root, others, rel->relid, JOIN_INNER, NULL));
    rel->reltarget->width = 200;
    rel->fdw_private = p;
}

/* ---- paths ---- */

/* The order of the scan that gives the first of the wanted pathkeys, or SCAN_BLOCKS. */
static enum scan_order order_of_pathkeys(PlannerInfo *root, RelOptInfo *rel)
{
    if (root->query_pathkeys == NIL)
        return SCAN_BLOCKS;
    PathKey *key = linitial(root->query_pathkeys);
    Oid family = lookup_type_cache(TIMESTAMPTZOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    if (key->pk_opfamily != family || key->pk_eclass->ec_has_volatile)
        return SCAN_BLOCKS;
    ListCell *cell;
    foreach (cell, key->pk_eclass->ec_members) {
        EquivalenceMember *member = lfirst(cell);
        Var *var = (Var *)member->em_expr;
        if (IsA(var, Var) && var->varno == (int)rel->relid && var->varlevelsup == 0 &&
            var->varattno == ENTRY_RECEIVED_AT + 1 && member->em_datatype == TIMESTAMPTZOID)
            return key->pk_strategy == BTLessStrategyNumber ? SCAN_ASC : SCAN_DESC;
    }
    return SCAN_BLOCKS;
}

static void add_one_path(PlannerInfo *root, RelOptInfo *rel, enum scan_order order, Cost total)
{
    List *pathkeys = order == SCAN_BLOCKS ? NIL : list_make1(linitial(root->query_pathkeys));
    add_path(rel, (Path *)create_foreignscan_path(root, rel, NULL, rel->rows, COST_OPEN, total,
                                                  pathkeys, rel->lateral_relids, NULL,
                                                  list_make1(makeInteger(order))));
}

void fdw_get_paths(PlannerInfo *root, RelOptInfo *rel, Oid table)
{
    (void)table;
    struct rel_plan *p = rel->fdw_private;
    Cost total = COST_OPEN + p->blocks * COST_BLOCK + p->messages * COST_MESSAGE +
                 rel->rows * cpu_tuple_cost;
    add_one_path(root, rel, SCAN_BLOCKS, total);
    enum scan_order order = order_of_pathkeys(root, rel);
    if (order != SCAN_BLOCKS)
        add_one_path(root, rel, order, total * 1.05); /* merging costs a little */
}

/* ---- the plan ---- */

/* The fields that the rows above the scan and its rechecks look at. */
static uint32_t fields_needed(RelOptInfo *rel, List *rechecks)
{
    Bitmapset *attributes = NULL;
    pull_varattnos((Node *)rel->reltarget->exprs, rel->relid, &attributes);
    pull_varattnos((Node *)rechecks, rel->relid, &attributes);
    uint32_t fields = 0;
    for (int i = -1; (i = bms_next_member(attributes, i)) >= 0;) {
        int attribute = i + FirstLowInvalidHeapAttributeNumber;
        if (attribute == 0)
            return ENTRY_ALL_FIELDS; /* the whole row */
        if (attribute > 0 && attribute <= ENTRY_FIELDS)
            fields |= 1u << (attribute - 1);
    }
    return fields;
}

ForeignScan *fdw_get_plan(PlannerInfo *root, RelOptInfo *rel, Oid table, ForeignPath *path,
                          List *targets, List *clauses, Plan *outer)
{
    (void)root;
    (void)table;
    if (rel->reloptkind == RELOPT_UPPER_REL)
        return fdw_get_count_plan(rel, path, targets, outer);
    struct rel_plan *p = rel->fdw_private;
    List *rechecks = NIL, *taken = NIL, *values = NIL;
    ListCell *cell;
    foreach (cell, clauses) {
        RestrictInfo *info = lfirst_node(RestrictInfo, cell);
        if (info->pseudoconstant)
            continue;
        bool is_exact = list_member_ptr(p->taken, info) && !list_member_ptr(p->rechecks, info);
        if (!is_exact)
            rechecks = lappend(rechecks, info->clause);
    }
    foreach (cell, p->taken)
        taken = lappend(taken, ((RestrictInfo *)lfirst(cell))->clause);
    foreach (cell, p->quals)
        values = lappend(values, ((struct qual *)lfirst(cell))->value);
    struct fdw_plan plan = {
        .quals = p->quals,
        .fields = fields_needed(rel, rechecks),
        .order = (enum scan_order)intVal(linitial(path->fdw_private)),
    };
    /* what was taken over goes into fdw_recheck_quals: EXPLAIN shows it from there */
    return make_foreignscan(targets, rechecks, rel->relid, values, fdw_plan_to_list(&plan), NIL,
                            taken, outer);
}
