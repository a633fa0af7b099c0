/* rsyslog's rows: a table of SystemEvents with a serial id, read by libpq.  Whatever is asked costs
 * what has come since, not what the table holds. */
#include <libpq-fe.h>
#include <pthread.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "bench/target/target_inside.h"

#define SETTLE_ROWS \
    "200000" /* workers commit out of order: ids so far behind the greatest are all there */
#define WATCH_PAUSE_MS \
    100 /* what a canary's delay is exact to; looking costs the database that is measured */
#define WATCH_IDLE_LOOKS 10 /* without a greater id one look in so many is made */
#define CONNECT_S "10"
#define STATEMENT_MS "120000"

/* Rows of a condition, counted as they come. */
struct count {
    int64_t settled_id, settled_n, n;
};

struct sql_state {
    PGconn *db;
    struct count rows, marks;
    uint64_t marks_run;
    bool has_marks_run;
    /* the watch has a connection of its own */
    PGconn *watch_db;
    pthread_t thread;
    volatile sig_atomic_t is_watch_over;
    char canary[40];
    int64_t watch_id, watch_from; /* greatest id seen now, and at the look before */
    target_found_fn found;
    void *context;
};

static int sql_error(PGconn *db, PGresult *r, const char *what, struct err *err)
{
    char text[300];
    const char *said = r ? PQresultErrorMessage(r) : PQerrorMessage(db);
    struct view v = view_trim(view_str(said));
    snprintf(text, sizeof(text), "%.*s", (int)MIN(v.n, 280), v.p ? v.p : "");
    for (char *p = text; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    PQclear(r);
    return err_set(err, EIO, "database_error", "%s: %s", what, text);
}

static int connect_to(const char *conninfo, PGconn **ret, struct err *err)
{
    /* expand_dbname lets the connection string stand in the place of a name */
    const char *const names[] = {"dbname", "connect_timeout", "application_name", "options", NULL};
    const char *const values[] = {conninfo, CONNECT_S, "azekura-bench",
                                  "-c statement_timeout=" STATEMENT_MS, NULL};
    PGconn *db = PQconnectdbParams(names, values, 1);
    CHECK(db);
    if (PQstatus(db) != CONNECTION_OK) {
        int rc = sql_error(db, NULL, "cannot reach its database", err);
        PQfinish(db);
        return rc;
    }
    *ret = db;
    return 0;
}

/* The statement's rows; NULL and *err when it fails. */
static PGresult *ask(PGconn *db, const char *sql, int n, const char *const *values, struct err *err)
{
    PGresult *r = PQexecParams(db, sql, n, NULL, values, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(r);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        return r;
    (void)sql_error(db, r, "asking its database", err);
    return NULL;
}

static int64_t int_of(const PGresult *r, int row, int column)
{
    return PQgetisnull(r, row, column) ? 0 : strtoll(PQgetvalue(r, row, column), NULL, 10);
}

/* Messages that contain `mark` ("" all): those with greater ids than were settled, in one scan of
 * them. */
static int count_new(PGconn *db, const char *mark, struct count *c, struct err *err)
{
    char id[24];
    snprintf(id, sizeof(id), "%lld", (long long)c->settled_id);
    const char *values[] = {id, mark};
    PGresult *r = ask(db,
                      "with top as (select coalesce(max(id), 0) - " SETTLE_ROWS
                      " as id from systemevents),"
                      " new as (select id, ($2 = '' or strpos(message, $2) > 0) as hit"
                      " from systemevents where id > $1::bigint)"
                      " select count(*) filter (where hit),"
                      " count(*) filter (where hit and new.id <= top.id),"
                      " (select top.id from top) from new, top",
                      2, values, err);
    if (!r)
        return -EIO;
    c->n = c->settled_n + int_of(r, 0, 0);
    int64_t top = int_of(r, 0, 2);
    if (top > c->settled_id) {
        c->settled_n += int_of(r, 0, 1);
        c->settled_id = top;
    }
    PQclear(r);
    return 0;
}

static int sql_counters(struct target *t, struct target_counters *ret, struct err *err)
{
    struct sql_state *s = t->state;
    int rc = count_new(s->db, "", &s->rows, err);
    if (rc < 0)
        return rc;
    PGresult *r = ask(s->db, "select pg_total_relation_size('systemevents')", 0, NULL, err);
    if (!r)
        return -EIO;
    ret->stored_bytes = int_of(r, 0, 0);
    PQclear(r);
    ret->stored = s->rows.n;
    ret->kernel_dropped = target_kernel_dropped(t);
    return 0;
}

static int sql_visible(struct target *t, uint64_t run, int64_t *ret, struct err *err)
{
    struct sql_state *s = t->state;
    char text[TARGET_RUN_TEXT], mark[32];
    target_run_text(run, text);
    snprintf(mark, sizeof(mark), "seq=%s-", text);
    if (!s->has_marks_run || s->marks_run != run)
        s->marks = (struct count){.settled_id = 0};
    s->has_marks_run = true;
    s->marks_run = run;
    int rc = count_new(s->db, mark, &s->marks, err);
    if (rc == 0)
        *ret = s->marks.n;
    return rc;
}

static int sql_read_back(struct target *t, uint64_t run, struct tally *tally,
                         const volatile sig_atomic_t *stop, struct err *err)
{
    struct sql_state *s = t->state;
    (void)run; /* the tally knows */
    PGresult *r = PQexec(s->db, "copy (select message from systemevents) to stdout");
    if (PQresultStatus(r) != PGRES_COPY_OUT)
        return sql_error(s->db, r, "reading back what was stored", err);
    PQclear(r);
    char *row;
    int n;
    bool is_stopped = false;
    while ((n = PQgetCopyData(s->db, &row, 0)) > 0) {
        tally_text(tally, view_of(row, (size_t)n));
        PQfreemem(row);
        if (stop && *stop && !is_stopped) {
            char why[256];
            PGcancel *cancel = PQgetCancel(s->db);
            is_stopped = cancel && PQcancel(cancel, why, sizeof(why));
            PQfreeCancel(cancel);
        }
    }
    int rc = n == -2 ? sql_error(s->db, NULL, "reading back what was stored", err) : 0;
    while ((r = PQgetResult(s->db))) {
        if (PQresultStatus(r) == PGRES_FATAL_ERROR && rc == 0)
            rc = sql_error(s->db, r, "reading back what was stored", err);
        else
            PQclear(r);
    }
    return stop && *stop ? err_set(err, EINTR, "stopped", "stopped while reading back") : rc;
}

static int sql_forget(struct target *t, struct err *err)
{
    struct sql_state *s = t->state;
    PGresult *r = ask(s->db, "truncate systemevents", 0, NULL, err);
    if (!r)
        return -EIO;
    PQclear(r);
    /* ids go on */
    s->rows.settled_n = s->rows.n = s->marks.settled_n = s->marks.n = 0;
    return 0;
}

/* ---- canaries ---- */

/* Is there a greater id than at the last look?  (An index tells.) */
static bool has_new_rows(struct sql_state *s)
{
    struct err err;
    PGresult *r = ask(s->watch_db, "select max(id) from systemevents", 0, NULL, &err);
    int64_t id = r ? int_of(r, 0, 0) : 0;
    PQclear(r);
    bool is_new = id > s->watch_id;
    s->watch_from = s->watch_id;
    s->watch_id = MAX(s->watch_id, id);
    return is_new;
}

static void find_canaries(struct sql_state *s)
{
    struct err err;
    struct timespec now;
    char id[24];
    snprintf(id, sizeof(id), "%lld", (long long)s->watch_from);
    const char *values[] = {id, s->canary};
    /* workers commit out of order: those looked at before are looked at again, and what is found
     * twice counts once */
    PGresult *r = ask(s->watch_db,
                      "select substr(message, strpos(message, $2) + length($2), 20)"
                      " from systemevents where id > $1::bigint - 5000 and strpos(message, $2) > 0",
                      2, values, &err);
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int i = 0; r && i < PQntuples(r); i++)
        s->found(s->context, int_of(r, i, 0), (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    PQclear(r);
}

static void *watch(void *context)
{
    struct sql_state *s = context;
    const struct timespec pause = {.tv_nsec = WATCH_PAUSE_MS * 1000000L};
    for (int looks = 0; !s->is_watch_over; looks++) {
        if (has_new_rows(s) || looks % WATCH_IDLE_LOOKS == 0)
            find_canaries(s);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int sql_watch_start(struct target *t, uint64_t run, target_found_fn found, void *context,
                           struct err *err)
{
    struct sql_state *s = t->state;
    char text[TARGET_RUN_TEXT];
    int rc = connect_to(t->env.postgresql, &s->watch_db, err);
    if (rc < 0)
        return rc;
    target_run_text(run, text);
    snprintf(s->canary, sizeof(s->canary), "canary=%s-", text);
    s->found = found;
    s->context = context;
    s->is_watch_over = 0;
    PGresult *r = ask(s->watch_db, "select max(id) from systemevents", 0, NULL, err);
    s->watch_id = r ? MAX(int_of(r, 0, 0), s->watch_id) : 0;
    PQclear(r);
    int error = r ? pthread_create(&s->thread, NULL, watch, s) : EIO;
    if (error) {
        PQfinish(s->watch_db);
        return r ? err_set(err, error, "no_thread", "cannot start a thread: %s", strerror(error))
                 : -EIO;
    }
    return 0;
}

static void sql_watch_stop(struct target *t)
{
    struct sql_state *s = t->state;
    s->is_watch_over = 1;
    pthread_join(s->thread, NULL);
    PQfinish(s->watch_db);
}

/* ---- life ---- */

static void sql_done(struct target *t)
{
    struct sql_state *s = t->state;
    PQfinish(s->db);
    free(s);
}

int target_sql_open(struct target *t, struct err *err)
{
    static const struct target_store sql = {
        .counters = sql_counters,
        .read_back = sql_read_back,
        .visible = sql_visible,
        .forget = sql_forget,
        .watch_start = sql_watch_start,
        .watch_stop = sql_watch_stop,
        .done = sql_done,
    };
    PGconn *db = NULL;
    int rc = connect_to(t->env.postgresql, &db, err);
    if (rc < 0)
        return rc;
    struct sql_state *s = xcalloc(1, sizeof(*s));
    s->db = db;
    t->store = &sql;
    t->state = s;
    t->facts.has_counters = t->facts.is_readable = true;
    return 0;
}
