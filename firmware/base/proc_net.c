/* Reading /proc/net. */
#include "base/proc_net.h"

int64_t proc_net_snmp(struct view text, const char *group, const char *name)
{
    struct view line, names = VIEW_NULL;
    while (proc_next_line(&text, &line)) {
        struct view word = proc_next_word(&line);
        if (word.n != strlen(group) + 1 || memcmp(word.p, group, word.n - 1) != 0)
            continue;
        if (view_is_null(names)) {
            names = line;
            continue;
        }
        while (names.n > 0) {
            uint64_t n;
            struct view value;
            word = proc_next_word(&names);
            value = proc_next_word(&line);
            if (view_eq(word, view_str(name)))
                return view_u64(value, INT64_MAX, &n) == 0 ? (int64_t)n : -1;
        }
        return -1;
    }
    return -1;
}

int64_t proc_net_softnet(struct view text)
{
    struct view line;
    int64_t sum = 0;
    while (proc_next_line(&text, &line)) {
        proc_next_word(&line);
        struct view word = proc_next_word(&line);
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

int64_t proc_net_dev_drops(struct view text)
{
    struct view line;
    int64_t sum = 0;
    while (proc_next_line(&text, &line)) {
        const char *colon = line.n > 0 ? memrchr(line.p, ':', line.n) : NULL;
        if (!colon)
            continue; /* the two lines of titles */
        struct view rest = view_of(colon + 1, line.n - (size_t)(colon + 1 - line.p));
        uint64_t n[4]; /* bytes packets errs drop */
        if (!proc_next_numbers(&rest, n, 4))
            return -1;
        sum += (int64_t)n[3];
    }
    return sum;
}
