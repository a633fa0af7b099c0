/* The command `azekura-bench sink`: options, the status file, the end. */
#include "base/clock.h"
#include "bench/sink/sink.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_BUFFER_BYTES = 16 << 20,
    DEFAULT_THREADS_MAX = 4,
    TICK_MS = 50,
    STATUS_MS = 1000,
};
#define EVERY_MAX INT64_C(1000000000000)
#define SECONDS_MAX 604800.0

static const char help[] =
    "azekura-bench sink: take messages, count them, keep nothing\n\n"
    "usage: azekura-bench sink TRANSPORT ADDRESS [TRANSPORT ADDRESS …] [options]\n\n"
    "  TRANSPORT is udp, tcp, tls, unix-dgram or unix-stream; ADDRESS is ADDR:PORT ([V6]:PORT; "
    "port 0: a\n"
    "  free one) or the path of a unix socket.\n\n"
    "      --threads N           reading threads (as many as cores, at most 4)\n"
    "      --buffer BYTES        receive buffer of datagram sockets (16777216); what the kernel "
    "grants\n"
    "                            is printed\n"
    "      --gro                 take what a sender's segmentation offload put together in one "
    "piece;\n"
    "                            the kernel then counts a lost piece as one drop\n"
    "      --counts-only         do not look for marks (seq=RUN-STREAM-NUMBER)\n"
    "      --certificate FILE, --key FILE\n"
    "                            of TLS, PEM (made for the occasion)\n\n"
    "When it ends (also by SIGTERM or SIGINT, having taken what the kernel holds):\n"
    "      --messages N          after so many messages\n"
    "      --idle S              when nothing came for S seconds, after the first message\n"
    "      --time S              after S seconds\n\n"
    "What it tells:\n"
    "      --status FILE         JSON, renewed once a second by rename\n"
    "      --json                the result as JSON on standard output\n"
    "  -Q, --quiet               nothing on standard error but errors\n\n"
    "Faults on purpose, in this order; N counts what reaches the step:\n"
    "      --close-every N       close the connection behind every Nth message that arrived\n"
    "      --drop-every N        forget every Nth message that arrived\n"
    "      --truncate-every N    keep the first half of every Nth message of the others\n"
    "      --reorder-every N     every Nth of them comes after the next one\n"
    "      --duplicate-every N   every Nth of them comes twice\n"
    "      --stop-for S@T        read nothing for S seconds, T seconds after the first message\n"
    "      --fault-log FILE      append a line a fault: \"drop RUN-STREAM-NUMBER\"\n\n"
    "What becomes of the rest:\n"
    "      --store FILE          append it, a line a message\n"
    "      --forward [TRANSPORT:]ADDRESS\n"
    "                            send it on (TRANSPORT: as it came, tcp for tls; streams with "
    "octet\n"
    "                            counting)\n"
    "      --forward-from ADDR   from this address\n"
    "  -h, --help                this text\n\n"
    "Exit code: 0 ended as asked, 1 something failed on the way, 2 wrong usage, 3 could not begin.";

enum option_code {
    OPT_THREADS = 256,
    OPT_BUFFER,
    OPT_GRO,
    OPT_COUNTS_ONLY,
    OPT_CERTIFICATE,
    OPT_KEY,
    OPT_MESSAGES,
    OPT_IDLE,
    OPT_TIME,
    OPT_STATUS,
    OPT_JSON,
    OPT_CLOSE,
    OPT_DROP,
    OPT_TRUNCATE,
    OPT_REORDER,
    OPT_DUPLICATE,
    OPT_STOP,
    OPT_FAULT_LOG,
    OPT_STORE,
    OPT_FORWARD,
    OPT_FORWARD_FROM,
};

static const struct option options[] = {
    {"threads", required_argument, NULL, OPT_THREADS},
    {"buffer", required_argument, NULL, OPT_BUFFER},
    {"gro", no_argument, NULL, OPT_GRO},
    {"counts-only", no_argument, NULL, OPT_COUNTS_ONLY},
    {"certificate", required_argument, NULL, OPT_CERTIFICATE},
    {"key", required_argument, NULL, OPT_KEY},
    {"messages", required_argument, NULL, OPT_MESSAGES},
    {"idle", required_argument, NULL, OPT_IDLE},
    {"time", required_argument, NULL, OPT_TIME},
    {"status", required_argument, NULL, OPT_STATUS},
    {"json", no_argument, NULL, OPT_JSON},
    {"quiet", no_argument, NULL, 'Q'},
    {"close-every", required_argument, NULL, OPT_CLOSE},
    {"drop-every", required_argument, NULL, OPT_DROP},
    {"truncate-every", required_argument, NULL, OPT_TRUNCATE},
    {"reorder-every", required_argument, NULL, OPT_REORDER},
    {"duplicate-every", required_argument, NULL, OPT_DUPLICATE},
    {"stop-for", required_argument, NULL, OPT_STOP},
    {"fault-log", required_argument, NULL, OPT_FAULT_LOG},
    {"store", required_argument, NULL, OPT_STORE},
    {"forward", required_argument, NULL, OPT_FORWARD},
    {"forward-from", required_argument, NULL, OPT_FORWARD_FROM},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct command {
    struct sink_options o;
    int64_t messages;
    double idle_s, time_s;
    const char *status, *forward;
    bool is_json, is_quiet, is_help;
};

PRINTF(1, 2) static int usage_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("azekura-bench sink: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return -EINVAL;
}

static int number_option(const char *name, int64_t min, int64_t max, int64_t *ret)
{
    uint64_t n;
    if (view_u64(view_str(optarg), (uint64_t)max, &n) < 0 || (int64_t)n < min)
        return usage_error("--%s %s: a whole number in %lld..%lld is expected", name, optarg,
                           (long long)min, (long long)max);
    *ret = (int64_t)n;
    return 0;
}

/* The number at the beginning of `text`, 0…SECONDS_MAX; NULL when there is none, else where it
 * ends. */
static const char *seconds(const char *text, double *ret)
{
    char *end;
    double s = strtod(text, &end);
    if (end == text || !isfinite(s) || s < 0 || s > SECONDS_MAX)
        return NULL;
    *ret = s;
    return end;
}

static int seconds_option(const char *name, double *ret)
{
    const char *end = seconds(optarg, ret);
    return end && !*end && *ret > 0
               ? 0
               : usage_error("--%s %s: seconds, more than 0 and at most %.0f, are expected", name,
                             optarg, SECONDS_MAX);
}

static int stop_option(struct sink_faults *f)
{
    if (f->stops_n == SINK_STOPS_MAX)
        return usage_error("--stop-for %s: at most %d stops", optarg, SINK_STOPS_MAX);
    struct sink_stop *stop = &f->stops[f->stops_n];
    const char *at = seconds(optarg, &stop->for_s);
    const char *end = at && *at == '@' ? seconds(at + 1, &stop->at_s) : NULL;
    if (!end || *end)
        return usage_error("--stop-for %s: SECONDS@SECONDS is expected, each at most %.0f", optarg,
                           SECONDS_MAX);
    f->stops_n++;
    return 0;
}

static const struct {
    const char *name;
    enum target_transport transport;
} transports[] = {
    {"udp", TARGET_UDP},
    {"tcp", TARGET_TCP},
    {"tls", TARGET_TLS},
    {"unix-dgram", TARGET_UNIX_DGRAM},
    {"unix-stream", TARGET_UNIX_STREAM},
};

static int parse_transport(struct view name, enum target_transport *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(transports); i++)
        if (view_eq(name, view_str(transports[i].name))) {
            *ret = transports[i].transport;
            return 0;
        }
    return -EINVAL;
}

/* a->transport is set. */
static int parse_address(const char *text, struct sink_address *a)
{
    if (a->transport == TARGET_UNIX_DGRAM || a->transport == TARGET_UNIX_STREAM) {
        size_t n = strlen(text);
        if (n == 0 || n >= sizeof(a->path))
            return usage_error("%s: a path of 1..%zu bytes is expected", text, sizeof(a->path) - 1);
        memcpy(a->path, text, n + 1);
        return 0;
    }
    if (ip_port_parse(view_str(text), &a->ip, &a->port) < 0)
        return usage_error("%s: ADDR:PORT is expected, as 127.0.0.1:5514 or [::1]:5514", text);
    return 0;
}

static int parse_listener(struct sink_options *o, const char *transport, const char *address)
{
    if (o->listeners_n == SINK_LISTENERS_MAX)
        return usage_error("%s %s: at most %d sockets", transport, address, SINK_LISTENERS_MAX);
    struct sink_address *a = &o->listeners[o->listeners_n++];
    if (parse_transport(view_str(transport), &a->transport) < 0)
        return usage_error("%s: udp, tcp, tls, unix-dgram or unix-stream is expected", transport);
    return parse_address(address, a);
}

/* After the listeners: the first one's transport is the default. */
static int parse_forward(struct sink_options *o, const char *text)
{
    o->forward.transport = o->listeners[0].transport;
    const char *colon = strchr(text, ':');
    if (colon && parse_transport(view_of(text, (size_t)(colon - text)), &o->forward.transport) == 0)
        text = colon + 1;
    else if (o->forward.transport == TARGET_TLS)
        o->forward.transport = TARGET_TCP;
    if (o->forward.transport == TARGET_TLS)
        return usage_error("--forward: tls is not sent, use udp, tcp, unix-dgram or unix-stream");
    o->has_forward = true;
    int r = parse_address(text, &o->forward);
    bool is_ip = o->forward.transport == TARGET_UDP || o->forward.transport == TARGET_TCP;
    if (r == 0 && is_ip && o->forward_from.family != 0 &&
        o->forward_from.family != o->forward.ip.family)
        return usage_error("--forward-from: an address of the family of --forward is expected");
    return r;
}

static int fault_option(struct sink_faults *f, int option)
{
    switch (option) {
    case OPT_CLOSE:
        return number_option("close-every", 1, EVERY_MAX, &f->close_every);
    case OPT_DROP:
        return number_option("drop-every", 1, EVERY_MAX, &f->drop_every);
    case OPT_TRUNCATE:
        return number_option("truncate-every", 1, EVERY_MAX, &f->truncate_every);
    case OPT_REORDER:
        return number_option("reorder-every", 1, EVERY_MAX, &f->reorder_every);
    case OPT_DUPLICATE:
        return number_option("duplicate-every", 1, EVERY_MAX, &f->duplicate_every);
    case OPT_STOP:
        return stop_option(f);
    default:
        return -EINVAL; /* getopt has said why */
    }
}

static int parse_option(struct command *c, int option)
{
    switch (option) {
    case 'h':
        c->is_help = true;
        return 0;
    case 'Q':
        c->is_quiet = true;
        return 0;
    case OPT_JSON:
        c->is_json = true;
        return 0;
    case OPT_GRO:
        c->o.has_gro = true;
        return 0;
    case OPT_COUNTS_ONLY:
        c->o.is_counting_only = true;
        return 0;
    case OPT_THREADS:
        return number_option("threads", 1, SINK_THREADS_MAX, &c->o.threads);
    case OPT_BUFFER:
        return number_option("buffer", 1, INT32_MAX / 2, &c->o.buffer_bytes);
    case OPT_MESSAGES:
        return number_option("messages", 1, INT64_MAX / 2, &c->messages);
    case OPT_IDLE:
        return seconds_option("idle", &c->idle_s);
    case OPT_TIME:
        return seconds_option("time", &c->time_s);
    case OPT_CERTIFICATE:
        c->o.certificate = optarg;
        return 0;
    case OPT_KEY:
        c->o.key = optarg;
        return 0;
    case OPT_STATUS:
        c->status = optarg;
        return 0;
    case OPT_FAULT_LOG:
        c->o.fault_log = optarg;
        return 0;
    case OPT_STORE:
        c->o.store = optarg;
        return 0;
    case OPT_FORWARD:
        c->forward = optarg;
        return 0;
    case OPT_FORWARD_FROM:
        return ip_parse(view_str(optarg), &c->o.forward_from) < 0
                   ? usage_error("--forward-from %s: an IP address is expected", optarg)
                   : 0;
    default:
        return fault_option(&c->o.faults, option);
    }
}

static int parse_command(struct command *c, int argc, char **argv)
{
    int option, r = 0;
    optind = 1;
    while (r == 0 && (option = getopt_long(argc, argv, "Qh", options, NULL)) != -1)
        r = parse_option(c, option);
    if (r < 0 || c->is_help)
        return r;
    if (argc == optind || (argc - optind) % 2 != 0)
        return usage_error("TRANSPORT ADDRESS is expected, once or several times");
    for (int i = optind; r == 0 && i < argc; i += 2)
        r = parse_listener(&c->o, argv[i], argv[i + 1]);
    if (r == 0 && c->forward)
        r = parse_forward(&c->o, c->forward);
    if (r == 0 && !c->o.certificate != !c->o.key)
        r = usage_error("--certificate and --key belong together");
    return r;
}

/* By rename, so that a reader never sees half of it. */
static int write_status(const char *path, const struct sink *s, const char *state)
{
    char *temporary = xasprintf("%s.tmp.%ld", path, (long)getpid());
    cJSON *report = sink_report(s, state);
    cJSON_AddNumberToObject(report, "pid", (double)getpid());
    char *text = cJSON_PrintUnformatted(report);
    cJSON_Delete(report);
    FILE *f = fopen(temporary, "we");
    int error = f ? 0 : errno;
    if (f && (fprintf(f, "%s\n", text) < 0 || fflush(f) != 0))
        error = errno;
    if (f && fclose(f) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, path) < 0)
        error = errno;
    if (error) {
        fprintf(stderr, "azekura-bench sink: cannot write %s: %s\n", path, strerror(error));
        unlink(temporary);
    }
    cJSON_free(text);
    free(temporary);
    return -error;
}

static bool is_over(const struct command *c, const struct sink *s, int64_t start_mono_us)
{
    int64_t now = clock_mono_us(), last = sink_last_mono_us(s), counts[SINK_COUNTS];
    if (c->time_s > 0 && (double)(now - start_mono_us) >= c->time_s * 1e6)
        return true;
    if (c->idle_s > 0 && last > 0 && (double)(now - last) >= c->idle_s * 1e6)
        return true;
    if (c->messages == 0)
        return false;
    sink_read(s, counts);
    return counts[SINK_MESSAGES] >= c->messages;
}

/* Until a signal, an end that was asked for, or a failure (-errno). */
static int wait_for_end(const struct command *c, struct sink *s, const sigset_t *signals)
{
    int64_t start = clock_mono_us(), next_status = start + STATUS_MS * 1000;
    struct err err;
    bool has_end = c->messages > 0 || c->idle_s > 0 || c->time_s > 0;
    int tick_ms = has_end ? TICK_MS : STATUS_MS;
    for (;;) {
        struct timespec ts = {tick_ms / 1000, tick_ms % 1000 * 1000000L};
        if (sigtimedwait(signals, NULL, &ts) > 0)
            return 0;
        int r = sink_error(s, &err);
        if (r < 0) {
            fprintf(stderr, "azekura-bench sink: %s\n", err.message);
            return r;
        }
        if (c->status && clock_mono_us() >= next_status) {
            next_status += STATUS_MS * 1000;
            if ((r = write_status(c->status, s, "running")) < 0)
                return r;
        }
        if (is_over(c, s, start))
            return 0;
    }
}

static void print_listening(const struct command *c, const struct sink *s)
{
    for (size_t i = 0; i < c->o.listeners_n; i++) {
        int64_t buffer = sink_buffer_bytes(s, i);
        fprintf(stderr, "azekura-bench sink: %s %s", transports[c->o.listeners[i].transport].name,
                sink_name(s, i));
        if (buffer >= 0)
            fprintf(stderr, ", receive buffer %lld bytes as the kernel counts (asked: 2 x %lld)",
                    (long long)buffer, (long long)c->o.buffer_bytes);
        fputc('\n', stderr);
    }
}

static void print_summary(const struct sink *s)
{
    int64_t n[SINK_COUNTS];
    cJSON *report = sink_report(s, "ended");
    sink_read(s, n);
    fprintf(stderr, "%lld messages, %lld bytes in %.3f s: %.0f messages/s; CPU %.3f s\n",
            (long long)n[SINK_MESSAGES], (long long)n[SINK_BYTES],
            cJSON_GetNumberValue(cJSON_GetObjectItem(report, "elapsed_s")),
            cJSON_GetNumberValue(cJSON_GetObjectItem(report, "rate")),
            cJSON_GetNumberValue(cJSON_GetObjectItem(report, "cpu_s")));
    fprintf(stderr,
            "kernel dropped %lld; marks: %lld found, %lld gaps, %lld again, %lld late, %lld of "
            "other runs\n",
            (long long)sink_kernel_dropped(s), (long long)n[SINK_FOUND],
            (long long)(n[SINK_REACH] - n[SINK_FOUND]), (long long)n[SINK_FOUND_AGAIN],
            (long long)n[SINK_FOUND_LATE], (long long)n[SINK_FOREIGN]);
    cJSON_Delete(report);
}

static void print_json(const struct sink *s)
{
    cJSON *report = sink_report(s, "ended");
    char *text = cJSON_PrintUnformatted(report);
    puts(text);
    cJSON_free(text);
    cJSON_Delete(report);
}

static int run(const struct command *c, const sigset_t *signals)
{
    struct sink *s;
    struct err err;
    if (sink_new(&c->o, &s, &err) < 0) {
        fprintf(stderr, "azekura-bench sink: %s\n", err.message);
        return 3;
    }
    if (!c->is_quiet)
        print_listening(c, s);
    sink_start(s);
    int r = c->status ? write_status(c->status, s, "running") : 0;
    if (r == 0)
        r = wait_for_end(c, s, signals);
    /* a second signal does not wait for what the kernel holds */
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, signals, NULL);
    sink_stop(s);
    if (r == 0 && (r = sink_error(s, &err)) < 0)
        fprintf(stderr, "azekura-bench sink: %s\n", err.message);
    if (c->status && write_status(c->status, s, "ended") < 0)
        r = -EIO;
    if (c->is_json)
        print_json(s);
    if (!c->is_quiet)
        print_summary(s);
    sink_free(&s);
    return r < 0;
}

int sink_command(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct command c = {.o = {.threads = MAX(1, MIN(cores, DEFAULT_THREADS_MAX)),
                              .buffer_bytes = DEFAULT_BUFFER_BYTES}};
    if (parse_command(&c, argc, argv) < 0) {
        fputs("azekura-bench sink --help tells the usage\n", stderr);
        return 2;
    }
    if (c.is_help) {
        puts(help);
        return 0;
    }
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL); /* before the threads, which inherit it */
    signal(SIGPIPE, SIG_IGN);
    return run(&c, &signals);
}
