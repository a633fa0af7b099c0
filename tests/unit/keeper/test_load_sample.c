/* From counters to values, and the CPU time of a server whose processes come and go, in a /proc of
 * our own. */
#include "keeper/load_sample.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS 5

static struct load_counters counters(int64_t mono_us)
{
    return (struct load_counters){
        .mono_us = mono_us,
        .has_average = true,
        .average = {1, 2, 3},
        .has_cpu = true,
        .cpu = {1000, 500, 100, 50, 20, 8000},
        .has_memory = true,
        .memory = {1 << 30, 1 << 29, 1 << 28, 0},
        .has_disk = true,
        .disk = {100, 200, 1 << 20, 2 << 20, 1000, 4000},
        .has_net = true,
        .net = {1000, 10, 2000, 20, 1, 2, 1},
        .has_server = true,
        .server = {.server_pid = 7,
                   .device = "8:0",
                   .commits = 10,
                   .blocks_hit = 100,
                   .blocks_read = 10,
                   .wal_bytes = 5000,
                   .connections = 4},
        .database = {true, 42, 300},
        .daemons = {{true, 1, 100}, {true, 2, 200}, {true, 3, 300}},
    };
}

static void expect_value(const char *what, const float *values, enum load_metric m, double expected)
{
    if (isnan(expected))
        cr_expect(isnan(values[m]), "%s: %s is %g, expected none", what, load_metrics[m].name,
                  (double)values[m]);
    else
        cr_expect_float_eq(values[m], expected, fabs(expected) * 1e-6 + 1e-9,
                           "%s: %s is %g, expected %g", what, load_metrics[m].name,
                           (double)values[m], expected);
}

Test(load_sample, values_are_what_grew_in_a_second)
{
    struct load_counters a = counters(1000000), b = counters(1000000 + SECONDS * 1000000);
    struct load_storage storage = {11, 22, 33, 44};
    float v[LOAD_METRICS];
    b.cpu = (struct proc_cpu){1000 + 400, 500 + 200, 100 + 50, 50 + 10, 20 + 40, 8000 + 300};
    b.disk = (struct load_disk){100 + 10,          200 + 40,   (1 << 20) + 5120,
                                (2 << 20) + 10240, 1000 + 100, 4000 + 2500};
    b.net = (struct load_net){1000 + 500, 10 + 5, 2000 + 1000, 20 + 10, 1 + 5, 2 + 15, 1};
    b.server.commits += 50;
    b.server.wal_bytes += 1000;
    b.server.blocks_hit += 90;
    b.server.blocks_read += 10;
    b.database.ticks += 750; /* 7.5 s of CPU in 5 s: one and a half cores */
    b.daemons[0].ticks += 135;
    load_values(&a, &b, &storage, 100, v);
    static const struct {
        enum load_metric metric;
        double value;
    } expected[] = {
        {LOAD_LOAD1, 1},
        {LOAD_LOAD15, 3},
        {LOAD_CPU_USER, 40},
        {LOAD_CPU_SYSTEM, 20},
        {LOAD_CPU_IOWAIT, 5},
        {LOAD_CPU_IRQ, 1},
        {LOAD_CPU_STEAL, 4},
        {LOAD_CPU_IDLE, 30},
        {LOAD_MEMORY_USED, 1 << 29},
        {LOAD_DISK_READS, 2},
        {LOAD_DISK_WRITES, 8},
        {LOAD_DISK_READ_BYTES, 1024},
        {LOAD_DISK_WRITE_BYTES, 2048},
        {LOAD_DISK_BUSY, 50},
        {LOAD_DISK_LATENCY, 2},
        {LOAD_NET_RECEIVE_BYTES, 100},
        {LOAD_NET_SEND_PACKETS, 2},
        {LOAD_NET_ERRORS, 1},
        {LOAD_NET_DROPS, 3},
        {LOAD_PG_COMMITS, 10},
        {LOAD_PG_WAL_BYTES, 200},
        {LOAD_PG_CACHE_HIT, 90},
        {LOAD_PG_CONNECTIONS, 4},
        {LOAD_CPU_DATABASE, 150},
        {LOAD_CPU_SYSLOG, 27},
        {LOAD_CPU_WEB, 0},
        {LOAD_CPU_KEEPER, 0},
        {LOAD_MONTH_BYTES, 11},
        {LOAD_CAPACITY_BYTES, 44},
    };
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        expect_value("all", v, expected[i].metric, expected[i].value);
}

Test(load_sample, a_count_that_begins_anew_is_neither_a_spike_nor_negative)
{
    struct load_counters a = counters(1000000), b = counters(6000000);
    float v[LOAD_METRICS];
    b.database = (struct load_count){true, 43, 1000000}; /* another server, long at work */
    b.daemons[0] = (struct load_count){true, 9, 5};      /* a receiver started again */
    b.daemons[1].is_known = false;
    b.server.wal_bytes = 0;
    b.net.received_bytes = 0; /* the card was taken out and put in again */
    b.disk.reads = 0;
    load_values(&a, &b, NULL, 100, v);
    static const enum load_metric unknown[] = {
        LOAD_CPU_DATABASE, LOAD_CPU_SYSLOG,   LOAD_CPU_WEB,           LOAD_PG_COMMITS,
        LOAD_PG_WAL_BYTES, LOAD_PG_CACHE_HIT, LOAD_NET_RECEIVE_BYTES, LOAD_DISK_READS,
        LOAD_DISK_LATENCY, LOAD_MONTH_BYTES};
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
        expect_value("restart", v, unknown[i], NAN);
    expect_value("restart", v, LOAD_CPU_KEEPER, 0);
    expect_value("restart", v, LOAD_DISK_WRITES, 0);
}

Test(load_sample, what_two_readings_do_not_both_know_is_unknown)
{
    struct load_counters none = {0}, b = counters(6000000);
    float v[LOAD_METRICS];
    load_values(&none, &b, NULL, 100, v);
    expect_value("first", v, LOAD_LOAD5, 2);
    expect_value("first", v, LOAD_PG_CONNECTIONS, 4);
    expect_value("first", v, LOAD_CPU_USER, NAN);
    expect_value("first", v, LOAD_CPU_DATABASE, NAN);

    struct load_counters a = counters(6000000 - LOAD_INTERVAL_MAX_US - 1);
    load_values(&a, &b, NULL, 100, v);
    expect_value("too far apart", v, LOAD_NET_DROPS, NAN);
    expect_value("too far apart", v, LOAD_MEMORY_TOTAL, 1 << 30);

    a = counters(1000000);
    b.has_server = b.has_disk = b.has_net = b.has_memory = b.has_average = false;
    load_values(&a, &b, NULL, 100, v);
    for (int m = 0; m < LOAD_METRICS; m++) {
        bool is_known = (m >= LOAD_CPU_SYSLOG && m <= LOAD_CPU_KEEPER);
        cr_expect(!isnan(v[m]) == is_known, "%s while only processes can be read",
                  load_metrics[m].name);
    }
    b = counters(6000000);
    b.net.interfaces = 2;
    snprintf(b.server.device, sizeof(b.server.device), "8:16");
    load_values(&a, &b, NULL, 100, v);
    expect_value("another card", v, LOAD_NET_SEND_BYTES, NAN);
    expect_value("another disk", v, LOAD_DISK_BUSY, NAN);
}

/* ---- a /proc of our own ---- */

struct tree {
    char path[64];
};

static void tree_write(const struct tree *t, const char *text, const char *fmt, ...) PRINTF(3, 4);
static void tree_write(const struct tree *t, const char *text, const char *fmt, ...)
{
    char name[128], path[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    snprintf(path, sizeof(path), "%s/%s", t->path, name);
    for (char *p = path + strlen(t->path) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        (void)!mkdir(path, 0700);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

static void tree_process(const struct tree *t, int pid, int parent, int own, int children,
                         int started)
{
    char text[256];
    snprintf(text, sizeof(text),
             "%d (postgres: (x) y) S %d 0 0 0 -1 0 0 0 0 0 %d 0 %d 0 20 0 1 0 %d 0\n", pid, parent,
             own, children, started);
    tree_write(t, text, "%d/stat", pid);
}

static void tree_end(const struct tree *t, int pid)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%d/stat", t->path, pid);
    cr_assert_eq(unlink(path), 0);
}

static struct tree tree_new(void)
{
    struct tree t = {"/tmp/azk-proc-XXXXXX"};
    cr_assert(mkdtemp(t.path));
    tree_process(&t, 100, 1, 10, 20, 5);
    tree_process(&t, 101, 100, 30, 0, 6);
    tree_process(&t, 102, 100, 40, 7, 6);
    tree_process(&t, 103, 1, 9999, 9999, 6); /* somebody else's */
    return t;
}

static void tree_free(struct tree *t)
{
    char *command = xasprintf("rm -r %s", t->path);
    cr_expect_eq(system(command), 0);
    free(command);
}

static void expect_ticks(const struct tree *t, const char *what, uint64_t expected)
{
    struct load_count c;
    load_database_read(t->path, 100, &c);
    cr_expect(c.is_known && c.ticks == expected, "%s: %lu, expected %lu", what, c.ticks, expected);
}

Test(load_sample, the_servers_time_is_that_of_all_its_processes_also_of_those_that_ended)
{
    struct tree t = tree_new();
    expect_ticks(&t, "by looking at every process", 10 + 20 + 30 + 40 + 7);
    tree_write(&t, "101 102 103 999", "100/task/100/children");
    expect_ticks(&t, "by the list of children", 107);
    /* a backend ends: its time goes to the postmaster's children */
    tree_end(&t, 101);
    tree_process(&t, 100, 1, 10, 20 + 30, 5);
    tree_write(&t, "102 ", "100/task/100/children");
    expect_ticks(&t, "after one ended", 107);
    /* one that nobody ever saw came and went */
    tree_process(&t, 100, 1, 11, 20 + 30 + 12, 5);
    expect_ticks(&t, "after one came and went", 120);
    tree_free(&t);
}

Test(load_sample, another_server_under_the_same_process_id_is_another_count)
{
    struct tree t = tree_new();
    struct load_count a, b;
    load_database_read(t.path, 100, &a);
    tree_process(&t, 100, 1, 1, 0, 7);
    load_database_read(t.path, 100, &b);
    cr_expect(a.is_known && b.is_known && a.identity != b.identity);
    tree_end(&t, 100);
    load_database_read(t.path, 100, &b);
    cr_expect(!b.is_known, "a server that is gone");
    tree_free(&t);
}

Test(load_sample, a_daemon_is_counted_only_while_it_is_the_one_that_reported)
{
    struct tree t = tree_new();
    struct load_counters before = {0}, c;
    struct load_server s = {
        .server_pid = 100,
        .device = "8:0",
        .daemons = {{101, "boot-a", 6}, {102, "boot-b", 6}, {103, "boot-a", 5}}};
    tree_write(&t, "boot-a\n", "sys/kernel/random/boot_id");
    load_counters_read(t.path, t.path, &s, &before, &c);
    cr_expect(c.daemons[0].is_known && c.daemons[0].ticks == 30);
    cr_expect(!c.daemons[1].is_known, "reported before the machine started again");
    cr_expect(!c.daemons[2].is_known, "the process id is another process's by now");
    cr_expect(c.database.is_known && c.has_server);
    cr_expect(!c.has_cpu && !c.has_average && !c.has_memory && !c.has_disk && !c.has_net,
              "files that are missing are unknown");
    /* the database away: its processes and the daemons are still known */
    before = c;
    load_counters_read(t.path, t.path, NULL, &before, &c);
    cr_expect(!c.has_server && c.database.is_known && c.daemons[0].is_known);
    tree_free(&t);
}

Test(load_sample, only_interfaces_of_hardware_are_counted_if_there_are_any)
{
    static const char net[] = "Inter-| Receive | Transmit\n face |bytes |bytes\n"
                              "    lo: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n"
                              "  eth0: 100 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\n"
                              "   br0: 100 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\n";
    struct tree t = tree_new();
    struct load_counters before = {0}, c;
    tree_write(&t, net, "net/dev");
    load_counters_read(t.path, t.path, NULL, &before, &c);
    cr_expect(c.has_net && c.net.interfaces == 2 && c.net.received_bytes == 200, "a container");
    tree_write(&t, "", "class/net/eth0/device/x");
    load_counters_read(t.path, t.path, NULL, &before, &c);
    cr_expect(c.has_net && c.net.interfaces == 1 && c.net.received_bytes == 100, "a machine");
    tree_free(&t);
}
