/* What is read from a request: headers, body, who is asking from where. */
#include "web/request.h"

#include <civetweb.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/limits.h"
#include "web/route.h"

#define BODY_TIMEOUT_US (15 * US_PER_SECOND)
#define DB_WAIT_US (5 * US_PER_SECOND)

struct view request_header(const struct request *rq, const char *name)
{
    return view_str(mg_get_header(rq->conn, name));
}

static bool peer_is_loopback(const struct request *rq)
{
    const char *peer = mg_get_request_info(rq->conn)->remote_addr;
    return strncmp(peer, "127.", 4) == 0 || strcmp(peer, "::1") == 0;
}

/* Who listens on one address of the network alone is reached from this machine only from that same
 * address; from elsewhere nobody can have it. */
static bool peer_is_ourselves(const struct request *rq)
{
    const char *address = rq->web->file.http, *colon = strrchr(address, ':');
    size_t n = colon ? (size_t)(colon - address) : 0;
    return n > 0 &&
           view_eq(view_str(mg_get_request_info(rq->conn)->remote_addr), view_of(address, n));
}

bool request_is_local(const struct request *rq)
{
    return (peer_is_loopback(rq) || peer_is_ourselves(rq)) &&
           view_is_null(request_header(rq, "X-Forwarded-For")) &&
           view_is_null(request_header(rq, "X-Real-IP")) &&
           view_is_null(request_header(rq, "Forwarded"));
}

void request_address(const struct request *rq, char out[IP_TEXT_MAX])
{
    snprintf(out, IP_TEXT_MAX, "%s", mg_get_request_info(rq->conn)->remote_addr);
    struct view chain = request_header(rq, "X-Forwarded-For");
    if (view_is_null(chain) || !peer_is_loopback(rq))
        return;
    /* the last entry is our own proxy's; what stands before it the client may have written */
    const char *comma = memrchr(chain.p, ',', chain.n);
    struct view last = comma ? view_of(comma + 1, chain.n - (size_t)(comma - chain.p) - 1) : chain;
    struct ip ip;
    if (ip_parse(view_trim(last), &ip) == 0)
        ip_format(&ip, out);
}

bool request_is_https(const struct request *rq)
{
    return peer_is_loopback(rq) &&
           view_eq_nocase(request_header(rq, "X-Forwarded-Proto"), VIEW("https"));
}

static bool is_peer(int fd, const char *address, int port)
{
    struct sockaddr_storage sa;
    socklen_t n = sizeof(sa);
    if (getpeername(fd, (struct sockaddr *)&sa, &n) < 0 || sa.ss_family != AF_INET)
        return false;
    char text[IP_TEXT_MAX];
    struct ip ip = ip_from_sockaddr((struct sockaddr *)&sa);
    ip_format(&ip, text);
    return ntohs(((struct sockaddr_in *)&sa)->sin_port) == port && strcmp(text, address) == 0;
}

/* CivetWeb keeps the socket to itself; but it is open for as long as the request lives, and its
 * peer's address tells it from all others of this process. */
int request_socket(const struct request *rq)
{
    const struct mg_request_info *info = mg_get_request_info(rq->conn);
    DIR *dir = opendir("/proc/self/fd");
    if (!dir)
        return -1;
    int found = -1;
    struct dirent *e;
    while (found < 0 && (e = readdir(dir)) != NULL) {
        uint64_t fd;
        if (view_u64(view_str(e->d_name), INT32_MAX, &fd) == 0 && (int)fd != dirfd(dir) &&
            is_peer((int)fd, info->remote_addr, info->remote_port))
            found = (int)fd;
    }
    closedir(dir);
    return found;
}

bool request_client_is_gone(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return fd >= 0 && poll(&p, 1, 0) > 0 &&
           (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

int request_read_body(struct request *rq)
{
    long long length = mg_get_request_info(rq->conn)->content_length;
    size_t max = route_body_max(rq->route);
    struct buf body = BUF_INIT(max);
    char part[1];
    int64_t until = clock_mono_us() + BODY_TIMEOUT_US;
    bool is_large = length > (long long)max, is_late = false;
    while (!is_large && !is_late) {
        /* mg_read() returns when all it was asked for is there, however slowly it comes: to be back
         * in time, ask for a byte (from CivetWeb's buffer, for what came with the head) */
        int n = mg_read(rq->conn, part, sizeof(part));
        if (n <= 0) {
            is_late = n < 0 || (length >= 0 && body.n < (size_t)length);
            break;
        }
        is_large = buf_add(&body, part, (size_t)n) < 0;
        is_late = clock_mono_us() > until;
    }
    rq->body = arena_copy(&rq->arena, buf_view(&body));
    buf_free(&body);
    if (is_large) {
        reply_error(rq, 413, "too_large", "", "the body is larger than %zu bytes", max);
        return -1;
    }
    if (is_late) {
        reply_error(rq, 408, "too_slow", "", "the body did not arrive within %d s",
                    (int)(BODY_TIMEOUT_US / US_PER_SECOND));
        return -1;
    }
    return 0;
}

int request_db(struct request *rq, struct err *err)
{
    return rq->db ? 0 : pool_take(rq->web->pool, DB_WAIT_US, &rq->db, err);
}

void request_release_db(struct request *rq)
{
    if (rq->db)
        pool_give(rq->web->pool, rq->db);
    rq->db = NULL;
}
