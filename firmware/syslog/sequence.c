/* Finding sequence numbers, and following the streams of them. */
#include "syslog/sequence.h"

#include <endian.h>

#include "syslog/parse.h"

#define META_MAX UINT64_C(2147483647)
#define META_SEARCH_BYTES 512 /* of structured data: the element stands at its beginning */
#define CISCO_HEAD_BYTES 256  /* before the mnemonic, as cisco.c has it */
#define CISCO_DIGITS 10
enum { RUN_DIGITS = 16, STREAM_DIGITS = 5, NUMBER_DIGITS = 10 };
#define MARK_BYTES (4 + RUN_DIGITS + 1 + STREAM_DIGITS + 1 + NUMBER_DIGITS)
#define LOGGEN_MARK_BYTES 192 /* loggen's text before the mark */

/* ---- finding ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* What is left at the end is the upper part of the last 8 bytes: no copy of a length that is not
 * known, whose bytes would be read back as one word before they are all in the cache. */
static uint64_t tail_of(struct view v, size_t at)
{
    uint64_t word = 0;
    size_t left = v.n - at;
    if (left == 0)
        return 0;
    if (v.n < sizeof(word)) {
        memcpy(&word, v.p, v.n);
        return word;
    }
    memcpy(&word, v.p + v.n - sizeof(word), sizeof(word));
    return htole64(le64toh(word) >> 8 * (sizeof(word) - left));
}

static uint64_t mix_text(uint64_t h, struct view v)
{
    size_t at = 0;
    uint64_t word;
    h = mix(h, v.n);
    for (; at + sizeof(word) <= v.n; at += sizeof(word)) {
        memcpy(&word, v.p + at, sizeof(word));
        h = mix(h, word);
    }
    return mix(h, tail_of(v, at));
}

/* The digits at the beginning; how many, at most `most`. */
static size_t take_digits(struct view v, size_t most, uint64_t *ret)
{
    size_t n = 0;
    *ret = 0;
    for (; n < v.n && n < most && is_digit(v.p[n]); n++)
        *ret = *ret * 10 + (uint64_t)(v.p[n] - '0');
    return n;
}

static bool find_meta(const struct record *r, struct sequence *ret)
{
    static const char element[] = "[meta ", name[] = " sequenceId=\"";
    struct view sd =
        view_of(r->structured_data.p, MIN(r->structured_data.n, (size_t)META_SEARCH_BYTES));
    const char *at = memmem(sd.p, sd.n, element, sizeof(element) - 1);
    if (!at)
        return false;
    at += sizeof(element) - 2; /* at its blank */
    struct view rest = view_of(at, (size_t)(sd.p + sd.n - at));
    const char *value = memmem(rest.p, rest.n, name, sizeof(name) - 1);
    const char *end = memchr(rest.p, ']', rest.n);
    if (!value || (end && end < value))
        return false;
    value += sizeof(name) - 1;
    uint64_t number;
    size_t n = take_digits(view_of(value, (size_t)(sd.p + sd.n - value)), CISCO_DIGITS, &number);
    if (n == 0 || number > META_MAX || value + n == sd.p + sd.n || value[n] != '"')
        return false;
    *ret =
        (struct sequence){SEQUENCE_META, mix_text(mix_text(0, r->hostname), r->app_name), number};
    return true;
}

/* "82:" as a word of its own before the mnemonic. */
static bool find_cisco(const struct record *r, struct sequence *ret)
{
    const char *p = r->pri_text.p ? r->pri_text.p + r->pri_text.n + 1 : r->raw.p;
    const char *end = r->raw.p + r->raw.n;
    if (p >= end)
        return false;
    size_t n = MIN((size_t)(end - p), (size_t)CISCO_HEAD_BYTES);
    end = memchr(p, '%', n);
    if (!end)
        return false;
    struct cursor c = {p, end};
    for (;;) {
        skip_blanks(&c);
        struct view word = peek_token(&c);
        uint64_t number;
        if (word.n == 0)
            return false;
        n = take_digits(word, CISCO_DIGITS, &number);
        if (n > 0 && n + 1 == word.n && word.p[n] == ':' && number <= UINT32_MAX) {
            /* digits alone are a second number, not a host */
            struct view host = all_digits(r->hostname) ? VIEW_NULL : r->hostname;
            *ret = (struct sequence){SEQUENCE_CISCO, mix_text(0, host), number};
            return true;
        }
        c.p += word.n;
    }
}

/* The mark that begins at p, MARK_BYTES long.  RUN and STREAM only tell streams apart, so they are
 * not read as numbers. */
static bool read_mark(const char *p, struct sequence *ret)
{
    const char *stream = p + 4, *number = stream + RUN_DIGITS + 1 + STREAM_DIGITS + 1;
    uint64_t value;
    if (memcmp(p, "seq=", 4) != 0 || stream[RUN_DIGITS] != '-' || number[-1] != '-' ||
        take_digits(view_of(number, NUMBER_DIGITS), NUMBER_DIGITS, &value) < NUMBER_DIGITS)
        return false;
    *ret = (struct sequence){SEQUENCE_MARK,
                             mix_text(0, view_of(stream, RUN_DIGITS + 1 + STREAM_DIGITS)), value};
    return true;
}

/* The first "seq=", or NULL.  By its last byte, which is rare: memmem() takes ten times as long. */
static const char *find_seq(struct view text)
{
    const char *from = text.p, *end = text.p + text.n, *equals;
    while ((equals = memchr(from, '=', (size_t)(end - from))) != NULL) {
        if (equals - text.p >= 3 && memcmp(equals - 3, "seq", 3) == 0)
            return equals - 3;
        from = equals + 1;
    }
    return NULL;
}

/* At the beginning of the text, at its end, or in loggen's: nowhere else, so that a message without
 * one costs next to nothing. */
static bool find_mark(struct view text, struct sequence *ret)
{
    if (text.n < MARK_BYTES)
        return false;
    const char *last = text.p + text.n - MARK_BYTES;
    if (UNLIKELY(*last == 's' && last[4 + RUN_DIGITS] == '-') && read_mark(last, ret))
        return true;
    if (LIKELY(text.p[0] != 's' || memcmp(text.p, "seq", 3) != 0))
        return false;
    if (text.p[3] == '=')
        return read_mark(text.p, ret);
    if (text.p[3] != ':')
        return false;
    const char *at = find_seq(view_of(text.p, MIN(text.n, (size_t)LOGGEN_MARK_BYTES)));
    return at && at <= last && read_mark(at, ret);
}

bool sequence_of(const struct record *r, struct sequence *ret)
{
    if (r->format == FORMAT_CISCO)
        return find_cisco(r, ret);
    if (r->structured_data.n > 0 && find_meta(r, ret))
        return true;
    return find_mark(r->message, ret);
}

/* ---- following ---- */

/* Numbers lie on a circle: the last one is followed by the first. */
static uint64_t circle(enum sequence_kind kind)
{
    return kind == SEQUENCE_META ? META_MAX : UINT64_C(1) << 32;
}

/* From a place to another the shorter way round: > 0 ahead. */
static int64_t distance(enum sequence_kind kind, uint64_t from, uint64_t to)
{
    if (kind == SEQUENCE_MARK)
        return (int64_t)(to - from);
    uint64_t all = circle(kind), ahead = (to + all - from) % all;
    return ahead > all / 2 ? (int64_t)ahead - (int64_t)all : (int64_t)ahead;
}

static bool is_near(int64_t d)
{
    return d > -SEQUENCE_WINDOW && d <= SEQUENCE_NEAR;
}

static uint64_t awaited(const struct sequence_track *t)
{
    return t->messages ? (uint64_t)(SEQUENCE_WINDOW - __builtin_popcountll(t->seen)) : 0;
}

/* One store, made in registers. */
static void set_pair(struct sequence_track *t, uint64_t highest, uint64_t seen)
{
    typedef __typeof__(t->pair) pair;
    t->pair = (pair){highest, seen};
}

/* A number that is `d` ahead of the track's highest. */
static void advance(struct sequence_track *t, uint64_t place, int64_t d, struct sequence_gap *gap)
{
    if (d < SEQUENCE_WINDOW) {
        uint64_t out = t->seen >> (SEQUENCE_WINDOW - d);
        gap->missing += (uint64_t)(d - __builtin_popcountll(out));
        set_pair(t, place, t->seen << d | 1);
    } else {
        gap->missing += awaited(t) + (uint64_t)(d - SEQUENCE_WINDOW);
        set_pair(t, place, 1);
    }
    t->span = (uint16_t)MIN(t->span + d, (int64_t)UINT16_MAX);
}

/* One that is `behind` the highest, or is it. */
static void fill_in(struct sequence_track *t, int64_t behind, struct sequence_gap *gap)
{
    uint64_t bit = UINT64_C(1) << behind;
    if (behind > t->span)
        return; /* from before the track's first: nothing is known of those */
    if (t->seen & bit)
        gap->repeated++;
    else
        set_pair(t, t->highest, t->seen | bit);
}

/* The track a number belongs to; NULL: it is far from both.  *ret_d: how far ahead of it. */
static struct sequence_track *choose(struct sequence_state *s, enum sequence_kind kind,
                                     uint64_t number, uint64_t place, int64_t *ret_d)
{
    struct sequence_track *recent = &s->track[s->recent], *other = &s->track[!s->recent];
    struct sequence_track *best = NULL;
    int64_t d = recent->messages ? distance(kind, recent->highest, place) : INT64_MAX;
    if (LIKELY(d == 1)) {
        *ret_d = d;
        return recent;
    }
    if (is_near(d)) {
        best = recent;
        *ret_d = d;
    }
    int64_t e = other->messages ? distance(kind, other->highest, place) : INT64_MAX;
    if (is_near(e) && (!best || e == 1 || llabs(e) < llabs(d))) {
        best = other;
        *ret_d = e;
    }
    /* a device that is restarted begins at 0 or 1 again, also soon after it did */
    if (best && number <= 1 && kind != SEQUENCE_MARK && *ret_d < 0 && -*ret_d <= best->span &&
        (best->seen & UINT64_C(1) << -*ret_d))
        return NULL;
    return best;
}

/* The other track is over: what it still awaited is missing. */
static void give_up_other(struct sequence_state *s, struct sequence_gap *gap)
{
    struct sequence_track *other = &s->track[!s->recent];
    gap->missing += awaited(other);
    other->messages = 0;
    s->meaning = SEQUENCE_APART;
}

/* Enough has come on the new track, and nothing on the old one. */
static void believe(struct sequence_state *s, struct sequence_gap *gap)
{
    struct sequence_track *t = &s->track[s->recent];
    s->is_new = 0;
    if (s->meaning == SEQUENCE_REPLAY)
        gap->repeated += t->pending;
    if (s->meaning == SEQUENCE_LOSS) {
        gap->missing += t->pending;
        give_up_other(s, gap);
    }
    t->pending = 0;
}

static void begin(struct sequence_state *s, enum sequence_kind kind, uint64_t number,
                  uint64_t place, struct sequence_gap *gap)
{
    if (!s->is_new && s->track[s->recent].messages) {
        give_up_other(s, gap);
        s->recent = !s->recent;
    }
    struct sequence_track *t = &s->track[s->recent];
    const struct sequence_track *old = &s->track[!s->recent];
    *t = (struct sequence_track){.highest = place, .seen = UINT64_MAX, .messages = 1};
    s->meaning = SEQUENCE_APART;
    s->is_new = old->messages > 0;
    s->run = 1;
    if (!s->is_new)
        return;
    int64_t d = distance(kind, old->highest, place);
    if (d > SEQUENCE_NEAR && d <= SEQUENCE_JUMP_MAX) {
        s->meaning = SEQUENCE_LOSS;
        t->pending = (uint32_t)(d - 1);
    } else if (d <= -SEQUENCE_WINDOW && -d <= SEQUENCE_REPLAY_MAX && number > SEQUENCE_WINDOW) {
        s->meaning = SEQUENCE_REPLAY;
        t->pending = 1;
    }
}

/* Back on the other track: both go on, so the new one meant nothing. */
static void change_track(struct sequence_state *s)
{
    s->track[s->recent].pending = 0;
    s->is_new = 0;
    s->meaning = SEQUENCE_APART;
    s->recent = !s->recent;
    s->run = 0;
}

/* A number on the recent track, which goes through numbers that the other one has seen. */
static void replay(struct sequence_state *s, enum sequence_kind kind, uint64_t place,
                   struct sequence_gap *gap)
{
    struct sequence_track *t = &s->track[s->recent], *old = &s->track[!s->recent];
    if (distance(kind, old->highest, place) > 0) { /* it has caught up */
        if (s->is_new)
            believe(s, gap);
        old->messages = 0;
        s->meaning = SEQUENCE_APART;
    } else if (s->is_new) {
        t->pending++;
    } else {
        gap->repeated++;
    }
}

void sequence_take(struct sequence_state *s, enum sequence_kind kind, uint64_t number,
                   struct sequence_gap *gap)
{
    uint64_t place = kind == SEQUENCE_MARK ? number : number % circle(kind);
    int64_t d = 0;
    struct sequence_track *t = choose(s, kind, number, place, &d);
    if (UNLIKELY(!t)) {
        begin(s, kind, number, place, gap);
        return;
    }
    if (UNLIKELY(t != &s->track[s->recent]))
        change_track(s);
    struct sequence_gap of_replay = {0};
    struct sequence_gap *counted = s->meaning == SEQUENCE_REPLAY ? &of_replay : gap;
    if (d > 0)
        advance(t, place, d, counted);
    else
        fill_in(t, -d, counted);
    t->messages += t->messages < UINT16_MAX;
    s->run += s->run < UINT16_MAX;
    if (UNLIKELY(s->meaning == SEQUENCE_REPLAY))
        replay(s, kind, place, gap);
    if (UNLIKELY(s->is_new && t->messages >= SEQUENCE_CONFIRM))
        believe(s, gap);
    /* a replay may be longer, and needs the other track to its end */
    if (UNLIKELY(s->run >= SEQUENCE_ALONE && s->track[!s->recent].messages > 0 &&
                 s->meaning != SEQUENCE_REPLAY))
        give_up_other(s, gap);
}

void sequence_again(struct sequence_state *s, enum sequence_kind kind, uint64_t number)
{
    struct sequence_track *t = &s->track[s->recent];
    uint64_t place = kind == SEQUENCE_MARK ? number : number % circle(kind);
    struct sequence_gap gap = {0};
    int64_t d = t->messages ? distance(kind, t->highest, place) : 0;
    if (d == 1)
        sequence_take(s, kind, number, &gap);
    else if (d < 0 && d > -SEQUENCE_WINDOW)
        fill_in(t, -d, &gap);
    /* the next number tells of what is farther ahead; this one is missed then, too */
}

bool sequence_settle(struct sequence_state *s, struct sequence_gap *gap)
{
    struct sequence_gap before = *gap;
    if (s->is_new)
        believe(s, gap);
    for (int i = 0; i < 2; i++) {
        struct sequence_track *t = &s->track[i];
        gap->missing += awaited(t);
        if (t->messages)
            set_pair(t, t->highest, UINT64_MAX);
    }
    return gap->missing != before.missing || gap->repeated != before.repeated;
}
