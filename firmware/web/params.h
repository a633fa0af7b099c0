/* The parameters of a request's query string, checked.  The first thing wrong is kept;
 * params_done() tells it, also a parameter that nobody asked for. */
#ifndef AZEKURA_WEB_PARAMS_H
#define AZEKURA_WEB_PARAMS_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

#define PARAMS_MAX 32

struct param {
    const char *name, *value; /* decoded, in the arena */
    bool is_used;
};

struct params {
    struct param list[PARAMS_MAX];
    size_t n;
    bool is_bad; /* `err` says why */
    struct err err;
};

/* Cut and decode "a=1&b=%20" (+ is a blank).  Names and values live in the arena. */
void params_parse(struct params *p, struct arena *a, const char *query_string);
/* Text of at most max bytes; `absent` when it is not there. */
const char *params_text(struct params *p, const char *name, size_t max, const char *absent);
int64_t params_int(struct params *p, const char *name, int64_t min, int64_t max, int64_t absent);
/* A decimal number like "12", "0.25" or "1e6". */
double params_real(struct params *p, const char *name, double min, double max, double absent);
/* RFC 3339 with zone, of the years 1970 to 9999: what can be written, computed with and asked of
 * the database without surprise. */
int64_t params_time(struct params *p, const char *name, int64_t absent);
/* The number of the word in "asc|desc"; `absent` < 0: it must be there. */
int params_choice(struct params *p, const char *name, const char *words, int absent);
/* from < to, where both are given. */
void params_check_range(struct params *p, int64_t from_us, int64_t to_us);
/* 0, or -EINVAL and *err: the first thing that was wrong. */
MUST_USE int params_done(struct params *p, struct err *err);

#endif
