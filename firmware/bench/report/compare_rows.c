/* The figures that two runs share. */
#include "bench/report/compare.h"

#include <math.h>

#include "bench/facts.h"
#include "bench/stats.h"

#define RUNS_MAX 64

/* A row of the matrix of one run and target: its valid trials. */
struct side {
    const cJSON *trials[RUNS_MAX];
    size_t n;
};

struct metric {
    enum compare_subject subject;
    struct words name;
    const char *unit;
    double (*of)(const cJSON *trial);
    const char *noise; /* member of "noise"; NULL: exact or unknown */
    bool is_greater_better, is_exact;
};

static double us_of(const cJSON *t)
{
    double syslog = facts_number(t, "us_per_message.syslog"),
           database = facts_number(t, "us_per_message.database");
    return isnan(database) ? syslog : syslog + database;
}

static double p99_of(const cJSON *t)
{
    return facts_number(t, "latency_us.p99") / 1000;
}

static double syslog_of(const cJSON *t)
{
    return facts_number(t, "cpu.syslog.mean");
}

static double database_of(const cJSON *t)
{
    return facts_number(t, "cpu.database.mean");
}

static double bytes_of(const cJSON *t)
{
    return facts_number(t, "disk.stored_bytes_a_message");
}

static const struct metric metrics[] = {
    {COMPARE_STORED, {"stored", "保存"}, "messages/s", facts_stored_rate, "stored", true, false},
    {COMPARE_LOSS, {"loss", "損失"}, "%", facts_loss_percent, NULL, false, true},
    {COMPARE_CPU_MESSAGE,
     {"CPU a message", "1 件あたりの CPU 時間"},
     "µs",
     us_of,
     NULL,
     false,
     false},
    {COMPARE_DELAY, {"delay (99 %)", "遅延 (99 %)"}, "ms", p99_of, "latency_p99", false, false},
    {COMPARE_BYTES,
     {"stored a message", "1 件あたりの保存量"},
     "bytes",
     bytes_of,
     NULL,
     false,
     false},
    {COMPARE_CPU, {"SYSLOG CPU", "SYSLOG CPU"}, "%", syslog_of, "cpu_syslog", false, false},
    {COMPARE_CPU,
     {"database CPU", "データベース CPU"},
     "%",
     database_of,
     "cpu_database",
     false,
     false},
};

static bool is_same_number(const cJSON *a, const cJSON *b, const char *path)
{
    double x = facts_count(a, path), y = facts_count(b, path);
    return fabs(x - y) <= 1e-9 * MAX(x, y);
}

static bool is_same_load(const cJSON *a, const cJSON *b)
{
    return strcmp(facts_text(a, "load.transport"), facts_text(b, "load.transport")) == 0 &&
           is_same_number(a, b, "load.size") && is_same_number(a, b, "load.rate") &&
           is_same_number(a, b, "load.connections") && is_same_number(a, b, "load.ports");
}

static void side_of(const cJSON *report, const char *target, int test, struct side *ret)
{
    const cJSON *t;
    ret->n = 0;
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        if (facts_index(t, "test") == test && facts_is(t, "target", target) && facts_is_result(t) &&
            ret->n < RUNS_MAX)
            ret->trials[ret->n++] = t;
    }
}

/* The known values of a side; how many. */
static size_t values_of(const struct side *s, double (*of)(const cJSON *), double ret[RUNS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        ret[n] = of(s->trials[i]);
        if (!isnan(ret[n]))
            n++;
    }
    return n;
}

static double noise_of_seconds(const struct side *s, const char *member)
{
    char path[64];
    snprintf(path, sizeof(path), "noise.%s", member);
    double most = NAN;
    for (size_t i = 0; i < s->n; i++) {
        double mad = facts_number(s->trials[i], path);
        if (!isnan(mad) && !(most >= mad))
            most = mad;
    }
    return most;
}

static double noise_of(const struct metric *m, const struct side *a, const struct side *b,
                       const double *x, size_t x_n, const double *y, size_t y_n)
{
    if (x_n >= 2 && y_n >= 2)
        return 2 * MAX(stats_mad(x, x_n), stats_mad(y, y_n));
    if (m->is_exact)
        return 0;
    if (m->noise) {
        double of_a = noise_of_seconds(a, m->noise), of_b = noise_of_seconds(b, m->noise);
        if (!isnan(of_a) && !isnan(of_b))
            return 2 * MAX(of_a, of_b);
    }
    return NAN;
}

static void tell(struct compare_row row, struct words of, bool is_alone, compare_row_fn each,
                 void *context)
{
    char en[512], ja[512];
    if (isnan(row.a) || isnan(row.b))
        return;
    if (!is_alone) {
        snprintf(en, sizeof(en), "%.300s: %s", of.en, row.name.en);
        snprintf(ja, sizeof(ja), "%.300s: %s", of.ja, row.name.ja);
        row.name = (struct words){en, ja};
    }
    each(context, &row);
}

static void tell_rung(const cJSON *a, const cJSON *b, const char *of_a, const char *of_b,
                      const struct rung *x, const struct rung *y, bool is_alone,
                      compare_row_fn each, void *context)
{
    struct side sides[2];
    struct words name = {facts_sentence(x->first, "name", FACTS_EN),
                         facts_sentence(x->first, "name", FACTS_JA)};
    side_of(a, of_a, x->test, &sides[0]);
    side_of(b, of_b, y->test, &sides[1]);
    for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
        const struct metric *m = &metrics[i];
        double v[RUNS_MAX], w[RUNS_MAX];
        size_t n = values_of(&sides[0], m->of, v), k = values_of(&sides[1], m->of, w);
        struct compare_row row = {m->subject,
                                  m->name,
                                  m->unit,
                                  stats_median(v, n),
                                  stats_median(w, k),
                                  noise_of(m, &sides[0], &sides[1], v, n, w, k),
                                  m->is_greater_better};
        tell(row, name, is_alone, each, context);
    }
}

/* ---- the highest rate without loss ---- */

/* NAN when a step on the way up is not valid: it would have lost nothing, or not. */
static double highest_lossless(const struct rung *r, size_t n)
{
    double best = 0;
    for (size_t i = 0; i < n; i++) {
        if (!r[i].worst)
            return NAN;
        if (r[i].loss_percent > 0)
            break;
        best = r[i].rate;
    }
    return best;
}

/* How far the search for a knee left its answer open: to the next rate that failed. */
static double step_of(const cJSON *knee)
{
    const cJSON *p;
    double at = facts_number(knee, "lossless"), next = INFINITY;
    cJSON_ArrayForEach(p, facts_get(knee, "points"))
    {
        double rate = facts_number(p, "rate");
        if (rate > at && rate < next && facts_number(p, "loss_percent") > 0)
            next = rate;
    }
    return isinf(next) ? NAN : next - at;
}

static void tell_knees(const cJSON *a, const cJSON *b, const char *of_a, const char *of_b,
                       compare_row_fn each, void *context)
{
    const cJSON *x, *y;
    cJSON_ArrayForEach(x, facts_get(a, "knees"))
    {
        cJSON_ArrayForEach(y, facts_get(b, "knees"))
        {
            if (!facts_is(x, "target", of_a) || !facts_is(y, "target", of_b) ||
                strcmp(facts_text(x, "transport"), facts_text(y, "transport")) != 0 ||
                !is_same_number(x, y, "size"))
                continue;
            struct words by = answer_transport(facts_text(x, "transport"));
            double noise = MAX(step_of(x), step_of(y));
            struct compare_row row = {COMPARE_KNEE,
                                      {"highest rate without loss", "損失のない最大レート"},
                                      "messages/s",
                                      facts_number(x, "lossless"),
                                      facts_number(y, "lossless"),
                                      noise,
                                      true};
            tell(row, by, false, each, context);
            row.name = (struct words){"highest rate with at most 0.01 % loss",
                                      "損失 0.01 % 以下の最大レート"};
            row.a = facts_number(x, "tolerant");
            row.b = facts_number(y, "tolerant");
            tell(row, by, false, each, context);
            break;
        }
    }
}

/* ---- a pair of targets ---- */

static void tell_targets(const cJSON *a, const cJSON *b, const char *of_a, const char *of_b,
                         bool is_alone, compare_row_fn each, void *context)
{
    struct rung *x, *y;
    size_t n = answer_rungs(a, of_a, &x), k = answer_rungs(b, of_b, &y), pairs = 0;
    tell_knees(a, b, of_a, of_b, each, context);
    bool is_ladder = facts_is(a, "profile", "ladder") && facts_is(b, "profile", "ladder");
    if (is_ladder && n > 1 && k > 1) {
        struct compare_row row = {COMPARE_LOSSLESS,
                                  {"highest step without loss", "損失のない最高段階"},
                                  "messages/s",
                                  highest_lossless(x, n),
                                  highest_lossless(y, k),
                                  0,
                                  true};
        tell(row, (struct words){of_a, of_a}, is_alone, each, context);
    }
    /* of a knee the rates differ from run to run: its points say more */
    bool is_knee = cJSON_GetArraySize(facts_get(a, "knees")) > 0;
    for (size_t i = 0; i < n && !is_knee; i++)
        for (size_t j = 0; j < k && pairs < COMPARE_RUNGS_MAX; j++) {
            if (!is_same_load(x[i].first, y[j].first))
                continue;
            tell_rung(a, b, of_a, of_b, &x[i], &y[j], n == 1 && k == 1, each, context);
            pairs++;
            break;
        }
    free(x);
    free(y);
}

void compare_rows(const cJSON *a, const cJSON *b, compare_row_fn each, void *context)
{
    const cJSON *targets = facts_get(a, "targets"), *t;
    const char *first_a = facts_first_target(a), *first_b = facts_first_target(b);
    bool is_alone = cJSON_GetArraySize(targets) <= 1;
    int n = 0;
    tell_targets(a, b, first_a, first_b, is_alone, each, context);
    cJSON_ArrayForEach(t, targets)
    {
        const char *name = facts_text(t, "name");
        if (strcmp(name, first_a) != 0 && strcmp(name, first_b) != 0 && facts_target(b, name) &&
            n++ < 16)
            tell_targets(a, b, name, name, false, each, context);
    }
}

void compare_add_noise(cJSON *report, const struct samples *samples)
{
    static const struct {
        const char *member;
        enum samples_column column;
        double scale;
    } of[] = {{"stored", SAMPLES_STORED, 1},
              {"latency_p99", SAMPLES_P99_US, 1e-3}, /* ms, as it is compared */
              {"cpu_syslog", SAMPLES_CPU_SYSLOG, 1},
              {"cpu_database", SAMPLES_CPU_DATABASE, 1}};
    double *x = xcalloc(samples->n + 1, sizeof(*x));
    struct facts_trials trials;
    facts_trials_init(&trials, report);
    for (size_t from = 0, to; from < samples->n; from = to) {
        to = samples_end(samples, from);
        cJSON *t = facts_trials_find(&trials, samples->rows[from].trial), *noise;
        if (!t)
            continue;
        CHECK((noise = cJSON_CreateObject()));
        for (size_t i = 0; i < ARRAY_LEN(of); i++) {
            size_t n = samples_values(samples, from, to, of[i].column, x);
            facts_set_number(noise, of[i].member, n >= 3 ? stats_mad(x, n) * of[i].scale : NAN);
        }
        facts_set(t, "noise", noise);
    }
    facts_trials_done(&trials);
    free(x);
}
