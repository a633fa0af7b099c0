/* Distinct values, found by open addressing (at most half full). */
#include "block/dict.h"

#include <unistd.h>

#include "block/token_scan.h"

#define FIRST_SLOTS 256

void dict_init(struct dict *d)
{
    *d = (struct dict){.text = BUF_INIT(BLOCK_MAX_TEXT_BYTES), .cap = FIRST_SLOTS / 2};
    d->offsets = xcalloc(d->cap + 1, sizeof(*d->offsets));
    d->hashes = xcalloc(d->cap + 1, sizeof(*d->hashes));
    d->slots = xcalloc(FIRST_SLOTS, sizeof(*d->slots));
    d->mask = FIRST_SLOTS - 1;
    CHECK(getentropy(d->seeds, sizeof(d->seeds)) == 0);
    d->rows = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*d->rows));
}

void dict_done(struct dict *d)
{
    buf_free(&d->text);
    free(d->offsets);
    free(d->hashes);
    free(d->slots);
    free(d->rows);
}

void dict_clear(struct dict *d)
{
    if (d->n > 0)
        memset(d->slots, 0, ((size_t)d->mask + 1) * sizeof(*d->slots));
    buf_clear(&d->text);
    d->n = 0;
}

struct view dict_value(const struct dict *d, uint32_t number)
{
    uint32_t from = d->offsets[number - 1];
    return view_of((d->text.p ? d->text.p : "") + from, d->offsets[number] - from);
}

/* As view_eq for values that are there, without calls: most are a few bytes long. */
static inline bool same(struct view a, struct view b)
{
    if (a.n != b.n)
        return false;
    uint64_t x = 0, y = 0, different = 0;
    if (a.n < 4) {
        for (size_t i = 0; i < a.n; i++)
            different |= (uint64_t)(a.p[i] ^ b.p[i]);
        return different == 0;
    }
    if (a.n < 8) { /* two halves that overlap */
        uint32_t head[2], tail[2];
        memcpy(&head[0], a.p, 4);
        memcpy(&head[1], b.p, 4);
        memcpy(&tail[0], a.p + a.n - 4, 4);
        memcpy(&tail[1], b.p + b.n - 4, 4);
        return ((head[0] ^ head[1]) | (tail[0] ^ tail[1])) == 0;
    }
    for (size_t i = 0; i + 8 < a.n; i += 8) {
        memcpy(&x, a.p + i, 8);
        memcpy(&y, b.p + i, 8);
        different |= x ^ y;
    }
    memcpy(&x, a.p + a.n - 8, 8);
    memcpy(&y, b.p + b.n - 8, 8);
    return (different | (x ^ y)) == 0;
}

static inline uint64_t fetch_8(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

static inline uint64_t fetch_4(const char *p)
{
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}

/* Most values have 16 bytes or less: one product of their two halves, which may overlap. */
struct dict_key dict_key(const struct dict *d, struct view v)
{
    uint64_t a = 0, b = 0, seed = d->seeds[0];
    if (v.n >= 8) {
        const char *p = v.p, *last = v.p + v.n - 8;
        for (; last - p > 8; p += 16)
            seed = token_mix(fetch_8(p) ^ seed, fetch_8(p + 8) ^ d->seeds[1]);
        a = fetch_8(p < last ? p : last);
        b = fetch_8(last);
    } else if (v.n >= 4) {
        a = fetch_4(v.p);
        b = fetch_4(v.p + v.n - 4);
    } else if (v.n > 0) {
        a = (uint64_t)(uint8_t)v.p[0] | (uint64_t)(uint8_t)v.p[v.n / 2] << 8 |
            (uint64_t)(uint8_t)v.p[v.n - 1] << 16;
    }
    uint64_t h = token_mix(a ^ seed, b ^ d->seeds[1] ^ v.n * TOKEN_M1);
    uint32_t hash = (uint32_t)(h ^ h >> 32);
    __builtin_prefetch(&d->slots[hash & d->mask]);
    return (struct dict_key){hash};
}

uint32_t dict_find(const struct dict *d, struct view value, const struct dict_key *key)
{
    if (value.p == NULL)
        return 0;
    for (uint32_t s = key->hash & d->mask; d->slots[s] != 0; s = (s + 1) & d->mask)
        if (d->hashes[d->slots[s]] == key->hash && same(dict_value(d, d->slots[s]), value))
            return d->slots[s];
    return DICT_NEW;
}

static void place(struct dict *d, uint32_t number)
{
    uint32_t s = d->hashes[number] & d->mask;
    while (d->slots[s] != 0)
        s = (s + 1) & d->mask;
    d->slots[s] = (uint16_t)number;
}

static void grow(struct dict *d)
{
    d->cap *= 2;
    d->offsets = xrealloc(d->offsets, (size_t)d->cap + 1, sizeof(*d->offsets));
    d->hashes = xrealloc(d->hashes, (size_t)d->cap + 1, sizeof(*d->hashes));
    free(d->slots);
    d->slots = xcalloc((size_t)d->cap * 2, sizeof(*d->slots));
    d->mask = d->cap * 2 - 1;
    for (uint32_t i = 1; i <= d->n; i++)
        place(d, i);
}

uint32_t dict_add(struct dict *d, struct view value, const struct dict_key *key)
{
    CHECK(d->n < DICT_MAX);
    if (d->n == d->cap)
        grow(d);
    CHECK(buf_add_view(&d->text, value) == 0);
    d->n++;
    d->offsets[d->n] = (uint32_t)d->text.n;
    d->hashes[d->n] = key->hash;
    place(d, d->n);
    return d->n;
}
