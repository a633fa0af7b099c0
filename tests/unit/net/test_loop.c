/* The event loop with eventfds. */
#include <criterion/criterion.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/loop.h"

struct counter {
    struct loop_source source;
    struct loop *loop;
    struct counter *remove; /* when called */
    int calls;
};

static void count(void *context, uint32_t events)
{
    struct counter *c = context;
    cr_expect(events & EPOLLIN);
    c->calls++;
    if (c->remove)
        loop_remove(c->loop, &c->remove->source);
}

static void counter_open(struct counter *c, struct loop *l)
{
    *c = (struct counter){.loop = l};
    c->source = (struct loop_source){eventfd(0, EFD_NONBLOCK), count, c};
    cr_assert_eq(loop_add(l, &c->source), 0);
}

Test(loop, calls_what_is_ready_and_nothing_else)
{
    struct loop *l = NULL;
    struct counter a, b;
    cr_assert_eq(loop_new(&l), 0);
    counter_open(&a, l);
    counter_open(&b, l);
    cr_expect_eq(loop_step(l, 0), 0);
    cr_expect_eq(eventfd_write(b.source.fd, 1), 0);
    cr_expect_eq(loop_step(l, -1), 1);
    cr_expect_eq(a.calls, 0);
    cr_expect_eq(b.calls, 1);
    cr_expect_eq(loop_step(l, 0), 1, "level-triggered: still readable");
    close(a.source.fd);
    close(b.source.fd);
    loop_free(&l);
    cr_expect_null(l);
    loop_free(&l);
}

Test(loop, a_source_removed_within_a_step_is_not_called_in_it)
{
    struct loop *l = NULL;
    struct counter a, b;
    cr_assert_eq(loop_new(&l), 0);
    counter_open(&a, l);
    counter_open(&b, l);
    a.remove = &b;
    b.remove = &a; /* whichever comes first removes the other */
    cr_expect_eq(eventfd_write(a.source.fd, 1), 0);
    cr_expect_eq(eventfd_write(b.source.fd, 1), 0);
    cr_expect_eq(loop_step(l, -1), 1);
    cr_expect_eq(a.calls + b.calls, 1);
    close(a.source.fd);
    close(b.source.fd);
    loop_free(&l);
}

Test(loop, a_timeout_is_waited_for_and_not_cut_short)
{
    struct loop *l = NULL;
    cr_assert_eq(loop_new(&l), 0);
    int64_t begin = clock_mono_us();
    cr_expect_eq(loop_step(l, 1500), 0);
    cr_expect_geq(clock_mono_us() - begin, 1500);
    loop_free(&l);
}

Test(loop, a_descriptor_that_cannot_be_watched_is_an_error)
{
    struct loop *l = NULL;
    cr_assert_eq(loop_new(&l), 0);
    struct loop_source s = {.fd = -1, .ready = count};
    cr_expect_eq(loop_add(l, &s), -EBADF);
    loop_free(&l);
}
