/* `azekura status`: what is there, and whether all of it is well. */
#include <stdarg.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/when.h"
#include "store/account.h"
#include "store/ledger.h"
#include "store/migrate.h"
#include "store/verify.h"

#define SILENT_US (10 * US_PER_SECOND) /* the receiver reports once a second */

static void line(bool is_well, const char *name, const char *fmt, ...) PRINTF(3, 4);
static void line(bool is_well, const char *name, const char *fmt, ...)
{
    va_list args;
    printf("%-10s ", name);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    puts(is_well ? "" : "  ← look at this");
}

static int print_schema(struct cli *cli, bool *ret_well, struct err *err)
{
    struct migrations m = {0};
    int version;
    int rc = migrate_version(cli->db, &version, err);
    if (rc < 0)
        return rc;
    bool knows = migrations_read(cli->config.sql_dir, &m, NULL) == 0;
    bool is_well = version > 0 && (!knows || version == m.n);
    if (knows)
        line(is_well, "schema", "migration %d of %d%s", version, m.n,
             version < m.n ? ": run azekura migrate" : "");
    else
        line(is_well, "schema", "migration %d", version);
    migrations_free(&m);
    *ret_well = *ret_well && is_well;
    return version;
}

static int print_receiver(struct cli *cli, bool *ret_well, struct err *err)
{
    struct ledger_receiver r;
    int rc = ledger_read_receiver(cli->db, &r, err);
    if (rc < 0)
        return rc;
    if (rc == 0) {
        line(false, "receiver", "has never reported");
        *ret_well = false;
        return 0;
    }
    char age[WHEN_MAX], running[WHEN_MAX], arrived[TEXT_NUMBER_MAX], stored[TEXT_NUMBER_MAX],
        refused[TEXT_NUMBER_MAX], queued[TEXT_NUMBER_MAX], dropped[TEXT_NUMBER_MAX];
    when_format_age(r.age_us, age);
    when_format_age(r.at_us - r.started_at_us, running);
    bool is_live = r.age_us < SILENT_US, is_balanced = ledger_receiver_is_balanced(&r);
    line(is_live, "receiver", is_live ? "runs since %s, %lld connections" : "last reported %s ago",
         is_live ? running : age, (long long)r.connections);
    line(is_balanced, "messages", "arrived %s = stored %s + refused %s + queued %s%s",
         text_number(r.arrived, arrived), text_number(r.stored, stored),
         text_number(r.refused, refused), text_number(r.queued, queued),
         is_balanced ? "" : " does not hold");
    if (r.kernel_dropped > 0)
        line(false, "kernel", "dropped %s datagrams before they arrived",
             text_number(r.kernel_dropped, dropped));
    *ret_well = *ret_well && is_live && is_balanced;
    return 0;
}

static int print_store(struct cli *cli, struct err *err)
{
    struct stored_summary s;
    int rc = verify_summary(cli->db, &s, err);
    if (rc < 0)
        return rc;
    char messages[TEXT_NUMBER_MAX], blocks[TEXT_NUMBER_MAX], size[TEXT_NUMBER_MAX], first[WHEN_MAX],
        last[WHEN_MAX];
    /* not "stored": that is what has ever been, the rule's deletions included */
    line(true, "kept", "%s messages in %s %s, database %s", text_number(s.messages, messages),
         text_number(s.blocks, blocks), s.blocks == 1 ? "block" : "blocks",
         text_bytes(s.database_bytes, size));
    if (s.first_at_us != TIME_NONE) {
        when_format(s.first_at_us, cli_zone(cli), first);
        when_format(s.last_at_us, cli_zone(cli), last);
        line(true, "from", "%.19s to %.19s", first, last);
    }
    return 0;
}

static int print_setup(struct cli *cli, struct err *err)
{
    int rc = setup_is_needed(cli->db, err);
    if (rc > 0)
        line(true, "accounts", "none yet: open the console, or azekura user add NAME");
    return rc;
}

int cli_status(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_well = true;
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc > 0)
        return cli_usage("status: unexpected argument \"%s\"", argv[1]);
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    line(true, "database", "PostgreSQL %s, %s", PQparameterStatus(cli->db, "server_version"),
         cli->config.database);
    rc = print_schema(cli, &is_well, &err);
    if (rc == 0) /* nothing there to be asked for */
        return CLI_NOTHING;
    if (rc > 0)
        rc = print_receiver(cli, &is_well, &err);
    if (rc >= 0)
        rc = print_store(cli, &err);
    if (rc >= 0)
        rc = print_setup(cli, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    return is_well ? CLI_OK : CLI_NOTHING;
}
