/* The CPU time of PostgreSQL: one number that counts up as long as the server lives.
 *
 *     postmaster         own + children that ended      ─┐
 *       ├ backend        own + its ended children        ├─ sum
 *       ├ WAL writer     own + …                         │
 *       └ checkpointer   own + …                        ─┘
 *
 * A process that ends takes its time along into its parent's "children that ended", so the sum does
 * not fall and misses nothing, however short a backend lived.  Only while we read can a process be
 * counted twice or not at all; the postmaster's count tells, and we read again. */
#include <dirent.h>

#include "keeper/load_read.h"
#include "keeper/load_sample.h"

#define TRIES 8

/* Add a child, if it is one of `parent`. */
static void add_child(const char *proc, int32_t pid, int32_t parent, uint64_t *sum)
{
    struct load_process p;
    if (load_read_process(proc, pid, &p) == 0 && p.parent == parent)
        *sum += p.own + p.children;
}

/* All children of `parent`, from the kernel's list; -ENOENT when it keeps none. */
static int sum_listed(const char *proc, int32_t parent, uint64_t *sum)
{
    struct load_text text;
    int rc = load_read_file(&text, "%s/%d/task/%d/children", proc, parent, parent);
    if (rc < 0)
        return rc;
    struct view rest = load_text_view(&text);
    for (int32_t pid; (pid = load_next_child(&rest)) > 0;)
        add_child(proc, pid, parent, sum);
    return 0;
}

/* The same by looking at every process there is. */
static int sum_scanned(const char *proc, int32_t parent, uint64_t *sum)
{
    DIR *dir = opendir(proc);
    if (!dir)
        return -errno;
    for (struct dirent *e; (e = readdir(dir));) {
        uint64_t pid;
        if (view_u64(view_str(e->d_name), INT32_MAX, &pid) == 0)
            add_child(proc, (int32_t)pid, parent, sum);
    }
    closedir(dir);
    return 0;
}

void load_database_read(const char *proc, int32_t pid, struct load_count *ret)
{
    struct load_process before, after;
    *ret = (struct load_count){0};
    if (load_read_process(proc, pid, &before) < 0)
        return;
    for (int i = 0; i < TRIES; i++) {
        uint64_t sum = 0;
        int rc = sum_listed(proc, pid, &sum);
        if (rc < 0)
            rc = sum_scanned(proc, pid, &sum);
        if (rc < 0 || load_read_process(proc, pid, &after) < 0 || after.started != before.started)
            return;
        *ret = (struct load_count){.is_known = true,
                                   .identity = (int64_t)before.started << 24 ^ pid,
                                   .ticks = sum + before.own + before.children};
        if (after.children == before.children)
            return;
        before = after;
    }
    /* so many ended that the last reading may miss one: the next one has it */
}
