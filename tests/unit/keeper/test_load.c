/* Which five seconds a sample is of, and the queue of those that wait. */
#include "keeper/load.h"

#include <criterion/criterion.h>

#define S US_PER_SECOND

Test(load, a_sample_stands_for_its_five_seconds_and_for_those_just_missed)
{
    static const struct {
        const char *what;
        int64_t last, tick, mono;
        int n;
        int64_t slots[LOAD_SLOTS_MAX];
    } cases[] = {
        {"the first", TIME_NONE, 100 * S, 0, 1, {95 * S}},
        {"on the beat", 100 * S, 105 * S, 5 * S, 1, {100 * S}},
        {"a little late", 100 * S, 105 * S, 9 * S, 1, {100 * S}},
        {"one beat missed", 100 * S, 110 * S, 10 * S, 2, {100 * S, 105 * S}},
        {"two missed", 100 * S, 115 * S, 14 * S, 3, {100 * S, 105 * S, 110 * S}},
        {"three: a gap", 100 * S, 120 * S, 20 * S, 1, {115 * S}},
        {"an hour: a gap", 100 * S, 3700 * S, 3600 * S, 1, {3695 * S}},
        {"the clock set forward by 8 s", 100 * S, 115 * S, 5 * S, 1, {110 * S}},
        {"the clock set back by an hour", 7200 * S, 3605 * S, 5 * S, 1, {3600 * S}},
        {"the same beat again after a step", 100 * S, 100 * S, 5 * S, 1, {95 * S}},
        {"asleep: the clock went on alone", 100 * S, 115 * S, 1 * S, 1, {110 * S}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t got[LOAD_SLOTS_MAX] = {0};
        int n = load_slots(cases[i].last, cases[i].tick, cases[i].mono, got);
        cr_expect_eq(n, cases[i].n, "%s: %d", cases[i].what, n);
        for (int k = 0; k < n && n == cases[i].n; k++)
            cr_expect_eq(got[k], cases[i].slots[k], "%s, %d: %ld s", cases[i].what, k,
                         (long)(got[k] / S));
    }
}

Test(load, samples_wait_in_order_and_the_oldest_are_given_up)
{
    struct load_waiting *w = xcalloc(1, sizeof(*w));
    float values[LOAD_METRICS] = {0};
    cr_expect_null(load_waiting_first(w));
    for (int i = 0; i < LOAD_WAITING_MAX + 10; i++) {
        values[3] = (float)i;
        load_waiting_add(w, i, values);
        cr_assert_leq(w->n, LOAD_WAITING_MAX);
    }
    for (int i = 10; i < LOAD_WAITING_MAX + 10; i++) {
        const struct load_waiting_sample *s = load_waiting_first(w);
        cr_assert(s && s->at_us == i && s->values[3] == (float)i, "%d", i);
        load_waiting_drop(w);
    }
    cr_expect_null(load_waiting_first(w));
    free(w);
}
