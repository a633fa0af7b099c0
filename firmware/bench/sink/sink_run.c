/* The tallies of the runs a worker has met.  Used by its thread; merged when all have ended. */
#include "bench/sink/sink_inside.h"

static struct sink_run *find_run(struct sink_worker *w, uint64_t run)
{
    for (size_t i = 0; i < w->runs_n; i++)
        if (w->runs[i].run == run)
            return &w->runs[i];
    if (w->runs_n == SINK_RUNS_MAX)
        return NULL;
    struct sink_run *r = &w->runs[w->runs_n++];
    *r = (struct sink_run){.run = run, .received = tally_new(run)};
    if (w->sink->is_tallying_stored)
        r->stored = tally_new(run);
    return r;
}

static uint32_t clamp_stream(uint64_t stream)
{
    return stream > UINT32_MAX ? UINT32_MAX : (uint32_t)stream;
}

static int64_t clamp_number(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

void worker_tally(struct sink_worker *w, struct view text, bool is_stored)
{
    struct mark m;
    struct sink_run *run = NULL;
    for (size_t at = 0; mark_next(text, at, &m); at = m.end) {
        if (!run || run->run != m.run)
            run = find_run(w, m.run);
        if (run)
            (void)tally_add(is_stored ? run->stored : run->received, clamp_stream(m.stream),
                            clamp_number(m.number));
        else if (!is_stored)
            worker_count(w, SINK_FOREIGN, 1);
    }
}

void worker_publish(struct sink_worker *w)
{
    struct tally_count sum = {0};
    for (size_t i = 0; i < w->runs_n; i++) {
        struct tally_count c = tally_count(w->runs[i].received);
        sum.found += c.found;
        sum.duplicated += c.duplicated;
        sum.reordered += c.reordered;
        sum.reach += c.reach;
    }
    w->counting[SINK_FOUND] = sum.found;
    w->counting[SINK_FOUND_AGAIN] = sum.duplicated;
    w->counting[SINK_FOUND_LATE] = sum.reordered;
    w->counting[SINK_REACH] = sum.reach;
    for (size_t i = 0; i < SINK_COUNTS; i++)
        atomic_store_explicit(&w->counts[i], w->counting[i], memory_order_relaxed);
}

static void merge_tally(struct tally *into, const struct tally *from)
{
    if (into && from && into != from)
        tally_merge(into, from);
}

/* All into the first worker's, whose table has room for as many runs as one worker follows. */
void sink_merge_runs(struct sink *s)
{
    struct sink_worker *first = &s->workers[0];
    for (size_t i = 1; i < s->workers_n; i++) {
        struct sink_worker *w = &s->workers[i];
        for (size_t k = 0; k < w->runs_n; k++) {
            struct sink_run *from = &w->runs[k], *into = find_run(first, from->run);
            if (into) {
                merge_tally(into->received, from->received);
                merge_tally(into->stored, from->stored);
            } else {
                struct tally_count c = tally_count(from->received);
                worker_count(first, SINK_FOREIGN, c.found + c.duplicated);
            }
            tally_free(&from->received);
            tally_free(&from->stored);
        }
        w->runs_n = 0;
        worker_publish(w);
    }
    worker_publish(first);
}
