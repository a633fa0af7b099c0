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
};

/* In and out of ForeignScan.fdw_private, which must be copyable. */
List *fdw_plan_to_list(const struct fdw_plan *p);
void fdw_plan_of_list(List *list, struct fdw_plan *ret);

void fdw_get_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid table);
void fdw_get_paths(PlannerInfo *root, RelOptInfo *rel, Oid table);
ForeignScan *fdw_get_plan(PlannerInfo *root, RelOptInfo *rel, Oid table, ForeignPath *path,
                          List *targets, List *clauses, Plan *outer);

/* ---- fdw_scan.c ---- */

void fdw_begin(ForeignScanState *node, int flags);
TupleTableSlot *fdw_iterate(ForeignScanState *node);
void fdw_rescan(ForeignScanState *node);
void fdw_end(ForeignScanState *node);
void fdw_explain(ForeignScanState *node, ExplainState *es);

#endif
