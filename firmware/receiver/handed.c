/* Sockets handed from one run of the receiver to the next, by the protocol of systemd.
 *
 * What a process is handed is known by descriptor numbers in its environment, so what is known of
 * it is this process's own: one table, behind a lock (it is used at the start and when an address
 * changes).  A socket is recognised by the kernel's cookie: numbers of descriptors are used again.
 */
#include "receiver/handed.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/limits.h"
#include "net/socket.h"

/* "udp.flood@[…]_65535" */
enum { BASE_NAME_MAX = 32, NAME_MAX_BYTES = BASE_NAME_MAX + SOCKET_NAME_MAX };

struct handed_socket {
    int fd;
    int type;
    uint64_t cookie;
    struct ip address;
    uint16_t port;
    bool is_stored; /* kept by an earlier run; else a socket unit's */
    bool is_taken;
    char name[NAME_MAX_BYTES]; /* as it was handed over */
};

static struct {
    pthread_mutex_t lock;
    struct handed_socket sockets[HANDED_MAX];
    unsigned n;
} handed = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- one socket ---- */

static uint64_t cookie_of(int fd)
{
    uint64_t cookie = 0;
    socklen_t n = sizeof(cookie);
    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &n) < 0 ? 0 : cookie;
}

/* What it is and where it is bound.  False: not a socket of ours. */
static bool look_at(struct handed_socket *s)
{
    char text[SOCKET_NAME_MAX];
    socklen_t n = sizeof(s->type);
    if (getsockopt(s->fd, SOL_SOCKET, SO_TYPE, &s->type, &n) < 0 || !socket_name(s->fd, text) ||
        ip_port_parse(view_str(text), &s->address, &s->port) < 0)
        return false;
    s->cookie = cookie_of(s->fd);
    return true;
}

static bool is_base_name(const char *name)
{
    size_t n = 0;
    for (; name[n]; n++)
        if (!isalnum((unsigned char)name[n]) && name[n] != '.')
            return false;
    return n > 0 && n < BASE_NAME_MAX;
}

/* The name of a kept one: with its address, since what is forgotten is forgotten by name.  Names
 * may hold no colon. */
static int kept_name(int fd, const char *name, char out[NAME_MAX_BYTES])
{
    char address[SOCKET_NAME_MAX];
    CHECK(is_base_name(name));
    if (!socket_name(fd, address))
        return -ENOTSOCK;
    for (char *p = address; *p; p++)
        if (*p == ':')
            *p = '_';
    snprintf(out, NAME_MAX_BYTES, "%s@%s", name, address);
    return 0;
}

static bool is_named(const struct handed_socket *s, const char *name)
{
    size_t n = strlen(name);
    return strncmp(s->name, name, n) == 0 && (s->name[n] == '\0' || s->name[n] == '@');
}

/* ---- the table; the lock is held ---- */

static struct handed_socket *find_cookie(uint64_t cookie)
{
    for (unsigned i = 0; cookie && i < handed.n; i++)
        if (handed.sockets[i].cookie == cookie)
            return &handed.sockets[i];
    return NULL;
}

static void drop(struct handed_socket *s)
{
    *s = handed.sockets[--handed.n];
}

static void add(int fd, const char *name)
{
    struct handed_socket s = {.fd = fd, .is_stored = strchr(name, '@') != NULL};
    snprintf(s.name, sizeof(s.name), "%s", name);
    /* one too many, nothing of ours, or one that is kept and a unit's at once */
    if (handed.n == HANDED_MAX || !look_at(&s) || find_cookie(s.cookie))
        close(fd);
    else
        handed.sockets[handed.n++] = s;
}

int handed_open(void)
{
    char **names = NULL;
    int n = sd_listen_fds_with_names(1, &names);
    if (n < 0)
        return n;
    pthread_mutex_lock(&handed.lock);
    for (int i = 0; i < n; i++) {
        add(SD_LISTEN_FDS_START + i, names && names[i] ? names[i] : "");
        if (names)
            free(names[i]);
    }
    n = (int)handed.n;
    pthread_mutex_unlock(&handed.lock);
    free(names);
    return n;
}

static bool is_wanted(const struct handed_socket *s, const char *name, const struct ip *address,
                      uint16_t port, int type)
{
    return !s->is_taken && s->type == type && is_named(s, name) && ip_eq(&s->address, address) &&
           (port == 0 || s->port == port);
}

int handed_take(const char *name, const struct ip *address, uint16_t port, int type)
{
    int fd = -ENOENT;
    CHECK(is_base_name(name));
    pthread_mutex_lock(&handed.lock);
    for (unsigned i = 0; fd < 0 && i < handed.n; i++) {
        struct handed_socket *s = &handed.sockets[i];
        if (!is_wanted(s, name, address, port, type))
            continue;
        int flags = fcntl(s->fd, F_GETFL);
        if (flags < 0 || fcntl(s->fd, F_SETFL, flags | O_NONBLOCK) < 0)
            continue;
        s->is_taken = true;
        fd = s->fd;
    }
    pthread_mutex_unlock(&handed.lock);
    return fd;
}

/* ---- the service manager ---- */

static int tell(const char *text, const int *fds, unsigned fds_n)
{
    int rc = sd_pid_notify_with_fds(0, 0, text, fds, fds_n);
    return rc > 0 ? 0 : rc < 0 ? rc : -ENOTCONN;
}

static int tell_remove(const char *name)
{
    char text[NAME_MAX_BYTES + 32];
    snprintf(text, sizeof(text), "FDSTOREREMOVE=1\nFDNAME=%s", name);
    return tell(text, NULL, 0);
}

int handed_keep(int fd, const char *name)
{
    char kept[NAME_MAX_BYTES], text[NAME_MAX_BYTES + 40];
    int rc = kept_name(fd, name, kept);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&handed.lock);
    bool is_held = find_cookie(cookie_of(fd)) != NULL;
    pthread_mutex_unlock(&handed.lock);
    if (is_held)
        return 0;
    /* without FDPOLL=0 an error on the socket would make systemd let go of it */
    snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", kept);
    return tell(text, &fd, 1);
}

bool handed_forget(int fd, const char *name)
{
    char kept[NAME_MAX_BYTES];
    if (kept_name(fd, name, kept) < 0)
        return true;
    pthread_mutex_lock(&handed.lock);
    struct handed_socket *s = find_cookie(cookie_of(fd));
    bool is_units = s && !s->is_stored;
    if (s) {
        snprintf(kept, sizeof(kept), "%s", s->name);
        drop(s);
    }
    pthread_mutex_unlock(&handed.lock);
    if (!is_units)
        (void)tell_remove(kept);
    return !is_units;
}

unsigned handed_settle(void)
{
    unsigned closed = 0;
    pthread_mutex_lock(&handed.lock);
    for (unsigned i = 0; i < handed.n;) {
        struct handed_socket *s = &handed.sockets[i];
        if (s->is_taken) {
            i++;
            continue;
        }
        if (s->is_stored)
            (void)tell_remove(s->name);
        close(s->fd);
        drop(s);
        closed++;
    }
    pthread_mutex_unlock(&handed.lock);
    return closed;
}

static void say_state(const char *state, const char *status)
{
    char text[512];
    int n = snprintf(text, sizeof(text), "%s\nSTATUS=", state);
    size_t at = (size_t)n;
    for (; *status && at < sizeof(text) - 1; status++)
        text[at++] = (unsigned char)*status < ' ' ? ' ' : *status;
    text[at] = '\0';
    (void)tell(text, NULL, 0);
}

void handed_ready(const char *status)
{
    say_state("READY=1", status);
}

void handed_stopping(void)
{
    say_state("STOPPING=1", "stopping");
}
