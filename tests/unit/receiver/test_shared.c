/* The live counts: read as they were published, never a mixture. */
#include <criterion/criterion.h>

#include <poll.h>
#include <pthread.h>

#include "receiver/shared.h"
#include "syslog/frame.h"

static struct shared shared;

static void set_up(void)
{
    struct config c;
    struct err err;
    config_defaults(&c);
    c.threads = 3;
    cr_assert_eq(shared_init(&shared, &c, &err), 0);
}

static void tear_down(void)
{
    shared_done(&shared);
}

TestSuite(shared, .init = set_up, .fini = tear_down);

enum { PUBLISHED = 200000, LANES = 3 };
static _Atomic bool is_over;

/* Every member of a set is a multiple of the first. */
static void *publish(void *context)
{
    unsigned lane = (unsigned)(uintptr_t)context;
    struct lane_counts c;
    uint64_t values[LANE_COUNTS_N];
    for (uint64_t i = 1; i <= PUBLISHED; i++) {
        for (size_t j = 0; j < LANE_COUNTS_N; j++)
            values[j] = i * (j + 1);
        memcpy(&c, values, sizeof(c));
        shared_publish(&shared, lane, &c);
    }
    return NULL;
}

Test(shared, counts_read_while_they_change_belong_together_and_are_of_all_lanes)
{
    pthread_t publishers[LANES];
    uint64_t last = 0, values[LANE_COUNTS_N];
    for (uintptr_t i = 0; i < LANES; i++)
        cr_assert_eq(pthread_create(&publishers[i], NULL, publish, (void *)i), 0);
    while (last < LANES * PUBLISHED) {
        struct lane_counts c;
        shared_counts(&shared, &c);
        memcpy(values, &c, sizeof(values));
        cr_assert_geq(values[0], last, "counts never fall");
        last = values[0];
        for (size_t j = 1; j < LANE_COUNTS_N; j++)
            cr_assert_eq(values[j], last * (j + 1), "a mixture at %llu", (unsigned long long)last);
    }
    for (int i = 0; i < LANES; i++)
        pthread_join(publishers[i], NULL);
}

Test(shared, begins_with_all_units_free_and_the_settings_as_they_are)
{
    struct listening_wanted wanted;
    cr_expect_eq(builders_free_units(&shared.builders), builders_units(LANES));
    cr_expect_eq(atomic_load(&shared.flush_us), US_PER_SECOND);
    cr_expect_eq(atomic_load(&shared.tcp_idle_us), 3600 * US_PER_SECOND);
    cr_expect_eq(atomic_load(&shared.framing[LISTENER_TLS]), FRAME_AUTO);
    cr_expect_not(shared_take_wanted(&shared, &wanted), "the listeners are opened with it");
}

Test(shared, settings_are_in_force_at_once_and_addresses_are_asked_for)
{
    struct config c = shared.config;
    struct listening_wanted wanted;
    struct err err;
    cr_assert_eq(
        config_set(&c, config_find(VIEW("receiver.tcp_framing"), &err), VIEW("counted"), &err), 0);
    cr_assert_eq(
        config_set(&c, config_find(VIEW("receiver.unfinished_seconds"), &err), VIEW("7"), &err), 0);
    cr_assert_eq(
        config_set(&c, config_find(VIEW("listen.tls"), &err), VIEW("127.0.0.1:6514"), &err), 0);
    shared_apply(&shared, &c);
    cr_expect_eq(atomic_load(&shared.framing[LISTENER_TCP]), FRAME_COUNTED);
    cr_expect_eq(atomic_load(&shared.framing[LISTENER_TLS]), FRAME_AUTO);
    cr_expect_eq(atomic_load(&shared.unfinished_us), 7 * US_PER_SECOND);
    cr_assert(shared_take_wanted(&shared, &wanted));
    cr_expect_str_eq(wanted.of[LISTENER_TLS], "127.0.0.1:6514");
    cr_expect_str_eq(wanted.of[LISTENER_UDP], "0.0.0.0:5514");
    cr_expect_not(shared_take_wanted(&shared, &wanted), "once");
}

enum { SETS = 20000 };

static void *put_rules(void *context)
{
    (void)context;
    for (unsigned i = 0; i < SETS; i++) {
        struct sender_rules *r = sender_rules_new();
        memset(r->groups->shed_from, (int)(i % 8), sizeof(r->groups->shed_from));
        sender_rules_seal(r);
        shared_put_rules(&shared, r);
    }
    atomic_store(&is_over, true);
    return NULL;
}

/* What a lane does; returns the last set's mark. */
static void *take_rules(void *context)
{
    unsigned lane = (unsigned)(uintptr_t)context;
    uintptr_t last = 0;
    for (;;) {
        bool was_over = atomic_load(&is_over); /* what was put last is there then */
        struct sender_rules *r = shared_take_rules(&shared, lane);
        if (!r && was_over)
            return (void *)last;
        if (!r)
            continue;
        for (unsigned i = 0; i < SOURCE_GROUPS_MAX; i++)
            cr_assert_eq(r->groups->shed_from[i], r->groups->shed_from[0], "a mixture");
        last = r->groups->shed_from[0];
        sender_rules_free(&r);
    }
}

Test(shared, a_set_of_rules_comes_whole_to_each_lane_and_the_last_one_is_not_lost)
{
    pthread_t putter, takers[LANES];
    for (uintptr_t i = 0; i < LANES; i++)
        cr_assert_eq(pthread_create(&takers[i], NULL, take_rules, (void *)i), 0);
    cr_assert_eq(pthread_create(&putter, NULL, put_rules, NULL), 0);
    pthread_join(putter, NULL);
    for (int i = 0; i < LANES; i++) {
        void *last;
        pthread_join(takers[i], &last);
        cr_expect_eq((uintptr_t)last, (SETS - 1) % 8, "lane %d", i);
    }
}

Test(shared, a_set_that_nobody_took_is_freed)
{
    for (int i = 0; i < 2; i++) { /* the leak checker of the sanitizer build looks */
        struct sender_rules *r = sender_rules_new();
        sender_rules_seal(r);
        shared_put_rules(&shared, r);
    }
}

enum { CONNECTIONS = 20000 };

static void *hand_over(void *context)
{
    (void)context;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct ip peer = {4, {10, 0, (uint8_t)(i >> 8), (uint8_t)i}};
        shared_hand_over(&shared, 1, (int)i, &peer, i % 2 ? LISTENER_TCP : LISTENER_TLS);
    }
    return NULL;
}

Test(shared, connections_come_to_their_lane_once_and_in_order)
{
    pthread_t accepting;
    struct pollfd p = {.fd = shared.lanes[1].wake_fd, .events = POLLIN};
    shared_clear(p.fd);
    cr_assert_eq(pthread_create(&accepting, NULL, hand_over, NULL), 0);
    for (int next = 0; next < CONNECTIONS;) {
        cr_assert_eq(poll(&p, 1, 10000), 1, "nobody woke the lane");
        shared_clear(p.fd);
        for (struct handover *h = shared_take_handovers(&shared, 1), *after; h; h = after) {
            after = h->next;
            cr_assert_eq(h->fd, next);
            cr_assert_eq(h->peer.bytes[3], (uint8_t)next);
            cr_assert_eq(h->listener, next % 2 ? LISTENER_TCP : LISTENER_TLS);
            next++;
            free(h);
        }
    }
    pthread_join(accepting, NULL);
    cr_expect_null(shared_take_handovers(&shared, 0));
}

Test(shared, where_it_listens_is_told_again_only_after_a_change)
{
    struct listening_state of[LISTENER_COUNT] = {0}, seen[LISTENER_COUNT];
    uint64_t version = 0;
    cr_expect_not(shared_listening(&shared, 0, seen, &version), "nothing is known yet");
    snprintf(of[LISTENER_TCP].error, sizeof(of[0].error), "in use");
    shared_put_listening(&shared, of);
    cr_assert(shared_listening(&shared, 0, seen, &version));
    cr_expect_str_eq(seen[LISTENER_TCP].error, "in use");
    cr_expect_not(shared_listening(&shared, version, seen, &version));
    of[LISTENER_TCP].error[0] = '\0';
    shared_put_listening(&shared, of);
    cr_assert(shared_listening(&shared, version, seen, &version));
    cr_expect_str_eq(seen[LISTENER_TCP].error, "");
}
