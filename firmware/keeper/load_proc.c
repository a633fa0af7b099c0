/* Reading the texts of /proc. */
#include "keeper/load_proc.h"

#define SECTOR_BYTES 512 /* of diskstats, whatever the disk's own are */

int load_parse_meminfo(struct view text, struct load_memory *ret)
{
    enum { TOTAL, AVAILABLE, CACHED, BUFFERS, SLAB, SWAP, SWAP_FREE, FIELDS };
    static const char *const names[FIELDS] = {
        "MemTotal:",     "MemAvailable:", "Cached:",  "Buffers:",
        "SReclaimable:", "SwapTotal:",    "SwapFree:"};
    uint64_t kib[FIELDS] = {0};
    bool has[FIELDS] = {false};
    struct view line;
    while (proc_next_line(&text, &line)) {
        struct view name = proc_next_word(&line);
        for (int i = 0; i < FIELDS; i++) {
            if (view_eq(name, view_str(names[i])))
                has[i] = view_u64(proc_next_word(&line), UINT64_MAX / 1024, &kib[i]) == 0;
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
    while (proc_next_line(&text, &line)) {
        struct view major = proc_next_word(&line), minor = proc_next_word(&line);
        if (wanted.n != major.n + 1 + minor.n || memcmp(wanted.p, major.p, major.n) != 0 ||
            wanted.p[major.n] != ':' || memcmp(wanted.p + major.n + 1, minor.p, minor.n) != 0)
            continue;
        /* reads, merged, sectors, ms; the same of writes; in flight, busy ms */
        uint64_t t[10];
        proc_next_word(&line); /* its name */
        if (!proc_next_numbers(&line, t, 10))
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
    while (proc_next_line(&text, &line)) {
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
        if (!proc_next_numbers(&line, t, 16))
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
