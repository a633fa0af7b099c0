/* Counting, parsing and adding messages.  Runs on the network thread; takes no lock a message.
 *
 * The open unit has a ledger page from its first row, and a builder while one is to be had:
 *
 *   open: [ page | builder ]      hand: up to two empty builders
 *
 * A unit is closed and handed to the packer when its block is full, its page is full, its time has
 * come, or the wall clock goes back or passes a quarter of an hour (every zone's midnight is at
 * one, so that a block lies within one day in any zone). */
#include "receiver/intake.h"

#include "config/log.h"
#include "syslog/syslog.h"

#define QUARTER_HOUR_US (15 * US_PER_MINUTE)
enum { HAND_MAX = 2, PAGES_A_READ = 2 };

struct intake {
    struct shared *s;
    struct work *open; /* NULL until something is counted */
    int64_t open_since_mono_us;
    int64_t quarter;             /* number of the quarter hour of the open block's messages */
    struct work *hand[HAND_MAX]; /* carriers of empty builders */
    int hand_n;

    int64_t received_at_us, minute_us;
    struct syslog_context context;
    struct buf scratch;

    /* the row of the last message: neighbours mostly have the same sender */
    int row;
    int64_t row_minute_us;
    struct ip row_source;
    uint8_t row_listener;

    struct intake_counts counts;
    uint64_t uncounted; /* no page was left: only at a stop with every page in use */

    bool is_refusing; /* said in the log */
    int64_t refusing_since_mono_us;
    uint64_t refused_before;
};

struct intake *intake_new(struct shared *s, const struct zone *zone)
{
    struct intake *in = xcalloc(1, sizeof(*in));
    in->s = s;
    in->scratch = BUF_INIT(3 * (size_t)s->config.message_max_bytes + 3 * 65536 + 64);
    in->context = (struct syslog_context){.zone = zone, .scratch = &in->scratch};
    in->row = -1;
    return in;
}

static void give_builder_back(struct intake *in, struct block_builder *b)
{
    struct work *carrier = work_new();
    carrier->builder = b;
    queue_push(&in->s->builders, carrier);
}

void intake_free(struct intake **pin)
{
    struct intake *in = *pin;
    if (!in)
        return;
    intake_close(in);
    while (in->hand_n > 0)
        queue_push(&in->s->builders, in->hand[--in->hand_n]);
    buf_free(&in->scratch);
    free(in);
    *pin = NULL;
}

/* ---- room ---- */

static void fill_hand(struct intake *in, int want)
{
    bool is_ended;
    struct work *w;
    while (in->hand_n < want && (w = queue_pop(&in->s->builders, &is_ended)) != NULL)
        in->hand[in->hand_n++] = w;
}

bool intake_has_room(struct intake *in)
{
    int open = in->open && in->open->builder;
    if (open + in->hand_n < 2)
        fill_hand(in, 2 - open);
    return open + in->hand_n >= 2 &&
           ledger_free_pages(in->s->ledger) >= LEDGER_RESERVED_PAGES + PAGES_A_READ;
}

bool intake_must_refuse(struct intake *in)
{
    bool is_out_of_pages = ledger_free_pages(in->s->ledger) < LEDGER_RESERVED_PAGES + PAGES_A_READ;
    return (atomic_load(&in->s->is_full) || is_out_of_pages) &&
           ledger_free_pages(in->s->ledger) >= PAGES_A_READ;
}

static void say_refusing(struct intake *in)
{
    struct shared *s = in->s;
    bool is_full = atomic_load(&s->is_full);
    if (!in->is_refusing && is_full && !intake_has_room(in)) {
        in->is_refusing = true;
        in->refusing_since_mono_us = clock_mono_us();
        in->refused_before = in->counts.refused;
        log_line(LOG_WARNING,
                 "memory for waiting blocks is used up (store.queue_bytes %lld): holding TCP back, "
                 "refusing UDP once the open block is full",
                 (long long)s->config.queue_bytes);
    } else if (in->is_refusing && !is_full &&
               atomic_load(&s->queued_bytes) <= (uint64_t)s->config.queue_bytes / 2) {
        in->is_refusing = false;
        log_line(LOG_WARNING, "room for blocks again after %.1f s: %llu messages were refused",
                 (double)(clock_mono_us() - in->refusing_since_mono_us) / 1e6,
                 (unsigned long long)(in->counts.refused - in->refused_before));
    }
}

/* ---- the open unit ---- */

static void hand_over(struct intake *in, struct work *w)
{
    CHECK(!ledger_is_empty(w->page));
    if (w->builder && block_builder_messages(w->builder) == 0) {
        give_builder_back(in, w->builder);
        w->builder = NULL;
    }
    /* what the writer confirms must have been published as arrived before */
    shared_publish(in->s, &in->counts);
    atomic_fetch_add(&in->s->pending_units, 1);
    queue_push(&in->s->pack, w);
}

void intake_close(struct intake *in)
{
    struct work *w = in->open;
    if (!w)
        return;
    in->open = NULL;
    in->row = -1;
    hand_over(in, w);
}

/* A unit to count in; false when every page is in use. */
static bool ensure_open(struct intake *in)
{
    if (in->open)
        return true;
    struct ledger_page *page = ledger_begin(in->s->ledger, true);
    if (!page)
        return false;
    in->open = work_new();
    in->open->page = page;
    in->open_since_mono_us = clock_mono_us();
    return true;
}

static bool ensure_builder(struct intake *in)
{
    if (in->open->builder)
        return true;
    fill_hand(in, 1);
    if (in->hand_n == 0)
        return false;
    struct work *carrier = in->hand[--in->hand_n];
    in->open->builder = carrier->builder;
    carrier->builder = NULL;
    work_free(&carrier);
    block_builder_clear(in->open->builder, ledger_first_seq(in->s->ledger, in->open->page));
    return true;
}

/* The row of a message in the open unit, which may be a new one; -1: no page is left. */
static int find_row(struct intake *in, uint8_t listener, const struct ip *source)
{
    if (LIKELY(in->row >= 0 && in->row_minute_us == in->minute_us && in->row_listener == listener &&
               ip_eq(&in->row_source, source)))
        return in->row;
    if (!ensure_open(in))
        return -1;
    int row = ledger_row(in->open->page, in->minute_us, listener, source);
    if (row < 0) {
        intake_close(in);
        if (!ensure_open(in))
            return -1;
        row = ledger_row(in->open->page, in->minute_us, listener, source);
        CHECK(row >= 0);
    }
    in->row = row;
    in->row_minute_us = in->minute_us;
    in->row_listener = listener;
    in->row_source = *source;
    return row;
}

/* ---- messages ---- */

void intake_at(struct intake *in, int64_t received_at_us)
{
    in->received_at_us = received_at_us;
    in->context.received_at_us = received_at_us;
    in->minute_us = received_at_us - received_at_us % US_PER_MINUTE;
    int64_t quarter = received_at_us / QUARTER_HOUR_US;
    if (quarter != in->quarter) {
        if (in->open && in->open->builder && block_builder_messages(in->open->builder) > 0)
            intake_close(in);
        in->quarter = quarter;
    }
}

static void refuse(struct intake *in, int row, enum reason reason)
{
    ledger_refuse(in->open->page, row, reason);
    in->counts.refused++;
}

/* The block does not take the record: the message goes to the next unit, counted there before it is
 * taken out of this one.  The row in the new unit, or -1: no page is left. */
static int move_on(struct intake *in, int row, uint8_t listener, const struct ip *source,
                   size_t bytes)
{
    struct work *full = in->open;
    in->open = NULL;
    in->row = -1;
    int new_row = find_row(in, listener, source);
    if (new_row < 0) {
        in->open = full; /* nowhere to go: it stays, to be refused */
        return -1;
    }
    ledger_arrived(in->open->page, new_row, bytes);
    ledger_moved(full->page, row, bytes);
    hand_over(in, full);
    return new_row;
}

/* Add to the open block, or to the next one.  The message's row; -1: refused. */
static int add(struct intake *in, int row, const struct record *r)
{
    if (!ensure_builder(in))
        goto no_room;
    if (LIKELY(block_builder_add(in->open->builder, r) == 0))
        return row;
    if (block_builder_messages(in->open->builder) == 0) {
        refuse(in, row, REASON_OVERSIZE); /* larger than a block can be */
        return -1;
    }
    int new_row = move_on(in, row, r->listener, &r->source, r->raw.n);
    if (new_row < 0)
        goto no_room;
    row = new_row;
    if (!ensure_builder(in))
        goto no_room;
    if (block_builder_add(in->open->builder, r) == 0)
        return row;
    refuse(in, row, REASON_OVERSIZE);
    return -1;
no_room:
    refuse(in, row, REASON_QUEUE_FULL);
    return -1;
}

void intake_message(struct intake *in, enum listener listener, const struct ip *source,
                    struct view bytes, enum intake_mark mark)
{
    if (in->open && in->open->builder &&
        block_builder_messages(in->open->builder) == BLOCK_MAX_MESSAGES)
        intake_close(in);
    int row = find_row(in, (uint8_t)listener, source);
    if (UNLIKELY(row < 0)) {
        in->uncounted++;
        return;
    }
    ledger_arrived(in->open->page, row, bytes.n);
    in->counts.arrived++;
    if (!ensure_builder(in)) {
        refuse(in, row, REASON_QUEUE_FULL);
        return;
    }
    struct record r;
    syslog_parse(&in->context, bytes, &r);
    r.source = *source;
    r.listener = (uint8_t)listener;
    r.received_at_us = in->received_at_us;
    if (mark == INTAKE_TRUNCATED)
        r.flags |= RECORD_TRUNCATED;
    row = add(in, row, &r);
    if (mark == INTAKE_TRUNCATED && row >= 0) {
        ledger_truncated(in->open->page, row);
        in->counts.truncated++;
    } else if (mark == INTAKE_BAD_FRAME && row >= 0) {
        in->counts.bad_frames++;
    }
}

void intake_dropped(struct intake *in, enum listener listener, uint64_t datagrams)
{
    if (datagrams == 0)
        return;
    in->counts.kernel_dropped += datagrams;
    if (!ensure_open(in))
        return;
    int64_t now_us = clock_wall_us(), minute_us = now_us - now_us % US_PER_MINUTE;
    if (ledger_dropped(in->open->page, minute_us, (uint8_t)listener, datagrams) == 0)
        return;
    intake_close(in);
    if (ensure_open(in))
        CHECK(ledger_dropped(in->open->page, minute_us, (uint8_t)listener, datagrams) == 0);
}

/* ---- time ---- */

void intake_tick(struct intake *in, int64_t now)
{
    say_refusing(in);
    if (in->open && now - in->open_since_mono_us >= atomic_load(&in->s->flush_us) &&
        atomic_load(&in->s->pending_units) == 0)
        intake_close(in);
}

int64_t intake_due_mono_us(const struct intake *in)
{
    if (!in->open || atomic_load(&in->s->pending_units) != 0)
        return INT64_MAX; /* the writer wakes us when it has nothing left to do */
    return in->open_since_mono_us + atomic_load(&in->s->flush_us);
}

struct intake_counts *intake_counts(struct intake *in)
{
    return &in->counts;
}
