/* The decisions of the 20 % rule: pure, so that a preview and the keeper cannot differ.
 *
 * Each part of the rule names a scope (the pieces it may take), and how many bytes of it are too
 * many; pieces of the scope go from the oldest on until that is made good, never one more.  What an
 * earlier part takes is gone for the later ones:
 *
 *   keep_days ─▶ quotas of groups ─▶ the month (trim, shed, borrow) ─▶ the guard of the disk
 *
 * The guard takes the benchmark's messages first, the piece that is written to included; no other
 * part but keep_days knows of them.
 *
 * An open piece (its day or part of a day is not over) is never taken; where nothing else is left
 * it is split, and its first part is a piece of its own at the next look. */
#include "store/rule.h"

enum {
    PIECES_A_BUDGET = 32, /* an open piece is split above this part of the budget */
    PIECES_MOST = 1024,   /* … of a group whose quota is small, where the month may exceed it */
    SPLIT_LEAST_BYTES = 256 << 10,       /* … but not below: an empty piece takes 40 KiB itself */
    FORCED_SPLIT_LEAST_BYTES = 96 << 10, /* where nothing else is left to be taken */
    FREE_LIMIT_BYTES = 256 << 20,
    FREE_LIMIT_PERCENT = 3,
    SHED_NONE = 8,
    WAL_PART = 8, /* of the capacity, as retention_fit_wal() has it */
    WAL_LEAST_BYTES = 32 << 20,
};
#define SPLIT_LEAST_US (10 * US_PER_SECOND) /* before the end of the day it ends by itself */
#define SHED_LEAST_US US_PER_MINUTE         /* a refusal is not taken back sooner */
#define LOOK_SECONDS 2                      /* what comes in so long is kept free */

const char *const rule_reason_names[RULE_REASONS] = {"keep_days", "quota", "trim",
                                                     "borrow",    "guard", "request"};

enum scope { SCOPE_MONTH, SCOPE_OLDER_MONTHS, SCOPE_ALL };

struct planning {
    const struct retention *r;
    struct rule_plan *plan;
    bool *is_gone;                  /* by piece */
    int64_t freed_bytes;            /* of those that are gone */
    const struct rule_plan *before; /* that has been carried out already; NULL: none */
    int64_t margin_bytes;
};

/* ---- amounts ---- */

int64_t rule_margin_bytes(const struct retention *r)
{
    int64_t most = r->budget_bytes / 4;
    if (r->growth_bytes_s <= 0)
        return 0;
    return r->growth_bytes_s >= most / LOOK_SECONDS ? most : r->growth_bytes_s * LOOK_SECONDS;
}

int64_t rule_guard_margin_bytes(const struct retention *r)
{
    int64_t most = r->high_water_bytes / 2,
            growth[] = {r->growth_bytes_s, r->benchmark_growth_bytes_s};
    int64_t sum = 0;
    for (size_t i = 0; i < ARRAY_LEN(growth); i++)
        sum += growth[i] >= most / LOOK_SECONDS ? most : MAX(growth[i], 0) * LOOK_SECONDS;
    return MIN(sum, most);
}

int64_t rule_free_limit_bytes(const struct retention *r)
{
    return MIN(r->fs_total_bytes / 100 * FREE_LIMIT_PERCENT, (int64_t)FREE_LIMIT_BYTES);
}

int64_t rule_used_bytes(const struct retention *r)
{
    bool is_swinging = r->wal_limit_bytes > 0 && r->wal_bytes <= 2 * r->wal_limit_bytes;
    int64_t wal = is_swinging ? r->wal_limit_bytes : r->wal_bytes;
    int64_t most = MAX(r->capacity_bytes / WAL_PART, (int64_t)WAL_LEAST_BYTES);
    return r->database_bytes + r->spool_bytes + MIN(wal, most);
}

bool rule_is_in_need(const struct retention *r)
{
    int64_t rest = MAX(r->capacity_bytes - r->high_water_bytes, INT64_C(0));
    return rule_used_bytes(r) > r->high_water_bytes + rest / 4 ||
           (r->fs_total_bytes > 0 && r->fs_free_bytes < rule_free_limit_bytes(r));
}

/* Of the month, -1: none. */
static int64_t quota_bytes(const struct retention *r, const struct source_group *g)
{
    return g->quota_percent < 0 ? -1 : (int64_t)((double)r->budget_bytes * g->quota_percent / 100);
}

static const struct source_group *find_group(const struct retention *r, uint8_t id)
{
    for (size_t i = 0; i < r->groups_n; i++)
        if (r->groups[i].id == id)
            return &r->groups[i];
    return NULL;
}

/* Above so many bytes the open piece of a group is split.  A quota that the month need not keep
 * must not make thousands of pieces of what comes beyond it. */
static int64_t split_bytes(const struct retention *r, uint8_t group)
{
    const struct source_group *g = find_group(r, group);
    int64_t quota = g && r->policy != POLICY_WARN ? quota_bytes(r, g) : -1;
    int64_t part = (quota < 0 ? r->budget_bytes : MIN(quota, r->budget_bytes)) / PIECES_A_BUDGET;
    if (r->policy == POLICY_BORROW)
        part = MAX(part, r->budget_bytes / PIECES_MOST);
    return MAX(part, (int64_t)SPLIT_LEAST_BYTES);
}

/* ---- pieces ---- */

static bool is_closed(const struct retention *r, const struct piece *p)
{
    return p->upper_us <= r->now_us;
}

static bool is_open(const struct retention *r, const struct piece *p)
{
    return p->lower_us <= r->now_us && p->upper_us > r->now_us;
}

static bool is_in(const struct retention *r, const struct piece *p, enum scope scope, int group)
{
    if (group >= 0 ? p->group != group : piece_is_benchmark(p))
        return false;
    int32_t month = p->day / 100;
    return scope == SCOPE_ALL || (scope == SCOPE_MONTH && month == r->month) ||
           (scope == SCOPE_OLDER_MONTHS && month < r->month);
}

/* Whether the plan before has split it: what is in it came before, and its day goes on in another.
 */
static bool was_split(const struct planning *p, const struct piece *piece)
{
    return p->before && p->before->split[piece->group] == piece;
}

/* Whether a piece of the scope may be taken.  The guard takes, after all others, what lies in the
 * future: written under a clock that was wrong then or is wrong now.  Of the benchmark it takes the
 * piece that is written to, too: what comes then makes a new one, and nobody misses its beginning.
 */
static bool may_take(const struct planning *p, size_t i, enum scope scope)
{
    const struct piece *piece = &p->r->pieces[i];
    if (p->is_gone[i] || piece->is_held)
        return false;
    return is_closed(p->r, piece) || was_split(p, piece) ||
           (scope == SCOPE_ALL && piece->messages > 0 &&
            (piece_is_benchmark(piece) || piece->lower_us > p->r->now_us));
}

static int64_t scope_bytes(const struct planning *p, enum scope scope, int group)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->r->pieces_n; i++)
        if (!p->is_gone[i] && is_in(p->r, &p->r->pieces[i], scope, group))
            sum += p->r->pieces[i].bytes;
    return sum;
}

static void take_piece(struct planning *p, size_t i, enum rule_reason reason)
{
    const struct piece *piece = &p->r->pieces[i];
    struct rule_plan *plan = p->plan;
    plan->deletions[plan->deletions_n++] = (struct rule_deletion){piece, reason};
    plan->messages += piece->messages;
    plan->raw_bytes += piece->raw_bytes;
    plan->bytes += piece->bytes;
    p->freed_bytes += piece->bytes;
    p->is_gone[i] = true;
}

/* `left` bytes should go and nothing closed is there for it: what of it is held, and the open
 * pieces that can be split to make it good later. */
static void note_left(struct planning *p, enum scope scope, int group, int64_t left)
{
    const struct retention *r = p->r;
    int64_t held = 0;
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *piece = &r->pieces[i];
        if (!is_in(r, piece, scope, group) || p->is_gone[i])
            continue;
        if (piece->is_held)
            held += piece->bytes;
        else if (scope != SCOPE_OLDER_MONTHS && is_open(r, piece) && piece->messages > 0 &&
                 piece->bytes >= FORCED_SPLIT_LEAST_BYTES &&
                 piece->upper_us - r->now_us > SPLIT_LEAST_US)
            p->plan->split[piece->group] = piece;
    }
    /* scopes overlap: not a sum */
    p->plan->held_bytes = MAX(p->plan->held_bytes, MIN(left, held));
}

/* Take pieces of the scope, from the oldest on, until `excess` bytes are made good; what is left.
 */
static int64_t take_pieces(struct planning *p, enum scope scope, int group, enum rule_reason reason,
                           int64_t excess)
{
    for (size_t i = 0; i < p->r->pieces_n && excess > 0; i++) {
        if (!is_in(p->r, &p->r->pieces[i], scope, group) || !may_take(p, i, scope))
            continue;
        take_piece(p, i, reason);
        excess -= p->r->pieces[i].bytes;
    }
    return excess;
}

static void take(struct planning *p, enum scope scope, int group, enum rule_reason reason,
                 int64_t excess)
{
    int64_t left = take_pieces(p, scope, group, reason, excess);
    if (left > 0)
        note_left(p, scope, group, left);
}

/* ---- the parts of the rule ---- */

static int64_t day_number(int32_t day)
{
    return days_from_civil(day / 10000, (unsigned)(day / 100 % 100), (unsigned)(day % 100));
}

static void apply_keep_days(struct planning *p)
{
    const struct retention *r = p->r;
    int64_t today = day_number(r->today);
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *piece = &r->pieces[i];
        const struct source_group *g = find_group(r, piece->group);
        int64_t days = g && g->keep_days >= 0 ? g->keep_days : r->keep_days;
        int64_t born = day_number(MAX(piece->day, piece->age_day));
        if (days > 0 && today - born > days && may_take(p, i, SCOPE_MONTH))
            take_piece(p, i, RULE_KEEP_DAYS);
    }
}

/* The bytes from which on a severity is refused: evenly over the last twentieth of the budget, the
 * least severe first. */
static int64_t shed_threshold(int64_t budget, int floor, int severity)
{
    int steps = SHED_NONE - floor;
    return budget - budget / 20 * (severity - floor + 1) / steps;
}

static int shed_level(int64_t bytes, int64_t budget, int floor)
{
    int level = SHED_NONE;
    while (level > floor && bytes >= shed_threshold(budget, floor, level - 1))
        level--;
    return level;
}

/* From which severity on messages are refused while `bytes` of `budget` are used.  A level is left
 * half a step below where it was entered, and after a minute at the soonest. */
static int8_t shed_from(const struct planning *p, const struct shedding *now, int64_t bytes,
                        int64_t budget)
{
    int floor = MAX(1, p->r->shed_floor);
    int64_t used = bytes + p->margin_bytes;
    int level = shed_level(used, budget, floor);
    int before = now->from > 0 ? MAX((int)now->from, floor) : SHED_NONE;
    if (level > before) {
        int64_t half = budget / 20 / (SHED_NONE - floor) / 2;
        bool is_young = p->r->now_us >= now->since_us &&
                        p->r->now_us - now->since_us < SHED_LEAST_US;
        level = is_young ? before : MAX(before, shed_level(used + half, budget, floor));
    }
    return (int8_t)level;
}

static void apply_shedding(struct planning *p)
{
    const struct retention *r = p->r;
    int64_t month = scope_bytes(p, SCOPE_MONTH, -1);
    for (size_t i = 0; i < r->groups_n; i++) {
        const struct source_group *g = &r->groups[i];
        const struct shedding *now = &r->shed_now[g->id];
        int64_t quota = quota_bytes(r, g);
        if (g->id == SOURCE_GROUP_BENCHMARK)
            continue;
        int8_t level = shed_from(p, now, month, r->budget_bytes);
        if (quota >= 0)
            level = MIN(level, shed_from(p, now, scope_bytes(p, SCOPE_MONTH, g->id), quota));
        p->plan->shed_from[g->id] = level;
    }
}

/* A group (-1: all) whose month may take `budget`, and whose months together `all_months`. */
static void apply_budget(struct planning *p, enum retention_policy policy, int group,
                         int64_t budget, int64_t all_months)
{
    bool is_quota = group >= 0;
    /* shedding keeps room free already, and should be given the time to */
    int64_t margin = policy == POLICY_SHED ? 0 : p->margin_bytes;
    int64_t excess = scope_bytes(p, SCOPE_MONTH, group) + margin - budget;
    if (excess <= 0)
        return;
    if (policy == POLICY_TRIM || policy == POLICY_SHED)
        take(p, SCOPE_MONTH, group, is_quota ? RULE_QUOTA : RULE_TRIM, excess);
    else if (policy == POLICY_BORROW)
        take(p, SCOPE_OLDER_MONTHS, group, is_quota ? RULE_QUOTA : RULE_BORROW,
             scope_bytes(p, SCOPE_ALL, group) + p->margin_bytes - all_months);
}

static void apply_quotas(struct planning *p, enum retention_policy policy)
{
    const struct retention *r = p->r;
    for (size_t i = 0; i < r->groups_n; i++) {
        int64_t quota = quota_bytes(r, &r->groups[i]);
        /* a group that borrows may have of the whole store the part it may have of a month */
        if (quota >= 0 && r->budget_bytes > 0)
            apply_budget(
                p, policy, r->groups[i].id, quota,
                (int64_t)((double)quota / (double)r->budget_bytes * (double)r->high_water_bytes));
    }
}

static void apply_month(struct planning *p, enum retention_policy policy)
{
    const struct retention *r = p->r;
    int64_t overhead = rule_used_bytes(r) - retention_pieces_bytes(r);
    apply_budget(p, policy, -1, r->budget_bytes,
                 r->high_water_bytes - r->capacity_bytes / 100 - overhead);
}

/* The disk never fills, whatever the policy and the clock say. */
static void apply_guard(struct planning *p)
{
    const struct retention *r = p->r;
    int64_t over = rule_used_bytes(r) - p->freed_bytes + rule_guard_margin_bytes(r) -
                   r->high_water_bytes;
    int64_t lacking =
        r->fs_total_bytes > 0 ? rule_free_limit_bytes(r) - r->fs_free_bytes - p->freed_bytes : 0;
    int64_t excess = MAX(over, lacking);
    if (excess > 0)
        excess = take_pieces(p, SCOPE_ALL, SOURCE_GROUP_BENCHMARK, RULE_GUARD, excess);
    if (excess > 0)
        take(p, SCOPE_ALL, -1, RULE_GUARD, excess);
}

static void split_large_pieces(struct planning *p)
{
    const struct retention *r = p->r;
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *piece = &r->pieces[i];
        if (is_open(r, piece) && piece->bytes > split_bytes(r, piece->group) &&
            piece->messages > 0 && piece->upper_us - r->now_us > SPLIT_LEAST_US)
            p->plan->split[piece->group] = piece;
    }
}

static void begin(struct planning *p, const struct retention *r, struct arena *arena,
                  struct rule_plan *ret)
{
    memset(ret, 0, sizeof(*ret));
    memset(ret->shed_from, SHED_NONE, sizeof(ret->shed_from));
    ret->deletions = arena_alloc(arena, MAX(r->pieces_n, (size_t)1) * sizeof(*ret->deletions));
    *p = (struct planning){
        .r = r,
        .plan = ret,
        .is_gone = arena_alloc(arena, MAX(r->pieces_n, (size_t)1) * sizeof(bool)),
        .margin_bytes = rule_margin_bytes(r),
    };
}

static void apply_all(struct planning *p, enum retention_policy policy)
{
    if (!p->r->is_clock_doubted) {
        apply_keep_days(p);
        if (policy == POLICY_SHED)
            apply_shedding(p);
        apply_quotas(p, policy);
        apply_month(p, policy);
    }
    apply_guard(p);
}

void rule_plan(const struct retention *r, enum retention_policy policy, struct arena *arena,
               struct rule_plan *ret)
{
    struct planning p;
    begin(&p, r, arena, ret);
    split_large_pieces(&p);
    apply_all(&p, policy);
}

void rule_plan_open(const struct retention *r, enum retention_policy policy,
                    const struct rule_plan *plan, struct arena *arena, struct rule_plan *ret)
{
    struct planning p;
    begin(&p, r, arena, ret);
    for (size_t i = 0; i < plan->deletions_n; i++)
        p.is_gone[plan->deletions[i].piece - r->pieces] = true;
    p.freed_bytes = plan->bytes;
    p.before = plan;
    apply_all(&p, policy);
}

void rule_plan_request(const struct retention *r, int32_t from_day, int32_t to_day, int group,
                       struct arena *arena, struct rule_plan *ret)
{
    struct planning p;
    begin(&p, r, arena, ret);
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *piece = &r->pieces[i];
        if (piece->day < from_day || piece->day > to_day || !is_in(r, piece, SCOPE_ALL, group) ||
            !(is_closed(r, piece) || (piece_is_benchmark(piece) && piece->messages > 0)))
            continue;
        if (piece->is_held)
            ret->held_bytes += piece->bytes;
        else
            take_piece(&p, i, RULE_REQUEST);
    }
}

/* ---- the state of the month, and when to look again ---- */

enum retention_state rule_state(const struct retention *r, int64_t forecast_bytes)
{
    int64_t used = retention_month_bytes(r, r->month, -1) + rule_margin_bytes(r);
    int64_t at_end = MAX(forecast_bytes, used), budget = r->budget_bytes;
    enum retention_state before = r->state_month == r->month ? r->state_before : RETENTION_OK;
    /* a trimmed month swings about its budget and a forecast about its limit: that is no news */
    int64_t over = before == RETENTION_OVER ? budget - budget / 10 : budget;
    int64_t slack = budget / 40;
    if (used >= over)
        return RETENTION_OVER;
    if (forecast_bytes >= 0 && at_end >= budget - (before == RETENTION_OVER_FORECAST ? slack : 0))
        return RETENTION_OVER_FORECAST;
    if (at_end >= budget / 5 * 4 - (before == RETENTION_WATCH ? slack : 0))
        return RETENTION_WATCH;
    return RETENTION_OK;
}

/* The room to the nearest of the steps at which something of the month changes. */
static int64_t room_of_month(const struct retention *r, int64_t used, int64_t budget)
{
    int64_t room = budget - used;
    for (int s = 7; s >= MAX(1, r->shed_floor) && r->policy == POLICY_SHED; s--) {
        int64_t step = shed_threshold(budget, MAX(1, r->shed_floor), s) - used;
        if (step > 0)
            room = MIN(room, step);
    }
    return room;
}

int64_t rule_headroom_bytes(const struct retention *r)
{
    int64_t margin = rule_margin_bytes(r);
    int64_t room = r->high_water_bytes - rule_used_bytes(r) - rule_guard_margin_bytes(r);
    room = MIN(room,
               room_of_month(r, retention_month_bytes(r, r->month, -1) + margin, r->budget_bytes));
    for (size_t i = 0; i < r->groups_n; i++) {
        int64_t quota = quota_bytes(r, &r->groups[i]);
        if (quota >= 0)
            room = MIN(
                room, room_of_month(r, retention_month_bytes(r, r->month, r->groups[i].id) + margin,
                                    quota));
        /* its next piece may begin at any time, and get large before the next look */
        room = MIN(room, split_bytes(r, r->groups[i].id));
    }
    for (size_t i = 0; i < r->pieces_n; i++)
        if (is_open(r, &r->pieces[i]))
            room = MIN(room, split_bytes(r, r->pieces[i].group) - r->pieces[i].bytes);
    return MAX(room, 0);
}
