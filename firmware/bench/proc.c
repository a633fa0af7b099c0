/* Reading /proc. */
#include "bench/proc.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

static bool next_line(struct view *text, struct view *ret)
{
    if (text->n == 0)
        return false;
    const char *end = memchr(text->p, '\n', text->n);
    *ret = view_of(text->p, end ? (size_t)(end - text->p) : text->n);
    size_t used = ret->n + (end != NULL);
    *text = view_of(text->p + used, text->n - used);
    return true;
}

static struct view next_word(struct view *line)
{
    size_t n = 0;
    while (line->n > 0 && (line->p[0] == ' ' || line->p[0] == '\t'))
        *line = view_of(line->p + 1, line->n - 1);
    while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t' && line->p[n] != '\n')
        n++;
    struct view word = view_of(line->p, n);
    *line = view_of(line->p + n, line->n - n);
    return word;
}

static bool is_number(struct view word, uint64_t *ret)
{
    return view_u64(word, UINT64_MAX, ret) == 0;
}

int proc_parse_process(struct view text, struct proc_process *ret)
{
    /* the name stands in parentheses and may hold blanks, parentheses and newlines */
    enum { PARENT = 4, USER = 14, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM, STARTED = 22 };
    const char *close = text.n > 0 ? memrchr(text.p, ')', text.n) : NULL;
    uint64_t t[STARTED + 1] = {0};
    if (!close)
        return -EINVAL;
    struct view rest = view_of(close + 1, text.n - (size_t)(close + 1 - text.p));
    for (int field = 3; field <= STARTED; field++) {
        struct view word = next_word(&rest);
        bool is_wanted = field == PARENT || (field >= USER && field <= CHILDREN_SYSTEM) ||
                         field == STARTED;
        if (word.n == 0 || (is_wanted && !is_number(word, &t[field])))
            return -EINVAL;
    }
    if (t[PARENT] > INT32_MAX)
        return -EINVAL;
    *ret = (struct proc_process){.parent = (int32_t)t[PARENT],
                                 .own = t[USER] + t[SYSTEM],
                                 .children = t[CHILDREN_USER] + t[CHILDREN_SYSTEM],
                                 .started = t[STARTED]};
    return 0;
}

int proc_parse_host(struct view text, struct proc_host *ret)
{
    struct view line;
    while (next_line(&text, &line)) {
        uint64_t t[8]; /* user nice system idle iowait irq softirq steal */
        if (!view_eq(next_word(&line), VIEW("cpu")))
            continue;
        for (int i = 0; i < 8; i++) {
            if (!is_number(next_word(&line), &t[i]))
                return -EINVAL;
        }
        *ret = (struct proc_host){.busy = t[0] + t[1] + t[2] + t[5] + t[6],
                                  .softirq = t[5] + t[6],
                                  .iowait = t[4],
                                  .steal = t[7]};
        return 0;
    }
    return -EINVAL;
}

int proc_parse_loadavg(struct view text, double ret[3])
{
    for (int i = 0; i < 3; i++) {
        struct view word = next_word(&text);
        char number[32], *end;
        if (word.n == 0 || word.n >= sizeof(number))
            return -EINVAL;
        memcpy(number, word.p, word.n);
        number[word.n] = 0;
        ret[i] = strtod(number, &end);
        if (*end)
            return -EINVAL;
    }
    return 0;
}

int64_t proc_field(struct view text, const char *name)
{
    struct view line, wanted = view_str(name);
    while (next_line(&text, &line)) {
        uint64_t n;
        struct view word = next_word(&line);
        if (word.n == wanted.n + 1 && word.p[wanted.n] == ':' && view_starts_with(word, wanted))
            return is_number(next_word(&line), &n) && n <= INT64_MAX ? (int64_t)n : -1;
    }
    return -1;
}

int64_t proc_parse_snmp(struct view text, const char *group, const char *name)
{
    struct view line, names = VIEW_NULL;
    while (next_line(&text, &line)) {
        struct view word = next_word(&line);
        if (word.n != strlen(group) + 1 || memcmp(word.p, group, word.n - 1) != 0)
            continue;
        if (view_is_null(names)) {
            names = line;
            continue;
        }
        while (names.n > 0) {
            uint64_t n;
            struct view value;
            word = next_word(&names);
            value = next_word(&line);
            if (view_eq(word, view_str(name)))
                return is_number(value, &n) && n <= INT64_MAX ? (int64_t)n : -1;
        }
        return -1;
    }
    return -1;
}

int64_t proc_parse_softnet(struct view text)
{
    struct view line;
    int64_t sum = 0;
    while (next_line(&text, &line)) {
        next_word(&line);
        struct view word = next_word(&line);
        char hex[17], *end;
        if (word.n == 0 || word.n >= sizeof(hex))
            return -1;
        memcpy(hex, word.p, word.n);
        hex[word.n] = 0;
        sum += (int64_t)strtoull(hex, &end, 16);
        if (*end)
            return -1;
    }
    return sum;
}

int64_t proc_parse_dev_drops(struct view text)
{
    struct view line;
    int64_t sum = 0;
    while (next_line(&text, &line)) {
        const char *colon = line.n > 0 ? memrchr(line.p, ':', line.n) : NULL;
        if (!colon)
            continue; /* the two lines of titles */
        struct view rest = view_of(colon + 1, line.n - (size_t)(colon + 1 - line.p));
        uint64_t n = 0;
        for (int i = 0; i < 4; i++) { /* bytes packets errs drop */
            if (!is_number(next_word(&rest), &n))
                return -1;
        }
        sum += (int64_t)n;
    }
    return sum;
}

int proc_read(struct proc_text *ret, const char *fmt, ...)
{
    char path[256];
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
    ssize_t n = 1;
    while (ret->n < sizeof(ret->bytes) && n > 0) {
        n = read(fd, ret->bytes + ret->n, sizeof(ret->bytes) - ret->n);
        if (n > 0)
            ret->n += (size_t)n;
    }
    int rc = n < 0 ? -errno : 0; /* ESRCH: the process ended meanwhile */
    close(fd);
    return rc;
}
