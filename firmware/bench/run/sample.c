/* One look at the machine and at the processes of a target. */
#include "bench/run/sample.h"

#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/run/softirq.h"
#include "base/proc_net.h"

/* What a family of processes used. */
struct use {
    uint64_t ticks;
    int64_t resident_bytes, shared_bytes, write_bytes; /* -1 unknown */
    int64_t identity;
};

static void add_or_unknown(int64_t *sum, int64_t n)
{
    *sum = *sum < 0 || n < 0 ? -1 : *sum + n;
}

/* Memory and disk of one process. */
static void add_memory(struct proc_text *text, int32_t pid, struct use *use)
{
    if (proc_read(text, "/proc/%d/status", pid) < 0)
        return; /* it ended */
    int64_t anon = proc_field(proc_view(text), "RssAnon");
    int64_t file = proc_field(proc_view(text), "RssFile");
    int64_t shared = proc_field(proc_view(text), "RssShmem");
    if (anon >= 0 && file >= 0) {
        use->resident_bytes += anon * 1024;
        /* what is shared is there once: programs and libraries, and PostgreSQL's buffers */
        use->shared_bytes = MAX(use->shared_bytes, (MAX(shared, 0) + file) * 1024);
    }
    if (proc_read(text, "/proc/%d/io", pid) < 0)
        use->write_bytes = -1; /* another user's process */
    else
        add_or_unknown(&use->write_bytes, proc_field(proc_view(text), "write_bytes"));
}

/* A process with its children; what cannot be read adds nothing. */
static void add_family(struct proc_text *text, int32_t pid, struct use *use)
{
    struct proc_family f;
    if (proc_read_family("/proc", pid, &f) < 0)
        return;
    use->ticks += f.ticks;
    use->identity = use->identity * 31 + ((int64_t)f.started << 22 ^ pid);
    add_memory(text, pid, use);
    for (size_t i = 0; i < f.children_n; i++)
        add_memory(text, f.children[i], use);
}

static struct use use_of(struct proc_text *text, const int32_t *pids, size_t n)
{
    struct use use = {.ticks = 0};
    for (size_t i = 0; i < n; i++)
        add_family(text, pids[i], &use);
    return use;
}

static double seconds(uint64_t ticks)
{
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static void look_at_host(struct proc_text *text, struct sample_look *ret)
{
    struct proc_cpu cpu;
    double load[3];
    ret->busy_s = ret->steal_s = ret->iowait_s = ret->softirq_s = NAN;
    ret->load1 = ret->load5 = ret->load15 = NAN;
    if (proc_read(text, "/proc/stat") == 0 && proc_parse_cpu(proc_view(text), &cpu) == 0) {
        ret->busy_s = seconds(cpu.user + cpu.system + cpu.irq);
        ret->steal_s = seconds(cpu.steal);
        ret->iowait_s = seconds(cpu.iowait);
        ret->softirq_s = seconds(cpu.irq);
    }
    if (proc_read(text, "/proc/loadavg") == 0 && proc_parse_loadavg(proc_view(text), load) == 0) {
        ret->load1 = load[0];
        ret->load5 = load[1];
        ret->load15 = load[2];
    }
    ret->rx_dropped = ret->softnet_dropped = ret->udp_rcvbuf_errors = ret->udp_no_ports = -1;
    if (proc_read(text, "/proc/net/dev") == 0)
        ret->rx_dropped = proc_net_dev_drops(proc_view(text));
    if (proc_read(text, "/proc/net/softnet_stat") == 0)
        ret->softnet_dropped = proc_net_softnet(proc_view(text));
    if (proc_read(text, "/proc/net/snmp") == 0) {
        ret->udp_rcvbuf_errors = proc_net_snmp(proc_view(text), "Udp", "RcvbufErrors");
        ret->udp_no_ports = proc_net_snmp(proc_view(text), "Udp", "NoPorts");
    }
}

void sample_look(const struct target_pids *pids, struct sample_look *ret)
{
    struct proc_text *text = xmalloc(sizeof(*text));
    struct rusage own;
    memset(ret, 0, sizeof(*ret));
    look_at_host(text, ret);
    ret->is_softirq_apart = softirq_is_apart();
    struct use syslog = use_of(text, pids->syslog, pids->syslog_n);
    struct use database = use_of(text, pids->database, pids->database_n);
    struct use other = use_of(text, pids->other, pids->other_n);
    getrusage(RUSAGE_SELF, &own);
    ret->mono_us = clock_mono_us();
    ret->generator_s = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
                       (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
    bool is_known = pids->syslog_n > 0;
    ret->syslog_s = is_known ? seconds(syslog.ticks) : NAN;
    ret->database_s = is_known ? seconds(database.ticks) : NAN; /* a target without one used none */
    ret->other_s = is_known ? seconds(other.ticks) : NAN;
    ret->syslog_bytes = is_known ? syslog.resident_bytes + syslog.shared_bytes : -1;
    ret->database_bytes = is_known ? database.resident_bytes + database.shared_bytes : -1;
    ret->write_bytes = is_known ? syslog.write_bytes : -1;
    if (is_known)
        add_or_unknown(&ret->write_bytes, database.write_bytes);
    ret->syslog_identity = syslog.identity;
    ret->database_identity = database.identity;
    ret->identity = (syslog.identity * 31 + database.identity) * 31 + other.identity;
    free(text);
}

/* Of one core, in percent. */
static double percent(double from_s, double to_s, double wall_s)
{
    double used_s = to_s - from_s;
    return (used_s < 0 ? 0 : used_s) / wall_s * 100; /* NAN stays */
}

void sample_between(const struct sample_look *a, const struct sample_look *b, struct sample *ret)
{
    double s = (double)(b->mono_us - a->mono_us) / 1e6;
    bool is_same = a->identity == b->identity; /* else counters began anew */
    *ret = (struct sample){.seconds = s};
    if (!(s > 0))
        s = NAN;
    ret->cpu_syslog = is_same ? percent(a->syslog_s, b->syslog_s, s) : NAN;
    ret->cpu_database = is_same ? percent(a->database_s, b->database_s, s) : NAN;
    double other = is_same ? percent(a->other_s, b->other_s, s) : NAN;
    ret->cpu_generator = percent(a->generator_s, b->generator_s, s);
    ret->cpu_host = percent(a->busy_s, b->busy_s, s);
    ret->cpu_steal = percent(a->steal_s, b->steal_s, s);
    ret->cpu_iowait = percent(a->iowait_s, b->iowait_s, s);
    ret->cpu_softirq = percent(a->softirq_s, b->softirq_s, s);
    double foreign = ret->cpu_host - ret->cpu_generator - ret->cpu_syslog - ret->cpu_database -
                     other - (b->is_softirq_apart ? ret->cpu_softirq : 0);
    ret->cpu_foreign = isnan(foreign) ? NAN : fmax(foreign, 0); /* ticks are whole */
    ret->load1 = b->load1;
    ret->load5 = b->load5;
    ret->load15 = b->load15;
    ret->syslog_bytes = b->syslog_bytes >= 0 ? (double)b->syslog_bytes : NAN;
    ret->database_bytes = b->database_bytes >= 0 ? (double)b->database_bytes : NAN;
    ret->write_bytes_s = is_same && a->write_bytes >= 0 && b->write_bytes >= a->write_bytes
                             ? (double)(b->write_bytes - a->write_bytes) / s
                             : NAN;
}
