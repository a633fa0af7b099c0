/* Conditions of a WHERE that the foreign table takes over: found when a query is planned, turned
 * into a time range and a predicate tree when it runs.
 *
 *   received_at   < <= = >= >       with timestamptz, timestamp or date
 *   facility, severity  < <= = >= >  = ANY (…)
 *   listener, format    =            = ANY (…)
 *   source        =  <<=  <<
 *   hostname, app_name, procid, msgid   =   = ANY (…)
 *   every text field    LIKE, ILIKE: the literal parts
 *   azekura.matches(logs, 'query')
 *
 * The value may be any expression without columns and without volatile functions.  What the scan
 * decides exactly is not checked again by the executor; the rest only narrows. */
#ifndef AZEKURA_QUALS_H
#define AZEKURA_QUALS_H

#include "pgext/entry.h"
#include "nodes/pathnodes.h"

enum qual_kind {
    QUAL_TIME,   /* exact */
    QUAL_NUMBER, /* exact; severity, facility */
    QUAL_NAME,   /* exact; listener, format */
    QUAL_QUERY,  /* exact; azekura.matches() */
    QUAL_SOURCE,
    QUAL_VALUE,
    QUAL_LIKE,
    QUAL_ILIKE,
};

struct qual {
    enum qual_kind kind;
    int field;     /* enum entry_field; 0 for QUAL_QUERY */
    int op;        /* btree strategy; for QUAL_SOURCE QUAL_SOURCE_… */
    bool is_array; /* = ANY (…) */
    Oid type;      /* of the value */
    Expr *value;
};

enum { QUAL_SOURCE_EQ = 1, QUAL_SOURCE_SUB, QUAL_SOURCE_SUBEQ };

/* Whether the condition on relation `relid` can be taken over; *ret tells how. */
bool qual_of_clause(Expr *clause, Index relid, struct qual *ret);
bool qual_is_exact(const struct qual *q);

/* Conditions with values, put together. */
struct qual_sum {
    int64_t from_us, to_us;
    bool is_empty;                   /* no row can match: a value is null */
    const struct query_node **nodes; /* all of them must hold; palloc'd */
    size_t nodes_n;
};

void qual_sum_init(struct qual_sum *s, size_t max_quals);
/* Narrow by one condition; copies what it needs of the value into CurrentMemoryContext. */
void qual_sum_add(struct qual_sum *s, const struct qual *q, Datum value, bool is_null);
/* One tree of all nodes; NULL: everything. */
const struct query_node *qual_sum_query(const struct qual_sum *s);

#endif
