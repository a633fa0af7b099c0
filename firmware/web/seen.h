/* Which ids a live stream has sent lately, so that looking at overlapping times sends none twice.
 */
#ifndef AZEKURA_WEB_SEEN_H
#define AZEKURA_WEB_SEEN_H

#include "base/view.h"

#define SEEN_IDS 2048 /* four pages of a stream */
#define SEEN_ID_BYTES 33

struct seen {
    char ids[SEEN_IDS][SEEN_ID_BYTES];
    size_t n, next; /* filled; where the next goes, over the oldest */
};

bool seen_has(const struct seen *s, struct view id);
/* An id of another length is not remembered. */
void seen_add(struct seen *s, struct view id);

#endif
