/* Events that happened while nobody could keep them: noted by any thread, written to azekura.event
 * by the writer as soon as the database takes it. */
#ifndef AZEKURA_RECEIVER_NOTES_H
#define AZEKURA_RECEIVER_NOTES_H

#include <pthread.h>

#include "store/event.h"

enum { NOTES_MAX = 32, NOTE_PARAMS_MAX = 5, NOTE_TEXT_MAX = 200 };

struct note {
    enum event_kind kind;
    int n; /* parameters */
    char name[NOTE_PARAMS_MAX][24], value[NOTE_PARAMS_MAX][NOTE_TEXT_MAX];
};

struct notes {
    pthread_mutex_t lock;
    struct note
        of[NOTES_MAX]; /* oldest first; beyond them the newest is left out, the log has it */
    unsigned n;
    uint64_t left_out;
};

void notes_init(struct notes *n);
void notes_done(struct notes *n);
/* Names and values in turn, ended by NULL; copied, cut at NOTE_TEXT_MAX. */
void notes_add(struct notes *n, enum event_kind kind, ...) __attribute__((sentinel));
/* The text of a number or a time, for notes_add: valid until the expression ends. */
#define NOTE_NUMBER(v) (number_text((int64_t)(v)).text)

/* Write what there is, oldest first; 0, or negative and *err: the rest is kept. */
MUST_USE int notes_write(struct notes *n, PGconn *c, struct err *err);

#endif
