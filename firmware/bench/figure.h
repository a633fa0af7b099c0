/* Numbers for people, the same in every report: separators, units, no more digits than were
 * measured, and never rounded into something else: a loss is not 0 %, a reception with a loss is
 * not 100 %.  NAN is "–". */
#ifndef AZEKURA_BENCH_FIGURE_H
#define AZEKURA_BENCH_FIGURE_H

#include "base/base.h"

struct figure {
    char s[48];
};

struct figure figure_count(double n);                  /* "1,200,000" */
struct figure figure_rate(double messages_s);          /* "38,123"; below 10 with a decimal */
struct figure figure_decimals(double n, int decimals); /* "1,234.5" */
struct figure figure_short(double n);                  /* at the axis of a graph: "20 k", "1.5 M" */
struct figure figure_loss(double percent);             /* "0.4 %", "0.0003 %", "0 %" only for 0 */
/* Of `sent`, `lost` never came: "100 %", "99.9997 % (−216)". */
struct figure figure_reception(double sent, double lost);
struct figure figure_percent(double percent);     /* of one core: "31 %", "3.1 %" */
struct figure figure_bytes(double bytes);         /* decimal units: "12.3 GB" */
struct figure figure_duration(double seconds);    /* "60 s", "90 min", "1 h", "3 days" */
struct figure figure_duration_ja(double seconds); /* "60 秒", "1 時間" */
struct figure figure_ms(double us);               /* microseconds as "1.2 ms", "850 ms", "3.1 s" */
struct figure figure_ratio(double ratio);         /* "×1.23" */

#endif
