/* The folders of benchmark runs: STATE/web/bench/ID/.  What lies in them was written by another
 * program, so nothing of it is believed: no links are followed, sizes are limited, JSON is checked.
 *
 *   ID/…             azekura-bench's: its lock (fcntl, for as long as it lives), report.json …
 *   ID/summary.json  one entry of the history, ours
 *   .open/ID         a run that was started here and whose end has not been tidied up: its entry
 *   .open/ID.token   the run's bearer token, 0600
 *   .open/ID.log     what the run prints
 */
#ifndef AZEKURA_WEB_BENCH_FOLDER_H
#define AZEKURA_WEB_BENCH_FOLDER_H

#include <cjson/cJSON.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/view.h"

#define BENCH_ID_MAX 64
#define BENCH_REPORT_MAX_BYTES (4u << 20) /* some hundred trials of some KiB */
#define BENCH_STATUS_MAX_BYTES 65536
#define BENCH_SUMMARY_MAX_BYTES 65536
#define BENCH_LISTED_MAX 4096 /* looked at: more can only have been put there by hand */

/* 1…64 of 0–9 A–Z a–z _ - : cannot be a path. */
bool bench_id_is_valid(struct view id);

/* All of these: a descriptor, or negative and *err.  The folder of the runs is made when it is not
 * there; a run that is not there is -ENOENT "not_found". */
MUST_USE int bench_folder_root(const char *state_dir, struct err *err);
MUST_USE int bench_folder_run(int root, const char *id, struct err *err);
MUST_USE int bench_folder_marks(int root, struct err *err); /* .open */
/* A regular file of a folder for reading, -ENOENT when there is none. */
MUST_USE int bench_folder_file(int dir, const char *name, struct err *err);

/* The process that holds the folder's lock, 0: none. */
pid_t bench_folder_holder(int dir);
/* Ask it to end, when it still is the holder, and leave it a sentence that says who asks ("it was
 * stopped by mori in the console").  0, or -ESRCH. */
MUST_USE int bench_folder_stop(int dir, const char *en, const char *ja);

/* A whole file of at most `max` bytes.  0, -ENOENT, or negative and *err. */
MUST_USE int bench_folder_read(int dir, const char *name, size_t max, struct buf *ret,
                               struct err *err);
/* The same as a JSON object, the caller's; NULL and *err. */
MUST_USE cJSON *bench_folder_json(int dir, const char *name, size_t max, struct err *err);
/* Put a file in place by a rename; its name has at most BENCH_ID_MAX + 8 bytes. */
MUST_USE int bench_folder_write(int dir, const char *name, struct view bytes, mode_t mode,
                                struct err *err);

/* Valid ids in the folder, greatest (newest) first; `before` NULL: all, else only lesser ones.
 * The list is in the arena.  Returns how many, or negative and *err. */
MUST_USE int bench_folder_list(int root, const char *before, struct arena *arena, const char ***ret,
                               struct err *err);
/* What the files of a run take on the disk. */
int64_t bench_folder_bytes(int root, const char *id);
/* Remove a run's folder and everything in it; nobody may hold its lock.  0, or negative and *err.
 */
MUST_USE int bench_folder_remove(int root, const char *id, struct err *err);

#endif
