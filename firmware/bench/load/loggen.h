/* loggen's output, to the letter: its users' scripts read it.  Two forms are in the field:
 * syslog-ng's and, since its version 4.12, AxoSyslog's. */
#ifndef AZEKURA_BENCH_LOGGEN_H
#define AZEKURA_BENCH_LOGGEN_H

#include "base/base.h"

#define LOGGEN_MESSAGE_MAX 8192 /* bytes of a message of loggen, its octet count included */
#define LOGGEN_LINE_MAX 256
#define LOGGEN_CSV_HEADER "ThreadId;Time;Rate;Count"

enum loggen_form { LOGGEN_SYSLOG_NG, LOGGEN_AXO };

/* The last line, without line feed; *deviations: of AxoSyslog's form, in % of the rate. */
void loggen_summary(enum loggen_form form, double seconds, int64_t messages, int64_t bytes,
                    double deviation_percent, char ret[LOGGEN_LINE_MAX]);
/* The line twice a second. */
void loggen_progress(enum loggen_form form, int64_t messages, double rate, double average,
                     char ret[LOGGEN_LINE_MAX]);
/* A row of --csv. */
void loggen_csv(int64_t connection, int64_t since_start_us, double rate, int64_t messages,
                char ret[LOGGEN_LINE_MAX]);
/* A duration as loggen's clock shows it: it looks every half second. */
double loggen_clock(double seconds);

#endif
