/* Sockets handed over: what is taken, kept, forgotten and closed, by the protocol itself.  Each
 * case runs in a child of its own, which has the descriptors from 3 on as a service manager gives
 * them. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "net/socket.h"
#include "receiver/handed.h"

enum { FDS_MAX = HANDED_MAX + 8, OUT_OF_THE_WAY = 200 };

/* In a child: nothing of Criterion works there. */
#define EXPECT(cond)                                                   \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
            _exit(1);                                                  \
        }                                                              \
    } while (0)

static struct ip loopback(void)
{
    struct ip ip;
    if (ip_parse(VIEW("127.0.0.1"), &ip) < 0)
        abort();
    return ip;
}

static int bound(int type)
{
    struct ip ip = loopback();
    int fd = socket_bound(&ip, 0, type);
    cr_assert_geq(fd, 0);
    return fd;
}

/* Run `child` with `fds` as descriptors 3, 4, … under `names`; -1: LISTEN_PID is another's. */
static void with_handed(void (*child)(void), const int *fds, int n, const char *names)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int high[FDS_MAX];
        char text[16];
        for (int i = 0; i < abs(n); i++)
            high[i] = fcntl(fds[i], F_DUPFD, OUT_OF_THE_WAY);
        for (int i = 0; i < abs(n); i++)
            EXPECT(dup2(high[i], 3 + i) == 3 + i);
        snprintf(text, sizeof(text), "%d", n < 0 ? 1 : (int)getpid());
        setenv("LISTEN_PID", text, 1);
        snprintf(text, sizeof(text), "%d", abs(n));
        setenv("LISTEN_FDS", text, 1);
        setenv("LISTEN_FDNAMES", names, 1);
        child();
        _exit(0);
    }
    int status = 1;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0, "the child failed: status %d", status);
}

static int udp_port; /* of the first socket, for the child */

static void takes_by_name_address_port_and_type(void)
{
    struct ip ip = loopback(), other;
    EXPECT(ip_parse(VIEW("127.0.0.2"), &other) == 0);
    EXPECT(handed_open() == 2);
    EXPECT(getenv("LISTEN_FDS") == NULL);
    EXPECT(handed_take("tcp", &ip, (uint16_t)udp_port, SOCK_DGRAM) == -ENOENT);
    EXPECT(handed_take("ud", &ip, (uint16_t)udp_port, SOCK_DGRAM) == -ENOENT);
    EXPECT(handed_take("udp", &other, (uint16_t)udp_port, SOCK_DGRAM) == -ENOENT);
    EXPECT(handed_take("udp", &ip, (uint16_t)(udp_port ^ 1), SOCK_DGRAM) == -ENOENT);
    EXPECT(handed_take("udp", &ip, (uint16_t)udp_port, SOCK_STREAM) == -ENOENT);
    EXPECT(handed_take("udp", &ip, (uint16_t)udp_port, SOCK_DGRAM) == 3);
    EXPECT(fcntl(3, F_GETFL) & O_NONBLOCK);
    EXPECT(fcntl(3, F_GETFD) & FD_CLOEXEC);
    EXPECT(handed_take("udp", &ip, (uint16_t)udp_port, SOCK_DGRAM) == -ENOENT);
    EXPECT(handed_take("tcp", &ip, 0, SOCK_STREAM) == 4); /* any port */
    EXPECT(handed_settle() == 0);
    EXPECT(fcntl(3, F_GETFD) >= 0 && fcntl(4, F_GETFD) >= 0);
}

Test(handed, a_socket_is_taken_once_and_only_by_its_name_address_port_and_type)
{
    int fds[] = {bound(SOCK_DGRAM), bound(SOCK_STREAM)};
    udp_port = socket_port(fds[0]);
    with_handed(takes_by_name_address_port_and_type, fds, 2, "udp:tcp@127.0.0.1_514");
}

static void nothing_is_there(void)
{
    struct ip ip = loopback();
    EXPECT(handed_open() == 0);
    EXPECT(handed_take("udp", &ip, 0, SOCK_DGRAM) == -ENOENT);
    EXPECT(fcntl(3, F_GETFD) >= 0);
}

Test(handed, what_is_meant_for_another_process_is_left_alone)
{
    int fds[] = {bound(SOCK_DGRAM)};
    with_handed(nothing_is_there, fds, -1, "udp");
}

static void closes_what_nobody_takes(void)
{
    struct ip ip = loopback();
    EXPECT(handed_open() == 1);
    EXPECT(fcntl(4, F_GETFD) < 0); /* a file: not a socket, so it is closed at once */
    EXPECT(handed_settle() == 1);
    EXPECT(fcntl(3, F_GETFD) < 0);
    EXPECT(handed_take("udp", &ip, 0, SOCK_DGRAM) == -ENOENT);
}

Test(handed, what_is_no_socket_and_what_nobody_takes_is_closed)
{
    int fds[] = {bound(SOCK_DGRAM), open("/dev/null", O_RDONLY)};
    with_handed(closes_what_nobody_takes, fds, 2, "udp:tcp");
}

static void has_it_once(void)
{
    EXPECT(handed_open() == 1);
    EXPECT(fcntl(3, F_GETFD) >= 0 && fcntl(4, F_GETFD) < 0);
}

Test(handed, a_socket_that_comes_twice_is_one)
{
    int fd = bound(SOCK_DGRAM), fds[] = {fd, fd};
    with_handed(has_it_once, fds, 2, "udp:udp@127.0.0.1_5514");
}

static void has_the_first_ones(void)
{
    EXPECT(handed_open() == HANDED_MAX);
    EXPECT(fcntl(3 + HANDED_MAX - 1, F_GETFD) >= 0);
    EXPECT(fcntl(3 + HANDED_MAX, F_GETFD) < 0);
    EXPECT(handed_settle() == HANDED_MAX);
}

Test(handed, there_is_a_limit_to_how_many_are_taken_over)
{
    int fds[HANDED_MAX + 2];
    char names[(HANDED_MAX + 2) * 4 + 1] = "";
    size_t at = 0;
    for (int i = 0; i < HANDED_MAX + 2; i++) {
        fds[i] = bound(SOCK_DGRAM);
        at += (size_t)snprintf(names + at, sizeof(names) - at, "%sudp", i ? ":" : "");
    }
    with_handed(has_the_first_ones, fds, HANDED_MAX + 2, names);
}

/* ---- what the service manager is told ---- */

static char folder[] = "/tmp/azk-handed-XXXXXX";
static int manager_fd;

static void make_manager(void)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/notify", folder);
    manager_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    cr_assert_eq(bind(manager_fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
    setenv("NOTIFY_SOCKET", sa.sun_path, 1);
}

static void remove_manager(void)
{
    unlink(getenv("NOTIFY_SOCKET"));
    rmdir(folder);
}

/* The next message, "" when there is none; the descriptor with it, or -1. */
static const char *told(int *ret_fd)
{
    static char text[1024];
    char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    struct iovec part = {text, sizeof(text) - 1};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(manager_fd, &m, 0);
    *ret_fd = -1;
    text[MAX(n, 0)] = '\0';
    struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_type == SCM_RIGHTS)
        memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
    return text;
}

TestSuite(handed_manager, .init = make_manager, .fini = remove_manager);

Test(handed_manager, a_bound_socket_is_kept_under_its_name_and_address)
{
    int fd = bound(SOCK_DGRAM), port = socket_port(fd), kept;
    char wanted[128];
    cr_assert_eq(handed_keep(fd, "udp.flood"), 0);
    const char *text = told(&kept);
    snprintf(wanted, sizeof(wanted), "FDSTORE=1\nFDPOLL=0\nFDNAME=udp.flood@127.0.0.1_%d", port);
    cr_expect_str_eq(text, wanted);
    cr_assert_geq(kept, 0, "the descriptor came with it");
    close(fd);
    cr_expect_eq(socket_port(kept), port);

    cr_expect(handed_forget(kept, "udp.flood"), "nobody else holds it");
    snprintf(wanted, sizeof(wanted), "FDSTOREREMOVE=1\nFDNAME=udp.flood@127.0.0.1_%d", port);
    cr_expect_str_eq(told(&fd), wanted);
}

Test(handed_manager, the_name_of_an_ipv6_socket_has_no_colon)
{
    struct ip ip;
    int kept;
    cr_assert_eq(ip_parse(VIEW("::1"), &ip), 0);
    int fd = socket_bound(&ip, 0, SOCK_STREAM);
    if (fd == -EADDRNOTAVAIL)
        cr_skip_test("this machine has no IPv6");
    cr_assert_eq(handed_keep(fd, "tcp"), 0);
    const char *name = strstr(told(&kept), "FDNAME=");
    cr_assert_not_null(name);
    cr_expect_null(strchr(name, ':'), "%s", name);
}

static void keeps_and_forgets(void)
{
    struct ip ip = loopback();
    EXPECT(handed_open() == 3);
    int units = handed_take("udp", &ip, 0, SOCK_DGRAM);
    int kept = handed_take("tcp", &ip, 0, SOCK_STREAM);
    EXPECT(units == 3 && kept == 4);
    EXPECT(handed_keep(units, "udp") == 0 && handed_keep(kept, "tcp") == 0); /* says nothing */
    EXPECT(!handed_forget(units, "udp"));                                    /* says nothing */
    EXPECT(handed_settle() == 1);                                            /* the third */
    EXPECT(handed_forget(kept, "tcp"));
    close(kept);
    handed_ready("two\nlines");
    handed_stopping();
}

Test(handed_manager, what_is_held_already_is_not_sent_and_what_is_not_wanted_is_forgotten)
{
    static const char *const wanted[] = {
        "FDSTOREREMOVE=1\nFDNAME=udp@127.0.0.1_1",
        "FDSTOREREMOVE=1\nFDNAME=tcp@127.0.0.1_2",
        "READY=1\nSTATUS=two lines",
        "STOPPING=1\nSTATUS=stopping",
        "",
    };
    int fds[] = {bound(SOCK_DGRAM), bound(SOCK_STREAM), bound(SOCK_DGRAM)}, fd;
    with_handed(keeps_and_forgets, fds, 3, "udp:tcp@127.0.0.1_2:udp@127.0.0.1_1");
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        cr_expect_str_eq(told(&fd), wanted[i], "message %zu", i);
}

Test(handed, without_a_service_manager_a_socket_serves_and_is_not_kept)
{
    unsetenv("NOTIFY_SOCKET");
    int fd = bound(SOCK_STREAM);
    cr_expect_eq(handed_keep(fd, "tcp"), -ENOTCONN);
    cr_expect(handed_forget(fd, "tcp"));
    handed_ready("nobody hears it");
}
