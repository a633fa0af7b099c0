/* What all requests share. */
#include "web/web.h"

#include "store/setting.h"
#include "config/log.h"

void web_config(struct web *w, struct config *ret)
{
    pthread_mutex_lock(&w->config_lock);
    *ret = w->live;
    pthread_mutex_unlock(&w->config_lock);
}

static void overlay(void *context, const struct setting_row *r)
{
    struct config *c = context;
    const struct setting *s = config_find(view_str(r->name), NULL);
    /* one of another version, or out of today's range: the file's value stands */
    if (s && s->scope != SETTING_FILE && config_set(c, s, view_str(r->value), NULL) < 0)
        return;
}

int web_refresh_config(struct web *w, PGconn *db, struct err *err)
{
    struct config c = w->file;
    int rc = setting_read(db, overlay, &c, err);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&w->config_lock);
    w->live = c;
    pthread_mutex_unlock(&w->config_lock);
    pool_set_timeout(w->pool, (c.search_seconds + 5) * 1000);
    return 0;
}

bool gate_enter(atomic_int *gate, int max)
{
    if (atomic_fetch_add(gate, 1) < max)
        return true;
    atomic_fetch_sub(gate, 1);
    return false;
}

void gate_leave(atomic_int *gate)
{
    atomic_fetch_sub(gate, 1);
}
