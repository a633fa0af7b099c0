/* CSV after RFC 4180: a writer into a buffer and a reader of what it writes.  Pure. */
#ifndef AZEKURA_BENCH_CSV_H
#define AZEKURA_BENCH_CSV_H

#include "base/buf.h"
#include "base/err.h"

#define CSV_FIELDS_MAX 256           /* of one row */
#define CSV_ROW_MAX_BYTES (1u << 20) /* the text of one row's fields */

/* A row after the other into `out`, whose is_full tells whether all found room.  Lines end in LF
 * (the RFC's CRLF is for transport; sngbench's files have LF). */
struct csv_writer {
    struct buf *out;    /* borrowed */
    bool has_field;     /* the row has one already */
    bool is_lone_empty; /* … and it is a single empty one: an empty line would be no row */
};

/* Quoted where it holds a comma, a quote, CR or LF; null is as empty. */
void csv_field(struct csv_writer *w, struct view text);
void csv_int(struct csv_writer *w, int64_t n);
/* The shortest text that reads back as the same number; empty for what is no finite number. */
void csv_number(struct csv_writer *w, double x);
void csv_end_row(struct csv_writer *w);

/* Reads LF and CRLF; the last line need not end.  Empty lines are passed over.  Zero-initialised
 * with `rest` set it is ready; csv_reader_done() frees. */
struct csv_reader {
    struct view rest;                   /* borrowed: what is to be read */
    int64_t line;                       /* of the current row's beginning, from 1 */
    struct view fields[CSV_FIELDS_MAX]; /* of the current row, until the next call */
    size_t fields_n;
    int64_t next_line;
    struct buf text;
};

/* 1 with a row; 0 at the end; -EINVAL with *err naming the line: a quote that does not end, text
 * behind or a quote inside a field where none may be, over CSV_FIELDS_MAX or CSV_ROW_MAX_BYTES. */
MUST_USE int csv_next(struct csv_reader *r, struct err *err);
/* The field of the current row (a header) that is so called; -1: none. */
int csv_find(const struct csv_reader *r, const char *name);
/* The number in field i of the current row; NAN when it is empty, is none, or the row is shorter.
 */
double csv_value(const struct csv_reader *r, int i);
void csv_reader_done(struct csv_reader *r);

#endif
