/* samples.csv as rows with names (bench_samples.h).  `next` is an offset in the file. */
#include "web/bench_samples.h"

#include <unistd.h>

#define COLUMNS_MAX 64
#define NAME_MAX_BYTES 48
#define LINE_MAX_BYTES 4096
#define READ_BYTES 262144 /* at once; one answer reads no more */

struct header {
    char names[COLUMNS_MAX][NAME_MAX_BYTES + 1];
    size_t n;
    int64_t end; /* where the first sample begins */
};

static bool is_name(struct view v)
{
    if (v.n < 1 || v.n > NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < v.n; i++) {
        bool is_good = (v.p[i] >= 'a' && v.p[i] <= 'z') || (v.p[i] >= '0' && v.p[i] <= '9') ||
                       v.p[i] == '_';
        if (!is_good)
            return false;
    }
    return true;
}

/* A plain decimal, as it stands: digits with at most one point and one exponent. */
static bool is_number(struct view v)
{
    size_t i = v.n > 0 && v.p[0] == '-', digits = 0, begin = i;
    while (i < v.n && v.p[i] >= '0' && v.p[i] <= '9')
        i++;
    digits = i - begin;
    if (digits < 1 || (digits > 1 && v.p[begin] == '0'))
        return false;
    if (i < v.n && v.p[i] == '.') {
        for (begin = ++i; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++)
            ;
        if (i == begin)
            return false;
    }
    if (i < v.n && (v.p[i] == 'e' || v.p[i] == 'E')) {
        i++;
        i += i < v.n && (v.p[i] == '+' || v.p[i] == '-');
        for (begin = i; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++)
            ;
        if (i == begin)
            return false;
    }
    return i == v.n && v.n <= 40;
}

/* The next value of a line; false at its end. */
static bool cut(struct view *line, bool *is_first, struct view *ret)
{
    if (!*is_first && line->n == 0)
        return false;
    if (!*is_first)
        *line = view_of(line->p + 1, line->n - 1); /* the comma */
    *is_first = false;
    const char *comma = line->n > 0 ? memchr(line->p, ',', line->n) : NULL;
    size_t n = comma ? (size_t)(comma - line->p) : line->n;
    *ret = view_of(line->p, n);
    *line = view_of(line->p + n, line->n - n);
    return true;
}

/* 0; -EAGAIN while it is not written whole. */
static int read_header(int fd, struct header *h, struct err *err)
{
    char text[LINE_MAX_BYTES];
    ssize_t n = pread(fd, text, sizeof(text), 0);
    const char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
    if (!end && n < (ssize_t)sizeof(text))
        return -EAGAIN;
    struct view line = view_of(text, end ? (size_t)(end - text) : sizeof(text)), name;
    bool is_first = true, is_good = end != NULL;
    h->n = 0;
    h->end = end ? end + 1 - text : 0;
    while (is_good && cut(&line, &is_first, &name)) {
        is_good = h->n < COLUMNS_MAX && is_name(name);
        if (is_good)
            snprintf(h->names[h->n++], sizeof(h->names[0]), "%.*s", VIEW_ARG(name));
    }
    if (is_good)
        return 0;
    return err_set(err, EBADMSG, "damaged",
                   "samples.csv of this benchmark run is damaged: its first line names no columns");
}

static void add_row(struct json *j, const struct header *h, struct view line)
{
    struct view value;
    bool is_first = true;
    json_begin(j, '{');
    for (size_t i = 0; i < h->n; i++) {
        bool is_there = cut(&line, &is_first, &value) && is_number(value);
        json_key(j, h->names[i]);
        json_raw(j, is_there ? value : VIEW("null"));
    }
    json_end(j, '}');
}

/* Whole lines of `text`; returns how many bytes they are. */
static size_t add_rows(struct json *j, const struct header *h, struct view text, int limit)
{
    size_t used = 0;
    for (int rows = 0; rows < limit; rows++) {
        const char *begin = text.p + used;
        const char *end = memchr(begin, '\n', text.n - used);
        if (!end)
            break;
        add_row(j, h, view_of(begin, (size_t)(end - begin)));
        used = (size_t)(end + 1 - text.p);
    }
    return used;
}

static int add_after(struct json *j, int fd, const struct header *h, int64_t after, int limit,
                     int64_t *ret_next, struct err *err)
{
    int64_t at = after > 0 ? after : h->end;
    char before = 0;
    if (at < h->end || pread(fd, &before, 1, at - 1) != 1 || before != '\n')
        return err_set_field(err, EINVAL, "bad_value", "after",
                             "after: %lld is neither 0 nor a `next` of this run", (long long)after);
    char *text = xmalloc(READ_BYTES);
    ssize_t n = pread(fd, text, READ_BYTES, at);
    size_t used = n > 0 ? add_rows(j, h, view_of(text, (size_t)n), limit) : 0;
    free(text);
    if (used == 0 && n == READ_BYTES)
        return err_set(
            err, EBADMSG, "damaged",
            "samples.csv of this benchmark run is damaged: a line has more than %d bytes",
            READ_BYTES);
    *ret_next = at + (int64_t)used;
    return 0;
}

int bench_samples_add(struct json *j, int fd, int64_t after, int limit, struct err *err)
{
    struct header *h = xcalloc(1, sizeof(*h));
    int64_t next = after;
    int rc = fd < 0 ? -EAGAIN : read_header(fd, h, err);
    json_begin(j, '{');
    json_key(j, "rows");
    json_begin(j, '[');
    if (rc == 0)
        rc = add_after(j, fd, h, after, limit, &next, err);
    else if (rc == -EAGAIN)
        rc = 0;
    json_end(j, ']');
    json_key(j, "next");
    json_int(j, next);
    json_end(j, '}');
    free(h);
    return rc;
}
