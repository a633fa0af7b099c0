/* Whether anything was stored since somebody looked: what live views wait for.
 *
 * The count of all messages ever stored grows in the transaction that stores a unit, so whoever
 * sees it grow finds the messages.  It is three rows of a table, asked for at most every
 * NEWS_FRESH_US however many wait, and not at all while nobody does.  Notifications of the database
 * would cost more: a commit that notifies waits for every other one that does, also while nobody
 * listens. */
#ifndef AZEKURA_WEB_NEWS_H
#define AZEKURA_WEB_NEWS_H

#include <pthread.h>

#include "base/base.h"

#define NEWS_FRESH_US INT64_C(50000)

struct request;

struct news { /* one a process */
    pthread_mutex_t lock;
    int64_t stored, at_mono_us; /* the newest answer; 0: none yet */
    bool is_asking;             /* a thread does, without the lock */
};

void news_init(struct news *n);
void news_done(struct news *n);
/* Whose turn it is at `now`: NEWS_ASK, the caller asks the database and tells with news_tell();
 * else *ret is the count, or nobody knows it yet. */
enum news_turn { NEWS_KNOWN, NEWS_ASK, NEWS_UNKNOWN };
enum news_turn news_look(struct news *n, int64_t now_us, int64_t *ret);
/* What came of asking at `asked_us`; rc < 0: no answer, and what was known is not any more. */
void news_tell(struct news *n, int64_t asked_us, int rc, int64_t stored);

/* The count, as it was at most NEWS_FRESH_US ago (longer while another thread waits for it).  0; or
 * negative: the database does not say. */
MUST_USE int news_stored(struct request *rq, int64_t *ret);

#endif
