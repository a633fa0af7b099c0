/* The two sides of the foreign table azekura.logs. */
#ifndef AZEKURA_FDW_H
#define AZEKURA_FDW_H

#include "pgext/quals.h"
#include "commands/explain.h"
#include "foreign/fdwapi.h"

/* ---- fdw_plan.c: what GetForeignPlan hands to the executor ---- */

struct fdw_plan {
    List
        *quals; /* of struct qual, whose `value` is the expression of the same place in fdw_exprs */
    uint32_t fields;
    enum scan_order order;
    bool is_count; /* count(*) of everything that matches, in one row */
    char *shown;   /* of is_count: the conditions, for EXPLAIN; "" when there are none */
};

/* Of a relation while it is planned. */
struct rel_plan {
    Index relid;
    Oid table;
    List *quals;    /* of struct qual */
    List *taken;    /* their RestrictInfos, in the same order */
    List *rechecks; /* RestrictInfos the executor has to check */
    double blocks, messages;
};

/* costs in the planner's unit (a page read in sequence): a block's metadata, the first block
 * opened, a message looked at */
#define COST_BLOCK 0.1
#define COST_OPEN 20.0
#define COST_MESSAGE 0.002

/* In and out of ForeignScan.fdw_private, which must be copyable. */
List *fdw_plan_to_list(const struct fdw_plan *p);
void fdw_plan_of_list(List *list, struct fdw_plan *ret);

void fdw_get_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid table);
void fdw_get_paths(PlannerInfo *root, RelOptInfo *rel, Oid table);
ForeignScan *fdw_get_plan(PlannerInfo *root, RelOptInfo *rel, Oid table, ForeignPath *path,
                          List *targets, List *clauses, Plan *outer);

/* ---- fdw_count.c: count(*) without the executor ---- */

void fdw_get_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
                         RelOptInfo *output, void *extra);
ForeignScan *fdw_get_count_plan(RelOptInfo *rel, ForeignPath *path, List *targets, Plan *outer);

/* ---- fdw_scan.c ---- */

void fdw_begin(ForeignScanState *node, int flags);
TupleTableSlot *fdw_iterate(ForeignScanState *node);
void fdw_rescan(ForeignScanState *node);
void fdw_end(ForeignScanState *node);
void fdw_explain(ForeignScanState *node, ExplainState *es);

#endif
