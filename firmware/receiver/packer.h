/* The packer thread: compresses closed blocks, so that what waits for the database is small, and
 * holds them back when store.queue_bytes is used up. */
#ifndef AZEKURA_RECEIVER_PACKER_H
#define AZEKURA_RECEIVER_PACKER_H

#include "receiver/shared.h"

/* Runs until the pack queue has ended, then ends the write queue.  For pthread_create. */
void *packer_run(void *shared);

#endif
