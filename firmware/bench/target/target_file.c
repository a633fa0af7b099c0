/* A target that keeps messages in flat files: they are read as they grow; stored is a line of a
 * file. What the kernel dropped before it is known of all; what it took, and so what it threw away
 * after that, of those with a control socket (target_control.h). */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/target/follow.h"
#include "bench/target/target_control.h"
#include "bench/target/target_inside.h"

#define WATCH_PAUSE_MS 5 /* what a canary's delay is exact to */

struct file_state {
    size_t n;
    struct follow lines[TARGET_FILES_MAX], marks[TARGET_FILES_MAX], watch[TARGET_FILES_MAX];
    int64_t lines_n, marks_n;
    uint64_t marks_run;
    char mark[32];
    struct taken {
        struct target_count received;
        struct target_held held;      /* since `from` */
        int64_t from, lines_from;     /* what had been received and stored when it began to count */
        int64_t refused, refused_now; /* of before, and since */
        int32_t pid;                  /* of the process that counts */
    } taken;
    /* the watch */
    pthread_t thread;
    volatile sig_atomic_t is_watch_over;
    char canary[40];
    target_found_fn found;
    void *context;
};

static int file_error(const struct target *t, size_t i, int rc, struct err *err)
{
    if (rc == -EINTR)
        return err_set(err, EINTR, "stopped", "stopped while reading %s", t->env.files[i]);
    return err_set(err, -rc, "not_readable", "cannot read %s: %s", t->env.files[i], strerror(-rc));
}

/* ---- counting ---- */

static int count_lines(void *context, struct view text)
{
    struct file_state *s = context;
    for (const char *p = text.p, *end = p + text.n; p < end; p++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            break;
        s->lines_n++;
    }
    return 0;
}

/* From here on everything is counted anew: nothing is under way. */
static void taken_begin(struct target *t, int64_t received)
{
    struct file_state *s = t->state;
    struct taken *k = &s->taken;
    k->refused += k->refused_now;
    k->refused_now = 0;
    k->from = received;
    k->lines_from = s->lines_n;
    k->held = (struct target_held){0, 0, clock_mono_us()};
    k->pid = t->env.pids.syslog_n > 0 ? t->env.pids.syslog[0] : 0;
}

/* What a process took that was killed is not known to the last: then nothing is said. */
static void read_taken(struct target *t, struct target_counters *ret)
{
    struct file_state *s = t->state;
    struct taken *k = &s->taken;
    int64_t now;
    if (t->env.control[0] == 0 || t->env.pids.syslog_n == 0 || t->env.pids.syslog[0] != k->pid)
        return;
    if (target_control_received(t->env.control, &now) < 0) {
        now = k->received.last; /* it is busy; so it need not have thrown anything away */
        k->held.changed_us = clock_mono_us();
    }
    ret->received = target_count_on(&k->received, now);
    target_held_see(&k->held, ret->received - k->from, s->lines_n - k->lines_from, clock_mono_us(),
                    &ret->queued, &k->refused_now);
    ret->refused = k->refused + k->refused_now;
    snprintf(ret->reasons[0].reason, sizeof(ret->reasons[0].reason), "queue_full");
    ret->reasons[0].n = ret->refused;
    ret->reasons_n = 1;
}

static int file_counters(struct target *t, struct target_counters *ret, struct err *err)
{
    struct file_state *s = t->state;
    int64_t bytes = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct stat st;
        int rc = follow_read(&s->lines[i], count_lines, s, NULL);
        if (rc < 0)
            return file_error(t, i, rc, err);
        if (stat(t->env.files[i], &st) == 0)
            bytes += st.st_size;
    }
    ret->kernel_dropped = target_kernel_dropped(t);
    ret->stored = s->lines_n;
    ret->stored_bytes = bytes;
    read_taken(t, ret);
    return 0;
}

static int count_marks(void *context, struct view text)
{
    struct file_state *s = context;
    size_t n = strlen(s->mark);
    for (const char *p = text.p, *end = p + text.n; p < end; p += n) {
        p = memmem(p, (size_t)(end - p), s->mark, n);
        if (!p)
            break;
        s->marks_n++;
    }
    return 0;
}

static int file_visible(struct target *t, uint64_t run, int64_t *ret, struct err *err)
{
    struct file_state *s = t->state;
    char text[TARGET_RUN_TEXT];
    if (run != s->marks_run || s->mark[0] == 0) {
        target_run_text(run, text);
        snprintf(s->mark, sizeof(s->mark), "seq=%s-", text);
        s->marks_run = run;
        s->marks_n = 0;
        for (size_t i = 0; i < s->n; i++)
            s->marks[i].at = 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        int rc = follow_read(&s->marks[i], count_marks, s, NULL);
        if (rc < 0)
            return file_error(t, i, rc, err);
    }
    *ret = s->marks_n;
    return 0;
}

static int tally_lines(void *context, struct view text)
{
    tally_text(context, text);
    return 0;
}

static int file_read_back(struct target *t, uint64_t run, struct tally *tally,
                          const volatile sig_atomic_t *stop, struct err *err)
{
    struct file_state *s = t->state;
    int rc = 0;
    (void)run; /* the tally knows */
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        struct follow f;
        follow_init(&f, t->env.files[i]);
        rc = follow_read(&f, tally_lines, tally, stop);
        follow_done(&f);
        if (rc < 0)
            return file_error(t, i, rc, err);
    }
    return rc;
}

static int file_forget(struct target *t, struct err *err)
{
    struct file_state *s = t->state;
    int64_t received = 0;
    if (t->env.control[0] && target_control_received(t->env.control, &received) < 0)
        return err_set(err, EAGAIN, "not_answering", "%s does not answer", t->env.control);
    for (size_t i = 0; i < s->n; i++) {
        /* it appends: what it writes next lands at the beginning */
        if (truncate(t->env.files[i], 0) < 0 && errno != ENOENT)
            return err_set(err, errno, "not_emptied", "cannot empty %s: %s", t->env.files[i],
                           strerror(errno));
        s->lines[i].at = s->marks[i].at = 0;
    }
    s->marks_n = 0;
    taken_begin(t, target_count_on(&s->taken.received, received));
    return 0;
}

/* ---- canaries ---- */

static int find_canaries(void *context, struct view text)
{
    struct file_state *s = context;
    size_t n = strlen(s->canary);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (const char *p = text.p, *end = p + text.n; p < end;) {
        p = memmem(p, (size_t)(end - p), s->canary, n);
        if (!p)
            break;
        p += n;
        int64_t number = 0;
        for (int digits = 0; p < end && *p >= '0' && *p <= '9' && digits < 18; p++, digits++)
            number = number * 10 + (*p - '0');
        s->found(s->context, number, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    }
    return 0;
}

static void *watch(void *context)
{
    struct file_state *s = context;
    const struct timespec pause = {.tv_nsec = WATCH_PAUSE_MS * 1000000L};
    while (!s->is_watch_over) {
        for (size_t i = 0; i < s->n; i++)
            (void)!follow_read(&s->watch[i], find_canaries, s, &s->is_watch_over);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int file_watch_start(struct target *t, uint64_t run, target_found_fn found, void *context,
                            struct err *err)
{
    struct file_state *s = t->state;
    char text[TARGET_RUN_TEXT];
    target_run_text(run, text);
    snprintf(s->canary, sizeof(s->canary), "canary=%s-", text);
    s->found = found;
    s->context = context;
    s->is_watch_over = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct stat st;
        s->watch[i].at = stat(t->env.files[i], &st) == 0 ? st.st_size : 0;
    }
    int error = pthread_create(&s->thread, NULL, watch, s);
    return error ? err_set(err, error, "no_thread", "cannot start a thread: %s", strerror(error))
                 : 0;
}

static void file_watch_stop(struct target *t)
{
    struct file_state *s = t->state;
    s->is_watch_over = 1;
    pthread_join(s->thread, NULL);
}

/* ---- life ---- */

static void file_done(struct target *t)
{
    struct file_state *s = t->state;
    for (size_t i = 0; i < s->n; i++) {
        follow_done(&s->lines[i]);
        follow_done(&s->marks[i]);
        follow_done(&s->watch[i]);
    }
    free(s);
}

int target_file_open(struct target *t, struct err *err)
{
    static const struct target_store file = {
        .counters = file_counters,
        .read_back = file_read_back,
        .visible = file_visible,
        .forget = file_forget,
        .watch_start = file_watch_start,
        .watch_stop = file_watch_stop,
        .done = file_done,
    };
    struct file_state *s = xcalloc(1, sizeof(*s));
    (void)err;
    s->n = t->env.files_n;
    for (size_t i = 0; i < s->n; i++) {
        follow_init(&s->lines[i], t->env.files[i]);
        follow_init(&s->marks[i], t->env.files[i]);
        follow_init(&s->watch[i], t->env.files[i]);
    }
    t->store = &file;
    t->state = s;
    taken_begin(t, 0);
    t->facts.has_counters = t->facts.is_readable = true;
    return 0;
}
