/* azekura-bench target SPEC: start a target and stay until Ctrl-C or the end of standard input, so
 * that any generator can be tried on it; lines of standard input ask it things, each answer is one
 * line of JSON. */
#include "bench/target/target_command.h"

#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <getopt.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/run/sample.h"
#include "bench/target/target.h"

static const char usage[] =
    "usage: azekura-bench target SPEC --dir DIR [options]\n\n"
    "Starts what a benchmark would send to, prints a line of JSON that says where it takes "
    "messages, and\n"
    "stays until Ctrl-C or the end of standard input.  SPEC: azekura, sink, syslog-ng:maxperf,\n"
    "syslog-ng:distro, rsyslog:file, rsyslog:pgsql, or box, the running product.\n\n"
    "  --dir DIR          its private folder (not for box)\n"
    "  --peers DIR        where other collectors were unpacked (azekura-bench peers fetch)\n"
    "  --share DIR        where the drivers are\n"
    "  --api URL          box: its address (http://127.0.0.1:8080)\n"
    "  --token-file FILE  box: a token of it; else $AZEKURA_TOKEN\n"
    "  --syslog HOST:PORT box: where to send; else what it says itself\n\n"
    "Lines of standard input: counters, pids, sample, visible RUN, read RUN STREAMS NUMBERS, "
    "search\n"
    "SECONDS QUERY, watch RUN, unwatch, found, forget, kill, speed, machine, quit.\n";

static volatile sig_atomic_t stop;

static void on_signal(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

struct session {
    struct target *t;
    struct sample_look before;
    atomic_llong found; /* canaries */
};

static void add_ports(cJSON *o, const struct target_facts *f)
{
    static const char *const names[TARGET_TRANSPORTS] = {"udp", "tcp", "tls", "unix_dgram",
                                                         "unix_stream"};
    for (size_t i = 0; i < TARGET_TRANSPORTS; i++) {
        cJSON *list = cJSON_AddArrayToObject(o, names[i]);
        for (size_t k = 0; k < f->ports_n[i]; k++) {
            const struct sockaddr_storage *a = &f->ports[i][k].address;
            char host[INET6_ADDRSTRLEN] = "", text[160];
            if (a->ss_family == AF_UNIX) {
                snprintf(text, sizeof(text), "%s", ((const struct sockaddr_un *)a)->sun_path);
            } else if (a->ss_family == AF_INET) {
                const struct sockaddr_in *in = (const struct sockaddr_in *)a;
                inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
                snprintf(text, sizeof(text), "%s:%u", host, ntohs(in->sin_port));
            } else {
                const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)a;
                inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
                snprintf(text, sizeof(text), "[%s]:%u", host, ntohs(in6->sin6_port));
            }
            cJSON_AddItemToArray(list, cJSON_CreateString(text));
        }
    }
}

static cJSON *facts(struct session *s)
{
    const struct target_facts *f = target_facts(s->t);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", f->name);
    cJSON_AddStringToObject(o, "product", f->product);
    cJSON_AddStringToObject(o, "version", f->version);
    cJSON_AddStringToObject(o, "stores", f->stores);
    cJSON_AddStringToObject(o, "config_sha256", f->config_sha256);
    cJSON_AddStringToObject(o, "source_network", f->source_network);
    cJSON_AddNumberToObject(o, "receive_buffer_bytes", (double)f->receive_buffer_bytes);
    cJSON_AddBoolToObject(o, "is_local", f->is_local);
    cJSON_AddBoolToObject(o, "is_box", f->is_box);
    cJSON_AddBoolToObject(o, "is_searchable", f->is_searchable);
    add_ports(o, f);
    return o;
}

static void add_number(cJSON *o, const char *name, double n, bool is_known)
{
    if (is_known)
        cJSON_AddNumberToObject(o, name, n);
    else
        cJSON_AddNullToObject(o, name);
}

static int counters(struct session *s, cJSON *o, struct err *err)
{
    struct target_counters c;
    int rc = target_counters(s->t, &c, err);
    if (rc < 0)
        return rc;
    const struct {
        const char *name;
        int64_t n;
    } rows[] = {{"kernel_dropped", c.kernel_dropped},
                {"received", c.received},
                {"stored", c.stored},
                {"queued", c.queued},
                {"truncated", c.truncated},
                {"refused", c.refused},
                {"stored_bytes", c.stored_bytes}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        add_number(o, rows[i].name, (double)rows[i].n, rows[i].n >= 0);
    return 0;
}

static void add_pids(cJSON *o, const char *name, const int32_t *pids, size_t n)
{
    cJSON_AddItemToObject(o, name, cJSON_CreateIntArray(pids, (int)n));
}

static void sample(struct session *s, cJSON *o)
{
    struct target_pids pids;
    struct sample_look now;
    struct sample d;
    target_pids(s->t, &pids);
    sample_look(&pids, &now);
    sample_between(&s->before, &now, &d);
    s->before = now;
    const struct {
        const char *name;
        double n;
    } rows[] = {{"seconds", d.seconds},
                {"cpu_syslog", d.cpu_syslog},
                {"cpu_database", d.cpu_database},
                {"cpu_generator", d.cpu_generator},
                {"cpu_host", d.cpu_host},
                {"cpu_foreign", d.cpu_foreign},
                {"cpu_softirq", d.cpu_softirq},
                {"syslog_bytes", d.syslog_bytes},
                {"database_bytes", d.database_bytes},
                {"write_bytes_s", d.write_bytes_s},
                {"load1", d.load1}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        add_number(o, rows[i].name, rows[i].n, rows[i].n == rows[i].n); /* not NAN */
}

static int read_back(struct session *s, uint64_t run, unsigned streams, long long numbers, cJSON *o,
                     struct err *err)
{
    struct tally *tally = tally_new(run);
    struct tally_result r;
    int rc = target_read_back(s->t, run, tally, &stop, err);
    for (unsigned i = 0; i < streams && rc == 0; i++)
        (void)tally_expect(tally, i, numbers);
    tally_result(tally, &r);
    tally_free(&tally);
    if (rc < 0)
        return rc;
    cJSON_AddNumberToObject(o, "streams", (double)r.streams);
    cJSON_AddNumberToObject(o, "found", (double)r.found);
    cJSON_AddNumberToObject(o, "missing", (double)r.missing);
    cJSON_AddNumberToObject(o, "duplicated", (double)r.duplicated);
    cJSON_AddNumberToObject(o, "unexpected", (double)r.unexpected);
    cJSON_AddNumberToObject(o, "reordered", (double)r.reordered);
    return 0;
}

static void count_found(void *context, int64_t number, int64_t mono_ns)
{
    struct session *s = context;
    (void)number, (void)mono_ns;
    atomic_fetch_add(&s->found, 1);
}

static int search(struct session *s, int seconds, const char *query, cJSON *o, struct err *err)
{
    int64_t us, n;
    int rc = target_search(s->t, query, seconds, &us, &n, err);
    if (rc == 0) {
        cJSON_AddNumberToObject(o, "us", (double)us);
        cJSON_AddNumberToObject(o, "entries", (double)n);
    }
    return rc;
}

/* One line; what it answers is put into *ret. */
static int obey(struct session *s, const char *line, cJSON **ret, struct err *err)
{
    cJSON *o = *ret;
    unsigned long long run;
    unsigned streams;
    long long numbers;
    int64_t n;
    int seconds, at = 0;
    if (strcmp(line, "counters") == 0)
        return counters(s, o, err);
    if (strcmp(line, "forget") == 0)
        return target_forget(s->t, err);
    if (strcmp(line, "kill") == 0)
        return target_kill(s->t, &stop, err);
    if (strcmp(line, "unwatch") == 0) {
        target_watch_stop(s->t);
        return 0;
    }
    if (strcmp(line, "found") == 0) {
        cJSON_AddNumberToObject(o, "found", (double)atomic_load(&s->found));
        return 0;
    }
    if (strcmp(line, "pids") == 0) {
        struct target_pids p;
        target_pids(s->t, &p);
        add_pids(o, "syslog", p.syslog, p.syslog_n);
        add_pids(o, "database", p.database, p.database_n);
        add_pids(o, "other", p.other, p.other_n);
        return 0;
    }
    if (strcmp(line, "sample") == 0) {
        sample(s, o);
        return 0;
    }
    if (strcmp(line, "machine") == 0 || strcmp(line, "speed") == 0) {
        struct sample_speed speed;
        if (strcmp(line, "machine") == 0) {
            cJSON_Delete(o);
            *ret = sample_machine(".");
            return 0;
        }
        sample_speed(".", &speed);
        cJSON_AddNumberToObject(o, "compute_ops_s", speed.compute_ops_s);
        cJSON_AddNumberToObject(o, "write_bytes_s", speed.write_bytes_s);
        return 0;
    }
    if (sscanf(line, "visible %16llx", &run) == 1) {
        int rc = target_visible(s->t, run, &n, err);
        if (rc == 0)
            cJSON_AddNumberToObject(o, "visible", (double)n);
        return rc;
    }
    if (sscanf(line, "read %16llx %u %lld", &run, &streams, &numbers) == 3)
        return read_back(s, run, streams, numbers, o, err);
    if (sscanf(line, "watch %16llx", &run) == 1)
        return target_watch_start(s->t, run, count_found, s, err);
    if (sscanf(line, "search %d %n", &seconds, &at) == 1 && at > 0)
        return search(s, seconds, line + at, o, err);
    return err_set(err, EINVAL, "bad_line", "\"%.100s\" is nothing that can be asked; see --help",
                   line);
}

static void print(cJSON *o)
{
    char *text = cJSON_PrintUnformatted(o);
    puts(text ? text : "{}");
    fflush(stdout);
    cJSON_free(text);
    cJSON_Delete(o);
}

static void serve(struct session *s)
{
    char line[4096];
    print(facts(s));
    while (!stop && fgets(line, sizeof(line), stdin)) {
        struct err err;
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "quit") == 0)
            break;
        cJSON *o = cJSON_CreateObject();
        if (obey(s, line, &o, &err) < 0) {
            cJSON_AddStringToObject(o, "error", err.message);
            cJSON_AddStringToObject(o, "code", err.code);
        }
        print(o);
    }
}

static int parse(int argc, char **argv, struct target_options *o)
{
    static const struct option options[] = {{"dir", required_argument, NULL, 'd'},
                                            {"peers", required_argument, NULL, 'p'},
                                            {"share", required_argument, NULL, 's'},
                                            {"api", required_argument, NULL, 'a'},
                                            {"token-file", required_argument, NULL, 't'},
                                            {"syslog", required_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int c;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (c) {
        case 'd':
            o->dir = optarg;
            break;
        case 'p':
            o->peers_dir = optarg;
            break;
        case 's':
            o->share_dir = optarg;
            break;
        case 'a':
            o->api = optarg;
            break;
        case 't':
            o->token_file = optarg;
            break;
        case 'l':
            o->syslog = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return -EINVAL;
        }
    }
    o->spec = optind < argc ? argv[optind] : NULL;
    if (!o->spec || optind + 1 != argc || (!o->dir && strcmp(o->spec, "box") != 0)) {
        fprintf(stderr, "azekura-bench target: a SPEC and --dir DIR are needed; see --help\n");
        return -EINVAL;
    }
    return 1;
}

int target_command(int argc, char **argv)
{
    /* no SA_RESTART: a signal ends the wait for a line */
    const struct sigaction action = {.sa_handler = on_signal};
    struct target_options o = {.spec = NULL};
    struct session s = {.found = 0};
    struct err err;
    int rc = parse(argc, argv, &o);
    if (rc <= 0)
        return rc < 0 ? 2 : 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (target_open(&o, &stop, &s.t, &err) < 0) {
        fprintf(stderr, "azekura-bench: %s\n", err.message);
        return stop ? 130 : 3;
    }
    struct target_pids pids;
    target_pids(s.t, &pids);
    sample_look(&pids, &s.before);
    serve(&s);
    target_close(&s.t);
    return 0;
}
