/* The socket (server.h).
 *
 * One thread.  A slow command runs in a child, which answers on its own; until it has ended nothing
 * more is read from that connection.  A child changes no settings, so nothing is there twice. */
#include "helper/server.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/log.h"
#include "helper/audit.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/subjects.h"

#define TICK_MS 250 /* how soon an ended child is seen */
#define SEND_TIMEOUT_S 5

struct connection {
    int fd; /* -1: free */
    unsigned uid;
    pid_t child; /* of a slow command; 0: none */
    int64_t used_mono_us;
};

static char packet_bytes[HELPER_REQUEST_MAX_BYTES + 1];

static char *error_text(const struct err *err, cJSON *audited)
{
    cJSON *o = cJSON_CreateObject(), *e = cJSON_AddObjectToObject(o, "error");
    cJSON_AddStringToObject(e, "code", err->code);
    cJSON_AddStringToObject(e, "message", err->message);
    if (err->field[0])
        cJSON_AddStringToObject(e, "field", err->field);
    else
        cJSON_AddNullToObject(e, "field");
    cJSON_AddItemToObject(o, "audit", audited);
    char *text = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    return text;
}

static char *good_text(cJSON *result, cJSON *audited)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddTrueToObject(o, "ok");
    cJSON_AddItemToObject(o, "result", result);
    cJSON_AddItemToObject(o, "audit", audited);
    char *text = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    return text;
}

static char *carry_out(struct helper *h, const struct request *r, int checked, struct err *err,
                       unsigned uid, int *ret_fd)
{
    struct reply reply = {.result = cJSON_CreateObject(), .fd = -1};
    int e = checked < 0 ? checked : r->command->run(h, r, &reply, err);
    char *text = NULL;
    if (e == 0) {
        text = good_text(reply.result, audit(r, uid, NULL));
        if (text && strlen(text) > HELPER_REPLY_MAX_BYTES) {
            free(text);
            err_set(err, EMSGSIZE, "too_long", "the answer has more than %d bytes",
                    HELPER_REPLY_MAX_BYTES);
            text = error_text(err, NULL);
        }
    } else {
        cJSON_Delete(reply.result);
        text = error_text(err, audit(r, uid, err));
    }
    CHECK(text != NULL);
    *ret_fd = reply.fd;
    return text;
}

char *server_answer(struct helper *h, struct view packet, unsigned uid, int *ret_fd)
{
    struct request r;
    struct err err;
    *ret_fd = -1;
    int e = request_parse(packet, &r, &err);
    if (e == -EBADMSG) {
        log_line(LOG_WARNING, "uid %u: %s; ending its connection", uid, err.message);
        return NULL;
    }
    char *text = carry_out(h, &r, e, &err, uid, ret_fd);
    request_free(&r);
    return text;
}

static void send_answer(int fd, const char *text, int with_fd)
{
    struct iovec v = {(void *)(uintptr_t)text, strlen(text)};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    if (with_fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof(control);
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &with_fd, sizeof(int));
    }
    if (sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
        log_line(LOG_WARNING, "an answer was not taken: %s", strerror(errno));
}

static void drop(struct connection *c)
{
    close(c->fd);
    *c = (struct connection){.fd = -1};
}

static bool is_slow(struct view packet)
{
    struct request r;
    if (request_parse(packet, &r, NULL) != 0)
        return false;
    bool slow = r.command->is_slow;
    request_free(&r);
    return slow;
}

/* False: the connection is to end. */
static bool answer(struct helper *h, struct connection *c, struct view packet)
{
    int fd;
    char *text = server_answer(h, packet, c->uid, &fd);
    if (!text)
        return false;
    send_answer(c->fd, text, fd);
    if (fd >= 0)
        close(fd);
    free(text);
    return true;
}

static void answer_in_child(struct helper *h, struct connection *all, struct connection *c,
                            struct view packet)
{
    size_t running = 0;
    for (size_t i = 0; i < HELPER_CONNECTIONS_MAX; i++)
        running += all[i].child != 0;
    pid_t pid = running < HELPER_SLOW_MAX ? fork() : -1;
    if (pid == 0)
        _exit(answer(h, c, packet) ? 0 : 1);
    if (pid > 0) {
        c->child = pid;
        return;
    }
    struct err err;
    err_set(&err, EBUSY, "busy", "%d commands of this kind are running: wait for them",
            HELPER_SLOW_MAX);
    char *text = error_text(&err, NULL);
    CHECK(text != NULL);
    send_answer(c->fd, text, -1);
    free(text);
}

static void take_packet(struct helper *h, struct connection *all, struct connection *c)
{
    ssize_t n = recv(c->fd, packet_bytes, sizeof(packet_bytes), MSG_TRUNC | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->used_mono_us = clock_mono_us();
    if (n <= 0) {
        drop(c);
        return;
    }
    /* MSG_TRUNC gives the packet's own length: over the limit request_parse() refuses it */
    struct view packet = view_of(packet_bytes, (size_t)n);
    if (n > HELPER_REQUEST_MAX_BYTES)
        packet.n = sizeof(packet_bytes);
    if (is_slow(packet))
        answer_in_child(h, all, c, packet);
    else if (!answer(h, c, packet))
        drop(c);
}

static bool may_ask(unsigned uid, const char *user)
{
    const struct passwd *p = uid == 0 ? NULL : getpwnam(user);
    return uid == 0 || (p && p->pw_uid == uid);
}

static void take_connection(int listen_fd, struct connection *all, const char *user)
{
    int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    struct ucred peer;
    socklen_t n = sizeof(peer);
    struct timeval patience = {.tv_sec = SEND_TIMEOUT_S};
    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || !may_ask(peer.uid, user)) {
        log_line(LOG_WARNING, "uid %u may not ask; ending its connection", peer.uid);
        close(fd);
        return;
    }
    struct connection *oldest = NULL;
    for (size_t i = 0; i < HELPER_CONNECTIONS_MAX; i++)
        if (all[i].fd < 0 ||
            (!all[i].child &&
             (!oldest || (oldest->fd >= 0 && all[i].used_mono_us < oldest->used_mono_us))))
            oldest = oldest && oldest->fd < 0 ? oldest : &all[i];
    CHECK(oldest != NULL); /* fewer children than connections */
    if (oldest->fd >= 0)
        drop(oldest);
    *oldest = (struct connection){.fd = fd, .uid = peer.uid, .used_mono_us = clock_mono_us()};
}

static void reap(struct connection *all)
{
    for (size_t i = 0; i < HELPER_CONNECTIONS_MAX; i++)
        if (all[i].child && waitpid(all[i].child, NULL, WNOHANG) != 0)
            all[i].child = 0;
}

static bool trial_is_over(const struct helper *h)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return h->trial_until_us <= t.tv_sec * US_PER_SECOND + t.tv_nsec / 1000;
}

void server_run(struct helper *h, int listen_fd, int stop_fd, const char *user)
{
    struct connection all[HELPER_CONNECTIONS_MAX];
    for (size_t i = 0; i < HELPER_CONNECTIONS_MAX; i++)
        all[i] = (struct connection){.fd = -1};
    network_look(h);
    for (;;) {
        struct pollfd p[HELPER_CONNECTIONS_MAX + 2] = {{.fd = stop_fd, .events = POLLIN},
                                                       {.fd = listen_fd, .events = POLLIN}};
        bool has_child = false;
        for (size_t i = 0; i < HELPER_CONNECTIONS_MAX; i++) {
            has_child = has_child || all[i].child;
            p[i + 2] = (struct pollfd){.fd = all[i].child ? -1 : all[i].fd, .events = POLLIN};
        }
        bool waits = !has_child && h->trial_until_us == TRIAL_NONE;
        if (poll(p, ARRAY_LEN(p), waits ? -1 : TICK_MS) < 0 && errno != EINTR)
            return;
        if (p[0].revents)
            return;
        reap(all);
        if (trial_is_over(h))
            network_look(h);
        for (size_t i = 0; i < HELPER_CONNECTIONS_MAX; i++)
            if (p[i + 2].revents && all[i].fd == p[i + 2].fd)
                take_packet(h, all, &all[i]);
        if (p[1].revents)
            take_connection(listen_fd, all, user);
    }
}

/* What systemd hands over is descriptor 3. */
static bool is_handed_over(void)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    return pid && fds && strtol(pid, NULL, 10) == getpid() && strcmp(fds, "1") == 0;
}

int server_listen(const struct helper *h, const char *user, struct err *err)
{
    char path[PLACE_PATH_MAX];
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const struct passwd *p = getpwnam(user);
    if (is_handed_over())
        return fcntl(3, F_SETFD, FD_CLOEXEC) < 0 ? err_set(err, errno, "socket", "no socket 3") : 3;
    /* makes the folder, too */
    int r = place_write(h, HELPER_SOCKET, VIEW(""), 0600, err);
    if (r < 0)
        return r;
    place_path(h, HELPER_SOCKET, path);
    if (strlen(path) >= sizeof(a.sun_path))
        return err_set(err, ENAMETOOLONG, "socket", "%s is too long for a socket", path);
    memcpy(a.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0177);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
        (p && chown(path, 0, p->pw_gid) < 0) || chmod(path, 0660) < 0 || listen(fd, 8) < 0)
        r = err_set(err, errno, "socket", "cannot listen at %s: %s", path, strerror(errno));
    umask(mask);
    if (r < 0 && fd >= 0)
        close(fd);
    return r < 0 ? r : fd;
}
