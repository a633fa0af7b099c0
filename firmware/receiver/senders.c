/* The table of a lane's senders.  Runs on the lane's thread; only senders_take_refused() is the
 * writer's.
 *
 *   buckets ─▶ sender ─▶ sender          chains by keyed hash
 *
 *   on trial:  newest ⇄ … ⇄ oldest       seen once, or for a moment only; SENDERS_TRIAL_MAX
 *
 *   protected: newest ⇄ … ⇄ oldest       seen again later; room for all the rest
 *
 *   limited:   first ⇄ … ⇄ last          with a summary to come, by when it is due
 *
 * To be put to the front of its list costs three cache lines, so it is done once a second for a
 * sender and not with each message. */
#include "receiver/senders.h"

#include <sys/random.h>

#include "base/buf.h"
#include "base/clock.h"
#include "config/log.h"

#define NONE SENDERS_NONE
#define NS_PER_SECOND INT64_C(1000000000)
#define TRIAL_US INT64_C(50000)
#define NAME_US (US_PER_SECOND / SENDERS_NAMED_RATE)
#define NAMES_MAX_US (SENDERS_NAMED_BURST * NAME_US)
enum { BUCKETS = SENDERS_MAX, TOLD_LATE_MAX = 256, SUMMARY_MAX_BYTES = 512 };
_Static_assert((BUCKETS & (BUCKETS - 1)) == 0, "a mask chooses the bucket");

struct lru {
    uint32_t newest, oldest, n;
};

/* What a summary says. */
struct summary {
    struct ip source;
    uint8_t listener;
    uint32_t rate;
    uint64_t messages;
    int64_t since_us;
};

struct senders {
    struct sequences *sequences;
    unsigned lane;
    uint64_t key[2];
    struct sender *list; /* SENDERS_MAX; memory is taken as it is used */
    uint32_t used;
    uint32_t *buckets; /* 1 + index; 0: none */
    struct lru trial, kept;
    struct sender *last;
    int64_t names_us, names_mono_us; /* what is left for naming, and when that was so */
    uint32_t limited_first, limited_last;
    struct summary late[TOLD_LATE_MAX]; /* of senders that were forgotten before it was due */
    unsigned late_n;
    uint64_t untold_senders, untold_messages; /* beyond those */
    struct refused_senders *refused;
    struct ip counted_under;
    _Atomic(struct refused_senders *) ready;
    struct senders_counts counts;
};

struct senders *senders_new(struct sequences *sequences, unsigned lane)
{
    struct senders *s = xcalloc(1, sizeof(*s));
    s->sequences = sequences;
    s->lane = lane;
    CHECK(getrandom(s->key, sizeof(s->key), 0) == sizeof(s->key));
    s->list = xcalloc(SENDERS_MAX, sizeof(*s->list));
    s->buckets = xcalloc(BUCKETS, sizeof(*s->buckets));
    s->names_us = NAMES_MAX_US;
    s->trial = s->kept = (struct lru){NONE, NONE, 0};
    s->limited_first = s->limited_last = NONE;
    return s;
}

void senders_free(struct senders **ps)
{
    struct senders *s = *ps;
    if (!s)
        return;
    free(senders_take_refused(s));
    free(s->refused);
    free(s->buckets);
    free(s->list);
    free(s);
    *ps = NULL;
}

/* ---- the table ---- */

/* Whoever makes up addresses does not know the key, so cannot choose them to meet. */
static uint32_t hash_of(const struct senders *s, uint8_t listener, const struct ip *source)
{
    uint64_t half[2];
    memcpy(half, source->bytes, sizeof(half));
    unsigned __int128 product = (unsigned __int128)(half[0] ^ s->key[0]) *
                                (half[1] ^ s->key[1] ^ (uint64_t)(source->family << 8 | listener));
    uint64_t h = (uint64_t)product ^ (uint64_t)(product >> 64);
    h = (h ^ s->key[1]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static void lru_remove(struct senders *s, struct lru *l, struct sender *x)
{
    if (x->newer == NONE)
        l->newest = x->older;
    else
        s->list[x->newer].older = x->older;
    if (x->older == NONE)
        l->oldest = x->newer;
    else
        s->list[x->older].newer = x->newer;
    l->n--;
}

static void lru_add(struct senders *s, struct lru *l, struct sender *x)
{
    uint32_t i = (uint32_t)(x - s->list);
    x->newer = NONE;
    x->older = l->newest;
    if (l->newest == NONE)
        l->oldest = i;
    else
        s->list[l->newest].newer = i;
    l->newest = i;
    l->n++;
}

static void unlimit(struct senders *s, struct sender *x)
{
    if (x->limited_before == NONE)
        s->limited_first = x->limited_after;
    else
        s->list[x->limited_before].limited_after = x->limited_after;
    if (x->limited_after == NONE)
        s->limited_last = x->limited_before;
    else
        s->list[x->limited_after].limited_before = x->limited_before;
    x->limited = 0;
    s->counts.limited--;
}

static struct summary summary_of(const struct sender *x)
{
    return (struct summary){x->source, x->listener, x->limited_rate, x->limited,
                            x->limited_since_us};
}

static void forget(struct senders *s, struct sender *x)
{
    if (x->limited > 0) {
        if (s->late_n < TOLD_LATE_MAX) {
            s->late[s->late_n++] = summary_of(x);
        } else {
            s->untold_senders++;
            s->untold_messages += x->limited;
        }
        unlimit(s, x);
    }
    uint32_t number = 1 + (uint32_t)(x - s->list), *at = &s->buckets[x->hash & (BUCKETS - 1)];
    while (*at != number)
        at = &s->list[*at - 1].next;
    *at = x->next;
    lru_remove(s, x->is_protected ? &s->kept : &s->trial, x);
    s->counts.evicted++;
}

/* An entry for a new sender.  Those on trial are few, so that made-up addresses stay within a part
 * of the memory that the processor's cache can hold. */
static struct sender *make_room(struct senders *s)
{
    if (s->trial.n < SENDERS_TRIAL_MAX) {
        CHECK(s->used < SENDERS_MAX);
        return &s->list[s->used++];
    }
    struct sender *x = &s->list[s->trial.oldest];
    forget(s, x);
    return x;
}

/* It was seen again, some time after it was put to the front: to the front of the protected. */
static void touch(struct senders *s, struct sender *x, int64_t now_mono_us)
{
    lru_remove(s, x->is_protected ? &s->kept : &s->trial, x);
    x->is_protected = true;
    x->touched_us = now_mono_us;
    lru_add(s, &s->kept, x);
    if (s->kept.n <= SENDERS_MAX - SENDERS_TRIAL_MAX - 1)
        return;
    struct sender *silent = &s->list[s->kept.oldest];
    lru_remove(s, &s->kept, silent);
    silent->is_protected = false;
    lru_add(s, &s->trial, silent);
}

/* What the rules say of it, which are not those it knows. */
static void apply(struct sender *x, const struct sender_rules *r)
{
    struct sender_limit limit = sender_rules_limit_of(r, &x->source);
    int64_t interval_ns = limit.rate ? NS_PER_SECOND / limit.rate : 0;
    struct source_setting setting = sender_rules_setting_of(r, &x->source);
    x->generation = r->generation;
    x->health_turn = 0; /* its health may begin anew */
    x->zone = setting.zone;
    x->charset = setting.charset;
    x->framing = (int8_t)setting.framing;
    x->group = groups_find(r->groups, &x->source);
    x->is_allowed = sender_rules_is_allowed(r, x->listener, &x->source);
    x->slack_ns = interval_ns * ((int64_t)limit.burst - 1);
    if (interval_ns != x->interval_ns)
        x->next_ns = 0; /* another limit begins with its whole burst */
    x->interval_ns = interval_ns;
    x->rate = limit.rate;
}

static struct sender *add(struct senders *s, uint32_t hash, uint8_t listener,
                          const struct ip *source, int64_t now_mono_us)
{
    struct sender *x = make_room(s);
    uint32_t *bucket = &s->buckets[hash & (BUCKETS - 1)];
    *x = (struct sender){.source = *source,
                         .listener = listener,
                         .hash = hash,
                         .next = *bucket,
                         .touched_us = now_mono_us};
    *bucket = 1 + (uint32_t)(x - s->list);
    lru_add(s, &s->trial, x);
    return x;
}

static bool is_it(const struct sender *x, uint8_t listener, const struct ip *source)
{
    return x->listener == listener && ip_eq(&x->source, source);
}

static struct sender *look_up(struct senders *s, uint32_t hash, uint8_t listener,
                              const struct ip *source)
{
    uint32_t number = s->buckets[hash & (BUCKETS - 1)];
    while (number != 0) {
        struct sender *x = &s->list[number - 1];
        if (x->hash == hash && is_it(x, listener, source))
            return x;
        number = x->next;
    }
    return NULL;
}

struct sender *senders_find(struct senders *s, const struct sender_rules *r, uint8_t listener,
                            const struct ip *source, int64_t now_mono_us)
{
    struct sender *x = s->last;
    if (!LIKELY(x && is_it(x, listener, source))) {
        uint32_t hash = hash_of(s, listener, source);
        x = look_up(s, hash, listener, source);
        if (!x)
            x = add(s, hash, listener, source, now_mono_us);
        s->last = x;
    }
    if (UNLIKELY(now_mono_us - x->touched_us >= (x->is_protected ? US_PER_SECOND : TRIAL_US)))
        touch(s, x, now_mono_us);
    if (UNLIKELY(x->generation != r->generation))
        apply(x, r);
    return x;
}

/* ---- names ---- */

/* Half of what there is is for those that were seen again: a flood of made-up addresses takes what
 * comes by no message more than once. */
static bool take_name(struct senders *s, bool is_known, int64_t now_mono_us)
{
    int64_t more_us = MAX(now_mono_us - s->names_mono_us, INT64_C(0));
    s->names_us = more_us >= NAMES_MAX_US ? NAMES_MAX_US : MIN(s->names_us + more_us, NAMES_MAX_US);
    s->names_mono_us = now_mono_us;
    if (s->names_us - NAME_US < (is_known ? 0 : NAMES_MAX_US / 2))
        return false;
    s->names_us -= NAME_US;
    return true;
}

bool senders_name(struct senders *s, struct sender *x, int64_t now_mono_us)
{
    if (UNLIKELY(!x->is_named))
        x->is_named = take_name(s, x->is_protected, now_mono_us);
    return x->is_named;
}

bool senders_name_address(struct senders *s, uint8_t listener, const struct ip *source,
                          int64_t now_mono_us)
{
    struct sender *x = look_up(s, hash_of(s, listener, source), listener, source);
    return x ? senders_name(s, x, now_mono_us) : take_name(s, false, now_mono_us);
}

/* ---- rates ---- */

static bool over_limit(struct senders *s, struct sender *x, int64_t now_mono_us,
                       int64_t received_at_us)
{
    if (x->limited++ > 0)
        return false;
    uint32_t i = (uint32_t)(x - s->list);
    x->limited_since_us = received_at_us;
    x->limited_mono_us = now_mono_us;
    x->limited_rate = x->rate;
    x->limited_before = s->limited_last;
    x->limited_after = NONE;
    if (s->limited_last == NONE)
        s->limited_first = i;
    else
        s->list[s->limited_last].limited_after = i;
    s->limited_last = i;
    s->counts.limited++;
    return false;
}

bool sender_take(struct senders *s, struct sender *x, int64_t now_mono_us, int64_t received_at_us)
{
    if (LIKELY(x->interval_ns == 0))
        return true;
    int64_t now_ns = now_mono_us * 1000, next_ns = MAX(x->next_ns, now_ns);
    if (UNLIKELY(next_ns - now_ns > x->slack_ns))
        return over_limit(s, x, now_mono_us, received_at_us);
    x->next_ns = next_ns + x->interval_ns;
    return true;
}

static bool tell(const struct summary *what, int64_t now_wall_us, senders_summary_fn each,
                 void *context)
{
    enum { SYSLOG_WARNING = 5 * 8 + 4 }; /* facility syslog: of ours, not of the sender */
    struct buf text = BUF_INIT(SUMMARY_MAX_BYTES);
    char now[RFC3339_MAX], since[RFC3339_MAX], address[IP_TEXT_MAX];
    (void)rfc3339_format(now_wall_us, now);
    (void)rfc3339_format(what->since_us, since);
    (void)ip_format(&what->source, address);
    CHECK(buf_printf(&text,
                     "<%d>1 %s - azekura - RATELIMIT - %llu messages from %s by %s were refused in "
                     "the minute since %s: over %u messages/s",
                     SYSLOG_WARNING, now, (unsigned long long)what->messages, address,
                     listener_name(what->listener), since, what->rate) == 0);
    bool has_room = each(context, what->listener, &what->source, buf_view(&text));
    buf_free(&text);
    return has_room;
}

static void say_untold(struct senders *s)
{
    if (s->untold_senders == 0)
        return;
    log_line(LOG_WARNING,
             "%llu messages of %llu senders were refused for their rate; they are counted, but too "
             "many to be told of one by one",
             (unsigned long long)s->untold_messages, (unsigned long long)s->untold_senders);
    s->untold_messages = s->untold_senders = 0;
}

bool senders_due_summaries(struct senders *s, int64_t now_mono_us, int64_t now_wall_us, bool is_all,
                           senders_summary_fn each, void *context)
{
    bool has_room = true;
    say_untold(s);
    while (s->late_n > 0 && has_room) {
        struct summary what = s->late[--s->late_n];
        has_room = tell(&what, now_wall_us, each, context);
    }
    while (has_room && s->limited_first != NONE) {
        struct sender *x = &s->list[s->limited_first];
        if (!is_all && now_mono_us - x->limited_mono_us < US_PER_MINUTE)
            break;
        struct summary what = summary_of(x);
        unlimit(s, x);
        has_room = tell(&what, now_wall_us, each, context);
    }
    return has_room;
}

/* ---- those not allowed ---- */

/* The place of an address in the index: its own, or the free one where it belongs. */
static uint16_t *refused_place(const struct senders *s, struct refused_senders *r, uint8_t listener,
                               const struct ip *source)
{
    size_t n = ARRAY_LEN(r->places), at = hash_of(s, listener, source) % n;
    for (;; at = (at + 1) % n) {
        uint16_t number = r->places[at];
        if (number == 0)
            return &r->places[at];
        const struct refused_sender *x = &r->list[number - 1];
        if (x->listener == listener && ip_eq(&x->source, source))
            return &r->places[at];
    }
}

const struct ip *senders_refuse(struct senders *s, uint8_t listener, const struct ip *source,
                                struct view bytes, int64_t received_at_us)
{
    if (!s->refused)
        s->refused = xcalloc(1, sizeof(*s->refused));
    struct refused_senders *r = s->refused;
    uint16_t *place = refused_place(s, r, listener, source);
    r->messages++;
    if (*place == 0) {
        if (r->n == SENDERS_REFUSED_MAX) {
            r->others++;
            s->counted_under = (struct ip){.family = source->family};
            return &s->counted_under;
        }
        r->list[r->n] = (struct refused_sender){
            .source = *source, .listener = listener, .first_at_us = received_at_us};
        *place = (uint16_t)++r->n;
    }
    struct refused_sender *x = &r->list[*place - 1];
    x->messages++;
    x->last_at_us = received_at_us;
    if (x->payload_n == 0 && bytes.n > 0) {
        x->payload_n = (uint16_t)MIN(bytes.n, sizeof(x->payload));
        memcpy(x->payload, bytes.p, x->payload_n);
    }
    return &x->source;
}

void senders_put_refused(struct senders *s)
{
    if (!s->refused || atomic_load_explicit(&s->ready, memory_order_relaxed))
        return;
    atomic_store(&s->ready, s->refused);
    s->refused = NULL;
}

struct refused_senders *senders_take_refused(struct senders *s)
{
    return atomic_exchange(&s->ready, NULL);
}

void senders_give_back(struct senders *s, struct refused_senders **pr)
{
    struct refused_senders *none = NULL;
    if (!atomic_compare_exchange_strong(&s->ready, &none, *pr))
        free(*pr);
    *pr = NULL;
}

/* ---- sequence numbers ---- */

bool senders_sequence(struct senders *s, struct sender *x, const struct record *r,
                      struct sequence_gap *ret)
{
    struct sequence number;
    if (LIKELY(!s->sequences || !sequence_of(r, &number)))
        return false;
    if (UNLIKELY(!x->is_numbered)) /* a store beside what is compared next would hold that up */
        x->is_numbered = true;
    bool may_begin = x->streams < SEQUENCE_STREAMS_A_SOURCE;
    int rc = sequences_take(s->sequences, s->lane, &x->source, x->listener, &number,
                            r->received_at_us, may_begin, ret);
    if (UNLIKELY(rc == 1))
        x->streams++;
    s->counts.missing += ret->missing;
    s->counts.repeated += ret->repeated;
    return ret->missing > 0 || ret->repeated > 0;
}

struct settling {
    struct senders *s;
    senders_gap_fn each;
    void *context;
};

static void settled(void *context, uint8_t listener, const struct ip *source,
                    const struct sequence_gap *gap)
{
    const struct settling *t = context;
    t->s->counts.missing += gap->missing;
    t->s->counts.repeated += gap->repeated;
    t->each(t->context, listener, source, gap);
}

void senders_due_gaps(struct senders *s, int64_t now_wall_us, bool is_all, senders_gap_fn each,
                      void *context)
{
    struct settling t = {s, each, context};
    if (s->sequences)
        sequences_settle(s->sequences, s->lane, now_wall_us, is_all, settled, &t);
}

void senders_counts(const struct senders *s, struct senders_counts *ret)
{
    *ret = s->counts;
    ret->known = s->trial.n + s->kept.n;
    ret->refused = s->refused ? s->refused->n : 0;
}
