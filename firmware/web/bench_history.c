/* The bounds of the history of benchmark runs (bench_history.h). */
#include "web/bench_history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/log.h"
#include "store/account.h"
#include "web/bench_folder.h"

#define TOKENS_MAX 64 /* removed in one sweep */

static bool may_go(int root, int marks, const char *id)
{
    struct stat st;
    int dir = bench_folder_run(root, id, NULL);
    bool is_ended = dir >= 0 && bench_folder_holder(dir) == 0 &&
                    fstatat(marks, id, &st, AT_SYMLINK_NOFOLLOW) < 0;
    if (dir >= 0)
        close(dir);
    return is_ended;
}

void bench_history_trim(int root, int marks, int runs_max, int64_t bytes_max)
{
    struct arena arena = ARENA_INIT;
    const char **ids;
    struct err err;
    int64_t bytes = 0;
    int n = bench_folder_list(root, NULL, &arena, &ids, NULL);
    for (int i = 0; i < n; i++) {
        bytes += bench_folder_bytes(root, ids[i]);
        /* the newest stays, however large it is */
        bool is_over = i > 0 && (i >= runs_max || bytes > bytes_max);
        if (!is_over || !may_go(root, marks, ids[i]))
            continue;
        if (bench_folder_remove(root, ids[i], &err) < 0)
            log_line(LOG_WARNING, "%s; the history is larger than it should be", err.message);
        else
            log_line(LOG_INFO, "removed the benchmark run %s: the history is full", ids[i]);
    }
    arena_done(&arena);
}

/* ---- tokens ---- */

struct lost {
    const char *const *open_ids;
    size_t open_n, n;
    char names[TOKENS_MAX][ACCOUNT_NAME_MAX + 1];
};

/* "benchmark 2026-11-30_15-40-00_…", so that no token of a person is taken for ours. */
static bool is_of_a_run(const char *name)
{
    static const char shape[] = BENCH_TOKEN_PREFIX "0000-00-00_00-00-00_";
    for (size_t i = 0; i < sizeof(shape) - 1; i++) {
        bool is_good = shape[i] == '0' ? name[i] >= '0' && name[i] <= '9' : name[i] == shape[i];
        if (!is_good)
            return false;
    }
    return bench_id_is_valid(view_str(name + sizeof(BENCH_TOKEN_PREFIX) - 1));
}

static void add_lost(void *context, const struct token_row *r)
{
    struct lost *l = context;
    if (l->n == TOKENS_MAX || !is_of_a_run(r->name))
        return;
    for (size_t i = 0; i < l->open_n; i++) {
        if (strcmp(l->open_ids[i], r->name + sizeof(BENCH_TOKEN_PREFIX) - 1) == 0)
            return;
    }
    snprintf(l->names[l->n++], sizeof(l->names[0]), "%s", r->name);
}

bool bench_history_sweep_tokens(PGconn *db, const char *const *open_ids, size_t n)
{
    struct err err;
    struct lost l = {.open_ids = open_ids, .open_n = n};
    int rc = token_list(db, add_lost, &l, &err);
    for (size_t i = 0; i < l.n && rc >= 0; i++) {
        rc = token_remove(db, "web", l.names[i], &err);
        if (rc == 0)
            log_line(LOG_INFO, "removed the token \"%s\" of a benchmark that is gone", l.names[i]);
    }
    if (rc < 0)
        log_line(LOG_WARNING, "cannot look for tokens of benchmarks that are gone: %s",
                 err.message);
    return rc >= 0 && l.n < TOKENS_MAX;
}
