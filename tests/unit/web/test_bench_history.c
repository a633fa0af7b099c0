#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "web/bench_folder.h"
#include "web/bench_history.h"

#define PART_BYTES 65536

/* Runs "run-1" (the oldest) to "run-n", with a file each; `.open` names run-`open_run`. */
struct history {
    char state[64];
    int root, marks;
};

static void make(struct history *h, int n, int open_run)
{
    static const char part[PART_BYTES] = "x";
    snprintf(h->state, sizeof(h->state), "/tmp/azk-history-XXXXXX");
    cr_assert(mkdtemp(h->state));
    char *web = xasprintf("%s/web", h->state);
    cr_assert_eq(mkdir(web, 0755), 0);
    free(web);
    h->root = bench_folder_root(h->state, NULL);
    h->marks = bench_folder_marks(h->root, NULL);
    for (int i = 1; i <= n; i++) {
        char id[16];
        snprintf(id, sizeof(id), "run-%d", i);
        cr_assert_eq(mkdirat(h->root, id, 0755), 0);
        int dir = bench_folder_run(h->root, id, NULL);
        cr_assert_eq(bench_folder_write(dir, "file", view_of(part, sizeof(part)), 0644, NULL), 0);
        close(dir);
        if (i == open_run)
            cr_assert_eq(bench_folder_write(h->marks, id, VIEW("{}"), 0644, NULL), 0);
    }
}

static void free_history(struct history *h)
{
    char *command = xasprintf("rm -rf -- '%s'", h->state);
    close(h->root);
    close(h->marks);
    cr_expect_eq(system(command), 0);
    free(command);
}

Test(bench_history, the_oldest_that_have_ended_go)
{
    static const struct {
        const char *name;
        int open_run, runs_max;
        int64_t bytes_max;
        const char *left; /* numbers of the runs, oldest first */
    } cases[] = {
        {"room for all", 0, 6, 1 << 30, "12345"},
        {"exactly as many", 0, 5, 1 << 30, "12345"},
        {"too many", 0, 3, 1 << 30, "345"},
        {"too large", 0, 100, 3 * PART_BYTES, "345"},
        {"one that has not ended stays", 1, 3, 1 << 30, "1345"},
        {"the newest stays however large", 0, 100, 1, "5"},
        {"none", 0, 0, 0, "5"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct history h;
        char left[8] = "";
        size_t n = 0;
        make(&h, 5, cases[i].open_run);
        bench_history_trim(h.root, h.marks, cases[i].runs_max, cases[i].bytes_max);
        for (int run = 1; run <= 5; run++) {
            char id[16];
            snprintf(id, sizeof(id), "run-%d", run);
            if (faccessat(h.root, id, F_OK, 0) == 0)
                left[n++] = (char)('0' + run);
        }
        left[n] = 0;
        cr_expect_str_eq(left, cases[i].left, "%s: %s", cases[i].name, left);
        free_history(&h);
    }
}
