/* What the files of the sink share; nobody else includes it. */
#ifndef AZEKURA_BENCH_SINK_INSIDE_H
#define AZEKURA_BENCH_SINK_INSIDE_H

#include <openssl/types.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "bench/mark.h"
#include "bench/sink/sink.h"
#include "bench/tally.h"

#define READ_BYTES ((size_t)256 << 10)
#define BUFFER_BYTES (SINK_MESSAGE_MAX_BYTES + 64 + READ_BYTES) /* 64: an octet count and more */
#define DATAGRAM_BATCH 256
#define FORWARD_BATCH 256

struct sink_listener {
    struct sink_address address;
    char name[SINK_PATH_MAX];
    int fds[SINK_THREADS_MAX]; /* UDP: one a thread; else the first alone */
    size_t fds_n;
    int64_t buffer_bytes;
};

/* What an epoll event points to. */
struct sink_source {
    enum sink_source_kind {
        SOURCE_WAKE,
        SOURCE_DATAGRAMS,
        SOURCE_LISTENER,
        SOURCE_CONNECTION
    } kind;
    int fd;
    struct sink_listener *listener;
};

struct sink_connection {
    struct sink_source source; /* first: an event's pointer is the connection's */
    SSL *ssl;                  /* TLS */
    enum { FRAMING_UNKNOWN, FRAMING_LF, FRAMING_OCTETS } framing;
    char *carry; /* the beginning of a message whose rest has not come */
    size_t carry_n, carry_cap;
    size_t skip;              /* bytes of an oversize counted message still to come */
    bool skips_line;          /* an oversize line goes on */
    bool is_waiting_to_write; /* TLS */
    struct sink_connection *next, *prev;
};

struct sink_run {
    uint64_t run;
    struct tally *received, *stored; /* stored: only where it can differ */
};

struct sink_worker {
    struct sink *sink;
    size_t number;
    pthread_t thread;
    int epoll, wake; /* wake: eventfd */
    struct sink_source wake_source;
    struct sink_source sources[2 * SINK_LISTENERS_MAX];
    size_t sources_n;
    struct sink_datagrams *datagrams; /* sink_datagram.c */
    char *buffer;                     /* BUFFER_BYTES */
    struct sink_run runs[SINK_RUNS_MAX];
    size_t runs_n;
    bool must_close; /* --close-every struck at the message just taken */
    /* sink_outlet.c */
    struct buf store, forward, held;
    bool has_held;
    size_t forward_ends[FORWARD_BATCH];
    size_t forward_n;
    int forward_fd;
    int64_t forward_retry_mono_us;
    int64_t counting[SINK_COUNTS];       /* the worker's own */
    _Atomic int64_t counts[SINK_COUNTS]; /* … published when what they count is written out */
    _Atomic int64_t last_mono_us;
    _Atomic int64_t cpu_us; /* of the thread, when it ended */
};

struct sink {
    struct sink_options o;
    bool is_plain; /* no faults, no store, no forward: messages need not be looked at singly */
    bool is_tallying_stored;
    struct sink_listener listeners[SINK_LISTENERS_MAX];
    size_t listeners_n;
    struct sink_worker *workers;
    size_t workers_n;
    bool is_started, is_stopped;
    _Atomic bool is_ending;
    _Atomic int64_t first_mono_us; /* the first message */
    _Atomic int64_t end_mono_us;   /* of draining, at the latest */
    _Atomic int64_t arrived, kept; /* messages, where faults count them */
    pthread_mutex_t lock;          /* of the following */
    struct sink_connection *connections;
    size_t connections_n, connections_max, next_worker;
    struct err error;
    int error_number;
    int store_fd, fault_log_fd;
    SSL_CTX *tls;
};

static inline void worker_count(struct sink_worker *w, enum sink_count what, int64_t n)
{
    w->counting[what] += n;
}

/* sink.c */
void worker_fail(struct sink_worker *w, int error, const char *what, const char *name);
/* Wait while a stop was asked for; before every read. */
void worker_pause(struct sink_worker *w);
/* Messages have come: remember when. */
void worker_arrived(struct sink_worker *w);
/* At the end of a round of reading: write what waits, then publish the counts, so that who reads of
 * a message in the status finds it in the file. */
void worker_round_end(struct sink_worker *w);
MUST_USE int worker_watch(struct sink_worker *w, struct sink_source *source);

/* sink_run.c: the marks of a message, or of several lines */
void worker_tally(struct sink_worker *w, struct view text, bool is_stored);
void worker_publish(struct sink_worker *w);
void sink_merge_runs(struct sink *s);

/* sink_socket.c */
MUST_USE int sink_socket_open(struct sink *s, struct sink_listener *l, struct err *err);
void sink_socket_close(struct sink_listener *l);
int64_t sink_socket_dropped(int fd);
/* Connected and blocking; -errno. */
MUST_USE int sink_socket_connect(const struct sink_address *to, const struct ip *from);

/* sink_datagram.c */
struct sink_datagrams *datagrams_new(void);
void datagrams_free(struct sink_datagrams **pd);
void datagrams_read(struct sink_worker *w, struct sink_source *source);

/* sink_stream.c */
void stream_accept(struct sink_worker *w, struct sink_source *source);
void stream_read(struct sink_worker *w, struct sink_connection *c);
void stream_close_all(struct sink *s);

/* sink_outlet.c: one message that arrived, without its framing */
void worker_take(struct sink_worker *w, struct view message);
void outlet_init(struct sink_worker *w);
/* A message that --reorder-every holds back has nothing to come after: let it go. */
void outlet_release(struct sink_worker *w);
void outlet_flush(struct sink_worker *w);
void outlet_done(struct sink_worker *w);

/* sink_tls.c */
MUST_USE int sink_tls_new(const char *certificate, const char *key, SSL_CTX **ret, struct err *err);
/* Bytes read; 0: the end; -EAGAIN: wait for *ret_writes ? writing : reading; or -EPROTO. */
MUST_USE ssize_t sink_tls_read(SSL *ssl, char *p, size_t n, bool *ret_writes);

#endif
