/* What becomes of a message.  Runs on a lane's thread; takes no lock a message.
 *
 *   its sender ─▶ parse ─▶ block ─▶ journal ─▶ counted ─▶ sequence number
 *     └ not_allowed  └ over_budget └ queue_full, oversize
 *       rate_limit
 *
 * It is counted once it is in the journal, so nothing that was counted can be lost with the
 * process; what is refused is counted only.
 *
 * The open unit has a ledger page from its first row, and a block for each source group that a
 * message to be stored came from, while a unit may have builders:
 *
 *   open: [ page | group 0: builder | group 3: builder | … ]
 *
 * A sender's group is looked up when the unit meets it first and kept beside its row in the page.
 * The unit is closed as a whole and handed to the packer when one of its blocks is full, all of
 * them together hold what a unit may (builders.h), its page is full, its time has come, a burst has
 * ended (may_close_early), or the wall clock goes back or passes a quarter of an hour (every zone's
 * midnight is at one, so that a block lies within one day in any zone). */
#include "receiver/intake.h"

#include "config/log.h"
#include "syslog/syslog.h"

#define QUARTER_HOUR_US (15 * US_PER_MINUTE)
#define SENDERS_EVERY_US US_PER_SECOND
#define IDLE_US 25000 /* nothing came for so long: a burst is over (may_close_early) */
enum {
    EARLY_MESSAGES = BLOCK_MAX_MESSAGES / 4,
    EARLY_AFTER_FULL = 4, /* smaller ones, after a full one */
    PAGES_A_READ = 2,
    UNITS_A_READ = 2,
    /* of the journal, that one read can need: of connections what one has sent of a message, what
     * one read adds, and as much for what is written beside very small messages; */
    SEGMENTS_A_READ = 4,
    /* and a batch of the largest datagrams */
    SEGMENTS_A_BATCH = UDP_BATCH_MESSAGES * 65536 / JOURNAL_SEGMENT_BYTES + 2,
};

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
    unsigned early_left;  /* small units that may be closed early: a full one was not long ago */
    bool is_held;         /* at the last tick there was no room for a read */
    int64_t busy_mono_us; /* the last read, or that there was no room for one */

    int64_t received_at_us, minute_us;
    int64_t read_mono_us; /* the same read */
    uint32_t tag;         /* of the message that comes next; 0: it has none */
    bool may_write_down;  /* the journal had room for it */
    struct syslog_context context;
    struct buf scratch;
    const struct zone *zone; /* the box's */

    /* the row of the last message: neighbours mostly have the same sender */
    int row;
    int64_t row_minute_us;
    struct ip row_source;
    uint8_t row_listener;

    struct sender_rules *rules; /* a reference */
    struct senders *senders;
    struct health *health;
    struct sender *sender;   /* of the last message of this read; NULL: not asked yet */
    int64_t senders_mono_us; /* when they are looked through next */
    int64_t looked_at_us;    /* the wall clock of the last time */
    size_t unit_max_bytes;   /* of text, in an open unit */

    struct lane_counts lane_counts;
    struct intake_counts *counts;   /* of it */
    uint64_t drops[LISTENER_COUNT]; /* of the kernel, until there is a page to count them in */
    uint64_t uncounted;             /* no page was left: only at a stop with every page in use */

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
    in->zone = zone;
    in->context = (struct syslog_context){.zone = zone, .scratch = &in->scratch};
    in->row = -1;
    in->rules = sender_rules_new();
    sender_rules_seal(in->rules);
    in->senders = s->lanes[lane].senders = senders_new(s->sequences, lane);
    in->health = s->lanes[lane].health = health_new();
    in->unit_max_bytes = shared_unit_max_bytes(s);
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
    in->s->lanes[in->lane].senders = NULL;
    senders_free(&in->senders);
    in->s->lanes[in->lane].health = NULL;
    health_free(&in->health);
    sender_rules_free(&in->rules);
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

static bool has_segments(const struct intake *in)
{
    return journal_has_room(in->s->journal,
                            in->lane == 0 ? SEGMENTS_A_READ + SEGMENTS_A_BATCH : SEGMENTS_A_READ);
}

bool intake_has_room(struct intake *in)
{
    return has_units(in) && has_pages(in, LEDGER_RESERVED_PAGES) && has_segments(in);
}

bool intake_must_refuse(struct intake *in)
{
    return atomic_load(&in->s->is_spool_refusing) && has_pages(in, 0) &&
           (atomic_load(&in->s->is_full) || !has_segments(in) ||
            !has_pages(in, LEDGER_RESERVED_PAGES));
}

static void say_refusing(struct intake *in)
{
    struct shared *s = in->s;
    bool is_full = atomic_load(&s->is_full) && atomic_load(&s->is_spool_refusing);
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
    shared_packing_begins(in->s, w);
    queue_push(&in->s->pack, w);
}

/* The open unit is the caller's. */
static struct work *take_open(struct intake *in)
{
    struct work *w = in->open;
    if (w) {
        w->messages = in->open_messages;
        w->text_bytes = in->open_text_bytes;
    }
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

/* It holds what a unit may. */
static void close_full(struct intake *in)
{
    intake_close(in);
    in->early_left = EARLY_AFTER_FULL;
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
    in->open->journal = journal_begin(in->s->journal, page);
    in->open_since_mono_us = clock_mono_us();
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

/* Whether messages of the sender are counted under its address.  One that is not allowed is: how
 * many of those are told apart senders_refuse() sees to. */
static bool is_named(struct intake *in, uint8_t listener, const struct ip *source)
{
    struct sender *x = in->sender;
    if (!x) /* not about a message */
        return senders_name_address(in->senders, listener, source, in->read_mono_us);
    return !x->is_allowed || senders_name(in->senders, x, in->read_mono_us);
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
    if (UNLIKELY(!is_named(in, listener, source)))
        ledger_unname(in->open->page, row);
    in->row = row;
    in->row_minute_us = in->minute_us;
    in->row_listener = listener;
    in->row_source = *source;
    return row;
}

/* Other rules for senders from now on. */
static void take_new_rules(struct intake *in)
{
    struct sender_rules *r = shared_take_rules(in->s, in->lane);
    if (LIKELY(!r))
        return;
    /* what was remembered of times may be of a zone that goes with the old ones */
    in->context.cache = (struct syslog_cache){0};
    in->context.zone = in->zone;
    sender_rules_free(&in->rules);
    in->rules = r;
    in->sender = NULL;
}

/* What is known of the message's sender; known already for the one of the last message. */
static struct sender *find_sender(struct intake *in, enum listener listener,
                                  const struct ip *source)
{
    if (UNLIKELY(!in->sender || in->sender->listener != listener ||
                 !ip_eq(&in->sender->source, source)))
        in->sender =
            senders_find(in->senders, in->rules, (uint8_t)listener, source, in->read_mono_us);
    return in->sender;
}

/* ---- messages ---- */

void intake_at(struct intake *in, int64_t received_at_us)
{
    take_new_rules(in);
    in->sender = NULL;
    in->read_mono_us = in->busy_mono_us = clock_mono_us();
    in->may_write_down = has_segments(in);
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
    in->counts->benchmark_arrived += in->sender->group == SOURCE_GROUP_BENCHMARK;
}

static void refuse(struct intake *in, int row, enum listener listener, size_t bytes,
                   enum reason reason)
{
    ledger_refuse(in->open->page, row, bytes, reason);
    count(in, listener, bytes);
    in->counts->refused++;
    in->counts->benchmark_refused += in->sender->group == SOURCE_GROUP_BENCHMARK;
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
    return in->open_messages >= UNIT_MAX_MESSAGES || in->open_text_bytes >= in->unit_max_bytes ||
           (in->open_messages >= BLOCK_MAX_MESSAGES &&
            block_builder_messages(in->by_group[group]->builder->block) == BLOCK_MAX_MESSAGES);
}

/* Into the open unit, or the next one when its block does not take it: nothing of the message has
 * been counted yet.  The row of the unit it is in, then *why is unchanged; else *why is why it has
 * to be refused, in the row that is returned; -1: no page is left. */
static int add(struct intake *in, int row, const struct record *r, int *why)
{
    uint8_t group = in->sender->group;
    if (UNLIKELY(!in->may_write_down || !ensure_builders(in))) {
        *why = REASON_QUEUE_FULL;
        return row;
    }
    if (LIKELY(add_to_block(in, group, r) == 0))
        return row;
    if (block_builder_messages(in->by_group[group]->builder->block) > 0) {
        close_full(in);
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

/* Why its sender may not send this; -1: it may.  *source becomes what it is to be counted under. */
static int sender_refuses(struct intake *in, struct sender *sender, struct view bytes,
                          const struct ip **source)
{
    if (UNLIKELY(!sender->is_allowed)) {
        *source = senders_refuse(in->senders, sender->listener, *source, bytes, in->received_at_us);
        return REASON_NOT_ALLOWED;
    }
    if (UNLIKELY(sender->interval_ns != 0) &&
        !sender_take(in->senders, sender, in->read_mono_us, in->received_at_us))
        return REASON_RATE_LIMIT;
    return -1;
}

/* Its number, if it has one; of a refused message too: it has come, so nothing of it is missing. */
static void look_at_number(struct intake *in, int row, const struct record *r)
{
    struct sequence_gap gap;
    if (UNLIKELY(senders_sequence(in->senders, in->sender, r, &gap)))
        ledger_gap(in->open->page, row, (uint32_t)MIN(gap.missing, UINT32_MAX),
                   (uint32_t)MIN(gap.repeated, UINT32_MAX));
}

/* It is in the block: write it down, count it, look at its sequence number. */
static void keep(struct intake *in, int row, const struct record *r, enum intake_mark mark)
{
    if (in->tag)
        journal_tag(in->open->journal, in->tag);
    /* -ENOSPC: a read brought more than any should; the message is not safe against kill -9 then,
     * and counted all the same */
    if (UNLIKELY(journal_append(in->open->journal, row, in->sender->group, r->received_at_us,
                                (uint8_t)mark, r->raw) < 0))
        in->may_write_down = false;
    ledger_arrived(in->open->page, row, r->raw.n);
    count(in, (enum listener)r->listener, r->raw.n);
    if (UNLIKELY(mark != INTAKE_WHOLE))
        mark_message(in, row, mark);
    look_at_number(in, row, r);
    if (UNLIKELY(is_full(in, in->sender->group)))
        close_full(in);
}

/* `is_own`: about the sender and not of it. */
static void take(struct intake *in, enum listener listener, const struct ip *source,
                 struct view bytes, enum intake_mark mark, bool is_own)
{
    struct sender *sender = find_sender(in, listener, source);
    int why = is_own ? -1 : sender_refuses(in, sender, bytes, &source);
    int row = find_row(in, (uint8_t)listener, source);
    if (UNLIKELY(row < 0)) {
        in->uncounted++;
        return;
    }
    /* what is over its rate is read for its number alone, and only where numbers are known */
    bool is_read = why < 0 || (why == REASON_RATE_LIMIT && sender->is_numbered);
    struct record r;
    if (LIKELY(is_read)) {
        in->context.zone = sender->zone ? sender->zone : in->zone;
        in->context.charset = sender->charset;
        syslog_parse(&in->context, bytes, &r);
        r.source = *source;
        r.listener = (uint8_t)listener;
        r.received_at_us = in->received_at_us;
    }
    if (LIKELY(why < 0)) {
        if (UNLIKELY(mark == INTAKE_TRUNCATED))
            r.flags |= RECORD_TRUNCATED;
        if (UNLIKELY(!is_own && groups_refuse(in->rules->groups, sender->group, r.severity)))
            why = REASON_OVER_BUDGET;
        else
            row = add(in, row, &r, &why);
    }
    if (UNLIKELY(row < 0))
        in->uncounted++;
    else if (LIKELY(why < 0)) {
        if (LIKELY(!is_own))
            health_count(in->health, sender, &r);
        keep(in, row, &r, mark);
    } else {
        refuse(in, row, listener, bytes.n, (enum reason)why);
        if (is_read)
            look_at_number(in, row, &r);
    }
}

void intake_message(struct intake *in, enum listener listener, const struct ip *source,
                    struct view bytes, enum intake_mark mark)
{
    take(in, listener, source, bytes, mark, false);
    in->tag = 0;
}

void intake_tag(struct intake *in, uint32_t tag)
{
    in->tag = tag;
}

uint64_t intake_rules(const struct intake *in)
{
    return in->rules->generation;
}

int intake_framing(struct intake *in, enum listener listener, const struct ip *source)
{
    return find_sender(in, listener, source)->framing;
}

bool intake_may_connect(struct intake *in, enum listener listener, const struct ip *source)
{
    take_new_rules(in);
    if (find_sender(in, listener, source)->is_allowed)
        return true;
    senders_refuse(in->senders, (uint8_t)listener, source, view_of("", 0), clock_wall_us());
    return false;
}

void intake_dropped(struct intake *in, enum listener listener, uint64_t datagrams)
{
    uint64_t *drops = &in->drops[listener];
    in->counts->kernel_dropped += datagrams;
    *drops += datagrams;
    if (*drops == 0 || !ensure_open(in))
        return;
    int64_t now_us = clock_wall_us(), minute_us = now_us - now_us % US_PER_MINUTE;
    if (ledger_dropped(in->open->page, minute_us, (uint8_t)listener, *drops) < 0) {
        intake_close(in);
        if (!ensure_open(in))
            return;
        CHECK(ledger_dropped(in->open->page, minute_us, (uint8_t)listener, *drops) == 0);
    }
    *drops = 0;
}

/* ---- time ---- */

static bool take_summary(void *context, uint8_t listener, const struct ip *source,
                         struct view message)
{
    struct intake *in = context;
    intake_at(in, in->looked_at_us);
    take(in, (enum listener)listener, source, message, INTAKE_WHOLE, true);
    return intake_has_room(in);
}

static void take_gap(void *context, uint8_t listener, const struct ip *source,
                     const struct sequence_gap *gap)
{
    struct intake *in = context;
    intake_at(in, in->looked_at_us);
    int row = find_row(in, listener, source);
    if (row >= 0)
        ledger_gap(in->open->page, row, (uint32_t)MIN(gap->missing, UINT32_MAX),
                   (uint32_t)MIN(gap->repeated, UINT32_MAX));
}

/* While there is no room it waits: what is to be told has to be counted and stored.  False: not all
 * was told. */
static bool look_through_senders(struct intake *in, int64_t now, bool is_end)
{
    if (now < in->senders_mono_us)
        return true;
    if (!intake_has_room(in))
        return false;
    int64_t wall_us = in->looked_at_us = clock_wall_us();
    if (!senders_due_summaries(in->senders, now, wall_us, is_end, take_summary, in))
        return false; /* thousands at once fill the open unit, too */
    in->senders_mono_us = now + SENDERS_EVERY_US;
    /* at the end too only what has long been awaited: the rest may wait in a socket that the next
     * start takes over */
    senders_due_gaps(in->senders, wall_us, false, take_gap, in);
    senders_put_refused(in->senders);
    health_put(in->health, in->rules, now);
    senders_counts(in->senders, &in->lane_counts.senders);
    return true;
}

/* What is left of a burst need not wait for its time, since nothing fills its blocks up any more.
 * That makes no more blocks of what trickles in: such a unit either is large, or one of a few after
 * a full one (of a sender that paused and went on).  While there is no room to read in, nothing is
 * known of what comes. */
static bool may_close_early(const struct intake *in)
{
    return in->open_messages > 0 && !in->is_held &&
           (in->open_messages >= EARLY_MESSAGES || in->early_left > 0);
}

/* What waited while there was no room is read after this tick, not before it. */
static void look_for_room(struct intake *in, int64_t now)
{
    bool was_held = in->is_held;
    in->is_held = !intake_has_room(in);
    if (was_held || in->is_held)
        in->busy_mono_us = now;
}

void intake_tick(struct intake *in, int64_t now)
{
    say_refusing(in);
    take_new_rules(in);
    (void)look_through_senders(in, now, false);
    look_for_room(in, now);
    if (now < intake_due_mono_us(in))
        return;
    bool is_early = now - in->open_since_mono_us < atomic_load(&in->s->flush_us);
    if (!is_early)
        in->early_left = 0;
    else if (in->open_messages < EARLY_MESSAGES && in->early_left > 0)
        in->early_left--;
    intake_close(in);
}

bool intake_end(struct intake *in)
{
    in->senders_mono_us = 0;
    bool has_told = look_through_senders(in, clock_mono_us(), true);
    intake_close(in);
    return has_told;
}

int64_t intake_due_mono_us(const struct intake *in)
{
    int64_t due = INT64_MAX;
    if (in->open && atomic_load(&in->s->pending_units) == 0)
        due = in->open_since_mono_us + atomic_load(&in->s->flush_us);
    if (may_close_early(in)) /* else the writer wakes us when it has nothing left to do */
        due = MIN(due, in->busy_mono_us + IDLE_US);
    return due;
}

struct intake_counts *intake_counts(struct intake *in)
{
    return in->counts;
}

struct lane_counts *intake_lane_counts(struct intake *in)
{
    in->counts->open_units = in->open != NULL;
    in->counts->open_messages = in->open_messages;
    in->counts->open_bytes = in->open_text_bytes;
    return &in->lane_counts;
}
