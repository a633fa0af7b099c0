/* From counters to values. */
#include "keeper/load_sample.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

struct interfaces {
    const char *sys;
    bool only_devices;
};

/* Interfaces of hardware.  Bridges, VLANs and bonds would count the same packet again. */
static bool is_counted(void *context, struct view name)
{
    const struct interfaces *i = context;
    char path[256];
    if (view_eq(name, VIEW("lo")))
        return false;
    snprintf(path, sizeof(path), "%s/class/net/%.*s/device", i->sys, VIEW_ARG(name));
    return !i->only_devices || access(path, F_OK) == 0;
}

static bool read_net(const char *proc, const char *sys, struct load_net *ret)
{
    struct proc_text text;
    struct interfaces i = {.sys = sys, .only_devices = true};
    if (proc_read(&text, "%s/net/dev", proc) < 0)
        return false;
    int rc = load_parse_net(proc_view(&text), is_counted, &i, ret);
    if (rc == 0 && ret->interfaces == 0) { /* a container has none of hardware */
        i.only_devices = false;
        rc = load_parse_net(proc_view(&text), is_counted, &i, ret);
    }
    return rc == 0 && ret->interfaces > 0;
}

static void read_machine(const char *proc, const char *sys, struct load_counters *c)
{
    struct proc_text text;
    c->has_average = proc_read(&text, "%s/loadavg", proc) == 0 &&
                     proc_parse_loadavg(proc_view(&text), c->average) == 0;
    c->has_cpu = proc_read(&text, "%s/stat", proc) == 0 &&
                 proc_parse_cpu(proc_view(&text), &c->cpu) == 0;
    c->has_memory = proc_read(&text, "%s/meminfo", proc) == 0 &&
                    load_parse_meminfo(proc_view(&text), &c->memory) == 0;
    c->has_disk = c->server.device[0] && proc_read(&text, "%s/diskstats", proc) == 0 &&
                  load_parse_diskstats(proc_view(&text), c->server.device, &c->disk) == 0;
    c->has_net = read_net(proc, sys, &c->net);
}

/* A daemon by the process id it reported, if that is still it. */
static void read_daemon(const char *proc, const char *boot, const struct load_daemon *d,
                        struct load_count *ret)
{
    struct proc_process p;
    if (d->pid <= 0 || strcmp(d->boot, boot) != 0 || proc_read_process(proc, d->pid, &p) < 0 ||
        (int64_t)p.started != d->started)
        return;
    *ret = (struct load_count){
        .is_known = true, .identity = (int64_t)p.started << 24 ^ p.pid, .ticks = p.own};
}

void load_database_read(const char *proc, int32_t pid, struct load_count *ret)
{
    struct proc_family f;
    *ret = (struct load_count){0};
    if (proc_read_family(proc, pid, &f) == 0)
        *ret = (struct load_count){
            .is_known = true, .identity = (int64_t)f.started << 24 ^ pid, .ticks = f.ticks};
}

void load_counters_read(const char *proc, const char *sys, const struct load_server *server,
                        const struct load_counters *before, struct load_counters *ret)
{
    char boot[64] = "";
    struct proc_text text;
    *ret = (struct load_counters){.server = server ? *server : before->server,
                                  .has_server = server != NULL};
    if (proc_read(&text, "%s/sys/kernel/random/boot_id", proc) == 0)
        snprintf(boot, sizeof(boot), "%.*s", VIEW_ARG(view_trim(proc_view(&text))));
    read_machine(proc, sys, ret);
    for (int i = 0; i < LOAD_DAEMONS; i++)
        read_daemon(proc, boot, &ret->server.daemons[i], &ret->daemons[i]);
    if (ret->server.server_pid > 0)
        load_database_read(proc, ret->server.server_pid, &ret->database);
    ret->mono_us = clock_mono_us();
}

/* ---- values ---- */

struct interval {
    double seconds;
    float *values;
};

/* now - before, or NAN when the counter fell. */
static double grown(uint64_t before, uint64_t now)
{
    return now >= before ? (double)(now - before) : (double)NAN;
}

static void set_rate(const struct interval *i, enum load_metric m, uint64_t before, uint64_t now)
{
    i->values[m] = (float)(grown(before, now) / i->seconds);
}

static void set_cpu(const struct interval *i, const struct proc_cpu *a, const struct proc_cpu *b)
{
    /* iowait may fall, and idle with it: proc(5) */
    const struct {
        enum load_metric metric;
        uint64_t before, now;
    } parts[] = {{LOAD_CPU_USER, a->user, b->user},       {LOAD_CPU_SYSTEM, a->system, b->system},
                 {LOAD_CPU_IOWAIT, a->iowait, b->iowait}, {LOAD_CPU_IRQ, a->irq, b->irq},
                 {LOAD_CPU_STEAL, a->steal, b->steal},    {LOAD_CPU_IDLE, a->idle, b->idle}};
    double total = 0;
    for (size_t k = 0; k < ARRAY_LEN(parts); k++)
        total += parts[k].now > parts[k].before ? (double)(parts[k].now - parts[k].before) : 0;
    for (size_t k = 0; k < ARRAY_LEN(parts) && total > 0; k++)
        i->values[parts[k].metric] =
            (float)(parts[k].now > parts[k].before
                        ? 100 * (double)(parts[k].now - parts[k].before) / total
                        : 0);
}

static void set_disk(const struct interval *i, const struct load_disk *a, const struct load_disk *b)
{
    set_rate(i, LOAD_DISK_READ_BYTES, a->read_bytes, b->read_bytes);
    set_rate(i, LOAD_DISK_WRITE_BYTES, a->written_bytes, b->written_bytes);
    set_rate(i, LOAD_DISK_READS, a->reads, b->reads);
    set_rate(i, LOAD_DISK_WRITES, a->writes, b->writes);
    double busy = grown(a->busy_ms, b->busy_ms) / i->seconds / 10;
    i->values[LOAD_DISK_BUSY] = (float)(busy > 100 ? 100 : busy);
    double done = grown(a->reads, b->reads) + grown(a->writes, b->writes);
    if (done > 0)
        i->values[LOAD_DISK_LATENCY] = (float)(grown(a->wait_ms, b->wait_ms) / done);
    else if (done == 0)
        i->values[LOAD_DISK_LATENCY] = 0;
}

static void set_net(const struct interval *i, const struct load_net *a, const struct load_net *b)
{
    if (a->interfaces != b->interfaces)
        return;
    set_rate(i, LOAD_NET_RECEIVE_BYTES, a->received_bytes, b->received_bytes);
    set_rate(i, LOAD_NET_SEND_BYTES, a->sent_bytes, b->sent_bytes);
    set_rate(i, LOAD_NET_RECEIVE_PACKETS, a->received_packets, b->received_packets);
    set_rate(i, LOAD_NET_SEND_PACKETS, a->sent_packets, b->sent_packets);
    set_rate(i, LOAD_NET_ERRORS, a->errors, b->errors);
    set_rate(i, LOAD_NET_DROPS, a->drops, b->drops);
}

static void set_server(const struct interval *i, const struct load_server *a,
                       const struct load_server *b)
{
    set_rate(i, LOAD_PG_COMMITS, (uint64_t)a->commits, (uint64_t)b->commits);
    set_rate(i, LOAD_PG_WAL_BYTES, (uint64_t)a->wal_bytes, (uint64_t)b->wal_bytes);
    double hit = grown((uint64_t)a->blocks_hit, (uint64_t)b->blocks_hit);
    double read = grown((uint64_t)a->blocks_read, (uint64_t)b->blocks_read);
    if (hit + read > 0)
        i->values[LOAD_PG_CACHE_HIT] = (float)(100 * hit / (hit + read));
}

static void set_process(const struct interval *i, enum load_metric m, const struct load_count *a,
                        const struct load_count *b, long ticks_a_second)
{
    if (a->is_known && b->is_known && a->identity == b->identity)
        i->values[m] =
            (float)(grown(a->ticks, b->ticks) / (double)ticks_a_second / i->seconds * 100);
}

static void set_levels(const struct load_counters *now, const struct load_storage *storage,
                       float *values)
{
    for (int k = 0; k < 3 && now->has_average; k++)
        values[LOAD_LOAD1 + k] = (float)now->average[k];
    if (now->has_memory) {
        values[LOAD_MEMORY_TOTAL] = (float)now->memory.total;
        values[LOAD_MEMORY_USED] = (float)now->memory.used;
        values[LOAD_MEMORY_CACHED] = (float)now->memory.cached;
        values[LOAD_SWAP_USED] = (float)now->memory.swap_used;
    }
    if (now->has_server)
        values[LOAD_PG_CONNECTIONS] = (float)now->server.connections;
    if (storage) {
        values[LOAD_MONTH_BYTES] = (float)storage->month_bytes;
        values[LOAD_BUDGET_BYTES] = (float)storage->budget_bytes;
        values[LOAD_USED_BYTES] = (float)storage->used_bytes;
        values[LOAD_CAPACITY_BYTES] = (float)storage->capacity_bytes;
    }
}

void load_values(const struct load_counters *before, const struct load_counters *now,
                 const struct load_storage *storage, long ticks_a_second, float ret[LOAD_METRICS])
{
    static const enum load_metric daemon_metrics[LOAD_DAEMONS] = {LOAD_CPU_SYSLOG, LOAD_CPU_WEB,
                                                                  LOAD_CPU_KEEPER};
    for (int m = 0; m < LOAD_METRICS; m++)
        ret[m] = NAN;
    set_levels(now, storage, ret);
    int64_t elapsed_us = now->mono_us - before->mono_us;
    if (before->mono_us == 0 || elapsed_us <= 0 || elapsed_us > LOAD_INTERVAL_MAX_US)
        return;
    struct interval i = {.seconds = (double)elapsed_us / 1e6, .values = ret};
    if (before->has_cpu && now->has_cpu)
        set_cpu(&i, &before->cpu, &now->cpu);
    if (before->has_disk && now->has_disk && strcmp(before->server.device, now->server.device) == 0)
        set_disk(&i, &before->disk, &now->disk);
    if (before->has_net && now->has_net)
        set_net(&i, &before->net, &now->net);
    bool is_same_server = before->database.is_known && now->database.is_known
                              ? before->database.identity == now->database.identity
                              : before->server.server_pid == now->server.server_pid;
    if (before->has_server && now->has_server && is_same_server)
        set_server(&i, &before->server, &now->server);
    set_process(&i, LOAD_CPU_DATABASE, &before->database, &now->database, ticks_a_second);
    for (int d = 0; d < LOAD_DAEMONS; d++)
        set_process(&i, daemon_metrics[d], &before->daemons[d], &now->daemons[d], ticks_a_second);
}
