/* What all handlers that search have in common. */
#ifndef AZEKURA_WEB_SEARCHING_H
#define AZEKURA_WEB_SEARCHING_H

#include "store/search.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

/* The parameters query, from and to.  With `default_span_us` > 0 an absent `to` is now and an
 * absent `from` that long before it; with 0 they stay open. */
void searching_params(struct params *p, struct search_request *q, int64_t default_span_us);
/* The rest: all parameters are good, the query can be parsed, the database is there, the time limit
 * is the setting's, the client is watched.  0, or the reply has been given (-1). */
MUST_USE int searching_begin(struct request *rq, struct params *p, struct search_request *q);
/* One message as a JSON object. */
void searching_entry(struct json *j, const struct search_entry *e);
/* "complete":…,"scan":{…} */
void searching_scan(struct json *j, const struct search_scan *s);

#endif
