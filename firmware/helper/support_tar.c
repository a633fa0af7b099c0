/* A tar archive in memory: ustar headers (POSIX.1-1988), files of root with mode 0644.
 *
 *   512 bytes header: name 100, mode 8, uid 8, gid 8, size 12, mtime 12, checksum 8, type 1, link
 * 100, "ustar\0" "00", …  then the bytes, filled up with NUL to 512.  Two empty blocks end it. */
#include "base/clock.h"
#include "helper/support.h"

enum { BLOCK = 512 };

static int fill_up(struct buf *tar)
{
    static const char none[BLOCK];
    size_t n = tar->n % BLOCK;
    return n ? buf_add(tar, none, BLOCK - n) : 0;
}

int support_tar_add(struct buf *tar, const char *name, struct view bytes, int64_t at_us)
{
    char b[BLOCK] = {0};
    unsigned sum = 0;
    CHECK(strlen(name) < 100 && tar->n % BLOCK == 0);
    memcpy(b, name, strlen(name));
    snprintf(b + 100, 24, "%07o%c%07o%c%07o", 0644, 0, 0, 0, 0);
    snprintf(b + 124, 12, "%011zo", bytes.n);
    snprintf(b + 136, 12, "%011llo", (unsigned long long)(at_us / US_PER_SECOND));
    b[156] = '0';
    memcpy(b + 257, "ustar\00000", 8);
    memset(b + 148, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)b[i];
    snprintf(b + 148, 7, "%06o", sum);
    size_t before = tar->n;
    if (buf_add(tar, b, BLOCK) < 0 || buf_add_view(tar, bytes) < 0 || fill_up(tar) < 0) {
        tar->n = before;
        return -ENOSPC;
    }
    return 0;
}

int support_tar_end(struct buf *tar)
{
    static const char none[2 * BLOCK];
    return buf_add(tar, none, sizeof(none));
}
