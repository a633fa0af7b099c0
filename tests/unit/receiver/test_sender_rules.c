/* Who may send, and how fast. */
#include <criterion/criterion.h>

#include "receiver/sender_rules.h"

static struct sender_rules *parse(const char *text)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    cr_assert_eq(sender_rules_parse(r, view_str(text), &err), 0, "%s", err.message);
    return r;
}

static struct ip address(const char *text)
{
    struct ip ip;
    cr_assert_eq(ip_parse(view_str(text), &ip), 0, "%s", text);
    return ip;
}

Test(sender_rules, who_is_allowed_depends_on_network_and_listener)
{
    static const char rules[] = "member 127.66.0.0/16 32\n"
                                "allow 192.0.2.0/24 any\n"
                                "allow 2001:db8::/32 udp\n"
                                "allow ::1 udp\n"
                                "allow fe80::/10 tcp\n"
                                "allow 192.0.0.0/8 tcp\n"
                                "allow 192.0.2.9 udp\n"
                                "allow ::ffff:198.51.100.0/120 udp\n";
    static const struct {
        const char *source;
        bool udp, tcp, tls;
    } cases[] = {
        {"192.0.2.1", true, true, true},
        {"192.0.2.9", true, true, true}, /* the smaller network adds nothing and takes nothing */
        {"192.0.3.1", false, true, false},
        {"10.0.0.1", false, false, false},
        {"2001:db8::7", true, false, false},
        {"2001:db9::7", false, false, false},
        {"::1", true, false, false},
        {"fe80::1", false, true, false},
        {"::ffff:192.0.2.1", true, true, true}, /* IPv4 by way of IPv6 */
        {"198.51.100.3", true, false, false},
        {"127.66.1.2", true, true, true}, /* the benchmark */
    };
    struct sender_rules *r = parse(rules);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ip ip = address(cases[i].source);
        cr_expect_eq(sender_rules_is_allowed(r, LISTENER_UDP, &ip), cases[i].udp, "%s by udp",
                     cases[i].source);
        cr_expect_eq(sender_rules_is_allowed(r, LISTENER_TCP, &ip), cases[i].tcp, "%s by tcp",
                     cases[i].source);
        cr_expect_eq(sender_rules_is_allowed(r, LISTENER_TLS, &ip), cases[i].tls, "%s by tls",
                     cases[i].source);
    }
    struct ip none = {0};
    cr_expect_not(sender_rules_is_allowed(r, LISTENER_UDP, &none), "a sender without address");
    sender_rules_free(&r);
}

Test(sender_rules, a_listener_that_no_row_is_about_takes_from_everybody)
{
    struct ip ip = address("10.0.0.1");
    struct sender_rules *r = parse("");
    for (uint8_t i = 0; i < LISTENER_COUNT; i++)
        cr_expect(sender_rules_is_allowed(r, i, &ip), "no row, listener %u", i);
    sender_rules_free(&r);
    r = parse("allow 192.0.2.0/24 udp\n");
    cr_expect_not(sender_rules_is_allowed(r, LISTENER_UDP, &ip));
    cr_expect(sender_rules_is_allowed(r, LISTENER_TCP, &ip));
    cr_expect(sender_rules_is_allowed(r, LISTENER_TLS, &ip));
    sender_rules_free(&r);
}

Test(sender_rules, the_longest_network_says_the_limit)
{
    static const struct {
        const char *source;
        uint32_t rate, burst;
    } cases[] = {
        {"10.1.2.3", 5, 6},   {"10.1.9.9", 100, 200}, {"10.9.9.9", 0, 1},
        {"192.0.2.1", 7, 77}, {"127.66.0.1", 0, 1},   {"2001:db8::1", 9, 10},
    };
    struct sender_rules *r = parse("member 127.66.0.0/16 32\n"
                                   "limit 10.0.0.0/8 0 1\n"
                                   "limit 10.1.2.0/24 5 6\n"
                                   "limit 10.1.0.0/16 100 200\n"
                                   "limit 2001:db8::/32 9 10\n"
                                   "everyone 7 77\n");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ip ip = address(cases[i].source);
        struct sender_limit limit = sender_rules_limit_of(r, &ip);
        cr_expect_eq(limit.rate, cases[i].rate, "%s: %u", cases[i].source, limit.rate);
        cr_expect_eq(limit.burst, cases[i].burst, "%s: %u", cases[i].source, limit.burst);
    }
    sender_rules_free(&r);
}

Test(sender_rules, what_is_written_reads_back_as_the_same)
{
    static const char text[] = "member 10.1.0.0/16 3\n"
                               "shed 3 6\n"
                               "allow 10.0.0.0/8 any\n"
                               "allow 2001:db8::/32 tls\n"
                               "limit 10.0.0.0/8 1000 2000\n"
                               "everyone 5 10\n"
                               "source 10.0.0.0/8 Asia/Tokyo Shift_JIS counted\n"
                               "source 10.1.0.0/16 - - auto\n"
                               "source 2001:db8::/32 - EUC-JP -\n"
                               "charset windows-1252\n";
    struct sender_rules *r = parse(text);
    struct buf out = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES);
    sender_rules_format(r, &out);
    cr_expect_str_eq(buf_str(&out), text);
    buf_free(&out);
    sender_rules_free(&r);
}

Test(sender_rules, as_many_as_there_may_be_fit_into_the_file)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    char network[64];
    _Static_assert(SOURCE_SETTINGS_MAX == SENDER_NETWORKS_MAX, "one loop fills all");
    for (int i = 0; i < SENDER_NETWORKS_MAX; i++) {
        snprintf(network, sizeof(network), "2001:db8:ffff:ffff:ffff:ffff:ffff:%x/128", 0xf000 + i);
        cr_assert_eq(sender_rules_allow(r, view_str(network), VIEW("udp"), &err), 0);
        cr_assert_eq(
            sender_rules_limit(r, view_str(network), VIEW("10000000"), VIEW("100000000"), &err), 0);
    }
    for (int i = 0; i < SOURCE_SETTINGS_MAX; i++) {
        snprintf(network, sizeof(network), "2001:db8:ffff:ffff:ffff:ffff:ffff:%x/128", 0xf000 + i);
        cr_assert_eq(sender_rules_source(r, view_str(network),
                                         VIEW("America/Argentina/ComodRivadavia"),
                                         VIEW("windows-1252"), VIEW("delimited"), &err),
                     0);
    }
    cr_expect_eq(sender_rules_source(r, VIEW("10.0.0.1"), VIEW_NULL, VIEW_NULL, VIEW_NULL, &err),
                 -ENOSPC);
    cr_expect_str_eq(err.message, "more than 1000 networks have settings");
    cr_expect_eq(r->zones_n, 1, "a zone is loaded once");
    cr_expect_eq(sender_rules_allow(r, VIEW("10.0.0.1"), VIEW(""), &err), -ENOSPC);
    cr_expect_str_eq(err.message, "more than 1000 networks are allowed");
    cr_expect_eq(sender_rules_limit(r, VIEW("10.0.0.1"), VIEW("1"), VIEW("1"), &err), -ENOSPC);
    sender_rules_seal(r);
    struct buf out = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES - GROUPS_TEXT_MAX_BYTES);
    sender_rules_format(r, &out);
    cr_expect_not(out.is_full);
    buf_free(&out);
    sender_rules_free(&r);
}

Test(sender_rules, what_is_no_rule_is_refused_with_its_line)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"allow 10.0.0.0/33 any\n", "line 1: 10.0.0.0/33 is not a network or address"},
        {"everyone 1 1\nallow 10.0.0.0/8 fax\n", "line 2: fax is not a listener: udp, tcp or tls"},
        {"allow 10.0.0.0/8\n", "line 1: no listener: udp, tcp, tls or any"},
        {"limit 10.0.0.0/8 10000001 1\n", "line 1: rate 10000001 is out of 0..10000000"},
        {"limit 10.0.0.0/8 1 0\n", "line 1: burst 0 is out of 1..100000000"},
        {"limit 10.0.0.0/8 1\n", "line 1: burst  is out of 1..100000000"},
        {"everyone x 1\n", "line 1: rate x is out of 0..10000000"},
        {"source 10.0.0.0/33 - - -\n", "line 1: 10.0.0.0/33 is not a network or address"},
        {"source 10.0.0.0/8 - - lines\n",
         "line 1: lines is not a framing: auto, counted or delimited"},
        {"source 10.0.0.0/8 - - - -\n", "line 1: more than a network, zone, charset and framing"},
        {"charset ebcdic\n", "line 1: ebcdic is not a charset this box knows"},
        {"deny 10.0.0.0/8\n", "line 1: \"deny 10.0.0.0/8\" is neither a member nor a shed"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sender_rules *r = sender_rules_new();
        struct err err = {0};
        cr_expect_eq(sender_rules_parse(r, view_str(cases[i].text), &err), -EINVAL, "%s",
                     cases[i].text);
        cr_expect_str_eq(err.message, cases[i].want);
        sender_rules_free(&r);
    }
}

Test(sender_rules, a_set_lives_as_long_as_somebody_holds_it)
{
    struct sender_rules *r = parse("allow 10.0.0.0/8 any\n"), *second = sender_rules_hold(r);
    struct ip ip = address("10.0.0.1");
    uint64_t generation = r->generation;
    sender_rules_free(&r);
    cr_expect_null(r);
    cr_expect(sender_rules_is_allowed(second, LISTENER_UDP, &ip));
    sender_rules_free(&second);
    r = sender_rules_new();
    cr_expect_gt(r->generation, generation, "no two sets have the same");
    sender_rules_free(&r);
    sender_rules_free(&r); /* NULL */
}

Test(sender_rules, of_a_network_twice_the_same_row_counts_after_a_restart)
{
    /* the database takes both: to it they are different networks */
    struct sender_rules *r = parse("limit 192.0.2.7/32 5 6\nlimit ::ffff:192.0.2.7/128 3 4\n");
    struct ip ip = address("192.0.2.7");
    struct buf text = BUF_INIT(SENDER_RULES_TEXT_MAX_BYTES);
    cr_expect_eq(sender_rules_limit_of(r, &ip).rate, 5);
    for (int restart = 1; restart <= 2; restart++) {
        buf_clear(&text);
        sender_rules_format(r, &text);
        sender_rules_free(&r);
        r = parse(buf_str(&text));
        cr_expect_eq(sender_rules_limit_of(r, &ip).rate, 5, "restart %d: %u", restart,
                     sender_rules_limit_of(r, &ip).rate);
    }
    sender_rules_free(&r);
    buf_free(&text);
}

Test(sender_rules, a_source_is_read_by_the_row_of_the_longest_prefix_as_a_whole)
{
    static const struct {
        const char *source, *zone, *charset;
        int framing;
    } cases[] = {
        {"10.9.9.9", "Asia/Tokyo", "Shift_JIS", FRAME_COUNTED},
        {"10.1.9.9", NULL, "EUC-JP", FRAME_AUTO}, /* its charset is that of all others */
        {"10.1.2.9", NULL, NULL, SOURCE_FRAMING_INHERIT},
        {"192.0.2.1", NULL, "EUC-JP", SOURCE_FRAMING_INHERIT},
        {"2001:db8::1", "UTC", "EUC-JP", FRAME_DELIMITED},
    };
    struct sender_rules *r = parse("source 10.1.0.0/16 - - auto\n"
                                   "source 10.0.0.0/8 Asia/Tokyo sjis counted\n"
                                   "source 10.1.2.0/24 - UTF-8 -\n"
                                   "source 2001:db8::/32 UTC - delimited\n"
                                   "charset EUC-JP\n");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ip ip = address(cases[i].source);
        struct source_setting s = sender_rules_setting_of(r, &ip);
        cr_expect(view_eq(view_str(s.zone ? zone_name(s.zone) : NULL), view_str(cases[i].zone)),
                  "%s", cases[i].source);
        cr_expect_eq(s.charset, cases[i].charset ? charset_find(view_str(cases[i].charset)) : NULL,
                     "%s: %s", cases[i].source, charset_name(s.charset));
        cr_expect_eq(s.framing, cases[i].framing, "%s: %d", cases[i].source, s.framing);
    }
    sender_rules_free(&r);
}

Test(sender_rules, of_a_row_with_an_unknown_zone_or_charset_the_rest_holds)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    cr_expect_eq(sender_rules_source(r, VIEW("192.0.2.0/24"), VIEW("Mars/Olympus"), VIEW("sjis"),
                                     VIEW("counted"), &err),
                 -ENOENT);
    cr_expect(strncmp(err.message, "192.0.2.0/24: ", 14) == 0 && strstr(err.message, "Mars"), "%s",
              err.message);
    cr_expect_eq(sender_rules_source(r, VIEW("198.51.100.0/24"), VIEW("UTC"), VIEW("ebcdic"),
                                     VIEW_NULL, &err),
                 -ENOENT);
    cr_expect_str_eq(err.message, "198.51.100.0/24: ebcdic is not a charset this box knows");
    cr_expect_not_null(strstr(r->fault, "Mars"), "the first is told of: %s", r->fault);
    sender_rules_seal(r);
    struct ip first = address("192.0.2.1"), second = address("198.51.100.1");
    struct source_setting s = sender_rules_setting_of(r, &first);
    cr_expect_null(s.zone);
    cr_expect_str_eq(charset_name(s.charset), "Shift_JIS");
    cr_expect_eq(s.framing, FRAME_COUNTED);
    s = sender_rules_setting_of(r, &second);
    cr_expect_str_eq(zone_name(s.zone), "UTC");
    cr_expect_null(s.charset);
    sender_rules_free(&r);
    /* the same from the file of an earlier run, whose zones another version knew */
    r = parse("source 192.0.2.0/24 Mars/Olympus - counted\n");
    cr_expect_eq(sender_rules_setting_of(r, &first).framing, FRAME_COUNTED);
    sender_rules_free(&r);
}
