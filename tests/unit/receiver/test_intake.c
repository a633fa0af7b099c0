/* The intake with a real ledger and real builders, without sockets or database: every message is in
 * a unit, stored or refused, exactly once. */
#include <criterion/criterion.h>

#include <unistd.h>

#include "receiver/intake.h"

#define NOON (INT64_C(1790000000) / 900 * 900 * US_PER_SECOND) /* at a quarter of an hour */

static char folder[] = "/tmp/azk-intake-XXXXXX";
static struct shared shared;
static struct zone *zone;
static struct intake *in;
static struct ip sender = {4, {192, 0, 2, 1}};

static void set_up(void)
{
    struct config c;
    struct err err = {0};
    struct ledger_found found;
    char path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/ledger", folder);
    config_defaults(&c);
    cr_assert_eq(zone_load("UTC", &zone, &err), 0, "%s", err.message);
    cr_assert_eq(shared_init(&shared, &c, &err), 0);
    cr_assert_eq(ledger_open(path, &shared.ledger, &found, &err), 0, "%s", err.message);
    in = intake_new(&shared, zone);
    intake_at(in, NOON);
}

/* What the packer and the writer would do: the units in order. */
static struct work *next_unit(void)
{
    bool is_ended;
    return queue_pop(&shared.pack, &is_ended);
}

static struct ledger_page_counts counts; /* large */

/* Stored messages of the unit; its builder goes back. */
static uint64_t finish(struct work *w)
{
    ledger_page_read(w->page, false, &counts);
    uint64_t stored = 0;
    for (size_t i = 0; i < counts.rows_n; i++)
        stored += counts.rows[i].stored;
    cr_assert_eq(stored, w->builder ? block_builder_messages(w->builder) : 0,
                 "the ledger's stored are the block's messages");
    cr_assert_eq(counts.arrived, stored + counts.refused);
    if (w->builder) {
        struct work *carrier = work_new();
        carrier->builder = w->builder;
        queue_push(&shared.builders, carrier);
    }
    ledger_release(shared.ledger, &w->page);
    atomic_fetch_sub(&shared.pending_units, 1);
    work_free(&w);
    return stored;
}

static void tear_down(void)
{
    char command[96];
    struct work *w;
    intake_close(in);
    while ((w = next_unit()) != NULL)
        (void)finish(w);
    intake_free(&in);
    ledger_close(&shared.ledger, true);
    shared_done(&shared);
    zone_free(&zone);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(intake, .init = set_up, .fini = tear_down);

static void receive(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        intake_message(in, LISTENER_TCP, &sender, VIEW("<34>Oct 11 22:14:15 fw01 su[1]: hello"),
                       INTAKE_WHOLE);
}

Test(intake, a_block_is_full_after_65536_messages)
{
    cr_expect(intake_has_room(in));
    receive(BLOCK_MAX_MESSAGES + 1);
    struct work *w = next_unit();
    cr_assert_not_null(w);
    cr_expect_eq(finish(w), BLOCK_MAX_MESSAGES);
    cr_expect_null(next_unit());
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 1);
    cr_expect_eq(intake_counts(in)->arrived, BLOCK_MAX_MESSAGES + 1);
}

Test(intake, a_quarter_of_an_hour_and_a_clock_put_back_end_the_block)
{
    static const struct {
        int64_t at_us;
        uint64_t stored; /* of the unit that ends */
    } cases[] = {
        {NOON + 899 * US_PER_SECOND, 0}, /* the same quarter: the block goes on */
        {NOON + 900 * US_PER_SECOND, 2}, /* the next one */
        {NOON + 901 * US_PER_SECOND, 0},
        {NOON + 900 * US_PER_SECOND, 2},  /* back by a second, within the quarter */
        {NOON - 3600 * US_PER_SECOND, 1}, /* back by an hour */
    };
    receive(1);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        intake_at(in, cases[i].at_us);
        receive(1);
        struct work *w = next_unit();
        cr_expect_eq(w ? finish(w) : 0, cases[i].stored, "case %zu", i);
    }
}

Test(intake, sequence_numbers_of_blocks_do_not_overlap)
{
    uint64_t seq[2];
    for (int i = 0; i < 2; i++) {
        receive(3);
        intake_close(in);
        struct work *w = next_unit();
        struct block b;
        block_builder_finish(w->builder, &b);
        seq[i] = b.first_seq;
        block_free(&b);
        (void)finish(w);
    }
    cr_expect_geq(seq[1], seq[0] + BLOCK_MAX_MESSAGES);
}

Test(intake, without_builders_messages_are_counted_as_refused)
{
    struct work *held[BUILDERS];
    bool is_ended;
    for (int i = 0; i < BUILDERS; i++)
        cr_assert_not_null(held[i] = queue_pop(&shared.builders, &is_ended));
    cr_expect_not(intake_has_room(in));
    cr_expect_not(intake_must_refuse(in), "the packer is only behind: what can wait waits");
    atomic_store(&shared.is_full, true);
    cr_expect(intake_must_refuse(in));
    receive(100);
    for (int i = 0; i < BUILDERS; i++)
        queue_push(&shared.builders, held[i]);
    receive(50); /* a builder came back: the same unit goes on with a block */
    intake_close(in);
    struct work *w = next_unit();
    cr_expect_eq(finish(w), 50);
    cr_expect_eq(counts.rows[0].refused[REASON_QUEUE_FULL], 100);
    cr_expect_eq(intake_counts(in)->refused, 100);
}

Test(intake, more_senders_than_a_page_has_rows_make_another_unit)
{
    enum { SENDERS = 3000 };
    for (unsigned i = 0; i < SENDERS; i++) {
        struct ip ip = {4, {10, 0, (uint8_t)(i >> 8), (uint8_t)i}};
        intake_message(in, LISTENER_UDP, &ip, VIEW("x"), INTAKE_WHOLE);
    }
    intake_close(in);
    uint64_t stored = 0;
    unsigned units = 0;
    for (struct work *w; (w = next_unit()) != NULL; units++)
        stored += finish(w);
    cr_expect_eq(stored, SENDERS);
    cr_expect_eq(units, 3);
}

Test(intake, a_block_full_of_text_moves_its_last_message_to_the_next)
{
    enum { BIG = 60000 };
    static char big[BIG];
    memset(big, 'x', sizeof(big));
    unsigned sent = 0;
    struct work *w = NULL;
    while (!w && sent < 5000) {
        intake_message(in, LISTENER_TCP, &sender, view_of(big, BIG), INTAKE_WHOLE);
        sent++;
        w = next_unit();
    }
    cr_assert_not_null(w);
    uint64_t stored = finish(w);
    cr_expect_eq(stored, sent - 1);
    cr_expect_eq(counts.rows[0].bytes, (uint64_t)BIG * stored, "the moved one's bytes went along");
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 1);
    cr_expect_eq(intake_counts(in)->arrived, sent);
}

Test(intake, marks_are_counted_and_stored)
{
    intake_message(in, LISTENER_TCP, &sender, VIEW("cut"), INTAKE_TRUNCATED);
    intake_message(in, LISTENER_TCP, &sender, VIEW("bad"), INTAKE_BAD_FRAME);
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 2, "a bad frame is stored too");
    cr_expect_eq(counts.rows[0].truncated, 1);
    cr_expect_eq(intake_counts(in)->truncated, 1);
    cr_expect_eq(intake_counts(in)->bad_frames, 1);
}

Test(intake, the_open_unit_is_closed_by_time_only_while_the_writer_is_idle)
{
    int64_t now = clock_mono_us();
    cr_expect_eq(intake_due_mono_us(in), INT64_MAX, "nothing is open");
    receive(1);
    int64_t due = intake_due_mono_us(in);
    cr_expect_geq(due, now + US_PER_SECOND);
    intake_tick(in, due - 1);
    cr_expect_null(next_unit());
    atomic_store(&shared.pending_units, 1);
    intake_tick(in, due);
    cr_expect_null(next_unit(), "the writer has a backlog: the block fills up instead");
    cr_expect_eq(intake_due_mono_us(in), INT64_MAX);
    atomic_store(&shared.pending_units, 0);
    intake_tick(in, due);
    cr_expect_eq(finish(next_unit()), 1);
}

Test(intake, kernel_drops_make_a_unit_without_a_block)
{
    intake_dropped(in, LISTENER_UDP, 0);
    intake_close(in);
    cr_expect_null(next_unit(), "nothing to say");
    intake_dropped(in, LISTENER_UDP, 12);
    intake_close(in);
    struct work *w = next_unit();
    cr_assert_not_null(w);
    cr_expect_null(w->builder);
    cr_expect_eq(finish(w), 0);
    cr_assert_eq(counts.drops_n, 1);
    cr_expect_eq(counts.drops[0].dropped, 12);
    cr_expect_eq(intake_counts(in)->arrived, 0);
}

Test(intake, with_every_page_in_use_nothing_is_read_and_a_message_does_no_harm)
{
    static struct ledger_page *pages[LEDGER_PAGES];
    unsigned n = 0;
    while ((pages[n] = ledger_begin(shared.ledger, false)) != NULL)
        n++;
    cr_expect_not(intake_has_room(in));
    cr_expect(intake_must_refuse(in), "refusals still have pages");
    while (n < LEDGER_PAGES && (pages[n] = ledger_begin(shared.ledger, true)) != NULL)
        n++;
    cr_expect_not(intake_must_refuse(in), "now the kernel counts what it drops");
    receive(1);
    cr_expect_eq(intake_counts(in)->arrived, 0);
    for (unsigned i = 0; i < n; i++)
        ledger_release(shared.ledger, &pages[i]);
    cr_expect(intake_has_room(in));
}
