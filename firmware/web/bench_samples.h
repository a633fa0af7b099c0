/* samples.csv of a run as rows with names, from any place on: what a live graph asks for again and
 * again costs as much as is new, however long the run is. */
#ifndef AZEKURA_WEB_BENCH_SAMPLES_H
#define AZEKURA_WEB_BENCH_SAMPLES_H

#include "base/err.h"
#include "web/json.h"

/* {"rows":[{"trial":1,…}],"next":N} of whole lines after `after` (0, or a `next` of before), at
 * most `limit`; nothing more: no rows, and the same `next`.  A value that is no number is null.
 * `fd` < 0: there is no file yet.  0, or negative and *err. */
MUST_USE int bench_samples_add(struct json *j, int fd, int64_t after, int limit, struct err *err);

#endif
