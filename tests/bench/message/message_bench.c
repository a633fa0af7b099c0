/* What a message costs on its way through the receiver's own code: framing, parsing, adding to a
 * block, and the block's columns, index and counts.  Without sockets and threads, so that two
 * builds can be compared, by time here or by instructions under callgrind.
 *
 *   message_bench [--rounds N] FILE    the bytes of a TCP connection, as azekura-bench load --mix
 *                                      sends them; rounds: the best of each part counts (5)
 */
#include <getopt.h>
#include <time.h>

#include "base/limits.h"
#include "block/block.h"
#include "block/counts.h"
#include "syslog/frame.h"
#include "syslog/syslog.h"

#define FILE_MAX_BYTES (1u << 30)
#define BATCH_BYTES (64u << 10) /* what a read of a socket brings */
#define BATCH_MESSAGES 4096
#define ROUNDS_MAX 1000

enum part { PART_FRAME, PART_PARSE, PART_ADD, PART_FINISH, PART_COUNTS, PARTS };
static const char *const part_names[PARTS] = {"frame", "parse", "add", "finish", "counts"};

struct sums {
    double seconds[PARTS];
    uint64_t messages, raw_bytes, blocks, columns[BLOCK_COLUMNS], tokens;
};

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct view read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct buf b = BUF_INIT(FILE_MAX_BYTES);
    size_t n;
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    do {
        if (buf_reserve(&b, 1u << 20) < 0) {
            fprintf(stderr, "%s: more than %u bytes\n", path, FILE_MAX_BYTES);
            exit(2);
        }
        n = fread(b.p + b.n, 1, 1u << 20, f);
        b.n += n;
    } while (n > 0);
    fclose(f);
    return buf_view(&b);
}

static void finish(struct block_builder *builder, struct sums *s)
{
    struct block b;
    struct block_counts counts;
    double t = now();
    block_builder_finish(builder, &b);
    double finished = now();
    block_counts_make(builder, &counts);
    s->seconds[PART_FINISH] += finished - t;
    s->seconds[PART_COUNTS] += now() - finished;
    block_counts_free(&counts);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        s->columns[c] += b.columns[c].n;
    s->tokens += b.tokens.n;
    s->raw_bytes += b.raw_bytes;
    s->messages += b.messages;
    s->blocks++;
    block_free(&b);
    block_builder_clear(builder, s->messages);
}

static void add(struct block_builder *builder, const struct record *records, size_t n,
                struct sums *s)
{
    double t = now();
    for (size_t i = 0; i < n; i++) {
        if (LIKELY(block_builder_add(builder, &records[i]) == 0))
            continue;
        s->seconds[PART_ADD] += now() - t;
        finish(builder, s);
        t = now();
        CHECK(block_builder_add(builder, &records[i]) == 0);
    }
    s->seconds[PART_ADD] += now() - t;
}

/* One connection's bytes from first to last.  They come into a buffer that is used again and again,
 * as by recv(), and the builder is that of the round before, as in the receiver. */
static void run(struct view bytes, struct block_builder *builder, struct sums *s)
{
    static struct record records[BATCH_MESSAGES];
    static struct view messages[BATCH_MESSAGES];
    static char received[BATCH_BYTES];
    struct buf scratch = BUF_INIT(1u << 20);
    struct err err;
    struct zone *zone = NULL;
    CHECK(zone_load("Asia/Tokyo", &zone, &err) == 0);
    struct syslog_context context = {
        .received_at_us = INT64_C(1796065629000000), .zone = zone, .scratch = &scratch};
    struct frame_state state = {0};
    *s = (struct sums){0};
    for (size_t at = 0; at < bytes.n;) {
        struct view in = view_of(received, MIN(bytes.n - at, (size_t)BATCH_BYTES));
        memcpy(received, bytes.p + at, in.n);
        size_t used, n = 0;
        double t = now();
        while (n < BATCH_MESSAGES &&
               frame_next(&state, in, MESSAGE_MAX_BYTES_LIMIT, &messages[n], &used) != FRAME_MORE) {
            n++;
            in = view_of(in.p + used, in.n - used);
        }
        if (n == 0)
            break;
        at += (size_t)(in.p - received);
        state.scanned_bytes = 0; /* the rest is looked at again */
        double framed = now();
        for (size_t i = 0; i < n; i++) {
            syslog_parse(&context, messages[i], &records[i]);
            records[i].source = (struct ip){.family = 4, .bytes = {192, 0, 2, 1}};
            records[i].listener = LISTENER_TCP;
        }
        s->seconds[PART_FRAME] += framed - t;
        s->seconds[PART_PARSE] += now() - framed;
        add(builder, records, n, s);
        context.received_at_us += 131; /* a read comes every so often */
    }
    if (block_builder_messages(builder) > 0)
        finish(builder, s);
    zone_free(&zone);
    buf_free(&scratch);
}

static void print(const struct sums *s, const double best[PARTS])
{
    double n = (double)s->messages, sum = 0, bytes = 0;
    if (s->messages == 0) {
        printf("no message\n");
        return;
    }
    printf("%llu messages of %.0f bytes in %llu blocks\nns a message:",
           (unsigned long long)s->messages, (double)s->raw_bytes / n,
           (unsigned long long)s->blocks);
    for (unsigned i = 0; i < PARTS; i++) {
        printf(" %s %.0f", part_names[i], best[i] / n * 1e9);
        sum += best[i] / n * 1e9;
    }
    printf(" = %.0f\nbytes a message:", sum);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++) {
        bytes += (double)s->columns[c] / n;
        if (s->columns[c] > 0)
            printf(" %s %.2f", block_column_name(c), (double)s->columns[c] / n);
    }
    printf(" index %.2f = %.2f\n", (double)s->tokens / n, bytes + (double)s->tokens / n);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"rounds", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    uint64_t rounds = 5;
    int c;
    bool is_bad = false;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
        is_bad |= c != 'r' || view_u64(view_str(optarg), ROUNDS_MAX, &rounds) < 0 || rounds == 0;
    if (is_bad || optind + 1 != argc) {
        fprintf(stderr, "usage: message_bench [--rounds 1…%d] FILE\n", ROUNDS_MAX);
        return 2;
    }
    struct view bytes = read_file(argv[optind]);
    struct sums s = {0};
    double best[PARTS] = {0};
    struct block_builder *builder = block_builder_new();
    for (uint64_t i = 0; i < rounds; i++) {
        run(bytes, builder, &s);
        for (unsigned k = 0; k < PARTS; k++)
            best[k] = i == 0 ? s.seconds[k] : MIN(best[k], s.seconds[k]);
    }
    block_builder_free(&builder);
    print(&s, best);
    return 0;
}
