/* The folder of a run, OUT/ID: its lock, log, samples.csv, status.json.
 *
 *     lock          write-locked (fcntl) as long as the run lives: F_GETLK tells whether, and who
 *     status.json   where it is, by rename, at most once a second
 *     samples.csv   a line a second and trial (report/report.md)
 *     log           a line an event, with time
 */
#ifndef AZEKURA_BENCH_RUN_FOLDER_H
#define AZEKURA_BENCH_RUN_FOLDER_H

#include <cjson/cJSON.h>

#include "bench/run/trial.h"

#define RUN_FOLDER_ID_MAX 80

struct run_folder {
    char *path; /* absolute */
    char id[RUN_FOLDER_ID_MAX];
    int lock_fd;
    FILE *samples, *log;
    cJSON *last_sample; /* by name; NULL */
};

/* Letters, digits, "._-", not beginning with a dot: also the name of a folder. */
bool run_folder_id_is_valid(const char *id);
/* Make OUT/ID; `id` NULL: DATE_PROFILE, with _2, _3 … when it is there.  -EEXIST for a given id
 * that is there.  Everything is made with mode 0755 and 0644. */
MUST_USE int run_folder_open(const char *out, const char *id, const char *profile,
                             struct run_folder *ret, struct err *err);
void run_folder_close(struct run_folder *f);
void run_folder_log(struct run_folder *f, const char *fmt, ...) PRINTF(2, 3);
/* 0, or -errno when it cannot be written: a full disk must not end a run, but be told. */
MUST_USE int run_folder_sample(struct run_folder *f, int trial, const struct trial_second *s);
MUST_USE int run_folder_write(struct run_folder *f, const char *name, const cJSON *document);

/* One benchmark at a time on a machine: a name in the abstract namespace of unix sockets, so there
 * is no file that a dead one leaves or another plants.  The first to come listens. */
struct run_rival {
    int fd;      /* listening, or -1 */
    int32_t pid; /* of the one that was first, -1: not known; 0: we are */
    bool is_met; /* another came while we were at work, or was there */
};
void run_rival_open(struct run_rival *r);
/* Has another run been at work since the last call? */
bool run_rival_look(struct run_rival *r);
void run_rival_close(struct run_rival *r);

#endif
