/* The module: its setting, and what its SQL functions share. */
#include "pgext/pgext.h"

#include "base/limits.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

int azekura_time_limit_ms = 0;

extern PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
    DefineCustomIntVariable(
        "azekura.time_limit_ms",
        "Longest work of one call of azekura.search(), histogram() or facets().",
        "When it is used up, the call returns what it has; azekura.last_scan() "
        "tells whether that is all. 0: no limit.",
        &azekura_time_limit_ms, 0, 0, INT_MAX, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
    MarkGUCPrefixReserved("azekura");
}

struct query_memory {
    struct arena arena;
    MemoryContextCallback callback;
};

static void free_query(void *arg)
{
    arena_done(&((struct query_memory *)arg)->arena);
}

const struct query_node *query_of_text(struct view text)
{
    /* the tree lives in malloc's memory: the context frees it, also when an ERROR unwinds */
    struct query_memory *m = palloc0(sizeof(*m));
    m->callback.func = free_query;
    m->callback.arg = m;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &m->callback);

    const struct query_node *tree;
    struct query_error error;
    if (query_parse(&m->arena, text, &tree, &error) < 0) {
        int character = pg_mbstrlen_with_len(text.p, (int)Min(error.at, text.n)) + 1;
        ereport(ERROR,
                (errcode(ERRCODE_AZEKURA_QUERY), errmsg("cannot read the query: %s", error.message),
                 errdetail("at character %d", character)));
    }
    return tree;
}

struct view view_of_text(const text *t)
{
    return view_of(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

struct view view_of_argument(FunctionCallInfo fcinfo, int n)
{
    return PG_ARGISNULL(n) ? VIEW("") : view_of_text(PG_GETARG_TEXT_PP(n));
}

void range_of_arguments(FunctionCallInfo fcinfo, int n, int64_t *ret_from_us, int64_t *ret_to_us)
{
    int64_t from = PG_ARGISNULL(n) ? RANGE_OPEN_FROM : us_of_timestamp(PG_GETARG_TIMESTAMPTZ(n));
    int64_t to = PG_ARGISNULL(n + 1) ? RANGE_OPEN_TO
                                     : us_of_timestamp(PG_GETARG_TIMESTAMPTZ(n + 1));
    *ret_from_us = from;
    *ret_to_us = to;
}

Datum text_of_view(struct view v)
{
    return PointerGetDatum(cstring_to_text_with_len(v.p ? v.p : "", (int)v.n));
}
