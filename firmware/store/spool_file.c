/* The bytes of spool files (spool.md). */
#include "store/spool_file.h"

#include <endian.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "store/fault.h"

enum {
    VERSION = 1,

    F_VERSION = 8,
    F_HEAD_BYTES = 12,
    F_NUMBER = 16,
    F_MADE_AT = 24,
    F_HASH = 56,

    H_STATE = 4,
    H_HEAD_BYTES = 8,
    H_BODY_BYTES = 16,
    H_BODY_HASH = 24,
    H_RUN = 32,
    H_NUMBER = 48,
    H_MESSAGES = 56,
    H_BENCHMARK = 64,
    H_FIRST_AT = 72,
    H_HASH = 120,

    WRITE_BYTES = 1 << 20, /* at a time */
};
static const char file_magic[8] = {'A', 'Z', 'K', 'S', 'P', 'O', 'O', 'L'};
static const char record_magic[4] = {'A', 'Z', 'K', 'R'};

static uint32_t get32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return le32toh(v);
}

static uint64_t get64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return le64toh(v);
}

static void put32(char *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, 4);
}

static void put64(char *p, uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, 8);
}

static int write_at(int fd, int64_t at, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = pwrite(fd, p, n, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -EIO;
        p += done;
        at += done;
        n -= (size_t)done;
    }
    return 0;
}

/* 0, -EBADMSG when the file ends before, or -EIO. */
static int read_at(int fd, int64_t at, char *p, size_t n)
{
    while (n > 0) {
        ssize_t got = pread(fd, p, n, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -EIO : -EBADMSG;
        p += got;
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

/* ---- files ---- */

int spool_file_head_write(int fd, uint64_t number)
{
    char head[SPOOL_FILE_HEAD_BYTES] = {0};
    memcpy(head, file_magic, sizeof(file_magic));
    put32(head + F_VERSION, VERSION);
    put32(head + F_HEAD_BYTES, SPOOL_FILE_HEAD_BYTES);
    put64(head + F_NUMBER, number);
    put64(head + F_MADE_AT, (uint64_t)clock_wall_us());
    put64(head + F_HASH, XXH3_64bits(head, F_HASH));
    return write_at(fd, 0, head, sizeof(head));
}

int spool_file_head_check(int fd, uint64_t number, const char **ret_why)
{
    char head[SPOOL_FILE_HEAD_BYTES];
    int rc = read_at(fd, 0, head, sizeof(head));
    const char *why = NULL;
    int answer = -EBADMSG;
    if (rc == -EIO)
        why = "it cannot be read";
    else if (rc < 0)
        why = "it is shorter than a spool file's head";
    else if (memcmp(head, file_magic, sizeof(file_magic)) != 0)
        why = "it does not begin as a spool file";
    else if (get64(head + F_HASH) != XXH3_64bits(head, F_HASH))
        why = "its head does not agree with its checksum";
    else if (get32(head + F_VERSION) != VERSION ||
             get32(head + F_HEAD_BYTES) != SPOOL_FILE_HEAD_BYTES)
        why = "it is of another version of this product", answer = -ENOTSUP;
    else if (get64(head + F_NUMBER) != number)
        why = "it has another number than its name", answer = -ENOTSUP;
    if (!why)
        return 0;
    *ret_why = why;
    return answer;
}

/* ---- records ---- */

void spool_head_seal(struct spool_head *h, struct buf *record)
{
    char *p = record->p;
    h->body_bytes = record->n - SPOOL_HEAD_BYTES;
    h->body_hash = XXH3_64bits(p + SPOOL_HEAD_BYTES, h->body_bytes);
    memset(p, 0, SPOOL_HEAD_BYTES);
    memcpy(p, record_magic, sizeof(record_magic));
    put32(p + H_HEAD_BYTES, SPOOL_HEAD_BYTES);
    put64(p + H_BODY_BYTES, h->body_bytes);
    put64(p + H_BODY_HASH, h->body_hash);
    memcpy(p + H_RUN, h->run, sizeof(h->run));
    put64(p + H_NUMBER, h->number);
    put64(p + H_MESSAGES, h->messages);
    put64(p + H_BENCHMARK, h->benchmark_messages);
    put64(p + H_FIRST_AT, (uint64_t)h->first_at_us);
    put64(p + H_HASH, XXH3_64bits(p + H_HEAD_BYTES, H_HASH - H_HEAD_BYTES));
    h->is_valid = true;
}

int spool_record_write(int fd, int64_t at, struct view record)
{
    int rc = write_at(fd, at, record.p, SPOOL_HEAD_BYTES);
    FAULT("spool.head");
    /* in two parts at least, so that a test can be killed between them */
    size_t first = (record.n - SPOOL_HEAD_BYTES + 1) / 2;
    for (size_t done = SPOOL_HEAD_BYTES; rc == 0 && done < record.n;) {
        size_t left = done == SPOOL_HEAD_BYTES ? first : record.n - done;
        size_t n = MIN(left, (size_t)WRITE_BYTES);
        rc = write_at(fd, at + (int64_t)done, record.p + done, n);
        done += n;
        FAULT("spool.body");
    }
    return rc;
}

int spool_head_read(int fd, int64_t at, int64_t end, struct spool_head *ret, const char **ret_why)
{
    char p[SPOOL_HEAD_BYTES];
    memset(ret, 0, sizeof(*ret));
    *ret_why = "a record's head is cut off";
    if (end - at < SPOOL_HEAD_BYTES)
        return -EBADMSG;
    int rc = read_at(fd, at, p, sizeof(p));
    if (rc < 0)
        return rc;
    *ret_why = "a record's head is not valid";
    if (memcmp(p, record_magic, sizeof(record_magic)) != 0 ||
        get32(p + H_HEAD_BYTES) != SPOOL_HEAD_BYTES || get32(p + H_STATE) > 1 ||
        get64(p + H_HASH) != XXH3_64bits(p + H_HEAD_BYTES, H_HASH - H_HEAD_BYTES))
        return -EBADMSG;
    ret->is_valid = true;
    ret->is_done = get32(p + H_STATE) == 1;
    ret->body_bytes = get64(p + H_BODY_BYTES);
    ret->body_hash = get64(p + H_BODY_HASH);
    memcpy(ret->run, p + H_RUN, sizeof(ret->run));
    ret->number = get64(p + H_NUMBER);
    ret->messages = get64(p + H_MESSAGES);
    ret->benchmark_messages = get64(p + H_BENCHMARK);
    ret->first_at_us = (int64_t)get64(p + H_FIRST_AT);
    *ret_why = "a record is cut off";
    return ret->body_bytes > (uint64_t)(end - at - SPOOL_HEAD_BYTES) ? -EBADMSG : 0;
}

/* Where the damaged head says that its record ends, if a good one begins there or the file ends. */
static bool next_by_length(int fd, int64_t *at, int64_t end)
{
    char p[SPOOL_HEAD_BYTES];
    struct spool_head h;
    const char *why;
    if (end - *at < SPOOL_HEAD_BYTES || read_at(fd, *at, p, sizeof(p)) < 0)
        return false;
    uint64_t body_bytes = get64(p + H_BODY_BYTES);
    if (body_bytes > (uint64_t)(end - *at - SPOOL_HEAD_BYTES))
        return false;
    int64_t next = *at + SPOOL_HEAD_BYTES + (int64_t)body_bytes;
    if (spool_head_read(fd, next, end, &h, &why) < 0)
        return false;
    *at = next;
    return true;
}

int spool_head_find(int fd, int64_t *at, int64_t end)
{
    /* its length first: a message can have a record in it, a place between records cannot */
    if (next_by_length(fd, at, end))
        return 0;
    char *part = xmalloc(WRITE_BYTES);
    int rc = -EBADMSG;
    for (int64_t from = *at + 1; rc == -EBADMSG && end - from >= SPOOL_HEAD_BYTES;) {
        size_t n = (size_t)MIN(end - from, (int64_t)WRITE_BYTES);
        int got = read_at(fd, from, part, n);
        if (got < 0) {
            rc = got == -EIO ? -EIO : -ENODATA;
            break;
        }
        size_t k = 0;
        for (const char *p; (p = memmem(part + k, n - k, record_magic, sizeof(record_magic)));) {
            struct spool_head h;
            const char *why;
            k = (size_t)(p - part);
            if (spool_head_read(fd, from + (int64_t)k, end, &h, &why) == 0) {
                *at = from + (int64_t)k;
                rc = 0;
                break;
            }
            k++;
        }
        from += (int64_t)(n - (sizeof(record_magic) - 1));
    }
    free(part);
    return rc == -ENODATA ? -EBADMSG : rc;
}

int spool_body_read(int fd, int64_t at, const struct spool_head *h, char *body)
{
    int rc = read_at(fd, at + SPOOL_HEAD_BYTES, body, h->body_bytes);
    if (rc < 0)
        return rc;
    return XXH3_64bits(body, h->body_bytes) == h->body_hash ? 0 : -EBADMSG;
}

int spool_head_mark_done(int fd, int64_t at)
{
    char done[4];
    put32(done, 1);
    return write_at(fd, at + H_STATE, done, sizeof(done));
}
