/* Events in the database, and what daemons say of themselves. */
#include "store/event.h"

#include <fcntl.h>
#include <unistd.h>

#include "config/log.h"
#include "store/array.h"
#include "store/search.h"

#define TEXT_MAX_BYTES 8192     /* of a sentence in the log; a log line is cut before */
#define PARAMS_MAX_BYTES 262144 /* the array literal */
#define SEPARATOR '\x1f'        /* add_event() lets none into a value */

int64_t event_keep(PGconn *c, enum event_kind kind, const struct event_params *params,
                   struct err *err)
{
    CHECK(params->n >= 0 && params->n <= EVENT_PARAMS_MAX);
    struct buf list = BUF_INIT(PARAMS_MAX_BYTES);
    for (int i = 0; i < 2 * params->n; i++)
        array_add_text(&list, params->text[i]);
    array_end(&list);
    int64_t id;
    if (list.is_full) {
        id = err_set(err, E2BIG, "too_large", "the particulars of an event %s exceed %d bytes",
                     event_types[kind].name, PARAMS_MAX_BYTES);
    } else {
        struct number_text severity = number_text(event_types[kind].severity);
        const char *values[] = {event_types[kind].name, severity.text, buf_str(&list)};
        PGresult *r = NULL;
        id = store_query(c, "select azekura.add_event($1, $2::smallint, $3::text[])", 3, values, &r,
                         err);
        if (id >= 0) {
            id = store_number(r, 0, 0);
            PQclear(r);
        } else {
            err_prefix(err, "cannot keep the event %s: ", event_types[kind].name);
        }
    }
    buf_free(&list);
    return id;
}

int event_add(PGconn *c, enum event_kind kind, const struct event_params *params, struct err *err)
{
    int severity = event_types[kind].severity;
    struct buf text = BUF_INIT(TEXT_MAX_BYTES);
    event_text(event_types[kind].name, params, NULL, EVENT_EN, &text);
    log_line(severity <= 2   ? LOG_ERROR
             : severity <= 4 ? LOG_WARNING
                             : LOG_INFO,
             "%s", buf_str(&text));
    buf_free(&text);
    int64_t id = event_keep(c, kind, params, err);
    return id < 0 ? (int)id : 0;
}

/* "name\x1fvalue\x1f…" cut in place. */
static void cut_params(char *text, int elements, struct event_params *ret)
{
    ret->n = MIN(elements / 2, EVENT_PARAMS_MAX);
    for (int i = 0; i < 2 * ret->n; i++) {
        ret->text[i] = text;
        char *end = strchr(text, SEPARATOR);
        if (end)
            *end++ = 0;
        text = end ? end : text + strlen(text);
    }
}

int event_read(PGconn *c, const struct event_filter *f, int limit, event_row_fn each, void *context,
               struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    struct number_text before = number_text(f->before_id > 0 ? f->before_id : INT64_MAX);
    struct number_text severity = number_text(f->max_severity), n = number_text(limit);
    const char *values[] = {store_time_param(f->from_us, from),
                            store_time_param(f->to_us, to),
                            before.text,
                            severity.text,
                            f->kind_prefix ? f->kind_prefix : "",
                            n.text};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select id, at, severity, kind, cardinality(params),"
                         " array_to_string(params, chr(31)) from azekura.event"
                         " where at >= coalesce($1::timestamptz, '-infinity')"
                         " and at < coalesce($2::timestamptz, 'infinity') and id < $3::bigint"
                         " and severity <= $4::smallint and starts_with(kind, $5)"
                         " order by id desc limit $6::int",
                         6, values, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int row = 0; row < rows; row++) {
        struct event_row e = {.id = store_number(r, row, 0),
                              .at_us = store_time_parse(PQgetvalue(r, row, 1)),
                              .severity = (int)store_number(r, row, 2),
                              .kind = PQgetvalue(r, row, 3)};
        char *text = xstrdup(PQgetvalue(r, row, 5));
        cut_params(text, (int)store_number(r, row, 4), &e.params);
        each(context, &e);
        free(text);
    }
    PQclear(r);
    return rows;
}

int64_t event_forget(PGconn *c, int64_t older_us, int64_t most, struct err *err)
{
    char older[RFC3339_MAX];
    struct number_text n = number_text(most);
    const char *values[] = {store_time_param(older_us, older), n.text};
    PGresult *r = NULL;
    int rc = store_query(
        c, "select azekura.forget_events(coalesce($1::timestamptz, '-infinity'), $2::bigint)", 2,
        values, &r, err);
    if (rc < 0)
        return rc;
    int64_t gone = store_number(r, 0, 0);
    PQclear(r);
    return gone;
}

/* ---- daemons ---- */

/* The first `max - 1` bytes of a file; "" when it cannot be read. */
static void read_small(const char *path, char *out, size_t max)
{
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, out, max - 1);
        close(fd);
    }
    out[n > 0 ? n : 0] = 0;
}

int64_t event_process_started(int32_t pid)
{
    char path[32], stat[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    read_small(path, stat, sizeof(stat));
    /* after the name in parentheses, which may hold anything: field 3; the start is field 22 */
    const char *p = strrchr(stat, ')');
    for (int field = 2; p && field < 22; field++) {
        p = strchr(p, ' ');
        p = p ? p + 1 : NULL;
    }
    return p ? strtoll(p, NULL, 10) : 0;
}

void event_this_process(char ret_boot[EVENT_BOOT_MAX], int64_t *ret_started)
{
    read_small("/proc/sys/kernel/random/boot_id", ret_boot, EVENT_BOOT_MAX);
    ret_boot[strcspn(ret_boot, "\n")] = 0;
    *ret_started = event_process_started(getpid());
}

/* Parameters of both functions: daemon, pid, boot, started. */
struct process {
    char boot[EVENT_BOOT_MAX];
    struct number_text pid, started;
    const char *values[4];
};

static void this_process(const char *daemon, struct process *p)
{
    int64_t started;
    event_this_process(p->boot, &started);
    p->pid = number_text(getpid());
    p->started = number_text(started);
    p->values[0] = daemon;
    p->values[1] = p->pid.text;
    p->values[2] = p->boot;
    p->values[3] = p->started.text;
}

/* Report and the events that follow from it, inside a transaction. */
static int report_start(PGconn *c, const char *daemon, struct err *err)
{
    struct process p;
    char previous[RFC3339_MAX] = "";
    PGresult *r = NULL;
    this_process(daemon, &p);
    int rc = store_query(c,
                         "select outcome, previous from azekura.report_daemon($1, $2::integer, $3,"
                         " $4::bigint)",
                         4, p.values, &r, err);
    if (rc < 0)
        return rc;
    bool is_same = strcmp(PQgetvalue(r, 0, 0), "same") == 0;
    bool is_failed = strcmp(PQgetvalue(r, 0, 0), "failed") == 0;
    int64_t previous_us = store_time_parse(PQgetvalue(r, 0, 1));
    PQclear(r);
    if (is_same)
        return 0;
    if (is_failed) {
        struct event_params f = {.text = {"daemon", daemon, "started", previous}, .n = 2};
        if (previous_us != TIME_NONE)
            rfc3339_format(previous_us, previous);
        rc = event_add(c, EVENT_DAEMON_FAILED, &f, err);
        if (rc < 0)
            return rc;
    }
    struct event_params s = {.text = {"daemon", daemon}, .n = 1};
    return event_add(c, EVENT_DAEMON_STARTED, &s, err);
}

static int report_stop(PGconn *c, const char *daemon, struct err *err)
{
    struct process p;
    PGresult *r = NULL;
    this_process(daemon, &p);
    int rc = store_query(c, "select azekura.report_daemon_stopped($1, $2::integer, $3, $4::bigint)",
                         4, p.values, &r, err);
    if (rc < 0)
        return rc;
    bool was_ours = strcmp(PQgetvalue(r, 0, 0), "t") == 0;
    PQclear(r);
    struct event_params s = {.text = {"daemon", daemon}, .n = 1};
    return was_ours ? event_add(c, EVENT_DAEMON_STOPPED, &s, err) : 0;
}

/* Row and events are kept together or not at all. */
static int in_transaction(PGconn *c, const char *daemon,
                          int (*work)(PGconn *, const char *, struct err *), struct err *err)
{
    int64_t rc = store_execute(c, "begin", 0, NULL, err);
    if (rc < 0)
        return (int)rc;
    rc = work(c, daemon, err);
    if (rc >= 0)
        rc = store_execute(c, "commit", 0, NULL, err);
    else if (PQtransactionStatus(c) == PQTRANS_INERROR)
        (void)!store_execute(c, "rollback", 0, NULL, NULL);
    return rc < 0 ? (int)rc : 0;
}

int event_daemon_started(PGconn *c, const char *daemon, struct err *err)
{
    return in_transaction(c, daemon, report_start, err);
}

int event_daemon_stopped(PGconn *c, const char *daemon, struct err *err)
{
    return in_transaction(c, daemon, report_stop, err);
}
