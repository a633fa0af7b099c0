/* Text of strangers, made safe for a terminal or a JSON document. */
#ifndef AZEKURA_CLI_TEXT_H
#define AZEKURA_CLI_TEXT_H

#include "base/buf.h"
#include "base/view.h"

/* Append clean text for a terminal: control characters (C0, DEL, C1, and those that change the
 * direction of writing) as visible escapes \n \r \t \x1b \u202e, so that a message can neither move
 * the cursor nor pretend to be another line. */
void text_add_visible(struct buf *out, struct view v);
/* Append a JSON string with its quotes, or null for a null view. */
void text_add_json(struct buf *out, struct view v);
/* Columns that clean text takes on a terminal: two for the wide characters of East Asia. */
int text_columns(struct view v);
/* "1,234,567" */
#define TEXT_NUMBER_MAX 32
const char *text_number(int64_t n, char out[TEXT_NUMBER_MAX]);
/* "3.4 GB", powers of ten as storage is sold */
const char *text_bytes(int64_t n, char out[TEXT_NUMBER_MAX]);

#endif
