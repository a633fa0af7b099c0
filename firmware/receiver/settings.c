/* What the database says that the receiver should do: applied by the writer thread, kept for the
 * next start. */
#include "receiver/settings.h"

#include <fcntl.h>
#include <unistd.h>

#include "config/log.h"
#include "receiver/credentials.h"
#include "receiver/sender_sql.h"

enum { KEPT_MAX_BYTES = 65536 };
static const char kept_name[] = "settings", kept_rules_name[] = "senders";
/* what versions before the allow-list kept: its lines are among those of kept_rules_name */
static const char kept_groups_name[] = "source_groups";

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

/* A file of ours, whole; 0, or -errno (-EFBIG: larger than out's maximum). */
static int read_file(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    char part[4096];
    ssize_t n;
    while ((n = read(fd, part, sizeof(part))) > 0 && buf_add(out, part, (size_t)n) == 0)
        ;
    int rc = n < 0 ? -errno : n > 0 ? -EFBIG : 0;
    close(fd);
    return rc;
}

/* 1: *r is what the file says; 0: there is none; negative and *err: what it says is not to be
 * used. */
static int load_rules(const char *path, struct sender_rules *r, struct err *err)
{
    struct buf text = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES);
    int rc = read_file(path, &text);
    if (rc == 0)
        rc = sender_rules_parse(r, buf_view(&text), err) < 0 ? -EINVAL : 1;
    else if (rc == -ENOENT)
        rc = 0;
    else
        (void)err_set(err, -rc, "state", "cannot read %s: %s", path, strerror(-rc));
    buf_free(&text);
    return rc;
}

/* What holds without a file and without a database. */
static struct sender_rules *first_rules(const struct config *c)
{
    struct sender_rules *r = sender_sql_first_rules();
    r->everyone = (struct sender_limit){(uint32_t)c->rate_limit, (uint32_t)c->rate_burst};
    r->charset = charset_find(view_str(c->charset));
    return r;
}

void settings_load_kept_rules(struct shared *s, const struct state *state)
{
    static const char *const names[] = {kept_rules_name, kept_groups_name};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char path[STATE_PATH_MAX];
        struct err err = {0};
        struct sender_rules *r = first_rules(&s->config);
        state_path(state, names[i], path);
        int rc = load_rules(path, r, &err);
        if (rc == 1) {
            s->first_rules = sender_rules_hold(r);
            shared_put_rules(s, r);
            return;
        }
        sender_rules_free(&r);
        if (rc < 0)
            log_line(LOG_WARNING, "rules for senders of the last run are left out (%s): %s", path,
                     err.message);
    }
    struct sender_rules *r = first_rules(&s->config);
    sender_rules_seal(r);
    s->first_rules = sender_rules_hold(r);
    shared_put_rules(s, r);
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

static void keep(const struct state *state, const char *name, struct view text)
{
    struct err err = {0};
    if (state_write(state, name, text, &err) < 0)
        log_line(LOG_WARNING, "%s are not kept for the next start: %s", name, err.message);
}

/* Once, until it is another one or none. */
static void tell_fault(struct shared *s, const char *fault)
{
    if (strcmp(s->source_fault, fault) == 0)
        return;
    snprintf(s->source_fault, sizeof(s->source_fault), "%s", fault);
    if (fault[0] == '\0')
        return;
    log_line(LOG_WARNING, "a setting of sources is not known here: %s; the box's own is used",
             fault);
    notes_add(&s->notes, EVENT_SOURCE_SETTING_UNKNOWN, "why", fault, NULL);
}

static int take_rules(PGconn *c, const struct unit_patience *p, const struct config *now,
                      const struct state *state, struct shared *s, struct err *err)
{
    struct sender_rules *r;
    int rc = sender_sql_rules(c, p, now, &r, err);
    if (rc < 0)
        return rc;
    struct buf text = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES);
    sender_rules_format(r, &text);
    keep(state, kept_rules_name, buf_view(&text));
    state_remove(state, kept_groups_name);
    buf_free(&text);
    tell_fault(s, r->fault);
    shared_put_rules(s, r);
    return 0;
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
    keep(state, kept_name, buf_view(&kept));
    buf_free(&kept);
    credentials_apply(s->credentials, &now); /* before somebody connects by TLS */
    shared_apply(s, &now);
    return take_rules(c, p, &now, state, s, err);
}
