/* The audit (audit.h). */
#include "helper/audit.h"

#include "config/log.h"

#define TEXT_MAX 120 /* bytes of a text; a list or object is counted only */

static void add_argument(cJSON *out, const struct argument *a, const cJSON *v)
{
    char shown[TEXT_MAX + 8];
    if (a->is_secret) {
        cJSON_AddStringToObject(out, a->name, "(secret)");
    } else if (a->kind == ARGUMENT_TEXT && strlen(v->valuestring) > TEXT_MAX) {
        size_t n = TEXT_MAX;
        while (n > 0 && ((unsigned char)v->valuestring[n] & 0xc0) == 0x80)
            n--;
        snprintf(shown, sizeof(shown), "%.*s…", (int)n, v->valuestring);
        cJSON_AddStringToObject(out, a->name, shown);
    } else if (a->kind == ARGUMENT_LIST && cJSON_GetArraySize(v) > 8) {
        snprintf(shown, sizeof(shown), "%d of them", cJSON_GetArraySize(v));
        cJSON_AddStringToObject(out, a->name, shown);
    } else {
        cJSON_AddItemToObject(out, a->name, cJSON_Duplicate(v, true));
    }
}

cJSON *audit(const struct request *r, unsigned uid, const struct err *err)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "actor", r->actor);
    cJSON_AddStringToObject(o, "command", r->command->name);
    cJSON *arguments = cJSON_AddObjectToObject(o, "arguments");
    for (size_t i = 0; i < ARGUMENTS_MAX && r->command->arguments[i].name; i++) {
        const struct argument *a = &r->command->arguments[i];
        const cJSON *v = request_item(r, a->name);
        if (v)
            add_argument(arguments, a, v);
    }
    cJSON_AddStringToObject(o, "result", err ? err->message : "done");
    char *text = cJSON_PrintUnformatted(o);
    CHECK(text != NULL);
    log_line(LOG_INFO, "audit: uid %u: %s", uid, text);
    cJSON_free(text);
    return o;
}
