/* A run's results: report.json is the one document; everything else is rendered from it and from
 * samples.csv.  "report.md" has its shape, member by member. */
#ifndef AZEKURA_BENCH_REPORT_H
#define AZEKURA_BENCH_REPORT_H

#include <cjson/cJSON.h>

#include "base/err.h"

/* Fill verdict, answer, bottleneck and the knees' sentences from the trials. */
void report_conclude(cJSON *report);
/* Write report.json, results.csv (sngbench's format), results_ext.csv, report.html, report.txt into
 * `dir`, each by rename; reads dir/samples.csv for the graphs.  0, or negative and *err. */
MUST_USE int report_write(const char *dir, const cJSON *report, struct err *err);
/* Read dir/report.json (≤ 64 MiB, checked against schema_version); the caller frees it. */
MUST_USE int report_read(const char *dir, cJSON **ret, struct err *err);
/* Two reports side by side:
 * {"a":{…},"b":{…},"rows":[{"name","unit","a","b","ratio","is_noise","is_better"}],
 * "answer":{"en","ja"},"warnings":[…]}; the caller frees it. */
cJSON *report_compare(const cJSON *a, const cJSON *b);

int report_command(int argc, char **argv);  /* report DIR */
int compare_command(int argc, char **argv); /* compare A B [--json] */

#endif
