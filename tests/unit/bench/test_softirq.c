#include <criterion/criterion.h>
#include <time.h>

#include "bench/run/sample.h"
#include "bench/run/softirq.h"

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

Test(softirq, whose_time_it_is_is_found_out_once)
{
    double begin = cpu_s();
    bool first = softirq_is_apart();
    double found = cpu_s();
    cr_expect_lt(found - begin, 0.5, "%f s of processor", found - begin);
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(softirq_is_apart(), first);
    cr_expect_lt(cpu_s() - found, 0.5, "asked again it sends again");
}

Test(softirq, a_look_at_the_machine_says_it)
{
    const struct target_pids none = {.syslog_n = 0};
    struct sample_look look;
    sample_look(&none, &look);
    cr_expect_eq(look.is_softirq_apart, softirq_is_apart());
}
