/* azekura-receiver: takes syslog by UDP and TCP and stores it.  README.md has the picture. */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config/log.h"
#include "receiver/backlog.h"
#include "receiver/credentials.h"
#include "receiver/handed.h"
#include "receiver/lane.h"
#include "receiver/packer.h"
#include "receiver/replay.h"
#include "receiver/settings.h"
#include "receiver/writer.h"

/* For the database to take what is left; with the three seconds that lane_run may read on it
 * makes ten from the signal to the end, well within what a service manager allows. */
#define STOP_US (7 * US_PER_SECOND)
/* the writer gives up a little earlier, so that its thread has ended when we look */
#define STOP_MARGIN_US (US_PER_SECOND / 2)

enum { EXIT_CONFIGURATION = 2, OTHER_DESCRIPTORS = 64 };

/* What is larger is a mapping of its own, which goes back to the system when it is freed.  The C
 * library would move this limit up to 32 MiB by itself, and blocks of large messages would stay in
 * its heaps for ever. */
#define OWN_MAPPING_BYTES (4 << 20)
#define HEAP_KEPT_BYTES \
    (8 << 20) /* may lie free at a heap's end; the other call ends its growth, too */

struct receiver {
    struct config file; /* as the command line and the file say */
    struct config config;
    struct state state;
    struct shared shared;
    struct zone *zone;
    struct intake *intakes[RECEIVER_LANES_MAX];
    struct lane *lanes[RECEIVER_LANES_MAX];
    struct writer_start writer_start;
    pthread_t lane_threads[RECEIVER_LANES_MAX]; /* of the first lane: none, it is main's */
    pthread_t packers[RECEIVER_LANES_MAX], backlog, writer;
};

static void block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    signal(SIGPIPE, SIG_IGN);
}

/* The soft limit is 1,024 on most systems, for programs that still use select(). */
static void raise_descriptor_limit(const struct config *c)
{
    rlim_t want = (rlim_t)c->tcp_max_connections + OTHER_DESCRIPTORS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= want)
        return;
    limit.rlim_cur = MIN(want, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < want)
        log_line(LOG_WARNING,
                 "only %llu descriptors are allowed: fewer TCP connections than "
                 "receiver.tcp_max_connections (%lld) can be served",
                 (unsigned long long)limit.rlim_cur, (long long)c->tcp_max_connections);
}

static void say_found(const struct ledger_found *found)
{
    if (found->aside_path[0])
        log_line(found->aside_pages ? LOG_WARNING : LOG_INFO,
                 "the ledger's file is set aside as %s (%s): %llu units with %llu messages were "
                 "open in it",
                 found->aside_path, found->aside_reason, (unsigned long long)found->aside_pages,
                 (unsigned long long)found->aside_messages);
    if (found->pages)
        log_line(LOG_WARNING,
                 "an earlier run left %u units unconfirmed: they are stored from its journal",
                 found->pages);
}

/* Pages of an earlier run are units that a packer makes again from the journal (replay.h), written
 * before anything new. */
static int open_ledger(struct receiver *r, struct err *err)
{
    char path[STATE_PATH_MAX];
    struct ledger_found found;
    const struct ledger_page *pages[LEDGER_PAGES];
    state_path(&r->state, "ledger", path);
    int rc = ledger_open(path, &r->shared.ledger, &found, err);
    if (rc < 0)
        return rc;
    say_found(&found);
    for (unsigned i = 0; i < found.pages; i++) {
        struct work *w = work_new();
        w->page = ledger_recovered(r->shared.ledger, i);
        w->is_recovered = true;
        w->journal = journal_recovered(r->shared.journal, w->page);
        replay_last_number(&r->shared, w);
        pages[i] = w->page;
        atomic_fetch_add(&r->shared.pending_units, 1);
        queue_push(&r->shared.pack, w);
    }
    journal_forget_rest(r->shared.journal, pages, found.pages);
    return 0;
}

static int open_journal(struct receiver *r, struct err *err)
{
    char path[STATE_PATH_MAX];
    struct journal_found found;
    state_path(&r->state, "journal", path);
    int rc = journal_open(path, r->config.journal_bytes, &r->shared.journal, &found, err);
    if (rc == 0 &&
        (int64_t)journal_bytes(r->shared.journal) + JOURNAL_SEGMENT_BYTES <=
            r->config.journal_bytes &&
        found.bytes == 0)
        log_line(LOG_WARNING,
                 "the disk has room for a journal of %zu bytes only (receiver.journal_bytes %lld)",
                 journal_bytes(r->shared.journal), (long long)r->config.journal_bytes);
    if (rc < 0 || !found.aside_path[0])
        return rc;
    log_line(LOG_WARNING,
             "the journal's file is set aside as %s (%s): %llu bytes of it were in use",
             found.aside_path, found.aside_reason, (unsigned long long)found.aside_bytes);
    notes_add(&r->shared.notes, EVENT_JOURNAL_ASIDE, "file", found.aside_path, "why",
              found.aside_reason, "bytes", NOTE_NUMBER(found.aside_bytes), NULL);
    return 0;
}

/* What the spool has of earlier runs goes first. */
static int open_backlog(struct receiver *r, struct err *err)
{
    struct shared *s = &r->shared;
    struct spool_status found;
    int rc = spool_open(r->config.state_dir, r->config.spool_max_bytes, backlog_notice, s,
                        &s->spool, err);
    if (rc < 0)
        return rc;
    spool_read_status(s->spool, &found);
    atomic_fetch_add(&s->inherited, found.messages);
    atomic_fetch_add(&s->inherited_benchmark, found.benchmark_messages);
    if (found.units > 0)
        log_line(LOG_INFO, "%llu units with %llu messages wait in the spool",
                 (unsigned long long)found.units, (unsigned long long)found.messages);
    rc = backlog_new(s, s->spool, &s->backlog);
    return rc < 0 ? err_set(err, -rc, "system", "cannot make an eventfd: %s", strerror(-rc)) : 0;
}

static int open_sequences(struct receiver *r, struct err *err)
{
    char path[STATE_PATH_MAX];
    state_path(&r->state, "sequences", path);
    return sequences_open(path, r->shared.lanes_n, lane_of, &r->shared.sequences, err);
}

static int set_up(struct receiver *r, struct err *err)
{
    int rc = state_open(&r->state, r->file.state_dir, err);
    if (rc < 0)
        return rc;
    r->config = r->file;
    settings_load_kept(&r->config, &r->state);
    raise_descriptor_limit(&r->config);
    rc = zone_load(r->config.time_zone, &r->zone, err);
    if (rc < 0)
        return rc;
    rc = shared_init(&r->shared, &r->config, err);
    if (rc < 0)
        return rc;
    r->shared.zone = r->zone;
    rc = open_journal(r, err);
    if (rc == 0)
        rc = open_sequences(r, err);
    if (rc == 0)
        rc = open_ledger(r, err);
    if (rc == 0)
        rc = open_backlog(r, err);
    if (rc < 0)
        return rc;
    settings_load_kept_rules(&r->shared, &r->state);
    rc = credentials_open(&r->shared, &r->state, &r->shared.credentials, err);
    if (rc < 0)
        return rc;
    credentials_apply(r->shared.credentials, &r->config);
    for (unsigned i = 0; rc == 0 && i < r->shared.lanes_n; i++) {
        r->intakes[i] = intake_new(&r->shared, i, r->zone);
        rc = lane_new(&r->shared, i, r->intakes[i], &r->lanes[i], err);
    }
    if (rc == 0)
        rc = lane_open(r->lanes[0], &r->state, &r->file, err);
    if (rc == 0)
        (void)handed_settle();
    return rc;
}

static void *run_lane(void *lane)
{
    lane_run(lane);
    return NULL;
}

static void start_threads(struct receiver *r)
{
    r->writer_start = (struct writer_start){&r->shared, &r->state, &r->file};
    for (unsigned i = 0; i < r->shared.lanes_n; i++) {
        CHECK(pthread_create(&r->packers[i], NULL, packer_run, &r->shared) == 0);
        if (i > 0)
            CHECK(pthread_create(&r->lane_threads[i], NULL, run_lane, r->lanes[i]) == 0);
    }
    CHECK(pthread_create(&r->backlog, NULL, backlog_run, r->shared.backlog) == 0);
    CHECK(pthread_create(&r->writer, NULL, writer_run, &r->writer_start) == 0);
}

/* Until the writer has ended, or the time is up.  True: it has. */
static bool wait_until_written(struct shared *s, int64_t deadline_mono_us)
{
    while (!atomic_load(&s->is_written)) {
        int64_t left_us = deadline_mono_us - clock_mono_us();
        if (left_us <= 0)
            return false;
        struct pollfd p = {.fd = s->done_fd, .events = POLLIN};
        (void)poll(&p, 1, (int)(left_us / 1000) + 1);
        shared_clear(s->done_fd);
    }
    return true;
}

/* What the database had no time for is in the spool, or in ledger and journal where the disk did
 * not take it either: the next start stores it. */
static void say_stopped(struct shared *s)
{
    struct spool_status spool;
    struct lane_counts c;
    uint64_t kept = 0;
    unsigned units = ledger_left(s->ledger, &kept);
    spool_read_status(s->spool, &spool);
    shared_counts(s, &c);
    if (spool.units > 0 || units > 0)
        log_line(
            LOG_WARNING,
            "the database did not take all in time: %llu messages in the spool and %llu in the "
            "journal are stored by the next start",
            (unsigned long long)spool.messages, (unsigned long long)kept);
    log_line(LOG_INFO, "stopped: %llu messages arrived, %llu stored, %llu refused",
             (unsigned long long)c.intake.arrived, (unsigned long long)atomic_load(&s->stored),
             (unsigned long long)(c.intake.refused + atomic_load(&s->lost)));
}

static void close_files(struct shared *s)
{
    spool_close(&s->spool);
    ledger_close(&s->ledger, true);
    journal_close(&s->journal, true);
    sequences_close(&s->sequences, true);
}

/* Close what is open and let the other threads finish. */
static void shut_down(struct receiver *r)
{
    int64_t deadline = clock_mono_us() + STOP_US - STOP_MARGIN_US;
    struct shared *s = &r->shared;
    atomic_store(&s->give_up_mono_us, deadline - STOP_MARGIN_US);
    atomic_store(&s->is_stopping, true);
    queue_end(&s->pack);
    shared_wake(s->room_fd);
    for (unsigned i = 0; i < s->lanes_n; i++)
        pthread_join(r->packers[i], NULL); /* they wait for nothing any more */
    queue_end(&s->write);
    pthread_join(r->backlog, NULL); /* it never waits for the database */
    bool is_written = wait_until_written(s, deadline);
    say_stopped(s);
    if (!is_written) {
        close_files(s);
        _exit(0); /* the writer may hang in a connection; nothing else is left to do */
    }
    pthread_join(r->writer, NULL);
}

static void tear_down(struct receiver *r)
{
    state_remove(&r->state, "listeners");
    for (unsigned i = 0; i < r->shared.lanes_n; i++) {
        lane_free(&r->lanes[i]);
        intake_free(&r->intakes[i]);
    }
    credentials_close(&r->shared.credentials);
    backlog_free(&r->shared.backlog);
    close_files(&r->shared);
    shared_done(&r->shared);
    zone_free(&r->zone);
    state_close(&r->state);
}

int main(int argc, char **argv)
{
    static struct receiver r;
    struct err err = {0};
    int rc = config_command_line(argc, argv, "receives syslog by UDP and TCP and stores it",
                                 &r.file, &err);
    if (rc > 0)
        return EXIT_SUCCESS;
    if (rc < 0) {
        fprintf(stderr, "azekura-receiver: %s\n", err.message);
        return EXIT_CONFIGURATION;
    }
    (void)mallopt(M_MMAP_THRESHOLD, OWN_MAPPING_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
    block_signals();
    if (handed_open() < 0)
        log_line(LOG_WARNING, "sockets that should have been handed over are not there");
    if (set_up(&r, &err) < 0) {
        log_line(LOG_ERROR, "cannot start: %s", err.message);
        return EXIT_FAILURE;
    }
    start_threads(&r);
    handed_ready("receiving");
    lane_run(r.lanes[0]);
    handed_stopping();
    for (unsigned i = 1; i < r.shared.lanes_n; i++)
        pthread_join(r.lane_threads[i], NULL);
    shut_down(&r);
    tear_down(&r);
    return EXIT_SUCCESS;
}
