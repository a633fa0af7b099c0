/* Borrowed runs of bytes. */
#include "base/view.h"

#include <strings.h>

bool view_eq_nocase(struct view a, struct view b)
{
    return a.n == b.n && (a.p == NULL) == (b.p == NULL) &&
           (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}

bool view_starts_with(struct view v, struct view prefix)
{
    return v.n >= prefix.n && (prefix.n == 0 || memcmp(v.p, prefix.p, prefix.n) == 0);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct view view_trim(struct view v)
{
    while (v.n > 0 && is_blank(v.p[0])) {
        v.p++;
        v.n--;
    }
    while (v.n > 0 && is_blank(v.p[v.n - 1]))
        v.n--;
    return v;
}

int view_u64(struct view v, uint64_t max, uint64_t *ret)
{
    uint64_t value = 0;
    bool is_over = false;
    if (v.n == 0)
        return -EINVAL;
    for (size_t i = 0; i < v.n; i++) {
        if (v.p[i] < '0' || v.p[i] > '9')
            return -EINVAL;
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(v.p[i] - '0'), &value))
            is_over = true;
    }
    if (is_over || value > max)
        return -ERANGE;
    *ret = value;
    return 0;
}
