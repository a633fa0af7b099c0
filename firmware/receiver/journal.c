/* The journal's file STATE/receiver/journal, mapped and shared.  Lanes write, any thread releases,
 * the packer of a new start reads.  One lock a segment, never a message.
 *
 * Numbers are little-endian.  A header of 4,096 bytes, then segments of 1 MiB.
 *
 *   header   0  8  "AZKJRNL1"
 *            8  4  version 1
 *           12  4  segments
 *           16 16  boot id under which it was last opened
 *           32  4  1: closed in an orderly way and synced; 0: in use
 *   segment  0  4  state: 0 free, 1 in use
 *            4  4  place in the chain of its unit: 0, 1, …
 *            8  8  number of the unit
 *           16 16  run of the unit
 *           32  4  bytes of entries that are written, from 64 on
 *           36  4  tag of the last entry, stored in one with them; 0: it has none
 *           64     entries, one after another
 *   entry    0  4  bytes that follow the entry's head
 *            4  2  row of the unit's page in the ledger
 *            6  1  source group
 *            7  1  mark (enum intake_mark); + 128: the message goes on in the next segment
 *            8  8  received_at, µs since 1970
 *           16     bytes
 *
 *        unit 7          unit 8
 *   page ─▶ [0] ─▶ [3]   page ─▶ [1] ─▶ [2] ─▶ [4]        free: [5] …
 *
 * A message lies in one segment unless it is larger than one.  A segment is valid when its state is
 * 1; an entry when it ends within the bytes that are written; a message when its last part is.
 * Chains are found by (run, number) of pages of the ledger.  Killed …
 *
 * - while a segment is taken: its state is 0 until its head is whole, and then it has no entries
 * - while an entry is written: the bytes written do not include it; its message was not counted
 * - between the parts of a large message: the last one is missing, so there is no message yet
 * - after the entry: the message is in the journal, and counted from there
 * - while segments are released: the page of the ledger was released before, so what is left of the
 *   chain belongs to no page and is free again
 *
 * The file need not reach the disk for that.  After a crash of the whole machine the boot id
 * differs and the file is set aside (as journal.aside, over an earlier one), unless it was closed
 * in an orderly way.  Nothing is synced meanwhile: that would write every message to disk twice. */
#include "receiver/journal.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "receiver/mapped.h"
#include "store/fault.h"

enum {
    HEADER_BYTES = 4096,
    H_VERSION = 8,
    H_SEGMENTS = 12,
    H_BOOT = 16,
    H_IS_CLOSED = 32,

    S_STATE = 0,
    S_PLACE = 4,
    S_NUMBER = 8,
    S_RUN = 16,
    S_WRITTEN = 32,
    S_ENTRIES = 64,
    S_ROOM = JOURNAL_SEGMENT_BYTES - S_ENTRIES,

    E_BYTES = 0,
    E_ROW = 4,
    E_GROUP = 6,
    E_MARK = 7,
    E_RECEIVED = 8,
    ENTRY_HEAD_BYTES = 16,
    GOES_ON = 128,

    LINE_BYTES = 64,
    LINES_AHEAD_BYTES = 1024,
    LINES_MAX_BYTES = 512,

    VERSION = 1,
    SEGMENTS_MAX = 4096, /* receiver.journal_bytes is at most 4 GiB … */
    LEAST_SEGMENTS = 64, /* … and at least 64 MiB */
};
#define SEGMENTS_OF_A_MESSAGE ((size_t)MESSAGE_MAX_BYTES_LIMIT / (S_ROOM - ENTRY_HEAD_BYTES) + 2)

static const char magic[8] = {'A', 'Z', 'K', 'J', 'R', 'N', 'L', '1'};

struct journal {
    int fd;
    unsigned char *map;
    size_t segments, file_bytes;
    pthread_mutex_t lock; /* of is_used */
    bool is_used[SEGMENTS_MAX];
    _Atomic size_t used;
};

struct journal_chain {
    struct journal *j;
    uint8_t run[UNIT_RUN_BYTES];
    uint64_t number;
    uint32_t *segments; /* in their order */
    size_t segments_n, segments_cap;
    unsigned char *last; /* of them; NULL: none yet */
    size_t written;      /* of it */
    uint32_t tag;        /* of the next entry */
};

static size_t file_bytes_of(size_t segments)
{
    return HEADER_BYTES + segments * JOURNAL_SEGMENT_BYTES;
}

static unsigned char *segment_at(const struct journal *j, size_t i)
{
    return j->map + HEADER_BYTES + i * JOURNAL_SEGMENT_BYTES;
}

/* ---- opening ---- */

/* NULL: the file can be believed. */
static const char *why_not_trusted(const unsigned char *map, size_t file_bytes,
                                   const uint8_t boot[MAPPED_BOOT_BYTES])
{
    size_t segments = get32(map + H_SEGMENTS);
    if (memcmp(map, magic, sizeof(magic)) != 0 || get32(map + H_VERSION) != VERSION)
        return "its header is not valid";
    if (segments == 0 || segments > SEGMENTS_MAX || file_bytes_of(segments) != file_bytes)
        return "its size is not valid";
    if (memcmp(map + H_BOOT, boot, MAPPED_BOOT_BYTES) != 0 && get32(map + H_IS_CLOSED) != 1)
        return "the machine was restarted without an orderly stop";
    return NULL;
}

/* Bytes in segments in use. */
static uint64_t written_bytes(const unsigned char *map, size_t segments)
{
    uint64_t n = 0;
    for (size_t i = 0; i < segments; i++) {
        const unsigned char *s = map + HEADER_BYTES + i * JOURNAL_SEGMENT_BYTES;
        if (get32(s + S_STATE) == 1)
            n += MIN(get32(s + S_WRITTEN), (uint32_t)S_ROOM);
    }
    return n;
}

static int map_file(struct journal *j, size_t bytes, const char *path, struct err *err)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, j->fd, 0);
    if (map == MAP_FAILED)
        return err_set(err, errno, "journal", "cannot map %s: %s", path, strerror(errno));
    j->map = map;
    j->file_bytes = bytes;
    return 0;
}

static int set_aside(struct journal *j, const char *path, const char *why,
                     struct journal_found *found, struct err *err)
{
    snprintf(found->aside_path, sizeof(found->aside_path), "%s.aside", path);
    snprintf(found->aside_reason, sizeof(found->aside_reason), "%s", why);
    if (rename(path, found->aside_path) < 0)
        return err_set(err, errno, "journal", "cannot set %s aside: %s", path, strerror(errno));
    close(j->fd);
    j->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (j->fd < 0)
        return err_set(err, errno, "journal", "cannot create %s: %s", path, strerror(errno));
    return 0;
}

/* A file that is there: mapped when it has something to be replayed or is of the wanted size, set
 * aside, or nothing to keep.  1: mapped; 0: it has to be made anew. */
static int adopt_file(struct journal *j, const char *path, size_t wanted,
                      const uint8_t boot[MAPPED_BOOT_BYTES], struct journal_found *found,
                      struct err *err)
{
    struct stat st;
    if (fstat(j->fd, &st) < 0)
        return err_set(err, errno, "journal", "cannot read %s: %s", path, strerror(errno));
    if (st.st_size == 0)
        return 0;
    if ((size_t)st.st_size < file_bytes_of(1) || (size_t)st.st_size > file_bytes_of(SEGMENTS_MAX))
        return set_aside(j, path, "its size is not valid", found, err);
    int rc = map_file(j, (size_t)st.st_size, path, err);
    if (rc < 0)
        return rc;
    const char *why = why_not_trusted(j->map, j->file_bytes, boot);
    size_t segments = (j->file_bytes - HEADER_BYTES) / JOURNAL_SEGMENT_BYTES;
    uint64_t written = written_bytes(j->map, segments);
    if (!why && (written > 0 || segments == wanted)) {
        found->bytes = written;
        j->segments = segments;
        return 1;
    }
    munmap(j->map, j->file_bytes);
    j->map = NULL;
    if (!why || written == 0)
        return 0;
    found->aside_bytes = written;
    return set_aside(j, path, why, found, err);
}

/* A full disk later would be a SIGBUS, so ask now; nothing of an old file is kept.  An errno. */
static int take_space(int fd, size_t bytes)
{
    int rc = ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)bytes) < 0
                 ? errno
                 : posix_fallocate(fd, 0, (off_t)bytes);
    if (rc != 0 && ftruncate(fd, 0) < 0)
        return errno; /* what it had got is given back, if that can be */
    return rc;
}

/* On a full disk what was set aside goes, for reception must not wait for it; then it is made
 * smaller, down to the smallest that can be set. */
static int create_file(struct journal *j, const char *path, size_t segments,
                       struct journal_found *found, struct err *err)
{
    size_t bytes = file_bytes_of(segments);
    int rc = take_space(j->fd, bytes);
    if (rc == ENOSPC && mapped_give_up_aside(found->aside_path, found->aside_reason))
        rc = take_space(j->fd, bytes);
    while (rc == ENOSPC && segments > LEAST_SEGMENTS) {
        segments = MAX(segments / 2, (size_t)LEAST_SEGMENTS);
        bytes = file_bytes_of(segments);
        rc = take_space(j->fd, bytes);
    }
    if (rc != 0)
        return err_set_field(err, rc, "journal", "receiver.journal_bytes",
                             "cannot allocate %zu bytes for %s: %s", bytes, path, strerror(rc));
    rc = map_file(j, bytes, path, err);
    if (rc < 0)
        return rc;
    j->segments = segments;
    put32(j->map + H_VERSION, VERSION);
    put32(j->map + H_SEGMENTS, (uint32_t)segments);
    in_order();
    memcpy(j->map, magic, sizeof(magic));
    return 0;
}

int journal_open(const char *path, int64_t bytes, struct journal **ret,
                 struct journal_found *ret_found, struct err *err)
{
    uint8_t boot[MAPPED_BOOT_BYTES];
    memset(ret_found, 0, sizeof(*ret_found));
    int rc = mapped_boot_id(boot);
    if (rc < 0)
        return err_set(err, -rc, "journal", "cannot read the boot id: %s", strerror(-rc));
    size_t segments = (size_t)MIN(MAX(bytes / JOURNAL_SEGMENT_BYTES, INT64_C(1)), SEGMENTS_MAX);
    struct journal *j = xcalloc(1, sizeof(*j));
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (j->fd < 0)
        rc = err_set(err, errno, "journal", "cannot open %s: %s", path, strerror(errno));
    if (rc == 0)
        rc = adopt_file(j, path, segments, boot, ret_found, err);
    if (rc == 0)
        rc = create_file(j, path, segments, ret_found, err);
    if (rc < 0) {
        if (j->map)
            munmap(j->map, j->file_bytes);
        if (j->fd >= 0)
            close(j->fd);
        free(j);
        return rc;
    }
    CHECK(pthread_mutex_init(&j->lock, NULL) == 0);
    memcpy(j->map + H_BOOT, boot, MAPPED_BOOT_BYTES);
    put32(j->map + H_IS_CLOSED, 0);
    (void)msync(j->map, HEADER_BYTES, MS_SYNC); /* the next boot must not take it for closed */
    for (size_t i = 0; i < j->segments; i++) {
        j->is_used[i] = get32(segment_at(j, i) + S_STATE) == 1;
        atomic_fetch_add(&j->used, j->is_used[i]);
    }
    *ret = j;
    return 0;
}

void journal_close(struct journal **pj, bool is_orderly)
{
    struct journal *j = *pj;
    if (!j)
        return;
    if (is_orderly) {
        for (size_t i = 0; i < j->segments; i++) {
            if (j->is_used[i])
                (void)msync(segment_at(j, i), JOURNAL_SEGMENT_BYTES, MS_SYNC);
        }
        put32(j->map + H_IS_CLOSED, 1);
        (void)msync(j->map, HEADER_BYTES, MS_SYNC);
        (void)fsync(j->fd);
    }
    munmap(j->map, j->file_bytes);
    close(j->fd);
    pthread_mutex_destroy(&j->lock);
    free(j);
    *pj = NULL;
}

bool journal_has_room(const struct journal *j, size_t segments)
{
    return atomic_load_explicit(&((struct journal *)j)->used, memory_order_relaxed) + segments <=
           j->segments;
}

size_t journal_used_bytes(const struct journal *j)
{
    return atomic_load_explicit(&((struct journal *)j)->used, memory_order_relaxed) *
           JOURNAL_SEGMENT_BYTES;
}

size_t journal_bytes(const struct journal *j)
{
    return j->segments * JOURNAL_SEGMENT_BYTES;
}

/* ---- writing ---- */

struct journal_chain *journal_begin(struct journal *j, const struct ledger_page *page)
{
    struct journal_chain *c = xcalloc(1, sizeof(*c));
    c->j = j;
    memcpy(c->run, ledger_page_run(page), UNIT_RUN_BYTES);
    c->number = ledger_page_number(page);
    return c;
}

static void chain_add(struct journal_chain *c, uint32_t segment)
{
    if (c->segments_n == c->segments_cap) {
        c->segments_cap = MAX(2 * c->segments_cap, (size_t)4);
        c->segments = xrealloc(c->segments, c->segments_cap, sizeof(*c->segments));
    }
    c->segments[c->segments_n++] = segment;
}

/* Take n free segments, the lowest: the memory in use stays small.  -ENOSPC: none was taken. */
static int take_segments(struct journal *j, size_t n, uint32_t *ret)
{
    size_t got = 0;
    pthread_mutex_lock(&j->lock);
    if (journal_has_room(j, n)) {
        for (size_t i = 0; got < n; i++) {
            if (j->is_used[i])
                continue;
            j->is_used[i] = true;
            ret[got++] = (uint32_t)i;
        }
        atomic_fetch_add(&j->used, n);
    }
    pthread_mutex_unlock(&j->lock);
    return got == n ? 0 : -ENOSPC;
}

/* The next segment of the chain, which it has been given already. */
static void enter_segment(struct journal_chain *c, uint32_t segment)
{
    unsigned char *s = segment_at(c->j, segment);
    put32(s + S_PLACE, (uint32_t)c->segments_n);
    put64(s + S_NUMBER, c->number);
    memcpy(s + S_RUN, c->run, UNIT_RUN_BYTES);
    put64(s + S_WRITTEN, 0);
    in_order();
    put32(s + S_STATE, 1);
    in_order();
    chain_add(c, segment);
    c->last = s;
    c->written = 0;
    FAULT("journal.segment");
}

/* The first 8 bytes of an entry, made in a register. */
static uint64_t entry_head(size_t bytes, int row, uint8_t group, uint8_t mark)
{
    return (uint64_t)(uint32_t)bytes << 8 * E_BYTES | (uint64_t)(uint16_t)row << 8 * E_ROW |
           (uint64_t)group << 8 * E_GROUP | (uint64_t)mark << 8 * E_MARK;
}

/* The lines of a message like this one, a few messages on: they were written last when the segment
 * was another unit's, and a store that waits for its line holds up all that follow. */
static inline void ask_for_lines(const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < MIN(n + ENTRY_HEAD_BYTES, (size_t)LINES_MAX_BYTES); i += LINE_BYTES)
        __builtin_prefetch(from + LINES_AHEAD_BYTES + i, 1);
}

/* A head that is put together in memory and copied as a whole, by us or by a compiler that makes
 * one wide store of narrow ones, has to reach the cache first, and waits there for every store of
 * the message before: that took 50 ns of each. */
static void write_part(struct journal_chain *c, uint64_t head, int64_t received_at_us,
                       struct view part, uint32_t tag)
{
    unsigned char *at = c->last + S_ENTRIES + c->written;
    put64(at, head);
    in_order();
    put64(at + E_RECEIVED, (uint64_t)received_at_us);
    memcpy(at + ENTRY_HEAD_BYTES, part.p, part.n);
    ask_for_lines(at + ENTRY_HEAD_BYTES + part.n, part.n);
    FAULT("journal.entry");
    c->written += ENTRY_HEAD_BYTES + part.n;
    in_order();
    /* aligned, so one store: what is written, and which datagram it was */
    put64(c->last + S_WRITTEN, (uint64_t)tag << 32 | (uint32_t)c->written);
    in_order();
    FAULT("journal.written");
}

/* A message that does not fit into what is left of the last segment. */
static int append_further(struct journal_chain *c, int row, uint8_t group, int64_t received_at_us,
                          uint8_t mark, struct view bytes)
{
    const size_t part_max = S_ROOM - ENTRY_HEAD_BYTES;
    uint32_t segments[SEGMENTS_OF_A_MESSAGE];
    size_t n = MAX((bytes.n + part_max - 1) / part_max, (size_t)1);
    CHECK(n <= SEGMENTS_OF_A_MESSAGE); /* nothing is read that is longer than the limit */
    int rc = take_segments(c->j, n, segments);
    if (rc < 0) {
        c->tag = 0;
        return rc;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_last = i + 1 == n;
        struct view part = view_of(bytes.p, MIN(bytes.n, part_max));
        enter_segment(c, segments[i]);
        uint8_t marks = (uint8_t)(mark | (is_last ? 0 : GOES_ON));
        write_part(c, entry_head(part.n, row, group, marks), received_at_us, part,
                   is_last ? c->tag : 0);
        bytes = view_of(bytes.p + part.n, bytes.n - part.n);
    }
    c->tag = 0;
    return 0;
}

int journal_append(struct journal_chain *c, int row, uint8_t group, int64_t received_at_us,
                   uint8_t mark, struct view bytes)
{
    if (UNLIKELY(!c->last || c->written + ENTRY_HEAD_BYTES + bytes.n > S_ROOM))
        return append_further(c, row, group, received_at_us, mark, bytes);
    write_part(c, entry_head(bytes.n, row, group, mark), received_at_us, bytes, c->tag);
    c->tag = 0;
    return 0;
}

void journal_tag(struct journal_chain *c, uint32_t tag)
{
    c->tag = tag;
}

size_t journal_chain_bytes(const struct journal_chain *c)
{
    return c->segments_n * JOURNAL_SEGMENT_BYTES;
}

static void free_segment(struct journal *j, size_t i)
{
    put32(segment_at(j, i) + S_STATE, 0);
    in_order();
    pthread_mutex_lock(&j->lock);
    CHECK(j->is_used[i]);
    j->is_used[i] = false;
    atomic_fetch_sub(&j->used, 1);
    pthread_mutex_unlock(&j->lock);
}

void journal_release(struct journal_chain **pc)
{
    struct journal_chain *c = *pc;
    if (!c)
        return;
    for (size_t i = 0; i < c->segments_n; i++) {
        free_segment(c->j, c->segments[i]);
        FAULT("journal.release");
    }
    free(c->segments);
    free(c);
    *pc = NULL;
}

/* ---- after a crash ---- */

static bool is_of_page(const unsigned char *s, const struct ledger_page *page)
{
    return get32(s + S_STATE) == 1 && get64(s + S_NUMBER) == ledger_page_number(page) &&
           memcmp(s + S_RUN, ledger_page_run(page), UNIT_RUN_BYTES) == 0;
}

struct journal_chain *journal_recovered(struct journal *j, const struct ledger_page *page)
{
    uint32_t *by_place = xcalloc(j->segments, sizeof(*by_place)); /* segment + 1; 0: none */
    struct journal_chain *c = journal_begin(j, page);
    for (size_t i = 0; i < j->segments; i++) {
        const unsigned char *s = segment_at(j, i);
        if (j->is_used[i] && is_of_page(s, page) && get32(s + S_PLACE) < j->segments)
            by_place[get32(s + S_PLACE)] = (uint32_t)i + 1;
    }
    for (size_t place = 0; place < j->segments && by_place[place]; place++)
        chain_add(c, by_place[place] - 1);
    free(by_place);
    if (c->segments_n == 0)
        journal_release(&c);
    return c;
}

static bool is_recovered(const struct journal *j, size_t i, const struct ledger_page *const *pages,
                         unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        if (is_of_page(segment_at(j, i), pages[k]))
            return true;
    }
    return false;
}

void journal_forget_rest(struct journal *j, const struct ledger_page *const *pages, unsigned n)
{
    for (size_t i = 0; i < j->segments; i++) {
        if (j->is_used[i] && !is_recovered(j, i, pages, n))
            free_segment(j, i);
    }
}

bool journal_has_tag(const struct journal *j, uint32_t tag)
{
    for (size_t i = 0; i < j->segments; i++)
        if (get64(segment_at(j, i) + S_WRITTEN) >> 32 == tag)
            return true;
    return false;
}

struct replay {
    journal_entry_fn each;
    void *context;
    struct buf large; /* parts of a message larger than a segment */
};

/* The entries of one segment. */
static int replay_segment(struct replay *r, const unsigned char *s, struct err *err)
{
    size_t written = get32(s + S_WRITTEN);
    if (written > S_ROOM)
        return err_set(err, EBADMSG, "journal", "a segment has %zu bytes of %d", written, S_ROOM);
    for (size_t at = 0; at < written;) {
        const unsigned char *e = s + S_ENTRIES + at;
        size_t left = written - at;
        if (left < ENTRY_HEAD_BYTES || get32(e + E_BYTES) > left - ENTRY_HEAD_BYTES ||
            get16(e + E_ROW) >= LEDGER_ROWS || e[E_GROUP] >= SOURCE_GROUPS_MAX)
            return err_set(err, EBADMSG, "journal", "the entry at byte %zu is not valid", at);
        struct view part = view_of((const char *)e + ENTRY_HEAD_BYTES, get32(e + E_BYTES));
        at += ENTRY_HEAD_BYTES + part.n;
        if ((e[E_MARK] & GOES_ON || r->large.n > 0) && buf_add_view(&r->large, part) < 0)
            return err_set(err, EBADMSG, "journal", "a message is longer than %zu bytes",
                           r->large.max);
        if (e[E_MARK] & GOES_ON)
            continue;
        struct journal_entry entry = {
            .row = get16(e + E_ROW),
            .group = e[E_GROUP],
            .mark = e[E_MARK],
            .received_at_us = (int64_t)get64(e + E_RECEIVED),
            .bytes = r->large.n > 0 ? buf_view(&r->large) : part,
        };
        r->each(r->context, &entry);
        buf_clear(&r->large);
    }
    return 0;
}

int journal_replay(struct journal_chain *c, journal_entry_fn each, void *context, struct err *err)
{
    struct replay r = {each, context, BUF_INIT(MESSAGE_MAX_BYTES_LIMIT + 65536)};
    int rc = 0;
    for (size_t i = 0; i < c->segments_n && rc == 0; i++)
        rc = replay_segment(&r, segment_at(c->j, c->segments[i]), err);
    buf_free(&r.large);
    return rc;
}
