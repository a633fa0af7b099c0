/* A daemon's log: one line a thing on stderr, "2026-03-10T12:00:00.000000Z warning: …".  Any
 * thread; a line is one write, so lines never mix. */
#ifndef AZEKURA_CONFIG_LOG_H
#define AZEKURA_CONFIG_LOG_H

#include "base/clock.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR };

void log_line(enum log_level level, const char *fmt, ...) PRINTF(2, 3);

/* For what a peer can cause as often as it likes: at most one line a minute, which says how many
 * times it happened since the line before.  Zero-initialised; used by one thread. */
struct log_limit {
    int64_t next_mono_us;
    uint64_t times; /* since the last line, this one included */
};
/* Count one more; true when a line is due, with the number in *ret_times. */
bool log_limit_due(struct log_limit *l, int64_t now_mono_us, uint64_t *ret_times);

#endif
