/* azekura.matches(): the query language on one row.  In a WHERE over azekura.logs the foreign table
 * takes it over (quals.c) and skips blocks by it; elsewhere this function runs. */
#include "pgext/pgext.h"

#include "pgext/entry.h"

PGEXT_FUNCTION(azekura_matches);

struct matches_cache {
    MemoryContext context; /* of the tree */
    char *text;
    size_t n;
    const struct query_node *tree;
};

/* The tree of the query; parsed once while the query stays the same from row to row. */
static const struct query_node *cached_query(FmgrInfo *info, struct view text)
{
    struct matches_cache *cache = info->fn_extra;
    if (cache && view_eq(view_of(cache->text, cache->n), text))
        return cache->tree;
    if (cache == NULL) {
        cache = MemoryContextAllocZero(info->fn_mcxt, sizeof(*cache));
        cache->context =
            AllocSetContextCreate(info->fn_mcxt, "azekura query", ALLOCSET_SMALL_SIZES);
    }
    info->fn_extra = NULL; /* while it is not whole */
    MemoryContextReset(cache->context);
    MemoryContext old = MemoryContextSwitchTo(cache->context);
    cache->text = pnstrdup(text.p, text.n);
    cache->n = text.n;
    cache->tree = query_of_text(text);
    MemoryContextSwitchTo(old);
    info->fn_extra = cache;
    return cache->tree;
}

/* matches(entry azekura.logs, query text) */
Datum azekura_matches(PG_FUNCTION_ARGS)
{
    const struct query_node *q = cached_query(fcinfo->flinfo, view_of_argument(fcinfo, 1));
    struct record record;
    entry_record(PG_GETARG_HEAPTUPLEHEADER(0), &record);
    PG_RETURN_BOOL(query_matches(q, &record));
}
