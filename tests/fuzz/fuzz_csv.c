/* Any bytes as CSV.
 *   - an error names a line of the text
 *   - fields lie in memory that may be read
 *   - what is read and written again is read the same */
#include "bench/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROWS_MAX 1000

/* The rows of `text` written to `out`; the result of the last csv_next. */
static int copy(struct view text, struct buf *out, int64_t *ret_rows)
{
    struct csv_reader r = {.rest = text};
    struct csv_writer w = {.out = out};
    struct err err = {0};
    int e = 0;
    int64_t rows = 0;
    while (rows < ROWS_MAX && (e = csv_next(&r, &err)) > 0) {
        CHECK(r.fields_n > 0 && r.line > 0);
        for (size_t i = 0; i < r.fields_n; i++) {
            csv_field(&w, r.fields[i]);
            (void)csv_value(&r, (int)i);
        }
        (void)csv_find(&r, "name");
        csv_end_row(&w);
        rows++;
    }
    CHECK(e >= 0 || (e == -EINVAL && strncmp(err.message, "line ", 5) == 0));
    csv_reader_done(&r);
    *ret_rows = rows;
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once = BUF_INIT(1 << 24), twice = BUF_INIT(1 << 24);
    int64_t rows, again;
    (void)copy(view_of((const char *)data, size), &once, &rows);
    CHECK(!once.is_full);
    int e = copy(buf_view(&once), &twice, &again);
    CHECK(e >= 0 && rows == again && view_eq(buf_view(&once), buf_view(&twice)));
    buf_free(&once);
    buf_free(&twice);
    return 0;
}
