/* The table of routes. */
#include "web/route.h"

#include "base/limits.h"
#include "web/handlers.h"

#define V1 "/api/v1"

const struct route routes[] = {
    {"GET", V1 "/logs", ACCESS_VIEWER, logs_search},
    {"GET", V1 "/logs/{id}/raw", ACCESS_VIEWER, logs_raw},
    {"GET", V1 "/logs/histogram", ACCESS_VIEWER, logs_histogram},
    {"GET", V1 "/logs/facets", ACCESS_VIEWER, logs_facets},
    {"GET", V1 "/logs/export", ACCESS_OPERATOR, export_logs},
    {"GET", V1 "/logs/tail", ACCESS_VIEWER, tail_logs},
    {"GET", V1 "/logs/{id}", ACCESS_VIEWER, logs_detail},
    {"GET", V1 "/rates", ACCESS_VIEWER, rates_get},
    {"GET", V1 "/rates/by", ACCESS_VIEWER, rates_by},
    {"GET", V1 "/retention/cost", ACCESS_VIEWER, rates_cost},
    {"GET", V1 "/sources", ACCESS_VIEWER, sources_list},
    {"GET", V1 "/sources/settings", ACCESS_VIEWER, source_settings_get},
    {"PUT", V1 "/sources/settings/{network}", ACCESS_OPERATOR, source_settings_put},
    {"DELETE", V1 "/sources/settings/{network}", ACCESS_OPERATOR, source_settings_remove},
    {"POST", V1 "/sources/acknowledge", ACCESS_OPERATOR, sources_acknowledge},
    {"POST", V1 "/sources/preview", ACCESS_VIEWER, source_preview},
    {"GET", V1 "/sources/reparse", ACCESS_VIEWER, source_reparse_list},
    {"POST", V1 "/sources/reparse", ACCESS_OPERATOR, source_reparse_ask},
    {"DELETE", V1 "/sources/reparse/{id}", ACCESS_OPERATOR, source_reparse_cancel},
    {"GET", V1 "/sources/{address}", ACCESS_VIEWER, sources_get},
    {"GET", V1 "/zones", ACCESS_VIEWER, zones_get},
    {"GET", V1 "/ledger", ACCESS_VIEWER, receiving_ledger},
    {"GET", V1 "/receiver", ACCESS_VIEWER, receiver_get},
    {"GET", V1 "/gaps", ACCESS_VIEWER, gaps_get},
    {"GET", V1 "/listeners", ACCESS_VIEWER, listeners_get},
    {"PUT", V1 "/listeners/allow", ACCESS_ADMIN, listeners_set_allow},
    {"PUT", V1 "/listeners/limits", ACCESS_ADMIN, listeners_set_limits},
    {"GET", V1 "/load", ACCESS_VIEWER, load_get},
    {"GET", V1 "/events", ACCESS_VIEWER, events_get},
    {"GET", V1 "/settings", ACCESS_VIEWER, settings_get},
    {"PATCH", V1 "/settings", ACCESS_ADMIN, settings_patch},
    {"GET", V1 "/retention", ACCESS_VIEWER, retention_get},
    {"PUT", V1 "/retention", ACCESS_OPERATOR, retention_put},
    {"GET", V1 "/retention/days", ACCESS_VIEWER, retention_days},
    {"GET", V1 "/retention/preview", ACCESS_VIEWER, retention_preview},
    {"GET", V1 "/retention/size", ACCESS_VIEWER, retention_size},
    {"POST", V1 "/retention/groups", ACCESS_OPERATOR, retention_group_add},
    {"PUT", V1 "/retention/groups/{id}", ACCESS_OPERATOR, retention_group_set},
    {"DELETE", V1 "/retention/groups/{id}", ACCESS_OPERATOR, retention_group_remove},
    {"POST", V1 "/retention/holds", ACCESS_OPERATOR, retention_hold_add},
    {"DELETE", V1 "/retention/holds/{id}", ACCESS_OPERATOR, retention_hold_remove},
    {"POST", V1 "/retention/clock", ACCESS_ADMIN, retention_clock},
    {"GET", V1 "/retention/deletions", ACCESS_VIEWER, retention_receipts},
    {"POST", V1 "/retention/deletions", ACCESS_ADMIN, retention_delete},
    {"POST", V1 "/retention/deletions/preview", ACCESS_VIEWER, retention_deletion_preview},
    {"GET", V1 "/retention/deletions/{id}", ACCESS_VIEWER, retention_deletion},
    {"GET", V1 "/bench/box", ACCESS_VIEWER, bench_box},
    {"GET", V1 "/bench/messages", ACCESS_VIEWER, bench_messages},
    {"DELETE", V1 "/bench/messages", ACCESS_OPERATOR, bench_messages_delete},
    {"GET", V1 "/bench/senders", ACCESS_VIEWER, bench_senders},
    {"POST", V1 "/bench/senders", ACCESS_OPERATOR, bench_sender_add},
    {"DELETE", V1 "/bench/senders/{address}", ACCESS_OPERATOR, bench_sender_remove},
    {"GET", V1 "/bench/profiles", ACCESS_VIEWER, bench_profiles},
    {"GET", V1 "/bench/runs", ACCESS_VIEWER, bench_runs},
    {"POST", V1 "/bench/runs", ACCESS_ADMIN, bench_start},
    {"GET", V1 "/bench/runs/{id}", ACCESS_VIEWER, bench_run},
    {"DELETE", V1 "/bench/runs/{id}", ACCESS_ADMIN, bench_remove},
    {"POST", V1 "/bench/runs/{id}/stop", ACCESS_ADMIN, bench_stop},
    {"GET", V1 "/bench/runs/{id}/samples", ACCESS_VIEWER, bench_samples},
    {"GET", V1 "/bench/runs/{id}/files/report.html", ACCESS_VIEWER, bench_file},
    {"GET", V1 "/bench/runs/{id}/files/report.txt", ACCESS_VIEWER, bench_file},
    {"GET", V1 "/bench/runs/{id}/files/report.json", ACCESS_VIEWER, bench_file},
    {"GET", V1 "/bench/runs/{id}/files/results.csv", ACCESS_VIEWER, bench_file},
    {"GET", V1 "/bench/runs/{id}/files/results_ext.csv", ACCESS_VIEWER, bench_file},
    {"GET", V1 "/bench/runs/{id}/files/samples.csv", ACCESS_VIEWER, bench_file},
    {"GET", V1 "/bench/compare", ACCESS_VIEWER, bench_compare},
    {"GET", V1 "/tls", ACCESS_ADMIN, certificates_get},
    {"GET", V1 "/tls/csr", ACCESS_ADMIN, certificates_csr_file},
    {"POST", V1 "/tls/csr", ACCESS_ADMIN, certificates_csr},
    {"POST", V1 "/tls/self-signed", ACCESS_ADMIN, certificates_self_signed},
    {"POST", V1 "/tls/certificate", ACCESS_ADMIN, certificates_install},
    {"POST", V1 "/tls/client-cas", ACCESS_ADMIN, certificates_ca_add},
    {"DELETE", V1 "/tls/client-cas/{fingerprint}", ACCESS_ADMIN, certificates_ca_remove},
    {"PUT", V1 "/tls/allowed", ACCESS_ADMIN, certificates_set_allowed},
    {"GET", V1 "/tls/requests/{id}", ACCESS_ADMIN, certificates_request},
    {"GET", V1 "/session", ACCESS_VIEWER, access_session},
    {"POST", V1 "/session", ACCESS_OPEN, access_log_in},
    {"DELETE", V1 "/session", ACCESS_VIEWER, access_log_out},
    {"GET", V1 "/setup", ACCESS_OPEN, access_setup_state},
    {"POST", V1 "/setup", ACCESS_OPEN, access_set_up},
    {"GET", V1 "/users", ACCESS_ADMIN, access_users},
    {"GET", V1 "/openapi.json", ACCESS_OPEN, status_openapi},
    {"GET", "/healthz", ACCESS_LOCAL, status_health},
    {"GET", "/metrics", ACCESS_LOCAL, status_metrics},
};
const size_t routes_n = ARRAY_LEN(routes);

size_t route_body_max(const struct route *r)
{
    bool is_list = r->handler == listeners_set_allow || r->handler == listeners_set_limits ||
                   r->handler == certificates_set_allowed;
    return is_list ? HTTP_LIST_BODY_BYTES : HTTP_MAX_BODY_BYTES;
}

bool route_is_api(const char *path)
{
    return strncmp(path, "/api/", 5) == 0 || strcmp(path, "/api") == 0 ||
           strcmp(path, "/healthz") == 0 || strcmp(path, "/metrics") == 0;
}

static bool matches(const char *pattern, const char *path, struct view *ret_id)
{
    *ret_id = VIEW_NULL;
    while (*pattern) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        /* a network has a slash of its own, and is the last part */
        bool is_network = strcmp(pattern, "{network}") == 0;
        size_t n = is_network ? strlen(path) : strcspn(path, "/");
        if (n == 0)
            return false;
        *ret_id = view_of(path, n);
        path += n;
        pattern += strcspn(pattern, "}") + 1;
    }
    return *path == 0;
}

const struct route *route_find(const char *method, const char *path,
                               char ret_allow[ROUTE_ALLOW_MAX], struct view *ret_id)
{
    struct view id;
    size_t n = 0;
    ret_allow[0] = 0;
    for (size_t i = 0; i < routes_n; i++) {
        if (!matches(routes[i].path, path, &id))
            continue;
        if (strcmp(routes[i].method, method) == 0) {
            *ret_id = id;
            return &routes[i];
        }
        n += (size_t)snprintf(ret_allow + n, ROUTE_ALLOW_MAX - n, "%s%s", n > 0 ? ", " : "",
                              routes[i].method);
    }
    return NULL;
}
