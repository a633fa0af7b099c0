/* Source groups: the longest prefix that contains a sender, what a group refuses, and the text kept
 * for the next start. */
#include <criterion/criterion.h>

#include "receiver/groups.h"

static void add(struct groups *g, const char *network, const char *group)
{
    struct err err = {0};
    cr_assert_eq(groups_add(g, view_str(network), view_str(group), &err), 0, "%s", err.message);
}

static unsigned find(const struct groups *g, const char *address)
{
    struct ip ip;
    cr_assert_eq(ip_parse(view_str(address), &ip), 0, "%s", address);
    return groups_find(g, &ip);
}

Test(groups, the_longest_prefix_that_contains_the_address_wins)
{
    static const char *const members[][2] = {
        {"10.1.2.0/24", "3"},           {"10.0.0.0/8", "1"},      {"10.1.0.0/16", "2"},
        {"10.2.0.0/16", "4"},           {"10.1.2.128/25", "5"},   {"10.1.2.200", "6"},
        {"2001:db8::/32", "7"},         {"2001:db8:1::/48", "8"}, {"2001:db8:1::1", "9"},
        {"::ffff:192.0.2.0/120", "10"}, {"192.0.2.128/25", "11"}, {"203.0.113.7", "31"},
    };
    static const struct {
        const char *address;
        unsigned group;
    } cases[] = {
        {"10.1.2.200", 6}, /* itself */
        {"10.1.2.201", 5}, /* after a host, in the network around */
        {"10.1.2.127", 3},
        {"10.1.2.128", 5},
        {"10.1.2.255", 5},
        {"10.1.3.0", 2}, /* past a whole nest: two outwards */
        {"10.1.255.255", 2},
        {"10.2.0.0", 4},
        {"10.3.0.0", 1},
        {"10.255.255.255", 1},
        {"11.0.0.0", 0},
        {"9.255.255.255", 0},
        {"0.0.0.0", 0},
        {"255.255.255.255", 0},
        {"2001:db8::", 7},
        {"2001:db8:1::", 8},
        {"2001:db8:1::1", 9},
        {"2001:db8:1::2", 8},
        {"2001:db8:2::", 7},
        {"2001:db9::", 0},
        {"::", 0},
        {"192.0.2.1", 10}, /* its network was written as mapped */
        {"::ffff:192.0.2.1", 10},
        {"::ffff:192.0.2.129", 11},
        {"::ffff:10.1.2.200", 6},
        {"192.0.3.0", 0},
        {"203.0.113.7", 31},
        {"203.0.113.8", 0},
    };
    struct groups *g = groups_new();
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        add(g, members[i][0], members[i][1]);
    groups_seal(g);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(find(g, cases[i].address), cases[i].group, "%s: %u, not %u", cases[i].address,
                     find(g, cases[i].address), cases[i].group);
    cr_expect_eq(groups_find(g, &(struct ip){0}), 0, "a sender without address");
    groups_free(&g);
}

Test(groups, a_prefix_of_zero_takes_one_family_and_no_other)
{
    struct groups *g = groups_new();
    add(g, "0.0.0.0/0", "1");
    add(g, "::/0", "2");
    add(g, "10.0.0.0/8", "3");
    groups_seal(g);
    cr_expect_eq(find(g, "255.255.255.255"), 1);
    cr_expect_eq(find(g, "ffff::"), 2);
    cr_expect_eq(find(g, "10.9.9.9"), 3);
    cr_expect_eq(groups_find(g, &(struct ip){0}), 0);
    groups_free(&g);
}

Test(groups, without_members_every_sender_is_in_the_default_group)
{
    struct groups *g = groups_new();
    cr_expect_eq(find(g, "192.0.2.1"), 0);
    groups_seal(g);
    cr_expect_eq(find(g, "192.0.2.1"), 0);
    groups_free(&g);
}

/* The plain way to say the same. */
static unsigned slow_find(const struct groups *g, const struct ip *ip)
{
    int best = -1;
    for (size_t i = 0; i < g->members.n; i++)
        if (ip_in_network(ip, &g->members.list[i].network) &&
            (best < 0 || g->members.list[i].network.prefix > g->members.list[best].network.prefix ||
             (g->members.list[i].network.prefix == g->members.list[best].network.prefix &&
              g->members.list[i].value < g->members.list[best].value)))
            best = (int)i;
    return best < 0 ? 0 : g->members.list[best].value;
}

Test(groups, any_set_of_networks_answers_as_a_search_of_all_would)
{
    uint64_t seed = 42;
    for (int round = 0; round < 20; round++) {
        struct groups *g = groups_new();
        for (int i = 0; i < 1 << (round % 13); i++) {
            char network[64], group[8];
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            unsigned bits = (unsigned)(seed >> 33);
            /* few distinct bytes, so that networks nest and meet */
            snprintf(network, sizeof(network), "10.%u.%u.%u/%u", bits & 3, bits >> 2 & 3,
                     bits >> 4 & 255, bits >> 12 & 31);
            snprintf(group, sizeof(group), "%u", bits >> 17 & 31);
            add(g, network, group);
        }
        groups_seal(g);
        for (unsigned i = 0; i < 4096; i++) {
            struct ip ip = {4, {10, i & 7, i >> 3 & 7, (uint8_t)(i * 37)}};
            cr_assert_eq(groups_find(g, &ip), slow_find(g, &ip), "round %d: 10.%u.%u.%u", round,
                         ip.bytes[1], ip.bytes[2], ip.bytes[3]);
        }
        groups_free(&g);
    }
}

Test(groups, what_is_no_network_no_group_or_too_many_is_refused_by_name)
{
    static const struct {
        const char *network, *group, *says;
    } cases[] = {
        {"10.0.0.0/33", "1", "10.0.0.0/33"},
        {"", "1", "is not a network"},
        {"fw01", "1", "fw01"},
        {"10.0.0.0/8", "33", "33 is out of 0..32"},
        {"10.0.0.0/8", "", "source group"},
        {"10.0.0.0/8", "-1", "-1 is out of 0..32"},
    };
    struct groups *g = groups_new();
    struct err err = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cr_expect_eq(groups_add(g, view_str(cases[i].network), view_str(cases[i].group), &err),
                     -EINVAL, "case %zu", i);
        cr_expect_not_null(strstr(err.message, cases[i].says), "case %zu: %s", i, err.message);
    }
    cr_expect_eq(g->members.n, 0);
    for (unsigned i = 0; i < GROUP_MEMBERS_MAX; i++) {
        char network[32];
        snprintf(network, sizeof(network), "10.0.%u.%u", i >> 8, i & 255);
        add(g, network, "1");
    }
    cr_expect_eq(groups_add(g, VIEW("192.0.2.1"), VIEW("1"), &err), -ENOSPC);
    cr_expect_not_null(strstr(err.message, "4113"), "%s", err.message);
    groups_free(&g);
}

Test(groups, a_group_refuses_the_severity_it_sheds_and_what_weighs_less)
{
    static const struct {
        const char *group, *severity;
        int rc;
    } rows[] = {{"0", "7", 0},        {"3", "5", 0},       {"3", "6", 0},
                {"31", "1", 0},       {"4", "0", -EINVAL}, {"4", "8", -EINVAL},
                {"33", "7", -EINVAL}, {"", "7", -EINVAL},  {"4", "debug", -EINVAL},
                {"32", "7", -EINVAL}};
    struct groups *g = groups_new();
    struct err err;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        cr_expect_eq(groups_shed(g, view_str(rows[i].group), view_str(rows[i].severity), &err),
                     rows[i].rc, "row %zu", i);
    for (unsigned group = 0; group < SOURCE_GROUPS_MAX; group++) {
        unsigned from = group == 0 ? 7 : group == 3 ? 5 : group == 31 ? 1 : 8;
        for (unsigned severity = 0; severity < 8; severity++)
            cr_expect_eq(groups_refuse(g, (uint8_t)group, (uint8_t)severity), severity >= from,
                         "group %u severity %u", group, severity);
    }
    groups_free(&g);
}

Test(groups, an_address_registered_for_the_benchmark_is_its_whosever_it_is_else)
{
    struct groups *g = groups_new();
    add(g, "192.0.2.7", "3");
    add(g, "192.0.2.7", "32");
    add(g, "127.0.0.0/8", "5");
    add(g, "127.66.0.0/16", "32");
    groups_seal(g);
    cr_expect_eq(find(g, "192.0.2.7"), SOURCE_GROUP_BENCHMARK);
    cr_expect_eq(find(g, "127.66.1.2"), SOURCE_GROUP_BENCHMARK);
    cr_expect_eq(find(g, "127.65.1.2"), 5);
    cr_expect_eq(find(g, "192.0.2.8"), 0);
    groups_free(&g);
}

Test(groups, text_kept_gives_the_same_set_again)
{
    struct groups *g = groups_new(), *again = groups_new();
    struct err err = {0};
    struct buf text = BUF_INIT(GROUPS_TEXT_MAX_BYTES);
    add(g, "2001:db8::/32", "31");
    add(g, "10.1.2.3", "2");
    add(g, "10.0.0.0/8", "1");
    cr_assert_eq(groups_shed(g, VIEW("2"), VIEW("6"), &err), 0);
    groups_seal(g);
    groups_format(g, &text);
    cr_expect_str_eq(buf_str(&text), "member 10.0.0.0/8 1\nmember 10.1.2.3/32 2\n"
                                     "member 2001:db8::/32 31\nshed 2 6\n");
    cr_assert_eq(groups_parse(again, buf_view(&text), &err), 0, "%s", err.message);
    cr_expect_eq(find(again, "10.1.2.3"), 2);
    cr_expect_eq(find(again, "10.1.2.4"), 1);
    cr_expect_eq(find(again, "2001:db8::1"), 31);
    cr_expect_eq(memcmp(g->shed_from, again->shed_from, sizeof(g->shed_from)), 0);
    buf_free(&text);
    groups_free(&g);
    groups_free(&again);
}

Test(groups, the_largest_set_fits_into_the_text_that_is_kept)
{
    struct groups *g = groups_new();
    struct buf text = BUF_INIT(GROUPS_TEXT_MAX_BYTES);
    struct err err;
    for (unsigned i = 0; i < GROUP_MEMBERS_MAX; i++) {
        char network[64];
        snprintf(network, sizeof(network), "2001:db8:1234:5678:9abc:def0:1234:%x", 0x1000 + i);
        add(g, network, "31");
    }
    for (unsigned i = 0; i < SOURCE_GROUPS_USER_MAX; i++) {
        char group[8];
        snprintf(group, sizeof(group), "%u", i);
        cr_assert_eq(groups_shed(g, view_str(group), VIEW("7"), &err), 0);
    }
    groups_seal(g);
    groups_format(g, &text);
    cr_expect_not(text.is_full);
    buf_free(&text);
    groups_free(&g);
}

Test(groups, a_line_that_says_nothing_is_named)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"member 10.0.0.0/8 1\nmembers 10.1.0.0/16 2\n", "line 2"},
        {"member 10.0.0.0/8\n", "line 1: source group"},
        {"shed 1 9\n", "shed severity 9"},
        {"member 10.0.0.0/8 1 2\n", "1 2"},
        {"member  1\n", "line 1"},
        {"x", "\"x\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct groups *g = groups_new();
        struct err err = {0};
        cr_expect_eq(groups_parse(g, view_str(cases[i].text), &err), -EINVAL, "case %zu", i);
        cr_expect_not_null(strstr(err.message, cases[i].says), "case %zu: %s", i, err.message);
        groups_free(&g);
    }
}
