/* The backlog with a real ledger, journal and spool, without a database: what is written when, what
 * goes to the spool, and what is left where. */
#include <criterion/criterion.h>

#include <unistd.h>

#include "receiver/backlog.h"
#include "receiver/replay.h"

#define JOURNAL_BYTES (INT64_C(8) << 20)
#define MINUTE (INT64_C(29000000) * US_PER_MINUTE)

static char folder[] = "/tmp/azk-backlog-XXXXXX";
static struct shared shared;
static struct backlog *backlog;
static pthread_t thread;
static struct zone *zone;
static struct backlog_item item; /* large */

static void open_all(void)
{
    struct config c;
    struct err err = {0};
    struct ledger_found found;
    struct journal_found journal_found;
    char path[64];
    config_defaults(&c);
    c.threads = 1;
    cr_assert_eq(zone_load("UTC", &zone, &err), 0, "%s", err.message);
    cr_assert_eq(shared_init(&shared, &c, &err), 0);
    shared.zone = zone;
    snprintf(path, sizeof(path), "%s/ledger", folder);
    cr_assert_eq(ledger_open(path, &shared.ledger, &found, &err), 0, "%s", err.message);
    snprintf(path, sizeof(path), "%s/journal", folder);
    cr_assert_eq(journal_open(path, JOURNAL_BYTES, &shared.journal, &journal_found, &err), 0);
    cr_assert_eq(
        spool_open(folder, INT64_C(64) << 20, backlog_notice, &shared, &shared.spool, &err), 0);
    cr_assert_eq(backlog_new(&shared, shared.spool, &backlog), 0);
    shared.backlog = backlog;
}

static void set_up(void)
{
    cr_assert_not_null(mkdtemp(folder));
    open_all();
}

static void close_all(void)
{
    backlog_free(&backlog);
    spool_close(&shared.spool);
    ledger_close(&shared.ledger, true);
    journal_close(&shared.journal, true);
    shared_done(&shared);
    zone_free(&zone);
}

static void tear_down(void)
{
    char command[96];
    close_all();
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(backlog, .init = set_up, .fini = tear_down);

/* A unit of n messages that only its journal has, as after kill -9: made by the replay. */
static struct work *make_unit(unsigned n)
{
    struct ip source = {4, {192, 0, 2, 1}};
    struct work *w = work_new();
    w->page = ledger_begin(shared.ledger, false);
    w->journal = journal_begin(shared.journal, w->page);
    int row = ledger_row(w->page, MINUTE, LISTENER_UDP, &source);
    for (unsigned i = 0; i < n; i++) {
        cr_assert_eq(journal_append(w->journal, row, 0, MINUTE + i, 0, VIEW("<13>hello")), 0);
        ledger_arrived(w->page, row, 9);
    }
    replay_unit(&shared, w);
    for (unsigned i = 0; i < w->blocks_n; i++) {
        struct work_block *b = w->blocks[i];
        block_builder_finish(b->builder->block, &b->block);
        block_counts_make(b->builder->block, &b->counts);
        builders_give(&shared.builders, b->builder);
        b->builder = NULL;
    }
    w->packed_mono_us = clock_mono_us();
    atomic_fetch_add(&shared.pending_units, 1);
    return w;
}

static void start(void)
{
    cr_assert_eq(pthread_create(&thread, NULL, backlog_run, backlog), 0);
}

static void end(void)
{
    queue_end(&shared.write);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

/* The next unit, when it is there. */
static void take(uint64_t number)
{
    while (!backlog_take(backlog, &item))
        usleep(1000);
    cr_assert_eq(item.unit.number, number, "unit %llu", (unsigned long long)item.unit.number);
}

static void wait_for_spooled(uint64_t units)
{
    struct spool_status status;
    do {
        usleep(1000);
        backlog_status(backlog, &status);
    } while (status.units != units);
}

static void expect_nothing_left(void)
{
    uint64_t messages;
    cr_expect_eq(ledger_left(shared.ledger, &messages), 0);
    cr_expect_eq(journal_used_bytes(shared.journal), 0);
    cr_expect_eq(atomic_load(&shared.pending_units), 0);
}

Test(backlog, units_go_straight_to_the_writer_in_their_order)
{
    start();
    for (unsigned i = 0; i < 3; i++)
        queue_push(&shared.write, make_unit(i + 1));
    for (unsigned i = 0; i < 3; i++) {
        take(i);
        cr_expect_eq(item.messages, i + 1);
        backlog_confirm(backlog, &item);
    }
    end();
    cr_expect_eq(atomic_load(&shared.stored), 6);
    cr_expect(spool_is_empty(shared.spool));
    expect_nothing_left();
}

Test(backlog, the_unit_in_hand_is_the_first_in_the_spool_when_the_database_goes_away)
{
    static const bool cases[] = {false, true};
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        bool is_confirmed = cases[k]; /* its answer comes after it went to the spool */
        uint64_t first = 4 * k;
        if (k > 0) {
            close_all();
            open_all();
            first = 0;
        }
        start();
        for (unsigned i = 0; i < 3; i++)
            queue_push(&shared.write, make_unit(1));
        take(first);
        backlog_set_away(backlog, true);
        wait_for_spooled(3);
        expect_nothing_left();
        cr_expect_eq(item.unit.blocks[0].block->messages, 1, "its blocks are still there");
        if (is_confirmed)
            backlog_confirm(backlog, &item);
        else
            backlog_give_back(backlog, &item);
        backlog_set_away(backlog, false);
        for (uint64_t i = is_confirmed ? 1 : 0; i < 3; i++) {
            take(first + i);
            cr_expect_null(item.work, "it comes from the spool");
            backlog_confirm(backlog, &item);
        }
        end();
        cr_expect_eq(atomic_load(&shared.stored), 3);
        cr_expect(spool_is_empty(shared.spool));
    }
}

Test(backlog, what_the_server_rejects_is_counted_once_also_from_the_spool)
{
    start();
    queue_push(&shared.write, make_unit(5));
    backlog_set_away(backlog, true);
    wait_for_spooled(1);
    backlog_set_away(backlog, false);
    take(0);
    backlog_reject(backlog, &item);
    cr_expect_eq(item.unit.blocks_n, 0);
    cr_expect_eq(item.unit.rows[0].stored, 0);
    cr_expect_eq(item.unit.rows[0].refused[REASON_REJECTED], 5);
    backlog_confirm(backlog, &item);
    end();
    cr_expect_eq(atomic_load(&shared.stored), 0);
    cr_expect_eq(atomic_load(&shared.lost), 5);
    expect_nothing_left();
}

Test(backlog, what_waits_when_the_receiver_must_end_is_in_the_spool_for_the_next_run)
{
    start();
    for (unsigned i = 0; i < 3; i++)
        queue_push(&shared.write, make_unit(2));
    take(0); /* and no answer comes */
    atomic_store(&shared.give_up_mono_us, 0);
    end();
    expect_nothing_left();
    backlog_give_back(backlog, &item);
    close_all();
    open_all();
    for (uint64_t i = 0; i < 3; i++) {
        take(i);
        cr_expect(item.is_of_earlier_run);
        backlog_confirm(backlog, &item);
    }
    cr_expect_eq(atomic_load(&shared.inherited_stored), 6);
    cr_expect_eq(atomic_load(&shared.stored), 0);
}

Test(backlog, while_the_spool_takes_nothing_units_wait_in_memory_and_one_note_says_so)
{
    spool_set_max_bytes(shared.spool, 100);
    start();
    backlog_set_away(backlog, true);
    for (unsigned i = 0; i < 3; i++)
        queue_push(&shared.write, make_unit(1));
    while (!atomic_load(&shared.is_spool_refusing))
        usleep(1000);
    struct spool_status status;
    backlog_status(backlog, &status);
    cr_expect_eq(status.state, SPOOL_FULL);
    cr_expect_gt(journal_used_bytes(shared.journal), 0, "the journal has them");
    backlog_set_away(backlog, false);
    for (uint64_t i = 0; i < 3; i++) {
        take(i);
        backlog_confirm(backlog, &item);
    }
    end();
    expect_nothing_left();
    unsigned full = 0;
    for (unsigned i = 0; i < shared.notes.n; i++)
        full += shared.notes.of[i].kind == EVENT_SPOOL_FULL;
    cr_expect_eq(full, 1);
}

static unsigned noted(enum event_kind kind)
{
    unsigned n = 0;
    pthread_mutex_lock(&shared.notes.lock);
    for (unsigned i = 0; i < shared.notes.n; i++)
        n += shared.notes.of[i].kind == kind;
    pthread_mutex_unlock(&shared.notes.lock);
    return n;
}

Test(backlog, a_database_that_is_away_is_told_of_and_one_that_was_slow_for_a_moment_is_not)
{
    start();
    queue_push(&shared.write, make_unit(1));
    take(0);
    wait_for_spooled(1); /* its answer takes more than a second */
    backlog_confirm(backlog, &item);
    wait_for_spooled(0);
    queue_push(&shared.write, make_unit(1));
    take(1);
    cr_expect_not_null(item.work, "it goes straight to the writer again");
    backlog_confirm(backlog, &item);
    cr_expect_eq(noted(EVENT_SPOOL_FILLING) + noted(EVENT_SPOOL_DRAINED), 0);

    backlog_set_away(backlog, true);
    queue_push(&shared.write, make_unit(1));
    wait_for_spooled(1);
    while (noted(EVENT_SPOOL_FILLING) == 0)
        usleep(1000);
    backlog_set_away(backlog, false);
    take(2);
    backlog_confirm(backlog, &item);
    while (noted(EVENT_SPOOL_DRAINED) == 0)
        usleep(1000);
    end();
    cr_expect_eq(noted(EVENT_SPOOL_FILLING), 1);
    cr_expect_eq(noted(EVENT_SPOOL_DRAINED), 1);
    expect_nothing_left();
}
