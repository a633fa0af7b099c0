/* The machine of a box elsewhere during a trial. */
#include "bench/run/trial_remote.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"

#define BEAT_US (TARGET_BEAT_S * US_PER_SECOND)
#define WAIT_US (2 * BEAT_US) /* a sample is kept when its five seconds are over */
#define WAIT_STEP_MS 250

void trial_remote_begin(struct trial_remote *r, struct target *target, int64_t from_us)
{
    const struct target_facts *f = target_facts(target);
    *r = (struct trial_remote){
        .next_us = target_beat_begin(target, from_us), .threads = NAN, .memory_bytes = NAN};
    if (f->is_box && !f->is_local)
        r->target = target;
}

void trial_remote_done(struct trial_remote *r)
{
    trial_seconds_free(&r->beats);
}

static void take(struct trial_remote *r, const struct target_beat *b)
{
    struct trial_second second = {.sample = {
                                      .seconds = TARGET_BEAT_S,
                                      .cpu_syslog = b->cpu_syslog,
                                      .cpu_database = b->cpu_database,
                                      .cpu_generator = NAN,
                                      .cpu_host = b->cpu_host,
                                      .cpu_foreign = b->cpu_foreign,
                                      .cpu_steal = b->cpu_steal,
                                      .load1 = b->load1,
                                      .load5 = b->load5,
                                      .load15 = b->load15,
                                      .syslog_bytes = NAN,
                                      .database_bytes = NAN,
                                  }};
    trial_seconds_add(&r->beats, &second);
    r->threads = b->threads;
    if (!(b->memory_bytes <= r->memory_bytes))
        r->memory_bytes = b->memory_bytes;
    r->next_us = b->at_us + BEAT_US;
}

/* What is new and ends by `to_us`.  A box that does not answer now is asked again the next time. */
static void ask(struct trial_remote *r, int64_t to_us)
{
    struct target_beat beats[TARGET_BEATS_MAX];
    struct err err;
    int n = target_beats(r->target, r->next_us, beats, &err);
    for (int i = 0; i < n && beats[i].at_us + BEAT_US <= to_us; i++)
        take(r, &beats[i]);
}

void trial_remote_fill(struct trial_remote *r, struct sample *s)
{
    if (r->target == NULL)
        return;
    /* the answer is whole seconds old: asking again before it can have changed is in vain */
    if (clock_wall_us() >= r->next_us + BEAT_US)
        ask(r, INT64_MAX);
    struct sample unknown = {.cpu_syslog = NAN,
                             .cpu_database = NAN,
                             .cpu_host = NAN,
                             .cpu_foreign = NAN,
                             .cpu_steal = NAN,
                             .load1 = NAN,
                             .load5 = NAN,
                             .load15 = NAN};
    const struct sample *b = r->beats.n ? &r->beats.at[r->beats.n - 1].sample : &unknown;
    s->cpu_syslog = b->cpu_syslog;
    s->cpu_database = b->cpu_database;
    s->cpu_host = b->cpu_host;
    s->cpu_foreign = b->cpu_foreign;
    s->cpu_steal = b->cpu_steal;
    s->load1 = b->load1;
    s->load5 = b->load5;
    s->load15 = b->load15;
}

void trial_remote_end(struct trial_remote *r, int64_t to_us, const volatile sig_atomic_t *abort)
{
    const struct timespec pause = {.tv_nsec = WAIT_STEP_MS * 1000000L};
    if (r->target == NULL)
        return;
    for (int64_t until = clock_mono_us() + WAIT_US; !*abort;) {
        ask(r, to_us);
        /* whatever begins later does not end in time */
        if (r->next_us + BEAT_US > to_us || clock_mono_us() > until)
            break;
        nanosleep(&pause, NULL);
    }
}

void trial_remote_measure(const struct trial_remote *r, struct trial *t)
{
    struct trial there = {.duration_s = 0};
    t->host_bytes = NAN;
    if (r->target == NULL)
        return;
    trial_measure_machine(&r->beats, &there);
    t->cpu_syslog = there.cpu_syslog;
    t->cpu_database = there.cpu_database;
    t->cpu_host = there.cpu_host;
    t->cpu_foreign = there.cpu_foreign;
    t->cpu_steal = there.cpu_steal;
    t->load1 = there.load1;
    t->load5 = there.load5;
    t->load15 = there.load15;
    t->host_bytes = r->memory_bytes;
}
