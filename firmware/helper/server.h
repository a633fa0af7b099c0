/* The socket: one packet a request, one packet an answer, for root and the web server alone. */
#ifndef AZEKURA_HELPER_SERVER_H
#define AZEKURA_HELPER_SERVER_H

#include "helper/helper.h"

#define HELPER_SOCKET "/run/azekura/helper.sock"

/* Carry out one request.  Returns the answer's text (the caller frees it) and perhaps a descriptor
 * in *ret_fd, else -1; NULL: it was malformed, which has been logged. */
MUST_USE char *server_answer(struct helper *h, struct view packet, unsigned uid, int *ret_fd);
/* The socket of systemd (LISTEN_FDS), or one that is made at HELPER_SOCKET.  Descriptor, or
 * negative and *err. */
MUST_USE int server_listen(const struct helper *h, const char *user, struct err *err);
/* Serve until stop_fd is readable.  `user`: who may ask besides root. */
void server_run(struct helper *h, int listen_fd, int stop_fd, const char *user);

#endif
