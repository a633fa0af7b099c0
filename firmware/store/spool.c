/* The spool's files (spool.md).  Written by the receiver's backlog thread, read by its writer
 * thread, which may run at the same time: one lock.
 *
 *   files:  [ 7 | done done ▸head · · · ]  [ 8 | · · · ]  [ 9 | · · ▸end ]
 *            ▲ spool_head, spool_drop_head                    ▲ spool_append
 *
 * What is not in memory is the units: an index of their number would be a limit on it.  Each start
 * begins a file of its own, so nothing is ever appended behind a place that a crash has touched.
 *
 * Points of AZEKURA_FAULT: spool.file spool.head spool.body spool.appended spool.synced spool.drop
 * spool.unlink. */
#include "store/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/fault.h"
#include "store/spool_file.h"
#include "store/spool_record.h"

/* A file is so large at most, or has one unit: its space is given back when all of it is done. */
enum { FILE_BYTES = 32 << 20, FILES_LEAST = 8 };
#define PATH_MAX_BYTES 320
#define RECORD_MAX_BYTES ((size_t)512 << 20)
#define READ_TRIES \
    10 /* what cannot be read then is passed by: behind it the box would stand still */
static const char ending[] = ".spool", aside_ending[] = ".spool.aside";

struct file {
    uint64_t number;
    int fd;              /* -1: not open */
    int64_t bytes, head; /* up to where it is good; offset of the first record that waits */
    uint64_t units, messages, benchmark_messages; /* that wait in it */
    unsigned failures;                            /* in a row, to read what is its head */
    bool is_dirty;                                /* not synced */
    bool is_damaged;                              /* to be kept aside when it is done */
};

struct spool {
    pthread_mutex_t lock;
    char folder[PATH_MAX_BYTES - 64];
    int folder_fd;
    struct file *files; /* oldest first */
    size_t files_n, files_cap;
    bool is_appending; /* to the last of them */
    bool is_folder_dirty;
    uint64_t next_file, next_position;
    uint64_t head_position; /* of the head, when it has been read; 0: not yet */
    struct spool_status status;
    spool_notice_fn each;
    void *context;
};

const char *spool_state_name(enum spool_state s)
{
    static const char *const names[] = {"idle", "filling", "draining", "full"};
    return names[s];
}

/* ---- files ---- */

static void path_of(const struct spool *s, uint64_t number, char out[PATH_MAX_BYTES])
{
    snprintf(out, PATH_MAX_BYTES, "%s/%016llx%s", s->folder, (unsigned long long)number, ending);
}

static int disk_error(struct err *err, int error, const char *what, const char *path)
{
    return err_set(err, error, "spool", "cannot %s %s: %s", what, path, strerror(error));
}

static int open_file(struct spool *s, struct file *f, struct err *err)
{
    char path[PATH_MAX_BYTES];
    if (f->fd >= 0)
        return 0;
    path_of(s, f->number, path);
    f->fd = open(path, O_RDWR | O_CLOEXEC);
    return f->fd < 0 ? disk_error(err, errno, "open", path) : 0;
}

static void close_file(struct file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static struct file *add_file(struct spool *s, uint64_t number)
{
    if (s->files_n == s->files_cap) {
        s->files_cap = MAX(2 * s->files_cap, (size_t)16);
        s->files = xrealloc(s->files, s->files_cap, sizeof(*s->files));
    }
    struct file *f = &s->files[s->files_n++];
    *f = (struct file){.number = number, .fd = -1};
    return f;
}

static void tell(struct spool *s, enum spool_news news, const char *path, const char *why,
                 uint64_t records, const struct spool_head *h)
{
    struct spool_notice n = {
        .news = news,
        .file = path,
        .why = why,
        .records = records,
        .messages = h ? h->messages : 0,
        .run = h && h->is_valid ? h->run : NULL,
        .number = h ? h->number : 0,
    };
    s->each(s->context, &n);
}

/* Out of the way, but kept: somebody may want to see it.  The name it has now goes to *path. */
static void keep_aside(struct spool *s, char path[PATH_MAX_BYTES])
{
    char aside[PATH_MAX_BYTES + 8];
    snprintf(aside, sizeof(aside), "%s.aside", path);
    if (rename(path, aside) == 0)
        snprintf(path, PATH_MAX_BYTES, "%.*s", PATH_MAX_BYTES - 1, aside);
    s->status.aside_files++;
    s->is_folder_dirty = true;
}

/* Every unit of the first file is stored. */
static void finish_first_file(struct spool *s)
{
    struct file *f = &s->files[0];
    char path[PATH_MAX_BYTES];
    path_of(s, f->number, path);
    close_file(f);
    if (f->is_damaged) {
        keep_aside(s, path);
        tell(s, SPOOL_NEWS_ASIDE, path, "it was damaged; what could be read of it is stored", 0,
             NULL);
    } else {
        (void)unlink(path);
    }
    FAULT("spool.unlink");
    s->status.bytes -= (uint64_t)f->bytes;
    s->files_n--;
    if (s->files_n == 0)
        s->is_appending = false;
    memmove(s->files, s->files + 1, s->files_n * sizeof(*s->files));
}

/* ---- opening ---- */

static int by_number(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* "0000000000000012.spool" → its number. */
static bool file_number(const char *name, const char *after, uint64_t *ret)
{
    char *end;
    if (strspn(name, "0123456789abcdef") != 16 || strcmp(name + 16, after) != 0)
        return false;
    *ret = strtoull(name, &end, 16);
    return *ret > 0 && *ret < UINT64_MAX;
}

static int list_files(struct spool *s, struct err *err)
{
    DIR *d = opendir(s->folder);
    if (!d)
        return disk_error(err, errno, "read", s->folder);
    struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        uint64_t number;
        size_t n = strlen(e->d_name);
        if (file_number(e->d_name, ending, &number)) {
            (void)add_file(s, number);
        } else if (file_number(e->d_name, aside_ending, &number)) {
            s->next_file = MAX(s->next_file, number + 1); /* never over one that is kept */
        } else if (n > sizeof(ending) - 1 && n < 64 &&
                   strcmp(e->d_name + n - (sizeof(ending) - 1), ending) == 0) {
            char path[PATH_MAX_BYTES];
            snprintf(path, sizeof(path), "%s/%.63s", s->folder, e->d_name);
            keep_aside(s, path);
            tell(s, SPOOL_NEWS_ASIDE, path, "its name is not that of a spool file", 0, NULL);
        }
    }
    closedir(d);
    if (s->files_n > 1)
        qsort(s->files, s->files_n, sizeof(*s->files), by_number);
    return 0;
}

static void count_unit(struct spool *s, struct file *f, const struct spool_head *h)
{
    f->units++;
    f->messages += h->messages;
    f->benchmark_messages += h->benchmark_messages;
    s->status.units++;
    s->status.messages += h->messages;
    s->status.benchmark_messages += h->benchmark_messages;
    if (s->status.oldest_at_us == TIME_NONE)
        s->status.oldest_at_us = h->first_at_us;
}

static void uncount_unit(struct spool *s, struct file *f, const struct spool_head *h)
{
    f->units--;
    f->messages -= h->messages;
    f->benchmark_messages -= h->benchmark_messages;
    s->status.units--;
    s->status.messages -= h->messages;
    s->status.benchmark_messages -= h->benchmark_messages;
}

/* What follows the last good record of a file goes; of the newest one, as a crash may leave it. */
static void cut_tail(struct spool *s, struct file *f, int64_t at, const struct spool_head *h,
                     const char *why)
{
    char path[PATH_MAX_BYTES];
    path_of(s, f->number, path);
    s->status.torn_records++;
    s->status.torn_messages += h ? h->messages : 0;
    f->bytes = at;
    if (ftruncate(f->fd, at) < 0)
        f->is_damaged = true; /* it stays, and is not read */
    tell(s, SPOOL_NEWS_TORN, path, why, 1, h);
}

static bool body_is_good(int fd, int64_t at, const struct spool_head *h)
{
    char *body = xmalloc(h->body_bytes);
    bool is_good = spool_body_read(fd, at, h, body) == 0;
    free(body);
    return is_good;
}

/* A damaged head in the middle of a file: what follows is good, and the file is kept. */
static void say_passed(struct spool *s, struct file *f, const char *why)
{
    char path[PATH_MAX_BYTES];
    path_of(s, f->number, path);
    s->status.torn_records++;
    f->is_damaged = true;
    tell(s, SPOOL_NEWS_TORN, path, why, 1, NULL);
}

/* Heads of all records.  `is_newest`: its end may be torn, so the last body is checked too. */
static void scan_file(struct spool *s, struct file *f, bool is_newest)
{
    int64_t at = SPOOL_FILE_HEAD_BYTES, last_at = 0;
    struct spool_head h, last;
    const char *why = NULL;
    while (at < f->bytes) {
        int rc = spool_head_read(f->fd, at, f->bytes, &h, &why);
        if (rc == -EBADMSG && !h.is_valid && spool_head_find(f->fd, &at, f->bytes) == 0) {
            say_passed(s, f, why);
            continue;
        }
        if (rc < 0)
            break;
        if (!h.is_done) {
            if (f->units == 0)
                f->head = at;
            count_unit(s, f, &h);
        } else if (f->units == 0) {
            f->head = at + SPOOL_HEAD_BYTES + (int64_t)h.body_bytes;
        }
        last = h;
        last_at = at;
        at += SPOOL_HEAD_BYTES + (int64_t)h.body_bytes;
    }
    if (at < f->bytes && is_newest) {
        cut_tail(s, f, at, h.is_valid ? &h : NULL, why);
    } else if (at < f->bytes) {
        f->is_damaged = true; /* read up to here, then kept aside */
    } else if (is_newest && last_at > 0 && !last.is_done && !body_is_good(f->fd, last_at, &last)) {
        uncount_unit(s, f, &last);
        cut_tail(s, f, last_at, &last, "its bytes do not agree with their checksum");
        at = last_at;
    }
    if (f->units == 0)
        f->head = at;
}

/* A damaged head of a file does not cost what follows it. */
static bool has_records(struct file *f, int64_t file_bytes)
{
    struct spool_head h;
    const char *why;
    int64_t at = SPOOL_FILE_HEAD_BYTES;
    if (spool_head_read(f->fd, at, file_bytes, &h, &why) < 0 &&
        spool_head_find(f->fd, &at, file_bytes) < 0)
        return false;
    return true;
}

/* Whether the file is one of the spool's: else it is set aside. */
static bool adopt_file(struct spool *s, struct file *f, bool is_newest)
{
    char path[PATH_MAX_BYTES];
    struct err err = {0};
    struct stat st;
    const char *why = NULL;
    bool is_empty = false;
    path_of(s, f->number, path);
    if (open_file(s, f, &err) < 0)
        why = err.message;
    else if (fstat(f->fd, &st) < 0 || !S_ISREG(st.st_mode))
        why = "it is no file";
    else if (st.st_size == 0 && is_newest)
        is_empty = true; /* a crash right after it was made */
    else if (spool_file_head_check(f->fd, f->number, &why) == -EBADMSG &&
             has_records(f, st.st_size)) {
        f->is_damaged = true;
        why = NULL;
    }
    if (!why) {
        f->bytes = f->head = is_empty ? 0 : st.st_size;
        scan_file(s, f, is_newest);
        s->status.bytes += (uint64_t)f->bytes;
        return true;
    }
    close_file(f);
    keep_aside(s, path);
    tell(s, SPOOL_NEWS_ASIDE, path, why, 0, NULL);
    return false;
}

static void adopt_files(struct spool *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->files_n; i++) {
        struct file f = s->files[i];
        s->next_file = MAX(s->next_file, f.number + 1);
        if (!adopt_file(s, &f, i + 1 == s->files_n))
            continue;
        close_file(&f);
        s->files[kept++] = f;
    }
    s->files_n = kept;
    while (s->files_n > 0 && s->files[0].units == 0)
        finish_first_file(s);
}

static int open_folder(struct spool *s, struct err *err)
{
    if (mkdir(s->folder, 0755) < 0 && errno != EEXIST)
        return err_set_field(err, errno, "spool", "state.dir", "cannot make the folder %s: %s",
                             s->folder, strerror(errno));
    s->folder_fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return s->folder_fd < 0 ? disk_error(err, errno, "open", s->folder) : 0;
}

int spool_open(const char *parent, int64_t max_bytes, spool_notice_fn each, void *context,
               struct spool **ret, struct err *err)
{
    struct spool *s = xcalloc(1, sizeof(*s));
    CHECK(pthread_mutex_init(&s->lock, NULL) == 0);
    s->folder_fd = -1;
    s->next_file = s->next_position = 1;
    s->status.oldest_at_us = TIME_NONE;
    s->status.max_bytes = (uint64_t)max_bytes;
    s->each = each;
    s->context = context;
    int n = snprintf(s->folder, sizeof(s->folder), "%s/spool", parent);
    if (n < 0 || (size_t)n >= sizeof(s->folder)) {
        spool_close(&s);
        return err_set_field(err, ENAMETOOLONG, "spool", "state.dir", "the path %s is too long",
                             parent);
    }
    struct err why = {0};
    if (open_folder(s, &why) < 0 || list_files(s, &why) < 0)
        tell(s, SPOOL_NEWS_NO_FOLDER, s->folder, why.message, 0, NULL);
    adopt_files(s);
    *ret = s;
    return 0;
}

void spool_close(struct spool **ps)
{
    struct spool *s = *ps;
    if (!s)
        return;
    int rc = spool_sync(s, NULL);
    (void)rc; /* what does not reach the disk is in the page cache, and cut off if that is lost */
    for (size_t i = 0; i < s->files_n; i++)
        close_file(&s->files[i]);
    if (s->folder_fd >= 0)
        close(s->folder_fd);
    free(s->files);
    pthread_mutex_destroy(&s->lock);
    free(s);
    *ps = NULL;
}

void spool_set_max_bytes(struct spool *s, int64_t max_bytes)
{
    pthread_mutex_lock(&s->lock);
    s->status.max_bytes = (uint64_t)max_bytes;
    pthread_mutex_unlock(&s->lock);
}

/* ---- writing ---- */

/* The folder is not there any more, or could not be had at the start.  Files that came back with it
 * (a file system mounted late) are for the next start: in between they would be out of order. */
static int get_folder(struct spool *s, struct err *err)
{
    int before = s->folder_fd;
    s->folder_fd = -1;
    int rc = open_folder(s, err);
    if (rc < 0) {
        s->folder_fd = before;
        return rc;
    }
    if (before >= 0)
        close(before);
    DIR *d = opendir(s->folder);
    if (!d)
        return disk_error(err, errno, "read", s->folder);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        uint64_t number;
        if (file_number(e->d_name, ending, &number) ||
            file_number(e->d_name, aside_ending, &number))
            s->next_file = MAX(s->next_file, number + 1);
    }
    closedir(d);
    return 0;
}

static int create_file(struct spool *s, char path[PATH_MAX_BYTES])
{
    path_of(s, s->next_file, path);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int begin_file(struct spool *s, struct err *err)
{
    char path[PATH_MAX_BYTES];
    int rc = s->folder_fd < 0 ? get_folder(s, err) : 0;
    if (rc < 0)
        return rc;
    int fd = create_file(s, path);
    if (fd < 0 && (errno == ENOENT || errno == EEXIST)) {
        rc = get_folder(s, err);
        if (rc < 0)
            return rc;
        fd = create_file(s, path);
    }
    if (fd < 0)
        return disk_error(err, errno, "create", path);
    FAULT("spool.file");
    rc = spool_file_head_write(fd, s->next_file);
    if (rc < 0) {
        close(fd);
        (void)unlink(path);
        return disk_error(err, -rc, "write", path);
    }
    struct file *f = add_file(s, s->next_file++);
    f->fd = fd;
    f->bytes = f->head = SPOOL_FILE_HEAD_BYTES;
    f->is_dirty = true;
    s->status.bytes += SPOOL_FILE_HEAD_BYTES;
    s->is_appending = s->is_folder_dirty = true;
    return 0;
}

/* A record that was not written whole goes again.  If even that fails nothing is written behind it:
 * the file ends for us where it was good. */
static void take_back(struct spool *s, struct file *f)
{
    if (ftruncate(f->fd, f->bytes) < 0)
        s->is_appending = false;
}

/* A small spool must not be full of what is stored already. */
static bool is_file_full(const struct spool *s, size_t more)
{
    const struct file *f = &s->files[s->files_n - 1];
    uint64_t most = MIN(s->status.max_bytes / FILES_LEAST, (uint64_t)FILE_BYTES);
    return f->bytes > SPOOL_FILE_HEAD_BYTES && (uint64_t)f->bytes + more > most;
}

static int append(struct spool *s, const struct spool_head *h, const struct buf *record,
                  struct err *err)
{
    char path[PATH_MAX_BYTES];
    if (s->status.bytes + record->n > s->status.max_bytes)
        return err_set_field(err, ENOSPC, "spool", "spool.max_bytes",
                             "the spool is full: spool.max_bytes is %llu",
                             (unsigned long long)s->status.max_bytes);
    if (!s->is_appending || is_file_full(s, record->n)) {
        int rc = begin_file(s, err);
        if (rc < 0)
            return rc;
    }
    struct file *f = &s->files[s->files_n - 1];
    int rc = spool_record_write(f->fd, f->bytes, buf_view(record));
    if (rc < 0) {
        path_of(s, f->number, path);
        take_back(s, f);
        return disk_error(err, -rc, "write", path);
    }
    FAULT("spool.appended");
    f->bytes += (int64_t)record->n;
    f->is_dirty = true;
    s->status.bytes += record->n;
    count_unit(s, f, h);
    return 0;
}

int spool_append(struct spool *s, const struct unit *u, uint64_t *ret_position, struct err *err)
{
    struct buf record = BUF_INIT(RECORD_MAX_BYTES);
    struct spool_head h = {.number = u->number, .first_at_us = TIME_NONE};
    memcpy(h.run, u->run, sizeof(h.run));
    for (size_t i = 0; i < u->blocks_n; i++) {
        const struct block *b = u->blocks[i].block;
        h.messages += b->messages;
        h.benchmark_messages += u->blocks[i].source_group == SOURCE_GROUP_BENCHMARK ? b->messages
                                                                                    : 0;
        if (h.first_at_us == TIME_NONE || b->first_at_us < h.first_at_us)
            h.first_at_us = b->first_at_us;
    }
    if (h.first_at_us == TIME_NONE)
        h.first_at_us = u->rows_n > 0 ? u->rows[0].minute_us : clock_wall_us();
    int rc = buf_reserve(&record, SPOOL_HEAD_BYTES);
    record.n = SPOOL_HEAD_BYTES;
    if (rc == 0)
        rc = spool_record_encode(u, &record);
    if (rc < 0) {
        buf_free(&record);
        return err_set(err, EFBIG, "spool", "a unit is larger than %zu bytes", RECORD_MAX_BYTES);
    }
    pthread_mutex_lock(&s->lock);
    spool_head_seal(&h, &record);
    bool was_empty = s->status.units == 0;
    rc = append(s, &h, &record, err);
    if (rc == 0) {
        *ret_position = s->next_position + s->status.units - 1;
        if (was_empty)
            s->head_position = s->next_position;
    }
    pthread_mutex_unlock(&s->lock);
    buf_free(&record);
    return rc;
}

/* Somebody has deleted it under us: only our descriptor still has what is in it. */
static bool is_deleted(const struct file *f)
{
    struct stat st;
    return f->fd >= 0 && fstat(f->fd, &st) == 0 && st.st_nlink == 0;
}

/* The next file that has to be synced: a descriptor of our own, since the file may go meanwhile. */
static int take_dirty(struct spool *s, uint64_t *ret_number)
{
    int fd = -1;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->files_n && fd < 0; i++) {
        struct file *f = &s->files[i];
        if (!f->is_dirty || f->fd < 0) {
            if (i > 0 && i + 1 < s->files_n && !is_deleted(f))
                close_file(f); /* neither read nor written now: descriptors are few */
            continue;
        }
        fd = dup(f->fd);
        f->is_dirty = fd < 0;
        *ret_number = f->number;
        if (fd < 0)
            break;
    }
    pthread_mutex_unlock(&s->lock);
    return fd;
}

/* What is appended to a deleted file would be gone with the process. */
static int leave_deleted_file(struct spool *s, struct err *err)
{
    char path[PATH_MAX_BYTES];
    int rc = 0;
    pthread_mutex_lock(&s->lock);
    if (s->is_appending && is_deleted(&s->files[s->files_n - 1])) {
        path_of(s, s->files[s->files_n - 1].number, path);
        s->is_appending = false;
        rc = err_set(err, ENOENT, "spool", "%s was deleted by somebody else", path);
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int spool_sync(struct spool *s, struct err *err)
{
    uint64_t number = 0;
    int fd, rc = leave_deleted_file(s, err);
    while ((fd = take_dirty(s, &number)) >= 0) {
        if (fdatasync(fd) < 0 && rc == 0) {
            char path[PATH_MAX_BYTES];
            path_of(s, number, path);
            rc = disk_error(err, errno, "sync", path);
            pthread_mutex_lock(&s->lock);
            s->is_appending = false; /* not behind what may not be there */
            pthread_mutex_unlock(&s->lock);
        }
        close(fd);
    }
    pthread_mutex_lock(&s->lock);
    bool is_folder_dirty = s->is_folder_dirty;
    s->is_folder_dirty = false;
    pthread_mutex_unlock(&s->lock);
    if (is_folder_dirty && s->folder_fd >= 0 && fsync(s->folder_fd) < 0 && rc == 0)
        rc = disk_error(err, errno, "sync", s->folder);
    FAULT("spool.synced");
    return rc;
}

/* ---- reading ---- */

/* The head of the first file is passed by, whatever it was. */
static void pass(struct spool *s, struct file *f, const struct spool_head *h)
{
    f->head += SPOOL_HEAD_BYTES + (int64_t)h->body_bytes;
    f->failures = 0;
    s->next_position++;
    uncount_unit(s, f, h);
}

/* Nothing good is left in the file, although units of it were counted. */
static void lose_rest(struct spool *s, struct file *f, const char *why)
{
    char path[PATH_MAX_BYTES];
    path_of(s, f->number, path);
    s->status.torn_records += f->units;
    s->status.torn_messages += f->messages;
    tell(s, SPOOL_NEWS_TORN, path, why, f->units, &(struct spool_head){.messages = f->messages});
    s->status.units -= f->units;
    s->status.messages -= f->messages;
    s->status.benchmark_messages -= f->benchmark_messages;
    s->next_position += f->units;
    f->units = 0;
    f->is_damaged = true;
}

/* The head of the first file cannot be read, for `error`.  True: once too often, so what it is
 * must be passed by; not when it is us who lack something. */
static bool is_given_up(struct file *f, int error)
{
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        return false;
    return ++f->failures >= READ_TRIES;
}

/* The head of the record at f->head, or of the next good one behind it. */
static int read_head(struct spool *s, struct file *f, struct spool_head *h, const char **why,
                     struct err *err)
{
    int rc = open_file(s, f, err);
    if (rc < 0) {
        *why = "its file cannot be opened";
        return is_given_up(f, -rc) ? -EBADMSG : rc;
    }
    rc = spool_head_read(f->fd, f->head, f->bytes, h, why);
    if (rc == -EBADMSG && spool_head_find(f->fd, &f->head, f->bytes) == 0) {
        f->is_damaged = true;
        rc = spool_head_read(f->fd, f->head, f->bytes, h, why);
    }
    if (rc != -EIO)
        return rc;
    *why = "its file cannot be read";
    (void)err_set(err, EIO, "spool", "cannot read file %016llx of the spool",
                  (unsigned long long)f->number);
    return is_given_up(f, EIO) ? -EBADMSG : rc;
}

/* To the first record that waits, its head in *h.  1, 0: empty, or negative and *err. */
static int seek_head(struct spool *s, struct spool_head *h, struct err *err)
{
    for (;;) {
        if (s->files_n == 0)
            return 0;
        struct file *f = &s->files[0];
        if (f->units == 0) {
            if (s->files_n == 1 && s->is_appending && f->head == SPOOL_FILE_HEAD_BYTES)
                return 0; /* begun, and nothing in it yet */
            finish_first_file(s);
            continue;
        }
        const char *why = NULL;
        int rc = read_head(s, f, h, &why, err);
        if (rc == -EBADMSG) { /* it was good when it was counted: the disk lost it since */
            lose_rest(s, f, why);
            continue;
        }
        if (rc < 0)
            return rc;
        if (h->is_done) {
            f->head += SPOOL_HEAD_BYTES + (int64_t)h->body_bytes;
            continue;
        }
        s->status.oldest_at_us = h->first_at_us;
        return 1;
    }
}

static int read_body(struct spool *s, const struct spool_head *h, struct spool_unit *ret,
                     struct err *err)
{
    struct file *f = &s->files[0];
    ret->body = xmalloc(h->body_bytes);
    int rc = spool_body_read(f->fd, f->head, h, ret->body);
    if (rc == 0)
        f->failures = 0;
    if (rc == 0)
        rc = spool_record_decode(view_of(ret->body, h->body_bytes), &ret->arena, &ret->unit, err);
    else if (rc == -EBADMSG)
        (void)err_set(err, EBADMSG, "spool", "its bytes do not agree with their checksum");
    else
        (void)err_set(err, -rc, "spool", "cannot read file %016llx of the spool: %s",
                      (unsigned long long)f->number, strerror(-rc));
    if (rc < 0 && rc != -EBADMSG && is_given_up(f, -rc))
        rc = -EBADMSG;
    return rc;
}

int spool_head(struct spool *s, struct spool_unit *ret, struct err *err)
{
    struct spool_head h;
    int rc;
    memset(ret, 0, sizeof(*ret));
    pthread_mutex_lock(&s->lock);
    while ((rc = seek_head(s, &h, err)) > 0) {
        rc = read_body(s, &h, ret, err);
        if (rc == 0) {
            memcpy(ret->unit.run, h.run, sizeof(h.run));
            ret->unit.number = h.number;
            ret->messages = h.messages;
            ret->benchmark_messages = h.benchmark_messages;
            ret->position = s->head_position = s->next_position;
            rc = 1;
            break;
        }
        spool_unit_free(ret);
        if (rc != -EBADMSG)
            break;
        char path[PATH_MAX_BYTES], why[sizeof(err->message)];
        path_of(s, s->files[0].number, path);
        snprintf(why, sizeof(why), "%s", err ? err->message : "it is damaged");
        s->files[0].is_damaged = true;
        s->status.torn_records++;
        s->status.torn_messages += h.messages;
        tell(s, SPOOL_NEWS_TORN, path, why, 1, &h);
        pass(s, &s->files[0], &h);
    }
    if (rc == 0)
        s->status.oldest_at_us = TIME_NONE;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

void spool_unit_free(struct spool_unit *u)
{
    arena_done(&u->arena);
    free(u->body);
    memset(u, 0, sizeof(*u));
}

void spool_drop_head(struct spool *s, uint64_t position)
{
    struct spool_head h;
    struct err ignored;
    pthread_mutex_lock(&s->lock);
    CHECK(position == s->head_position);
    s->head_position = 0;
    if (seek_head(s, &h, &ignored) > 0) {
        FAULT("spool.drop");
        /* a mark that does not reach the disk is harmless: the unit meets its own key */
        int rc = spool_head_mark_done(s->files[0].fd, s->files[0].head);
        (void)rc;
        pass(s, &s->files[0], &h);
        (void)seek_head(s, &h, &ignored); /* done files go, and the oldest unit is known */
    }
    if (s->status.units == 0)
        s->status.oldest_at_us = TIME_NONE;
    pthread_mutex_unlock(&s->lock);
}

bool spool_is_empty(const struct spool *s)
{
    struct spool *m = (struct spool *)s;
    pthread_mutex_lock(&m->lock);
    bool is_empty = s->status.units == 0;
    pthread_mutex_unlock(&m->lock);
    return is_empty;
}

void spool_read_status(const struct spool *s, struct spool_status *ret)
{
    struct spool *m = (struct spool *)s;
    pthread_mutex_lock(&m->lock);
    *ret = s->status;
    pthread_mutex_unlock(&m->lock);
    ret->state = ret->units > 0 ? SPOOL_FILLING : SPOOL_IDLE;
}
