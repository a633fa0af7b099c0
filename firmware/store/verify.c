/* Blocks are listed first (place, time and count only) and then checked one a statement. */
#include "store/verify.h"

#include "store/search.h"

static int list_blocks(PGconn *c, int64_t from_us, int64_t to_us, PGresult **ret, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    const char *values[] = {store_time_param(from_us, from), store_time_param(to_us, to)};
    return store_query(c,
                       "select tableoid::regclass::text, tableoid, ctid, first_at, messages"
                       " from azekura.log_block"
                       " where ($1::timestamptz is null or last_at >= $1::timestamptz)"
                       " and ($2::timestamptz is null or first_at < $2::timestamptz)",
                       2, values, ret, err);
}

enum state { SOUND, DAMAGED, GONE };

/* One block: its state, with the fault in *fault; negative when the database is away. */
static int check_block(PGconn *c, const PGresult *list, int row, char *fault, size_t fault_size,
                       struct err *err)
{
    const char *values[] = {PQgetvalue(list, row, 3), PQgetvalue(list, row, 1),
                            PQgetvalue(list, row, 2)};
    PGresult *r = NULL;
    int rc =
        store_query(c,
                    "select azekura.verify_block(b) from azekura.log_block b"
                    " where first_at = $1::timestamptz and tableoid = $2::oid and ctid = $3::tid",
                    3, values, &r, err);
    if (rc == -EIO || rc == -EINVAL) {
        snprintf(fault, fault_size, "%s", err->message);
        return DAMAGED;
    }
    if (rc < 0)
        return rc;
    int state = PQntuples(r) == 0 ? GONE : PQgetisnull(r, 0, 0) ? SOUND : DAMAGED;
    if (state == DAMAGED)
        snprintf(fault, fault_size, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
    return state;
}

int verify_blocks(PGconn *c, int64_t from_us, int64_t to_us, verify_step_fn each, void *context,
                  struct verify_result *ret, struct err *err)
{
    PGresult *list = NULL;
    struct verify_result result = {0};
    struct err own;
    if (!err)
        err = &own; /* a fault's sentence is taken from it */
    int rc = list_blocks(c, from_us, to_us, &list, err);
    if (rc < 0)
        return rc;
    int total = PQntuples(list);
    for (int row = 0; row < total && rc >= 0; row++) {
        char fault[sizeof(err->message)];
        rc = check_block(c, list, row, fault, sizeof(fault), err);
        if (rc < 0)
            break;
        result.gone += rc == GONE;
        result.damaged += rc == DAMAGED;
        result.blocks += rc != GONE;
        result.messages += rc != GONE ? store_number(list, row, 4) : 0;
        struct verify_step step = {.done = row + 1,
                                   .total = total,
                                   .messages = result.messages,
                                   .fault = rc == DAMAGED ? fault : NULL,
                                   .partition = PQgetvalue(list, row, 0),
                                   .first_at_us = store_time_parse(PQgetvalue(list, row, 3))};
        if (each)
            each(context, &step);
    }
    PQclear(list);
    if (rc < 0)
        return rc;
    *ret = result;
    return 0;
}

int verify_summary(PGconn *c, struct stored_summary *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select count(*), coalesce(sum(messages), 0), coalesce(sum(raw_bytes), 0),"
                         " pg_database_size(current_database()), coalesce(min(first_at)::text, ''),"
                         " coalesce(max(last_at)::text, '') from azekura.log_block",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct stored_summary){.blocks = store_number(r, 0, 0),
                                   .messages = store_number(r, 0, 1),
                                   .raw_bytes = store_number(r, 0, 2),
                                   .database_bytes = store_number(r, 0, 3),
                                   .first_at_us = store_time_parse(PQgetvalue(r, 0, 4)),
                                   .last_at_us = store_time_parse(PQgetvalue(r, 0, 5))};
    PQclear(r);
    return 0;
}
