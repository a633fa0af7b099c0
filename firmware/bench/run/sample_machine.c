/* The machine: how fast it is at this moment, and what it is. */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "bench/run/sample.h"

#define COMPUTE_US 200000
#define WRITE_BYTES (64u << 20)
#define WRITE_PIECE (1u << 20)

/* ---- speed ---- */

/* A fixed computation over 256 KiB, as parsing and compressing are: loads, multiplications,
 * branches that cannot be foreseen. */
static uint64_t compute(uint64_t seed, uint8_t *memory, size_t n)
{
    uint64_t x = seed | 1;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        uint8_t *p = &memory[x & (n - 1)];
        *p = (uint8_t)(*p + x);
        x += (*p & 1) ? 0x9E3779B97F4A7C15u : (uint64_t)*p * 31;
    }
    return x;
}

static double compute_speed(void)
{
    const size_t n = 262144;
    uint8_t *memory = xcalloc(n, 1);
    int64_t begin = clock_mono_us(), now = begin, rounds = 0;
    uint64_t x = 1;
    for (; now - begin < COMPUTE_US; now = clock_mono_us(), rounds++)
        x = compute(x, memory, n);
    memory[0] = (uint8_t)x; /* it is used */
    __asm__ volatile("" : : "r"(memory) : "memory");
    free(memory);
    return (double)rounds * (double)n * 1e6 / (double)(now - begin);
}

static double write_speed(const char *dir)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/speed.XXXXXX", dir);
    int fd = mkstemp(path);
    if (fd < 0)
        return 0;
    unlink(path);
    char *piece = xcalloc(WRITE_PIECE, 1);
    for (size_t i = 0; i < WRITE_PIECE; i++)
        piece[i] = (char)(i * 2654435761u >> 16); /* no file system squeezes it to nothing */
    int64_t begin = clock_mono_us();
    size_t written = 0;
    while (written < WRITE_BYTES && write(fd, piece, WRITE_PIECE) == (ssize_t)WRITE_PIECE)
        written += WRITE_PIECE;
    bool is_good = written == WRITE_BYTES && fsync(fd) == 0;
    int64_t took = clock_mono_us() - begin;
    close(fd);
    free(piece);
    return is_good && took > 0 ? (double)WRITE_BYTES * 1e6 / (double)took : 0;
}

void sample_speed(const char *dir, struct sample_speed *ret)
{
    ret->compute_ops_s = compute_speed();
    ret->write_bytes_s = write_speed(dir);
}

/* ---- what it is ---- */

static void add_text(cJSON *o, const char *name, struct view v)
{
    char text[256];
    v = view_trim(v);
    if (v.n == 0) {
        cJSON_AddNullToObject(o, name);
        return;
    }
    snprintf(text, sizeof(text), "%.*s", (int)MIN(v.n, 255), v.p);
    cJSON_AddStringToObject(o, name, text);
}

/* What stands after the colon of the first line that begins with `name`. */
static struct view after_colon(struct view text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = text.p, *end = p + text.n; p < end;) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        line_end = line_end ? line_end : end;
        const char *colon = memchr(p, ':', (size_t)(line_end - p));
        if (colon && (size_t)(line_end - p) > n && memcmp(p, name, n) == 0)
            return view_of(colon + 1, (size_t)(line_end - colon - 1));
        p = line_end + 1;
    }
    return VIEW_NULL;
}

static void add_file(cJSON *o, struct proc_text *text, const char *name, const char *path)
{
    add_text(o, name, proc_read(text, "%s", path) == 0 ? proc_view(text) : VIEW_NULL);
}

static void add_processor(cJSON *o, struct proc_text *text)
{
    struct view cpu = VIEW_NULL;
    if (proc_read(text, "/proc/cpuinfo") == 0)
        cpu = after_colon(proc_view(text), "model name");
    add_text(o, "cpu", cpu);
    cJSON_AddNumberToObject(o, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
    add_file(o, text, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    int64_t kib = proc_read(text, "/proc/meminfo") == 0 ? proc_field(proc_view(text), "MemTotal")
                                                        : -1;
    if (kib >= 0)
        cJSON_AddNumberToObject(o, "memory_bytes", (double)kib * 1024);
    else
        cJSON_AddNullToObject(o, "memory_bytes");
}

/* The maker's name of the machine where it is a virtual one's; "none" where the processor says that
 * nothing is below. */
static void add_virtualization(cJSON *o, struct proc_text *text)
{
    static const char *const makers[] = {"QEMU",      "KVM",    "VMware",     "VirtualBox",
                                         "Xen",       "Google", "Amazon EC2", "Microsoft",
                                         "OpenStack", "Bochs"};
    char name[128] = "";
    if (proc_read(text, "/sys/class/dmi/id/sys_vendor") == 0)
        snprintf(name, sizeof(name), "%.*s", (int)MIN(view_trim(proc_view(text)).n, 100),
                 view_trim(proc_view(text)).p);
    for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
        if (strstr(name, makers[i])) {
            cJSON_AddStringToObject(o, "virtualization", name);
            return;
        }
    }
    bool is_guest = proc_read(text, "/proc/cpuinfo") == 0 &&
                    memmem(text->bytes, text->n, " hypervisor", 11) != NULL;
    cJSON_AddStringToObject(o, "virtualization", is_guest ? "a virtual machine" : "none");
}

static void add_file_system(cJSON *o, const char *dir, const struct stat *st)
{
    char type[64] = "";
    size_t longest = 0;
    char real[PATH_MAX];
    FILE *mounts = realpath(dir, real) ? setmntent("/proc/self/mounts", "r") : NULL;
    for (struct mntent *m; mounts && (m = getmntent(mounts));) {
        size_t n = strlen(m->mnt_dir);
        struct stat at;
        bool is_above = strncmp(real, m->mnt_dir, n) == 0 &&
                        (n == 1 || real[n] == '/' || real[n] == 0);
        if (is_above && n >= longest && stat(m->mnt_dir, &at) == 0 && at.st_dev == st->st_dev) {
            longest = n;
            snprintf(type, sizeof(type), "%s", m->mnt_type);
        }
    }
    if (mounts)
        endmntent(mounts);
    add_text(o, "file_system", view_str(type));
    struct statvfs fs;
    if (statvfs(dir, &fs) == 0) {
        cJSON_AddNumberToObject(o, "storage_bytes", (double)fs.f_blocks * (double)fs.f_frsize);
        cJSON_AddNumberToObject(o, "free_bytes", (double)fs.f_bavail * (double)fs.f_frsize);
    }
}

static void add_disk(cJSON *o, struct proc_text *text, const struct stat *st)
{
    char base[96], path[160], device[PATH_MAX];
    snprintf(base, sizeof(base), "/sys/dev/block/%u:%u", major(st->st_dev), minor(st->st_dev));
    struct view name = VIEW_NULL;
    if (realpath(base, device)) {
        const char *last = strrchr(device, '/');
        name = view_str(last ? last + 1 : device);
        snprintf(path, sizeof(path), "%s/device/model", base);
        if (proc_read(text, "%s", path) == 0)
            name = proc_view(text);
    }
    add_text(o, "disk", name);
    /* of a partition: its disk's */
    bool is_known = proc_read(text, "%s/queue/rotational", base) == 0 ||
                    proc_read(text, "%s/../queue/rotational", base) == 0;
    if (is_known)
        cJSON_AddBoolToObject(o, "disk_is_rotational", text->bytes[0] == '1');
    else
        cJSON_AddNullToObject(o, "disk_is_rotational");
}

static void add_sysctls(cJSON *o, struct proc_text *text)
{
    static const char *const names[] = {
        "net.core.rmem_max",  "net.core.rmem_default", "net.core.netdev_max_backlog",
        "net.core.somaxconn", "net.ipv4.udp_mem",      "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",  "vm.dirty_ratio",        "vm.dirty_background_ratio",
        "vm.swappiness",
    };
    cJSON *list = cJSON_AddObjectToObject(o, "sysctls");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char path[96];
        snprintf(path, sizeof(path), "/proc/sys/%s", names[i]);
        for (char *p = path + sizeof("/proc/sys/") - 1; *p; p++)
            *p = *p == '.' ? '/' : *p;
        if (proc_read(text, "%s", path) < 0)
            continue;
        for (size_t k = 0; k < text->n; k++)
            text->bytes[k] = text->bytes[k] == '\t' ? ' ' : text->bytes[k];
        add_text(list, names[i], proc_view(text));
    }
}

cJSON *sample_machine(const char *dir)
{
    struct proc_text *text = xmalloc(sizeof(*text));
    cJSON *o = cJSON_CreateObject();
    struct utsname host;
    struct stat st;
    double load[3];
    CHECK(o);
    bool has_names = uname(&host) == 0;
    add_text(o, "name", has_names ? view_str(host.nodename) : VIEW_NULL);
    add_processor(o, text);
    char kernel[160] = "";
    if (has_names)
        snprintf(kernel, sizeof(kernel), "%s %s", host.sysname, host.release);
    add_text(o, "kernel", view_str(kernel));
    add_virtualization(o, text);
    if (stat(dir, &st) == 0) {
        add_file_system(o, dir, &st);
        add_disk(o, text, &st);
    }
    add_sysctls(o, text);
    add_file(o, text, "clock_source",
             "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (proc_read(text, "/proc/loadavg") == 0 && proc_parse_loadavg(proc_view(text), load) == 0)
        cJSON_AddNumberToObject(o, "load_before", load[0]);
    free(text);
    return o;
}
