/* A spool file of any bytes: it is opened, every unit that it still has is given out once, what it
 * says of itself agrees with that, and the spool goes on.  Byte 0: whether checksums are made right
 * first (a fuzzer does not guess them), and whether a newer file follows, so that this one is not
 * the one whose end may be torn; the rest is the file behind its head. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/limits.h"
#include "store/spool.h"
#include "store/spool_file.h"
#include "store/spool_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IS_SEALED = 1, HAS_NEWER = 2, BODY_BYTES_AT = 16, BODY_HASH_AT = 24, HASH_AT = 120 };
#define BYTES_MAX ((size_t)1 << 18)

static char folder[64], path[128], newer[128];

static void forget_folder(void)
{
    char spool[80];
    snprintf(spool, sizeof(spool), "%s/spool", folder);
    (void)rmdir(spool);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    /* in memory where there is such a file system: a fuzzer makes thousands of files a second */
    snprintf(folder, sizeof(folder), "%s/azk-fuzz-spool-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/spool/%016x.spool", folder, 1);
    snprintf(newer, sizeof(newer), "%s/spool/%016x.spool", folder, 2);
    CHECK(atexit(forget_folder) == 0);
}

static uint64_t get64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static void put_hash(char *p, const char *of, size_t n)
{
    uint64_t v = XXH3_64bits(of, n);
    memcpy(p, &v, 8);
}

/* Records one after another, as far as their sizes make sense. */
static void seal(char *p, size_t n)
{
    while (n >= SPOOL_HEAD_BYTES) {
        uint64_t body = get64(p + BODY_BYTES_AT);
        bool is_whole = body <= n - SPOOL_HEAD_BYTES;
        if (is_whole)
            put_hash(p + BODY_HASH_AT, p + SPOOL_HEAD_BYTES, body);
        put_hash(p + HASH_AT, p + 8, HASH_AT - 8);
        if (!is_whole)
            return;
        p += SPOOL_HEAD_BYTES + body;
        n -= SPOOL_HEAD_BYTES + body;
    }
}

static void write_file(const char *to, uint64_t number, const char *p, size_t n)
{
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && spool_file_head_write(fd, number) == 0);
    CHECK(pwrite(fd, p, n, SPOOL_FILE_HEAD_BYTES) == (ssize_t)n);
    close(fd);
}

static void count_lost(void *context, const struct spool_notice *n)
{
    CHECK(n->why != NULL && n->file != NULL);
    *(uint64_t *)context += n->records;
}

/* What was decoded encodes to something that decodes to the same. */
static void check_unit(const struct spool_unit *u)
{
    struct buf once = BUF_INIT(BYTES_MAX * 64), again = BUF_INIT(BYTES_MAX * 64);
    struct arena a = ARENA_INIT;
    struct unit unit = {0};
    CHECK(u->unit.blocks_n <= SOURCE_GROUPS_MAX);
    CHECK(spool_record_encode(&u->unit, &once) == 0);
    CHECK(spool_record_decode(buf_view(&once), &a, &unit, NULL) == 0);
    CHECK(spool_record_encode(&unit, &again) == 0);
    CHECK(view_eq(buf_view(&once), buf_view(&again)));
    arena_done(&a);
    buf_free(&once);
    buf_free(&again);
}

/* Take all that is in it: how many units. */
static uint64_t drain(struct spool *s)
{
    struct spool_unit u;
    struct err err;
    uint64_t n = 0;
    int rc;
    while ((rc = spool_head(s, &u, &err)) > 0) {
        check_unit(&u);
        spool_drop_head(s, u.position);
        spool_unit_free(&u);
        n++;
    }
    CHECK(rc == 0 && spool_is_empty(s));
    return n;
}

static void append_one(struct spool *s, uint64_t number)
{
    struct unit_row row = {.source = {.family = 4}, .arrived = 1, .refused = {[0] = 1}};
    struct unit u = {.number = number, .rows = &row, .rows_n = 1};
    uint64_t position;
    CHECK(spool_append(s, &u, &position, NULL) == 0);
}

static struct spool *open_spool(uint64_t *lost)
{
    struct spool *s = NULL;
    struct err err;
    CHECK(spool_open(folder, INT64_C(1) << 30, count_lost, lost, &s, &err) == 0);
    return s;
}

static void forget_aside(const char *name)
{
    char aside[160];
    snprintf(aside, sizeof(aside), "%s.aside", name);
    (void)unlink(aside);
    (void)unlink(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > BYTES_MAX)
        return 0;
    uint64_t lost = 0;
    if (!folder[0]) {
        make_folder();
        struct spool *s = open_spool(&lost); /* makes the folder in it */
        spool_close(&s);
    }
    size_t n = size - 1;
    char *bytes = xmalloc(n + 1);
    memcpy(bytes, data + 1, n);
    if (data[0] & IS_SEALED)
        seal(bytes, n);
    write_file(path, 1, bytes, n);
    if (data[0] & HAS_NEWER)
        write_file(newer, 2, "", 0);
    free(bytes);

    struct spool *s = open_spool(&lost);
    struct spool_status at_start, at_end;
    spool_read_status(s, &at_start);
    uint64_t lost_at_start = lost;
    append_one(s, 77); /* comes last, whatever stands before it */
    CHECK(drain(s) + (lost - lost_at_start) == at_start.units + 1);
    spool_read_status(s, &at_end);
    CHECK(at_end.units == 0 && at_end.messages == 0 && at_end.benchmark_messages == 0);
    CHECK(at_end.torn_records == lost && at_end.oldest_at_us == TIME_NONE);
    spool_close(&s);

    lost = 0;
    s = open_spool(&lost);
    CHECK(spool_is_empty(s) && lost == 0);
    spool_read_status(s, &at_end);
    CHECK(at_end.bytes == 0);
    spool_close(&s);
    forget_aside(path);
    forget_aside(newer);
    return 0;
}
