/* make_blocks: blocks for tests.  Reads messages from stdin, a line each, and writes blocks as a
 * COPY text file for azekura.log_block (all columns, in the table's order) to stdout.
 *
 * A line that begins with '@' changes what holds for the messages after it:
 *   @at 2026-03-10T12:00:00Z   received_at of the next message
 *   @step 1000                 µs from one message to the next (default 1000)
 *   @source 192.0.2.1          sender (default 192.0.2.10)
 *   @listener udp|tcp|tls      default udp
 *   @group 3                   source group (default 0); closes the block
 *   @seq 5                     sequence number of the next message (default 1, then counting)
 *   @per-block 1000            messages a block (default 65536)
 *   @block                     close the block here
 *   @hex 3c3134…               one message, its bytes in hexadecimal
 *   @repeat 1000 TEXT          that many messages; %d in TEXT is the number, from 0 */
#include "base/arena.h"
#include "base/limits.h"
#include "block/block.h"
#include "syslog/syslog.h"

struct maker {
    struct block_builder *builder;
    struct zone *zone;
    struct buf scratch;
    int64_t at_us, step_us;
    struct ip source;
    uint8_t listener, group;
    uint64_t seq;
    uint32_t per_block;
};

static _Noreturn void fail(size_t line, const char *what)
{
    fprintf(stderr, "make_blocks: line %zu: %s\n", line, what);
    exit(1);
}

static void put_bytes(const struct buf *b, bool null_when_empty)
{
    if (b->n == 0 && null_when_empty) {
        fputs("\t\\N", stdout);
        return;
    }
    fputs("\t\\\\x", stdout);
    for (size_t i = 0; i < b->n; i++)
        printf("%02x", (unsigned char)b->p[i]);
}

static void put_block(struct maker *m)
{
    if (block_builder_messages(m->builder) == 0)
        return;
    struct block b;
    char first[RFC3339_MAX], last[RFC3339_MAX];
    block_builder_finish(m->builder, &b);
    rfc3339_format(b.first_at_us, first);
    rfc3339_format(b.last_at_us, last);
    printf("%u\t%s\t%s\t%lld\t%u\t%llu\t%u\t%d\t%u", m->group, first, last, (long long)b.first_seq,
           b.messages, (unsigned long long)b.raw_bytes, b.severities, (int32_t)b.facilities,
           b.listeners);
    put_bytes(&b.senders, false);
    put_bytes(&b.tokens, true);
    for (int c = 0; c < BLOCK_COLUMNS; c++)
        put_bytes(&b.columns[c], true);
    putchar('\n');
    block_free(&b);
    block_builder_clear(m->builder, m->seq);
}

static void add_message(struct maker *m, struct view raw, size_t line)
{
    struct syslog_context context = {
        .received_at_us = m->at_us, .zone = m->zone, .scratch = &m->scratch};
    struct record r;
    if (block_builder_messages(m->builder) == 0)
        block_builder_clear(m->builder, m->seq);
    memset(&r, 0, sizeof(r));
    syslog_parse(&context, raw, &r);
    r.source = m->source;
    r.listener = m->listener;
    int e = block_builder_add_seq(m->builder, &r, m->seq);
    if (e < 0) {
        put_block(m);
        e = block_builder_add_seq(m->builder, &r, m->seq);
    }
    if (e < 0)
        fail(line, "the message does not fit into a block");
    m->seq++;
    m->at_us += m->step_us;
    if (block_builder_messages(m->builder) >= m->per_block)
        put_block(m);
}

static void add_hex(struct maker *m, struct view hex, size_t line)
{
    struct buf bytes = BUF_INIT(MESSAGE_MAX_BYTES_LIMIT);
    for (size_t i = 0; i + 1 < hex.n; i += 2) {
        char digits[3] = {hex.p[i], hex.p[i + 1], 0};
        char *end;
        long value = strtol(digits, &end, 16);
        if (*end)
            fail(line, "not hexadecimal");
        buf_add_char(&bytes, (char)value);
    }
    add_message(m, buf_view(&bytes), line);
    buf_free(&bytes);
}

static void add_repeated(struct maker *m, struct view argument, size_t line)
{
    char *end;
    unsigned long n = strtoul(argument.p, &end, 10);
    struct view text = view_of(end + 1, (size_t)(argument.p + argument.n - end) - 1);
    const char *hole = memmem(text.p, text.n, "%d", 2);
    for (unsigned long i = 0; i < n; i++) {
        struct buf bytes = BUF_INIT(MESSAGE_MAX_BYTES_LIMIT);
        if (hole) {
            buf_add(&bytes, text.p, (size_t)(hole - text.p));
            buf_printf(&bytes, "%lu", i);
            buf_add(&bytes, hole + 2, (size_t)(text.p + text.n - hole) - 2);
        } else {
            buf_add_view(&bytes, text);
        }
        add_message(m, buf_view(&bytes), line);
        buf_free(&bytes);
    }
}

static bool directive(struct view line, const char *name, struct view *ret_argument)
{
    size_t n = strlen(name);
    if (line.n < n || memcmp(line.p, name, n) != 0 || (line.n > n && line.p[n] != ' '))
        return false;
    *ret_argument = line.n > n ? view_of(line.p + n + 1, line.n - n - 1) : VIEW("");
    return true;
}

static void do_directive(struct maker *m, struct view text, size_t line)
{
    struct view v;
    uint64_t number = 0;
    if (directive(text, "@block", &v)) {
        put_block(m);
    } else if (directive(text, "@hex", &v)) {
        add_hex(m, v, line);
    } else if (directive(text, "@repeat", &v)) {
        add_repeated(m, v, line);
    } else if (directive(text, "@at", &v)) {
        if (rfc3339_parse(v, &m->at_us) < 0)
            fail(line, "not a time");
    } else if (directive(text, "@source", &v)) {
        if (ip_parse(v, &m->source) < 0)
            fail(line, "not an address");
    } else if (directive(text, "@listener", &v)) {
        m->listener = LISTENER_COUNT;
        for (unsigned i = 0; i < LISTENER_COUNT; i++) {
            if (view_eq(v, view_str(listener_name(i))))
                m->listener = (uint8_t)i;
        }
        if (m->listener == LISTENER_COUNT)
            fail(line, "not a listener");
    } else if (directive(text, "@step", &v) && view_u64(v, INT64_MAX, &number) == 0) {
        m->step_us = (int64_t)number;
    } else if (directive(text, "@group", &v) && view_u64(v, SOURCE_GROUPS_MAX - 1, &number) == 0) {
        put_block(m);
        m->group = (uint8_t)number;
    } else if (directive(text, "@seq", &v) && view_u64(v, UINT64_MAX, &number) == 0) {
        put_block(m);
        m->seq = number;
    } else if (directive(text, "@per-block", &v) && view_u64(v, BLOCK_MAX_MESSAGES, &number) == 0) {
        m->per_block = (uint32_t)number;
    } else {
        fail(line, "unknown directive, or a number out of its range");
    }
}

int main(void)
{
    struct maker m = {
        .builder = block_builder_new(),
        .scratch = BUF_INIT(4u * MESSAGE_MAX_BYTES_LIMIT),
        .step_us = 1000,
        .seq = 1,
        .per_block = BLOCK_MAX_MESSAGES,
    };
    struct err err;
    if (zone_load("UTC", &m.zone, &err) < 0) {
        fprintf(stderr, "make_blocks: %s\n", err.message);
        return 1;
    }
    if (rfc3339_parse(VIEW("2026-03-10T12:00:00Z"), &m.at_us) < 0 ||
        ip_parse(VIEW("192.0.2.10"), &m.source) < 0)
        return 1;
    char *line = NULL;
    size_t capacity = 0, number = 0;
    for (ssize_t n; (n = getline(&line, &capacity, stdin)) >= 0;) {
        struct view text = view_of(line, (size_t)n - (n > 0 && line[n - 1] == '\n'));
        number++;
        if (text.n > 0 && text.p[0] == '@')
            do_directive(&m, text, number);
        else
            add_message(&m, text, number);
    }
    put_block(&m);
    free(line);
    buf_free(&m.scratch);
    zone_free(&m.zone);
    block_builder_free(&m.builder);
    return fflush(stdout) == 0 ? 0 : 1;
}
