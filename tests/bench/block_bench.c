/* What a block costs: ns a message in add and finish, bytes a message by column, and the speed of
 * reading it back, beside memcpy of the same bytes.
 *
 *     block_bench [--messages N] [--seed N] [--kind all|sshd|asa|web|firewall]
 */
#include <getopt.h>
#include <stdarg.h>
#include <time.h>

#include "base/arena.h"
#include "base/limits.h"
#include "block/block.h"
#include "block/counts.h"
#include "block/tokens.h"

#define START_US INT64_C(1773144000000000) /* 2026-03-10T12:00:00Z */
#define LINE_MAX_BYTES 512
#define BATCH 256 /* messages a system call brings: they are in the cache when they are added */

static uint64_t seed = 1;

static uint64_t chance(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)(chance() % n);
}

/* Now and then anything, mostly a small one: how values of real logs are spread. */
static unsigned skewed(unsigned n)
{
    return below(1 + below(n));
}

/* ---- messages ---- */

/* A message and where its fields stand, as a parser would find them. */
struct line {
    char raw[LINE_MAX_BYTES];
    size_t n;
    struct record record;
};

static struct view put(struct line *l, const char *fmt, ...) PRINTF(2, 3);
static struct view put(struct line *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(l->raw + l->n, sizeof(l->raw) - l->n, fmt, ap);
    va_end(ap);
    CHECK(n >= 0 && (size_t)n < sizeof(l->raw) - l->n);
    struct view v = view_of(l->raw + l->n, (size_t)n);
    l->n += (size_t)n;
    return v;
}

/* "<PRI>Mar 10 12:00:01 HOST " */
static void put_header(struct line *l, int64_t at_us, unsigned pri, const char *host)
{
    struct civil c;
    int64_t reported = at_us - at_us % US_PER_SECOND;
    civil_from_us(reported, &c);
    l->n = 0;
    l->record = (struct record){.received_at_us = at_us,
                                .reported_at_us = reported,
                                .facility = (uint8_t)(pri / 8),
                                .severity = (uint8_t)(pri % 8),
                                .format = FORMAT_RFC3164,
                                .time_form = TIME_FORM_BSD};
    put(l, "<");
    l->record.pri_text = put(l, "%u", pri);
    put(l, ">");
    l->record.time_text = put(l, "Mar %2u %02u:%02u:%02u", c.day, c.hour, c.minute, c.second);
    put(l, " ");
    l->record.hostname = put(l, "%s", host);
    put(l, " ");
}

static void put_ip(char out[16], bool is_inside)
{
    if (is_inside)
        snprintf(out, 16, "10.%u.%u.%u", skewed(20), skewed(256), 1 + below(254));
    else
        snprintf(out, 16, "%u.%u.%u.%u", 1 + below(223), below(256), below(256), 1 + below(254));
}

static void make_sshd(struct line *l, int64_t at_us)
{
    static const char *const users[] = {"root",   "admin",  "oracle", "test", "git",
                                        "ubuntu", "deploy", "tanaka", "guest"};
    char host[16], ip[16];
    snprintf(host, sizeof(host), "srv%02u", skewed(40));
    put_ip(ip, below(3) == 0);
    put_header(l, at_us, 86, host);
    l->record.app_name = put(l, "sshd");
    put(l, "[");
    l->record.procid = put(l, "%u", 1000 + below(60000));
    put(l, "]: ");
    const char *user = users[skewed(ARRAY_LEN(users))];
    unsigned port = 1024 + below(64512);
    switch (below(4)) {
    case 0:
        l->record.message =
            put(l, "Accepted publickey for %s from %s port %u ssh2", user, ip, port);
        break;
    case 1:
        l->record.message =
            put(l, "Failed password for invalid user %s from %s port %u ssh2", user, ip, port);
        break;
    case 2:
        l->record.message = put(
            l, "Connection closed by authenticating user %s %s port %u [preauth]", user, ip, port);
        break;
    default:
        l->record.message =
            put(l, "pam_unix(sshd:session): session opened for user %s(uid=%u) by (uid=0)", user,
                1000 + skewed(50));
    }
}

static void make_asa(struct line *l, int64_t at_us)
{
    char inside[16], outside[16];
    put_ip(inside, true);
    put_ip(outside, false);
    put_header(l, at_us, below(5) ? 166 : 164, "asa-core");
    unsigned id = below(100000000), from = 1024 + below(64512);
    switch (below(3)) {
    case 0:
        l->record.app_name = put(l, "%%ASA-6-302013");
        put(l, ": ");
        l->record.message = put(l,
                                "Built outbound TCP connection %u for outside:%s/443 (%s/443) to "
                                "inside:%s/%u (%s/%u)",
                                id, outside, outside, inside, from, inside, from);
        break;
    case 1:
        l->record.app_name = put(l, "%%ASA-6-302014");
        put(l, ": ");
        l->record.message = put(l,
                                "Teardown TCP connection %u for outside:%s/443 to inside:%s/%u "
                                "duration 0:%02u:%02u bytes %u TCP FINs",
                                id, outside, inside, from, skewed(60), below(60), skewed(200000));
        break;
    default:
        l->record.app_name = put(l, "%%ASA-4-106023");
        put(l, ": ");
        l->record.message = put(l,
                                "Deny tcp src outside:%s/%u dst inside:%s/%u by access-group "
                                "\"outside_in\" [0x0, 0x0]",
                                outside, from, inside, skewed(10000));
    }
}

static void make_web(struct line *l, int64_t at_us)
{
    static const char *const paths[] = {"/",          "/index.html", "/login",      "/api/v1/items",
                                        "/style.css", "/app.js",     "/favicon.ico"};
    char ip[16], host[16];
    put_ip(ip, below(4) == 0);
    snprintf(host, sizeof(host), "web%u", below(4));
    put_header(l, at_us, 190, host);
    l->record.app_name = put(l, "nginx");
    put(l, ": ");
    l->record.message = put(l, "%s - - \"%s %s?id=%u HTTP/1.1\" %u %u rt=0.%03u req=%016llx", ip,
                            below(5) ? "GET" : "POST", paths[skewed(ARRAY_LEN(paths))],
                            skewed(100000), below(10) ? 200 : 404, skewed(50000), skewed(1000),
                            (unsigned long long)chance());
}

static void make_firewall(struct line *l, int64_t at_us)
{
    char inside[16], outside[16], host[16];
    put_ip(inside, true);
    put_ip(outside, false);
    snprintf(host, sizeof(host), "fw%02u", skewed(6));
    put_header(l, at_us, 4, host);
    l->record.app_name = put(l, "kernel");
    put(l, ": ");
    l->record.message =
        put(l, "DROP IN=eth%u OUT= SRC=%s DST=%s LEN=%u TTL=%u ID=%u PROTO=TCP SPT=%u DPT=%u SYN",
            below(3), outside, inside, 40 + 4 * skewed(100), 40 + below(88), below(65536),
            1024 + below(64512), skewed(9000));
}

typedef void (*make_fn)(struct line *l, int64_t at_us);
static const struct {
    const char *name;
    make_fn make;
} kinds[] = {
    {"sshd", make_sshd}, {"asa", make_asa}, {"web", make_web}, {"firewall", make_firewall}};

static void make_line(struct line *l, const char *kind, int64_t at_us)
{
    for (unsigned i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kind, kinds[i].name) == 0)
            kinds[i].make(l, at_us);
    if (strcmp(kind, "all") == 0)
        kinds[below(ARRAY_LEN(kinds))].make(l, at_us);
    /* The senders of a host are few. */
    l->record.source = (struct ip){4, {192, 0, 2, (uint8_t)(l->record.hostname.p[2] % 16)}};
    l->record.raw = view_of(l->raw, l->n);
}

/* ---- measuring ---- */

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *arena_memory(void *context, size_t n)
{
    return arena_alloc(context, n);
}

static struct view fetch(void *context, enum block_column c)
{
    const struct block *b = context;
    return b->columns[c].n > 0 ? buf_view(&b->columns[c]) : VIEW_NULL;
}

struct sums {
    double add, finish, count, load, raw, copy;
    double block_add,
        best; /* add of this block; add and finish of the quickest, seconds a message */
    uint64_t columns[BLOCK_COLUMNS], tokens, senders, raw_bytes, text_bytes, messages, blocks;
    uint64_t asked, wrong; /* of the token index */
};

static void measure_reading(struct block *b, struct sums *s)
{
    static struct arena arena;
    struct block_reader r;
    struct err err;
    double t = now();
    block_reader_init(&r, b->messages, b->first_seq, (struct block_memory){arena_memory, &arena},
                      fetch, b);
    CHECK(block_load(&r, COLUMN_MESSAGE, &err) == 0);
    struct view text = block_column_texts(&r, COLUMN_MESSAGE).all;
    CHECK(memmem(text.p, text.n, "no such text", 12) == NULL);
    s->load += now() - t;
    s->text_bytes += text.n;

    t = now();
    struct buf out = BUF_INIT(1u << 20);
    for (uint32_t i = 0; i < b->messages; i++) {
        buf_clear(&out);
        CHECK(block_raw(&r, i, &out, &err) == 0);
    }
    buf_free(&out);
    s->raw += now() - t;

    char *copy = xmalloc(text.n);
    t = now();
    memcpy(copy, text.p, text.n);
    __asm__ volatile("" ::"r"(copy) : "memory");
    s->copy += now() - t;
    free(copy);
    arena_clear(&arena);
}

/* Addresses and request ids that are not there must be answered "no". */
static void measure_index(const struct block *b, struct sums *s)
{
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t offset, hash = chance();
        uint32_t n;
        tokens_slice(b->tokens.n, hash, &offset, &n);
        s->asked++;
        s->wrong += tokens_slice_may_contain(view_of(b->tokens.p + offset, n), hash);
    }
}

static void finish(struct block_builder *builder, struct sums *s)
{
    struct block b;
    struct err err;
    double t = now();
    block_builder_finish(builder, &b);
    double took = now() - t, each = (s->block_add + took) / b.messages;
    s->finish += took;
    if (s->best == 0 || each < s->best)
        s->best = each;
    struct block_counts counts;
    t = now();
    block_counts_make(builder, &counts);
    s->count += now() - t;
    block_counts_free(&counts);
    s->add += s->block_add;
    s->block_add = 0;
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        s->columns[c] += b.columns[c].n;
    s->tokens += b.tokens.n;
    s->senders += b.senders.n;
    s->raw_bytes += b.raw_bytes;
    s->messages += b.messages;
    s->blocks++;
    measure_reading(&b, s);
    measure_index(&b, s);
    if (s->blocks == 1) {
        struct arena a = ARENA_INIT;
        struct block_reader r;
        block_reader_init(&r, b.messages, b.first_seq, (struct block_memory){arena_memory, &a},
                          fetch, &b);
        CHECK(block_verify(&r, &b, &err) == 0);
        arena_done(&a);
    }
    block_free(&b);
    block_builder_clear(builder, s->messages);
}

static void run(const char *kind, uint64_t messages, struct sums *s)
{
    static struct line lines[BATCH];
    struct block_builder *builder = block_builder_new();
    int64_t at_us = START_US;
    uint64_t made = 0;
    *s = (struct sums){0};
    while (made < messages) {
        uint32_t n = (uint32_t)MIN(messages - made, (uint64_t)BATCH);
        for (uint32_t i = 0; i < n; i++)
            make_line(&lines[i], kind, at_us += 1 + skewed(30));
        double t = now();
        for (uint32_t i = 0; i < n; i++) {
            if (LIKELY(block_builder_add(builder, &lines[i].record) == 0))
                continue;
            s->block_add += now() - t;
            finish(builder, s);
            t = now();
            CHECK(block_builder_add(builder, &lines[i].record) == 0);
        }
        s->block_add += now() - t;
        made += n;
    }
    if (block_builder_messages(builder) > 0)
        finish(builder, s);
    block_builder_free(&builder);
}

static void print(const char *kind, const struct sums *s)
{
    double n = (double)s->messages, bytes = 0;
    printf("%s: %llu messages of %.0f bytes in %llu blocks\n", kind,
           (unsigned long long)s->messages, (double)s->raw_bytes / n,
           (unsigned long long)s->blocks);
    printf("  add %.0f ns, finish %.0f ns a message: %.2f M messages/s on one core, the quickest "
           "block "
           "%.2f\n",
           s->add / n * 1e9, s->finish / n * 1e9, n / (s->add + s->finish) / 1e6,
           1 / s->best / 1e6);
    printf("  counting by source, hostname and app_name: %.1f ns a message, %.2f %% of finish\n",
           s->count / n * 1e9, 100 * s->count / s->finish);
    printf("  load the text column and look for a word: %.2f GB/s, %.1f M messages/s (memcpy %.1f "
           "GB/s); raw bytes of every row: %.0f ns each\n",
           (double)s->text_bytes / s->load / 1e9, n / s->load / 1e6,
           (double)s->text_bytes / s->copy / 1e9, s->raw / n * 1e9);
    printf("  bytes a message:");
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++) {
        bytes += (double)s->columns[c] / n;
        if (s->columns[c] > 0)
            printf(" %s %.2f", block_column_name(c), (double)s->columns[c] / n);
    }
    printf("\n  columns %.2f + index %.2f = %.2f bytes a message; wrong \"may contain\" %.2f %%\n",
           bytes, (double)s->tokens / n, bytes + (double)s->tokens / n,
           100.0 * (double)s->wrong / (double)s->asked);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"messages", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"kind", required_argument, NULL, 'k'},
                                            {NULL, 0, NULL, 0}};
    uint64_t messages = 10 * BLOCK_MAX_MESSAGES;
    const char *only = NULL;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        bool is_number = c != 'n' || view_u64(view_str(optarg), UINT32_MAX, &messages) == 0;
        is_number &= c != 's' || view_u64(view_str(optarg), UINT64_MAX, &seed) == 0;
        if (c == 'k')
            only = optarg;
        if (c == '?' || !is_number || messages == 0) {
            fprintf(stderr, "usage: block_bench [--messages 1…%u] [--seed N] [--kind KIND]\n",
                    UINT32_MAX);
            return 2;
        }
    }
    struct sums s;
    for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
        if (only != NULL && strcmp(only, kinds[i].name) != 0)
            continue;
        run(kinds[i].name, messages, &s);
        print(kinds[i].name, &s);
    }
    if (only == NULL || strcmp(only, "all") == 0) {
        run("all", messages, &s);
        print("all", &s);
    }
    return 0;
}
