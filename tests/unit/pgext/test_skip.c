#include "pgext/skip.c"
#include "pgext/skip_pairs.c"

#include <criterion/criterion.h>

#include "base/arena.h"
#include "base/record.h"

/* A block's metadata with a token index that is an exact list. */
struct fake {
    struct view senders;
    uint64_t tokens[64];
    size_t tokens_n;
    unsigned asked;
};

static struct view fake_senders(void *context)
{
    return ((struct fake *)context)->senders;
}

static bool fake_may_contain(void *context, uint64_t token)
{
    struct fake *f = context;
    f->asked++;
    for (size_t i = 0; i < f->tokens_n; i++) {
        if (f->tokens[i] == token)
            return true;
    }
    return false;
}

static void note(void *context, uint64_t token)
{
    struct fake *f = context;
    cr_assert_lt(f->tokens_n, ARRAY_LEN(f->tokens));
    f->tokens[f->tokens_n++] = token;
}

/* severities err and notice, facility local4, by udp, from 192.0.2.1 and 192.0.2.9 */
static const char two_senders[] = "\x04\xc0\x00\x02\x01\x04\xc0\x00\x02\x09";

static enum skip_answer decide(const char *query, struct fake *f, enum skip_reason *reason)
{
    struct arena arena = ARENA_INIT;
    const struct query_node *q;
    struct query_error error;
    cr_assert_eq(query_parse(&arena, view_str(query), &q, &error), 0, "%s: %s", query,
                 error.message);
    *f = (struct fake){.senders = view_of(two_senders, sizeof(two_senders) - 1)};
    tokens_of_text(VIEW("Failed password for root from 10.0.0.7"), note, f);
    tokens_of_text(VIEW("無応答です"), note, f);
    tokens_of_text(VIEW("sw-core-01"), note, f);
    struct skip_block b = {1 << 3 | 1 << 5, 1u << 20, 1, f, fake_senders, fake_may_contain};
    enum skip_answer a = skip_decide(q, &b, reason);
    arena_done(&arena);
    return a;
}

struct skip_case {
    const char *query;
    enum skip_answer answer;
    enum skip_reason reason;
};

Test(skip, metadata_answer_for_the_whole_block)
{
    static const struct skip_case cases[] = {
        {"", SKIP_ALL, 0},
        {"severity:err", SKIP_SOME, 0},
        {"severity:<=notice", SKIP_ALL, 0},
        {"severity:debug", SKIP_NONE, SKIP_BY_METADATA},
        {"-severity:<=notice", SKIP_NONE, SKIP_BY_METADATA},
        {"-severity:debug", SKIP_ALL, 0},
        {"-severity:err", SKIP_SOME, 0},
        {"facility:local4", SKIP_ALL, 0},
        {"facility:kern", SKIP_NONE, SKIP_BY_METADATA},
        {"listener:udp", SKIP_ALL, 0},
        {"listener:tls", SKIP_NONE, SKIP_BY_METADATA},
        {"source:192.0.2.0/24", SKIP_ALL, 0},
        {"source:192.0.2.1", SKIP_SOME, 0},
        {"source:198.51.100.0/24", SKIP_NONE, SKIP_BY_METADATA},
        {"-source:192.0.2.0/24", SKIP_NONE, SKIP_BY_METADATA},
        {"source:2001:db8::/32", SKIP_NONE, SKIP_BY_METADATA},
        {"severity:debug OR facility:local4", SKIP_ALL, 0},
        {"severity:debug OR severity:err", SKIP_SOME, 0},
        {"severity:debug facility:local4", SKIP_NONE, SKIP_BY_METADATA},
        {"severity:err facility:local4", SKIP_SOME, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake f;
        enum skip_reason reason = 99;
        enum skip_answer a = decide(cases[i].query, &f, &reason);
        cr_expect_eq(a, cases[i].answer, "%s: %d", cases[i].query, a);
        if (a == SKIP_NONE)
            cr_expect_eq(reason, cases[i].reason, "%s: reason %d", cases[i].query, reason);
        cr_expect_eq(f.asked, 0, "%s asks the token index", cases[i].query);
    }
}

Test(skip, words_that_the_index_lacks_rule_a_block_out)
{
    static const struct skip_case cases[] = {
        {"failed", SKIP_SOME, 0},
        {"FAILED", SKIP_SOME, 0},
        {"accepted", SKIP_NONE, SKIP_BY_TOKENS},
        {"failed accepted", SKIP_NONE, SKIP_BY_TOKENS},
        {"failed OR accepted", SKIP_SOME, 0},
        {"accepted OR denied", SKIP_NONE, SKIP_BY_TOKENS},
        {"-accepted", SKIP_ALL, 0}, /* every row lacks what the index lacks */
        {"-failed", SKIP_SOME, 0},
        {"\"password for\"", SKIP_SOME, 0},
        {"\"password against\"", SKIP_NONE, SKIP_BY_TOKENS},
        {"passw*", SKIP_SOME, 0},
        {"10.0.0.7", SKIP_SOME, 0},
        {"10.0.0.8", SKIP_NONE, SKIP_BY_TOKENS},
        {"応答", SKIP_SOME, 0},
        {"再起動", SKIP_NONE, SKIP_BY_TOKENS},
        {"hostname:sw-core-01", SKIP_SOME, 0},
        {"hostname:sw-edge-01", SKIP_NONE, SKIP_BY_TOKENS},
        {"hostname:sw-*", SKIP_SOME, 0},
        {"accepted severity:err", SKIP_NONE, SKIP_BY_TOKENS},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake f;
        enum skip_reason reason = 99;
        enum skip_answer a = decide(cases[i].query, &f, &reason);
        cr_expect_eq(a, cases[i].answer, "%s: %d", cases[i].query, a);
        if (a == SKIP_NONE)
            cr_expect_eq(reason, cases[i].reason, "%s: reason %d", cases[i].query, reason);
    }
}

Test(skip, the_token_index_is_not_asked_when_metadata_decide)
{
    struct fake f;
    enum skip_reason reason;
    cr_assert_eq(decide("failed severity:debug", &f, &reason), SKIP_NONE);
    cr_assert_eq(f.asked, 0);
}

Test(skip, no_query_is_everything)
{
    struct skip_block b = {0};
    enum skip_reason reason;
    cr_assert_eq(skip_decide(NULL, &b, &reason), SKIP_ALL);
}

Test(skip, a_malformed_list_of_senders_never_skips)
{
    struct arena arena = ARENA_INIT;
    const struct query_node *q;
    struct query_error error;
    cr_assert_eq(query_parse(&arena, VIEW("source:192.0.2.0/24"), &q, &error), 0);
    for (size_t n = 0; n < sizeof(two_senders) - 1; n++) {
        struct fake f = {.senders = view_of(two_senders, n)};
        struct skip_block b = {8, 1, 1, &f, fake_senders, fake_may_contain};
        enum skip_reason reason;
        if (n % 5 != 0)
            cr_assert_eq(skip_decide(q, &b, &reason), SKIP_SOME, "%zu bytes", n);
    }
    arena_done(&arena);
}

struct stored_case {
    const char *message, *query;
    bool may_be_there;
};

/* Whatever a search finds in a message, the words of that message must not rule out. */
Test(skip, words_of_pairs_are_looked_for_as_they_are_stored)
{
    static const struct stored_case cases[] = {
        {"action=deny src=10.0.0.7", "kv.action:deny", true},
        {"action=deny src=10.0.0.7", "kv.ACTION:Deny", true},
        {"action=deny src=10.0.0.7", "kv.src:10.0.0.7", true},
        {"action=deny src=10.0.0.7", "kv.src:10.0.0.*", true},
        {"action=deny src=10.0.0.7", "kv.src:10.0.7.0", false},
        {"action=deny src=10.0.0.7", "kv.action:den", false},
        {"action=deny src=10.0.0.7", "kv.action:den*", true},
        {"action=deny src=10.0.0.7", "kv.reason:*", false},
        {"action=deny src=10.0.0.7", "kv.act*:*", true},
        {"{\"msg\":\"a\\u003cb\"}", "kv.msg:\"a<b\"", true},
        {"{\"msg\":\"a\\nb\"}", "kv.msg:\"a\nb\"", true},
        {"{\"msg\":\"a\\tb c\"}", "kv.msg:\"a\tb c\"", true},
        {"{\"msg\":\"\\u5fdcab\"}", "kv.msg:応ab", true},
        {"{\"msg\":\"\\u00e9ab\"}", "kv.msg:éab", true},
        {"{\"msg\":\"\\u0028null)\"}", "kv.msg:\"(null)\"", true},
        {"{\"ip\":\"\\u003c10.0.0.7\"}", "kv.ip:\"<10.0.0.7\"", true},
        {"{\"a\":{\"b\":[1,\"xyz\"]}}", "kv.a.b.1:xyz", true},
        {"{\"a\":{\"b\":[1,\"xyz\"]}}", "kv.a.c.1:xyz", false},
        {"{\"user\":\"\\u0061dmin\"}", "kv.user:admin", false}, /* veiled */
        {"{\"user\":\"\\u0061dmin\"}", "kv.user:\"\\\\u0061dmin\"", true},
        {"CEF:0|V|P|1|2|N|5|msg=a\\nb", "kv.msg:\"a\nb\"", true},
        {"CEF:0|V|P|1|2|N|5|msg=ab", "kv.cef.vendor:V", true},
        {"CEF:0|V|P|1|2|N|5|msg=ab", "kv.vendor:V", true},
        {"CEF:0|V|P|1|2|N|5|msg=ab", "kv.vendor:Q", false},
        {"LEEF:1.0|V|P|1|E|ab=1#011cd=2", "kv.cd:2", true},
        {"LEEF:1.0|V|P|1|E|ab=1#011cd=2", "kv.ce:2", false},
        {"bytes=2000", "kv.bytes:>1000", true},
        {"bytes=2000", "kv.octets:>1000", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena arena = ARENA_INIT;
        struct query_error error;
        const struct query_node *q;
        struct fake f = {.tokens_n = 0};
        struct record r = {.message = view_str(cases[i].message)};
        cr_assert_eq(query_parse(&arena, view_str(cases[i].query), &q, &error), 0, "%s: %s",
                     cases[i].query, error.message);
        tokens_of_text(r.message, note, &f);
        struct skip_block b = {.context = &f, .may_contain = fake_may_contain};
        bool may_be_there = !skip_pair_is_missing(q, &b);
        cr_expect_eq(may_be_there, cases[i].may_be_there, "%s in %s", cases[i].query,
                     cases[i].message);
        cr_expect(may_be_there || !query_matches(q, &r), "%s is found in %s and ruled out",
                  cases[i].query, cases[i].message);
        arena_done(&arena);
    }
}
