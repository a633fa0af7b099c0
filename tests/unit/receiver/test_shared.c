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
        struct intake_counts c = {i, 2 * i, 3 * i, 4 * i, 5 * i, 6 * i, 7 * i, 8 * i};
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
                      c.connections == 6 * c.arrived && c.benchmark_arrived == 7 * c.arrived &&
                      c.benchmark_refused == 8 * c.arrived,
                  "a mixture at %llu", (unsigned long long)c.arrived);
        last = c.arrived;
    }
    pthread_join(publisher, NULL);
}

Test(shared, begins_with_all_units_free_and_the_settings_as_durations)
{
    cr_expect_eq(builders_free_units(&shared.builders), UNITS);
    cr_expect_eq(atomic_load(&shared.flush_us), US_PER_SECOND);
    cr_expect_eq(atomic_load(&shared.tcp_idle_us), 3600 * US_PER_SECOND);
}

enum { SETS = 20000 };

static void *put_groups(void *context)
{
    (void)context;
    for (unsigned i = 0; i < SETS; i++) {
        struct groups *g = groups_new();
        memset(g->shed_from, (int)(i % 8), sizeof(g->shed_from));
        shared_put_groups(&shared, g);
    }
    return NULL;
}

Test(shared, a_set_of_groups_is_taken_whole_and_the_last_one_is_not_lost)
{
    pthread_t putter;
    cr_assert_eq(pthread_create(&putter, NULL, put_groups, NULL), 0);
    uint8_t last = 0;
    for (bool is_over = false;;) {
        struct groups *g = shared_take_groups(&shared);
        if (g) {
            for (unsigned i = 0; i < SOURCE_GROUPS_MAX; i++)
                cr_assert_eq(g->shed_from[i], g->shed_from[0], "a mixture");
            last = g->shed_from[0];
            groups_free(&g);
        } else if (is_over) {
            break;
        } else if (pthread_tryjoin_np(putter, NULL) == 0) {
            is_over = true; /* what it put last is there now */
        }
    }
    cr_expect_eq(last, (SETS - 1) % 8);
}

Test(shared, a_set_that_nobody_took_is_freed)
{
    shared_put_groups(&shared, groups_new());
    shared_put_groups(&shared, groups_new()); /* the leak checker of the sanitizer build looks */
}
