/* The sink as a target: it counts what it takes and keeps nothing.  It says its counts in a file of
 * JSON (report=), renewed once a second. */
#include <fcntl.h>
#include <unistd.h>

#include "bench/target/target_inside.h"

#define REPORT_MAX_BYTES (1u << 20)

static int no_reading(struct err *err)
{
    return err_set(err, ENOTSUP, "not_kept", "the sink keeps nothing that could be read back");
}

/* NULL when there is none.  The caller deletes it. */
static cJSON *read_report(const char *path)
{
    char *text = xmalloc(REPORT_MAX_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, REPORT_MAX_BYTES);
    if (fd >= 0)
        close(fd);
    cJSON *json = n > 0 ? cJSON_ParseWithLength(text, (size_t)n) : NULL;
    free(text);
    return json;
}

static int sink_counters(struct target *t, struct target_counters *ret, struct err *err)
{
    cJSON *report = read_report(t->env.report);
    if (!report)
        return err_set(err, EAGAIN, "no_report", "%s has no counts yet", t->env.report);
    ret->received = target_count_on(t->state, api_int(report, "messages", -1));
    ret->stored = ret->received;
    ret->kernel_dropped = target_kernel_dropped(t);
    cJSON_Delete(report);
    return 0;
}

static int sink_read_back(struct target *t, uint64_t run, struct tally *tally,
                          const volatile sig_atomic_t *stop, struct err *err)
{
    (void)t, (void)run, (void)tally, (void)stop;
    return no_reading(err);
}

static int sink_visible(struct target *t, uint64_t run, int64_t *ret, struct err *err)
{
    (void)t, (void)run, (void)ret;
    return no_reading(err);
}

static int sink_forget(struct target *t, struct err *err)
{
    (void)t, (void)err;
    return 0;
}

static int sink_watch_start(struct target *t, uint64_t run, target_found_fn found, void *context,
                            struct err *err)
{
    (void)t, (void)run, (void)found, (void)context;
    return no_reading(err);
}

static void sink_watch_stop(struct target *t)
{
    (void)t;
}

static void sink_done(struct target *t)
{
    free(t->state);
}

int target_sink_open(struct target *t, struct err *err)
{
    static const struct target_store sink = {
        .counters = sink_counters,
        .read_back = sink_read_back,
        .visible = sink_visible,
        .forget = sink_forget,
        .watch_start = sink_watch_start,
        .watch_stop = sink_watch_stop,
        .done = sink_done,
    };
    if (!t->env.report[0])
        return err_set(err, EINVAL, "bad_driver",
                       "target.env has none of api=, postgresql=, file= and report=");
    t->store = &sink;
    t->state = xcalloc(1, sizeof(struct target_count));
    t->facts.has_counters = true;
    return 0;
}
