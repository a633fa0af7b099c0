/* The writer thread.
 *
 * A unit stays at the head until its fate is known:
 *   committed, stored already   its ledger page is released
 *   not committed, unknown      it is written again under its key, after a pause that grows
 *   rejected three times        it is set aside as a file and counted as refused, the next one goes
 * on Units of an earlier run (pages found in the ledger) pass the same way without a block. */
#include "receiver/writer.h"

#include <poll.h>

#include "config/log.h"
#include "receiver/rejected.h"
#include "receiver/status.h"
#include "receiver/settings.h"
#include "store/connection.h"
#include "store/event.h"

enum {
    REJECTIONS_MAX = 3,
    PENDING_SLICE_MS = 100,
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
    int64_t retry_mono_us;   /* neither connect nor write before */
    int64_t status_mono_us;  /* next report */
    uint64_t listening_seen; /* reported version */
    struct work *head;
    bool is_ended;
    bool is_announced;                /* the database has been told that we run */
    bool has_changes;                 /* settings or groups that have not been read yet */
    struct ledger_page_counts counts; /* of the head */

    bool is_away; /* said in the log */
    int64_t away_since_mono_us;
    char last_error[512];
    uint64_t recovered_messages, recovered_units;
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
    } else if (strcmp(w->last_error, err->message) == 0) {
        return;
    }
    snprintf(w->last_error, sizeof(w->last_error), "%s", err->message);
    log_line(LOG_WARNING, "%s: %s; keeping %llu units in memory and trying again", what,
             err->message, (unsigned long long)atomic_load(&w->s->pending_units));
}

static void say_recovered(struct writer *w)
{
    if (!w->is_away)
        return;
    log_line(LOG_INFO, "the database takes units again after %.1f s; %llu were waiting",
             (double)(clock_mono_us() - w->away_since_mono_us) / 1e6,
             (unsigned long long)atomic_load(&w->s->pending_units));
    w->is_away = false;
    w->last_error[0] = '\0';
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
    w->status_mono_us = 0;
    if (!w->head) {
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

static void confirm(struct writer *w)
{
    struct shared *s = w->s;
    uint64_t stored = w->counts.arrived - w->counts.refused;
    if (w->head->is_recovered) {
        w->recovered_units++;
    } else if (w->head->is_lost) {
        atomic_fetch_add(&s->lost, work_messages(w->head));
    } else {
        CHECK(stored == work_messages(w->head));
        atomic_fetch_add(&s->stored, stored);
    }
    if (!w->head->is_recovered)
        atomic_fetch_add(&s->benchmark_done, work_group_messages(w->head, SOURCE_GROUP_BENCHMARK));
    journal_release(&w->head->journal);
    ledger_release(s->ledger, &w->head->page);
    atomic_fetch_sub(&s->queued_bytes, w->head->bytes);
    bool is_idle = atomic_fetch_sub(&s->pending_units, 1) == 1;
    work_free(&w->head);
    shared_wake(s->room_fd);
    if (is_idle || atomic_load(&s->is_full))
        shared_wake_lanes(s);
    w->backoff.failures = 0;
    say_recovered(w);
}

static void say_crash(struct writer *w, enum unit_outcome outcome)
{
    if (!w->head->is_recovered)
        return;
    char run[UNIT_RUN_TEXT_MAX];
    unit_run_text(w->counts.run, run);
    if (outcome == UNIT_STORED_ALREADY)
        log_line(LOG_INFO, "unit %llu of the earlier run %s is stored",
                 (unsigned long long)w->counts.number, run);
    else
        log_line(
            LOG_WARNING,
            "unit %llu of the earlier run %s was not stored: %llu messages are counted as refused",
            (unsigned long long)w->counts.number, run, (unsigned long long)w->counts.refused);
}

/* The database says that it is the unit's fault.  Once may be chance (a table being changed); the
 * third time it is set aside, with its messages counted as refused for `rejected`. */
static void rejected(struct writer *w, const struct unit *u, const struct err *why)
{
    struct err err = {0};
    char path[STATE_PATH_MAX] = "";
    if (++w->head->rejections < REJECTIONS_MAX) {
        failed(w, "a unit is rejected", why);
        return;
    }
    if (rejected_keep(w->state, u, path, &err) < 0) {
        say_error(w, "a rejected unit cannot be set aside", &err);
        pause_before_retry(w);
        return;
    }
    if (w->head->blocks_n > 0 && !w->head->is_lost) {
        log_line(LOG_ERROR, "%llu messages are set aside in %s/%s and counted as refused: %s",
                 (unsigned long long)work_messages(w->head), w->state->folder, path, why->message);
        ledger_reject(w->head->page);
        w->head->is_lost = true;
        w->head->rejections = 0;
        return;
    }
    log_line(LOG_ERROR, "the counts of %llu messages are set aside in %s/%s: %s",
             (unsigned long long)w->counts.arrived, w->state->folder, path, why->message);
    confirm(w);
}

static void write_head(struct writer *w)
{
    struct work *head = w->head;
    struct err err = {0};
    struct unit_block blocks[SOURCE_GROUPS_MAX];
    for (unsigned i = 0; i < head->blocks_n; i++) {
        const struct work_block *b = head->blocks[i];
        blocks[i] = (struct unit_block){b->source_group, &b->block, &b->counts};
    }
    ledger_page_read(head->page, head->is_lost, &w->counts);
    struct unit u = {
        .number = w->counts.number,
        .blocks = blocks,
        .blocks_n = head->is_lost ? 0 : head->blocks_n,
        .zone = w->s->config.time_zone,
        .rows = w->counts.rows,
        .rows_n = w->counts.rows_n,
        .drops = w->counts.drops,
        .drops_n = w->counts.drops_n,
    };
    memcpy(u.run, w->counts.run, sizeof(u.run));
    enum unit_outcome outcome = unit_write(w->c, &u, &w->patience, &err);
    switch (outcome) {
    case UNIT_COMMITTED:
    case UNIT_STORED_ALREADY:
        say_crash(w, outcome);
        confirm(w);
        return;
    case UNIT_NOT_COMMITTED:
    case UNIT_UNKNOWN:
        failed(w, outcome == UNIT_UNKNOWN ? "the outcome of a unit is unknown" : "cannot write",
               &err);
        return;
    case UNIT_REJECTED:
        rejected(w, &u, &err);
        return;
    }
}

/* ---- status ---- */

static void report(struct writer *w)
{
    struct err err = {0};
    w->status_mono_us = clock_mono_us() + STATUS_US;
    int rc = status_listeners(w->c, w->s, &w->patience, &w->listening_seen, &err);
    if (rc == 0)
        rc = status_equation(w->c, w->s, &w->patience, &err);
    if (rc < 0)
        failed(w, "cannot report", &err);
}

/* ---- the thread ---- */

static int timeout_ms(const struct writer *w)
{
    int64_t now = clock_mono_us();
    int64_t until = w->c ? w->status_mono_us : w->retry_mono_us;
    if (w->c && w->head)
        until = MIN(until, w->retry_mono_us);
    int64_t ms = until <= now ? 0 : (until - now) / 1000 + 1;
    /* a stop is seen soon while a unit waits for its retry */
    return (int)MIN(ms, (int64_t)PENDING_SLICE_MS * (w->head ? 1 : 10));
}

static void wait_for_something(struct writer *w)
{
    struct pollfd fds[2] = {
        {.fd = w->head || w->is_ended ? -1 : w->s->write.event_fd, .events = POLLIN},
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
    if (w->c && w->head && now >= w->retry_mono_us) {
        write_head(w);
        if (w->c && clock_mono_us() >= w->status_mono_us)
            report(w);
        return;
    }
    if (w->c && now >= w->status_mono_us)
        report(w);
    wait_for_something(w);
}

/* The last word: nothing is queued, and this run ends as it should. */
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
    for (;;) {
        if (!w->head)
            w->head = queue_pop(&w->s->write, &w->is_ended);
        if ((!w->head && w->is_ended) || has_given_up(w))
            break;
        step(w);
        if (w->c)
            take_notifications(w);
    }
    bool is_complete = !w->head && w->is_ended;
    if (w->c && is_complete)
        say_stopped(w);
    disconnect(w);
    work_free(&w->head);
    free(w);
    if (is_complete)
        atomic_store(&start->shared->is_written, true);
    shared_wake(start->shared->done_fd);
    return NULL;
}
