/* Points at which a test kills the process that writes: AZEKURA_FAULT=POINT[:N] in the environment
 * is kill -9 when that point is reached for the N-th time (1 without a number).  Compiled only with
 * the tests (AZEKURA_TESTS); the points are listed where the crash story of a format is told. */
#ifndef AZEKURA_STORE_FAULT_H
#define AZEKURA_STORE_FAULT_H

#ifdef AZEKURA_FAULTS
void fault_at(const char *point);
/* What the environment would have said, for a test in the same process: before other threads. */
void fault_set(const char *wish);
#define FAULT(point) fault_at(point)
#else
#define FAULT(point) ((void)0)
#endif

#endif
