/* What all parts of the helper share: where its files are, and what a command gets and gives.
 * One process, one thread; commands that take many seconds run in a child (server.c). */
#ifndef AZEKURA_HELPER_H
#define AZEKURA_HELPER_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/view.h"

struct helper {
    /* Put before every path, of files and of programs alike: "" on a box; a test's folder holds
     * its own programs, so that nothing of the machine is touched. */
    const char *root;
    bool trial_is_given_up; /* the network before is not back yet: it is tried again */
    int64_t trial_until_us; /* CLOCK_BOOTTIME, when a network on trial is over; TRIAL_NONE */
};

#define TRIAL_NONE INT64_MAX

struct request;

/* What a command answers.  `result` is taken over by the caller, as is the descriptor. */
struct reply {
    cJSON *result; /* an object, or NULL: nothing to say */
    int fd;        /* sent beside the answer; -1: none */
};

/* 0, or negative and *err, which then is the answer. */
typedef int (*command_fn)(struct helper *h, const struct request *r, struct reply *reply,
                          struct err *err);

#endif
