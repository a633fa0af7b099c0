/* results.csv as sngbench writes it, so that sheets made for it go on working, and results_ext.csv
 * with a header and everything else.
 *
 * sngbench: no header; configuration, parameters of loggen, number of the loggen in its line, and
 * the sender's rate of each run.  Its order is that of the file names in a locale that passes over
 * punctuation: 10, 128, 1, 32, 50.  Its key loses a row when two tests share their parameters; ours
 * has the test's number too, which is not printed. */
#include <ctype.h>
#include <math.h>

#include "bench/csv.h"
#include "bench/facts.h"
#include "bench/report/report_parts.h"

struct line {
    const char *config;
    char params[256];
    int test, client;
    double *rates; /* by run - 1, NAN where there was none */
};

struct lines {
    struct line *at;
    size_t n, room;
    int runs;
};

#define RUNS_MAX 1000

/* Without what would need quotes: sngbench knows none. */
static void plain(const char *s, char *out, size_t size)
{
    size_t n = 0;
    for (; *s && n + 1 < size; s++)
        out[n++] = (unsigned char)*s <= ' ' || *s == ',' || *s == '"' ? '_' : *s;
    out[n] = '\0';
}

/* The parameters loggen would have got, for profiles that name none. */
static void params_of(const cJSON *trial, char *out, size_t size)
{
    char transport[32];
    const char *given = facts_text(trial, "load.loggen");
    if (*given) {
        plain(given, out, size);
        return;
    }
    plain(facts_text(trial, "load.transport"), transport, sizeof(transport));
    snprintf(out, size, "I_%.0f_i_r_%.0f_s_%.0f_activeconnections_%.0f_%s_C_%s",
             facts_count(trial, "load.duration_s"), facts_count(trial, "load.rate"),
             facts_count(trial, "load.size"), MAX(1, facts_count(trial, "load.connections")),
             strcmp(transport, "udp") == 0 ? "D" : "S", transport);
}

static struct line *find(struct lines *l, const cJSON *trial, const char *params, int client)
{
    const char *config = facts_text(trial, "target");
    int test = facts_index(trial, "test");
    /* trials of a row follow each other, or are a row's runs apart: look from the end */
    for (size_t i = l->n; i-- > 0;) {
        struct line *x = &l->at[i];
        if (x->test == test && x->client == client && strcmp(x->config, config) == 0 &&
            strcmp(x->params, params) == 0)
            return x;
    }
    if (l->n == l->room) {
        l->room = l->room ? l->room * 2 : 64;
        l->at = xrealloc(l->at, l->room, sizeof(*l->at));
    }
    struct line *x = &l->at[l->n++];
    *x = (struct line){.config = config, .test = test, .client = client};
    snprintf(x->params, sizeof(x->params), "%s", params);
    x->rates = xcalloc((size_t)l->runs, sizeof(double));
    for (int i = 0; i < l->runs; i++)
        x->rates[i] = NAN;
    return x;
}

static void take(struct lines *l, const cJSON *trial)
{
    const cJSON *clients = facts_get(trial, "clients"), *c;
    char params[256];
    int run = facts_index(trial, "run"), number = 0;
    if (run < 1 || run > l->runs)
        return;
    if (cJSON_GetArraySize(clients) < 1) {
        params_of(trial, params, sizeof(params));
        find(l, trial, params, 1)->rates[run - 1] = facts_number(trial, "rates.sent");
        return;
    }
    cJSON_ArrayForEach(c, clients)
    {
        if (++number > 1024)
            break;
        plain(facts_text(c, "loggen"), params, sizeof(params));
        find(l, trial, params, number)->rates[run - 1] = facts_number(c, "rate");
    }
}

/* As such a locale compares: letters and digits alone, digits first, case last. */
static int collate(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !isalnum((unsigned char)*a))
            a++;
        while (*b && !isalnum((unsigned char)*b))
            b++;
        int x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);
        if (x != y || !x)
            return x - y;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int d = collate(x->config, y->config);
    d = d ? d : strcmp(x->config, y->config);
    d = d ? d : collate(x->params, y->params);
    d = d ? d : x->test - y->test;
    return d ? d : x->client - y->client;
}

void report_results_csv(const cJSON *report, struct buf *out)
{
    struct lines l = {.runs = 1};
    const cJSON *t;
    char config[256];
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        l.runs = MAX(l.runs, MIN(RUNS_MAX, facts_index(t, "run")));
    }
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        take(&l, t);
    }
    if (l.n)
        qsort(l.at, l.n, sizeof(*l.at), by_name);
    for (size_t i = 0; i < l.n; i++) {
        plain(l.at[i].config, config, sizeof(config));
        buf_printf(out, "%s,%s,%d", config, l.at[i].params, l.at[i].client);
        for (int r = 0; r < l.runs; r++)
            if (isnan(l.at[i].rates[r]))
                buf_add_char(out, ',');
            else
                buf_printf(out, ",%.2f", l.at[i].rates[r]);
        buf_add_char(out, '\n');
        free(l.at[i].rates);
    }
    free(l.at);
}

/* ---- results_ext.csv ---- */

struct column {
    const char *name;
    const char *path;                                      /* of the trial: a number or a text */
    double (*of)(const cJSON *report, const cJSON *trial); /* where it is none of them */
};

static double parse_rejected(const cJSON *report, const cJSON *t)
{
    double frame = facts_number(t, "stages.reasons.bad_frame"),
           size = facts_number(t, "stages.reasons.oversize");
    (void)report;
    return isnan(frame) && isnan(size) ? NAN
                                       : (isnan(frame) ? 0 : frame) + (isnan(size) ? 0 : size);
}

static double policy_dropped(const cJSON *report, const cJSON *t)
{
    double refused = facts_number(t, "stages.refused"), parse = parse_rejected(report, t);
    return isnan(parse) ? refused : refused - parse;
}

static double us_per_message(const cJSON *report, const cJSON *t)
{
    double syslog = facts_number(t, "us_per_message.syslog"),
           database = facts_number(t, "us_per_message.database");
    (void)report;
    return isnan(database) ? syslog : syslog + database;
}

static double rss_kb(const cJSON *report, const cJSON *t)
{
    double syslog = facts_number(t, "memory_bytes.syslog"),
           database = facts_number(t, "memory_bytes.database");
    (void)report;
    return floor((isnan(database) ? syslog : syslog + database) / 1024);
}

static double speed_before(const cJSON *report, const cJSON *t)
{
    (void)t;
    return facts_number(report, "speed.before.compute_ops_s");
}

static double speed_after(const cJSON *report, const cJSON *t)
{
    (void)t;
    return facts_number(report, "speed.after.compute_ops_s");
}

static double receive_buffer(const cJSON *report, const cJSON *t)
{
    return facts_number(facts_target(report, facts_text(t, "target")), "receive_buffer_bytes");
}

static double is_valid(const cJSON *report, const cJSON *t)
{
    (void)report;
    return facts_false(t, "is_valid") ? 0 : 1;
}

static const struct column columns[] = {
    {"test", "test", NULL},
    {"run", "run", NULL},
    {"order", "number", NULL},
    {"config", "target", NULL},
    {"proto", "load.transport", NULL},
    {"conns", "load.connections", NULL},
    {"ports", "load.ports", NULL},
    {"size", "load.size", NULL},
    {"rate_target", "load.rate", NULL},
    {"duration_s", "duration_s", NULL},
    {"offered", "stages.scheduled", NULL},
    {"sent", "stages.sent", NULL},
    {"send_err", "stages.send_errors", NULL},
    {"nic_drop", "stages.nic_dropped", NULL},
    {"sock_drop", "stages.kernel_dropped", NULL},
    {"received", "stages.received", NULL},
    {"trunc", "stages.truncated", NULL},
    {"parse_rej", NULL, parse_rejected},
    {"queue_drop", NULL, policy_dropped},
    {"stored", "stages.stored", NULL},
    {"fsynced", "stages.fsynced", NULL},
    {"visible", "stages.visible", NULL},
    {"unaccounted", "stages.unaccounted", NULL},
    {"dup", "sequence.duplicated", NULL},
    {"reorder", "sequence.reordered", NULL},
    {"rate_sent", "rates.sent", NULL},
    {"rate_stored", "rates.stored", NULL},
    {"drain_s", "drain_s", NULL},
    {"blocked_pct", "blocked_percent", NULL},
    {"lat_p50_us", "latency_us.p50", NULL},
    {"lat_p99_us", "latency_us.p99", NULL},
    {"lat_max_us", "latency_us.max", NULL},
    {"load5_max", "load_average.5.max", NULL},
    {"load5_avg", "load_average.5.mean", NULL},
    {"cpu_rx_max", "cpu.syslog.max", NULL},
    {"cpu_rx_avg", "cpu.syslog.mean", NULL},
    {"cpu_db_max", "cpu.database.max", NULL},
    {"cpu_db_avg", "cpu.database.mean", NULL},
    {"cpu_gen_avg", "cpu.generator.mean", NULL},
    {"us_per_msg", NULL, us_per_message},
    {"rss_max_kb", NULL, rss_kb},
    {"write_bytes", "disk.written_bytes", NULL},
    {"steal_pct", "cpu.steal.mean", NULL},
    {"foreign_pct", "cpu.foreign.mean", NULL},
    {"speed_pre", NULL, speed_before},
    {"speed_post", NULL, speed_after},
    {"rcvbuf_eff", NULL, receive_buffer},
    {"valid", NULL, is_valid},
};

/* Whole numbers in all their digits: a sheet reads 31558800, not 3.15588e+07. */
static void add_number(struct csv_writer *w, double x)
{
    if (fabs(x) < 9e15 && x == floor(x))
        csv_int(w, (int64_t)x);
    else
        csv_number(w, x);
}

static void add_trial(const cJSON *report, const cJSON *t, struct csv_writer *w)
{
    csv_field(w, view_str(facts_text(report, "profile")));
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        const struct column *c = &columns[i];
        if (c->of)
            add_number(w, c->of(report, t));
        else if (*facts_text(t, c->path))
            csv_field(w, view_str(facts_text(t, c->path)));
        else
            add_number(w, facts_number(t, c->path));
    }
    csv_field(w, view_str(facts_sentence(t, "invalid_reason", FACTS_EN)));
    csv_end_row(w);
}

void report_results_ext_csv(const cJSON *report, struct buf *out)
{
    struct csv_writer w = {.out = out};
    const cJSON *t;
    csv_field(&w, VIEW("plan"));
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        csv_field(&w, view_str(columns[i].name));
    csv_field(&w, VIEW("reason"));
    csv_end_row(&w);
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        if (facts_index(t, "run") != 0)
            add_trial(report, t, &w);
    }
}
