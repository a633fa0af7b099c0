/* Texts of /proc as machines write them, and processes as they come and go. */
#include "base/proc.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

Test(proc, load_averages_are_read)
{
    static const struct {
        const char *what, *text;
        int rc;
        double average[3];
    } cases[] = {
        {"idle", "0.00 0.01 0.05 1/101 19300\n", 0, {0, 0.01, 0.05}},
        {"busy", "128.43 64.20 3.07 300/2000 99999\n", 0, {128.43, 64.2, 3.07}},
        {"whole numbers", "1 2 3\n", 0, {1, 2, 3}},
        {"empty", "", -EINVAL, {0}},
        {"cut", "0.43 0.2", -EINVAL, {0}},
        {"no numbers", "a b c\n", -EINVAL, {0}},
        {"negative", "-1.0 0.2 0.3\n", -EINVAL, {0}},
        {"only a point", ". 0.2 0.3\n", -EINVAL, {0}},
        {"too many digits", "0.1234567890 0.2 0.3\n", -EINVAL, {0}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double got[3] = {-1, -1, -1};
        int rc = proc_parse_loadavg(view_str(cases[i].text), got);
        cr_expect_eq(rc, cases[i].rc, "%s: %d", cases[i].what, rc);
        for (int k = 0; k < 3; k++)
            cr_expect_float_eq(got[k], rc == 0 ? cases[i].average[k] : -1, 1e-9, "%s",
                               cases[i].what);
    }
}

Test(proc, cpu_times_of_all_cores_are_read)
{
    static const struct {
        const char *what, *text;
        int rc;
        struct proc_cpu cpu;
    } cases[] = {
        {"two cores of a virtual machine",
         "cpu  999110 108337 267271 1013387 2566 7 4407 1785 30 4\n"
         "cpu0 498146 50940 133439 511565 1548 0 1833 842 0 0\n"
         "cpu1 500963 57397 133831 501822 1018 0 2574 943 0 0\n"
         "intr 13379799 0 0\nctxt 32338821\n",
         0,
         {1107447, 267271, 2566, 4414, 1785, 1013387}},
        {"a kernel without guests", "cpu  1 2 3 4 5 6 7 8\n", 0, {3, 3, 5, 13, 8, 4}},
        {"the line is not the first",
         "x 1\ncpu0 9 9 9 9 9 9 9 9\ncpu  1 0 0 0 0 0 0 0 0 0",
         0,
         {1, 0, 0, 0, 0, 0}},
        {"a kernel before 2.6.11: no steal", "cpu  1 2 3 4 5 6 7\n", -EINVAL, {0}},
        {"no line cpu", "cpu0 1 2 3 4 5 6 7 8\n", -EINVAL, {0}},
        {"empty", "", -EINVAL, {0}},
        {"a number too large", "cpu  99999999999999999999 2 3 4 5 6 7 8\n", -EINVAL, {0}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct proc_cpu got = {0};
        int rc = proc_parse_cpu(view_str(cases[i].text), &got);
        cr_expect_eq(rc, cases[i].rc, "%s: %d", cases[i].what, rc);
        cr_expect(memcmp(&got, &cases[i].cpu, sizeof(got)) == 0, "%s", cases[i].what);
    }
}

Test(proc, a_process_is_read_whatever_its_name_is)
{
    static const struct {
        const char *what, *text;
        int rc;
        struct proc_process p;
    } cases[] = {
        {"a backend",
         "29585 (postgres) S 29560 29585 29585 0 -1 4194560 1234 99 0 0 105 20 7 3 20 0 1 0 "
         "1238043 "
         "230000 4000 18446744073709551615 1 1 0\n",
         0,
         {29585, 29560, 125, 10, 1238043}},
        {"parentheses, blanks and a newline",
         "7 (a) b (c\n) R 1 0 0 0 -1 0 0 0 0 0 1 2 3 4 20 -5 1 0 99 0\n",
         0,
         {7, 1, 3, 7, 99}},
        {"a name that looks like the rest",
         "7 (x) S 9 9 9) Z 2 0 0 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 5 0\n",
         0,
         {7, 2, 3, 7, 5}},
        {"real-time priority is negative",
         "7 (migration/0) S 2 0 0 0 -1 0 0 0 0 0 0 1 0 0 -100 0 1 0 2 0\n",
         0,
         {7, 2, 1, 0, 2}},
        {"init has no parent",
         "1 (systemd) S 0 1 1 0 -1 0 0 0 0 0 1 1 1 1 20 0 1 0 3\n",
         0,
         {1, 0, 2, 2, 3}},
        {"cut before the start", "7 (x) S 2 0 0 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0", -EINVAL, {0}},
        {"cut in the times", "7 (x) S 2 0 0 0 -1 0 0 0 0 0 1 2", -EINVAL, {0}},
        {"cut in the name", "7 (long na", -EINVAL, {0}},
        {"empty", "", -EINVAL, {0}},
        {"no id", "x (x) S 2 0 0 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 5\n", -EINVAL, {0}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct proc_process got = {0};
        int rc = proc_parse_process(view_str(cases[i].text), &got);
        cr_expect_eq(rc, cases[i].rc, "%s: %d", cases[i].what, rc);
        cr_expect(got.pid == cases[i].p.pid && got.parent == cases[i].p.parent &&
                      got.own == cases[i].p.own && got.children == cases[i].p.children &&
                      got.started == cases[i].p.started,
                  "%s: %d %d %lu %lu %lu", cases[i].what, got.pid, got.parent, got.own,
                  got.children, got.started);
    }
}

Test(proc, a_process_whose_text_is_cut_is_none)
{
    static const char text[] = "77 (x) S 5 1 1 0 -1 4194560 10 20 30 40 100 20 3 4 20 -5 1 0 9876";
    struct proc_process p;
    cr_expect_eq(proc_parse_process(view_str(text), &p), 0);
    for (size_t n = 0; n < sizeof(text) - 5; n++)
        cr_expect_eq(proc_parse_process(view_of(text, n), &p), -EINVAL, "after %zu bytes", n);
}

Test(proc, a_field_is_found_by_its_whole_name)
{
    static const char text[] =
        "VmRSS:\t  100 kB\nRssAnon:\t 1234 kB\nRssAnonX: 5 kB\nwrite_bytes: 77\n";
    cr_expect_eq(proc_field(view_str(text), "RssAnon"), 1234);
    cr_expect_eq(proc_field(view_str(text), "write_bytes"), 77);
    cr_expect_eq(proc_field(view_str(text), "Rss"), -1);
    cr_expect_eq(proc_field(VIEW("RssAnon: x\n"), "RssAnon"), -1);
    cr_expect_eq(proc_field(VIEW(""), "RssAnon"), -1);
}

Test(proc, files_of_this_machine_are_read)
{
    static struct proc_text text;
    struct proc_process p;
    struct proc_cpu h;
    cr_assert_eq(proc_read(&text, "/proc/self/stat"), 0);
    cr_expect_eq(proc_parse_process(proc_view(&text), &p), 0);
    cr_assert_eq(proc_read(&text, "/proc/stat"), 0);
    cr_expect_eq(proc_parse_cpu(proc_view(&text), &h), 0);
    cr_expect_eq(proc_read(&text, "/proc/%s", "no such file"), -ENOENT);
}

static bool is_child(const struct proc_family *f, pid_t pid)
{
    for (size_t i = 0; i < f->children_n; i++) {
        if (f->children[i] == pid)
            return true;
    }
    return false;
}

Test(proc, a_family_is_a_process_with_its_own_children)
{
    static struct proc_family f;
    pid_t children[2];
    for (size_t i = 0; i < ARRAY_LEN(children); i++) {
        children[i] = fork();
        if (children[i] == 0) {
            for (;;)
                pause();
        }
    }
    cr_assert_eq(proc_read_family("/proc", getpid(), &f), 0);
    cr_expect_eq(f.children_n, 2);
    cr_expect(is_child(&f, children[0]) && is_child(&f, children[1]) && !is_child(&f, getpid()));
    uint64_t before = f.ticks, started = f.started;
    for (size_t i = 0; i < ARRAY_LEN(children); i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    cr_assert_eq(proc_read_family("/proc", getpid(), &f), 0);
    cr_expect_eq(f.children_n, 0);
    cr_expect(f.ticks >= before && f.started == started);
    cr_expect_lt(proc_read_family("/proc", children[0], &f), 0);
}
