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
/* The same with another value of a setting of the rule (NULL: the file's or the default). */
MUST_USE int rule_cli_load_with(struct rule_cli *r, const struct setting *s, const char *value,
                                struct err *err);
/* Connects alone; the hand for a change. */
MUST_USE int rule_cli_hand(struct cli *cli, struct retention_hand *ret, struct err *err);
/* "2026-11-30"; 0, or -EINVAL and *err that names the option. */
MUST_USE int rule_cli_day(const char *option, const char *text, int32_t *ret, struct err *err);
/* What would go, a line each, two blanks before it; the sum when there are several.  `open`: of
 * rule_plan_open(), or NULL. */
void rule_cli_print_plan(struct rule_cli *r, const struct rule_plan *plan,
                         const struct rule_plan *open);
/* Before a change that is in r->rule already and not yet in the database: says what the box would
 * delete because of it, and asks unless is_yes.  True when nothing would go or it is wanted. */
MUST_USE bool rule_cli_is_wanted(struct rule_cli *r, bool is_yes);
/* Is it one of the settings that decide what is deleted? */
bool rule_cli_is_rule_setting(const struct setting *s);
/* "what  Write yes: " on the terminal; true when it was written, or is_yes. */
MUST_USE bool rule_cli_ask(const char *what, bool is_yes);
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
