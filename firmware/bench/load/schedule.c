/* Which message is due when, in integers; and how a thread follows it.  See the header for the rule
 * after a stall. */
#include "bench/load/schedule.h"

#include <math.h>

/* 10^-6 message/s × 10^-9 s */
#define UNITS_PER_MESSAGE ((unsigned __int128)1000000000000000)

static int64_t rate_u(double rate)
{
    return rate > 0 ? (int64_t)llround(rate * 1e6) : 0;
}

void schedule_init(struct schedule *s, double rate)
{
    memset(s, 0, sizeof(*s));
    s->pieces[0].rate_u = rate_u(rate);
    s->pieces_n = 1;
    s->number = INT64_MAX;
    s->end_ns = INT64_MAX;
}

static const struct schedule_piece *piece_at(const struct schedule *s, int64_t at_ns)
{
    size_t i = s->pieces_n - 1;
    while (i > 0 && s->pieces[i].from_ns > at_ns)
        i--;
    return &s->pieces[i];
}

/* Units that pass before at_ns. */
static unsigned __int128 units_before(const struct schedule *s, int64_t at_ns)
{
    const struct schedule_piece *p = piece_at(s, at_ns);
    return p->before + (unsigned __int128)p->rate_u * (unsigned __int128)(at_ns - p->from_ns);
}

/* Messages of the rate alone that are due before at_ns. */
static int64_t steady_before(const struct schedule *s, int64_t at_ns)
{
    if (at_ns <= 0)
        return 0;
    return (int64_t)((units_before(s, at_ns) + UNITS_PER_MESSAGE - 1) / UNITS_PER_MESSAGE);
}

int schedule_add(struct schedule *s, int64_t at_ns, double rate)
{
    struct schedule_piece *last = &s->pieces[s->pieces_n - 1];
    if (at_ns < last->from_ns)
        return -EINVAL;
    if (at_ns == last->from_ns) {
        last->rate_u = rate_u(rate);
        return 0;
    }
    if (s->pieces_n == SCHEDULE_PIECES_MAX)
        return -ENOSPC;
    unsigned __int128 before = units_before(s, at_ns);
    s->pieces[s->pieces_n++] =
        (struct schedule_piece){.from_ns = at_ns, .rate_u = rate_u(rate), .before = before};
    return 0;
}

void schedule_burst(struct schedule *s, int64_t messages, int64_t at_ns)
{
    s->burst_messages = messages;
    s->burst_at_ns = at_ns;
    s->burst_first = steady_before(s, at_ns);
}

void schedule_end(struct schedule *s, int64_t number, int64_t end_ns)
{
    s->number = number > 0 ? number : INT64_MAX;
    s->end_ns = end_ns > 0 ? end_ns : INT64_MAX;
}

int64_t schedule_due(const struct schedule *s, int64_t at_ns)
{
    if (at_ns < 0)
        return 0;
    int64_t before = at_ns < s->end_ns ? at_ns + 1 : s->end_ns; /* exclusive */
    int64_t due = steady_before(s, before);
    if (s->burst_messages > 0 && before > s->burst_at_ns)
        due += s->burst_messages;
    return MIN(due, s->number);
}

int64_t schedule_due_ns(const struct schedule *s, int64_t k)
{
    if (k < 0 || k >= s->number)
        return INT64_MAX;
    int64_t due = INT64_MAX, steady = k;
    if (s->burst_messages > 0 && k >= s->burst_first) {
        if (k < s->burst_first + s->burst_messages)
            return s->burst_at_ns < s->end_ns ? s->burst_at_ns : INT64_MAX;
        steady = k - s->burst_messages;
    }
    unsigned __int128 units = (unsigned __int128)steady * UNITS_PER_MESSAGE;
    for (size_t i = 0; i < s->pieces_n; i++) {
        const struct schedule_piece *p = &s->pieces[i];
        bool is_last = i + 1 == s->pieces_n;
        if (p->rate_u == 0 || (!is_last && s->pieces[i + 1].before <= units))
            continue;
        unsigned __int128 after =
            units > p->before ? (units - p->before) / (unsigned __int128)p->rate_u : 0;
        if (after > (unsigned __int128)(INT64_MAX - p->from_ns))
            return INT64_MAX;
        due = p->from_ns + (int64_t)after;
        break;
    }
    return due < s->end_ns ? due : INT64_MAX;
}

int64_t schedule_total(const struct schedule *s)
{
    return s->end_ns == INT64_MAX ? s->number : schedule_due(s, s->end_ns - 1);
}

double schedule_rate(const struct schedule *s, int64_t at_ns)
{
    return at_ns < s->end_ns ? (double)piece_at(s, at_ns)->rate_u / 1e6 : 0;
}

void pace_init(struct pace *p)
{
    memset(p, 0, sizeof(*p));
}

/* How much faster than time the pace's clock runs, in 10^-6. */
static int64_t gain_ppm(int64_t lag_ns)
{
    int64_t ppm = lag_ns / (SCHEDULE_CATCH_UP_NS / 1000000);
    return lag_ns <= 0 ? 0 : MIN(MAX(ppm, SCHEDULE_GAIN_MIN_PPM), SCHEDULE_GAIN_MAX_PPM);
}

/* The pace's clock goes on while `ns` pass: as fast as time, faster while it is behind. */
static void run(struct pace *p, int64_t from_ns, int64_t ns)
{
    int64_t to_ns = from_ns + ns;
    int64_t gain = (int64_t)((__int128)ns * gain_ppm(from_ns - p->clock_ns) / 1000000);
    p->clock_ns = MIN(to_ns, p->clock_ns + ns + gain);
}

int64_t pace_advance(struct pace *p, int64_t now_ns)
{
    if (now_ns <= p->seen_ns)
        return p->clock_ns;
    int64_t from = p->seen_ns;
    if (p->planned_ns > from) {
        int64_t until = MIN(p->planned_ns, now_ns);
        run(p, from, until - from);
        from = until;
    }
    int64_t rest = now_ns - from;
    if (rest > SCHEDULE_LATE_NS) {
        /* what was due while it slept as planned is part of the 10 ms */
        int64_t slept = from - p->seen_ns;
        p->stalls++;
        p->clock_ns += slept < SCHEDULE_LATE_NS ? SCHEDULE_LATE_NS - slept : SCHEDULE_LATE_NS;
    } else if (rest > 0) {
        run(p, from, rest);
    }
    p->seen_ns = now_ns;
    return p->clock_ns;
}

int64_t pace_plan(struct pace *p, int64_t due_ns)
{
    int64_t lag = p->seen_ns - p->clock_ns, gap = due_ns - p->clock_ns;
    int64_t wake = due_ns;
    if (due_ns == INT64_MAX)
        wake = INT64_MAX;
    else if (gap <= 0)
        wake = p->seen_ns;
    else if (lag > 0)
        /* one nanosecond more than the quotient, for what run() rounds down */
        wake = MAX(due_ns,
                   p->seen_ns + 1 + (int64_t)((__int128)gap * 1000000 / (1000000 + gain_ppm(lag))));
    p->planned_ns = wake;
    return wake;
}
