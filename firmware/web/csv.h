/* CSV for spreadsheets: RFC 4180 cells that no spreadsheet takes for a formula. */
#ifndef AZEKURA_WEB_CSV_H
#define AZEKURA_WEB_CSV_H

#include "base/buf.h"
#include "base/view.h"

/* Append one cell, quoted where RFC 4180 needs it.  Log text is a stranger's: a cell that begins
 * like a formula (= + - @, their full-width forms, tab, CR, LF) gets an apostrophe in front.  A
 * null view is an empty cell. */
void csv_cell(struct buf *out, struct view text);

#endif
