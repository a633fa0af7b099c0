/* The message of an id, for functions that are asked about one. */
#ifndef AZEKURA_PGEXT_PAIRS_H
#define AZEKURA_PGEXT_PAIRS_H

#include "pgext/scan.h"

struct pairs_message {
    uint8_t flags;                        /* enum record_flag */
    struct view message, structured_data; /* palloc'd */
};

/* Fill in what comes from the columns FLAGS, MESSAGE and STRUCTURED_DATA among `columns` (bits).
 * false: there is no such message.  ERROR when it is no id. */
bool pairs_find_message(struct view id, uint32_t columns, struct pairs_message *ret);

#endif
