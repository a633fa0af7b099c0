/* JSON from a peer that is not trusted: what cJSON would let pass is looked for before and after.
 */
#ifndef AZEKURA_HELPER_STRICT_H
#define AZEKURA_HELPER_STRICT_H

#include "helper/helper.h"

/* One JSON object and nothing after it: clean UTF-8 without control characters and \u0000, at most
 * HELPER_DEPTH_MAX deep, HELPER_MEMBERS_MAX members an object, no member twice.  The caller frees
 * the tree.  0, or -EBADMSG and *err. */
MUST_USE int strict_parse(struct view text, cJSON **ret, struct err *err);

/* Members of an object.  `at` is the path of the object, for the error's field ("interfaces[1]");
 * a member that is missing leaves *ret as it is, unless it is needed.  0, or -EINVAL and *err. */
#define STRICT_PATH_MAX 64
MUST_USE int strict_text(const cJSON *o, const char *at, const char *name, size_t max,
                         bool is_needed, const char **ret, struct err *err);
MUST_USE int strict_integer(const cJSON *o, const char *at, const char *name, int64_t min,
                            int64_t max, bool is_needed, int64_t *ret, struct err *err);
/* An array of at most `max` elements, or NULL when it is missing. */
MUST_USE int strict_list(const cJSON *o, const char *at, const char *name, size_t max,
                         const cJSON **ret, struct err *err);
MUST_USE int strict_object(const cJSON *o, const char *at, const char *name, const cJSON **ret,
                           struct err *err);
/* The object has no members but these (NULL-terminated). */
MUST_USE int strict_only(const cJSON *o, const char *at, const char *const *names, struct err *err);
/* "at.name", or "name" where `at` is "". */
const char *strict_path(const char *at, const char *name, char out[STRICT_PATH_MAX]);

#endif
