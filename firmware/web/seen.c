/* A ring of ids.  Two thousand comparisons a message are a few µs, and a page has 500 at most. */
#include "web/seen.h"

bool seen_has(const struct seen *s, struct view id)
{
    for (size_t i = 0; i < s->n && id.n == SEEN_ID_BYTES; i++) {
        if (memcmp(s->ids[i], id.p, SEEN_ID_BYTES) == 0)
            return true;
    }
    return false;
}

void seen_add(struct seen *s, struct view id)
{
    if (id.n != SEEN_ID_BYTES)
        return;
    memcpy(s->ids[s->next], id.p, SEEN_ID_BYTES);
    s->next = (s->next + 1) % SEEN_IDS;
    s->n = s->n < SEEN_IDS ? s->n + 1 : SEEN_IDS;
}
