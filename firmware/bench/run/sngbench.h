/* sngbench's input.txt: a line a test, "CONFIGURATION,LOGGEN'S ARGUMENTS[,LOGGEN'S ARGUMENTS…]";
 * several run side by side.  Empty lines and those that begin with '#' are passed by. */
#ifndef AZEKURA_BENCH_SNGBENCH_H
#define AZEKURA_BENCH_SNGBENCH_H

#include "bench/run/profile.h"

/* Put the tests of the file `path` in place of those of *p.  The configurations czp_maxperf and
 * czp_distro are the targets syslog-ng:maxperf and syslog-ng:distro; the lines of a configuration
 * are for its target, and for every target that is not named in the file.  -EINVAL naming line and
 * argument. */
MUST_USE int sngbench_read(const char *path, struct profile *p, struct err *err);
/* The same from text, `file` for messages. */
MUST_USE int sngbench_parse(const char *file, const char *text, struct profile *p, struct err *err);
/* "-I 10 -i --active-connections=3" as results.csv names it: "I_10_i_activeconnections_3". */
void sngbench_params(struct view arguments, char *ret, size_t n);

#endif
