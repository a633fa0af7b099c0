/* Two runs side by side: what is different, by how much, and whether that is more than noise.
 *
 * Rows are compared where both runs have the same load (transport, size, rate, connections, ports)
 * on the target of the same name, or on the first target of each.  The noise of a figure is
 *   1. of repetitions: 2 · the wider MAD of its runs, where both have two or more;
 *   2. else of seconds: 2 · the wider MAD of its samples ("noise" of the trial,
 * compare_add_noise());
 *   3. of a knee: the step of its search;
 *   4. where nothing tells: 5 %, by which a machine may drift within a valid run.
 * Losses and duplicates are counts, exact: without repetitions any difference counts. */
#ifndef AZEKURA_BENCH_COMPARE_H
#define AZEKURA_BENCH_COMPARE_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "bench/report/answer.h"
#include "bench/report/report_samples.h"

#define COMPARE_RUNGS_MAX 64
#define COMPARE_DRIFT 0.05

/* What a row of the comparison is about; ascending: what an answer speaks of first. */
enum compare_subject {
    COMPARE_KNEE,
    COMPARE_LOSSLESS, /* the highest rung of a ladder without loss */
    COMPARE_STORED,
    COMPARE_LOSS,
    COMPARE_CPU_MESSAGE,
    COMPARE_DELAY,
    COMPARE_BYTES,
    COMPARE_CPU,
};

struct compare_row {
    enum compare_subject subject;
    struct words name; /* valid for the call */
    const char *unit;
    double a, b;
    double noise; /* a smaller difference is none; NAN: unknown */
    bool is_greater_better;
};

/* Takes a row; those without both figures are not told. */
typedef void (*compare_row_fn)(void *context, const struct compare_row *row);
void compare_rows(const cJSON *a, const cJSON *b, compare_row_fn each, void *context);

/* Set "noise" of every trial from the samples of its run. */
void compare_add_noise(cJSON *report, const struct samples *samples);
/* The document of report_compare() for a terminal, and as a page of its own. */
void compare_text(const cJSON *comparison, struct buf *out);
void compare_html(const cJSON *comparison, struct buf *out);

#endif
