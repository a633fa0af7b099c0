/* Finding a pattern in text.  Two bytes of the needle that are rare in logs are compared with 32
 * places of the text at a time (compiler vectors: SSE2 on every x86-64, NEON on ARM); only where
 * both fit is the needle compared in full.  A letter has two forms in the text, so each anchor has
 * two bytes. memmem() was not taken since it cannot ignore case, and folding the text first costs
 * more than all this. */
#include "query/internal.h"

#include "base/utf8.h"

/* How often a byte occurs in logs, both cases together: bigger is more frequent, 0 is rare.  An
 * estimate from what routers, firewalls and Linux write; only the order matters, and a wrong one
 * costs speed alone. */
static const uint8_t commonness[256] = {
    [' '] = 100,
    ['e'] = 90,
    ['0'] = 88,
    ['1'] = 87,
    ['t'] = 85,
    ['a'] = 84,
    ['o'] = 83,
    ['i'] = 82,
    ['n'] = 81,
    ['s'] = 80,
    ['r'] = 79,
    ['2'] = 78,
    ['.'] = 76,
    ['d'] = 74,
    ['c'] = 73,
    ['3'] = 72,
    ['-'] = 70,
    [':'] = 69,
    ['p'] = 68,
    ['l'] = 67,
    ['5'] = 66,
    ['4'] = 65,
    ['6'] = 64,
    ['u'] = 63,
    ['8'] = 62,
    ['7'] = 61,
    ['9'] = 60,
    ['m'] = 59,
    ['f'] = 55,
    ['='] = 54,
    ['/'] = 53,
    ['h'] = 52,
    ['g'] = 50,
    ['b'] = 48,
    ['y'] = 46,
    ['v'] = 44,
    ['w'] = 43,
    ['k'] = 40,
    ['_'] = 38,
    ['['] = 37,
    [']'] = 37,
    ['"'] = 36,
    [','] = 35,
    ['x'] = 30,
    ['('] = 28,
    [')'] = 28,
    ['%'] = 22,
    ['j'] = 20,
    ['q'] = 18,
    ['z'] = 16,
    [';'] = 15,
    ['>'] = 14,
    ['<'] = 14,
    ['@'] = 12,
    ['#'] = 10,
    ['\''] = 10,
    /* the first bytes of Japanese text are all alike */
    [0xe3] = 86,
    [0xe5] = 60,
    [0xe6] = 60,
    [0xe7] = 58,
    [0xe8] = 56,
    [0xe9] = 56,
    [0xe4] = 56,
    [0x81] = 62,
    [0x82] = 60,
    [0x83] = 62,
};

struct anchor {
    size_t at;        /* offset in the needle */
    uint8_t one, two; /* what the text may have there */
};

/* Other code points fold to this one or it is not sure that none does: its bytes tell nothing. */
static bool may_have_cases(uint32_t c)
{
    return !((c >= 0x600 && c < 0x10a0) || (c >= 0x2e80 && c < 0xa640) ||
             (c >= 0xac00 && c < 0xd800) || c >= 0x1f000);
}

/* The two rarest bytes of the needle whose form in the text is known.  False when there is none. */
static bool choose_anchors(struct view needle, struct anchor *first, struct anchor *second)
{
    unsigned best = UINT32_MAX, next = UINT32_MAX;
    for (size_t at = 0; at < needle.n;) {
        size_t n = query_char_bytes(needle, at);
        if (n > 1) {
            uint32_t c;
            utf8_decode(needle.p + at, needle.n - at, &c);
            if (may_have_cases(c)) {
                at += n;
                continue;
            }
        }
        for (size_t end = at + n; at < end; at++) {
            uint8_t b = (uint8_t)needle.p[at];
            struct anchor a = {at, b, b >= 'a' && b <= 'z' ? (uint8_t)(b - 32) : b};
            if (commonness[b] < best) {
                *second = *first;
                next = best;
                *first = a;
                best = commonness[b];
            } else if (commonness[b] < next) {
                *second = a;
                next = commonness[b];
            }
        }
    }
    if (best == UINT32_MAX)
        return false;
    if (next == UINT32_MAX)
        *second = *first;
    return true;
}

bool query_piece_at(struct view piece, struct view text, size_t at)
{
    if (at > text.n || piece.n > text.n - at)
        return false;
    const char *t = text.p + at;
    if (memcmp(t, piece.p, piece.n) == 0)
        return true;
    for (size_t i = 0; i < piece.n;) {
        unsigned char q = (unsigned char)piece.p[i], c = (unsigned char)t[i];
        if (q < 0x80) {
            if (c >= 'A' && c <= 'Z')
                c += 32;
            if (c != q)
                return false;
            i++;
            continue;
        }
        size_t n = query_char_bytes(piece, i);
        if (memcmp(t + i, piece.p + i, n) != 0) {
            uint32_t in_text, in_piece;
            if (query_char_bytes(text, at + i) != n || c < 0xc0)
                return false;
            utf8_decode(t + i, n, &in_text);
            utf8_decode(piece.p + i, n, &in_piece);
            if (utf8_fold(in_text) != in_piece)
                return false;
        }
        i += n;
    }
    return true;
}

struct search {
    struct view piece, text;
    bool left, right;
};

/* Borders first: they cost nothing, and a needle like "aaaa" in "aaaaaaaa" is refused at once. */
static bool is_match(const struct search *s, size_t at)
{
    size_t end = at + s->piece.n;
    if (s->left && at > 0 && query_is_word_byte(s->text.p[at - 1]))
        return false;
    if (s->right && end < s->text.n && query_is_word_byte(s->text.p[end]))
        return false;
    return query_piece_at(s->piece, s->text, at);
}

typedef uint8_t vector __attribute__((vector_size(16)));

static inline vector load(const char *p)
{
    vector v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline vector splat(uint8_t b)
{
    return (vector){b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
}

/* 0xff where both anchors fit. */
static inline vector fits(const char *p, const struct anchor *a, const struct anchor *b,
                          const vector v[4])
{
    vector x = load(p + a->at), y = load(p + b->at);
    return (vector)(((x == v[0]) | (x == v[1])) & ((y == v[2]) | (y == v[3])));
}

/* A bit for each of the 32 places, the first one lowest. */
static inline uint32_t places(vector low, vector high)
{
#ifdef __SSE2__
    typedef char bytes __attribute__((vector_size(16)));
    return (uint32_t)__builtin_ia32_pmovmskb128((bytes)low) |
           (uint32_t)__builtin_ia32_pmovmskb128((bytes)high) << 16;
#else
    typedef uint64_t halves __attribute__((vector_size(16)));
    halves any = (halves)(low | high);
    uint32_t bits = 0;
    if (any[0] | any[1])
        for (unsigned i = 0; i < 16; i++)
            bits |= (uint32_t)(low[i] & 1) << i | (uint32_t)(high[i] & 1) << (i + 16);
    return bits;
#endif
}

static int64_t find_with_anchors(const struct search *s, size_t from, size_t last,
                                 const struct anchor *a, const struct anchor *b)
{
    const vector v[4] = {splat(a->one), splat(a->two), splat(b->one), splat(b->two)};
    const size_t reach = MAX(a->at, b->at) + 2 * sizeof(vector);
    size_t at = from;
    /* 32 places a step while the loads stay inside the text */
    while (at + 2 * sizeof(vector) <= last + 1 && at + reach <= s->text.n) {
        vector low = fits(s->text.p + at, a, b, v);
        vector high = fits(s->text.p + at + sizeof(vector), a, b, v);
        for (uint32_t bits = places(low, high); UNLIKELY(bits); bits &= bits - 1) {
            size_t place = at + (unsigned)__builtin_ctz(bits);
            if (is_match(s, place))
                return (int64_t)place;
        }
        at += 2 * sizeof(vector);
    }
    for (; at <= last; at++) {
        uint8_t x = (uint8_t)s->text.p[at + a->at], y = (uint8_t)s->text.p[at + b->at];
        if ((x == a->one || x == a->two) && (y == b->one || y == b->two) && is_match(s, at))
            return (int64_t)at;
    }
    return -1;
}

/* Needles of cased letters beyond ASCII alone (Кириллица, ΑΒΓ): every place where a code point of
 * two bytes or more starts. */
static int64_t find_beyond_ascii(const struct search *s, size_t from, size_t last)
{
    for (size_t at = from; at <= last; at++) {
        uint64_t eight;
        while (at + 8 <= s->text.n) {
            memcpy(&eight, s->text.p + at, sizeof(eight));
            if (eight & UINT64_C(0x8080808080808080))
                break;
            at += 8;
        }
        if (at <= last && (uint8_t)s->text.p[at] >= 0xc0 && is_match(s, at))
            return (int64_t)at;
    }
    return -1;
}

int64_t query_piece_find(struct view piece, bool left, bool right, struct view text, size_t from,
                         size_t last_start)
{
    if (piece.n > text.n || from > text.n - piece.n)
        return -1;
    struct search s = {piece, text, left, right};
    size_t last = MIN(last_start, text.n - piece.n);
    if (from > last)
        return -1;
    struct anchor a = {0}, b = {0};
    if (choose_anchors(piece, &a, &b))
        return find_with_anchors(&s, from, last, &a, &b);
    return find_beyond_ascii(&s, from, last);
}

static size_t next_blank(struct view text, size_t at)
{
    while (at < text.n && !query_is_blank(text.p[at]))
        at++;
    return at;
}

/* The pieces after the first, whose end in the text is `end`: the end of the last, or -1.
 * Taking the first place for each is enough: a piece without blank leaves the more room the earlier
 * it stands, and one with a blank can stand in one place only, its first blank on the next blank.
 */
static int64_t find_rest(const struct query_pattern *p, struct view text, size_t end)
{
    size_t blank = end;
    for (size_t i = 1; i < p->pieces_n; i++) {
        bool right = p->right_border && i + 1 == p->pieces_n;
        if (i == 1 || end > blank)
            blank = next_blank(text, end);
        int64_t at = query_piece_find(p->pieces[i], false, right, text, end, blank);
        if (at < 0)
            return -1;
        end = (size_t)at + p->pieces[i].n;
    }
    return (int64_t)end;
}

int64_t query_find(const struct query_pattern *p, struct view text, size_t from, size_t *ret_length)
{
    if (p->pieces_n == 0)
        return -1;
    struct view first = p->pieces[0];
    bool right = p->right_border && p->pieces_n == 1;
    while (from <= text.n) {
        int64_t at = query_piece_find(first, p->left_border, right, text, from, text.n);
        if (at < 0)
            return -1;
        int64_t end = find_rest(p, text, (size_t)at + first.n);
        if (end >= 0) {
            *ret_length = (size_t)(end - at);
            return at;
        }
        /* what could not follow here cannot follow a later place before the same blank either */
        size_t blank = next_blank(text, (size_t)at + first.n);
        from = MAX((size_t)at + 1, blank - MIN(blank, first.n));
    }
    return -1;
}
