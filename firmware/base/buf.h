/* A growable byte buffer, born with its maximum.  Zero-initialised with a maximum it is ready:
 *     struct buf b = BUF_INIT(LIMIT);  … buf_free(&b);
 * A failed append leaves the contents as they were and sets `is_full`, so that a run of appends may
 * be checked once at its end. */
#ifndef AZEKURA_BUF_H
#define AZEKURA_BUF_H

#include "base/base.h"
#include "base/view.h"

struct buf {
    char *p;
    size_t n;   /* bytes used */
    size_t cap; /* bytes allocated */
    size_t max; /* bytes, never exceeded */
    bool is_full;
};

#define BUF_INIT(max_bytes) ((struct buf){.max = (max_bytes)})

void buf_free(struct buf *b);
/* Empty, keeping the memory. */
void buf_clear(struct buf *b);
/* Room for n more bytes: 0, or -ENOSPC over the maximum. */
int buf_reserve(struct buf *b, size_t n);
int buf_add(struct buf *b, const void *p, size_t n);
int buf_add_view(struct buf *b, struct view v);
int buf_add_str(struct buf *b, const char *s);
int buf_add_char(struct buf *b, char c);
int buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
/* The contents NUL-terminated (the NUL is not counted in n); valid until the next append.
 * CHECKs that a byte could be reserved. */
const char *buf_str(struct buf *b);

static inline struct view buf_view(const struct buf *b)
{
    return (struct view){b->p ? b->p : "", b->n};
}

#endif
