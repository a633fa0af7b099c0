/* Reading small files of /proc. */
#include "keeper/load_read.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

int load_read_file(struct load_text *ret, const char *fmt, ...)
{
    char path[512];
    va_list ap;
    va_start(ap, fmt);
    int len = vsnprintf(path, sizeof(path), fmt, ap);
    va_end(ap);
    ret->n = 0;
    if (len < 0 || (size_t)len >= sizeof(path))
        return -ENAMETOOLONG;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n;
    while (ret->n < sizeof(ret->bytes) &&
           (n = read(fd, ret->bytes + ret->n, sizeof(ret->bytes) - ret->n)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int error = errno;
            close(fd);
            return -error;
        }
        ret->n += (size_t)n;
    }
    close(fd);
    if (ret->n == sizeof(ret->bytes)) {
        const char *last = memrchr(ret->bytes, '\n', ret->n);
        ret->n = last ? (size_t)(last + 1 - ret->bytes) : 0;
    }
    return 0;
}

int load_read_process(const char *proc, int32_t pid, struct load_process *ret)
{
    /* not a struct load_text: it is read for each process of the server */
    char path[256], text[2048];
    snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, sizeof(text));
    int error = errno;
    close(fd);
    if (n < 0)
        return -error; /* ESRCH: it ended meanwhile */
    return load_parse_process(view_of(text, (size_t)n), ret);
}
