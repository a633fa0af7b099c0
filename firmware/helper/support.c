/* The support bundle: a tar.zst of the things named here, each with its secrets taken out.  It is
 * made in memory and handed over as a descriptor; nothing of it stays on the disk. */
#include "helper/support.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"

#define PROGRAM_MS 20000
#define TAR_MAX_BYTES (4 * (size_t)SUPPORT_ITEM_MAX_BYTES)

static const struct {
    const char *name;
    const char *argv[10];
} programs[] = {
    {"journal.txt",
     {"/usr/bin/journalctl", "--no-pager", "-q", "-o", "short-iso", "-n", "50000", "-p", "info"}},
    {"kernel.txt", {"/usr/bin/journalctl", "--no-pager", "-q", "-k", "-n", "5000"}},
    {"boots.txt", {"/usr/bin/journalctl", "--no-pager", "-q", "--list-boots"}},
    {"units.txt", {"/usr/bin/systemctl", "--no-pager", "list-units", "--all"}},
    {"failed.txt", {"/usr/bin/systemctl", "--no-pager", "--failed"}},
    {"addresses.txt", {"/usr/bin/ip", "-s", "address", "show"}},
    {"routes.txt", {"/usr/bin/ip", "route", "show", "table", "all"}},
    {"sockets.txt", {"/usr/bin/ss", "-lntupm"}},
    {"links.txt", {"/usr/bin/networkctl", "--no-pager", "status", "--all"}},
    {"filter.txt", {"/usr/sbin/nft", "list", "table", "inet", "azekura"}},
    {"clock.txt", {"/usr/bin/chronyc", "-n", "sources", "-v"}},
    {"slots.txt", {"/usr/bin/rauc", "status", "--detailed"}},
    {"disks.txt", {"/usr/bin/df", "-hT"}},
    {"processes.txt", {"/usr/bin/ps", "axo", "pid,user,pcpu,pmem,rss,stat,etime,comm"}},
    {"packages.txt", {"/usr/bin/dpkg-query", "-W"}},
};

static const char *const files[] = {
    "/etc/os-release",
    "/etc/azekura/azekura.conf",
    "/data/config/network.json",
    "/data/config/hostname",
    "/data/config/timezone",
    "/data/config/ntp",
    "/data/config/firewall",
    "/run/azekura/nftables.conf",
    "/data/rauc/status",
    "/proc/meminfo",
    "/proc/loadavg",
    "/proc/cpuinfo",
    "/proc/net/snmp",
    "/proc/net/udp",
    "/proc/net/softnet_stat",
    "/proc/pressure/cpu",
    "/proc/pressure/io",
    "/proc/pressure/memory",
    "/proc/diskstats",
    "/proc/cmdline",
    "/proc/uptime",
};

static int add(struct buf *tar, const char *name, struct buf *raw, int64_t now_us)
{
    struct buf clean = BUF_INIT(2 * (size_t)SUPPORT_ITEM_MAX_BYTES);
    char path[100];
    support_hide(buf_view(raw), &clean);
    snprintf(path, sizeof(path), "azekura-support/%s", name);
    int r = support_tar_add(tar, path, buf_view(&clean), now_us);
    buf_free(&clean);
    return r;
}

static int collect(struct helper *h, struct buf *tar, struct err *err)
{
    int64_t now_us = clock_wall_us();
    int r = 0;
    for (size_t i = 0; i < ARRAY_LEN(programs) && r == 0; i++) {
        struct buf raw = BUF_INIT(SUPPORT_ITEM_MAX_BYTES);
        struct err why;
        if (run(h, programs[i].argv, PROGRAM_MS, &raw, &why) < 0)
            buf_printf(&raw, "\n%s\n", why.message);
        r = add(tar, programs[i].name, &raw, now_us);
        buf_free(&raw);
    }
    for (size_t i = 0; i < ARRAY_LEN(files) && r == 0; i++) {
        struct buf raw = BUF_INIT(SUPPORT_ITEM_MAX_BYTES);
        struct err why = {0};
        char name[80];
        int e = place_read(h, files[i], &raw, &why);
        snprintf(name, sizeof(name), "files%.70s", files[i]);
        if (e < 0)
            buf_printf(&raw, "%s\n", e == -ENOENT ? "there is no such file" : why.message);
        r = add(tar, name, &raw, now_us);
        buf_free(&raw);
    }
    if (r == 0)
        r = support_tar_end(tar);
    return r < 0 ? err_set(err, EFBIG, "support", "the bundle would have more than %zu bytes",
                           TAR_MAX_BYTES)
                 : 0;
}

/* A descriptor of the compressed bytes, at its beginning. */
static int compressed(const struct buf *tar, size_t *ret_n, struct err *err)
{
    size_t most = ZSTD_compressBound(tar->n);
    char *out = xmalloc(most);
    size_t n = ZSTD_compress(out, most, tar->p, tar->n, 3);
    int fd = ZSTD_isError(n) || n > SUPPORT_MAX_BYTES ? -1 : memfd_create("support", MFD_CLOEXEC);
    if (fd < 0 || write(fd, out, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) != 0) {
        if (fd >= 0)
            close(fd);
        fd = err_set(err, EIO, "support", "the bundle cannot be written");
    }
    free(out);
    *ret_n = n;
    return fd;
}

COMMAND(support_bundle)
{
    struct buf tar = BUF_INIT(TAR_MAX_BYTES);
    size_t n = 0;
    (void)r;
    int e = collect(h, &tar, err);
    if (e == 0)
        e = reply->fd = compressed(&tar, &n, err);
    buf_free(&tar);
    if (e < 0) {
        reply->fd = -1;
        return e;
    }
    cJSON_AddNumberToObject(reply->result, "bytes", (double)n);
    cJSON_AddStringToObject(reply->result, "type", "application/zstd");
    return 0;
}
