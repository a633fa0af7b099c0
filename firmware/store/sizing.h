/* The arithmetic of "which storage do I need?".  Pure; the formula is firmware/store/README.md's
 * section Sizing.
 *
 *   day     = rate × 86,400 × stored bytes a message
 *   month   = day × 30.44
 *   storage = max(month / share, keep_days × day / high water)
 */
#ifndef AZEKURA_STORE_SIZING_H
#define AZEKURA_STORE_SIZING_H

#include "base/err.h"

struct sizing_input {
    double rate;               /* messages a second, mean over the day */
    double message_bytes;      /* as received, mean */
    double stored_bytes;       /* in the store a message; 0: message_bytes × SIZING_RATIO */
    double keep_days;          /* wanted; 0: not asked for */
    double storage_bytes;      /* there; 0: to be found */
    double share_percent;      /* of a month, 20 */
    double high_water_percent; /* 80 */
};

/* Stored bytes a byte received, for somebody who has no box yet: measured with messages of real
 * devices (README). */
#define SIZING_RATIO 0.25

struct sizing {
    double day_bytes, month_bytes;
    double storage_needed_bytes; /* for keep_days and for a month within its share; the larger */
    double history_days;         /* that fit into storage_bytes; 0 without storage */
    double month_share_percent;  /* of storage_bytes that a month takes; 0 without storage */
};

/* The most of each figure. */
#define SIZING_RATE_MAX 1e7 /* messages a second: ten of the fastest boxes */
#define SIZING_BYTES_MAX 1048576.0
#define SIZING_DAYS_MAX 36600.0    /* as retention.keep_days */
#define SIZING_STORAGE_MAX 1e18    /* an exabyte */
#define SIZING_SHARE_MAX 90.0      /* as retention.month_share_percent, from 1 */
#define SIZING_HIGH_WATER_MAX 95.0 /* as storage.high_water_percent, from 30 */

/* 0, or -EINVAL and *err with the first figure that cannot be, its limits, and the field "rate",
 * "bytes", "stored_bytes", "days", "storage", "share" or "high_water". */
MUST_USE int sizing_check(const struct sizing_input *in, struct err *err);
/* The input must be one that sizing_check() accepts. */
void sizing_compute(const struct sizing_input *in, struct sizing *ret);

#endif
