/* The identity of this boot, for mapped files. */
#include "receiver/mapped.h"

#include <fcntl.h>
#include <unistd.h>

int mapped_boot_id(uint8_t ret[MAPPED_BOOT_BYTES])
{
    char text[64] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    memset(ret, 0, MAPPED_BOOT_BYTES);
    unsigned digits = 0;
    for (ssize_t i = 0; i < n && digits < 2 * MAPPED_BOOT_BYTES; i++) {
        const char *hex = "0123456789abcdef", *at = text[i] ? strchr(hex, text[i]) : NULL;
        if (!at)
            continue;
        ret[digits / 2] = (uint8_t)(ret[digits / 2] << 4 | (uint8_t)(at - hex));
        digits++;
    }
    return digits == 2 * MAPPED_BOOT_BYTES ? 0 : -EINVAL;
}

bool mapped_give_up_aside(const char *aside_path, char reason[MAPPED_REASON_MAX])
{
    if (!aside_path[0] || unlink(aside_path) < 0)
        return false;
    size_t n = strlen(reason);
    snprintf(reason + n, MAPPED_REASON_MAX - n, "; deleted, since the disk is full");
    return true;
}
