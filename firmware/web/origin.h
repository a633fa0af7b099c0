/* Whether a request comes from the console's own pages, judged by its headers alone. */
#ifndef AZEKURA_WEB_ORIGIN_H
#define AZEKURA_WEB_ORIGIN_H

#include "base/view.h"

/* Against DNS rebinding: a page of another site that makes its own name resolve to this box sends
 * that name as Host.  Allowed are IP literals, localhost, the name of this machine (alone or under
 * .local, .lan, .internal, .home.arpa), and the names in `more` (separated by commas or blanks).  A
 * null Host (HTTP/1.0) is no browser's and allowed. */
bool origin_host_is_allowed(struct view host, const char *machine, const char *more);
/* Against forged requests: the Origin header names the host the request was sent to.  Null: no
 * browser sent it, or an old one; the other checks must do. */
bool origin_is_same(struct view origin, struct view host);
/* Sec-Fetch-Site: absent, same-origin, or typed by the user. */
bool origin_fetch_site_is_ours(struct view site);

#endif
