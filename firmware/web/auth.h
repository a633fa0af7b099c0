/* Who a request is from, and whether it may do what it asks: session cookie or bearer token, role,
 * and the defences against other sites' pages. */
#ifndef AZEKURA_WEB_AUTH_H
#define AZEKURA_WEB_AUTH_H

#include "web/request.h"

#define AUTH_COOKIE "azekura_session"

/* Host, and for changes Origin and Sec-Fetch-Site.  0, or the reply has been given (-1). */
MUST_USE int auth_check_site(struct request *rq);
/* Fill rq->who and check it against the route.  0, or the reply has been given (-1). */
MUST_USE int auth_check(struct request *rq);
/* For a reply that goes on: is the session or token still there, with the role the route needs?
 * True while the database cannot say.  Asks it every AUTH_RECHECK_US, *last_mono_us remembers when.
 */
#define AUTH_RECHECK_US (2 * US_PER_SECOND)
bool auth_is_still_allowed(struct request *rq, int64_t *last_mono_us);
/* "account:admin", "token:grafana": who did it, for the audit log. */
#define AUTH_ACTOR_MAX (ACCOUNT_NAME_MAX + 16)
void auth_actor(const struct identity *who, char out[AUTH_ACTOR_MAX]);
/* The value of a cookie in a Cookie header, VIEW_NULL when absent. */
struct view auth_cookie(struct view header, const char *name);

#endif
