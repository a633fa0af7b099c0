/* Strict JSON (strict.h). */
#include "helper/strict.h"

#include <math.h>

#include "base/utf8.h"

static int bad(struct err *err, const char *why)
{
    return err_set(err, EBADMSG, "malformed", "the request %s", why);
}

/* What cJSON lets pass: control characters, NUL in a string, any depth up to a thousand. */
static int scan(struct view text, struct err *err)
{
    bool in_string = false; /* escapes are stepped over whole */
    int depth = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < ' ' && (in_string || (c != '\t' && c != '\n' && c != '\r')))
            return bad(err, "holds a control character");
        if (in_string && c == '\\') {
            if (text.n - i >= 6 && memcmp(text.p + i + 1, "u0000", 5) == 0)
                return bad(err, "holds a NUL");
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            if (++depth > HELPER_DEPTH_MAX)
                return bad(err, "is nested too deeply");
        } else if (!in_string && (c == '}' || c == ']')) {
            depth--;
        }
    }
    return 0;
}

static int check_members(const cJSON *node, struct err *err)
{
    int n = 0;
    for (const cJSON *a = node->child; a; a = a->next) {
        if (cJSON_IsObject(node)) {
            if (++n > HELPER_MEMBERS_MAX)
                return bad(err, "has an object with too many members");
            for (const cJSON *b = node->child; b != a; b = b->next)
                if (strcmp(a->string, b->string) == 0)
                    return bad(err, "names a member twice");
        }
        int r = check_members(a, err);
        if (r < 0)
            return r;
    }
    return 0;
}

int strict_parse(struct view text, cJSON **ret, struct err *err)
{
    if (text.n > HELPER_FILE_MAX_BYTES)
        return bad(err, "is too long");
    if (!utf8_is_clean(text))
        return bad(err, "is no clean UTF-8");
    int r = scan(text, err);
    if (r < 0)
        return r;
    const char *end = NULL;
    cJSON *tree = cJSON_ParseWithLengthOpts(text.p, text.n, &end, 0);
    if (!tree || !cJSON_IsObject(tree) ||
        view_trim(view_of(end, text.n - (size_t)(end - text.p))).n)
        r = bad(err, "is not one JSON object");
    else
        r = check_members(tree, err);
    if (r < 0)
        cJSON_Delete(tree);
    else
        *ret = tree;
    return r;
}

const char *strict_path(const char *at, const char *name, char out[STRICT_PATH_MAX])
{
    snprintf(out, STRICT_PATH_MAX, "%s%s%s", at, *at ? "." : "", name);
    return out;
}

/* The member, or NULL with *ret_r saying whether that is an error. */
static const cJSON *member(const cJSON *o, const char *at, const char *name, bool is_needed,
                           int *ret_r, struct err *err)
{
    char path[STRICT_PATH_MAX];
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, name);
    *ret_r = 0;
    if (!m && is_needed)
        *ret_r = err_set_field(err, EINVAL, "missing", strict_path(at, name, path), "%s is missing",
                               strict_path(at, name, path));
    return m;
}

static int wrong(const char *at, const char *name, const char *what, struct err *err)
{
    char path[STRICT_PATH_MAX];
    strict_path(at, name, path);
    return err_set_field(err, EINVAL, "bad_value", path, "%s is not %s", path, what);
}

int strict_text(const cJSON *o, const char *at, const char *name, size_t max, bool is_needed,
                const char **ret, struct err *err)
{
    int r;
    const cJSON *m = member(o, at, name, is_needed, &r, err);
    if (!m)
        return r;
    char what[64];
    snprintf(what, sizeof(what), "a text of at most %zu bytes", max);
    if (!cJSON_IsString(m) || strlen(m->valuestring) > max)
        return wrong(at, name, what, err);
    *ret = m->valuestring;
    return 0;
}

int strict_integer(const cJSON *o, const char *at, const char *name, int64_t min, int64_t max,
                   bool is_needed, int64_t *ret, struct err *err)
{
    int r;
    const cJSON *m = member(o, at, name, is_needed, &r, err);
    if (!m)
        return r;
    char what[80];
    snprintf(what, sizeof(what), "a whole number in %lld..%lld", (long long)min, (long long)max);
    if (!cJSON_IsNumber(m) || m->valuedouble != floor(m->valuedouble) ||
        m->valuedouble < (double)min || m->valuedouble > (double)max)
        return wrong(at, name, what, err);
    *ret = (int64_t)m->valuedouble;
    return 0;
}

int strict_list(const cJSON *o, const char *at, const char *name, size_t max, const cJSON **ret,
                struct err *err)
{
    int r;
    const cJSON *m = member(o, at, name, false, &r, err);
    *ret = m;
    if (!m)
        return r;
    char what[64];
    snprintf(what, sizeof(what), "a list of at most %zu", max);
    if (!cJSON_IsArray(m) || (size_t)cJSON_GetArraySize(m) > max)
        return wrong(at, name, what, err);
    return 0;
}

int strict_object(const cJSON *o, const char *at, const char *name, const cJSON **ret,
                  struct err *err)
{
    int r;
    *ret = member(o, at, name, false, &r, err);
    return *ret && !cJSON_IsObject(*ret) ? wrong(at, name, "an object", err) : r;
}

int strict_only(const cJSON *o, const char *at, const char *const *names, struct err *err)
{
    if (!cJSON_IsObject(o))
        return err_set_field(err, EINVAL, "bad_value", at, "%s is not an object", at);
    for (const cJSON *m = o->child; m; m = m->next) {
        const char *const *name = names;
        while (*name && strcmp(*name, m->string) != 0)
            name++;
        if (*name)
            continue;
        char path[STRICT_PATH_MAX], shown[32];
        snprintf(shown, sizeof(shown), "%.31s", m->string);
        strict_path(at, shown, path);
        return err_set_field(err, EINVAL, "unknown", path, "there is no \"%s\" here", path);
    }
    return 0;
}
