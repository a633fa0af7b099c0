/* One message as a line of output. */
#ifndef AZEKURA_CLI_ENTRY_H
#define AZEKURA_CLI_ENTRY_H

#include "base/buf.h"
#include "base/zone.h"
#include "store/search.h"

#define ENTRY_MAX_BYTES (16u << 20) /* of a message of 1 MiB, every byte of it an escape */

/* "2026-03-10 21:00:00.123456+09:00 192.0.2.1 local4.err core-1 sshd[123]: text", without a line
 * end. */
void entry_add_text(struct buf *out, const struct search_entry *e, const struct zone *zone);
/* A JSON object with exactly the fields of azekura.logs, without a line end. */
void entry_add_json(struct buf *out, const struct search_entry *e);

#endif
