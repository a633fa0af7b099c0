/* Counts of a block against counts made one message at a time. */
#include <criterion/criterion.h>

#include "unit/block/block_support.h"

#include "block/counts.h"

static const int64_t noon_us = INT64_C(1773144000000000); /* a whole minute */

static struct record message(int64_t at_us, const char *source, const char *host, const char *app,
                             unsigned severity, size_t bytes)
{
    static const char text[4096] = "x";
    struct record r = {.received_at_us = at_us,
                       .reported_at_us = TIME_NONE,
                       .severity = (uint8_t)severity,
                       .hostname = view_str(host),
                       .app_name = view_str(app),
                       .message = view_of(text, bytes),
                       .raw = view_of(text, bytes)};
    cr_assert(source == NULL || ip_parse(view_str(source), &r.source) == 0);
    return r;
}

static void add(struct block_builder *b, const struct record *r)
{
    cr_assert_eq(block_builder_add(b, r), 0);
}

static const struct counts_row *find(const struct counts_minute *m, unsigned by, unsigned kind,
                                     const char *name, unsigned severity)
{
    const struct counts_row *found = NULL;
    for (uint32_t i = 0; i < m->rows_n[by]; i++) {
        const struct counts_row *r = &m->rows[by][i];
        if (r->kind == kind && r->severity == severity && view_eq(r->name, view_str(name))) {
            cr_expect_null(found, "%s twice", name ? name : "-");
            found = r;
        }
    }
    return found;
}

static void expect(const struct counts_minute *m, unsigned by, unsigned kind, const char *name,
                   unsigned severity, uint32_t messages, uint64_t bytes)
{
    const struct counts_row *r = find(m, by, kind, name, severity);
    cr_assert_not_null(r, "list %u has no %s of severity %u", by, name ? name : "-", severity);
    cr_expect_eq(r->messages, messages, "%s: %u messages", name ? name : "-", r->messages);
    cr_expect_eq(r->bytes, bytes, "%s: %llu bytes", name ? name : "-",
                 (unsigned long long)r->bytes);
}

/* The rows of each list are its minute. */
static void expect_whole(const struct block_counts *c, const struct block_builder *b)
{
    uint64_t all = 0, bytes = 0;
    for (uint32_t i = 0; i < c->minutes_n; i++) {
        const struct counts_minute *m = &c->minutes[i];
        cr_expect_eq(m->minute_us % US_PER_MINUTE, 0);
        for (unsigned by = 0; by < COUNTS_BY; by++) {
            uint64_t n = 0, sum = 0;
            for (uint32_t k = 0; k < m->rows_n[by]; k++) {
                cr_expect_gt(m->rows[by][k].messages, 0);
                n += m->rows[by][k].messages;
                sum += m->rows[by][k].bytes;
            }
            cr_expect_eq(n, m->messages, "list %u of minute %u", by, i);
            cr_expect_eq(sum, m->bytes, "list %u of minute %u", by, i);
        }
        all += m->messages;
        bytes += m->bytes;
    }
    cr_expect_eq(all, block_builder_messages(b));
    cr_expect_eq(bytes, block_builder_raw_bytes(b));
}

Test(counts, messages_and_bytes_are_counted_by_value_and_severity)
{
    struct block_builder *b = block_builder_new();
    struct block_counts c;
    block_builder_clear(b, 1);
    const struct record rows[] = {
        message(noon_us, "192.0.2.1", "fw01", "sshd", 6, 100),
        message(noon_us + 1, "192.0.2.1", "fw01", "sshd", 6, 50),
        message(noon_us + 2, "2001:db8::1", "fw01", NULL, 3, 7),
        message(noon_us + 3, NULL, NULL, "", 0, 0),
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        add(b, &rows[i]);
    block_counts_make(b, &c);
    cr_assert_eq(c.minutes_n, 1);
    const struct counts_minute *m = c.minutes;
    cr_expect_eq(m->minute_us, noon_us);
    cr_expect_eq(m->last_at_us, noon_us + 3);
    expect(m, COUNTS_SOURCE, COUNTS_VALUE, "192.0.2.1", 0, 2, 150);
    expect(m, COUNTS_SOURCE, COUNTS_VALUE, "2001:db8::1", 0, 1, 7);
    expect(m, COUNTS_SOURCE, COUNTS_NONE, NULL, 0, 1, 0);
    expect(m, COUNTS_HOSTNAME, COUNTS_VALUE, "fw01", 6, 2, 150);
    expect(m, COUNTS_HOSTNAME, COUNTS_VALUE, "fw01", 3, 1, 7);
    expect(m, COUNTS_HOSTNAME, COUNTS_NONE, NULL, 0, 1, 0);
    expect(m, COUNTS_APP_NAME, COUNTS_VALUE, "sshd", 6, 2, 150);
    expect(m, COUNTS_APP_NAME, COUNTS_NONE, NULL, 3, 1, 7);
    expect(m, COUNTS_APP_NAME, COUNTS_VALUE, "", 0, 1, 0);
    expect_whole(&c, b);
    cr_expect_gt(c.bytes, 0);
    block_counts_free(&c);
    block_counts_free(&c);
    block_builder_free(&b);
}

Test(counts, a_minute_ends_where_the_next_begins)
{
    static const int64_t at_us[] = {-60000001, -60000000, -1, 0, 59999999, 60000000, 200000000};
    static const struct {
        int64_t minute_us;
        uint32_t messages;
    } minutes[] = {{-120000000, 1}, {-60000000, 2}, {0, 2}, {60000000, 1}, {180000000, 1}};
    struct block_builder *b = block_builder_new();
    struct block_counts c;
    /* about a whole minute, and about the epoch, before which minutes are negative */
    for (int64_t base_us = 0; base_us <= noon_us; base_us += noon_us) {
        block_builder_clear(b, 1);
        for (size_t i = 0; i < ARRAY_LEN(at_us); i++) {
            struct record r = message(base_us + at_us[i], "192.0.2.1", "h", "a", 5, 10);
            add(b, &r);
        }
        block_counts_make(b, &c);
        cr_assert_eq(c.minutes_n, ARRAY_LEN(minutes));
        for (size_t i = 0; i < ARRAY_LEN(minutes); i++) {
            cr_expect_eq(c.minutes[i].minute_us, base_us + minutes[i].minute_us, "minute %zu", i);
            cr_expect_eq(c.minutes[i].messages, minutes[i].messages, "minute %zu", i);
        }
        expect_whole(&c, b);
        block_counts_free(&c);
    }
    block_builder_free(&b);
}

Test(counts, more_minutes_than_are_told_apart_count_in_the_last)
{
    struct block_builder *b = block_builder_new();
    struct block_counts c;
    block_builder_clear(b, 1);
    for (int i = 0; i < 3 * RATE_MINUTES_A_BLOCK; i++) {
        struct record r = message(noon_us + i * US_PER_MINUTE, "192.0.2.1", "h", "a", 5, 10);
        add(b, &r);
    }
    block_counts_make(b, &c);
    cr_expect_eq(c.minutes_n, RATE_MINUTES_A_BLOCK);
    cr_expect_eq(c.minutes[RATE_MINUTES_A_BLOCK - 1].messages, 2 * RATE_MINUTES_A_BLOCK + 1);
    expect_whole(&c, b);
    block_counts_free(&c);
    block_builder_free(&b);
}

Test(counts, the_largest_names_are_counted_by_themselves)
{
    enum { NAMES = RATE_NAMES_A_UNIT + 500 };
    struct block_builder *b = block_builder_new();
    struct block_counts c;
    char name[16];
    int64_t at_us = noon_us;
    block_builder_clear(b, 1);
    /* the last ones send most: the first come is not the first served */
    for (int times = 1; times <= 2; times++)
        for (int i = times == 1 ? 0 : 500; i < NAMES; i++) {
            snprintf(name, sizeof(name), "host%d", i);
            struct record r = message(at_us++, "192.0.2.1", name, "a", (unsigned)times, 10);
            add(b, &r);
        }
    block_counts_make(b, &c);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof(name), "host%d", i);
        cr_expect_eq(find(c.minutes, COUNTS_HOSTNAME, COUNTS_VALUE, name, 1) != NULL, i >= 500,
                     "%s", name);
    }
    expect(c.minutes, COUNTS_HOSTNAME, COUNTS_OTHERS, NULL, 1, 500, 5000);
    cr_expect_null(find(c.minutes, COUNTS_HOSTNAME, COUNTS_OTHERS, NULL, 2));
    expect_whole(&c, b);
    block_counts_free(&c);
    block_builder_free(&b);
}

Test(counts, of_equal_names_as_many_as_there_is_room)
{
    struct block_builder *b = block_builder_new();
    struct block_counts c;
    char name[16];
    block_builder_clear(b, 1);
    for (int i = 0; i < 60000; i++) {
        snprintf(name, sizeof(name), "host%d", i);
        struct record r = message(noon_us + i, "192.0.2.1", name, name, 5, 1);
        add(b, &r);
    }
    block_counts_make(b, &c);
    cr_expect_eq(c.minutes->rows_n[COUNTS_HOSTNAME], RATE_NAMES_A_UNIT + 1);
    expect(c.minutes, COUNTS_APP_NAME, COUNTS_OTHERS, NULL, 5, 60000 - RATE_NAMES_A_UNIT,
           60000 - RATE_NAMES_A_UNIT);
    expect_whole(&c, b);
    block_counts_free(&c);
    block_builder_free(&b);
}

Test(counts, a_name_that_is_too_long_is_one_of_the_others)
{
    struct block_builder *b = block_builder_new();
    struct block_counts c;
    char longest[RATE_NAME_MAX_BYTES + 2];
    memset(longest, 'a', sizeof(longest));
    longest[RATE_NAME_MAX_BYTES] = '\0';
    struct record r = message(noon_us, "192.0.2.1", longest, longest, 5, 9);
    block_builder_clear(b, 1);
    add(b, &r);
    longest[RATE_NAME_MAX_BYTES] = 'b';
    r.hostname = view_of(longest, sizeof(longest) - 1);
    add(b, &r);
    block_counts_make(b, &c);
    longest[RATE_NAME_MAX_BYTES] = '\0';
    expect(c.minutes, COUNTS_HOSTNAME, COUNTS_VALUE, longest, 5, 1, 9);
    expect(c.minutes, COUNTS_HOSTNAME, COUNTS_OTHERS, NULL, 5, 1, 9);
    expect(c.minutes, COUNTS_APP_NAME, COUNTS_VALUE, longest, 5, 2, 18);
    expect_whole(&c, b);
    block_counts_free(&c);
    block_builder_free(&b);
}

Test(counts, whatever_is_in_a_block_its_lists_add_up)
{
    struct block_builder *b = block_builder_new();
    struct arena a = ARENA_INIT;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t s = seed;
        int64_t at_us = noon_us;
        struct block_counts c;
        block_builder_clear(b, 1);
        for (unsigned i = 0; i < 2000; i++) {
            at_us += (int64_t)chance_below(&s, seed % 3 == 0 ? 1000000 : 1000);
            struct record r = random_record(&s, &a, at_us);
            if (block_builder_add(b, &r) < 0)
                break;
        }
        block_counts_make(b, &c);
        expect_whole(&c, b);
        block_counts_free(&c);
        arena_clear(&a);
    }
    arena_done(&a);
    block_builder_free(&b);
}
