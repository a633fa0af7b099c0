/* The answer of a run in one sentence, English and Japanese, and why a run gives none.  Only what
 * was measured is said: rates that the generator did not reach are not claimed, a trial that is not
 * valid gives a reason instead of a figure. */
#ifndef AZEKURA_BENCH_ANSWER_H
#define AZEKURA_BENCH_ANSWER_H

#include <cjson/cJSON.h>

#include "base/buf.h"

#define ANSWER_MAX_BYTES 8192

/* A sentence being put together in both languages. */
struct answer {
    struct buf en, ja;
};

struct words {
    const char *en, *ja;
};

void answer_init(struct answer *a);
void answer_done(struct answer *a);

/* One row of the profile's matrix, of one target: its valid trials together. */
struct rung {
    int test;
    const cJSON *worst; /* its trial with the greatest loss; NULL: none is valid */
    const cJSON *first; /* its first trial, valid or not */
    double rate;        /* messages/s offered where they were held, else sent */
    double loss_percent, lost, sent, duplicated;
    double others;      /* what a box in service lost of other senders meanwhile */
    double unaccounted; /* the greatest distance from 0; 0 where not known */
};

#define RUNGS_MAX 4096

/* The rows of `target` by rate (rows without a limit last, by test); at most RUNGS_MAX, into *ret,
 * to be freed.  Warm-ups are left out. */
size_t answer_rungs(const cJSON *report, const char *target, struct rung **ret);

/* The goals for processors that a trial may have. */
#define ANSWER_GOALS 2
struct answer_goal {
    const char *mean, *goal; /* paths in a trial */
    struct words who;
};
extern const struct answer_goal answer_goals[ANSWER_GOALS];
/* The first result of `target` in which more was used than the goal of its test, and of which goal;
 * NULL: none. */
const cJSON *answer_over_goal(const cJSON *report, const char *target,
                              const struct answer_goal **ret);

/* The sentence of a run that is over, by its profile and verdict. */
void answer_of(const cJSON *report, const char *verdict, struct answer *ret);
/* The sentence of one knee. */
void answer_knee(const cJSON *report, const cJSON *knee, struct answer *ret);
/* Where the most of a trial's loss happened. */
struct words answer_place(const cJSON *trial);
struct words answer_reason(const char *reason); /* of a refusal: "rate_limit" */
struct words answer_transport(const char *transport);
/* The trial that the answer rests on: of a ladder its highest rung without loss (else its first),
 * of a knee the one without loss, else the one that stored most.  NULL. */
const cJSON *answer_trial(const cJSON *report);
/* Rounded down to three digits: a measured rate is no more exact. */
double answer_about(double rate);

#endif
