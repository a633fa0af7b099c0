/* The HTTP server: CivetWeb in front, the table of routes behind. */
#ifndef AZEKURA_WEB_SERVER_H
#define AZEKURA_WEB_SERVER_H

#include "web/web.h"

/* Load the pages, start listening; the database need not be there.  0 and *ret, or negative and
 * *err. */
MUST_USE int server_start(const struct config *config, struct web **ret, struct err *err);
/* Ends streams, lets other requests finish, frees. */
void server_stop(struct web **w);

#endif
