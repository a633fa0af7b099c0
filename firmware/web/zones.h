/* The time zones that the console offers. */
#ifndef AZEKURA_WEB_ZONES_H
#define AZEKURA_WEB_ZONES_H

#include "base/err.h"
#include "web/json.h"

/* IANA names, sorted, as texts of an open list: UTC, and those of tzdata's zone.tab, one a country
 * and region; names that are kept for old times' sake are not offered, though they can be set.  0,
 * or -EIO and *err. */
MUST_USE int zones_add(struct json *j, struct err *err);

#endif
