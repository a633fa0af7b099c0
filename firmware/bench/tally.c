/* A sparse set of bits with its history: pieces of 4,096 numbers in a hash table, found through a
 * one-entry memory in each stream, since numbers mostly come in order. */
#include "bench/tally.h"
#include "bench/mark.h"

#define PIECE_WORDS 64
#define PIECE_NUMBERS (PIECE_WORDS * 64)
#define PAGE_STREAMS 256u
#define PAGES (TALLY_STREAMS_MAX / PAGE_STREAMS)

struct piece {
    uint64_t key;                /* of the stream and the place: piece_key() */
    uint64_t *repeats;           /* PIECE_WORDS: found again; NULL: none */
    uint64_t found[PIECE_WORDS]; /* bit i of word w: number w × 64 + i of the piece */
};

struct stream {
    int64_t end;      /* greatest number found + 1 */
    int64_t found;    /* distinct */
    int64_t expected; /* numbers sent; -1: not told */
    struct piece *last;
};

struct tally {
    uint64_t run;
    struct stream *pages[PAGES];
    struct piece **table; /* open addressing, at most half full */
    size_t table_n, pieces_n;
    int64_t bytes;
    bool has_expectation, expects_seen;
    struct tally_count count;
    int64_t most_behind;
};

struct tally *tally_new(uint64_t run)
{
    struct tally *t = xcalloc(1, sizeof(*t));
    t->run = run;
    return t;
}

void tally_free(struct tally **pt)
{
    struct tally *t = *pt;
    if (!t)
        return;
    for (size_t i = 0; i < t->table_n; i++)
        if (t->table[i]) {
            free(t->table[i]->repeats);
            free(t->table[i]);
        }
    for (size_t i = 0; i < PAGES; i++)
        free(t->pages[i]);
    free(t->table);
    free(t);
    *pt = NULL;
}

static struct stream *stream_find(const struct tally *t, uint32_t stream)
{
    struct stream *page = t->pages[stream / PAGE_STREAMS];
    return page ? &page[stream % PAGE_STREAMS] : NULL;
}

static struct stream *stream_get(struct tally *t, uint32_t stream)
{
    struct stream **page = &t->pages[stream / PAGE_STREAMS];
    if (!*page) {
        *page = xcalloc(PAGE_STREAMS, sizeof(**page));
        for (size_t i = 0; i < PAGE_STREAMS; i++)
            (*page)[i].expected = -1;
    }
    return &(*page)[stream % PAGE_STREAMS];
}

static uint64_t piece_key(uint32_t stream, int64_t number)
{
    return (uint64_t)stream << 32 | (uint64_t)(number / PIECE_NUMBERS);
}

/* The finaliser of MurmurHash3 (A. Appleby): all bits of the key reach the low ones. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

/* The place of the key in the table, or the free one where it belongs. */
static size_t table_place(const struct tally *t, uint64_t key)
{
    size_t i = mix(key) & (t->table_n - 1);
    while (t->table[i] && t->table[i]->key != key)
        i = (i + 1) & (t->table_n - 1);
    return i;
}

static const struct piece *piece_find(const struct tally *t, uint64_t key)
{
    return t->table_n ? t->table[table_place(t, key)] : NULL;
}

static void table_grow(struct tally *t)
{
    struct piece **old = t->table;
    size_t old_n = t->table_n;
    t->table_n = old_n ? old_n * 2 : 64;
    t->table = xcalloc(t->table_n, sizeof(struct piece *));
    t->bytes += (int64_t)((t->table_n - old_n) * sizeof(struct piece *));
    for (size_t i = 0; i < old_n; i++)
        if (old[i])
            t->table[table_place(t, old[i]->key)] = old[i];
    free(old);
}

static bool has_room(const struct tally *t, size_t bytes)
{
    return t->bytes + (int64_t)bytes <= TALLY_BYTES_MAX;
}

/* NULL when the limit of memory is reached. */
static struct piece *piece_get(struct tally *t, uint64_t key)
{
    size_t grows = 2 * (t->pieces_n + 1) > t->table_n ? MAX(t->table_n, 64) : 0;
    size_t at = t->table_n ? table_place(t, key) : 0;
    if (t->table_n && t->table[at])
        return t->table[at];
    if (!has_room(t, sizeof(struct piece) + grows * sizeof(struct piece *)))
        return NULL;
    if (grows) {
        table_grow(t);
        at = table_place(t, key);
    }
    struct piece *p = xcalloc(1, sizeof(*p));
    p->key = key;
    t->table[at] = p;
    t->pieces_n++;
    t->bytes += (int64_t)sizeof(*p);
    return p;
}

/* Remember that the number was found again.  -ENOSPC: the count is right, the range is lost. */
static int add_repeat(struct tally *t, struct piece *p, size_t word, uint64_t bit)
{
    if (!p->repeats) {
        if (!has_room(t, sizeof(p->found)))
            return -ENOSPC;
        p->repeats = xcalloc(PIECE_WORDS, sizeof(*p->repeats));
        t->bytes += (int64_t)sizeof(p->found);
    }
    p->repeats[word] |= bit;
    return 0;
}

static int count_beyond(struct tally *t, int error)
{
    t->count.beyond++;
    return -error;
}

int tally_add(struct tally *t, uint32_t stream, int64_t number)
{
    if (stream >= TALLY_STREAMS_MAX || number < 0 || number >= TALLY_NUMBERS_MAX)
        return count_beyond(t, ERANGE);
    struct stream *s = stream_get(t, stream);
    uint64_t key = piece_key(stream, number);
    if (!s->last || s->last->key != key) {
        struct piece *p = piece_get(t, key);
        if (!p)
            return count_beyond(t, ENOSPC);
        s->last = p;
    }
    size_t word = (size_t)(number % PIECE_NUMBERS) / 64;
    uint64_t bit = UINT64_C(1) << (number % 64);
    if (UNLIKELY(s->last->found[word] & bit)) {
        t->count.duplicated++;
        (void)add_repeat(t, s->last, word, bit);
        return 0;
    }
    s->last->found[word] |= bit;
    s->found++;
    t->count.found++;
    if (LIKELY(number >= s->end)) {
        t->count.reach += number + 1 - s->end;
        s->end = number + 1;
    } else {
        t->count.reordered++;
        t->most_behind = MAX(t->most_behind, s->end - 1 - number);
    }
    return 0;
}

static void add_mark(struct tally *t, const struct mark *m)
{
    if (m->run != t->run)
        t->count.foreign++;
    else if (m->stream >= TALLY_STREAMS_MAX || m->number >= (uint64_t)TALLY_NUMBERS_MAX)
        count_beyond(t, ERANGE);
    else
        (void)tally_add(t, (uint32_t)m->stream, (int64_t)m->number);
}

void tally_text(struct tally *t, struct view text)
{
    struct mark m;
    for (size_t at = 0; mark_next(text, at, &m); at = m.end)
        add_mark(t, &m);
}

size_t tally_part(struct tally *t, struct view text)
{
    struct mark m;
    for (size_t at = 0; mark_next(text, at, &m); at = m.end) {
        if (m.end == text.n)
            return m.at; /* digits may follow */
        add_mark(t, &m);
    }
    return m.at;
}

/* Numbers found of the stream below n. */
static int64_t found_below(const struct tally *t, uint32_t stream, const struct stream *s,
                           int64_t n)
{
    if (s->end <= n)
        return s->found;
    int64_t found = 0;
    for (int64_t from = 0; from < n; from += PIECE_NUMBERS) {
        const struct piece *p = piece_find(t, piece_key(stream, from));
        for (int64_t w = 0; p && w < PIECE_WORDS && from + w * 64 < n; w++) {
            int64_t bits = n - from - w * 64;
            uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
            found += __builtin_popcountll(p->found[w] & mask);
        }
    }
    return found;
}

static int64_t stream_expected(const struct tally *t, const struct stream *s)
{
    if (s->expected >= 0)
        return s->expected;
    return t->expects_seen ? s->end : 0;
}

void tally_result(const struct tally *t, struct tally_result *ret)
{
    struct tally_result r = {.duplicated = t->count.duplicated,
                             .unexpected = t->count.beyond,
                             .reordered = t->count.reordered,
                             .foreign = t->count.foreign,
                             .most_behind = t->most_behind};
    for (uint32_t i = 0; i < TALLY_STREAMS_MAX; i++) {
        const struct stream *s = stream_find(t, i);
        if (!s) {
            i += PAGE_STREAMS - 1; /* its page is missing: so are the others of it */
            continue;
        }
        r.streams += s->found > 0 || s->expected > 0;
        int64_t expected = t->has_expectation ? stream_expected(t, s) : s->end;
        int64_t found = found_below(t, i, s, expected);
        r.found += found;
        r.unexpected += s->found - found;
        if (t->has_expectation)
            r.missing += expected - found;
    }
    *ret = r;
}

struct tally_count tally_count(const struct tally *t)
{
    return t->count;
}

int64_t tally_bytes(const struct tally *t)
{
    return t->bytes;
}

int tally_expect(struct tally *t, uint32_t stream, int64_t n)
{
    if (stream >= TALLY_STREAMS_MAX || n < 0 || n > TALLY_NUMBERS_MAX)
        return -ERANGE;
    stream_get(t, stream)->expected = n;
    t->has_expectation = true;
    return 0;
}

void tally_expect_seen(struct tally *t)
{
    t->has_expectation = true;
    t->expects_seen = true;
}

/* Bits of a word of `from`: those that are new are found, the others repeat. */
static void merge_word(struct tally *t, struct stream *s, struct piece *p, const struct piece *from,
                       size_t w)
{
    uint64_t both = p->found[w] & from->found[w];
    uint64_t repeats = both | (from->repeats ? from->repeats[w] : 0);
    int fresh = __builtin_popcountll(from->found[w] & ~p->found[w]);
    p->found[w] |= from->found[w];
    s->found += fresh;
    t->count.found += fresh;
    t->count.duplicated += __builtin_popcountll(both);
    if (repeats)
        (void)add_repeat(t, p, w, repeats);
}

void tally_merge(struct tally *t, const struct tally *from)
{
    CHECK(t->run == from->run && t != from);
    for (size_t i = 0; i < from->table_n; i++) {
        const struct piece *f = from->table[i];
        if (!f)
            continue;
        struct piece *p = piece_get(t, f->key);
        struct stream *s = stream_get(t, (uint32_t)(f->key >> 32));
        for (size_t w = 0; w < PIECE_WORDS; w++)
            if (p)
                merge_word(t, s, p, f, w);
            else
                t->count.beyond += __builtin_popcountll(f->found[w]);
    }
    for (uint32_t i = 0; i < TALLY_STREAMS_MAX; i++) {
        const struct stream *f = stream_find(from, i);
        if (!f || f->end == 0)
            continue;
        struct stream *s = stream_get(t, i);
        t->count.reach += MAX(f->end - s->end, 0);
        s->end = MAX(f->end, s->end);
    }
    t->count.duplicated += from->count.duplicated;
    t->count.reordered += from->count.reordered;
    t->count.foreign += from->count.foreign;
    t->count.beyond += from->count.beyond;
    t->most_behind = MAX(t->most_behind, from->most_behind);
}

/* Ranges under construction: neighbours become one. */
struct ranges {
    struct tally_range *p;
    size_t n, max;
};

/* False when there is no room for a further one. */
static bool ranges_add(struct ranges *r, uint32_t stream, int64_t from, int64_t to)
{
    struct tally_range *last = r->n ? &r->p[r->n - 1] : NULL;
    if (last && last->stream == stream && last->to + 1 == from) {
        last->to = to;
        return true;
    }
    if (r->n == r->max)
        return false;
    r->p[r->n++] = (struct tally_range){stream, from, to};
    return true;
}

static bool ranges_add_bits(struct ranges *r, uint32_t stream, int64_t base, uint64_t bits)
{
    while (bits) {
        int first = __builtin_ctzll(bits);
        uint64_t after = ~(bits >> first);
        int length = after ? __builtin_ctzll(after) : 64;
        if (!ranges_add(r, stream, base + first, base + first + length - 1))
            return false;
        if (first + length == 64)
            break;
        bits &= ~UINT64_C(0) << (first + length);
    }
    return true;
}

/* The bits of word w that are asked for: what is not found below `n`, or what repeats. */
static uint64_t wanted_bits(const struct piece *p, size_t w, int64_t left, bool of_missing)
{
    if (!of_missing)
        return p && p->repeats ? p->repeats[w] : 0;
    uint64_t mask = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    return mask & ~(p ? p->found[w] : 0);
}

static bool stream_ranges(const struct tally *t, uint32_t stream, int64_t n, bool of_missing,
                          struct ranges *r)
{
    for (int64_t from = 0; from < n; from += PIECE_NUMBERS) {
        const struct piece *p = piece_find(t, piece_key(stream, from));
        if (!p && of_missing && !ranges_add(r, stream, from, MIN(from + PIECE_NUMBERS, n) - 1))
            return false;
        for (int64_t w = 0; p && w < PIECE_WORDS && from + w * 64 < n; w++) {
            int64_t base = from + w * 64;
            if (!ranges_add_bits(r, stream, base, wanted_bits(p, (size_t)w, n - base, of_missing)))
                return false;
        }
    }
    return true;
}

static size_t all_ranges(const struct tally *t, bool of_missing, struct tally_range *ret,
                         size_t max)
{
    struct ranges r = {.p = ret, .max = max};
    for (uint32_t i = 0; i < TALLY_STREAMS_MAX; i++) {
        const struct stream *s = stream_find(t, i);
        if (!s) {
            i += PAGE_STREAMS - 1;
            continue;
        }
        if (!stream_ranges(t, i, of_missing ? stream_expected(t, s) : s->end, of_missing, &r))
            break;
    }
    return r.n;
}

size_t tally_missing(const struct tally *t, struct tally_range *ret, size_t max)
{
    return all_ranges(t, true, ret, max);
}

size_t tally_duplicated(const struct tally *t, struct tally_range *ret, size_t max)
{
    return all_ranges(t, false, ret, max);
}
