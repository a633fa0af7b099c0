/* Opening, changing and accepting.  The first lane.
 *
 * A listener of the settings has a socket for each of its addresses:
 *
 *   wanted:  10.0.0.1:514  10.0.0.2:514               (what the database says now)
 *   sockets: 10.0.0.1:514  0.0.0.0:1514               (what is open)
 *            └ stays       └ goes, once 10.0.0.2:514 is there
 *
 * The new one is bound before the old one goes, unless the kernel says that the address is in use
 * and an old one has the same port: then the old one makes way, and comes back if that was not
 * enough. */
#include "receiver/listeners.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/log.h"
#include "net/socket.h"
#include "receiver/handed.h"
#include "receiver/read_area.h"

#define RETRY_US (5 * US_PER_SECOND)
enum {
    ACCEPTS_A_CALL = 64,
    SOCKETS_MAX = LISTENING_MAX,
    READS_BEFORE_CLOSE = 64,    /* of what still waits in a socket that goes */
    ACCEPTS_BEFORE_CLOSE = 128, /* calls: twice what a backlog holds */
};

struct listener_socket {
    struct listeners *owner;
    enum listener listener;
    struct address wanted;
    struct datagrams *datagrams; /* NULL: a stream socket, */
    int fd;                      /* which is this */
    struct loop_source source;
};

struct listeners {
    struct listeners_owner o;
    struct listener_socket *sockets[LISTENER_COUNT][SOCKETS_MAX];
    unsigned sockets_n[LISTENER_COUNT];
    struct addresses wanted[LISTENER_COUNT];
    char wanted_text[LISTENER_COUNT][CONFIG_STRING_MAX];
    struct err errors[LISTENER_COUNT]; /* message "": everything wanted is open */
    int64_t retry_mono_us;             /* where something could not be opened */
    struct read_area *area; /* what a read of datagrams takes lies in it; NULL: nowhere */
    struct datagrams_owner datagrams_owner;
    struct datagrams_counts gone; /* of datagram sockets that are closed */
    int reserve_fd; /* given up to accept and close a connection when descriptors run out */
    bool is_ending;
    bool is_held; /* connections wait in the kernel's backlog */
    struct log_limit accept_failed;
};

static const char *setting_text(const struct config *c, enum listener listener)
{
    return listener == LISTENER_UDP   ? c->syslog_udp
           : listener == LISTENER_TCP ? c->syslog_tcp
                                      : c->syslog_tls;
}

/* ---- accepting ---- */

static int open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Without a free descriptor a waiting connection would keep the listener readable for ever and the
 * loop spinning: take it with the reserve and close it. */
static void turn_away(struct listeners *l, int listener_fd, int error)
{
    struct sockaddr_in6 sa = {0};
    socklen_t n = sizeof(sa);
    if (l->reserve_fd >= 0)
        close(l->reserve_fd);
    int fd = accept4(listener_fd, (struct sockaddr *)&sa, &n, SOCK_CLOEXEC);
    if (fd >= 0) {
        struct ip peer = ip_from_sockaddr((struct sockaddr *)&sa);
        close(fd);
        l->o.turned_away(l->o.context, &peer, error);
    }
    l->reserve_fd = open_reserve();
}

/* Errors of accept(2) that are about the one connection. */
static bool is_of_connection(int error)
{
    return error == EINTR || error == ECONNABORTED || error == ENETDOWN || error == EPROTO ||
           error == ENOPROTOOPT || error == EHOSTDOWN || error == ENONET || error == EHOSTUNREACH ||
           error == EOPNOTSUPP || error == ENETUNREACH || error == EPERM;
}

/* How many waiting connections were taken: ACCEPTS_A_CALL when there may be more. */
static int accept_some(struct listener_socket *s)
{
    struct listeners *l = s->owner;
    for (int i = 0; i < ACCEPTS_A_CALL; i++) {
        struct sockaddr_in6 sa = {0};
        socklen_t n = sizeof(sa);
        uint64_t times;
        int fd = accept4(s->fd, (struct sockaddr *)&sa, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            struct ip peer = ip_from_sockaddr((struct sockaddr *)&sa);
            l->o.accepted(l->o.context, fd, &peer, s->listener);
        } else if (errno == EAGAIN) {
            return i;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            turn_away(l, s->fd, errno);
        } else if (!is_of_connection(errno)) {
            int error = errno;
            if (log_limit_due(&l->accept_failed, clock_mono_us(), &times))
                log_line(LOG_ERROR, "cannot accept connections of listen.%s: %s (%llu times)",
                         listener_name(s->listener), strerror(error), (unsigned long long)times);
            return 0;
        }
    }
    return ACCEPTS_A_CALL;
}

/* What waits; a bounded number, since more may come as fast. */
static void accept_all(struct listener_socket *s)
{
    for (int i = 0; i < ACCEPTS_BEFORE_CLOSE && accept_some(s) == ACCEPTS_A_CALL; i++)
        ;
}

static void accept_ready(void *context, uint32_t events)
{
    (void)events;
    (void)accept_some(context);
}

/* ---- one socket ---- */

/* Handed over by an earlier run or the service manager, or bound now.  The descriptor, or -errno.
 */
static int stream_socket(enum listener listener, const struct address *a)
{
    const char *name = listener_name(listener);
    int fd = handed_take(name, &a->ip, a->port, SOCK_STREAM);
    if (fd == -ENOENT)
        fd = socket_bound(&a->ip, a->port, SOCK_STREAM);
    if (fd < 0)
        return fd;
    if (listen(fd, SOMAXCONN) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    int rc = handed_keep(fd, name);
    if (rc < 0 && rc != -ENOTCONN) /* that is: no service manager; it ends with the process */
        log_line(LOG_WARNING, "a socket of listen.%s is not kept for the next start: %s", name,
                 strerror(-rc));
    return fd;
}

static int socket_open(struct listeners *l, enum listener listener, const struct address *a,
                       struct listener_socket **ret)
{
    struct listener_socket *s = xcalloc(1, sizeof(*s));
    s->owner = l;
    s->listener = listener;
    s->wanted = *a;
    int rc;
    if (listener == LISTENER_UDP) {
        rc = datagrams_open(a, l->o.s->config.udp_buffer_bytes, &l->datagrams_owner, &s->datagrams);
        s->fd = rc == 0 ? datagrams_fd(s->datagrams) : -1;
    } else {
        rc = s->fd = stream_socket(listener, a);
        s->source = (struct loop_source){s->fd, accept_ready, s};
        if (rc >= 0 && !l->is_held && (rc = loop_add(l->o.loop, &s->source)) < 0)
            close(s->fd);
    }
    if (rc < 0) {
        free(s);
        return rc;
    }
    *ret = s;
    return 0;
}

static void add_counts(struct datagrams_counts *sum, const struct listener_socket *s)
{
    struct datagrams_counts c;
    datagrams_counts(s->datagrams, &c);
    sum->buffer_bytes += c.buffer_bytes;
    sum->buffer_used += c.buffer_used;
    sum->flood_buffer_used += c.flood_buffer_used;
    sum->kernel_dropped += c.kernel_dropped;
    sum->kernel_dropped_flooded += c.kernel_dropped_flooded;
    sum->flooding_sources += c.flooding_sources;
}

/* `for_good`: the settings do not want it any more, and what waits in it is taken first. */
static void socket_close(struct listener_socket *s, bool for_good)
{
    struct listeners *l = s->owner;
    if (s->datagrams) {
        for (int i = 0; for_good && i < READS_BEFORE_CLOSE && datagrams_read(s->datagrams); i++)
            ;
        datagrams_tick(s->datagrams);
        add_counts(&l->gone, s);
        l->gone.buffer_bytes = l->gone.buffer_used = 0;
        l->gone.flood_buffer_used = l->gone.flooding_sources = 0;
        datagrams_close(&s->datagrams, for_good);
    } else {
        if (for_good) {
            accept_all(s);
            (void)handed_forget(s->fd, listener_name(s->listener));
        }
        loop_remove(l->o.loop, &s->source);
        close(s->fd);
    }
    free(s);
}

/* ---- what is wanted ---- */

static bool is_wanted(const struct listeners *l, enum listener k, const struct address *a)
{
    for (unsigned i = 0; i < l->wanted[k].n; i++)
        if (address_eq(&l->wanted[k].all[i], a))
            return true;
    return false;
}

static bool is_open(const struct listeners *l, enum listener k, const struct address *a)
{
    for (unsigned i = 0; i < l->sockets_n[k]; i++)
        if (address_eq(&l->sockets[k][i]->wanted, a))
            return true;
    return false;
}

static void drop_socket(struct listeners *l, enum listener k, unsigned i)
{
    socket_close(l->sockets[k][i], true);
    l->sockets[k][i] = l->sockets[k][--l->sockets_n[k]];
}

/* Sockets that made way, to be opened again if that does not help. */
struct made_way {
    struct {
        enum listener listener;
        struct address address;
    } all[2 * SOCKETS_MAX];
    unsigned n;
};

static void make_way_of(struct listeners *l, enum listener k, uint16_t port, struct made_way *gone)
{
    for (unsigned i = l->sockets_n[k]; i-- > 0;) {
        const struct address *old = &l->sockets[k][i]->wanted;
        if (old->port != port || is_wanted(l, k, old))
            continue;
        gone->all[gone->n].listener = k;
        gone->all[gone->n++].address = *old;
        drop_socket(l, k, i);
    }
}

/* Old sockets of the same port make way for one that is in use by them.  TCP and TLS have their
 * ports in common: they may change places. */
static void make_way(struct listeners *l, enum listener k, uint16_t port, struct made_way *gone)
{
    gone->n = 0;
    make_way_of(l, k, port, gone);
    if (k != LISTENER_UDP)
        make_way_of(l, k == LISTENER_TCP ? LISTENER_TLS : LISTENER_TCP, port, gone);
}

static int open_one(struct listeners *l, enum listener k, const struct address *a)
{
    struct made_way gone = {.n = 0};
    struct listener_socket *s = NULL;
    if (l->sockets_n[k] == SOCKETS_MAX)
        return -ENOSPC;
    int rc = socket_open(l, k, a, &s);
    if (rc == -EADDRINUSE && a->port != 0) {
        make_way(l, k, a->port, &gone);
        if (gone.n > 0)
            rc = socket_open(l, k, a, &s);
    }
    if (rc == 0) {
        l->sockets[k][l->sockets_n[k]++] = s;
        return 0;
    }
    for (unsigned i = 0; i < gone.n; i++) {
        enum listener of = gone.all[i].listener;
        if (socket_open(l, of, &gone.all[i].address, &s) == 0)
            l->sockets[of][l->sockets_n[of]++] = s;
    }
    return rc;
}

static void cannot_listen(struct listeners *l, enum listener k, const struct address *a, int error)
{
    char text[ADDRESS_TEXT_MAX], setting[32];
    if (l->errors[k].message[0])
        return; /* the first one is told */
    (void)address_format(a, text);
    snprintf(setting, sizeof(setting), "listen.%s", listener_name(k));
    (void)err_set_field(&l->errors[k], error, "listener", setting, "%s: cannot listen on %s: %s",
                        setting, text, strerror(error));
}

/* Open what is missing of one listener, then close what is not wanted, if nothing is missing. */
static void settle(struct listeners *l, enum listener k)
{
    char before[sizeof(l->errors[k].message)];
    memcpy(before, l->errors[k].message, sizeof(before));
    l->errors[k] = (struct err){0};
    for (unsigned i = 0; i < l->wanted[k].n; i++) {
        const struct address *a = &l->wanted[k].all[i];
        int rc = is_open(l, k, a) ? 0 : open_one(l, k, a);
        if (rc < 0)
            cannot_listen(l, k, a, -rc);
    }
    if (!l->errors[k].message[0])
        for (unsigned i = l->sockets_n[k]; i-- > 0;)
            if (!is_wanted(l, k, &l->sockets[k][i]->wanted))
                drop_socket(l, k, i);
    if (l->errors[k].message[0] && strcmp(before, l->errors[k].message) != 0)
        log_line(LOG_WARNING, "%s; trying again every %d s, listening meanwhile where it did",
                 l->errors[k].message, (int)(RETRY_US / US_PER_SECOND));
}

/* True when it is another list than before. */
static bool take_setting(struct listeners *l, enum listener k, const char *text)
{
    char why[ADDRESSES_WHY_MAX];
    struct addresses parsed;
    if (strcmp(text, l->wanted_text[k]) == 0 || addresses_parse(view_str(text), &parsed, why) < 0)
        return false; /* the second: the table of settings has checked it */
    snprintf(l->wanted_text[k], sizeof(l->wanted_text[k]), "%s", text);
    l->wanted[k] = parsed;
    return true;
}

/* ---- telling ---- */

static void note(struct listeners *l, enum listener k, struct listening_state *state,
                 struct buf *text)
{
    memset(state, 0, sizeof(*state));
    snprintf(state->wanted, sizeof(state->wanted), "%s", l->wanted_text[k]);
    snprintf(state->error, sizeof(state->error), "%s", l->errors[k].message);
    for (unsigned i = 0; i < l->sockets_n[k]; i++) {
        char name[SOCKET_NAME_MAX];
        const struct listener_socket *s = l->sockets[k][i];
        struct address *a = &state->bound[state->bound_n];
        if (!socket_name(s->fd, name) || ip_port_parse(view_str(name), &a->ip, &a->port) < 0)
            continue;
        (void)buf_printf(text, "%s %s\n", listener_name(k), name);
        state->bound_n++;
    }
}

/* Where we listen, for others to read.  A full disk takes it in place of the old one, or not at
 * all: that is no reason not to listen. */
static void write_file(struct listeners *l, struct view text)
{
    struct err err = {0};
    if (state_write(l->o.state, "listeners", text, &err) == 0)
        return;
    state_remove(l->o.state, "listeners"); /* what it says is not so any more */
    if (state_write(l->o.state, "listeners", text, &err) < 0)
        log_line(LOG_WARNING, "%s; receiving all the same", err.message);
}

/* To the other threads and into the file. */
static void tell(struct listeners *l)
{
    struct buf text = BUF_INIT(LISTENER_COUNT * SOCKETS_MAX * (SOCKET_NAME_MAX + 8));
    struct listening_state states[LISTENER_COUNT];
    for (int k = 0; k < LISTENER_COUNT; k++)
        note(l, (enum listener)k, &states[k], &text);
    shared_put_listening(l->o.s, states);
    write_file(l, buf_view(&text));
    for (char *p = text.p; p && p < text.p + text.n; p++)
        if (*p == '\n')
            *p = p + 1 < text.p + text.n ? ',' : ' ';
    log_line(LOG_INFO, "ready: %.*s", (int)text.n, text.p ? text.p : "no listener");
    buf_free(&text);
}

/* ---- life ---- */

/* What datagrams are read into.  Without the file a killed receiver loses what it has just read. */
static int open_area(struct listeners *l, struct err *err)
{
    char path[STATE_PATH_MAX];
    struct err why;
    state_path(l->o.state, "datagrams", path);
    if (read_area_open(path, udp_area_bytes(), &l->area, &why) < 0)
        log_line(LOG_WARNING, "%s; datagrams just read are lost if the receiver is killed",
                 why.message);
    struct udp_batch *batch = udp_batch_new(l->area ? read_area_memory(l->area) : NULL);
    if (!batch)
        return err_set(err, errno, "system", "cannot map the memory of a batch of datagrams: %s",
                       strerror(errno));
    l->datagrams_owner = (struct datagrams_owner){l->o.loop, l->o.in, batch, l->o.s->journal};
    return 0;
}

int listeners_open(const struct listeners_owner *o, const struct config *file,
                   struct listeners **ret, struct err *err)
{
    struct listeners *l = xcalloc(1, sizeof(*l));
    l->o = *o;
    l->reserve_fd = open_reserve();
    int rc = open_area(l, err);
    for (int i = 0; rc == 0 && i < LISTENER_COUNT; i++) {
        enum listener k = (enum listener)i;
        const char *text = setting_text(&o->s->config, k);
        (void)take_setting(l, k, text);
        settle(l, k);
        if (l->errors[k].message[0] && strcmp(text, setting_text(file, k)) == 0) {
            *err = l->errors[k];
            rc = -EADDRNOTAVAIL;
        }
    }
    l->retry_mono_us = clock_mono_us() + RETRY_US;
    if (rc == 0)
        tell(l);
    if (rc < 0) {
        listeners_close(&l);
        return rc;
    }
    *ret = l;
    return 0;
}

void listeners_close(struct listeners **pl)
{
    struct listeners *l = *pl;
    if (!l)
        return;
    for (int k = 0; k < LISTENER_COUNT; k++)
        while (l->sockets_n[k] > 0)
            socket_close(l->sockets[k][--l->sockets_n[k]], false);
    udp_batch_free(&l->datagrams_owner.batch);
    read_area_close(&l->area);
    if (l->reserve_fd >= 0)
        close(l->reserve_fd);
    free(l);
    *pl = NULL;
}

/* ---- running ---- */

static void change(struct listeners *l, int64_t now)
{
    bool is_retry = now >= l->retry_mono_us, has_changed = false;
    if (is_retry)
        l->retry_mono_us = now + RETRY_US;
    struct listening_wanted wanted;
    bool is_other[LISTENER_COUNT] = {false};
    if (shared_take_wanted(l->o.s, &wanted))
        for (int k = 0; k < LISTENER_COUNT; k++)
            is_other[k] = take_setting(l, (enum listener)k, wanted.of[k]);
    for (int i = 0; i < LISTENER_COUNT; i++) {
        enum listener k = (enum listener)i;
        if (!is_other[k] && !(is_retry && l->errors[k].message[0]))
            continue;
        unsigned before = l->sockets_n[k];
        bool had_error = l->errors[k].message[0];
        settle(l, k);
        has_changed |= is_other[k] || l->sockets_n[k] != before ||
                       had_error != !!l->errors[k].message[0];
    }
    if (has_changed)
        tell(l);
}

void listeners_tick(struct listeners *l, int64_t now)
{
    for (unsigned i = 0; i < l->sockets_n[LISTENER_UDP]; i++)
        datagrams_tick(l->sockets[LISTENER_UDP][i]->datagrams);
    if (!l->is_ending)
        change(l, now);
}

/* While nothing is read for want of room, connections wait in the kernel's backlog: those that are
 * taken and not read fill the limit, and their senders' next ones would be turned away. */
static void update_accepting(struct listeners *l)
{
    bool is_held = !intake_has_room(l->o.in);
    if (is_held == l->is_held)
        return;
    l->is_held = is_held;
    for (int k = 0; k < LISTENER_COUNT; k++) {
        for (unsigned i = 0; k != LISTENER_UDP && i < l->sockets_n[k]; i++) {
            struct loop_source *source = &l->sockets[k][i]->source;
            if (is_held)
                loop_remove(l->o.loop, source);
            else
                CHECK(loop_add(l->o.loop, source) == 0);
        }
    }
}

void listeners_update(struct listeners *l, int64_t now)
{
    update_accepting(l);
    (void)datagrams_finish(&l->datagrams_owner);
    for (unsigned i = 0; i < l->sockets_n[LISTENER_UDP]; i++)
        datagrams_update(l->sockets[LISTENER_UDP][i]->datagrams, now);
}

int64_t listeners_due_mono_us(const struct listeners *l, int64_t now)
{
    int64_t due = INT64_MAX;
    for (unsigned i = 0; i < l->sockets_n[LISTENER_UDP]; i++)
        due = MIN(due, datagrams_due_mono_us(l->sockets[LISTENER_UDP][i]->datagrams, now));
    return due;
}

void listeners_between(struct listeners *l, int64_t now)
{
    for (unsigned i = 0; i < l->sockets_n[LISTENER_UDP]; i++)
        datagrams_between(l->sockets[LISTENER_UDP][i]->datagrams, now);
}

void listeners_stop_accepting(struct listeners *l)
{
    l->is_ending = true;
    for (int k = 0; k < LISTENER_COUNT; k++) {
        if (k == LISTENER_UDP)
            continue;
        for (unsigned i = 0; i < l->sockets_n[k]; i++)
            accept_all(l->sockets[k][i]);
        while (l->sockets_n[k] > 0)
            socket_close(l->sockets[k][--l->sockets_n[k]], false);
    }
}

bool listeners_read(struct listeners *l)
{
    bool has_more = false;
    for (unsigned i = 0; i < l->sockets_n[LISTENER_UDP]; i++)
        has_more |= datagrams_read(l->sockets[LISTENER_UDP][i]->datagrams);
    return has_more;
}

void listeners_counts(const struct listeners *l, struct datagrams_counts *ret)
{
    *ret = l->gone;
    for (unsigned i = 0; i < l->sockets_n[LISTENER_UDP]; i++)
        add_counts(ret, l->sockets[LISTENER_UDP][i]);
}
