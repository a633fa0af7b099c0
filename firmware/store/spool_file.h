/* The bytes of spool files: heads of files and records, their checksums, reading and writing them
 * whole.  For spool.c; spool.md is the format. */
#ifndef AZEKURA_STORE_SPOOL_FILE_H
#define AZEKURA_STORE_SPOOL_FILE_H

#include "base/buf.h"
#include "store/unit.h"

enum { SPOOL_FILE_HEAD_BYTES = 64, SPOOL_HEAD_BYTES = 128 };

/* Of a record. */
struct spool_head {
    uint64_t body_bytes, body_hash;
    uint8_t run[UNIT_RUN_BYTES];
    uint64_t number;
    uint64_t messages, benchmark_messages; /* of the unit's blocks */
    int64_t first_at_us;                   /* received_at of the oldest of them */
    bool is_done;                          /* stored: to be passed by */
    bool is_valid;                         /* the checksum agrees, even if the body is cut off */
};

/* All return 0 or -errno. */
MUST_USE int spool_file_head_write(int fd, uint64_t number);
/* -EBADMSG: damaged, or -ENOTSUP: of another version or another file's, and a sentence in *ret_why;
 * it is untouched when the head is good. */
MUST_USE int spool_file_head_check(int fd, uint64_t number, const char **ret_why);

/* Fill the first SPOOL_HEAD_BYTES of a record whose body is there. */
void spool_head_seal(struct spool_head *h, struct buf *record);
/* Write a record whole at `at`; a crash may leave any beginning of it. */
MUST_USE int spool_record_write(int fd, int64_t at, struct view record);
/* -EBADMSG and *ret_why: it is none, or reaches beyond `end`; -EIO: it cannot be read. */
MUST_USE int spool_head_read(int fd, int64_t at, int64_t end, struct spool_head *ret,
                             const char **ret_why);
/* Behind the damaged record head at *at: *at becomes where the next good record begins.  -EBADMSG:
 * there is none before `end`; -EIO. */
MUST_USE int spool_head_find(int fd, int64_t *at, int64_t end);
/* The body of the record at `at` into `body` of h->body_bytes; -EBADMSG: not as it was written. */
MUST_USE int spool_body_read(int fd, int64_t at, const struct spool_head *h, char *body);
MUST_USE int spool_head_mark_done(int fd, int64_t at);

#endif
