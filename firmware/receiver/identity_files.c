/* The files of the TLS identity. */
#include "receiver/identity_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

int identity_folder_open(struct identity_folder *f, const struct state *state, struct err *err)
{
    state_path(state, "tls", f->path);
    if (mkdir(f->path, 0700) < 0 && errno != EEXIST)
        return err_set_field(err, errno, "state", "state.dir", "cannot make the folder %s: %s",
                             f->path, strerror(errno));
    if (chmod(f->path, 0700) < 0)
        return err_set_field(err, errno, "state", "state.dir",
                             "cannot close the folder %s to others: %s", f->path, strerror(errno));
    return 0;
}

void identity_path(const struct identity_folder *f, const char *name, char out[STATE_PATH_MAX])
{
    int n = snprintf(out, STATE_PATH_MAX, "%s/%s", f->path, name);
    CHECK(n > 0 && n < STATE_PATH_MAX);
}

static int failed(struct err *err, int error, const char *what, const char *path)
{
    return err_set(err, error, "state", "cannot %s %s: %s", what, path, strerror(error));
}

int identity_read(const struct identity_folder *f, const char *name, struct buf *out,
                  struct err *err)
{
    char path[STATE_PATH_MAX];
    struct stat st;
    identity_path(f, name, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? -ENOENT : failed(err, errno, "read", path);
    int rc = 0;
    if (fstat(fd, &st) < 0)
        rc = failed(err, errno, "read", path);
    else if (!S_ISREG(st.st_mode))
        rc = failed(err, EINVAL, "read", path);
    else if (st.st_size > IDENTITY_FILE_MAX_BYTES || buf_reserve(out, (size_t)st.st_size + 1) < 0)
        rc = err_set(err, EFBIG, "state", "%s is longer than %d bytes", path,
                     IDENTITY_FILE_MAX_BYTES);
    while (rc == 0 && out->n < (size_t)st.st_size) {
        ssize_t n = read(fd, out->p + out->n, (size_t)st.st_size - out->n);
        if (n < 0 && errno != EINTR)
            rc = failed(err, errno, "read", path);
        else if (n == 0)
            break;
        else if (n > 0)
            out->n += (size_t)n;
    }
    close(fd);
    return rc;
}

static int write_all(int fd, struct view v)
{
    while (v.n) {
        ssize_t n = write(fd, v.p, v.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        v.p += n;
        v.n -= (size_t)n;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static void new_path(const struct identity_folder *f, const char *name, char out[STATE_PATH_MAX])
{
    int n = snprintf(out, STATE_PATH_MAX, "%s/%s.new", f->path, name);
    CHECK(n > 0 && n < STATE_PATH_MAX);
}

int identity_write_new(const struct identity_folder *f, const char *name, struct view bytes,
                       struct err *err)
{
    char path[STATE_PATH_MAX];
    new_path(f, name, path);
    (void)unlink(path); /* of a run that was killed */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int rc = fd < 0 ? -errno : write_all(fd, bytes);
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0)
        return 0;
    (void)unlink(path);
    return failed(err, -rc, "write", path);
}

int identity_take_new(const struct identity_folder *f, const char *name, struct err *err)
{
    char from[STATE_PATH_MAX], to[STATE_PATH_MAX];
    new_path(f, name, from);
    identity_path(f, name, to);
    if (rename(from, to) < 0)
        return failed(err, errno, "write", to);
    int fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    return 0;
}

int identity_write(const struct identity_folder *f, const char *name, struct view bytes,
                   struct err *err)
{
    int rc = identity_write_new(f, name, bytes, err);
    return rc < 0 ? rc : identity_take_new(f, name, err);
}

void identity_remove(const struct identity_folder *f, const char *name)
{
    char path[STATE_PATH_MAX];
    identity_path(f, name, path);
    (void)unlink(path);
}

struct identity_mark identity_mark_of(const struct identity_folder *f, const char *name)
{
    char path[STATE_PATH_MAX];
    struct stat st;
    identity_path(f, name, path);
    if (stat(path, &st) < 0)
        return (struct identity_mark){0};
    return (struct identity_mark){
        .device = st.st_dev,
        .inode = st.st_ino,
        .bytes = (uint64_t)st.st_size,
        .changed_ns = (int64_t)st.st_ctim.tv_sec * 1000 * US_PER_SECOND + st.st_ctim.tv_nsec,
    };
}

bool identity_mark_eq(const struct identity_mark *a, const struct identity_mark *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->changed_ns == b->changed_ns;
}

void identity_wipe(struct buf *b)
{
    if (b->p)
        explicit_bzero(b->p, b->cap);
    buf_free(b);
}
