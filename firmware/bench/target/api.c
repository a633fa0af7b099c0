/* Asking the API with libcurl. */
#include "bench/target/api.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/buf.h"

#define CONNECT_MS 5000L
#define ANSWER_MS 60000L /* a search takes web.search_seconds, 300 at most; ours are short */
#define URL_MAX 8192
#define TOKEN_MAX 512

struct api {
    char base[512], host[256];
    char authorization[TOKEN_MAX + 32];
    char ca_file[512];
};

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* ---- making one ---- */

static int read_token(const char *file, char *token, size_t size, struct err *err)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, token, size);
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return err_set(err, error, "bad_token", "cannot read the token in %s: %s", file,
                       strerror(error));
    if ((size_t)n >= size)
        return err_set(err, EINVAL, "bad_token", "the token in %s has more than %zu bytes", file,
                       size - 1);
    token[n] = 0;
    return 0;
}

static int set_token(struct api *a, const char *file, struct err *err)
{
    char text[TOKEN_MAX + 2];
    const char *from = file ? file : "$AZEKURA_TOKEN";
    if (file) {
        int rc = read_token(file, text, sizeof(text), err);
        if (rc < 0)
            return rc;
    } else {
        const char *value = getenv("AZEKURA_TOKEN");
        if (!value || !*value)
            return err_set(err, EINVAL, "no_token",
                           "a token of the box is needed: name a file with --token-file or set "
                           "AZEKURA_TOKEN ("
                           "azekura token create --role operator --name bench > FILE makes one)");
        snprintf(text, sizeof(text), "%s", value);
    }
    struct view token = view_trim(view_str(text));
    bool is_good = token.n > 0 && token.n <= TOKEN_MAX;
    for (size_t i = 0; i < token.n; i++)
        is_good = is_good && token.p[i] > ' ' && token.p[i] < 127;
    if (is_good)
        snprintf(a->authorization, sizeof(a->authorization), "Authorization: Bearer %.*s",
                 VIEW_ARG(token));
    explicit_bzero(text, sizeof(text));
    return is_good ? 0 : err_set(err, EINVAL, "bad_token", "%s holds no token", from);
}

static int set_url(struct api *a, const char *url, struct err *err)
{
    CURLU *u = curl_url();
    char *host = NULL;
    size_t n = strlen(url);
    while (n > 0 && url[n - 1] == '/')
        n--;
    bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
    bool is_good = is_http && n < sizeof(a->base) - 8 &&
                   curl_url_set(u, CURLUPART_URL, url, 0) == 0 &&
                   curl_url_get(u, CURLUPART_HOST, &host, 0) == 0 && strlen(host) < sizeof(a->host);
    if (is_good) {
        struct view h = view_str(host);
        if (h.n > 2 && h.p[0] == '[')
            h = view_of(h.p + 1, h.n - 2);
        snprintf(a->base, sizeof(a->base), "%.*s/api/v1", (int)n, url);
        snprintf(a->host, sizeof(a->host), "%.*s", VIEW_ARG(h));
    }
    curl_free(host);
    curl_url_cleanup(u);
    return is_good ? 0
                   : err_set(err, EINVAL, "bad_url",
                             "\"%.200s\" is not the address of a box (http://HOST:PORT)", url);
}

int api_new(const char *url, const char *token_file, struct api **ret, struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_curl);
    struct api *a = xcalloc(1, sizeof(*a));
    const char *ca_file = getenv("AZEKURA_CA_FILE");
    snprintf(a->ca_file, sizeof(a->ca_file), "%s", ca_file ? ca_file : "");
    int rc = set_url(a, url, err);
    if (rc == 0)
        rc = set_token(a, token_file, err);
    if (rc < 0) {
        api_free(&a);
        return rc;
    }
    *ret = a;
    return 0;
}

void api_free(struct api **pa)
{
    if (!*pa)
        return;
    explicit_bzero((*pa)->authorization, sizeof((*pa)->authorization));
    free(*pa);
    *pa = NULL;
}

const char *api_host(const struct api *a)
{
    return a->host;
}

/* ---- one request ---- */

struct exchange {
    CURL *curl;
    struct curl_slist *headers;
    char reason[CURL_ERROR_SIZE];
    struct buf answer; /* a stream: the line in hand, or what an error says */
    bool is_too_long;
    const volatile sig_atomic_t *stop;
    /* of a stream */
    api_line_fn line;
    void *context;
    int line_rc;
};

static int is_stopped(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    const struct exchange *x = context;
    return x->stop && *x->stop;
}

static int exchange_init(struct exchange *x, const struct api *a, const char *path, struct err *err)
{
    char url[URL_MAX];
    int n = snprintf(url, sizeof(url), "%s%s", a->base, path);
    if (n < 0 || (size_t)n >= sizeof(url))
        return err_set(err, EINVAL, "bad_url", "a request of %d bytes is too long (%zu)", n,
                       sizeof(url));
    x->curl = curl_easy_init();
    CHECK(x->curl);
    x->headers = curl_slist_append(NULL, a->authorization);
    x->headers = curl_slist_append(x->headers, "Accept: application/json, */*");
    x->headers = curl_slist_append(x->headers, "Expect:");
    curl_easy_setopt(x->curl, CURLOPT_URL, url);
    curl_easy_setopt(x->curl, CURLOPT_HTTPHEADER, x->headers);
    curl_easy_setopt(x->curl, CURLOPT_USERAGENT, "azekura-bench/" AZEKURA_VERSION);
    curl_easy_setopt(x->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(x->curl, CURLOPT_PROXY, ""); /* what is measured is the box, not a proxy */
    curl_easy_setopt(x->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(x->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl_easy_setopt(x->curl, CURLOPT_ERRORBUFFER, x->reason);
    curl_easy_setopt(x->curl, CURLOPT_WRITEDATA, x);
    if (a->ca_file[0])
        curl_easy_setopt(x->curl, CURLOPT_CAINFO, a->ca_file);
    curl_easy_setopt(x->curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(x->curl, CURLOPT_XFERINFODATA, x);
    curl_easy_setopt(x->curl, CURLOPT_XFERINFOFUNCTION, is_stopped);
    return 0;
}

static void exchange_done(struct exchange *x)
{
    curl_slist_free_all(x->headers);
    curl_easy_cleanup(x->curl);
    buf_free(&x->answer);
}

static int error_of_status(long status)
{
    return status == 404                    ? ENOENT
           : status == 401 || status == 403 ? EACCES
           : status == 409 || status == 429 ? EBUSY
           : status == 503                  ? EAGAIN
                                            : EPROTO;
}

static int error_of_curl(CURLcode code)
{
    return code == CURLE_OPERATION_TIMEDOUT                         ? ETIMEDOUT
           : code == CURLE_COULDNT_CONNECT                          ? ECONNREFUSED
           : code == CURLE_COULDNT_RESOLVE_HOST                     ? EHOSTUNREACH
           : code == CURLE_ABORTED_BY_CALLBACK                      ? EINTR
           : code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ? EPIPE
                                                                    : EIO;
}

/* What went wrong, in the box's own words where it said any. */
static int refuse(struct exchange *x, const char *what, CURLcode code, struct err *err)
{
    long status = 0;
    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK) {
        int error = error_of_curl(code);
        if (error == EINTR)
            return err_set(err, EINTR, "stopped", "%s: stopped", what);
        return err_set(err, error, "no_answer", "%s: %s", what,
                       x->reason[0] ? x->reason : curl_easy_strerror(code));
    }
    cJSON *json = cJSON_ParseWithLength(buf_view(&x->answer).p, x->answer.n);
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "error");
    int rc = err_set(err, error_of_status(status), api_text(error, "code", "bad_status"),
                     "%s: the box answers %ld: %.300s", what, status,
                     api_text(error, "message", "without a reason"));
    cJSON_Delete(json);
    return rc;
}

static size_t keep(char *bytes, size_t size, size_t n, void *context)
{
    struct exchange *x = context;
    x->is_too_long = buf_add(&x->answer, bytes, size * n) < 0;
    return x->is_too_long ? 0 : size * n;
}

static int understand(struct exchange *x, const char *what, cJSON **ret, struct err *err)
{
    cJSON *json = NULL;
    if (x->answer.n > 0) {
        json = cJSON_ParseWithLength(x->answer.p, x->answer.n);
        if (!json)
            return err_set(err, EPROTO, "bad_answer", "%s: the answer is not JSON: \"%.*s\"", what,
                           (int)MIN(x->answer.n, 80), x->answer.p);
    }
    if (ret)
        *ret = json;
    else
        cJSON_Delete(json);
    return 0;
}

static int ask(const struct api *a, const char *method, const char *path, const cJSON *body,
               cJSON **ret, struct err *err)
{
    struct exchange x = {.answer = BUF_INIT(API_ANSWER_MAX_BYTES)};
    char what[192], *text = NULL;
    snprintf(what, sizeof(what), "%s %.60s%.100s", method, a->host, path);
    int rc = exchange_init(&x, a, path, err);
    if (rc < 0)
        return rc;
    curl_easy_setopt(x.curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(x.curl, CURLOPT_TIMEOUT_MS, ANSWER_MS);
    curl_easy_setopt(x.curl, CURLOPT_WRITEFUNCTION, keep);
    if (body) {
        text = cJSON_PrintUnformatted(body);
        CHECK(text);
        x.headers = curl_slist_append(x.headers, "Content-Type: application/json");
        curl_easy_setopt(x.curl, CURLOPT_HTTPHEADER, x.headers);
        curl_easy_setopt(x.curl, CURLOPT_POSTFIELDS, text);
    } else if (strcmp(method, "POST") == 0) {
        curl_easy_setopt(x.curl, CURLOPT_POSTFIELDS, "");
    }
    CURLcode code = curl_easy_perform(x.curl);
    long status = 0;
    curl_easy_getinfo(x.curl, CURLINFO_RESPONSE_CODE, &status);
    if (x.is_too_long)
        rc = err_set(err, EPROTO, "bad_answer", "%s: the answer has more than %u bytes", what,
                     API_ANSWER_MAX_BYTES);
    else if (code != CURLE_OK || status < 200 || status > 299)
        rc = refuse(&x, what, code, err);
    else
        rc = understand(&x, what, ret, err);
    cJSON_free(text);
    exchange_done(&x);
    return rc;
}

int api_get(const struct api *a, const char *path, cJSON **ret, struct err *err)
{
    return ask(a, "GET", path, NULL, ret, err);
}

int api_post(const struct api *a, const char *path, const cJSON *body, cJSON **ret, struct err *err)
{
    return ask(a, "POST", path, body, ret, err);
}

int api_delete(const struct api *a, const char *path, cJSON **ret, struct err *err)
{
    return ask(a, "DELETE", path, NULL, ret, err);
}

/* ---- streams ---- */

/* The line that began in an earlier piece ends here. */
static int end_line(struct exchange *x, struct view rest)
{
    if (buf_add_view(&x->answer, rest) < 0) {
        x->is_too_long = true;
        return -EPROTO;
    }
    int rc = x->line(x->context, buf_view(&x->answer));
    buf_clear(&x->answer);
    return rc;
}

static int cut_lines(struct exchange *x, struct view piece)
{
    for (const char *end; piece.n > 0 && (end = memchr(piece.p, '\n', piece.n));) {
        struct view line = view_of(piece.p, (size_t)(end - piece.p));
        piece = view_of(end + 1, piece.n - line.n - 1);
        int rc = x->answer.n > 0 ? end_line(x, line) : x->line(x->context, line);
        if (rc != 0)
            return rc;
    }
    if (buf_add_view(&x->answer, piece) < 0) {
        x->is_too_long = true;
        return -EPROTO;
    }
    return 0;
}

static size_t take_piece(char *bytes, size_t size, size_t n, void *context)
{
    struct exchange *x = context;
    long status = 0;
    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299)
        return keep(bytes, size, n, context); /* the reason */
    x->line_rc = cut_lines(x, view_of(bytes, size * n));
    return x->line_rc == 0 ? size * n : 0;
}

int api_stream(const struct api *a, const char *path, int quiet_s, api_line_fn line, void *context,
               const volatile sig_atomic_t *stop, struct err *err)
{
    struct exchange x = {
        .answer = BUF_INIT(API_LINE_MAX_BYTES), .line = line, .context = context, .stop = stop};
    char what[192];
    snprintf(what, sizeof(what), "GET %.60s%.100s", a->host, path);
    int rc = exchange_init(&x, a, path, err);
    if (rc < 0)
        return rc;
    curl_easy_setopt(x.curl, CURLOPT_WRITEFUNCTION, take_piece);
    curl_easy_setopt(x.curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(x.curl, CURLOPT_LOW_SPEED_TIME, (long)quiet_s);
    curl_easy_setopt(x.curl, CURLOPT_BUFFERSIZE, 262144L);
    CURLcode code = curl_easy_perform(x.curl);
    long status = 0;
    curl_easy_getinfo(x.curl, CURLINFO_RESPONSE_CODE, &status);
    if (x.is_too_long)
        rc = err_set(err, EPROTO, "bad_answer", "%s: a line has more than %u bytes", what,
                     API_LINE_MAX_BYTES);
    else if (x.line_rc != 0)
        rc = x.line_rc;
    else if (code != CURLE_OK || status < 200 || status > 299)
        rc = refuse(&x, what, code, err);
    else
        rc = x.answer.n > 0 ? end_line(&x, view_of("", 0)) : 0;
    exchange_done(&x);
    return rc;
}

/* ---- small things ---- */

const char *api_escape(const char *text, char *ret, size_t size)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        CHECK(n + 4 <= size);
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
            strchr("-._~", c)) {
            ret[n++] = *p;
        } else {
            ret[n++] = '%';
            ret[n++] = hex[c >> 4];
            ret[n++] = hex[c & 15];
        }
    }
    CHECK(n < size);
    ret[n] = 0;
    return ret;
}

int64_t api_int(const cJSON *object, const char *name, int64_t otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble > -9e18 && item->valuedouble < 9e18))
        return otherwise;
    return (int64_t)item->valuedouble;
}

const char *api_text(const cJSON *object, const char *name, const char *otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}
