/* Asking the helper: for the web server and the command line.  Stands alone: nothing of the helper
 * but its socket is known here. */
#ifndef AZEKURA_HELPER_CLIENT_H
#define AZEKURA_HELPER_CLIENT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/view.h"

/* Send one request and wait for its answer, `timeout_ms` at most (update.install takes minutes).
 * The answer is appended to `out` (HELPER_REPLY_MAX_BYTES fit); *ret_fd: a descriptor that came
 * with it, the caller's, else -1.  0, or negative and *err: "helper_away"; "helper_refused": it
 * ended the connection, since the request was malformed or may not be made. */
MUST_USE int client_ask(const char *socket_path, struct view request, int timeout_ms,
                        struct buf *out, int *ret_fd, struct err *err);

#endif
