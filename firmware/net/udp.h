/* A UDP listener read in batches, with what the kernel dropped before we read it.
 *
 *   datagrams ──▶ steer ──of flooding sources──▶ [ second socket's buffer ]──┐
 *                   └───────all others─────────▶ [ first socket's buffer  ]──┴─▶ batch ─▶ caller
 *
 * Where the kernel allows it a listener is a pair of sockets on one address (net/steer.h): who
 * floods fills the buffer of the second only.  One thread has a listener, and a batch. */
#ifndef AZEKURA_NET_UDP_H
#define AZEKURA_NET_UDP_H

#include "base/ip.h"
#include "base/limits.h"
#include "base/view.h"

struct udp;
enum udp_socket { UDP_FIRST, UDP_FLOODING, UDP_SOCKETS };

/* ---- a listener ---- */

/* Open and bind; port 0 takes a free one.  No socket may be there, also none of this user's that
 * would share.  Asks for `buffer_bytes` of receive buffer for each socket; what was granted is in
 * udp_buffer_bytes().  0, or -errno of what failed. */
MUST_USE int udp_open(const struct ip *address, uint16_t port, int64_t buffer_bytes,
                      struct udp **ret);
/* The same of sockets that are bound already: fds[UDP_FLOODING] is -1 when there is none, and one
 * is tried to be made.  Takes the descriptors unless it fails.  0, or -errno. */
MUST_USE int udp_adopt(const int fds[UDP_SOCKETS], int64_t buffer_bytes, struct udp **ret);
void udp_close(struct udp **u);

/* -1: there is no such socket, for the reason udp_pair_error(). */
int udp_fd(const struct udp *u, enum udp_socket which);
/* 0: a pair; else -errno of why it is one socket only. */
int udp_pair_error(const struct udp *u);
/* Granted to each socket.  The kernel counts what a datagram takes of its memory (about 1,280 bytes
 * for one of 300) and lets twice this number wait. */
int64_t udp_buffer_bytes(const struct udp *u);
/* Of these bytes, what waits now; at most a little more than udp_buffer_bytes(). */
int64_t udp_waiting_bytes(const struct udp *u, enum udp_socket which);

/* Datagrams that the kernel dropped on a socket since the last call (the counter of SO_RXQ_OVFL,
 * asked for directly, so that it is known without a further datagram).  0 where there is no such
 * socket.  The first call of an adopted socket gives what was dropped since it was adopted, or with
 * udp_remember() since an earlier process asked last. */
uint64_t udp_take_drops(struct udp *u, enum udp_socket which);

/* From now on a source's datagrams go to the second socket, or to the first one again; those that
 * wait stay where they are.  0, or as steer_add and steer_remove; udp_steer: udp_pair_error() when
 * there is no pair. */
MUST_USE int udp_steer(struct udp *u, const struct ip *source);
MUST_USE int udp_unsteer(struct udp *u, const struct ip *source);
/* Source i of those that are steered, or NULL from udp_steered() on. */
unsigned udp_steered(const struct udp *u);
const struct ip *udp_steered_source(const struct udp *u, unsigned i);

/* ---- a batch: what one read takes ---- */

struct udp_batch;

/* Memory that a batch lies in.  When it is shared memory or a mapped file, what the kernel had put
 * there and nobody had dealt with can be had after a kill -9 (udp_left). */
size_t udp_area_bytes(void);

/* `area`: UDP_AREA_ALIGN-aligned, borrowed until udp_batch_free; one that is not of this layout is
 * made anew.  NULL: memory of its own.  NULL and errno when there is none. */
#define UDP_AREA_ALIGN 4096
MUST_USE struct udp_batch *udp_batch_new(void *area);
void udp_batch_free(struct udp_batch **b);

/* Keep a listener's drop counters in the batch's area, where they outlive this process as its
 * sockets do when they are handed over: what was dropped meanwhile is told by the next
 * udp_take_drops(), once.  The batch must outlive the listener. */
void udp_remember(struct udp *u, struct udp_batch *b);

/* Take up to UDP_BATCH_MESSAGES waiting datagrams of a socket, never blocking; those of the last
 * read go.  `received_at_us` is kept with them.  The number taken (0: none wait), or -errno of an
 * error that will not pass by itself. */
MUST_USE int udp_read(struct udp *u, enum udp_socket which, struct udp_batch *b,
                      int64_t received_at_us);
/* Datagram i of the batch, valid until the next read. */
struct view udp_datagram(const struct udp_batch *b, int i, struct ip *ret_source);
/* Datagrams 0 … i are dealt with: they are safe elsewhere, or were refused and counted. */
void udp_done(struct udp_batch *b, int i);

/* A number that tells datagram i from all others of some million batches of an area, also of those
 * that earlier processes read; never 0. */
uint32_t udp_tag(const struct udp_batch *b, int i);

/* ---- after a kill -9 ---- */

struct udp_left {
    int64_t received_at_us; /* as given to udp_read */
    int first, n;           /* datagrams first … n-1 were read and not done */
};
/* What an earlier process left in the area of a new batch, to be had by udp_datagram() until the
 * first udp_read() (udp_done() counts for them, too).  Nothing: n is 0. */
struct udp_left udp_left(const struct udp_batch *b);

#endif
