/* The command `azekura-bench load`: runs a load, shows it twice a second, sums it up. */
#include "bench/load/load_args.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "bench/load/loggen.h"
#include "bench/stats.h"

#define SHOW_US 500000
#define LATE_SAID_SHARE 0.01 /* of the messages: the rate is held to 1 % */
#define RATES_MAX 1048576

static volatile sig_atomic_t stop_asked, faster_asked, slower_asked;

static void on_signal(int number)
{
    if (number == SIGUSR1)
        faster_asked++;
    else if (number == SIGUSR2)
        slower_asked++;
    else
        stop_asked = 1;
}

struct shown {
    int64_t at_us, messages;
    int64_t *each; /* of every connection, for --csv */
    double *rates; /* of every look, for the deviation */
    size_t rates_n;
};

static enum loggen_form form_of(const struct load_args *a)
{
    return a->summary == LOAD_SUMMARY_AXO ? LOGGEN_AXO : LOGGEN_SYSLOG_NG;
}

/* loggen writes the header to standard output and rows to standard error, so that they cross. */
static FILE *rows_to(const struct load_args *a)
{
    return a->more.is_compat ? stderr : stdout;
}

static void show_rows(const struct load_args *a, const struct load *l, struct shown *s,
                      int64_t since_us, int64_t past_us)
{
    char line[LOGGEN_LINE_MAX];
    for (int64_t i = 0; i < a->o.connections; i++) {
        int64_t messages, bytes;
        load_read_connection(l, (uint32_t)i, &messages, &bytes);
        double rate = past_us > 0 ? (double)(messages - s->each[i]) * 1e6 / (double)past_us : 0;
        loggen_csv(i, since_us, rate, messages, line);
        fprintf(rows_to(a), "%s\n", line);
        s->each[i] = messages;
    }
    fflush(rows_to(a));
}

static void show(const struct load_args *a, struct load *l, struct shown *s, int64_t start_us)
{
    struct load_totals t;
    char line[LOGGEN_LINE_MAX];
    int64_t now = clock_mono_us(), past = now - s->at_us;
    if (past < SHOW_US)
        return;
    load_read(l, &t);
    double rate = (double)(t.sent - s->messages) * 1e6 / (double)past;
    if (s->rates_n < RATES_MAX)
        s->rates[s->rates_n++] = rate;
    if (a->is_csv) {
        show_rows(a, l, s, now - start_us, past);
    } else if (!a->is_quiet && t.sent > s->messages) {
        loggen_progress(form_of(a), t.sent, rate, (double)t.sent * 1e6 / (double)(now - start_us),
                        line);
        fprintf(stderr, "%s\n", line);
    }
    s->messages = t.sent;
    s->at_us = now;
}

static void change_rate(struct load *l)
{
    int r = 0;
    for (; faster_asked > 0 && r == 0; faster_asked--)
        r = load_scale_rate(l, 2);
    for (; slower_asked > 0 && r == 0; slower_asked--)
        r = load_scale_rate(l, 0.5);
    if (r < 0) {
        faster_asked = slower_asked = 0;
        fprintf(stderr, "azekura-bench load: the rate is left as it is: %s\n",
                r == -EINVAL ? "there is none" : "it was changed too often");
    }
}

static void watch(const struct load_args *a, struct load *l, struct shown *s)
{
    int64_t start = clock_mono_us();
    struct load_totals t;
    s->at_us = start;
    if (a->is_csv) {
        printf("%s\n%s", LOGGEN_CSV_HEADER, a->more.is_compat ? "\n" : "");
        show_rows(a, l, s, 0, 0);
    }
    load_start(l, start);
    for (load_read(l, &t); !t.is_done && !stop_asked; load_read(l, &t)) {
        usleep(20000); /* the threads sleep by themselves */
        change_rate(l);
        show(a, l, s, start);
    }
    load_stop(l);
}

static void print_json(const struct load_args *a, const struct load_totals *t, double seconds)
{
    double rate = seconds > 0 ? (double)t->sent / seconds : 0;
    printf("{\"sent\":%lld,\"wanted\":%lld,\"bytes\":%lld,\"seconds\":%.6f,\"rate\":%.1f,"
           "\"connections\":%lld,\"failed_connections\":%lld,\"most_behind\":%lld,\"skipped\":%lld,"
           "\"errors\":%lld,\"refused_by_kernel\":%lld,\"late\":%lld,\"lateness_p99_us\":%.1f,"
           "\"invalid_lines\":%lld,\"blocked_s\":%.3f,\"cpu_s\":%.3f,\"run\":\"%016llx\"}\n",
           (long long)t->sent, (long long)t->scheduled, (long long)t->bytes, seconds, rate,
           (long long)a->o.connections, (long long)t->failed, (long long)t->most_behind,
           (long long)(t->scheduled - t->sent), (long long)t->errors,
           (long long)t->refused_by_kernel, (long long)t->late, t->lateness_p99_us,
           (long long)t->invalid, t->blocked_s, t->cpu_s, (unsigned long long)a->o.run);
}

static void print_line(const struct load_args *a, const struct load_totals *t, double seconds,
                       const struct shown *s)
{
    char line[LOGGEN_LINE_MAX];
    double rate = seconds > 0 ? (double)t->sent / seconds : 0;
    if (a->summary == LOAD_SUMMARY_AZEKURA) {
        double size = t->sent ? (double)t->bytes / (double)t->sent : 0;
        printf(
            "sent %lld messages (%.1f bytes each) in %.3f s: %.0f messages/s, %.1f MB/s, CPU %.2f "
            "µs each\n",
            (long long)t->sent, size, seconds, rate, rate * size / 1e6,
            t->sent ? t->cpu_s * 1e6 / (double)t->sent : 0);
        return;
    }
    double deviation =
        s->rates_n > 0 && rate > 0 ? stats_deviation(s->rates, s->rates_n) / rate * 100 : 0;
    loggen_summary(form_of(a), seconds, t->sent, t->bytes, deviation, line);
    fprintf(stderr, "%s\n", line);
}

/* Before the last line, where loggen names them too. */
static void print_invalid(const struct load_args *a, const struct load_totals *t)
{
    if (t->invalid > 0)
        fprintf(stderr,
                "azekura-bench load: %s: %lld lines are no syslog messages of at most %d bytes and "
                "were left out, first line %lld\n",
                a->more.file, (long long)t->invalid, LOAD_SIZE_MAX, (long long)t->first_invalid);
}

/* What a number alone would hide. */
static void print_faults(const struct load_args *a, const struct load_totals *t)
{
    long long left = (long long)(t->scheduled - t->sent);
    if (t->failed > 0)
        fprintf(stderr, "azekura-bench load: %lld of %lld connections failed: %s\n",
                (long long)t->failed, (long long)(a->o.connections + a->o.idle_connections),
                strerror(t->error));
    else if (t->error && a->o.transport == TARGET_UDP)
        fprintf(stderr, "azekura-bench load: %s at least %lld times: %s\n",
                t->error == ECONNREFUSED ? "nobody listened there: the peer refused"
                                         : "the network told of lost datagrams",
                (long long)t->refused_by_kernel, strerror(t->error));
    if (t->errors > 0)
        fprintf(stderr, "azekura-bench load: %lld messages were lost in part: %s\n",
                (long long)t->errors, strerror(t->error));
    bool is_late = t->sent > 0 && (double)t->late > (double)t->sent * LATE_SAID_SHARE;
    if (left == 0 && is_late && !a->more.is_compat)
        fprintf(stderr,
                "azekura-bench load: could not hold the rate at all times: %lld of %lld messages "
                "went out more than 10 ms after they were due, at most %lld behind\n",
                (long long)t->late, (long long)t->sent, (long long)t->most_behind);
    if (left > 0 && !stop_asked && !a->more.is_compat)
        fprintf(stderr,
                "azekura-bench load: could not hold the rate: of %lld messages that were due %lld "
                "were not sent (at most %lld behind, %lld more than 10 ms late)\n",
                (long long)t->scheduled, left, (long long)t->most_behind, (long long)t->late);
}

static int exit_code(const struct load_args *a, const struct load_totals *t)
{
    if (a->more.is_compat)
        return 0;
    if (t->failed > 0 || t->errors > 0 || (t->invalid > 0 && t->sent == 0) ||
        (t->error && a->o.transport == TARGET_UDP))
        return 1;
    bool is_short = a->o.number > 0 && a->o.layout != LOAD_FILE && t->sent < a->o.number &&
                    a->o.duration_s == 0;
    return is_short ? 1 : 0;
}

static int run_load(const struct load_args *a)
{
    struct load *l;
    struct err err;
    struct load_totals t;
    int r = load_new_more(&a->o, &a->more, &l, &err);
    if (r < 0) {
        fprintf(stderr, "azekura-bench load: %s\n", err.message);
        return 2;
    }
    if (a->is_debug)
        fprintf(stderr, "connecting %lld connections\n", (long long)a->o.connections);
    r = load_connect(l, &err);
    if (r == -ECANCELED || (r < 0 && !a->o.has_reconnect)) {
        fprintf(stderr, "azekura-bench load: %s\n", err.message);
        load_free(&l);
        return a->more.is_compat ? 0 : 1;
    }
    struct shown s = {.each = xcalloc((size_t)a->o.connections, sizeof(*s.each)),
                      .rates = xcalloc(RATES_MAX, sizeof(*s.rates))};
    watch(a, l, &s);
    load_read(l, &t);
    double seconds = load_seconds(l);
    if (a->more.is_compat)
        seconds = loggen_clock(seconds);
    if (a->is_csv)
        show_rows(a, l, &s, llround(seconds * 1e6), 0);
    print_invalid(a, &t);
    if (a->is_json)
        print_json(a, &t, seconds);
    else
        print_line(a, &t, seconds, &s);
    print_faults(a, &t);
    load_free(&l);
    free(s.each);
    free(s.rates);
    return exit_code(a, &t);
}

int load_command(int argc, char **argv)
{
    struct load_args a;
    int r = load_args_parse(argc, argv, &a);
    if (r != 0)
        return r > 0 ? 0 : 2;
    a.o.stop = &stop_asked;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    return run_load(&a);
}
