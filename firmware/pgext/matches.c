/* azekura.matches(): the query language on one row.  In a WHERE over azekura.logs the foreign table
 * takes it over (quals.c) and skips blocks by it; elsewhere this function runs. */
#include "pgext/pgext.h"

#include "executor/executor.h"

#include "pgext/entry.h"
#include "pgext/pairs.h"

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

static bool asks_for_marks(const struct query_node *q)
{
    bool asks = q->kind == QUERY_MARK;
    for (size_t i = 0; i < q->children_n && !asks; i++)
        asks = asks_for_marks(q->children[i]);
    return asks;
}

/* Marks are no field of a row: the message is looked up. */
static uint8_t flags_of_row(HeapTupleHeader row)
{
    struct pairs_message m;
    bool is_null;
    Datum id = GetAttributeByNum(row, ENTRY_ID + 1, &is_null);
    if (is_null || !pairs_find_message(view_of_text(DatumGetTextPP(id)), 1u << COLUMN_FLAGS, &m))
        return 0;
    return m.flags;
}

/* matches(entry azekura.logs, query text) */
Datum azekura_matches(PG_FUNCTION_ARGS)
{
    const struct query_node *q = cached_query(fcinfo->flinfo, view_of_argument(fcinfo, 1));
    struct record record;
    entry_record(PG_GETARG_HEAPTUPLEHEADER(0), &record);
    if (asks_for_marks(q))
        record.flags = flags_of_row(PG_GETARG_HEAPTUPLEHEADER(0));
    PG_RETURN_BOOL(query_matches(q, &record));
}
