/* The lines loggen prints; bandwidths are in kB of 1,024 bytes. */
#include "bench/load/loggen.h"

#include <math.h>

void loggen_summary(enum loggen_form form, double seconds, int64_t messages, int64_t bytes,
                    double deviation_percent, char ret[LOGGEN_LINE_MAX])
{
    double rate = seconds > 0 ? (double)messages / seconds : 0;
    double kib = seconds > 0 ? (double)bytes / 1024 / seconds : 0;
    if (messages == 0) {
        snprintf(ret, LOGGEN_LINE_MAX, "Total runtime = %g, count = %lld", seconds,
                 (long long)messages);
        return;
    }
    long long size = (long long)(bytes / messages);
    if (form == LOGGEN_AXO)
        snprintf(ret, LOGGEN_LINE_MAX,
                 "avg_rate=%.2f msg/s, stdev_rate=%.2f%%, count=%lld, time=%g, avg_msg_size=%lld, "
                 "bandwidth=%.2f KiB/s",
                 rate, deviation_percent, (long long)messages, seconds, size, kib);
    else
        snprintf(ret, LOGGEN_LINE_MAX,
                 "average rate = %.2f msg/sec, count=%lld, time=%g, (average) msg size=%lld, "
                 "bandwidth=%.2f kB/sec",
                 rate, (long long)messages, seconds, size, kib);
}

void loggen_progress(enum loggen_form form, int64_t messages, double rate, double average,
                     char ret[LOGGEN_LINE_MAX])
{
    if (form == LOGGEN_AXO)
        snprintf(ret, LOGGEN_LINE_MAX, "count=%lld, rate=%.2f msg/s, avg_rate=%.2f msg/s",
                 (long long)messages, rate, average);
    else
        snprintf(ret, LOGGEN_LINE_MAX, "count=%lld, rate = %.2f msg/sec", (long long)messages,
                 rate);
}

void loggen_csv(int64_t connection, int64_t since_start_us, double rate, int64_t messages,
                char ret[LOGGEN_LINE_MAX])
{
    snprintf(ret, LOGGEN_LINE_MAX, "%lld;%lld.%06lld;%.2f;%lld", (long long)connection,
             (long long)(since_start_us / 1000000), (long long)(since_start_us % 1000000), rate,
             (long long)messages);
}

double loggen_clock(double seconds)
{
    return ceil(seconds * 2) / 2;
}
