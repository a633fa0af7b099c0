/* The command `azekura`: what its subcommands share.  Each command is a function of its own file
 * that parses its arguments, asks the database through store/ and prints; it returns an exit code.
 */
#ifndef AZEKURA_CLI_H
#define AZEKURA_CLI_H

#include "base/clock.h"
#include "base/err.h"
#include "base/zone.h"
#include "config/config.h"
#include "store/connection.h"

/* What scripts may rely on; in --help too. */
enum cli_exit {
    CLI_OK = 0,      /* done, found */
    CLI_NOTHING = 1, /* nothing found, or a check failed */
    CLI_USAGE = 2,   /* an argument or value that cannot be */
    CLI_AWAY = 3,    /* the database is away, refuses us or fails */
};

struct cli {
    struct config config;
    const char *config_path; /* the file that was read */
    PGconn *db;              /* cli_connect; closed by main */
    struct zone *zone;       /* the box's; loaded by cli_zone */
};

/* One command, its words without the options before it: argv[0] is its name. */
typedef int (*cli_run_fn)(struct cli *cli, int argc, char **argv);

struct cli_command {
    const char *name;    /* "user" */
    const char *usage;   /* "user add NAME [--role R] | …", a line each */
    const char *summary; /* one line */
    const char *help;    /* what more there is to say; may be "" */
    cli_run_fn run;
    bool needs_no_box; /* runs without any configuration */
};
extern const struct cli_command cli_commands[];
extern const size_t cli_commands_n;

int cli_status(struct cli *cli, int argc, char **argv);
int cli_migrate(struct cli *cli, int argc, char **argv);
int cli_user(struct cli *cli, int argc, char **argv);
int cli_token(struct cli *cli, int argc, char **argv);
int cli_setup_code(struct cli *cli, int argc, char **argv);
int cli_search(struct cli *cli, int argc, char **argv);
int cli_config(struct cli *cli, int argc, char **argv);
int cli_ledger(struct cli *cli, int argc, char **argv);
int cli_verify(struct cli *cli, int argc, char **argv);
int cli_retention(struct cli *cli, int argc, char **argv);
int cli_size(struct cli *cli, int argc, char **argv);
int cli_receiver(struct cli *cli, int argc, char **argv);
int cli_listeners(struct cli *cli, int argc, char **argv);
int cli_tls(struct cli *cli, int argc, char **argv);
int cli_source(struct cli *cli, int argc, char **argv);
int cli_gaps(struct cli *cli, int argc, char **argv);
int cli_events(struct cli *cli, int argc, char **argv);

/* ---- shared by the commands ---- */

/* Print "azekura: sentence" to standard error; the exit code that belongs to rc. */
int cli_fail(int rc, const struct err *err);
/* The same for a mistake in the arguments: CLI_USAGE. */
int cli_usage(const char *fmt, ...) PRINTF(1, 2);
/* Connect as the role ("azekura", or "postgres" to migrate), once: 0, or negative and *err. */
MUST_USE int cli_connect(struct cli *cli, const char *role, struct err *err);
/* The box's zone as the database or the file says; connected.  Never NULL: UTC when nothing else is
 * known. */
const struct zone *cli_zone(struct cli *cli);
/* The configuration with the values of the database in it; connected. */
MUST_USE int cli_effective_config(struct cli *cli, struct config *ret, struct err *err);
/* --from and --to (NULL: open, TIME_NONE) in the box's zone; connected.  0, or -EINVAL and *err. */
MUST_USE int cli_range(struct cli *cli, const char *from, const char *to, int64_t *ret_from_us,
                       int64_t *ret_to_us, struct err *err);
/* Who this is, for the audit log: "cli:root". */
const char *cli_actor(void);

#endif
