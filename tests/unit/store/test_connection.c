/* What store/connection.c does without a server: the pauses, and how a refusal is told from an
 * absence. The "server" here is a thread that answers the start-up packet with one scripted
 * ErrorResponse. */
#include "store/connection.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

Test(connection, pauses_double_from_100_ms_to_10_s_with_a_fifth_of_chance)
{
    static const int64_t expected_ms[] = {100,  200,  400,   800,   1600,
                                          3200, 6400, 10000, 10000, 10000};
    for (int round = 0; round < 50; round++) {
        struct backoff b = {0};
        for (size_t i = 0; i < ARRAY_LEN(expected_ms); i++) {
            int64_t us = backoff_next_us(&b);
            cr_assert(us >= expected_ms[i] * 800 && us <= expected_ms[i] * 1200,
                      "try %zu: %ld us, expected about %ld ms", i, (long)us, (long)expected_ms[i]);
        }
    }
}

Test(connection, a_password_in_a_connection_string_is_noticed)
{
    static const struct {
        const char *in;
        bool has;
    } cases[] = {{"", false},
                 {"host=/run dbname=azekura", false},
                 {"dbname=password", false},
                 {"host=a password=x", true},
                 {"host=a PASSWORD=x", true}, /* no such option: cannot be told */
                 {"postgresql://azekura@db/azekura", false},
                 {"postgresql://azekura:x@db/azekura", true},
                 {"host=a sslkey=k sslpassword=x", true},
                 {"host='", true}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(store_conninfo_has_password(cases[i].in) == cases[i].has, "%s", cases[i].in);
}

Test(connection, pauses_of_many_clients_differ)
{
    int64_t lowest = INT64_MAX, highest = 0;
    for (int i = 0; i < 200; i++) {
        struct backoff b = {0};
        int64_t us = backoff_next_us(&b);
        lowest = MIN(lowest, us);
        highest = MAX(highest, us);
    }
    cr_assert_gt(highest - lowest, 10000, "only %ld us between them", (long)(highest - lowest));
}

Test(connection, pauses_start_again_after_a_success)
{
    struct backoff b = {0};
    for (int i = 0; i < 100; i++)
        cr_assert_leq(backoff_next_us(&b), 12 * US_PER_SECOND);
    b.failures = 0;
    cr_assert_leq(backoff_next_us(&b), 120000);
}

/* ---- connecting ---- */

struct fake_server {
    char dir[64];
    int listener;
    const char *state; /* SQLSTATE of the answer */
    pthread_t thread;
};

static void *answer_one_client(void *context)
{
    struct fake_server *s = context;
    int fd = accept(s->listener, NULL, NULL);
    char in[1024];
    if (fd < 0 || read(fd, in, sizeof(in)) <= 0)
        return NULL;
    char body[256];
    int n = snprintf(body, sizeof(body),
                     "SFATAL%cVFATAL%cC%s%cMscripted answer: with colon%cFfile.c%cL1%cRf%c%c", 0, 0,
                     s->state, 0, 0, 0, 0, 0, 0);
    unsigned char head[5] = {'E', 0, 0, (unsigned char)((n + 4) >> 8), (unsigned char)(n + 4)};
    if (write(fd, head, sizeof(head)) != sizeof(head) || write(fd, body, (size_t)n) != n)
        cr_log_warn("the client went away");
    close(fd);
    return NULL;
}

static void fake_start(struct fake_server *s, const char *state)
{
    snprintf(s->dir, sizeof(s->dir), "/tmp/azk-connection-XXXXXX");
    cr_assert(mkdtemp(s->dir));
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof(a.sun_path), "%s/.s.PGSQL.5432", s->dir);
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(s->listener, (struct sockaddr *)&a, sizeof(a)), 0);
    cr_assert_eq(listen(s->listener, 4), 0);
    s->state = state;
    cr_assert_eq(pthread_create(&s->thread, NULL, answer_one_client, s), 0);
}

static void fake_stop(struct fake_server *s)
{
    char path[128];
    pthread_join(s->thread, NULL);
    close(s->listener);
    snprintf(path, sizeof(path), "%s/.s.PGSQL.5432", s->dir);
    unlink(path);
    rmdir(s->dir);
}

Test(connection, an_answer_of_the_server_tells_away_from_refused)
{
    static const struct {
        const char *state;
        int expected;
        const char *code;
    } cases[] = {
        {"57P03", -EAGAIN, "database_away"},    /* starting up */
        {"53300", -EAGAIN, "database_away"},    /* too many connections */
        {"57P01", -EAGAIN, "database_away"},    /* shutting down */
        {"28000", -EACCES, "database_refuses"}, /* no such role */
        {"28P01", -EACCES, "database_refuses"}, /* wrong password */
        {"3D000", -EACCES, "database_refuses"}, /* no such database */
        {"42501", -EACCES, "database_refuses"}, /* may not connect */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_server s;
        fake_start(&s, cases[i].state);
        char conninfo[128];
        snprintf(conninfo, sizeof(conninfo), "host=%s dbname=azekura", s.dir);
        struct err err = {0};
        PGconn *c = NULL;
        int rc = store_connect(conninfo, "azekura_web", "test", &c, &err);
        fake_stop(&s);
        cr_assert_eq(rc, cases[i].expected, "%s: %d", cases[i].state, rc);
        cr_assert_str_eq(err.code, cases[i].code, "%s: %s", cases[i].state, err.code);
        cr_assert(strstr(err.message, "FATAL: scripted answer: with colon"), "%s: %s",
                  cases[i].state, err.message);
        cr_assert_null(strstr(err.message, cases[i].state), "the SQLSTATE is left in: %s",
                       err.message);
        cr_assert_null(strchr(err.message, '\n'));
        cr_assert_null(c);
    }
}

Test(connection, without_a_server_the_database_is_away)
{
    struct err err = {0};
    PGconn *c = NULL;
    int rc = store_connect("host=/nonexistent/folder dbname=azekura", NULL, "test", &c, &err);
    cr_assert_eq(rc, -EAGAIN);
    cr_assert_str_eq(err.code, "database_away");
    cr_assert(strstr(err.message, "/nonexistent/folder"), "%s", err.message);
}

Test(connection, a_broken_connection_string_is_named)
{
    struct err err = {0};
    PGconn *c = NULL;
    cr_assert_eq(store_connect("hots=/run dbname=azekura", NULL, "test", &c, &err), -EINVAL);
    cr_assert_str_eq(err.code, "bad_value");
    cr_assert_str_eq(err.field, "database");
    cr_assert(strstr(err.message, "hots"), "%s", err.message);
}
