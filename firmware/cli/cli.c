/* What the commands share: connecting, exit codes, the box's zone and settings. */
#include "cli/cli.h"

#include <pwd.h>
#include <stdarg.h>
#include <unistd.h>

#include "cli/when.h"
#include "store/setting.h"

static int exit_code(int rc)
{
    switch (rc) {
    case -EINVAL:
    case -ERANGE:
    case -EDOM:
        return CLI_USAGE;
    case -EEXIST:
    case -ENOENT:
    case -EPERM:
    case -EBADMSG:
        return CLI_NOTHING;
    default:
        return CLI_AWAY;
    }
}

int cli_fail(int rc, const struct err *err)
{
    fflush(stdout);
    fprintf(stderr, "azekura: %s\n", err->message);
    return exit_code(rc);
}

int cli_usage(const char *fmt, ...)
{
    va_list args;
    fflush(stdout);
    fputs("azekura: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_USAGE;
}

int cli_connect(struct cli *cli, const char *role, struct err *err)
{
    if (cli->db)
        return 0;
    int rc = store_connect(cli->config.database, role, "azekura", &cli->db, err);
    /* the roles are made by the first migration */
    if (rc == -EACCES && err && strstr(err->message, "does not exist") &&
        strcmp(role, "postgres") != 0) {
        struct err why = *err;
        return err_set(err, EACCES, why.code, "%.440s; a new database needs azekura migrate first",
                       why.message);
    }
    return rc;
}

struct overlay {
    struct config *config;
};

/* A value that this version does not accept any more is passed over: the daemons do the same. */
static void overlay_setting(void *context, const struct setting_row *r)
{
    struct overlay *o = context;
    const struct setting *s = config_find(view_str(r->name), NULL);
    if (s && s->scope != SETTING_FILE && config_set(o->config, s, view_str(r->value), NULL) < 0)
        return;
}

int cli_effective_config(struct cli *cli, struct config *ret, struct err *err)
{
    struct config c = cli->config;
    int rc = setting_read(cli->db, overlay_setting, &(struct overlay){&c}, err);
    if (rc < 0)
        return rc;
    *ret = c;
    return 0;
}

const struct zone *cli_zone(struct cli *cli)
{
    struct config c;
    if (cli->zone)
        return cli->zone;
    const char *name = cli->db && cli_effective_config(cli, &c, NULL) == 0 ? c.time_zone
                                                                           : cli->config.time_zone;
    if (zone_load(name, &cli->zone, NULL) < 0)
        CHECK(zone_load("UTC", &cli->zone, NULL) == 0);
    return cli->zone;
}

int cli_range(struct cli *cli, const char *from, const char *to, int64_t *ret_from_us,
              int64_t *ret_to_us, struct err *err)
{
    int64_t now_us = clock_wall_us(), from_us = TIME_NONE, to_us = TIME_NONE;
    int rc = 0;
    if (from && (rc = when_parse(view_str(from), now_us, cli_zone(cli), &from_us, err)) < 0)
        err_prefix(err, "--from: ");
    if (rc == 0 && to && (rc = when_parse(view_str(to), now_us, cli_zone(cli), &to_us, err)) < 0)
        err_prefix(err, "--to: ");
    if (rc == 0 && from && to && from_us >= to_us)
        rc = err_set(err, EINVAL, "bad_value", "--from %s is not before --to %s", from, to);
    if (rc == 0) {
        *ret_from_us = from_us;
        *ret_to_us = to_us;
    }
    return rc;
}

const char *cli_actor(void)
{
    static char actor[64]; /* one thread, one answer */
    struct passwd *p = getpwuid(getuid());
    if (p)
        snprintf(actor, sizeof(actor), "cli:%s", p->pw_name);
    else
        snprintf(actor, sizeof(actor), "cli:uid %u", (unsigned)getuid());
    return actor;
}
