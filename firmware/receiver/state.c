/* Files of the receiver's state folder. */
#include "receiver/state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(const char *path, mode_t mode, struct err *err)
{
    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return err_set_field(err, errno, "state", "state.dir", "cannot make the folder %s: %s",
                             path, strerror(errno));
    return 0;
}

void state_path(const struct state *s, const char *name, char out[STATE_PATH_MAX])
{
    int n = snprintf(out, STATE_PATH_MAX, "%s/%s", s->folder, name);
    CHECK(n > 0 && n < STATE_PATH_MAX);
}

static int lock(struct state *s, struct err *err)
{
    char path[STATE_PATH_MAX], owner[32] = "";
    state_path(s, "lock", path);
    s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (s->lock_fd < 0)
        return err_set_field(err, errno, "state", "state.dir", "cannot open %s: %s", path,
                             strerror(errno));
    if (flock(s->lock_fd, LOCK_EX | LOCK_NB) < 0) {
        ssize_t n = read(s->lock_fd, owner, sizeof(owner) - 1);
        owner[MAX(n, 0)] = '\0';
        owner[strcspn(owner, "\n")] = '\0';
        close(s->lock_fd);
        s->lock_fd = -1;
        return err_set_field(err, EBUSY, "in_use", "state.dir",
                             "another receiver (process %s) works in %s", owner[0] ? owner : "?",
                             s->folder);
    }
    /* who we are is for people; a full disk may not take it, and the lock holds all the same */
    int n = snprintf(owner, sizeof(owner), "%d\n", (int)getpid());
    if (pwrite(s->lock_fd, owner, (size_t)n, 0) == n)
        n = ftruncate(s->lock_fd, n);
    return 0;
}

int state_open(struct state *s, const char *state_dir, struct err *err)
{
    s->lock_fd = -1;
    int n = snprintf(s->folder, sizeof(s->folder), "%s/receiver", state_dir);
    if (n < 0 || n > 208) /* names are added to it */
        return err_set_field(err, ENAMETOOLONG, "state", "state.dir",
                             "the path %s is longer than 199 bytes", state_dir);
    int rc = make_folder(state_dir, 0755, err);
    if (rc == 0)
        rc = make_folder(s->folder, 0755, err);
    if (rc == 0)
        rc = lock(s, err);
    if (rc < 0)
        state_close(s);
    return rc;
}

void state_close(struct state *s)
{
    if (s->lock_fd >= 0)
        close(s->lock_fd);
    s->lock_fd = -1;
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
    return 0;
}

static int write_file(const char *path, struct view bytes, bool is_synced, struct err *err)
{
    char temporary[STATE_PATH_MAX + 8];
    snprintf(temporary, sizeof(temporary), "%s.new", path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int rc = fd < 0 ? -errno : write_all(fd, bytes);
    if (rc == 0 && is_synced && fsync(fd) < 0)
        rc = -errno;
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(temporary, path) < 0)
        rc = -errno;
    if (rc < 0) {
        (void)unlink(temporary);
        return err_set(err, -rc, "state", "cannot write %s: %s", path, strerror(-rc));
    }
    return 0;
}

int state_write(const struct state *s, const char *name, struct view bytes, struct err *err)
{
    char path[STATE_PATH_MAX];
    state_path(s, name, path);
    return write_file(path, bytes, false, err);
}

static void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

int state_write_synced(const struct state *s, const char *folder, const char *name,
                       struct view bytes, struct err *err)
{
    char path[STATE_PATH_MAX], file[STATE_PATH_MAX];
    state_path(s, folder, path);
    int rc = make_folder(path, 0700, err);
    if (rc < 0)
        return rc;
    int n = snprintf(file, sizeof(file), "%s/%s", path, name);
    if (n < 0 || (size_t)n >= sizeof(file))
        return err_set(err, ENAMETOOLONG, "state", "the path %s/%s is too long", path, name);
    rc = write_file(file, bytes, true, err);
    if (rc == 0)
        sync_folder(path);
    return rc;
}

void state_remove(const struct state *s, const char *name)
{
    char path[STATE_PATH_MAX];
    state_path(s, name, path);
    (void)unlink(path);
}
