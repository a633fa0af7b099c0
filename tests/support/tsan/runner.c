/* main() of a unit test built with ThreadSanitizer: runs each test in a process of its own, at most
 * --jobs of them at a time, and says in Criterion's words what failed.
 *
 * A test passes when no assertion failed in it and its process ended as the test says: by default
 * with exit(0), after which ThreadSanitizer has spoken too (it exits with 66 when it has found
 * something).  Anything else is a crash.  No test at all is a failure.
 */
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* of a test that names no time of its own: well above the slowest one, well below ctest's limit */
#define CR_TIMEOUT_S 120
#define CR_JOBS_MAX 64

/* what a test shares with the runner */
struct verdict {
    atomic_uint failed; /* assertions */
};

struct job {
    pid_t pid; /* 0: free */
    const struct cr_entry *test;
    struct verdict *verdict;
    double begun_s, deadline_s; /* monotonic */
    bool is_late;
};

static struct cr_entry *first, **last = &first;

static int report_fd = STDERR_FILENO;
static struct verdict *current;
static pid_t test_pid;
static pthread_t test_thread;
static jmp_buf test_end;
static int kept_stderr = -1;

void cr_register(struct cr_entry *e)
{
    *last = e;
    last = &e->next;
}

/* ---- in the test's process ---- */

/* in one write, so that lines of tests that run side by side are not mixed */
static void report(const char *text, int n, size_t size)
{
    if (n > 0 && write(report_fd, text, (size_t)n < size ? (size_t)n : size - 1) < 0)
        _exit(EXIT_FAILURE);
}

void cr_failed(const char *file, int line, bool is_fatal, const char *what, const char *format, ...)
{
    char message[4096], text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    const char *shown = message[1] ? message + 1 : "";
    int n = snprintf(text, sizeof(text),
                     "[----] %s:%d: Assertion Failed\n[----]\n[----]   %s\n%s%s%s", file, line,
                     what, *shown ? "[----]   " : "", shown, *shown ? "\n[----]\n" : "[----]\n");
    report(text, n, sizeof(text));
    atomic_fetch_add(&current->failed, 1);
    if (!is_fatal)
        return;
    if (getpid() == test_pid && pthread_equal(pthread_self(), test_thread))
        longjmp(test_end, 1);
    _exit(EXIT_FAILURE); /* another thread or process: there is no way back into the test */
}

__attribute__((format(printf, 2, 0))) static void log_line(const char *level, const char *format,
                                                           va_list args)
{
    char text[4096];
    int n = snprintf(text, sizeof(text), "[%s] ", level);
    vsnprintf(text + n, sizeof(text) - 1 - (size_t)n, format, args);
    strcat(text, "\n");
    report(text, (int)strlen(text), sizeof(text));
}

void cr_log_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_line("WARN", format, args);
    va_end(args);
}

void cr_log_info(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_line("INFO", format, args);
    va_end(args);
}

void cr_skipped(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_line("SKIP", format, args);
    va_end(args);
    if (getpid() == test_pid && pthread_equal(pthread_self(), test_thread))
        longjmp(test_end, 1);
    _exit(EXIT_FAILURE);
}

void cr_redirect_stderr(void)
{
    fflush(stderr);
    kept_stderr = memfd_create("stderr", MFD_CLOEXEC);
    cr_assert(kept_stderr >= 0 && dup2(kept_stderr, STDERR_FILENO) >= 0, "%s", strerror(errno));
}

FILE *cr_get_redirected_stderr(void)
{
    /* opened anew: the reader has its own place in the file */
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", kept_stderr);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", strerror(errno));
    return f;
}

static const struct cr_options *suite_options(const struct cr_entry *test)
{
    static const struct cr_options none;
    for (const struct cr_entry *e = first; e; e = e->next)
        if (!e->run && strcmp(e->suite, test->suite) == 0)
            return &e->options;
    return &none;
}

static void call(void (*step)(void))
{
    if (step && setjmp(test_end) == 0)
        step();
}

static _Noreturn void run_test(const struct cr_entry *test, struct verdict *verdict)
{
    const struct cr_options *suite = suite_options(test);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    current = verdict;
    test_pid = getpid();
    test_thread = pthread_self();
    call(suite->init);
    call(test->options.init);
    if (atomic_load(&verdict->failed) == 0)
        call(test->run);
    call(test->options.fini);
    call(suite->fini);
    exit(EXIT_SUCCESS);
}

/* ---- in the runner ---- */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(bool is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "runner: %s: %s\n", what, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

static void start(struct job *j, const struct cr_entry *test)
{
    if (!j->verdict) {
        j->verdict = mmap(NULL, sizeof(*j->verdict), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        must(j->verdict != MAP_FAILED, "mmap");
    }
    atomic_store(&j->verdict->failed, 0);
    j->test = test;
    j->is_late = false;
    j->begun_s = now_s();
    double limit = test->options.timeout > 0 ? test->options.timeout : suite_options(test)->timeout;
    j->deadline_s = j->begun_s + (limit > 0 ? limit : CR_TIMEOUT_S);
    fflush(NULL);
    j->pid = fork();
    must(j->pid >= 0, "fork");
    if (j->pid == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        run_test(test, j->verdict);
    }
}

/* of tests */
struct counts {
    unsigned tested, failing, crashing;
};

static void judge(const struct job *j, int status, struct counts *counts)
{
    const struct cr_options *o = &j->test->options;
    bool is_expected = o->signal ? WIFSIGNALED(status) && WTERMSIG(status) == o->signal
                                 : WIFEXITED(status) && WEXITSTATUS(status) == o->exit_code;
    unsigned failed = atomic_load(&j->verdict->failed);
    counts->tested++;
    if (failed == 0 && is_expected && !j->is_late)
        return;
    char how[64] = "";
    if (j->is_late)
        snprintf(how, sizeof(how), "timed out, ");
    else if (!is_expected && WIFSIGNALED(status))
        snprintf(how, sizeof(how), "killed by signal %d, ", WTERMSIG(status));
    else if (!is_expected)
        snprintf(how, sizeof(how), "exit status %d, ", WEXITSTATUS(status));
    if (failed)
        counts->failing++;
    else
        counts->crashing++;
    fprintf(stderr, "[%s] %s::%s: (%s%.2fs)\n", failed ? "FAIL" : "CRASH!", j->test->suite,
            j->test->name, how, now_s() - j->begun_s);
}

/* Waits until a test ends or is late, and judges those that ended. */
static void reap(struct job *jobs, size_t n, struct counts *counts)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    double wait_s = CR_TIMEOUT_S, now = now_s();
    for (size_t i = 0; i < n; i++)
        if (jobs[i].pid && !jobs[i].is_late && jobs[i].deadline_s - now < wait_s)
            wait_s = jobs[i].deadline_s > now ? jobs[i].deadline_s - now : 0;
    struct timespec t = {(time_t)wait_s, (long)((wait_s - (double)(time_t)wait_s) * 1e9)};
    sigtimedwait(&set, NULL, &t);
    for (size_t i = 0; i < n; i++) {
        int status;
        if (!jobs[i].pid)
            continue;
        if (waitpid(jobs[i].pid, &status, WNOHANG) == jobs[i].pid) {
            judge(&jobs[i], status, counts);
            jobs[i].pid = 0;
        } else if (!jobs[i].is_late && now_s() >= jobs[i].deadline_s) {
            jobs[i].is_late = true;
            if (kill(-jobs[i].pid, SIGKILL) < 0) /* with what it forked */
                kill(jobs[i].pid, SIGKILL);
        }
    }
}

static size_t jobs_of(int argc, char **argv)
{
    size_t n = 1;
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (strncmp(argv[i], "--jobs=", 7) == 0)
            n = strtoul(argv[i] + 7, &end, 10);
        if (strncmp(argv[i], "--jobs=", 7) != 0 || *end || n < 1 || n > CR_JOBS_MAX) {
            fprintf(stderr, "usage: %s [--jobs=1..%d], not %s\n", argv[0], CR_JOBS_MAX, argv[i]);
            exit(EXIT_FAILURE);
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    size_t n = jobs_of(argc, argv), running = 0;
    static struct job jobs[CR_JOBS_MAX];
    struct counts counts = {0};
    report_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    must(report_fd >= 0, "standard error");
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    const struct cr_entry *next = first;
    do {
        for (size_t i = 0; i < n; i++) {
            while (next && (!next->run || next->options.disabled))
                next = next->next;
            if (next && !jobs[i].pid) {
                start(&jobs[i], next);
                next = next->next;
            }
        }
        running = 0;
        for (size_t i = 0; i < n; i++)
            running += jobs[i].pid != 0;
        if (running)
            reap(jobs, n, &counts);
    } while (running);
    unsigned bad = counts.failing + counts.crashing;
    fprintf(stderr, "[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u\n",
            counts.tested, counts.tested - bad, counts.failing, counts.crashing);
    return bad || counts.tested == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
