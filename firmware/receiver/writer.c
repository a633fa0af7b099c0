/* The writer thread: one connection, one unit at a time, which the backlog gives.
 *
 *   committed, stored already   the backlog lets it go
 *   not committed, unknown      the backlog has it again, and it is written again under its key,
 * after a pause that grows rejected three times        it is set aside as a file and counted as
 * refused, the next one goes on
 *
 * Units of an earlier run pass the same way. */
#include "receiver/writer.h"

#include <poll.h>

#include "config/log.h"
#include "receiver/backlog.h"
#include "receiver/credentials.h"
#include "receiver/rejected.h"
#include "receiver/status.h"
#include "receiver/tls_report.h"
#include "receiver/sender_sql.h"
#include "receiver/settings.h"
#include "store/connection.h"
#include "store/event.h"

enum {
    REJECTIONS_MAX = 3,
    SLICE_MS = 1000,        /* a stop is seen so soon at the latest … */
    STOPPING_SLICE_MS = 50, /* … and the end of the backlog then */
    STOPPED_MS = 500, /* for the database to take the event of an orderly stop, at each step */
};
static const char daemon_name[] = "receiver";
#define ANSWER_US (35 * US_PER_SECOND) /* beyond the server's own time-out below */
#define STATUS_US US_PER_SECOND

struct writer {
    struct shared *s;
    const struct state *state;
    const struct config *file;
    struct unit_patience patience;
    PGconn *c;
    struct backoff backoff;
    int64_t retry_mono_us;    /* neither connect nor write before */
    int64_t status_mono_us;   /* next report */
    int64_t refused_mono_us;  /* next one of refused senders */
    uint64_t listening_seen;  /* reported version */
    struct backlog_item item; /* in hand, while has_item */
    bool has_item;
    bool is_announced; /* the database has been told that we run */
    bool has_changes;  /* settings or groups that have not been read yet */
    bool has_tls_news; /* somebody asks for something about certificates */

    bool is_away; /* said in the log */
    int64_t away_since_mono_us;
    char last_error[512];
    unsigned rejections; /* of the unit that was in hand last … */
    uint64_t rejected_number;
    uint8_t rejected_run[UNIT_RUN_BYTES]; /* … and its key */
};

/* ---- the connection ---- */

static void disconnect(struct writer *w)
{
    PQfinish(w->c);
    w->c = NULL;
}

/* Say what goes wrong once, and again only when it is something else. */
static void say_error(struct writer *w, const char *what, const struct err *err)
{
    if (!w->is_away) {
        w->is_away = true;
        w->away_since_mono_us = clock_mono_us();
        backlog_set_away(w->s->backlog, true);
    } else if (strcmp(w->last_error, err->message) == 0) {
        return;
    }
    snprintf(w->last_error, sizeof(w->last_error), "%s", err->message);
    log_line(LOG_WARNING, "%s: %s; keeping what comes in the spool and trying again", what,
             err->message);
}

static void say_recovered(struct writer *w)
{
    if (!w->is_away)
        return;
    struct spool_status spool;
    backlog_status(w->s->backlog, &spool);
    log_line(LOG_INFO, "the database takes units again after %.1f s; %llu wait in the spool",
             (double)(clock_mono_us() - w->away_since_mono_us) / 1e6,
             (unsigned long long)spool.units);
    w->is_away = false;
    w->last_error[0] = '\0';
    backlog_set_away(w->s->backlog, false);
}

static void pause_before_retry(struct writer *w)
{
    int64_t pause_us = backoff_next_us(&w->backoff);
    if (atomic_load(&w->s->is_stopping))
        pause_us = MIN(pause_us, US_PER_SECOND / 5);
    w->retry_mono_us = clock_mono_us() + pause_us;
}

/* A failure of the connection or the server. */
static void failed(struct writer *w, const char *what, const struct err *err)
{
    say_error(w, what, err);
    if (strcmp(err->code, "database_away") == 0)
        disconnect(w);
    pause_before_retry(w);
}

/* Once a run.  Messages are stored even if an event cannot be: then the next connection tries
 * again.
 */
static int announce(struct writer *w, struct err *err)
{
    if (w->is_announced)
        return 0;
    store_set_patience(w->c, ANSWER_US / 1000);
    int rc = event_daemon_started(w->c, daemon_name, err);
    w->is_announced = rc == 0;
    if (rc == 0 || PQtransactionStatus(w->c) != PQTRANS_IDLE)
        return rc;
    log_line(LOG_WARNING, "the event of the start is not kept: %s; going on", err->message);
    return 0;
}

static int prepare(struct writer *w, struct err *err)
{
    /* the server gives up before we do, so that a unit's fate is known */
    static const char *const statements[] = {
        "set statement_timeout = '30s'",
        "set lock_timeout = '30s'",
        "set idle_in_transaction_session_timeout = '60s'",
        "listen azekura_setting",
        "listen azekura_tls",
    };
    for (size_t i = 0; i < ARRAY_LEN(statements); i++) {
        int rc = unit_query(w->c, statements[i], 0, NULL, &w->patience, NULL, err);
        if (rc < 0)
            return rc;
    }
    int rc = announce(w, err);
    w->listening_seen = 0;
    if (rc == 0)
        rc = status_listeners(w->c, w->s, &w->patience, &w->listening_seen, err);
    return rc < 0 ? rc : settings_read(w->c, &w->patience, w->file, w->state, w->s, err);
}

static void try_connect(struct writer *w)
{
    struct err err = {0};
    if (store_connect(w->s->config.database, "azekura_receiver", "azekura-receiver", &w->c, &err) <
        0) {
        w->c = NULL;
        say_error(w, "cannot connect", &err);
        pause_before_retry(w);
        return;
    }
    if (prepare(w, &err) < 0) {
        say_error(w, "cannot work with the database", &err);
        disconnect(w); /* not migrated yet, perhaps: begin again */
        pause_before_retry(w);
        return;
    }
    log_line(LOG_INFO, "connected to the database");
    w->has_tls_news = true; /* it may have been asked meanwhile */
    w->status_mono_us = 0;
    if (!w->has_item) {
        say_recovered(w);
        w->backoff.failures = 0;
    }
}

/* Those that have been read, by whichever statement.  What cannot be read now is read after the
 * pause. */
static void take_notifications(struct writer *w)
{
    struct err err = {0};
    PGnotify *n;
    while ((n = PQnotifies(w->c)) != NULL) {
        if (strcmp(n->relname, "azekura_tls") == 0)
            w->has_tls_news = true;
        else
            w->has_changes = true;
        PQfreemem(n);
    }
    if (!w->has_changes || clock_mono_us() < w->retry_mono_us)
        return;
    if (settings_read(w->c, &w->patience, w->file, w->state, w->s, &err) < 0)
        failed(w, "cannot read settings", &err);
    else
        w->has_changes = false;
}

/* Also without the database: files of the identity may have changed. */
static void serve_credentials(struct writer *w)
{
    struct err err = {0};
    if (w->c && clock_mono_us() < w->retry_mono_us)
        return;
    if (credentials_serve(w->s->credentials, w->c, &w->patience, w->c && w->has_tls_news, &err) < 0)
        failed(w, "cannot do what is asked about certificates", &err);
    else if (w->c)
        w->has_tls_news = false;
}

/* Something came that nobody asked for: a notification, or the end. */
static void read_connection(struct writer *w)
{
    struct err err = {0};
    if (PQconsumeInput(w->c))
        return;
    (void)err_set(&err, EAGAIN, "database_away", "the database closed the connection");
    failed(w, "connection lost", &err);
}

/* ---- units ---- */

static bool take_item(struct writer *w)
{
    w->has_item = w->has_item || backlog_take(w->s->backlog, &w->item);
    return w->has_item;
}

static void give_back(struct writer *w)
{
    if (w->has_item)
        backlog_give_back(w->s->backlog, &w->item);
    w->has_item = false;
}

static void say_earlier(const struct writer *w, enum unit_outcome outcome)
{
    if (!w->item.is_of_earlier_run)
        return;
    char run[UNIT_RUN_TEXT_MAX];
    unit_run_text(w->item.unit.run, run);
    log_line(LOG_INFO, "unit %llu of the earlier run %s %s: %llu messages",
             (unsigned long long)w->item.unit.number, run,
             outcome == UNIT_STORED_ALREADY ? "was stored already" : "is stored",
             (unsigned long long)w->item.messages);
}

static void confirm(struct writer *w, enum unit_outcome outcome)
{
    say_earlier(w, outcome);
    backlog_confirm(w->s->backlog, &w->item);
    w->has_item = false;
    w->backoff.failures = 0;
    say_recovered(w);
}

/* How often this unit has been rejected in turn, this time included. */
static unsigned count_rejection(struct writer *w)
{
    const struct unit *u = &w->item.unit;
    bool is_same = w->rejections > 0 && w->rejected_number == u->number &&
                   memcmp(w->rejected_run, u->run, sizeof(u->run)) == 0;
    memcpy(w->rejected_run, u->run, sizeof(u->run));
    w->rejected_number = u->number;
    return w->rejections = is_same ? w->rejections + 1 : 1;
}

/* The database says that it is the unit's fault.  Once may be chance (a table being changed); the
 * third time it is set aside, with its messages counted as refused for `rejected`. */
static void rejected(struct writer *w, const struct err *why)
{
    struct err err = {0};
    char path[STATE_PATH_MAX] = "";
    struct backlog_item *i = &w->item;
    if (count_rejection(w) < REJECTIONS_MAX) {
        failed(w, "a unit is rejected", why);
        give_back(w);
        return;
    }
    if (rejected_keep(w->state, &i->unit, path, &err) < 0) {
        say_error(w, "a rejected unit cannot be set aside", &err);
        pause_before_retry(w);
        give_back(w);
        return;
    }
    w->rejections = 0;
    if (i->unit.blocks_n > 0) {
        log_line(LOG_ERROR, "%llu messages are set aside in %s/%s and counted as refused: %s",
                 (unsigned long long)i->messages, w->state->folder, path, why->message);
        backlog_reject(w->s->backlog, i);
        return; /* its counts are written next */
    }
    log_line(LOG_ERROR, "the counts of a unit are set aside in %s/%s: %s", w->state->folder, path,
             why->message);
    confirm(w, UNIT_REJECTED);
}

static void write_item(struct writer *w)
{
    struct err err = {0};
    enum unit_outcome outcome = unit_write(w->c, &w->item.unit, &w->patience, &err);
    switch (outcome) {
    case UNIT_COMMITTED:
    case UNIT_STORED_ALREADY:
        confirm(w, outcome);
        return;
    case UNIT_NOT_COMMITTED:
    case UNIT_UNKNOWN:
        failed(w, outcome == UNIT_UNKNOWN ? "the outcome of a unit is unknown" : "cannot write",
               &err);
        give_back(w);
        return;
    case UNIT_REJECTED:
        rejected(w, &err);
        return;
    }
}

/* ---- status ---- */

static int report_detail(struct writer *w, struct err *err)
{
    struct spool_status spool;
    backlog_status(w->s->backlog, &spool);
    return status_detail(w->c, w->s, &spool, &w->patience, err);
}

/* What a lane has ready; what cannot be told is left out: it is a share. */
static int report_health(struct writer *w, struct err *err)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < w->s->lanes_n; i++) {
        struct health_report *r = w->s->lanes[i].health ? health_take(w->s->lanes[i].health) : NULL;
        if (r)
            rc = health_write(w->c, &w->patience, r, err);
        free(r);
    }
    return rc;
}

static void report(struct writer *w)
{
    struct err err = {0};
    w->status_mono_us = clock_mono_us() + STATUS_US;
    int rc = status_listeners(w->c, w->s, &w->patience, &w->listening_seen, &err);
    if (rc == 0)
        rc = status_equation(w->c, w->s, &w->patience, &err);
    if (rc == 0)
        rc = report_detail(w, &err);
    if (rc == 0)
        rc = notes_write(&w->s->notes, w->c, &err);
    if (rc == 0)
        rc = sender_sql_report(w->c, &w->patience, w->s, &w->refused_mono_us, &err);
    if (rc == 0)
        rc = tls_report_senders(w->c, &w->s->tls_senders, &w->patience, &err);
    if (rc == 0)
        rc = report_health(w, &err);
    if (rc < 0)
        failed(w, "cannot report", &err);
}

/* ---- the thread ---- */

static int timeout_ms(const struct writer *w)
{
    int64_t now = clock_mono_us();
    int64_t until = w->status_mono_us;
    if (!w->c || (now < w->retry_mono_us && w->retry_mono_us < until))
        until = w->retry_mono_us; /* something may wait for it */
    int64_t ms = until <= now ? 0 : (until - now) / 1000 + 1;
    return (int)MIN(ms, (int64_t)(atomic_load(&w->s->is_stopping) ? STOPPING_SLICE_MS : SLICE_MS));
}

static void wait_for_something(struct writer *w)
{
    /* a unit that may not be written yet is not looked for */
    bool may_take = w->c && clock_mono_us() >= w->retry_mono_us;
    struct pollfd fds[2] = {
        {.fd = may_take ? backlog_fd(w->s->backlog) : -1, .events = POLLIN},
        {.fd = w->c ? PQsocket(w->c) : -1, .events = POLLIN},
    };
    (void)poll(fds, ARRAY_LEN(fds), timeout_ms(w)); /* EINTR: the caller looks again anyway */
    if (w->c && fds[1].revents)
        read_connection(w);
}

static bool has_given_up(const struct writer *w)
{
    return clock_mono_us() >= atomic_load(&w->s->give_up_mono_us);
}

static void step(struct writer *w)
{
    int64_t now = clock_mono_us();
    if (!w->c && now >= w->retry_mono_us)
        try_connect(w);
    bool is_written = w->c && now >= w->retry_mono_us && take_item(w);
    if (is_written)
        write_item(w);
    if (w->c && clock_mono_us() >= w->status_mono_us)
        report(w);
    if (!is_written)
        wait_for_something(w);
}

/* The last word: everything is stored or in the spool, and this run ends as it should. */
static void say_stopped(struct writer *w)
{
    struct err err = {0};
    report(w);
    if (!w->c || !w->is_announced)
        return;
    store_set_patience(w->c, STOPPED_MS);
    if (event_daemon_stopped(w->c, daemon_name, &err) < 0)
        log_line(LOG_WARNING, "the event of the stop is not kept: %s", err.message);
}

void *writer_run(void *argument)
{
    const struct writer_start *start = argument;
    struct writer *w = xcalloc(1, sizeof(*w));
    w->s = start->shared;
    w->state = start->state;
    w->file = start->file;
    w->patience = (struct unit_patience){ANSWER_US, &w->s->give_up_mono_us};
    while (!has_given_up(w) && (w->has_item || !backlog_has_ended(w->s->backlog))) {
        step(w);
        if (w->c)
            take_notifications(w);
        serve_credentials(w);
    }
    give_back(w);
    if (w->c && !has_given_up(w))
        say_stopped(w);
    disconnect(w);
    free(w);
    atomic_store(&start->shared->is_written, true);
    shared_wake(start->shared->done_fd);
    return NULL;
}
