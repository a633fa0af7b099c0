/* Units and the queues between threads. */
#include <criterion/criterion.h>

#include <poll.h>
#include <pthread.h>

#include "receiver/work.h"

static bool is_readable(const struct queue *q)
{
    struct pollfd p = {.fd = q->event_fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

Test(queue, gives_back_in_order_and_is_readable_exactly_while_something_waits)
{
    struct queue q;
    struct work *a = work_new(), *b = work_new();
    bool is_ended = true;
    cr_assert_eq(queue_init(&q), 0);
    cr_expect_not(is_readable(&q));
    cr_expect_null(queue_pop(&q, &is_ended));
    cr_expect_not(is_ended);
    queue_push(&q, a);
    queue_push(&q, b);
    cr_expect(is_readable(&q));
    cr_expect_eq(queue_pop(&q, &is_ended), a);
    cr_expect(is_readable(&q));
    cr_expect_eq(queue_pop(&q, &is_ended), b);
    cr_expect_not(is_readable(&q));
    work_free(&a);
    work_free(&b);
    queue_done(&q);
}

Test(queue, the_end_comes_after_what_waits_and_stays)
{
    struct queue q;
    struct work *a = work_new();
    bool is_ended = true;
    cr_assert_eq(queue_init(&q), 0);
    queue_push(&q, a);
    queue_end(&q);
    cr_expect_eq(queue_pop(&q, &is_ended), a);
    cr_expect_not(is_ended);
    for (int i = 0; i < 2; i++) {
        cr_expect_null(queue_pop(&q, &is_ended));
        cr_expect(is_ended);
        cr_expect(is_readable(&q));
    }
    work_free(&a);
    queue_done(&q);
}

Test(queue, frees_what_was_left_in_it)
{
    struct queue q;
    cr_assert_eq(queue_init(&q), 0);
    queue_push(&q, work_new());
    queue_push(&q, work_new());
    queue_done(&q); /* the leak checker of the sanitizer build looks */
}

enum { SENT = 20000 };

static void *send_all(void *context)
{
    struct queue *q = context;
    for (unsigned i = 0; i < SENT; i++) {
        struct work *w = work_new();
        w->messages = i;
        queue_push(q, w);
    }
    queue_end(q);
    return NULL;
}

Test(queue, another_thread_gets_everything_once_and_in_order)
{
    struct queue q;
    pthread_t sender;
    cr_assert_eq(queue_init(&q), 0);
    cr_assert_eq(pthread_create(&sender, NULL, send_all, &q), 0);
    unsigned next = 0;
    for (bool is_ended = false; !is_ended;) {
        struct work *w = queue_pop(&q, &is_ended);
        if (w) {
            cr_assert_eq(w->messages, next);
            next++;
            work_free(&w);
        } else if (!is_ended) {
            struct pollfd p = {.fd = q.event_fd, .events = POLLIN};
            cr_assert_eq(poll(&p, 1, 10000), 1, "the queue forgot to say that something waits");
        }
    }
    cr_expect_eq(next, SENT);
    pthread_join(sender, NULL);
    queue_done(&q);
}

Test(work, messages_are_counted_over_all_blocks_and_by_group)
{
    struct work *w = work_new();
    work_add_block(w, 0)->block.messages = 7;
    work_add_block(w, SOURCE_GROUP_BENCHMARK)->block.messages = 50;
    cr_expect_eq(work_messages(w), 57);
    cr_expect_eq(work_group_messages(w, SOURCE_GROUP_BENCHMARK), 50);
    cr_expect_eq(work_group_messages(w, 3), 0);
    work_free(&w);
}
