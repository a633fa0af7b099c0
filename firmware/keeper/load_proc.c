/* Reading the texts of /proc. */
#include "keeper/load_proc.h"

#define SECTOR_BYTES 512 /* of diskstats, whatever the disk's own are */

/* The next line, without its newline; false at the end. */
static bool next_line(struct view *text, struct view *ret)
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

/* The next word between blanks; empty at the end. */
static struct view next_word(struct view *line)
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

/* The next n words as numbers; false when one is none. */
static bool next_numbers(struct view *line, uint64_t *ret, int n)
{
    for (int i = 0; i < n; i++) {
        if (view_u64(next_word(line), UINT64_MAX, &ret[i]) < 0)
            return false;
    }
    return true;
}

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

int load_parse_loadavg(struct view text, double ret[3])
{
    double values[3];
    for (int i = 0; i < 3; i++) {
        if (!parse_decimal(next_word(&text), &values[i]))
            return -EINVAL;
    }
    memcpy(ret, values, sizeof(values));
    return 0;
}

int load_parse_stat(struct view text, struct load_cpu *ret)
{
    struct view line;
    while (next_line(&text, &line)) {
        uint64_t t[8]; /* user nice system idle iowait irq softirq steal */
        if (!view_eq(next_word(&line), VIEW("cpu")))
            continue;
        if (!next_numbers(&line, t, 8))
            return -EINVAL;
        *ret = (struct load_cpu){.user = t[0] + t[1],
                                 .system = t[2],
                                 .idle = t[3],
                                 .iowait = t[4],
                                 .irq = t[5] + t[6],
                                 .steal = t[7]};
        return 0;
    }
    return -EINVAL;
}

int load_parse_meminfo(struct view text, struct load_memory *ret)
{
    enum { TOTAL, AVAILABLE, CACHED, BUFFERS, SLAB, SWAP, SWAP_FREE, FIELDS };
    static const char *const names[FIELDS] = {
        "MemTotal:",     "MemAvailable:", "Cached:",  "Buffers:",
        "SReclaimable:", "SwapTotal:",    "SwapFree:"};
    uint64_t kib[FIELDS] = {0};
    bool has[FIELDS] = {false};
    struct view line;
    while (next_line(&text, &line)) {
        struct view name = next_word(&line);
        for (int i = 0; i < FIELDS; i++) {
            if (view_eq(name, view_str(names[i])))
                has[i] = view_u64(next_word(&line), UINT64_MAX / 1024, &kib[i]) == 0;
        }
    }
    if (!has[TOTAL] || !has[AVAILABLE] || kib[AVAILABLE] > kib[TOTAL] || kib[SWAP_FREE] > kib[SWAP])
        return -EINVAL;
    *ret = (struct load_memory){.total = kib[TOTAL] * 1024,
                                .used = (kib[TOTAL] - kib[AVAILABLE]) * 1024,
                                .cached = (kib[CACHED] + kib[BUFFERS] + kib[SLAB]) * 1024,
                                .swap_used = (kib[SWAP] - kib[SWAP_FREE]) * 1024};
    return 0;
}

int load_parse_diskstats(struct view text, const char *device, struct load_disk *ret)
{
    struct view line, wanted = view_str(device);
    while (next_line(&text, &line)) {
        struct view major = next_word(&line), minor = next_word(&line);
        if (wanted.n != major.n + 1 + minor.n || memcmp(wanted.p, major.p, major.n) != 0 ||
            wanted.p[major.n] != ':' || memcmp(wanted.p + major.n + 1, minor.p, minor.n) != 0)
            continue;
        /* reads, merged, sectors, ms; the same of writes; in flight, busy ms */
        uint64_t t[10];
        next_word(&line); /* its name */
        if (!next_numbers(&line, t, 10))
            return -EINVAL;
        *ret = (struct load_disk){.reads = t[0],
                                  .read_bytes = t[2] * SECTOR_BYTES,
                                  .writes = t[4],
                                  .written_bytes = t[6] * SECTOR_BYTES,
                                  .wait_ms = t[3] + t[7],
                                  .busy_ms = t[9]};
        return 0;
    }
    return -ENOENT;
}

int load_parse_net(struct view text, load_interface_fn counts, void *context, struct load_net *ret)
{
    struct load_net sum = {0};
    struct view line;
    int header = 0;
    while (next_line(&text, &line)) {
        /* "  eth0: 1 2 …"; in old kernels "eth0:1": the name ends at the last colon, as an alias
         * (eth0:1) has one of its own */
        const char *colon = line.n > 0 ? memrchr(line.p, ':', line.n) : NULL;
        if (!colon) {
            header++;
            continue;
        }
        struct view name = view_trim(view_of(line.p, (size_t)(colon - line.p)));
        line = view_of(colon + 1, line.n - (size_t)(colon + 1 - line.p));
        uint64_t t[16];
        if (!next_numbers(&line, t, 16))
            return -EINVAL;
        if (!counts(context, name))
            continue;
        sum.received_bytes += t[0];
        sum.received_packets += t[1];
        sum.errors += t[2] + t[10];
        sum.drops += t[3] + t[11];
        sum.sent_bytes += t[8];
        sum.sent_packets += t[9];
        sum.interfaces++;
    }
    if (header != 2)
        return -EINVAL;
    *ret = sum;
    return 0;
}

int load_parse_process(struct view text, struct load_process *ret)
{
    /* the name stands in parentheses and may hold blanks, parentheses and newlines */
    const char *close = text.n > 0 ? memrchr(text.p, ')', text.n) : NULL;
    uint64_t pid, parent, t[22];
    if (!close || view_u64(next_word(&text), INT32_MAX, &pid) < 0)
        return -EINVAL;
    struct view rest = view_of(close + 1, text.n - (size_t)(close + 1 - text.p));
    next_word(&rest); /* field 3, the state */
    if (view_u64(next_word(&rest), INT32_MAX, &parent) < 0)
        return -EINVAL;
    for (int field = 5; field <= 22; field++) {
        struct view word = next_word(&rest);
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
    *ret = (struct load_process){.pid = (int32_t)pid,
                                 .parent = (int32_t)parent,
                                 .own = t[13] + t[14],
                                 .children = t[15] + t[16],
                                 .started = t[21]};
    return 0;
}

int32_t load_next_child(struct view *text)
{
    uint64_t pid;
    return view_u64(next_word(text), INT32_MAX, &pid) == 0 ? (int32_t)pid : 0;
}
