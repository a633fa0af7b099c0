/* Programs, without a shell: a fixed path, an argument vector, an environment of our own, a limit
 * of time and of what is kept of its output. */
#ifndef AZEKURA_HELPER_RUN_H
#define AZEKURA_HELPER_RUN_H

#include "helper/helper.h"

#define RUN_QUICK_MS 10000  /* what the one loop waits for: systemctl, networkctl, nft */
#define RUN_SLOW_MS 1800000 /* what a child waits for: an update on a slow disk */

/* Run argv[0] (absolute, below the root) to its end.  What it prints, errors included, is appended
 * to `out` (NULL: kept for the error alone) up to its maximum.  0; -ENOENT: it is not installed;
 * -ETIMEDOUT: ended by us; -EIO: it failed; with *err, which holds the end of what it printed. */
MUST_USE int run(const struct helper *h, const char *const argv[], int timeout_ms, struct buf *out,
                 struct err *err);
#define RUN(h, timeout_ms, out, err, ...) \
    run(h, (const char *const[]){__VA_ARGS__, NULL}, timeout_ms, out, err)

#endif
