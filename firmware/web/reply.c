/* The replies (request.h).  Status line and headers are written here and nowhere else, so that no
 * reply can lack a security header. */
#include "web/request.h"

#include <civetweb.h>
#include <stdarg.h>
#include <time.h>

#include "web/json.h"
#include "config/log.h"

#define ERROR_MAX_BYTES 4096
#define WRITE_BYTES 65536 /* one mg_write: its time-out counts from one to the next */

#define SECURITY_HEADERS                                                                \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';" \
    " img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self';"  \
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r\n"                  \
    "X-Content-Type-Options: nosniff\r\n"                                               \
    "Referrer-Policy: no-referrer\r\n"                                                  \
    "Cross-Origin-Opener-Policy: same-origin\r\n"                                       \
    "Cross-Origin-Resource-Policy: same-origin\r\n"                                     \
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n"

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {421, "Misdirected Request"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (texts[i].status == status)
            return texts[i].text;
    }
    return "Error";
}

/* Whoever reads slowly must not keep a connection to the database from others meanwhile. */
static int write_all(struct request *rq, struct view v)
{
    request_release_db(rq);
    while (v.n > 0) {
        size_t n = MIN(v.n, (size_t)WRITE_BYTES);
        if (mg_write(rq->conn, v.p, n) != (int)n)
            return -EPIPE;
        v.p += n;
        v.n -= n;
    }
    return 0;
}

/* `length` < 0: chunked.  Pages name their own Cache-Control among `headers`. */
static int write_head(struct request *rq, int status, const char *type, const char *headers,
                      int64_t length)
{
    CHECK(rq->status == 0);
    rq->status = status;
    char date[64];
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
    struct buf head = BUF_INIT(8192);
    buf_printf(&head, "HTTP/1.1 %d %s\r\nDate: %s\r\nConnection: close\r\n" SECURITY_HEADERS,
               status, status_text(status), date);
    if (!headers || !strstr(headers, "Cache-Control:"))
        buf_add_str(&head, "Cache-Control: no-store\r\n");
    if (type)
        buf_printf(&head, "Content-Type: %s\r\n", type);
    if (headers)
        buf_add_str(&head, headers);
    if (length >= 0 && status != 204 && status != 304)
        buf_printf(&head, "Content-Length: %lld\r\n", (long long)length);
    else if (length < 0)
        buf_add_str(&head, "Transfer-Encoding: chunked\r\n");
    buf_add_str(&head, "\r\n");
    CHECK(!head.is_full);
    int rc = write_all(rq, buf_view(&head));
    buf_free(&head);
    return rc;
}

void reply_bytes(struct request *rq, int status, const char *type, const char *headers,
                 struct view body)
{
    /* a client that is gone needs no reply: nothing to be done about a failed write */
    if (write_head(rq, status, type, headers, (int64_t)body.n) == 0 &&
        strcmp(rq->method, "HEAD") != 0)
        (void)!write_all(rq, body);
}

void reply_empty(struct request *rq, int status, const char *headers)
{
    (void)!write_head(rq, status, NULL, headers, 0);
}

void reply_json(struct request *rq, int status, const char *headers, struct buf *body)
{
    if (body->is_full)
        reply_error(rq, 500, "too_large", "", "the answer is larger than %zu bytes", body->max);
    else
        reply_bytes(rq, status, "application/json", headers, buf_view(body));
    buf_free(body);
}

static void reply_error_headers(struct request *rq, int status, const char *headers,
                                const struct err *err)
{
    struct buf body = BUF_INIT(ERROR_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "error");
    json_begin(&j, '{');
    json_key(&j, "code");
    json_str(&j, err->code);
    json_key(&j, "message");
    json_str(&j, err->message);
    json_key(&j, "field");
    json_str(&j, err->field[0] ? err->field : NULL);
    json_end(&j, '}');
    json_end(&j, '}');
    reply_json(rq, status, headers, &body);
}

void reply_error(struct request *rq, int status, const char *code, const char *field,
                 const char *fmt, ...)
{
    char message[400];
    struct err err;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    (void)err_set_field(&err, EINVAL, code, field, "%s", message);
    reply_error_headers(rq, status, status == 401 ? "WWW-Authenticate: Bearer\r\n" : NULL, &err);
}

void reply_method(struct request *rq, const char *headers, const char *allowed)
{
    struct err err;
    (void)err_set(&err, EINVAL, "method_not_allowed", "%.16s is not possible here, but %s",
                  rq->method, allowed);
    reply_error_headers(rq, 405, headers, &err);
}

int request_status_of(int rc, const struct err *err)
{
    if (strcmp(err->code, "database_refuses") == 0)
        return 503;
    switch (-rc) {
    case EINVAL:
        return 400;
    case EACCES:
    case EPERM:
        return 403;
    case ENOENT:
        return 404;
    case EEXIST:
        return 409;
    case E2BIG:
    case ENOSPC:
        return 413;
    case EBUSY:
        return 429;
    case EAGAIN:
    case ETIMEDOUT:
        return 503;
    default:
        return 500;
    }
}

void reply_err(struct request *rq, int rc, const struct err *err)
{
    if (rc == -ECANCELED) {
        rq->status = 499; /* nobody is left to read a reply */
        return;
    }
    int status = request_status_of(rc, err);
    if (status == 500)
        log_line(LOG_ERROR, "%s %s: %s", rq->method, rq->path, err->message);
    reply_error_headers(rq, status, NULL, err);
}

void reply_too_many(struct request *rq, int wait_s, const struct err *err)
{
    char headers[64];
    snprintf(headers, sizeof(headers), "Retry-After: %d\r\n", wait_s);
    reply_error_headers(rq, 429, headers, err);
}

int reply_stream(struct request *rq, const char *type, const char *headers)
{
    return write_head(rq, 200, type, headers, -1);
}

int reply_chunk(struct request *rq, struct view bytes)
{
    char head[24];
    if (bytes.n == 0)
        return 0; /* an empty chunk would end the stream */
    int n = snprintf(head, sizeof(head), "%zx\r\n", bytes.n);
    int rc = write_all(rq, view_of(head, (size_t)n));
    if (rc == 0)
        rc = write_all(rq, bytes);
    return rc < 0 ? rc : write_all(rq, VIEW("\r\n"));
}

int reply_stream_end(struct request *rq)
{
    return write_all(rq, VIEW("0\r\n\r\n"));
}
