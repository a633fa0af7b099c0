/* Azekura's HTTP API as the benchmark asks it.  Every answer has a limit and every request a
 * time-out. A struct api does not change once it is made: any number of threads may use it at once.
 */
#ifndef AZEKURA_BENCH_API_H
#define AZEKURA_BENCH_API_H

#include <cjson/cJSON.h>
#include <signal.h>

#include "base/err.h"
#include "base/view.h"

#define API_ANSWER_MAX_BYTES (32u << 20) /* of JSON: a page of logs ends at 16 MiB */
#define API_LINE_MAX_BYTES (4u << 20)    /* of a stream; a message has 1 MiB at most */

struct api;

/* `url` "http://127.0.0.1:8080" ("/api/v1" is added); the token from `token_file`, else from
 * $AZEKURA_TOKEN.  $AZEKURA_CA_FILE: certificates to trust for https.  0, or negative and *err. */
MUST_USE int api_new(const char *url, const char *token_file, struct api **ret, struct err *err);
void api_free(struct api **pa);
/* The host of the URL, without brackets; valid as long as the api. */
const char *api_host(const struct api *a);

/* One request; `path` is below /api/v1 and percent-encoded where it must be (api_escape()).  `body`
 * is borrowed, NULL for none.  *ret (NULL: not wanted) is the answer's JSON, NULL where it is
 * empty; the caller deletes it.  0, or negative and *err: -ENOENT 404, -EACCES 401 and 403, -EBUSY
 * 409 and 429, -EAGAIN 503, -EPROTO any other status or an answer that is none, -ETIMEDOUT,
 * -ECONNREFUSED … */
MUST_USE int api_get(const struct api *a, const char *path, cJSON **ret, struct err *err);
MUST_USE int api_post(const struct api *a, const char *path, const cJSON *body, cJSON **ret,
                      struct err *err);
MUST_USE int api_delete(const struct api *a, const char *path, cJSON **ret, struct err *err);

/* A stream, line by line, however the network cuts it (without the newline).  `line` returns 0, or
 * else ends it and is what api_stream() returns.  Ends too when *stop (may be NULL) is set, -EINTR,
 * or when no byte came for `quiet_s` seconds, -ETIMEDOUT.  0 when the stream ended whole. */
typedef int (*api_line_fn)(void *context, struct view line);
MUST_USE int api_stream(const struct api *a, const char *path, int quiet_s, api_line_fn line,
                        void *context, const volatile sig_atomic_t *stop, struct err *err);

/* `text` as part of a query string, in `ret`; CHECKs that it has room (3 bytes a byte, and 1). */
const char *api_escape(const char *text, char *ret, size_t size);

/* Members of an answer; the fallback where it is missing or of another kind. */
int64_t api_int(const cJSON *object, const char *name, int64_t otherwise);
const char *api_text(const cJSON *object, const char *name, const char *otherwise);

#endif
