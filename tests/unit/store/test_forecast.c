#include <criterion/criterion.h>

#include <math.h>

#include "store/forecast.h"

/* Shapes of traffic as boxes have recorded them, made here with fixed seeds: a day's bytes by its
 * number since the box was set up. */

#define SEEDS 200
#define BEFORE_MAX 60 /* days before the month */
#define MONTH_MAX 31
#define MB 1000000.0

struct shape {
    const char *name;
    double noise;           /* of a day, standard deviation of its logarithm */
    double weekend, sunday; /* of a working day */
    double growth;          /* a day */
    int burst_day;          /* of the month, 1…; -3: three days before it; 0: none */
    double burst;           /* that day times this */
    int step_day;           /* of the month, as above */
    double step;            /* from that day on times this */
    int off_from, off_to;   /* days of the month the box was off */
    int before;             /* days of history before the month */
    bool has_office_hours;
    /* asked of the forecast from the tenth day on */
    double within_10; /* at least this part of the seeds is within 10 % of the truth */
    double covered;   /* at least this part of the intervals holds it */
    double width;     /* mean of (high - low) / truth, at most */
};

/* clang-format off */
static const struct shape shapes[] = {
    {.name = "steady", .noise = .05, .weekend = 1, .sunday = 1, .before = 60, .within_10 = 0.99, .covered = .89, .width = 0.06},
    {.name = "steady, first month", .noise = .05, .weekend = 1, .sunday = 1, .before = 0, .within_10 = 0.97, .covered = 0.9, .width = 0.12},
    {.name = "uneven", .noise = .15, .weekend = 1, .sunday = 1, .before = 60, .within_10 = 0.94, .covered = .89, .width = 0.15},
    {.name = "office", .noise = .07, .weekend = .2, .sunday = .15, .before = 60, .has_office_hours = true, .within_10 = 0.98, .covered = .89, .width = 0.09},
    {.name = "office, first month", .noise = .07, .weekend = .2, .sunday = .2, .before = 0, .has_office_hours = true, .within_10 = 0.94, .covered = .89, .width = 0.16},
    {.name = "office, set up two weeks ago", .noise = .07, .weekend = .2, .sunday = .15, .before = 14, .has_office_hours = true, .within_10 = 0.97, .covered = .89, .width = 0.09},
    {.name = "a full backup on Sundays", .noise = .05, .weekend = 1, .sunday = 4, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.07},
    {.name = "growing 1 % a day", .noise = .05, .weekend = 1, .sunday = 1, .growth = .01, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.07},
    {.name = "growing 2 % a day", .noise = .05, .weekend = 1, .sunday = 1, .growth = .02, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.07},
    {.name = "growing 1 % a day, first month", .noise = .05, .weekend = 1, .sunday = 1, .growth = .01, .before = 0, .within_10 = 0.94, .covered = .89, .width = 0.13},
    {.name = "growing 2 % a day, first month", .noise = .05, .weekend = 1, .sunday = 1, .growth = .02, .before = 0, .within_10 = 0.86, .covered = .87, .width = 0.13},
    {.name = "growing office", .noise = .07, .weekend = .2, .sunday = .15, .growth = .015, .before = 60, .has_office_hours = true, .within_10 = 0.97, .covered = .89, .width = 0.1},
    {.name = "shrinking 1.5 % a day", .noise = .05, .weekend = 1, .sunday = 1, .growth = -.015, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.06},
    {.name = "one burst", .noise = .05, .weekend = 1, .sunday = 1, .burst_day = 8, .burst = 10, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.06},
    {.name = "one burst, first month", .noise = .05, .weekend = 1, .sunday = 1, .burst_day = 6, .burst = 10, .before = 0, .within_10 = 0.97, .covered = 0.9, .width = 0.12},
    {.name = "one burst, first month, office", .noise = .07, .weekend = .2, .sunday = .2, .burst_day = 6, .burst = 10, .before = 0, .has_office_hours = true, .within_10 = 0.95, .covered = 0.9, .width = 0.16},
    {.name = "a burst before the month", .noise = .05, .weekend = 1, .sunday = 1, .burst_day = -3, .burst = 10, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.08},
    {.name = "twice as many devices since two weeks", .noise = .05, .weekend = 1, .sunday = 1, .step_day = -4, .step = 2, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.08},
    {.name = "half the devices gone, office", .noise = .07, .weekend = .2, .sunday = .15, .step_day = -6, .step = .5, .before = 60, .has_office_hours = true, .within_10 = 0.98, .covered = .89, .width = 0.09},
    {.name = "off for five days", .noise = .05, .weekend = 1, .sunday = 1, .off_from = 4, .off_to = 8, .before = 60, .within_10 = 0.98, .covered = .89, .width = 0.08},
    {.name = "off for five days, office, first month", .noise = .07, .weekend = .2, .sunday = .2, .off_from = 3, .off_to = 7, .before = 0, .has_office_hours = true, .within_10 = 0.78, .covered = .89, .width = 0.35},
};
/* clang-format on */

static uint64_t state;

static double uniform(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* days[i]: i days after the box's first; the month begins at days[before]. */
struct record {
    int before, length, weekday_of_first;
    int64_t days[BEFORE_MAX + MONTH_MAX]; /* < 0: off */
    int64_t truth;                        /* of the month */
};

static void make(const struct shape *s, uint64_t seed, struct record *r)
{
    state = seed * 7919 + 1;
    *r = (struct record){.before = s->before, .length = 28 + (int)(seed % 4)};
    r->weekday_of_first = (int)(seed % 7);
    for (int i = 0; i < r->before + r->length; i++) {
        int day = i - r->before + 1, weekday = (r->weekday_of_first + i) % 7;
        double v = 200 * MB * exp(s->noise * normal()) * pow(1 + s->growth, i);
        if (weekday >= 5)
            v *= weekday == 5 ? s->weekend : s->sunday;
        if (s->burst_day && day == s->burst_day)
            v *= s->burst;
        if (s->step_day && day >= s->step_day)
            v *= s->step;
        bool is_off = day >= s->off_from && day <= s->off_to && s->off_from > 0;
        r->days[i] = is_off ? -1 : (int64_t)v;
        r->truth += day >= 1 && !is_off ? r->days[i] : 0;
    }
}

/* Share of a day's bytes that came until `elapsed`. */
static double come(const struct shape *s, double elapsed)
{
    if (!s->has_office_hours)
        return elapsed;
    return 0.2 * elapsed + 0.8 * MAX(0, MIN((elapsed - 8 / 24.0) / (10 / 24.0), 1));
}

/* The forecast on a day (1…) of the month, when `elapsed` of it is over. */
static struct forecast forecast_on(const struct shape *s, const struct record *r, int day,
                                   double elapsed, int64_t budget)
{
    int today = r->before + day - 1;
    struct forecast_input in = {
        .day_bytes = r->days,
        .days = today,
        .today_weekday = (r->weekday_of_first + today) % 7,
        .today_elapsed = elapsed,
        .today_bytes = (int64_t)(come(s, elapsed) * (double)MAX(r->days[today], 0)),
        .days_left = r->length - day,
        .budget_bytes = budget,
    };
    in.month_bytes = in.today_bytes;
    for (int i = r->before; i < today; i++)
        in.month_bytes += MAX(r->days[i], 0);
    struct forecast f;
    forecast_month(&in, &f);
    return f;
}

struct score {
    int n, within_10, covered;
    double width, worst;
};

static struct score score_of(const struct shape *s)
{
    struct score score = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct record r;
        make(s, seed, &r);
        for (int day = 10; day <= r.length; day += 6) {
            double elapsed = (double)(seed % 10) / 10;
            struct forecast f = forecast_on(s, &r, day, elapsed, INT64_MAX);
            double error = fabs((double)(f.bytes - r.truth)) / (double)r.truth;
            score.n++;
            score.within_10 += error <= 0.1;
            score.covered += f.low <= r.truth && r.truth <= f.high;
            score.width += (double)(f.high - f.low) / (double)r.truth;
            score.worst = MAX(score.worst, error);
        }
    }
    return score;
}

Test(forecast, from_the_tenth_day_on_it_is_near_the_truth_and_as_certain_as_it_says)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        const struct shape *s = &shapes[i];
        struct score x = score_of(s);
        double near = (double)x.within_10 / x.n, covered = (double)x.covered / x.n;
        cr_log_info("%s: near %.3f, covered %.3f, width %.3f, worst %.3f", s->name, near, covered,
                    x.width / x.n, x.worst);
        cr_expect(near >= s->within_10, "%s: %.3f within 10 %%", s->name, near);
        cr_expect(covered >= s->covered, "%s: %.3f covered", s->name, covered);
        cr_expect(x.width / x.n <= s->width, "%s: %.3f wide", s->name, x.width / x.n);
    }
}

Test(forecast, with_a_history_it_is_near_the_truth_from_the_first_day_on)
{
    int n = 0, near = 0, covered = 0;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        const struct shape *s = &shapes[i];
        if (s->before < 60 || s->noise > .1 || s->burst_day > 0 || s->off_from > 0)
            continue;
        for (uint64_t seed = 0; seed < SEEDS; seed += 4) {
            struct record r;
            make(s, seed, &r);
            struct forecast f = forecast_on(s, &r, 1, 0.1, INT64_MAX);
            n++;
            near += fabs((double)(f.bytes - r.truth)) <= 0.1 * (double)r.truth;
            covered += f.low <= r.truth && r.truth <= f.high;
        }
    }
    cr_log_info("of %d: near %d, covered %d", n, near, covered);
    cr_expect(near >= n * 85 / 100, "%d of %d", near, n);
    cr_expect(covered >= n * 80 / 100, "%d of %d", covered, n);
}

static const struct shape steady = {.name = "steady", .weekend = 1, .sunday = 1, .before = 60};

Test(forecast, the_day_the_budget_is_reached_is_told_with_its_earliest_and_latest)
{
    struct record r;
    make(&steady, 2, &r); /* a month of 30 days, 200 MB each */
    static const struct {
        int day;
        double budget_days; /* in days' bytes */
        int reached;
    } cases[] = {
        {10, 20.5, 11}, {10, 10.2, 1}, {10, 9.1, 0}, {10, 29.5, 20}, {10, 31, -1},   {10, 5, 0},
        {1, 15.5, 15},  {30, 29.5, 0}, {30, 31, -1}, {20, 25.5, 6},  {20, 0.001, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t budget = (int64_t)(cases[i].budget_days * 200 * MB);
        struct forecast f = forecast_on(&steady, &r, cases[i].day, 0.5, budget);
        cr_expect(f.reached_in_days == cases[i].reached, "day %d, %.1f days: %d, not %d",
                  cases[i].day, cases[i].budget_days, f.reached_in_days, cases[i].reached);
        if (f.reached_in_days < 0)
            continue;
        cr_expect(f.reached_earliest >= 0 && f.reached_earliest <= f.reached_in_days);
        cr_expect(f.reached_latest < 0 || f.reached_latest >= f.reached_in_days);
    }
}

Test(forecast, in_noise_the_day_reached_lies_within_its_interval)
{
    struct shape s = {.noise = .1, .weekend = .3, .sunday = .2, .before = 60};
    int n = 0, inside = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct record r;
        make(&s, seed, &r);
        int64_t budget = (int64_t)((double)r.truth * 0.8), sum = 0;
        int truth = 0;
        while (sum < budget)
            sum += r.days[r.before + truth++];
        struct forecast f = forecast_on(&s, &r, 10, 0.3, budget);
        truth -= 10;
        n++;
        inside += f.reached_earliest >= 0 && f.reached_earliest <= truth &&
                  (f.reached_latest < 0 || f.reached_latest >= truth);
        cr_expect(abs(f.reached_in_days - truth) <= 4, "seed %d: %d, not %d", (int)seed,
                  f.reached_in_days, truth);
    }
    cr_expect(inside >= n * 9 / 10, "%d of %d", inside, n);
}

static struct forecast_input input_of(const int64_t *days, int n)
{
    return (struct forecast_input){.day_bytes = days,
                                   .days = n,
                                   .today_elapsed = 0.5,
                                   .today_bytes = 50,
                                   .month_bytes = 50,
                                   .days_left = 20,
                                   .budget_bytes = 1000000};
}

Test(forecast, without_a_whole_day_nothing_is_said)
{
    static const int64_t off[] = {-1, -1, -1};
    struct forecast f;
    struct forecast_input none = input_of(NULL, 0), gone = input_of(off, 3);
    forecast_month(&none, &f);
    cr_expect(f.basis == FORECAST_NONE && f.reached_in_days == -1);
    forecast_month(&gone, &f);
    cr_expect(f.basis == FORECAST_NONE);
}

Test(forecast, one_day_gives_a_number_and_a_wide_interval)
{
    static const int64_t days[] = {100};
    struct forecast f;
    struct forecast_input in = input_of(days, 1);
    forecast_month(&in, &f);
    cr_expect(f.basis == FORECAST_DAYS_SEEN);
    cr_expect(f.bytes > 1900 && f.bytes < 2300, "%lld", (long long)f.bytes);
    cr_expect(f.low >= 50 && f.low < 1500 && f.high > 3000, "%lld…%lld", (long long)f.low,
              (long long)f.high);
    cr_expect(f.day_bytes == 100 && f.day_low < 60 && f.day_high > 150);
}

Test(forecast, weekends_not_seen_yet_may_be_quiet)
{
    static const int64_t days[] = {1000, 1010, 990, 1000};
    struct forecast f;
    struct forecast_input in = input_of(days, 4);
    in.today_bytes = in.month_bytes = 500;
    in.today_weekday = 4; /* Monday to Thursday were seen; of the 20 days left 6 are weekends */
    forecast_month(&in, &f);
    cr_expect(f.low <= 1000 + 14 * 1000 + 6 * 200, "%lld", (long long)f.low);
    cr_expect(f.high >= 1000 + 20 * 1000, "%lld", (long long)f.high);
}

Test(forecast, working_days_not_seen_yet_may_be_loud)
{
    static const int64_t days[] = {1000, 1010};
    struct forecast f;
    struct forecast_input in = input_of(days, 2);
    in.today_bytes = in.month_bytes = 0;
    in.today_elapsed = 0;
    in.today_weekday = 0; /* Saturday and Sunday were seen; 15 working days and 6 weekends come */
    forecast_month(&in, &f);
    cr_expect(f.high >= 15 * 5000 + 6 * 1000, "%lld", (long long)f.high);
}

Test(forecast, where_nothing_comes_nothing_is_expected)
{
    static const int64_t days[28] = {0};
    struct forecast f;
    struct forecast_input in = input_of(days, 28);
    in.today_bytes = in.month_bytes = 0;
    forecast_month(&in, &f);
    cr_expect(f.basis == FORECAST_WEEKDAYS);
    cr_expect(f.bytes == 0 && f.low == 0 && f.high == 0 && f.day_bytes == 0);
    cr_expect(f.reached_in_days == -1 && f.reached_latest == -1);
}

Test(forecast, weekends_without_any_message_stay_empty)
{
    int64_t days[28];
    for (int i = 0; i < 28; i++)
        days[i] = i % 7 >= 5 ? 0 : 1000;
    struct forecast f;
    struct forecast_input in = input_of(days, 28); /* today is a Monday */
    in.days_left = 6;
    in.today_bytes = in.month_bytes = 500;
    forecast_month(&in, &f);
    cr_expect(f.bytes == 5000, "%lld", (long long)f.bytes);
    cr_expect(f.day_bytes == 1000 * 5 / 7, "%lld", (long long)f.day_bytes);
}

Test(forecast, it_never_says_less_than_what_is_there)
{
    struct shape wild = {.noise = 1.5, .weekend = .1, .sunday = 3, .before = 30};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct record r;
        make(&wild, seed, &r);
        for (int day = 1; day <= r.length; day++) {
            struct forecast f = forecast_on(&wild, &r, day, 1, 1);
            int64_t so_far = 0;
            for (int i = 0; i < day; i++)
                so_far += r.days[r.before + i];
            cr_expect(so_far <= f.low && f.low <= f.bytes && f.bytes <= f.high,
                      "seed %d day %d: %lld ≤ %lld ≤ %lld ≤ %lld", (int)seed, day,
                      (long long)so_far, (long long)f.low, (long long)f.bytes, (long long)f.high);
        }
    }
}

Test(forecast, on_the_last_day_the_end_is_near)
{
    struct record r;
    make(&steady, 3, &r);
    struct forecast f = forecast_on(&steady, &r, r.length, 0.99, INT64_MAX);
    cr_expect(fabs((double)(f.bytes - r.truth)) < 0.001 * (double)r.truth);
    cr_expect((double)(f.high - f.low) < 0.01 * (double)r.truth);
}

Test(forecast, sizes_beyond_any_disk_do_not_overflow)
{
    int64_t days[FORECAST_DAYS];
    for (int i = 0; i < FORECAST_DAYS; i++)
        days[i] = INT64_MAX / 4;
    struct forecast f;
    struct forecast_input in = input_of(days, FORECAST_DAYS);
    forecast_month(&in, &f);
    cr_expect(f.bytes == INT64_MAX && f.high == INT64_MAX);
}
