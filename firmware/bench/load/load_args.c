/* Options of `azekura-bench load`: loggen's, by its names and letters, and more.  What loggen means
 * by "connection" it has a thread for; here few threads serve all. */
#include "bench/load/load_args.h"

#include <getopt.h>
#include <math.h>
#include <netdb.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bench/load/loggen.h"

static const char help[] =
    "azekura-bench load: send syslog messages at a rate and count what the kernel took\n\n"
    "usage: azekura-bench load [options] TARGET PORT[,PORT…]\n"
    "       azekura-bench load -x [options] PATH\n\n"
    "Options of loggen, with its meaning:\n"
    "  -i, --inet                 IP (the default)\n"
    "  -x, --unix                 a unix socket: TARGET is its path\n"
    "  -S, --stream               TCP or a unix stream (the default; wins over -D)\n"
    "  -D, --dgram                UDP or unix datagrams\n"
    "  -6, --ipv6                 IPv6\n"
    "  -U, --use-ssl              TLS\n"
    "  -r, --rate=N               messages a second and connection, fractions too; 0: as fast as\n"
    "                             the peer takes them (1000)\n"
    "  -s, --size=BYTES           of a message, its line feed included in loggen's layout (256)\n"
    "  -I, --interval=S           seconds (10; without limit when --number is given)\n"
    "  -T, --permanent            without limit\n"
    "  -n, --number=N             messages a connection\n"
    "  -P, --syslog-proto         RFC 5424, octet-counted on streams\n"
    "  -F, --no-framing           no octet count with -P: a line feed ends a message\n"
    "  -p, --sdata=TEXT           structured data of loggen's line with -P\n"
    "  -H, --proxied[=1|2]        a PROXY header first (version 1); --proxy-src-ip=, "
    "--proxy-dst-ip=,\n"
    "                             --proxy-src-port=, --proxy-dst-port= (random)\n"
    "      --proxied-tls-passthrough  the PROXY header in clear, before TLS\n"
    "  -R, --read-file=FILE       send the lines of a file with the time of now; -: standard "
    "input\n"
    "  -l, --loop-reading         begin again at its end\n"
    "      --skip-tokens=N        drop N words at the start of its lines\n"
    "  -d, --dont-parse           send its lines as they are\n"
    "      --active-connections=N (1)     --idle-connections=N (0)\n"
    "      --reconnect            open lost connections again, every second\n"
    "  -C, --csv                  a row a connection twice a second\n"
    "  -Q, --quiet                no progress      --debug  what it does, on standard error\n"
    "      --perf                 as -r 0          --rate-burst-start  0.9 s of the rate at once\n"
    "      --client-port=N        connection I sends from port N + I\n"
    "  Signals: SIGUSR1 doubles the rate, SIGUSR2 halves it; SIGINT ends\n\n"
    "Further:\n"
    "      --layout=loggen|mix|compact  loggen's line (at least 127 bytes); realistic messages of\n"
    "                             firewalls, switches, servers (--mix is short for it); a short\n"
    "                             line (from 80 bytes, 100)\n"
    "  -c, --octet-counting       RFC 6587 octet counting on streams, without -P too\n"
    "      --total-rate=N         messages a second of all connections together\n"
    "      --steps=S:RATE,…       from second S on RATE, all connections together\n"
    "      --burst=N@S            N messages at once at second S\n"
    "      --sizes=BYTES:WEIGHT,… sizes drawn instead of --size: 100:50,256:30,1024:20\n"
    "      --seed=N               of the random numbers in the messages (1)\n"
    "      --sequence             a unique mark in every message: seq=RUN-CONNECTION-NUMBER\n"
    "      --run=HEX              the RUN of it (drawn)     --run-id  the same\n"
    "      --sources=N            from N addresses of --source-network (127.66.0.0/16)\n"
    "      --threads=N            (one up to 200,000 messages/s, else one a core)\n"
    "      --ca=FILE --no-verify --cert=FILE --key=FILE --server-name=NAME   of TLS; the server "
    "is\n"
    "                             verified when --ca or --server-name is given\n"
    "      --summary=syslog-ng|axo|azekura  the last line\n"
    "      --json                 the summary as one JSON object on standard output\n"
    "      --loggen-compat        loggen's quirks too: first burst, clock of half seconds, LF "
    "after\n"
    "                             PROXY, octet counts in datagrams, exit code 0, files as it has "
    "them\n"
    "  -V, --version   -h, --help\n\n"
    "A rate is held exactly: message K is due at K/RATE.  After a stall of more than 10 ms what "
    "was\n"
    "missed does not go out at once: 10 ms worth, the rest spread at 1 to 10 % above the rate.  "
    "What is not\n"
    "sent in the end is counted and said.\n"
    "Exit code: 0 sent; 1 not all (a connection failed, messages of --number were left); 2 usage.";

enum {
    OPT_ACTIVE = 1000,
    OPT_IDLE,
    OPT_SEED,
    OPT_SEQUENCE,
    OPT_RUN,
    OPT_JSON,
    OPT_PASSTHROUGH,
    OPT_SKIP,
    OPT_SRC_IP,
    OPT_DST_IP,
    OPT_SRC_PORT,
    OPT_DST_PORT,
    OPT_DEBUG,
    OPT_RECONNECT,
    OPT_PERF,
    OPT_BURST_START,
    OPT_CLIENT_PORT,
    OPT_LAYOUT,
    OPT_MIX,
    OPT_TOTAL_RATE,
    OPT_STEPS,
    OPT_BURST,
    OPT_SIZES,
    OPT_SOURCES,
    OPT_NETWORK,
    OPT_THREADS,
    OPT_CA,
    OPT_NO_VERIFY,
    OPT_CERT,
    OPT_KEY,
    OPT_SERVER_NAME,
    OPT_SUMMARY,
    OPT_COMPAT,
};

#define NO no_argument, NULL
#define ARG required_argument, NULL

static const struct option options[] = {
    {"inet", NO, 'i'},
    {"unix", NO, 'x'},
    {"stream", NO, 'S'},
    {"dgram", NO, 'D'},
    {"ipv6", NO, '6'},
    {"use-ssl", NO, 'U'},
    {"rate", ARG, 'r'},
    {"size", ARG, 's'},
    {"interval", ARG, 'I'},
    {"permanent", NO, 'T'},
    {"number", ARG, 'n'},
    {"syslog-proto", NO, 'P'},
    {"no-framing", NO, 'F'},
    {"sdata", ARG, 'p'},
    {"proxied", optional_argument, NULL, 'H'},
    {"proxy-src-ip", ARG, OPT_SRC_IP},
    {"proxy-dst-ip", ARG, OPT_DST_IP},
    {"proxy-src-port", ARG, OPT_SRC_PORT},
    {"proxy-dst-port", ARG, OPT_DST_PORT},
    {"proxied-tls-passthrough", NO, OPT_PASSTHROUGH},
    {"read-file", ARG, 'R'},
    {"loop-reading", NO, 'l'},
    {"skip-tokens", ARG, OPT_SKIP},
    {"dont-parse", NO, 'd'},
    {"active-connections", ARG, OPT_ACTIVE},
    {"idle-connections", ARG, OPT_IDLE},
    {"reconnect", NO, OPT_RECONNECT},
    {"csv", NO, 'C'},
    {"quiet", NO, 'Q'},
    {"debug", NO, OPT_DEBUG},
    {"perf", NO, OPT_PERF},
    {"rate-burst-start", NO, OPT_BURST_START},
    {"client-port", ARG, OPT_CLIENT_PORT},
    {"octet-counting", NO, 'c'},
    {"layout", ARG, OPT_LAYOUT},
    {"mix", NO, OPT_MIX},
    {"total-rate", ARG, OPT_TOTAL_RATE},
    {"steps", ARG, OPT_STEPS},
    {"burst", ARG, OPT_BURST},
    {"sizes", ARG, OPT_SIZES},
    {"seed", ARG, OPT_SEED},
    {"sequence", NO, OPT_SEQUENCE},
    {"run", ARG, OPT_RUN},
    {"run-id", ARG, OPT_RUN},
    {"sources", ARG, OPT_SOURCES},
    {"source-network", ARG, OPT_NETWORK},
    {"threads", ARG, OPT_THREADS},
    {"ca", ARG, OPT_CA},
    {"no-verify", NO, OPT_NO_VERIFY},
    {"cert", ARG, OPT_CERT},
    {"key", ARG, OPT_KEY},
    {"server-name", ARG, OPT_SERVER_NAME},
    {"summary", ARG, OPT_SUMMARY},
    {"json", NO, OPT_JSON},
    {"loggen-compat", NO, OPT_COMPAT},
    {"version", NO, 'V'},
    {"help", NO, 'h'},
    {"help-all", NO, 'h'},
    {"help-socket-plugin", NO, 'h'},
    {"help-ssl-plugin", NO, 'h'},
    {"help-file-reader", NO, 'h'},
    {0},
};

static int whole(const char *name, const char *text, int64_t min, int64_t max, int64_t *ret)
{
    uint64_t n;
    if (view_u64(view_str(text), (uint64_t)max, &n) < 0 || (int64_t)n < min) {
        fprintf(stderr, "azekura-bench load: %s %s: a whole number in %lld..%lld is expected\n",
                name, text, (long long)min, (long long)max);
        return -EINVAL;
    }
    *ret = (int64_t)n;
    return 0;
}

/* Digits, possibly with a fraction; nothing of strtod()'s other languages. */
static bool fraction(const char *text, size_t n, double max, double *ret)
{
    char copy[32], *end;
    if (n == 0 || n >= sizeof(copy) || strspn(text, "0123456789.") < n)
        return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    *ret = strtod(copy, &end);
    return *end == 0 && *ret <= max;
}

static int number(const char *name, const char *text, double max, double *ret)
{
    if (fraction(text, strlen(text), max, ret))
        return 0;
    fprintf(stderr, "azekura-bench load: %s %s: a number in 0..%.15g is expected\n", name, text,
            max);
    return -EINVAL;
}

static int hexadecimal(const char *text, uint64_t *ret)
{
    size_t n = strlen(text);
    if (n == 0 || n > 16 || strspn(text, "0123456789abcdefABCDEF") < n) {
        fprintf(stderr,
                "azekura-bench load: --run %s: a hexadecimal number of at most 16 digits is "
                "expected\n",
                text);
        return -EINVAL;
    }
    *ret = strtoull(text, NULL, 16);
    return 0;
}

static int choice(const char *name, const char *text, const char *const *names, size_t n, int *ret)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = (int)i;
            return 0;
        }
    }
    fprintf(stderr, "azekura-bench load: %s %s: one of", name, text);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s %s", i ? "," : "", names[i]);
    fputs(" is expected\n", stderr);
    return -EINVAL;
}

/* "A:B,A:B…"; `take` is told each pair. */
static int pairs(const char *name, const char *text, double max_a, double max_b, size_t max_n,
                 bool (*take)(struct load_args *a, double x, double y), struct load_args *args)
{
    size_t count = 0;
    for (const char *p = text;; count++) {
        size_t n = strcspn(p, ","), colon = strcspn(p, ":");
        double x, y;
        if (count == max_n || colon >= n || !fraction(p, colon, max_a, &x) ||
            !fraction(p + colon + 1, n - colon - 1, max_b, &y) || !take(args, x, y)) {
            fprintf(stderr,
                    "azekura-bench load: %s %s: at most %zu ascending pairs such as 0:1000,10:5000 "
                    "are expected; \"%.*s\" is none (first up to %.15g, second up to %.15g)\n",
                    name, text, max_n, (int)n, p, max_a, max_b);
            return -EINVAL;
        }
        if (p[n] == 0)
            return 0;
        p += n + 1;
    }
}

static bool take_step(struct load_args *a, double at, double rate)
{
    struct load_options *o = &a->o;
    if (o->steps_n > 0 && at <= o->steps[o->steps_n - 1].at_s)
        return false;
    o->steps[o->steps_n++] = (struct load_step){at, rate};
    return true;
}

static bool take_size(struct load_args *a, double bytes, double weight)
{
    int64_t n = llround(bytes), w = llround(weight);
    if (n < 1 || w < 1)
        return false;
    a->more.sizes[a->more.sizes_n++] = (struct load_size){n, w};
    return true;
}

static int burst(struct load_args *a, const char *text)
{
    size_t at = strcspn(text, "@");
    double n, s;
    if (text[at] == 0 || !fraction(text, at, 1e9, &n) || n < 1 ||
        !fraction(text + at + 1, strlen(text + at + 1), 1e8, &s)) {
        fprintf(stderr, "azekura-bench load: --burst %s: N@SECOND is expected, such as 5000@2.5\n",
                text);
        return -EINVAL;
    }
    a->o.burst_messages = llround(floor(n));
    a->o.burst_at_s = s;
    return 0;
}

static int flag_option(struct load_args *a, int option)
{
    switch (option) {
    case 'i':
        a->is_inet = true;
        return 1;
    case 'x':
        a->is_unix = true;
        return 1;
    case 'S':
        a->is_stream = true;
        return 1;
    case 'D':
        a->is_dgram = true;
        return 1;
    case '6':
        a->is_ipv6 = true;
        return 1;
    case 'U':
        a->is_tls = true;
        return 1;
    case 'T':
        a->is_permanent = true;
        return 1;
    case 'P':
        a->o.format = LOAD_RFC5424;
        return 1;
    case 'F':
        a->is_unframed = true;
        return 1;
    case 'l':
        a->more.is_looped = true;
        return 1;
    case 'd':
        a->more.is_raw = true;
        return 1;
    case 'c':
        a->is_counted = true;
        return 1;
    case 'C':
        a->is_csv = true;
        return 1;
    case 'Q':
        a->is_quiet = true;
        return 1;
    case OPT_PASSTHROUGH:
        a->more.is_proxy_before_tls = true;
        return 1;
    case OPT_DEBUG:
        a->is_debug = true;
        return 1;
    case OPT_RECONNECT:
        a->o.has_reconnect = true;
        return 1;
    case OPT_PERF:
        a->is_perf = true;
        return 1;
    case OPT_BURST_START:
        a->has_burst_start = true;
        return 1;
    case OPT_MIX:
        a->o.layout = LOAD_MIX;
        a->has_layout = true;
        return 1;
    case OPT_SEQUENCE:
        a->o.has_sequence = true;
        return 1;
    case OPT_NO_VERIFY:
        a->is_given_no_verify = true;
        return 1;
    case OPT_JSON:
        a->is_json = true;
        return 1;
    case OPT_COMPAT:
        a->more.is_compat = true;
        return 1;
    default:
        return 0;
    }
}

static int text_option(struct load_args *a, int option)
{
    switch (option) {
    case 'R':
        a->more.file = optarg;
        a->o.layout = LOAD_FILE;
        return 1;
    case 'p':
        a->more.sdata = optarg;
        return 1;
    case OPT_SRC_IP:
        a->more.proxy_src_ip = optarg;
        return 1;
    case OPT_DST_IP:
        a->more.proxy_dst_ip = optarg;
        return 1;
    case OPT_SRC_PORT:
        a->more.proxy_src_port = optarg;
        return 1;
    case OPT_DST_PORT:
        a->more.proxy_dst_port = optarg;
        return 1;
    case OPT_CA:
        a->more.ca = optarg;
        return 1;
    case OPT_CERT:
        a->more.cert = optarg;
        return 1;
    case OPT_KEY:
        a->more.key = optarg;
        return 1;
    case OPT_SERVER_NAME:
        a->more.server_name = optarg;
        return 1;
    default:
        return 0;
    }
}

static int choice_option(struct load_args *a, int option)
{
    static const char *const layouts[] = {"mix", "loggen", "compact"};
    static const char *const summaries[] = {"syslog-ng", "axo", "azekura"};
    int n;
    if (option == OPT_LAYOUT) {
        if (choice("--layout", optarg, layouts, ARRAY_LEN(layouts), &n) < 0)
            return -EINVAL;
        a->o.layout = (enum load_layout)n;
        a->has_layout = true;
    } else if (option == OPT_SUMMARY) {
        if (choice("--summary", optarg, summaries, ARRAY_LEN(summaries), &n) < 0)
            return -EINVAL;
        a->summary = (enum load_summary)n;
    } else {
        a->more.proxy_version = 1;
        if (optarg && strcmp(optarg, "2") == 0) {
            a->more.proxy_version = 2;
        } else if (optarg && strcmp(optarg, "1") != 0) {
            fprintf(stderr, "azekura-bench load: --proxied=%s: version 1 or 2 is expected\n",
                    optarg);
            return -EINVAL;
        }
    }
    return 0;
}

static int network(struct load_args *a)
{
    if (strlen(optarg) < sizeof(a->o.source_network)) {
        snprintf(a->o.source_network, sizeof(a->o.source_network), "%s", optarg);
        return 0;
    }
    fprintf(stderr, "azekura-bench load: --source-network has more than %zu characters\n",
            sizeof(a->o.source_network) - 1);
    return -EINVAL;
}

static int number_option(struct load_args *a, int option)
{
    struct load_options *o = &a->o;
    int64_t seed = 0;
    int r;
    switch (option) {
    case 'r':
        a->has_rate = true;
        return number("--rate", optarg, LOAD_RATE_MAX, &a->each_rate);
    case OPT_TOTAL_RATE:
        a->has_total_rate = true;
        return number("--total-rate", optarg, LOAD_RATE_MAX, &a->total_rate);
    case 's':
        a->has_size = true;
        return whole("--size", optarg, 0, LOAD_SIZE_MAX, &o->size);
    case 'I':
        a->has_interval = true;
        return number("--interval", optarg, 31622400, &o->duration_s);
    case 'n':
        return whole("--number", optarg, 0, INT64_C(1000000000000), &a->each_number);
    case OPT_ACTIVE:
        return whole("--active-connections", optarg, 1, LOAD_CONNECTIONS_MAX, &o->connections);
    case OPT_IDLE:
        return whole("--idle-connections", optarg, 0, LOAD_CONNECTIONS_MAX, &o->idle_connections);
    case OPT_SKIP:
        return whole("--skip-tokens", optarg, 0, 1000, &a->more.skip_tokens);
    case OPT_CLIENT_PORT:
        return whole("--client-port", optarg, 1, 65535, &a->more.client_port);
    case OPT_THREADS:
        return whole("--threads", optarg, 1, LOAD_THREADS_MAX, &o->threads);
    case OPT_SOURCES:
        return whole("--sources", optarg, 1, LOAD_CONNECTIONS_MAX, &o->sources);
    case OPT_SEED:
        r = whole("--seed", optarg, 0, INT64_MAX, &seed);
        o->seed = (uint64_t)seed;
        return r;
    case OPT_RUN:
        return hexadecimal(optarg, &o->run);
    case OPT_NETWORK:
        return network(a);
    case OPT_STEPS:
        return pairs("--steps", optarg, 1e8, LOAD_RATE_MAX, LOAD_STEPS_MAX, take_step, a);
    case OPT_SIZES:
        return pairs("--sizes", optarg, LOAD_SIZE_MAX, 1e6, LOAD_SIZES_MAX, take_size, a);
    case OPT_BURST:
        return burst(a, optarg);
    default:
        CHECK(false); /* every option of the table is somewhere */
        return -EINVAL;
        return -EINVAL;
    }
}

static int resolve(struct load_args *a, const char *host, const char *ports)
{
    struct load_options *o = &a->o;
    char port[16];
    struct addrinfo hints = {.ai_family = a->is_ipv6 ? AF_INET6 : AF_UNSPEC,
                             .ai_flags = a->is_ipv6 ? AI_V4MAPPED : 0,
                             .ai_socktype = o->transport == TARGET_UDP ? SOCK_DGRAM : SOCK_STREAM};
    for (const char *p = ports;; p++) {
        size_t n = strcspn(p, ",");
        struct addrinfo *found, *best;
        snprintf(port, sizeof(port), "%.*s", (int)MIN(n, sizeof(port) - 1), p);
        uint64_t checked;
        if (view_u64(view_of(p, n), 65535, &checked) < 0) {
            fprintf(stderr, "azekura-bench load: port %.*s: a number in 0..65535 is expected\n",
                    (int)n, p);
            return -EINVAL;
        }
        if (o->ports_n == LOAD_PORTS_MAX) {
            fprintf(stderr, "azekura-bench load: %s: more than %d ports\n", ports, LOAD_PORTS_MAX);
            return -EINVAL;
        }
        int r = getaddrinfo(host, port, &hints, &found);
        if (r != 0) {
            fprintf(stderr, "azekura-bench load: cannot resolve %s port %s: %s\n", host, port,
                    gai_strerror(r));
            return -EINVAL;
        }
        for (best = found; best && !a->is_ipv6 && best->ai_family != AF_INET; best = best->ai_next)
            ;
        best = best ? best : found;
        memcpy(&o->ports[o->ports_n], best->ai_addr, best->ai_addrlen);
        o->ports_len[o->ports_n++] = best->ai_addrlen;
        freeaddrinfo(found);
        p += n;
        if (*p == 0)
            return 0;
    }
}

static int unix_path(struct load_args *a, const char *path)
{
    struct sockaddr_un *u = (struct sockaddr_un *)&a->o.ports[0];
    if (strlen(path) >= sizeof(u->sun_path)) {
        fprintf(stderr, "azekura-bench load: %s: a unix socket's path has at most %zu bytes\n",
                path, sizeof(u->sun_path) - 1);
        return -EINVAL;
    }
    u->sun_family = AF_UNIX;
    memcpy(u->sun_path, path, strlen(path) + 1);
    a->o.ports_len[0] = sizeof(*u);
    a->o.ports_n = 1;
    return 0;
}

static int wrong(const char *what)
{
    fprintf(stderr, "azekura-bench load: %s, see --help\n", what);
    return -EINVAL;
}

static int settle_transport(struct load_args *a)
{
    bool is_dgram = a->is_dgram && !a->is_stream;
    if (a->is_tls && (is_dgram || a->is_unix))
        return wrong("--use-ssl needs TCP");
    if (a->more.is_compat && a->is_tls && (a->is_inet || a->is_stream))
        return wrong("as with loggen, --use-ssl stands without --inet and --stream");
    if (a->more.is_proxy_before_tls && !a->is_tls)
        return wrong("--proxied-tls-passthrough needs --use-ssl");
    if (a->more.is_proxy_before_tls && a->more.proxy_version == 0)
        a->more.proxy_version = 1;
    a->o.transport = a->is_tls    ? TARGET_TLS
                     : a->is_unix ? (is_dgram ? TARGET_UNIX_DGRAM : TARGET_UNIX_STREAM)
                     : is_dgram   ? TARGET_UDP
                                  : TARGET_TCP;
    a->more.has_verify = !a->is_given_no_verify && (a->more.ca || a->more.server_name);
    return 0;
}

static int settle_messages(struct load_args *a)
{
    struct load_options *o = &a->o;
    if (o->layout == LOAD_FILE && a->more.file == NULL)
        return wrong("--read-file is missing");
    if (a->more.file)
        o->layout = LOAD_FILE;
    bool is_proto = o->format == LOAD_RFC5424 && !a->is_unframed;
    o->framing = is_proto || a->is_counted ? LOAD_OCTETS : LOAD_LF;
    a->more.is_dgram_counted = a->more.is_compat && is_proto;
    if (!a->has_size && a->more.sizes_n == 0)
        o->size = o->layout == LOAD_LOGGEN ? 256 : o->layout == LOAD_COMPACT ? 100 : 0;
    if (a->more.is_compat) {
        a->more.run_id = (int64_t)time(NULL);
        if (o->layout == LOAD_LOGGEN && o->size > LOGGEN_MESSAGE_MAX) {
            fprintf(stderr,
                    "azekura-bench load: message length is too large, as with loggen it is cut to "
                    "%d\n",
                    LOGGEN_MESSAGE_MAX);
            o->size = LOGGEN_MESSAGE_MAX;
        }
    }
    return 0;
}

static int settle_rate(struct load_args *a)
{
    struct load_options *o = &a->o;
    double connections = (double)o->connections;
    if (a->more.client_port > 65536 - o->connections - o->idle_connections)
        return wrong("--client-port leaves no port in 1..65535 for some of the connections");
    if (o->sources > 1 && o->connections < o->sources)
        return wrong("--sources needs as many --active-connections");
    if (o->sources > 1 && o->source_network[0] == 0)
        snprintf(o->source_network, sizeof(o->source_network), "127.66.0.0/16");
    o->rate = a->has_total_rate ? a->total_rate : a->each_rate * connections;
    if (a->is_perf)
        o->rate = 0;
    if (o->steps_n > 0 && !a->has_rate && !a->has_total_rate)
        o->rate = 0;
    if (o->rate > LOAD_RATE_MAX)
        o->rate = LOAD_RATE_MAX; /* -r 3000000 with many connections: as fast as it goes */
    o->number = a->each_number * o->connections;
    if (o->burst_messages == 0 && o->rate > 0 && (a->has_burst_start || a->more.is_compat)) {
        o->burst_messages = llround(o->rate - floor(o->rate / 10));
        o->burst_at_s = 0;
    }
    if (a->is_permanent)
        o->duration_s = 0;
    else if (!a->has_interval && (a->each_number == 0 || a->more.is_compat))
        o->duration_s = 10;
    return 0;
}

static int parse_all(int argc, char **argv, struct load_args *a)
{
    int option;
    opterr = 0;
    optind = 0; /* anew, whatever was parsed before */
    while ((option = getopt_long(argc, argv, ":ixSD6Ur:s:I:Tn:PFp:HR:ldcCQVh", options, NULL)) !=
           -1) {
        int r;
        if (option == 'h') {
            puts(help);
            return 1;
        }
        if (option == 'V') {
            puts("azekura-bench " AZEKURA_VERSION);
            return 1;
        }
        if (option == '?' || option == ':') {
            char letter[3] = {'-', (char)optopt, 0};
            fprintf(stderr, "azekura-bench load: %s %s, see --help\n",
                    option == ':' ? "a value is missing after" : "unknown option",
                    optopt > 0 && optopt < 128 ? letter : argv[optind - 1]);
            return -EINVAL;
        }
        if (flag_option(a, option) || text_option(a, option))
            continue;
        if (option == OPT_LAYOUT || option == OPT_SUMMARY || option == 'H')
            r = choice_option(a, option);
        else
            r = number_option(a, option);
        if (r < 0)
            return r;
    }
    return 0;
}

int load_args_parse(int argc, char **argv, struct load_args *ret)
{
    struct load_args *a = ret;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *a = (struct load_args){
        .o = {.layout = LOAD_LOGGEN, .connections = 1, .seed = 1, .sources = 1},
        .more = {.run_id = -1},
        .each_rate = 1000,
    };
    /* two runs begun at once must differ */
    uint64_t x = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 45;
    struct random random;
    random_seed(&random, x);
    a->o.run = random_next(&random);
    int r = parse_all(argc, argv, a);
    if (r != 0)
        return r;
    if (settle_transport(a) < 0 || settle_messages(a) < 0 || settle_rate(a) < 0)
        return -EINVAL;
    int left = argc - optind;
    if (a->is_unix)
        return left == 1 ? unix_path(a, argv[optind]) : wrong("one PATH is expected");
    return left == 2 ? resolve(a, argv[optind], argv[optind + 1])
                     : wrong("TARGET and PORT are expected");
}
