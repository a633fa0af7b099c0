/* The sink as a target: it counts what it takes and keeps nothing.  It says its counts in a file of JSON
 * lines (report=), about one a second. */
#include <fcntl.h>
#include <unistd.h>

#include "bench/target_inside.h"

#define TAIL_BYTES 65536

static int no_reading(struct err *err)
{
    return err_set(err, ENOTSUP, "not_kept", "the sink keeps nothing that could be read back");
}

/* The last whole line of a file; NULL when there is none.  The caller deletes it. */
static cJSON *last_line(const char *path)
{
    char *text = xmalloc(TAIL_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    ssize_t n = fd < 0 ? 0 : pread(fd, text, TAIL_BYTES, MAX(end - TAIL_BYTES, 0));
    if (fd >= 0)
        close(fd);
    while (n > 0 && text[n - 1] != '\n')
        n--;
    const char *begin = n > 1 ? memrchr(text, '\n', (size_t)n - 1) : NULL;
    begin = begin ? begin + 1 : text;
    cJSON *json = n > 1 ? cJSON_ParseWithLength(begin, (size_t)(text + n - begin)) : NULL;
    free(text);
    return json;
}

static int sink_counters(struct target *t, struct target_counters *ret, struct err *err)
{
    cJSON *report = last_line(t->env.report);
    if (!report)
        return err_set(err, EAGAIN, "no_report", "%s has no counts yet", t->env.report);
    ret->received = api_int(report, "messages", -1);
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
    (void)t;
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
    t->store = &sink;
    if (!t->env.report[0])
        return err_set(err, EINVAL, "bad_driver",
                       "target.env has none of api=, postgresql=, file= and report=");
    t->facts.has_counters = true;
    return 0;
}
