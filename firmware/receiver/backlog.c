/* The backlog's thread, and what the writer takes from it.
 *
 * DIRECT: the spool is empty, the writer takes from the list.
 * SPOOLING: the writer takes from the spool; what comes is appended to it.
 *
 * The change to SPOOLING begins with the unit that the writer has in hand, if it came from memory:
 * so it is the head of the spool whatever becomes of it, and the order stays.  The change back is
 * made when the spool is empty and the list too, or when the disk takes nothing and the spool is
 * empty.  A unit's way out, killed at each step (points of AZEKURA_FAULT):
 *
 *   appended to the spool     spool.appended: in the spool and in page and journal, under one key
 *   the page is released      backlog.page: the journal's segments belong to no page, they are
 * freed the journal is released   only the spool has it
 *
 *   committed                 writer.committed: in the database and in page and journal, or the
 *                             spool, under one key
 *   the page is released      backlog.page: as above
 *   the journal is released   only the database has it */
#include "receiver/backlog.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "config/log.h"
#include "store/fault.h"

enum { TICK_MS = 100 };
#define WAIT_US US_PER_SECOND  /* the oldest unit of the list may be so old */
#define SYNC_US US_PER_SECOND  /* between syncs */
#define RETRY_US US_PER_SECOND /* after the disk or spool.max_bytes took nothing */
/* A database that is slow now and then is helped out in silence: an event each time would be one
 * every few seconds on a busy machine, and hide those that matter. */
#define SLOW_US (10 * US_PER_SECOND)
#define HANGING_US (5 * US_PER_SECOND) /* without an answer: no longer slow */

enum mode { DIRECT, SPOOLING };

struct backlog {
    struct shared *s;
    struct spool *spool;
    int thread_fd, writer_fd; /* eventfds: look again */

    pthread_mutex_t lock; /* of what follows */
    enum mode mode;
    struct work *first, *last;  /* the list, oldest first */
    struct backlog_item *taken; /* by the writer; NULL: none */
    bool is_ended;              /* the write queue: nothing is added to the list any more */
    uint64_t drained; /* messages of units that went through the spool, since it was empty */

    _Atomic bool is_away; /* the database takes nothing: writer */
    /* when the writer last came for a unit, every second unless it waits for an answer; 0: never */
    _Atomic int64_t writer_mono_us;

    /* the thread's own */
    int64_t retry_mono_us, sync_mono_us;
    bool is_dirty;
    bool is_told;      /* that the spool fills … */
    bool is_full_told; /* … and that it takes nothing: once, until it is empty again */
    int64_t filling_since_us, filling_since_mono_us; /* 0: it does not fill */
    struct ledger_page_counts counts;
};

static void note_begin(struct backlog *b)
{
    b->filling_since_us = clock_wall_us();
    b->filling_since_mono_us = clock_mono_us();
}

int backlog_new(struct shared *s, struct spool *spool, struct backlog **ret)
{
    struct backlog *b = xcalloc(1, sizeof(*b));
    b->s = s;
    b->spool = spool;
    b->thread_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    b->writer_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (b->thread_fd < 0 || b->writer_fd < 0) {
        int rc = -errno;
        backlog_free(&b);
        return rc;
    }
    CHECK(pthread_mutex_init(&b->lock, NULL) == 0);
    b->mode = spool_is_empty(spool) ? DIRECT : SPOOLING;
    b->is_told = b->mode == SPOOLING; /* by the run before */
    if (b->is_told)
        note_begin(b);
    *ret = b;
    return 0;
}

void backlog_free(struct backlog **pb)
{
    struct backlog *b = *pb;
    if (!b)
        return;
    while (b->first) {
        struct work *w = b->first;
        b->first = w->next;
        work_free(&w);
    }
    if (b->thread_fd >= 0)
        close(b->thread_fd);
    if (b->writer_fd >= 0)
        close(b->writer_fd);
    free(b);
    *pb = NULL;
}

/* ---- units ---- */

static bool is_of_this_run(const struct backlog *b, const uint8_t run[UNIT_RUN_BYTES])
{
    return memcmp(run, ledger_run(b->s->ledger), UNIT_RUN_BYTES) == 0;
}

/* What the store writes of a unit in memory; borrows from *counts, blocks and w. */
static void make_unit(const struct backlog *b, const struct work *w,
                      struct ledger_page_counts *counts,
                      struct unit_block blocks[SOURCE_GROUPS_MAX], struct unit *ret)
{
    ledger_page_read(w->page, w->is_lost, counts);
    *ret = (struct unit){
        .number = counts->number,
        .blocks = blocks,
        .blocks_n = w->is_lost ? 0 : w->blocks_n,
        .zone = b->s->config.time_zone,
        .rows = counts->rows,
        .rows_n = counts->rows_n,
        .drops = counts->drops,
        .drops_n = counts->drops_n,
    };
    memcpy(ret->run, counts->run, sizeof(ret->run));
    for (unsigned i = 0; i < w->blocks_n; i++) {
        const struct work_block *k = w->blocks[i];
        blocks[i] = (struct unit_block){k->source_group, &k->block, &k->counts};
    }
}

/* It is safe elsewhere.  The page first: what is left of the journal then belongs to nobody, while
 * a page without its journal would be counted as lost. */
static void release(struct backlog *b, struct work *w)
{
    struct shared *s = b->s;
    ledger_release(s->ledger, &w->page);
    FAULT("backlog.page");
    journal_release(&w->journal);
    atomic_fetch_sub(&s->queued_bytes, w->bytes);
    bool is_idle = atomic_fetch_sub(&s->pending_units, 1) == 1;
    shared_wake(s->room_fd);
    if (is_idle || atomic_load(&s->is_full))
        shared_wake_lanes(s);
}

static struct work *take_first(struct backlog *b)
{
    struct work *w = b->first;
    if (w) {
        b->first = w->next;
        if (!b->first)
            b->last = NULL;
        w->next = NULL;
    }
    return w;
}

static void put_first(struct backlog *b, struct work *w)
{
    w->next = b->first;
    b->first = w;
    if (!b->last)
        b->last = w;
}

/* ---- the writer's side ---- */

int backlog_fd(const struct backlog *b)
{
    return b->writer_fd;
}

static void take_from_memory(struct backlog *b, struct work *w, struct backlog_item *ret)
{
    make_unit(b, w, &ret->counts, ret->blocks, &ret->unit);
    ret->work = w;
    ret->messages = work_messages(w);
    ret->benchmark_messages = work_group_messages(w, SOURCE_GROUP_BENCHMARK);
    ret->is_lost = w->is_lost;
}

/* A copy of the rows, since a rejection changes them. */
static void take_from_spool(struct backlog_item *ret)
{
    struct spool_unit *u = &ret->spooled;
    ret->unit = u->unit;
    ret->counts.rows_n = MIN(u->unit.rows_n, ARRAY_LEN(ret->counts.rows));
    memcpy(ret->counts.rows, u->unit.rows, ret->counts.rows_n * sizeof(ret->counts.rows[0]));
    ret->unit.rows = ret->counts.rows;
    ret->unit.rows_n = ret->counts.rows_n;
    ret->messages = u->messages;
    ret->benchmark_messages = u->benchmark_messages;
    ret->position = u->position;
}

/* Not all of the item: its counts are large. */
static void clear_item(struct backlog_item *i)
{
    memset(&i->unit, 0, sizeof(i->unit));
    memset(&i->spooled, 0, sizeof(i->spooled));
    i->messages = i->benchmark_messages = i->position = 0;
    i->is_lost = i->is_of_earlier_run = false;
    i->work = NULL;
}

/* The writer need not wait: what is left is in the spool, and the database does not take it or has
 * had its time. */
static bool may_end(struct backlog *b)
{
    return b->is_ended && !b->first &&
           (spool_is_empty(b->spool) || b->is_away ||
            clock_mono_us() >= atomic_load(&b->s->give_up_mono_us));
}

bool backlog_has_ended(struct backlog *b)
{
    pthread_mutex_lock(&b->lock);
    bool has_ended = !b->taken && may_end(b);
    pthread_mutex_unlock(&b->lock);
    return has_ended;
}

bool backlog_take(struct backlog *b, struct backlog_item *ret)
{
    struct err err = {0};
    bool has = false;
    clear_item(ret);
    b->writer_mono_us = clock_mono_us();
    shared_clear(b->writer_fd);
    pthread_mutex_lock(&b->lock);
    CHECK(!b->taken);
    if (b->mode == DIRECT) {
        struct work *w = take_first(b);
        has = w != NULL;
        if (w)
            take_from_memory(b, w, ret);
    } else {
        int rc = spool_head(b->spool, &ret->spooled, &err);
        has = rc > 0;
        if (has)
            take_from_spool(ret);
        else if (rc == 0)
            shared_wake(b->thread_fd); /* damaged records were its last */
        else
            log_line(LOG_ERROR, "%s; trying again", err.message);
    }
    if (has) {
        b->taken = ret;
        ret->is_of_earlier_run = !is_of_this_run(b, ret->unit.run);
    }
    pthread_mutex_unlock(&b->lock);
    return has;
}

static void count_done(struct backlog *b, const struct backlog_item *i)
{
    struct shared *s = b->s;
    if (i->is_of_earlier_run) {
        atomic_fetch_add(&s->inherited_benchmark_done, i->benchmark_messages);
        atomic_fetch_add(i->is_lost ? &s->inherited_lost : &s->inherited_stored, i->messages);
        return;
    }
    atomic_fetch_add(&s->benchmark_done, i->benchmark_messages);
    atomic_fetch_add(i->is_lost ? &s->lost : &s->stored, i->messages);
}

void backlog_confirm(struct backlog *b, struct backlog_item *i)
{
    FAULT("writer.committed");
    pthread_mutex_lock(&b->lock);
    CHECK(b->taken == i);
    b->taken = NULL;
    count_done(b, i);
    if (i->work && i->work->page)
        release(b, i->work);
    if (i->position) {
        b->drained += i->messages;
        spool_drop_head(b->spool, i->position);
    }
    bool is_done = b->mode == SPOOLING && spool_is_empty(b->spool);
    pthread_mutex_unlock(&b->lock);
    work_free(&i->work);
    spool_unit_free(&i->spooled);
    if (is_done || b->s->is_spool_refusing)
        shared_wake(b->thread_fd);
}

void backlog_give_back(struct backlog *b, struct backlog_item *i)
{
    pthread_mutex_lock(&b->lock);
    CHECK(b->taken == i);
    b->taken = NULL;
    if (i->work && i->work->page) {
        put_first(b, i->work);
        i->work = NULL;
    }
    pthread_mutex_unlock(&b->lock);
    work_free(&i->work); /* the spool has it */
    spool_unit_free(&i->spooled);
    shared_wake(b->thread_fd);
}

void backlog_reject(struct backlog *b, struct backlog_item *i)
{
    pthread_mutex_lock(&b->lock);
    CHECK(b->taken == i);
    if (i->work && i->work->page) {
        ledger_reject(i->work->page);
        i->work->is_lost = true;
    }
    for (size_t k = 0; k < i->counts.rows_n; k++) {
        struct unit_row *r = &i->counts.rows[k];
        r->refused[REASON_REJECTED] += r->stored;
        r->stored = r->truncated = 0;
    }
    i->unit.blocks_n = 0;
    i->is_lost = true;
    pthread_mutex_unlock(&b->lock);
}

void backlog_set_away(struct backlog *b, bool is_away)
{
    if (atomic_exchange(&b->is_away, is_away) != is_away)
        shared_wake(b->thread_fd);
}

/* ---- what is said ---- */

static void say_filling(struct backlog *b)
{
    if (b->is_told)
        return;
    b->is_told = true;
    int64_t came_us = b->writer_mono_us, for_us = came_us ? clock_mono_us() - came_us : 0;
    bool is_away = b->is_away, is_hanging = !is_away && for_us > HANGING_US;
    if (is_hanging)
        log_line(LOG_WARNING, "the database has not answered for %lld s: units go to the spool",
                 (long long)(for_us / US_PER_SECOND));
    else
        log_line(LOG_WARNING, "%s: units go to the spool",
                 is_away ? "the database takes nothing" : "the database is slower than what comes");
    notes_add(&b->s->notes, EVENT_SPOOL_FILLING, "why",
              is_away      ? "away"
              : is_hanging ? "hanging"
                           : "slow",
              NULL);
}

/* The spool fills: whether that is worth telling. */
static void say_if_it_lasts(struct backlog *b)
{
    if (b->filling_since_mono_us != 0 &&
        (b->is_away || clock_mono_us() - b->filling_since_mono_us > SLOW_US))
        say_filling(b);
}

static void say_drained(struct backlog *b)
{
    char since[RFC3339_MAX];
    (void)rfc3339_format(b->filling_since_us, since);
    b->filling_since_mono_us = 0;
    b->is_full_told = false;
    if (!b->is_told) {
        b->drained = 0;
        return;
    }
    b->is_told = false;
    log_line(LOG_INFO, "the spool is empty again: %llu messages went through it",
             (unsigned long long)b->drained);
    notes_add(&b->s->notes, EVENT_SPOOL_DRAINED, "messages", NOTE_NUMBER(b->drained), "since",
              since, NULL);
    b->drained = 0;
}

static void say_refusing(struct backlog *b, const struct err *why)
{
    if (b->is_full_told)
        return;
    b->is_full_told = true;
    if (b->filling_since_mono_us != 0)
        say_filling(b); /* the first thing first */
    log_line(LOG_WARNING,
             "%s: units wait in memory; when that is used up TCP is held back and UDP refused",
             why->message);
    notes_add(&b->s->notes, EVENT_SPOOL_FULL, "why", why->message, NULL);
}

/* ---- the thread: into the spool ---- */

/* 0, or negative: the unit is where it was. */
static int spool_work(struct backlog *b, struct work *w, uint64_t *ret_position)
{
    struct unit u;
    struct unit_block blocks[SOURCE_GROUPS_MAX];
    struct err err = {0};
    make_unit(b, w, &b->counts, blocks, &u);
    int rc = spool_append(b->spool, &u, ret_position, &err);
    if (rc < 0) {
        say_refusing(b, &err);
        b->s->is_spool_refusing = true;
        b->retry_mono_us = clock_mono_us() + RETRY_US;
        return rc;
    }
    b->s->is_spool_refusing = false;
    if (!b->is_dirty)
        b->sync_mono_us = clock_mono_us() + SYNC_US;
    b->is_dirty = true;
    release(b, w);
    if (b->filling_since_mono_us == 0)
        note_begin(b);
    return 0;
}

/* Lock held.  Whether what waits should not wait for the database any longer. */
static bool should_spool(const struct backlog *b, int64_t now)
{
    const struct shared *s = b->s;
    const struct work *oldest = b->taken && b->taken->work && b->taken->work->page ? b->taken->work
                                                                                   : b->first;
    if (!oldest)
        return false;
    return b->is_away || now - oldest->packed_mono_us > WAIT_US ||
           journal_used_bytes(s->journal) > journal_bytes(s->journal) / 2 ||
           atomic_load(&((struct shared *)s)->queued_bytes) > (uint64_t)s->config.queue_bytes / 2 ||
           now >= atomic_load(&((struct shared *)s)->give_up_mono_us);
}

/* Lock held: from DIRECT to SPOOLING, with the unit that the writer has in hand. */
static void begin_spooling(struct backlog *b)
{
    struct backlog_item *i = b->taken;
    if (i && i->work && i->work->page && spool_work(b, i->work, &i->position) < 0)
        return;
    b->mode = SPOOLING;
}

/* Lock held: back to DIRECT when the spool is empty; and when nothing waits at all, it is as if the
 * disk had never refused. */
static void end_spooling(struct backlog *b)
{
    if (b->mode == SPOOLING && spool_is_empty(b->spool) && (!b->first || b->s->is_spool_refusing)) {
        b->mode = DIRECT;
        shared_wake(b->writer_fd);
    }
    if (b->mode == DIRECT && !b->first && !b->taken &&
        (b->filling_since_mono_us != 0 || b->s->is_spool_refusing)) {
        b->s->is_spool_refusing = false;
        say_drained(b);
    }
}

/* All of the list, the oldest first.  The lock is not held while a unit is written, so that the
 * writer goes on. */
static void spool_list(struct backlog *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->mode == SPOOLING && b->first) {
        struct work *w = take_first(b);
        uint64_t position;
        pthread_mutex_unlock(&b->lock);
        int rc = spool_work(b, w, &position);
        pthread_mutex_lock(&b->lock);
        if (rc < 0) {
            put_first(b, w);
            break;
        }
        work_free(&w);
        shared_wake(b->writer_fd);
    }
    pthread_mutex_unlock(&b->lock);
}

static void sync_spool(struct backlog *b)
{
    struct err err = {0};
    b->is_dirty = false;
    if (spool_sync(b->spool, &err) == 0)
        return;
    if (b->is_full_told)
        return;
    b->is_full_told = true;
    log_line(LOG_WARNING, "%s: what is in it may not survive a power cut", err.message);
    notes_add(&b->s->notes, EVENT_SPOOL_FULL, "why", err.message, NULL);
}

/* New units, in the order of the write queue. */
static void take_queue(struct backlog *b)
{
    bool is_ended = false, has_new = false;
    struct work *w;
    pthread_mutex_lock(&b->lock);
    while ((w = queue_pop(&b->s->write, &is_ended)) != NULL) {
        has_new = true;
        if (b->last)
            b->last->next = w;
        else
            b->first = w;
        b->last = w;
    }
    bool has_ended = is_ended && !b->is_ended;
    b->is_ended = is_ended;
    pthread_mutex_unlock(&b->lock);
    if (has_new || has_ended)
        shared_wake(b->writer_fd);
}

/* True: everything is stored or in the spool, or nothing more can be done. */
static bool is_done(struct backlog *b)
{
    bool is_late = clock_mono_us() >= atomic_load(&b->s->give_up_mono_us);
    pthread_mutex_lock(&b->lock);
    bool has_unsafe = b->first || (b->taken && b->taken->work && b->taken->work->page);
    bool is_over = b->is_ended && (has_unsafe ? is_late && b->s->is_spool_refusing : may_end(b));
    pthread_mutex_unlock(&b->lock);
    return is_over;
}

static void wait_for_something(struct backlog *b)
{
    struct pollfd fds[2] = {
        {.fd = b->is_ended ? -1 : b->s->write.event_fd, .events = POLLIN},
        {.fd = b->thread_fd, .events = POLLIN},
    };
    /* time matters while something waits: for its age, for a sync, for room */
    pthread_mutex_lock(&b->lock);
    bool has_something = b->first || b->taken || b->is_dirty || b->is_ended ||
                         b->filling_since_mono_us != 0;
    pthread_mutex_unlock(&b->lock);
    (void)poll(fds, ARRAY_LEN(fds), has_something ? TICK_MS : 10 * TICK_MS);
    shared_clear(b->thread_fd);
}

void *backlog_run(void *backlog)
{
    struct backlog *b = backlog;
    do {
        wait_for_something(b);
        take_queue(b);
        int64_t now = clock_mono_us();
        bool may_try = now >= b->retry_mono_us || !b->s->is_spool_refusing;
        pthread_mutex_lock(&b->lock);
        if (b->mode == DIRECT && may_try && should_spool(b, now))
            begin_spooling(b);
        pthread_mutex_unlock(&b->lock);
        if (b->mode == SPOOLING && may_try) /* only this thread changes it */
            spool_list(b);
        say_if_it_lasts(b);
        pthread_mutex_lock(&b->lock);
        end_spooling(b);
        pthread_mutex_unlock(&b->lock);
        if (b->is_dirty && clock_mono_us() >= b->sync_mono_us)
            sync_spool(b);
    } while (!is_done(b));
    sync_spool(b);
    atomic_store(&b->s->is_safe, true);
    shared_wake(b->writer_fd);
    shared_wake(b->s->done_fd);
    return NULL;
}

/* ---- any thread ---- */

void backlog_status(struct backlog *b, struct spool_status *ret)
{
    spool_read_status(b->spool, ret);
    pthread_mutex_lock(&b->lock);
    if (b->s->is_spool_refusing)
        ret->state = SPOOL_FULL;
    else if (ret->units > 0)
        ret->state = b->is_away ? SPOOL_FILLING : SPOOL_DRAINING;
    pthread_mutex_unlock(&b->lock);
}

void backlog_notice(void *context, const struct spool_notice *n)
{
    struct shared *s = context;
    const char *name = strrchr(n->file, '/');
    name = name ? name + 1 : n->file;
    if (n->news == SPOOL_NEWS_NO_FOLDER) {
        log_line(LOG_WARNING,
                 "%s; receiving without a spool: what the database does not take waits in memory",
                 n->why);
        notes_add(&s->notes, EVENT_SPOOL_FULL, "why", n->why, NULL);
        return;
    }
    if (n->news == SPOOL_NEWS_ASIDE) {
        log_line(LOG_WARNING, "the spool file %s is set aside: %s", n->file, n->why);
        notes_add(&s->notes, EVENT_SPOOL_ASIDE, "file", name, "why", n->why, NULL);
        return;
    }
    log_line(LOG_WARNING, "%llu records of the spool file %s with %llu messages are cut off: %s",
             (unsigned long long)n->records, n->file, (unsigned long long)n->messages, n->why);
    notes_add(&s->notes, EVENT_SPOOL_TORN, "file", name, "records", NOTE_NUMBER(n->records),
              "messages", NOTE_NUMBER(n->messages), "why", n->why, NULL);
}
