/* Counting, parsing and adding messages.  Runs on a lane's thread; takes no lock a message.
 *
 * The open unit has a ledger page from its first row, and a block for each source group that a
 * message to be stored came from, while a unit may have builders:
 *
 *   open: [ page | group 0: builder | group 3: builder | … ]
 *
 * A sender's group is looked up when the unit meets it first and kept beside its row in the page.
 * The unit is closed as a whole and handed to the packer when one of its blocks is full, all of
 * them together hold what a unit may (builders.h), its page is full, its time has come, or the wall
 * clock goes back or passes a quarter of an hour (every zone's midnight is at one, so that a block
 * lies within one day in any zone). */
#include "receiver/intake.h"

#include "config/log.h"
#include "syslog/syslog.h"

#define QUARTER_HOUR_US (15 * US_PER_MINUTE)
enum { PAGES_A_READ = 2, UNITS_A_READ = 2, GROUP_UNKNOWN = 0xff };

struct intake {
    struct shared *s;
    unsigned lane;
    unsigned units_in_hand; /* that may have builders, taken and not begun */
    struct work *open;      /* NULL until something is counted */
    int64_t open_since_mono_us;
    int64_t quarter; /* number of the quarter hour of the open unit's messages */
    struct work_block *by_group[SOURCE_GROUPS_MAX]; /* of the open unit; NULL: none yet */
    uint32_t open_messages;                         /* in its blocks */
    size_t open_text_bytes;

    int64_t received_at_us, minute_us;
    struct syslog_context context;
    struct buf scratch;

    /* the row of the last message: neighbours mostly have the same sender */
    int row;
    int64_t row_minute_us;
    struct ip row_source;
    uint8_t row_listener;
    uint8_t row_group;

    struct groups *groups;
    uint8_t groups_of_rows[LEDGER_ROWS]; /* of the open unit's page; GROUP_UNKNOWN: not asked yet */

    struct lane_counts lane_counts;
    struct intake_counts *counts; /* of it */
    uint64_t uncounted;           /* no page was left: only at a stop with every page in use */

    bool is_refusing; /* said in the log */
    int64_t refusing_since_mono_us;
    uint64_t refused_before;
};

struct intake *intake_new(struct shared *s, unsigned lane, const struct zone *zone)
{
    struct intake *in = xcalloc(1, sizeof(*in));
    in->s = s;
    in->lane = lane;
    in->counts = &in->lane_counts.intake;
    in->scratch = BUF_INIT(3 * (size_t)s->config.message_max_bytes + 3 * 65536 + 64);
    in->context = (struct syslog_context){.zone = zone, .scratch = &in->scratch};
    in->row = -1;
    in->groups = groups_new();
    return in;
}

void intake_free(struct intake **pin)
{
    struct intake *in = *pin;
    if (!in)
        return;
    intake_close(in);
    for (; in->units_in_hand > 0; in->units_in_hand--)
        builders_end_unit(&in->s->builders);
    groups_free(&in->groups);
    buf_free(&in->scratch);
    free(in);
    *pin = NULL;
}

/* ---- room ---- */

/* Units are taken before they are needed, so that another lane cannot have them meanwhile. */
static bool has_units(struct intake *in)
{
    unsigned want = UNITS_A_READ - (in->open && in->open->has_builders);
    while (in->units_in_hand < want) {
        if (!builders_begin_unit(&in->s->builders))
            return false;
        in->units_in_hand++;
    }
    return true;
}

/* Pages are common: as many as all lanes can take in one read each. */
static bool has_pages(const struct intake *in, unsigned more)
{
    return ledger_free_pages(in->s->ledger) >= more + PAGES_A_READ * in->s->lanes_n;
}

bool intake_has_room(struct intake *in)
{
    return has_units(in) && has_pages(in, LEDGER_RESERVED_PAGES);
}

bool intake_must_refuse(struct intake *in)
{
    return (atomic_load(&in->s->is_full) || !has_pages(in, LEDGER_RESERVED_PAGES)) &&
           has_pages(in, 0);
}

static void say_refusing(struct intake *in)
{
    struct shared *s = in->s;
    bool is_full = atomic_load(&s->is_full);
    if (!in->is_refusing && is_full && !intake_has_room(in)) {
        in->is_refusing = true;
        in->refusing_since_mono_us = clock_mono_us();
        in->refused_before = in->counts->refused;
        log_line(LOG_WARNING,
                 "memory for waiting blocks is used up (store.queue_bytes %lld): holding TCP back, "
                 "refusing UDP once the open block is full",
                 (long long)s->config.queue_bytes);
    } else if (in->is_refusing && !is_full &&
               atomic_load(&s->queued_bytes) <= (uint64_t)s->config.queue_bytes / 2) {
        in->is_refusing = false;
        log_line(LOG_WARNING, "room for blocks again after %.1f s: %llu messages were refused",
                 (double)(clock_mono_us() - in->refusing_since_mono_us) / 1e6,
                 (unsigned long long)(in->counts->refused - in->refused_before));
    }
}

/* ---- the open unit ---- */

/* Blocks without a message go, and the unit is no unit with builders if none is left. */
static void drop_empty_blocks(struct intake *in, struct work *w)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < w->blocks_n; i++) {
        struct work_block *b = w->blocks[i];
        if (block_builder_messages(b->builder->block) > 0) {
            w->blocks[kept++] = b;
            continue;
        }
        builders_give(&in->s->builders, b->builder);
        free(b);
    }
    w->blocks_n = kept;
    if (w->has_builders && kept == 0) {
        builders_end_unit(&in->s->builders);
        w->has_builders = false;
    }
}

static void hand_over(struct intake *in, struct work *w)
{
    CHECK(!ledger_is_empty(w->page));
    drop_empty_blocks(in, w);
    /* what the writer confirms must have been published as arrived before */
    shared_publish(in->s, in->lane, &in->lane_counts);
    atomic_fetch_add(&in->s->pending_units, 1);
    queue_push(&in->s->pack, w);
}

/* The open unit is the caller's. */
static struct work *take_open(struct intake *in)
{
    struct work *w = in->open;
    in->open = NULL;
    in->row = -1;
    in->open_messages = 0;
    in->open_text_bytes = 0;
    memset(in->by_group, 0, sizeof(in->by_group));
    return w;
}

void intake_close(struct intake *in)
{
    struct work *w = take_open(in);
    if (w)
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
    memset(in->groups_of_rows, GROUP_UNKNOWN, sizeof(in->groups_of_rows));
    return true;
}

/* Whether the open unit can have blocks. */
static bool ensure_builders(struct intake *in)
{
    if (UNLIKELY(!in->open->has_builders)) {
        in->open->has_builders = in->units_in_hand > 0 || builders_begin_unit(&in->s->builders);
        in->units_in_hand -= in->units_in_hand > 0;
    }
    return in->open->has_builders;
}

static struct work_block *ensure_block(struct intake *in, uint8_t group)
{
    struct work_block *b = in->by_group[group];
    if (LIKELY(b != NULL))
        return b;
    uint64_t first_seq = ledger_first_seq(in->open->page, in->open->blocks_n);
    b = work_add_block(in->open, group);
    b->builder = builders_take(&in->s->builders, first_seq);
    return in->by_group[group] = b;
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
    uint8_t *group = &in->groups_of_rows[row];
    if (*group == GROUP_UNKNOWN)
        *group = groups_find(in->groups, source);
    in->row_group = *group;
    return row;
}

/* Other source groups or shed levels from now on. */
static void take_new_groups(struct intake *in)
{
    struct groups *g = shared_take_groups(in->s, in->lane);
    if (LIKELY(!g))
        return;
    groups_free(&in->groups);
    in->groups = g;
    in->row = -1;
    memset(in->groups_of_rows, GROUP_UNKNOWN, sizeof(in->groups_of_rows));
}

/* ---- messages ---- */

void intake_at(struct intake *in, int64_t received_at_us)
{
    take_new_groups(in);
    in->received_at_us = received_at_us;
    in->context.received_at_us = received_at_us;
    in->minute_us = received_at_us - received_at_us % US_PER_MINUTE;
    int64_t quarter = received_at_us / QUARTER_HOUR_US;
    if (quarter != in->quarter) {
        if (in->open_messages > 0)
            intake_close(in);
        in->quarter = quarter;
    }
}

/* What every message counts in, whatever becomes of it. */
static void count(struct intake *in, enum listener listener, size_t bytes)
{
    in->counts->arrived++;
    in->counts->received[listener]++;
    in->counts->received_bytes[listener] += bytes;
    in->counts->benchmark_arrived += in->row_group == SOURCE_GROUP_BENCHMARK;
}

static void refuse(struct intake *in, int row, enum listener listener, size_t bytes,
                   enum reason reason)
{
    ledger_refuse(in->open->page, row, bytes, reason);
    count(in, listener, bytes);
    in->counts->refused++;
    in->counts->benchmark_refused += in->row_group == SOURCE_GROUP_BENCHMARK;
}

/* Into the block of its group; 0, or as block_builder_add. */
static int add_to_block(struct intake *in, uint8_t group, const struct record *r)
{
    struct block_builder *b = ensure_block(in, group)->builder->block;
    size_t before = block_builder_text_bytes(b);
    int rc = block_builder_add(b, r);
    if (LIKELY(rc == 0)) {
        in->open_messages++;
        in->open_text_bytes += block_builder_text_bytes(b) - before;
    }
    return rc;
}

/* A block or the whole unit holds what it may. */
static bool is_full(const struct intake *in, uint8_t group)
{
    return in->open_messages >= UNIT_MAX_MESSAGES || in->open_text_bytes >= BLOCK_MAX_TEXT_BYTES ||
           (in->open_messages >= BLOCK_MAX_MESSAGES &&
            block_builder_messages(in->by_group[group]->builder->block) == BLOCK_MAX_MESSAGES);
}

/* Into the open unit, or the next one when its block does not take it: nothing of the message has
 * been counted yet.  The row of the unit it is in, then *why is unchanged; else *why is why it has
 * to be refused, in the row that is returned; -1: no page is left. */
static int add(struct intake *in, int row, const struct record *r, int *why)
{
    uint8_t group = in->row_group;
    if (UNLIKELY(!ensure_builders(in))) {
        *why = REASON_QUEUE_FULL;
        return row;
    }
    if (LIKELY(add_to_block(in, group, r) == 0))
        return row;
    if (block_builder_messages(in->by_group[group]->builder->block) > 0) {
        intake_close(in);
        row = find_row(in, r->listener, &r->source);
        if (row < 0)
            return row;
        if (!ensure_builders(in)) {
            *why = REASON_QUEUE_FULL;
            return row;
        }
        if (add_to_block(in, group, r) == 0)
            return row;
    }
    *why = REASON_OVERSIZE; /* larger than a block can be */
    return row;
}

static void mark_message(struct intake *in, int row, enum intake_mark mark)
{
    if (mark == INTAKE_TRUNCATED) {
        ledger_truncated(in->open->page, row);
        in->counts->truncated++;
    } else if (mark == INTAKE_BAD_FRAME) {
        in->counts->bad_frames++;
    }
}

void intake_message(struct intake *in, enum listener listener, const struct ip *source,
                    struct view bytes, enum intake_mark mark)
{
    int row = find_row(in, (uint8_t)listener, source), why = -1;
    if (UNLIKELY(row < 0)) {
        in->uncounted++;
        return;
    }
    struct record r;
    syslog_parse(&in->context, bytes, &r);
    r.source = *source;
    r.listener = (uint8_t)listener;
    r.received_at_us = in->received_at_us;
    if (UNLIKELY(mark == INTAKE_TRUNCATED))
        r.flags |= RECORD_TRUNCATED;
    if (UNLIKELY(groups_refuse(in->groups, in->row_group, r.severity)))
        why = REASON_OVER_BUDGET;
    else
        row = add(in, row, &r, &why);
    if (UNLIKELY(row < 0)) {
        in->uncounted++;
        return;
    }
    if (UNLIKELY(why >= 0)) {
        refuse(in, row, listener, bytes.n, (enum reason)why);
        return;
    }
    ledger_arrived(in->open->page, row, bytes.n);
    count(in, listener, bytes.n);
    if (UNLIKELY(mark != INTAKE_WHOLE))
        mark_message(in, row, mark);
    if (UNLIKELY(is_full(in, in->row_group)))
        intake_close(in);
}

void intake_dropped(struct intake *in, enum listener listener, uint64_t datagrams)
{
    if (datagrams == 0)
        return;
    in->counts->kernel_dropped += datagrams;
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
    take_new_groups(in);
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
    return in->counts;
}

struct lane_counts *intake_lane_counts(struct intake *in)
{
    return &in->lane_counts;
}
