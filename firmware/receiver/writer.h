/* The writer thread: writes units to the database in their order, each until it is confirmed;
 * reports the live equation every second; listens for changed settings. */
#ifndef AZEKURA_RECEIVER_WRITER_H
#define AZEKURA_RECEIVER_WRITER_H

#include "receiver/shared.h"
#include "receiver/state.h"

struct writer_start {
    struct shared *shared;
    const struct state *state;
    const struct config *file; /* settings as the configuration file says */
};

/* Runs until the write queue has ended and all of it is confirmed, or give_up_mono_us has passed.
 * For pthread_create; the argument must outlive the thread. */
void *writer_run(void *writer_start);

#endif
