/* Time of framing and parsing a message, with a memcpy of the same bytes as reference, over the
 * inputs of the corpus that are one message.
 *
 *   parse_bench FILE_OR_FOLDER…   each file is one message (tests/corpus/fuzz/syslog)
 *
 * Prints one line a message and the median; exits with 1 when the median is over --limit-ns N.
 * --rounds N: how often each is measured (61). */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/limits.h"
#include "syslog/frame.h"
#include "syslog/syslog.h"

/* Many short rounds, of which the best counts: a busy machine disturbs few of them. */
#define ROUNDS_DEFAULT 61
#define ROUNDS_MAX 100000
#define REPEATS 2000
#define MESSAGES_MAX 4096

struct message {
    char *name, *p;
    size_t n;
    double parse_ns, frame_ns, copy_ns;
};

static struct message messages[MESSAGES_MAX];
static size_t count;

static void add_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || count == MESSAGES_MAX || size == 0 || size > 2048) {
        if (f)
            fclose(f);
        return; /* large ones measure memory, not parsing */
    }
    struct message *m = &messages[count++];
    m->name = xstrdup(path);
    m->p = xmalloc(size + 1);
    m->n = fread(m->p, 1, size, f);
    m->p[m->n] = '\n'; /* the frame's trailer */
    fclose(f);
}

static void add(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return;
    if (!S_ISDIR(st.st_mode)) {
        add_file(path, (size_t)st.st_size);
        return;
    }
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            char *child = xasprintf("%s/%s", path, names[i]->d_name);
            add(child);
            free(child);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static double best(double a, double b)
{
    return a == 0 || b < a ? b : a;
}

static int64_t cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static double ns_each(int64_t start_ns)
{
    return (double)(cpu_ns() - start_ns) / REPEATS;
}

static void measure(struct message *m, struct syslog_context *ctx, long rounds)
{
    static char copy[4096];
    struct record r;
    struct view text;
    size_t used;
    for (long round = 0; round < rounds; round++) {
        int64_t start = cpu_ns();
        for (int i = 0; i < REPEATS; i++) {
            ctx->cache = (struct syslog_cache){0}; /* the whole work, as for a first message */
            syslog_parse(ctx, view_of(m->p, m->n), &r);
            __asm__ volatile("" : : "r"(&r) : "memory");
        }
        m->parse_ns = best(m->parse_ns, ns_each(start));
        start = cpu_ns();
        for (int i = 0; i < REPEATS; i++) {
            struct frame_state s = {0};
            frame_next(&s, view_of(m->p, m->n + 1), MESSAGE_MAX_BYTES_DEFAULT, &text, &used);
            __asm__ volatile("" : : "r"(&text) : "memory");
        }
        m->frame_ns = best(m->frame_ns, ns_each(start));
        start = cpu_ns();
        for (int i = 0; i < REPEATS; i++) {
            memcpy(copy, m->p, m->n);
            __asm__ volatile("" : : "r"(copy) : "memory");
        }
        m->copy_ns = best(m->copy_ns, ns_each(start));
    }
}

static int by_parse(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return (x->parse_ns > y->parse_ns) - (x->parse_ns < y->parse_ns);
}

int main(int argc, char **argv)
{
    double limit_ns = 0;
    long rounds = ROUNDS_DEFAULT;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--limit-ns") == 0 && i + 1 < argc)
            limit_ns = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = strtol(argv[++i], NULL, 10);
        else
            add(argv[i]);
    }
    if (count == 0 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: parse_bench [--limit-ns N] [--rounds 1..%d] FILE_OR_FOLDER…\n",
                ROUNDS_MAX);
        return 2;
    }
    struct err err;
    struct zone *zone = NULL;
    if (zone_load("Europe/Prague", &zone, &err) < 0) {
        fprintf(stderr, "parse_bench: %s\n", err.message);
        return 2;
    }
    struct buf scratch = BUF_INIT(3 * MESSAGE_MAX_BYTES_DEFAULT + 64);
    struct syslog_context ctx = {
        .received_at_us = INT64_C(1773144000000000), .zone = zone, .scratch = &scratch};
    double frame = 0, copy = 0;
    for (size_t i = 0; i < count; i++)
        measure(&messages[i], &ctx, rounds);
    qsort(messages, count, sizeof(messages[0]), by_parse);
    printf("  parse   frame  memcpy  bytes  message\n");
    for (size_t i = 0; i < count; i++) {
        const struct message *m = &messages[i];
        const char *slash = strrchr(m->name, '/');
        printf("%5.0f ns %4.0f ns %4.0f ns %6zu  %s\n", m->parse_ns, m->frame_ns, m->copy_ns, m->n,
               slash ? slash + 1 : m->name);
        frame += m->frame_ns;
        copy += m->copy_ns;
    }
    double median = messages[count / 2].parse_ns;
    printf("%zu messages: parse median %.0f ns, p95 %.0f ns; frame mean %.0f ns; memcpy mean %.1f "
           "ns\n",
           count, median, messages[count * 95 / 100].parse_ns, frame / (double)count,
           copy / (double)count);
    zone_free(&zone);
    buf_free(&scratch);
    for (size_t i = 0; i < count; i++) {
        free(messages[i].name);
        free(messages[i].p);
    }
    return limit_ns > 0 && median > limit_ns;
}
