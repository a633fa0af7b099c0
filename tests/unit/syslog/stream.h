/* Feed a byte stream through frame_next the way a receiver does, cut into reads as the test likes.
 */
#ifndef AZEKURA_TEST_STREAM_H
#define AZEKURA_TEST_STREAM_H

#include "base/buf.h"
#include "base/limits.h"
#include "syslog/frame.h"

struct stream_message {
    enum frame_result result;
    char *p; /* owned */
    size_t n;
};

struct stream {
    struct frame_state state;
    size_t max_bytes;
    char *buffer; /* exactly what frame.h asks for, so that ASan sees a read beyond it */
    size_t n;
    struct stream_message *messages;
    size_t count, cap;
};

static inline void stream_open(struct stream *s, size_t max_bytes, enum frame_mode mode)
{
    *s = (struct stream){.max_bytes = max_bytes, .state = {.mode = mode}};
    s->buffer = xmalloc(max_bytes + FRAME_EXTRA_BYTES);
}

static inline void stream_close(struct stream *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->messages[i].p);
    free(s->messages);
    free(s->buffer);
    *s = (struct stream){0};
}

static inline void stream_keep(struct stream *s, enum frame_result result, struct view v)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 16;
        s->messages = xrealloc(s->messages, s->cap, sizeof(*s->messages));
    }
    struct stream_message *m = &s->messages[s->count++];
    *m = (struct stream_message){.result = result, .p = xmalloc(v.n + 1), .n = v.n};
    memcpy(m->p, v.p, v.n);
}

/* Take out all frames that can be told. */
static inline void stream_drain(struct stream *s, bool is_idle)
{
    enum frame_result result;
    size_t at = 0;
    do {
        struct view message = VIEW_NULL;
        size_t used = SIZE_MAX;
        struct view in = view_of(s->buffer + at, s->n - at);
        result = is_idle ? frame_idle(&s->state, in, s->max_bytes, &message, &used)
                         : frame_next(&s->state, in, s->max_bytes, &message, &used);
        CHECK(used <= in.n);
        if (result != FRAME_MORE) {
            CHECK(message.n <= s->max_bytes && message.p >= in.p &&
                  message.p + message.n <= in.p + in.n);
            stream_keep(s, result, message);
        }
        at += used;
    } while (result != FRAME_MORE);
    if (at > 0)
        memmove(s->buffer, s->buffer + at, s->n - at);
    s->n -= at;
    CHECK(s->n < s->max_bytes + FRAME_EXTRA_BYTES); /* else the connection would hang */
}

static inline void stream_send(struct stream *s, const char *p, size_t n)
{
    while (n > 0) {
        size_t part = MIN(n, s->max_bytes + FRAME_EXTRA_BYTES - s->n);
        memcpy(s->buffer + s->n, p, part);
        s->n += part;
        p += part;
        n -= part;
        stream_drain(s, false);
    }
}

static inline void stream_end(struct stream *s)
{
    stream_drain(s, true);
    struct view message = VIEW_NULL;
    struct view left = view_of(s->buffer, s->n);
    enum frame_result result;
    size_t used;
    while ((result = frame_last(&s->state, left, s->max_bytes, &message, &used)) != FRAME_MORE) {
        CHECK(used > 0 && used <= left.n);
        stream_keep(s, result, message);
        left = view_of(left.p + used, left.n - used);
    }
    s->n = 0;
}

static inline bool stream_eq(const struct stream *a, const struct stream *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->messages[i].result != b->messages[i].result ||
            a->messages[i].n != b->messages[i].n ||
            memcmp(a->messages[i].p, b->messages[i].p, a->messages[i].n) != 0)
            return false;
    }
    return true;
}

/* All of `p` in two reads, the first of `first` bytes; first = 0: one byte a read. */
static inline void stream_run(struct stream *s, const char *p, size_t n, size_t first,
                              size_t max_bytes, enum frame_mode mode)
{
    stream_open(s, max_bytes, mode);
    if (first == 0) {
        for (size_t i = 0; i < n; i++)
            stream_send(s, p + i, 1);
    } else {
        stream_send(s, p, MIN(first, n));
        stream_send(s, p + MIN(first, n), n - MIN(first, n));
    }
    stream_end(s);
}

#endif
