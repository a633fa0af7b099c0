#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/run/sample.h"

Test(sample, differences_are_percent_of_one_core)
{
    struct sample_look a = {.mono_us = 1000000,
                            .syslog_s = 1,
                            .database_s = 2,
                            .other_s = 3,
                            .generator_s = 4,
                            .busy_s = 100,
                            .softirq_s = 1,
                            .write_bytes = 1000};
    struct sample_look b = a;
    struct sample d;
    b.mono_us += 2000000;
    b.syslog_s += 1;
    b.database_s += 0.5;
    b.other_s += 0.1;
    b.generator_s += 0.2;
    b.busy_s += 3;
    b.softirq_s += 0.4;
    b.write_bytes += 4000;
    sample_between(&a, &b, &d);
    cr_expect_float_eq(d.seconds, 2, 1e-9);
    cr_expect_float_eq(d.cpu_syslog, 50, 1e-9);
    cr_expect_float_eq(d.cpu_database, 25, 1e-9);
    cr_expect_float_eq(d.cpu_generator, 10, 1e-9);
    cr_expect_float_eq(d.cpu_host, 150, 1e-9);
    cr_expect_float_eq(d.cpu_foreign, 150 - 50 - 25 - 5 - 10, 1e-9);
    b.is_softirq_apart = true; /* else it is in the processes' time already */
    sample_between(&a, &b, &d);
    cr_expect_float_eq(d.cpu_foreign, 150 - 50 - 25 - 5 - 10 - 20, 1e-9);
    cr_expect_float_eq(d.write_bytes_s, 2000, 1e-9);
}

Test(sample, processes_that_were_started_again_are_unknown_for_one_sample)
{
    struct sample_look a = {.mono_us = 1, .syslog_s = 10, .identity = 1},
                       b = {.mono_us = 1000001, .syslog_s = 0.1, .identity = 2};
    struct sample d;
    sample_between(&a, &b, &d);
    cr_expect(isnan(d.cpu_syslog));
    cr_expect(isnan(d.cpu_foreign));
    cr_expect_not(isnan(d.cpu_generator));
}

Test(sample, without_processes_their_figures_are_unknown)
{
    const struct target_pids none = {.syslog_n = 0};
    struct sample_look a, b;
    struct sample d;
    sample_look(&none, &a);
    sample_look(&none, &b);
    sample_between(&a, &b, &d);
    cr_expect(isnan(a.syslog_s));
    cr_expect(isnan(d.cpu_syslog));
    cr_expect(isnan(d.cpu_foreign));
    cr_expect(isnan(d.write_bytes_s));
    cr_expect_eq(a.syslog_bytes, -1);
    cr_expect_gt(a.busy_s, 0);
    cr_expect_geq(a.udp_rcvbuf_errors, 0);
}

/* A family: this process; what its children used counts, also of one that has ended. */
Test(sample, what_children_used_is_counted_though_they_ended)
{
    struct target_pids self = {.database_n = 1, .syslog_n = 1};
    struct sample_look a, b;
    self.database[0] = self.syslog[0] = (int32_t)getpid();
    sample_look(&self, &a);
    pid_t pid = fork();
    if (pid == 0) {
        struct timespec used = {0};
        while (used.tv_sec == 0 && used.tv_nsec < 200000000)
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    sample_look(&self, &b);
    cr_expect_geq(b.database_s - a.database_s, 0.15, "%f s", b.database_s - a.database_s);
    cr_expect_eq(a.identity, b.identity);
    cr_expect_gt(b.database_bytes, 100000);
}

Test(sample, the_machine_is_described_and_has_a_speed)
{
    struct sample_speed speed;
    cJSON *o = sample_machine("/tmp");
    cr_expect_geq(cJSON_GetObjectItem(o, "cores")->valuedouble, 1);
    cr_expect_gt(cJSON_GetObjectItem(o, "memory_bytes")->valuedouble, 1e6);
    cr_expect(cJSON_IsString(cJSON_GetObjectItem(o, "kernel")));
    cr_expect(cJSON_IsString(cJSON_GetObjectItem(o, "file_system")));
    cr_expect(cJSON_IsString(
        cJSON_GetObjectItem(cJSON_GetObjectItem(o, "sysctls"), "net.core.rmem_max")));
    cJSON_Delete(o);
    sample_speed("/tmp", &speed);
    cr_expect_gt(speed.compute_ops_s, 1e5);
    cr_expect_gt(speed.write_bytes_s, 1e5);
    sample_speed("/no such folder", &speed);
    cr_expect_eq(speed.write_bytes_s, 0);
}
