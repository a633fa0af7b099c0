/* The product as a target: counted, searched and read back through its API alone. */
#include "bench/target/target_api.h"

#include <time.h>

#include "base/clock.h"

#define QUIET_S 120     /* a page of an export may take web.search_seconds and more on a busy box */
#define TAIL_QUIET_S 30 /* a live view says every ten seconds that it is there */
#define JOIN_S 20
#define AGAIN_MS 200
#define EARLIER_US (2 * US_PER_SECOND) /* clocks are read one after the other */
#define SEARCH_LIMIT 100               /* entries of the console's first page */

int64_t target_api_now_us(const struct target_api_state *s)
{
    return clock_wall_us() + s->clock_ahead_us;
}

int target_api_ask(const struct target_api_state *s, cJSON **ret, struct err *err)
{
    char path[128], time[RFC3339_MAX];
    rfc3339_format(s->since_us, time);
    snprintf(path, sizeof(path), "/bench/box?since=%s", time);
    return api_get(s->api, path, ret, err);
}

int64_t target_api_dropped(const cJSON *box)
{
    const cJSON *listener;
    int64_t sum = -1;
    cJSON_ArrayForEach(listener, cJSON_GetObjectItemCaseSensitive(box, "listeners"))
    {
        int64_t n = api_int(listener, "kernel_dropped", -1);
        if (n >= 0)
            sum = MAX(sum, 0) + n;
    }
    return sum;
}

/* ---- counters ---- */

static void take_reasons(const cJSON *refused, struct target_counters *ret)
{
    const cJSON *reason;
    ret->refused = 0;
    cJSON_ArrayForEach(reason, refused)
    {
        if (!cJSON_IsNumber(reason) || ret->reasons_n == TARGET_REASONS_MAX)
            continue;
        int64_t n = (int64_t)reason->valuedouble;
        snprintf(ret->reasons[ret->reasons_n].reason, sizeof(ret->reasons[0].reason), "%s",
                 reason->string);
        ret->reasons[ret->reasons_n++].n = n;
        ret->refused += n;
    }
}

static void take_pids(struct target *t, const cJSON *box)
{
    const cJSON *pids = cJSON_GetObjectItemCaseSensitive(box, "pids");
    static const char *const names[] = {"receiver", "postmaster", "keeper", "web"};
    int32_t pid[ARRAY_LEN(names)];
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        pid[i] = (int32_t)MIN(api_int(pids, names[i], 0), INT32_MAX);
    struct target_pids p = {.syslog_n = 0};
    if (pid[0] > 0)
        p.syslog[p.syslog_n++] = pid[0];
    if (pid[1] > 0)
        p.database[p.database_n++] = pid[1];
    for (size_t i = 2; i < ARRAY_LEN(names); i++) {
        if (pid[i] > 0)
            p.other[p.other_n++] = pid[i];
    }
    t->env.pids = p;
}

/* As the box counts, which may be from before the target was opened. */
static int count(struct target *t, struct target_counters *ret, struct err *err)
{
    struct target_api_state *s = t->state;
    cJSON *box = NULL;
    int rc = target_api_ask(s, &box, err);
    if (rc < 0)
        return rc;
    const cJSON *bench = cJSON_GetObjectItemCaseSensitive(box, "benchmark");
    const cJSON *messages = cJSON_GetObjectItemCaseSensitive(box, "messages");
    ret->received = api_int(bench, "arrived", -1);
    ret->stored = api_int(bench, "stored", -1);
    ret->queued = api_int(bench, "queued", -1);
    ret->stored_bytes = api_int(messages, "bytes", -1);
    take_reasons(cJSON_GetObjectItemCaseSensitive(bench, "refused"), ret);
    ret->kernel_dropped = -1;
    if (t->facts.is_box) /* counted from the receiver's start */
        ret->kernel_dropped = target_count_on(&t->dropped, target_api_dropped(box));
    if (t->facts.is_box && t->facts.is_local)
        take_pids(t, box);
    cJSON_Delete(box);
    /* of processes of ours the kernel says it itself, and at once */
    if (!t->facts.is_box)
        ret->kernel_dropped = target_kernel_dropped(t);
    return 0;
}

static void subtract(int64_t *n, int64_t before)
{
    if (*n >= 0 && before >= 0)
        *n = MAX(*n - before, 0);
}

static int api_counters(struct target *t, struct target_counters *ret, struct err *err)
{
    const struct target_api_state *s = t->state;
    const struct target_counters *before = &s->at_open;
    int rc = count(t, ret, err);
    if (rc < 0)
        return rc;
    subtract(&ret->kernel_dropped, before->kernel_dropped);
    subtract(&ret->received, before->received);
    subtract(&ret->stored, before->stored);
    subtract(&ret->refused, before->refused);
    for (size_t i = 0; i < ret->reasons_n; i++) {
        for (size_t k = 0; k < before->reasons_n; k++) {
            if (strcmp(ret->reasons[i].reason, before->reasons[k].reason) == 0)
                subtract(&ret->reasons[i].n, before->reasons[k].n);
        }
    }
    return 0;
}

int target_api_begin(struct target *t, struct err *err)
{
    struct target_api_state *s = t->state;
    struct target_counters now;
    memset(&now, 0, sizeof(now));
    int rc = count(t, &now, err);
    if (rc == 0)
        s->at_open = now;
    return rc;
}

/* ---- reading back ---- */

static int tally_line(void *context, struct view line)
{
    tally_text(context, line);
    return 0;
}

static int api_read_back(struct target *t, uint64_t run, struct tally *tally,
                         const volatile sig_atomic_t *stop, struct err *err)
{
    struct target_api_state *s = t->state;
    char path[256], time[RFC3339_MAX], text[TARGET_RUN_TEXT];
    target_run_text(run, text);
    rfc3339_format(s->from_us, time);
    snprintf(path, sizeof(path), "/logs/export?format=raw&query=%s&from=%s", text, time);
    int rc = api_stream(s->api, path, QUIET_S, tally_line, tally, stop, err);
    if (rc < 0)
        err_prefix(err, "reading back what was stored: ");
    return rc;
}

/* Messages of the run between two moments; 1 when all of it was counted, 0 when it took too long.
 */
static int count_between(const struct target_api_state *s, const char *run, int64_t from_us,
                         int64_t to_us, int64_t *ret, struct err *err)
{
    char path[320], from[RFC3339_MAX], to[RFC3339_MAX];
    cJSON *answer = NULL;
    rfc3339_format(from_us, from);
    rfc3339_format(to_us, to);
    /* the marks of sent messages, not the canaries, which hold the run's word too */
    snprintf(path, sizeof(path), "/logs/histogram?query=%%22seq%%3D%s%%22&from=%s&to=%s&buckets=1",
             run, from, to);
    int rc = api_get(s->api, path, &answer, err);
    if (rc < 0)
        return rc;
    const cJSON *bucket;
    int64_t n = 0;
    cJSON_ArrayForEach(bucket, cJSON_GetObjectItemCaseSensitive(answer, "buckets"))
        n += api_int(bucket, "count", 0);
    bool is_complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "complete"));
    cJSON_Delete(answer);
    *ret = n;
    return is_complete;
}

/* A search is cut at web.search_seconds: then shorter spans are asked for, one after another. */
static int api_visible(struct target *t, uint64_t run, int64_t *ret, struct err *err)
{
    struct target_api_state *s = t->state;
    char text[TARGET_RUN_TEXT];
    int64_t sum = 0, to_us = target_api_now_us(s) + EARLIER_US, span_us = to_us - s->from_us;
    target_run_text(run, text);
    for (int64_t at_us = s->from_us; at_us < to_us;) {
        int64_t n, end_us = MIN(at_us + span_us, to_us);
        int rc = count_between(s, text, at_us, end_us, &n, err);
        if (rc < 0)
            return rc;
        if (rc == 0 && span_us > US_PER_SECOND) {
            span_us /= 2;
            continue;
        }
        if (rc == 0)
            return err_set(
                err, ETIMEDOUT, "too_slow",
                "counting one second of messages takes longer than the box's longest search");
        sum += n;
        at_us = end_us;
    }
    *ret = sum;
    return 0;
}

static int api_forget(struct target *t, struct err *err)
{
    struct target_api_state *s = t->state;
    (void)err;
    s->from_us = target_api_now_us(s) - EARLIER_US;
    return 0;
}

static int api_search(struct target *t, const char *query, int seconds, int64_t *ret_us,
                      int64_t *ret_n, struct err *err)
{
    const struct target_api_state *s = t->state;
    char path[4096], escaped[3072], from[RFC3339_MAX], cursor[192] = "";
    int64_t begin = clock_mono_us(), n = 0;
    if (strlen(query) > 1000)
        return err_set(err, EINVAL, "bad_query", "a query of %zu bytes, at most 1,000",
                       strlen(query));
    rfc3339_format(target_api_now_us(s) - seconds * US_PER_SECOND, from);
    api_escape(query, escaped, sizeof(escaped));
    for (bool is_complete = false; !is_complete;) {
        cJSON *page = NULL;
        snprintf(path, sizeof(path), "/logs?query=%s&from=%s&limit=%d%s", escaped, from,
                 SEARCH_LIMIT, cursor);
        int rc = api_get(s->api, path, &page, err);
        if (rc < 0)
            return rc;
        n += cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(page, "entries"));
        const char *next = api_text(page, "next", "");
        /* whole: everything was looked at, or the page is full */
        is_complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(page, "complete")) ||
                      n >= SEARCH_LIMIT || !*next || strlen(next) > 128;
        snprintf(cursor, sizeof(cursor), "&cursor=%.128s", next);
        cJSON_Delete(page);
    }
    *ret_us = clock_mono_us() - begin;
    *ret_n = n;
    return 0;
}

/* ---- canaries, in a live view ---- */

static void tell_joined(struct target_watch *w, bool is_joined, const struct err *err)
{
    pthread_mutex_lock(&w->lock);
    w->is_joined = w->is_joined || is_joined;
    if (err)
        w->err = *err;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static int take_event(void *context, struct view line)
{
    struct target_watch *w = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (view_starts_with(line, VIEW("retry:")))
        tell_joined(w, true, NULL);
    if (view_starts_with(line, VIEW("id: ")) && line.n - 4 < sizeof(w->last_id))
        snprintf(w->last_id, sizeof(w->last_id), "%.*s", (int)(line.n - 4), line.p + 4);
    if (!view_starts_with(line, VIEW("data: ")))
        return 0;
    const size_t n = strlen(w->canary);
    const char *p = memmem(line.p, line.n, w->canary, n), *end = line.p + line.n;
    uint64_t number;
    if (!p)
        return 0;
    const char *digits = p + n, *last = digits;
    while (last < end && *last >= '0' && *last <= '9')
        last++;
    if (view_u64(view_of(digits, (size_t)(last - digits)), INT64_MAX, &number) == 0)
        w->found(w->context, (int64_t)number, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    return 0;
}

static void *watch(void *context)
{
    struct target_api_state *s = context;
    struct target_watch *w = &s->watch;
    const struct timespec pause = {.tv_nsec = AGAIN_MS * 1000000L};
    while (!w->is_over) { /* what the view missed is in the next: it goes on after the last id */
        char path[320];
        struct err err = {.message = ""};
        snprintf(path, sizeof(path), "/logs/tail?query=%s%s%s", w->query,
                 w->last_id[0] ? "&after=" : "", w->last_id);
        int rc = api_stream(s->api, path, TAIL_QUIET_S, take_event, w, &w->is_over, &err);
        if (rc < 0)
            tell_joined(w, false, &err);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int wait_joined(struct target_watch *w, struct err *err)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += JOIN_S;
    pthread_mutex_lock(&w->lock);
    int rc = 0;
    while (!w->is_joined && rc == 0)
        rc = pthread_cond_timedwait(&w->changed, &w->lock, &until);
    bool is_joined = w->is_joined;
    struct err why = w->err;
    pthread_mutex_unlock(&w->lock);
    return is_joined ? 0
                     : err_set(err, ETIMEDOUT, "no_tail", "the live view does not begin: %.300s",
                               why.message[0] ? why.message : "no answer");
}

static void api_watch_stop(struct target *t)
{
    struct target_watch *w = &((struct target_api_state *)t->state)->watch;
    w->is_over = 1;
    pthread_join(w->thread, NULL);
}

static int api_watch_start(struct target *t, uint64_t run, target_found_fn found, void *context,
                           struct err *err)
{
    struct target_api_state *s = t->state;
    struct target_watch *w = &s->watch;
    char text[TARGET_RUN_TEXT];
    target_run_text(run, text);
    snprintf(w->query, sizeof(w->query), "%%22canary%%3D%s%%22", text);
    snprintf(w->canary, sizeof(w->canary), "canary=%s-", text);
    w->found = found;
    w->context = context;
    w->is_over = 0;
    w->is_joined = false;
    w->last_id[0] = 0;
    w->err.message[0] = 0;
    int error = pthread_create(&w->thread, NULL, watch, s);
    if (error)
        return err_set(err, error, "no_thread", "cannot start a thread: %s", strerror(error));
    int rc = wait_joined(w, err);
    if (rc < 0)
        api_watch_stop(t);
    return rc;
}

/* ---- life ---- */

void target_api_leave(struct target_api_state *s)
{
    char path[128], escaped[IP_TEXT_MAX * 3 + 1];
    struct err err;
    if (!s->registered[0])
        return;
    snprintf(path, sizeof(path), "/bench/senders/%.100s",
             api_escape(s->registered, escaped, sizeof(escaped)));
    (void)!api_delete(s->api, path, NULL, &err); /* else it ends by itself */
    s->registered[0] = 0;
}

static void api_done(struct target *t)
{
    struct target_api_state *s = t->state;
    target_api_leave(s);
    pthread_cond_destroy(&s->watch.changed);
    pthread_mutex_destroy(&s->watch.lock);
    api_free(&s->api);
    free(s);
}

struct target_api_state *target_api_attach(struct target *t, struct api *api)
{
    static const struct target_store store = {
        .counters = api_counters,
        .read_back = api_read_back,
        .visible = api_visible,
        .forget = api_forget,
        .watch_start = api_watch_start,
        .watch_stop = api_watch_stop,
        .search = api_search,
        .done = api_done,
    };
    struct target_api_state *s = xcalloc(1, sizeof(*s));
    s->api = api;
    s->since_us = s->from_us = clock_wall_us() - EARLIER_US;
    pthread_mutex_init(&s->watch.lock, NULL);
    pthread_cond_init(&s->watch.changed, NULL);
    t->store = &store;
    t->state = s;
    t->facts.is_searchable = t->facts.is_readable = t->facts.has_counters = true;
    return s;
}

int target_api_open(struct target *t, const char *url, const char *token_file, struct err *err)
{
    struct api *api;
    int rc = api_new(url, token_file[0] ? token_file : NULL, &api, err);
    if (rc < 0)
        return rc;
    target_api_attach(t, api);
    return target_api_begin(t, err);
}
