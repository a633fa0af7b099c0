/* The life of benchmark runs (bench_watch.h). */
#include "web/bench_watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"
#include "config/log.h"
#include "store/account.h"
#include "store/audit.h"
#include "store/event.h"
#include "web/bench_history.h"
#include "web/bench_summary.h"

#define LOG_MAX_BYTES (1 << 20)                /* of what a run prints; it then begins anew */
#define START_PATIENCE_US (10 * US_PER_SECOND) /* until it has its lock; it may have it later */
#define STOP_PATIENCE_US (12 * US_PER_SECOND)  /* of azekura-web when it stops */
#define LOOK_NS 20000000                       /* while waiting for either */
#define NUMBER_MAX 9                           /* runs of a profile within one second */
#define ID_MAX (BENCH_ID_MAX + 1)
#define MARK_MAX (ID_MAX + 8)
#define TOKEN_NAME_MAX (ID_MAX + 16)

struct bench_watch {
    char *state_dir, *home, *program;
    atomic_bool is_stopping;
    bool tokens_are_swept; /* of the looking thread */
    pthread_mutex_t begin; /* held while one begins, and while the ended are tidied up */
    char last_id[ID_MAX];  /* of `begin`: the last one given, without its number … */
    int last_number; /* … and that: what failed at once does not share its id with the next */
    pthread_mutex_t lock; /* of: */
    pid_t child;          /* not waited for yet; 0: none */
    char child_id[ID_MAX];
};

struct bench_watch *bench_watch_new(const struct config *file)
{
    struct bench_watch *b = xcalloc(1, sizeof(*b));
    b->state_dir = xstrdup(file->state_dir);
    b->home = xasprintf("%s/web/bench", file->state_dir);
    b->program = bench_program();
    CHECK(pthread_mutex_init(&b->begin, NULL) == 0 && pthread_mutex_init(&b->lock, NULL) == 0);
    return b;
}

void bench_watch_free(struct bench_watch **pb)
{
    struct bench_watch *b = *pb;
    *pb = NULL;
    if (!b)
        return;
    pthread_mutex_destroy(&b->begin);
    pthread_mutex_destroy(&b->lock);
    free(b->state_dir);
    free(b->home);
    free(b->program);
    free(b);
}

const char *bench_watch_program(const struct bench_watch *b)
{
    return b->program;
}

const char *bench_watch_home(const struct bench_watch *b)
{
    return b->home;
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

static void token_name(const char *id, char out[TOKEN_NAME_MAX])
{
    snprintf(out, TOKEN_NAME_MAX, BENCH_TOKEN_PREFIX "%s", id);
}

/* ---- does it live ---- */

/* Our child of this id has not ended; one that has is waited for, its status in *ret_status. */
static bool child_lives(struct bench_watch *b, const char *id, int *ret_status)
{
    int status = 0;
    pthread_mutex_lock(&b->lock);
    bool is_it = b->child > 0 && (!id || strcmp(b->child_id, id) == 0);
    if (is_it && waitpid(b->child, &status, WNOHANG) != 0) {
        b->child = 0;
        is_it = false;
        if (ret_status)
            *ret_status = status;
    }
    pthread_mutex_unlock(&b->lock);
    return is_it;
}

bool bench_watch_is_running(struct bench_watch *b, int dir, const char *id)
{
    return bench_folder_holder(dir) != 0 || child_lives(b, id, NULL);
}

bool bench_watch_is_open(struct bench_watch *b, int root, int dir, const char *id)
{
    struct stat st;
    int marks = bench_folder_marks(root, NULL);
    bool is_open = marks >= 0 && fstatat(marks, id, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (marks >= 0)
        close(marks);
    return is_open || bench_watch_is_running(b, dir, id);
}

/* Of those that are named in `list` (a folder), the newest that lives. */
static bool find_living(struct bench_watch *b, int root, int list, char ret_id[])
{
    struct arena arena = ARENA_INIT;
    const char **ids;
    bool is_found = false;
    int n = bench_folder_list(list, NULL, &arena, &ids, NULL);
    for (int i = 0; i < MIN(n, BENCH_RUNS_MAX) && !is_found; i++) {
        int dir = bench_folder_run(root, ids[i], NULL);
        is_found = bench_watch_is_running(b, dir, ids[i]);
        if (is_found)
            snprintf(ret_id, ID_MAX, "%s", ids[i]);
        if (dir >= 0)
            close(dir);
    }
    arena_done(&arena);
    return is_found;
}

/* One that was started here, or by hand into our folder. */
static bool find_any(struct bench_watch *b, int root, int marks, char ret_id[])
{
    return find_living(b, root, marks, ret_id) || find_living(b, root, root, ret_id);
}

bool bench_watch_any_lives(struct bench_watch *b, char ret_id[])
{
    int root = bench_folder_root(b->state_dir, NULL);
    int marks = root < 0 ? -1 : bench_folder_marks(root, NULL);
    bool lives = marks >= 0 && find_any(b, root, marks, ret_id);
    if (marks >= 0)
        close(marks);
    if (root >= 0)
        close(root);
    return lives;
}

/* ---- its end ---- */

/* The token goes and the event comes together, so that the event is told once. */
static int say_end(PGconn *db, const char *id, const cJSON *summary, bool was_running,
                   struct err *err)
{
    char name[TOKEN_NAME_MAX];
    const char *state = bench_summary_text(summary, "state");
    const char *verdict = bench_summary_text(summary, "verdict");
    bool is_judged = strcmp(state, "complete") == 0 && strcmp(verdict, "none") != 0;
    struct event_params p = {.text = {"id", id, "state", is_judged ? verdict : state, "profile",
                                      bench_summary_text(summary, "profile"), "target",
                                      bench_summary_text(summary, "target")},
                             .n = 4};
    token_name(id, name);
    int64_t rc = store_execute(db, "begin", 0, NULL, err);
    if (rc >= 0)
        rc = token_remove(db, "web", name, err);
    if (rc == -ENOENT) /* of a private instance, which needs none */
        rc = 0;
    if (rc >= 0 && was_running)
        rc = event_add(db, EVENT_BENCH_ENDED, &p, err);
    if (rc >= 0)
        rc = store_execute(db, "commit", 0, NULL, err);
    else if (PQtransactionStatus(db) == PQTRANS_INERROR)
        (void)!store_execute(db, "rollback", 0, NULL, NULL);
    return rc < 0 ? (int)rc : 0;
}

static void remove_mark(int marks, const char *id, const char *suffix)
{
    char name[MARK_MAX];
    snprintf(name, sizeof(name), "%s%s", id, suffix);
    if (unlinkat(marks, name, 0) < 0 && errno != ENOENT)
        log_line(LOG_WARNING, "cannot remove %s of the benchmark %s: %s; trying again", name, id,
                 strerror(errno));
}

/* Of a run that does not live.  `was_running` false: it never began, and leaves nothing. */
static void tidy(PGconn *db, int root, int marks, const char *id, bool was_running)
{
    struct err err;
    remove_mark(marks, id, ".token");
    int dir = bench_folder_run(root, id, NULL);
    cJSON *summary = bench_summary_of(root, dir, id, false);
    if (dir >= 0)
        close(dir);
    int rc = db ? say_end(db, id, summary, was_running, &err) : -EAGAIN;
    cJSON_Delete(summary);
    if (rc < 0 && db)
        log_line(LOG_WARNING, "cannot say that the benchmark %s ended, trying again: %s", id,
                 err.message);
    if (rc < 0)
        return;
    if (!was_running && dir >= 0 && bench_folder_remove(root, id, &err) < 0)
        log_line(LOG_WARNING, "%s; it stays in the history", err.message);
    remove_mark(marks, id, ".log");
    remove_mark(marks, id, "");
    bench_history_trim(root, marks, BENCH_RUNS_MAX, BENCH_BYTES_MAX);
}

static void bound_log(int marks, const char *id)
{
    char name[MARK_MAX];
    struct stat st;
    snprintf(name, sizeof(name), "%s.log", id);
    int fd = openat(marks, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    /* it appends, so that it goes on at the new end */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > LOG_MAX_BYTES &&
        ftruncate(fd, 0) < 0)
        log_line(LOG_WARNING, "cannot cut a benchmark's log: %s; it grows", strerror(errno));
    close(fd);
}

static void look_at_open(struct bench_watch *b, PGconn *db, int root, int marks)
{
    struct arena arena = ARENA_INIT;
    const char **ids;
    int n = bench_folder_list(marks, NULL, &arena, &ids, NULL);
    for (int i = 0; i < n; i++) {
        int dir = bench_folder_run(root, ids[i], NULL);
        bool lives = bench_watch_is_running(b, dir, ids[i]);
        if (lives)
            bound_log(marks, ids[i]);
        if (dir >= 0)
            close(dir);
        if (!lives)
            tidy(db, root, marks, ids[i], true);
    }
    if (db && !b->tokens_are_swept)
        b->tokens_are_swept = bench_history_sweep_tokens(db, ids, n < 0 ? 0 : (size_t)n);
    arena_done(&arena);
}

void bench_watch_look(struct bench_watch *b, PGconn *db)
{
    (void)child_lives(b, NULL, NULL);
    if (pthread_mutex_trylock(&b->begin) != 0)
        return; /* one begins: the next look is soon */
    int root = bench_folder_root(b->state_dir, NULL);
    int marks = root < 0 ? -1 : bench_folder_marks(root, NULL);
    if (marks >= 0)
        look_at_open(b, db, root, marks);
    if (marks >= 0)
        close(marks);
    if (root >= 0)
        close(root);
    pthread_mutex_unlock(&b->begin);
}

void bench_watch_stop(struct bench_watch *b)
{
    char id[ID_MAX];
    int64_t until = clock_mono_us() + STOP_PATIENCE_US;
    atomic_store(&b->is_stopping, true);
    pthread_mutex_lock(&b->begin); /* one that begins has begun then */
    int root = bench_folder_root(b->state_dir, NULL);
    int marks = root < 0 ? -1 : bench_folder_marks(root, NULL);
    if (marks >= 0 && find_living(b, root, marks, id)) {
        int dir = bench_folder_run(root, id, NULL);
        log_line(LOG_INFO, "stopping the benchmark %s", id);
        /* told once (it may have to take its lock first): told twice it would not end in order */
        for (bool is_told = false;
             dir >= 0 && bench_watch_is_running(b, dir, id) && clock_mono_us() < until;
             pause_a_little())
            is_told = is_told ||
                      bench_folder_stop(dir, "it was stopped because azekura-web was stopped",
                                        "azekura-web が停止されたため停止しました") == 0;
        if (dir >= 0 && bench_watch_is_running(b, dir, id))
            log_line(LOG_WARNING, "the benchmark %s has not ended yet; going without it", id);
        if (dir >= 0)
            close(dir);
    }
    if (marks >= 0)
        close(marks);
    if (root >= 0)
        close(root);
    pthread_mutex_unlock(&b->begin);
}

/* ---- its begin ---- */

struct beginning {
    struct bench_watch *b;
    const struct bench_begin *wish;
    int root, marks, log;
    char id[ID_MAX];
};

static bool is_taken(struct beginning *s)
{
    struct stat st;
    return fstatat(s->root, s->id, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(s->marks, s->id, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* An id nobody has, "2026-11-30_15-40-00_ladder", UTC as everything here; and its mark, first of
 * all: whatever there will be of the run is found by it. */
static int mark(struct beginning *s, struct err *err)
{
    struct civil c;
    const struct bench_begin *w = s->wish;
    civil_from_us(clock_wall_us(), &c);
    int n = snprintf(s->id, sizeof(s->id), "%04d-%02u-%02u_%02u-%02u-%02u_%s", (int)c.year, c.month,
                     c.day, c.hour, c.minute, c.second, w->profile);
    struct bench_watch *b = s->b;
    int number = strcmp(b->last_id, s->id) == 0 ? b->last_number : 0;
    snprintf(b->last_id, sizeof(b->last_id), "%s", s->id);
    do {
        b->last_number = ++number;
        if (number > 1)
            snprintf(s->id + n, sizeof(s->id) - (size_t)n, "-%d", number);
    } while (number <= NUMBER_MAX && is_taken(s));
    if (number > NUMBER_MAX)
        return err_set(err, EEXIST, "running", "too many benchmarks were started within a second");
    cJSON *summary = bench_summary_begin(s->id, w->profile, w->title, w->target, w->actor);
    int rc = bench_summary_write(s->marks, s->id, summary, err);
    cJSON_Delete(summary);
    return rc;
}

/* The audit entry, and for the box a token, together. */
static int admit(struct beginning *s, PGconn *db, struct err *err)
{
    const struct bench_begin *w = s->wish;
    char name[TOKEN_NAME_MAX], file[MARK_MAX], secret[SECRET_TEXT_MAX];
    const char *detail[] = {"id", s->id, "profile", w->profile, "target", w->target};
    bool needs_token = strcmp(w->target, "box") == 0;
    token_name(s->id, name);
    snprintf(file, sizeof(file), "%s.token", s->id);
    int64_t rc = store_execute(db, "begin", 0, NULL, err);
    if (rc >= 0)
        rc = audit_add(db, w->actor, "bench.start", detail, 3, err);
    if (rc >= 0 && needs_token)
        rc = token_create(db, w->actor, view_str(name), ROLE_OPERATOR, secret, err);
    if (rc >= 0)
        rc = store_execute(db, "commit", 0, NULL, err);
    else if (PQtransactionStatus(db) == PQTRANS_INERROR)
        (void)!store_execute(db, "rollback", 0, NULL, NULL);
    if (rc >= 0 && needs_token)
        rc = bench_folder_write(s->marks, file, view_str(secret), 0600, err);
    explicit_bzero(secret, sizeof(secret));
    return rc < 0 ? (int)rc : 0;
}

static int spawn(struct beginning *s, struct err *err)
{
    const struct bench_begin *w = s->wish;
    struct bench_watch *b = s->b;
    char *token_file = xasprintf("%s/.open/%s.token", b->home, s->id);
    const char *fixed[] = {b->program, "run",   w->profile, "--target", w->target,
                           "--out",    b->home, "--id",     s->id,      "--quiet"};
    const char *box[] = {"--api", w->api, "--token-file", token_file};
    struct bench_args a = {.n = 0};
    pid_t pid = 0;
    char log[MARK_MAX];
    snprintf(log, sizeof(log), "%s.log", s->id);
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        bench_args_add(&a, fixed[i]);
    for (size_t i = 0; strcmp(w->target, "box") == 0 && i < ARRAY_LEN(box); i++)
        bench_args_add(&a, box[i]);
    for (size_t i = 0; i < w->more->n; i++)
        bench_args_add(&a, w->more->list[i]);
    s->log = openat(s->marks, log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                    0640);
    int rc = s->log < 0 ? err_set(err, EIO, "bench_folder", "cannot make the log of the run %s: %s",
                                  s->id, strerror(errno))
                        : bench_spawn(&a, b->home, s->log, &pid, err);
    pthread_mutex_lock(&b->lock);
    if (rc == 0) {
        b->child = pid;
        snprintf(b->child_id, sizeof(b->child_id), "%s", s->id);
    }
    pthread_mutex_unlock(&b->lock);
    free(token_file);
    return rc;
}

/* What it said when it ended before it began. */
static int why_not(struct beginning *s, int status, struct err *err)
{
    char said[300] = "", log[MARK_MAX];
    struct buf text;
    snprintf(log, sizeof(log), "%s.log", s->id);
    if (bench_folder_read(s->marks, log, LOG_MAX_BYTES, &text, NULL) == 0) {
        bench_last_line(buf_view(&text), said, sizeof(said));
        buf_free(&text);
    }
    if (!said[0])
        snprintf(said, sizeof(said), "azekura-bench ended with %s %d and said nothing",
                 WIFEXITED(status) ? "exit code" : "signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return err_set_field(err, EINVAL, "bad_value", "options", "%s", said);
    return err_set(err, EEXIST, "cannot_run", "the benchmark cannot run: %s", said);
}

/* It has its lock, or has done its work already, as a very short run has. */
static bool has_begun(struct beginning *s)
{
    int dir = bench_folder_run(s->root, s->id, NULL);
    bool has = dir >= 0 && (bench_folder_holder(dir) != 0 ||
                            faccessat(dir, "report.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    if (dir >= 0)
        close(dir);
    return has;
}

static int wait_until_it_lives(struct beginning *s, struct err *err)
{
    int64_t until = clock_mono_us() + START_PATIENCE_US;
    while (!has_begun(s) && clock_mono_us() < until) {
        int status = 0;
        if (!child_lives(s->b, s->id, &status))
            return has_begun(s) ? 0 : why_not(s, status, err);
        pause_a_little();
    }
    return 0;
}

static int begin(struct beginning *s, PGconn *db, struct err *err)
{
    const struct bench_begin *w = s->wish;
    int rc = mark(s, err);
    if (rc < 0)
        return rc;
    if (rc == 0)
        rc = admit(s, db, err);
    if (rc == 0)
        rc = spawn(s, err);
    if (rc == 0)
        rc = wait_until_it_lives(s, err);
    struct err event_err;
    struct event_params p = {
        .text = {"actor", w->actor, "profile", w->profile, "target", w->target, "id", s->id},
        .n = 4};
    if (rc == 0 && event_add(db, EVENT_BENCH_STARTED, &p, &event_err) < 0)
        log_line(LOG_WARNING, "%s; the benchmark runs without it", event_err.message);
    if (rc < 0)
        tidy(db, s->root, s->marks, s->id, false);
    return rc;
}

int bench_watch_begin(struct bench_watch *b, PGconn *db, const struct bench_begin *wish,
                      char ret_id[], struct err *err)
{
    struct beginning s = {.b = b, .wish = wish, .log = -1, .marks = -1};
    char other[ID_MAX];
    if (pthread_mutex_trylock(&b->begin) != 0)
        return err_set(err, EEXIST, "running", "another benchmark is being started");
    int rc = s.root = bench_folder_root(b->state_dir, err);
    if (rc >= 0)
        rc = s.marks = bench_folder_marks(s.root, err);
    if (rc >= 0 && atomic_load(&b->is_stopping))
        rc = err_set(err, EAGAIN, "stopping", "the console is being stopped");
    if (rc >= 0 && find_any(b, s.root, s.marks, other))
        rc = err_set(err, EEXIST, "running", "the benchmark %s runs; one at a time", other);
    if (rc >= 0)
        rc = begin(&s, db, err);
    if (rc == 0)
        snprintf(ret_id, ID_MAX, "%s", s.id);
    const int fds[] = {s.log, s.marks, s.root};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    pthread_mutex_unlock(&b->begin);
    return rc;
}
