/* The search language on any bytes.  Input: the query, a NUL, the text to be searched.
 *   - an error stands inside the query and has a sentence
 *   - what is parsed can be written back, and that text means the same (unless it passes a limit)
 *   - finding in and matching against any clean text stays inside it */
#include "base/buf.h"
#include "base/limits.h"
#include "base/record.h"
#include "base/utf8.h"
#include "query/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_everywhere(const struct query_node *q, struct view text)
{
    for (size_t i = 0; i < q->children_n; i++)
        find_everywhere(q->children[i], text);
    if (q->kind != QUERY_TEXT)
        return;
    size_t from = 0, length = 0;
    for (int i = 0; i < 100; i++) {
        int64_t at = query_find(&q->pattern, text, from, &length);
        if (at < 0)
            break;
        CHECK((size_t)at >= from && length > 0 && length <= text.n - (size_t)at);
        from = (size_t)at + 1;
    }
}

static bool is_limit(const struct query_error *e)
{
    return strstr(e->message, "at most") != NULL;
}

static void write_back(const struct query_node *q, const struct record *r)
{
    struct arena a = ARENA_INIT;
    struct buf once = BUF_INIT(1 << 20), twice = BUF_INIT(1 << 20);
    const struct query_node *again;
    struct query_error e;
    CHECK(query_format(q, &once) == 0);
    if (query_parse(&a, buf_view(&once), &again, &e) < 0) {
        CHECK(is_limit(&e));
    } else {
        CHECK(query_format(again, &twice) == 0);
        CHECK(view_eq(buf_view(&once), buf_view(&twice)));
        CHECK(query_matches(q, r) == query_matches(again, r));
    }
    buf_free(&once);
    buf_free(&twice);
    arena_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    struct view query = view_of((const char *)data, nul ? (size_t)(nul - data) : size);
    struct view rest = nul ? view_of((const char *)nul + 1, size - query.n - 1) : VIEW("");
    struct arena a = ARENA_INIT;
    struct buf clean = BUF_INIT(1 << 22);
    const struct query_node *q;
    struct query_error e = {0};
    if (query_parse(&a, query, &q, &e) < 0) {
        CHECK(e.message[0] && e.at <= query.n && e.length <= query.n - e.at);
        CHECK(utf8_is_clean(view_str(e.message)));
    } else {
        /* memory of exactly the text's size, for AddressSanitizer */
        CHECK(utf8_clean(rest, &clean) == 0);
        char *exact = xmalloc(clean.n + !clean.n);
        if (clean.n > 0)
            memcpy(exact, clean.p, clean.n);
        struct view text = view_of(exact, clean.n);
        struct record r = {
            .reported_at_us = TIME_NONE, .hostname = text, .message = text, .severity = 3};
        find_everywhere(q, text);
        write_back(q, &r);
        free(exact);
    }
    buf_free(&clean);
    arena_done(&a);
    return 0;
}
