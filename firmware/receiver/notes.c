/* Events on their way to the database. */
#include "receiver/notes.h"

#include <stdarg.h>

#include "config/log.h"

void notes_init(struct notes *n)
{
    memset(n, 0, sizeof(*n));
    CHECK(pthread_mutex_init(&n->lock, NULL) == 0);
}

void notes_done(struct notes *n)
{
    pthread_mutex_destroy(&n->lock);
}

void notes_add(struct notes *n, enum event_kind kind, ...)
{
    struct note note = {.kind = kind};
    const char *name;
    va_list args;
    va_start(args, kind);
    while ((name = va_arg(args, const char *)) != NULL) {
        const char *value = va_arg(args, const char *);
        CHECK(note.n < NOTE_PARAMS_MAX && value);
        snprintf(note.name[note.n], sizeof(note.name[0]), "%s", name);
        snprintf(note.value[note.n], sizeof(note.value[0]), "%s", value);
        note.n++;
    }
    va_end(args);
    pthread_mutex_lock(&n->lock);
    if (n->n < NOTES_MAX)
        n->of[n->n++] = note;
    else
        n->left_out++;
    pthread_mutex_unlock(&n->lock);
}

/* A copy of the first one. */
static bool first(struct notes *n, struct note *ret)
{
    pthread_mutex_lock(&n->lock);
    bool has = n->n > 0;
    if (has)
        *ret = n->of[0];
    pthread_mutex_unlock(&n->lock);
    return has;
}

static void drop_first(struct notes *n)
{
    pthread_mutex_lock(&n->lock);
    memmove(n->of, n->of + 1, --n->n * sizeof(n->of[0]));
    if (n->n == 0 && n->left_out > 0) {
        log_line(LOG_WARNING, "%llu events were too many to be kept",
                 (unsigned long long)n->left_out);
        n->left_out = 0;
    }
    pthread_mutex_unlock(&n->lock);
}

int notes_write(struct notes *n, PGconn *c, struct err *err)
{
    struct note note;
    while (first(n, &note)) {
        struct event_params params = {.n = note.n};
        for (int i = 0; i < note.n; i++) {
            params.text[2 * i] = note.name[i];
            params.text[2 * i + 1] = note.value[i];
        }
        int rc = event_add(c, note.kind, &params, err);
        if (rc < 0)
            return rc;
        drop_first(n);
    }
    return 0;
}
