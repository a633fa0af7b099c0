/* One trial: connect, send, drain, read back. */
#include "bench/run/trial.h"

#include <math.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/load_command.h"
#include "bench/stats.h"
#include "bench/run/trial_measure.h"
#include "bench/run/trial_remote.h"

#define POLL_MS 50
/* The store stands still so long: what is not there by now does not come (a receiver closes a block
 * after a second, a file's buffer is written out sooner). */
#define QUIET_US (3 * US_PER_SECOND)
#define STOPPED_DRAIN_S 5.0 /* after a signal */
#define CANARY_WAIT_US (2 * US_PER_SECOND)

struct trial_state {
    const struct trial_options *o;
    const struct target_facts *facts;
    struct trial *t;
    struct load_options options;
    struct load *load;
    struct canary *canary;
    struct searcher *searcher;
    struct target_counters before, last;
    struct sample_look look_first, look_last;
    struct trial_seconds seconds;
    struct trial_remote remote;
    int64_t start_us, last_growth_us;
    bool keeps_nothing; /* a null receiver: its counts are all there is */
    int64_t visible;
    bool is_watching;
};

static void nap_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static void say(const struct trial_state *s, const char *en, const char *ja)
{
    if (s->o->phase)
        s->o->phase(s->o->context, en, ja);
}

static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 4096 ? (int)n : 1;
}

static bool is_stopped(const struct trial_state *s)
{
    return *s->o->stop || *s->o->abort;
}

/* ---- before ---- */

static int choose_ports(struct trial_state *s, struct err *err)
{
    const struct profile_test *test = s->o->test;
    int64_t transport = test->transport;
    size_t n = MIN((size_t)test->ports, s->facts->ports_n[transport]);
    if (n == 0)
        return err_set(err, ENOTSUP, "not_listening", "%s does not take messages by %s",
                       s->facts->name, profile_transport_name(transport));
    for (size_t i = 0; i < n; i++) {
        s->options.ports[i] = s->facts->ports[transport][i].address;
        s->options.ports_len[i] = s->facts->ports[transport][i].address_len;
    }
    s->options.ports_n = n;
    s->t->ports = (int64_t)n;
    return 0;
}

static void choose_load(struct trial_state *s)
{
    const struct profile_test *test = s->o->test;
    struct load_options *l = &s->options;
    l->transport = (enum target_transport)test->transport;
    snprintf(l->source_network, sizeof(l->source_network), "%s", s->facts->source_network);
    l->sources = test->sources;
    l->framing = (enum load_framing)test->framing;
    l->layout = (enum load_layout)test->layout;
    l->format = (enum load_format)test->format;
    l->rate = s->o->rate;
    l->duration_s = s->o->time_s;
    l->size = test->size;
    l->connections = test->connections;
    l->threads = MIN(MIN(test->connections, cores()), LOAD_THREADS_MAX);
    l->seed = s->o->seed;
    l->run = s->t->run_id;
    l->has_sequence = true;
    l->stop = s->o->stop;
    l->has_reconnect = test->kills > 0;
    l->canary_rate = s->keeps_nothing ? 0 : (int64_t)test->canaries;
    s->t->connections = test->connections;
}

/* The generator counts canaries apart; in the ledger they are messages as all others. */
static void read_load(const struct trial_state *s, struct load_totals *ret)
{
    load_read(s->load, ret);
    ret->sent += ret->canaries;
    ret->scheduled += ret->canaries;
}

static int64_t canaries_max(const struct trial_state *s)
{
    return (int64_t)((s->o->time_s + 10) * (double)s->options.canary_rate) + 16;
}

static int prepare(struct trial_state *s, struct err *err)
{
    if (getrandom(&s->t->run_id, sizeof(s->t->run_id), 0) != sizeof(s->t->run_id))
        return err_set(err, EIO, "no_random", "the system gives no random numbers");
    int rc = choose_ports(s, err);
    if (rc < 0)
        return rc;
    choose_load(s);
    if (s->o->test->kills > 0 && !s->facts->is_restartable)
        return err_set(err, ENOTSUP, "no_kill",
                       "%s cannot be killed and started again by a benchmark", s->facts->name);
    if ((rc = target_forget(s->o->target, err)) < 0)
        return rc;
    if ((rc = target_counters(s->o->target, &s->before, err)) < 0)
        return rc;
    s->last = s->before;
    if ((rc = load_new(&s->options, &s->load, err)) < 0)
        return rc;
    s->canary = canary_new(canaries_max(s));
    if (s->options.canary_rate > 0) {
        rc = target_watch_start(s->o->target, s->t->run_id, canary_found, s->canary, err);
        if (rc < 0)
            return rc;
        s->is_watching = true;
    }
    if (s->o->test->searches > 0) {
        s->searcher = searcher_start(s->o->target, s->o->test->searches, err);
        if (s->searcher == NULL)
            return -ENOTSUP;
    }
    return load_connect(s->load, err);
}

/* ---- while it sends ---- */

static int64_t since(int64_t before, int64_t now)
{
    return before < 0 || now < 0 ? -1 : now - before;
}

static void look(struct trial_state *s, struct sample_look *ret)
{
    struct target_pids pids = {0};
    target_pids(s->o->target, &pids);
    sample_look(&pids, ret);
}

static bool is_another(int64_t before, int64_t now)
{
    return before != 0 && now != 0 && before != now;
}

/* A process of the target that ends under the load is a finding, also when nothing was lost. */
static void notice_ends(struct trial_state *s, const struct sample_look *now)
{
    const struct sample_look *first = &s->look_first;
    if (s->o->test->kills == 0 && is_another(first->syslog_identity, now->syslog_identity))
        s->t->has_syslog_ended = true;
    if (is_another(first->database_identity, now->database_identity))
        s->t->has_database_ended = true;
}

/* Counters that cannot be had for a moment (a restart) stay as they were. */
static void read_counters(struct trial_state *s)
{
    struct target_counters now;
    struct err err;
    if (target_counters(s->o->target, &now, &err) < 0)
        return;
    if (now.stored != s->last.stored || now.stored_bytes != s->last.stored_bytes)
        s->last_growth_us = clock_mono_us();
    s->last = now;
}

static void take_second(struct trial_state *s)
{
    struct trial_second second = {.latency_p50_us = NAN, .latency_p99_us = NAN};
    struct sample_look now;
    double *delays = NULL;
    read_load(s, &second.load);
    second.at_s = (double)(clock_mono_us() - s->start_us) / 1e6;
    look(s, &now);
    sample_between(&s->look_last, &now, &second.sample);
    s->look_last = now;
    notice_ends(s, &now);
    trial_remote_fill(&s->remote, &second.sample);
    read_counters(s);
    second.kernel_dropped = since(s->before.kernel_dropped, s->last.kernel_dropped);
    second.received = since(s->before.received, s->last.received);
    second.refused = since(s->before.refused, s->last.refused);
    second.stored = since(s->before.stored, s->last.stored);
    second.queued = s->last.queued;
    size_t n = canary_take(s->canary, s->load, &delays);
    second.latency_p50_us = stats_percentile(delays, n, 50);
    second.latency_p99_us = stats_percentile(delays, n, 99);
    free(delays);
    trial_seconds_add(&s->seconds, &second);
    if (s->o->second)
        s->o->second(s->o->context, &second);
}

static int kill_when_due(struct trial_state *s, struct err *err)
{
    double each = s->o->time_s / (double)(s->o->test->kills + 1);
    double at = (double)(clock_mono_us() - s->start_us) / 1e6;
    if (s->t->kills >= s->o->test->kills || at < each * (double)(s->t->kills + 1))
        return 0;
    int64_t begin = clock_mono_us();
    int rc = target_kill(s->o->target, s->o->stop, err);
    if (rc < 0)
        return is_stopped(s) ? 0 : rc;
    double ms = (double)(clock_mono_us() - begin) / 1000;
    s->t->restart_ms_max = MAX(s->t->restart_ms_max, ms);
    s->t->kills++;
    return 0;
}

static int send_all(struct trial_state *s, struct err *err)
{
    struct load_totals totals = {0};
    look(s, &s->look_first);
    s->look_last = s->look_first;
    s->t->started_at_us = clock_wall_us();
    trial_remote_begin(&s->remote, s->o->target, s->t->started_at_us);
    s->start_us = s->last_growth_us = clock_mono_us();
    load_start(s->load, s->start_us);
    for (int64_t next = s->start_us + US_PER_SECOND;;) {
        read_load(s, &totals);
        if (totals.is_done || is_stopped(s))
            break;
        int rc = kill_when_due(s, err);
        if (rc < 0)
            return rc;
        if (clock_mono_us() >= next) {
            take_second(s);
            next += (clock_mono_us() - next) / US_PER_SECOND * US_PER_SECOND + US_PER_SECOND;
        }
        nap_ms(POLL_MS);
    }
    s->t->is_complete = totals.is_done;
    if (!totals.is_done)
        load_stop(s->load);
    take_second(s);
    /* without the time that closing took: the peer may have much to read yet */
    s->t->duration_s = load_seconds(s->load);
    return 0;
}

/* ---- until the store stopped growing ---- */

static int64_t known(int64_t n)
{
    return n > 0 ? n : 0;
}

/* What a box in service dropped may be of others: it does not tell that all of ours is there. */
static int64_t accounted(const struct trial_state *s)
{
    int64_t dropped = since(s->before.kernel_dropped, s->last.kernel_dropped);
    return known(since(s->before.stored, s->last.stored)) +
           known(since(s->before.refused, s->last.refused)) +
           (s->facts->is_box ? 0 : known(dropped));
}

/* Where no counter tells what is stored, a search does. */
static void read_visible(struct trial_state *s)
{
    int64_t now = -1;
    struct err err;
    if (target_visible(s->o->target, s->t->run_id, &now, &err) < 0 || now < 0)
        return;
    s->visible = now;
}

static void drain(struct trial_state *s)
{
    struct load_totals totals;
    int64_t begin = clock_mono_us(), change = begin;
    double bound_s = s->t->is_complete ? s->o->drain_s : STOPPED_DRAIN_S;
    say(s, "waiting until everything is stored", "すべて保存されるまで待っています");
    for (int64_t last = -1; !*s->o->abort;) {
        bool has_stored = s->facts->has_counters && s->last.stored >= 0;
        read_load(s, &totals);
        read_counters(s);
        if (!has_stored) {
            int64_t before = s->visible;
            read_visible(s);
            if (s->visible != before)
                s->last_growth_us = clock_mono_us();
        }
        int64_t is_there = has_stored ? accounted(s) : known(s->visible), now = clock_mono_us();
        if (is_there + totals.unsent_bytes != last)
            change = now;
        last = is_there + totals.unsent_bytes;
        bool is_empty = totals.unsent_bytes == 0 && known(s->last.queued) == 0;
        if (is_empty && is_there >= totals.sent)
            break;
        if (is_empty && now - change > QUIET_US)
            break;
        if ((double)(now - begin) / 1e6 > bound_s)
            break;
        if (*s->o->stop)
            bound_s = MIN(bound_s, STOPPED_DRAIN_S);
        nap_ms(has_stored ? 2 * POLL_MS : 6 * POLL_MS);
    }
}

/* Canaries are found a moment after they are stored. */
static void wait_for_canaries(struct trial_state *s)
{
    struct canary_result r;
    double *delays;
    if (s->options.canary_rate == 0)
        return;
    for (int64_t end = clock_mono_us() + CANARY_WAIT_US; !*s->o->abort;) {
        canary_take(s->canary, s->load, &delays);
        free(delays);
        canary_result(s->canary, s->load, &r);
        if (r.lost <= 0 || clock_mono_us() > end)
            break;
        nap_ms(POLL_MS);
    }
}

/* ---- what came back ---- */

static int expect_all(const struct trial_state *s, struct tally *tally, struct err *err)
{
    struct load_totals totals;
    int64_t n = s->options.connections;
    read_load(s, &totals);
    for (int64_t i = 0; i <= n; i++) {
        int64_t sent = i < n ? load_stream_sent(s->load, (uint32_t)i) : totals.canaries;
        if (tally_expect(tally, (uint32_t)i, sent) < 0)
            return err_set(err, ERANGE, "too_many",
                           "connection %lld sent more messages than can be told apart",
                           (long long)i);
    }
    return 0;
}

static int read_back(struct trial_state *s, struct err *err)
{
    struct trial *t = s->t;
    struct tally *tally = tally_new(t->run_id);
    if (s->keeps_nothing) {
        tally_free(&tally);
        return 0;
    }
    say(s, "reading back what was stored", "保存されたものを読み戻しています");
    int rc = expect_all(s, tally, err);
    if (rc == 0)
        rc = target_read_back(s->o->target, t->run_id, tally, s->o->abort, err);
    if (rc >= 0) {
        t->is_read_back = true;
        tally_result(tally, &t->sequence);
        t->missing_n = tally_missing(tally, t->missing, TRIAL_RANGES_MAX);
        t->duplicated_n = tally_duplicated(tally, t->duplicated, TRIAL_RANGES_MAX);
        if (s->facts->is_searchable)
            read_visible(s);
        else
            s->visible = t->sequence.found + t->sequence.duplicated;
    }
    tally_free(&tally);
    return *s->o->abort ? 0 : MIN(rc, 0);
}

static void count_clients(const struct trial_state *s)
{
    int64_t n = s->o->test->loggens;
    for (int64_t i = 0; n > 0 && i < s->options.connections; i++)
        s->t->client_sent[i % n] += load_stream_sent(s->load, (uint32_t)i);
}

static void close_ledger(struct trial_state *s)
{
    struct trial *t = s->t;
    struct stages_input in = {
        .before = s->before,
        .after = s->last,
        .has_counters = s->facts->has_counters,
        .look_before = s->look_first,
        .look_after = s->look_last,
        .is_shared = s->facts->is_box,
        .is_local = s->facts->is_local,
        .has_no_ports = t->kills > 0 || t->has_syslog_ended,
        .sequence = t->sequence,
        .is_read_back = t->is_read_back,
        .visible = s->visible,
        .message_bytes = 1,
    };
    read_load(s, &in.load);
    t->mean_size = NAN;
    int64_t measured = in.load.sent - in.load.canaries; /* whose bytes are counted */
    if (measured > 0) {
        t->mean_size = (double)in.load.bytes / (double)measured;
        in.message_bytes = MAX(in.load.bytes / measured, 1);
    }
    stages_close(&in, &t->stages);
    int64_t lost = stages_lost(&in);
    if (s->keeps_nothing && t->stages.stored >= 0)
        lost = in.load.sent - t->stages.stored;
    t->loss_percent = lost >= 0 && in.load.sent > 0 ? 100.0 * (double)lost / (double)in.load.sent
                                                    : NAN;
    t->lateness_p99_us = in.load.lateness_p99_us;
    t->blocked_percent = t->duration_s > 0
                             ? 100 * in.load.blocked_s / t->duration_s / (double)s->options.threads
                             : NAN;
    t->stored_bytes = since(s->before.stored_bytes, s->last.stored_bytes);
}

static void measure(struct trial_state *s)
{
    struct trial *t = s->t;
    const struct stages *g = &t->stages;
    trial_measure(&s->seconds, s->o->warm_up_percent, t);
    trial_measure_stored((double)(s->last_growth_us - s->start_us) / 1e6, t);
    trial_remote_measure(&s->remote, t);
    const struct sample_look *a = &s->look_first, *b = &s->look_last;
    bool is_same = a->identity == b->identity && s->facts->is_local && g->stored > 0;
    t->us_syslog = is_same ? (b->syslog_s - a->syslog_s) * 1e6 / (double)g->stored : NAN;
    t->us_database = is_same ? (b->database_s - a->database_s) * 1e6 / (double)g->stored : NAN;
    t->written_bytes = is_same && a->write_bytes >= 0 && b->write_bytes >= 0
                           ? (double)(b->write_bytes - a->write_bytes)
                           : NAN;
    canary_result(s->canary, s->load, &t->latency);
    struct stages_validity v = {
        .cores = s->remote.threads > 0 ? (int)s->remote.threads : cores(),
        .rate = s->o->rate,
        .offered = t->offered,
        .sent_rate = t->sent,
        .blocked_percent = t->blocked_percent,
        .foreign_percent = t->cpu_foreign.mean,
        .steal_percent = t->cpu_steal.mean,
        .late = g->late,
        .sent = g->sent,
        .is_complete = t->is_complete,
    };
    t->is_held = s->o->rate == 0 ||
                 t->sent >= s->o->rate * (1 - STAGES_RATE_MISS_MAX_PERCENT / 100);
    t->is_valid = stages_is_valid(&v, &t->invalid_reason);
    if (!t->is_read_back && !s->keeps_nothing)
        trial_invalidate(t, "what was stored could not be read back",
                         "保存されたものを読み戻せませんでした");
}

void trial_invalidate(struct trial *t, const char *en, const char *ja)
{
    if (t->is_valid) {
        snprintf(t->invalid_reason.en, sizeof(t->invalid_reason.en), "%s", en);
        snprintf(t->invalid_reason.ja, sizeof(t->invalid_reason.ja), "%s", ja);
    }
    t->is_valid = false;
}

static int run(struct trial_state *s, struct err *err)
{
    int rc = prepare(s, err);
    if (rc < 0)
        return rc;
    if ((rc = send_all(s, err)) < 0)
        return rc;
    if (s->searcher)
        searcher_stop(&s->searcher, &s->t->searches);
    drain(s);
    load_stop(s->load);
    wait_for_canaries(s);
    if (s->is_watching)
        target_watch_stop(s->o->target);
    s->is_watching = false;
    look(s, &s->look_last);
    notice_ends(s, &s->look_last);
    if ((rc = read_back(s, err)) < 0)
        return rc;
    trial_remote_end(&s->remote, s->t->started_at_us + (int64_t)(s->t->duration_s * 1e6),
                     s->o->stop);
    count_clients(s);
    close_ledger(s);
    measure(s);
    return 0;
}

int trial_run(const struct trial_options *o, struct trial *ret, struct err *err)
{
    struct trial *t = ret;
    *t = (struct trial){.o = *o, .restart_ms_max = NAN};
    struct trial_state s = {.o = &t->o, .facts = target_facts(o->target), .t = t, .visible = -1};
    struct profile_test test = *o->test;
    s.keeps_nothing = strcmp(s.facts->stores, "nothing") == 0;
    if (o->rate > 0)
        test.rates = (struct profile_rates){.at = {o->rate}, .n = 1};
    test.find = PROFILE_FIND_NOTHING;
    test.rate_percent = 0;
    profile_test_title(&test, t->name, sizeof(t->name));
    profile_test_title_ja(&test, t->name_ja, sizeof(t->name_ja));
    int rc = run(&s, err);
    if (s.searcher)
        searcher_stop(&s.searcher, &t->searches);
    if (s.is_watching)
        target_watch_stop(o->target);
    if (s.load)
        load_stop(s.load);
    load_free(&s.load);
    canary_free(&s.canary);
    trial_seconds_free(&s.seconds);
    trial_remote_done(&s.remote);
    return rc;
}
