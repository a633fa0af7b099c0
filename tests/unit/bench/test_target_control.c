#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/target/target_control.h"

#define S INT64_C(1000000)

Test(target_control, the_messages_that_were_taken_are_found_in_the_statistics)
{
    static const struct {
        const char *name, *text;
        int64_t n; /* < 0: an error */
    } cases[] = {
        {"among others",
         "SourceName;SourceId;SourceInstance;State;Type;Number\ndestination;d_net;;a;processed;7\n"
         "center;;queued;a;processed;9\ncenter;;received;a;processed;2093680\nsource;s;;a;"
         "processed;1\n.\n",
         2093680},
        {"first", "center;;received;a;processed;0\n.\n", 0},
        {"last, without a newline", "x\ncenter;;received;a;processed;12", 12},
        {"not said", "center;;queued;a;processed;9\n.\n", -EBADMSG},
        {"another's", "source;center;;received;a;processed;9\n.\n", -EBADMSG},
        {"no number", "center;;received;a;processed;\n.\n", -EBADMSG},
        {"a number with more behind it", "center;;received;a;processed;1x\n.\n", -EBADMSG},
        {"a number too great", "center;;received;a;processed;9223372036854775808\n", -EBADMSG},
        {"nothing", "", -EBADMSG},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t n = -1;
        int rc = target_control_parse(view_str(cases[i].text), &n);
        cr_expect_eq(rc, cases[i].n < 0 ? (int)cases[i].n : 0, "%s: %d", cases[i].name, rc);
        cr_expect_eq(n, cases[i].n < 0 ? -1 : cases[i].n, "%s: %lld", cases[i].name, (long long)n);
    }
}

struct peer {
    struct sockaddr_un address;
    int fd;
    const char *says;
    pthread_t thread;
};

/* Answers one question in pieces of three bytes. */
static void *answer(void *context)
{
    struct peer *p = context;
    char asked[16];
    int fd = accept(p->fd, NULL, NULL);
    bool is_asked = recv(fd, asked, 6, MSG_WAITALL) == 6 && memcmp(asked, "STATS\n", 6) == 0;
    for (const char *s = p->says; is_asked && *s; s += strnlen(s, 3))
        if (send(fd, s, strnlen(s, 3), MSG_NOSIGNAL) < 0)
            break;
    close(fd);
    return NULL;
}

static void peer_start(struct peer *p, const char *says)
{
    char dir[] = "/tmp/azk-control-XXXXXX";
    cr_assert(mkdtemp(dir));
    *p = (struct peer){.address.sun_family = AF_UNIX, .says = says};
    snprintf(p->address.sun_path, sizeof(p->address.sun_path), "%s/control", dir);
    p->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(p->fd, (struct sockaddr *)&p->address, sizeof(p->address)), 0);
    cr_assert_eq(listen(p->fd, 1), 0);
    cr_assert_eq(pthread_create(&p->thread, NULL, answer, p), 0);
}

static void peer_end(struct peer *p)
{
    pthread_join(p->thread, NULL);
    close(p->fd);
    unlink(p->address.sun_path);
    *strrchr(p->address.sun_path, '/') = 0;
    rmdir(p->address.sun_path);
}

Test(target_control, an_answer_in_pieces_is_waited_for_and_one_that_breaks_off_is_an_error)
{
    static const struct {
        const char *name, *says;
        int64_t n;
    } cases[] = {
        {"whole", "a;b\ncenter;;received;a;processed;5\n.\n", 5},
        {"broken off", "center;;received;a;processed;5", -1},
        {"nothing said", "", -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct peer p;
        int64_t n = -1;
        peer_start(&p, cases[i].says);
        int rc = target_control_received(p.address.sun_path, &n);
        cr_expect_eq(rc < 0, cases[i].n < 0, "%s: %d", cases[i].name, rc);
        cr_expect_eq(n, cases[i].n, "%s: %lld", cases[i].name, (long long)n);
        peer_end(&p);
    }
    int64_t n;
    cr_expect_eq(target_control_received("/tmp/azk-control-nobody", &n), -ENOENT);
}

Test(target_control, what_is_held_is_queued_while_anything_moves_and_lost_when_nothing_does)
{
    static const struct {
        const char *name;
        int64_t received, stored, at_us, queued, lost;
    } steps[] = {
        {"all of it is stored", 10, 10, 0, 0, 0},
        {"some waits", 30, 20, 1 * S, 10, 0},
        {"it still waits", 30, 20, 1 * S + TARGET_HELD_US - 1, 10, 0},
        {"nothing has moved for long", 30, 20, 1 * S + TARGET_HELD_US, 0, 10},
        {"it was only slow", 30, 25, 10 * S, 5, 0},
        {"and the rest is gone", 30, 25, 10 * S + TARGET_HELD_US, 0, 5},
        {"more stored than taken, of a trial before", 30, 31, 20 * S, 0, 0},
    };
    struct target_held h = {0, 0, 0};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        int64_t queued = -1, lost = -1;
        target_held_see(&h, steps[i].received, steps[i].stored, steps[i].at_us, &queued, &lost);
        cr_expect_eq(queued, steps[i].queued, "%s: %lld queued", steps[i].name, (long long)queued);
        cr_expect_eq(lost, steps[i].lost, "%s: %lld lost", steps[i].name, (long long)lost);
    }
}
