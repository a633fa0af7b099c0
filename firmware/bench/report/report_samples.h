/* samples.csv read back: one row a second and trial.  What it counts in totals becomes a rate. */
#ifndef AZEKURA_BENCH_REPORT_SAMPLES_H
#define AZEKURA_BENCH_REPORT_SAMPLES_H

#include "base/err.h"
#include "base/view.h"

#define SAMPLES_MAX_BYTES (256u << 20) /* of the file */
#define SAMPLES_MAX 700000             /* rows: eight days of seconds; the rest is passed by */

enum samples_column {
    SAMPLES_OFFERED, /* messages/s, from totals … */
    SAMPLES_SENT,
    SAMPLES_STORED,
    SAMPLES_DROPPED,
    SAMPLES_REFUSED, /* … to here */
    SAMPLES_QUEUED,
    SAMPLES_P50_US,
    SAMPLES_P99_US,
    SAMPLES_LOAD1,
    SAMPLES_LOAD5,
    SAMPLES_LOAD15,
    SAMPLES_CPU_SYSLOG, /* % of one core … */
    SAMPLES_CPU_DATABASE,
    SAMPLES_CPU_GENERATOR,
    SAMPLES_CPU_HOST,
    SAMPLES_CPU_FOREIGN,
    SAMPLES_CPU_STEAL,
    SAMPLES_MEMORY_SYSLOG, /* bytes */
    SAMPLES_MEMORY_DATABASE,
    SAMPLES_DISK_WRITE, /* bytes/s */
    SAMPLES_COLUMNS,
};

struct samples_row {
    int trial;
    float at_s;
    float v[SAMPLES_COLUMNS]; /* NAN: not known */
};

struct samples {
    struct samples_row *rows; /* in the file's order */
    size_t n;
    size_t left_out; /* rows beyond SAMPLES_MAX */
};

/* Of the file's text; columns are found by their name, those that are missing are NAN.  0, or
 * -EINVAL and *err naming the line. */
MUST_USE int samples_parse(struct view text, struct samples *ret, struct err *err);
/* Of the file; one that is not there gives no rows and no error. */
MUST_USE int samples_read(const char *path, struct samples *ret, struct err *err);
void samples_free(struct samples *s);
/* The known values of a column in the rows [from, to), in `ret` (room for each); how many. */
size_t samples_values(const struct samples *s, size_t from, size_t to, enum samples_column column,
                      double *ret);
/* Where the rows that belong to the same trial as row `from` end. */
size_t samples_end(const struct samples *s, size_t from);

#endif
