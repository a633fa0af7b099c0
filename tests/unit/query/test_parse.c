/* Queries and the trees they become, written back canonically; and what is refused, where and why.
 */
#include "query/query.h"

#include <criterion/criterion.h>

#include "base/buf.h"
#include "base/limits.h"

/* The canonical text of a query, or "error AT+LENGTH: message".  Valid until the next call. */
static const char *parsed(struct view text)
{
    static struct buf out = {.max = 1 << 20};
    struct arena a = ARENA_INIT;
    struct query_error e = {0};
    const struct query_node *q;
    buf_clear(&out);
    if (query_parse(&a, text, &q, &e) < 0)
        buf_printf(&out, "error %zu+%zu: %s", e.at, e.length, e.message);
    else
        cr_assert_eq(query_format(q, &out), 0);
    arena_done(&a);
    return buf_str(&out);
}

struct text_case {
    const char *query, *expected;
};

static void check_all(const struct text_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = parsed(view_str(cases[i].query));
        cr_expect_str_eq(got, cases[i].expected, "%s\n  gave     %s\n  expected %s", cases[i].query,
                         got, cases[i].expected);
        if (strncmp(got, "error", 5) == 0)
            continue;
        /* the canonical text says the same */
        char *once = xstrdup(got);
        cr_expect_str_eq(parsed(view_str(once)), once, "%s\n  written back as %s\n  became %s",
                         cases[i].query, once, parsed(view_str(once)));
        free(once);
    }
}

Test(parse, words_phrases_and_operators)
{
    static const struct text_case cases[] = {
        {"", "*"},
        {" \t\n ", "*"},
        {"*", "*"},
        {"**", "*"},
        {"error", "\"error\""},
        {"ERROR", "\"error\""},
        {"link down", "\"link\" \"down\""},
        {"link AND down", "\"link\" \"down\""},
        {"\"link  down\"", "\"link  down\""},
        {"\"say \\\"hi\\\" \\\\ \\n\"", "\"say \\\"hi\\\" \\\\ \\\\n\""},
        {"\"*\"", "\"*\""},
        {"\"\"", "*"},
        {"a \"\"", "\"a\""},
        {"fail*", "\"fail\"*"},
        {"*fail", "*\"fail\""},
        {"*fail*", "*\"fail\"*"},
        {"a**b", "\"a\"*\"b\""},
        {"what?", "\"what?\""},
        {"*\"link dow\"*", "*\"link dow\"*"},
        {"%x", "\"%x\""},
        {"*%x", "\"%x\""}, /* no border there to be lifted */
        {"-x", "-\"x\""},
        {"NOT x", "-\"x\""},
        {"NOT NOT x", "NOT -\"x\""},
        {"NOT -x", "NOT -\"x\""},
        {"a -b", "\"a\" -\"b\""},
        {"-\"a b\"", "-\"a b\""},
        {"-(a b)", "-(\"a\" \"b\")"},
        {"-(a OR b)", "-(\"a\" OR \"b\")"},
        {"a OR b", "\"a\" OR \"b\""},
        {"a b OR c d", "\"a\" \"b\" OR \"c\" \"d\""},
        {"a (b OR c) d", "\"a\" (\"b\" OR \"c\") \"d\""},
        {"(a b) c", "(\"a\" \"b\") \"c\""},
        {"((a))", "\"a\""},
        {"a and b or not c", "\"a\" \"and\" \"b\" \"or\" \"not\" \"c\""},
        {"ANDROID ORACLE NOTICE", "\"android\" \"oracle\" \"notice\""},
        {"\"AND\" \"OR\"", "\"and\" \"or\""},
        {"a * b", "\"a\" \"b\""},
        {"a OR *", "\"a\" OR *"},
        {"\xe5\xbf\x9c\xe7\xad\x94\xe3\x80\x80"
         "down",
         "\"\xe5\xbf\x9c\xe7\xad\x94\" \"down\""},
        {"a\xc2\xa0"
         "b",
         "\"a\" \"b\""},
        {"\xc3\x89T\xc3\x89", "\"\xc3\xa9t\xc3\xa9\""},
    };
    check_all(cases, ARRAY_LEN(cases));
}

Test(parse, what_people_paste_is_searched_literally)
{
    static const struct text_case cases[] = {
        {"10:41:07", "\"10:41:07\""},
        {"http://x/y?z=*", "\"http://x/y?z=\""},
        {"https://a.b:8443/c", "\"https://a.b:8443/c\""},
        {"00:11:22:33:44:55", "\"00:11:22:33:44:55\""},
        {"0011.2233.4455", "\"0011.2233.4455\""},
        {"2001:db8::1", "\"2001:db8::1\""},
        {"fe80::1%eth0", "\"fe80::1%eth0\""},
        {"abcd::1", "\"abcd::1\""},
        {"::1", "\"::1\""},
        {"C:\\tmp\\x", "\"c:\\\\tmp\\\\x\""},
        {"--force", "\"--force\""},
        {"a -> b", "\"a\" \"->\" \"b\""},
        {"a->b", "\"a->b\""},
        {"a - b", "\"a\" \"-\" \"b\""},
        {"fw-01", "\"fw-01\""},
        {"-", "\"-\""},
        {"---", "\"---\""},
        {"(-)", "\"-\""},
        {"user=\"root\"", "\"user=\" \"root\""},
        {"{\"message\":\"x\"}", "\"{\" \"message\" \":\" \"x\" \"}\""},
        {"user:bob", "\"user:bob\""},
        {"outside:10.0.0.1/80", "\"outside:10.0.0.1/80\""},
        {"msg: x", "(\"msg:\" OR app_name:\"msg\") \"x\""},
        {"Source:x", "\"source:x\""},
        {"log.level:x", "\"log.level:x\""},
        {"100%", "\"100%\""},
        {"<165>1", "\"<165>1\""},
        {"[UFW", "\"[ufw\""},
        {"a,b;c|d&e", "\"a,b;c|d&e\""},
    };
    check_all(cases, ARRAY_LEN(cases));
}

Test(parse, a_tag_is_also_looked_for_where_the_receiver_put_it)
{
    static const struct text_case cases[] = {
        {"sshd[123]:", "\"sshd[123]:\" OR app_name:\"sshd\" procid:\"123\""},
        {"sshd[123]", "\"sshd[123]\" OR app_name:\"sshd\" procid:\"123\""},
        {"kernel:", "\"kernel:\" OR app_name:\"kernel\""},
        {"%LINK-3-UPDOWN: Interface",
         "(\"%link-3-updown:\" OR app_name:\"%link-3-updown\") \"interface\""},
        {"-cron:", "-(\"cron:\" OR app_name:\"cron\")"},
        {"postfix/smtpd[9]:", "\"postfix/smtpd[9]:\" OR app_name:\"postfix/smtpd\" procid:\"9\""},
        {"\"kernel:\"", "\"kernel:\""},
        {"a[]:", "\"a[]:\""}, /* without a process it is text alone */
        {"[9]:", "\"[9]:\""},
        {"a[9", "\"a[9\""},
        {"ker*:", "\"ker\"*\":\""},
        {"1:2:", "\"1:2:\""},
        {":", "\":\""},
    };
    check_all(cases, ARRAY_LEN(cases));
}

Test(parse, fields)
{
    static const struct text_case cases[] = {
        {"hostname:fw1", "hostname:\"fw1\""},
        {"hostname:FW*", "hostname:\"fw\"*"},
        {"hostname:fw?1", "hostname:\"fw\"?\"1\""},
        {"hostname:?\?*", "hostname:?\?*"},
        {"hostname:*?", "hostname:?*"},
        {"hostname:*", "hostname:*"},
        {"-hostname:*", "-hostname:*"},
        {"hostname:\"a b*\"", "hostname:\"a b*\""},
        {"hostname:fw*\"a b\"?", "hostname:\"fw\"*\"a b\"?"},
        {"app_name:sshd procid:1 msgid:ID47", "app_name:\"sshd\" procid:\"1\" msgid:\"id47\""},
        {"hostname:a:b", "hostname:\"a:b\""},
        {"hostname:(a OR b*)", "hostname:\"a\" OR hostname:\"b\"*"},
        {"hostname:(a -b)", "hostname:\"a\" -hostname:\"b\""},
        {"hostname:(x:y)", "hostname:\"x:y\""},
        {"message:\"a b\"", "message:\"a b\""},
        {"message:fail*", "message:\"fail\"*"},
        {"message:(a (b OR c))", "message:\"a\" (message:\"b\" OR message:\"c\")"},
        {"message:*", "message:*"},
        {"structured_data:eventID", "structured_data:\"eventid\""},
        {"message:kernel:", "message:\"kernel:\""},
        {"severity:err", "severity:err"},
        {"severity:ERROR", "severity:err"},
        {"severity:3", "severity:err"},
        {"severity:<=warning", "severity:emerg..warning"},
        {"severity:<warning", "severity:emerg..err"},
        {"severity:>=notice", "severity:notice..debug"},
        {"severity:>notice", "severity:info..debug"},
        {"severity:=info", "severity:info"},
        {"severity:err..notice", "severity:err..notice"},
        {"severity:notice..err", "severity:err..notice"},
        {"severity:err,info", "severity:err,info"},
        {"severity:err,warning,info", "severity:err..warning,info"},
        {"severity:(err OR info)", "severity:err OR severity:info"},
        {"severity:*", "*"},
        {"severity:*r*", "severity:emerg..warning"},
        {"severity:\"err\"", "severity:err"},
        {"facility:local4", "facility:local4"},
        {"facility:local*", "facility:local0..local7"},
        {"facility:16..23", "facility:local0..local7"},
        {"source:192.0.2.1", "source:192.0.2.1"},
        {"source:192.0.2.9/24", "source:192.0.2.0/24"},
        {"source:2001:db8::/32", "source:2001:db8::/32"},
        {"source:2001:DB8:0::1", "source:2001:db8::1"},
        {"source:(192.0.2.1 OR 192.0.2.2)", "source:192.0.2.1 OR source:192.0.2.2"},
        {"source:*", "*"},
        {"listener:udp", "listener:udp"},
        {"listener:t*", "listener:tcp,tls"},
        {"format:rfc5424", "format:rfc5424"},
    };
    check_all(cases, ARRAY_LEN(cases));
}

Test(parse, an_error_says_where_and_why)
{
    static const struct text_case cases[] = {
        {"hostnme:fw1", "error 0+7: unknown field hostnme, did you mean hostname"},
        {"a host:fw1", "error 2+4: unknown field host, did you mean hostname"},
        {"severty:err", "error 0+7: unknown field severty, did you mean severity"},
        {"host.name:x", "error 0+9: unknown field host.name, did you mean hostname"},
        {"app:x", "error 0+3: unknown field app, did you mean app_name"},
        {"a \"b", "error 2+1: the quote opened here is never closed"},
        {"a (b", "error 2+1: the parenthesis opened here is never closed"},
        {"(", "error 0+1: the parenthesis opened here is never closed"},
        {"a) b", "error 1+1: this parenthesis was never opened"},
        {"()", "error 0+2: there is nothing between these parentheses"},
        {"a OR", "error 2+2: OR needs something after it"},
        {"(a OR )", "error 3+2: OR needs something after it"},
        {"a AND", "error 2+3: AND needs something after it"},
        {"OR a", "error 0+2: OR needs something before it"},
        {"a OR AND b", "error 5+3: AND needs something before it"},
        {"NOT", "error 0+3: NOT needs something after it"},
        {"hostname: fw1", "error 0+9: a value must follow hostname: without a blank"},
        {"hostname:\"\"", "error 9+2: the value of hostname is empty"},
        {"severity:loud", "error 9+4: \"loud\" is not a severity; write emerg, alert"},
        {"severity:err..", "error 9+5: a severity is missing here"},
        {"severity:8", "error 9+1: \"8\" is not a severity"},
        {"severity:<emerg", "error 9+6: nothing can match: no severity is below emerg"},
        {"severity:>debug", "error 9+6: nothing can match: no severity is above debug"},
        {"facility:local9", "error 9+6: \"local9\" is not a facility"},
        {"source:10.0.0.*", "error 7+8: \"10.0.0.*\" is not an address or network"},
        {"source:10.0.0.0/33", "error 7+11: \"10.0.0.0/33\" is not an address"},
        {"listener:smtp", "error 9+4: \"smtp\" is not a listener; write udp, tcp or tls"},
        {"format:x", "error 7+1: \"x\" is not a format; write raw, rfc5424"},
        {"hostname:(a severity:err)", "error 12+9: severity: cannot stand inside hostname:( … )"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *got = parsed(view_str(cases[i].query));
        cr_expect(strncmp(got, cases[i].expected, strlen(cases[i].expected)) == 0,
                  "%s\n  gave     %s\n  expected %s", cases[i].query, got, cases[i].expected);
    }
}

Test(parse, bytes_that_are_no_text_are_refused)
{
    cr_expect_str_eq(parsed(VIEW("ab\xff")),
                     "error 2+1: the query is not valid UTF-8 text: byte 3 is 0xff");
    cr_expect_str_eq(parsed(VIEW("a\0b")),
                     "error 1+1: the query is not valid UTF-8 text: byte 2 is 0x00");
}

Test(parse, a_query_has_limits)
{
    char text[QUERY_MAX_BYTES + 2];
    memset(text, 'a', sizeof(text));
    cr_expect_eq(parsed(view_of(text, QUERY_MAX_BYTES))[0], '"');
    cr_expect(strstr(parsed(view_of(text, QUERY_MAX_BYTES + 1)),
                     "4097 bytes long, at most 4096 are allowed"));

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 2 ? ' ' : 'a';
    cr_expect_eq(parsed(view_of(text, 2 * (QUERY_MAX_NODES - 1)))[0], '"');
    cr_expect(strstr(parsed(view_of(text, 2 * QUERY_MAX_NODES)), "at most 256 are allowed"));

    memset(text, '(', QUERY_MAX_DEPTH + 1);
    text[QUERY_MAX_DEPTH + 1] = 'a';
    memset(text + QUERY_MAX_DEPTH + 2, ')', QUERY_MAX_DEPTH + 1);
    cr_expect_str_eq(parsed(view_of(text + 1, 2 * QUERY_MAX_DEPTH + 1)), "\"a\"");
    cr_expect(
        strstr(parsed(view_of(text, 2 * QUERY_MAX_DEPTH + 3)), "at most 32 levels are allowed"));
}

Test(parse, a_node_knows_where_it_was_written)
{
    struct arena a = ARENA_INIT;
    struct query_error e;
    const struct query_node *q;
    cr_assert_eq(query_parse(&a, VIEW(" ab  -\"c d\" (e OR f) "), &q, &e), 0);
    cr_assert_eq(q->kind, QUERY_AND);
    cr_assert_eq(q->children_n, 3);
    static const struct {
        size_t at, length;
    } expected[] = {{1, 2}, {5, 6}, {13, 6}};
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(q->children[i]->at, expected[i].at, "child %zu at %zu", i, q->children[i]->at);
        cr_expect_eq(q->children[i]->length, expected[i].length, "child %zu has %zu", i,
                     q->children[i]->length);
    }
    arena_done(&a);
}

Test(parse, borders_are_asked_for_at_letters_and_digits_only)
{
    static const struct {
        const char *query;
        bool left, right;
    } cases[] = {{"fail", true, true},    {"fail*", true, false}, {"*fail", false, true},
                 {"100%", true, false},   {"%x", false, true},    {"\xe5\xbf\x9c", false, false},
                 {"\"a b\"", true, true}, {"\" a\"", false, true}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena a = ARENA_INIT;
        struct query_error e;
        const struct query_node *q;
        cr_assert_eq(query_parse(&a, view_str(cases[i].query), &q, &e), 0);
        cr_expect_eq(q->pattern.left_border, cases[i].left, "%s: left", cases[i].query);
        cr_expect_eq(q->pattern.right_border, cases[i].right, "%s: right", cases[i].query);
        arena_done(&a);
    }
}

Test(parse, every_prefix_of_a_query_is_parsed_or_refused)
{
    static const char text[] =
        "a -\"b \\\" c\" OR (hostname:fw?*\"x\" NOT sshd[1]: severity:<=err,4..5 "
        "source:2001:db8::/32) \xe5\xbf\x9c*";
    for (size_t n = 0; n < sizeof(text); n++) {
        char *copy = xmalloc(n ? n : 1); /* of exactly this size, for AddressSanitizer */
        memcpy(copy, text, n);
        cr_assert(parsed(view_of(copy, n)));
        free(copy);
    }
}

Test(parse, pairs_have_a_name_and_a_value)
{
    static const struct text_case cases[] = {
        {"kv.action:deny", "kv.\"action\":\"deny\""},
        {"kv.Action:DENY", "kv.\"action\":\"deny\""},
        {"-kv.action:deny", "-kv.\"action\":\"deny\""},
        {"kv.action:*", "kv.\"action\":*"},
        {"kv.*:deny", "kv.*:\"deny\""},
        {"kv.src*:10.0.?.1", "kv.\"src\"*:\"10.0.\"?\".1\""},
        {"kv.\"src zone\":\"a b\"", "kv.\"src zone\":\"a b\""},
        {"kv.\"a\\\"b\":x", "kv.\"a\\\"b\":\"x\""},
        {"kv.x@1.iut:3", "kv.\"x@1.iut\":\"3\""},
        {"kv.msg:\"\"", "kv.\"msg\":\"\""},
        {"kv.a:(b OR \"c d\")", "kv.\"a\":\"b\" OR kv.\"a\":\"c d\""},
        {"kv.a:b:c", "kv.\"a\":\"b:c\""},
        {"kv.bytes:>1000", "kv.\"bytes\":>1000"},
        {"kv.bytes:>=-1.5e3", "kv.\"bytes\":>=-1500"},
        {"kv.bytes:<0.1", "kv.\"bytes\":<0.10000000000000001"},
        {"kv.bytes:<=7", "kv.\"bytes\":<=7"},
        {"kv.port:1..1023", "kv.\"port\":1..1023"},
        {"kv.port:1023..1", "kv.\"port\":1..1023"},
        {"kv.port:\"1..5\"", "kv.\"port\":\"1..5\""},
        {"kv.path:a..b", "kv.\"path\":\"a..b\""},
        {"kv.版:値", "kv.\"版\":\"値\""},
        {"mark:clock_skew", "mark:clock_skew"},
        {"mark:TRUNCATED,no_pri", "mark:truncated,no_pri"},
        {"mark:*", "mark:truncated,invalid_utf8,no_pri,bad_time,clock_skew,decoded"},
        /* text */
        {"kv.", "\"kv.\""},
        {"kv.action", "\"kv.action\""},
        {"kv.a\"b\"", "\"kv.a\" \"b\""},
        {"\"kv.a:b\"", "\"kv.a:b\""},
    };
    check_all(cases, ARRAY_LEN(cases));
}

Test(parse, what_is_wrong_with_a_pair_is_said)
{
    static const struct text_case cases[] = {
        {"kv.:x", "error 0+4: the name of a pair must stand between kv. and the colon, as in "
                  "kv.action:deny; to search for this text put it into quotes"},
        {"kv:x", "error 0+2: kv needs the name of a pair, as in kv.action:deny; to search for this "
                 "text put it into quotes"},
        {"kb.action:x", "error 0+9: unknown field kb.action, did you mean kv.action; to search for "
                        "this text put it into quotes"},
        {"a kv.b: c", "error 2+5: a value must follow kv.b: without a blank; to search for this "
                      "text put it into quotes"},
        {"kv.b:>x",
         "error 5+2: \"x\" is not a number; write >1000, <=5 or 1..10, and to search for "
         "this value as it stands put it into quotes"},
        {"kv.b:>", "error 5+1: a number must follow < and >, as in >1000 or <=5"},
        {"kv.a:(kv.b:c)", "error 6+5: kv.b: cannot stand inside kv.NAME:( … ), whose words all "
                          "belong to kv.NAME"},
        {"hostname:(kv.b:c)", "error 10+5: kv.b: cannot stand inside hostname:( … ), whose words "
                              "all belong to hostname"},
        {"kv.\"a:b", "error 3+1: the quote opened here is never closed; to search for a quote "
                     "itself write \"\\\"\""},
        {"mark:x",
         "error 5+1: \"x\" is not a mark; write truncated, invalid_utf8, no_pri, bad_time, "
         "clock_skew or decoded"},
    };
    check_all(cases, ARRAY_LEN(cases));
}
