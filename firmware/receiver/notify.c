/* The service manager's notification socket. */
#include "receiver/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"

void notify_manager(const char *what)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    size_t n = path ? strlen(path) : 0;
    if (n < 2 || n >= sizeof(sa.sun_path) || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(sa.sun_path, path, n);
    if (path[0] == '@')
        sa.sun_path[0] = '\0'; /* the abstract name space */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    (void)sendto(fd, what, strlen(what), MSG_NOSIGNAL, (struct sockaddr *)&sa, len);
    close(fd);
}
