/* Between the readers of pairs alone. */
#ifndef AZEKURA_QUERY_PAIRS_INTERNAL_H
#define AZEKURA_QUERY_PAIRS_INTERNAL_H

#include "base/limits.h"
#include "query/pairs.h"

/* Where pairs go.  Unescaped values are written one after another into the scratch; each byte of
 * the text becomes at most one of them. */
struct pairs_sink {
    pair_fn fn; /* NULL: only whether there are any */
    void *context;
    char *scratch;
    size_t used;
    unsigned given;
};

/* Hand a pair out; false: stop.  A longer name is cut to PAIRS_NAME_MAX bytes. */
bool pairs_give(struct pairs_sink *s, struct pair p);
/* Begin and end a value in the scratch. */
static inline char *pairs_scratch(struct pairs_sink *s)
{
    return s->scratch + s->used;
}
static inline struct view pairs_take(struct pairs_sink *s, size_t n)
{
    struct view v = view_of(s->scratch + s->used, n);
    s->used += n;
    return v;
}

/* Each reads from its form's start to the end of the text; false: stopped by the sink. */
bool pairs_kv(struct pairs_sink *s, struct view text);
bool pairs_sd(struct pairs_sink *s, struct view text);
bool pairs_cef(struct pairs_sink *s, struct view text);
bool pairs_leef(struct pairs_sink *s, struct view text);
bool pairs_json(struct pairs_sink *s, struct view text);
/* The extension of CEF, and of LEEF whose tabs have become blanks: a value ends before the blank
 * before the next key. */
bool pairs_cef_extension(struct pairs_sink *s, struct view text, bool has_escapes);

static inline bool pairs_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline size_t pairs_skip_blanks(struct view v, size_t at)
{
    while (at < v.n && pairs_is_blank(v.p[at]))
        at++;
    return at;
}

static inline struct view pairs_between(struct view v, size_t from, size_t to)
{
    return view_of(v.p + from, to - from);
}

/* Offset of `c` at or after `at`, or v.n. */
static inline size_t pairs_find(struct view v, size_t at, char c)
{
    const char *p = at < v.n ? memchr(v.p + at, c, v.n - at) : NULL;
    return p ? (size_t)(p - v.p) : v.n;
}

#endif
