/* A small epoll loop.  One thread. */
#include "net/loop.h"

#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS_A_STEP = 64 };

struct loop {
    int fd;
    int n, next; /* events of the step in progress */
    struct epoll_event events[EVENTS_A_STEP];
};

int loop_new(struct loop **ret)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct loop *l = xcalloc(1, sizeof(*l));
    l->fd = fd;
    *ret = l;
    return 0;
}

void loop_free(struct loop **l)
{
    if (!*l)
        return;
    close((*l)->fd);
    free(*l);
    *l = NULL;
}

int loop_add(struct loop *l, struct loop_source *s)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = s};
    return epoll_ctl(l->fd, EPOLL_CTL_ADD, s->fd, &e) < 0 ? -errno : 0;
}

void loop_remove(struct loop *l, struct loop_source *s)
{
    (void)epoll_ctl(l->fd, EPOLL_CTL_DEL, s->fd, NULL);
    for (int i = l->next; i < l->n; i++) {
        if (l->events[i].data.ptr == s)
            l->events[i].data.ptr = NULL;
    }
}

static int to_ms(int64_t us)
{
    if (us < 0)
        return -1;
    return (int)MIN((us + 999) / 1000, INT64_C(1) << 30);
}

int loop_step(struct loop *l, int64_t timeout_us)
{
    l->n = epoll_wait(l->fd, l->events, EVENTS_A_STEP, to_ms(timeout_us));
    if (l->n < 0) {
        int error = errno;
        l->n = 0;
        return error == EINTR ? 0 : -error;
    }
    int called = 0;
    for (l->next = 0; l->next < l->n;) {
        struct epoll_event *e = &l->events[l->next++];
        struct loop_source *s = e->data.ptr;
        if (!s)
            continue;
        s->ready(s->context, e->events);
        called++;
    }
    l->n = 0;
    return called;
}
