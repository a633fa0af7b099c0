/* The classic BPF program of a pair of sockets.
 *
 *       version of the IP header? ──neither──▶ first
 *        │ 4                  │ 6
 *   source = a₁? ─▶ second   last word, then the other three = b₁? ─▶ second
 *   source = a₂? ─▶ second   last word, …                      = b₂? ─▶ second
 *        └─▶ first            └─▶ first
 *
 * A dual-stack socket gets IPv4 with its IPv4 header, so a mapped source is IPv4 here.  The address
 * is read at SKF_NET_OFF: the program sees the packet from its payload on.  A load outside of the
 * packet ends a program with 0, the first socket.  A map of eBPF would have no limit of 32, but
 * needs CAP_BPF, which the receiver does not have. */
#include "net/steer.h"

#include <sys/socket.h>

enum { IP4_SOURCE_AT = 12, IP6_SOURCE_AT = 8, IP6_WORDS = 4, IP6_INSTRUCTIONS = 9 };

static uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static unsigned load(struct sock_filter *out, unsigned size, int offset)
{
    *out = (struct sock_filter)BPF_STMT(BPF_LD | size | BPF_ABS, (uint32_t)(SKF_NET_OFF + offset));
    return 1;
}

/* Skip `jump` instructions unless the accumulator is k. */
static unsigned unless(struct sock_filter *out, uint32_t k, unsigned jump)
{
    *out = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, (uint8_t)jump);
    return 1;
}

static unsigned answer(struct sock_filter *out, uint32_t member)
{
    *out = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, member);
    return 1;
}

static unsigned ip4_sources(struct sock_filter *out, const struct ip *sources, unsigned n)
{
    unsigned at = load(out, BPF_W, IP4_SOURCE_AT);
    for (unsigned i = 0; i < n; i++) {
        if (sources[i].family != 4)
            continue;
        at += unless(&out[at], word_at(sources[i].bytes), 1);
        at += answer(&out[at], STEER_SECOND);
    }
    return at + answer(&out[at], STEER_FIRST);
}

/* The last word first: senders of one network differ there. */
static unsigned ip6_sources(struct sock_filter *out, const struct ip *sources, unsigned n)
{
    unsigned at = 0;
    for (unsigned i = 0; i < n; i++) {
        if (sources[i].family != 6)
            continue;
        unsigned end = at + IP6_INSTRUCTIONS;
        for (int word = IP6_WORDS - 1; word >= 0; word--) {
            at += load(&out[at], BPF_W, IP6_SOURCE_AT + 4 * word);
            at += unless(&out[at], word_at(sources[i].bytes + (size_t)4 * (size_t)word),
                         end - at - 1);
        }
        at += answer(&out[at], STEER_SECOND);
    }
    return at + answer(&out[at], STEER_FIRST);
}

unsigned steer_program(const struct ip *sources, unsigned n,
                       struct sock_filter ret[STEER_PROGRAM_MAX])
{
    CHECK(n <= UDP_FLOODING_SOURCES_MAX);
    if (n == 0)
        return answer(ret, STEER_FIRST);
    unsigned at = load(ret, BPF_B, 0);
    ret[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0);
    unsigned ip4 = at++;
    unsigned length = ip4_sources(&ret[at], sources, n);
    (void)unless(&ret[ip4], 0x40, length);
    at += length;
    at += unless(&ret[at], 0x60, 0);
    ret[at - 1].jt = 1; /* over the answer: a jump has eight bits, too few for the rest */
    at += answer(&ret[at], STEER_FIRST);
    at += ip6_sources(&ret[at], sources, n);
    CHECK(at <= STEER_PROGRAM_MAX);
    return at;
}

static int attach(const struct steer *s)
{
    struct sock_filter program[STEER_PROGRAM_MAX];
    struct sock_fprog p = {.filter = program};
    p.len = (unsigned short)steer_program(s->sources, s->n, program);
    return setsockopt(s->fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &p, sizeof(p)) < 0 ? -errno : 0;
}

int steer_init(struct steer *s, int group_fd)
{
    *s = (struct steer){.fd = group_fd};
    return attach(s);
}

static int find(const struct steer *s, const struct ip *source)
{
    for (unsigned i = 0; i < s->n; i++)
        if (ip_eq(&s->sources[i], source))
            return (int)i;
    return -ENOENT;
}

bool steer_has(const struct steer *s, const struct ip *source)
{
    return find(s, source) >= 0;
}

int steer_add(struct steer *s, const struct ip *source)
{
    if (source->family != 4 && source->family != 6)
        return -EAFNOSUPPORT;
    if (steer_has(s, source))
        return 0;
    if (s->n == UDP_FLOODING_SOURCES_MAX)
        return -ENOSPC;
    s->sources[s->n++] = *source;
    int rc = attach(s);
    if (rc < 0)
        s->n--;
    return rc;
}

int steer_remove(struct steer *s, const struct ip *source)
{
    int i = find(s, source);
    if (i < 0)
        return i;
    struct ip removed = s->sources[i];
    s->sources[i] = s->sources[--s->n];
    int rc = attach(s);
    if (rc == 0)
        return 0;
    s->sources[s->n++] = s->sources[i];
    s->sources[i] = removed;
    return rc;
}
