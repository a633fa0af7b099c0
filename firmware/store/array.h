/* PostgreSQL's array literals ("{1,"a b",NULL}"), written element by element into a buffer that is
 * empty at first.  A full buffer stays full and is seen once at the end (buf.is_full). */
#ifndef AZEKURA_STORE_ARRAY_H
#define AZEKURA_STORE_ARRAY_H

#include "base/buf.h"

/* Quoted and escaped; NULL is SQL null. */
void array_add_text(struct buf *b, const char *text);
void array_add_int(struct buf *b, int64_t n);
/* Shortest text that gives the float4 back; NaN is SQL null. */
void array_add_real(struct buf *b, double n);
/* After the last element, also when there was none. */
void array_end(struct buf *b);

#endif
