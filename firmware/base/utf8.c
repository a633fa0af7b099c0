/* UTF-8: check, clean, fold.  The table of well-formed sequences is Unicode 15, table 3-7. */
#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes of the well-formed sequence at p (1…4), or 0 with *ret_bad: bytes of the maximal ill-formed
 * subpart (1…3). */
static unsigned sequence(const unsigned char *p, size_t n, unsigned *ret_bad)
{
    unsigned char c = p[0], low = 0x80, high = 0xbf;
    unsigned length;
    *ret_bad = 1;
    if (c < 0x80)
        return 1;
    if (c < 0xc2 || c > 0xf4)
        return 0;
    length = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (c == 0xe0)
        low = 0xa0;
    else if (c == 0xed)
        high = 0x9f;
    else if (c == 0xf0)
        low = 0x90;
    else if (c == 0xf4)
        high = 0x8f;
    for (unsigned i = 1; i < length; i++) {
        if (i >= n || p[i] < low || p[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
        *ret_bad = i + 1;
    }
    return length;
}

/* All eight bytes are ASCII and none is zero. */
static inline bool is_plain_8(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return ((w | (w - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080)) == 0;
}

/* How many bytes from the start on are surely ASCII without zero: most messages are nothing else.
 */
static size_t plain_prefix(const unsigned char *p, size_t n)
{
    size_t i = 0;
#ifdef __SSE2__
    const __m128i one = _mm_set1_epi8(1);
    for (; i + 16 <= n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        /* as signed bytes: neither zero nor beyond ASCII */
        if (UNLIKELY(_mm_movemask_epi8(_mm_cmplt_epi8(x, one)) != 0))
            return i;
    }
#endif
    while (i + 8 <= n && is_plain_8(p + i))
        i += 8;
    if (n >= 8 && n - i < 8 && is_plain_8(p + n - 8))
        return n; /* the rest again with some of what came before it */
    return i;
}

/* A sequence of three bytes that begins with none of the lead bytes that bound the second one, E0
 * and ED: what Japanese, Chinese and Korean mostly are. */
static inline bool is_common_3(const unsigned char *p)
{
    unsigned rest = (unsigned)(p[1] & 0xc0) << 8 | (p[2] & 0xc0);
    return p[0] > 0xe0 && p[0] < 0xf0 && p[0] != 0xed && rest == 0x8080;
}

size_t utf8_clean_prefix(struct view v)
{
    const unsigned char *p = (const unsigned char *)v.p;
    size_t i = plain_prefix(p, v.n);
    while (i < v.n) {
        if (v.n - i >= 8) {
            if (is_plain_8(p + i)) {
                i += 8;
                continue;
            }
            while (v.n - i >= 3 && is_common_3(p + i))
                i += 3;
        }
        if (i == v.n)
            break;
        unsigned bad, length;
        if (p[i] == 0 || (length = sequence(p + i, v.n - i, &bad)) == 0)
            break;
        i += length;
    }
    return i;
}

bool utf8_is_clean(struct view v)
{
    return utf8_clean_prefix(v) == v.n;
}

int utf8_clean(struct view in, struct buf *out)
{
    int r = 0;
    size_t before = out->n;
    while (in.n > 0 && r == 0) {
        size_t good = utf8_clean_prefix(in);
        r = buf_add(out, in.p, good);
        in.p += good;
        in.n -= good;
        if (r < 0 || in.n == 0)
            break;
        if (in.p[0] == '\0') {
            r = buf_add(out, "\xe2\x90\x80", 3);
            in.p++;
            in.n--;
        } else {
            unsigned bad;
            (void)sequence((const unsigned char *)in.p, in.n, &bad);
            r = buf_add(out, "\xef\xbf\xbd", 3);
            in.p += bad;
            in.n -= bad;
        }
    }
    if (r < 0)
        out->n = before;
    return r;
}

unsigned utf8_decode(const char *s, size_t n, uint32_t *ret)
{
    const unsigned char *p = (const unsigned char *)s;
    if (p[0] < 0x80) {
        *ret = p[0];
        return 1;
    }
    if (p[0] < 0xe0 && n >= 2) {
        *ret = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
        return 2;
    }
    if (p[0] < 0xf0 && n >= 3) {
        *ret = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
        return 3;
    }
    if (n >= 4) {
        *ret = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
               (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
        return 4;
    }
    *ret = 0xfffd; /* cut in the middle: only for text that is not clean */
    return 1;
}

unsigned utf8_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

static uint32_t fold_latin_extended(uint32_t c)
{
    /* Pairs of capital (even) and small (odd), but for two stretches where it is the other way
     * round. */
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e))
        return c % 2 == 1 ? c + 1 : c;
    if (c == 0x178)
        return 0xff;
    if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17f)
        return c; /* dotted and dotless i, kra, ʼn, long s: folding would change length or meaning
                   */
    return c % 2 == 0 ? c + 1 : c;
}

static uint32_t fold_greek(uint32_t c)
{
    switch (c) {
    case 0x386:
        return 0x3ac;
    case 0x388:
    case 0x389:
    case 0x38a:
        return c + 37;
    case 0x38c:
        return 0x3cc;
    case 0x38e:
    case 0x38f:
        return c + 63;
    case 0x3c2:
        return 0x3c3; /* final sigma */
    default:
        return c >= 0x391 && c <= 0x3ab && c != 0x3a2 ? c + 32 : c;
    }
}

static uint32_t fold_cyrillic(uint32_t c)
{
    if (c < 0x410)
        return c + 80;
    if (c < 0x430)
        return c + 32;
    if ((c >= 0x460 && c <= 0x481) || (c >= 0x48a && c <= 0x4bf) || (c >= 0x4d0 && c <= 0x52f))
        return c % 2 == 0 ? c + 1 : c;
    if (c == 0x4c0)
        return 0x4cf;
    return c >= 0x4c1 && c <= 0x4ce && c % 2 == 1 ? c + 1 : c;
}

uint32_t utf8_fold(uint32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (c < 0xc0)
        return c;
    if (c < 0x100)
        return c <= 0xde && c != 0xd7 ? c + 32 : c;
    if (c < 0x180)
        return fold_latin_extended(c);
    if (c >= 0x386 && c <= 0x3c2)
        return fold_greek(c);
    if (c >= 0x400 && c <= 0x52f)
        return fold_cyrillic(c);
    if (c >= 0x531 && c <= 0x556)
        return c + 48; /* Armenian */
    if (c >= 0x1c90 && c <= 0x1cba)
        return c - 0x1c90 + 0x10d0; /* Georgian */
    if (c >= 0x1e00 && c <= 0x1eff && !(c >= 0x1e96 && c <= 0x1e9f))
        return c % 2 == 0 ? c + 1 : c; /* Latin extended additional */
    if (c >= 0xff21 && c <= 0xff3a)
        return c + 32; /* full-width */
    return c;
}

void utf8_fold_text(struct view in, char *out)
{
    size_t i = 0;
    while (i < in.n) {
        unsigned char b = (unsigned char)in.p[i];
        if (b < 0x80) {
            out[i] = (char)(b >= 'A' && b <= 'Z' ? b + 32 : b);
            i++;
            continue;
        }
        uint32_t c;
        char folded[4];
        unsigned length = utf8_decode(in.p + i, in.n - i, &c);
        if (length == 1) {
            out[i] = in.p[i];
        } else {
            unsigned n = utf8_encode(utf8_fold(c), folded);
            CHECK(n == length);
            memcpy(out + i, folded, length);
        }
        i += length;
    }
}
