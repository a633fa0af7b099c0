/* Which charset a text is in: of each candidate how many bits the bytes beyond ASCII would take if
 * the text were one of it, by how often its letters are written.  The one that takes the fewest is
 * it, if that is few enough for a text and clearly fewer than with any other.
 *
 * The models are coarse: classes of lead bytes for the East Asian ones (kana, the thousands of
 * common characters, the rest), frequencies of letters and whether a capital stands where one can
 * for Cyrillic, and "a letter here and there" for Western and Central European.  Broken UTF-8 is a
 * candidate as well, so that a text cut within a character is not taken for something else. */
#include "base/utf8.h"
#include "syslog/charset.h"

#define BITS(x) ((unsigned)((x)*16 + 0.5)) /* sixteenths */
#define BAD_BITS BITS(18)
enum {
    LOOKED_AT_BYTES = 2048, /* of a message */
    BYTES_MIN = 4,          /* beyond ASCII, before anything is said */
    BYTES_MAX = 1 << 16,    /* from here on the old counts for half */
    SURE_BITS = 20 * 16,    /* ahead of the second: no doubt */
    WIDE_MIN = 4,           /* zeros at every other place: a text of UTF-16 */
    ESCAPES_MIN = 1,
};

/* What one step of a model eats and costs. */
struct step {
    unsigned n;    /* bytes, ≥ 1 */
    unsigned bits; /* sixteenths */
    bool is_bad;
};
typedef struct step (*model_fn)(const unsigned char *p, size_t left, const unsigned char *start);

static bool in(unsigned char c, unsigned from, unsigned to)
{
    return c >= from && c <= to;
}

static struct step good(unsigned n, unsigned bits)
{
    return (struct step){n, bits, false};
}

static struct step bad(void)
{
    return (struct step){1, BAD_BITS, true};
}

/* ---- East Asia ---- */

static struct step utf8_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    (void)start;
    unsigned n = in(*p, 0xc2, 0xdf) ? 2 : in(*p, 0xe0, 0xef) ? 3 : in(*p, 0xf0, 0xf4) ? 4 : 0;
    unsigned have = 1;
    while (have < n && have < left && in(p[have], 0x80, 0xbf))
        have++;
    if (n == 0 || (have < n && have < left))
        return bad();
    return good(have, have * BITS(4.2)); /* cut at the end: what is there */
}

static bool is_half_kana(const unsigned char *p, const unsigned char *start)
{
    return p >= start && in(*p, 0xa1, 0xdf);
}

static struct step sjis_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    static const char often[] =
        "\xdd\xde\xb0\xbd\xb8\xc4\xd9\xbc\xb2\xc3\xb6\xd7"; /* ﾝﾞｰｽｸﾄﾙｼｲﾃｶﾗ */
    if (in(*p, 0xa1, 0xdf)) { /* half-width katakana come in words of their own */
        unsigned bits = memchr(often, *p, sizeof(often) - 1) ? BITS(4.4) : BITS(6.3);
        bool is_first = !is_half_kana(p - 1, start), is_last = left < 2 || !in(p[1], 0xa1, 0xdf);
        return good(1, bits + (is_first ? BITS(1.5) : 0) + (is_first && is_last ? BITS(7) : 0));
    }
    if (!in(*p, 0x81, 0x9f) && !in(*p, 0xe0, 0xfc))
        return bad();
    if (left < 2)
        return good(1, BITS(8));
    unsigned char t = p[1];
    if (t < 0x40 || t == 0x7f || t > 0xfc)
        return bad();
    if (*p == 0x82 && t >= 0x9f)
        return t <= 0xf1 ? good(2, BITS(7.2)) : bad();
    if (*p == 0x83 && t <= 0x96)
        return good(2, BITS(8.2));
    if (*p == 0x81)
        return good(2, t <= 0xac ? BITS(9) : BITS(13));
    if (*p == 0x82)
        return in(t, 0x4f, 0x9a) ? good(2, BITS(11)) : bad();
    if (in(*p, 0x88, 0x97) || (*p == 0x98 && t <= 0x72))
        return good(2, BITS(13));
    if (in(*p, 0x98, 0x9f) || in(*p, 0xe0, 0xea))
        return good(2, BITS(18.5));
    return good(2, in(*p, 0x87, 0x87) || in(*p, 0xed, 0xee) || in(*p, 0xfa, 0xfc) ? BITS(18)
                                                                                  : BITS(24));
}

static struct step euc_jp_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    (void)start;
    if (*p == 0x8e)
        return left < 2 ? good(1, BITS(8)) : in(p[1], 0xa1, 0xdf) ? good(2, BITS(12)) : bad();
    if (*p == 0x8f)
        return left < 3                                       ? good(1, BITS(12))
               : in(p[1], 0xa1, 0xfe) && in(p[2], 0xa1, 0xfe) ? good(3, BITS(26))
                                                              : bad();
    if (!in(*p, 0xa1, 0xfe))
        return bad();
    if (left < 2)
        return good(1, BITS(6));
    if (!in(p[1], 0xa1, 0xfe))
        return bad();
    if (*p == 0xa4)
        return p[1] <= 0xf3 ? good(2, BITS(7.2)) : bad();
    if (*p == 0xa5)
        return p[1] <= 0xf6 ? good(2, BITS(8.2)) : bad();
    if (*p == 0xa1)
        return good(2, BITS(9.5));
    if (*p == 0xa3)
        return good(2, BITS(11));
    return good(2, in(*p, 0xb0, 0xcf) ? BITS(13) : in(*p, 0xd0, 0xf4) ? BITS(18) : BITS(20));
}

/* Simplified Chinese: GB 2312 makes nearly all of a text, the characters in the order of use in its
 * first part. */
static struct step gb_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    (void)start;
    if (!in(*p, 0x81, 0xfe))
        return bad();
    if (left < 2)
        return good(1, BITS(6));
    unsigned char t = p[1];
    if (in(t, 0x30, 0x39))
        return left < 4                                       ? good((unsigned)left, BITS(20))
               : in(p[2], 0x81, 0xfe) && in(p[3], 0x30, 0x39) ? good(4, BITS(26))
                                                              : bad();
    if (t < 0x40 || t == 0x7f || t == 0xff)
        return bad();
    if (t < 0xa1 || *p < 0xa1) /* of GBK alone */
        return good(2, BITS(20));
    if (*p == 0xa1 || *p == 0xa3)
        return good(2, BITS(10));
    if (in(*p, 0xb0, 0xd7))
        return good(2, BITS(12));
    return good(2, in(*p, 0xd8, 0xf7) ? BITS(17) : BITS(18));
}

static struct step big5_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    (void)start;
    if (!in(*p, 0x81, 0xfe))
        return bad();
    if (left < 2)
        return good(1, BITS(6));
    unsigned char t = p[1];
    if (!in(t, 0x40, 0x7e) && !in(t, 0xa1, 0xfe))
        return bad();
    if (*p == 0xa1)
        return good(2, BITS(10));
    if (in(*p, 0xa4, 0xc6))
        return good(2, BITS(12.3));
    return good(2, in(*p, 0xc9, 0xf9) ? BITS(18) : in(*p, 0xa2, 0xa3) ? BITS(14) : BITS(22));
}

/* Korean: Hangul in the order of the alphabet, some leads far more often than others. */
static struct step korean_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    (void)start;
    static const char often[] = "\xb0\xb1\xb4\xb5\xb7\xb8\xba\xbb\xbc\xbd\xbf\xc0\xc1\xc4\xc6\xc7"
                                "\xc8";
    if (!in(*p, 0x81, 0xfe))
        return bad();
    if (left < 2)
        return good(1, BITS(6));
    unsigned char t = p[1];
    if (!in(t, 0x41, 0x5a) && !in(t, 0x61, 0x7a) && !in(t, 0x81, 0xfe))
        return bad();
    if (t < 0xa1 || *p < 0xa1) /* the 8,822 syllables that only Windows has */
        return good(2, *p <= 0xc6 ? BITS(20) : BITS(26));
    if (in(*p, 0xb0, 0xc8))
        return good(2, memchr(often, *p, sizeof(often) - 1) ? BITS(10.9) : BITS(13.5));
    return good(2, *p == 0xa1 || *p == 0xa3 ? BITS(12) : BITS(20));
}

/* ---- one byte a letter ---- */

static bool is_latin(unsigned char c)
{
    return in((unsigned char)(c | 0x20), 'a', 'z');
}

/* A letter of ASCII right beside it: of a word of Greek or Cyrillic letters none is. */
static bool is_in_latin(const unsigned char *p, size_t left, const unsigned char *start)
{
    return (p > start && is_latin(p[-1])) || (left > 1 && is_latin(p[1]));
}

/* Of the Russian alphabet from а to я, ё last: bits of a letter in a text. */
static const uint8_t russian[33] = {
    BITS(3.6), BITS(6),   BITS(4.5), BITS(5.9), BITS(5.1), BITS(3.6), BITS(6.8),
    BITS(6),   BITS(3.8), BITS(6.4), BITS(4.8), BITS(4.5), BITS(5),   BITS(3.9),
    BITS(3.2), BITS(5.2), BITS(4.4), BITS(4.2), BITS(4),   BITS(5.3), BITS(8.4),
    BITS(6.6), BITS(7.4), BITS(6.2), BITS(7.2), BITS(8),   BITS(11),  BITS(5.7),
    BITS(5.9), BITS(8.4), BITS(7.3), BITS(5.6), BITS(9),
};
#define UPPER 64 /* added to the number of a letter */
#define NONE 255

/* KOI8 has the letters at the places of their Latin sounds. */
static const uint8_t koi8[32] = {30, 0,  1,  22, 4,  5,  20, 3, 21, 8,  9, 10, 11, 12, 13, 14,
                                 15, 31, 16, 17, 18, 19, 6,  2, 28, 27, 7, 24, 29, 25, 23, 26};

static unsigned letter_1251(unsigned char c)
{
    if (c >= 0xe0)
        return c - 0xe0u;
    if (c >= 0xc0)
        return c - 0xc0u + UPPER;
    return c == 0xb8 ? 32 : c == 0xa8 ? 32 + UPPER : NONE;
}

static unsigned letter_koi8(unsigned char c)
{
    if (c >= 0xe0)
        return koi8[c - 0xe0] + UPPER;
    if (c >= 0xc0)
        return koi8[c - 0xc0];
    return c == 0xa3 ? 32 : c == 0xb3 ? 32 + UPPER : NONE;
}

static unsigned letter_8859_5(unsigned char c)
{
    if (in(c, 0xb0, 0xcf))
        return c - 0xb0u + UPPER;
    if (in(c, 0xd0, 0xef))
        return c - 0xd0u;
    return c == 0xf1 ? 32 : c == 0xa1 ? 32 + UPPER : NONE;
}

static unsigned letter_866(unsigned char c)
{
    if (in(c, 0x80, 0x9f))
        return c - 0x80u + UPPER;
    if (in(c, 0xa0, 0xaf))
        return c - 0xa0u;
    if (in(c, 0xe0, 0xef))
        return c - 0xe0u + 16;
    return c == 0xf1 ? 32 : c == 0xf0 ? 32 + UPPER : NONE;
}

static struct step russian_step(const unsigned char *p, size_t left, const unsigned char *start,
                                unsigned (*letter)(unsigned char))
{
    unsigned now = letter(*p);
    if (now == NONE) /* typographic marks, frames */
        return good(1, BITS(12));
    unsigned before = p > start && p[-1] >= 0x80 ? letter(p[-1]) : NONE;
    bool is_upper = now >= UPPER;
    unsigned bits = russian[now & (UPPER - 1)];
    if (is_in_latin(p, left, start))
        bits += BITS(4);
    if (before == NONE)
        return good(1, bits + (is_upper ? BITS(2) : BITS(1)));
    if (before >= UPPER) /* ОШИБКА, or the second letter of a sentence */
        return good(1, bits + BITS(1));
    return good(1, bits + (is_upper ? BITS(9) : 0));
}

static struct step windows_1251_step(const unsigned char *p, size_t left,
                                     const unsigned char *start)
{
    return russian_step(p, left, start, letter_1251);
}

static struct step koi8_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    return russian_step(p, left, start, letter_koi8);
}

static struct step iso_8859_5_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    return russian_step(p, left, start, letter_8859_5);
}

static struct step ibm866_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    return russian_step(p, left, start, letter_866);
}

/* Greek, in windows-1253: letters with an accent have places of their own. */
static struct step greek_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    static const char often[] = "\xe1\xe5\xe9\xef\xed\xf4\xf3\xf2\xf1\xea\xf0\xe7\xf5\xeb\xec";
    bool follows = p > start && p[-1] >= 0xb8;
    if (*p == 0xd2 || *p == 0xff || *p == 0xaa)
        return bad();
    if (is_in_latin(p, left, start))
        return good(1, BITS(10));
    if (memchr(often, *p, sizeof(often) - 1))
        return good(1, BITS(4.3) + (follows ? 0 : BITS(1.5)));
    if (*p >= 0xe0 || in(*p, 0xdc, 0xdf))
        return good(1, BITS(5.8) + (follows ? 0 : BITS(1.5)));
    bool is_upper = *p >= 0xc1 || in(*p, 0xb8, 0xbf) || *p == 0xa2;
    if (!is_upper)
        return good(1, BITS(12));
    return good(1, follows && p[-1] >= 0xdc ? BITS(13) : BITS(7));
}

/* Latin letters with marks stand alone among others: two together are rare, and so are those that
 * no ASCII letter is beside. */
static struct step latin_step(const unsigned char *p, size_t left, const unsigned char *start,
                              unsigned bits)
{
    bool is_run = p > start && p[-1] >= 0x80;
    bool has_letter = is_in_latin(p, left, start);
    return good(1, bits + (is_run ? BITS(5) : 0) + (has_letter ? 0 : BITS(3.5)));
}

static struct step windows_1252_step(const unsigned char *p, size_t left,
                                     const unsigned char *start)
{
    static const char often[] = "\xe9\xe8\xe0\xe4\xf6\xfc\xdf\xe7\xf3\xed\xe1\xf1\xe3\xe5\xf8\xea";
    static const char marks[] = "\x80\x82\x84\x85\x91\x92\x93\x94\x96\x97\xa0\xa7\xa9\xab\xb0\xbb";
    if (memchr("\x81\x8d\x8f\x90\x9d", *p, 5))
        return bad();
    if (memchr(often, *p, sizeof(often) - 1))
        return latin_step(p, left, start, BITS(4.6));
    if (memchr(marks, *p, sizeof(marks) - 1))
        return good(1, BITS(10));
    if (*p >= 0xe0)
        return latin_step(p, left, start, BITS(7));
    return *p >= 0xc0 ? latin_step(p, left, start, BITS(8.5)) : good(1, BITS(14));
}

static struct step windows_1250_step(const unsigned char *p, size_t left,
                                     const unsigned char *start)
{
    /* ą ę ł ś ż ó ć ń ź š č ř ž ý á í é ě ů ő ű ť ď ľ */
    static const char often[] = "\xb9\xea\xb3\x9c\xbf\xf3\xe6\xf1\x9a\xe8\xf8\x9e\xfd\xe1\xed\xe9"
                                "\xec\xf9";
    static const char rare[] = "\x9f\xf5\xfb\x9d\xef\xbe\xf6\xfc\xe4\xa3\x8c\xaf\x8a\xc8\xd8\x8e";
    if (memchr("\x81\x83\x88\x90\x98", *p, 5))
        return bad();
    if (memchr(often, *p, sizeof(often) - 1))
        return latin_step(p, left, start, BITS(5));
    if (memchr(rare, *p, sizeof(rare) - 1))
        return latin_step(p, left, start, BITS(7.5));
    return *p >= 0xc0 ? latin_step(p, left, start, BITS(9.5)) : good(1, BITS(14));
}

/* Of DOS; also what its frames are drawn with, which is why runs of others cost little. */
static struct step ibm850_step(const unsigned char *p, size_t left, const unsigned char *start)
{
    /* é ä à ç è ö ü ß á í ó ñ å ê */
    static const char often[] = "\x82\x84\x85\x87\x8a\x94\x81\xe1\xa0\xa1\xa2\xa4\x86\x88";
    if (memchr(often, *p, sizeof(often) - 1))
        return latin_step(p, left, start, BITS(5));
    if (in(*p, 0x80, 0xa3) || *p == 0xc6 || *p == 0xe4)
        return latin_step(p, left, start, BITS(8));
    return good(1, BITS(14));
}

/* ---- the candidates ---- */

static const struct {
    const char *name;
    model_fn step;
    unsigned prior; /* sixteenths of a bit: what speaks against it before anything is seen */
    /* bits a byte that a text of it has, and from which it is none */
    unsigned fair, none;
} candidates[] = {
    {"UTF-8", utf8_step, 0, BITS(9), BITS(10)},
    {"Shift_JIS", sjis_step, 0, BITS(7.3), BITS(8.5)},
    {"EUC-JP", euc_jp_step, 0, BITS(6.9), BITS(8)},
    {"GB18030", gb_step, 0, BITS(6.9), BITS(7.5)},
    {"Big5", big5_step, 0, BITS(7.8), BITS(8.6)},
    {"EUC-KR", korean_step, 0, BITS(6.7), BITS(7.6)},
    {"windows-1251", windows_1251_step, 0, BITS(6), BITS(7)},
    {"KOI8-R", koi8_step, 0, BITS(6), BITS(7)},
    {"ISO-8859-5", iso_8859_5_step, BITS(3), BITS(6), BITS(7)},
    {"IBM866", ibm866_step, BITS(3), BITS(6), BITS(7)},
    {"windows-1253", greek_step, BITS(3), BITS(6), BITS(7)},
    {"windows-1252", windows_1252_step, 0, BITS(7), BITS(8.4)},
    {"windows-1250", windows_1250_step, BITS(6), BITS(7), BITS(8.4)},
    {"IBM850", ibm850_step, BITS(4), BITS(6.2), BITS(7.6)},
};
_Static_assert(ARRAY_LEN(candidates) <= CHARSET_CANDIDATES, "the state has room for each");

static void add_to(struct charset_guess *g, size_t candidate, struct view text)
{
    const unsigned char *p = (const unsigned char *)text.p, *start = p, *end = p + text.n;
    while (p < end) {
        if (*p < 0x80) {
            p++;
            continue;
        }
        struct step s = candidates[candidate].step(p, (size_t)(end - p), start);
        g->bits[candidate] += s.bits;
        g->bad[candidate] += s.is_bad;
        p += s.n;
    }
}

/* Begins of Japanese text in ISO-2022-JP. */
static unsigned jis_escapes(struct view text)
{
    unsigned n = 0;
    for (size_t i = 0; i + 4 < text.n; i++) {
        const char *p = text.p + i;
        bool is_one = *p == 0x1b && ((p[1] == '$' && (p[2] == 'B' || p[2] == '@')) ||
                                     (p[1] == '(' && p[2] == 'I'));
        n += is_one && in((unsigned char)p[3], 0x21, 0x7e) && in((unsigned char)p[4], 0x21, 0x7e);
    }
    return n;
}

/* A text of UTF-16 has blanks and digits, so zeros, at one kind of places alone. */
static void look_for_wide(struct charset_guess *g, struct view text)
{
    size_t at[2] = {0, 0};
    for (size_t i = 0; i < text.n; i++)
        at[i % 2] += text.p[i] == 0;
    if (text.n > 0 && text.n % 2 == 1 && text.p[0] == 0)
        at[0]--; /* the other half of the line end before (LE) */
    if (at[1] >= WIDE_MIN && at[0] * 8 < at[1])
        g->wide_le++;
    else if (at[0] >= WIDE_MIN && at[1] * 8 < at[0])
        g->wide_be++;
}

static void forget_half(struct charset_guess *g)
{
    for (size_t i = 0; i < ARRAY_LEN(g->bits); i++) {
        g->bits[i] /= 2;
        g->bad[i] /= 2;
    }
    g->bytes /= 2;
    g->messages /= 2;
    g->escapes /= 2;
    g->wide_le /= 2;
    g->wide_be /= 2;
}

void charset_guess_add(struct charset_guess *g, struct view raw)
{
    struct view text = view_of(raw.p, MIN(raw.n, (size_t)LOOKED_AT_BYTES));
    while (text.n > 0 && text.p[text.n - 1] == '\n')
        text.n--;
    unsigned escapes = jis_escapes(text);
    if (escapes == 0 && utf8_is_clean(text))
        return;
    uint32_t wide = g->wide_le + g->wide_be, high = 0;
    g->escapes += escapes > 0;
    g->messages++;
    look_for_wide(g, text);
    if (wide != g->wide_le + g->wide_be)
        return; /* its bytes say nothing about other charsets */
    for (size_t i = 0; i < text.n; i++)
        high += (unsigned char)text.p[i] >= 0x80;
    g->bytes += high;
    for (size_t i = 0; high > 0 && i < ARRAY_LEN(candidates); i++)
        add_to(g, i, text);
    if (g->bytes >= BYTES_MAX || g->messages >= BYTES_MAX)
        forget_half(g);
}

/* Share of the messages that are so, as a guess: a few others do not matter. */
static bool most_are(const struct charset_guess *g, uint32_t n, unsigned *ret_percent)
{
    if (n < 1 || (uint64_t)n * 2 < g->messages)
        return false;
    uint64_t percent = (uint64_t)n * 100 / g->messages;
    *ret_percent = (unsigned)MIN(percent, n == 1  ? UINT64_C(80)
                                          : n < 4 ? UINT64_C(95)
                                                  : UINT64_C(99));
    return true;
}

/* What is Central European for a word or two is Western mostly, for instance. */
static uint32_t bits_of(const struct charset_guess *g, size_t candidate)
{
    return g->bits[candidate] + candidates[candidate].prior;
}

/* From bits a byte, bits ahead of the second and bytes that are none. */
static unsigned how_sure(const struct charset_guess *g, size_t best, size_t second)
{
    uint32_t ahead = bits_of(g, second) - bits_of(g, best), a_byte = g->bits[best] / g->bytes;
    unsigned fair = candidates[best].fair, none = candidates[best].none;
    if (a_byte >= none || g->bad[best] * 10 > g->bytes)
        return 0; /* no text of any of them */
    unsigned percent = (unsigned)(MIN(ahead, (uint32_t)SURE_BITS) * 99 / SURE_BITS);
    if (a_byte > fair)
        percent = percent * (none - a_byte) / (none - fair);
    percent -= percent * MIN(g->bad[best] * 8, g->bytes) / g->bytes;
    return g->bytes < 8 ? percent * g->bytes / 8 : percent;
}

const struct charset *charset_guess(const struct charset_guess *g, unsigned *ret_percent)
{
    if (most_are(g, g->escapes, ret_percent))
        return charset_find(VIEW("ISO-2022-JP"));
    if (most_are(g, g->wide_le, ret_percent))
        return charset_find(VIEW("UTF-16LE"));
    if (most_are(g, g->wide_be, ret_percent))
        return charset_find(VIEW("UTF-16BE"));
    if (g->bytes < BYTES_MIN)
        return NULL;
    size_t best = 0, second = 1;
    for (size_t i = 1; i < ARRAY_LEN(candidates); i++) {
        if (bits_of(g, i) < bits_of(g, best)) {
            second = best;
            best = i;
        } else if (i == second || bits_of(g, i) < bits_of(g, second)) {
            second = i;
        }
    }
    unsigned percent = how_sure(g, best, second);
    if (best == 0 || percent == 0)
        return NULL;
    *ret_percent = percent;
    return charset_find(view_str(candidates[best].name));
}
