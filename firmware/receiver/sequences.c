/* STATE/receiver/sequences.  Opened by the main thread, then each lane's thread uses its part.
 *
 *   header  0  8  "AZKSEQN1"
 *           8  4  version 1
 *          12  4  bytes of an entry: another build may lay it out differently
 *          16 16  boot id under which it was last opened
 *          32  4  1: closed in an orderly way and synced; 0: in use
 *          36  4  lanes
 *          40  8  key of the hash
 *   4,096         entries of 128 bytes, SEQUENCE_STREAMS_MAX of them: struct entry, as the machine
 *                 has it, for this file never leaves it
 *
 * The part of lane i of n is a run of sets of eight entries; a stream can lie in any of its set,
 * which its hash chooses:
 *
 *   | set | set | set … lane 0 … | set | set … lane 1 … |      set: [ e e e e e e e e ]
 *
 * An entry is in use when its tag is not 0.  It is made with the tag last and given up with the tag
 * first, and a track's numbers change with one store (sequence.h), so a process that is killed
 * leaves nothing half done but counters of messages.  After a crash of the whole machine pages may
 * be older than what was stored: the boot id differs, and the file is begun anew.
 *
 * Which goes when a set is full: first streams that have hardly begun, the longest silent one, so
 * that made-up ones push out one another; then one that was silent for SILENT_LONG_S. */
#include "receiver/sequences.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "config/log.h"
#include "receiver/mapped.h"

enum {
    VERSION = 1,
    WAYS = 8,
    BEGUN_MESSAGES = 4, /* until then a stream may have been made up */
    SILENT_LONG_S = 600,
    SETTLE_PARTS = 4, /* of a lane's part, one a call */
    PATH_MAX_BYTES = 320,
};
enum { H_VERSION = 8, H_ENTRY = 12, H_BOOT = 16, H_IS_CLOSED = 32, H_LANES = 36, H_KEY = 40 };
#define HEADER_BYTES 4096u
static const char magic[8] = "AZKSEQN1";

struct entry {
    uint64_t tag;       /* hash of all that tells streams apart, never 0; 0: free */
    uint32_t touched_s; /* wall clock; wraps in 2106, only differences are used */
    struct ip source;
    uint8_t listener, kind;
    struct sequence_state state;
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct entry) == 128, "two cache lines, and none shared");
#define FILE_BYTES (HEADER_BYTES + SEQUENCE_STREAMS_MAX * sizeof(struct entry))

/* Neighbours mostly are of one stream. */
struct recent {
    struct entry *entry; /* of `tag`, unless another has its place; NULL: none yet */
    uint64_t tag, stream;
    struct ip source;
    uint8_t listener;
    enum sequence_kind kind;
};

struct sequences {
    unsigned char *map;
    struct entry *entries;
    uint64_t key;
    unsigned lanes;
    sequences_lane_fn lane_of;
    size_t sets;           /* of a lane */
    unsigned *next_part;   /* of each lane, to be settled */
    struct recent *recent; /* of each lane */
};

/* ---- places ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t tag_of(const struct sequences *s, const struct ip *source, uint8_t listener,
                       const struct sequence *q)
{
    uint64_t address[2];
    memcpy(address, source->bytes, sizeof(address));
    uint64_t h = mix(address[0] ^ s->key, address[1] ^ UINT64_C(0x9e3779b97f4a7c15));
    h = mix(h ^ q->stream ^ s->key, UINT64_C(0xd6e8feb86659fd93) ^
                                        (uint64_t)(source->family << 16 | listener << 8 | q->kind));
    return h ? h : 1;
}

static struct entry *set_of(const struct sequences *s, unsigned lane, uint64_t tag)
{
    return s->entries + (lane * s->sets + tag % s->sets) * WAYS;
}

static bool has_hardly_begun(const struct entry *e)
{
    return e->state.track[0].messages + e->state.track[1].messages < BEGUN_MESSAGES;
}

/* Whole seconds from the entry's last message; the clock may have been put back. */
static uint32_t silent_s(const struct entry *e, uint32_t now_s)
{
    int32_t s = (int32_t)(now_s - e->touched_s);
    return s < 0 ? 0 : (uint32_t)s;
}

static struct entry *place_for(struct entry *set, uint32_t now_s)
{
    struct entry *begun = NULL, *silent = NULL;
    for (int i = 0; i < WAYS; i++) {
        struct entry *e = &set[i];
        if (e->tag == 0)
            return e;
        struct entry **best = has_hardly_begun(e) ? &begun : &silent;
        if (!*best || silent_s(e, now_s) > silent_s(*best, now_s))
            *best = e;
    }
    if (begun)
        return begun;
    return silent_s(silent, now_s) >= SILENT_LONG_S ? silent : NULL;
}

static void fill(struct entry *e, const struct entry *with)
{
    e->tag = 0;
    in_order();
    memcpy((char *)e + sizeof(e->tag), (const char *)with + sizeof(e->tag),
           sizeof(*e) - sizeof(e->tag));
    in_order();
    e->tag = with->tag;
}

/* ---- the file ---- */

static bool is_sound(const struct entry *e)
{
    return e->source.family <= 6 && e->listener < LISTENER_COUNT && e->kind < SEQUENCE_KINDS &&
           e->state.recent < 2 && e->state.meaning <= SEQUENCE_REPLAY && e->state.is_new < 2;
}

/* Why what is there is not gone on with; NULL: it is. */
static const char *why_not_trusted(const unsigned char *map, const uint8_t boot[MAPPED_BOOT_BYTES])
{
    if (memcmp(map, magic, sizeof(magic)) != 0 || get32(map + H_VERSION) != VERSION ||
        get32(map + H_ENTRY) != sizeof(struct entry))
        return "it is of another version";
    if (memcmp(map + H_BOOT, boot, MAPPED_BOOT_BYTES) != 0 && get32(map + H_IS_CLOSED) != 1)
        return "the machine was not shut down in an orderly way";
    return NULL;
}

/* The bytes of an old file that can be gone on with, to be freed; NULL: there is none. */
static unsigned char *read_old(const char *path, const uint8_t boot[MAPPED_BOOT_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    unsigned char *old = xmalloc(FILE_BYTES);
    size_t n = 0;
    ssize_t got;
    while (n < FILE_BYTES && (got = read(fd, old + n, FILE_BYTES - n)) > 0)
        n += (size_t)got;
    close(fd);
    const char *why = n < FILE_BYTES ? "it is cut short" : why_not_trusted(old, boot);
    if (!why)
        return old;
    free(old);
    log_line(LOG_INFO, "%s is begun anew, since %s: a stream's next number is its first", path,
             why);
    return NULL;
}

/* The file mapped, its whole space taken now: a full disk later would kill us when we write.  0, or
 * -errno. */
static int map_file(const char *path, int flags, unsigned char **ret)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (fd < 0)
        return -errno;
    int rc = -posix_fallocate(fd, 0, (off_t)FILE_BYTES);
    void *map = MAP_FAILED;
    if (rc == 0) {
        map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        rc = map == MAP_FAILED ? -errno : 0;
    }
    close(fd);
    if (rc == 0)
        *ret = map;
    else if (flags & O_CREAT)
        (void)unlink(path);
    return rc;
}

/* Where to make it anew: a new file under `fresh`; on a full disk the old one, or memory alone.
 * True: the new one. */
static bool get_room(struct sequences *s, const char *path, const char *fresh)
{
    int rc = map_file(fresh, O_CREAT | O_TRUNC, &s->map);
    if (rc == 0)
        return true;
    if (map_file(path, 0, &s->map) == 0) {
        memset(s->map, 0, FILE_BYTES);
        return false;
    }
    log_line(LOG_WARNING,
             "cannot make %s of %zu bytes: %s; after a kill -9 streams of numbers begin anew",
             fresh, (size_t)FILE_BYTES, strerror(-rc));
    s->map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(s->map != MAP_FAILED);
    return false;
}

/* The file as the run before has left it, without what is damaged. */
static bool go_on_with(struct sequences *s, const char *path, const uint8_t boot[MAPPED_BOOT_BYTES])
{
    if (map_file(path, 0, &s->map) < 0)
        return false;
    s->entries = (struct entry *)(void *)(s->map + HEADER_BYTES);
    for (size_t i = 0; i < SEQUENCE_STREAMS_MAX; i++)
        if (s->entries[i].tag != 0 && !is_sound(&s->entries[i]))
            s->entries[i].tag = 0;
    memcpy(s->map + H_BOOT, boot, MAPPED_BOOT_BYTES);
    put32(s->map + H_IS_CLOSED, 0);
    (void)msync(s->map, HEADER_BYTES, MS_SYNC); /* the next boot must not take it for closed */
    return true;
}

/* Put what an earlier run has left where it belongs now. */
static void take_over(struct sequences *s, const unsigned char *old)
{
    for (size_t i = 0; i < SEQUENCE_STREAMS_MAX; i++) {
        struct entry e;
        memcpy(&e, old + HEADER_BYTES + i * sizeof(e), sizeof(e));
        if (e.tag == 0 || !is_sound(&e))
            continue;
        unsigned lane = s->lane_of(&e.source, e.listener, s->lanes);
        CHECK(lane < s->lanes);
        struct entry *place = place_for(set_of(s, lane, e.tag), e.touched_s);
        if (place)
            fill(place, &e);
    }
}

int sequences_open(const char *path, unsigned lanes, sequences_lane_fn lane_of,
                   struct sequences **ret, struct err *err)
{
    uint8_t boot[MAPPED_BOOT_BYTES];
    char fresh[PATH_MAX_BYTES];
    CHECK(lanes >= 1 && SEQUENCE_STREAMS_MAX / WAYS / lanes > 0);
    int rc = mapped_boot_id(boot);
    if (rc < 0)
        return err_set(err, -rc, "sequences", "cannot read the boot id: %s", strerror(-rc));
    int n = snprintf(fresh, sizeof(fresh), "%s.new", path);
    if (n < 0 || (size_t)n >= sizeof(fresh))
        return err_set(err, ENAMETOOLONG, "sequences", "the path %s is too long", path);
    struct sequences *s = xcalloc(1, sizeof(*s));
    s->lanes = lanes;
    s->lane_of = lane_of;
    s->sets = SEQUENCE_STREAMS_MAX / WAYS / lanes;
    s->next_part = xcalloc(lanes, sizeof(*s->next_part));
    s->recent = xcalloc(lanes, sizeof(*s->recent));
    unsigned char *old = read_old(path, boot);
    if (old && get32(old + H_LANES) == lanes && go_on_with(s, path, boot)) {
        s->key = get64(old + H_KEY);
        free(old);
        *ret = s;
        return 0;
    }
    bool is_new = get_room(s, path, fresh);
    s->entries = (struct entry *)(void *)(s->map + HEADER_BYTES);
    if (old)
        s->key = get64(old + H_KEY); /* the tags are made with it */
    else
        CHECK(getrandom(&s->key, sizeof(s->key), 0) == sizeof(s->key));
    put32(s->map + H_VERSION, VERSION);
    put32(s->map + H_ENTRY, sizeof(struct entry));
    memcpy(s->map + H_BOOT, boot, sizeof(boot));
    put32(s->map + H_LANES, lanes);
    put64(s->map + H_KEY, s->key);
    if (old)
        take_over(s, old);
    free(old);
    in_order();
    memcpy(s->map, magic, sizeof(magic));
    /* whole or not at all: killed before this, the next start reads the old one again */
    if (is_new && rename(fresh, path) < 0) {
        rc = err_set(err, errno, "sequences", "cannot rename %s: %s", fresh, strerror(errno));
        sequences_close(&s, false);
        return rc;
    }
    *ret = s;
    return 0;
}

void sequences_close(struct sequences **ps, bool is_orderly)
{
    struct sequences *s = *ps;
    if (!s)
        return;
    if (is_orderly && msync(s->map, FILE_BYTES, MS_SYNC) == 0) {
        put32(s->map + H_IS_CLOSED, 1);
        (void)msync(s->map, HEADER_BYTES, MS_SYNC);
    }
    (void)munmap(s->map, FILE_BYTES);
    free(s->next_part);
    free(s->recent);
    free(s);
    *ps = NULL;
}

void sequences_again(struct sequences *s, const struct ip *source, uint8_t listener,
                     const struct sequence *number)
{
    uint64_t tag = tag_of(s, source, listener, number);
    struct entry *set = set_of(s, s->lane_of(source, listener, s->lanes), tag);
    for (int i = 0; i < WAYS; i++)
        if (set[i].tag == tag)
            sequence_again(&set[i].state, number->kind, number->number);
}

/* ---- the lane's thread ---- */

static bool is_of(const struct recent *last, const struct ip *source, uint8_t listener,
                  const struct sequence *number)
{
    return last->entry && last->entry->tag == last->tag && last->stream == number->stream &&
           last->kind == number->kind && last->listener == listener && ip_eq(&last->source, source);
}

/* The entry of a stream, or one that it is to have: *ret_is_new.  NULL: no place. */
static struct entry *find_entry(struct sequences *s, unsigned lane, uint64_t tag, uint32_t now_s,
                                bool may_begin, bool *ret_is_new)
{
    struct entry *set = set_of(s, lane, tag);
    *ret_is_new = false;
    for (int i = 0; i < WAYS; i++)
        if (set[i].tag == tag)
            return &set[i];
    *ret_is_new = true;
    return may_begin ? place_for(set, now_s) : NULL;
}

int sequences_take(struct sequences *s, unsigned lane, const struct ip *source, uint8_t listener,
                   const struct sequence *number, int64_t received_at_us, bool may_begin,
                   struct sequence_gap *gap)
{
    *gap = (struct sequence_gap){0};
    uint32_t now_s = (uint32_t)(received_at_us / US_PER_SECOND);
    struct recent *last = &s->recent[lane];
    bool is_new = false;
    if (UNLIKELY(!is_of(last, source, listener, number))) {
        uint64_t tag = tag_of(s, source, listener, number);
        struct entry *e = find_entry(s, lane, tag, now_s, may_begin, &is_new);
        if (!e)
            return -ENOSPC;
        *last = (struct recent){e, tag, number->stream, *source, listener, number->kind};
    }
    if (LIKELY(!is_new)) {
        last->entry->touched_s = now_s;
        sequence_take(&last->entry->state, number->kind, number->number, gap);
        return 0;
    }
    struct entry e = {.tag = last->tag,
                      .touched_s = now_s,
                      .source = *source,
                      .listener = listener,
                      .kind = number->kind};
    sequence_take(&e.state, number->kind, number->number, gap);
    fill(last->entry, &e);
    return 1;
}

void sequences_settle(struct sequences *s, unsigned lane, int64_t now_wall_us, bool is_all,
                      sequences_gap_fn each, void *context)
{
    uint32_t now_s = (uint32_t)(now_wall_us / US_PER_SECOND);
    size_t n = s->sets * WAYS, from = 0, to = n;
    if (!is_all) {
        unsigned part = s->next_part[lane];
        from = n * part / SETTLE_PARTS;
        to = n * (part + 1) / SETTLE_PARTS;
        s->next_part[lane] = (part + 1) % SETTLE_PARTS;
    }
    for (size_t i = from; i < to; i++) {
        struct entry *e = &s->entries[lane * n + i];
        struct sequence_gap gap = {0};
        if (e->tag != 0 && (is_all || silent_s(e, now_s) >= SEQUENCES_SILENT_SECONDS) &&
            sequence_settle(&e->state, &gap))
            each(context, e->listener, &e->source, &gap);
    }
}
