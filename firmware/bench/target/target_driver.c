/* Starting a driver, hearing what it says, stopping it.
 *
 * The driver leads a session of its own, so that a Ctrl-C at the terminal reaches the benchmark
 * alone, which then stops it in order.  When the thread that started it dies, the kernel sends it
 * SIGTERM, and what it started gets a signal when the driver dies: nothing is left running, whoever
 * is killed. */
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/target/target_inside.h"

#define READY_US (120 * US_PER_SECOND)
#define STOP_US (60 * US_PER_SECOND)
#define LOOK_MS 20
#define ENV_MAX 256

extern char **environ;

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    nanosleep(&pause, NULL);
}

/* ---- starting ---- */

struct environment {
    char *list[ENV_MAX + 4];
    size_t n;
};

static void env_add(struct environment *e, const char *name, const char *value)
{
    e->list[e->n++] = xasprintf("%s=%s", name, value);
}

static void env_free(struct environment *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->list[i]);
}

/* Ours without what steers libpq, and where the driver finds things. */
static void env_make(struct environment *e, const struct target_options *o)
{
    static const char *const ours[] = {
        "AZEKURA_BENCH_PROGRAMS=", "AZEKURA_BENCH_PEERS=", "AZEKURA_TOKEN="};
    char programs[SHARE_PATH_MAX] = "/usr/bin";
    for (char **p = environ; *p && e->n < ENV_MAX; p++) {
        bool is_kept = strncmp(*p, "PG", 2) != 0;
        for (size_t i = 0; i < ARRAY_LEN(ours); i++)
            is_kept = is_kept && strncmp(*p, ours[i], strlen(ours[i])) != 0;
        if (is_kept)
            e->list[e->n++] = xstrdup(*p);
    }
    (void)!share_program_dir(programs);
    const char *peers = o->peers_dir ? o->peers_dir : getenv("AZEKURA_BENCH_PEERS");
    env_add(e, "AZEKURA_BENCH_PROGRAMS", programs);
    char absolute[PATH_MAX];
    if (peers && *peers) /* drivers work in folders of their own */
        env_add(e, "AZEKURA_BENCH_PEERS", realpath(peers, absolute) ? absolute : peers);
}

/* In the child, between fork and exec: system calls only, as other threads may hold locks. */
static _Noreturn void become_driver(const char *path, char *const argv[], char *const envp[],
                                    int log_fd, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int null_fd = open("/dev/null", O_RDONLY);
    if (getppid() != parent || null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(log_fd, 1) < 0 ||
        dup2(log_fd, 2) < 0)
        _exit(127);
    close_range(3, UINT_MAX, 0);
    execve(path, argv, envp);
    _exit(126);
}

static int spawn(const char *driver, const char *what, const char *dir, const char *variant,
                 char *const envp[], pid_t *ret, struct err *err)
{
    char log[TARGET_DIR_MAX + 16];
    snprintf(log, sizeof(log), "%s/driver.log", dir);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "bad_folder", "cannot write %s: %s", log, strerror(errno));
    char *const argv[] = {(char *)driver, (char *)what, (char *)dir, (char *)variant, NULL};
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_driver(driver, argv, envp, fd, parent);
    int error = errno;
    close(fd);
    if (pid < 0)
        return err_set(err, error, "not_started", "cannot start %s: %s", driver, strerror(error));
    *ret = pid;
    return 0;
}

/* ---- what it says ---- */

/* The last line of its log, for a message. */
static void last_words(const struct target *t, char *ret, size_t size)
{
    char path[TARGET_DIR_MAX + 16], text[2048];
    snprintf(path, sizeof(path), "%s/driver.log", t->dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    off_t from = end > (off_t)sizeof(text) ? end - (off_t)sizeof(text) : 0;
    ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof(text), from);
    if (fd >= 0)
        close(fd);
    struct view rest_of = view_trim(view_of(text, n > 0 ? (size_t)n : 0));
    const char *line = rest_of.n > 0 ? memrchr(rest_of.p, '\n', rest_of.n) : NULL;
    if (line)
        rest_of = view_of(line + 1, rest_of.n - (size_t)(line + 1 - rest_of.p));
    const char *slash =
        strrchr(t->driver, '/'); /* it begins with the driver's name, as ours does */
    struct view name = view_str(slash ? slash + 1 : t->driver);
    if (view_starts_with(rest_of, name) && rest_of.n > name.n + 2 && rest_of.p[name.n] == ':')
        rest_of = view_of(rest_of.p + name.n + 2, rest_of.n - name.n - 2);
    snprintf(ret, size, "%.*s", (int)MIN(rest_of.n, 300),
             rest_of.n > 0 ? rest_of.p : "it said nothing");
}

/* 1 when there is a target.env other than the one read last (and it is read), 0 not, negative. */
static int read_env(struct target *t, struct err *err)
{
    char path[TARGET_DIR_MAX + 16], text[TARGET_ENV_MAX_BYTES + 1];
    struct stat st;
    snprintf(path, sizeof(path), "%s/target.env", t->dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0
                               : err_set(err, errno, "bad_driver", "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) < 0 ||
        (st.st_ino == t->env_stat.st_ino && st.st_mtim.tv_sec == t->env_stat.st_mtim.tv_sec &&
         st.st_mtim.tv_nsec == t->env_stat.st_mtim.tv_nsec)) {
        close(fd);
        return 0;
    }
    ssize_t n = read(fd, text, sizeof(text));
    close(fd);
    if (n < 0)
        return err_set(err, EIO, "bad_driver", "cannot read %s", path);
    int rc = target_env_parse(view_of(text, (size_t)n), &t->env, err);
    if (rc < 0)
        return rc;
    t->env_stat = st;
    return 1;
}

/* Has the driver ended?  It is remembered. */
static bool has_ended(struct target *t, struct err *err)
{
    int status;
    char words[301];
    if (t->pid > 0 && waitpid(t->pid, &status, WNOHANG) != t->pid)
        return false;
    t->pid = 0;
    last_words(t, words, sizeof(words));
    (void)err_set(err, ECHILD, "driver_ended", "%s (more in %s/driver.log)", words, t->dir);
    return true;
}

int target_driver_look(struct target *t, struct err *err)
{
    if (t->pid == 0 || has_ended(t, err))
        return -ECHILD;
    int rc = read_env(t, err);
    return rc < 0 ? rc : 0;
}

int target_driver_wait(struct target *t, const volatile sig_atomic_t *stop, struct err *err)
{
    int64_t until = clock_mono_us() + READY_US;
    for (;;) {
        int rc = read_env(t, err);
        if (rc != 0)
            return rc < 0 ? rc : 0;
        if (has_ended(t, err))
            return -ECHILD;
        if (stop && *stop)
            return err_set(err, EINTR, "stopped", "stopped while it was starting");
        if (clock_mono_us() > until)
            return err_set(err, ETIMEDOUT, "not_ready",
                           "it did not take messages within %lld s; see %s/driver.log",
                           (long long)(READY_US / US_PER_SECOND), t->dir);
        rest();
    }
}

int target_driver_start(struct target *t, const struct target_options *o,
                        const volatile sig_atomic_t *stop, struct err *err)
{
    struct environment e = {.n = 0};
    char path[TARGET_DIR_MAX + 16];
    snprintf(path, sizeof(path), "%s/target.env", t->dir);
    if (unlink(path) < 0 && errno != ENOENT)
        return err_set(err, errno, "bad_folder", "cannot remove %s: %s", path, strerror(errno));
    env_make(&e, o);
    int rc = spawn(t->driver, "run", t->dir, t->variant, e.list, &t->pid, err);
    env_free(&e);
    return rc < 0 ? rc : target_driver_wait(t, stop, err);
}

/* ---- stopping ---- */

static bool ends_within(pid_t pid, int64_t patience_us, int *ret_status)
{
    int64_t until = clock_mono_us() + patience_us;
    pid_t got;
    while ((got = waitpid(pid, ret_status, WNOHANG)) == 0 && clock_mono_us() < until)
        rest();
    return got != 0;
}

bool target_driver_clean(const char *driver, const char *dir)
{
    struct environment e = {.n = 0};
    struct target_options none = {.spec = ""};
    int status = -1;
    pid_t pid;
    env_make(&e, &none);
    bool is_clean = spawn(driver, "clean", dir, "", e.list, &pid, NULL) == 0;
    env_free(&e);
    if (is_clean && !ends_within(pid, STOP_US, &status)) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    return is_clean && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void target_driver_stop(struct target *t)
{
    int status = -1;
    if (t->pid > 0) {
        kill(t->pid, SIGTERM);
        if (!ends_within(t->pid, STOP_US, &status)) {
            kill(-t->pid, SIGKILL); /* its processes are in its group, or get a signal as it dies */
            waitpid(t->pid, &status, 0);
        }
        t->pid = 0;
    }
    if (t->driver[0] && t->dir[0] && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        target_driver_clean(t->driver, t->dir);
}
