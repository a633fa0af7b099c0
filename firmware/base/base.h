/* What every file of the project may assume: the C library with its dangerous functions forbidden,
 * a few attributes, and CHECK() for invariants.  Nothing here logs or keeps state. */
#ifndef AZEKURA_BASE_H
#define AZEKURA_BASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* A broken invariant is a bug of ours: say where and stop, in release builds too.  Never for input.
 */
#define CHECK(cond)                                  \
    do {                                             \
        if (UNLIKELY(!(cond)))                       \
            check_failed(__FILE__, __LINE__, #cond); \
    } while (0)

_Noreturn void check_failed(const char *file, int line, const char *cond);

/* malloc and friends that never return NULL: memory of a daemon is bounded by its limits, and
 * without memory for them it cannot go on.  Sizes are multiplied with overflow checks. */
MUST_USE void *xmalloc(size_t n);
MUST_USE void *xcalloc(size_t n, size_t size);
MUST_USE void *xrealloc(void *p, size_t n, size_t size);
MUST_USE char *xstrdup(const char *s);
MUST_USE char *xasprintf(const char *fmt, ...) PRINTF(1, 2);

/* To be called first in main(): where a program was started with standard input, output or error
 * closed, their numbers are taken, so that no socket gets them and what is printed goes into it.
 * Writing to them fails, as it would have. */
void base_claim_standard_files(void);

#ifndef __cplusplus
#pragma GCC poison strcpy strcat sprintf vsprintf atoi atol strtok gets
#endif

#endif
