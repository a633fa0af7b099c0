/* Writing a page: text from anywhere becomes text, never markup. */
#ifndef AZEKURA_BENCH_HTML_H
#define AZEKURA_BENCH_HTML_H

#include "base/buf.h"
#include "bench/report/answer.h"

/* `s` escaped for text and for attributes in double quotes.  What is not UTF-8, control characters
 * and those that turn the direction of writing become U+FFFD; at most TEXT_SHOWN_MAX bytes, then
 * "…". */
#define TEXT_SHOWN_MAX 2000
void html_text(struct buf *out, const char *s);
/* Both languages; the page shows one of them. */
void html_words(struct buf *out, struct words w);
/* One piece of the page with its text in place of %s, which is escaped. */
void html_cell(struct buf *out, const char *before, const char *text, const char *after);

/* The same cleaning for a terminal, without escapes. */
void text_clean(struct buf *out, const char *s);
/* Columns a terminal takes for clean text: wide East Asian characters are two, combining none. */
size_t text_columns(const char *s);

#endif
