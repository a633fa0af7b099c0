/* JSON bodies. */
#include "web/body.h"

#include "base/utf8.h"

#define DEPTH_MAX 8

static bool is_json(struct view type)
{
    const char *end = view_is_null(type) ? NULL : memchr(type.p, ';', type.n);
    if (end)
        type.n = (size_t)(end - type.p);
    return !view_is_null(type) && view_eq_nocase(view_trim(type), VIEW("application/json"));
}

/* What the parser must not see.  Our bodies are flat: it calls itself for every level, and a
 * worker's stack is CivetWeb's choice, 100 KiB.  And its texts end at a NUL: "admin\u0000x" would
 * become "admin". */
static bool is_parsable(struct view body)
{
    int depth = 0;
    bool is_string = false;
    for (size_t i = 0; i < body.n; i++) {
        char c = body.p[i];
        if (is_string) {
            if (view_starts_with(view_of(body.p + i, body.n - i), VIEW("\\u0000")))
                return false;
            if (c == '\\')
                i++;
            else if (c == '"')
                is_string = false;
        } else if (c == '"') {
            is_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > DEPTH_MAX)
                return false;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    return true;
}

static cJSON *parse(struct view body)
{
    const char *end;
    cJSON *object = cJSON_ParseWithLengthOpts(body.p, body.n, &end, false);
    if (!object)
        return NULL;
    while (end < body.p + body.n && strchr(" \t\r\n", *end)) /* no NUL is among them */
        end++;
    if (end == body.p + body.n && (cJSON_IsObject(object) || cJSON_IsArray(object)))
        return object;
    cJSON_Delete(object);
    return NULL;
}

cJSON *body_parse(struct view text)
{
    return utf8_is_clean(text) && is_parsable(text) ? parse(text) : NULL;
}

cJSON *body_object(struct request *rq)
{
    /* a form of another site cannot send this type */
    if (!is_json(request_header(rq, "Content-Type"))) {
        reply_error(rq, 415, "not_json", "", "Content-Type must be application/json");
        return NULL;
    }
    cJSON *object = body_parse(rq->body);
    if (!cJSON_IsObject(object)) {
        cJSON_Delete(object);
        reply_error(rq, 400, "bad_json", "", "the body is not a JSON object");
        return NULL;
    }
    return object;
}

void body_reply(struct request *rq, int status, cJSON *answer)
{
    char *text = cJSON_PrintUnformatted(answer);
    CHECK(text); /* there is memory */
    cJSON_Delete(answer);
    reply_bytes(rq, status, "application/json", NULL, view_str(text));
    cJSON_free(text);
}

void body_apply(struct request *rq,
                int (*apply)(struct request *rq, const cJSON *body, struct err *err),
                void (*answer)(struct request *rq))
{
    struct err err;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = apply(rq, body, &err);
    cJSON_Delete(body);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        answer(rq);
}

int body_text(const cJSON *object, const char *name, size_t max, struct view *ret, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsString(item))
        return err_set_field(err, EINVAL, "bad_value", name, "%s: it must be there, as text", name);
    struct view v = view_str(item->valuestring);
    if (v.n > max)
        return err_set_field(err, EINVAL, "bad_value", name, "%s: it has %zu bytes, more than %zu",
                             name, v.n, max);
    *ret = v;
    return 0;
}

int body_flag(const cJSON *object, const char *name, bool *ret, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item || cJSON_IsNull(item))
        return 0;
    if (!cJSON_IsBool(item))
        return err_set_field(err, EINVAL, "bad_value", name, "%s: it must be true or false", name);
    *ret = cJSON_IsTrue(item);
    return 0;
}

static bool is_listed(const char *name, const char *names)
{
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, "|");
        if (view_eq(view_of(at, n), view_str(name)))
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

int body_version(const cJSON *object, const char **ret, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "version");
    *ret = cJSON_GetStringValue(item);
    if (item && !*ret && !cJSON_IsNull(item))
        return err_set_field(err, EINVAL, "bad_value", "version",
                             "version: it must be text, as the answer with the list has it");
    return 0;
}

int body_only(const cJSON *object, const char *names, struct err *err)
{
    const cJSON *item, *other;
    cJSON_ArrayForEach(item, object)
    {
        if (names && !is_listed(item->string, names))
            return err_set_field(err, EINVAL, "bad_value", item->string,
                                 "%.64s: there is no such member here, only %s", item->string,
                                 names);
        cJSON_ArrayForEach(other, object)
        {
            if (other != item && strcmp(other->string, item->string) == 0)
                return err_set_field(err, EINVAL, "bad_value", item->string, "%.64s: given twice",
                                     item->string);
        }
    }
    return 0;
}
