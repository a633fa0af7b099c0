/* A borrowed run of bytes, not NUL-terminated.  `p == NULL` means "no value" (SQL null), which is
 * different from an empty one. */
#ifndef AZEKURA_VIEW_H
#define AZEKURA_VIEW_H

#include "base/base.h"

struct view {
    const char *p;
    size_t n;
};

#define VIEW_NULL ((struct view){NULL, 0})
/* A view of a string literal. */
#define VIEW(literal) ((struct view){"" literal, sizeof(literal) - 1})
/* printf("%.*s", VIEW_ARG(v)) */
#define VIEW_ARG(v) (int)(v).n, (v).p ? (v).p : ""

static inline struct view view_of(const char *p, size_t n)
{
    return (struct view){p, n};
}

/* The bytes of a C string, or VIEW_NULL for NULL. */
static inline struct view view_str(const char *s)
{
    return s ? (struct view){s, strlen(s)} : VIEW_NULL;
}

static inline bool view_is_null(struct view v)
{
    return v.p == NULL;
}

/* Equal bytes; null equals only null. */
static inline bool view_eq(struct view a, struct view b)
{
    return a.n == b.n && (a.p == NULL) == (b.p == NULL) && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Equal when ASCII letters are folded. */
bool view_eq_nocase(struct view a, struct view b);
bool view_starts_with(struct view v, struct view prefix);
/* Without blanks, tabs, CR and LF at both ends. */
struct view view_trim(struct view v);
/* Decimal digits only, the whole view, no sign, no blanks.  0 and *ret, -EINVAL for anything else,
 * -ERANGE above `max`. */
MUST_USE int view_u64(struct view v, uint64_t max, uint64_t *ret);

#endif
