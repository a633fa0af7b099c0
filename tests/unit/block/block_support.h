/* For the tests of block/: a reader over a finished block, and records drawn at random from a seed.
 */
#ifndef AZEKURA_TESTS_BLOCK_SUPPORT_H
#define AZEKURA_TESTS_BLOCK_SUPPORT_H

#include "base/arena.h"
#include "block/block.h"

/* ---- a reader in an arena ---- */

static inline void *support_alloc(void *context, size_t n)
{
    return arena_alloc(context, n);
}

static inline struct view support_fetch(void *context, enum block_column c)
{
    const struct block *b = context;
    return b->columns[c].n > 0 ? buf_view(&b->columns[c]) : VIEW_NULL;
}

static inline void support_reader(struct block_reader *r, struct block *b, struct arena *a)
{
    block_reader_init(r, b->messages, b->first_seq, (struct block_memory){support_alloc, a},
                      support_fetch, b);
}

/* ---- chance (splitmix64) ---- */

static inline uint64_t chance(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t chance_below(uint64_t *seed, uint64_t n)
{
    return chance(seed) % n;
}

/* ---- records ---- */

static inline struct view random_text(uint64_t *seed, struct arena *a, size_t max)
{
    static const char *const pieces[] = {"a", "Z",  "0", "9",         "-",    " ",
                                         "_", ".",  ":", "\x01",      "\x0f", "é",
                                         "Ж", "応", "😀", "192.0.2.7", "fw01", "error"};
    size_t n = chance_below(seed, max + 1), at = 0;
    char *p = arena_alloc(a, n + 16);
    while (at < n) {
        const char *s = pieces[chance_below(seed, ARRAY_LEN(pieces))];
        size_t bytes = strlen(s);
        if (at + bytes > n)
            break;
        memcpy(p + at, s, bytes);
        at += bytes;
    }
    return view_of(p, at);
}

/* A field: null, empty, elsewhere, or a part of raw that is clean ASCII. */
static inline struct view random_field(uint64_t *seed, struct arena *a, struct view raw)
{
    switch (chance_below(seed, 5)) {
    case 0:
        return VIEW_NULL;
    case 1:
        return view_of("", 0);
    case 2:
        return random_text(seed, a, 24);
    default: {
        if (raw.n == 0)
            return VIEW_NULL;
        size_t from = chance_below(seed, raw.n), n = 0, max = chance_below(seed, 40);
        while (n < max && from + n < raw.n && raw.p[from + n] > 0 && raw.p[from + n] < 127)
            n++;
        return view_of(raw.p + from, n);
    }
    }
}

/* Any record that a parser could ever hand over, and many that none does. */
static inline struct record random_record(uint64_t *seed, struct arena *a, int64_t at_us)
{
    struct record r = {.received_at_us = at_us};
    size_t n = chance_below(seed, 8) == 0 ? chance_below(seed, 3000) : chance_below(seed, 120);
    char *raw = arena_alloc(a, n);
    bool is_binary = chance_below(seed, 4) == 0;
    for (size_t i = 0; i < n; i++)
        raw[i] = (char)(is_binary ? chance(seed) : 32 + chance_below(seed, 95));
    r.raw = view_of(raw, n);
    switch (chance_below(seed, 4)) {
    case 0:
        r.reported_at_us = TIME_NONE;
        break;
    case 1:
        r.reported_at_us = (int64_t)chance(seed);
        break;
    case 2:
        r.reported_at_us = (at_us / 1000000 - (int64_t)chance_below(seed, 3)) * 1000000;
        break;
    default:
        r.reported_at_us = at_us - (int64_t)chance_below(seed, 5000);
        break;
    }
    r.source.family = (uint8_t)(chance_below(seed, 3) * 2);
    if (r.source.family == 2)
        r.source.family = 6;
    for (unsigned i = 0; i < (r.source.family == 4 ? 4u : r.source.family == 6 ? 16u : 0u); i++)
        r.source.bytes[i] = (uint8_t)chance_below(seed, 3);
    r.listener = (uint8_t)chance_below(seed, LISTENER_COUNT);
    r.facility = (uint8_t)chance_below(seed, 24);
    r.severity = (uint8_t)chance_below(seed, 8);
    r.format = (uint8_t)chance_below(seed, FORMAT_COUNT);
    r.flags = (uint8_t)chance_below(seed, 16);
    r.hostname = random_field(seed, a, r.raw);
    r.app_name = random_field(seed, a, r.raw);
    r.procid = random_field(seed, a, r.raw);
    r.msgid = random_field(seed, a, r.raw);
    r.structured_data = random_field(seed, a, r.raw);
    r.message = random_field(seed, a, r.raw);
    if (r.message.p == NULL)
        r.message = view_of("", 0);
    r.pri_text = random_field(seed, a, r.raw);
    r.time_text = random_field(seed, a, r.raw);
    r.time_form = (uint8_t)chance_below(seed, TIME_FORM_COUNT + 1);
    r.time_digits = (uint8_t)chance_below(seed, 8);
    r.time_offset_min = (int16_t)chance_below(seed, 65536);
    return r;
}

#endif
