#include <criterion/criterion.h>

#include <cjson/cJSON.h>
#include <ctype.h>

#include "web/openapi.h"
#include "web/route.h"

static cJSON *description(void)
{
    cJSON *doc = cJSON_ParseWithLength(openapi_json, openapi_json_n);
    cr_assert(doc, "openapi.json is JSON");
    return doc;
}

static const cJSON *described(const cJSON *doc, const char *path, const char *method)
{
    char lower[16] = "";
    for (size_t i = 0; method[i]; i++)
        lower[i] = (char)tolower(method[i]);
    const cJSON *paths = cJSON_GetObjectItemCaseSensitive(doc, "paths");
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(paths, path), lower);
}

Test(route, every_route_is_described)
{
    cJSON *doc = description();
    for (size_t i = 0; i < routes_n; i++)
        cr_expect(described(doc, routes[i].path, routes[i].method), "%s %s is not in openapi.json",
                  routes[i].method, routes[i].path);
    cJSON_Delete(doc);
}

Test(route, everything_described_is_routed)
{
    cJSON *doc = description();
    const cJSON *path, *operation;
    size_t n = 0;
    cJSON_ArrayForEach(path, cJSON_GetObjectItemCaseSensitive(doc, "paths"))
    {
        cJSON_ArrayForEach(operation, path)
        {
            char method[16] = "", allow[ROUTE_ALLOW_MAX];
            struct view id;
            for (size_t i = 0; operation->string[i]; i++)
                method[i] = (char)toupper(operation->string[i]);
            const struct route *r = route_find(method, path->string, allow, &id);
            cr_expect(r, "%s %s has no route", method, path->string);
            cr_expect(!r || strcmp(r->path, path->string) == 0, "%s is caught by %s", path->string,
                      r ? r->path : "");
            n++;
        }
    }
    cr_expect(n == routes_n, "%zu operations, %zu routes", n, routes_n);
    cJSON_Delete(doc);
}

Test(route, the_role_described_is_the_role_needed)
{
    static const char *const roles[] = {"none", "local", "viewer", "operator", "admin"};
    cJSON *doc = description();
    for (size_t i = 0; i < routes_n; i++) {
        const cJSON *role = cJSON_GetObjectItemCaseSensitive(
            described(doc, routes[i].path, routes[i].method), "x-role");
        cr_assert(cJSON_IsString(role), "%s", routes[i].path);
        cr_expect_str_eq(role->valuestring, roles[routes[i].access], "%s %s", routes[i].method,
                         routes[i].path);
    }
    cJSON_Delete(doc);
}

Test(route, a_path_is_found_by_method_and_pattern)
{
    static const struct {
        const char *method, *path, *found, *allow, *id;
    } cases[] = {
        {"GET", "/api/v1/logs", "/api/v1/logs", "", NULL},
        {"GET", "/api/v1/logs/", NULL, "", NULL},
        {"GET", "/api/v1/logs/tail", "/api/v1/logs/tail", "", NULL},
        {"GET", "/api/v1/logs/abc/raw", "/api/v1/logs/{id}/raw", "", "abc"},
        {"GET", "/api/v1/logs//raw", NULL, "", NULL},
        {"GET", "/api/v1/logs/a/b/raw", NULL, "", NULL},
        {"GET", "/api/v1/logs/a/raw/", NULL, "", NULL},
        {"PUT", "/api/v1/logs/a/raw", NULL, "GET", NULL},
        {"POST", "/api/v1/settings", NULL, "GET, PATCH", NULL},
        {"get", "/api/v1/logs", NULL, "GET", NULL},
        {"", "", NULL, "", NULL},
        {"PUT", "/api/v1/sources/settings/192.0.2.0/24", "/api/v1/sources/settings/{network}", "",
         "192.0.2.0/24"},
        {"DELETE", "/api/v1/sources/settings/2001:db8::/32", "/api/v1/sources/settings/{network}",
         "", "2001:db8::/32"},
        {"PUT", "/api/v1/sources/settings/", NULL, "", NULL},
        {"GET", "/api/v1/sources/settings", "/api/v1/sources/settings", "", NULL},
        {"GET", "/api/v1/sources/192.0.2.1", "/api/v1/sources/{address}", "", "192.0.2.1"},
        {"GET", "/api/v1/sources/192.0.2.0/24", NULL, "", NULL},
        {"GET", "/metrics", "/metrics", "", NULL},
        {"GET", "/metricsx", NULL, "", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char allow[ROUTE_ALLOW_MAX];
        struct view id = VIEW_NULL;
        const struct route *r = route_find(cases[i].method, cases[i].path, allow, &id);
        cr_expect_str_eq(r ? r->path : "none", cases[i].found ? cases[i].found : "none", "%s",
                         cases[i].path);
        cr_expect(r || strcmp(allow, cases[i].allow) == 0, "%s: Allow is \"%s\"", cases[i].path,
                  allow);
        cr_expect(view_eq(id, view_str(cases[i].id)), "%s: id", cases[i].path);
    }
}

Test(route, what_is_of_the_api_is_never_a_page)
{
    cr_expect(route_is_api("/api") && route_is_api("/api/") && route_is_api("/api/v9/x"));
    cr_expect(route_is_api("/healthz") && route_is_api("/metrics"));
    cr_expect(!route_is_api("/") && !route_is_api("/apis") && !route_is_api("/logs"));
}
