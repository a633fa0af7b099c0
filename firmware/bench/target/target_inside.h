/* What the parts of a target share: target.c is the door, target_driver.c starts and stops it,
 * target_api.c, target_file.c, target_sql.c and target_sink.c know how it keeps messages. */
#ifndef AZEKURA_BENCH_TARGET_INSIDE_H
#define AZEKURA_BENCH_TARGET_INSIDE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "bench/target/api.h"
#include "bench/share.h"
#include "bench/target/target.h"
#include "bench/target/target_env.h"
#include "bench/target/udp_drop.h"

#define TARGET_DIR_MAX 512

/* How a kind of store answers; as target.h says of each.  `search` may be NULL. */
struct target_store {
    int (*counters)(struct target *t, struct target_counters *ret, struct err *err);
    int (*read_back)(struct target *t, uint64_t run, struct tally *tally,
                     const volatile sig_atomic_t *stop, struct err *err);
    int (*visible)(struct target *t, uint64_t run, int64_t *ret, struct err *err);
    int (*forget)(struct target *t, struct err *err);
    int (*watch_start)(struct target *t, uint64_t run, target_found_fn found, void *context,
                       struct err *err);
    void (*watch_stop)(struct target *t);
    int (*search)(struct target *t, const char *query, int seconds, int64_t *ret_us, int64_t *ret_n,
                  struct err *err);
    void (*done)(struct target *t);
};

/* A count that begins anew when a process is started again, as one that does not. */
struct target_count {
    int64_t before, last;
};

struct target {
    struct target_facts facts;
    struct target_count dropped;
    struct target_env env; /* of a driver */
    char dir[TARGET_DIR_MAX];
    char driver[SHARE_PATH_MAX], variant[64];
    pid_t pid;            /* of the driver, 0: none */
    struct stat env_stat; /* of the target.env that was read */
    const struct target_store *store;
    void *state; /* of the store */
    bool is_watching;
};

/* target_driver.c */
MUST_USE int target_driver_start(struct target *t, const struct target_options *o,
                                 const volatile sig_atomic_t *stop, struct err *err);
/* Read target.env again if there is a new one. */
MUST_USE int target_driver_look(struct target *t, struct err *err);
/* Wait for a target.env that is not the one read last, ≤ 120 s. */
MUST_USE int target_driver_wait(struct target *t, const volatile sig_atomic_t *stop,
                                struct err *err);
void target_driver_stop(struct target *t);
/* Let the driver remove what it left in `dir`; false when it is in use or could not. */
bool target_driver_clean(const char *driver, const char *dir);

/* The stores; each sets t->store and t->state. */
MUST_USE int target_api_open(struct target *t, const char *api, const char *token_file,
                             struct err *err);
MUST_USE int target_file_open(struct target *t, struct err *err);
MUST_USE int target_sql_open(struct target *t, struct err *err);
MUST_USE int target_sink_open(struct target *t, struct err *err);

/* target_box.c: find the running product; fills facts, also where to send. */
MUST_USE int target_box_open(struct target *t, const struct target_options *o,
                             const volatile sig_atomic_t *stop, struct err *err);

/* Datagrams the kernel dropped before the target's processes read them, since the target was
 * opened; -1 unknown.  After a restart it goes on from what was last seen of the process that
 * ended. */
int64_t target_kernel_dropped(struct target *t);
int64_t target_count_on(struct target_count *c, int64_t now);
/* "0123456789abcdef" of a run. */
#define TARGET_RUN_TEXT 17
void target_run_text(uint64_t run, char ret[TARGET_RUN_TEXT]);

#endif
