/* A file that grows: what is new in it, line by line.  A file that was emptied is read from its
 * beginning again.  Only whole lines are given, but one that is longer than FOLLOW_PIECE_BYTES
 * comes in pieces. */
#ifndef AZEKURA_BENCH_FOLLOW_H
#define AZEKURA_BENCH_FOLLOW_H

#include <signal.h>

#include "base/view.h"

#define FOLLOW_PIECE_BYTES (1u << 20)

struct follow {
    const char *path; /* borrowed */
    int64_t at;       /* bytes read */
    char *piece;      /* allocated at the first read */
};

void follow_init(struct follow *f, const char *path);
void follow_done(struct follow *f);
/* Everything new, in texts that end with a newline; `text` returns 0 or what follow_read() is to
 * return. `stop` may be NULL.  0, or -errno; a file that is not there yet is empty; -EINTR when
 * stopped. */
typedef int (*follow_text_fn)(void *context, struct view text);
MUST_USE int follow_read(struct follow *f, follow_text_fn text, void *context,
                         const volatile sig_atomic_t *stop);

#endif
