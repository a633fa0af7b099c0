/* Whole values against patterns, and whole messages against queries. */
#include "query/query.h"

#include <criterion/criterion.h>

#include "base/record.h"

static bool value_matches(const char *pattern, const char *value)
{
    struct arena a = ARENA_INIT;
    struct query_error e;
    const struct query_node *q;
    char text[256];
    snprintf(text, sizeof(text), "hostname:%s", pattern);
    cr_assert_eq(query_parse(&a, view_str(text), &q, &e), 0, "%s: %s", text, e.message);
    cr_assert_eq(q->kind, QUERY_VALUE, "%s", text);
    bool is_match = query_value_matches(&q->pattern, view_str(value));
    arena_done(&a);
    return is_match;
}

Test(match, values_are_compared_whole)
{
    static const struct {
        const char *pattern, *value;
        bool expected;
    } cases[] = {
        {"fw1", "fw1", true},
        {"fw1", "FW1", true},
        {"FW1", "fw1", true},
        {"fw1", "fw10", false},
        {"fw1", "xfw1", false},
        {"fw1", "", false},
        {"fw*", "fw", true},
        {"fw*", "fw-core", true},
        {"fw*", "afw", false},
        {"*fw", "afw", true},
        {"*fw", "fwa", false},
        {"*w*", "fwa", true},
        {"f*w*1", "fabwcd1", true},
        {"f*w*1", "f1w", false},
        {"a*ab", "aab", true},
        {"a*ab", "aabab", true},
        {"a*ab", "ab", false},
        {"*a*b", "xaxbxb", true},
        {"f?1", "fw1", true},
        {"f?1", "f1", false},
        {"f?1", "fww1", false},
        {"?", "x", true},
        {"?", "", false},
        {"?", "xy", false},
        {"?", "\xe5\xbf\x9c", true},
        {"?\?", "\xe5\xbf\x9c", false},
        {"?*", "x", true},
        {"?*", "", false},
        {"*?b", "ab", true},
        {"*?b", "b", false},
        {"a*?", "a", false},
        {"a*?", "ab", true},
        {"a?*c", "abc", true},
        {"a?*c", "ac", false},
        {"a*b?c", "aXbYbZc", true},
        {"a*b?c", "abc", false},
        {"\"a*\"", "a*", true},
        {"\"a*\"", "ab", false},
        {"\xc3\xa9*", "\xc3\x89TE", true},
        {"*\"b c\"", "a b c", true},
        {"a*b", "a x b", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(value_matches(cases[i].pattern, cases[i].value), cases[i].expected,
                     "%s against \"%s\"", cases[i].pattern, cases[i].value);
}

Test(match, null_never_matches_a_value)
{
    cr_expect_not(value_matches("?*", NULL));
    cr_expect_not(value_matches("x", NULL));
}

/* Shell patterns, tried in every way. */
static bool naive_glob(const char *p, const char *v)
{
    if (*p == 0)
        return *v == 0;
    if (*p == '*')
        return naive_glob(p + 1, v) || (*v && naive_glob(p, v + 1));
    return *v && (*p == '?' || *p == *v) && naive_glob(p + 1, v + 1);
}

Test(match, agrees_with_a_naive_matcher_on_every_short_pattern)
{
    static const char letters[] = "ab*?";
    for (unsigned number = 0; number < 4 * 4 * 4 * 4 * 4; number++) {
        char pattern[6] = "";
        unsigned rest = number;
        for (int i = 0; i < 5; i++, rest /= 4)
            pattern[i] = letters[rest % 4];
        if (strspn(pattern, "*") == 5)
            continue; /* has a value */
        for (unsigned value = 0; value < 63; value++) {
            char text[8] = "";
            int n = 0;
            for (unsigned v = value + 1; v > 1;
                 v /= 2) /* every text of a and b up to five letters */
                text[n++] = v % 2 ? 'a' : 'b';
            cr_assert_eq(value_matches(pattern, text), naive_glob(pattern, text),
                         "%s against \"%s\"", pattern, text);
        }
    }
}

static struct record sample(void)
{
    struct record r = {.received_at_us = 1,
                       .reported_at_us = TIME_NONE,
                       .listener = LISTENER_TCP,
                       .facility = 20,
                       .severity = 3,
                       .format = FORMAT_RFC3164,
                       .hostname = VIEW("core-1"),
                       .app_name = VIEW("sshd"),
                       .procid = VIEW("123"),
                       .msgid = VIEW_NULL,
                       .structured_data = VIEW_NULL,
                       .message = VIEW("Failed password for root from 203.0.113.9")};
    cr_assert_eq(ip_parse(VIEW("192.0.2.7"), &r.source), 0);
    return r;
}

Test(match, messages)
{
    static const struct {
        const char *query;
        bool expected;
    } cases[] = {
        {"", true},
        {"failed", true},
        {"failed password", true},
        {"password failed", true},
        {"\"password failed\"", false},
        {"failed -root", false},
        {"failed -admin", true},
        {"admin OR root", true},
        {"admin OR (root core-1)", true},
        {"core", true}, /* in hostname */
        {"message:core", false},
        {"123", true},
        {"hostname:core-*", true},
        {"hostname:core", false},
        {"-hostname:core-1", false},
        {"hostname:(a OR core-1)", true},
        {"msgid:*", false},
        {"-msgid:*", true},
        {"-msgid:x", true},
        {"msgid:x", false},
        {"message:*", true},
        {"structured_data:x", false},
        {"severity:err", true},
        {"severity:<=warning", true},
        {"severity:>=warning", false},
        {"facility:local4", true},
        {"facility:kern..local3", false},
        {"source:192.0.2.0/24", true},
        {"source:192.0.2.8", false},
        {"source:2001:db8::/32", false},
        {"listener:tcp", true},
        {"listener:udp,tls", false},
        {"format:rfc3164", true},
        {"format:raw", false},
        {"sshd[123]: Failed", true},
        {"sshd[124]: Failed", false},
        {"sshd:", true},
        {"cron:", false},
        {"203.0.113.9", true},
        {"203.0.113", true},
        {"03.0.113.9", false},
        {"*", true},
        {"-*", false},
    };
    struct record r = sample();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena a = ARENA_INIT;
        struct query_error e;
        const struct query_node *q;
        cr_assert_eq(query_parse(&a, view_str(cases[i].query), &q, &e), 0, "%s: %s", cases[i].query,
                     e.message);
        cr_expect_eq(query_matches(q, &r), cases[i].expected, "%s", cases[i].query);
        arena_done(&a);
    }
}
