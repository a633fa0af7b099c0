/* Times as people write them on a command line, and as they read them. */
#ifndef AZEKURA_CLI_WHEN_H
#define AZEKURA_CLI_WHEN_H

#include "base/clock.h"
#include "base/err.h"
#include "base/view.h"
#include "base/zone.h"

/* "now", "-90s", "-15m", "-1h", "-7d", "-2w" (before now), RFC 3339, and in the zone of the box
 * "2026-03-10", "2026-03-10 12:00", "2026-03-10 12:00:05.25" (or T between).  0, or -EINVAL and
 * *err. */
MUST_USE int when_parse(struct view text, int64_t now_us, const struct zone *zone, int64_t *ret_us,
                        struct err *err);

#define WHEN_MAX 48
/* "2026-03-10 21:00:00.123456+09:00" */
void when_format(int64_t us, const struct zone *zone, char out[WHEN_MAX]);
/* "12 s", "3 min", "5 h", "9 days" */
void when_format_age(int64_t us, char out[WHEN_MAX]);

#endif
