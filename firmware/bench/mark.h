/* The mark that makes every message of a benchmark one of its own: "seq=RUN-STREAM-NUMBER", RUN 16
 * lower-case hexadecimal digits, STREAM and NUMBER decimal, leading zeros allowed.  Found in any
 * bytes; pure. */
#ifndef AZEKURA_BENCH_MARK_H
#define AZEKURA_BENCH_MARK_H

#include "base/view.h"

/* Digits of STREAM and NUMBER: more are damage, and end what could be a mark. */
#define MARK_STREAM_DIGITS 10
#define MARK_NUMBER_DIGITS 20
/* "seq=", RUN, "-", STREAM, "-", NUMBER */
#define MARK_MAX_BYTES (4 + 16 + 1 + MARK_STREAM_DIGITS + 1 + MARK_NUMBER_DIGITS)

struct mark {
    uint64_t run;
    uint64_t stream, number; /* number: UINT64_MAX above that */
    size_t at, end;          /* where it lies in the text */
};

/* The first mark of `text` that begins at `from` or later.  Without one false, and ret->at is where
 * one may begin that the end of the text cuts off; text.n when none does.  A mark that the end of
 * the text touches counts as whole: whether more digits follow, the caller knows. */
bool mark_next(struct view text, size_t from, struct mark *ret);

#endif
