/* CivetWeb is given no document root and no handler of its own: its begin_request callback, called
 * before it looks at a path, gives every request to dispatch() and says that the request is done.
 * So its file, redirect, CGI, SSI and CORS code never runs.
 *
 *   master thread ── accept ──▶ queue ──▶ worker × WEB_WORKERS ── dispatch() ── handler ── reply
 *   refresher: reads the settings again every few seconds, looks after benchmark runs
 */
#include "web/server.h"

#include <civetweb.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ip.h"
#include "base/limits.h"
#include "web/auth.h"
#include "web/bench_watch.h"
#include "web/handlers.h"
#include "config/log.h"
#include "store/event.h"
#include "web/metrics.h"
#include "web/request.h"
#include "web/route.h"

#define NUMBER_TEXT_(n) #n
#define NUMBER_TEXT(n) NUMBER_TEXT_(n)
#define REQUEST_TIMEOUT_MS \
    "10000" /* for request line and headers, and for a write that makes no progress */
#define REFRESH_MS 2000
#define REFRESH_STEP_MS 100
#define STOP_PATIENCE_MS 1000 /* for a last word to the database */

static void answer_api(struct request *rq)
{
    char allow[ROUTE_ALLOW_MAX];
    struct view id;
    rq->route = route_find(rq->method, rq->path, allow, &id);
    if (!rq->route && allow[0]) {
        char headers[ROUTE_ALLOW_MAX + 16];
        snprintf(headers, sizeof(headers), "Allow: %s\r\n", allow);
        reply_method(rq, headers, allow);
        return;
    }
    if (!rq->route) {
        reply_error(rq, 404, "not_found", "", "there is nothing at this path");
        return;
    }
    rq->id = view_is_null(id) ? NULL : arena_strdup(&rq->arena, id);
    /* a large body only from somebody who may send it; the connection to the database is not kept
     * while it comes */
    bool is_large = route_body_max(rq->route) > HTTP_MAX_BODY_BYTES;
    if (is_large && auth_check(rq) < 0)
        return;
    request_release_db(rq);
    if (strcmp(rq->method, "GET") != 0 && request_read_body(rq) < 0)
        return;
    if (is_large || auth_check(rq) == 0)
        rq->route->handler(rq);
}

static void dispatch(struct request *rq)
{
    if (auth_check_site(rq) < 0)
        return;
    if (route_is_api(rq->path))
        answer_api(rq);
    else
        page_get(rq);
}

static int begin_request(struct mg_connection *conn)
{
    const struct mg_request_info *info = mg_get_request_info(conn);
    struct request rq = {.web = mg_get_user_data(mg_get_context(conn)),
                         .conn = conn,
                         .method = info->request_method,
                         .path = info->local_uri ? info->local_uri : "",
                         .query_string = info->query_string,
                         .arena = ARENA_INIT};
    /* CivetWeb drops what is beyond its table, and with it perhaps the header that would forbid
     * this */
    if (info->num_headers >= MG_MAX_HEADERS)
        reply_error(&rq, 431, "headers_too_large", "", "the request has more than %d header lines",
                    MG_MAX_HEADERS - 1);
    else
        dispatch(&rq);
    CHECK(rq.status != 0);
    metrics_count(rq.route, rq.status);
    request_release_db(&rq);
    arena_done(&rq.arena);
    return rq.status;
}

/* What CivetWeb refuses before it is a request: too large, malformed, too slow. */
static int http_error(struct mg_connection *conn, int status, const char *message)
{
    struct request rq = {
        .web = mg_get_user_data(mg_get_context(conn)), .conn = conn, .method = "", .path = ""};
    (void)message;
    metrics_count_malformed();
    if (status == 413 || status == 431)
        reply_error(&rq, 431, "headers_too_large", "",
                    "request line and headers are larger than %d bytes", HTTP_MAX_HEADER_BYTES);
    else if (status == 408)
        reply_error(&rq, 408, "too_slow", "", "the request did not arrive in time");
    else
        reply_error(
            &rq, 400, "bad_request", "",
            "this is not an HTTP/1 request, or its request line and headers are larger than "
            "%d bytes",
            HTTP_MAX_HEADER_BYTES);
    return 0;
}

/* The last thing CivetWeb said while starting; afterwards its messages are about peers and not
 * kept. */
struct start_log {
    char text[256];
};
static _Thread_local struct start_log *start_log;

static int log_message(const struct mg_connection *conn, const char *message)
{
    (void)conn;
    if (start_log)
        snprintf(start_log->text, sizeof(start_log->text), "%s", message);
    return 1;
}

/* Say in the database that we run, once it is there. */
static void report_start(struct web *w, PGconn *db)
{
    struct err err;
    if (w->is_reported)
        return;
    w->is_reported = event_daemon_started(db, "web", &err) == 0;
    if (!w->is_reported)
        log_line(LOG_WARNING, "cannot say in the database that the console runs, trying again: %s",
                 err.message);
}

/* And that we stop, if it answers. */
static void report_stop(struct web *w)
{
    PGconn *db;
    struct err err;
    if (!w->is_reported || pool_take(w->pool, 0, &db, &err) < 0)
        return;
    store_set_patience(db, STOP_PATIENCE_MS);
    if (event_daemon_stopped(db, "web", &err) < 0)
        log_line(LOG_WARNING, "cannot say in the database that the console stops: %s", err.message);
    pool_give(w->pool, db);
}

/* The run that was stopped with us has ended; else the next start finds it. */
static void tidy_benchmarks(struct web *w)
{
    PGconn *db;
    struct err err;
    if (pool_take(w->pool, 0, &db, &err) < 0)
        return;
    store_set_patience(db, STOP_PATIENCE_MS);
    bench_watch_look(w->bench, db);
    pool_give(w->pool, db);
}

static void *refresh_settings(void *context)
{
    struct web *w = context;
    struct timespec pause = {.tv_nsec = REFRESH_STEP_MS * 1000000L};
    for (int ms = REFRESH_MS; !atomic_load(&w->is_stopping); ms += REFRESH_STEP_MS) {
        if (ms >= REFRESH_MS) {
            PGconn *db;
            struct err err;
            ms = 0;
            if (pool_take(w->pool, 0, &db, &err) == 0) {
                /* failed: the settings stay as they are until the next time */
                (void)!web_refresh_config(w, db, &err);
                report_start(w, db);
                bench_watch_look(w->bench, db);
                pool_give(w->pool, db);
            } else {
                bench_watch_look(w->bench, NULL);
            }
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* For a test or a supervisor that asked for port 0: where we listen. */
static void write_listener(const struct web *w)
{
    char *path = xasprintf("%s/web/listener", w->file.state_dir);
    char *fresh = xasprintf("%s.new", path);
    FILE *f = fopen(fresh, "we");
    if (f) {
        const char *colon = strrchr(w->file.http, ':');
        fprintf(f, "%.*s:%d\n", (int)(colon - w->file.http), w->file.http, w->listen_port);
        if (fclose(f) == 0 && rename(fresh, path) < 0)
            log_line(LOG_WARNING, "cannot write %s: %s; going on without it", path,
                     strerror(errno));
    }
    free(fresh);
    free(path);
}

static int listen_address(const struct config *c, char out[128], struct err *err)
{
    struct ip ip;
    uint16_t port;
    char text[IP_TEXT_MAX];
    if (ip_port_parse(view_str(c->http), &ip, &port) < 0)
        return err_set_field(err, EINVAL, "bad_value", "listen.http",
                             "listen.http: \"%s\" is not an address and port like 127.0.0.1:8080",
                             c->http);
    if (ip.family != 4)
        return err_set_field(err, EINVAL, "bad_value", "listen.http",
                             "listen.http: \"%s\" is not an IPv4 address; IPv6 is served by the "
                             "proxy in front",
                             c->http);
    ip_format(&ip, text);
    snprintf(out, 128, "%s:%u", text, port);
    return 0;
}

static int start_http(struct web *w, struct err *err)
{
    char address[128];
    int rc = listen_address(&w->file, address, err);
    if (rc < 0)
        return rc;
    const char *options[] = {
        "listening_ports",
        address,
        "num_threads",
        NUMBER_TEXT(WEB_WORKERS),
        "connection_queue",
        "64",
        "listen_backlog",
        "128",
        "max_request_size",
        NUMBER_TEXT(HTTP_MAX_HEADER_BYTES),
        "request_timeout_ms",
        REQUEST_TIMEOUT_MS,
        "linger_timeout_ms",
        "1000",
        "enable_keep_alive",
        "no",
        "enable_directory_listing",
        "no",
        "access_control_allow_origin",
        "",
        "access_control_allow_methods",
        "",
        "access_control_allow_headers",
        "",
        NULL,
    };
    struct mg_callbacks callbacks = {
        .begin_request = begin_request, .http_error = http_error, .log_message = log_message};
    struct start_log said = {""};
    mg_init_library(0);
    start_log = &said;
    w->http = mg_start(&callbacks, w, options);
    start_log = NULL;
    if (!w->http)
        return err_set_field(err, EADDRINUSE, "cannot_listen", "listen.http",
                             "listen.http: cannot listen on %s: %s", w->file.http, said.text);
    struct mg_server_port ports[1];
    if (mg_get_server_ports(w->http, 1, ports) == 1)
        w->listen_port = ports[0].port;
    return 0;
}

static void free_web(struct web *w)
{
    files_free(&w->files);
    bench_watch_free(&w->bench);
    pool_free(&w->pool);
    sem_destroy(&w->hashes);
    news_done(&w->news);
    pthread_mutex_destroy(&w->config_lock);
    free(w);
}

static void load_pages(struct web *w)
{
    struct err err;
    if (files_load(&w->files, w->file.web_root, &err) < 0)
        log_line(LOG_WARNING, "%s; serving the API without pages", err.message);
    else if (!files_find(&w->files, "/"))
        log_line(LOG_WARNING,
                 "web.root: there is no index.html in %s; serving the API without pages",
                 w->file.web_root);
}

int server_start(const struct config *config, struct web **ret, struct err *err)
{
    struct web *w = xcalloc(1, sizeof(*w));
    w->file = *config;
    w->live = *config;
    w->started_mono_us = clock_mono_us();
    CHECK(pthread_mutex_init(&w->config_lock, NULL) == 0);
    news_init(&w->news);
    CHECK(sem_init(&w->hashes, 0, WEB_HASHES_MAX) == 0);
    if (gethostname(w->machine, sizeof(w->machine) - 1) < 0)
        w->machine[0] = 0; /* then it answers to its addresses only */
    w->pool = pool_new(config->database, WEB_CONNECTIONS);
    pool_set_timeout(w->pool, (config->search_seconds + 5) * 1000);
    w->bench = bench_watch_new(config);
    load_pages(w);
    int rc = start_http(w, err);
    if (rc < 0) {
        free_web(w);
        return rc;
    }
    write_listener(w);
    CHECK(pthread_create(&w->refresher, NULL, refresh_settings, w) == 0);
    *ret = w;
    return 0;
}

void server_stop(struct web **pw)
{
    struct web *w = *pw;
    *pw = NULL;
    bench_watch_stop(w->bench); /* it asks the API for what it needs for its report */
    atomic_store(&w->is_stopping, true);
    mg_stop(w->http);
    pthread_join(w->refresher, NULL);
    tidy_benchmarks(w);
    report_stop(w);
    mg_exit_library();
    free_web(w);
}
