/* The loop: one connection, one chore at a time. */
#include "keeper/keeper.h"

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

/* Do every chore that is due; microseconds until the next one is, or negative when the connection
 * is gone. */
static int64_t do_chores(PGconn *c, const struct config *config, const volatile bool *stop)
{
    int64_t next = US_PER_MINUTE;
    for (size_t i = 0; i < keeper_chores_n && !*stop; i++) {
        struct chore *chore = &keeper_chores[i];
        struct err err;
        if (clock_mono_us() >= chore->due_mono_us) {
            int64_t r = chore->run(c, config, &err);
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

static void work(PGconn *c, const struct config *file, const volatile bool *stop,
                 void (*wait)(int64_t us))
{
    while (!*stop) {
        struct config now = *file;
        struct overlay overlay = {&now};
        struct err err;
        int64_t r = setting_read(c, take_setting, &overlay, &err);
        if (r >= 0)
            r = do_chores(c, &now, stop);
        else
            log_line(LOG_ERROR, "cannot read the settings: %s", err.message);
        if (r < 0)
            return;
        if (r > 0)
            wait(r);
    }
}

void keeper_run(struct config *config, const volatile bool *stop, void (*wait)(int64_t us))
{
    struct backoff backoff = {0};
    while (!*stop) {
        PGconn *c = NULL;
        struct err err;
        if (store_connect(config->database, "azekura_keeper", "azekura-keeper", &c, &err) < 0) {
            if (backoff.failures == 0)
                log_line(LOG_WARNING, "the database is away, trying again: %s", err.message);
        } else {
            log_line(LOG_INFO, "connected to the database");
            backoff.failures = 0;
            work(c, config, stop, wait);
            PQfinish(c);
        }
        if (!*stop)
            wait(backoff_next_us(&backoff));
    }
    log_line(LOG_INFO, "stopped");
}
