/* The reserve.  Given up below a third of the limit, made again above the limit by twice its size.
 */
#include "keeper/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define RESERVE_LEAST_BYTES (64 << 10)

static int make(const char *path, int64_t bytes, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set(err, errno, "system", "cannot make the reserve %s: %s", path,
                       strerror(errno));
    /* not posix_fallocate(), which writes every block where the file system cannot do it */
    int rc = fallocate(fd, 0, 0, bytes);
    int error = errno;
    if (rc == 0 && ftruncate(fd, bytes) < 0) { /* it may have been larger */
        rc = -1;
        error = errno;
    }
    close(fd);
    if (rc == 0)
        return RESERVE_MADE;
    (void)unlink(path);
    return err_set(err, error, "system", "cannot take %lld bytes for the reserve %s: %s",
                   (long long)bytes, path, strerror(error));
}

int reserve_keep(const struct reserve_need *need, int64_t *ret_bytes, struct err *err)
{
    char folder[512], path[544], device[32];
    struct stat st;
    snprintf(folder, sizeof(folder), "%s/keeper", need->state_dir);
    snprintf(path, sizeof(path), "%s/reserve", folder);
    if (stat(folder, &st) < 0)
        return RESERVE_SAME;
    snprintf(device, sizeof(device), "%u:%u", major(st.st_dev), minor(st.st_dev));
    bool is_there = lstat(path, &st) == 0 && S_ISREG(st.st_mode);
    int64_t has = is_there ? (int64_t)st.st_size : 0;
    int64_t wanted = MIN(need->capacity_bytes / 100 * RESERVE_PERCENT, RESERVE_MAX_BYTES);
    bool is_of_use = strcmp(device, need->device) == 0 && wanted >= RESERVE_LEAST_BYTES;
    bool is_short = need->free_bytes < need->limit_bytes / 3;
    if (is_there && (!is_of_use || is_short)) {
        *ret_bytes = has;
        if (unlink(path) < 0)
            return err_set(err, errno, "system", "cannot give up the reserve %s: %s", path,
                           strerror(errno));
        return RESERVE_GIVEN_UP;
    }
    if (!is_of_use || has == wanted || need->free_bytes < need->limit_bytes + 2 * wanted)
        return RESERVE_SAME;
    *ret_bytes = wanted;
    return make(path, wanted, err);
}
