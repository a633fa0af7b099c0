/* The mapped file that datagrams are read into.
 *
 *   0  8  "AZKREAD1"
 *   8  8  bytes of the memory
 *  16 16  boot id under which it was last opened
 *  4096   the memory; its layout is the reader's (net/udp.c)
 *
 * Killed while it is made: the header is written last, so it is made again.  The file need not
 * reach the disk: after a crash of the whole machine the boot id differs and all of it is zeroed.
 */
#include "receiver/read_area.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "receiver/mapped.h"

enum { HEADER_BYTES = 4096, H_BYTES = 8, H_BOOT = 16 };

static const char magic[8] = {'A', 'Z', 'K', 'R', 'E', 'A', 'D', '1'};

struct read_area {
    unsigned char *map;
    size_t file_bytes;
};

static bool is_ours(const struct read_area *a, const uint8_t boot[MAPPED_BOOT_BYTES])
{
    return memcmp(a->map, magic, sizeof(magic)) == 0 &&
           get64(a->map + H_BYTES) == a->file_bytes - HEADER_BYTES &&
           memcmp(a->map + H_BOOT, boot, MAPPED_BOOT_BYTES) == 0;
}

/* The file is all zeros. */
static void make(struct read_area *a, const uint8_t boot[MAPPED_BOOT_BYTES])
{
    put64(a->map + H_BYTES, a->file_bytes - HEADER_BYTES);
    memcpy(a->map + H_BOOT, boot, MAPPED_BOOT_BYTES);
    in_order();
    memcpy(a->map, magic, sizeof(magic));
}

/* 0, or -errno. */
static int map_file(struct read_area *a, int fd)
{
    uint8_t boot[MAPPED_BOOT_BYTES];
    int rc = mapped_boot_id(boot);
    struct stat st;
    if (rc == 0 && fstat(fd, &st) < 0)
        rc = -errno;
    if (rc == 0)
        rc = -posix_fallocate(fd, 0, (off_t)a->file_bytes);
    if (rc == 0 && ftruncate(fd, (off_t)a->file_bytes) < 0)
        rc = -errno;
    if (rc < 0)
        return rc;
    void *map = mmap(NULL, a->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    a->map = map;
    if (is_ours(a, boot))
        return 0;
    if (st.st_size > 0)
        memset(a->map, 0, a->file_bytes);
    make(a, boot);
    return 0;
}

int read_area_open(const char *path, size_t bytes, struct read_area **ret, struct err *err)
{
    struct read_area *a = xcalloc(1, sizeof(*a));
    a->file_bytes = HEADER_BYTES + bytes;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int rc = fd < 0 ? -errno : map_file(a, fd);
    if (fd >= 0)
        close(fd);
    if (rc < 0) {
        free(a);
        return err_set(err, -rc, "system", "cannot make %s with %zu bytes: %s", path,
                       HEADER_BYTES + bytes, strerror(-rc));
    }
    *ret = a;
    return 0;
}

void read_area_close(struct read_area **pa)
{
    struct read_area *a = *pa;
    if (!a)
        return;
    (void)munmap(a->map, a->file_bytes);
    free(a);
    *pa = NULL;
}

void *read_area_memory(const struct read_area *a)
{
    return a->map + HEADER_BYTES;
}
