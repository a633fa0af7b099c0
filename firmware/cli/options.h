/* Arguments of a command: --name VALUE, --name=VALUE and --flag anywhere, words in between, and --
 * before words that begin with two dashes.  A single dash begins no option, so that `search -debug`
 * means "not debug". */
#ifndef AZEKURA_CLI_OPTIONS_H
#define AZEKURA_CLI_OPTIONS_H

#include "base/err.h"

struct option_spec {
    const char *name;       /* without dashes */
    const char **ret_value; /* takes a value; else NULL */
    bool *ret_flag;         /* takes none; else NULL */
};

/* Reads argv[1…]; words move to argv[1…n].  Returns n, or -EINVAL and *err naming the option. */
MUST_USE int options_parse(int argc, char **argv, const struct option_spec *specs, size_t specs_n,
                           struct err *err);

#endif
