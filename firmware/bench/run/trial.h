/* One trial: one load on one target, from the first message to the last one read back.
 *
 *     connect ─▶ send (a second a line) ─▶ drain ─▶ read back ─▶ ledger, delays, validity
 *
 * The store is the judge: what is lost or there twice is what it does not, or twice, give back.
 * Runs in the thread that opened the target. */
#ifndef AZEKURA_BENCH_TRIAL_H
#define AZEKURA_BENCH_TRIAL_H

#include <cjson/cJSON.h>

#include "bench/run/canary.h"
#include "bench/run/profile.h"
#include "bench/run/sample.h"
#include "bench/run/searcher.h"
#include "bench/run/stages.h"

#define TRIAL_RANGES_MAX 100 /* ranges of lost or doubled numbers kept for the report, of each */
#define TRIAL_CLIENTS_MAX 16

/* A second of it, totals since its start; what cannot be told is -1 or NAN. */
struct trial_second {
    double at_s;
    struct load_totals load;
    int64_t kernel_dropped, received, refused, queued, stored;
    double latency_p50_us, latency_p99_us; /* of the canaries found in it */
    struct sample sample;
};

struct trial_options {
    const struct profile_test *test; /* valid as long as the trial */
    struct target *target;
    int number, test_number, run;
    double rate, time_s; /* in place of the test's */
    double warm_up_percent, drain_s;
    uint64_t seed;
    /* raised by signals: end early and keep what there is; end at once */
    const volatile sig_atomic_t *stop, *abort;
    void (*second)(void *context, const struct trial_second *s); /* may be NULL */
    void (*phase)(void *context, const char *en, const char *ja);
    void *context;
};

struct trial_figure {
    double mean, max; /* NAN without any */
};

struct trial {
    struct trial_options o;
    uint64_t run_id;
    char name[160], name_ja[300];
    int64_t ports, connections; /* as it was */
    int64_t started_at_us;
    double duration_s, drain_s, from_s, to_s;
    struct stages stages;
    struct tally_result sequence;
    struct tally_range missing[TRIAL_RANGES_MAX], duplicated[TRIAL_RANGES_MAX];
    size_t missing_n, duplicated_n;
    bool is_read_back; /* sequence is whole */
    bool is_complete;  /* neither stopped nor failed before its end */
    double offered, sent, stored, visible, most_in_a_second; /* messages/s */
    double loss_percent;                                     /* NAN unknown */
    double mean_size; /* bytes a message that was sent, framing included; NAN without any */
    bool is_held;     /* the rate asked for was sent to 1 % */
    struct canary_result latency;
    double lateness_p99_us, blocked_percent;
    struct trial_figure cpu_syslog, cpu_database, cpu_generator, cpu_host, cpu_foreign, cpu_steal;
    struct trial_figure load1, load5, load15;
    double us_syslog, us_database; /* CPU a stored message */
    double syslog_bytes, database_bytes, written_bytes;
    double host_bytes;    /* memory of a box elsewhere in use, at most; else NAN */
    int64_t stored_bytes; /* -1 */
    struct searcher_result searches;
    int64_t kills;
    double restart_ms_max;
    bool has_syslog_ended, has_database_ended; /* by itself or by others, not by a kill of ours */
    int64_t client_sent[TRIAL_CLIENTS_MAX];    /* of each loggen it stands for */
    bool is_valid;
    struct stages_reason invalid_reason;
};

/* 0, also for a trial that was stopped (is_complete tells); -ENOTSUP where the target does not
 * listen so; other negative values and *err when it could not be made. */
MUST_USE int trial_run(const struct trial_options *o, struct trial *ret, struct err *err);
/* Its member of report.json's "trials"; the caller owns it. */
cJSON *trial_report(const struct trial *t);
/* What a reader must know of a trial beside its figures; empty when there is nothing. */
const struct stages_reason *trial_note(const struct trial *t);
/* The arguments of loggen `index` (0…) of a test, as results.csv names them. */
void trial_loggen(const struct profile_test *t, double time_s, int64_t index, char *ret, size_t n);
/* Mark it as not to be believed; the first reason stays. */
void trial_invalidate(struct trial *t, const char *en, const char *ja);

#endif
