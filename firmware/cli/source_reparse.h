/* `azekura source preview` and `azekura source reparse`. */
#ifndef AZEKURA_CLI_SOURCE_REPARSE_H
#define AZEKURA_CLI_SOURCE_REPARSE_H

#include "cli/cli.h"

int source_cli_preview(struct cli *cli, int argc, char **argv);
int source_cli_reparse(struct cli *cli, int argc, char **argv);

#endif
