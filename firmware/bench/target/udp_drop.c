/* Drops of a process's UDP sockets, from /proc and sock_diag. */
#include "bench/target/udp_drop.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/proc.h"

#define TABLE_MAX_BYTES (16u << 20) /* some 100,000 sockets */

static int parse_hex(struct view v, uint64_t *ret)
{
    uint64_t x = 0;
    if (v.n == 0 || v.n > 16)
        return -EINVAL;
    for (size_t i = 0; i < v.n; i++) {
        char c = v.p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 16;
        if (digit > 15)
            return -EINVAL;
        x = x << 4 | digit;
    }
    *ret = x;
    return 0;
}

/* The part of `word` behind its colon, hexadecimal. */
static int parse_after_colon(struct view word, uint64_t *ret)
{
    const char *colon = word.n ? memrchr(word.p, ':', word.n) : NULL;
    if (!colon)
        return -EINVAL;
    return parse_hex(view_of(colon + 1, word.n - (size_t)(colon + 1 - word.p)), ret);
}

/* "  12: 0100007F:158A 00000000:0000 07 00000000:00000000 00:00000000 00000000  0 0 4711 2 00… 0"
 */
static int parse_line(struct view line, struct udp_socket *ret)
{
    enum { LOCAL = 1, QUEUES = 4, INODE = 9, DROPS = 12, WORDS };
    struct view words[WORDS];
    uint64_t port;
    for (int i = 0; i < WORDS; i++)
        words[i] = proc_next_word(&line);
    if (parse_after_colon(words[LOCAL], &port) < 0 || port > UINT16_MAX ||
        parse_after_colon(words[QUEUES], &ret->waiting) < 0 ||
        view_u64(words[INODE], UINT64_MAX, &ret->inode) < 0 ||
        view_u64(words[DROPS], UINT64_MAX, &ret->dropped) < 0)
        return -EINVAL;
    ret->port = (uint16_t)port;
    return 0;
}

int udp_drop_parse(struct view text, struct udp_socket *list, size_t n, size_t max)
{
    bool is_header = true;
    for (struct view line; proc_next_line(&text, &line);) {
        if (!is_header) {
            if (n == max)
                return -E2BIG;
            if (parse_line(line, &list[n]) < 0)
                return -EINVAL;
            n++;
        }
        is_header = false;
    }
    return (int)n;
}

static int read_table(int32_t pid, const char *name, struct buf *ret)
{
    char path[64];
    /* the process's own network namespace, which need not be ours */
    snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    ssize_t n = 1;
    while (n > 0) {
        if (buf_reserve(ret, 65536) < 0) {
            close(fd);
            return -E2BIG;
        }
        n = read(fd, ret->p + ret->n, 65536);
        if (n > 0)
            ret->n += (size_t)n;
    }
    int rc = n < 0 ? -errno : 0;
    close(fd);
    return rc;
}

/* The inodes of the sockets among the process's files. */
static int read_inodes(int32_t pid, uint64_t *inodes, size_t max)
{
    char path[64], link[64];
    snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -errno;
    size_t n = 0;
    for (struct dirent *e; (e = readdir(dir)) && n < max;) {
        ssize_t len = readlinkat(dirfd(dir), e->d_name, link, sizeof(link));
        const size_t before = sizeof("socket:[") - 1;
        if (len > (ssize_t)before && memcmp(link, "socket:[", before) == 0 &&
            view_u64(view_of(link + before, (size_t)len - before - 1), UINT64_MAX, &inodes[n]) == 0)
            n++;
    }
    closedir(dir);
    return (int)n;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sockets of one table that are among `inodes` (sorted), added to the list. */
static int add_own(int32_t pid, const char *name, const uint64_t *inodes, size_t inodes_n,
                   struct udp_socket *list, size_t n, size_t max)
{
    struct buf table = BUF_INIT(TABLE_MAX_BYTES);
    int rc = read_table(pid, name, &table);
    size_t all_max = table.n / 64 + 1; /* a line has 128 bytes and more */
    struct udp_socket *all = xcalloc(all_max, sizeof(*all));
    if (rc == 0)
        rc = udp_drop_parse(buf_view(&table), all, 0, all_max);
    for (int i = 0; i < rc && n < max; i++) {
        if (bsearch(&all[i].inode, inodes, inodes_n, sizeof(*inodes), by_number))
            list[n++] = all[i];
    }
    free(all);
    buf_free(&table);
    return rc < 0 ? rc : (int)n;
}

int udp_drop_of(int32_t pid, struct udp_socket *list, size_t max)
{
    enum { INODES_MAX = 70000 }; /* a connection each */
    uint64_t *inodes = xcalloc(INODES_MAX, sizeof(*inodes));
    int inodes_n = read_inodes(pid, inodes, INODES_MAX);
    int n = inodes_n < 0 ? inodes_n : 0;
    if (n == 0) {
        qsort(inodes, (size_t)inodes_n, sizeof(*inodes), by_number);
        n = add_own(pid, "udp", inodes, (size_t)inodes_n, list, 0, max);
    }
    if (n >= 0)
        n = add_own(pid, "udp6", inodes, (size_t)inodes_n, list, (size_t)n, max);
    free(inodes);
    return n;
}

/* One answer of the kernel's list: the buffer of the socket with this inode, else -1. */
static int64_t buffer_of(const struct nlmsghdr *h, uint64_t inode)
{
    const struct inet_diag_msg *m = NLMSG_DATA(h);
    if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)) || m->idiag_inode != inode)
        return -1;
    int left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));
    for (const struct rtattr *a = (const struct rtattr *)(m + 1); RTA_OK(a, left);
         a = RTA_NEXT(a, left)) {
        uint32_t memory[SK_MEMINFO_VARS];
        if (a->rta_type == INET_DIAG_SKMEMINFO && RTA_PAYLOAD(a) >= (SK_MEMINFO_RCVBUF + 1) * 4) {
            memcpy(memory, RTA_DATA(a), (SK_MEMINFO_RCVBUF + 1) * 4);
            return memory[SK_MEMINFO_RCVBUF];
        }
    }
    return -1;
}

static int ask_list(int fd, unsigned char family)
{
    struct {
        struct nlmsghdr h;
        struct inet_diag_req_v2 q;
    } ask = {
        .h = {.nlmsg_len = sizeof(ask),
              .nlmsg_type = SOCK_DIAG_BY_FAMILY,
              .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .q = {.sdiag_family = family,
              .sdiag_protocol = IPPROTO_UDP,
              .idiag_ext = 1u << (INET_DIAG_SKMEMINFO - 1),
              .idiag_states = UINT32_MAX},
    };
    return send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask) ? 0 : -errno;
}

static int64_t find_buffer(int fd, unsigned char family, uint64_t inode)
{
    _Alignas(struct nlmsghdr) char bytes[32768];
    int64_t found = -1;
    if (ask_list(fd, family) < 0)
        return -1;
    for (;;) { /* to its end, so that the next list begins where it should */
        ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
        if (n <= 0)
            return found;
        size_t left = (size_t)n;
        for (const struct nlmsghdr *h = (const struct nlmsghdr *)bytes; NLMSG_OK(h, left);
             h = NLMSG_NEXT(h, left)) {
            if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
                return found;
            int64_t buffer = buffer_of(h, inode);
            found = buffer >= 0 ? buffer : found;
        }
    }
}

int64_t udp_drop_buffer_bytes(uint64_t inode)
{
    const struct timeval patience = {.tv_sec = 5};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    int64_t found = find_buffer(fd, AF_INET, inode);
    if (found < 0)
        found = find_buffer(fd, AF_INET6, inode);
    close(fd);
    return found;
}
