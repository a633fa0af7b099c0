/* Writing a unit: one transaction, three outcomes.  Runs on the receiver's writer thread.
 *
 *   begin
 *   select azekura.claim_unit(run, number, zone, …)         -- false: stored already, roll back
 *   copy azekura.log_block (…) from stdin (format binary)   -- with blocks: a row each
 *   select azekura.count_unit(…)                            -- with rows
 *   select azekura.count_gaps(…)                            -- with rows that have any
 *   select azekura.count_kernel_drop(…)                     -- each drop
 *   select azekura.count_rates(…)                           -- each minute
 *   commit
 *
 * The connection is used without blocking, so that a server that hangs, and a daemon that is told
 * to stop, are noticed here: every wait ends at the patience of the caller. */
#include "store/unit.h"

#include <poll.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "store/unit_encode.h"
#include "store/unit_rates.h"

enum {
    SLICE_MS = 100, /* how soon a moved give_up_mono_us is seen; only a slow server makes us wait */
    COPY_CHUNK_BYTES = 1 << 20,
};
/* a unit's text is at most about 64 MiB before compression */
#define COPY_MAX_BYTES ((size_t)512 << 20)

/* ---- waiting ---- */

static int64_t deadline_of(const struct unit_patience *p)
{
    return clock_mono_us() + p->answer_us;
}

static int away(PGconn *c, struct err *err)
{
    const char *text = PQerrorMessage(c);
    int n = (int)strcspn(text, "\n");
    return err_set(err, EAGAIN, "database_away", "the database went away: %.*s", n, text);
}

/* Wait until the socket is ready for `events`.  0, or -EAGAIN and *err: then the connection must
 * not be used again, its answer may still come. */
static int wait_socket(PGconn *c, short events, const struct unit_patience *p, int64_t deadline_us,
                       struct err *err)
{
    for (;;) {
        int64_t now = clock_mono_us();
        if (p->give_up_mono_us && now >= atomic_load(p->give_up_mono_us))
            return err_set(err, EAGAIN, "database_away", "gave up waiting for the database");
        if (now >= deadline_us)
            return err_set(err, EAGAIN, "database_away", "the database does not answer within %d s",
                           (int)(p->answer_us / US_PER_SECOND));
        int64_t left_ms = (deadline_us - now) / 1000 + 1;
        struct pollfd fd = {.fd = PQsocket(c), .events = events};
        int n = poll(&fd, 1, (int)MIN(left_ms, (int64_t)SLICE_MS));
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return err_set(err, EAGAIN, "database_away", "cannot wait for the database: %s",
                           strerror(errno));
    }
}

/* Send what libpq holds back. */
static int flush(PGconn *c, const struct unit_patience *p, struct err *err)
{
    int64_t deadline_us = deadline_of(p);
    int rc;
    while ((rc = PQflush(c)) > 0) {
        rc = wait_socket(c, POLLIN | POLLOUT, p, deadline_us, err);
        if (rc < 0)
            return rc;
        if (!PQconsumeInput(c)) /* else both sides could wait for the other to read */
            return away(c, err);
    }
    return rc < 0 ? away(c, err) : 0;
}

/* The last result of what was sent (PQclear), or NULL and *err when the connection is lost. */
static PGresult *take_result(PGconn *c, const struct unit_patience *p, struct err *err)
{
    int64_t deadline_us = deadline_of(p);
    PGresult *last = NULL;
    if (flush(c, p, err) < 0)
        return NULL;
    for (;;) {
        while (PQisBusy(c)) {
            if (wait_socket(c, POLLIN, p, deadline_us, err) < 0)
                goto lost;
            if (!PQconsumeInput(c)) {
                (void)away(c, err);
                goto lost;
            }
        }
        PGresult *r = PQgetResult(c);
        if (!r)
            return last;
        /* the first error tells the cause, what follows it only that the statement failed */
        if (last && PQresultStatus(last) == PGRES_FATAL_ERROR) {
            PQclear(r);
        } else {
            PQclear(last);
            last = r;
        }
        if (PQresultStatus(last) == PGRES_COPY_IN)
            return last; /* the next result comes only after the data */
    }
lost:
    PQclear(last);
    return NULL;
}

/* ---- errors ---- */

/* The fault of the data: the same bytes would fail again on any connection.  Class 22 data
 * exception, 23 integrity constraint, 54 program limit exceeded. */
static bool is_of_data(const char *state)
{
    return strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0 ||
           strncmp(state, "54", 2) == 0;
}

/* An error result: -EINVAL when it is the data's fault, -EAGAIN when the connection is of no use,
 * else -EIO. */
static int server_error(PGconn *c, const PGresult *r, struct err *err)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    if (PQstatus(c) == CONNECTION_BAD || !state || strncmp(state, "57P", 3) == 0)
        return err_set(err, EAGAIN, "database_away", "the database went away: %s",
                       text ? text : "connection closed");
    return err_set(err, is_of_data(state) ? EINVAL : EIO,
                   is_of_data(state) ? "rejected" : "database_error",
                   "the database answers: %s, SQLSTATE %s", text ? text : "", state);
}

int unit_query(PGconn *c, const char *sql, int n, const char *const *values,
               const struct unit_patience *p, PGresult **ret, struct err *err)
{
    if (PQsetnonblocking(c, 1) < 0 || !PQsendQueryParams(c, sql, n, NULL, values, NULL, NULL, 0))
        return away(c, err);
    PGresult *r = take_result(c, p, err);
    if (!r)
        return -EAGAIN;
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) {
        int rc = server_error(c, r, err);
        PQclear(r);
        return rc;
    }
    if (ret)
        *ret = r;
    else
        PQclear(r);
    return 0;
}

/* ---- the steps ---- */

/* 1: go on; 0: stored already. */
static int claim(PGconn *c, const struct unit *u, const struct unit_patience *p, struct err *err)
{
    static const char sql[] =
        "select azekura.claim_unit($1::uuid, $2::bigint, $3, $4::smallint[], $5::timestamptz[],"
        " $6::integer[], $7::bigint[], $8::bigint[])";
    char run[UNIT_RUN_TEXT_MAX], number[24];
    struct claim_arrays arrays;
    PGresult *r = NULL;
    unit_run_text(u->run, run);
    snprintf(number, sizeof(number), "%llu", (unsigned long long)u->number);
    claim_arrays_make(u->blocks, u->blocks_n, &arrays);
    const char *values[3 + CLAIM_ARRAYS] = {run, number, u->zone};
    for (int i = 0; i < CLAIM_ARRAYS; i++)
        values[3 + i] = buf_str(&arrays.text[i]);
    int rc = unit_query(c, sql, ARRAY_LEN(values), values, p, &r, err);
    claim_arrays_free(&arrays);
    if (rc < 0)
        return rc;
    bool is_ours = PQntuples(r) == 1 && strcmp(PQgetvalue(r, 0, 0), "t") == 0;
    PQclear(r);
    return is_ours;
}

static int send_copy_data(PGconn *c, const struct buf *data, const struct unit_patience *p,
                          struct err *err)
{
    for (size_t at = 0; at < data->n;) {
        size_t n = MIN(data->n - at, (size_t)COPY_CHUNK_BYTES);
        int rc = PQputCopyData(c, data->p + at, (int)n);
        if (rc < 0)
            return away(c, err);
        if (rc > 0)
            at += n;
        rc = flush(c, p, err);
        if (rc < 0)
            return rc;
    }
    int rc;
    while ((rc = PQputCopyEnd(c, NULL)) == 0) {
        rc = flush(c, p, err);
        if (rc < 0)
            return rc;
    }
    return rc < 0 ? away(c, err) : 0;
}

static int copy_blocks(PGconn *c, const struct unit *u, const struct unit_patience *p,
                       struct err *err)
{
    PGresult *r = NULL;
    int rc = unit_query(c, unit_copy_sql, 0, NULL, p, &r, err);
    if (rc < 0)
        return rc;
    bool is_ready = PQresultStatus(r) == PGRES_COPY_IN;
    PQclear(r);
    if (!is_ready)
        return err_set(err, EIO, "database_error", "the database does not begin COPY");

    struct buf data = BUF_INIT(COPY_MAX_BYTES);
    rc = unit_encode_blocks(u->blocks, u->blocks_n, &data);
    if (rc < 0) {
        (void)PQputCopyEnd(c, "the unit is too large");
        PQclear(take_result(c, p, NULL));
        rc = err_set(err, EINVAL, "rejected", "the %zu blocks of a unit are larger than %zu bytes",
                     u->blocks_n, COPY_MAX_BYTES);
    } else {
        rc = send_copy_data(c, &data, p, err);
    }
    buf_free(&data);
    if (rc < 0)
        return rc;
    r = take_result(c, p, err);
    if (!r)
        return -EAGAIN;
    rc = PQresultStatus(r) == PGRES_COMMAND_OK ? 0 : server_error(c, r, err);
    PQclear(r);
    return rc;
}

static int count_rows(PGconn *c, const struct unit *u, const struct unit_patience *p,
                      struct err *err)
{
    static const char sql[] =
        "select azekura.count_unit($1::timestamptz[], $2::text[], $3::inet[], $4::bigint[],"
        " $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])";
    struct count_parameters parameters;
    const char *values[COUNT_PARAMETERS];
    int rc = count_parameters_make(u->rows, u->rows_n, &parameters);
    if (rc < 0) {
        rc = err_set(err, EINVAL, "rejected", "the counts of a unit have too many rows: %zu",
                     u->rows_n);
    } else {
        for (int i = 0; i < COUNT_PARAMETERS; i++)
            values[i] = buf_str(&parameters.text[i]);
        rc = unit_query(c, sql, COUNT_PARAMETERS, values, p, NULL, err);
    }
    count_parameters_free(&parameters);
    return rc;
}

static int count_gaps(PGconn *c, const struct unit *u, const struct unit_patience *p,
                      struct err *err)
{
    static const char sql[] =
        "select azekura.count_gaps($1::timestamptz[], $2::text[], $3::inet[], $4::bigint[],"
        " $5::bigint[])";
    struct gap_parameters parameters;
    const char *values[GAP_PARAMETERS];
    int rc = gap_parameters_make(u->rows, u->rows_n, &parameters);
    if (rc < 0) {
        rc = err_set(err, EINVAL, "rejected", "the gaps of a unit have too many rows: %zu",
                     parameters.n);
    } else if (parameters.n > 0) {
        for (int i = 0; i < GAP_PARAMETERS; i++)
            values[i] = buf_str(&parameters.text[i]);
        rc = unit_query(c, sql, GAP_PARAMETERS, values, p, NULL, err);
    }
    gap_parameters_free(&parameters);
    return rc;
}

static int count_drop(PGconn *c, const struct unit_drop *d, const struct unit_patience *p,
                      struct err *err)
{
    char minute[RFC3339_MAX], dropped[24];
    (void)rfc3339_format(d->minute_us, minute);
    snprintf(dropped, sizeof(dropped), "%llu", (unsigned long long)d->dropped);
    const char *values[] = {minute, listener_name(d->listener), dropped};
    return unit_query(c, "select azekura.count_kernel_drop($1::timestamptz, $2, $3::bigint)", 3,
                      values, p, NULL, err);
}

static int count_rates(PGconn *c, const struct unit *u, const struct unit_patience *p,
                       struct err *err)
{
    struct unit_rates_block blocks[SOURCE_GROUPS_MAX];
    struct unit_rates rates;
    int rc = 0;
    for (size_t i = 0; i < u->blocks_n; i++)
        blocks[i] = (struct unit_rates_block){
            u->blocks[i].counts, unit_stored_bytes(u->blocks[i].block), u->blocks[i].source_group};
    unit_rates_make(blocks, u->blocks_n, u->rows, u->rows_n, u->drops, u->drops_n, &rates);
    for (size_t i = 0; i < rates.n && rc == 0; i++)
        rc = unit_query(c, unit_rates_sql, UNIT_RATES_PARAMETERS, rates.calls[i].values, p, NULL,
                        err);
    unit_rates_free(&rates);
    return rc;
}

/* Everything between BEGIN and COMMIT.  1: to be committed; 0: stored already. */
static int fill(PGconn *c, const struct unit *u, const struct unit_patience *p, struct err *err)
{
    int rc = unit_query(c, "begin", 0, NULL, p, NULL, err);
    if (rc < 0)
        return rc;
    rc = claim(c, u, p, err);
    if (rc <= 0)
        return rc;
    if (u->blocks_n && (rc = copy_blocks(c, u, p, err)) < 0)
        return rc;
    if (u->rows_n && (rc = count_rows(c, u, p, err)) < 0)
        return rc;
    rc = count_gaps(c, u, p, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < u->drops_n; i++) {
        rc = count_drop(c, &u->drops[i], p, err);
        if (rc < 0)
            return rc;
    }
    rc = count_rates(c, u, p, err);
    return rc < 0 ? rc : 1;
}

/* After COMMIT was handed to libpq a lost connection means that nobody knows. */
static enum unit_outcome commit(PGconn *c, const struct unit_patience *p, struct err *err)
{
    if (!PQsendQueryParams(c, "commit", 0, NULL, NULL, NULL, NULL, 0)) {
        (void)away(c, err);
        return UNIT_NOT_COMMITTED;
    }
    PGresult *r = take_result(c, p, err);
    if (!r)
        return UNIT_UNKNOWN;
    enum unit_outcome outcome = UNIT_COMMITTED;
    if (PQresultStatus(r) != PGRES_COMMAND_OK) {
        int rc = server_error(c, r, err);
        outcome = rc == -EAGAIN ? UNIT_UNKNOWN : rc == -EINVAL ? UNIT_REJECTED : UNIT_NOT_COMMITTED;
    } else if (strcmp(PQcmdStatus(r), "COMMIT") != 0) {
        (void)err_set(err, EIO, "database_error", "the database rolled the unit back");
        outcome = UNIT_NOT_COMMITTED;
    }
    PQclear(r);
    return outcome;
}

enum unit_outcome unit_write(PGconn *c, const struct unit *u, const struct unit_patience *p,
                             struct err *err)
{
    int rc = fill(c, u, p, err);
    if (rc > 0)
        return commit(c, p, err);
    if (rc == -EAGAIN)
        return UNIT_NOT_COMMITTED;
    struct err ignored;
    if (unit_query(c, "rollback", 0, NULL, p, NULL, &ignored) < 0) {
        if (rc == 0)
            return UNIT_STORED_ALREADY;
        (void)err_set(err, EAGAIN, "database_away", "%s", ignored.message);
        return rc == -EINVAL ? UNIT_REJECTED : UNIT_NOT_COMMITTED;
    }
    return rc == 0 ? UNIT_STORED_ALREADY : rc == -EINVAL ? UNIT_REJECTED : UNIT_NOT_COMMITTED;
}
