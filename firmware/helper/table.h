/* The commands: one row each, with its arguments and their limits. */
#ifndef AZEKURA_HELPER_TABLE_H
#define AZEKURA_HELPER_TABLE_H

#include "helper/helper.h"

enum argument_kind {
    ARGUMENT_TEXT,
    ARGUMENT_INTEGER,
    ARGUMENT_FLAG,
    ARGUMENT_LIST,
    ARGUMENT_OBJECT
};

struct argument {
    const char *name; /* NULL ends the list */
    enum argument_kind kind;
    bool is_needed;
    bool is_secret;     /* never in the log nor in the audit */
    int64_t min, max;   /* of a number; `max` also: bytes of a text, elements of a list */
    const char *choice; /* of a text: "|good|bad|"; NULL: any */
};

#define ARGUMENTS_MAX 6

struct command {
    const char *name;
    command_fn run;
    bool is_slow; /* in a child of its own: it may take minutes, and changes no settings */
    const char *summary;
    struct argument arguments[ARGUMENTS_MAX];
};

extern const struct command commands[];
extern const size_t commands_n;

const struct command *command_find(const char *name);

#endif
