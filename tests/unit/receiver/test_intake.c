/* The intake with a real ledger and real builders, without sockets or database: every message is in
 * a unit, stored or refused, exactly once. */
#include <criterion/criterion.h>

#include <time.h>
#include <unistd.h>

#include "receiver/intake.h"

#define NOON (INT64_C(1790000000) / 900 * 900 * US_PER_SECOND) /* at a quarter of an hour */

static char folder[] = "/tmp/azk-intake-XXXXXX";
static struct shared shared;
static struct zone *zone;
static struct intake *in;
static struct ip sender = {4, {192, 0, 2, 1}};

enum { UNITS = builders_units(1) };
#define JOURNAL_BYTES (INT64_C(64) << 20)

static unsigned only_lane(const struct ip *source, uint8_t listener, unsigned lanes)
{
    (void)source, (void)listener, (void)lanes;
    return 0;
}

static void set_up_with(int64_t bytes)
{
    struct config c;
    struct err err = {0};
    struct ledger_found found;
    struct journal_found journal_found;
    char path[64], journal_path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/ledger", folder);
    snprintf(journal_path, sizeof(journal_path), "%s/journal", folder);
    config_defaults(&c);
    c.threads = 1;
    cr_assert_eq(zone_load("UTC", &zone, &err), 0, "%s", err.message);
    cr_assert_eq(shared_init(&shared, &c, &err), 0);
    cr_assert_eq(ledger_open(path, &shared.ledger, &found, &err), 0, "%s", err.message);
    cr_assert_eq(journal_open(journal_path, bytes, &shared.journal, &journal_found, &err), 0, "%s",
                 err.message);
    snprintf(path, sizeof(path), "%s/sequences", folder);
    cr_assert_eq(sequences_open(path, 1, only_lane, &shared.sequences, &err), 0, "%s", err.message);
    in = intake_new(&shared, 0, zone);
    intake_at(in, NOON);
}

static void set_up(void)
{
    set_up_with(JOURNAL_BYTES);
}

/* Enough that a unit may hold as much text as a block. */
static void set_up_large(void)
{
    set_up_with(4 * (int64_t)BLOCK_MAX_TEXT_BYTES);
}

/* What the packer and the writer would do: the units in order. */
static struct work *next_unit(void)
{
    bool is_ended;
    return queue_pop(&shared.pack, &is_ended);
}

static struct ledger_page_counts counts; /* large */

/* Messages in the unit's block of a group; 0 without one. */
static uint32_t in_group(const struct work *w, uint8_t group)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < w->blocks_n; i++)
        if (w->blocks[i]->source_group == group)
            n += block_builder_messages(w->blocks[i]->builder->block);
    return n;
}

/* Messages of the journal by row. */
static uint64_t journaled[LEDGER_ROWS];

static void count_entry(void *context, const struct journal_entry *e)
{
    uint64_t *n = context;
    (*n)++;
    journaled[e->row]++;
}

static void check_journal(struct work *w)
{
    struct err err = {0};
    uint64_t n = 0;
    memset(journaled, 0, sizeof(journaled));
    cr_assert_eq(journal_replay(w->journal, count_entry, &n, &err), 0, "%s", err.message);
    for (size_t i = 0; i < counts.rows_n; i++) {
        cr_assert_eq(journaled[i], counts.rows[i].stored, "row %zu", i);
        n -= journaled[i];
    }
    cr_assert_eq(n, 0, "a message of the journal is in no row");
}

/* Stored messages of the unit, which are those of its journal; its builders go back. */
static uint64_t finish(struct work *w)
{
    ledger_page_read(w->page, false, &counts);
    if (counts.drops_n == 0)
        check_journal(w);
    uint64_t stored = 0;
    for (size_t i = 0; i < counts.rows_n; i++)
        stored += counts.rows[i].stored;
    uint64_t in_blocks = 0;
    for (unsigned i = 0; i < w->blocks_n; i++) {
        uint32_t n = block_builder_messages(w->blocks[i]->builder->block);
        cr_assert_gt(n, 0, "an empty block would be stored");
        in_blocks += n;
    }
    cr_assert_eq(stored, in_blocks, "the ledger's stored are the blocks' messages");
    cr_assert_eq(counts.arrived, stored + counts.refused);
    cr_assert_eq(w->has_builders, w->blocks_n > 0);
    for (unsigned i = 0; i < w->blocks_n; i++)
        builders_give(&shared.builders, w->blocks[i]->builder);
    if (w->has_builders)
        builders_end_unit(&shared.builders);
    journal_release(&w->journal);
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
    journal_close(&shared.journal, true);
    sequences_close(&shared.sequences, true);
    shared_done(&shared);
    zone_free(&zone);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(intake, .init = set_up, .fini = tear_down);
TestSuite(intake_large, .init = set_up_large, .fini = tear_down);

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
        block_builder_finish(w->blocks[0]->builder->block, &b);
        seq[i] = b.first_seq;
        block_free(&b);
        (void)finish(w);
    }
    cr_expect_geq(seq[1], seq[0] + BLOCK_MAX_MESSAGES);
}

Test(intake, without_builders_messages_are_counted_as_refused)
{
    for (int i = 0; i < UNITS; i++)
        cr_assert(builders_begin_unit(&shared.builders));
    cr_expect_not(intake_has_room(in));
    cr_expect_not(intake_must_refuse(in), "the packer is only behind: what can wait waits");
    atomic_store(&shared.is_full, true);
    cr_expect_not(intake_must_refuse(in), "the spool makes room in a moment");
    atomic_store(&shared.is_spool_refusing, true);
    cr_expect(intake_must_refuse(in));
    receive(100);
    for (int i = 0; i < UNITS; i++)
        builders_end_unit(&shared.builders);
    receive(50); /* a unit was packed: the open one goes on with a block */
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

Test(intake_large, a_block_full_of_text_moves_its_last_message_to_the_next)
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

Test(intake, what_is_left_of_a_burst_is_closed_soon_after_its_end)
{
    receive(BLOCK_MAX_MESSAGES + 3);
    struct work *full = next_unit();
    cr_assert_not_null(full);
    int64_t now = clock_mono_us();
    int64_t due = intake_due_mono_us(in);
    cr_expect_gt(due, now - US_PER_SECOND);
    cr_expect_lt(due, now + US_PER_SECOND / 2, "not the time of a unit");
    intake_tick(in, due - 1);
    cr_expect_null(next_unit());
    intake_tick(in, due);
    struct work *rest = next_unit();
    cr_assert_not_null(rest, "the unit before need not be stored for it");
    cr_expect_eq(finish(full), BLOCK_MAX_MESSAGES);
    cr_expect_eq(finish(rest), 3);
    unsigned early = 0;
    for (; early < 100; early++) { /* a sender that pauses and goes on */
        receive(1);
        if (intake_due_mono_us(in) > clock_mono_us() + US_PER_SECOND / 2)
            break;
        intake_tick(in, intake_due_mono_us(in));
        cr_expect_eq(finish(next_unit()), 1);
    }
    cr_expect_gt(early, 0);
    cr_expect_lt(early, 5, "what trickles in afterwards waits as ever");
}

Test(intake, a_large_unit_is_closed_when_nothing_more_comes_and_a_small_one_waits)
{
    receive(BLOCK_MAX_MESSAGES / 4 - 1);
    int64_t now = clock_mono_us();
    cr_expect_geq(intake_due_mono_us(in), now, "its time");
    intake_tick(in, now + US_PER_SECOND / 10);
    cr_expect_null(next_unit(), "a second of a trickle is one unit");
    intake_at(in, NOON + 1);
    receive(1);
    int64_t due = intake_due_mono_us(in);
    cr_expect_lt(due, clock_mono_us() + US_PER_SECOND / 10);
    intake_tick(in, due);
    cr_expect_eq(finish(next_unit()), BLOCK_MAX_MESSAGES / 4);
}

Test(intake, while_nothing_can_be_read_a_burst_is_not_over)
{
    receive(BLOCK_MAX_MESSAGES + 3);
    struct work *full = next_unit();
    unsigned taken = 0;
    while (builders_begin_unit(&shared.builders))
        taken++;
    while (intake_has_room(in))
        cr_assert(false, "as many units as can be are taken");
    int64_t later = clock_mono_us() + US_PER_SECOND / 2;
    intake_tick(in, later);
    cr_expect_null(next_unit());
    cr_expect_eq(intake_due_mono_us(in), INT64_MAX);
    for (; taken > 0; taken--)
        builders_end_unit(&shared.builders);
    cr_expect_eq(finish(full), BLOCK_MAX_MESSAGES);
    atomic_store(&shared.pending_units, 1); /* another lane's */
    intake_tick(in, later + US_PER_SECOND);
    cr_expect_null(next_unit(), "what waits in the sockets is read first");
    intake_tick(in, intake_due_mono_us(in));
    atomic_store(&shared.pending_units, 1);
    cr_expect_eq(finish(next_unit()), 3);
    atomic_store(&shared.pending_units, 0);
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
    cr_expect_eq(w->blocks_n, 0);
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
    cr_expect_not(intake_must_refuse(in));
    atomic_store(&shared.is_spool_refusing, true);
    cr_expect(intake_must_refuse(in), "refusals still have pages");
    while (n < LEDGER_PAGES && (pages[n] = ledger_begin(shared.ledger, true)) != NULL)
        n++;
    cr_expect_not(intake_must_refuse(in), "now the kernel counts what it drops");
    receive(1);
    cr_expect_eq(intake_counts(in)->arrived, 0);
    intake_dropped(in, LISTENER_UDP, 5);
    for (unsigned i = 0; i < n; i++)
        ledger_release(shared.ledger, &pages[i]);
    cr_expect(intake_has_room(in));
    intake_dropped(in, LISTENER_UDP, 2);
    intake_dropped(in, LISTENER_UDP, 0);
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 0);
    cr_assert_eq(counts.drops_n, 1);
    cr_expect_eq(counts.drops[0].dropped, 7, "those that found no page are counted with the next");
    cr_expect_eq(intake_counts(in)->kernel_dropped, 7);
}

/* ---- source groups ---- */

static const struct ip office = {4, {10, 1, 0, 1}}, lab = {4, {10, 2, 0, 1}};

/* Members and sheds as they are kept: in force from the next read on. */
static void set_groups(const char *text)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    cr_assert_eq(sender_rules_parse(r, view_str(text), &err), 0, "%s", err.message);
    shared_put_rules(&shared, r);
    intake_at(in, NOON);
}

static void send(const struct ip *from, unsigned severity, unsigned n)
{
    char text[64];
    int bytes = snprintf(text, sizeof(text), "<%u>Oct 11 22:14:15 fw01 su[1]: x", 8 + severity);
    for (unsigned i = 0; i < n; i++)
        intake_message(in, LISTENER_UDP, from, view_of(text, (size_t)bytes), INTAKE_WHOLE);
}

static uint64_t refused_as(enum reason reason)
{
    uint64_t n = 0;
    for (size_t i = 0; i < counts.rows_n; i++)
        n += counts.rows[i].refused[reason];
    return n;
}

Test(intake, a_message_of_each_group_lands_in_the_block_of_its_group)
{
    set_groups("member 10.1.0.0/16 5\nmember 10.2.0.0/16 31\n");
    for (int turn = 0; turn < 3; turn++) {
        send(&office, 5, 1);
        send(&lab, 5, 2);
        send(&sender, 5, 3);
    }
    intake_close(in);
    struct work *w = next_unit();
    cr_assert_eq(w->blocks_n, 3);
    cr_expect_eq(in_group(w, 5), 3);
    cr_expect_eq(in_group(w, 31), 6);
    cr_expect_eq(in_group(w, 0), 9);
    for (unsigned i = 0; i < w->blocks_n; i++) { /* and it is those messages */
        struct block b;
        block_builder_finish(w->blocks[i]->builder->block, &b);
        const struct ip *from = w->blocks[i]->source_group == 5    ? &office
                                : w->blocks[i]->source_group == 31 ? &lab
                                                                   : &sender;
        cr_expect_eq(b.senders.n, 5);
        cr_expect_eq(memcmp(b.senders.p + 1, from->bytes, 4), 0, "block %u", i);
        block_free(&b);
    }
    cr_expect_eq(finish(w), 18);
}

Test(intake, sequence_numbers_of_the_blocks_of_a_unit_do_not_overlap)
{
    uint64_t seqs[4];
    set_groups("member 10.1.0.0/16 5\n");
    for (int unit = 0; unit < 2; unit++) {
        send(&office, 5, 3);
        send(&sender, 5, 3);
        intake_close(in);
        struct work *w = next_unit();
        for (unsigned i = 0; i < 2; i++) {
            struct block b;
            block_builder_finish(w->blocks[i]->builder->block, &b);
            seqs[2 * unit + (int)i] = b.first_seq;
            block_free(&b);
        }
        (void)finish(w);
    }
    for (int i = 0; i < 3; i++)
        cr_expect_geq(seqs[i + 1], seqs[i] + BLOCK_MAX_MESSAGES, "block %d", i);
}

Test(intake, a_unit_closes_as_a_whole_when_one_of_its_blocks_is_full)
{
    set_groups("member 10.1.0.0/16 5\n");
    send(&sender, 5, 10);
    send(&office, 5, BLOCK_MAX_MESSAGES - 1);
    cr_expect_null(next_unit());
    send(&office, 5, 1);
    struct work *w = next_unit();
    cr_assert_not_null(w);
    cr_expect_eq(in_group(w, 5), BLOCK_MAX_MESSAGES);
    cr_expect_eq(in_group(w, 0), 10);
    (void)finish(w);
    send(&sender, 5, 1);
    cr_expect_null(next_unit(), "the next unit begins with nothing in it");
}

Test(intake, a_unit_closes_at_its_bound_of_messages_over_all_groups)
{
    enum { GROUPS = 8 };
    struct buf text = BUF_INIT(1000);
    for (unsigned i = 1; i < GROUPS; i++)
        (void)buf_printf(&text, "member 10.0.0.%u %u\n", i, i);
    set_groups(buf_str(&text));
    buf_free(&text);
    unsigned sent = 0;
    struct work *w = NULL;
    while (!w && sent <= UNIT_MAX_MESSAGES) {
        struct ip from = {4, {10, 0, 0, (uint8_t)(sent % GROUPS)}};
        send(&from, 5, 1);
        sent++;
        w = next_unit();
    }
    cr_assert_not_null(w);
    cr_expect_eq(sent, UNIT_MAX_MESSAGES);
    cr_expect_eq(w->blocks_n, GROUPS);
    cr_expect_eq(finish(w), UNIT_MAX_MESSAGES);
}

Test(intake_large, the_text_of_all_blocks_together_is_what_one_block_may_have)
{
    enum { BIG = 60000, GROUPS = 8 };
    static char big[BIG];
    memset(big, 'x', sizeof(big));
    struct buf text = BUF_INIT(1000);
    for (unsigned i = 1; i < GROUPS; i++)
        (void)buf_printf(&text, "member 10.0.0.%u %u\n", i, i);
    set_groups(buf_str(&text));
    buf_free(&text);
    unsigned sent = 0;
    struct work *w = NULL;
    while (!w && sent < 5000) {
        struct ip from = {4, {10, 0, 0, (uint8_t)(sent % GROUPS)}};
        intake_message(in, LISTENER_TCP, &from, view_of(big, BIG), INTAKE_WHOLE);
        sent++;
        w = next_unit();
    }
    cr_assert_not_null(w);
    size_t bytes = 0;
    for (unsigned i = 0; i < w->blocks_n; i++)
        bytes += block_builder_text_bytes(w->blocks[i]->builder->block);
    cr_expect_eq(w->blocks_n, GROUPS);
    cr_expect_geq(bytes, BLOCK_MAX_TEXT_BYTES);
    cr_expect_lt(bytes, BLOCK_MAX_TEXT_BYTES + 3 * BIG, "one message over it at most");
    cr_expect_eq(finish(w), sent, "and it is stored");
}

Test(intake_large, a_full_block_moves_its_message_and_the_others_go_with_the_old_unit)
{
    enum { BIG = 60000 };
    static char big[BIG];
    memset(big, 'x', sizeof(big));
    set_groups("member 10.1.0.0/16 5\n");
    /* as many senders as a block can have, in two groups: the page is full of them before */
    for (unsigned i = 0; i < LEDGER_ROWS; i++) {
        struct ip from = {4, {10, i & 1 ? 1 : 3, (uint8_t)(i >> 8), (uint8_t)i}};
        send(&from, 5, 1);
    }
    cr_expect_null(next_unit());
    send(&lab, 5, 1);
    struct work *w = next_unit();
    cr_assert_not_null(w);
    cr_expect_eq(in_group(w, 5), LEDGER_ROWS / 2);
    cr_expect_eq(in_group(w, 0), LEDGER_ROWS / 2);
    (void)finish(w);
    /* text of one group fills a block */
    send(&office, 5, 7);
    unsigned sent = 0;
    for (w = NULL; !w && sent < 5000; w = next_unit(), sent++)
        intake_message(in, LISTENER_TCP, &lab, view_of(big, BIG), INTAKE_WHOLE);
    cr_assert_not_null(w);
    cr_expect_eq(in_group(w, 5), 7);
    uint32_t stored = in_group(w, 0);
    (void)finish(w);
    intake_close(in);
    if ((w = next_unit()) != NULL)
        stored += (uint32_t)finish(w);
    cr_expect_eq(stored, sent + 1);
}

Test(intake, a_clock_put_back_for_one_group_ends_the_blocks_of_all)
{
    set_groups("member 10.1.0.0/16 5\n");
    intake_at(in, NOON + 5 * US_PER_SECOND);
    send(&office, 5, 3);
    send(&sender, 5, 2);
    intake_at(in, NOON + 4 * US_PER_SECOND);
    send(&lab, 5, 1);
    struct work *w = next_unit();
    cr_assert_not_null(w);
    cr_expect_eq(in_group(w, 5), 3);
    cr_expect_eq(in_group(w, 0), 2);
    (void)finish(w);
    send(&office, 5, 1);
    cr_expect_null(next_unit(), "the next unit has the new clock in all its blocks");
    intake_close(in);
    w = next_unit();
    cr_expect_eq(in_group(w, 5), 1);
    cr_expect_eq(in_group(w, 0), 1);
    (void)finish(w);
}

Test(intake, shed_refuses_the_severities_of_that_group_and_nothing_else)
{
    static const struct {
        const struct ip *from;
        unsigned stored; /* of ten of each severity */
    } cases[] = {{&office, 50}, {&lab, 80}, {&sender, 70}};
    set_groups("member 10.1.0.0/16 5\nmember 10.2.0.0/16 31\nshed 5 5\nshed 0 7\n");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (unsigned severity = 0; severity < 8; severity++)
            send(cases[i].from, severity, 10);
        intake_close(in);
        struct work *w = next_unit();
        cr_assert_not_null(w);
        cr_expect_eq(finish(w), cases[i].stored, "case %zu", i);
        cr_expect_eq(refused_as(REASON_OVER_BUDGET), 80 - cases[i].stored, "case %zu", i);
        cr_expect_eq(counts.refused, 80 - cases[i].stored);
        cr_expect_eq(counts.arrived, 80);
    }
    cr_expect_eq(intake_counts(in)->arrived, 240);
    cr_expect_eq(intake_counts(in)->refused, 40);
}

Test(intake, a_message_without_priority_is_shed_as_the_notice_that_it_counts_as)
{
    set_groups("shed 0 6\n");
    intake_message(in, LISTENER_UDP, &sender, VIEW("no priority"), INTAKE_WHOLE);
    set_groups("shed 0 5\n");
    intake_message(in, LISTENER_UDP, &sender, VIEW("no priority"), INTAKE_WHOLE);
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 1);
    cr_expect_eq(refused_as(REASON_OVER_BUDGET), 1);
}

Test(intake, a_unit_of_refusals_only_has_no_block_and_frees_its_place)
{
    set_groups("shed 0 7\n");
    send(&sender, 7, 5);
    intake_close(in);
    struct work *w = next_unit();
    cr_assert_not_null(w);
    cr_expect_eq(w->blocks_n, 0);
    cr_expect_eq(finish(w), 0);
    cr_expect_eq(refused_as(REASON_OVER_BUDGET), 5);
    cr_expect_eq(builders_free_units(&shared.builders), UNITS);
}

Test(intake, what_is_shed_is_marked_as_nothing_else)
{
    set_groups("shed 0 5\n");
    intake_message(in, LISTENER_TCP, &sender, VIEW("cut"), INTAKE_TRUNCATED);
    intake_message(in, LISTENER_TCP, &sender, VIEW("bad"), INTAKE_BAD_FRAME);
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 0);
    cr_expect_eq(counts.rows[0].truncated, 0, "truncated counts what is stored");
    cr_expect_eq(refused_as(REASON_OVER_BUDGET), 2);
}

Test(intake, groups_changed_while_running_take_the_next_read_also_of_a_sender_known_before)
{
    send(&office, 5, 2);
    send(&lab, 5, 2);
    set_groups("member 10.1.0.0/16 5\n");
    send(&lab, 5, 1);
    send(&office, 5, 3);
    set_groups("member 10.0.0.0/8 6\nshed 6 7\n");
    send(&office, 5, 4);
    send(&office, 7, 1);
    send(&lab, 5, 5);
    intake_close(in);
    struct work *w = next_unit();
    cr_expect_eq(in_group(w, 0), 5);
    cr_expect_eq(in_group(w, 5), 3);
    cr_expect_eq(in_group(w, 6), 9);
    (void)finish(w);
    cr_expect_eq(refused_as(REASON_OVER_BUDGET), 1);
    set_groups("");
    send(&office, 7, 1);
    intake_close(in);
    w = next_unit();
    cr_expect_eq(in_group(w, 0), 1);
    (void)finish(w);
}

Test(intake, a_set_put_while_nothing_comes_is_taken_by_the_tick)
{
    struct sender_rules *r = sender_rules_new();
    struct err err = {0};
    cr_assert_eq(sender_rules_parse(r, VIEW("member 10.1.0.0/16 5\n"), &err), 0);
    shared_put_rules(&shared, r);
    intake_tick(in, clock_mono_us());
    cr_expect_null(shared_take_rules(&shared, 0));
    send(&office, 5, 1);
    intake_close(in);
    struct work *w = next_unit();
    cr_expect_eq(in_group(w, 5), 1);
    (void)finish(w);
}

/* Nine hours ahead of UTC, with a text of Shift_JIS. */
static void send_from_tokyo(const struct ip *from)
{
    char text[96];
    time_t t = NOON / US_PER_SECOND + 9 * 3600;
    size_t n = strftime(text, sizeof(text), "<13>%b %e %H:%M:%S h a: \x94\x46\x8f\xd8", gmtime(&t));
    intake_message(in, LISTENER_UDP, from, view_of(text, n), INTAKE_WHOLE);
}

Test(intake, zone_charset_and_framing_of_a_source_hold_from_the_next_read_on)
{
    const struct health *h = shared.lanes[0].health;
    uint64_t rules = intake_rules(in);
    send_from_tokyo(&office);
    send_from_tokyo(&lab);
    const struct health_row *of_office = &h->now->rows[1], *of_lab = &h->now->rows[2];
    cr_expect(of_office->skewed == 1 && of_office->invalid_utf8 == 1 && of_office->decoded == 0);
    cr_expect_eq(intake_framing(in, LISTENER_UDP, &office), SOURCE_FRAMING_INHERIT);

    struct sender_rules *r = sender_rules_new();
    cr_assert_eq(
        sender_rules_parse(r, VIEW("source 10.1.0.0/16 Asia/Tokyo Shift_JIS counted\n"), NULL), 0);
    shared_put_rules(&shared, r);
    send_from_tokyo(&office); /* of the same read */
    cr_expect_eq(of_office->skewed, 2);
    cr_expect_eq(intake_rules(in), rules);
    intake_at(in, NOON);
    cr_expect_neq(intake_rules(in), rules);
    send_from_tokyo(&office);
    send_from_tokyo(&lab);
    cr_expect(of_office->skewed == 0 && of_office->invalid_utf8 == 0 && of_office->decoded == 1,
              "counted anew");
    cr_expect(of_lab->skewed == 2 && of_lab->invalid_utf8 == 2 && of_lab->decoded == 0);
    cr_expect_eq(intake_framing(in, LISTENER_UDP, &office), FRAME_COUNTED);
    cr_expect_eq(intake_framing(in, LISTENER_UDP, &lab), SOURCE_FRAMING_INHERIT);

    /* the zone of a set that is gone is asked for nothing any more */
    set_groups("everyone 0 1\n");
    send_from_tokyo(&office);
    cr_expect(of_office->skewed == 1 && of_office->decoded == 0);
}

Test(intake, all_groups_in_one_read_find_room)
{
    struct buf text = BUF_INIT(2000);
    for (unsigned i = 1; i < SOURCE_GROUPS_MAX; i++)
        (void)buf_printf(&text, "member 10.0.0.%u %u\n", i, i);
    set_groups(buf_str(&text));
    buf_free(&text);
    cr_assert(intake_has_room(in));
    for (unsigned i = 0; i < SOURCE_GROUPS_MAX; i++) {
        struct ip from = {4, {10, 0, 0, (uint8_t)i}};
        send(&from, 5, i + 1);
    }
    cr_expect(intake_has_room(in), "three units more may have builders");
    intake_close(in);
    struct work *w = next_unit();
    cr_assert_eq(w->blocks_n, SOURCE_GROUPS_MAX);
    for (unsigned i = 0; i < SOURCE_GROUPS_MAX; i++)
        cr_expect_eq(in_group(w, (uint8_t)i), i + 1);
    (void)finish(w);
}

Test(intake, what_the_benchmark_sends_is_counted_once_more_by_itself)
{
    static const struct ip benchmark = {4, {127, 66, 0, 1}};
    set_groups("member 127.66.0.0/16 32\nmember 10.1.0.0/16 5\n");
    send(&office, 5, 3);
    send(&benchmark, 5, 4);
    send(&sender, 5, 2);
    send(&benchmark, 7, 1);
    const struct intake_counts *c = intake_counts(in);
    cr_expect_eq(c->arrived, 10);
    cr_expect_eq(c->benchmark_arrived, 5);
    cr_expect_eq(c->benchmark_refused, 0);
    intake_close(in);
    struct work *w = next_unit();
    cr_expect_eq(in_group(w, SOURCE_GROUP_BENCHMARK), 5);
    (void)finish(w);
    /* with every builder on its way nothing more is stored */
    for (unsigned i = 0; i < UNITS; i++)
        cr_assert(builders_begin_unit(&shared.builders));
    send(&benchmark, 5, 2);
    send(&office, 5, 1);
    cr_expect_eq(c->refused, 3);
    cr_expect_eq(c->benchmark_arrived, 7);
    cr_expect_eq(c->benchmark_refused, 2);
    for (unsigned i = 0; i < UNITS; i++)
        builders_end_unit(&shared.builders);
}

/* ---- who may send ---- */

Test(intake, what_is_not_allowed_is_refused_unparsed_and_kept_for_the_report)
{
    set_groups("allow 10.1.0.0/16 udp\n");
    send(&office, 5, 2);
    send(&lab, 5, 3);
    cr_expect(intake_may_connect(in, LISTENER_TCP, &lab), "no row is about that listener");
    cr_expect_not(intake_may_connect(in, LISTENER_UDP, &lab));
    cr_expect(intake_may_connect(in, LISTENER_UDP, &office));
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 2);
    cr_expect_eq(refused_as(REASON_NOT_ALLOWED), 3);
    intake_tick(in, clock_mono_us());
    struct refused_senders *refused = senders_take_refused(shared.lanes[0].senders);
    cr_assert_not_null(refused);
    cr_assert_eq(refused->n, 1);
    cr_expect(ip_eq(&refused->list[0].source, &lab));
    free(refused);
}

Test(intake, a_sender_over_its_rate_is_refused_and_told_of_after_a_minute)
{
    set_groups("limit 10.1.0.0/16 1 5\n");
    send(&office, 5, 20);
    send(&lab, 5, 20);
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 5 + 20);
    cr_expect_eq(refused_as(REASON_RATE_LIMIT), 15);
    intake_tick(in, clock_mono_us() + 59 * US_PER_SECOND);
    intake_close(in);
    cr_expect_null(next_unit(), "it is not a minute yet");
    intake_tick(in, clock_mono_us() + 62 * US_PER_SECOND);
    intake_close(in);
    struct work *w = next_unit();
    cr_assert_not_null(w, "the summary");
    cr_expect_eq(finish(w), 1);
    cr_assert_eq(counts.rows_n, 1);
    cr_expect(ip_eq(&counts.rows[0].source, &office), "it is a message of that sender");
    cr_expect_eq(intake_counts(in)->arrived, 41);
    cr_expect_eq(intake_counts(in)->refused, 15);
}

/* Messages first … last of a router that numbers them. */
static void send_numbered(unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        char text[96];
        int n = snprintf(text, sizeof(text),
                         "<190>%u: Oct 11 22:14:15: %%LINK-6-UPDOWN: Interface Gi0/1, up", i);
        intake_message(in, LISTENER_UDP, &office, view_of(text, (size_t)n), INTAKE_WHOLE);
    }
}

static uint64_t missing(void)
{
    struct senders_counts c;
    senders_counts(shared.lanes[0].senders, &c);
    return c.missing;
}

Test(intake, the_numbers_of_what_is_refused_are_not_missing)
{
    set_groups("limit 10.1.0.0/16 1 5\n");
    send_numbered(1, 300); /* 295 of them over the rate */
    set_groups("shed 0 6\n");
    send_numbered(301, 600); /* informational */
    set_groups("");
    send_numbered(601, 800);
    cr_expect_eq(missing(), 0);
    send_numbered(901, 1100);
    cr_expect_eq(missing(), 100, "what has not come is");
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 5 + 200 + 200);
}

Test(intake, a_stop_tells_of_what_was_refused_before_its_minute_is_over)
{
    set_groups("limit 10.1.0.0/16 1 5\n");
    send(&office, 5, 20);
    cr_expect(intake_end(in));
    uint64_t stored = 0;
    for (struct work *w; (w = next_unit()) != NULL;)
        stored += finish(w);
    cr_expect_eq(stored, 6, "five and the summary");
    cr_expect_eq(intake_counts(in)->refused, 15);
}

/* Each has a row of its own, so they take more units than there are builders. */
Test(intake, thousands_over_their_rate_are_all_told_of_as_there_is_room)
{
    enum { LIMITED = 6 * LEDGER_ROWS };
    struct ip a = {4, {10, 1}};
    uint64_t stored = 0;
    unsigned calls = 0;
    set_groups("limit 10.1.0.0/16 1 1\n");
    for (unsigned n = 0; n < LIMITED; n++) {
        a.bytes[2] = (uint8_t)(n >> 8);
        a.bytes[3] = (uint8_t)n;
        send(&a, 5, 2);
        for (struct work *w; (w = next_unit()) != NULL;)
            stored += finish(w);
    }
    for (bool has_told = false; !has_told; calls++) {
        has_told = intake_end(in);
        for (struct work *w; (w = next_unit()) != NULL;)
            stored += finish(w);
    }
    cr_expect_eq(stored, 2 * LIMITED, "a message and a summary of each");
    cr_expect_eq(intake_counts(in)->refused, LIMITED);
    cr_expect_gt(calls, 1);
}

/* ---- the journal ---- */

static void expect_entry(void *context, const struct journal_entry *e)
{
    unsigned *n = context;
    char text[32];
    snprintf(text, sizeof(text), "<13>message %u", (*n)++);
    cr_expect(view_eq(e->bytes, view_str(text)), "%.*s", VIEW_ARG(e->bytes));
    cr_expect_eq(e->received_at_us, NOON);
}

Test(intake, every_message_is_written_down_as_it_came_and_in_its_order)
{
    enum { SENT = 1000 };
    set_groups("member 10.1.0.0/16 5\n");
    for (unsigned i = 0; i < SENT; i++) {
        char text[32];
        int n = snprintf(text, sizeof(text), "<13>message %u", i);
        intake_message(in, LISTENER_TCP, i % 3 ? &office : &lab, view_of(text, (size_t)n),
                       INTAKE_WHOLE);
    }
    intake_close(in);
    struct work *w = next_unit();
    struct err err = {0};
    unsigned n = 0;
    cr_expect_eq(journal_replay(w->journal, expect_entry, &n, &err), 0);
    cr_expect_eq(n, SENT);
    (void)finish(w);
}

Test(intake, without_room_in_the_journal_nothing_is_read_and_what_cannot_wait_is_refused)
{
    static char big[60000];
    struct ledger_page *page = ledger_begin(shared.ledger, false);
    int row = ledger_row(page, NOON, LISTENER_TCP, &sender);
    struct journal_chain *other = journal_begin(shared.journal, page);
    cr_assert(intake_has_room(in));
    while (intake_has_room(in))
        cr_assert_eq(journal_append(other, row, 0, NOON, 0, view_of(big, sizeof(big))), 0);
    cr_expect_not(intake_must_refuse(in), "units are on their way: what can wait waits");
    atomic_store(&shared.is_full, true);
    atomic_store(&shared.is_spool_refusing, true);
    cr_expect(intake_must_refuse(in));
    intake_at(in, NOON);
    receive(7);
    journal_release(&other);
    atomic_store(&shared.is_full, false);
    cr_expect(intake_has_room(in));
    intake_at(in, NOON);
    receive(3);
    intake_close(in);
    cr_expect_eq(finish(next_unit()), 3);
    cr_expect_eq(refused_as(REASON_QUEUE_FULL), 7);
    ledger_release(shared.ledger, &page);
}

Test(intake, a_unit_closes_before_open_ones_can_fill_the_journal)
{
    enum { BIG = 60000 };
    static char big[BIG];
    memset(big, 'x', sizeof(big));
    struct work *w = NULL;
    unsigned sent = 0;
    for (; !w && sent < 5000; w = next_unit(), sent++)
        intake_message(in, LISTENER_TCP, &sender, view_of(big, BIG), INTAKE_WHOLE);
    cr_assert_not_null(w);
    cr_expect_leq((size_t)sent * BIG, journal_bytes(shared.journal) / 4 + 3 * BIG);
    cr_expect_eq(w->messages, sent);
    cr_expect_geq(w->text_bytes, journal_bytes(shared.journal) / 4);
    cr_expect_eq(finish(w), sent);
}

/* ---- beside other lanes ---- */

Test(intake, units_that_one_lane_counts_on_are_not_taken_by_others)
{
    cr_assert(intake_has_room(in));
    unsigned others = 0;
    while (builders_begin_unit(&shared.builders))
        others++;
    cr_expect_eq(others, UNITS - 2, "two are in hand");
    cr_expect(intake_has_room(in));
    receive(BLOCK_MAX_MESSAGES + 1); /* one read may need both */
    cr_expect_eq(intake_counts(in)->refused, 0);
    cr_expect_not(intake_has_room(in));
    (void)finish(next_unit());
    cr_expect(intake_has_room(in));
    for (unsigned i = 0; i < others; i++)
        builders_end_unit(&shared.builders);
}

Test(intake, what_arrived_is_counted_by_listener_with_its_bytes)
{
    intake_message(in, LISTENER_UDP, &sender, VIEW("12345"), INTAKE_WHOLE);
    intake_message(in, LISTENER_TCP, &sender, VIEW("123"), INTAKE_WHOLE);
    intake_message(in, LISTENER_TCP, &sender, VIEW("1234"), INTAKE_WHOLE);
    intake_message(in, LISTENER_TLS, &sender, VIEW("1"), INTAKE_WHOLE);
    const struct intake_counts *c = &intake_lane_counts(in)->intake;
    static const struct {
        uint64_t messages, bytes;
    } expected[LISTENER_COUNT] = {{1, 5}, {2, 7}, {1, 1}};
    for (int k = 0; k < LISTENER_COUNT; k++) {
        cr_expect_eq(c->received[k], expected[k].messages, "%s", listener_name((uint8_t)k));
        cr_expect_eq(c->received_bytes[k], expected[k].bytes, "%s", listener_name((uint8_t)k));
    }
    cr_expect_eq(c->open_units, 1);
    cr_expect_eq(c->open_messages, 4);
}
