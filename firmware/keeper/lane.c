/* The loop of a lane.  Settings are read when the connection is made and when somebody says that
 * they have changed; a minute is the longest it sleeps. */
#include "keeper/lane.h"

#include <poll.h>

#include "base/clock.h"
#include "config/log.h"
#include "store/setting.h"

/* A setting of the database over the file's; one that is no longer valid is named and left out. */
static void take_setting(void *context, const struct setting_row *row)
{
    struct config *config = context;
    struct err err;
    const struct setting *s = config_find(view_str(row->name), &err);
    if (s != NULL && s->scope == SETTING_FILE)
        return;
    if (s == NULL || config_set(config, s, view_str(row->value), &err) < 0)
        log_line(LOG_WARNING, "ignoring a setting of the database: %s", err.message);
}

/* Wait so long, or until told to stop, or until the server says something (`fd`; -1: none). Whether
 * it is to stop. */
static bool is_stopped(int stop_fd, int fd, int64_t wait_us)
{
    struct pollfd fds[] = {{.fd = stop_fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    (void)poll(fds, ARRAY_LEN(fds), (int)((wait_us + 999) / 1000));
    return fds[0].revents != 0;
}

/* A database that goes away is nobody's fault: said as a warning, and not again by the attempts to
 * connect that follow.  -EAGAIN: the connection is of no use any more. */
static int lost(const struct lane *lane, const char *during, const char *text)
{
    log_line(LOG_WARNING, "%s: %s%s%s, connecting again", lane->name, during, *during ? ": " : "",
             text);
    return -EAGAIN;
}

static bool is_away(const struct err *err)
{
    return strcmp(err->code, "database_away") == 0;
}

/* A failure is said at most once a minute: the chore is tried again until it goes well. */
static void tell_failure(const struct chore *chore, struct log_limit *limit, const struct err *err)
{
    uint64_t times;
    if (!log_limit_due(limit, clock_mono_us(), &times))
        return;
    /* the rule has taken the lock away from it: nothing is wrong */
    enum log_level level = strcmp(err->code, "timeout") == 0 ? LOG_WARNING : LOG_ERROR;
    log_line(level, "%s failed (%llu times since the last line), trying again in %lld s: %s",
             chore->name, (unsigned long long)times, (long long)(chore->retry_us / US_PER_SECOND),
             err->message);
}

/* Do every chore that is due; microseconds until the next one is, or negative when the connection
 * is of no use any more. */
static int64_t do_chores(const struct lane *lane, PGconn *c, const struct config *config,
                         struct log_limit *limits)
{
    int64_t next = US_PER_MINUTE;
    for (size_t i = 0; i < lane->chores_n && !is_stopped(lane->stop_fd, -1, 0); i++) {
        struct chore *chore = &lane->chores[i];
        struct err err;
        if (clock_mono_us() >= chore->due_mono_us) {
            int64_t r = chore->run(c, config, &err);
            if (r == -ECANCELED)
                return r;
            chore->due_mono_us = clock_mono_us() + (r < 0 ? chore->retry_us : r);
            if (r < 0 && is_away(&err))
                return lost(lane, chore->name, err.message);
            if (r < 0) {
                tell_failure(chore, &limits[i], &err);
                if (PQstatus(c) != CONNECTION_OK || PQtransactionStatus(c) != PQTRANS_IDLE)
                    return -EAGAIN;
            }
        }
        next = MIN(next, MAX(chore->due_mono_us - clock_mono_us(), INT64_C(0)));
    }
    return next;
}

/* How many things the server has said; *is_changed: also that settings have changed.  -EAGAIN when
 * it has gone: who sleeps until the next chore would hear nothing of what is said meanwhile. */
static int take_notices(const struct lane *lane, PGconn *c, bool *is_changed)
{
    int n_told = 0;
    if (!PQconsumeInput(c) || PQstatus(c) != CONNECTION_OK)
        return lost(lane, "", "the database closed the connection");
    for (PGnotify *n; (n = PQnotifies(c)) != NULL; PQfreemem(n)) {
        *is_changed |= strcmp(n->relname, "azekura_setting") == 0;
        n_told++;
        lane->told(n->relname);
    }
    return n_told;
}

/* Two keepers would tell everything twice and be in each other's way: a lane is at work once, in
 * whatever process, until its connection ends. */
static int take_turn(const struct lane *lane, PGconn *c, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c, "select pg_try_advisory_lock(hashtext($1))", 1,
                         (const char *const[]){lane->name}, &q, err);
    if (rc < 0)
        return rc;
    bool is_ours = PQgetvalue(q, 0, 0)[0] == 't';
    PQclear(q);
    return is_ours ? 0 : err_set(err, EBUSY, "busy", "another keeper is at work");
}

static int begin(const struct lane *lane, PGconn *c, struct err *err)
{
    store_set_stop(c, lane->stop_fd);
    int rc = take_turn(lane, c, err);
    for (const char *const *channel = lane->channels; rc == 0 && *channel; channel++) {
        char sql[64]; /* a channel is a name, not a value: it cannot be a parameter */
        snprintf(sql, sizeof(sql), "listen %s", *channel);
        rc = (int)MIN(store_execute(c, sql, 0, NULL, err), INT64_C(0));
    }
    return rc;
}

/* The settings of now.  0, or negative when the connection is to be left. */
static int read_settings(const struct lane *lane, PGconn *c, struct config *now)
{
    struct err err;
    *now = *lane->file;
    int rc = setting_read(c, take_setting, now, &err);
    if (rc < 0 && is_away(&err))
        return lost(lane, "reading the settings", err.message);
    if (rc < 0 && rc != -ECANCELED)
        log_line(LOG_ERROR, "cannot read the settings: %s", err.message);
    return MIN(rc, 0);
}

/* Until told to stop or the connection is of no use, which is said. */
static void work(const struct lane *lane, PGconn *c)
{
    struct log_limit limits[LANE_CHORES_MAX] = {{0}};
    struct config now = *lane->file;
    bool is_changed = true;
    int64_t r = 0;
    while (r >= 0 && !is_stopped(lane->stop_fd, PQsocket(c), r)) {
        r = is_changed ? read_settings(lane, c, &now) : 0;
        is_changed = false;
        if (r >= 0)
            r = do_chores(lane, c, &now, limits);
        int told = r < 0 ? 0 : take_notices(lane, c, &is_changed);
        if (told != 0) /* a chore may be due sooner now */
            r = MIN(told, 0);
    }
}

void lane_run(const struct lane *lane)
{
    struct backoff backoff = {0};
    int64_t pause_us = 0;
    bool is_said = false;
    CHECK(lane->chores_n <= LANE_CHORES_MAX);
    while (!is_stopped(lane->stop_fd, -1, pause_us)) {
        PGconn *c = NULL;
        struct err err;
        if (store_connect(lane->file->database, "azekura_keeper", lane->name, &c, &err) < 0) {
            if (!is_said)
                log_line(LOG_WARNING, "%s: the database is away, trying again: %s", lane->name,
                         err.message);
        } else if (begin(lane, c, &err) < 0) {
            if (!is_said && strcmp(err.code, "stopping") != 0)
                log_line(LOG_WARNING, "%s: cannot begin, trying again: %s", lane->name,
                         err.message);
        } else {
            log_line(LOG_INFO, "%s: connected to the database", lane->name);
            backoff.failures = 0;
            work(lane, c);
        }
        is_said = true;
        PQfinish(c);
        pause_us = backoff_next_us(&backoff);
    }
}
