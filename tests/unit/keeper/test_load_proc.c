/* Texts of /proc as machines write them. */
#include "keeper/load_proc.h"

#include <criterion/criterion.h>

Test(load_proc, memory_is_read_in_bytes)
{
    static const char whole[] = "MemTotal:       24684092 kB\nMemFree:        10000000 kB\n"
                                "MemAvailable:   20684092 kB\nBuffers:             100 kB\n"
                                "Cached:             1000 kB\nSwapCached:          555 kB\n"
                                "SwapTotal:          2048 kB\nSwapFree:           2000 kB\n"
                                "SReclaimable:         24 kB\nHugePages_Total:       0\n";
    struct load_memory m = {0};
    cr_expect_eq(load_parse_meminfo(view_str(whole), &m), 0);
    cr_expect_eq(m.total, UINT64_C(24684092) * 1024);
    cr_expect_eq(m.used, UINT64_C(4000000) * 1024);
    cr_expect_eq(m.cached, UINT64_C(1124) * 1024);
    cr_expect_eq(m.swap_used, UINT64_C(48) * 1024);
    static const char *const bad[] = {
        "",
        "MemTotal: 5 kB\n",
        "MemAvailable: 5 kB\n",
        "MemTotal: x kB\nMemAvailable: 1 kB\n",
        "MemTotal: 5 kB\nMemAvailable: 6 kB\n",
        "MemTotal: 5 kB\nMemAvailable: 4 kB\nSwapTotal: 1 kB\nSwapFree: 2 kB\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_expect_eq(load_parse_meminfo(view_str(bad[i]), &m), -EINVAL, "%s", bad[i]);
    cr_expect_eq(load_parse_meminfo(VIEW("MemTotal: 5 kB\nMemAvailable: 4 kB"), &m), 0, "no swap");
    cr_expect_eq(m.swap_used, 0);
}

static const char disks[] = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
                            " 254       0 vda 84031 9028 5912282 36561 1310842 442114 32814768 "
                            "1265406 3 430536 1320221 0 0 0 0 5 6\n"
                            " 254       1 vda1 70000 9028 5000000 30000 1200000 442114 30000000 "
                            "1200000 0 400000 1230000 0 0 0 0\n"
                            " 259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11\n"
                            "   8      16 sdb with-words\n";

Test(load_proc, the_disk_of_a_device_is_found)
{
    static const struct {
        const char *device;
        int rc;
        struct load_disk disk;
    } cases[] = {
        {"254:0",
         0,
         {84031, 1310842, 5912282ULL * 512, 32814768ULL * 512, 36561 + 1265406, 430536}},
        {"254:1",
         0,
         {70000, 1200000, 5000000ULL * 512, 30000000ULL * 512, 30000 + 1200000, 400000}},
        {"259:0", 0, {1, 5, 3 * 512, 7 * 512, 4 + 8, 10}}, /* a kernel without discards */
        {"7:0", 0, {0}},
        {"8:16", -EINVAL, {0}},
        {"0:41", -ENOENT, {0}}, /* tmpfs, overlay */
        {"25:40", -ENOENT, {0}},
        {"2:540", -ENOENT, {0}},
        {"54:0", -ENOENT, {0}},
        {"254:", -ENOENT, {0}},
        {"", -ENOENT, {0}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_disk got = {0};
        int rc = load_parse_diskstats(view_str(disks), cases[i].device, &got);
        cr_expect_eq(rc, cases[i].rc, "%s: %d", cases[i].device, rc);
        cr_expect(memcmp(&got, &cases[i].disk, sizeof(got)) == 0, "%s", cases[i].device);
    }
    struct load_disk got;
    cr_expect_eq(load_parse_diskstats(VIEW(""), "254:0", &got), -ENOENT);
}

static bool all_but_lo(void *context, struct view name)
{
    (void)context;
    return !view_eq(name, VIEW("lo"));
}

static const char net_header[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n";

static int parse_net(const char *lines, struct load_net *ret)
{
    char *text = xasprintf("%s%s", net_header, lines);
    int rc = load_parse_net(view_str(text), all_but_lo, NULL, ret);
    free(text);
    return rc;
}

Test(load_proc, interfaces_are_added_up)
{
    struct load_net n = {0};
    cr_expect_eq(parse_net("    lo: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n"
                           "  eth0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n"
                           "enp0s31f6:5 6 7 8 0 0 0 0 9 10 11 12 0 0 0 0\n"
                           "eth0:1: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n",
                           &n),
                 0);
    cr_expect_eq(n.interfaces, 3);
    cr_expect_eq(n.received_bytes, 1006);
    cr_expect_eq(n.received_packets, 17);
    cr_expect_eq(n.sent_bytes, 2010);
    cr_expect_eq(n.sent_packets, 31);
    cr_expect_eq(n.errors, 1 + 3 + 7 + 11);
    cr_expect_eq(n.drops, 2 + 4 + 8 + 12);
    cr_expect_eq(parse_net("", &n), 0);
    cr_expect_eq(n.interfaces, 0);
    cr_expect_eq(parse_net("  eth0: 1000 10 1 2 0 0 0 0 2000\n", &n), -EINVAL, "cut");
    cr_expect_eq(load_parse_net(VIEW(""), all_but_lo, NULL, &n), -EINVAL, "empty");
}
