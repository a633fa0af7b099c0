/* What azekura-bench can run, as it says itself (`azekura-bench profiles --json`). */
#ifndef AZEKURA_WEB_BENCH_PROFILES_H
#define AZEKURA_WEB_BENCH_PROFILES_H

#include <cjson/cJSON.h>

#include "web/bench_spawn.h"
#include "web/request.h"

/* Run azekura-bench, at most 10 s, for an answer in JSON of at most `max` bytes.  The caller's
 * (cJSON_Delete), or NULL: the reply has been given.  `refusal`: the error where it says that it
 * cannot be done; EINVAL: the options of a wish are wrong. */
MUST_USE cJSON *bench_ask(struct request *rq, const struct bench_args *a, size_t max, int refusal);
/* The list of profiles; NULL: the reply has been given. */
MUST_USE cJSON *bench_profiles_list(struct request *rq);
/* The one of this name, or NULL. */
const cJSON *bench_profiles_find(const cJSON *list, const char *name);
/* The profile's array `member` ("targets", "options") has this text, or an object of this name. */
bool bench_profiles_allows(const cJSON *profile, const char *member, const char *text);
/* Bytes that a run may put on the disk: up to where the guard of the disk would begin to delete. */
MUST_USE int bench_profiles_room(struct request *rq, int64_t *ret_bytes, struct err *err);

#endif
