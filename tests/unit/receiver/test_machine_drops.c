/* What the network stack dropped before any socket. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "receiver/machine_drops.h"

static char folder[] = "/tmp/azk-drops-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[96];
    snprintf(path, sizeof(path), "%s/net/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    cr_assert_geq(fputs(text, f), 0);
    cr_assert_eq(fclose(f), 0);
}

static void set_up(void)
{
    char path[96];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/net", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
}

static void tear_down(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(machine_drops, .init = set_up, .fini = tear_down);

static const char snmp[] = "Ip: Forwarding InDiscards\nIp: 1 2\n"
                           "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\n"
                           "Udp: 10 20 37 5 30\n";

static void expect(int64_t softnet, int64_t buffers, int64_t damaged)
{
    struct machine_drops d;
    machine_drops_read(folder, &d);
    cr_expect_eq(d.softnet, softnet, "%lld", (long long)d.softnet);
    cr_expect_eq(d.udp_buffers, buffers, "%lld", (long long)d.udp_buffers);
    cr_expect_eq(d.udp_damaged, damaged, "%lld", (long long)d.udp_damaged);
}

Test(machine_drops, both_families_and_all_processors_are_summed)
{
    put("softnet_stat", "0000ffff 00000010 0\n00000001 0000000f 0\n");
    put("snmp", snmp);
    put("snmp6", "Ip6InReceives                   \t1\nUdp6InErrors                    \t6\n"
                 "Udp6RcvbufErrors                \t5\n");
    expect(31, 35, 8);
}

Test(machine_drops, a_machine_without_the_newer_protocol_has_the_other)
{
    put("softnet_stat", "00000001 00000000\n");
    put("snmp", snmp);
    expect(0, 30, 7);
}

Test(machine_drops, what_the_kernel_does_not_say_is_not_known)
{
    expect(-1, -1, -1);
    put("softnet_stat", "what is this\n");
    put("snmp", "Udp: InDatagrams\nUdp: 1\n");
    expect(-1, -1, -1);
}

Test(machine_drops, since_a_moment_nothing_falls_below_nothing)
{
    struct machine_drops before = {10, -1, 5}, now = {12, 7, 3},
                         d = machine_drops_since(&now, &before);
    cr_expect_eq(d.softnet, 2);
    cr_expect_eq(d.udp_buffers, -1);
    cr_expect_eq(d.udp_damaged, 0, "a counter that was begun anew");
}
