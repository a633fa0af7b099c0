/* A journal of any bytes: it is opened or set aside, the entries of its chain are within what the
 * file has, and after their release the whole journal is free and serves again.  Byte 0 says which
 * parts are made right first; bytes 1 and 2 where the second segment's bytes begin; then the file's
 * header from its segments on, when it is not to be right, and both segments from their number of
 * bytes written on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "receiver/journal.h"
#include "receiver/mapped.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HAS_HEADER = 1, /* of the input's bytes */
    HAS_PLACES = 2, /* of the input's bytes: where in the chain, and the unit's key */
    HEADER_BYTES = 4096,
    SEGMENTS = 2,
    SEGMENT_WRITTEN_AT = 32,
};

static char folder[64], path[128], aside[160];
static struct ledger *ledger;
static struct ledger_page *page;

static void forget_folder(void)
{
    char ledger_path[128];
    snprintf(ledger_path, sizeof(ledger_path), "%s/ledger", folder);
    ledger_release(ledger, &page);
    ledger_close(&ledger, false);
    (void)unlink(ledger_path);
    (void)unlink(path);
    (void)unlink(aside);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    char ledger_path[128];
    struct ledger_found found;
    struct err err;
    /* in memory where there is such a file system: a fuzzer makes hundreds of files a second */
    snprintf(folder, sizeof(folder), "%s/azk-fuzz-journal-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/journal", folder);
    snprintf(aside, sizeof(aside), "%s.aside", path);
    snprintf(ledger_path, sizeof(ledger_path), "%s/ledger", folder);
    CHECK(ledger_open(ledger_path, &ledger, &found, &err) == 0);
    page = ledger_begin(ledger, false);
    CHECK(page != NULL && atexit(forget_folder) == 0);
}

static struct view cut(struct view *rest, size_t n)
{
    n = MIN(n, rest->n);
    struct view v = view_of(rest->p, n);
    *rest = view_of(rest->p + n, rest->n - n);
    return v;
}

static void put(int fd, size_t at, const void *p, size_t n)
{
    CHECK(pwrite(fd, p, n, (off_t)at) == (ssize_t)n);
}

static void write_header(int fd, bool is_right, struct view *rest)
{
    unsigned char head[40] = "AZKJRNL1";
    put32(head + 8, 1);
    put32(head + 12, SEGMENTS);
    CHECK(mapped_boot_id(head + 16) == 0);
    if (!is_right) {
        struct view v = cut(rest, 24);
        memcpy(head + 12, v.p, v.n);
    }
    put(fd, 0, head, sizeof(head));
}

static void write_segment(int fd, unsigned i, bool is_right, struct view bytes)
{
    unsigned char head[SEGMENT_WRITTEN_AT];
    put32(head, 1);
    put32(head + 4, i);
    put64(head + 8, ledger_page_number(page));
    memcpy(head + 16, ledger_page_run(page), UNIT_RUN_BYTES);
    if (!is_right) {
        struct view v = cut(&bytes, 5); /* state, place, and the first byte of the number */
        memcpy(head, v.p, MIN(v.n, (size_t)1));
        if (v.n == 5)
            memcpy(head + 4, v.p + 1, 4);
    }
    size_t at = HEADER_BYTES + (size_t)i * JOURNAL_SEGMENT_BYTES;
    put(fd, at, head, sizeof(head));
    put(fd, at + SEGMENT_WRITTEN_AT, bytes.p,
        MIN(bytes.n, (size_t)JOURNAL_SEGMENT_BYTES - SEGMENT_WRITTEN_AT));
}

static void write_file(uint8_t flags, size_t first_bytes, struct view rest)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK(ftruncate(fd, HEADER_BYTES + (off_t)SEGMENTS * JOURNAL_SEGMENT_BYTES) == 0);
    write_header(fd, !(flags & HAS_HEADER), &rest);
    write_segment(fd, 0, !(flags & HAS_PLACES), cut(&rest, first_bytes));
    write_segment(fd, 1, !(flags & HAS_PLACES), rest);
    close(fd);
}

struct given {
    uint64_t entries, bytes;
};

static void take(void *context, const struct journal_entry *e)
{
    struct given *g = context;
    CHECK(e->row < LEDGER_ROWS && e->group < SOURCE_GROUPS_MAX && e->mark < 128);
    for (size_t i = 0; i < e->bytes.n; i += 512)
        g->bytes += (unsigned char)e->bytes.p[i] & 0; /* readable */
    if (e->bytes.n > 0)
        g->bytes += (unsigned char)e->bytes.p[e->bytes.n - 1] & 0;
    g->bytes += e->bytes.n;
    g->entries++;
}

/* The journal works as an empty one does. */
static void check_use(struct journal *j)
{
    struct given g = {0};
    struct err err;
    struct journal_chain *c = journal_begin(j, page);
    journal_tag(c, 5);
    CHECK(journal_append(c, 1, 2, 3, 1, VIEW("message")) == 0);
    CHECK(journal_has_tag(j, 5));
    CHECK(journal_replay(c, take, &g, &err) == 0 && g.entries == 1 && g.bytes == 7);
    journal_release(&c);
    CHECK(journal_used_bytes(j) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > (size_t)2 * JOURNAL_SEGMENT_BYTES)
        return 0;
    if (!folder[0])
        make_folder();
    write_file(data[0], (size_t)data[1] << 8 | data[2], view_of((const char *)data + 3, size - 3));
    struct journal *j = NULL;
    struct journal_found found;
    struct given g = {0};
    struct err err;
    const struct ledger_page *pages[] = {page};
    CHECK(journal_open(path, (int64_t)SEGMENTS * JOURNAL_SEGMENT_BYTES, &j, &found, &err) == 0);
    struct journal_chain *c = journal_recovered(j, page);
    if (c) {
        int rc = journal_replay(c, take, &g, &err);
        CHECK(rc == 0 || rc == -EBADMSG);
        CHECK(g.bytes <= found.bytes);
    }
    journal_forget_rest(j, pages, c ? 1 : 0);
    journal_release(&c);
    /* places that follow no other are the page's, but in no chain of it */
    journal_forget_rest(j, NULL, 0);
    CHECK(journal_used_bytes(j) == 0);
    check_use(j);
    journal_close(&j, false);
    return 0;
}
