/* A lane: one connection, one chore at a time. */
#ifndef AZEKURA_KEEPER_LANE_H
#define AZEKURA_KEEPER_LANE_H

#include "keeper/keeper.h"

struct lane {
    const char *name; /* application_name of its connection */
    struct chore *chores;
    size_t chores_n;                   /* at most LANE_CHORES_MAX */
    const char *const *channels;       /* LISTEN; NULL-terminated */
    void (*told)(const char *channel); /* of one of them */
    const struct config *file;         /* borrowed; settings of the database come over it */
    int stop_fd;
};

void lane_run(const struct lane *lane);

#endif
