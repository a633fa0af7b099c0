/* Where a run is: status.json once a second, and a line on a terminal with the time left. */
#ifndef AZEKURA_BENCH_PROGRESS_H
#define AZEKURA_BENCH_PROGRESS_H

#include "bench/run/plan.h"
#include "bench/run/run_folder.h"

struct progress {
    struct run_folder *folder; /* borrowed */
    const char *profile;
    bool is_quiet, is_terminal;
    char step_en[256], step_ja[400];
    int steps, step_number, trial;
    double total_s, done_s;     /* expected of the whole run; of the steps that are over */
    double step_s, step_done_s; /* of the step in hand */
    int64_t step_begin_us;
    int64_t written_us; /* status.json last, monotonic */
};

void progress_init(struct progress *p, struct run_folder *folder, const char *profile,
                   bool is_quiet);
/* A step begins, expected to take so long. */
void progress_step(struct progress *p, int number, double seconds, const char *en, const char *ja);
/* The step in hand is expected to take so long in all from now on. */
void progress_expect(struct progress *p, double seconds);
/* What is done in the step; NULL: nothing to add. */
void progress_phase(struct progress *p, const char *en, const char *ja);
/* A second of a trial went by. */
void progress_second(struct progress *p, const struct trial_second *s);
/* A line that stays. */
void progress_print(struct progress *p, const char *fmt, ...) PRINTF(2, 3);
/* status.json now; `state` as in report.md. */
void progress_state(struct progress *p, const char *state, const char *reason);
double progress_left_s(const struct progress *p);
/* What stands on the terminal meanwhile, at most `width` columns: `what` is cut, not the time left.
 */
void progress_line(const struct progress *p, const char *what, int width, char *ret, size_t n);

#endif
