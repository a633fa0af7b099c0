/* Which messages of a run came back: a set of (stream, number) that names every loss, duplicate and
 * reordering.  It is fed with text, so the same code reads a store's export, a flat file or a
 * datagram.  Memory: one bit a number and stream, plus what repeats. */
#ifndef AZEKURA_BENCH_TALLY_H
#define AZEKURA_BENCH_TALLY_H

#include "base/view.h"

#define TALLY_STREAMS_MAX 65536u
#define TALLY_NUMBERS_MAX (INT64_C(1) << 33) /* a stream: 1 GiB of bits */

struct tally;

struct tally_range {
    uint32_t stream;
    int64_t from, to; /* numbers, both included */
};

struct tally_result {
    int64_t streams;
    int64_t found;      /* distinct numbers, of this run */
    int64_t missing;    /* numbers that were sent (tally_expect) and never found */
    int64_t duplicated; /* findings beyond the first of a number */
    int64_t unexpected; /* numbers found that were never sent: damage */
    int64_t reordered;  /* numbers found after a greater one of their stream */
    int64_t foreign;    /* marks of other runs */
    int64_t most_behind; /* greatest distance of a reordered one */
};

/* Of one run; the mark in a message is "seq=RUN-STREAM-NUMBER", RUN 16 hexadecimal digits. */
struct tally *tally_new(uint64_t run);
void tally_free(struct tally **pt);
/* Every mark in `text` (any bytes; several messages; a mark is not split over two calls). */
void tally_text(struct tally *t, struct view text);
/* One mark, where the caller has it in numbers.  0, -ERANGE beyond the limits (counted unexpected). */
int tally_add(struct tally *t, uint32_t stream, int64_t number);
/* The stream sent the numbers 0…n-1. */
int tally_expect(struct tally *t, uint32_t stream, int64_t n);
void tally_result(const struct tally *t, struct tally_result *ret);
/* The first `max` ranges of missing numbers, by stream and number; returns how many were written. */
size_t tally_missing(const struct tally *t, struct tally_range *ret, size_t max);
/* The same of numbers found more than once. */
size_t tally_duplicated(const struct tally *t, struct tally_range *ret, size_t max);

#endif
