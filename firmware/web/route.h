/* The table of routes: every path outside the pages, with its method, who may use it, and its
 * handler. firmware/web/openapi.json describes the same paths; a test holds the two together. */
#ifndef AZEKURA_WEB_ROUTE_H
#define AZEKURA_WEB_ROUTE_H

#include "store/account.h"

struct request;
typedef void (*route_fn)(struct request *rq);

enum route_access {
    ACCESS_OPEN,  /* anybody */
    ACCESS_LOCAL, /* anybody on this machine, from elsewhere a viewer */
    ACCESS_VIEWER,
    ACCESS_OPERATOR,
    ACCESS_ADMIN,
};

struct route {
    const char *method;
    const char
        *path; /* "/api/v1/logs/{id}/raw": {…} is one part of a path, {network} all that is left */
    enum route_access access;
    route_fn handler;
};

extern const struct route routes[];
extern const size_t routes_n;

/* Bytes a body of such a request may have: more where it is a whole list. */
size_t route_body_max(const struct route *r);

/* The path is of the API, not of the pages: it is answered in JSON whatever it is. */
bool route_is_api(const char *path);
/* The route of a path and method, or NULL.  When the path exists with other methods, these are in
 * `ret_allow` ("GET, PATCH"), else it is "".  *ret_id: what stood for {…}, within `path`; null when
 * nothing. */
#define ROUTE_ALLOW_MAX 64
const struct route *route_find(const char *method, const char *path,
                               char ret_allow[ROUTE_ALLOW_MAX], struct view *ret_id);

#endif
