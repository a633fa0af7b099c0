/* The command `azekura-bench load`: options as loggen names them, one thread a connection, a line
 * of progress twice a second on a terminal, a summary at the end. */
#include "bench/load.h"
#include "bench/sender.h"

#include <getopt.h>
#include <netdb.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static atomic_bool stop_asked;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&stop_asked, true);
}

static void print_help(void)
{
    puts(
        "azekura-bench load: send syslog messages at a rate and count what the kernel took\n\n"
        "usage: azekura-bench load [options] TARGET PORT\n\n"
        "  -i, --inet                 IP (the default; kept for loggen's users)\n"
        "  -S, --stream               TCP (the default)\n"
        "  -D, --dgram                UDP\n"
        "  -6, --ipv6                 IPv6\n"
        "  -r, --rate N               messages a second and connection; 0: as fast as it goes "
        "(1000)\n"
        "  -n, --number N             messages a connection, then stop\n"
        "  -I, --interval S           seconds, then stop (10; without limit when --number is "
        "given)\n"
        "  -s, --size BYTES           every message exactly so long; 0: as the mix has them (0)\n"
        "      --active-connections N connections, a thread each (1)\n"
        "  -c, --octet-counting       RFC 6587 octet counting instead of LF\n"
        "      --seed N               of the random numbers in the messages (1)\n"
        "      --sequence             a unique number in every message: seq=RUN-CONNECTION-NUMBER\n"
        "      --run HEX              the RUN of it (drawn at random)\n"
        "      --json                 the summary as one JSON object on standard output\n"
        "  -Q, --quiet                no progress\n"
        "  -h, --help                 this text\n\n"
        "Exit code: 0 all was sent, 1 not all, 2 wrong usage.");
}

static int number_option(const char *name, const char *text, int64_t min, int64_t max, int64_t *ret)
{
    uint64_t n;
    if (view_u64(view_str(text), (uint64_t)max, &n) < 0 || (int64_t)n < min) {
        fprintf(stderr, "azekura-bench: %s %s: a whole number in %lld..%lld is expected\n", name,
                text, (long long)min, (long long)max);
        return -EINVAL;
    }
    *ret = (int64_t)n;
    return 0;
}

struct command {
    struct sender_options o;
    int family;
    bool is_quiet, is_json;
};

static int hex_option(const char *text, uint64_t *ret)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 16);
    if (errno || *end || end == text) {
        fprintf(stderr,
                "azekura-bench: --run %s: a hexadecimal number of at most 16 digits is expected\n",
                text);
        return -EINVAL;
    }
    *ret = n;
    return 0;
}

static int parse_option(struct command *c, int option)
{
    int64_t n;
    switch (option) {
    case 'i':
    case 'S':
        return 0;
    case 'D':
        c->o.is_dgram = true;
        return 0;
    case '6':
        c->family = AF_INET6;
        return 0;
    case 'r':
        return number_option("--rate", optarg, 0, 100000000, &c->o.rate);
    case 'n':
        return number_option("--number", optarg, 1, INT64_MAX / 2, &c->o.number);
    case 'I':
        if (number_option("--interval", optarg, 1, 31536000, &n) < 0)
            return -EINVAL;
        c->o.interval_us = n * US_PER_SECOND;
        return 0;
    case 's':
        return number_option("--size", optarg, 0, LOAD_SIZE_MAX - 1, &c->o.size);
    case 'c':
        c->o.is_counted = true;
        return 0;
    case 'Q':
        c->is_quiet = true;
        return 0;
    case 1000:
        return number_option("--active-connections", optarg, 1, SENDER_CONNECTIONS_MAX,
                             &c->o.connections);
    case 1001:
        if (number_option("--seed", optarg, 0, INT64_MAX, &n) < 0)
            return -EINVAL;
        c->o.seed = (uint64_t)n;
        return 0;
    case 1002:
        c->o.has_sequence = true;
        return 0;
    case 1003:
        return hex_option(optarg, &c->o.run);
    case 1004:
        c->is_json = true;
        return 0;
    default:
        CHECK(false); /* every option of the table is above */
    }
}

static int resolve(struct command *c, const char *host, const char *port)
{
    struct addrinfo hints = {.ai_family = c->family,
                             .ai_socktype = c->o.is_dgram ? SOCK_DGRAM : SOCK_STREAM},
                    *found;
    int r = getaddrinfo(host, port, &hints, &found);
    if (r != 0) {
        fprintf(stderr, "azekura-bench: cannot resolve %s port %s: %s\n", host, port,
                gai_strerror(r));
        return -EINVAL;
    }
    memcpy(&c->o.target, found->ai_addr, found->ai_addrlen);
    c->o.target_len = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

/* 0 to go on, 1 after --help, negative on wrong usage. */
static int parse_command(int argc, char **argv, struct command *c)
{
    static const struct option options[] = {{"inet", no_argument, NULL, 'i'},
                                            {"stream", no_argument, NULL, 'S'},
                                            {"dgram", no_argument, NULL, 'D'},
                                            {"ipv6", no_argument, NULL, '6'},
                                            {"rate", required_argument, NULL, 'r'},
                                            {"number", required_argument, NULL, 'n'},
                                            {"interval", required_argument, NULL, 'I'},
                                            {"size", required_argument, NULL, 's'},
                                            {"active-connections", required_argument, NULL, 1000},
                                            {"octet-counting", no_argument, NULL, 'c'},
                                            {"seed", required_argument, NULL, 1001},
                                            {"sequence", no_argument, NULL, 1002},
                                            {"run", required_argument, NULL, 1003},
                                            {"json", no_argument, NULL, 1004},
                                            {"quiet", no_argument, NULL, 'Q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":iSD6r:n:I:s:cQh", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return 1;
        }
        if (option == '?' || option == ':') {
            fprintf(stderr, "azekura-bench load: %s %s, see --help\n",
                    option == ':' ? "a value is missing after" : "unknown option",
                    argv[optind - 1]);
            return -EINVAL;
        }
        if (parse_option(c, option) < 0)
            return -EINVAL;
    }
    if (argc - optind != 2) {
        fprintf(stderr, "azekura-bench load: TARGET and PORT are expected, see --help\n");
        return -EINVAL;
    }
    if (c->o.number == 0 && c->o.interval_us == 0)
        c->o.interval_us = 10 * US_PER_SECOND;
    return resolve(c, argv[optind], argv[optind + 1]);
}

struct load_run {
    const struct sender_options *o;
    struct template *mix;
    struct load_count *counts;
    pthread_t *threads;
    _Atomic int64_t running;
};

struct load_thread {
    struct load_run *run;
    unsigned number;
};

static void *thread_main(void *argument)
{
    struct load_thread *t = argument;
    load_connection(t->run->o, t->run->mix, mix_sources_n, t->number, &stop_asked,
                    &t->run->counts[t->number]);
    atomic_fetch_sub(&t->run->running, 1);
    return NULL;
}

struct totals {
    int64_t messages, bytes, behind, failed;
    int error;
};

static struct totals sum(const struct load_run *run)
{
    struct totals t = {0};
    for (int64_t i = 0; i < run->o->connections; i++) {
        t.messages += atomic_load_explicit(&run->counts[i].messages, memory_order_relaxed);
        t.bytes += atomic_load_explicit(&run->counts[i].bytes, memory_order_relaxed);
        t.behind =
            MAX(t.behind, atomic_load_explicit(&run->counts[i].behind, memory_order_relaxed));
    }
    return t;
}

static void watch(const struct load_run *run, bool has_progress, int64_t start)
{
    int64_t shown_at = start, shown = 0;
    while (atomic_load(&run->running) > 0) {
        struct timespec ts = {0, 5000000};
        nanosleep(&ts, NULL);
        int64_t now = clock_mono_us();
        if (!has_progress || now - shown_at < US_PER_SECOND / 2)
            continue;
        struct totals t = sum(run);
        fprintf(stderr, "\r%lld messages, %.0f/s   ", (long long)t.messages,
                (double)(t.messages - shown) * 1e6 / (double)(now - shown_at));
        shown = t.messages;
        shown_at = now;
    }
    if (has_progress)
        fputs("\r\033[K", stderr);
}

static void summarize(const struct command *c, const struct totals *t, int64_t elapsed_us,
                      int64_t wanted)
{
    double seconds = (double)MAX(elapsed_us, 1) / 1e6, rate = (double)t->messages / seconds;
    double size = t->messages ? (double)t->bytes / (double)t->messages : 0;
    if (c->is_json)
        printf("{\"sent\":%lld,\"wanted\":%lld,\"bytes\":%lld,\"seconds\":%.6f,\"rate\":%.1f,"
               "\"connections\":%lld,"
               "\"failed_connections\":%lld,\"most_behind\":%lld,\"run\":\"%016llx\"}\n",
               (long long)t->messages, (long long)wanted, (long long)t->bytes, seconds, rate,
               (long long)c->o.connections, (long long)t->failed, (long long)t->behind,
               (unsigned long long)c->o.run);
    else
        printf("sent %lld messages (%.1f bytes each) in %.3f s: %.0f messages/s, %.1f MB/s\n",
               (long long)t->messages, size, seconds, rate, (double)t->bytes / seconds / 1e6);
    if (t->failed > 0)
        fprintf(stderr, "azekura-bench: %lld of %lld connections failed: %s\n",
                (long long)t->failed, (long long)c->o.connections, strerror(t->error));
    else if (wanted > 0 && t->messages < wanted)
        fprintf(stderr,
                "azekura-bench: %lld messages were due, %lld were sent: the rate was not held (at "
                "most %lld behind)\n",
                (long long)wanted, (long long)t->messages, (long long)t->behind);
}

static int run_load(struct command *c)
{
    struct load_run run = {.o = &c->o};
    struct err err;
    size_t n = (size_t)c->o.connections;
    run.mix = xcalloc(mix_sources_n, sizeof(*run.mix));
    run.counts = xcalloc(n, sizeof(*run.counts));
    run.threads = xcalloc(n, sizeof(*run.threads));
    struct load_thread *threads = xcalloc(n, sizeof(*threads));
    for (size_t i = 0; i < mix_sources_n; i++)
        CHECK(template_compile(mix_sources[i], &run.mix[i], &err) == 0);
    pthread_attr_t attr;
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, 256 << 10) == 0);
    int64_t start = clock_mono_us(), started = 0;
    for (; started < c->o.connections; started++) {
        threads[started] = (struct load_thread){&run, (unsigned)started};
        atomic_fetch_add(&run.running, 1);
        int r = pthread_create(&run.threads[started], &attr, thread_main, &threads[started]);
        if (r != 0) {
            fprintf(stderr, "azekura-bench: cannot start thread %lld: %s\n", (long long)started + 1,
                    strerror(r));
            atomic_fetch_sub(&run.running, 1);
            atomic_store(&stop_asked, true);
            break;
        }
    }
    watch(&run, !c->is_quiet && isatty(STDERR_FILENO), start);
    for (int64_t i = 0; i < started; i++)
        pthread_join(run.threads[i], NULL);
    int64_t elapsed = clock_mono_us() - start;
    struct totals t = sum(&run);
    for (int64_t i = 0; i < c->o.connections; i++) {
        t.failed += run.counts[i].error != 0 || i >= started;
        t.error = run.counts[i].error ? run.counts[i].error : t.error;
    }
    int64_t by_rate = c->o.rate > 0 && c->o.interval_us > 0
                          ? c->o.rate * (c->o.interval_us / US_PER_SECOND)
                          : INT64_MAX;
    int64_t each = c->o.number > 0 ? MIN(c->o.number, by_rate) : by_rate;
    int64_t wanted = each == INT64_MAX ? 0 : each * c->o.connections;
    summarize(c, &t, elapsed, wanted);
    pthread_attr_destroy(&attr);
    free(run.mix);
    free(run.counts);
    free(run.threads);
    free(threads);
    return t.failed > 0 || t.messages < wanted ? 1 : 0;
}

int load_command(int argc, char **argv)
{
    struct command c = {.o = {.rate = 1000, .connections = 1, .seed = 1}, .family = AF_UNSPEC};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    c.o.run = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec << 8 ^ (uint64_t)getpid();
    int r = parse_command(argc, argv, &c);
    if (r != 0)
        return r > 0 ? 0 : 2;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    return run_load(&c);
}
