/* A connection's bytes into the sink: a byte (how they are split), then the stream.
 *   - in one piece and in pieces, the same is counted
 *   - messages and their bytes fit into what was sent */
#include <sys/socket.h>
#include <unistd.h>

#include "bench/sink/sink_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STREAM_MAX 16384 /* fits into a socket's buffer */

static struct sink *sink(void)
{
    static struct sink *s;
    struct err err;
    if (!s) {
        struct sink_options o = {.threads = 1, .listeners_n = 1};
        o.listeners[0] = (struct sink_address){.transport = TARGET_TCP,
                                               .ip = {.family = 4, .bytes = {127, 0, 0, 1}}};
        CHECK(sink_new(&o, &s, &err) == 0);
    }
    return s;
}

/* What is counted of the stream, sent in pieces of `piece` bytes. */
static void feed(const uint8_t *p, size_t n, size_t piece, int64_t ret[SINK_COUNTS])
{
    struct sink *s = sink();
    int pair[2];
    int64_t before[SINK_COUNTS];
    sink_read(s, before);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    struct sink_connection *c = xcalloc(1, sizeof(*c));
    c->source = (struct sink_source){.kind = SOURCE_CONNECTION, .fd = pair[1]};
    s->connections = c;
    s->connections_n = 1;
    for (size_t at = 0; at < n && s->connections; at += piece) {
        size_t part = MIN(piece, n - at);
        CHECK(send(pair[0], p + at, part, MSG_NOSIGNAL) == (ssize_t)part);
        stream_read(&s->workers[0], c);
    }
    close(pair[0]);
    if (s->connections)
        stream_read(&s->workers[0], c);
    CHECK(!s->connections && s->connections_n == 0);
    sink_read(s, ret);
    for (size_t i = 0; i < SINK_COUNTS; i++)
        ret[i] -= before[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum sink_count compared[] = {SINK_MESSAGES, SINK_BYTES, SINK_OVERSIZE,
                                               SINK_BAD_FRAMES, SINK_UNFINISHED};
    int64_t whole[SINK_COUNTS], pieces[SINK_COUNTS];
    if (size < 2 || size > STREAM_MAX)
        return 0;
    feed(data + 1, size - 1, size, whole);
    feed(data + 1, size - 1, 1 + data[0] % 40u, pieces);
    for (size_t i = 0; i < ARRAY_LEN(compared); i++)
        CHECK(whole[compared[i]] == pieces[compared[i]]);
    CHECK(whole[SINK_MESSAGES] + whole[SINK_BYTES] <= (int64_t)size - 1);
    CHECK(whole[SINK_BAD_FRAMES] + whole[SINK_UNFINISHED] <= 1);
    return 0;
}
