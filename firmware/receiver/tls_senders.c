/* A small table under a lock.  Lanes put, the writer takes. */
#include "receiver/tls_senders.h"

void tls_senders_init(struct tls_senders *s)
{
    memset(s, 0, sizeof(*s));
    CHECK(pthread_mutex_init(&s->lock, NULL) == 0);
}

void tls_senders_done(struct tls_senders *s)
{
    (void)pthread_mutex_destroy(&s->lock);
}

static void merge(struct tls_senders *s, const struct tls_sender *one)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct tls_sender *known = &s->all[i];
        if (!ip_eq(&known->source, &one->source) ||
            strcmp(known->peer.fingerprint, one->peer.fingerprint) != 0)
            continue;
        known->first_at_us = MIN(known->first_at_us, one->first_at_us);
        known->last_at_us = MAX(known->last_at_us, one->last_at_us);
        known->connections += one->connections;
        return;
    }
    if (s->n < TLS_SENDERS_MAX)
        s->all[s->n++] = *one;
    else
        s->left_out += one->connections;
}

void tls_senders_note(struct tls_senders *s, const struct ip *source, const struct tls_peer *peer,
                      int64_t now_us)
{
    struct tls_sender one = {*source, *peer, now_us, now_us, 1};
    CHECK(pthread_mutex_lock(&s->lock) == 0);
    merge(s, &one);
    CHECK(pthread_mutex_unlock(&s->lock) == 0);
}

unsigned tls_senders_take(struct tls_senders *s, struct tls_sender *ret, unsigned max,
                          uint64_t *ret_left_out)
{
    CHECK(pthread_mutex_lock(&s->lock) == 0);
    unsigned n = MIN(s->n, max);
    memcpy(ret, s->all, n * sizeof(*ret));
    memmove(s->all, s->all + n, (s->n - n) * sizeof(*ret));
    s->n -= n;
    *ret_left_out = s->left_out;
    s->left_out = 0;
    CHECK(pthread_mutex_unlock(&s->lock) == 0);
    return n;
}

void tls_senders_give_back(struct tls_senders *s, const struct tls_sender *these, unsigned n)
{
    CHECK(pthread_mutex_lock(&s->lock) == 0);
    for (unsigned i = 0; i < n; i++)
        merge(s, &these[i]);
    CHECK(pthread_mutex_unlock(&s->lock) == 0);
}
