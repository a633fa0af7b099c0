/* Sampling the load of the box, in a thread of its own: neither a long compaction nor a database
 * that is away keeps it from its beat.  It also says in the database that the keeper runs and that
 * it stopped. */
#ifndef AZEKURA_KEEPER_LOAD_H
#define AZEKURA_KEEPER_LOAD_H

#include "config/config.h"
#include "keeper/load_sample.h"

struct load;

/* Begin; `config` is borrowed until load_join(). */
struct load *load_start(const struct config *config, int stop_fd);
/* Wait for its end, which begins when stop_fd is readable. */
void load_join(struct load **pl);

/* What the rule found, for the samples from now on.  Any thread; told again at least every
 * LOAD_STORAGE_AGE_MAX_US, or it is no longer known. */
#define LOAD_STORAGE_AGE_MAX_US (300 * US_PER_SECOND)
void load_tell_storage(const struct load_storage *s);

/* ---- pure parts ---- */

#define LOAD_SLOTS_MAX 3
/* The five seconds that a sample taken at `tick_us` (whole beats of the wall clock) stands for,
 * when the one before was at `last_tick_us` (TIME_NONE: none) and `mono_us` went by: its own, and
 * up to two before it that were missed because the thread came late.  What is longer is a gap, and
 * so is what a step of the clock leaves out.  Returns how many, oldest first. */
int load_slots(int64_t last_tick_us, int64_t tick_us, int64_t mono_us, int64_t ret[LOAD_SLOTS_MAX]);

/* Samples that wait for the database; the oldest are given up. */
#define LOAD_WAITING_MAX 720 /* an hour */
struct load_waiting {
    size_t first, n;
    struct load_waiting_sample {
        int64_t at_us;
        float values[LOAD_METRICS];
    } samples[LOAD_WAITING_MAX];
};
void load_waiting_add(struct load_waiting *w, int64_t at_us, const float values[LOAD_METRICS]);
/* The oldest, NULL when there is none; valid until the next change. */
const struct load_waiting_sample *load_waiting_first(const struct load_waiting *w);
void load_waiting_drop(struct load_waiting *w);

#endif
