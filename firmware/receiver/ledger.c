/* The ledger's file STATE/receiver/ledger, mapped and shared.  Pages are begun and counted in by
 * lanes, read and released by the threads behind them after the hand-over of their unit.
 *
 * Numbers are little-endian.  The file is a header of 4,096 bytes and LEDGER_PAGES pages of
 * 135,168.
 *
 *   header  0  8  "AZKLEDG1"
 *           8  4  version 2; 1 is the same without missing and repeated
 *          12  4  LEDGER_PAGES
 *          16 16  boot id under which it was last opened (/proc/sys/kernel/random/boot_id)
 *          32  4  1: closed in an orderly way and synced; 0: in use
 *          40  8  the highest block number ever given
 *   page    0  4  state: 0 free, 1 in use
 *           4  4  rows
 *           8  4  reason for which unstored messages of it are refused (enum reason): crash,
 *                 until ledger_reject knows better (version 1 had queue_full, too)
 *          16 16  run (UUID)
 *          32  8  number of the unit in its run
 *          40  8  number of the unit's first block: first_seq of its block k is (this + k) ×
 *                 65,536, and the next SOURCE_GROUPS_MAX - 1 numbers are its own
 *         128     rows of 128 bytes
 *
 *   row     0  8  minute, µs since 1970
 *           8  1  listener
 *           9  1  family of the source: 4, 6; 0: the row counts kernel drops, in `arrived`
 *          10  1  1: to be counted under 0.0.0.0 or ::
 *          16 16  source
 *          32  8  arrived
 *          40  8  bytes
 *          48  8  truncated
 *          56 8×8 refused, by reason
 *         120  4  missing: gaps of the source's sequence numbers
 *         124  4  repeated
 *
 * A page is valid when its state is 1; a row when its index is below `rows`.  The file need not
 * reach the disk: a killed process leaves what it has stored in the page cache, in the order of its
 * stores (fences below keep the compiler from reordering them).  Killed …
 *
 * - while a page is begun: the state is still 0, nothing was counted yet
 * - while a row is made: `rows` does not include it, nothing in the journal has its number yet
 * - between journal and `arrived`: the journal has the message; the next start counts what it finds
 *   there (ledger_replayed), so `arrived` may be one behind and never one ahead of both
 * - while a refusal is counted: `refused` is first, and arrived is at least that when it is read
 * - before the unit is safe (in the database, or in the spool): page and journal are whole, the
 * next start makes the unit again under its key
 * - after that, before the release: the same; whoever comes second under the key stores nothing
 * - while the unit is released: the page's state goes to 0 first, then the journal's segments,
 *   which belong to no page then and are freed by the next start
 * - after a rejected block was set aside, before the reason is changed: the block is written, and
 *   set aside, once more
 *
 * After a crash of the whole machine single pages of the file may be older than others.  Then the
 * boot id differs and the file is set aside, unless it was closed in an orderly way. */
#include "receiver/ledger.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "receiver/mapped.h"

enum {
    HEADER_BYTES = 4096,
    H_VERSION = 8,
    H_PAGES = 12,
    H_BOOT = 16,
    H_IS_CLOSED = 32,
    H_BLOCK = 40,

    P_STATE = 0,
    P_ROWS = 4,
    P_REASON = 8,
    P_RUN = 16,
    P_NUMBER = 32,
    P_BLOCK = 40,
    PAGE_HEADER_BYTES = 128,

    R_MINUTE = 0,
    R_LISTENER = 8,
    R_FAMILY = 9,
    R_IS_UNNAMED = 10,
    R_SOURCE = 16,
    R_ARRIVED = 32,
    R_BYTES = 40,
    R_TRUNCATED = 48,
    R_REFUSED = 56,
    R_MISSING = 120,
    R_REPEATED = 124,
    ROW_BYTES = 128,

    PAGE_BYTES = 135168, /* 128 + 1024 × 128, up to a multiple of 4,096 */
    VERSION = 2,
    VERSION_WITHOUT_GAPS = 1, /* its rows have zeros there */
    BOOT_BYTES = MAPPED_BOOT_BYTES,
    BLOCKS_A_UNIT = SOURCE_GROUPS_MAX,
    SLOTS = 4 * LEDGER_ROWS, /* of the index: at most a quarter full */
};

static const char magic[8] = {'A', 'Z', 'K', 'L', 'E', 'D', 'G', '1'};
#define FILE_BYTES (HEADER_BYTES + (size_t)LEDGER_PAGES * PAGE_BYTES)

_Static_assert(PAGE_HEADER_BYTES + LEDGER_ROWS * ROW_BYTES <= PAGE_BYTES, "rows fit in a page");
_Static_assert(R_REFUSED + 8 * REASON_COUNT <= R_MISSING, "reasons fit in a row");

struct ledger_page {
    unsigned char *p; /* in the file */
    unsigned slot;    /* of the file */
    uint32_t rows;
    uint16_t index[SLOTS]; /* row + 1 by hash of its key; 0: empty */
};

struct ledger {
    int fd;
    unsigned char *map;
    uint8_t run[UNIT_RUN_BYTES];
    pthread_mutex_t lock; /* of beginning: the next two, and setting is_used */
    uint64_t next_number, next_block;
    _Atomic bool is_used[LEDGER_PAGES]; /* set by lanes, cleared by whoever releases */
    _Atomic unsigned free_pages;
    unsigned recovered[LEDGER_PAGES]; /* slots */
    struct ledger_page pages[LEDGER_PAGES];
    unsigned recovered_n;
};

static unsigned char *page_at(const struct ledger *l, unsigned slot)
{
    return l->map + HEADER_BYTES + (size_t)slot * PAGE_BYTES;
}

static inline unsigned char *row_at(const struct ledger_page *p, uint32_t row)
{
    return p->p + PAGE_HEADER_BYTES + (size_t)row * ROW_BYTES;
}

/* ---- opening ---- */

/* What others take for granted: of listeners and families there are few. */
static bool rows_are_valid(const unsigned char *page)
{
    for (uint32_t i = 0; i < get32(page + P_ROWS); i++) {
        const unsigned char *r = page + PAGE_HEADER_BYTES + (size_t)i * ROW_BYTES;
        uint8_t family = r[R_FAMILY];
        if (r[R_LISTENER] >= LISTENER_COUNT || (family != 0 && family != 4 && family != 6))
            return false;
    }
    return true;
}

static const char *why_not_trusted(const unsigned char *map, const uint8_t boot[BOOT_BYTES])
{
    uint32_t version = get32(map + H_VERSION);
    if (memcmp(map, magic, sizeof(magic)) != 0 ||
        (version != VERSION && version != VERSION_WITHOUT_GAPS) ||
        get32(map + H_PAGES) != LEDGER_PAGES)
        return "its header is not valid";
    if (memcmp(map + H_BOOT, boot, BOOT_BYTES) != 0 && get32(map + H_IS_CLOSED) != 1)
        return "the machine was restarted without an orderly stop";
    for (unsigned i = 0; i < LEDGER_PAGES; i++) {
        const unsigned char *p = map + HEADER_BYTES + (size_t)i * PAGE_BYTES;
        if (get32(p + P_STATE) > 1 || (get32(p + P_STATE) == 1 &&
                                       (get32(p + P_ROWS) > LEDGER_ROWS ||
                                        get32(p + P_REASON) >= REASON_COUNT || !rows_are_valid(p))))
            return "a page is not valid";
    }
    return NULL;
}

static void count_aside(const unsigned char *map, struct ledger_found *found)
{
    for (unsigned i = 0; i < LEDGER_PAGES; i++) {
        const unsigned char *p = map + HEADER_BYTES + (size_t)i * PAGE_BYTES;
        uint32_t rows = MIN(get32(p + P_ROWS), (uint32_t)LEDGER_ROWS);
        if (get32(p + P_STATE) == 0 || rows == 0)
            continue;
        found->aside_pages++;
        for (uint32_t r = 0; r < rows; r++) {
            const unsigned char *row = p + PAGE_HEADER_BYTES + (size_t)r * ROW_BYTES;
            if (row[R_FAMILY])
                found->aside_messages += get64(row + R_ARRIVED);
        }
    }
}

static void *map_file(int fd)
{
    return mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* An existing file of the right size: mapped, or set aside.  1: mapped; 0: a new one is needed. */
static int adopt_file(struct ledger *l, const char *path, const uint8_t boot[BOOT_BYTES],
                      struct ledger_found *found, struct err *err)
{
    struct stat st;
    if (fstat(l->fd, &st) < 0)
        return err_set(err, errno, "ledger", "cannot read %s: %s", path, strerror(errno));
    if (st.st_size == 0)
        return 0;
    const char *why = "its size is not valid";
    if ((uint64_t)st.st_size == FILE_BYTES) {
        l->map = map_file(l->fd);
        if (l->map == MAP_FAILED)
            return err_set(err, errno, "ledger", "cannot map %s: %s", path, strerror(errno));
        why = why_not_trusted(l->map, boot);
        if (!why)
            return 1;
        count_aside(l->map, found);
        munmap(l->map, FILE_BYTES);
    }
    /* over an earlier one: each has tens of megabytes, and nobody would delete them */
    snprintf(found->aside_path, sizeof(found->aside_path), "%s.aside", path);
    snprintf(found->aside_reason, sizeof(found->aside_reason), "%s", why);
    if (rename(path, found->aside_path) < 0)
        return err_set(err, errno, "ledger", "cannot set %s aside: %s", path, strerror(errno));
    close(l->fd);
    l->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (l->fd < 0)
        return err_set(err, errno, "ledger", "cannot create %s: %s", path, strerror(errno));
    return 0;
}

static int create_file(struct ledger *l, const char *path, struct ledger_found *found,
                       struct err *err)
{
    /* The holes are filled as pages are used; a full disk then would be a SIGBUS, so ask now.  What
     * was set aside goes when there is no room for both: its counts are known. */
    int rc = posix_fallocate(l->fd, 0, (off_t)FILE_BYTES);
    if (rc == ENOSPC && mapped_give_up_aside(found->aside_path, found->aside_reason))
        rc = posix_fallocate(l->fd, 0, (off_t)FILE_BYTES);
    if (rc != 0)
        return err_set(err, rc, "ledger", "cannot allocate %zu bytes for %s: %s", FILE_BYTES, path,
                       strerror(rc));
    l->map = map_file(l->fd);
    if (l->map == MAP_FAILED)
        return err_set(err, errno, "ledger", "cannot map %s: %s", path, strerror(errno));
    put32(l->map + H_VERSION, VERSION);
    put32(l->map + H_PAGES, LEDGER_PAGES);
    in_order();
    memcpy(l->map, magic, sizeof(magic));
    return 0;
}

static void make_run(uint8_t run[UNIT_RUN_BYTES])
{
    CHECK(getrandom(run, UNIT_RUN_BYTES, 0) == UNIT_RUN_BYTES);
    run[6] = (uint8_t)((run[6] & 0x0f) | 0x40); /* RFC 4122: version 4 */
    run[8] = (uint8_t)((run[8] & 0x3f) | 0x80);
}

/* Block numbers: a unit takes BLOCKS_A_UNIT of them, whether it fills the blocks or not.  They
 * begin at the wall clock with a unit in 1,024 µs, so that they grow over restarts even when the
 * state folder is lost; with ten random low bits, against a second start in the same second on a
 * clock that was put back; and above all that this file has ever given.  A run has fewer than one
 * unit in 1,024 µs (each costs the writer a transaction), so it does not overtake the clock.  The
 * highest sequence number has 63 bits until the year 2108 and 64 until 2246. */
static uint64_t first_block(const struct ledger *l)
{
    uint16_t chance = 0;
    CHECK(getrandom(&chance, sizeof(chance), 0) == sizeof(chance));
    uint64_t by_clock = ((uint64_t)MAX(clock_wall_us(), INT64_C(0)) / 1024 + (chance & 1023u)) *
                        BLOCKS_A_UNIT;
    return MAX(by_clock, get64(l->map + H_BLOCK) + 1);
}

static struct ledger_page *page_take(struct ledger *l, unsigned slot)
{
    struct ledger_page *p = &l->pages[slot];
    memset(p, 0, sizeof(*p));
    p->p = page_at(l, slot);
    p->slot = slot;
    atomic_store_explicit(&l->is_used[slot], true, memory_order_relaxed);
    atomic_fetch_sub(&l->free_pages, 1);
    return p;
}

/* Pages in use by an earlier run, and empty ones made free. */
static void find_pages(struct ledger *l)
{
    for (unsigned i = 0; i < LEDGER_PAGES; i++) {
        unsigned char *p = page_at(l, i);
        if (get32(p + P_STATE) == 0)
            continue;
        if (get32(p + P_ROWS) == 0) {
            put32(p + P_STATE, 0);
            continue;
        }
        page_take(l, i)->rows = get32(p + P_ROWS);
        l->recovered[l->recovered_n++] = i;
    }
}

int ledger_open(const char *path, struct ledger **ret, struct ledger_found *ret_found,
                struct err *err)
{
    uint8_t boot[BOOT_BYTES];
    int rc = mapped_boot_id(boot);
    if (rc < 0)
        return err_set(err, -rc, "ledger", "cannot read the boot id: %s", strerror(-rc));
    memset(ret_found, 0, sizeof(*ret_found));
    struct ledger *l = xcalloc(1, sizeof(*l));
    atomic_store(&l->free_pages, LEDGER_PAGES);
    l->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (l->fd < 0) {
        free(l);
        return err_set(err, errno, "ledger", "cannot open %s: %s", path, strerror(errno));
    }
    rc = adopt_file(l, path, boot, ret_found, err);
    if (rc == 0)
        rc = create_file(l, path, ret_found, err);
    if (rc < 0) {
        if (l->fd >= 0)
            close(l->fd);
        free(l);
        return rc;
    }
    CHECK(pthread_mutex_init(&l->lock, NULL) == 0);
    memcpy(l->map + H_BOOT, boot, BOOT_BYTES);
    put32(l->map + H_VERSION, VERSION);
    put32(l->map + H_IS_CLOSED, 0);
    /* on disk before anything is counted: the next boot must not take it for closed */
    (void)msync(l->map, HEADER_BYTES, MS_SYNC);
    make_run(l->run);
    l->next_block = first_block(l);
    find_pages(l);
    ret_found->pages = l->recovered_n;
    *ret = l;
    return 0;
}

void ledger_close(struct ledger **pl, bool is_orderly)
{
    struct ledger *l = *pl;
    if (!l)
        return;
    if (is_orderly) {
        (void)msync(l->map, FILE_BYTES, MS_SYNC);
        put32(l->map + H_IS_CLOSED, 1);
        (void)msync(l->map, HEADER_BYTES, MS_SYNC);
    }
    munmap(l->map, FILE_BYTES);
    close(l->fd);
    pthread_mutex_destroy(&l->lock);
    free(l);
    *pl = NULL;
}

const uint8_t *ledger_run(const struct ledger *l)
{
    return l->run;
}

struct ledger_page *ledger_recovered(struct ledger *l, unsigned i)
{
    CHECK(i < l->recovered_n);
    return &l->pages[l->recovered[i]];
}

/* ---- counting ---- */

struct ledger_page *ledger_begin(struct ledger *l, bool is_for_refusals)
{
    pthread_mutex_lock(&l->lock);
    if (ledger_free_pages(l) <= (is_for_refusals ? 0u : (unsigned)LEDGER_RESERVED_PAGES)) {
        pthread_mutex_unlock(&l->lock);
        return NULL;
    }
    unsigned slot = 0; /* always the lowest free one: the memory in use stays small */
    while (atomic_load_explicit(&l->is_used[slot], memory_order_acquire))
        slot++;
    struct ledger_page *page = page_take(l, slot);
    unsigned char *p = page->p;
    put32(p + P_ROWS, 0);
    put32(p + P_REASON, REASON_CRASH);
    memcpy(p + P_RUN, l->run, UNIT_RUN_BYTES);
    put64(p + P_NUMBER, l->next_number++);
    put64(p + P_BLOCK, l->next_block);
    l->next_block += BLOCKS_A_UNIT;
    put64(l->map + H_BLOCK, l->next_block - 1);
    in_order();
    put32(p + P_STATE, 1);
    in_order();
    pthread_mutex_unlock(&l->lock);
    return page;
}

unsigned ledger_free_pages(const struct ledger *l)
{
    return atomic_load(&((struct ledger *)l)->free_pages);
}

uint64_t ledger_first_seq(const struct ledger_page *p, unsigned block)
{
    CHECK(block < BLOCKS_A_UNIT);
    return (get64(p->p + P_BLOCK) + block) << 16;
}

static inline bool row_is(const unsigned char *row, int64_t minute_us, uint8_t listener,
                          const struct ip *source)
{
    return get64(row + R_MINUTE) == (uint64_t)minute_us && row[R_LISTENER] == listener &&
           row[R_FAMILY] == source->family && memcmp(row + R_SOURCE, source->bytes, 16) == 0;
}

static inline uint32_t row_hash(int64_t minute_us, uint8_t listener, const struct ip *source)
{
    uint64_t a, b;
    memcpy(&a, source->bytes, 8);
    memcpy(&b, source->bytes + 8, 8);
    uint64_t h = (uint64_t)minute_us / (uint64_t)US_PER_MINUTE * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ a) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 31) ^ b) * UINT64_C(0x94D049BB133111EB);
    h = (h ^ listener ^ source->family) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(h >> 40);
}

int ledger_row(struct ledger_page *p, int64_t minute_us, uint8_t listener, const struct ip *source)
{
    uint32_t at = row_hash(minute_us, listener, source) % SLOTS;
    for (; p->index[at]; at = (at + 1) % SLOTS) {
        uint32_t row = p->index[at] - 1u;
        if (row_is(row_at(p, row), minute_us, listener, source))
            return (int)row;
    }
    if (p->rows == LEDGER_ROWS)
        return -ENOSPC;
    uint32_t row = p->rows++;
    p->index[at] = (uint16_t)(row + 1);
    unsigned char *r = row_at(p, row);
    memset(r, 0, ROW_BYTES);
    put64(r + R_MINUTE, (uint64_t)minute_us);
    r[R_LISTENER] = listener;
    r[R_FAMILY] = source->family;
    memcpy(r + R_SOURCE, source->bytes, 16);
    in_order();
    put32(p->p + P_ROWS, p->rows);
    in_order();
    return (int)row;
}

void ledger_unname(struct ledger_page *p, int row)
{
    row_at(p, (uint32_t)row)[R_IS_UNNAMED] = 1;
}

void ledger_arrived(struct ledger_page *p, int row, size_t bytes)
{
    unsigned char *r = row_at(p, (uint32_t)row);
    add64(r + R_ARRIVED, 1);
    add64(r + R_BYTES, bytes);
    in_order();
}

void ledger_refuse(struct ledger_page *p, int row, size_t bytes, enum reason reason)
{
    add64(row_at(p, (uint32_t)row) + R_REFUSED + 8 * (size_t)reason, 1);
    in_order();
    ledger_arrived(p, row, bytes);
}

void ledger_truncated(struct ledger_page *p, int row)
{
    add64(row_at(p, (uint32_t)row) + R_TRUNCATED, 1);
}

static void add32(unsigned char *p, uint32_t v)
{
    uint32_t before = get32(p);
    put32(p, v > UINT32_MAX - before ? UINT32_MAX : before + v);
}

void ledger_gap(struct ledger_page *p, int row, uint32_t missing, uint32_t repeated)
{
    unsigned char *r = row_at(p, (uint32_t)row);
    add32(r + R_MISSING, missing);
    add32(r + R_REPEATED, repeated);
}

int ledger_dropped(struct ledger_page *p, int64_t minute_us, uint8_t listener, uint64_t dropped)
{
    int row = ledger_row(p, minute_us, listener, &(struct ip){0});
    if (row >= 0)
        add64(row_at(p, (uint32_t)row) + R_ARRIVED, dropped);
    return row < 0 ? row : 0;
}

bool ledger_is_empty(const struct ledger_page *p)
{
    return p->rows == 0;
}

const uint8_t *ledger_page_run(const struct ledger_page *p)
{
    return p->p + P_RUN;
}

uint64_t ledger_page_number(const struct ledger_page *p)
{
    return get64(p->p + P_NUMBER);
}

bool ledger_row_of(const struct ledger_page *p, int row, uint8_t *ret_listener,
                   struct ip *ret_source)
{
    if (row < 0 || (uint32_t)row >= p->rows || row_at(p, (uint32_t)row)[R_FAMILY] == 0)
        return false;
    const unsigned char *r = row_at(p, (uint32_t)row);
    *ret_listener = r[R_LISTENER];
    memset(ret_source, 0, sizeof(*ret_source));
    ret_source->family = r[R_FAMILY];
    memcpy(ret_source->bytes, r + R_SOURCE, sizeof(ret_source->bytes));
    return true;
}

/* ---- pages of earlier runs ---- */

static uint64_t refused_of(const unsigned char *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < REASON_COUNT; i++)
        n += get64(r + R_REFUSED + 8 * i);
    return n;
}

uint64_t ledger_replayed(struct ledger_page *p, const struct ledger_replay rows[LEDGER_ROWS])
{
    size_t reason = get32(p->p + P_REASON);
    uint64_t lost = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        unsigned char *r = row_at(p, i);
        if (r[R_FAMILY] == 0)
            continue; /* kernel drops */
        uint64_t known = refused_of(r) + rows[i].messages;
        put64(r + R_TRUNCATED, rows[i].truncated);
        if (get64(r + R_ARRIVED) <= known) {
            put64(r + R_ARRIVED, known);
            continue;
        }
        lost += get64(r + R_ARRIVED) - known;
        add64(r + R_REFUSED + 8 * reason, get64(r + R_ARRIVED) - known);
    }
    return lost;
}

bool ledger_is_rejected(const struct ledger_page *p)
{
    return get32(p->p + P_REASON) == REASON_REJECTED;
}

/* ---- reading and releasing ---- */

static void row_counts(const unsigned char *r, int lost_reason, struct unit_row *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->minute_us = (int64_t)get64(r + R_MINUTE);
    ret->listener = r[R_LISTENER];
    ret->source.family = r[R_FAMILY];
    memcpy(ret->source.bytes, r + R_SOURCE, 16);
    ret->arrived = get64(r + R_ARRIVED);
    ret->bytes = get64(r + R_BYTES);
    ret->missing = get32(r + R_MISSING);
    ret->repeated = get32(r + R_REPEATED);
    for (size_t i = 0; i < REASON_COUNT; i++)
        ret->refused[i] = get64(r + R_REFUSED + 8 * i);
    uint64_t refused = refused_of(r);
    CHECK(ret->arrived >= refused); /* by a recovered page: ledger_replayed */
    uint64_t rest = ret->arrived - refused;
    if (lost_reason >= 0) {
        ret->refused[lost_reason] += rest;
    } else {
        ret->stored = rest;
        ret->truncated = get64(r + R_TRUNCATED);
    }
}

static bool is_nobody(const struct ip *a)
{
    static const uint8_t zeros[sizeof(a->bytes)];
    return memcmp(a->bytes, zeros, sizeof(zeros)) == 0;
}

static void add_up(struct unit_row *sum, const struct unit_row *r)
{
    sum->arrived += r->arrived;
    sum->stored += r->stored;
    sum->bytes += r->bytes;
    sum->truncated += r->truncated;
    sum->missing += r->missing;
    sum->repeated += r->repeated;
    for (size_t i = 0; i < REASON_COUNT; i++)
        sum->refused[i] += r->refused[i];
}

/* No two rows of a unit have the same key, so what is counted under nobody's address becomes one:
 * where the last row of *ret belongs, if there is one already.  *last: that of the one before. */
static bool joins_nobody(struct ledger_page_counts *ret, size_t *last)
{
    const struct unit_row *r = &ret->rows[ret->rows_n];
    for (size_t n = 0, i = *last; n < ret->rows_n; n++, i = (i + 1) % ret->rows_n) {
        struct unit_row *sum = &ret->rows[i];
        if (sum->minute_us == r->minute_us && sum->listener == r->listener &&
            sum->source.family == r->source.family && is_nobody(&sum->source)) {
            add_up(sum, r);
            *last = i;
            return true;
        }
    }
    *last = ret->rows_n;
    return false;
}

void ledger_page_read(const struct ledger_page *p, bool is_lost, struct ledger_page_counts *ret)
{
    int lost_reason = -1;
    size_t nobody = 0;
    if (is_lost)
        lost_reason =
            (int)le32toh(__atomic_load_n((uint32_t *)(p->p + P_REASON), __ATOMIC_RELAXED));
    memcpy(ret->run, p->p + P_RUN, UNIT_RUN_BYTES);
    ret->number = get64(p->p + P_NUMBER);
    ret->rows_n = ret->drops_n = 0;
    ret->arrived = ret->refused = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        const unsigned char *r = row_at(p, i);
        if (r[R_FAMILY] == 0) {
            ret->drops[ret->drops_n++] = (struct unit_drop){
                .minute_us = (int64_t)get64(r + R_MINUTE),
                .listener = r[R_LISTENER],
                .dropped = get64(r + R_ARRIVED),
            };
            continue;
        }
        struct unit_row *row = &ret->rows[ret->rows_n];
        row_counts(r, lost_reason, row);
        if (row->arrived == 0 && row->missing == 0 && row->repeated == 0)
            continue; /* it was made for a message that went to the next unit */
        ret->arrived += row->arrived;
        ret->refused += row->arrived - row->stored;
        if (r[R_IS_UNNAMED])
            memset(row->source.bytes, 0, sizeof(row->source.bytes));
        if (!is_nobody(&row->source) || !joins_nobody(ret, &nobody))
            ret->rows_n++;
    }
}

void ledger_reject(struct ledger_page *p)
{
    __atomic_store_n((uint32_t *)(p->p + P_REASON), htole32(REASON_REJECTED), __ATOMIC_RELAXED);
    in_order();
}

void ledger_release(struct ledger *l, struct ledger_page **pp)
{
    struct ledger_page *p = *pp;
    __atomic_store_n((uint32_t *)(p->p + P_STATE), 0, __ATOMIC_RELAXED);
    in_order();
    atomic_store_explicit(&l->is_used[p->slot], false, memory_order_release);
    atomic_fetch_add(&l->free_pages, 1);
    *pp = NULL;
}

unsigned ledger_left(const struct ledger *l, uint64_t *ret_messages)
{
    unsigned pages = 0;
    uint64_t messages = 0;
    for (unsigned i = 0; i < LEDGER_PAGES; i++) {
        if (!atomic_load_explicit(&((struct ledger *)l)->is_used[i], memory_order_acquire))
            continue;
        const unsigned char *p = page_at(l, i);
        uint32_t rows = get32(p + P_ROWS);
        for (uint32_t r = 0; r < rows; r++) {
            const unsigned char *row = p + PAGE_HEADER_BYTES + (size_t)r * ROW_BYTES;
            if (row[R_FAMILY])
                messages += get64(row + R_ARRIVED) - MIN(refused_of(row), get64(row + R_ARRIVED));
        }
        pages++;
    }
    *ret_messages = messages;
    return pages;
}
