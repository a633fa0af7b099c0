/* Which messages of a run came back: a set of (stream, number) that names every loss, duplicate and
 * reordering.  It is fed with text, so the same code reads a store's export, a flat file or a
 * datagram.  One thread.
 *
 * Memory: one bit a number, in pieces of 4,096 numbers that are made where a number was found, so
 * numbers far apart cost a piece each and not what lies between; and the same again for pieces in
 * which a number repeats.  Never more than TALLY_BYTES_MAX: what would need more is counted as
 * unexpected. */
#ifndef AZEKURA_BENCH_TALLY_H
#define AZEKURA_BENCH_TALLY_H

#include "base/view.h"

#define TALLY_STREAMS_MAX 65536u
#define TALLY_NUMBERS_MAX (INT64_C(1) << 33) /* a stream: 1 GiB of bits */
#define TALLY_BYTES_MAX (INT64_C(1) << 30)   /* of all pieces: 8,000 million numbers */

struct tally;

struct tally_range {
    uint32_t stream;
    int64_t from, to; /* numbers, both included */
};

/* Until something was told of what was sent (tally_expect, tally_expect_seen) all that is found was
 * sent; from then on a stream of which nothing was told sent nothing, and found + missing is what
 * was sent. */
struct tally_result {
    int64_t streams;
    int64_t found;       /* distinct numbers, of this run, that were sent */
    int64_t missing;     /* numbers that were sent (tally_expect) and never found */
    int64_t duplicated;  /* findings beyond the first of a number */
    int64_t unexpected;  /* distinct numbers found that were never sent, and findings beyond the
                            limits: damage */
    int64_t reordered;   /* numbers first found after a greater one of their stream */
    int64_t foreign;     /* marks of other runs */
    int64_t most_behind; /* greatest distance of a reordered one */
};

/* The same while it is fed, at no cost. */
struct tally_count {
    int64_t found, duplicated, reordered, foreign, beyond;
    int64_t reach; /* sum over the streams of the greatest number + 1: reach - found are gaps */
};

/* Of one run; the mark in a message is "seq=RUN-STREAM-NUMBER" (mark.h). */
struct tally *tally_new(uint64_t run);
void tally_free(struct tally **pt);
/* Every mark in `text` (any bytes; several messages; a mark is not split over two calls). */
void tally_text(struct tally *t, struct view text);
/* The same for the next part of a longer text.  Returns how many bytes of it are done with: the
 * rest, fewer than MARK_MAX_BYTES, must stand before what follows; and at the end of the text goes
 * to tally_text. */
MUST_USE size_t tally_part(struct tally *t, struct view text);
/* One mark, where the caller has it in numbers.  0; -ERANGE beyond the limits, -ENOSPC over
 * TALLY_BYTES_MAX (both counted unexpected). */
int tally_add(struct tally *t, uint32_t stream, int64_t number);
/* All of `from`, of the same run, which another thread has counted. */
void tally_merge(struct tally *t, const struct tally *from);
/* The stream sent the numbers 0…n-1.  0, or -ERANGE beyond the limits (nothing is changed). */
int tally_expect(struct tally *t, uint32_t stream, int64_t n);
/* For who does not know what was sent: each stream sent what lies below the greatest number found
 * of it.  What is lost at the end of a stream is not seen so. */
void tally_expect_seen(struct tally *t);
void tally_result(const struct tally *t, struct tally_result *ret);
struct tally_count tally_count(const struct tally *t);
/* Bytes of memory held for numbers. */
int64_t tally_bytes(const struct tally *t);
/* The first `max` ranges of missing numbers, by stream and number; returns how many were written.
 */
size_t tally_missing(const struct tally *t, struct tally_range *ret, size_t max);
/* The same of numbers found more than once. */
size_t tally_duplicated(const struct tally *t, struct tally_range *ret, size_t max);

#endif
