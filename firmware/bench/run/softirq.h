/* Whose the time of soft interrupts is.  Most of what the kernel does for a datagram on loopback it
 * does in a soft interrupt of the process that sends.  /proc/stat counts that apart; /proc/PID/stat
 * counts it as the process's own, but on a kernel that keeps time of interrupts by the clock
 * (CONFIG_IRQ_TIME_ACCOUNTING, which no file of /proc tells). */
#ifndef AZEKURA_BENCH_SOFTIRQ_H
#define AZEKURA_BENCH_SOFTIRQ_H

#include "base/base.h"

/* Whether a process's time is without its soft interrupts.  Found out at the first call, by sending
 * to itself for 1 to 50 ms; false where that cannot be done. */
bool softirq_is_apart(void);

#endif
