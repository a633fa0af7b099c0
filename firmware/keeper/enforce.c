/* The rule's step, in the keeper's prompt lane.
 *
 *   clock ─▶ glance (bytes measured, file system) ─▶ within the headroom? ── yes ─▶ that is all
 *                                                       │ no, or a minute has gone by
 *                                                       ▼
 *            load ─▶ plan ─▶ reserve, split, drop ─▶ shed, state, file system: change ─▶ event
 *                      └─▶ requests of people */
#include "keeper/enforce.h"

#include "config/log.h"
#include "keeper/enforce_tell.h"
#include "keeper/load.h"
#include "keeper/reserve.h"

#define LOOK_US US_PER_SECOND
#define WHOLE_LOOK_US US_PER_MINUTE
#define SOON_US (US_PER_SECOND / 10)
#define PAUSE_MAX_US (30 * US_PER_SECOND)
#define UNSPLIT_US (10 * US_PER_SECOND)     /* a piece that cannot be split is passed by so long */
#define SPLIT_LATEST_US (5 * US_PER_SECOND) /* from the look on: what has come meanwhile */

/* ---- the clock ---- */

static int begin_clock(struct enforcer *e, PGconn *c, const struct clock_reading *now,
                       struct err *err)
{
    if (e->has_clock)
        return 0;
    int rc = clock_reference_read(c, &e->clock, err);
    if (rc == 0)
        e->clock = (struct clock_reference){*now,      TIME_NONE, TIME_NONE, TIME_NONE,
                                            TIME_NONE, TIME_NONE, TIME_NONE};
    e->has_clock = rc >= 0;
    return MIN(rc, 0);
}

/* Somebody has said that the clock is right: 1. */
static int take_confirmation(struct enforcer *e, PGconn *c, struct err *err)
{
    struct clock_reference kept;
    int rc = clock_reference_read(c, &kept, err);
    if (rc <= 0 || kept.doubted_since_us != TIME_NONE)
        return MIN(rc, 0);
    e->clock = kept;
    return 1;
}

static int step_clock(struct enforcer *e, PGconn *c, const struct clock_reading *now,
                      struct err *err)
{
    int rc = begin_clock(e, c, now, err);
    bool was_doubted = e->clock.doubted_since_us != TIME_NONE, is_confirmed = false;
    if (rc == 0 && was_doubted) {
        rc = take_confirmation(e, c, err);
        is_confirmed = rc > 0;
    }
    if (rc < 0)
        return rc;
    enum clock_change change = clock_judge(&e->clock, now);
    bool is_changed = change != CLOCK_SAME || is_confirmed;
    if (!is_changed && e->clock_kept_boot_us > 0 &&
        now->boot_us - e->clock_kept_boot_us < WHOLE_LOOK_US)
        return 0;
    bool is_going_on = was_doubted && !is_confirmed && change == CLOCK_SAME;
    rc = clock_reference_write(c, &e->clock, is_going_on, err);
    if (rc < 0)
        return rc;
    e->clock_kept_boot_us = now->boot_us;
    e->is_told |= is_changed;
    if (is_confirmed && change != CLOCK_DOUBTED)
        return tell_clock_trusted(c, "it was confirmed", err);
    if (change == CLOCK_BACK_IN_STEP) {
        rc = clock_note_misdated(c, e->clock.low_us, e->clock.high_us, now->wall_us, err);
        return rc < 0 ? rc : tell_clock_trusted(c, "it is back in step", err);
    }
    return change == CLOCK_DOUBTED ? tell_clock_doubted(c, &e->clock, err) : 0;
}

/* ---- looking ---- */

/* Bytes a second of late: up at once, down slowly. */
static void measure_growth(struct enforce_growth *g, int64_t bytes, int64_t boot_us)
{
    int64_t passed_us = boot_us - g->base_boot_us;
    if (g->base_boot_us == 0 || passed_us < 0) {
        g->base_bytes = bytes;
        g->base_boot_us = boot_us;
        return;
    }
    if (passed_us < LOOK_US * 9 / 10)
        return;
    int64_t grown = MAX(bytes - g->base_bytes, INT64_C(0));
    int64_t rate = (int64_t)((__int128)grown * US_PER_SECOND / passed_us);
    g->bytes_s = rate >= g->bytes_s ? rate : g->bytes_s - (g->bytes_s - rate + 7) / 8;
    g->base_bytes = bytes;
    g->base_boot_us = boot_us;
}

static bool is_whole_look_due(const struct enforcer *e, const struct retention_glance *g,
                              int64_t boot_us)
{
    int64_t more = g->pieces_bytes - e->pieces_bytes + MAX(g->wal_bytes - e->wal_bytes, INT64_C(0));
    struct retention fs = {.fs_total_bytes = g->fs_total_bytes};
    bool is_short = g->fs_free_bytes < rule_free_limit_bytes(&fs);
    return e->looked_boot_us == 0 || e->is_told || e->is_unsettled || g->has_request || is_short ||
           (e->status.full_since_us != TIME_NONE) || more >= e->headroom_bytes ||
           boot_us - e->looked_boot_us >= WHOLE_LOOK_US || boot_us < e->looked_boot_us;
}

/* ---- doing ---- */

/* Something was in the way.  Trying takes the lock queue of log_block, and so a moment of
 * everybody's time: less and less often.  Where nothing was tried, at the usual pace.  Whether *err
 * is of that kind. */
static bool put_off(struct enforcer *e, int64_t boot_us, int64_t error, const struct err *err)
{
    static struct log_limit limit;
    uint64_t times;
    if (error != -ESTALE && error != -EPERM && error != -EBUSY && error != -ETIMEDOUT &&
        error != -EALREADY)
        return false;
    e->is_unsettled = true;
    if (error == -EALREADY) {
        e->paused_until_us = boot_us + LOOK_US;
    } else if (error != -ESTALE) { /* what has changed is seen by looking again */
        e->pause_us = MIN(MAX(2 * e->pause_us, LOOK_US), PAUSE_MAX_US);
        e->paused_until_us = boot_us + e->pause_us;
    }
    if (log_limit_due(&limit, clock_mono_us(), &times))
        log_line(error == -ESTALE ? LOG_INFO : LOG_WARNING,
                 "%s, looking again (%llu times since the last line)", err->message,
                 (unsigned long long)times);
    return true;
}

static bool is_paused(struct enforcer *e, const struct retention *r, int64_t boot_us)
{
    int64_t begin_us = e->paused_until_us - PAUSE_MAX_US;
    bool is_so = boot_us < e->paused_until_us && boot_us >= begin_us && !rule_is_in_need(r);
    e->is_unsettled |= is_so;
    return is_so;
}

static int split(struct enforcer *e, PGconn *c, const struct retention *r,
                 const struct rule_plan *plan, int64_t boot_us, struct err *err)
{
    for (size_t g = 0; g < SOURCE_GROUPS_MAX; g++) {
        int64_t until_us = e->unsplit_until_us[g];
        bool is_passed_by = boot_us < until_us && boot_us >= until_us - UNSPLIT_US;
        if (!plan->split[g] || is_passed_by || is_paused(e, r, boot_us))
            continue;
        int rc = retention_split(c, r, plan->split[g], r->now_us + SPLIT_LATEST_US, err);
        /* something later is in the piece already: it came under another clock, and stays */
        bool is_later = rc == -ESTALE;
        if (is_later)
            e->unsplit_until_us[g] = boot_us + UNSPLIT_US;
        if (rc < 0 && !is_later && !put_off(e, boot_us, rc, err))
            return rc;
    }
    return 0;
}

/* As many of the plan's deletions as make one receipt: the same reason and group.  Puts them one
 * after another at `at`, in their order, and returns how many. */
static size_t gather(struct rule_deletion *d, size_t n, size_t at)
{
    size_t end = at + 1;
    for (size_t i = at + 1; i < n && end - at < RETENTION_DROP_MAX; i++) {
        if (d[i].reason != d[at].reason || d[i].piece->group != d[at].piece->group)
            continue;
        struct rule_deletion same = d[i];
        memmove(d + end + 1, d + end, (i - end) * sizeof(*d));
        d[end++] = same;
    }
    return end - at;
}

/* 1 when everything is dropped, 0 when something has changed meanwhile, or negative. */
static int drop(struct enforcer *e, PGconn *c, const struct retention *r, struct rule_plan *plan,
                const struct retention_request *request, int64_t boot_us, struct err *err)
{
    for (size_t at = 0; at < plan->deletions_n;) {
        if (is_paused(e, r, boot_us))
            return 0;
        size_t n = gather(plan->deletions, plan->deletions_n, at);
        int64_t rc = retention_drop(c, r, plan->deletions + at, n, request, err);
        if (rc < 0)
            return put_off(e, boot_us, rc, err) ? 0 : (int)rc;
        e->pause_us = 0;
        for (size_t i = at; i < at + n; i++) {
            struct enforce_growth *growth =
                piece_is_benchmark(plan->deletions[i].piece) ? &e->benchmark : &e->logs;
            growth->base_bytes -= plan->deletions[i].piece->bytes;
            if (plan->deletions[i].reason == RULE_GUARD)
                e->status.guarded_us = r->now_us;
        }
        at += n;
    }
    return 1;
}

static int shed(PGconn *c, const struct retention *r, const struct rule_plan *plan, struct err *err)
{
    for (size_t i = 0; i < r->groups_n; i++) {
        const struct source_group *g = &r->groups[i];
        int from = plan->shed_from[g->id], before = r->shed_now[g->id].from;
        if (from == (before > 0 ? before : 8))
            continue;
        int rc = retention_shed(c, g->id, from, r->now_us, err);
        if (rc == 0)
            rc = tell_shed(c, g->name, from, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The reserve is of no use to anybody when its trouble keeps the rule from its work. */
static void keep_reserve(const struct config *config, const struct retention *r,
                         const struct retention_glance *g)
{
    static struct log_limit limit;
    struct reserve_need need = {config->state_dir, g->fs_device, r->capacity_bytes,
                                r->fs_free_bytes, rule_free_limit_bytes(r)};
    struct err err;
    int64_t bytes = 0;
    uint64_t times;
    int change = reserve_keep(&need, &bytes, &err);
    if (change < 0 && log_limit_due(&limit, clock_mono_us(), &times))
        log_line(LOG_WARNING, "%s, going on without", err.message);
    else if (change == RESERVE_MADE)
        log_line(LOG_INFO, "keeping %lld bytes of the file system in reserve", (long long)bytes);
    else if (change == RESERVE_GIVEN_UP)
        log_line(LOG_WARNING, "gave up the reserve of %lld bytes", (long long)bytes);
}

static int keep_status(struct enforcer *e, PGconn *c, int64_t now_us, struct err *err)
{
    const struct retention_status *s = &e->status, *k = &e->kept_status;
    int64_t change = s->growth_bytes_s - k->growth_bytes_s;
    bool is_same_growth = (change < 0 ? -change : change) <= k->growth_bytes_s / 4 + 1024;
    if (s->month == k->month && s->state == k->state && is_same_growth &&
        s->guarded_us == k->guarded_us && s->full_since_us == k->full_since_us &&
        s->is_held == k->is_held)
        return 0;
    int rc = retention_status_write(c, s, now_us, err);
    if (rc == 0)
        e->kept_status = *s;
    return rc;
}

/* What the rule wants, done.  Deleting comes first: on a full disk the rest may fail. */
static int carry_out(struct enforcer *e, PGconn *c, const struct config *config,
                     const struct retention *r, const struct retention_glance *g, struct err *err)
{
    struct rule_plan plan;
    rule_plan(r, r->policy, &e->arena, &plan);
    keep_reserve(config, r, g);
    int64_t guarded_us = e->status.guarded_us;
    int rc = drop(e, c, r, &plan, NULL, e->looked_boot_us, err);
    if (rc >= 0)
        rc = split(e, c, r, &plan, e->looked_boot_us, err);
    if (rc >= 0)
        rc = shed(c, r, &plan, err);
    if (rc >= 0)
        rc = tell_changes(c, r, &plan, guarded_us, &e->status, err);
    return rc < 0 ? rc : keep_status(e, c, r->now_us, err);
}

/* One request of a person: done, refused, or (-EAGAIN-like trouble) left for the next look. */
static int answer(struct enforcer *e, PGconn *c, const struct retention *r,
                  const struct retention_request *q, struct err *err)
{
    struct rule_plan plan;
    rule_plan_request(r, q->from_day, q->to_day, q->group, &e->arena, &plan);
    /* what the benchmark has sent meanwhile is to go just the same */
    if (plan.messages != q->messages && q->group != SOURCE_GROUP_BENCHMARK) {
        char refusal[160];
        snprintf(refusal, sizeof(refusal),
                 "the days hold %lld messages that may be deleted, not %lld as the preview said",
                 (long long)plan.messages, (long long)q->messages);
        return retention_request_answer(c, q->id, refusal, err);
    }
    int rc = drop(e, c, r, &plan, q, e->looked_boot_us, err);
    return rc <= 0 ? rc : retention_request_answer(c, q->id, NULL, err);
}

static int answer_requests(struct enforcer *e, PGconn *c, const struct config *config,
                           int64_t now_us, struct err *err)
{
    struct retention_request q;
    int rc;
    while (!e->is_unsettled && (rc = retention_request_next(c, &q, err)) != 0) {
        struct retention r;
        if (rc < 0)
            return rc;
        arena_clear(&e->arena);
        rc = retention_load(c, config, now_us, &e->arena, &r, err);
        if (rc == 0)
            rc = answer(e, c, &r, &q, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int whole_look(struct enforcer *e, PGconn *c, const struct config *config,
                      const struct clock_reading *now, const struct retention_glance *g,
                      struct err *err)
{
    struct retention r;
    arena_clear(&e->arena);
    int rc = retention_load(c, config, now->wall_us, &e->arena, &r, err);
    bool is_fit_due = e->fitted_boot_us == 0 || e->is_told || now->boot_us < e->fitted_boot_us ||
                      now->boot_us - e->fitted_boot_us >= WHOLE_LOOK_US;
    if (rc == 0 && is_fit_due) {
        rc = MIN(retention_fit_wal(c, r.capacity_bytes, err), 0);
        e->fitted_boot_us = now->boot_us;
    }
    if (rc < 0)
        return rc;
    r.growth_bytes_s = e->logs.bytes_s;
    r.benchmark_growth_bytes_s = e->benchmark.bytes_s;
    e->is_told = e->is_unsettled = false;
    e->looked_boot_us = now->boot_us;
    e->pieces_bytes = g->pieces_bytes;
    e->wal_bytes = g->wal_bytes;
    e->headroom_bytes = rule_headroom_bytes(&r);
    load_tell_storage(&(struct load_storage){retention_month_bytes(&r, r.month, -1), r.budget_bytes,
                                             retention_used_bytes(&r), r.capacity_bytes});
    rc = carry_out(e, c, config, &r, g, err);
    return rc < 0 || !g->has_request ? rc : answer_requests(e, c, config, now->wall_us, err);
}

int64_t enforce_step(struct enforcer *e, PGconn *c, const struct config *config,
                     const struct clock_reading *now, struct err *err)
{
    struct retention_glance g;
    int rc = 0;
    if (!e->has_status) {
        rc = retention_status_read(c, &e->status, err);
        e->kept_status = e->status;
        e->logs.bytes_s = e->status.growth_bytes_s;
        e->has_status = rc == 0;
    }
    if (rc == 0)
        rc = step_clock(e, c, now, err);
    if (rc == 0)
        rc = retention_look(c, &g, err);
    if (rc < 0)
        return rc;
    measure_growth(&e->logs, g.pieces_bytes - g.benchmark_bytes, now->boot_us);
    measure_growth(&e->benchmark, g.benchmark_bytes, now->boot_us);
    e->status.growth_bytes_s = e->logs.bytes_s;
    if (!is_whole_look_due(e, &g, now->boot_us))
        return LOOK_US;
    rc = whole_look(e, c, config, now, &g, err);
    if (rc < 0) {
        e->is_unsettled = true;
        return rc;
    }
    return e->is_unsettled && now->boot_us >= e->paused_until_us ? SOON_US : LOOK_US;
}

void enforce_tell(struct enforcer *e)
{
    e->is_told = true;
}

void enforce_done(struct enforcer *e)
{
    arena_done(&e->arena);
}
