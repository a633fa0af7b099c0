/* The 20 % rule carried out: looks, decides by store/rule.h, does it, and tells. */
#ifndef AZEKURA_KEEPER_ENFORCE_H
#define AZEKURA_KEEPER_ENFORCE_H

#include "config/config.h"
#include "store/retention_act.h"
#include "store/retention_clock.h"

/* Zero-initialised.  What was seen at the last whole look decides when the next one is due. */
struct enforcer {
    bool has_clock, has_status, is_told;
    struct clock_reference clock;
    int64_t clock_kept_boot_us; /* when it was last written down */
    struct retention_status status, kept_status;
    int64_t fitted_boot_us; /* the write-ahead log's limit was looked at */
    int64_t looked_boot_us; /* the last whole look; then: */
    int64_t pieces_bytes, wal_bytes, headroom_bytes;
    struct enforce_growth {
        int64_t base_bytes, base_boot_us; /* measured last */
        int64_t bytes_s;                  /* of late */
    } logs, benchmark;
    bool is_unsettled;                 /* something could not be done: look again */
    int64_t pause_us, paused_until_us; /* since boot: somebody is in the way of splits and drops */
    int64_t unsplit_until_us[SOURCE_GROUPS_MAX]; /* since boot: its piece cannot be split */
    struct arena arena;                          /* of one whole look */
};

/* One look as of `now`: cheap, unless so much was written, or so much time has gone by, that the
 * rule may have something to say.  Returns microseconds until it wants to be called again, or
 * negative and *err (what was done until then is done). */
MUST_USE int64_t enforce_step(struct enforcer *e, PGconn *c, const struct config *config,
                              const struct clock_reading *now, struct err *err);
/* Settings, groups or something else that is no bytes has changed: look whole at the next step. */
void enforce_tell(struct enforcer *e);
void enforce_done(struct enforcer *e);

#endif
