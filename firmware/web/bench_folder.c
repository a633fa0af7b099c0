/* The folders of benchmark runs (bench_folder.h). */
#include "web/bench_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "web/body.h"

#define FOLDER_MODE 0750
#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define STOP_FILE "stop.json" /* azekura-bench reads it when it is told to end (run_stop.h) */
#define DEPTH_MAX 16          /* folders in a run's folder: a private database has six */

bool bench_id_is_valid(struct view id)
{
    if (id.n < 1 || id.n > BENCH_ID_MAX)
        return false;
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];
        bool is_good = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '_' || c == '-';
        if (!is_good)
            return false;
    }
    return true;
}

static int failed(struct err *err, int error, const char *what, const char *name)
{
    /* what keeps it from being done is the box's state, not the request's size */
    if (error == ENOSPC || error == EDQUOT)
        return err_set(err, EEXIST, "no_room",
                       "cannot %s %.100s in the folder of the benchmarks: the disk is full", what,
                       name);
    return err_set(err, error, "bench_folder",
                   "cannot %s %.100s in the folder of the benchmarks: %s", what, name,
                   strerror(error));
}

static int make_and_open(int at, const char *path, struct err *err)
{
    if (mkdirat(at, path, FOLDER_MODE) < 0 && errno != EEXIST)
        return failed(err, errno, "make", path);
    int fd = openat(at, path, OPEN_FOLDER);
    return fd < 0 ? failed(err, errno, "open", path) : fd;
}

int bench_folder_root(const char *state_dir, struct err *err)
{
    char *path = xasprintf("%s/web/bench", state_dir);
    int fd = make_and_open(AT_FDCWD, path, err);
    free(path);
    return fd;
}

int bench_folder_marks(int root, struct err *err)
{
    return make_and_open(root, ".open", err);
}

int bench_folder_run(int root, const char *id, struct err *err)
{
    if (!bench_id_is_valid(view_str(id)))
        return err_set_field(err, ENOENT, "not_found", "id",
                             "there is no benchmark run of that id");
    int fd = openat(root, id, OPEN_FOLDER);
    if (fd >= 0)
        return fd;
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return err_set_field(err, ENOENT, "not_found", "id", "there is no benchmark run %s", id);
    return failed(err, errno, "open", id);
}

int bench_folder_file(int dir, const char *name, struct err *err)
{
    struct stat st;
    /* not waiting: a FIFO in a file's place must hold nobody up */
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ENOENT, "not_found", "this benchmark run has no %s", name);
    if (fd < 0)
        return failed(err, errno, "open", name);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return err_set(err, EIO, "bench_folder", "%s of this benchmark run is no file", name);
}

pid_t bench_folder_holder(int dir)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = bench_folder_file(dir, "lock", NULL);
    if (fd < 0)
        return 0;
    bool is_known = fcntl(fd, F_GETLK, &l) == 0;
    close(fd);
    return is_known && l.l_type != F_UNLCK ? l.l_pid : 0;
}

/* Without it the run says that a signal came: not worth failing for. */
static void leave_why(int dir, const char *en, const char *ja)
{
    cJSON *why = cJSON_CreateObject();
    cJSON_AddStringToObject(why, "en", en);
    cJSON_AddStringToObject(why, "ja", ja);
    char *text = cJSON_PrintUnformatted(why);
    if (text)
        (void)!bench_folder_write(dir, STOP_FILE, view_str(text), 0644, NULL);
    cJSON_free(text);
    cJSON_Delete(why);
}

int bench_folder_stop(int dir, const char *en, const char *ja)
{
    pid_t pid = bench_folder_holder(dir);
    int fd = pid > 0 ? pidfd_open(pid, 0) : -1;
    if (fd < 0)
        return -ESRCH;
    leave_why(dir, en, ja);
    /* the number may have become another process's before it was opened, but not after */
    int rc = bench_folder_holder(dir) == pid ? pidfd_send_signal(fd, SIGTERM, NULL, 0) : -1;
    close(fd);
    return rc < 0 ? -ESRCH : 0;
}

int bench_folder_read(int dir, const char *name, size_t max, struct buf *ret, struct err *err)
{
    int fd = bench_folder_file(dir, name, err);
    if (fd < 0)
        return fd;
    int rc = 0;
    *ret = BUF_INIT(max);
    for (;;) {
        char part[8192];
        ssize_t n = read(fd, part, sizeof(part));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = failed(err, errno, "read", name);
        else if (n > 0 && buf_add(ret, part, (size_t)n) < 0)
            rc = err_set(err, E2BIG, "too_large",
                         "%s of this benchmark run has more than %zu bytes", name, max);
        if (n <= 0 || rc < 0)
            break;
    }
    close(fd);
    if (rc < 0)
        buf_free(ret);
    return rc;
}

cJSON *bench_folder_json(int dir, const char *name, size_t max, struct err *err)
{
    struct buf text;
    if (bench_folder_read(dir, name, max, &text, err) < 0)
        return NULL;
    cJSON *object = body_parse(buf_view(&text));
    buf_free(&text);
    if (cJSON_IsObject(object))
        return object;
    cJSON_Delete(object);
    (void)err_set(err, EBADMSG, "damaged", "%s of this benchmark run is damaged: no JSON object",
                  name);
    return NULL;
}

int bench_folder_write(int dir, const char *name, struct view bytes, mode_t mode, struct err *err)
{
    char fresh[BENCH_ID_MAX + 16];
    snprintf(fresh, sizeof(fresh), "%s.new", name);
    (void)unlinkat(dir, fresh, 0); /* of a time we were killed */
    int fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return failed(err, errno, "make", fresh);
    int error = 0;
    while (bytes.n > 0 && error == 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n > 0)
            bytes = view_of(bytes.p + n, bytes.n - (size_t)n);
        else if (n < 0 && errno != EINTR)
            error = errno;
    }
    if (close(fd) < 0 && error == 0)
        error = errno;
    if (error == 0 && renameat(dir, fresh, dir, name) < 0)
        error = errno;
    if (error == 0)
        return 0;
    (void)unlinkat(dir, fresh, 0);
    return failed(err, error, "write", name);
}

/* ---- all of them ---- */

static int newest_first(const void *a, const void *b)
{
    return strcmp(*(const char *const *)b, *(const char *const *)a);
}

/* A descriptor of its own for readdir(): closedir() takes it along. */
static DIR *list_of(int dir)
{
    int fd = openat(dir, ".", OPEN_FOLDER);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    return d;
}

int bench_folder_list(int root, const char *before, struct arena *arena, const char ***ret,
                      struct err *err)
{
    const char **list = arena_alloc(arena, BENCH_LISTED_MAX * sizeof(*list));
    const struct dirent *e;
    int n = 0;
    DIR *d = list_of(root);
    if (!d)
        return failed(err, errno, "list", "the runs");
    while (n < BENCH_LISTED_MAX && (e = readdir(d))) {
        if (bench_id_is_valid(view_str(e->d_name)) && (!before || strcmp(e->d_name, before) < 0))
            list[n++] = arena_strdup(arena, view_str(e->d_name));
    }
    closedir(d);
    qsort(list, (size_t)n, sizeof(*list), newest_first);
    *ret = list;
    return n;
}

/* Calls for every entry of a folder and of the folders in it, these after what is in them. */
static void walk(int dir, int depth, bool is_removing, int64_t *bytes)
{
    const struct dirent *e;
    struct stat st;
    DIR *d = list_of(dir);
    if (!d)
        return;
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        *bytes += st.st_blocks * 512;
        int below = S_ISDIR(st.st_mode) && depth < DEPTH_MAX
                        ? openat(dirfd(d), e->d_name, OPEN_FOLDER)
                        : -1;
        if (below >= 0) {
            walk(below, depth + 1, is_removing, bytes);
            close(below);
        }
        if (is_removing) /* what cannot be removed is told by the folder that then stays */
            (void)unlinkat(dirfd(d), e->d_name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
    }
    closedir(d);
}

static int64_t walk_run(int root, const char *id, bool is_removing)
{
    int64_t bytes = 0;
    int dir = bench_folder_run(root, id, NULL);
    if (dir < 0)
        return 0;
    walk(dir, 0, is_removing, &bytes);
    close(dir);
    return bytes;
}

int64_t bench_folder_bytes(int root, const char *id)
{
    return walk_run(root, id, false);
}

int bench_folder_remove(int root, const char *id, struct err *err)
{
    (void)walk_run(root, id, true);
    return unlinkat(root, id, AT_REMOVEDIR) < 0 ? failed(err, errno, "remove", id) : 0;
}
