/* Signals that end a run, and the sentence that says who sent them. */
#include "bench/run/run_stop.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "bench/facts.h"

#define SAME_STOP_S 5    /* between two who pass on the same stop */
#define STOPPED_END_S 20 /* after the first signal everything ends within this */

volatile sig_atomic_t run_stopped_by, run_aborted;
static volatile sig_atomic_t sender;
static time_t stopped_at_s; /* of the handler alone */

/* A service manager that stops the console tells everybody in its control group, and the console
 * tells its run: that is one stop, and the run ends in order.  Nobody waited in vain yet. */
static bool is_same_stop(int number, const siginfo_t *info)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return number == SIGTERM && run_stopped_by == SIGTERM && info->si_code == SI_USER &&
           info->si_pid != sender && now.tv_sec - stopped_at_s <= SAME_STOP_S;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    struct timespec now;
    if (number == SIGALRM || run_stopped_by) {
        if (!is_same_stop(number, info))
            run_aborted = 1;
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    stopped_at_s = now.tv_sec;
    /* a terminal's signals come from the kernel */
    sender = info->si_code == SI_USER ? info->si_pid : 0;
    run_stopped_by = number;
    alarm(STOPPED_END_S);
}

void run_stop_catch(void)
{
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    /* one at a time: who sent the first is read as a pair with it */
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        sigaddset(&a.sa_mask, numbers[i]);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        sigaction(numbers[i], &a, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* ---- who ---- */

static void set(struct stages_reason *r, const char *en, const char *ja)
{
    snprintf(r->en, sizeof(r->en), "%s", en);
    snprintf(r->ja, sizeof(r->ja), "%s", ja);
    r->en[utf8_clean_prefix(view_str(r->en))] = 0; /* not cut within a letter */
    r->ja[utf8_clean_prefix(view_str(r->ja))] = 0;
}

static bool read_told(const char *folder, struct stages_reason *ret)
{
    char path[PATH_MAX], text[RUN_STOP_FILE_MAX_BYTES];
    struct stat st;
    snprintf(path, sizeof(path), "%s/" RUN_STOP_FILE, folder);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t n = is_file ? read(fd, text, sizeof(text)) : 0;
    close(fd);
    cJSON *said = n > 0 ? cJSON_ParseWithLength(text, (size_t)n) : NULL;
    const char *en = facts_text(said, "en"), *ja = facts_text(said, "ja");
    bool is_told = *en && *ja;
    if (is_told)
        set(ret, en, ja);
    cJSON_Delete(said);
    return is_told;
}

/* "process 4711 (systemd)", as long as it lives. */
static void name_process(pid_t pid, char *ret, size_t size)
{
    char path[64], comm[64];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, comm, sizeof(comm) - 1);
    if (fd >= 0)
        close(fd);
    comm[n > 0 ? n : 0] = 0;
    comm[strcspn(comm, "\n")] = 0;
    comm[utf8_clean_prefix(view_str(comm))] = 0;
    snprintf(ret, size, comm[0] ? "process %d (%s)" : "process %d", (int)pid, comm);
}

void run_stop_reason(const char *folder, int number, pid_t pid, struct stages_reason *ret)
{
    const char *name = number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
    char who[128], en[200], ja[300];
    if (number == SIGTERM && read_told(folder, ret))
        return;
    if (number == SIGINT && pid == 0) {
        set(ret, "it was stopped by Ctrl-C (SIGINT)", "Ctrl-C (SIGINT) で停止されました");
        return;
    }
    if (number == SIGHUP && pid == 0) {
        set(ret, "it was stopped because its terminal was closed (SIGHUP)",
            "端末が閉じられたため (SIGHUP) 停止しました");
        return;
    }
    if (pid > 0)
        name_process(pid, who, sizeof(who));
    else
        snprintf(who, sizeof(who), "the kernel");
    snprintf(en, sizeof(en), "it was stopped by %s of %s", name, who);
    snprintf(ja, sizeof(ja), "%s からの %s で停止されました", who, name);
    set(ret, en, ja);
}

void run_stop_why(const char *folder, struct stages_reason *ret)
{
    run_stop_reason(folder, run_stopped_by, sender, ret);
}
