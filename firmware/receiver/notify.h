/* Tell the service manager how we are (systemd's sd_notify protocol: a datagram to NOTIFY_SOCKET).
 */
#ifndef AZEKURA_RECEIVER_NOTIFY_H
#define AZEKURA_RECEIVER_NOTIFY_H

/* "READY=1", "STOPPING=1".  Does nothing without NOTIFY_SOCKET; a failure is not worth stopping
 * for. */
void notify_manager(const char *what);

#endif
