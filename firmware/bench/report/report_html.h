/* The page's sections, for report_html*.c and compare_html.c alone. */
#ifndef AZEKURA_BENCH_REPORT_HTML_H
#define AZEKURA_BENCH_REPORT_HTML_H

#include "bench/figure.h"
#include "bench/report/html.h"
#include "bench/report/report_parts.h"
#include "bench/report/svg.h"

extern const char report_style[];

#define REPORT_HTML_TRIALS 200 /* rows of the table */
#define REPORT_HTML_LEDGERS 24
#define REPORT_HTML_TARGETS 6 /* whose graphs are drawn */

/* Up to the opened <main>, with the choice of the language; and the end. */
void report_html_begin(struct buf *out, struct words title);
void report_html_end(struct buf *out);
void report_html_heading(struct buf *out, const char *id, struct words title);
/* A cell with its label, which narrow screens show beside it; `value` is escaped. */
void report_html_cell(struct buf *out, struct words label, const char *value);

void report_html_trials(const struct report_view *v, struct buf *out);
void report_html_ledgers(const struct report_view *v, struct buf *out);
void report_html_matrix(const struct report_view *v, struct buf *out);
void report_html_sizing(const struct report_view *v, struct buf *out);
void report_html_charts(const struct report_view *v, struct buf *out);
void report_html_knees(const struct report_view *v, struct buf *out);

#endif
