/* A trial as its member of report.json ("report.md"): what could not be measured is null. */
#include "bench/run/trial.h"

#include <math.h>

#include "base/clock.h"
#include "bench/facts.h"

static void count(cJSON *o, const char *name, int64_t n)
{
    facts_set_number(o, name, n < 0 ? NAN : (double)n);
}

static cJSON *child(cJSON *o, const char *name)
{
    cJSON *c = cJSON_CreateObject();
    facts_set(o, name, c);
    return c;
}

void trial_loggen(const struct profile_test *t, double time_s, int64_t index, char *ret, size_t n)
{
    static const char *const transports[TARGET_TRANSPORTS] = {"i_D", "i_S", "U_i_S", "x_D", "x_S"};
    int64_t clients = MAX(t->loggens, 1);
    if (t->loggen[0]) {
        snprintf(ret, n, "%s", t->loggen);
        return;
    }
    /* "as fast as it takes" is a rate no machine reaches; ports are sngbench's own */
    double rate = t->rates.at[0] > 0 ? t->rates.at[0] / (double)t->connections : 3000000;
    const char *transport = transports[t->transport];
    snprintf(ret, n, "I_%.10g_%.1s_r_%.10g_activeconnections_%lld_%s_C_127.0.0.1_%lld", time_s,
             transport, rate, (long long)(t->connections / clients), transport + 2,
             (long long)(514 + index % MAX(t->ports, 1)));
}

static void add_load(const struct trial *t, cJSON *o)
{
    static const char *const framings[] = {"lf", "octets"},
                             *const formats[] = {"rfc3164", "rfc5424"},
                             *const layouts[] = {"mix", "loggen", "compact", "file"};
    const struct profile_test *test = t->o.test;
    char loggen[200];
    cJSON *l = child(o, "load");
    facts_set_text(l, "transport", profile_transport_name(test->transport));
    count(l, "connections", t->connections);
    count(l, "ports", t->ports);
    facts_set_number(l, "size", test->size > 0 ? (double)test->size : NAN);
    facts_set_number(l, "mean_size", t->mean_size);
    facts_set_number(l, "rate", t->o.rate);
    facts_set_number(l, "duration_s", t->o.time_s);
    facts_set_text(l, "framing", framings[test->framing]);
    facts_set_text(l, "format", formats[test->format]);
    facts_set_text(l, "layout", layouts[test->layout]);
    count(l, "sources", test->sources);
    trial_loggen(test, t->o.time_s, 0, loggen, sizeof(loggen));
    facts_set(l, "loggen", test->loggens > 0 ? cJSON_CreateString(loggen) : cJSON_CreateNull());
    if (test->loggens < 1)
        return;
    cJSON *clients = cJSON_CreateArray();
    for (int64_t i = 0; i < test->loggens; i++) {
        cJSON *c = cJSON_CreateObject();
        trial_loggen(test, t->o.time_s, i, loggen, sizeof(loggen));
        facts_set_text(c, "loggen", loggen);
        facts_set_number(c, "rate",
                         t->duration_s > 0 ? (double)t->client_sent[i] / t->duration_s : NAN);
        cJSON_AddItemToArray(clients, c);
    }
    facts_set(o, "clients", clients);
}

static void add_stages(const struct trial *t, cJSON *o)
{
    const struct stages *s = &t->stages;
    cJSON *g = child(o, "stages");
    count(g, "scheduled", s->scheduled);
    count(g, "sent", s->sent);
    count(g, "send_errors", s->send_errors);
    count(g, "late", s->late);
    count(g, "nic_dropped", s->nic_dropped);
    count(g, "kernel_dropped", s->kernel_dropped);
    if (s->others_dropped >= 0)
        count(g, "others_dropped", s->others_dropped);
    count(g, "received", s->received);
    count(g, "truncated", s->truncated);
    count(g, "refused", s->refused);
    cJSON *reasons = child(g, "reasons");
    for (size_t i = 0; i < s->reasons_n; i++)
        count(reasons, s->reason_names[i], s->reasons[i]);
    count(g, "queued", s->queued);
    count(g, "stored", s->stored);
    count(g, "visible", s->visible);
    count(g, "in_flight", s->in_flight);
    facts_set_number(g, "unaccounted", (double)s->unaccounted);
}

static cJSON *ranges(const struct tally_range *r, size_t n)
{
    cJSON *a = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON *o = cJSON_CreateObject();
        count(o, "stream", r[i].stream);
        count(o, "from", r[i].from);
        count(o, "to", r[i].to);
        cJSON_AddItemToArray(a, o);
    }
    return a;
}

static void add_sequence(const struct trial *t, cJSON *o)
{
    const struct tally_result *r = &t->sequence;
    cJSON *s = child(o, "sequence");
    bool is_known = t->is_read_back;
    count(s, "streams", is_known ? r->streams : -1);
    count(s, "found", is_known ? r->found : -1);
    count(s, "missing", is_known ? r->missing : -1);
    count(s, "duplicated", is_known ? r->duplicated : -1);
    count(s, "unexpected", is_known ? r->unexpected : -1);
    count(s, "reordered", is_known ? r->reordered : -1);
    facts_set(s, "missing_ranges", ranges(t->missing, t->missing_n));
    facts_set(s, "duplicated_ranges", ranges(t->duplicated, t->duplicated_n));
    facts_set(s, "is_complete", cJSON_CreateBool(is_known));
}

static void figure(cJSON *o, const char *name, struct trial_figure f)
{
    cJSON *c = child(o, name);
    facts_set_number(c, "mean", f.mean);
    facts_set_number(c, "max", f.max);
}

static void add_rates(const struct trial *t, cJSON *o)
{
    cJSON *r = child(o, "rates");
    facts_set_number(r, "offered", t->offered);
    facts_set_number(r, "sent", t->sent);
    facts_set_number(r, "stored", t->stored);
    facts_set_number(r, "visible", t->visible);
    facts_set_number(r, "most_in_a_second", t->most_in_a_second);
    facts_set_number(o, "loss_percent", t->loss_percent);
    cJSON *l = child(o, "latency_us");
    count(l, "n", t->latency.n);
    count(l, "lost", t->latency.lost);
    facts_set_number(l, "p50", t->latency.p50);
    facts_set_number(l, "p99", t->latency.p99);
    facts_set_number(l, "max", t->latency.max);
    facts_set_number(o, "lateness_p99_us", t->lateness_p99_us);
    facts_set_number(o, "blocked_percent", t->blocked_percent);
}

static void add_machine(const struct trial *t, cJSON *o)
{
    cJSON *c = child(o, "cpu");
    figure(c, "syslog", t->cpu_syslog);
    figure(c, "database", t->cpu_database);
    figure(c, "generator", t->cpu_generator);
    figure(c, "host", t->cpu_host);
    figure(c, "foreign", t->cpu_foreign);
    figure(c, "steal", t->cpu_steal);
    c = child(o, "us_per_message");
    facts_set_number(c, "syslog", t->us_syslog);
    facts_set_number(c, "database", t->us_database);
    c = child(o, "load_average");
    figure(c, "1", t->load1);
    figure(c, "5", t->load5);
    figure(c, "15", t->load15);
    c = child(o, "memory_bytes");
    facts_set_number(c, "syslog", t->syslog_bytes);
    facts_set_number(c, "database", t->database_bytes);
    if (isfinite(t->host_bytes))
        facts_set_number(c, "host", t->host_bytes);
    c = child(o, "disk");
    facts_set_number(c, "written_bytes", t->written_bytes);
    count(c, "stored_bytes", t->stored_bytes);
    facts_set_number(c, "stored_bytes_a_message",
                     t->stored_bytes >= 0 && t->stages.stored > 0
                         ? (double)t->stored_bytes / (double)t->stages.stored
                         : NAN);
}

/* What the processors may do for it, where the profile says so. */
static void add_goal(const struct trial *t, cJSON *o)
{
    double syslog = t->o.test->goal_syslog_percent, database = t->o.test->goal_database_percent;
    if (!(syslog > 0) && !(database > 0))
        return;
    cJSON *g = child(o, "goal");
    facts_set_number(g, "syslog_percent", syslog > 0 ? syslog : NAN);
    facts_set_number(g, "database_percent", database > 0 ? database : NAN);
}

static void add_special(const struct trial *t, cJSON *o)
{
    const struct profile_test *test = t->o.test;
    facts_set(o, "searches", cJSON_CreateNull());
    facts_set(o, "crash", cJSON_CreateNull());
    if (test->searches > 0) {
        cJSON *s = child(o, "searches");
        count(s, "n", t->searches.n);
        count(s, "errors", t->searches.errors);
        facts_set_number(s, "p50_ms", t->searches.p50_ms);
        facts_set_number(s, "p99_ms", t->searches.p99_ms);
        facts_set_number(s, "max_ms", t->searches.max_ms);
        if (t->searches.error[0])
            facts_set_text(s, "error", t->searches.error);
    }
    if (test->kills > 0) {
        cJSON *c = child(o, "crash");
        count(c, "kills", t->kills);
        facts_set_number(c, "restart_ms_max", t->restart_ms_max);
    }
}

const struct stages_reason *trial_note(const struct trial *t)
{
    static const struct stages_reason notes[] = {
        {.en = ""},
        {.en = "the syslog process ended and was started again meanwhile",
         .ja = "途中で SYSLOG プロセスが終了し、再起動されました"},
        {.en = "the database server ended and was started again meanwhile",
         .ja = "途中でデータベースサーバーが終了し、再起動されました"},
        {.en = "the syslog process and the database server ended and were started again meanwhile",
         .ja = "途中で SYSLOG プロセスとデータベースサーバーが終了し、再起動されました"},
    };
    return &notes[t->has_syslog_ended + 2 * t->has_database_ended];
}

cJSON *trial_report(const struct trial *t)
{
    char when[RFC3339_MAX];
    cJSON *o = cJSON_CreateObject();
    count(o, "number", t->o.number);
    count(o, "test", t->o.test_number);
    count(o, "run", t->o.run);
    facts_set_sentence(o, "name", t->name, t->name_ja);
    facts_set_text(o, "target", target_facts(t->o.target)->name);
    add_load(t, o);
    rfc3339_format(t->started_at_us, when);
    facts_set_text(o, "started_at", when);
    facts_set_number(o, "duration_s", t->duration_s);
    facts_set_number(o, "drain_s", t->drain_s);
    cJSON *w = child(o, "window");
    facts_set_number(w, "from_s", t->from_s);
    facts_set_number(w, "to_s", t->to_s);
    add_stages(t, o);
    add_sequence(t, o);
    add_rates(t, o);
    add_machine(t, o);
    add_goal(t, o);
    add_special(t, o);
    const struct stages_reason *note = trial_note(t);
    facts_set(o, "note", note->en[0] ? facts_sentence_new(note->en, note->ja) : cJSON_CreateNull());
    facts_set(o, "is_valid", cJSON_CreateBool(t->is_valid));
    facts_set(o, "invalid_reason",
              t->is_valid ? cJSON_CreateNull()
                          : facts_sentence_new(t->invalid_reason.en, t->invalid_reason.ja));
    return o;
}
