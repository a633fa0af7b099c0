/* Connecting to PostgreSQL and running one statement, for every daemon and the command line.
 * The connection is opened step by step instead of with PQconnectdbParams(), because only a
 * connection that has been begun can be told to put the SQLSTATE into its messages, and only that
 * tells a server that is still starting from one that will never let us in. */
#include "store/connection.h"

#include <libpq-events.h>
#include <poll.h>
#include <sys/random.h>

#include "base/clock.h"

#define CONNECT_TIMEOUT_US (5 * US_PER_SECOND)
#define BACKOFF_FIRST_US (US_PER_SECOND / 10)
#define BACKOFF_LAST_US (10 * US_PER_SECOND)

static void no_notices(void *context, const char *message)
{
    (void)context;
    (void)message;
}

/* One line of libpq's text, without the trailing newline. */
static int first_line(const char *text)
{
    return (int)strcspn(text ? text : "", "\n");
}

/* Wait for the socket until the deadline: 0, or -ETIMEDOUT. */
static int wait_socket(PGconn *c, short events, int64_t deadline_us)
{
    for (;;) {
        int64_t left_us = deadline_us - clock_mono_us();
        if (left_us <= 0)
            return -ETIMEDOUT;
        struct pollfd p = {.fd = PQsocket(c), .events = events};
        int n = poll(&p, 1, (int)(left_us / 1000) + 1);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
    }
}

/* How long answers are waited for.  libpq keeps it beside the connection, for the event procedure.
 */
struct waiting {
    int64_t patience_ms; /* 0: for ever */
    int stop_fd;         /* -1: none */
};

static int waiting_event(PGEventId id, void *info, void *context)
{
    (void)context;
    if (id == PGEVT_REGISTER) {
        struct waiting *w = xcalloc(1, sizeof(*w));
        w->stop_fd = -1;
        CHECK(PQsetInstanceData(((PGEventRegister *)info)->conn, waiting_event, w));
    } else if (id == PGEVT_CONNDESTROY) {
        free(PQinstanceData(((PGEventConnDestroy *)info)->conn, waiting_event));
    }
    return 1;
}

static struct waiting *waiting_of(const PGconn *c)
{
    return PQinstanceData(c, waiting_event);
}

void store_set_patience(PGconn *c, int64_t patience_ms)
{
    waiting_of(c)->patience_ms = patience_ms;
}

void store_set_stop(PGconn *c, int stop_fd)
{
    waiting_of(c)->stop_fd = stop_fd;
}

int store_wait_result(PGconn *c, int watch_fd, struct err *err)
{
    const struct waiting *w = waiting_of(c);
    int64_t patience = w->patience_ms, until_us = clock_mono_us() + patience * 1000;
    while (PQisBusy(c)) {
        struct pollfd fds[3] = {{.fd = PQsocket(c), .events = POLLIN},
                                {.fd = watch_fd, .events = POLLRDHUP},
                                {.fd = w->stop_fd, .events = POLLIN}};
        int64_t left_us = until_us - clock_mono_us();
        if (patience > 0 && left_us <= 0)
            return err_set(err, EAGAIN, "database_away", "the database does not answer within %d s",
                           (int)(patience / 1000));
        int n =
            poll(fds, ARRAY_LEN(fds), patience > 0 ? (int)MIN(left_us / 1000 + 1, INT32_MAX) : -1);
        if (n < 0 && errno != EINTR)
            return err_set(err, EIO, "database_error", "cannot wait for the database: %s",
                           strerror(errno));
        if (n <= 0)
            continue;
        if (watch_fd >= 0 && (fds[1].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)))
            return err_set(err, ECANCELED, "client_gone", "the client hung up during the search");
        if (fds[2].revents)
            return err_set(err, ECANCELED, "stopping", "told to stop during a statement");
        if (fds[0].revents && !PQconsumeInput(c))
            return store_result_error(c, NULL, err);
    }
    return 0;
}

static int finish_connecting(PGconn *c)
{
    int64_t deadline_us = clock_mono_us() + CONNECT_TIMEOUT_US;
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (state == PGRES_POLLING_FAILED)
            return -ECONNREFUSED;
        int rc = wait_socket(c, state == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_us);
        if (rc < 0)
            return rc;
        state = PQconnectPoll(c);
    }
    return 0;
}

/* In "…: FATAL:  28000: no such role": the five characters of the SQLSTATE, cut out of the text,
 * whose remainder is put together again in `message`.  An empty state when the server did not
 * answer. */
static void split_sqlstate(const char *text, char state[6], char *message, size_t message_size)
{
    int line = first_line(text);
    state[0] = 0;
    for (const char *p = text; p + 9 <= text + line; p++) {
        if (memcmp(p, ":  ", 3) == 0 && memcmp(p + 8, ": ", 2) == 0 &&
            strspn(p + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5) {
            memcpy(state, p + 3, 5);
            state[5] = 0;
            snprintf(message, message_size, "%.*s: %.*s", (int)(p - text), text,
                     line - (int)(p + 10 - text), p + 10);
            return;
        }
    }
    snprintf(message, message_size, "%.*s", line, text);
}

static int connect_failed(PGconn *c, int rc, struct err *err)
{
    if (rc == -ETIMEDOUT)
        return err_set(err, EAGAIN, "database_away", "the database does not answer within %d s",
                       (int)(CONNECT_TIMEOUT_US / US_PER_SECOND));
    char state[6], message[400];
    split_sqlstate(PQerrorMessage(c), state, message, sizeof(message));
    bool refused = strncmp(state, "28", 2) == 0 || strcmp(state, "3D000") == 0 ||
                   strcmp(state, "42501") == 0;
    if (refused)
        return err_set(err, EACCES, "database_refuses", "the database refuses us: %s", message);
    return err_set(err, EAGAIN, "database_away", "the database is away: %s", message);
}

bool store_conninfo_has_password(const char *conninfo)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool has = !options;
    /* dispchar "*": what libpq itself says must not be shown */
    for (PQconninfoOption *o = options; o && o->keyword && !has; o++)
        has = o->val && o->dispchar[0] == '*';
    PQconninfoFree(options);
    return has;
}

int store_connect(const char *conninfo, const char *role, const char *application, PGconn **ret,
                  struct err *err)
{
    char *why = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &why);
    if (!options) {
        int rc = err_set_field(err, EINVAL, "bad_value", "database",
                               "database: \"%s\" is not a connection string: %.*s", conninfo,
                               first_line(why), why ? why : "");
        PQfreemem(why);
        return rc;
    }
    PQconninfoFree(options);

    /* later entries win over what the expanded connection string says */
    const char *keys[] = {"dbname",           "application_name",   "client_encoding",
                          "keepalives",       "keepalives_idle",    "keepalives_interval",
                          "keepalives_count", role ? "user" : NULL, NULL};
    const char *values[] = {conninfo, application, "UTF8", "1", "30", "10", "3", role, NULL};
    PGconn *c = PQconnectStartParams(keys, values, 1);
    CHECK(c);
    PQsetErrorVerbosity(c, PQERRORS_VERBOSE);
    PQsetNoticeProcessor(c, no_notices, NULL);
    CHECK(PQregisterEventProc(c, waiting_event, "waiting", NULL));
    int rc = PQstatus(c) == CONNECTION_BAD ? -ECONNREFUSED : finish_connecting(c);
    if (rc < 0) {
        rc = connect_failed(c, rc, err);
        PQfinish(c);
        return rc;
    }
    PQsetErrorVerbosity(c, PQERRORS_DEFAULT);

    store_set_patience(c, CONNECT_TIMEOUT_US / 1000);
    /* the last one: a search whose asker was killed ends within a second */
    PGresult *r = NULL;
    rc = store_query(
        c,
        "select set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false),"
        " set_config('standard_conforming_strings', 'on', false),"
        " set_config('client_connection_check_interval', '1s', false)",
        0, NULL, &r, err);
    if (rc < 0) {
        PQfinish(c);
        return rc;
    }
    PQclear(r);
    store_set_patience(c, 0);
    *ret = c;
    return 0;
}

int store_result_error(PGconn *c, const PGresult *r, struct err *err)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(r, PG_DIAG_MESSAGE_DETAIL);
    const char *hint = PQresultErrorField(r, PG_DIAG_MESSAGE_HINT);
    if (!state)
        state = "";
    if (!text)
        text = PQerrorMessage(c);
    int n = first_line(text);
    if (PQstatus(c) == CONNECTION_BAD || strncmp(state, "08", 2) == 0 ||
        strncmp(state, "57P", 3) == 0)
        return err_set(err, EAGAIN, "database_away", "the database went away: %.*s", n, text);
    if (strcmp(state, "57014") == 0)
        return err_set(err, ETIMEDOUT, "timeout", "the database stopped the work: %.*s", n, text);
    if (strcmp(state, "23505") == 0)
        return err_set(err, EEXIST, "exists", "%.*s%s%s", n, text, detail ? ": " : "",
                       detail ? detail : "");
    if (strcmp(state, "55P03") == 0)
        return err_set(err, EBUSY, "busy", "%.*s", n, text);
    if (strcmp(state, "AZ002") == 0)
        return err_set(err, ESTALE, "changed", "%.*s", n, text);
    if (strcmp(state, "AZ003") == 0)
        return err_set(err, EPERM, "held", "%.*s", n, text);
    if (strcmp(state, "AZ001") == 0)
        return err_set_field(err, EINVAL, "bad_query", "query", "%.*s%s%s", n, text,
                             hint ? "; " : "", hint ? hint : "");
    if (strncmp(state, "22", 2) == 0)
        return err_set(err, EINVAL, "bad_value", "%.*s", n, text);
    return err_set(err, EIO, "database_error", "the database answers: %.*s%s%s%s%s%s", n, text,
                   detail ? " (" : "", detail ? detail : "", detail ? ")" : "",
                   state[0] ? ", SQLSTATE " : "", state);
}

/* PQexecParams(), which would wait for ever: the last result, which may be NULL, or negative. */
static int execute(PGconn *c, const char *sql, int n, const char *const *values, PGresult **ret,
                   struct err *err)
{
    PGresult *last = NULL;
    *ret = NULL;
    if (!PQsendQueryParams(c, sql, n, NULL, values, NULL, NULL, 0))
        return store_result_error(c, NULL, err);
    for (;;) {
        int rc = store_wait_result(c, -1, err);
        if (rc < 0) {
            PQclear(last);
            return rc;
        }
        PGresult *r = PQgetResult(c);
        ExecStatusType status = PQresultStatus(r);
        bool is_end = !r || status == PGRES_COPY_IN || status == PGRES_COPY_OUT;
        if (r) {
            PQclear(last);
            last = r;
        }
        if (is_end) {
            *ret = last;
            return 0;
        }
    }
}

int store_query(PGconn *c, const char *sql, int n, const char *const *values, PGresult **ret,
                struct err *err)
{
    PGresult *r = NULL;
    if (waiting_of(c)->patience_ms == 0 && waiting_of(c)->stop_fd < 0) {
        r = PQexecParams(c, sql, n, NULL, values, NULL, NULL, 0);
    } else {
        int rc = execute(c, sql, n, values, &r, err);
        if (rc < 0)
            return rc;
    }
    switch (PQresultStatus(r)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
        *ret = r;
        return 0;
    default: {
        int rc = store_result_error(c, r, err);
        PQclear(r);
        return rc;
    }
    }
}

int64_t store_execute(PGconn *c, const char *sql, int n, const char *const *values, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, sql, n, values, &r, err);
    if (rc < 0)
        return rc;
    int64_t rows = strtoll(PQcmdTuples(r), NULL, 10); /* "" for statements without a count: 0 */
    PQclear(r);
    return rows;
}

int64_t backoff_next_us(struct backoff *b)
{
    int64_t pause_us = BACKOFF_LAST_US;
    if (b->failures < 7) /* 100 ms × 2^6 = 6.4 s is the last step below the top */
        pause_us = BACKOFF_FIRST_US << b->failures;
    if (b->failures < 7)
        b->failures++;
    uint32_t chance = UINT32_MAX / 2;
    if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
        chance = UINT32_MAX / 2;
    /* 80 … 120 % */
    return pause_us * 8 / 10 + (int64_t)((__int128)pause_us * 4 / 10 * chance / UINT32_MAX);
}

struct number_text number_text(int64_t n)
{
    struct number_text s;
    snprintf(s.text, sizeof(s.text), "%lld", (long long)n);
    return s;
}

int64_t store_number(const PGresult *r, int row, int column)
{
    return strtoll(PQgetvalue(r, row, column), NULL, 10);
}
