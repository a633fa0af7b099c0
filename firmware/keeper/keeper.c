/* The loop: one connection, one chore at a time. */
#include "keeper/keeper.h"

#include <poll.h>

#include "base/clock.h"
#include "config/log.h"
#include "store/setting.h"

struct overlay {
    struct config *config;
};

/* A setting of the database over the file's; one that is no longer valid is named and left out. */
static void take_setting(void *context, const struct setting_row *row)
{
    struct overlay *o = context;
    struct err err;
    const struct setting *s = config_find(view_str(row->name), &err);
    if (s != NULL && s->scope == SETTING_FILE)
        return;
    if (s == NULL || config_set(o->config, s, view_str(row->value), &err) < 0)
        log_line(LOG_WARNING, "ignoring a setting of the database: %s", err.message);
}

/* Wait so long, or until told to stop.  Whether that is so. */
static bool is_stopped(int stop_fd, int64_t wait_us)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    return poll(&stop, 1, (int)((wait_us + 999) / 1000)) > 0;
}

/* Do every chore that is due; microseconds until the next one is, or negative when the connection
 * is of no use any more. */
static int64_t do_chores(PGconn *c, const struct config *config, int stop_fd)
{
    int64_t next = US_PER_MINUTE;
    for (size_t i = 0; i < keeper_chores_n && !is_stopped(stop_fd, 0); i++) {
        struct chore *chore = &keeper_chores[i];
        struct err err;
        if (clock_mono_us() >= chore->due_mono_us) {
            int64_t r = chore->run(c, config, &err);
            if (r == -ECANCELED)
                return r;
            if (r < 0) {
                log_line(LOG_ERROR, "%s failed, trying again in %lld s: %s", chore->name,
                         (long long)(chore->retry_us / US_PER_SECOND), err.message);
                if (PQstatus(c) != CONNECTION_OK)
                    return -EAGAIN;
                r = chore->retry_us;
            }
            chore->due_mono_us = clock_mono_us() + r;
        }
        next = MIN(next, MAX(chore->due_mono_us - clock_mono_us(), INT64_C(0)));
    }
    return next;
}

static void work(PGconn *c, const struct config *file, int stop_fd)
{
    int64_t r = 0;
    while (!is_stopped(stop_fd, r)) {
        struct config now = *file;
        struct overlay overlay = {&now};
        struct err err;
        r = setting_read(c, take_setting, &overlay, &err);
        if (r >= 0)
            r = do_chores(c, &now, stop_fd);
        else if (r != -ECANCELED)
            log_line(LOG_ERROR, "cannot read the settings: %s", err.message);
        if (r < 0)
            return;
    }
}

void keeper_run(struct config *config, int stop_fd)
{
    struct backoff backoff = {0};
    int64_t pause_us = 0;
    while (!is_stopped(stop_fd, pause_us)) {
        PGconn *c = NULL;
        struct err err;
        if (store_connect(config->database, "azekura_keeper", "azekura-keeper", &c, &err) < 0) {
            if (backoff.failures == 0)
                log_line(LOG_WARNING, "the database is away, trying again: %s", err.message);
        } else {
            log_line(LOG_INFO, "connected to the database");
            backoff.failures = 0;
            store_set_stop(c, stop_fd);
            work(c, config, stop_fd);
            PQfinish(c);
        }
        pause_us = backoff_next_us(&backoff);
    }
    log_line(LOG_INFO, "stopped");
}
