/* The id of a message: 16 hexadecimal digits of received_at (µs since 1970), '-', 16 of its
 * sequence number.  Stable across compaction and restarts; the order of ids is the order of
 * messages.  Opaque to users. */
#ifndef AZEKURA_ENTRY_ID_H
#define AZEKURA_ENTRY_ID_H

#include "base/base.h"
#include "base/view.h"

#define ENTRY_ID_BYTES 33

struct entry_id {
    int64_t at_us;
    uint64_t seq;
};

/* Exactly ENTRY_ID_BYTES characters, not NUL-terminated. */
void entry_id_format(struct entry_id id, char out[ENTRY_ID_BYTES]);
/* 0, or -EINVAL for anything that entry_id_format does not write. */
MUST_USE int entry_id_parse(struct view text, struct entry_id *ret);

/* < 0, 0, > 0: the order of messages. */
static inline int entry_id_compare(struct entry_id a, struct entry_id b)
{
    if (a.at_us != b.at_us)
        return a.at_us < b.at_us ? -1 : 1;
    return a.seq < b.seq ? -1 : a.seq > b.seq;
}

#endif
