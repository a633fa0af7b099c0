/* A ring of messages made before the clock starts, framed as they will be sent, one behind the
 * other. While sending only numbers, times and the stream are written into them, in place. */
#ifndef AZEKURA_BENCH_PAYLOAD_H
#define AZEKURA_BENCH_PAYLOAD_H

#include "bench/load/layout.h"

/* The mix needs as many different messages as a store keeps together, or it would shrink them more
 * than real ones; the other layouts are alike anyway and better stay in the processor's cache. */
#define PAYLOAD_MIX_MESSAGES 65536
#define PAYLOAD_MESSAGES 2048
#define PAYLOAD_BYTES_MAX (32u << 20) /* of a ring; large messages: fewer of them */

struct payload_message {
    uint32_t at, n;          /* in the ring's bytes; framing included */
    uint32_t stream;         /* the stream that is written in it */
    uint8_t slots_n, each_n; /* the first each_n slots are written for every message sent */
    int64_t second;          /* of the times that are written in it */
    struct layout_slot slots[LAYOUT_SLOTS_MAX];
};

struct payload {
    char *bytes;
    struct payload_message *messages;
    size_t n;
    uint32_t uniform_bytes; /* all messages have so many; 0: they differ */
    struct time_texts now;
    char stamp[LAYOUT_STAMP_DIGITS];
};

/* `thread` makes the rings of several threads differ; `threads` share the memory.  `o` and `more`
 * are not needed after it.  0, or -EINVAL with *err (a size the layout cannot have). */
MUST_USE int payload_new(const struct load_options *o, const struct load_more *more,
                         unsigned thread, unsigned threads, struct payload **ret, struct err *err);
void payload_free(struct payload **pp);
/* What time it is for the messages prepared from now on. */
void payload_now(struct payload *p, int64_t wall_us);
/* Write `stream` and the numbers `number`, number + 1, … into messages at…at+n-1 of the ring, which
 * must not wrap. */
void payload_prepare(struct payload *p, size_t at, size_t n, uint32_t stream, int64_t number);
/* The offset of local time from UTC at wall_us, seconds. */
int32_t payload_zone(int64_t wall_us);

#endif
