/* What a benchmark sends to: the running box, a private instance of the product, or another
 * collector.
 *
 *   box                      the running product, by its syslog sockets and its API alone
 *   azekura                  a private instance with a PostgreSQL of its own
 *   syslog-ng:maxperf        flat files, the fast configuration; syslog-ng:distro: a distribution's
 *   rsyslog:file             flat files; rsyslog:pgsql: rows in a PostgreSQL of its own
 *   sink                     takes and counts, stores nothing: what the generator and the path can
 * do
 *
 * All but `box` are started by a driver, an executable in targets/ ("targets/README.md" has its
 * protocol): so a further collector is one more file. */
#ifndef AZEKURA_BENCH_TARGET_H
#define AZEKURA_BENCH_TARGET_H

#include <signal.h>
#include <sys/socket.h>

#include "base/err.h"
#include "bench/tally.h"

#define TARGET_PORTS_MAX 8
#define TARGET_PIDS_MAX 16
#define TARGET_REASONS_MAX 24

struct target;

struct target_options {
    const char *spec;       /* as above */
    const char *dir;        /* the target's private folder, made and kept for its logs */
    const char *api;        /* box: "http://127.0.0.1:8080" */
    const char *token_file; /* box: a file with the bearer token; NULL: $AZEKURA_TOKEN */
    const char *syslog;     /* box: "HOST:PORT"; NULL: what the API says */
    const char *peers_dir; /* where other collectors were unpacked; NULL: $AZEKURA_BENCH_PEERS, else
                              ~/.cache/azekura-bench/peers; those of the system where it has none */
    const char *share_dir; /* NULL: as share.h finds it */
};

enum target_transport {
    TARGET_UDP,
    TARGET_TCP,
    TARGET_TLS,
    TARGET_UNIX_DGRAM,
    TARGET_UNIX_STREAM,
    TARGET_TRANSPORTS
};

/* What does not change while it runs; valid until target_close(). */
struct target_facts {
    char name[64];    /* the spec */
    char product[64]; /* "Azekura", "syslog-ng" */
    char version[64];
    char stores[64]; /* in what, and what that outlives: "flat files, in the page cache"; "nothing"
                      */
    char config_sha256[65];
    bool is_local; /* on this machine: /proc tells of its processes */
    bool is_box;   /* in service: other senders may be active, nothing may be killed */
    bool is_searchable, is_restartable, has_counters;
    bool is_readable; /* what it took can be read back; not so of the sink, which only counts */
    struct target_port {
        struct sockaddr_storage address;
        socklen_t address_len; /* 0: does not listen so */
    } ports[TARGET_TRANSPORTS][TARGET_PORTS_MAX];
    size_t ports_n[TARGET_TRANSPORTS];
    int64_t receive_buffer_bytes; /* of its UDP sockets, effective; -1 unknown */
    char source_network[64];      /* send from addresses of it ("127.66.0.0/16"), so that the box
                                     knows a benchmark's messages; "": any */
};

/* Totals since start (box: of the benchmark's senders since target_open); -1: it cannot tell. */
struct target_counters {
    int64_t kernel_dropped; /* by its UDP sockets, exact */
    int64_t received, stored, queued, truncated;
    int64_t refused; /* sum of: */
    struct {
        char reason[32];
        int64_t n;
    } reasons[TARGET_REASONS_MAX];
    size_t reasons_n;
    int64_t stored_bytes; /* on disk, of messages */
};

/* The process ids of its roles now (they change after a restart). */
struct target_pids {
    int32_t syslog[TARGET_PIDS_MAX], database[TARGET_PIDS_MAX]; /* database: postmasters; their
                                                                   children count too */
    int32_t
        other[TARGET_PIDS_MAX]; /* of the product too, in neither role (keeper, web): not foreign */
    size_t syslog_n, database_n, other_n;
};

/* Start (or find) it and wait until it takes messages, ≤ 120 s; `stop` polled.  What was started
 * ends with the thread that called this, so that a killed benchmark leaves nothing running.  One
 * thread may use a target at a time; only the watch and target_search() run beside. */
MUST_USE int target_open(const struct target_options *o, const volatile sig_atomic_t *stop,
                         struct target **ret, struct err *err);
/* Stop what was started, remove its data (its logs and configuration stay). */
void target_close(struct target **pt);
const struct target_facts *target_facts(const struct target *t);
void target_pids(struct target *t, struct target_pids *ret);
MUST_USE int target_counters(struct target *t, struct target_counters *ret, struct err *err);
/* Everything it has of the run, into the tally.  Blocks; `stop` polled. */
MUST_USE int target_read_back(struct target *t, uint64_t run, struct tally *tally,
                              const volatile sig_atomic_t *stop, struct err *err);
/* Of a box on another machine: its own samples, each of whole TARGET_BEAT_S seconds; NAN unknown.
 * CPU is % of one core, as of struct sample. */
#define TARGET_BEAT_S 5
#define TARGET_BEATS_MAX 128
struct target_beat {
    int64_t at_us;  /* when it begins, our wall clock */
    double threads; /* of its hardware */
    double load1, load5, load15;
    double cpu_syslog, cpu_database, cpu_host, cpu_foreign, cpu_steal;
    double memory_bytes; /* in use, of the whole machine */
};
/* Those it has by now that begin at or after `from_us`, oldest first.  How many, 0 for every other
 * target, or negative and *err. */
MUST_USE int target_beats(struct target *t, int64_t from_us,
                          struct target_beat ret[TARGET_BEATS_MAX], struct err *err);
/* When the first of them begins. */
int64_t target_beat_begin(const struct target *t, int64_t from_us);
/* How many messages of the run a search finds now (box, azekura); others: the marks in its files or
 * rows.  Costs a search of all that came since target_forget(); others: of what is new. */
MUST_USE int target_visible(struct target *t, uint64_t run, int64_t *ret, struct err *err);
/* Forget what was stored, between two trials: files and rsyslog's table are emptied; Azekura goes
 * on, and is read from here on. */
MUST_USE int target_forget(struct target *t, struct err *err);
/* Kill its syslog process (SIGKILL); the driver starts it again; wait until it takes messages. */
MUST_USE int target_kill(struct target *t, const volatile sig_atomic_t *stop, struct err *err);

/* Canaries: messages that contain "canary=RUN-NUMBER" and are looked for.  target_watch_start()
 * begins a thread that calls `found(context, number, mono_ns)` as soon as a canary can be found
 * (API tail, new bytes of a file, rows of a table). */
typedef void (*target_found_fn)(void *context, int64_t number, int64_t mono_ns);
MUST_USE int target_watch_start(struct target *t, uint64_t run, target_found_fn found,
                                void *context, struct err *err);
void target_watch_stop(struct target *t);

/* One search as a user does it (box, azekura), `query` in the product's language over the last
 * `seconds`; *ret_us how long until the answer was whole, *ret_n entries of it. */
MUST_USE int target_search(struct target *t, const char *query, int seconds, int64_t *ret_us,
                           int64_t *ret_n, struct err *err);

/* Remove the data that killed benchmarks left below `out` (OUT/RUN/ANY, where ANY was a target's
 * `dir`); what is in use stays.  Returns how many were removed. */
int target_sweep(const char *out, const char *share_dir);

#endif
