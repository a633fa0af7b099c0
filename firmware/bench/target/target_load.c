/* The load of a box on another machine, from its own samples: GET /load.  Nothing of /proc here
 * tells of it. */
#include <math.h>

#include "base/clock.h"
#include "bench/facts.h"
#include "bench/target/target_api.h"

#define SPAN_MAX_US (600 * US_PER_SECOND) /* asked for at once */
#define THREADS_MAX 65536

/* What is asked for, in the order of the series in `struct beat`. */
static const char *const names[] = {"load1",        "load5",   "load15",     "cpu_syslog",
                                    "cpu_database", "cpu_web", "cpu_keeper", "cpu_user",
                                    "cpu_system",   "cpu_irq", "cpu_steal",  "memory_used_bytes"};
enum {
    LOAD1,
    LOAD5,
    LOAD15,
    SYSLOG,
    DATABASE,
    WEB,
    KEEPER,
    USER,
    SYSTEM,
    IRQ,
    STEAL,
    MEMORY,
    NAMES
};
_Static_assert(ARRAY_LEN(names) == NAMES, "a name each");

static void find_means(const cJSON *load, const cJSON *ret[NAMES])
{
    const cJSON *series;
    memset(ret, 0, NAMES * sizeof(*ret));
    cJSON_ArrayForEach(series, cJSON_GetObjectItemCaseSensitive(load, "series"))
    {
        for (size_t i = 0; i < NAMES; i++) {
            if (facts_is(series, "name", names[i]))
                ret[i] = cJSON_GetObjectItemCaseSensitive(series, "mean");
        }
    }
}

/* False when the box has no sample of that time (yet). */
static bool take_beat(const cJSON *const means[NAMES], int point, double threads,
                      struct target_beat *ret)
{
    double v[NAMES];
    for (size_t i = 0; i < NAMES; i++) {
        const cJSON *n = cJSON_GetArrayItem(means[i], point);
        v[i] = cJSON_IsNumber(n) ? n->valuedouble : NAN;
    }
    double busy = threads * (v[USER] + v[SYSTEM] + v[IRQ]),
           foreign = threads * (v[USER] + v[SYSTEM]) - v[SYSLOG] - v[DATABASE] - v[WEB] - v[KEEPER];
    *ret = (struct target_beat){
        .threads = threads,
        .load1 = v[LOAD1],
        .load5 = v[LOAD5],
        .load15 = v[LOAD15],
        .cpu_syslog = v[SYSLOG],
        .cpu_database = v[DATABASE],
        .cpu_host = busy,
        .cpu_foreign = isnan(foreign) ? NAN : fmax(foreign, 0),
        .cpu_steal = threads * v[STEAL],
        .memory_bytes = v[MEMORY],
    };
    return isfinite(v[LOAD1]) || isfinite(busy);
}

static int ask(const struct target_api_state *s, int64_t from_us, int64_t to_us, cJSON **ret,
               struct err *err)
{
    char path[512], from[RFC3339_MAX], to[RFC3339_MAX];
    rfc3339_format(from_us, from);
    rfc3339_format(to_us, to);
    int n = snprintf(path, sizeof(path), "/load?from=%s&to=%s&step=%d&metrics=", from, to,
                     TARGET_BEAT_S);
    for (size_t i = 0; i < NAMES; i++)
        n += snprintf(path + n, sizeof(path) - (size_t)n, "%s%s", i ? "," : "", names[i]);
    return api_get(s->api, path, ret, err);
}

int64_t target_beat_begin(const struct target *t, int64_t from_us)
{
    if (!t->facts.is_box || t->facts.is_local)
        return from_us;
    const int64_t beat_us = TARGET_BEAT_S * US_PER_SECOND;
    int64_t ahead_us = ((const struct target_api_state *)t->state)->clock_ahead_us;
    return (from_us + ahead_us + beat_us - 1) / beat_us * beat_us - ahead_us;
}

int target_beats(struct target *t, int64_t from_us, struct target_beat ret[TARGET_BEATS_MAX],
                 struct err *err)
{
    if (!t->facts.is_box || t->facts.is_local)
        return 0;
    const struct target_api_state *s = t->state;
    const cJSON *means[NAMES];
    cJSON *load = NULL;
    int64_t ahead_us = s->clock_ahead_us, to_us = target_api_now_us(s), begin_us;
    int n = 0;
    from_us = MAX(from_us + ahead_us, to_us - SPAN_MAX_US);
    if (from_us >= to_us)
        return 0;
    int rc = ask(s, from_us, to_us, &load, err);
    if (rc < 0)
        return rc;
    double threads = facts_number(load, "hardware_threads");
    int64_t step_us = api_int(load, "step_us", 0), points = api_int(load, "n", 0);
    if (rfc3339_parse(view_str(facts_text(load, "from")), &begin_us) < 0 ||
        step_us != TARGET_BEAT_S * US_PER_SECOND || !(threads >= 1 && threads <= THREADS_MAX)) {
        cJSON_Delete(load);
        return err_set(err, EPROTO, "bad_answer", "the box's /load is not as it should be");
    }
    find_means(load, means);
    for (int i = 0; i < MIN(points, 2 * TARGET_BEATS_MAX) && n < TARGET_BEATS_MAX; i++) {
        int64_t at_us = begin_us + i * step_us;
        if (at_us < from_us || !take_beat(means, i, threads, &ret[n]))
            continue;
        ret[n++].at_us = at_us - ahead_us;
    }
    cJSON_Delete(load);
    return n;
}
