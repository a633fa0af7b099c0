#include "base/proc_net.h"

#include <criterion/criterion.h>

Test(proc_net, network_tables_are_summed)
{
    static const char snmp[] = "Ip: Forwarding InDiscards\nIp: 1 2\n"
                               "Udp: InDatagrams NoPorts InErrors RcvbufErrors\nUdp: 10 20 30 40\n";
    cr_expect_eq(proc_net_snmp(view_str(snmp), "Udp", "RcvbufErrors"), 40);
    cr_expect_eq(proc_net_snmp(view_str(snmp), "Udp", "NoPorts"), 20);
    cr_expect_eq(proc_net_snmp(view_str(snmp), "Udp", "Forwarding"), -1);
    cr_expect_eq(proc_net_snmp(view_str(snmp), "Tcp", "NoPorts"), -1);
    cr_expect_eq(proc_net_softnet(VIEW("0000ffff 00000010 0\n00000001 0000000f 0\n")), 31);
    cr_expect_eq(proc_net_softnet(VIEW("00000001 zz\n")), -1);
    cr_expect_eq(proc_net_dev_drops(VIEW("Inter-| Receive\n face |bytes packets errs drop\n"
                                         "    lo: 1 2 3 4 0\n  eth0:1 2 3 5 0\n")),
                 9);
    cr_expect_eq(proc_net_dev_drops(VIEW("lo: 1 2\n")), -1);
}
