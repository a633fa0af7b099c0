/* What every file of the extension that talks to PostgreSQL includes first.  PostgreSQL's headers
 * come before ours: it defines sprintf as a macro, which base.h forbids altogether. */
#ifndef AZEKURA_PGEXT_H
#define AZEKURA_PGEXT_H

/* the library is built with hidden symbols; the server has to find these */
#define PGDLLEXPORT __attribute__((visibility("default")))

#include "postgres.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "mb/pg_wchar.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
#include "utils/timestamp.h"

#undef sprintf
#undef vsprintf

#include "base/base.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/view.h"
#include "block/block.h"
#include "query/query.h"

/* A function that SQL calls; PostgreSQL 15's own macro leaves it hidden. */
#define PGEXT_FUNCTION(name)                         \
    extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
    PG_FUNCTION_INFO_V1(name)

/* A search query that cannot be read. */
#define ERRCODE_AZEKURA_QUERY MAKE_SQLSTATE('A', 'Z', '0', '0', '1')

/* ---- module.c ---- */

extern int azekura_time_limit_ms; /* GUC azekura.time_limit_ms; 0: none */

/* The tree of a query, living as long as CurrentMemoryContext; ERROR AZ001 when it cannot be read.
 */
const struct query_node *query_of_text(struct view text);
/* The bytes of a text argument; an SQL null gives "". */
struct view view_of_argument(FunctionCallInfo fcinfo, int n);
struct view view_of_text(const text *t);
/* Arguments n and n + 1, "from" and "to": a null or an infinity is open. */
void range_of_arguments(FunctionCallInfo fcinfo, int n, int64_t *ret_from_us, int64_t *ret_to_us);
Datum text_of_view(struct view v);

/* ---- time: microseconds since 1970, PostgreSQL counts from 2000 ---- */

#define RANGE_OPEN_FROM INT64_MIN
#define RANGE_OPEN_TO INT64_MAX

static inline int64_t us_of_timestamp(TimestampTz t)
{
    const int64_t offset = (int64_t)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
    int64_t us;
    if (t == DT_NOBEGIN || t == DT_NOEND)
        return t;
    return __builtin_add_overflow(t, offset, &us) ? INT64_MAX : us;
}

static inline TimestampTz timestamp_of_us(int64_t us)
{
    const int64_t offset = (int64_t)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
    TimestampTz t;
    if (us == INT64_MIN || us == INT64_MAX)
        return us;
    return __builtin_sub_overflow(us, offset, &t) ? DT_NOBEGIN : t;
}

#endif
