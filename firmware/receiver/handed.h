/* Sockets that outlive the receiver: whoever starts it (systemd, or packaging/supervise.py where
 * there is none) holds them and hands them to the next start, so that datagrams and connections
 * wait in the kernel while it restarts, is upgraded or is killed.
 *
 * They come by the protocol of sd_listen_fds(3): those of socket units, which the service manager
 * opened (names "udp", "tcp", "tls"), and those that an earlier receiver opened and had kept
 * (handed_keep), whose names say where they are bound: "udp@127.0.0.1_5514".  Without a service
 * manager nothing is handed over and nothing kept; every function then does nothing.
 *
 *     handed_open()              first in main(), before any thread: it changes the environment
 *     handed_take() … bind       for each listener: what is there is used, else it is bound
 *     handed_keep()              each socket that was bound; also those that come while running
 *     handed_settle()            when all are open: what nobody took is closed and forgotten
 *     handed_ready()
 *     handed_forget()            before a kept socket is closed for good (a changed address)
 *     handed_stopping()
 *
 * All but handed_open() may be called from any thread. */
#ifndef AZEKURA_RECEIVER_HANDED_H
#define AZEKURA_RECEIVER_HANDED_H

#include "base/err.h"
#include "base/ip.h"

/* Take over what was handed to this process.  Returns how many sockets there are (at most
 * HANDED_MAX, further ones are closed), or -EBADF when what is named is not there. */
MUST_USE int handed_open(void);

/* A socket of `type` (SOCK_DGRAM, SOCK_STREAM) that was handed over under `name` ("udp", "tcp",
 * "tls", and "udp.flood" for the second socket of a group; letters, digits and dots) and is bound
 * to address and port; port 0: to any port of the address.  It is the caller's to close, is
 * non-blocking and close-on-exec, has its options as they were, and a stream socket may be
 * listening already (listen() again is harmless).  Returns it, or -ENOENT. */
MUST_USE int handed_take(const char *name, const struct ip *address, uint16_t port, int type);

/* Have the service manager hold a bound socket for the next start.  One that was handed over is
 * held already: then nothing is sent.  0, or -errno: the socket serves, but ends with the process
 * (-ENOTCONN: there is no service manager). */
MUST_USE int handed_keep(int fd, const char *name);

/* The opposite, before a socket is closed for good.  True when nobody else holds it now; a socket
 * unit's stays bound as long as the unit is active. */
bool handed_forget(int fd, const char *name);

/* Close what nobody has taken and have it forgotten.  Returns how many. */
unsigned handed_settle(void);

/* Tell the service manager that the receiver serves, or that it stops; `status` is one line for
 * people. */
void handed_ready(const char *status);
void handed_stopping(void);

#endif
