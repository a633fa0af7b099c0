/* The inside of a load, for its threads. */
#ifndef AZEKURA_BENCH_LOAD_INSIDE_H
#define AZEKURA_BENCH_LOAD_INSIDE_H

#include "bench/load/sender.h"

/* Canaries: their own thread and connection. */
struct load_canary {
    pthread_t thread;
    bool is_started;
    struct connection connection;
    _Atomic int64_t sent, bytes;
    _Atomic int64_t due_n;
    int64_t *due_ns; /* of number 0…due_n-1; -1: was not sent */
    int64_t max;
};

enum load_phase { LOAD_WAITS, LOAD_RUNS };

struct load {
    struct load_options o;
    struct load_more more;
    struct connections all;
    bool has_rate;
    int64_t threads_n;
    struct sender *senders;
    pthread_mutex_t lock; /* schedule, phase */
    pthread_cond_t changed;
    struct schedule schedule;
    enum load_phase phase;
    bool is_connected; /* threads were started */
    _Atomic int64_t start_ns, stopped_ns;
    atomic_bool stop;
    _Atomic int64_t ready_threads, ended_threads;
    struct load_canary canary;
};

/* The thread of the canaries; `argument` is a struct load. */
void *load_canary_main(void *argument);
/* Wait for the start; *ret: sender_clock_ns() of it.  False when stopped before. */
bool load_wait_start(struct load *l, int64_t *ret);

#endif
