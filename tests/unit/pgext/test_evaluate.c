#include "pgext/evaluate.c"
#include "pgext/evaluate_pairs.c"
#include "pgext/rows.c"

#include <criterion/criterion.h>

#include "base/arena.h"

/* Messages as they are made into a block; evaluating the block must find what matching each one
 * alone finds. */
#define MESSAGES 3000

static struct block block;
static struct record records[MESSAGES];
static char texts[MESSAGES][160];
static struct arena reader_arena;
static struct block_reader reader;
static unsigned loads;
static int corrupt_column = -1;

static void *arena_of_reader(void *context, size_t n)
{
    return arena_alloc(context, n);
}

static struct view fetch(void *context, enum block_column c)
{
    (void)context;
    loads++;
    if ((int)c == corrupt_column)
        return VIEW("damaged");
    return block.columns[c].n == 0 ? VIEW_NULL : buf_view(&block.columns[c]);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void open_reader(void)
{
    arena_done(&reader_arena);
    loads = 0;
    struct block_memory memory = {arena_of_reader, &reader_arena};
    block_reader_init(&reader, block.messages, block.first_seq, memory, fetch, NULL);
}

/* Short words of few letters, so that matches across the border of rows would be frequent. */
static void make_record(struct record *r, uint32_t i, uint32_t *random)
{
    static const char *const words[] = {
        "link", "down",      "fail",    "failed",    "li",
        "nk",   "応答",      "答",      "Ä",         "",
        "do",   "wn",        "x-fail",  "fail_over", "10.0.0.7",
        "100%", "link=down", " a=link", "down=100",  "{\"link\":\"fail\"}"};
    static const char *const hosts[] = {"fw01", "fw02", "sw-core-01", "FW01", NULL};
    static const char *const apps[] = {"sshd", "link", NULL, "kernel"};
    struct view message = {texts[i], 0};
    for (uint32_t n = next_random(random) % 4, k = 0; k < n; k++) {
        const char *separators[] = {" ", "", "/", ","};
        int added = snprintf(texts[i] + message.n, sizeof(texts[i]) - message.n, "%s%s",
                             words[next_random(random) % ARRAY_LEN(words)],
                             k + 1 < n ? separators[next_random(random) % 4] : "");
        message.n += (size_t)added;
    }
    *r = (struct record){
        .received_at_us = 1000 + i,
        .reported_at_us = TIME_NONE,
        .source = {.family = 4, .bytes = {192, 0, 2, (uint8_t)(next_random(random) % 4)}},
        .listener = (uint8_t)(next_random(random) % 3),
        .facility = (uint8_t)(next_random(random) % 24),
        .severity = (uint8_t)(next_random(random) % 8),
        .format = (uint8_t)(next_random(random) % FORMAT_COUNT),
        .hostname = view_str(hosts[next_random(random) % 5]),
        .app_name = view_str(apps[next_random(random) % 4]),
        .procid = view_str(next_random(random) % 3 ? NULL : "17"),
        .msgid = view_str(next_random(random) % 5 ? NULL : "ID47"),
        .structured_data = view_str(next_random(random) % 6 ? NULL : "[link down=\"1\"]"),
        .message = message,
        .raw = message,
        .flags = (uint8_t)(next_random(random) % 8),
    };
}

static void make_block(void)
{
    struct block_builder *b = block_builder_new();
    uint32_t random = 7;
    block_builder_clear(b, 1);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        make_record(&records[i], i, &random);
        cr_assert_eq(block_builder_add(b, &records[i]), 0);
    }
    block_builder_finish(b, &block);
    block_builder_free(&b);
    corrupt_column = -1;
    open_reader();
}

static void drop_block(void)
{
    arena_done(&reader_arena);
    block_free(&block);
}

TestSuite(evaluate, .init = make_block, .fini = drop_block);

static const char *const queries[] = {
    "",
    "link",
    "down",
    "link down",
    "link OR down",
    "-link",
    "-(link OR down)",
    "fail",
    "failed",
    "fail*",
    "*fail",
    "fail_over",
    "応答",
    "答",
    "ä",
    "\"100%\"",
    "10.0.0.7",
    "\"link down\"",
    "linkdown",
    "li*nk",
    "severity:<=err",
    "facility:local4",
    "listener:tcp",
    "format:rfc5424",
    "source:192.0.2.1",
    "source:192.0.2.2/31",
    "hostname:fw01",
    "hostname:fw*",
    "hostname:*",
    "-hostname:*",
    "app_name:link",
    "procid:17 fail",
    "msgid:ID47 OR -fail",
    "structured_data:down",
    "structured_data:*",
    "message:link",
    "message:*",
    "-message:link link",
    "severity:<=err (fail OR hostname:fw0?) -source:192.0.2.3",
    "nosuchword",
    "mark:truncated",
    "-mark:*",
    "kv.link:down",
    "kv.link:*",
    "kv.link:d*",
    "kv.li*:*",
    "kv.*:1",
    "kv.down:100",
    "kv.down:>99",
    "kv.down:<100",
    "kv.link:fail",
    "kv.a:(link OR linkfail)",
    "-kv.link:down link",
    "kv.link:応答",
    "kv.nosuchname:1",
    "severity:emerg link fail down",
};

Test(evaluate, finds_what_matching_each_row_alone_finds)
{
    static struct rows candidates, found;
    for (size_t k = 0; k < ARRAY_LEN(queries); k++) {
        struct arena arena = ARENA_INIT;
        const struct query_node *q;
        struct query_error error;
        struct err err;
        cr_assert_eq(query_parse(&arena, view_str(queries[k]), &q, &error), 0, "%s: %s", queries[k],
                     error.message);
        /* all rows, and few: text columns are searched in two ways */
        for (int few = 0; few <= 1; few++) {
            open_reader();
            rows_range(&candidates, MESSAGES, 0, few ? 0 : MESSAGES);
            for (uint32_t i = 0; few && i < MESSAGES; i += 11)
                rows_add(&candidates, i);
            cr_assert_eq(evaluate_rows(&reader, q, &candidates, &found, &err), 0);
            for (uint32_t i = 0; i < MESSAGES; i++) {
                bool expected = rows_has(&candidates, i) && query_matches(q, &records[i]);
                cr_assert_eq(rows_has(&found, i), expected, "%s: row %u \"%.*s\"%s", queries[k], i,
                             VIEW_ARG(records[i].message), expected ? " is missing" : "");
            }
        }
        arena_done(&arena);
    }
}

static void evaluate_all(const char *query, int expected)
{
    static struct rows candidates, found;
    struct arena arena = ARENA_INIT;
    const struct query_node *q;
    struct query_error error;
    struct err err = {0};
    open_reader();
    rows_range(&candidates, MESSAGES, 0, MESSAGES);
    cr_assert_eq(query_parse(&arena, view_str(query), &q, &error), 0);
    cr_assert_eq(evaluate_rows(&reader, q, &candidates, &found, &err), expected, "%s", query);
    cr_assert_eq(err.message[0] != 0, expected < 0);
    arena_done(&arena);
}

Test(evaluate, loads_no_column_for_everything_and_one_for_a_severity)
{
    evaluate_all("", 0);
    cr_assert_eq(loads, 0);
    evaluate_all("severity:err", 0);
    cr_assert_eq(loads, 1);
}

Test(evaluate, leaves_the_text_alone_when_a_cheap_condition_decides)
{
    evaluate_all("link hostname:nosuchhost", 0);
    cr_assert_eq(loads, 1);
}

Test(evaluate, a_damaged_column_is_an_error_only_where_it_is_needed)
{
    corrupt_column = COLUMN_MESSAGE;
    evaluate_all("link", -EBADMSG);
    evaluate_all("hostname:fw01", 0);
    corrupt_column = COLUMN_HOSTNAME;
    evaluate_all("hostname:fw01", -EBADMSG);
    evaluate_all("message:link", 0);
}

Test(evaluate, no_candidates_load_nothing)
{
    static struct rows candidates, found;
    const struct query_node q = {.kind = QUERY_SEVERITY, .bits = 255};
    struct err err;
    rows_none(&candidates, MESSAGES);
    cr_assert_eq(evaluate_rows(&reader, &q, &candidates, &found, &err), 0);
    cr_assert_eq(rows_count(&found), 0);
    cr_assert_eq(loads, 0);
}
