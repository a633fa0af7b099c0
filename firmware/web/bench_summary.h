/* One entry of the history of benchmark runs: a small JSON object, made at the start, and at the
 * end out of the report, so that a list never reads reports.
 *
 *   {"id","profile","title","target","state","verdict","answer","reason","started_at","ended_at",
 *    "version","actor"} */
#ifndef AZEKURA_WEB_BENCH_SUMMARY_H
#define AZEKURA_WEB_BENCH_SUMMARY_H

#include "web/bench_folder.h"

#define BENCH_SUMMARY "summary.json"

/* Of a run that begins now, by `actor`; `title`: {"en","ja"} of the profile, borrowed.  The
 * caller's. */
MUST_USE cJSON *bench_summary_begin(const char *id, const char *profile, const cJSON *title,
                                    const char *target, const char *actor);
/* The entry of a run.  `is_running`: its process lives; then what was said at its start.  Else
 * ID/summary.json, made of the report and written where it is not there.  `dir` -1: it never made
 * its folder.  The caller's; never NULL. */
MUST_USE cJSON *bench_summary_of(int root, int dir, const char *id, bool is_running);
/* Write what bench_summary_begin() made as the run's mark. */
MUST_USE int bench_summary_write(int marks, const char *id, const cJSON *summary, struct err *err);
/* A text member, "" when it is none. */
const char *bench_summary_text(const cJSON *summary, const char *name);

#endif
