/* query_find(): the table of what a word is, and a comparison with the plainest matcher there is.
 */
#include "query/query.h"

#include <criterion/criterion.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"

static const struct query_node *parse(struct arena *a, const char *text)
{
    const struct query_node *q;
    struct query_error e;
    cr_assert_eq(query_parse(a, view_str(text), &q, &e), 0, "%s: %s", text, e.message);
    cr_assert_eq(q->kind, QUERY_TEXT, "%s is no text", text);
    return q;
}

Test(find, words_parts_and_borders)
{
    static const struct {
        const char *query, *text;
        int at, length; /* -1: not found */
    } cases[] = {
        {"fail", "fail", 0, 4},
        {"fail", "it did FAIL.", 7, 4},
        {"fail", "failed", -1, 0},
        {"fail", "refail", -1, 0},
        {"fail", "failed to fail", 10, 4},
        {"fail*", "failed", 0, 4},
        {"*fail", "refail", 2, 4},
        {"*fail*", "refailed", 2, 4},
        {"fail", "a_fail_b", 2, 4},
        {"fail",
         "caf\xc3\xa9"
         "fail",
         5, 4},
        {"100%", "at 100% now", 3, 4},
        {"100%", "at 100%now", 3, 4},
        {"100%", "at 3100% now", -1, 0},
        {"%LINK-3-UPDOWN", "x%LINK-3-UPDOWN: y", 1, 14},
        {"%LINK-3-UPDOWN", "x%LINK-3-UPDOWNS: y", -1, 0},
        {"10.0.0.1", "10.0.0.10 10.0.0.1", 10, 8},
        {"\"link down\"", "uplink down link down", 12, 9},
        {"\"link down\"", "link  down", -1, 0},
        {"a*d", "a-b-c-d", 0, 7},
        {"a*d", "a b d", -1, 0},
        {"a*d", "a b axd", 4, 3},
        {"a*d", "ad", 0, 2},
        {"a*d", "axde axd", 5, 3},
        {"a*b*c", "aXbYbZc", 0, 7},
        {"a*b*c", "ac abc", 3, 3},
        {"\"x y\"*z", "x yz", 0, 4},
        {"\"x y\"*z", "x y z", -1, 0},
        {"*\"y z\"", "xy z", 1, 3},
        {"a*\"b c\"*d", "axb cyd", 0, 7},
        {"\xe5\xbf\x9c\xe7\xad\x94", "\xe7\x84\xa1\xe5\xbf\x9c\xe7\xad\x94\xe3\x81\xa7\xe3\x81\x99",
         3, 6},
        {"\xe5\xbf\x9c*\xe3\x81\x99",
         "\xe7\x84\xa1\xe5\xbf\x9c\xe7\xad\x94\xe3\x81\xa7\xe3\x81\x99", 3, 12},
        {"\xd0\xbc\xd0\xb8\xd1\x80", "\xd0\x9c\xd0\x98\xd0\xa0", 0, 6}, /* мир in МИР */
        {"\xc3\xa9t\xc3\xa9", "un \xc3\x89T\xc3\x89", 3, 5},
        {"\xc3\xa9", "x \xc3\x89", 2, 2},
        {"x", "", -1, 0},
        {"long", "lon", -1, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena a = ARENA_INIT;
        const struct query_node *q = parse(&a, cases[i].query);
        size_t length = 0;
        int64_t at = query_find(&q->pattern, view_str(cases[i].text), 0, &length);
        cr_expect_eq(at, cases[i].at, "%s in \"%s\": at %d, expected %d", cases[i].query,
                     cases[i].text, (int)at, cases[i].at);
        if (at >= 0)
            cr_expect_eq((int)length, cases[i].length, "%s in \"%s\": %zu bytes, expected %d",
                         cases[i].query, cases[i].text, length, cases[i].length);
        arena_done(&a);
    }
}

Test(find, a_match_is_found_at_every_place_of_a_text_of_every_length)
{
    struct arena a = ARENA_INIT;
    const struct query_node *q = parse(&a, "Needle7");
    for (size_t n = 7; n < 120; n++) {
        for (size_t at = 0; at + 7 <= n; at++) {
            char *text = xmalloc(n); /* of exactly this size, for AddressSanitizer */
            memset(text, '.', n);
            memcpy(text + at, at % 2 ? "nEEDLE7" : "Needle7", 7);
            size_t length;
            cr_assert_eq(query_find(&q->pattern, view_of(text, n), 0, &length), (int64_t)at,
                         "%zu of %zu", at, n);
            cr_assert_eq(query_find(&q->pattern, view_of(text, n), at, &length), (int64_t)at);
            cr_assert_eq(query_find(&q->pattern, view_of(text, n), at + 1, &length), -1);
            text[at + 3] = '-';
            cr_assert_eq(query_find(&q->pattern, view_of(text, n), 0, &length), -1);
            free(text);
        }
    }
    arena_done(&a);
}

/* ---- against the plainest matcher ---- */

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether pieces i… follow from `at` on, with any characters but blanks before each; tries
 * everything. */
static bool naive_rest(const struct query_pattern *p, size_t i, const char *text, size_t n,
                       size_t at)
{
    if (i == p->pieces_n)
        return !p->right_border || at == n || !is_alnum(text[at]);
    for (size_t s = at; s <= n; s++) {
        if (p->pieces[i].n <= n - s && memcmp(text + s, p->pieces[i].p, p->pieces[i].n) == 0 &&
            naive_rest(p, i + 1, text, n, s + p->pieces[i].n))
            return true;
        if (s < n && (unsigned char)text[s] <= ' ')
            return false;
    }
    return false;
}

static int64_t naive_find(const struct query_pattern *p, struct view text, size_t from)
{
    char folded[512];
    cr_assert_leq(text.n, sizeof(folded));
    utf8_fold_text(text, folded);
    struct view first = p->pieces[0];
    for (size_t at = from; at + first.n <= text.n; at++) {
        if (memcmp(folded + at, first.p, first.n) != 0 ||
            (p->left_border && at > 0 && is_alnum(folded[at - 1])))
            continue;
        if (naive_rest(p, 1, folded, text.n, at + first.n))
            return (int64_t)at;
    }
    return -1;
}

static uint32_t seed;

static unsigned chance(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Few characters, so that near misses are frequent: cases, borders, blanks, two scripts. */
static const char *const alphabet[] = {"a",
                                       "A",
                                       "b",
                                       "B",
                                       "1",
                                       "_",
                                       "-",
                                       " ",
                                       "a",
                                       "b",
                                       "\xc3\xa9",
                                       "\xc3\x89",
                                       "\xe5\xbf\x9c",
                                       "\xd0\xb0",
                                       "\xd0\x90"};

static void random_text(struct buf *out, unsigned longest)
{
    buf_clear(out);
    for (unsigned n = chance(longest + 1); n > 0; n--)
        buf_add_str(out, alphabet[chance(ARRAY_LEN(alphabet))]);
}

static void random_query(struct buf *out)
{
    struct buf piece = BUF_INIT(256);
    buf_clear(out);
    unsigned pieces = 1 + chance(3);
    if (chance(3) == 0)
        buf_add_char(out, '*');
    for (unsigned i = 0; i < pieces; i++) {
        do
            random_text(&piece, i ? 2 : 4);
        while (piece.n == 0);
        if (i > 0)
            buf_add_char(out, '*');
        buf_printf(out, "\"%s\"", buf_str(&piece));
    }
    if (chance(3) == 0)
        buf_add_char(out, '*');
    buf_free(&piece);
}

Test(find, agrees_with_a_naive_matcher_on_random_texts)
{
    struct buf query = BUF_INIT(1024), text = BUF_INIT(512);
    int found = 0;
    seed = 20261130;
    for (int round = 0; round < 100000; round++) {
        struct arena a = ARENA_INIT;
        random_query(&query);
        const struct query_node *q = parse(&a, buf_str(&query));
        for (int i = 0; i < 4; i++) {
            random_text(&text, i == 0 ? 8 : 100);
            size_t length = 0;
            int64_t got = query_find(&q->pattern, buf_view(&text), 0, &length);
            int64_t expected = naive_find(&q->pattern, buf_view(&text), 0);
            cr_assert_eq(got, expected, "round %d: %s in \"%s\": %d, expected %d", round,
                         buf_str(&query), buf_str(&text), (int)got, (int)expected);
            found += got >= 0;
        }
        arena_done(&a);
    }
    cr_assert_gt(found, 20000, "only %d found: the texts are too different", found);
    buf_free(&query);
    buf_free(&text);
}

/* of this thread: what else the machine does is no fault of the search */
static int64_t cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * US_PER_SECOND + t.tv_nsec / 1000;
}

Test(find, hostile_texts_take_no_longer_than_their_length_deserves)
{
    static const char *const queries[] = {"a*b",      "a*a*a*a*b",  "\"a a\"*b",
                                          "aaaaaaaa", "*aaaaaaaab", "a*"};
    static const char *const units[] = {"a", "a ", "aA", "aaaaaaa "};
    size_t n = 1 << 20;
    char *text = xmalloc(n);
    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        for (size_t i = 0; i < n; i++)
            text[i] = units[u][i % strlen(units[u])];
        for (size_t i = 0; i < ARRAY_LEN(queries); i++) {
            struct arena a = ARENA_INIT;
            const struct query_node *q = parse(&a, queries[i]);
            size_t length;
            int64_t began = cpu_us();
            (void)!query_find(&q->pattern, view_of(text, n), 0, &length);
            int64_t took = cpu_us() - began;
            cr_expect_lt(took, 5 * US_PER_SECOND, "%s in a megabyte of \"%s\" took %lld us",
                         queries[i], units[u], (long long)took);
            arena_done(&a);
        }
    }
    free(text);
}
