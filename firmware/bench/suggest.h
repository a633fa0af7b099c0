/* "Did you mean …?": the nearest of some names. */
#ifndef AZEKURA_BENCH_SUGGEST_H
#define AZEKURA_BENCH_SUGGEST_H

#include "base/base.h"

/* Edits (a letter put in, taken out, changed, or two neighbours exchanged) from a to b; names
 * longer than 64 bytes are never near. */
size_t suggest_distance(const char *a, const char *b);
/* The nearest of `names`, or NULL when none is as near as a third of its length. */
const char *suggest_near(const char *wrong, const char *const *names, size_t n);

#endif
