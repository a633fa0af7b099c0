/* The command STATS of syslog-ng's control socket: one line of request, lines of
 * "source;id;instance;state;type;number" in no order, a line with a dot. */
#include "bench/target/target_control.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

#define ANSWER_MAX_BYTES (1u << 20)
#define PATIENCE_S 2

int target_control_parse(struct view answer, int64_t *ret)
{
    const struct view before = VIEW("center;;received;a;processed;");
    for (const char *p = answer.p, *end = p + answer.n; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        struct view line = view_of(p, (size_t)((newline ? newline : end) - p));
        uint64_t n;
        if (view_starts_with(line, before)) {
            if (view_u64(view_of(p + before.n, line.n - before.n), INT64_MAX, &n) < 0)
                return -EBADMSG;
            *ret = (int64_t)n;
            return 0;
        }
        p += line.n + 1;
    }
    return -EBADMSG;
}

static int open_socket(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    size_t n = strlen(path);
    if (n >= sizeof(to.sun_path))
        return -ENAMETOOLONG;
    memcpy(to.sun_path, path, n + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0 ||
        connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    return fd;
}

static bool is_whole(const struct buf *b)
{
    return b->n >= 3 && memcmp(b->p + b->n - 3, "\n.\n", 3) == 0;
}

static int read_answer(int fd, struct buf *answer)
{
    int64_t until = clock_mono_us() + PATIENCE_S * US_PER_SECOND;
    while (!is_whole(answer)) {
        if (buf_reserve(answer, 16384) < 0)
            return -EMSGSIZE;
        ssize_t n = recv(fd, answer->p + answer->n, 16384, 0);
        if (n <= 0)
            return n < 0 ? -errno : -EBADMSG;
        answer->n += (size_t)n;
        if (clock_mono_us() > until)
            return -ETIMEDOUT;
    }
    return 0;
}

int target_control_received(const char *path, int64_t *ret)
{
    struct buf answer = BUF_INIT(ANSWER_MAX_BYTES);
    int fd = open_socket(path);
    if (fd < 0)
        return fd;
    int rc = send(fd, "STATS\n", 6, MSG_NOSIGNAL) == 6 ? read_answer(fd, &answer) : -EPIPE;
    if (rc == 0)
        rc = target_control_parse(buf_view(&answer), ret);
    buf_free(&answer);
    close(fd);
    return rc;
}

void target_held_see(struct target_held *h, int64_t received, int64_t stored, int64_t now_us,
                     int64_t *ret_queued, int64_t *ret_lost)
{
    int64_t held = MAX(received - stored, 0);
    if (received != h->received || stored != h->stored)
        *h = (struct target_held){received, stored, now_us};
    bool is_gone = now_us - h->changed_us >= TARGET_HELD_US;
    *ret_queued = is_gone ? 0 : held;
    *ret_lost = is_gone ? held : 0;
}
