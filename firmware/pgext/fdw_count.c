/* count(*) over azekura.logs, taken over as a whole where the scan decides all conditions exactly:
 * blocks that match as a whole are counted by their metadata, and no row goes through the executor.
 */
#include "pgext/pgext.h"

#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "pgext/fdw.h"

static bool is_count_of_all(Node *expr)
{
    if (!IsA(expr, Aggref))
        return false;
    Aggref *a = (Aggref *)expr;
    return a->aggfnoid == F_COUNT_ && a->aggstar && a->aggfilter == NULL && a->aggdistinct == NIL &&
           a->aggorder == NIL && a->agglevelsup == 0 && a->aggsplit == AGGSPLIT_SIMPLE;
}

static bool counts_only(const PathTarget *target)
{
    ListCell *cell;
    foreach (cell, target->exprs) {
        if (!is_count_of_all(lfirst(cell)))
            return false;
    }
    return target->exprs != NIL;
}

void fdw_get_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
                         RelOptInfo *output, void *extra)
{
    (void)extra;
    Query *query = root->parse;
    struct rel_plan *p = input->fdw_private;
    PathTarget *target = root->upper_targets[UPPERREL_GROUP_AGG];
    if (stage != UPPERREL_GROUP_AGG || output->fdw_private || !IS_SIMPLE_REL(input) || p == NULL ||
        p->rechecks != NIL || query->groupClause != NIL || query->groupingSets != NIL ||
        query->havingQual != NULL || !counts_only(target))
        return;
    bool has_others = false; /* than the range of time */
    ListCell *cell;
    foreach (cell, p->quals)
        has_others |= ((struct qual *)lfirst(cell))->kind != QUAL_TIME;
    Cost total = COST_OPEN + p->blocks * COST_BLOCK + (has_others ? p->messages * COST_MESSAGE : 0);
    output->fdw_private = p;
    add_path(output, (Path *)create_foreign_upper_path(root, output, target, 1, total, total, NIL,
                                                       NULL, NIL));
}

/* The conditions as text: as expressions they would have to be over what the scan gives. */
static char *conditions_text(const struct rel_plan *p)
{
    List *taken = NIL;
    ListCell *cell;
    foreach (cell, p->taken)
        taken = lappend(taken, copyObject(((RestrictInfo *)lfirst(cell))->clause));
    if (taken == NIL)
        return "";
    Node *all = (Node *)make_ands_explicit(taken);
    ChangeVarNodes(all, (int)p->relid, 1, 0);
    return deparse_expression(all, deparse_context_for(get_rel_name(p->table), p->table), false,
                              false);
}

ForeignScan *fdw_get_count_plan(RelOptInfo *rel, ForeignPath *path, List *targets, Plan *outer)
{
    struct rel_plan *p = rel->fdw_private;
    List *values = NIL;
    ListCell *cell;
    foreach (cell, p->quals)
        values = lappend(values, ((struct qual *)lfirst(cell))->value);
    struct fdw_plan plan = {
        .quals = p->quals,
        .order = SCAN_BLOCKS,
        .is_count = true,
        .shown = conditions_text(p),
    };
    return make_foreignscan(targets, NIL, 0, values, fdw_plan_to_list(&plan),
                            add_to_flat_tlist(NIL, path->path.pathtarget->exprs), NIL, outer);
}
