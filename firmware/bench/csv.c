/* Writing and reading comma-separated values. */
#include "bench/csv.h"

#include <math.h>

static void begin_field(struct csv_writer *w, bool is_empty)
{
    if (w->has_field)
        buf_add_char(w->out, ',');
    w->is_lone_empty = is_empty && !w->has_field;
    w->has_field = true;
}

void csv_field(struct csv_writer *w, struct view text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.n && !is_quoted; i++)
        is_quoted = memchr(",\"\r\n", text.p[i], 4) != NULL;
    begin_field(w, text.n == 0);
    if (!is_quoted) {
        buf_add_view(w->out, text);
        return;
    }
    buf_add_char(w->out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"')
            buf_add_char(w->out, '"');
        buf_add_char(w->out, text.p[i]);
    }
    buf_add_char(w->out, '"');
}

void csv_int(struct csv_writer *w, int64_t n)
{
    begin_field(w, false);
    buf_printf(w->out, "%lld", (long long)n);
}

void csv_number(struct csv_writer *w, double x)
{
    begin_field(w, !isfinite(x));
    if (!isfinite(x))
        return;
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    buf_add_str(w->out, text);
}

void csv_end_row(struct csv_writer *w)
{
    if (w->is_lone_empty)
        buf_add_str(w->out, "\"\"");
    buf_add_char(w->out, '\n');
    w->has_field = false;
    w->is_lone_empty = false;
}

/* A row being read: where its fields end in r->text, since that moves while it grows. */
struct row {
    struct csv_reader *r;
    struct err *err;
    size_t ends[CSV_FIELDS_MAX];
    size_t at; /* in r->rest */
};

static int fault(const struct row *row, const char *what)
{
    return err_set(row->err, EINVAL, "bad_csv", "line %lld: %s", (long long)row->r->line, what);
}

/* The quoted field that begins at row->at. */
static int read_quoted(struct row *row)
{
    struct view in = row->r->rest;
    for (size_t i = row->at + 1; i < in.n; i++) {
        if (in.p[i] == '"') {
            if (i + 1 == in.n || in.p[i + 1] != '"') {
                row->at = i + 1;
                return 0;
            }
            i++;
        }
        row->r->next_line += in.p[i] == '\n';
        if (buf_add_char(&row->r->text, in.p[i]) < 0)
            return fault(row, "the row is longer than 1 MiB");
    }
    return fault(row, "a quote is not closed");
}

static int read_plain(struct row *row)
{
    struct view in = row->r->rest;
    size_t i = row->at;
    while (i < in.n && !memchr(",\"\r\n", in.p[i], 4))
        i++;
    if (i < in.n && in.p[i] == '"')
        return fault(row, "a quote inside a field that is not quoted");
    if (buf_add(&row->r->text, in.p + row->at, i - row->at) < 0)
        return fault(row, "the row is longer than 1 MiB");
    row->at = i;
    return 0;
}

/* Bytes of the line end at row->at: 0 when there is none, also at the end of the text. */
static size_t line_end(const struct row *row)
{
    struct view in = row->r->rest;
    if (row->at == in.n || in.p[row->at] == '\n')
        return row->at < in.n;
    return in.p[row->at] == '\r' && row->at + 1 < in.n && in.p[row->at + 1] == '\n' ? 2 : 0;
}

/* A field and what ends it.  1: another follows, 0: the row is whole. */
static int read_field(struct row *row)
{
    struct csv_reader *r = row->r;
    if (r->fields_n == CSV_FIELDS_MAX)
        return fault(row, "more than 256 fields");
    int e = row->at < r->rest.n && r->rest.p[row->at] == '"' ? read_quoted(row) : read_plain(row);
    if (e < 0)
        return e;
    row->ends[r->fields_n++] = r->text.n;
    size_t end = line_end(row);
    if (end > 0 || row->at == r->rest.n) {
        r->next_line += end > 0;
        row->at += end;
        return 0;
    }
    return r->rest.p[row->at++] == ',' ? 1 : fault(row, "text where a comma or a line end belongs");
}

int csv_next(struct csv_reader *r, struct err *err)
{
    struct row row = {.r = r, .err = err};
    if (r->text.max == 0) {
        r->text = BUF_INIT(CSV_ROW_MAX_BYTES);
        r->next_line = 1;
    }
    size_t skip;
    while ((skip = line_end(&row)) > 0) {
        r->rest = view_of(r->rest.p + skip, r->rest.n - skip);
        r->next_line++;
    }
    buf_clear(&r->text);
    r->fields_n = 0;
    r->line = r->next_line;
    if (r->rest.n == 0)
        return 0;
    int e;
    do
        e = read_field(&row);
    while (e > 0);
    if (e < 0)
        return e;
    r->rest = view_of(r->rest.p + row.at, r->rest.n - row.at);
    const char *text = buf_view(&r->text).p;
    for (size_t i = 0, from = 0; i < r->fields_n; from = row.ends[i++])
        r->fields[i] = view_of(text + from, row.ends[i] - from);
    return 1;
}

int csv_find(const struct csv_reader *r, const char *name)
{
    for (size_t i = 0; i < r->fields_n; i++)
        if (view_eq(r->fields[i], view_str(name)))
            return (int)i;
    return -1;
}

double csv_value(const struct csv_reader *r, int i)
{
    char text[64], *end;
    if (i < 0 || (size_t)i >= r->fields_n || r->fields[i].n == 0 || r->fields[i].n >= sizeof(text))
        return NAN;
    memcpy(text, r->fields[i].p, r->fields[i].n);
    text[r->fields[i].n] = '\0';
    double x = strtod(text, &end);
    return *end ? NAN : x;
}

void csv_reader_done(struct csv_reader *r)
{
    buf_free(&r->text);
}
