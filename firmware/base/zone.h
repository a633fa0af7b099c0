/* Time zones by IANA name, several at once (libc knows one a process).  Reads the TZif files of
 * Debian's tzdata (RFC 8536) once; a loaded zone is constant and may be shared between threads. */
#ifndef AZEKURA_ZONE_H
#define AZEKURA_ZONE_H

#include "base/clock.h"
#include "base/err.h"

struct zone;

/* Load "Asia/Tokyo" from /usr/share/zoneinfo (or ZONEINFO_DIR in tests).  Names with "..", a
 * leading
 * "/" or bytes outside [A-Za-z0-9_+/-] are refused.  0, or negative and *err. */
MUST_USE int zone_load(const char *name, struct zone **ret, struct err *err);
void zone_free(struct zone **z);
const char *zone_name(const struct zone *z);

/* Seconds east of UTC in force at an instant. */
int32_t zone_offset(const struct zone *z, int64_t us);
/* The instant of a civil time in the zone.  In the repeated hour: the later offset's answer when
 * `prefer_later`, else the earlier instant; in the skipped hour: as if the old offset still ran. */
int64_t zone_to_us(const struct zone *z, const struct civil *c, bool prefer_later);
/* The same, but of the two instants of a repeated hour the one nearer to `near_us`. */
int64_t zone_to_us_near(const struct zone *z, const struct civil *c, int64_t near_us);

#endif
