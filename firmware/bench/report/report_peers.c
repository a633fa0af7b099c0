/* Several targets in one run: the same row of the matrix side by side. */
#include <math.h>

#include "bench/facts.h"
#include "bench/report/report_parts.h"
#include "bench/stats.h"

#define RUNS_MAX 64

struct group {
    int test;
    size_t target; /* its place in "targets" */
    const cJSON *first;
    double stored[RUNS_MAX], reported[RUNS_MAX];
    double loss_percent; /* the greatest; NAN where none is known */
    size_t n;
};

static size_t place_of(const cJSON *report, const char *name)
{
    const cJSON *t;
    size_t i = 0;
    cJSON_ArrayForEach(t, facts_get(report, "targets"))
    {
        if (facts_is(t, "name", name))
            break;
        i++;
    }
    return i;
}

struct key {
    int test, number;
    size_t target;
    const cJSON *trial;
};

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->test != y->test)
        return (x->test > y->test) - (x->test < y->test);
    if (x->target != y->target)
        return (x->target > y->target) - (x->target < y->target);
    return (x->number > y->number) - (x->number < y->number);
}

/* What generators of this kind report: all they sent by the time they sent, with what lies in the
 * kernel's buffers at the end.  (The rate of the window would be that of the collector, which by
 * then holds them back.) */
static double reported_rate(const cJSON *trial)
{
    const cJSON *c;
    double sum = 0;
    int n = 0;
    cJSON_ArrayForEach(c, facts_get(trial, "clients"))
    {
        sum += facts_number(c, "rate");
        n++;
    }
    return n > 0 ? sum : facts_number(trial, "rates.sent");
}

static void take(struct group *g, const cJSON *trial)
{
    double rate = facts_stored_rate(trial), loss = facts_loss_percent(trial);
    if (!facts_is_result(trial) || isnan(rate) || g->n == RUNS_MAX)
        return;
    g->stored[g->n] = rate;
    g->reported[g->n++] = reported_rate(trial);
    g->loss_percent = fmax(g->loss_percent, loss); /* NAN gives way */
}

static void add_peer(cJSON *peers, const struct group *g, const struct group *base)
{
    double median = stats_median(g->stored, g->n), of_base = NAN;
    cJSON *p = cJSON_CreateObject();
    CHECK(p && cJSON_AddItemToArray(peers, p));
    facts_set_number(p, "test", g->test);
    facts_set(p, "name",
              facts_sentence_new(facts_sentence(g->first, "name", FACTS_EN),
                                 facts_sentence(g->first, "name", FACTS_JA)));
    facts_set_text(p, "target", facts_text(g->first, "target"));
    facts_set(p, "rates", facts_numbers_new(g->stored, g->n));
    facts_set(p, "reported", facts_numbers_new(g->reported, g->n));
    facts_set_number(p, "median", median);
    facts_set_number(p, "mad", g->n < 2 ? NAN : stats_mad(g->stored, g->n));
    facts_set_number(p, "reported_median", stats_median(g->reported, g->n));
    facts_set_number(p, "loss_percent", g->loss_percent);
    if (base && base->n)
        of_base = stats_median(base->stored, base->n);
    facts_set_number(p, "ratio", of_base > 0 ? median / of_base : NAN);
    bool is_noise = base && base != g && g->n && base->n &&
                    stats_within_noise(g->stored, g->n, base->stored, base->n);
    facts_set(p, "is_noise", cJSON_CreateBool(is_noise));
}

/* The groups of one test, the first target's first. */
static void add_test(cJSON *peers, const struct group *g, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_peer(peers, &g[i], g[0].target == 0 ? &g[0] : NULL);
}

static size_t sorted_keys(const cJSON *report, struct key **ret)
{
    const cJSON *trials = facts_get(report, "trials"), *t;
    size_t n = 0;
    struct key *keys = xcalloc((size_t)MAX(0, cJSON_GetArraySize(trials)) + 1, sizeof(*keys));
    cJSON_ArrayForEach(t, trials)
    {
        if (facts_index(t, "run") != 0)
            keys[n++] = (struct key){facts_index(t, "test"), facts_index(t, "number"),
                                     place_of(report, facts_text(t, "target")), t};
    }
    qsort(keys, n, sizeof(*keys), by_key);
    *ret = keys;
    return n;
}

void report_peers(cJSON *report)
{
    cJSON *peers = cJSON_CreateArray();
    size_t targets = (size_t)MAX(0, cJSON_GetArraySize(facts_get(report, "targets")));
    CHECK(peers);
    if (targets > 1) {
        struct key *keys;
        size_t n = sorted_keys(report, &keys), groups = 0;
        /* a trial may name a target that "targets" does not have */
        struct group *g = xcalloc(targets + 1, sizeof(*g));
        for (size_t i = 0; i < n; i++) {
            bool is_new_test = i == 0 || keys[i].test != keys[i - 1].test;
            if (is_new_test) {
                add_test(peers, g, groups);
                groups = 0;
            }
            if (is_new_test || keys[i].target != keys[i - 1].target)
                g[groups++] = (struct group){.test = keys[i].test,
                                             .target = keys[i].target,
                                             .first = keys[i].trial,
                                             .loss_percent = NAN};
            take(&g[groups - 1], keys[i].trial);
        }
        add_test(peers, g, groups);
        free(g);
        free(keys);
    }
    facts_set(report, "peers", peers);
}
