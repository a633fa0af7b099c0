/* The forecast of the month.  Pure arithmetic on at most FORECAST_DAYS days.
 *
 *   known days ─▶ seasons ─▶ a step? ─▶ trend ─▶ level of each season ─▶ spread ─▶ sums with
 * interval
 *
 * A season is what days are compared within: each weekday once all are known three times, before
 * that working days and weekends, before that all days alike.  Trend and step are sought in
 * logarithms, since logs grow by per cent; the level is a mean with outliers cut, since what the
 * disk takes is a sum. Rejected: exponential smoothing (Holt–Winters), which needs months to learn
 * the weekdays and runs after a burst. */
#include "store/forecast.h"

#include <math.h>

#define WEEK 7
#define SEASON_DAYS_MAX 4 /* the last four weeks */
/* A weekday seen so often is a season of its own: a median of three shrugs off a burst. */
#define WEEKDAYS_SEEN 3
#define SLOPE_MAX 0.05       /* a day; more is no trend but a start */
#define SLOPE_PRIOR_SD 0.008 /* a day: trends of this size are ordinary */
#define SLOPE_DOUBT_SD 0.012 /* the same for the interval, which rather doubts too much */
#define SPREAD_PRIOR 0.15    /* of a day, relative, counted like one day seen */
/* What the other kind of days may differ by while only one kind has been seen: a weekend from the
 * working days, and working days, which bring several times as much, from a weekend. */
#define WEEKEND_UNSEEN_SD 0.5
#define WORKDAYS_UNSEEN_SD 1.0
#define STEP_SIDE 4     /* days on each side of a step */
#define STEP_LEAST 0.25 /* of the logarithm; smaller ones the level takes up by itself */
#define LIKENESS 1.4    /* neighbouring days are alike: their sum spreads wider */
#define LEVEL_DOUBT 2   /* variance of a level found by medians, against a mean's */
#define RATE_DAYS 28    /* ahead, for the bytes of a day: whole weeks */

struct known_day {
    int at; /* days from today: -1 yesterday */
    int weekday, season;
    double bytes;
};

struct model {
    struct known_day days[FORECAST_DAYS];
    int n, seasons;
    double level[WEEK]; /* at today, by season */
    int season_n[WEEK];
    double slope, slope_sd; /* of the logarithm, a day */
    double spread;          /* of one day, relative to what is expected of it */
    double middle_at;       /* mean of days[].at */
    double floor;           /* added before taking logarithms, so that a silent day has one */
    int freedom;            /* of the estimate of `spread` */
    bool by_weekday, is_weekend_unseen, are_workdays_unseen;
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof(*v), compare);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static int weekday_at(const struct forecast_input *in, int at)
{
    return ((in->today_weekday + at) % WEEK + WEEK) % WEEK;
}

static bool is_weekend(int weekday)
{
    return weekday >= 5;
}

/* The last four known days of each weekday, oldest first. */
static void collect(struct model *m, const struct forecast_input *in)
{
    int taken[WEEK] = {0};
    int reach = MIN(in->days, FORECAST_DAYS);
    bool is_taken[FORECAST_DAYS + 1] = {0};
    for (int back = 1; back <= reach; back++) {
        int w = weekday_at(in, -back);
        is_taken[back] = in->day_bytes[in->days - back] >= 0 && taken[w] < SEASON_DAYS_MAX;
        taken[w] += is_taken[back];
    }
    m->n = 0;
    for (int back = reach; back >= 1; back--) {
        if (!is_taken[back])
            continue;
        m->days[m->n++] = (struct known_day){.at = -back,
                                             .weekday = weekday_at(in, -back),
                                             .bytes = (double)in->day_bytes[in->days - back]};
        m->middle_at -= back;
    }
    m->middle_at /= MAX(m->n, 1);
}

static int season_of(const struct model *m, int weekday)
{
    return m->by_weekday ? weekday : m->seasons == 2 ? is_weekend(weekday) : 0;
}

static void choose_seasons(struct model *m)
{
    int seen[WEEK] = {0}, weekend = 0;
    for (int i = 0; i < m->n; i++) {
        seen[m->days[i].weekday]++;
        weekend += is_weekend(m->days[i].weekday);
    }
    m->by_weekday = true;
    for (int w = 0; w < WEEK; w++)
        m->by_weekday = m->by_weekday && seen[w] >= WEEKDAYS_SEEN;
    m->seasons = m->by_weekday ? WEEK : weekend > 0 && weekend < m->n ? 2 : 1;
    m->is_weekend_unseen = weekend == 0;
    m->are_workdays_unseen = weekend == m->n;
    for (int i = 0; i < m->n; i++) {
        m->days[i].season = season_of(m, m->days[i].weekday);
        m->season_n[m->days[i].season]++;
    }
}

/* What a day of these is like.  Of two the one nearer to what all days are like: the other may be a
 * burst. */
static double typical(double *v, int n, double of_all)
{
    if (n == 2)
        return fabs(v[0] - of_all) < fabs(v[1] - of_all) ? v[0] : v[1];
    return median(v, n);
}

/* The level of each season, at today if there is a slope. */
static void set_levels(struct model *m)
{
    double v[FORECAST_DAYS];
    for (int i = 0; i < m->n; i++)
        v[i] = m->days[i].bytes * exp(-m->slope * m->days[i].at);
    double of_all = median(v, m->n);
    for (int s = 0; s < m->seasons; s++) {
        int n = 0;
        for (int i = 0; i < m->n; i++) {
            if (m->days[i].season == s)
                v[n++] = m->days[i].bytes * exp(-m->slope * m->days[i].at);
        }
        m->level[s] = typical(v, n, of_all);
    }
    /* one weekend day, and a loud one: more likely a burst than a habit */
    if (m->seasons == 2 && m->season_n[1] == 1 && m->level[1] > 2 * m->level[0])
        m->level[1] = m->level[0];
}

static void set_floor(struct model *m)
{
    double v[FORECAST_DAYS], sum = 0;
    for (int i = 0; i < m->n; i++)
        sum += v[i] = m->days[i].bytes;
    m->floor = MAX(median(v, m->n) / 200, sum / m->n / 1000);
}

static double residual(const struct model *m, int i)
{
    const struct known_day *d = &m->days[i];
    double expected = m->level[d->season] * exp(m->slope * d->at);
    return log((d->bytes + m->floor) / (expected + m->floor));
}

/* ---- trend ---- */

/* Theil–Sen within the seasons; *ret_z: Mann–Kendall's statistic over them (Hirsch and Slack). */
static double slope_within_seasons(const struct model *m, double *ret_z)
{
    double slopes[FORECAST_DAYS * FORECAST_DAYS / 2];
    int n = 0, s = 0;
    double variance = 0;
    for (int i = 0; i < m->n; i++) {
        for (int j = i + 1; j < m->n; j++) {
            const struct known_day *a = &m->days[i], *b = &m->days[j];
            if (a->season != b->season)
                continue;
            double rise = log((b->bytes + m->floor) / (a->bytes + m->floor));
            slopes[n++] = rise / (b->at - a->at);
            s += (rise > 0) - (rise < 0);
        }
    }
    for (int i = 0; i < m->seasons; i++) {
        double k = m->season_n[i];
        variance += k * (k - 1) * (2 * k + 5) / 18;
    }
    *ret_z = variance > 0 ? (abs(s) - 1) / sqrt(variance) : 0;
    return n > 0 ? median(slopes, n) : 0;
}

/* Mean square of the residuals, with outliers cut.  (Their median would not do: the level of a
 * weekday is a median of four, so two of its four residuals are small by construction.) */
static double residual_square(const struct model *m)
{
    double v[FORECAST_DAYS], sum = 0;
    for (int i = 0; i < m->n; i++)
        v[i] = fabs(residual(m, i));
    double cut = 4 * median(v, m->n);
    for (int i = 0; i < m->n; i++)
        sum += MIN(v[i], cut) * MIN(v[i], cut); /* sorted by now: it does not matter */
    return sum / m->n;
}

/* A trend that is significant counts almost whole; else as much of it as its error leaves. */
static void set_slope(struct model *m)
{
    double z, spread = 0;
    double slope = MAX(MIN(slope_within_seasons(m, &z), SLOPE_MAX), -SLOPE_MAX);
    for (int i = 0; i < m->n; i++)
        spread += (m->days[i].at - m->middle_at) * (m->days[i].at - m->middle_at);
    m->slope = slope;
    set_levels(m);
    int left = MAX(m->n - m->seasons - 1, 1);
    double size = sqrt((SPREAD_PRIOR * SPREAD_PRIOR / 4 + m->n * residual_square(m)) / left);
    double error = spread > 0 ? size / sqrt(spread) : INFINITY;
    double prior = SLOPE_PRIOR_SD * SLOPE_PRIOR_SD, error2 = error * error;
    double weight = prior / (prior + error2);
    if (z > 1.96 && slope != 0)
        weight = MAX(weight, 1 - error2 / (slope * slope));
    m->slope = slope * weight;
    m->slope_sd = error < INFINITY ? SLOPE_DOUBT_SD * error / hypot(SLOPE_DOUBT_SD, error)
                                   : SLOPE_DOUBT_SD;
}

/* ---- a step ---- */

/* How far the days are from what the model says. */
static double misfit(struct model *m)
{
    double sum = 0;
    set_levels(m);
    for (int i = 0; i < m->n; i++)
        sum += fabs(residual(m, i));
    return sum;
}

/* From before to after days[k], within the seasons; 0 when no season has days on both sides. */
static double rise_at(const struct model *m, int k)
{
    double rises[FORECAST_DAYS * FORECAST_DAYS / 4];
    int n = 0;
    for (int i = 0; i < k; i++) {
        for (int j = k; j < m->n; j++) {
            if (m->days[i].season == m->days[j].season)
                rises[n++] = log((m->days[j].bytes + m->floor) / (m->days[i].bytes + m->floor));
        }
    }
    return n > 0 ? median(rises, n) : 0;
}

/* Devices were added or taken away: days before it are lifted to the level after it.  Without this
 * a step would be read as a trend and carried on. */
static void level_step(struct model *m)
{
    double z, best_misfit = INFINITY, best_rise = 0;
    int best_at = 0;
    struct model flat = *m, trend = *m, best = *m;
    trend.slope = slope_within_seasons(m, &z);
    double other = MIN(misfit(&flat), misfit(&trend));
    for (int k = STEP_SIDE; k <= m->n - STEP_SIDE; k++) {
        struct model stepped = *m;
        double rise = rise_at(m, k);
        for (int i = 0; i < k; i++)
            stepped.days[i].bytes *= exp(rise);
        double x = misfit(&stepped);
        if (x >= best_misfit)
            continue;
        best_misfit = x;
        best_at = k;
        best_rise = rise;
        best = stepped;
    }
    if (best_at == 0 || best_misfit > 0.7 * other || fabs(best_rise) < STEP_LEAST)
        return;
    double size = best_misfit / m->n * 1.2533; /* as a standard deviation */
    if (fabs(best_rise) > 4 * size * sqrt(1.0 / best_at + 1.0 / (m->n - best_at)))
        *m = best;
}

/* ---- spread ---- */

/* Days against what was expected of them: corrects the levels from medians to means, and finds the
 * spread.  A rare outlier is cut; what comes more often is a habit and counts. */
static void set_spread(struct model *m)
{
    double ratio[FORECAST_DAYS], v[FORECAST_DAYS], sum = 0, squares = 0;
    int n = 0, outliers = 0;
    for (int i = 0; i < m->n; i++) {
        const struct known_day *d = &m->days[i];
        double expected = m->level[d->season] * exp(m->slope * d->at);
        if (expected > 0)
            ratio[n++] = d->bytes / expected;
    }
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
        v[i] = fabs(ratio[i] - 1);
    double cut = MAX(3.5 * 1.4826 * median(v, n), 0.3);
    for (int i = 0; i < n; i++)
        outliers += fabs(ratio[i] - 1) > cut;
    if (outliers > MAX(1, n / 14))
        cut = INFINITY;
    for (int i = 0; i < n; i++)
        sum += ratio[i] = MAX(MIN(ratio[i], 1 + cut), 1 - cut);
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (ratio[i] - mean) * (ratio[i] - mean);
    for (int s = 0; s < m->seasons; s++)
        m->level[s] *= mean;
    int left = MAX(n - m->seasons - (m->slope != 0), 0);
    if (mean > 0)
        squares /= mean * mean;
    m->spread = sqrt((SPREAD_PRIOR * SPREAD_PRIOR + squares) / (1 + left));
    m->freedom = 1 + left;
}

/* ---- sums ---- */

/* Student's t, one side of 5 %. */
static double quantile(int freedom)
{
    static const double t[] = {6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81};
    return freedom <= 10 ? t[freedom - 1] : 1.645 + 1.7 / freedom;
}

/* What the coming days add up to, a day at a time. */
struct sum {
    double bytes, day_squares, by_season[WEEK], by_distance, unseen;
};

static double expected_at(const struct model *m, const struct forecast_input *in, int at)
{
    return m->level[season_of(m, weekday_at(in, at))] * exp(m->slope * at);
}

/* `doubt`: what the spread of the day is a part of. */
static void sum_add(struct sum *s, const struct model *m, const struct forecast_input *in, int at,
                    double bytes, double doubt)
{
    int weekday = weekday_at(in, at);
    s->bytes += bytes;
    s->day_squares += doubt * doubt;
    s->by_season[season_of(m, weekday)] += bytes;
    s->by_distance += bytes * (at - m->middle_at);
    if (m->is_weekend_unseen && is_weekend(weekday))
        s->unseen += bytes * WEEKEND_UNSEEN_SD;
    if (m->are_workdays_unseen && !is_weekend(weekday))
        s->unseen += bytes * WORKDAYS_UNSEEN_SD;
}

/* The factor of the interval's ends: bytes / f … bytes × f. */
static double sum_factor(const struct sum *s, const struct model *m)
{
    if (s->bytes <= 0)
        return 1;
    double v = m->spread * m->spread * s->day_squares * LIKENESS;
    for (int i = 0; i < m->seasons; i++)
        v += m->spread * m->spread * LEVEL_DOUBT / MAX(m->season_n[i], 1) * s->by_season[i] *
             s->by_season[i];
    v += pow(m->slope_sd * s->by_distance, 2) + pow(s->unseen, 2);
    return exp(MIN(quantile(m->freedom) * sqrt(v) / s->bytes, 3));
}

/* What today will still bring.  Its hours are not alike and not known: a day that lies behind what
 * is expected of it catches up, within reason; one that is ahead goes on. */
static double left_of_today(const struct model *m, const struct forecast_input *in)
{
    double expected = expected_at(m, in, 0), left = 1 - in->today_elapsed;
    double gap = expected - (double)in->today_bytes;
    return gap >= 0 ? MIN(gap, 3 * expected * left) : MIN(-gap, expected * left);
}

/* In days of ordinary spread: its own, and that its hours are not known. */
static double doubt_of_today(const struct model *m, const struct forecast_input *in)
{
    double expected = expected_at(m, in, 0), left = 1 - in->today_elapsed;
    double hours = left_of_today(m, in) - expected * left;
    double spread = MAX(m->spread, 0.01);
    return MIN(expected, 3 * expected * left) + fabs(hours) / 2 / spread;
}

static int64_t whole(double bytes)
{
    return bytes >= 9.2e18 ? INT64_MAX : (int64_t)(bytes + 0.5);
}

static void fill_day(const struct model *m, const struct forecast_input *in, struct forecast *f)
{
    struct sum s = {0};
    for (int at = 1; at <= RATE_DAYS; at++)
        sum_add(&s, m, in, at, expected_at(m, in, at), expected_at(m, in, at));
    double factor = sum_factor(&s, m);
    f->day_bytes = whole(s.bytes / RATE_DAYS);
    f->day_low = whole(s.bytes / RATE_DAYS / factor);
    f->day_high = whole(s.bytes / RATE_DAYS * factor);
}

static void fill_month(const struct model *m, const struct forecast_input *in, struct forecast *f)
{
    struct sum s = {0};
    double so_far = (double)in->month_bytes, budget = (double)in->budget_bytes;
    for (int at = 0; at <= in->days_left; at++) {
        double expected = expected_at(m, in, at);
        if (at == 0)
            sum_add(&s, m, in, 0, left_of_today(m, in), doubt_of_today(m, in));
        else
            sum_add(&s, m, in, at, expected, expected);
        double factor = sum_factor(&s, m);
        double low = so_far + s.bytes / factor, high = so_far + s.bytes * factor;
        if (f->reached_in_days < 0 && so_far + s.bytes >= budget)
            f->reached_in_days = at;
        if (f->reached_earliest < 0 && high >= budget)
            f->reached_earliest = at;
        if (f->reached_latest < 0 && low >= budget)
            f->reached_latest = at;
        f->bytes = whole(so_far + s.bytes);
        f->low = whole(low);
        f->high = whole(high);
    }
}

void forecast_month(const struct forecast_input *in, struct forecast *ret)
{
    struct model m = {.freedom = 1};
    CHECK(in->today_weekday >= 0 && in->today_weekday < WEEK && in->days_left >= 0);
    *ret = (struct forecast){.reached_in_days = -1, .reached_earliest = -1, .reached_latest = -1};
    collect(&m, in);
    if (m.n == 0)
        return;
    choose_seasons(&m);
    set_floor(&m);
    if (m.floor > 0) { /* else nothing ever came, and nothing is expected */
        set_levels(&m);
        level_step(&m);
        set_levels(&m);
        set_slope(&m);
        set_levels(&m);
        set_spread(&m);
    }
    ret->basis = m.by_weekday ? FORECAST_WEEKDAYS : FORECAST_DAYS_SEEN;
    fill_day(&m, in, ret);
    fill_month(&m, in, ret);
}
