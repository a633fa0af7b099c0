/* The foreign table azekura.logs, executor's side. */
#include "pgext/pgext.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/ruleutils.h"

#include "pgext/fdw.h"

#define EXPLAINED_MAX_BYTES 65536 /* of a query written back; a longer one is not shown */

struct fdw_state {
    struct fdw_plan plan;
    List *values; /* of ExprState, one a qual */
    Oid user;
    MemoryContext context;     /* of one run: values, tree, scan */
    MemoryContext row_context; /* of one row's values */
    bool is_open, is_empty, is_counted;
    struct scan *scan;
    struct entry_maker maker;
    /* SCAN_BLOCKS: the block being given out */
    struct scan_block *block;
    uint32_t row;            /* next one */
    uint32_t whole_left;     /* rows of a block that was never opened */
    struct scan_stats total; /* of earlier runs, for EXPLAIN ANALYZE */
};

static Oid user_of_scan(ForeignScanState *node)
{
    ForeignScan *plan = (ForeignScan *)node->ss.ps.plan;
    /* a scan that stands for an aggregate has no relation of its own */
    int rtindex = (int)plan->scan.scanrelid;
    if (rtindex == 0)
        rtindex = bms_next_member(plan->fs_relids, -1);
    RangeTblEntry *rte = exec_rt_fetch((Index)rtindex, node->ss.ps.state);
    return OidIsValid(rte->checkAsUser) ? rte->checkAsUser : GetUserId();
}

void fdw_begin(ForeignScanState *node, int flags)
{
    (void)flags;
    ForeignScan *plan = (ForeignScan *)node->ss.ps.plan;
    EState *state = node->ss.ps.state;
    struct fdw_state *s = palloc0(sizeof(*s));
    fdw_plan_of_list(plan->fdw_private, &s->plan);
    s->values = ExecInitExprList(plan->fdw_exprs, &node->ss.ps);
    s->user = user_of_scan(node);
    s->context =
        AllocSetContextCreate(state->es_query_cxt, "azekura foreign scan", ALLOCSET_DEFAULT_SIZES);
    s->row_context =
        AllocSetContextCreate(state->es_query_cxt, "azekura row", ALLOCSET_DEFAULT_SIZES);
    s->maker.fields = s->plan.fields;
    node->fdw_state = s;
}

/* Evaluate the conditions' values into a scan's range and query. */
static void sum_quals(ForeignScanState *node, struct scan_spec *spec, bool *ret_is_empty)
{
    struct fdw_state *s = node->fdw_state;
    struct qual_sum sum;
    ListCell *qual, *value;
    qual_sum_init(&sum, (size_t)list_length(s->plan.quals));
    forboth(qual, s->plan.quals, value, s->values)
    {
        bool is_null;
        Datum d = ExecEvalExpr((ExprState *)lfirst(value), node->ss.ps.ps_ExprContext, &is_null);
        qual_sum_add(&sum, lfirst(qual), d, is_null);
    }
    *spec = (struct scan_spec){
        .query = qual_sum_query(&sum),
        .from_us = sum.from_us,
        .to_us = sum.to_us,
        .order = s->plan.order,
        .columns = entry_columns(s->plan.fields),
        .wants_rows = s->plan.fields != 0,
        .snapshot = node->ss.ps.state->es_snapshot,
        .user = s->user,
    };
    *ret_is_empty = sum.is_empty;
}

static void open_scan(ForeignScanState *node)
{
    struct fdw_state *s = node->fdw_state;
    MemoryContext old = MemoryContextSwitchTo(s->context);
    struct scan_spec spec;
    sum_quals(node, &spec, &s->is_empty);
    if (!s->is_empty)
        s->scan = scan_open(&spec);
    s->is_open = true;
    MemoryContextSwitchTo(old);
}

/* The next row: 0 at the end; 1 with *ret_block and *ret_row; 2 for a row of which nothing is
 * wanted. */
static int next_row(struct fdw_state *s, struct scan_block **ret_block, uint32_t *ret_row)
{
    if (s->plan.order != SCAN_BLOCKS)
        return scan_next_row(s->scan, ret_block, ret_row) ? 1 : 0;
    for (;;) {
        if (s->whole_left > 0) {
            s->whole_left--;
            return 2;
        }
        if (s->block) {
            uint32_t row = rows_next(s->block->rows, s->row);
            if (row != UINT32_MAX) {
                s->row = row + 1;
                *ret_block = s->block;
                *ret_row = row;
                return 1;
            }
        }
        s->block = scan_next_block(s->scan);
        s->row = 0;
        if (s->block == NULL)
            return 0;
        if (s->plan.fields == 0) {
            s->whole_left = s->block->matches;
            s->block = NULL;
        }
    }
}

/* The one row of a count: the same number in every column. */
static TupleTableSlot *count_all(struct fdw_state *s, TupleTableSlot *slot)
{
    if (s->is_counted)
        return slot;
    int64_t n = 0;
    for (struct scan_block *b; !s->is_empty && (b = scan_next_block(s->scan)) != NULL;)
        n += b->matches;
    s->is_counted = true;
    for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++) {
        slot->tts_values[i] = Int64GetDatum(n);
        slot->tts_isnull[i] = false;
    }
    return ExecStoreVirtualTuple(slot);
}

TupleTableSlot *fdw_iterate(ForeignScanState *node)
{
    struct fdw_state *s = node->fdw_state;
    TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
    ExecClearTuple(slot);
    if (!s->is_open)
        open_scan(node);
    if (s->plan.is_count)
        return count_all(s, slot);
    if (s->is_empty)
        return slot;
    struct scan_block *block;
    uint32_t row;
    switch (next_row(s, &block, &row)) {
    case 0:
        return slot;
    case 2:
        return ExecStoreAllNullTuple(slot);
    default:
        break;
    }
    MemoryContextReset(s->row_context);
    MemoryContext old = MemoryContextSwitchTo(s->row_context);
    entry_make(&s->maker, block, row, slot->tts_values, slot->tts_isnull);
    MemoryContextSwitchTo(old);
    return ExecStoreVirtualTuple(slot);
}

static void close_scan(struct fdw_state *s)
{
    if (s->scan) {
        scan_stats_add(&s->total, scan_stats(s->scan));
        scan_close(&s->scan);
    }
    s->block = NULL;
    s->whole_left = 0;
    s->is_open = s->is_counted = false;
    MemoryContextReset(s->context);
}

void fdw_rescan(ForeignScanState *node)
{
    close_scan(node->fdw_state);
}

void fdw_end(ForeignScanState *node)
{
    struct fdw_state *s = node->fdw_state;
    if (s)
        close_scan(s);
}

/* ---- EXPLAIN ---- */

static void explain_conditions(ForeignScanState *node, ExplainState *es)
{
    ForeignScan *plan = (ForeignScan *)node->ss.ps.plan;
    struct fdw_state *s = node->fdw_state;
    if (s->plan.is_count) {
        if (s->plan.shown[0])
            ExplainPropertyText("Pushed Conditions", s->plan.shown, es);
        return;
    }
    if (plan->fdw_recheck_quals == NIL)
        return;
    List *context = set_deparse_context_plan(es->deparse_cxt, (Plan *)plan, NIL);
    Expr *all = make_ands_explicit(plan->fdw_recheck_quals);
    bool use_prefix = list_length(es->rtable) > 1 || es->verbose;
    ExplainPropertyText("Pushed Conditions",
                        deparse_expression((Node *)all, context, use_prefix, false), es);
}

static bool has_exec_param(Node *node, void *context)
{
    if (node == NULL)
        return false;
    if (IsA(node, Param))
        return ((Param *)node)->paramkind == PARAM_EXEC;
    return expression_tree_walker(node, has_exec_param, context);
}

/* How a query of the search language was understood, written as one again. */
static void explain_query(const struct fdw_state *s, const struct query_node *q, ExplainState *es)
{
    bool has_query = false;
    ListCell *qual;
    foreach (qual, s->plan.quals)
        has_query |= ((struct qual *)lfirst(qual))->kind == QUAL_QUERY;
    if (!has_query || q == NULL)
        return;
    struct buf out = BUF_INIT(EXPLAINED_MAX_BYTES);
    char *text = NULL;
    if (query_format(q, &out) == 0)
        text = palloc_extended(out.n + 1, MCXT_ALLOC_NO_OOM);
    if (text) {
        memcpy(text, buf_view(&out).p, out.n);
        text[out.n] = 0;
    }
    buf_free(&out); /* before any ERROR: it is not palloc'd */
    if (text)
        ExplainPropertyText("Query", text, es);
}

/* "3 of 1204": what time and metadata leave, without opening a block. */
static void explain_blocks(ForeignScanState *node, ExplainState *es)
{
    ForeignScan *plan = (ForeignScan *)node->ss.ps.plan;
    struct fdw_state *s = node->fdw_state;
    if (has_exec_param((Node *)plan->fdw_exprs, NULL))
        return; /* not known before it runs */
    MemoryContext old = MemoryContextSwitchTo(s->context);
    struct scan_spec spec;
    bool is_empty;
    sum_quals(node, &spec, &is_empty);
    uint64_t chosen = is_empty ? 0 : scan_count_candidates(&spec);
    double all, messages;
    blocks_estimate(spec.snapshot, spec.user, RANGE_OPEN_FROM, RANGE_OPEN_TO, UINT32_MAX, &all,
                    &messages);
    explain_query(s, spec.query, es);
    ExplainPropertyText("Blocks", psprintf("%llu of %.0f", (unsigned long long)chosen, all), es);
    MemoryContextSwitchTo(old);
}

void fdw_explain(ForeignScanState *node, ExplainState *es)
{
    struct fdw_state *s = node->fdw_state;
    static const char *const orders[] = {
        [SCAN_ASC] = "oldest first", [SCAN_DESC] = "newest first", [SCAN_BLOCKS] = NULL};
    explain_conditions(node, es);
    if (orders[s->plan.order])
        ExplainPropertyText("Order", orders[s->plan.order], es);
    struct scan_stats n = s->total;
    if (s->scan)
        scan_stats_add(&n, scan_stats(s->scan));
    explain_blocks(node, es);
    if (!es->analyze)
        return;
    ExplainPropertyUInteger("Blocks Read", NULL, n.blocks_read, es);
    ExplainPropertyUInteger("Blocks Counted Unopened", NULL, n.blocks_counted, es);
    ExplainPropertyUInteger("Blocks Skipped by Metadata", NULL, n.skipped_by_metadata, es);
    ExplainPropertyUInteger("Blocks Skipped by Token Index", NULL, n.skipped_by_tokens, es);
    if (n.damaged > 0)
        ExplainPropertyUInteger("Blocks Damaged", NULL, n.damaged, es);
}
