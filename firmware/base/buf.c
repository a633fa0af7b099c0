/* Growable bytes with a maximum.  Grows by doubling. */
#include "base/buf.h"

#include <stdarg.h>

void buf_free(struct buf *b)
{
    free(b->p);
    b->p = NULL;
    b->n = b->cap = 0;
    b->is_full = false;
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->is_full = false;
}

int buf_reserve(struct buf *b, size_t n)
{
    if (LIKELY(n <= b->cap - b->n))
        return 0;
    if (n > b->max - b->n) {
        b->is_full = true;
        return -ENOSPC;
    }
    size_t cap = MAX(b->n + n, b->cap > SIZE_MAX / 2 ? SIZE_MAX : b->cap * 2);
    cap = MIN(MAX(cap, (size_t)64), b->max);
    b->p = xrealloc(b->p, cap, 1);
    b->cap = cap;
    return 0;
}

int buf_add(struct buf *b, const void *p, size_t n)
{
    int r = buf_reserve(b, n);
    if (r < 0)
        return r;
    if (n > 0)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

int buf_add_view(struct buf *b, struct view v)
{
    return buf_add(b, v.p, v.n);
}

int buf_add_str(struct buf *b, const char *s)
{
    return buf_add(b, s, strlen(s));
}

int buf_add_char(struct buf *b, char c)
{
    return buf_add(b, &c, 1);
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    CHECK(n >= 0);
    char small[256];
    char *text = (size_t)n < sizeof(small) ? small : xmalloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    int r = buf_add(b, text, (size_t)n);
    if (text != small)
        free(text);
    return r;
}

const char *buf_str(struct buf *b)
{
    if (b->n == b->cap) {
        b->p = xrealloc(b->p, b->n + 1, 1);
        b->cap = b->n + 1;
    }
    b->p[b->n] = '\0';
    return b->p;
}
