/* The live counts: read as they were published, never a mixture. */
#include <criterion/criterion.h>

#include <pthread.h>

#include "receiver/shared.h"

static struct shared shared;

static void set_up(void)
{
    struct config c;
    struct err err;
    config_defaults(&c);
    cr_assert_eq(shared_init(&shared, &c, &err), 0);
}

static void tear_down(void)
{
    shared_done(&shared);
}

TestSuite(shared, .init = set_up, .fini = tear_down);

enum { PUBLISHED = 200000 };

static void *publish(void *context)
{
    (void)context;
    for (uint64_t i = 1; i <= PUBLISHED; i++) {
        struct intake_counts c = {i, 2 * i, 3 * i, 4 * i, 5 * i, 6 * i};
        shared_publish(&shared, &c);
    }
    return NULL;
}

Test(shared, counts_read_while_they_change_belong_together)
{
    pthread_t publisher;
    struct intake_counts c = {0};
    uint64_t last = 0;
    cr_assert_eq(pthread_create(&publisher, NULL, publish, NULL), 0);
    while (c.arrived < PUBLISHED) {
        shared_counts(&shared, &c);
        cr_assert_geq(c.arrived, last, "counts never fall");
        cr_assert(c.refused == 2 * c.arrived && c.kernel_dropped == 3 * c.arrived &&
                      c.truncated == 4 * c.arrived && c.bad_frames == 5 * c.arrived &&
                      c.connections == 6 * c.arrived,
                  "a mixture at %llu", (unsigned long long)c.arrived);
        last = c.arrived;
    }
    pthread_join(publisher, NULL);
}

Test(shared, begins_with_all_builders_and_the_settings_as_durations)
{
    bool is_ended;
    struct work *w[BUILDERS + 1];
    int n = 0;
    while ((w[n] = queue_pop(&shared.builders, &is_ended)) != NULL)
        n++;
    cr_expect_eq(n, BUILDERS);
    while (n > 0)
        queue_push(&shared.builders, w[--n]);
    cr_expect_eq(atomic_load(&shared.flush_us), US_PER_SECOND);
    cr_expect_eq(atomic_load(&shared.tcp_idle_us), 3600 * US_PER_SECOND);
}
