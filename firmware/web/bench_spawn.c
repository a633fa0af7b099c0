/* Starting azekura-bench (bench_spawn.h). */
#include "web/bench_spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"

#define SAID_MAX_BYTES 16384 /* of standard error; more is read and dropped */
#define DELETED " (deleted)" /* what the kernel adds when the file was replaced by an update */

void bench_args_add(struct bench_args *a, const char *text)
{
    CHECK(a->n < BENCH_ARGS_MAX);
    a->list[a->n++] = text;
    a->list[a->n] = NULL;
}

char *bench_program(void)
{
    char self[4096] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    size_t end = n > 0 ? (size_t)n : 0, cut = sizeof(DELETED) - 1;
    if (end > cut && strcmp(self + end - cut, DELETED) == 0)
        self[end - cut] = 0;
    const char *slash = strrchr(self, '/');
    return xasprintf("%.*s/azekura-bench", slash ? (int)(slash - self) : 0, self);
}

/* Signals as a program expects them: ours are blocked for the threads, and SIGPIPE is ignored. */
static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t none, defaults;
    sigemptyset(&none);
    sigfillset(&defaults);
    int error = posix_spawnattr_setsigmask(attr, &none);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attr, &defaults);
    if (error == 0)
        error = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETSIGDEF);
    return error;
}

static int set_files(posix_spawn_file_actions_t *files, const char *home, int out, int errors)
{
    int error = posix_spawn_file_actions_addchdir_np(files, home);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(files, out, 1);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(files, errors, 2);
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(files, 3);
    return error;
}

static int start(const struct bench_args *a, const char *home, int out, int errors, pid_t *ret,
                 struct err *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    char *home_entry = xasprintf("HOME=%s", home);
    char *env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                   "LANG=C.UTF-8", home_entry, NULL};
    CHECK(posix_spawnattr_init(&attr) == 0 && posix_spawn_file_actions_init(&files) == 0);
    CHECK(out > 2 && errors > 2); /* a standard one of ours would be closed by its own dup2 */
    int error = set_attributes(&attr);
    if (error == 0)
        error = set_files(&files, home, out, errors);
    if (error == 0)
        error = posix_spawn(ret, a->list[0], &files, &attr, (char *const *)a->list, env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    free(home_entry);
    if (error == 0)
        return 0;
    return err_set(err, EIO, "cannot_run", "cannot start %s: %s", a->list[0], strerror(error));
}

int bench_spawn(const struct bench_args *a, const char *home, int log, pid_t *ret, struct err *err)
{
    int rc = start(a, home, log, log, ret, err);
    if (rc < 0)
        return rc;
    /* when memory runs out the measuring program goes, not what it measures */
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)*ret);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "500", 3);
        close(fd);
    }
    return 0;
}

/* ---- to its end ---- */

struct listener {
    struct pollfd pipes[2]; /* of standard output and error; -1: at its end */
    struct buf *out, said;
    int64_t until_mono_us;
};

/* 1 when there is more to come, 0 at the end of both, or negative. */
static int listen_on(struct listener *l)
{
    int64_t left_us = l->until_mono_us - clock_mono_us();
    int open_n = 0;
    for (int i = 0; i < 2; i++)
        open_n += l->pipes[i].fd >= 0;
    if (open_n == 0)
        return 0;
    if (left_us <= 0)
        return -ETIMEDOUT;
    if (poll(l->pipes, 2, (int)(left_us / 1000) + 1) <= 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        char part[8192];
        if (l->pipes[i].fd < 0 || !l->pipes[i].revents)
            continue;
        ssize_t n = read(l->pipes[i].fd, part, sizeof(part));
        if (n <= 0) {
            close(l->pipes[i].fd);
            l->pipes[i].fd = -1;
        } else if (i == 0 && buf_add(l->out, part, (size_t)n) < 0) {
            return -E2BIG;
        } else if (i == 1) {
            (void)buf_add(&l->said, part, MIN((size_t)n, l->said.max - l->said.n));
        }
    }
    return 1;
}

/* Its exit code; killed when it is not done by `until`. */
static int end_of(pid_t pid, int64_t until_mono_us)
{
    int status = 0;
    struct pollfd p = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    int64_t left_us = MAX(0, until_mono_us - clock_mono_us());
    if (p.fd < 0 || poll(&p, 1, (int)(left_us / 1000)) <= 0)
        (void)kill(pid, SIGKILL);
    if (p.fd >= 0)
        close(p.fd);
    while (waitpid(pid, &status, 0) < 0)
        CHECK(errno == EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void bench_last_line(struct view text, char *out, size_t max)
{
    struct buf clean = BUF_INIT(2 * max);
    text = view_trim(text);
    const char *line = text.n > 0 ? memrchr(text.p, '\n', text.n) : NULL;
    if (line)
        text = view_of(line + 1, text.n - (size_t)(line + 1 - text.p));
    struct view named = VIEW("azekura-bench: ");
    if (view_starts_with(text, named))
        text = view_of(text.p + named.n, text.n - named.n);
    (void)!utf8_clean(view_of(text.p, MIN(text.n, max / 2)), &clean);
    size_t n = MIN(clean.n, max - 1);
    n = utf8_clean_prefix(view_of(buf_view(&clean).p, n));
    memcpy(out, buf_view(&clean).p, n);
    out[n] = 0;
    buf_free(&clean);
}

int bench_run_and_read(const struct bench_args *a, const char *home, int64_t timeout_us,
                       struct buf *out, char *said, size_t said_max, struct err *err)
{
    int to_out[2], to_said[2];
    pid_t pid;
    said[0] = 0;
    if (pipe2(to_out, O_CLOEXEC) < 0)
        return err_set(err, errno, "cannot_run", "cannot make a pipe: %s", strerror(errno));
    if (pipe2(to_said, O_CLOEXEC) < 0) {
        int error = errno;
        close(to_out[0]);
        close(to_out[1]);
        return err_set(err, error, "cannot_run", "cannot make a pipe: %s", strerror(error));
    }
    int rc = start(a, home, to_out[1], to_said[1], &pid, err);
    close(to_out[1]);
    close(to_said[1]);
    struct listener l = {
        .pipes = {{.fd = to_out[0], .events = POLLIN}, {.fd = to_said[0], .events = POLLIN}},
        .out = out,
        .said = BUF_INIT(SAID_MAX_BYTES),
        .until_mono_us = clock_mono_us() + timeout_us};
    if (rc == 0) {
        while ((rc = listen_on(&l)) > 0)
            ;
        int code = end_of(pid, rc < 0 ? 0 : l.until_mono_us);
        if (rc == -E2BIG)
            (void)err_set(err, E2BIG, "too_large", "azekura-bench %s printed more than %zu bytes",
                          a->list[1], out->max);
        else if (rc < 0)
            (void)err_set(err, ETIMEDOUT, "too_slow", "azekura-bench %s did not end within %lld s",
                          a->list[1], (long long)(timeout_us / US_PER_SECOND));
        else
            rc = code;
        bench_last_line(buf_view(&l.said), said, said_max);
    }
    for (int i = 0; i < 2; i++) {
        if (l.pipes[i].fd >= 0)
            close(l.pipes[i].fd);
    }
    buf_free(&l.said);
    return rc;
}
