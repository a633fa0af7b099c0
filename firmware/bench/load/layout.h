/* The text of one message: where what in it is, and which of it changes while sending ("slots":
 * times, numbers).  Made before the clock starts; payload.h keeps many of them. */
#ifndef AZEKURA_BENCH_LAYOUT_H
#define AZEKURA_BENCH_LAYOUT_H

#include "bench/load/load_command.h"

/* What is written into a message in place.  Up to TIME_FORMS - 1: a time of that form. */
enum layout_slot_kind {
    SLOT_NUMBER = TIME_FORMS, /* of the message in its stream, 10 digits */
    SLOT_STAMP,               /* microseconds since 1970 in base 36, 11 digits */
    SLOT_STREAM_36,           /* the stream in base 36, 3 digits */
    SLOT_STREAM_4,            /* the stream, 4 digits */
    SLOT_STREAM_5             /* the stream, 5 digits */
};
#define LAYOUT_SLOTS_MAX 8
#define LAYOUT_NUMBER_DIGITS 10
#define LAYOUT_STAMP_DIGITS 11

struct layout_slot {
    uint16_t at; /* bytes from the start of the message */
    uint8_t kind;
};
/* Bytes a slot of this kind has. */
size_t layout_slot_bytes(unsigned kind);

struct layout_text {
    struct buf text;
    struct layout_slot slots[LAYOUT_SLOTS_MAX];
    size_t slots_n;
};

struct layout;

/* Borrows `o` and `more`. */
MUST_USE int layout_new(const struct load_options *o, const struct load_more *more,
                        struct layout **ret, struct err *err);
void layout_free(struct layout **pl);
/* The smallest --size the layout can have. */
int64_t layout_min(const struct layout *l);
/* One message of `size` bytes (0: as long as it is by itself), without framing, replacing what is
 * in *out.  0, or -ENOSPC. */
MUST_USE int layout_render(const struct layout *l, struct random *r, const struct time_texts *now,
                           int64_t size, struct layout_text *out);

#endif
