/* `azekura retention`: what its files share. */
#ifndef AZEKURA_CLI_RETENTION_H
#define AZEKURA_CLI_RETENTION_H

#include "base/arena.h"
#include "cli/cli.h"
#include "store/retention_admin.h"
#include "store/retention_use.h"

struct rule_cli {
    struct cli *cli;
    struct config config; /* with the database's values */
    struct arena arena;
    struct retention rule;
};

/* Connects, reads the settings and what is there.  0, or negative and *err. */
MUST_USE int rule_cli_load(struct rule_cli *r, struct err *err);
/* Connects alone; the hand for a change. */
MUST_USE int rule_cli_hand(struct cli *cli, struct retention_hand *ret, struct err *err);
/* "2026-11-30"; 0, or -EINVAL and *err that names the option. */
MUST_USE int rule_cli_day(const char *option, const char *text, int32_t *ret, struct err *err);
/* What would go, a line each, two blanks before it; the sum when there are several. */
void rule_cli_print_plan(struct rule_cli *r, const struct rule_plan *plan);
/* A name as it may be shown on a terminal: control characters as escapes.  To be freed. */
MUST_USE char *rule_cli_visible(const char *text);

/* The subcommands: argv[1…] are the words behind "retention". */
int retention_show(struct cli *cli, int argc, char **argv);
int retention_days(struct cli *cli, int argc, char **argv);
int retention_preview(struct cli *cli, int argc, char **argv);
int retention_groups(struct cli *cli, int argc, char **argv);
int retention_group(struct cli *cli, int argc, char **argv);
int retention_holds(struct cli *cli, int argc, char **argv);
int retention_hold(struct cli *cli, int argc, char **argv);
int retention_delete(struct cli *cli, int argc, char **argv);
int retention_receipts(struct cli *cli, int argc, char **argv);

#endif
