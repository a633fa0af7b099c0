/* Settings from the database: applied by the writer thread, kept for the next start. */
#include "receiver/settings.h"

#include <unistd.h>

#include "config/log.h"

enum { KEPT_MAX_BYTES = 65536 };
static const char kept_name[] = "settings";

void settings_load_kept(struct config *c, const struct state *state)
{
    char path[STATE_PATH_MAX];
    state_path(state, kept_name, path);
    if (access(path, F_OK) < 0)
        return;
    struct err err = {0};
    if (config_load(c, path, &err) < 0)
        log_line(LOG_WARNING, "settings of the last run are left out: %s", err.message);
}

/* One row of the table into *c, and into the text to keep.  A value that does not pass its check
 * was put there past the product: say so and go on without it. */
static void take_row(struct config *c, const char *name, const char *value, struct buf *kept)
{
    struct err err = {0};
    const struct setting *setting = config_find(view_str(name), &err);
    if (!setting || setting->scope == SETTING_FILE || strpbrk(value, "\r\n") ||
        config_set(c, setting, view_str(value), &err) < 0) {
        if (!setting || setting->scope != SETTING_FILE)
            log_line(LOG_WARNING, "setting %s in the database is left out: %s", name,
                     err.message[0] ? err.message : "its value has a line break");
        return;
    }
    (void)buf_printf(kept, "%s = %s\n", name, value);
}

static void keep(const struct state *state, struct view text)
{
    struct err err = {0};
    if (state_write(state, kept_name, text, &err) < 0)
        log_line(LOG_WARNING, "settings are not kept for the next start: %s", err.message);
}

int settings_read(PGconn *c, const struct unit_patience *p, const struct config *file,
                  const struct state *state, struct shared *s, struct err *err)
{
    PGresult *r = NULL;
    int rc =
        unit_query(c, "select name, value from azekura.setting order by name", 0, NULL, p, &r, err);
    if (rc < 0)
        return rc;
    struct config now = *file;
    struct buf kept = BUF_INIT(KEPT_MAX_BYTES);
    for (int i = 0; i < PQntuples(r); i++)
        take_row(&now, PQgetvalue(r, i, 0), PQgetvalue(r, i, 1), &kept);
    PQclear(r);
    keep(state, buf_view(&kept));
    buf_free(&kept);
    atomic_store(&s->flush_us, now.flush_ms * 1000);
    atomic_store(&s->tcp_idle_us, now.tcp_idle_seconds * US_PER_SECOND);
    shared_wake(s->wake_fd);
    return 0;
}
