/* The spool: units in files, while the database is away or slower than what comes.
 *
 * STATE/spool/NNNNNNNNNNNNNNNN.spool, oldest number first; spool.md is the format byte by
 * byte with its validity rule and its crash story.  A unit is in the spool from the moment
 * spool_append() returns 0 (it survives kill -9 then) until spool_drop_head(); after spool_sync()
 * it survives a power cut.  Written again after a crash it meets its own key in the database, so
 * that nothing is stored twice.
 *
 * In the receiver's folder, since it is the receiver's user that writes it.  One spool a state
 * folder, guarded by the receiver's lock.  Its functions may be called by several threads: one lock
 * inside, not held while syncing. */
#ifndef AZEKURA_STORE_SPOOL_H
#define AZEKURA_STORE_SPOOL_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/unit.h"

enum spool_state {
    SPOOL_IDLE,     /* empty */
    SPOOL_FILLING,  /* the database does not take units */
    SPOOL_DRAINING, /* it does; the oldest go first */
    SPOOL_FULL,     /* spool.max_bytes, or the disk refuses */
};
const char *spool_state_name(enum spool_state s);

struct spool_status {
    uint64_t bytes, max_bytes; /* of files */
    uint64_t units, messages, benchmark_messages;
    int64_t oldest_at_us; /* TIME_NONE when empty */
    enum spool_state state;
    uint64_t torn_records;  /* since the start, cut off: with the next two */
    uint64_t torn_messages; /* of those whose head could be read */
    uint64_t aside_files;   /* since the start */
};

struct spool;

/* What is found at the start and later: told once each, by the thread that met it; the callback
 * must not call the spool. */
enum spool_news {
    SPOOL_NEWS_TORN,
    SPOOL_NEWS_ASIDE,
    SPOOL_NEWS_NO_FOLDER, /* nothing can be kept until it is there: tried again with each append */
};
struct spool_notice {
    enum spool_news news;
    const char *file; /* its path now */
    const char *why;
    uint64_t records, messages; /* lost to it, as far as heads could be read */
    const uint8_t *run;         /* of the first of them, or NULL */
    uint64_t number;
};
typedef void (*spool_notice_fn)(void *context, const struct spool_notice *n);

/* Open the folder `parent`/spool, made if missing: reads the heads of all records, cuts a torn tail
 * off the newest file, sets aside what is no spool file.  Neither damage nor a folder that cannot
 * be had keeps it from opening.  0, or negative and *err (the path is too long). */
MUST_USE int spool_open(const char *parent, int64_t max_bytes, spool_notice_fn each, void *context,
                        struct spool **ret, struct err *err);
void spool_close(struct spool **s); /* syncs */
void spool_set_max_bytes(struct spool *s, int64_t max_bytes);

/* Write a unit at the end.  0: it is in the page cache, whole.  -ENOSPC: over max_bytes, or the
 * disk is full; another negative code: the disk failed; in both cases *err, and nothing has
 * changed. */
MUST_USE int spool_append(struct spool *s, const struct unit *u, uint64_t *ret_position,
                          struct err *err);
/* To disk, everything appended so far.  0, or negative and *err (the disk failed, or somebody has
 * deleted the file): the units stay where they are, and the next file is begun. */
MUST_USE int spool_sync(struct spool *s, struct err *err);

/* The oldest unit, decoded. */
struct spool_unit {
    struct unit unit;
    uint64_t messages, benchmark_messages; /* of its blocks */
    uint64_t position;                     /* for spool_drop_head */
    struct arena arena;                    /* of what `unit` points to … */
    char *body;                            /* … and its columns */
};
/* 1 and *ret, to be freed; 0 when the spool is empty; or negative and *err (the disk cannot be read
 * now).  Damaged records, and what cannot be read in ten tries, are passed by, told and counted. */
MUST_USE int spool_head(struct spool *s, struct spool_unit *ret, struct err *err);
void spool_unit_free(struct spool_unit *u); /* a zeroed one is harmless */
/* The unit of that position is confirmed.  It must be the head, as spool_head() gave it or as the
 * first spool_append() into an empty spool. */
void spool_drop_head(struct spool *s, uint64_t position);

bool spool_is_empty(const struct spool *s);
/* Bytes, units, messages and damage; state is IDLE or FILLING: the caller knows the rest. */
void spool_read_status(const struct spool *s, struct spool_status *ret);

#endif
