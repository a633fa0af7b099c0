/* Sums over pieces.  A box of two years has some thousands of them: every function goes over them
 * once. */
#include "store/retention_use.h"

#define FIGURE_DAYS 7

/* ---- the calendar ---- */

static int64_t number_of(int32_t day)
{
    return days_from_civil(day / 10000, (unsigned)(day / 100 % 100), (unsigned)(day % 100));
}

int32_t day_after(int32_t day, int days)
{
    struct civil c;
    civil_from_us((number_of(day) + days) * US_PER_DAY, &c);
    return c.year * 10000 + c.month * 100 + c.day;
}

int day_parse(struct view text, int32_t *ret)
{
    static const char form[] = "dddd-dd-dd";
    int32_t day = 0;
    if (text.n != sizeof(form) - 1)
        return -EINVAL;
    for (size_t i = 0; i < text.n; i++) {
        bool is_digit = text.p[i] >= '0' && text.p[i] <= '9';
        if (form[i] == 'd' ? !is_digit : text.p[i] != form[i])
            return -EINVAL;
        if (is_digit)
            day = day * 10 + (text.p[i] - '0');
    }
    struct civil c = {
        .year = day / 10000, .month = (uint8_t)(day / 100 % 100), .day = (uint8_t)(day % 100)};
    if (c.year < 1970 || !civil_is_valid(&c))
        return -EINVAL;
    *ret = day;
    return 0;
}

const char *day_format(int32_t day, char out[DAY_TEXT_MAX])
{
    snprintf(out, DAY_TEXT_MAX, "%04d-%02d-%02d", day / 10000 % 10000, day / 100 % 100, day % 100);
    return out;
}

const char *month_format(int32_t month, char out[DAY_TEXT_MAX])
{
    snprintf(out, DAY_TEXT_MAX, "%04d-%02d", month / 100 % 10000, month % 100);
    return out;
}

/* ---- sums ---- */

static void add(struct use *u, const struct piece *p)
{
    u->bytes += p->bytes;
    u->messages += p->messages;
    u->raw_bytes += p->raw_bytes;
}

static int newest_first(const void *a, const void *b)
{
    const struct month_use *x = a, *y = b;
    return (x->month < y->month) - (x->month > y->month);
}

/* The entry of a month, from the end: pieces come in the order of time, so it is there at once. */
static struct month_use *month_of(struct month_use *list, size_t *n, int32_t month)
{
    for (size_t i = *n; i > 0; i--) {
        if (list[i - 1].month == month)
            return &list[i - 1];
    }
    list[*n] = (struct month_use){.month = month};
    return &list[(*n)++];
}

/* Whether the day of pieces[i] was met before it: the pieces of a day lie together, but for zones
 * that changed. */
static bool is_day_new(const struct retention *r, size_t i)
{
    for (size_t k = i; k > 0 && r->pieces[i].lower_us - r->pieces[k - 1].lower_us < 2 * US_PER_DAY;
         k--) {
        if (r->pieces[k - 1].day == r->pieces[i].day && r->pieces[k - 1].messages > 0 &&
            !piece_is_benchmark(&r->pieces[k - 1]))
            return false;
    }
    return true;
}

static size_t months_at_most(const struct retention *r)
{
    size_t n = 1;
    for (size_t i = 0; i < r->pieces_n; i++)
        n += i == 0 || r->pieces[i].day / 100 != r->pieces[i - 1].day / 100;
    return n;
}

size_t use_by_month(const struct retention *r, struct arena *arena, struct month_use **ret)
{
    size_t n = 0;
    struct month_use *list = arena_alloc(arena, months_at_most(r) * sizeof(*list));
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *p = &r->pieces[i];
        if (piece_is_benchmark(p) || piece_is_ahead(r, p))
            continue;
        struct month_use *m = month_of(list, &n, p->day / 100);
        add(&m->all, p);
        m->by_group[p->group] += p->bytes;
        m->days += p->messages > 0 && is_day_new(r, i);
    }
    month_of(list, &n, r->month);
    qsort(list, n, sizeof(*list), newest_first);
    *ret = list;
    return n;
}

static int oldest_first(const void *a, const void *b)
{
    const struct day_use *x = a, *y = b;
    return (x->day > y->day) - (x->day < y->day);
}

size_t use_by_day(const struct retention *r, int32_t from, int32_t to, struct arena *arena,
                  struct day_use **ret)
{
    size_t n = 0, most = 0;
    int32_t last = 0;
    for (size_t i = 0; i < r->pieces_n; i++) {
        int32_t day = r->pieces[i].day;
        if (day >= from && day <= to && day != last) {
            last = day;
            most++;
        }
    }
    struct day_use *list = arena_alloc(arena, MAX(most, (size_t)1) * sizeof(*list));
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *p = &r->pieces[i];
        if (p->day < from || p->day > to || piece_is_benchmark(p) || piece_is_ahead(r, p))
            continue;
        struct day_use *d = NULL;
        for (size_t k = n; k > 0 && !d; k--)
            d = list[k - 1].day == p->day ? &list[k - 1] : NULL;
        if (!d) {
            d = &list[n++];
            *d = (struct day_use){.day = p->day};
        }
        add(&d->all, p);
        add(&d->by_group[p->group], p);
        d->is_held |= p->is_held;
        d->is_open |= p->upper_us > r->now_us;
    }
    qsort(list, n, sizeof(*list), oldest_first);
    *ret = list;
    return n;
}

void use_history(const struct retention *r, const struct forecast *f, struct history *ret)
{
    *ret = (struct history){TIME_NONE, 0, -1, -1, -1};
    for (size_t i = 0; i < r->pieces_n && ret->oldest_us == TIME_NONE; i++) {
        if (r->pieces[i].messages > 0 && !piece_is_benchmark(&r->pieces[i]))
            ret->oldest_us = r->pieces[i].lower_us;
    }
    if (ret->oldest_us != TIME_NONE)
        ret->days = MAX(0, (double)(r->now_us - ret->oldest_us) / (double)US_PER_DAY);
    if (f->basis == FORECAST_NONE || f->day_bytes <= 0)
        return;
    int64_t other = retention_used_bytes(r) - retention_pieces_bytes(r);
    double room = MAX(0, (double)(r->high_water_bytes - other));
    ret->fits_days = room / (double)f->day_bytes;
    ret->fits_low = room / (double)MAX(f->day_high, INT64_C(1));
    ret->fits_high = room / (double)MAX(f->day_low, INT64_C(1));
}

void use_benchmark(const struct retention *r, struct use *ret)
{
    *ret = (struct use){0};
    for (size_t i = 0; i < r->pieces_n; i++) {
        if (piece_is_benchmark(&r->pieces[i]) && r->pieces[i].messages > 0)
            add(ret, &r->pieces[i]);
    }
}

void use_forecast(const struct retention *r, struct forecast *ret)
{
    int64_t day_bytes[FORECAST_DAYS];
    struct forecast_input in;
    retention_forecast_input(r, day_bytes, &in);
    forecast_month(&in, ret);
}

void use_figures(const struct retention *r, struct use_figures *ret)
{
    int64_t day_bytes[FORECAST_DAYS];
    struct forecast_input in;
    struct use sum = {0};
    double days = 0;
    retention_forecast_input(r, day_bytes, &in); /* knows which days are whole */
    for (int back = 1; back <= MIN(in.days, FIGURE_DAYS); back++)
        days += in.day_bytes[in.days - back] >= 0;
    bool is_first_day = days <= 0;
    if (is_first_day)
        days = in.today_elapsed;
    for (size_t i = 0; i < r->pieces_n; i++) {
        int64_t back = number_of(r->today) - number_of(r->pieces[i].day);
        if (piece_is_benchmark(&r->pieces[i]))
            continue;
        if (is_first_day ? back == 0
                         : back >= 1 && back <= MIN(in.days, FIGURE_DAYS) &&
                               in.day_bytes[in.days - back] >= 0)
            add(&sum, &r->pieces[i]);
    }
    *ret = (struct use_figures){0};
    if (sum.messages == 0 || days <= 0)
        return;
    ret->rate = (double)sum.messages / (days * 86400);
    ret->message_bytes = (double)sum.raw_bytes / (double)sum.messages;
    ret->stored_bytes = (double)sum.bytes / (double)sum.messages;
}

/* ---- previews ---- */

size_t use_deletions(const struct rule_plan *plan, struct arena *arena, struct deletion_range **ret)
{
    size_t n = 0;
    struct deletion_range *last[SOURCE_GROUPS_MAX][RULE_REASONS] = {{NULL}};
    struct deletion_range *list =
        arena_alloc(arena, MAX(plan->deletions_n, (size_t)1) * sizeof(*list));
    for (size_t i = 0; i < plan->deletions_n; i++) {
        const struct piece *p = plan->deletions[i].piece;
        enum rule_reason reason = plan->deletions[i].reason;
        struct deletion_range *d = last[p->group][reason];
        if (!d || (p->day != d->to_day && p->day != day_after(d->to_day, 1))) {
            d = last[p->group][reason] = &list[n++];
            *d = (struct deletion_range){
                .from_day = p->day, .to_day = p->day, .group = p->group, .reason = reason};
        }
        d->to_day = p->day;
        add(&d->all, p);
    }
    *ret = list;
    return n;
}

int use_shed_from(const struct retention *r, const struct rule_plan *plan)
{
    int from = 8;
    for (size_t i = 0; i < r->groups_n; i++)
        from = MIN(from, (int)plan->shed_from[r->groups[i].id]);
    return from;
}

const char *use_group_name(const struct retention *r, int id, char out[GROUP_NAME_MAX])
{
    for (size_t i = 0; i < r->groups_n; i++) {
        if (r->groups[i].id == id) {
            snprintf(out, GROUP_NAME_MAX, "%s", r->groups[i].name);
            return out;
        }
    }
    snprintf(out, GROUP_NAME_MAX, "group %d", id);
    return out;
}

int use_group_id(const struct retention *r, struct view name)
{
    for (size_t i = 0; i < r->groups_n; i++) {
        if (view_eq(view_str(r->groups[i].name), name))
            return r->groups[i].id;
    }
    return -1;
}
