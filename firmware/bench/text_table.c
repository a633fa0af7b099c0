#include "bench/text_table.h"

#include "base/utf8.h"
#include "bench/report/html.h"

#define CELLS_MAX_BYTES (32u << 20)
#define HOSTILE_MAX_BYTES 8192

void text_table_init(struct text_table *t, const char *align)
{
    CHECK(strlen(align) <= TEXT_TABLE_COLUMNS_MAX);
    *t = (struct text_table){.cells = BUF_INIT(CELLS_MAX_BYTES),
                             .columns = strlen(align),
                             .align = align,
                             .max_columns = TEXT_CELL_MAX_COLUMNS};
}

void text_table_done(struct text_table *t)
{
    buf_free(&t->cells);
}

/* How many bytes of clean text take at most so many columns. */
static size_t fitting(const char *s, size_t columns)
{
    size_t n = 0, all = strlen(s), used = 0;
    while (n < all) {
        uint32_t c;
        char one[5] = "";
        unsigned length = utf8_decode(s + n, all - n, &c);
        memcpy(one, s + n, length);
        used += text_columns(one);
        if (used > columns)
            break;
        n += length;
    }
    return n;
}

void text_table_add(struct text_table *t, const char *text)
{
    struct buf clean = BUF_INIT(HOSTILE_MAX_BYTES);
    text_clean(&clean, text);
    const char *s = buf_str(&clean);
    if (text_columns(s) > t->max_columns) {
        buf_add(&t->cells, s, fitting(s, t->max_columns - 1));
        buf_add_str(&t->cells, "…");
    } else
        buf_add_str(&t->cells, s);
    buf_add_char(&t->cells, '\0');
    if (!t->cells.is_full)
        t->cells_n++;
    buf_free(&clean);
}

static void add_blanks(struct buf *out, size_t n)
{
    while (n-- > 0)
        buf_add_char(out, ' ');
}

static void widths_of(const struct text_table *t, size_t widths[TEXT_TABLE_COLUMNS_MAX])
{
    const char *cell = t->cells.p;
    for (size_t i = 0; i < t->cells_n; i++, cell += strlen(cell) + 1) {
        size_t n = text_columns(cell);
        if (n > widths[i % t->columns])
            widths[i % t->columns] = n;
    }
}

static void add_rule(const struct text_table *t, const size_t *widths, int indent, struct buf *out)
{
    add_blanks(out, (size_t)indent);
    for (size_t i = 0; i < t->columns; i++) {
        for (size_t k = 0; k < widths[i]; k++)
            buf_add_str(out, "─");
        buf_add_str(out, i + 1 < t->columns ? "  " : "\n");
    }
}

/* Without blanks at its end. */
static void end_line(struct buf *out)
{
    while (out->n > 0 && out->p[out->n - 1] == ' ')
        out->n--;
    buf_add_char(out, '\n');
}

void text_table_print(const struct text_table *t, bool has_header, int indent, struct buf *out)
{
    size_t widths[TEXT_TABLE_COLUMNS_MAX] = {0};
    const char *cell = t->cells.p;
    widths_of(t, widths);
    for (size_t i = 0; i < t->cells_n; i++, cell += strlen(cell) + 1) {
        size_t column = i % t->columns, gap = widths[column] - text_columns(cell);
        bool is_last = column + 1 == t->columns, is_right = t->align[column] == 'r';
        if (column == 0)
            add_blanks(out, (size_t)indent);
        if (is_right)
            add_blanks(out, gap);
        buf_add_str(out, cell);
        if (!is_last)
            add_blanks(out, (is_right ? 0 : gap) + 2);
        else
            end_line(out);
        if (has_header && i + 1 == t->columns)
            add_rule(t, widths, indent, out);
    }
}

/* The first byte of a character of East Asian writing (U+3000…U+DFFF): a line may break before it.
 */
static bool is_wide_lead(char c)
{
    return (unsigned char)c >= 0xe3 && (unsigned char)c <= 0xed;
}

void text_wrap(const char *text, int indent, int width, struct buf *out)
{
    struct buf clean = BUF_INIT(HOSTILE_MAX_BYTES);
    text_clean(&clean, text);
    const char *s = buf_str(&clean);
    size_t room = (size_t)MAX(20, width - indent);
    while (*s) {
        size_t n = fitting(s, room), cut = n;
        if (s[n]) {
            while (cut > 0 && s[cut] != ' ' && !is_wide_lead(s[cut]))
                cut--;
            n = cut > 0 ? cut : n;
        }
        add_blanks(out, (size_t)indent);
        buf_add(out, s, n);
        buf_add_char(out, '\n');
        s += n;
        s += strspn(s, " ");
    }
    buf_free(&clean);
}
