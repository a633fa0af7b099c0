/* `azekura migrate` */
#include "store/migrate.h"

#include "cli/cli.h"
#include "cli/options.h"

static void applied(void *context, const struct migration *m)
{
    (void)context;
    printf("applied %s\n", m->name);
    fflush(stdout);
}

int cli_migrate(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct migrations m = {0};
    int words = options_parse(argc, argv, NULL, 0, &err);
    if (words < 0)
        return cli_fail(words, &err);
    if (words > 0)
        return cli_usage("migrate: unexpected argument \"%s\"", argv[1]);
    int rc = migrations_read(cli->config.sql_dir, &m, &err);
    if (rc < 0) {
        cli_fail(rc, &err);
        return CLI_USAGE;
    }
    rc = cli_connect(cli, "postgres", &err);
    if (rc >= 0)
        rc = migrate_run(cli->db, &m, applied, NULL, &err);
    if (rc == 0)
        printf("the schema is up to date at migration %d\n", m.n);
    migrations_free(&m);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}
