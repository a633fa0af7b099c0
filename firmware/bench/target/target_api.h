/* A target that is the product, asked by its API: what target_api.c and target_box.c share. */
#ifndef AZEKURA_BENCH_TARGET_API_H
#define AZEKURA_BENCH_TARGET_API_H

#include <pthread.h>

#include "base/ip.h"

#include "bench/target/target_inside.h"

struct target_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    volatile sig_atomic_t is_over;
    bool is_joined; /* the stream has begun */
    struct err err; /* why it did not */
    char query[96], canary[40], last_id[64];
    target_found_fn found;
    void *context;
};

struct target_api_state {
    struct api *api;
    int64_t clock_ahead_us; /* the box's clock before ours */
    int64_t since_us;       /* box's clock: nothing of the benchmark is older */
    int64_t from_us;        /* the same of what was not forgotten */
    struct target_counters
        at_open; /* of earlier runs: the ledger's minutes reach back before `since` */
    char registered[IP_TEXT_MAX]; /* an address to be taken back at the end; "" none */
    struct target_watch watch;
};

/* GET /bench/box since the target was opened. */
MUST_USE int target_api_ask(const struct target_api_state *s, cJSON **ret, struct err *err);
/* Sum of kernel_dropped of the listeners; -1 when none says it. */
int64_t target_api_dropped(const cJSON *box);
/* The box's clock. */
int64_t target_api_now_us(const struct target_api_state *s);
/* Take back the registered address, if there is one. */
void target_api_leave(struct target_api_state *s);
/* Remember what is counted so far, and who the processes are. */
MUST_USE int target_api_begin(struct target *t, struct err *err);
/* Make t->store and t->state of an API; takes `api`. */
struct target_api_state *target_api_attach(struct target *t, struct api *api);

#endif
