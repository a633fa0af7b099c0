/* Tokens of many texts at once: the same as text by text. */
#include <criterion/criterion.h>

#include "block/token_stream.h"
#include "block/tokens.h"
#include "unit/block/block_support.h"

#define TEXTS_MAX 400
#define BYTES_MAX (1u << 16)
#define HASHES_MAX (1u << 18)

struct hashes {
    uint64_t h[HASHES_MAX];
    size_t n;
};

static void collect_one(void *context, uint64_t hash)
{
    struct hashes *all = context;
    cr_assert_lt(all->n, HASHES_MAX);
    all->h[all->n++] = hash;
}

static void collect(void *context, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        collect_one(context, hashes[i]);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void make_set(struct hashes *all)
{
    size_t kept = 0;
    qsort(all->h, all->n, sizeof(all->h[0]), ascending);
    for (size_t i = 0; i < all->n; i++)
        if (kept == 0 || all->h[kept - 1] != all->h[i])
            all->h[kept++] = all->h[i];
    all->n = kept;
}

/* Texts one after another, as a column has them. */
struct texts_of_test {
    char bytes[BYTES_MAX + TOKEN_STREAM_SLACK];
    uint64_t sizes[TEXTS_MAX]; /* + 1; 0: null */
    size_t n, bytes_n;
};

static void add_text(struct texts_of_test *t, struct view text)
{
    cr_assert(t->n < TEXTS_MAX && text.n <= BYTES_MAX - t->bytes_n);
    if (text.n > 0)
        memcpy(t->bytes + t->bytes_n, text.p, text.n);
    t->sizes[t->n++] = view_is_null(text) ? 0 : text.n + 1;
    t->bytes_n += text.n;
}

static void expect_same(const struct texts_of_test *t, const char *name)
{
    static const struct {
        const char *name;
        enum token_stream_way way;
    } ways[] = {{"portable", TOKEN_STREAM_PORTABLE},
                {"AVX2", TOKEN_STREAM_AVX2},
                {"AVX-512", TOKEN_STREAM_AVX512}};
    static struct hashes one_by_one, at_once;
    one_by_one.n = 0;
    for (size_t i = 0, at = 0; i < t->n; i++) {
        size_t bytes = t->sizes[i] > 0 ? t->sizes[i] - 1 : 0;
        tokens_of_text(view_of(t->bytes + at, bytes), collect_one, &one_by_one);
        at += bytes;
    }
    make_set(&one_by_one);
    for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
        at_once.n = 0;
        token_stream_by(ways[w].way, view_of(t->bytes, t->bytes_n), t->sizes, t->n, collect,
                        &at_once);
        make_set(&at_once);
        cr_assert_eq(at_once.n, one_by_one.n, "%s, %s: %zu tokens, not %zu", name, ways[w].name,
                     at_once.n, one_by_one.n);
        cr_assert(memcmp(at_once.h, one_by_one.h, at_once.n * sizeof(uint64_t)) == 0,
                  "%s, %s: other tokens", name, ways[w].name);
    }
}

Test(token_stream, has_the_tokens_that_each_text_has)
{
    static const char *const cases[][8] = {
        {"one word", "another"},
        {"ends in a letter", "begins with one", "x", "y"},
        {"", "between empty ones", "", ""},
        {"from 10.1.2.3 to 10.1.2.4"},
        {"10.1.2.3", "4.5.6.7", "8"},
        {"10.1.2.", "3.4"},
        {"10.1.2", ".3.4.5.6"},
        {"1.2.3.4.5.6", "1..2.3.4", "1.2.3.x", "a1.2.3.4", "1.2.3.4b", "1.2.3.4567", "1234.1.2.3"},
        {"9.9.9.9x", "1.2x.3.4", "300.300.300.300."},
        {"exactly8", "and9bytes", "sixteen16sixteen", "seventeen17letter", "a"},
        {"averyveryveryveryveryveryveryveryveryveryveryveryveryveryverylongwordindeed0123456789"},
        {"ログイン", "しました", "失敗 root 失敗", "é", "naïve Ñandú", "абв10.0.0.1где"},
        {"日", "本", "日本"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        static struct texts_of_test t;
        t.n = t.bytes_n = 0;
        for (size_t k = 0; k < ARRAY_LEN(cases[i]) && cases[i][k] != NULL; k++)
            add_text(&t, view_str(cases[i][k]));
        expect_same(&t, cases[i][0]);
    }
}

/* A text of pieces that meet in all ways, from a few letters to far more than a window. */
static void add_random_text(struct texts_of_test *t, uint64_t *seed)
{
    static const char *const pieces[] = {
        "10.20.30.40", ".", "1", "12", "123", "1234", "word", " ", "Long1234word5678901234",
        "日本語",      "é", "-", "x",  "...", "9.9",  "/"};
    char text[400];
    size_t n = 0, wanted = chance(seed) % 12;
    if (chance(seed) % 20 == 0)
        wanted = 30;
    for (size_t i = 0; i < wanted; i++) {
        const char *piece = pieces[chance(seed) % ARRAY_LEN(pieces)];
        size_t bytes = strlen(piece);
        if (n + bytes > sizeof(text))
            break;
        memcpy(text + n, piece, bytes);
        n += bytes;
    }
    bool is_null = n == 0 && chance(seed) % 2 == 0;
    add_text(t, is_null ? VIEW_NULL : view_of(text, n));
}

Test(token_stream, has_the_tokens_that_each_of_many_random_texts_has)
{
    static struct texts_of_test t;
    uint64_t seed = 11;
    for (unsigned round = 0; round < 300; round++) {
        char name[32];
        snprintf(name, sizeof(name), "round %u", round);
        t.n = t.bytes_n = 0;
        size_t texts = 1 + chance(&seed) % (round % 10 == 0 ? TEXTS_MAX : 5);
        for (size_t i = 0; i < texts; i++)
            add_random_text(&t, &seed);
        expect_same(&t, name);
    }
}

Test(token_stream, of_texts_of_one_letter_each_has_every_letter)
{
    static struct texts_of_test t;
    t.n = t.bytes_n = 0;
    for (unsigned i = 0; i < TEXTS_MAX; i++)
        add_text(&t, view_of(&"abcdefghijklmnopqrstuvwxyz0123456789"[i % 36], 1));
    expect_same(&t, "letters");
}

/* A large message: short words, and after each `others` of them one of `bytes`. */
static void add_large_text(struct texts_of_test *t, size_t others, size_t bytes, uint64_t *seed)
{
    static char text[BYTES_MAX];
    size_t n = 0, room = BYTES_MAX / 2;
    for (size_t word = 0; n + bytes + 16 < room; word++) {
        size_t letters = word % (others + 1) == 0 ? bytes : 1 + chance(seed) % 10;
        for (size_t i = 0; i < letters; i++)
            text[n++] = (char)('a' + chance(seed) % 26);
        text[n++] = ' ';
    }
    add_text(t, view_of(text, n));
}

Test(token_stream, counts_short_words_among_those_of_hundreds_of_bytes)
{
    static struct texts_of_test t;
    static const size_t others[] = {0, 1, 3, 6, 7, 8, 15},
                        bytes[] = {1, 8, 9, 255, 256, 257, 511, 512, 1023, 3840};
    uint64_t seed = 5;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        for (size_t k = 0; k < ARRAY_LEN(bytes); k++) {
            char name[64];
            snprintf(name, sizeof(name), "%zu words, one of %zu bytes", others[i], bytes[k]);
            t.n = t.bytes_n = 0;
            add_large_text(&t, others[i], bytes[k], &seed);
            add_large_text(&t, others[i], bytes[k], &seed);
            expect_same(&t, name);
        }
}
