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
            if (r < 0) {
                tell_failure(chore, &limits[i], &err);
                if (PQstatus(c) != CONNECTION_OK || PQtransactionStatus(c) != PQTRANS_IDLE)
                    return -EAGAIN;
                r = chore->retry_us;
            }
            chore->due_mono_us = clock_mono_us() + r;
        }
        next = MIN(next, MAX(chore->due_mono_us - clock_mono_us(), INT64_C(0)));
    }
    return next;
}

/* What the server has said.  Whether settings have changed. */
static bool take_notices(const struct lane *lane, PGconn *c)
{
    bool is_changed = false;
    if (!PQconsumeInput(c))
        return false; /* the next statement says so */
    for (PGnotify *n; (n = PQnotifies(c)) != NULL; PQfreemem(n)) {
        is_changed |= strcmp(n->relname, "azekura_setting") == 0;
        lane->told(n->relname);
    }
    return is_changed;
}

static int begin(const struct lane *lane, PGconn *c, struct err *err)
{
    for (const char *const *channel = lane->channels; *channel; channel++) {
        char sql[64]; /* a channel is a name, not a value: it cannot be a parameter */
        snprintf(sql, sizeof(sql), "listen %s", *channel);
        int64_t rc = store_execute(c, sql, 0, NULL, err);
        if (rc < 0)
            return (int)rc;
    }
    return 0;
}

static void work(const struct lane *lane, PGconn *c)
{
    struct log_limit limits[LANE_CHORES_MAX] = {{0}};
    struct config now = *lane->file;
    struct err err;
    bool is_changed = true;
    int64_t r = begin(lane, c, &err);
    if (r < 0)
        log_line(LOG_WARNING, "cannot begin, trying again: %s", err.message);
    for (; r >= 0 && !is_stopped(lane->stop_fd, PQsocket(c), r);
         is_changed |= take_notices(lane, c)) {
        if (is_changed) {
            now = *lane->file;
            r = setting_read(c, take_setting, &now, &err);
            is_changed = false;
        }
        if (r >= 0)
            r = do_chores(lane, c, &now, limits);
        else if (r != -ECANCELED)
            log_line(LOG_ERROR, "cannot read the settings: %s", err.message);
    }
}

void lane_run(const struct lane *lane)
{
    struct backoff backoff = {0};
    int64_t pause_us = 0;
    CHECK(lane->chores_n <= LANE_CHORES_MAX);
    while (!is_stopped(lane->stop_fd, -1, pause_us)) {
        PGconn *c = NULL;
        struct err err;
        if (store_connect(lane->file->database, "azekura_keeper", lane->name, &c, &err) < 0) {
            if (backoff.failures == 0)
                log_line(LOG_WARNING, "%s: the database is away, trying again: %s", lane->name,
                         err.message);
        } else {
            log_line(LOG_INFO, "%s: connected to the database", lane->name);
            backoff.failures = 0;
            store_set_stop(c, lane->stop_fd);
            work(lane, c);
            PQfinish(c);
        }
        pause_us = backoff_next_us(&backoff);
    }
}
