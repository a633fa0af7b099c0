/* Find the conditions that a scan can take over (planner's side; qual_sum.c is the executor's). */
#include "pgext/pgext.h"

#include "access/stratnum.h"
#include "catalog/pg_type_d.h"
#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "pgext/quals.h"

struct operator_row {
    Oid function; /* of the operator */
    int op;       /* btree strategy */
    Oid cast;     /* function that makes a timestamptz of the value, or 0 */
};

static const struct operator_row time_operators[] = {
    {F_TIMESTAMPTZ_LT, BTLessStrategyNumber, 0},
    {F_TIMESTAMPTZ_LE, BTLessEqualStrategyNumber, 0},
    {F_TIMESTAMPTZ_EQ, BTEqualStrategyNumber, 0},
    {F_TIMESTAMPTZ_GE, BTGreaterEqualStrategyNumber, 0},
    {F_TIMESTAMPTZ_GT, BTGreaterStrategyNumber, 0},
    {F_TIMESTAMPTZ_LT_DATE, BTLessStrategyNumber, F_TIMESTAMPTZ_DATE},
    {F_TIMESTAMPTZ_LE_DATE, BTLessEqualStrategyNumber, F_TIMESTAMPTZ_DATE},
    {F_TIMESTAMPTZ_EQ_DATE, BTEqualStrategyNumber, F_TIMESTAMPTZ_DATE},
    {F_TIMESTAMPTZ_GE_DATE, BTGreaterEqualStrategyNumber, F_TIMESTAMPTZ_DATE},
    {F_TIMESTAMPTZ_GT_DATE, BTGreaterStrategyNumber, F_TIMESTAMPTZ_DATE},
    {F_TIMESTAMPTZ_LT_TIMESTAMP, BTLessStrategyNumber, F_TIMESTAMPTZ_TIMESTAMP},
    {F_TIMESTAMPTZ_LE_TIMESTAMP, BTLessEqualStrategyNumber, F_TIMESTAMPTZ_TIMESTAMP},
    {F_TIMESTAMPTZ_EQ_TIMESTAMP, BTEqualStrategyNumber, F_TIMESTAMPTZ_TIMESTAMP},
    {F_TIMESTAMPTZ_GE_TIMESTAMP, BTGreaterEqualStrategyNumber, F_TIMESTAMPTZ_TIMESTAMP},
    {F_TIMESTAMPTZ_GT_TIMESTAMP, BTGreaterStrategyNumber, F_TIMESTAMPTZ_TIMESTAMP},
};

static const struct operator_row number_operators[] = {
    {F_INT2LT, BTLessStrategyNumber, 0},          {F_INT24LT, BTLessStrategyNumber, 0},
    {F_INT28LT, BTLessStrategyNumber, 0},         {F_INT2LE, BTLessEqualStrategyNumber, 0},
    {F_INT24LE, BTLessEqualStrategyNumber, 0},    {F_INT28LE, BTLessEqualStrategyNumber, 0},
    {F_INT2EQ, BTEqualStrategyNumber, 0},         {F_INT24EQ, BTEqualStrategyNumber, 0},
    {F_INT28EQ, BTEqualStrategyNumber, 0},        {F_INT2GE, BTGreaterEqualStrategyNumber, 0},
    {F_INT24GE, BTGreaterEqualStrategyNumber, 0}, {F_INT28GE, BTGreaterEqualStrategyNumber, 0},
    {F_INT2GT, BTGreaterStrategyNumber, 0},       {F_INT24GT, BTGreaterStrategyNumber, 0},
    {F_INT28GT, BTGreaterStrategyNumber, 0},
};

static const struct operator_row *find_operator(const struct operator_row *rows, size_t n,
                                                Oid function)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].function == function)
            return &rows[i];
    }
    return NULL;
}

bool qual_is_exact(const struct qual *q)
{
    return q->kind <= QUAL_QUERY;
}

/* The field that a column reference of ours names, or -1. */
static int field_of_expr(Node *expr, Index relid)
{
    while (IsA(expr, RelabelType))
        expr = (Node *)((RelabelType *)expr)->arg;
    if (!IsA(expr, Var))
        return -1;
    Var *var = (Var *)expr;
    if (var->varno != (int)relid || var->varlevelsup != 0 || var->varattno < 1 ||
        var->varattno > ENTRY_FIELDS)
        return -1;
    return var->varattno - 1;
}

static bool is_value(Node *expr)
{
    return !contain_var_clause(expr) && !contain_volatile_functions(expr) &&
           !contain_subplans(expr);
}

static bool is_text_value(enum entry_field f)
{
    return f >= ENTRY_HOSTNAME && f <= ENTRY_MSGID;
}

static bool of_text(int field, Oid function, Oid collation, struct qual *ret)
{
    bool is_name = field == ENTRY_LISTENER || field == ENTRY_FORMAT;
    bool is_field = is_text_value(field) || field == ENTRY_STRUCTURED_DATA ||
                    field == ENTRY_MESSAGE;
    /* a collation may hold different texts equal */
    if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
        return false;
    if (function == F_TEXTEQ && (is_name || is_text_value(field))) {
        ret->kind = is_name ? QUAL_NAME : QUAL_VALUE;
        ret->op = BTEqualStrategyNumber;
        return true;
    }
    if (is_field && !ret->is_array && (function == F_TEXTLIKE || function == F_TEXTICLIKE)) {
        ret->kind = function == F_TEXTLIKE ? QUAL_LIKE : QUAL_ILIKE;
        return true;
    }
    return false;
}

static bool of_source(Oid function, struct qual *ret)
{
    if (ret->is_array)
        return false;
    ret->kind = QUAL_SOURCE;
    ret->op = function == F_NETWORK_EQ      ? QUAL_SOURCE_EQ
              : function == F_NETWORK_SUB   ? QUAL_SOURCE_SUB
              : function == F_NETWORK_SUBEQ ? QUAL_SOURCE_SUBEQ
                                            : 0;
    return ret->op != 0;
}

static bool of_operator(Oid opno, Oid collation, Node *left, Node *right, bool is_array,
                        Index relid, struct qual *ret)
{
    int field = field_of_expr(left, relid);
    if (field < 0 || !is_value(right))
        return false;
    Oid function = get_opcode(opno);
    *ret = (struct qual){.field = field, .is_array = is_array, .value = (Expr *)right};
    ret->type = exprType(right);
    const struct operator_row *row;
    switch (field) {
    case ENTRY_RECEIVED_AT:
        row = find_operator(time_operators, ARRAY_LEN(time_operators), function);
        if (row == NULL || is_array)
            return false;
        ret->kind = QUAL_TIME;
        ret->op = row->op;
        if (row->cast)
            ret->value = (Expr *)makeFuncExpr(row->cast, TIMESTAMPTZOID, list_make1(right),
                                              InvalidOid, InvalidOid, COERCE_EXPLICIT_CAST);
        return true;
    case ENTRY_FACILITY:
    case ENTRY_SEVERITY:
        row = find_operator(number_operators, ARRAY_LEN(number_operators), function);
        if (row == NULL || (is_array && row->op != BTEqualStrategyNumber))
            return false;
        ret->kind = QUAL_NUMBER;
        ret->op = row->op;
        return true;
    case ENTRY_SOURCE:
        return of_source(function, ret);
    default:
        return of_text(field, function, collation, ret);
    }
}

/* azekura.matches(whole row, query) */
static bool of_function(FuncExpr *f, Index relid, struct qual *ret)
{
    char *name = get_func_name(f->funcid);
    if (name == NULL || strcmp(name, "matches") != 0 || list_length(f->args) != 2 ||
        get_func_namespace(f->funcid) != get_namespace_oid("azekura", true))
        return false;
    Node *row = linitial(f->args);
    Node *query = lsecond(f->args);
    if (!IsA(row, Var) || ((Var *)row)->varno != (int)relid || ((Var *)row)->varattno != 0 ||
        ((Var *)row)->varlevelsup != 0 || !is_value(query))
        return false;
    *ret = (struct qual){.kind = QUAL_QUERY, .type = TEXTOID, .value = (Expr *)query};
    return true;
}

bool qual_of_clause(Expr *clause, Index relid, struct qual *ret)
{
    if (IsA(clause, OpExpr)) {
        OpExpr *e = (OpExpr *)clause;
        if (list_length(e->args) != 2)
            return false;
        Node *left = linitial(e->args), *right = lsecond(e->args);
        if (of_operator(e->opno, e->inputcollid, left, right, false, relid, ret))
            return true;
        Oid commuted = get_commutator(e->opno);
        return OidIsValid(commuted) &&
               of_operator(commuted, e->inputcollid, right, left, false, relid, ret);
    }
    if (IsA(clause, ScalarArrayOpExpr)) {
        ScalarArrayOpExpr *e = (ScalarArrayOpExpr *)clause;
        return e->useOr && of_operator(e->opno, e->inputcollid, linitial(e->args), lsecond(e->args),
                                       true, relid, ret);
    }
    return IsA(clause, FuncExpr) && of_function((FuncExpr *)clause, relid, ret);
}
