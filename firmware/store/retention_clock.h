/* Is the clock right?  A clock set wrong by mistake must not delete what it makes look old.
 *
 * The clock is compared with what it should show: what it showed at the last look, and the time
 * that has gone by since on the monotonic clock (sleep included), as long as the box was not
 * started anew; over a start only the order of magnitude is known.  A jump that nothing explains
 * makes it doubted; while it is, the reference runs on with the monotonic clock alone.  That ends
 * when the clock is back in step, or when somebody says that it is right (azekura.confirm_clock()).
 */
#ifndef AZEKURA_STORE_RETENTION_CLOCK_H
#define AZEKURA_STORE_RETENTION_CLOCK_H

#include "base/clock.h"
#include "store/connection.h"

#define BOOT_ID_MAX 64

struct clock_reading {
    int64_t wall_us;
    int64_t boot_us;           /* since the box was started, sleep included */
    char boot_id[BOOT_ID_MAX]; /* "": of a reference that was confirmed */
};
/* 0, or negative and *err. */
MUST_USE int clock_read(struct clock_reading *ret, struct err *err);

struct clock_reference {
    struct clock_reading last; /* wall_us: what the clock showed, or, doubted, should have shown */
    int64_t doubted_since_us;  /* TIME_NONE: trusted */
    int64_t from_us, to_us;    /* of the jump */
    int64_t low_us, high_us;   /* what it has shown while doubted */
    int64_t boot_us; /* by the old clock, when the box was started, if it jumped within one run;
                        else TIME_NONE */
};

enum clock_change { CLOCK_SAME, CLOCK_DOUBTED, CLOCK_BACK_IN_STEP };
/* Pure: bring the reference up to a reading.  After CLOCK_BACK_IN_STEP low_us…high_us are what was
 * stamped wrong. */
enum clock_change clock_judge(struct clock_reference *ref, const struct clock_reading *now);

/* 1, 0 when the keeper has never looked, or negative. */
MUST_USE int clock_reference_read(PGconn *c, struct clock_reference *ret, struct err *err);
/* `is_going_on`: the clock was doubted before; then a confirmation given meanwhile is left alone.
 */
MUST_USE int clock_reference_write(PGconn *c, const struct clock_reference *ref, bool is_going_on,
                                   struct err *err);

/* Whether the clock is doubted right now: by the keeper's reference, and by a jump since its last
 * look.  Whoever forgets by age asks this first.  1, 0, or negative and *err. */
MUST_USE int clock_is_doubted(PGconn *c, struct err *err);

/* Ages of what was stamped in [from, to] count from `day_us` on (azekura.misdated). */
MUST_USE int clock_note_misdated(PGconn *c, int64_t from_us, int64_t to_us, int64_t day_us,
                                 struct err *err);

#endif
