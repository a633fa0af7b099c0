/* Units of a killed run, made again from their pages in the ledger and their journal. */
#ifndef AZEKURA_RECEIVER_REPLAY_H
#define AZEKURA_RECEIVER_REPLAY_H

#include "receiver/shared.h"

/* Parse the messages of w's journal into blocks, as they were, and make its page agree with them.
 * The blocks have builders, to be packed; they are none of builders_begin_unit(), so one unit at a
 * time.  A packer. */
void replay_unit(struct shared *s, struct work *w);

/* Main thread, before the others run: the sequence number of the last message of a recovered unit
 * may not have been taken when the run before was killed. */
void replay_last_number(struct shared *s, const struct work *w);

#endif
