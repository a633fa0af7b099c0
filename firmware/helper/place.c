/* Files below the root (place.h).
 *
 * A cut while a file is written leaves the old one, and perhaps ".NAME.new" beside it, which the
 * next writing replaces. */
#include "helper/place.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64 /* of folders that are emptied: deeper ones are no work of ours */

const char *place_path(const struct helper *h, const char *path, char out[PLACE_PATH_MAX])
{
    CHECK(path[0] == '/');
    int n = snprintf(out, PLACE_PATH_MAX, "%s%s", h->root, path);
    CHECK(n > 0 && n < PLACE_PATH_MAX);
    return out;
}

static int failed(struct err *err, const char *what, const char *path)
{
    int e = errno ? errno : EIO;
    return err_set(err, e, "file", "cannot %s %s: %s", what, path, strerror(e));
}

int place_read(const struct helper *h, const char *path, struct buf *out, struct err *err)
{
    char full[PLACE_PATH_MAX];
    int fd = open(place_path(h, path, full), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? -ENOENT : failed(err, "open", path);
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return err_set(err, EINVAL, "file", "%s is no plain file", path);
    }
    for (;;) {
        char bytes[16384];
        ssize_t n = read(fd, bytes, sizeof(bytes));
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        if (n > 0 && buf_add(out, bytes, (size_t)n) < 0) {
            close(fd);
            return err_set(err, EFBIG, "file", "%s has more than %zu bytes", path, out->max);
        }
        errno = 0;
    }
    int e = errno;
    close(fd);
    errno = e;
    return e ? failed(err, "read", path) : 0;
}

/* The folder of a path, opened, with those above it made; its name in *ret_name points into path.
 */
static int open_folder(const struct helper *h, const char *path, const char **ret_name,
                       struct err *err)
{
    char full[PLACE_PATH_MAX];
    place_path(h, path, full);
    size_t root_n = strlen(h->root);
    char *last = strrchr(full, '/');
    *ret_name = path + (last + 1 - full - (ptrdiff_t)root_n);
    for (char *p = strchr(full + root_n + 1, '/'); p && p <= last; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (mkdir(full, 0755) < 0 && errno != EEXIST)
            return failed(err, "make", full + root_n);
        *p = '/';
    }
    *last = '\0';
    int fd = open(last == full ? "/" : full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? failed(err, "open", full + root_n) : fd;
}

static int write_all(int fd, struct view bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0)
            bytes = view_of(bytes.p + n, bytes.n - (size_t)n);
    }
    return 0;
}

static void new_name(const char *name, char out[256])
{
    int n = snprintf(out, 256, ".%s.new", name);
    CHECK(n > 0 && n < 256);
}

/* Give the new file its name, and make that last. */
static int take_place(int folder, const char *temporary, const char *name)
{
    if (renameat(folder, temporary, folder, name) < 0)
        return -1;
    return fsync(folder) < 0 && errno != EINVAL ? -1 : 0;
}

int place_write(const struct helper *h, const char *path, struct view bytes, unsigned mode,
                struct err *err)
{
    const char *name;
    char temporary[256];
    int folder = open_folder(h, path, &name, err);
    if (folder < 0)
        return folder;
    new_name(name, temporary);
    unlinkat(folder, temporary, 0);
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int r = 0;
    if (fd < 0 || write_all(fd, bytes) < 0 || fchmod(fd, mode) < 0 || fsync(fd) < 0 ||
        take_place(folder, temporary, name) < 0) {
        r = failed(err, "write", path);
        unlinkat(folder, temporary, 0);
    }
    if (fd >= 0)
        close(fd);
    close(folder);
    return r;
}

int place_link(const struct helper *h, const char *path, const char *target, struct err *err)
{
    const char *name;
    char temporary[256];
    int folder = open_folder(h, path, &name, err);
    if (folder < 0)
        return folder;
    new_name(name, temporary);
    unlinkat(folder, temporary, 0);
    int r = 0;
    if (symlinkat(target, folder, temporary) < 0 || take_place(folder, temporary, name) < 0) {
        r = failed(err, "write", path);
        unlinkat(folder, temporary, 0);
    }
    close(folder);
    return r;
}

int place_remove(const struct helper *h, const char *path, struct err *err)
{
    char full[PLACE_PATH_MAX];
    if (unlink(place_path(h, path, full)) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : failed(err, "remove", path);
    int folder = open(dirname(full), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
    return 0;
}

static bool is_kept(const char *name, const char *const *keep)
{
    for (; keep && *keep; keep++)
        if (strcmp(name, *keep) == 0)
            return true;
    return false;
}

/* Takes `folder`.  Returns 0, or -1 and errno of the first thing that stayed; the rest goes. */
static int empty(int folder, dev_t device, const char *const *keep, int depth)
{
    DIR *d = fdopendir(folder);
    if (!d) {
        close(folder);
        return -1;
    }
    int failure = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || is_kept(e->d_name, keep))
            continue;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
            failure = errno;
            continue;
        }
        if (!S_ISDIR(st.st_mode)) {
            failure = unlinkat(dirfd(d), e->d_name, 0) < 0 ? errno : failure;
            continue;
        }
        int sub = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (st.st_dev != device || depth == 0) {
            failure = st.st_dev != device ? EXDEV : ELOOP;
            if (sub >= 0)
                close(sub);
        } else if (sub < 0 || empty(sub, device, NULL, depth - 1) < 0 ||
                   unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR) < 0) {
            failure = errno;
        }
    }
    fsync(dirfd(d));
    closedir(d);
    errno = failure;
    return failure ? -1 : 0;
}

int place_empty(const struct helper *h, const char *path, const char *const *keep, struct err *err)
{
    char full[PLACE_PATH_MAX];
    struct stat st;
    int fd = open(place_path(h, path, full), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : failed(err, "open", path);
    if (fstat(fd, &st) < 0) {
        close(fd);
        return failed(err, "look at", path);
    }
    return empty(fd, st.st_dev, keep, DEPTH_MAX) < 0 ? failed(err, "empty", path) : 0;
}

bool place_exists(const struct helper *h, const char *path)
{
    char full[PLACE_PATH_MAX];
    struct stat st;
    return lstat(place_path(h, path, full), &st) == 0;
}

size_t place_list(const struct helper *h, const char *path, const char *prefix, char **ret,
                  size_t most)
{
    char full[PLACE_PATH_MAX];
    struct dirent **names;
    size_t n = 0;
    int found = scandir(place_path(h, path, full), &names, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        if (n < most && strncmp(names[i]->d_name, prefix, strlen(prefix)) == 0)
            ret[n++] = xstrdup(names[i]->d_name);
        free(names[i]);
    }
    if (found >= 0)
        free(names);
    return n;
}
