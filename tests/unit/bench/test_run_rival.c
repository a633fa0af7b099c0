#include <criterion/criterion.h>

#include "bench/run/run_folder.h"

/* Another benchmark on this machine may be the first of all, and may end meanwhile. */
Test(run_rival, all_but_the_first_learn_of_it_also_when_it_takes_no_calls)
{
    struct run_rival first, other;
    run_rival_open(&first);
    for (int i = 0; i < 300; i++) {
        run_rival_open(&other);
        bool is_told = other.is_met && other.pid != 0 && other.fd < 0;
        cr_assert(is_told || (first.fd < 0 && other.fd >= 0), "call %d", i);
        run_rival_close(&other);
    }
    cr_assert(run_rival_look(&first) && first.is_met);
    if (first.fd >= 0)
        cr_assert_not(run_rival_look(&first) && first.pid, "every call is told once");
    run_rival_close(&first);
}

Test(run_rival, what_the_first_left_can_be_taken)
{
    struct run_rival a, b;
    run_rival_open(&a);
    run_rival_close(&a);
    run_rival_open(&b);
    cr_assert(b.fd >= 0 || b.is_met);
    run_rival_close(&b);
}
