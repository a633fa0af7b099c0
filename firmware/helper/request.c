/* Requests (request.h). */
#include "helper/request.h"

#include "helper/strict.h"

static int malformed(struct err *err, const char *why)
{
    return err_set(err, EBADMSG, "malformed", "the request %s", why);
}

static const struct argument *find_argument(const struct command *c, const char *name)
{
    for (size_t i = 0; i < ARGUMENTS_MAX && c->arguments[i].name; i++)
        if (strcmp(c->arguments[i].name, name) == 0)
            return &c->arguments[i];
    return NULL;
}

static bool is_of_kind(const cJSON *v, enum argument_kind kind)
{
    switch (kind) {
    case ARGUMENT_TEXT:
        return cJSON_IsString(v);
    case ARGUMENT_INTEGER:
        return cJSON_IsNumber(v);
    case ARGUMENT_FLAG:
        return cJSON_IsBool(v);
    case ARGUMENT_LIST:
        return cJSON_IsArray(v);
    case ARGUMENT_OBJECT:
        return cJSON_IsObject(v);
    }
    return false;
}

/* "good, bad, active" of "|good|bad|active|". */
static int not_a_choice(const struct argument *a, struct err *err)
{
    char list[128];
    size_t n = 0;
    for (const char *p = a->choice + 1; *p && n + 3 < sizeof(list); p++) {
        if (*p != '|')
            list[n++] = *p;
        else if (p[1])
            list[n++] = ',', list[n++] = ' ';
    }
    list[n] = '\0';
    return err_set_field(err, EINVAL, "bad_value", a->name, "%s is none of %s", a->name, list);
}

static int check_value(const struct command *c, const struct argument *a, const cJSON *arguments,
                       struct err *err)
{
    const char *text = NULL;
    const cJSON *item;
    int64_t number;
    (void)c;
    switch (a->kind) {
    case ARGUMENT_TEXT: {
        int r = strict_text(arguments, "", a->name, (size_t)a->max, a->is_needed, &text, err);
        if (r < 0 || !text || !a->choice)
            return r;
        char framed[40];
        snprintf(framed, sizeof(framed), "|%s|", text);
        return strchr(text, '|') || !strstr(a->choice, framed) ? not_a_choice(a, err) : 0;
    }
    case ARGUMENT_INTEGER:
        return strict_integer(arguments, "", a->name, a->min, a->max, a->is_needed, &number, err);
    case ARGUMENT_LIST:
        if (strict_list(arguments, "", a->name, (size_t)a->max, &item, err) < 0)
            return -EINVAL;
        break;
    case ARGUMENT_FLAG:
    case ARGUMENT_OBJECT:
        item = cJSON_GetObjectItemCaseSensitive(arguments, a->name);
        break;
    }
    if (!item && a->is_needed)
        return err_set_field(err, EINVAL, "missing", a->name, "%s is missing", a->name);
    return 0;
}

static int check_arguments(const struct request *r, struct err *err)
{
    const struct command *c = r->command;
    for (const cJSON *v = r->arguments ? r->arguments->child : NULL; v; v = v->next) {
        const struct argument *a = find_argument(c, v->string);
        if (!a)
            return malformed(err, "has an argument that its command does not know");
        if (!is_of_kind(v, a->kind))
            return malformed(err, "has an argument of a wrong type");
    }
    for (size_t i = 0; i < ARGUMENTS_MAX && c->arguments[i].name; i++) {
        int e = check_value(c, &c->arguments[i], r->arguments, err);
        if (e < 0)
            return e;
    }
    return 0;
}

static bool is_actor(const char *s)
{
    for (const char *p = s; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    return *s;
}

int request_parse(struct view packet, struct request *ret, struct err *err)
{
    static const char *const members[] = {"command", "actor", "arguments", NULL};
    struct request r = {0};
    if (packet.n > HELPER_REQUEST_MAX_BYTES)
        return malformed(err, "is too long");
    int e = strict_parse(packet, &r.tree, err);
    if (e < 0)
        return e;
    const char *name = NULL;
    if (strict_only(r.tree, "", members, NULL) < 0)
        e = malformed(err, "has a member that no request has");
    else if (strict_text(r.tree, "", "command", 32, true, &name, NULL) < 0 ||
             (r.command = command_find(name)) == NULL)
        e = malformed(err, "names no command");
    else if (strict_text(r.tree, "", "actor", HELPER_ACTOR_MAX_BYTES, true, &r.actor, NULL) < 0 ||
             !is_actor(r.actor))
        e = malformed(err, "does not say who asks");
    else if (strict_object(r.tree, "", "arguments", &r.arguments, NULL) < 0)
        e = malformed(err, "has arguments that are no object");
    else
        e = check_arguments(&r, err);
    if (e == -EBADMSG)
        request_free(&r);
    else
        *ret = r;
    return e;
}

void request_free(struct request *r)
{
    cJSON_Delete(r->tree);
    *r = (struct request){0};
}

const cJSON *request_item(const struct request *r, const char *name)
{
    CHECK(find_argument(r->command, name) != NULL);
    return cJSON_GetObjectItemCaseSensitive(r->arguments, name);
}

const char *request_text(const struct request *r, const char *name)
{
    return cJSON_GetStringValue(request_item(r, name));
}

int64_t request_integer(const struct request *r, const char *name, int64_t otherwise)
{
    const cJSON *v = request_item(r, name);
    return v ? (int64_t)v->valuedouble : otherwise;
}

bool request_flag(const struct request *r, const char *name)
{
    return cJSON_IsTrue(request_item(r, name));
}
