/* Loaded before a program under test (LD_PRELOAD): its wall clock stands still at the microseconds
 * since 1970 that the file AZEKURA_TEST_CLOCK holds (8 bytes, the machine's order), and may be set
 * anew at any time.  The monotonic clock goes on, so nothing that waits is changed. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *wall_us; /* NULL: the program was started without the file */

/* By system calls: this runs before a sanitizer of the program has set up its own open and mmap. */
__attribute__((constructor)) static void open_clock(void)
{
    const char *path = getenv("AZEKURA_TEST_CLOCK");
    long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    long p = syscall(SYS_mmap, NULL, sizeof(*wall_us), PROT_READ, MAP_SHARED, fd, 0L);
    (void)syscall(SYS_close, fd);
    if (p != -1)
        wall_us = (_Atomic int64_t *)p;
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
    if (wall_us == NULL || id != CLOCK_REALTIME)
        return (int)syscall(SYS_clock_gettime, id, ret);
    int64_t us = atomic_load(wall_us);
    ret->tv_sec = us / 1000000;
    ret->tv_nsec = us % 1000000 * 1000;
    return 0;
}
