/* The receiver's parser in the server: zone and charset by name, memory that an ERROR frees. */
#ifndef AZEKURA_PGEXT_PARSER_H
#define AZEKURA_PGEXT_PARSER_H

#include "pgext/pgext.h"
#include "syslog/syslog.h"

struct parser;

/* Lives as long as `context`.  A null view: UTC, UTF-8.  ERROR (class 22) names what is not known.
 */
struct parser *parser_open(MemoryContext context, struct view zone, struct view charset);
/* Whether it is the one for these names. */
bool parser_is_of(const struct parser *p, struct view zone, struct view charset);
/* Fill *ret from the bytes of a message; valid until the next call. */
void parser_parse(struct parser *p, int64_t received_at_us, struct view raw, struct record *ret);

/* The names of the marks of a message, text[]. */
Datum parser_marks(uint8_t flags);

#endif
