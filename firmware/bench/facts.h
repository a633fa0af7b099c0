/* Reading a report's document: every member may be absent, null or of another type, for a document
 * may come from another version or from a hand.  Paths are members joined by dots ("stages.sent");
 * keys of these documents have none. */
#ifndef AZEKURA_BENCH_FACTS_H
#define AZEKURA_BENCH_FACTS_H

#include <cjson/cJSON.h>

#include "base/base.h"

/* The two languages of what people read. */
enum facts_language { FACTS_EN, FACTS_JA };

const cJSON *facts_get(const cJSON *o, const char *path); /* NULL where absent */
double facts_number(const cJSON *o, const char *path);    /* finite, or NAN */
/* 0 where it is not known: for counts whose absence means that nothing was counted. */
double facts_count(const cJSON *o, const char *path);
/* A whole number of small size (a trial's, a test's), or -1. */
int facts_index(const cJSON *o, const char *path);
bool facts_true(const cJSON *o, const char *path);
bool facts_false(const cJSON *o, const char *path); /* is there and false */
/* Borrowed from the document; "" where it is no string. */
const char *facts_text(const cJSON *o, const char *path);
/* A sentence: a string or {"en","ja"}; the other language where one is missing; "" . */
const char *facts_sentence(const cJSON *o, const char *path, enum facts_language language);
/* Is its kind so ("udp")? */
bool facts_is(const cJSON *o, const char *path, const char *text);

/* Set a member, in place of what was there; NAN and infinities become null. */
void facts_set(cJSON *o, const char *name, cJSON *value); /* takes `value` */
void facts_set_number(cJSON *o, const char *name, double value);
void facts_set_text(cJSON *o, const char *name, const char *value);
void facts_set_sentence(cJSON *o, const char *name, const char *en, const char *ja);
cJSON *facts_sentence_new(const char *en, const char *ja);
cJSON *facts_number_new(double value);
cJSON *facts_numbers_new(const double *x, size_t n);

/* ---- trials ---- */

/* The first target's name: what the run is about; "". */
const char *facts_first_target(const cJSON *report);
const cJSON *facts_target(const cJSON *report, const char *name); /* NULL */
const cJSON *facts_trial(const cJSON *report, int number);        /* NULL */
/* All trials by number, for many look-ups; facts_trials_done() frees. */
struct facts_trials {
    cJSON **at; /* of the document */
    size_t n;
};
void facts_trials_init(struct facts_trials *t, const cJSON *report);
void facts_trials_done(struct facts_trials *t);
cJSON *facts_trials_find(const struct facts_trials *t, int number); /* NULL */
/* Is it a result: not a warm-up (run 0) and not declared invalid? */
bool facts_is_result(const cJSON *trial);
/* Messages that were sent and never found, exact where the sequence says so; NAN. */
double facts_lost(const cJSON *trial);
/* Lost ÷ sent × 100; NAN where nothing was sent or read back. */
double facts_loss_percent(const cJSON *trial);
/* Distinct messages found; NAN. */
double facts_found(const cJSON *trial);
/* What was stored a second; where it was not measured what was visible. */
double facts_stored_rate(const cJSON *trial);
/* The bytes of a message of the trial; NAN for a mix. */
double facts_size(const cJSON *trial);
/* The same; of a mix the mean of what was sent, NAN where that is not known. */
double facts_mean_size(const cJSON *trial);

#endif
