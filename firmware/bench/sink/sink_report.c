/* What the sink knows, as JSON. */
#include "bench/sink/sink_inside.h"
#include "base/clock.h"

#include <time.h>

enum { RANGES_MAX = 1000 };

static const char *const transports[TARGET_TRANSPORTS] = {
    [TARGET_UDP] = "udp",
    [TARGET_TCP] = "tcp",
    [TARGET_TLS] = "tls",
    [TARGET_UNIX_DGRAM] = "unix-dgram",
    [TARGET_UNIX_STREAM] = "unix-stream",
};

/* Members of the report; NULL: part of `faults` or not shown. */
static const struct {
    const char *name;
    bool is_fault;
} members[SINK_COUNTS] = {
    [SINK_MESSAGES] = {"messages", false},
    [SINK_BYTES] = {"bytes", false},
    [SINK_CUT_BY_KERNEL] = {"cut_by_kernel", false},
    [SINK_OVERSIZE] = {"oversize", false},
    [SINK_BAD_FRAMES] = {"bad_frames", false},
    [SINK_UNFINISHED] = {"unfinished", false},
    [SINK_CONNECTIONS] = {"connections", false},
    [SINK_TURNED_AWAY] = {"turned_away", false},
    [SINK_FOUND] = {"found", false},
    [SINK_FOUND_AGAIN] = {"found_again", false},
    [SINK_FOUND_LATE] = {"found_late", false},
    [SINK_FOREIGN] = {"foreign", false},
    [SINK_CLOSED] = {"closed", true},
    [SINK_DROPPED] = {"dropped", true},
    [SINK_TRUNCATED] = {"truncated", true},
    [SINK_REORDERED] = {"reordered", true},
    [SINK_DUPLICATED] = {"duplicated", true},
    [SINK_STORED] = {"stored", false},
    [SINK_STORED_BYTES] = {"stored_bytes", false},
    [SINK_FORWARDED] = {"forwarded", false},
    [SINK_FORWARD_FAILED] = {"forward_failed", false},
};

void sink_read(const struct sink *s, int64_t ret[SINK_COUNTS])
{
    memset(ret, 0, SINK_COUNTS * sizeof(*ret));
    for (size_t i = 0; i < s->workers_n; i++)
        for (size_t k = 0; k < SINK_COUNTS; k++)
            ret[k] += atomic_load_explicit(&s->workers[i].counts[k], memory_order_relaxed);
    if (s->is_plain) {
        ret[SINK_STORED] = ret[SINK_MESSAGES];
        ret[SINK_STORED_BYTES] = ret[SINK_BYTES];
    }
}

static int64_t listener_dropped(const struct sink_listener *l)
{
    int64_t n = 0;
    for (size_t i = 0; i < l->fds_n; i++)
        n += sink_socket_dropped(l->fds[i]);
    return n;
}

int64_t sink_kernel_dropped(const struct sink *s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s->listeners_n; i++)
        if (s->listeners[i].buffer_bytes >= 0)
            n += listener_dropped(&s->listeners[i]);
    return n;
}

int64_t sink_last_mono_us(const struct sink *s)
{
    int64_t last = 0;
    for (size_t i = 0; i < s->workers_n; i++)
        last = MAX(last, atomic_load_explicit(&s->workers[i].last_mono_us, memory_order_relaxed));
    return last;
}

const char *sink_name(const struct sink *s, size_t listener)
{
    return s->listeners[listener].name;
}

int64_t sink_buffer_bytes(const struct sink *s, size_t listener)
{
    return s->listeners[listener].buffer_bytes;
}

static double cpu_s(const struct sink *s)
{
    struct timespec ts;
    int64_t us = 0;
    if (!s->is_stopped && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
        return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
    for (size_t i = 0; i < s->workers_n; i++)
        us += atomic_load(&s->workers[i].cpu_us);
    return (double)us / 1e6;
}

static void add_listeners(const struct sink *s, cJSON *report)
{
    cJSON *list = cJSON_AddArrayToObject(report, "listeners");
    for (size_t i = 0; i < s->listeners_n; i++) {
        const struct sink_listener *l = &s->listeners[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "transport", transports[l->address.transport]);
        cJSON_AddStringToObject(o, "address", l->name);
        if (l->buffer_bytes >= 0) {
            cJSON_AddNumberToObject(o, "receive_buffer_bytes", (double)l->buffer_bytes);
            cJSON_AddNumberToObject(o, "kernel_dropped", (double)listener_dropped(l));
        }
        cJSON_AddItemToArray(list, o);
    }
}

static void add_ranges(cJSON *o, const char *name, const struct tally_range *ranges, size_t n)
{
    cJSON *list = cJSON_AddArrayToObject(o, name);
    for (size_t i = 0; i < n; i++) {
        cJSON *r = cJSON_CreateObject();
        cJSON_AddNumberToObject(r, "stream", ranges[i].stream);
        cJSON_AddNumberToObject(r, "from", (double)ranges[i].from);
        cJSON_AddNumberToObject(r, "to", (double)ranges[i].to);
        cJSON_AddItemToArray(list, r);
    }
}

/* Gaps are those below the greatest number of each stream: the sink does not know what was sent. */
static cJSON *tally_json(struct tally *t)
{
    struct tally_result r;
    struct tally_range *ranges = xcalloc(RANGES_MAX, sizeof(*ranges));
    tally_expect_seen(t);
    tally_result(t, &r);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "streams", (double)r.streams);
    cJSON_AddNumberToObject(o, "found", (double)r.found);
    cJSON_AddNumberToObject(o, "missing", (double)r.missing);
    cJSON_AddNumberToObject(o, "duplicated", (double)r.duplicated);
    cJSON_AddNumberToObject(o, "unexpected", (double)r.unexpected);
    cJSON_AddNumberToObject(o, "reordered", (double)r.reordered);
    cJSON_AddNumberToObject(o, "most_behind", (double)r.most_behind);
    add_ranges(o, "missing_ranges", ranges, tally_missing(t, ranges, RANGES_MAX));
    add_ranges(o, "duplicated_ranges", ranges, tally_duplicated(t, ranges, RANGES_MAX));
    free(ranges);
    return o;
}

static void add_runs(const struct sink *s, cJSON *report)
{
    const struct sink_worker *w = &s->workers[0];
    cJSON *list = cJSON_AddArrayToObject(report, "runs");
    for (size_t i = 0; i < w->runs_n; i++) {
        char run[17];
        cJSON *o = cJSON_CreateObject();
        snprintf(run, sizeof(run), "%016llx", (unsigned long long)w->runs[i].run);
        cJSON_AddStringToObject(o, "run", run);
        cJSON_AddItemToObject(o, "received", tally_json(w->runs[i].received));
        cJSON_AddItemToObject(
            o, "stored", w->runs[i].stored ? tally_json(w->runs[i].stored) : cJSON_CreateNull());
        cJSON_AddItemToArray(list, o);
    }
}

static void add_counts(const struct sink *s, cJSON *report)
{
    int64_t counts[SINK_COUNTS];
    sink_read(s, counts);
    int64_t first = atomic_load(&s->first_mono_us);
    double elapsed = first ? (double)(sink_last_mono_us(s) - first) / 1e6 : 0;
    cJSON_AddNumberToObject(report, "elapsed_s", elapsed);
    cJSON_AddNumberToObject(report, "rate",
                            elapsed > 0 ? (double)counts[SINK_MESSAGES] / elapsed : 0);
    cJSON_AddNumberToObject(report, "cpu_s", cpu_s(s));
    cJSON_AddNumberToObject(report, "kernel_dropped", (double)sink_kernel_dropped(s));
    cJSON_AddNumberToObject(report, "gaps", (double)(counts[SINK_REACH] - counts[SINK_FOUND]));
    cJSON *faults = cJSON_CreateObject();
    for (size_t i = 0; i < SINK_COUNTS; i++)
        if (members[i].name)
            cJSON_AddNumberToObject(members[i].is_fault ? faults : report, members[i].name,
                                    (double)counts[i]);
    cJSON_AddItemToObject(report, "faults", faults);
}

cJSON *sink_report(const struct sink *s, const char *state)
{
    cJSON *report = cJSON_CreateObject();
    cJSON_AddStringToObject(report, "state", state);
    add_listeners(s, report);
    add_counts(s, report);
    if (s->is_stopped)
        add_runs(s, report);
    return report;
}
