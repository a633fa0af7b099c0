/* Programs (run.h).  The child is a session of its own, so that all it started ends with it. */
#include "helper/run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "helper/place.h"

#define SAID_MAX 200 /* bytes of a program's last words in an error */

static _Noreturn void child(const char *path, const char *const argv[], int out_fd)
{
    static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                                        "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0", NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int in_fd = open("/dev/null", O_RDONLY);
    if (setsid() < 0 || in_fd < 0 || dup2(in_fd, 0) < 0 || dup2(out_fd, 1) < 0 ||
        dup2(out_fd, 2) < 0)
        _exit(127);
    close_range(3, ~0u, 0);
    execve(path, (char *const *)argv, environment);
    _exit(127);
}

/* Until the program closes its output.  False: time is over. */
static bool collect(int fd, int64_t until_mono_us, struct buf *out)
{
    for (;;) {
        int64_t left_us = until_mono_us - clock_mono_us();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int r = left_us <= 0 ? 0 : poll(&p, 1, (int)(left_us / 1000) + 1);
        if (r == 0)
            return false;
        char bytes[8192];
        ssize_t n = r < 0 ? -1 : read(fd, bytes, sizeof(bytes));
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return true;
        if (n > 0 && buf_add(out, bytes, MIN((size_t)n, out->max - out->n)) < 0)
            return true;
    }
}

/* The program has closed its output; it may still take a moment to end. */
static bool wait_end(pid_t pid, int64_t until_mono_us, int *ret_status)
{
    for (;;) {
        pid_t r = waitpid(pid, ret_status, WNOHANG);
        if (r == pid || (r < 0 && errno != EINTR))
            return r == pid;
        if (clock_mono_us() >= until_mono_us)
            return false;
        poll(NULL, 0, 5);
    }
}

/* The last line that it printed, without what no log should hold. */
static const char *last_words(const struct buf *out, char said[SAID_MAX])
{
    struct view v = view_trim(buf_view(out));
    const char *newline = v.n ? memrchr(v.p, '\n', v.n) : NULL;
    if (newline)
        v = view_of(newline + 1, v.n - (size_t)(newline + 1 - v.p));
    size_t n = MIN(v.n, SAID_MAX - 1);
    for (size_t i = 0; i < n; i++)
        said[i] = v.p[i] >= ' ' && v.p[i] < 0x7f ? v.p[i] : '?';
    said[n] = '\0';
    return n ? said : "it said nothing";
}

static int judge(const char *name, int status, bool is_in_time, const struct buf *out,
                 int timeout_ms, struct err *err)
{
    char said[SAID_MAX];
    if (!is_in_time)
        return err_set(err, ETIMEDOUT, "program", "%s did not end within %d s", name,
                       timeout_ms / 1000);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFSIGNALED(status))
        return err_set(err, EIO, "program", "%s was ended by signal %d", name, WTERMSIG(status));
    return err_set(err, EIO, "program", "%s failed (%d): %s", name, WEXITSTATUS(status),
                   last_words(out, said));
}

int run(const struct helper *h, const char *const argv[], int timeout_ms, struct buf *out,
        struct err *err)
{
    char path[PLACE_PATH_MAX];
    const char *name = argv[0];
    if (access(place_path(h, name, path), X_OK) < 0)
        return err_set(err, ENOENT, "program", "%s is not installed", name);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "program", "cannot run %s: %s", name, strerror(errno));
    struct buf own = BUF_INIT(8192);
    pid_t pid = fork();
    if (pid == 0)
        child(path, argv, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        int e = errno;
        close(ends[0]);
        return err_set(err, e, "program", "cannot run %s: %s", name, strerror(e));
    }
    int64_t until = clock_mono_us() + timeout_ms * INT64_C(1000);
    int status = 0;
    bool is_in_time = collect(ends[0], until, out ? out : &own) && wait_end(pid, until, &status);
    close(ends[0]);
    if (!is_in_time) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    int r = judge(name, status, is_in_time, out ? out : &own, timeout_ms, err);
    buf_free(&own);
    return r;
}
