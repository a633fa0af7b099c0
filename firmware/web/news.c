/* Has anything been stored?  Called by the threads of live views. */
#include "web/news.h"

#include "store/ledger.h"
#include "web/request.h"

void news_init(struct news *n)
{
    *n = (struct news){.at_mono_us = 0};
    CHECK(pthread_mutex_init(&n->lock, NULL) == 0);
}

void news_done(struct news *n)
{
    pthread_mutex_destroy(&n->lock);
}

static int ask(struct request *rq, int64_t *ret)
{
    struct err err;
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = ledger_read_stored(rq->db, ret, &err);
    request_release_db(rq);
    return rc;
}

enum news_turn news_look(struct news *n, int64_t now_us, int64_t *ret)
{
    pthread_mutex_lock(&n->lock);
    bool is_known = n->at_mono_us > 0,
         is_mine = !n->is_asking && (!is_known || now_us - n->at_mono_us >= NEWS_FRESH_US);
    n->is_asking = n->is_asking || is_mine;
    *ret = n->stored;
    pthread_mutex_unlock(&n->lock);
    return is_mine ? NEWS_ASK : is_known ? NEWS_KNOWN : NEWS_UNKNOWN;
}

void news_tell(struct news *n, int64_t asked_us, int rc, int64_t stored)
{
    pthread_mutex_lock(&n->lock);
    n->is_asking = false;
    n->at_mono_us = rc < 0 ? 0 : asked_us; /* it is as old as the question */
    if (rc >= 0)
        n->stored = stored;
    pthread_mutex_unlock(&n->lock);
}

int news_stored(struct request *rq, int64_t *ret)
{
    int64_t now_us = clock_mono_us(), stored = 0;
    enum news_turn turn = news_look(&rq->web->news, now_us, ret);
    if (turn != NEWS_ASK)
        return turn == NEWS_KNOWN ? 0 : -EAGAIN;
    int rc = ask(rq, &stored);
    news_tell(&rq->web->news, now_us, rc, stored);
    *ret = stored;
    return rc;
}
