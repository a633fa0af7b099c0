/* Marks in any bytes, against a search that looks at one byte at a time and a list of all that was
 * found.  Input: a byte (how the text is split), then the text, in which "R" stands for the run, so
 * that short inputs reach far.
 *   - every mark is found, nothing else is
 *   - fed in parts, or by two that are merged, the counts are the same
 *   - found and missing are what was sent; the ranges add up to the counts */
#include "base/buf.h"
#include "bench/mark.h"
#include "bench/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RUN UINT64_C(0xfeedfacefeedface)
#define RUN_TEXT "feedfacefeedface"
#define RANGES 4096

struct found {
    uint64_t stream, number;
};

struct naive {
    struct found *p;
    size_t n, foreign, beyond;
};

static size_t digits(struct view t, size_t at, size_t max, uint64_t *ret)
{
    size_t n = 0;
    unsigned __int128 value = 0;
    for (; at + n < t.n && t.p[at + n] >= '0' && t.p[at + n] <= '9'; n++)
        if (value <= UINT64_MAX)
            value = value * 10 + (unsigned)(t.p[at + n] - '0');
    *ret = value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
    return n <= max ? n : 0;
}

/* Bytes of the mark that begins at `at`; 0: none does. */
static size_t naive_mark(struct view t, size_t at, struct found *ret)
{
    if (t.n - at < 21 || memcmp(t.p + at, "seq=", 4) != 0 || t.p[at + 20] != '-')
        return 0;
    for (size_t i = at + 4; i < at + 20; i++)
        if (!t.p[i] || !strchr("0123456789abcdef", t.p[i]))
            return 0;
    size_t i = at + 21, n = digits(t, i, MARK_STREAM_DIGITS, &ret->stream);
    if (n == 0 || i + n == t.n || t.p[i + n] != '-')
        return 0;
    i += n + 1;
    n = digits(t, i, MARK_NUMBER_DIGITS, &ret->number);
    return n ? i + n - at : 0;
}

static void naive_text(struct naive *v, struct view t)
{
    for (size_t at = 0; at < t.n;) {
        struct found f;
        size_t n = naive_mark(t, at, &f);
        if (n > 0 && memcmp(t.p + at + 4, RUN_TEXT, 16) != 0)
            v->foreign++;
        else if (n > 0 &&
                 (f.stream >= TALLY_STREAMS_MAX || f.number >= (uint64_t)TALLY_NUMBERS_MAX))
            v->beyond++;
        else if (n > 0)
            v->p[v->n++] = f;
        at += n ? n : 1;
    }
}

static int compare(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void check_ranges(const struct tally *t, const struct tally_result *r)
{
    static struct tally_range ranges[RANGES];
    size_t n = tally_missing(t, ranges, RANGES);
    int64_t missing = 0, repeated = 0;
    for (size_t i = 0; i < n; i++) {
        CHECK(ranges[i].from <= ranges[i].to);
        CHECK(i == 0 || ranges[i - 1].stream < ranges[i].stream ||
              (ranges[i - 1].stream == ranges[i].stream && ranges[i - 1].to + 1 < ranges[i].from));
        missing += ranges[i].to - ranges[i].from + 1;
    }
    CHECK(n == RANGES || missing == r->missing);
    n = tally_duplicated(t, ranges, RANGES);
    for (size_t i = 0; i < n; i++)
        repeated += ranges[i].to - ranges[i].from + 1;
    CHECK(repeated <= r->duplicated && (repeated > 0) == (r->duplicated > 0));
}

static void check(struct tally *t, struct naive *v)
{
    struct tally_result r;
    int64_t distinct = 0, reach = 0, streams = 0;
    for (size_t i = 0; i < v->n; i++) {
        bool is_last = i + 1 == v->n || v->p[i + 1].stream != v->p[i].stream;
        distinct += is_last || v->p[i + 1].number != v->p[i].number;
        reach += is_last ? (int64_t)v->p[i].number + 1 : 0;
        streams += is_last;
    }
    tally_result(t, &r);
    CHECK(r.found == distinct && r.missing == 0 && r.streams == streams);
    tally_expect_seen(t);
    tally_result(t, &r);
    CHECK(r.found == distinct && r.streams == streams && r.found + r.missing == reach);
    CHECK(r.duplicated == (int64_t)v->n - distinct);
    CHECK(r.unexpected == (int64_t)v->beyond && r.foreign == (int64_t)v->foreign);
    CHECK(tally_count(t).reach == reach && tally_count(t).found == distinct);
    if (reach < 1 << 22) /* looks at every place up to it */
        check_ranges(t, &r);
}

static void feed_parts(struct tally *t, struct view text, size_t part)
{
    size_t from = 0, to = 0;
    while (to < text.n) {
        to = MIN(to + part, text.n);
        from += tally_part(t, view_of(text.p + from, to - from));
        CHECK(from <= to && to - from < MARK_MAX_BYTES);
    }
    tally_text(t, view_of(text.p + from, text.n - from));
}

/* The marks in turn to two tallies, which become one. */
static void feed_two(struct tally *t, struct view text)
{
    struct tally *other = tally_new(RUN);
    struct mark m;
    size_t i = 0;
    for (size_t at = 0; mark_next(text, at, &m); at = m.end)
        tally_text(i++ % 2 ? other : t, view_of(text.p + m.at, m.end - m.at));
    tally_merge(t, other);
    tally_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 16384)
        return 0;
    struct buf b = BUF_INIT(1 << 20);
    for (size_t i = 1; i < size; i++)
        if (data[i] == 'R')
            buf_add_str(&b, RUN_TEXT);
        else
            buf_add_char(&b, (char)data[i]);
    char *exact = xmalloc(b.n + !b.n); /* of exactly the text's size, for AddressSanitizer */
    memcpy(exact, buf_view(&b).p, b.n);
    struct view text = view_of(exact, b.n);
    struct naive v = {.p = xcalloc(b.n / 24 + 1, sizeof(struct found))};
    naive_text(&v, text);
    qsort(v.p, v.n, sizeof(*v.p), compare);
    for (int way = 0; way < 3; way++) {
        struct tally *t = tally_new(RUN);
        if (way == 0)
            tally_text(t, text);
        else if (way == 1)
            feed_parts(t, text, 1 + data[0] % 97u);
        else
            feed_two(t, text);
        check(t, &v);
        tally_free(&t);
    }
    free(v.p);
    free(exact);
    buf_free(&b);
    return 0;
}
