/* Reading /proc.
 *
 *     parent             own + children that ended      ─┐
 *       ├ child          own + its ended children        ├─ ticks of a family
 *       └ child          own + …                        ─┘
 *
 * A process that ends takes its time along into its parent's "children that ended", so the sum does
 * not fall.  Only while we read can a process be counted twice or not at all; the parent's count
 * tells, and we read again. */
#include "base/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#define TRIES 8

/* ---- texts ---- */

int proc_read(struct proc_text *ret, const char *fmt, ...)
{
    char path[512];
    va_list ap;
    va_start(ap, fmt);
    int len = vsnprintf(path, sizeof(path), fmt, ap);
    va_end(ap);
    ret->n = 0;
    if (len < 0 || (size_t)len >= sizeof(path))
        return -ENAMETOOLONG;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n;
    while (ret->n < sizeof(ret->bytes) &&
           (n = read(fd, ret->bytes + ret->n, sizeof(ret->bytes) - ret->n)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int error = errno; /* ESRCH: the process ended meanwhile */
            close(fd);
            return -error;
        }
        ret->n += (size_t)n;
    }
    close(fd);
    if (ret->n == sizeof(ret->bytes)) {
        const char *last = memrchr(ret->bytes, '\n', ret->n);
        ret->n = last ? (size_t)(last + 1 - ret->bytes) : 0;
    }
    return 0;
}

bool proc_next_line(struct view *text, struct view *ret)
{
    if (text->n == 0)
        return false;
    const char *end = memchr(text->p, '\n', text->n);
    size_t n = end ? (size_t)(end - text->p) : text->n;
    *ret = view_of(text->p, n);
    n += end != NULL;
    *text = view_of(text->p + n, text->n - n);
    return true;
}

struct view proc_next_word(struct view *line)
{
    size_t n = 0;
    while (line->n > 0 && (*line->p == ' ' || *line->p == '\t' || *line->p == '\n'))
        *line = view_of(line->p + 1, line->n - 1);
    while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t' && line->p[n] != '\n')
        n++;
    struct view word = view_of(line->p, n);
    *line = view_of(line->p + n, line->n - n);
    return word;
}

bool proc_next_numbers(struct view *line, uint64_t *ret, int n)
{
    for (int i = 0; i < n; i++) {
        if (view_u64(proc_next_word(line), UINT64_MAX, &ret[i]) < 0)
            return false;
    }
    return true;
}

int64_t proc_field(struct view text, const char *name)
{
    struct view line, wanted = view_str(name);
    while (proc_next_line(&text, &line)) {
        uint64_t n;
        struct view word = proc_next_word(&line);
        if (word.n == wanted.n + 1 && word.p[wanted.n] == ':' && view_starts_with(word, wanted))
            return view_u64(proc_next_word(&line), INT64_MAX, &n) == 0 ? (int64_t)n : -1;
    }
    return -1;
}

/* ---- the machine ---- */

/* "0.43": digits, a point, digits. */
static bool parse_decimal(struct view word, double *ret)
{
    const char *point = word.n > 0 ? memchr(word.p, '.', word.n) : NULL;
    size_t whole_n = point ? (size_t)(point - word.p) : word.n;
    struct view fraction = point ? view_of(point + 1, word.n - whole_n - 1) : VIEW("0");
    uint64_t whole, part;
    double scale = 1;
    if (fraction.n > 9 || view_u64(view_of(word.p, whole_n), UINT32_MAX, &whole) < 0 ||
        view_u64(fraction, UINT32_MAX, &part) < 0)
        return false;
    for (size_t i = 0; i < fraction.n; i++)
        scale *= 10;
    *ret = (double)whole + (double)part / scale;
    return true;
}

int proc_parse_loadavg(struct view text, double ret[3])
{
    double values[3];
    for (int i = 0; i < 3; i++) {
        if (!parse_decimal(proc_next_word(&text), &values[i]))
            return -EINVAL;
    }
    memcpy(ret, values, sizeof(values));
    return 0;
}

int proc_parse_cpu(struct view text, struct proc_cpu *ret)
{
    struct view line;
    while (proc_next_line(&text, &line)) {
        uint64_t t[8]; /* user nice system idle iowait irq softirq steal */
        if (!view_eq(proc_next_word(&line), VIEW("cpu")))
            continue;
        if (!proc_next_numbers(&line, t, 8))
            return -EINVAL;
        *ret = (struct proc_cpu){.user = t[0] + t[1],
                                 .system = t[2],
                                 .idle = t[3],
                                 .iowait = t[4],
                                 .irq = t[5] + t[6],
                                 .steal = t[7]};
        return 0;
    }
    return -EINVAL;
}

/* ---- processes ---- */

int proc_parse_process(struct view text, struct proc_process *ret)
{
    /* the name stands in parentheses and may hold blanks, parentheses and newlines */
    const char *close = text.n > 0 ? memrchr(text.p, ')', text.n) : NULL;
    uint64_t pid, parent, t[22];
    if (!close || view_u64(proc_next_word(&text), INT32_MAX, &pid) < 0)
        return -EINVAL;
    struct view rest = view_of(close + 1, text.n - (size_t)(close + 1 - text.p));
    proc_next_word(&rest); /* field 3, the state */
    if (view_u64(proc_next_word(&rest), INT32_MAX, &parent) < 0)
        return -EINVAL;
    for (int field = 5; field <= 22; field++) {
        struct view word = proc_next_word(&rest);
        if (field < 14) /* ids, some of them negative, flags and faults */
            continue;
        if (field >= 18 && field <= 21) { /* priority, nice (negative), threads, itrealvalue */
            if (word.n == 0)
                return -EINVAL;
            continue;
        }
        if (view_u64(word, UINT64_MAX, &t[field - 1]) < 0)
            return -EINVAL;
    }
    *ret = (struct proc_process){.pid = (int32_t)pid,
                                 .parent = (int32_t)parent,
                                 .own = t[13] + t[14],
                                 .children = t[15] + t[16],
                                 .started = t[21]};
    return 0;
}

int proc_read_process(const char *proc, int32_t pid, struct proc_process *ret)
{
    /* not a struct proc_text: it is read for each process of a server */
    char path[256], text[2048];
    snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, sizeof(text));
    int error = errno;
    close(fd);
    if (n < 0)
        return -error; /* ESRCH: it ended meanwhile */
    return proc_parse_process(view_of(text, (size_t)n), ret);
}

/* ---- families ---- */

/* Add a child, if it is one of `parent`. */
static void add_child(const char *proc, int32_t pid, int32_t parent, struct proc_family *f)
{
    struct proc_process p;
    if (proc_read_process(proc, pid, &p) < 0 || p.parent != parent)
        return;
    f->ticks += p.own + p.children;
    if (f->children_n < PROC_FAMILY_MAX)
        f->children[f->children_n++] = pid;
}

/* All children of `parent`, from the kernel's list; -ENOENT when it keeps none. */
static int add_listed(const char *proc, int32_t parent, struct proc_family *f)
{
    struct proc_text text;
    int rc = proc_read(&text, "%s/%d/task/%d/children", proc, parent, parent);
    if (rc < 0)
        return rc;
    struct view rest = proc_view(&text);
    for (uint64_t pid; view_u64(proc_next_word(&rest), INT32_MAX, &pid) == 0;)
        add_child(proc, (int32_t)pid, parent, f);
    return 0;
}

/* The same by looking at every process there is. */
static int add_scanned(const char *proc, int32_t parent, struct proc_family *f)
{
    DIR *dir = opendir(proc);
    if (!dir)
        return -errno;
    for (struct dirent *e; (e = readdir(dir));) {
        uint64_t pid;
        if (view_u64(view_str(e->d_name), INT32_MAX, &pid) == 0)
            add_child(proc, (int32_t)pid, parent, f);
    }
    closedir(dir);
    return 0;
}

int proc_read_family(const char *proc, int32_t pid, struct proc_family *ret)
{
    struct proc_process before, after;
    int rc = proc_read_process(proc, pid, &before);
    for (int i = 0; i < TRIES && rc == 0; i++) {
        ret->started = before.started;
        ret->ticks = before.own + before.children;
        ret->children_n = 0;
        rc = add_listed(proc, pid, ret);
        if (rc < 0)
            rc = add_scanned(proc, pid, ret);
        if (rc == 0)
            rc = proc_read_process(proc, pid, &after);
        if (rc == 0 && after.started != before.started)
            rc = -ESRCH;
        if (rc < 0 || after.children == before.children)
            break;
        before = after;
    }
    /* where so many ended that the last reading may miss one, the next one has it */
    return rc;
}
