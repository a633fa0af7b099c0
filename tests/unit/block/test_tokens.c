/* Tokens of texts and of needles, and the filter over them. */
#include <criterion/criterion.h>

#include "base/utf8.h"
#include "block/token_filter.h"
#include "block/token_scan.h"
#include "block/tokens.h"
#include "unit/block/block_support.h"

struct hashes {
    uint64_t h[4096];
    size_t n;
};

static void collect(void *context, uint64_t hash)
{
    struct hashes *h = context;
    cr_assert_lt(h->n, ARRAY_LEN(h->h));
    h->h[h->n++] = hash;
}

static bool has(const struct hashes *h, uint64_t hash)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->h[i] == hash)
            return true;
    return false;
}

/* The hash of a text that is one token. */
static uint64_t one(const char *token)
{
    struct hashes h = {.n = 0};
    tokens_of_text(view_str(token), collect, &h);
    cr_assert_geq(h.n, 1);
    return h.h[h.n - 1]; /* of a dotted quad the whole comes last */
}

Test(tokens, a_text_has_exactly_its_words)
{
    static const struct {
        const char *text;
        const char *tokens[12];
    } cases[] = {
        {"", {NULL}},
        {" - _ . ", {NULL}},
        {"Failed password", {"failed", "password"}},
        {"user_name=Root;x", {"user", "name", "root", "x"}},
        {"a1B2c3D4e5F6g7H8", {"a1b2c3d4e5f6g7h8"}},
        {"12345678 123456789", {"12345678", "123456789"}},
        {"10.1.2.3", {"10", "1", "2", "3", "10.1.2.3"}},
        {"10.1.2.3.4", {"10", "1", "2", "3", "4", "10.1.2.3", "1.2.3.4"}},
        {"10.1.2 3", {"10", "1", "2", "3"}},
        {"10.1..2.3", {"10", "1", "2", "3"}},
        {"1000.1.2.3", {"1000", "1", "2", "3"}},
        {"1.2.3.x", {"1", "2", "3", "x"}},
        {"src=192.0.2.7/443", {"src", "192", "0", "2", "7", "443", "192.0.2.7"}},
        {"応答なし", {"応", "応答", "答", "答な", "な", "なし", "し"}},
        {"ÉCOLE école", {"é", "cole"}},
        {"é1.2.3.4", {"é", "1", "2", "3", "4", "1.2.3.4"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct hashes got = {.n = 0}, expected = {.n = 0};
        tokens_of_text(view_str(cases[i].text), collect, &got);
        for (size_t k = 0; k < ARRAY_LEN(cases[i].tokens) && cases[i].tokens[k] != NULL; k++) {
            struct hashes token = {.n = 0};
            tokens_of_text(view_str(cases[i].tokens[k]), collect, &token);
            /* a pair of characters gives both of them before itself or the second after it */
            for (size_t j = 0; j < token.n; j++)
                expected.h[expected.n++] = token.h[j];
        }
        for (size_t k = 0; k < got.n; k++)
            cr_assert(has(&expected, got.h[k]), "'%s' has a token too many", cases[i].text);
        for (size_t k = 0; k < expected.n; k++)
            cr_assert(has(&got, expected.h[k]), "'%s' lacks a token", cases[i].text);
    }
}

Test(tokens, borders_of_windows_change_nothing)
{
    /* The same words at every offset, so that each crosses the borders of 8 and 64 bytes. */
    char text[300];
    for (size_t before = 0; before < 140; before++) {
        memset(text, ' ', sizeof(text));
        memcpy(text + before, "Zeppelin9 192.0.2.17 xy", 23);
        for (size_t n = before + 23; n < before + 40; n++) {
            struct hashes h = {.n = 0};
            char *exact = xmalloc(n); /* a sanitizer sees a read beyond it */
            memcpy(exact, text, n);
            tokens_of_text(view_of(exact, n), collect, &h);
            free(exact);
            cr_assert_eq(h.n, 7, "%zu tokens at %zu of %zu", h.n, before, n);
            cr_assert(has(&h, one("zeppelin9")) && has(&h, one("192.0.2.17")) && has(&h, one("xy")),
                      "at %zu of %zu", before, n);
        }
    }
}

Test(tokens, a_needle_leaves_out_what_its_ends_may_cut)
{
    static const struct {
        const char *needle;
        bool left, right;
        const char *tokens[4];
    } cases[] = {
        {"fail", true, true, {"fail"}},
        {"fail", false, true, {NULL}},
        {"fail", true, false, {NULL}},
        {"failed for root", true, false, {"failed", "for"}},
        {"failed for root", false, true, {"for", "root"}},
        {"=root;", false, false, {"root"}},
        {"応", false, false, {"応"}},
        {"100%", true, false, {"100"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct hashes h = {.n = 0};
        size_t expected = 0;
        tokens_of_needle(view_str(cases[i].needle), cases[i].left, cases[i].right, collect, &h);
        for (; expected < 4 && cases[i].tokens[expected] != NULL; expected++)
            cr_assert(has(&h, one(cases[i].tokens[expected])), "'%s'", cases[i].needle);
        cr_assert_eq(h.n, expected, "'%s' has %zu tokens", cases[i].needle, h.n);
    }
    struct hashes h = {.n = 0};
    tokens_of_needle(VIEW("2.10.1.2.3.4"), false, true, collect, &h);
    cr_assert_not(has(&h, one("2.10.1.2")), "the cut number is in no quad");
    cr_assert(has(&h, one("10.1.2.3")) && has(&h, one("1.2.3.4")));
}

/* The matching rule of firmware/query/query.h, without any cleverness. */
static bool naive_match(struct view text, struct view needle, bool left, bool right)
{
    for (size_t i = 0; i + needle.n <= text.n; i++) {
        if (memcmp(text.p + i, needle.p, needle.n) != 0)
            continue;
        bool left_good = !left || !token_is_letter((uint8_t)needle.p[0]) || i == 0 ||
                         !token_is_letter((uint8_t)text.p[i - 1]);
        bool right_good = !right || !token_is_letter((uint8_t)needle.p[needle.n - 1]) ||
                          i + needle.n == text.n || !token_is_letter((uint8_t)text.p[i + needle.n]);
        if (left_good && right_good)
            return true;
    }
    return false;
}

Test(tokens, whatever_a_search_finds_has_the_tokens_of_its_needle)
{
    uint64_t seed = 23;
    struct arena a = ARENA_INIT;
    unsigned found = 0, asked = 0;
    for (unsigned round = 0; round < 40000; round++) {
        static const char alphabet[] = "aB1.9 _-";
        size_t n = chance_below(&seed, 90);
        struct view text = random_text(&seed, &a, n);
        if (round % 2 == 0) { /* few letters: many words and quads */
            char *p = arena_alloc(&a, n);
            for (size_t i = 0; i < n; i++)
                p[i] = alphabet[chance_below(&seed, sizeof(alphabet) - 1)];
            text = view_of(p, n);
        }
        if (text.n == 0)
            continue;
        char *folded = arena_alloc(&a, text.n);
        utf8_fold_text(text, folded);
        /* A needle out of the text, at borders of characters. */
        size_t from = chance_below(&seed, text.n), to = from + 1 + chance_below(&seed, 20);
        while (from > 0 && ((uint8_t)folded[from] & 0xc0) == 0x80)
            from--;
        to = MIN(to, text.n);
        while (to < text.n && ((uint8_t)folded[to] & 0xc0) == 0x80)
            to++;
        struct view needle = view_of(folded + from, to - from);
        for (unsigned borders = 0; borders < 4; borders++) {
            bool left = borders & 1, right = borders & 2;
            asked++;
            if (!naive_match(view_of(folded, text.n), needle, left, right))
                continue;
            found++;
            struct hashes of_text = {.n = 0}, of_needle = {.n = 0};
            tokens_of_text(text, collect, &of_text);
            tokens_of_needle(needle, left, right, collect, &of_needle);
            for (size_t i = 0; i < of_needle.n; i++)
                cr_assert(has(&of_text, of_needle.h[i]), "'%.*s' in '%.*s', borders %u",
                          VIEW_ARG(needle), VIEW_ARG(text), borders);
        }
        arena_clear(&a);
    }
    cr_assert(found > asked / 4 && found < asked, "%u of %u searches found something", found,
              asked);
    arena_done(&a);
}

Test(tokens, a_value_is_known_by_its_field_and_without_case)
{
    uint64_t h = token_of_value(COLUMN_HOSTNAME, VIEW("fw01.example.net"));
    cr_assert_eq(h, token_of_value(COLUMN_HOSTNAME, VIEW("FW01.Example.NET")));
    cr_assert_neq(h, token_of_value(COLUMN_APP_NAME, VIEW("fw01.example.net")));
    cr_assert_neq(h, token_of_value(COLUMN_HOSTNAME, VIEW("fw01.example.ne")));
    cr_assert_neq(token_of_value(COLUMN_HOSTNAME, VIEW("a-b")),
                  token_of_value(COLUMN_HOSTNAME, VIEW("a\rb")));
    char lengthy[3000];
    for (size_t i = 0; i + 4 <= sizeof(lengthy); i += 4)
        memcpy(lengthy + i, "\xf0\x90\x80\x80", 4);
    for (size_t shift = 0; shift < 4; shift++) { /* cut at each byte of a character */
        lengthy[0] = 'x';
        char *p = xmalloc(shift + 2000);
        memset(p, 'x', shift);
        memcpy(p + shift, "\xf0\x90\x80\x80", 4);
        for (size_t i = 4; i + 4 <= 2000; i += 4)
            memcpy(p + shift + i, "\xf0\x90\x80\x80", 4);
        (void)token_of_value(COLUMN_MSGID, view_of(p, shift + 2000));
        free(p);
    }
}

static bool may_contain(const struct buf *index, uint64_t hash)
{
    uint64_t offset;
    uint32_t n;
    tokens_slice(index->n, hash, &offset, &n);
    cr_assert_leq(offset + n, index->n);
    return tokens_slice_may_contain(view_of(index->p + offset, n), hash);
}

Test(tokens, an_index_has_what_was_put_in_and_little_else)
{
    static const size_t sizes[] = {1, 10, 64, 65, 1000, 100000};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        uint64_t seed = 31, *hashes = xcalloc(sizes[s], sizeof(*hashes));
        struct buf index;
        for (size_t i = 0; i < sizes[s]; i++)
            hashes[i] = chance(&seed);
        tokens_build(hashes, sizes[s], &index);
        cr_assert_leq(index.n, sizes[s] + 64);
        for (size_t i = 0; i < sizes[s]; i++)
            cr_assert(may_contain(&index, hashes[i]), "%zu of %zu", i, sizes[s]);
        unsigned wrong = 0;
        for (unsigned i = 0; i < 20000; i++)
            wrong += may_contain(&index, chance(&seed));
        cr_assert_lt(wrong, 20000 * 3 / 100, "%u of 20000 with %zu", wrong, sizes[s]);
        buf_free(&index);
        free(hashes);
    }
}

Test(tokens, an_index_of_an_unknown_shape_may_contain_anything)
{
    static const uint64_t sizes[] = {0, 1, 63, 65, 127, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        uint64_t offset = 9;
        uint32_t n = 9;
        tokens_slice(sizes[i], 12345, &offset, &n);
        cr_assert(offset == 0 && n == 0, "%lu bytes", (unsigned long)sizes[i]);
    }
    cr_assert(tokens_slice_may_contain(VIEW(""), 1));
}

Test(tokens, a_folded_filter_has_every_word_and_no_more_than_its_share_of_others)
{
    static const unsigned sizes[] = {1, 100, 3000, 40000};
    struct token_filter *f = xmalloc(sizeof(*f));
    token_filter_init(f);
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        struct buf index;
        uint64_t seed = 5;
        char word[40];
        token_filter_start(f, (size_t)sizes[s] * 120);
        for (unsigned i = 0; i < sizes[s]; i++) {
            int n = snprintf(word, sizeof(word), "Connection from port %u", i * 7919);
            token_filter_add_text(f, view_of(word, (size_t)n));
        }
        token_filter_finish(f, &index);
        cr_assert_eq(index.n % 64, 0);
        cr_assert_leq(index.n, 64 + sizes[s] * 3 / 2, "%zu bytes for %u words", index.n, sizes[s]);
        for (unsigned i = 0; i < sizes[s]; i++) {
            snprintf(word, sizeof(word), "%u", i * 7919);
            cr_assert(may_contain(&index, one(word)), "%s", word);
        }
        cr_assert(may_contain(&index, one("connection")));
        unsigned wrong = 0;
        for (unsigned i = 0; i < 20000; i++)
            wrong += may_contain(&index, chance(&seed));
        cr_assert_lt(wrong, 20000 * 3 / 100, "%u of 20000 with %u", wrong, sizes[s]);
        buf_free(&index);
    }
    token_filter_done(f);
    free(f);
}

Test(tokens, a_filter_that_is_far_too_small_is_full_and_has_every_word)
{
    struct token_filter *f = xmalloc(sizeof(*f));
    struct buf index;
    uint64_t seed = 9, again = 9;
    token_filter_init(f);
    token_filter_start(f, 1);
    for (unsigned i = 0; i < 5000; i++)
        token_filter_add(f, chance(&seed));
    token_filter_finish(f, &index);
    cr_assert_eq(index.n, 64);
    for (unsigned i = 0; i < 64; i++)
        cr_assert_eq((uint8_t)index.p[i], 0xff, "byte %u", i);
    for (unsigned i = 0; i < 5000; i++)
        cr_assert(may_contain(&index, chance(&again)), "%u", i);
    buf_free(&index);
    token_filter_done(f);
    free(f);
}

/* A filter is started for the bytes of its texts, and then has a line for 64 words, as many as
 * there are: the number of them comes out of the bits that they set. */
Test(tokens, a_filter_is_folded_to_the_words_that_it_has)
{
    static const unsigned words[] = {10, 64, 500, 4000, 30000, 60000};
    struct token_filter *f = xmalloc(sizeof(*f));
    token_filter_init(f);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct buf index;
        uint64_t seed = 3;
        token_filter_start(f, 4u << 20);
        for (unsigned k = 0; k < words[i]; k++)
            token_filter_add(f, chance(&seed));
        token_filter_finish(f, &index);
        size_t lines = index.n / 64, least = words[i] / 64;
        cr_assert_geq(lines, least - least / 20, "%u words: %zu lines", words[i], lines);
        cr_assert_leq(lines, 2 * least + 2, "%u words: %zu lines", words[i], lines);
        buf_free(&index);
    }
    token_filter_done(f);
    free(f);
}
