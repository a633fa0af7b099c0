/* JSON bodies of requests. */
#ifndef AZEKURA_WEB_BODY_H
#define AZEKURA_WEB_BODY_H

#include <cjson/cJSON.h>

#include "web/request.h"

/* The body as a JSON object, owned by the caller (cJSON_Delete); NULL: the reply has been given. */
MUST_USE cJSON *body_object(struct request *rq);
/* Text of a stranger as JSON: clean UTF-8, at most eight levels deep, nothing behind it, an object
 * or an array.  The caller's (cJSON_Delete), or NULL. */
MUST_USE cJSON *body_parse(struct view text);
/* An answer that is a JSON object, which is freed. */
void body_reply(struct request *rq, int status, cJSON *answer);
/* Carry out what the body wants, then answer with `answer`; or with the error of `apply`. */
void body_apply(struct request *rq,
                int (*apply)(struct request *rq, const cJSON *body, struct err *err),
                void (*answer)(struct request *rq));
/* A member that must be text.  0 and a view into the object, or -EINVAL and *err. */
MUST_USE int body_text(const cJSON *object, const char *name, size_t max, struct view *ret,
                       struct err *err);
/* A member that is true or false where it is there; null is as missing: *ret stays.  0, or -EINVAL
 * and *err. */
MUST_USE int body_flag(const cJSON *object, const char *name, bool *ret, struct err *err);
/* The member "version" of a list that is put in place of another (store/list_version.h), NULL where
 * it is missing or null.  0, or -EINVAL and *err. */
MUST_USE int body_version(const cJSON *object, const char **ret, struct err *err);
/* Nothing but the members in "a|b|c", each once.  0, or -EINVAL and *err. */
MUST_USE int body_only(const cJSON *object, const char *names, struct err *err);

#endif
