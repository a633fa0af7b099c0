/* The table of static files. */
#include "web/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 8

static const char *content_type(const char *path)
{
    static const struct {
        const char *tail, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
    };
    size_t n = strlen(path);
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        size_t tail = strlen(types[i].tail);
        if (n > tail && strcmp(path + n - tail, types[i].tail) == 0)
            return types[i].type;
    }
    return "application/octet-stream";
}

static int read_all(int fd, char *out, size_t n)
{
    for (size_t have = 0; have < n;) {
        ssize_t got = read(fd, out + have, n - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO; /* shorter than it was */
        have += (size_t)got;
    }
    return 0;
}

static void add(struct files *f, char *path, char *bytes, size_t n)
{
    unsigned char hash[SHA256_DIGEST_LENGTH];
    struct file file = {.path = path, .bytes = bytes, .n = n, .type = content_type(path)};
    SHA256((unsigned char *)bytes, n, hash);
    file.etag[0] = '"';
    for (size_t i = 0; i < 16; i++)
        snprintf(file.etag + 1 + 2 * i, 3, "%02x", hash[i]);
    file.etag[33] = '"';
    file.etag[34] = 0;
    file.is_immutable = strncmp(path, "/assets/", 8) == 0;
    f->list[f->n++] = file;
    f->bytes += n;
}

static int load_file(struct files *f, int fd, const char *path, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_set(err, errno, "io", "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return 0;
    size_t n = (size_t)st.st_size;
    if (n > FILE_MAX_BYTES || f->bytes + n > FILES_MAX_BYTES || f->n == FILES_MAX)
        return err_set(err, EFBIG, "too_large",
                       "%s does not fit: at most %d files, %u bytes each, %u bytes together", path,
                       FILES_MAX, FILE_MAX_BYTES, FILES_MAX_BYTES);
    char *bytes = xmalloc(n + 1);
    int rc = read_all(fd, bytes, n);
    if (rc < 0) {
        free(bytes);
        return err_set(err, -rc, "io", "cannot read %s: %s", path, strerror(-rc));
    }
    bytes[n] = 0;
    add(f, xstrdup(path), bytes, n);
    return 0;
}

static int load_folder(struct files *f, int fd, const char *path, int depth, struct err *err);

static int load_entry(struct files *f, int folder, const char *path, const char *name, int depth,
                      struct err *err)
{
    char *full = xasprintf("%s/%s", path, name);
    int rc = 0;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 && errno == ELOOP)
        rc = 0; /* a link */
    else if (fd < 0 || fstat(fd, &st) < 0)
        rc = err_set(err, errno, "io", "cannot open %s: %s", full, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        rc = load_file(f, fd, full, err);
    else if (depth < DEPTH_MAX)
        rc = load_folder(f, dup(fd), full, depth + 1, err);
    if (fd >= 0)
        close(fd);
    free(full);
    return rc;
}

/* Takes fd. */
static int load_folder(struct files *f, int fd, const char *path, int depth, struct err *err)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int error = errno;
        close(fd);
        return err_set(err, error, "io", "cannot read the folder %s: %s", path, strerror(error));
    }
    int rc = 0;
    struct dirent *e;
    while (rc == 0 && (e = readdir(dir)) != NULL) {
        if (e->d_name[0] != '.')
            rc = load_entry(f, dirfd(dir), path, e->d_name, depth, err);
    }
    closedir(dir);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

int files_load(struct files *f, const char *root, struct err *err)
{
    *f = (struct files){.list = xcalloc(FILES_MAX, sizeof(struct file))};
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 ? err_set_field(err, errno, "io", "web.root", "web.root: cannot open %s: %s",
                                    root, strerror(errno))
                    : load_folder(f, fd, "", 0, err);
    if (rc < 0) {
        files_free(f);
        return rc;
    }
    qsort(f->list, f->n, sizeof(f->list[0]), by_path);
    return 0;
}

void files_free(struct files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->list[i].path);
        free(f->list[i].bytes);
    }
    free(f->list);
    *f = (struct files){0};
}

static const struct file *find(const struct files *f, const char *path)
{
    struct file key = {.path = (char *)path};
    return f->n == 0 ? NULL : bsearch(&key, f->list, f->n, sizeof(f->list[0]), by_path);
}

const struct file *files_find(const struct files *f, const char *path)
{
    const struct file *file = find(f, path);
    const char *last = strrchr(path, '/');
    if (!file && last && !strchr(last, '.'))
        file = find(f, "/index.html");
    return file;
}
