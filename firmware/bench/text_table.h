/* A table for a terminal: columns as wide as their widest cell, aligned. */
#ifndef AZEKURA_BENCH_TEXT_TABLE_H
#define AZEKURA_BENCH_TEXT_TABLE_H

#include "base/buf.h"

#define TEXT_TABLE_COLUMNS_MAX 12
#define TEXT_CELL_MAX_COLUMNS 34 /* longer text is cut with "…" */

struct text_table {
    struct buf cells; /* NUL-terminated, row by row */
    size_t columns, cells_n;
    const char *align;  /* a letter a column: l or r */
    size_t max_columns; /* of a cell; TEXT_CELL_MAX_COLUMNS where nobody sets it */
};

/* `align` is borrowed and says how many columns there are. */
void text_table_init(struct text_table *t, const char *align);
void text_table_done(struct text_table *t);
/* The next cell, cleaned. */
void text_table_add(struct text_table *t, const char *text);
/* With the first row as header when `has_header`; every line begins with `indent` blanks. */
void text_table_print(const struct text_table *t, bool has_header, int indent, struct buf *out);
/* Paragraph of cleaned text, lines of at most `width` columns; broken at blanks, and between wide
 * characters. */
void text_wrap(const char *text, int indent, int width, struct buf *out);

#endif
