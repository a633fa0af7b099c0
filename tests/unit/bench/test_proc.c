#include <criterion/criterion.h>

#include "bench/proc.h"

Test(proc, a_process_is_read_whatever_its_name)
{
    static const char *const names[] = {"postgres", "a b", ") 1 (", "a\nb", ""};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char text[256];
        struct proc_process p;
        snprintf(text, sizeof(text),
                 "77 (%s) S 5 1 1 0 -1 4194560 10 20 30 40 100 20 3 4 20 -5 1 0 9876 0 0",
                 names[i]);
        cr_assert_eq(proc_parse_process(view_str(text), &p), 0, "%s", names[i]);
        cr_expect_eq(p.parent, 5);
        cr_expect_eq(p.own, 120);
        cr_expect_eq(p.children, 7);
        cr_expect_eq(p.started, 9876);
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

Test(proc, the_host_is_busy_without_idle_iowait_and_steal)
{
    struct proc_host h;
    cr_assert_eq(
        proc_parse_host(VIEW("cpu  1 2 4 8 16 32 64 128 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"), &h), 0);
    cr_expect_eq(h.busy, 1 + 2 + 4 + 32 + 64);
    cr_expect_eq(h.softirq, 96);
    cr_expect_eq(h.iowait, 16);
    cr_expect_eq(h.steal, 128);
    cr_expect_eq(proc_parse_host(VIEW("cpu 1 2 3\n"), &h), -EINVAL);
    cr_expect_eq(proc_parse_host(VIEW("cpu0 1 1 1 1 1 1 1 1\n"), &h), -EINVAL);
}

Test(proc, load_averages_are_decimal)
{
    double load[3];
    cr_assert_eq(proc_parse_loadavg(VIEW("0.43 12.05 100.00 2/345 6789\n"), load), 0);
    cr_expect_float_eq(load[0], 0.43, 1e-9);
    cr_expect_float_eq(load[1], 12.05, 1e-9);
    cr_expect_float_eq(load[2], 100, 1e-9);
    cr_expect_eq(proc_parse_loadavg(VIEW("0.43 x 1"), load), -EINVAL);
    cr_expect_eq(proc_parse_loadavg(VIEW("0.43"), load), -EINVAL);
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

Test(proc, network_tables_are_summed)
{
    static const char snmp[] = "Ip: Forwarding InDiscards\nIp: 1 2\n"
                               "Udp: InDatagrams NoPorts InErrors RcvbufErrors\nUdp: 10 20 30 40\n";
    cr_expect_eq(proc_parse_snmp(view_str(snmp), "Udp", "RcvbufErrors"), 40);
    cr_expect_eq(proc_parse_snmp(view_str(snmp), "Udp", "NoPorts"), 20);
    cr_expect_eq(proc_parse_snmp(view_str(snmp), "Udp", "Forwarding"), -1);
    cr_expect_eq(proc_parse_snmp(view_str(snmp), "Tcp", "NoPorts"), -1);
    cr_expect_eq(proc_parse_softnet(VIEW("0000ffff 00000010 0\n00000001 0000000f 0\n")), 31);
    cr_expect_eq(proc_parse_softnet(VIEW("00000001 zz\n")), -1);
    cr_expect_eq(proc_parse_dev_drops(VIEW("Inter-| Receive\n face |bytes packets errs drop\n"
                                           "    lo: 1 2 3 4 0\n  eth0:1 2 3 5 0\n")),
                 9);
    cr_expect_eq(proc_parse_dev_drops(VIEW("lo: 1 2\n")), -1);
}

Test(proc, files_of_this_machine_are_read)
{
    static struct proc_text text;
    struct proc_process p;
    struct proc_host h;
    cr_assert_eq(proc_read(&text, "/proc/self/stat"), 0);
    cr_expect_eq(proc_parse_process(proc_view(&text), &p), 0);
    cr_assert_eq(proc_read(&text, "/proc/stat"), 0);
    cr_expect_eq(proc_parse_host(proc_view(&text), &h), 0);
    cr_expect_eq(proc_read(&text, "/proc/%s", "no such file"), -ENOENT);
}
