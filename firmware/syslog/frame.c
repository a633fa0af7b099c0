/* Frames of a byte stream, see frame.h.  Runs in the receiver's connection threads.
 *
 *   frame start ──▶ skip trailers (LF, NUL)
 *        ├─ number + blank + PRI ─────────────────▶ counted
 *        ├─ number + blank + other text ──────────▶ counted when its end is a frame's end, else
 * delimited ├─ neither number nor "<" after a counted │  frame: its count was wrong ───────────▶
 * FRAME_BAD up to LF or "number <PRI>" └─ anything else ────────────────────────▶ delimited
 *
 * Each question to the bytes answers YES, NO or UNKNOWN (more bytes would tell). */
#include "syslog/frame.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/limits.h"

/* How far ahead of a NUL the next message is looked for: it must fit into FRAME_EXTRA_BYTES. */
#define NUL_RUN_MAX 4
#define NEXT_DIGITS_MAX 5
/* Text that belongs to no frame is looked at in windows of this size. */
#define WINDOW_BYTES 256

enum answer { NO, YES, UNKNOWN };
enum last { LAST_NONE, LAST_COUNTED, LAST_DELIMITED };
/* What is known about the bytes after `in`. */
enum after { AFTER_UNKNOWN, AFTER_PAUSE, AFTER_NOTHING };

struct cut {
    struct frame_state *s;
    const char *p; /* where the frame starts */
    size_t n;
    size_t max;
    enum after after;
    struct view *ret_message;
    size_t used; /* from p on */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_count_start(char c)
{
    return c >= '1' && c <= '9';
}

/* '<', up to three digits, '>'.  Not a valid PRI necessarily: a sender with a bad one frames as
 * well. */
static enum answer match_pri(const char *p, size_t n, size_t *ret_length)
{
    if (n == 0)
        return UNKNOWN;
    if (p[0] != '<')
        return NO;
    size_t i = 1;
    while (i < n && i < 4 && is_digit(p[i]))
        i++;
    if (i == n)
        return UNKNOWN;
    *ret_length = i + 1;
    return p[i] == '>' ? YES : NO;
}

/* The beginning of a message that nobody could take for text: a PRI, or a count and a PRI. */
static enum answer match_start(const char *p, size_t n)
{
    size_t i = 0, length;
    if (n > 0 && is_count_start(p[0])) {
        while (i < n && i < NEXT_DIGITS_MAX && is_digit(p[i]))
            i++;
        if (i == n)
            return UNKNOWN;
        if (p[i] != ' ')
            return NO;
        i++;
    }
    return match_pri(p + i, n - i, &length);
}

/* Does the NUL at p[at] end a message? */
static enum answer nul_ends(struct cut *c, size_t at)
{
    if (c->s->ends_with_nul)
        return YES;
    size_t i = at + 1;
    while (i < c->n && i - at < NUL_RUN_MAX && c->p[i] == '\0')
        i++;
    if (i == c->n && c->after != AFTER_UNKNOWN)
        return YES;
    return match_start(c->p + i, c->n - i);
}

/* Where the first LF or NUL is, or n.  Both at once: a buffer full of small messages is scanned
 * once, and neither far beyond the other. */
static size_t find_lf_or_nul(const char *p, size_t n)
{
    size_t i = 0;
#ifdef __SSE2__
    const __m128i lf = _mm_set1_epi8('\n'), nul = _mm_setzero_si128();
    for (; i + 16 <= n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i is_end = _mm_or_si128(_mm_cmpeq_epi8(x, lf), _mm_cmpeq_epi8(x, nul));
        unsigned bits = (unsigned)_mm_movemask_epi8(is_end);
        if (bits != 0)
            return i + (size_t)__builtin_ctz(bits);
    }
#endif
    while (i < n && p[i] != '\n' && p[i] != '\0')
        i++;
    return i;
}

/* The first delimiter from s->scanned_bytes on and before `limit` (≤ n).  YES and *ret_at; NO when
 * there is none; UNKNOWN at a NUL that more bytes must explain.  Keeps s->scanned_bytes. */
static enum answer find_delimiter(struct cut *c, size_t limit, size_t *ret_at)
{
    size_t i = c->s->scanned_bytes;
    while (i < limit) {
        size_t at = i + find_lf_or_nul(c->p + i, limit - i);
        if (at == limit) {
            i = limit;
            break;
        }
        c->s->scanned_bytes = at;
        enum answer a = c->p[at] == '\0' ? nul_ends(c, at) : YES;
        if (a == YES) {
            *ret_at = at;
            return YES;
        }
        if (a == UNKNOWN)
            return UNKNOWN;
        i = at + 1;
    }
    c->s->scanned_bytes = MAX(i, (size_t)c->s->scanned_bytes);
    return NO;
}

/* The delimiter at p[at] has been used: remember its kind.  Not before, since bytes that are still
 * to be cut may stand in front of it. */
static void learn(struct cut *c, size_t at)
{
    if (c->p[at] == '\0')
        c->s->ends_with_nul = true;
}

/* A frame has been cut: `used` bytes from its start, the message's `length` bytes from `start`. */
static enum frame_result take(struct cut *c, size_t start, size_t length, size_t used,
                              enum last last, enum frame_result result)
{
    c->s->scanned_bytes = 0;
    c->s->last = last;
    c->used = used;
    *c->ret_message = view_of(c->p + start, length);
    return result;
}

/* `result` is what to call a message of up to max bytes. */
static enum frame_result cut_delimited(struct cut *c, enum frame_result result)
{
    enum frame_result long_result = result == FRAME_BAD ? FRAME_BAD : FRAME_TRUNCATED;
    size_t at;
    enum answer a = find_delimiter(c, c->n, &at);
    if (a == YES)
        learn(c, at);
    if (a == YES && at <= c->max)
        return take(c, 0, at, at + 1, LAST_DELIMITED, result);
    if (a == YES)
        return take(c, 0, c->max, at + 1, LAST_DELIMITED, long_result);
    if (c->s->scanned_bytes <= c->max)
        return FRAME_MORE;
    c->s->skip_to_delimiter = true;
    return take(c, 0, c->max, c->max, LAST_DELIMITED, long_result);
}

/* A number and a blank at p[at]. */
static enum answer match_count(const struct cut *c, size_t at, size_t *ret_start,
                               uint64_t *ret_count)
{
    uint64_t count = 0;
    size_t i = at;
    if (i < c->n && !is_count_start(c->p[i]))
        return NO;
    while (i < c->n && i - at < FRAME_OCTET_DIGITS_MAX && is_digit(c->p[i]))
        count = count * 10 + (uint64_t)(c->p[i++] - '0');
    if (i == c->n)
        return UNKNOWN;
    *ret_start = i + 1;
    *ret_count = count;
    return c->p[i] == ' ' ? YES : NO;
}

/* Does the message end within the count of the next frame, "…\n1" and "20 <13>…"?  Only where the
 * rest could not be a frame itself: it begins with 0 or a blank.  YES and *ret_lf. */
static enum answer ends_within_count(const struct cut *c, size_t start, size_t end, size_t *ret_lf)
{
    size_t i = end, length;
    while (i > start && end - i < FRAME_OCTET_DIGITS_MAX && is_digit(c->p[i - 1]))
        i--;
    if (i == end || i == start || c->p[i - 1] != '\n' || !is_count_start(c->p[i]))
        return NO;
    *ret_lf = i - 1;
    for (i = end; i < c->n && i - end < FRAME_OCTET_DIGITS_MAX && is_digit(c->p[i]);)
        i++;
    if (end < c->n && c->p[end] != '0' && c->p[end] != ' ')
        return NO;
    if (i == c->n)
        return UNKNOWN;
    return c->p[i] == ' ' ? match_pri(c->p + i + 1, c->n - i - 1, &length) : NO;
}

/* Does a line of p[start, end) begin with a count and a PRI?  *ret_lf: the end of the line before.
 */
static bool find_inner_frame(const struct cut *c, size_t start, size_t end, size_t *ret_lf)
{
    struct cut inner = *c; /* what is beyond its end may not have come yet */
    const char *lf = c->p + start, *limit = c->p + end;
    size_t body, length;
    uint64_t next;
    inner.n = end;
    for (; (lf = memchr(lf, '\n', (size_t)(limit - lf))) != NULL && lf + 1 < limit; lf++) {
        size_t at = (size_t)(lf + 1 - c->p);
        if (is_count_start(lf[1]) && match_count(&inner, at, &body, &next) == YES &&
            match_pri(c->p + body, end - body, &length) == YES) {
            *ret_lf = (size_t)(lf - c->p);
            return true;
        }
    }
    return false;
}

/* Is a count too large, and leads into another frame: does a line in the message begin with a count
 * and a PRI, while at its end nothing begins?  YES and *ret_lf: the end of that line before. */
static enum answer leads_astray(const struct cut *c, size_t start, size_t count, size_t *ret_lf)
{
    size_t after = start + count;
    bool may_wait = c->after == AFTER_UNKNOWN && c->n < c->max + FRAME_EXTRA_BYTES;
    if (!find_inner_frame(c, start, after, ret_lf)) {
        enum answer a = ends_within_count(c, start, after, ret_lf);
        return a == UNKNOWN && !may_wait ? NO : a;
    }
    if (after == c->n)
        return may_wait ? UNKNOWN : NO;
    if (c->p[after] == '\n' || c->p[after] == '\r' || c->p[after] == '\0')
        return NO;
    enum answer a = match_start(c->p + after, c->n - after);
    return a == UNKNOWN ? (may_wait ? UNKNOWN : NO) : a == YES ? NO : YES;
}

static enum frame_result cut_counted(struct cut *c, size_t header, uint64_t count)
{
    size_t kept = (size_t)MIN(count, (uint64_t)c->max), lf;
    if (c->n - header < kept) {
        if (c->after != AFTER_NOTHING)
            return FRAME_MORE;
        if (find_inner_frame(c, header, c->n, &lf)) /* it would have swallowed them all */
            return take(c, header, lf - header, lf + 1, LAST_NONE, FRAME_BAD);
        return take(c, header, c->n - header, c->n, LAST_COUNTED, FRAME_TRUNCATED);
    }
    enum answer astray = kept == count ? leads_astray(c, header, kept, &lf) : NO;
    if (UNLIKELY(astray == UNKNOWN))
        return FRAME_MORE;
    if (UNLIKELY(astray == YES))
        return take(c, header, lf - header, lf + 1, LAST_NONE, FRAME_BAD);
    c->s->skip_bytes = count - kept;
    return take(c, header, kept, header + kept, LAST_COUNTED,
                count > kept ? FRAME_TRUNCATED : FRAME_MESSAGE);
}

/* Could the `count` bytes from `start` on be a counted message without PRI: is their end in sight,
 * and no delimiter before it?  YES and *ret_end. */
static enum answer match_body(struct cut *c, size_t start, uint64_t count, size_t *ret_end)
{
    if (start + count > c->max)
        return NO; /* its end could not be seen */
    size_t end = start + (size_t)count, at;
    enum answer a = find_delimiter(c, MIN(c->n, end), &at);
    if (a == YES)
        return NO;
    if (a == UNKNOWN && c->after != AFTER_NOTHING)
        return UNKNOWN;
    if (c->n < end)
        return c->after == AFTER_NOTHING ? NO : UNKNOWN;
    *ret_end = end;
    return YES;
}

/* Is a count believable although no PRI follows it?  When a message that cannot be mistaken begins
 * at its end; or the bytes end there; or, as numbers alone mean little ("3 of 5 disks"), a second
 * count leads to a third. */
static enum answer count_is_believable(struct cut *c, size_t header, uint64_t count)
{
    size_t end = 0, start = header;
    if (c->s->mode == FRAME_COUNTED)
        return YES;
    for (int more = 1; more >= 0; more--) {
        enum answer a = match_body(c, start, count, &end);
        if (a != YES)
            return a;
        if (c->n == end && c->after != AFTER_UNKNOWN)
            return c->s->last == LAST_DELIMITED ? NO : YES;
        a = match_start(c->p + end, c->n - end);
        if (a != NO)
            return a;
        char next = c->p[end];
        if (c->s->last == LAST_COUNTED)
            return next == '\n' || next == '\r' || next == '\0' || is_count_start(next) ? YES : NO;
        a = match_count(c, end, &start, &count);
        if (a != YES)
            return a == UNKNOWN && c->after != AFTER_UNKNOWN ? NO : a;
    }
    return YES;
}

/* Where in p[from, end) a count and a PRI begin.  YES and *ret_at; UNKNOWN when more bytes must
 * tell. */
static enum answer find_resync(const struct cut *c, size_t from, size_t end, size_t *ret_at)
{
    for (size_t i = from; i < end; i++) {
        const char *lt = memchr(c->p + i, '<', end - i);
        size_t length;
        if (lt == NULL || (size_t)(lt - c->p) > c->max)
            return NO;
        i = (size_t)(lt - c->p);
        if (i < 2 || lt[-1] != ' ' || !is_digit(lt[-2]))
            continue;
        size_t digits = i - 1;
        while (digits > 0 && i - digits <= FRAME_OCTET_DIGITS_MAX && is_digit(c->p[digits - 1]))
            digits--;
        while (c->p[digits] == '0')
            digits++;
        if (digits == 0 || digits == i - 1)
            continue;
        enum answer pri = match_pri(lt, c->n - i, &length);
        *ret_at = pri == UNKNOWN ? i : digits;
        if (pri != NO)
            return pri;
    }
    return NO;
}

/* After a counted frame stands neither a number nor a PRI: give what is there up to where frames
 * can be recognised again. */
static enum frame_result cut_leftover(struct cut *c)
{
    for (;;) {
        size_t from = c->s->scanned_bytes, delimiter, at;
        enum answer a = find_delimiter(c, MIN(c->n, from + WINDOW_BYTES), &delimiter);
        size_t end = a == YES ? delimiter : c->s->scanned_bytes;
        enum answer resync = find_resync(c, from, end, &at);
        if (resync == YES)
            return take(c, 0, at, at, LAST_NONE, FRAME_BAD);
        if (resync == UNKNOWN && c->after != AFTER_NOTHING) {
            c->s->scanned_bytes = at;
            return FRAME_MORE;
        }
        if (end > c->max)
            return take(c, 0, c->max, c->max, LAST_COUNTED, FRAME_BAD);
        if (a == YES) {
            learn(c, end);
            return take(c, 0, end, end + 1, LAST_NONE, FRAME_BAD);
        }
        if (a == UNKNOWN || end == c->n)
            return FRAME_MORE;
    }
}

static enum frame_result cut_numbered(struct cut *c)
{
    uint64_t count;
    size_t header, length = 0;
    enum answer is_number = match_count(c, 0, &header, &count);
    if (is_number == UNKNOWN)
        return FRAME_MORE;
    if (is_number == NO) {
        bool is_leftover = c->s->mode == FRAME_COUNTED || c->s->last == LAST_COUNTED;
        return is_leftover ? cut_leftover(c) : cut_delimited(c, FRAME_MESSAGE);
    }
    enum answer pri = match_pri(c->p + header, c->n - header, &length);
    if (pri == UNKNOWN && c->after != AFTER_NOTHING)
        return FRAME_MORE;
    if (count > FRAME_OCTET_COUNT_MAX)
        return cut_delimited(c,
                             pri == YES || c->s->mode == FRAME_COUNTED ? FRAME_BAD : FRAME_MESSAGE);
    enum answer is_counted = pri == YES && length <= count ? YES
                                                           : count_is_believable(c, header, count);
    switch (is_counted) {
    case YES:
        return cut_counted(c, header, count);
    case NO:
        return cut_delimited(c, FRAME_MESSAGE);
    default:
        return FRAME_MORE;
    }
}

static enum frame_result cut_frame(struct cut *c)
{
    bool is_numbered = is_count_start(c->p[0]);
    if (c->s->mode == FRAME_DELIMITED)
        return cut_delimited(c, FRAME_MESSAGE);
    if (is_numbered)
        return cut_numbered(c);
    if (c->s->mode == FRAME_COUNTED || (c->s->last == LAST_COUNTED && c->p[0] != '<'))
        return cut_leftover(c);
    return cut_delimited(c, FRAME_MESSAGE);
}

/* Drop what an earlier over-long message still has to come.  True when it is all gone. */
static bool drop_tail(struct cut *c)
{
    if (c->s->skip_bytes > 0) {
        size_t n = (size_t)MIN(c->s->skip_bytes, (uint64_t)c->n);
        c->s->skip_bytes -= n;
        c->p += n;
        c->n -= n;
        return c->s->skip_bytes == 0;
    }
    if (c->s->skip_to_delimiter) {
        size_t at;
        enum answer a = find_delimiter(c, c->n, &at);
        size_t n = a == YES ? at + 1 : (size_t)c->s->scanned_bytes;
        if (a == YES)
            learn(c, at);
        c->s->skip_to_delimiter = a != YES;
        c->s->scanned_bytes = 0;
        c->p += n;
        c->n -= n;
        return a == YES;
    }
    return true;
}

static bool is_blank(struct view v)
{
    for (size_t i = 0; i < v.n; i++) {
        if (v.p[i] != ' ' && v.p[i] != '\t' && v.p[i] != '\r')
            return false;
    }
    return true;
}

static bool is_only_cr(struct view v)
{
    return v.n == 0 || (v.p[0] == '\r' && is_blank(v) && memchr(v.p, ' ', v.n) == NULL &&
                        memchr(v.p, '\t', v.n) == NULL);
}

static enum frame_result cut(struct frame_state *s, struct view in, size_t max_bytes,
                             enum after after, struct view *ret_message, size_t *ret_used)
{
    CHECK(max_bytes >= FRAME_EXTRA_BYTES);
    struct cut c = {
        .s = s, .p = in.p, .n = in.n, .max = max_bytes, .after = after, .ret_message = ret_message};
    enum frame_result result = FRAME_MORE;
    while (drop_tail(&c)) {
        uint8_t last = s->last;
        while (s->scanned_bytes == 0 && c.n > 0 && (c.p[0] == '\n' || c.p[0] == '\0')) {
            c.p++;
            c.n--;
        }
        c.used = 0;
        if (c.n == 0)
            break;
        result = cut_frame(&c);
        c.p += c.used;
        c.n -= c.used;
        bool is_empty =
            (result == FRAME_MESSAGE && s->last == LAST_DELIMITED && is_only_cr(*ret_message)) ||
            (result == FRAME_BAD && is_blank(*ret_message));
        if (!is_empty)
            break;
        s->last = last; /* a line that is empty but for its CR, or blanks between counted frames */
        result = FRAME_MORE;
    }
    *ret_used = in.n - c.n;
    return result;
}

enum frame_result frame_next(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used)
{
    return cut(s, in, max_bytes, AFTER_UNKNOWN, ret_message, ret_used);
}

enum frame_result frame_idle(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used)
{
    return cut(s, in, max_bytes, AFTER_PAUSE, ret_message, ret_used);
}

enum frame_result frame_last(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used)
{
    enum frame_result result = cut(s, in, max_bytes, AFTER_NOTHING, ret_message, ret_used);
    if (result != FRAME_MORE || s->skip_bytes > 0 || s->skip_to_delimiter)
        return result;
    struct view rest = view_of(in.p + *ret_used, in.n - *ret_used);
    *ret_used = in.n;
    if (is_only_cr(rest))
        return FRAME_MORE;
    *ret_message = view_of(rest.p, MIN(rest.n, max_bytes));
    if (s->mode == FRAME_COUNTED || (s->mode == FRAME_AUTO && s->last == LAST_COUNTED &&
                                     !is_digit(rest.p[0]) && rest.p[0] != '<'))
        return is_blank(rest) ? FRAME_MORE : FRAME_BAD;
    return rest.n > max_bytes ? FRAME_TRUNCATED : FRAME_MESSAGE;
}
