/* What the handlers of the 20 % rule share. */
#ifndef AZEKURA_WEB_RETENTION_RULE_H
#define AZEKURA_WEB_RETENTION_RULE_H

#include <cjson/cJSON.h>

#include "store/retention_admin.h"
#include "store/retention_use.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

/* Thousands of days and pieces of some hundred bytes. */
#define RULE_ANSWER_MAX_BYTES (16u << 20)

/* A copy of the settings in force, in the arena. */
struct config *rule_config(struct request *rq);
/* Everything as of now, under these settings; in the arena.  0, or negative and *err. */
MUST_USE int rule_load(struct request *rq, const struct config *config, struct retention **ret,
                       struct err *err);
/* Who changes something: connected.  `actor` lives in the arena. */
MUST_USE int rule_hand(struct request *rq, struct retention_hand *ret, struct err *err);

void rule_add_use(struct json *j, const struct use *u); /* "bytes", "messages", "raw_bytes" */
void rule_add_day(struct json *j, const char *key, int32_t day);
/* A severity's name, null for 8 or 0 (none). */
void rule_add_severity(struct json *j, const char *key, int severity);
/* One preview as an object; `policy` of a request is "request".  `open`: of rule_plan_open(), or
 * NULL. */
void rule_add_preview(struct request *rq, struct json *j, const struct retention *r,
                      const char *policy, const struct rule_plan *plan,
                      const struct rule_plan *open);

/* "group" of a body: its id; -1 for null or absent.  Connected. */
MUST_USE int rule_body_group(struct request *rq, const cJSON *body, int *ret, struct err *err);
/* A number of a body, `absent` for null or absent.  0, or -EINVAL and *err. */
MUST_USE int rule_body_number(const cJSON *body, const char *name, double least, double most,
                              double absent, double *ret, struct err *err);

#endif
