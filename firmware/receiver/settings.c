/* What the database says that the receiver should do: applied by the writer thread, kept for the
 * next start. */
#include "receiver/settings.h"

#include <fcntl.h>
#include <unistd.h>

#include "config/log.h"

enum { KEPT_MAX_BYTES = 65536 };
static const char kept_name[] = "settings", kept_groups_name[] = "source_groups";

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

/* The benchmark's network is known without any database: what is sent before the first connection
 * must not be stored among the logs.  Not sealed. */
static struct groups *new_groups(void)
{
    struct groups *g = groups_new();
    char id[16];
    snprintf(id, sizeof(id), "%d", SOURCE_GROUP_BENCHMARK);
    CHECK(groups_add(g, VIEW(BENCHMARK_NETWORK), view_str(id), NULL) == 0);
    return g;
}

/* Rules for senders with these groups, which it takes, to the lanes. */
static void put_rules(struct shared *s, struct groups *g, const struct config *c)
{
    struct sender_rules *r = sender_rules_new();
    groups_free(&r->groups);
    r->groups = g;
    r->everyone = (struct sender_limit){(uint32_t)c->rate_limit, (uint32_t)c->rate_burst};
    sender_rules_seal(r);
    shared_put_rules(s, r);
}

void settings_load_kept_groups(struct shared *s, const struct state *state)
{
    char path[STATE_PATH_MAX];
    struct buf text = BUF_INIT(GROUPS_TEXT_MAX_BYTES);
    struct groups *g = new_groups();
    struct err err = {0};
    state_path(state, kept_groups_name, path);
    int rc = read_file(path, &text);
    if (rc == 0)
        rc = groups_parse(g, buf_view(&text), &err);
    else if (rc != -ENOENT)
        (void)err_set(&err, -rc, "state", "cannot read %s: %s", path, strerror(-rc));
    if (rc < 0) {
        groups_free(&g);
        g = new_groups();
        groups_seal(g);
        if (rc != -ENOENT)
            log_line(LOG_WARNING, "source groups of the last run are left out (%s): %s", path,
                     err.message);
    }
    put_rules(s, g, &s->config);
    buf_free(&text);
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

/* Rows that groups_add or groups_shed takes.  One that does not pass was put there past the
 * product: say so and go on without it. */
typedef int (*groups_row_fn)(struct groups *g, struct view first, struct view second,
                             struct err *err);

static int read_group_rows(PGconn *c, const struct unit_patience *p, const char *sql,
                           const char *const *values, int values_n, groups_row_fn each,
                           struct groups *g, struct err *err)
{
    PGresult *r = NULL;
    int rc = unit_query(c, sql, values_n, values, p, &r, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < PQntuples(r); i++) {
        struct err why = {0};
        if (each(g, view_str(PQgetvalue(r, i, 0)), view_str(PQgetvalue(r, i, 1)), &why) < 0)
            log_line(LOG_WARNING, "a row of the source groups in the database is left out: %s",
                     why.message);
    }
    PQclear(r);
    return 0;
}

/* Members of retired groups are those of the network around them, else of the default group. */
static int read_groups(PGconn *c, const struct unit_patience *p, struct groups *g, struct err *err)
{
    static const char members[] =
        "(select m.prefix::text, m.source_group from azekura.source_group_member m"
        " join azekura.source_group g on g.id = m.source_group where g.retired_at is null"
        " order by m.source_group = $1::smallint desc, m.prefix limit $2::int) union all"
        " (select b.address::text, $1::smallint from azekura.benchmark_sender b"
        " where b.until > now() order by b.address limit $3::int)";
    static const char shed[] = "select source_group, severity from azekura.shed";
    char benchmark[16], most[16], senders[16];
    snprintf(benchmark, sizeof(benchmark), "%d", SOURCE_GROUP_BENCHMARK);
    snprintf(most, sizeof(most), "%d", SOURCE_PREFIXES_MAX + 1);
    snprintf(senders, sizeof(senders), "%d", BENCHMARK_SENDERS_MAX);
    const char *const limits[] = {benchmark, most, senders};
    int rc = read_group_rows(c, p, members, limits, ARRAY_LEN(limits), groups_add, g, err);
    if (rc == 0)
        rc = read_group_rows(c, p, shed, NULL, 0, groups_shed, g, err);
    groups_seal(g);
    return rc;
}

static int take_groups(PGconn *c, const struct unit_patience *p, const struct state *state,
                       struct shared *s, const struct config *now, struct err *err)
{
    struct groups *g = groups_new();
    int rc = read_groups(c, p, g, err);
    if (rc < 0) {
        groups_free(&g);
        return rc;
    }
    struct buf text = BUF_INIT(GROUPS_TEXT_MAX_BYTES);
    groups_format(g, &text);
    keep(state, kept_groups_name, buf_view(&text));
    buf_free(&text);
    put_rules(s, g, now);
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
    shared_apply(s, &now);
    return take_groups(c, p, state, s, &now, err);
}
