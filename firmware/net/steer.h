/* Which of two sockets of a SO_REUSEPORT group a datagram goes to: those of a few sources to the
 * second, all others to the first, so that a flood fills no buffer but its own.  The kernel decides
 * by a classic BPF program, made anew whenever the list changes.  Used by one thread. */
#ifndef AZEKURA_NET_STEER_H
#define AZEKURA_NET_STEER_H

#include <linux/filter.h>

#include "base/ip.h"
#include "base/limits.h"

enum {
    STEER_FIRST = 0,  /* the group's members, in the order in which they were bound */
    STEER_SECOND = 1, /* hears the sources of the list */
};

/* Instructions a program takes at most: four to tell the family, and two (IPv4) or nine (IPv6) a
 * source. */
#define STEER_PROGRAM_MAX (8 + 9 * UDP_FLOODING_SOURCES_MAX)

struct steer {
    int fd; /* a member of the group; borrowed */
    unsigned n;
    struct ip sources[UDP_FLOODING_SOURCES_MAX];
};

/* Begin with an empty list: everything goes to the first socket.  0, or -errno of
 * SO_ATTACH_REUSEPORT_CBPF, which kernels before 4.5 do not know and a sandbox may forbid. */
MUST_USE int steer_init(struct steer *s, int group_fd);

/* Put a source on the list (IPv4 and mapped are the same).  0, also when it is there already;
 * -ENOSPC when UDP_FLOODING_SOURCES_MAX are; -EAFNOSUPPORT for family 0; else the kernel's -errno.
 * After an error the list, and where datagrams go, is as before. */
MUST_USE int steer_add(struct steer *s, const struct ip *source);
/* Take it off.  0, -ENOENT, or the kernel's -errno, and then all is as before. */
MUST_USE int steer_remove(struct steer *s, const struct ip *source);
bool steer_has(const struct steer *s, const struct ip *source);

/* The program for a list.  Returns the number of instructions; n ≤ UDP_FLOODING_SOURCES_MAX. */
unsigned steer_program(const struct ip *sources, unsigned n,
                       struct sock_filter ret[STEER_PROGRAM_MAX]);

#endif
