#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "bench/target/api.h"

/* ---- a server that gives one answer, in pieces of `piece` bytes ---- */

struct server {
    int fd;
    char url[64];
    const char *answer;
    size_t answer_n, piece;
    bool is_hanging; /* keeps the connection when it has said everything */
    char asked[4096];
    pthread_t thread;
};

static void *answer_once(void *context)
{
    struct server *s = context;
    int fd = accept(s->fd, NULL, NULL);
    size_t n = 0;
    if (fd < 0)
        return NULL;
    while (n < sizeof(s->asked) - 1 && !strstr(s->asked, "\r\n\r\n")) {
        ssize_t got = recv(fd, s->asked + n, sizeof(s->asked) - 1 - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        s->asked[n] = 0;
    }
    for (size_t at = 0; at < s->answer_n; at += s->piece) {
        if (send(fd, s->answer + at, MIN(s->piece, s->answer_n - at), MSG_NOSIGNAL) < 0)
            break;
    }
    char rest[256];
    if (s->is_hanging)
        while (recv(fd, rest, sizeof(rest), 0) > 0)
            ;
    close(fd);
    return NULL;
}

static void begin(struct server *s, const char *answer)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    s->answer = answer;
    s->answer_n = s->answer_n ? s->answer_n : strlen(answer);
    s->piece = s->piece ? s->piece : s->answer_n;
    s->asked[0] = 0;
    s->fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(s->fd, (struct sockaddr *)&at, len), 0);
    cr_assert_eq(listen(s->fd, 1), 0);
    cr_assert_eq(getsockname(s->fd, (struct sockaddr *)&at, &len), 0);
    snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u/", ntohs(at.sin_port));
    cr_assert_eq(pthread_create(&s->thread, NULL, answer_once, s), 0);
}

static void end(struct server *s)
{
    shutdown(s->fd, SHUT_RDWR); /* where nobody came */
    pthread_join(s->thread, NULL);
    close(s->fd);
}

static struct api *api_of(const char *url)
{
    struct api *a;
    struct err err;
    setenv("AZEKURA_TOKEN", " secret-token \n", 1);
    cr_assert_eq(api_new(url, NULL, &a, &err), 0, "%s", err.message);
    return a;
}

#define HEAD(status) \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n"

Test(api, an_answer_is_its_json_and_the_token_goes_along)
{
    struct server s = {.piece = 1};
    cJSON *json = NULL, *body = cJSON_CreateObject();
    struct err err;
    begin(&s, HEAD("201 Created") "Content-Length: 19\r\n\r\n{\"n\":7,\"t\":\"text\"}\n");
    struct api *a = api_of(s.url);
    cr_expect_str_eq(api_host(a), "127.0.0.1");
    cJSON_AddStringToObject(body, "address", "192.0.2.1");
    cr_assert_eq(api_post(a, "/bench/senders", body, &json, &err), 0, "%s", err.message);
    cr_expect_eq(api_int(json, "n", -1), 7);
    cr_expect_eq(api_int(json, "t", -1), -1, "a text is no number");
    cr_expect_eq(api_int(json, "x", -1), -1);
    cr_expect_str_eq(api_text(json, "t", ""), "text");
    cr_expect_str_eq(api_text(json, "n", "none"), "none");
    end(&s);
    cr_expect(strstr(s.asked, "POST /api/v1/bench/senders HTTP/1.1\r\n"), "%s", s.asked);
    cr_expect(strstr(s.asked, "Authorization: Bearer secret-token\r\n"), "%s", s.asked);
    cJSON_Delete(json);
    cJSON_Delete(body);
    api_free(&a);
    cr_expect_null(a);
}

Test(api, a_refusal_is_told_in_the_boxs_words)
{
    static const struct {
        const char *answer;
        int rc;
        const char *code, *says;
    } cases[] = {
        {HEAD("403 Forbidden") "\r\n{\"error\":{\"code\":\"forbidden\",\"message\":\"the role "
                               "viewer may "
                               "not\"}}",
         -EACCES, "forbidden", "the role viewer may not"},
        {HEAD("404 Not Found") "\r\nnothing here", -ENOENT, "bad_status", "404"},
        {HEAD("409 Conflict") "\r\n{}", -EBUSY, "bad_status", "409"},
        {HEAD("503 Away") "\r\n{\"error\":{\"code\":\"database_away\",\"message\":\"away\"}}",
         -EAGAIN, "database_away", "away"},
        {HEAD("500 Oops") "\r\n[1,2", -EPROTO, "bad_status", "500"},
        {HEAD("200 OK") "\r\n<html>", -EPROTO, "bad_answer", "not JSON"},
        {HEAD("200 OK") "Content-Length: 100\r\n\r\n{}", -EPIPE, "no_answer", ""},
        {"SSH-2.0-server\r\n", -EIO, "no_answer", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct server s = {.piece = 0};
        struct err err = {.message = ""};
        cJSON *json = NULL;
        begin(&s, cases[i].answer);
        struct api *a = api_of(s.url);
        cr_expect_eq(api_get(a, "/x", &json, &err), cases[i].rc, "case %zu: %s", i, err.message);
        cr_expect_str_eq(err.code, cases[i].code, "case %zu", i);
        cr_expect(strstr(err.message, cases[i].says), "case %zu: %s", i, err.message);
        cr_expect_null(json);
        end(&s);
        api_free(&a);
    }
}

Test(api, an_empty_answer_is_no_json)
{
    struct server s = {.piece = 0};
    struct err err;
    cJSON *json = NULL;
    begin(&s, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    struct api *a = api_of(s.url);
    cr_expect_eq(api_delete(a, "/bench/senders/192.0.2.1", &json, &err), 0);
    cr_expect_null(json);
    end(&s);
    cr_expect(strstr(s.asked, "DELETE /api/v1/bench/senders/192.0.2.1 "), "%s", s.asked);
    api_free(&a);
}

Test(api, an_answer_that_does_not_end_is_cut)
{
    static const char head[] = HEAD("200 OK") "\r\n";
    struct server s = {.piece = 0};
    struct err err;
    cJSON *json = NULL;
    size_t n = API_ANSWER_MAX_BYTES + 1000000;
    char *text = xmalloc(n);
    memset(text, ' ', n);
    memcpy(text, head, sizeof(head) - 1);
    s.answer_n = n;
    begin(&s, text);
    struct api *a = api_of(s.url);
    cr_expect_eq(api_get(a, "/x", &json, &err), -EPROTO);
    cr_expect(strstr(err.message, "more than"), "%s", err.message);
    end(&s);
    api_free(&a);
    free(text);
}

/* ---- streams ---- */

struct lines {
    struct buf got;
    int stop_at, n;
};

static int take(void *context, struct view line)
{
    struct lines *l = context;
    buf_add_view(&l->got, line);
    buf_add_char(&l->got, '|');
    return ++l->n == l->stop_at ? -ECANCELED : 0;
}

Test(api, a_stream_is_cut_into_lines_at_every_split)
{
    static const char answer[] = HEAD("200 OK") "\r\none\n\ntwo and more\nlast";
    for (size_t piece = 1; piece < sizeof(answer); piece += 3) {
        struct server s = {.piece = piece};
        struct lines l = {.got = BUF_INIT(4096)};
        struct err err;
        begin(&s, answer);
        struct api *a = api_of(s.url);
        cr_assert_eq(api_stream(a, "/logs/export?format=raw", 30, take, &l, NULL, &err), 0, "%s",
                     err.message);
        cr_expect_str_eq(buf_str(&l.got), "one||two and more|last|", "pieces of %zu", piece);
        end(&s);
        api_free(&a);
        buf_free(&l.got);
    }
}

Test(api, a_stream_that_breaks_off_is_not_taken_for_whole)
{
    struct server s = {.piece = 0};
    struct lines l = {.got = BUF_INIT(4096)};
    struct err err;
    begin(&s, HEAD("200 OK") "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
    struct api *a = api_of(s.url);
    cr_expect_eq(api_stream(a, "/x", 30, take, &l, NULL, &err), -EPIPE, "%s", err.message);
    end(&s);
    api_free(&a);
    buf_free(&l.got);
}

Test(api, a_stream_ends_when_the_reader_or_somebody_else_says_so)
{
    struct err err;
    volatile sig_atomic_t stop = 1;
    for (int is_stopped = 0; is_stopped < 2; is_stopped++) {
        struct server s = {.is_hanging = true};
        struct lines l = {.got = BUF_INIT(4096), .stop_at = is_stopped ? 0 : 2};
        begin(&s, HEAD("200 OK") "\r\none\ntwo\nthree\n");
        struct api *a = api_of(s.url);
        int rc = api_stream(a, "/x", 30, take, &l, is_stopped ? &stop : NULL, &err);
        cr_expect_eq(rc, is_stopped ? -EINTR : -ECANCELED);
        end(&s);
        api_free(&a);
        buf_free(&l.got);
    }
}

/* ---- making one ---- */

Test(api, what_is_no_address_of_a_box_is_refused)
{
    static const char *const urls[] = {"",        "box",        "ftp://box", "file:///etc/passwd",
                                       "http://", "http://a b/"};
    setenv("AZEKURA_TOKEN", "t", 1);
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct api *a = NULL;
        struct err err;
        cr_expect_eq(api_new(urls[i], NULL, &a, &err), -EINVAL, "%s", urls[i]);
        cr_expect_null(a);
    }
}

Test(api, a_host_is_told_without_brackets)
{
    struct api *a = api_of("http://[::1]:8080");
    cr_expect_str_eq(api_host(a), "::1");
    api_free(&a);
}

Test(api, a_token_that_could_change_the_request_is_refused)
{
    static const char *const tokens[] = {"", "  ", "a b", "a\r\nX: y", "\x80"};
    struct api *a = NULL;
    struct err err;
    for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
        setenv("AZEKURA_TOKEN", tokens[i], 1);
        cr_expect_eq(api_new("http://127.0.0.1", NULL, &a, &err), -EINVAL, "%s", tokens[i]);
    }
    unsetenv("AZEKURA_TOKEN");
    cr_expect_eq(api_new("http://127.0.0.1", NULL, &a, &err), -EINVAL);
    cr_expect(strstr(err.message, "--token-file"), "%s", err.message);
    cr_expect_eq(api_new("http://127.0.0.1", "/no such file", &a, &err), -ENOENT);
    cr_expect_eq(api_new("http://127.0.0.1", "/dev/zero", &a, &err), -EINVAL);
}

Test(api, text_in_an_address_is_escaped)
{
    char out[64];
    cr_expect_str_eq(api_escape("a-b.c_~09", out, sizeof(out)), "a-b.c_~09");
    cr_expect_str_eq(api_escape("\"x y\"&=%/校", out, sizeof(out)),
                     "%22x%20y%22%26%3D%25%2F%E6%A0%A1");
}
