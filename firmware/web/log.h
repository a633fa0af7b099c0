/* The daemon's log: one line a thing on stderr, "2026-03-10T12:00:00.000000Z warning: …", which
 * journald or the supervisor keeps.  Any thread; a line is one write.  What peers can cause as
 * often as they like is counted on /metrics in place of being logged. */
#ifndef AZEKURA_WEB_LOG_H
#define AZEKURA_WEB_LOG_H

#include "base/base.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR };

void log_line(enum log_level level, const char *fmt, ...) PRINTF(2, 3);

#endif
