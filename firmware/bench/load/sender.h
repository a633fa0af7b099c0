/* A thread of the generator and the connections it serves.
 *
 *   connect ─▶ wait for the start ─▶ ┌ let go what is due ─▶ ready connections, a batch each ┐ ─▶
 * close └──────── sleep until the next is due, or epoll ◀───────┘
 *
 * Message k of the schedule belongs to connection k mod connections, connection c to thread c mod
 * threads, so that who sends what does not depend on how fast anybody is.  What a peer does not
 * take stays due for its connection and does not hold up the others; it goes out as the peer takes
 * it. */
#ifndef AZEKURA_BENCH_SENDER_H
#define AZEKURA_BENCH_SENDER_H

#include <pthread.h>

#include "bench/load/connection.h"
#include "bench/load/replay.h"
#include "bench/load/schedule.h"

#define SENDER_LATENESS_BUCKETS 1024
#define SENDER_QUEUE 64 /* lines of a file read ahead by a connection */

enum sender_state { SENDER_QUIET, SENDER_READY, SENDER_BLOCKED, SENDER_DOWN, SENDER_FAILED };

struct sender_connection {
    struct connection connection;
    uint32_t index; /* the stream */
    enum sender_state state;
    bool is_watched; /* by epoll */
    bool was_open;
    int64_t allowed; /* messages the schedule has let go */
    int64_t held;    /* taken in part by the kernel */
    _Atomic int64_t sent, bytes;
    size_t at;                  /* the next message in the ring, but of the mix */
    uint32_t next;              /* in the list of the ready ones */
    uint32_t failures;          /* of sending since something was sent */
    int64_t retry_ns;           /* when down */
    struct sender_queue *queue; /* LOAD_FILE */
};

struct sender {
    struct load *load;
    unsigned index;
    pthread_t thread;
    struct payload *payload;
    size_t at; /* the next message of the mix in the ring */
    struct sender_connection *connections;
    uint32_t connections_n;
    struct connection *idle;
    uint32_t idle_n;
    struct pace pace;
    int64_t let_go;   /* messages of the schedule given to connections */
    int64_t batch_at; /* messages let go before this pass */
    int epoll;
    uint32_t ready, ready_last; /* a list by index; UINT32_MAX: empty */
    uint32_t blocked_n, down_n, live_n;
    int64_t now_ns, wall_us, told_ns;
    /* read by others */
    _Atomic int64_t sent, bytes, refused, errors, most_behind, late, unsent_bytes, blocked_ns,
        cpu_ns, ended_ns, invalid, first_invalid, connected, failed;
    _Atomic int error;
    _Atomic int64_t lateness[SENDER_LATENESS_BUCKETS];
    struct err
        err; /* of the first connection that failed; written before `connected` is complete */
};

/* The thread; `argument` is a struct sender. */
void *sender_main(void *argument);
/* The bucket of a lateness, and the greatest lateness of a bucket. */
unsigned sender_bucket(int64_t ns);
int64_t sender_bucket_ns(unsigned bucket);
/* Of the messages 0…n-1 of the schedule, how many are of the thread. */
int64_t sender_share(int64_t n, int64_t connections, int64_t threads, int64_t thread);

int64_t sender_clock_ns(void); /* CLOCK_MONOTONIC */
void sender_sleep_until(int64_t mono_ns);

#endif
