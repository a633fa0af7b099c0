/* The file STATE/receiver/datagrams: memory that datagrams are read into (net/udp.h), shared, so
 * that what a killed receiver had taken from the kernel and not yet put into its journal is still
 * there. Used by the first lane. */
#ifndef AZEKURA_RECEIVER_READ_AREA_H
#define AZEKURA_RECEIVER_READ_AREA_H

#include "base/err.h"

struct read_area;

/* Open or create the file, with room for `bytes`; all of it is on the disk from here on, since the
 * kernel loses a datagram that it cannot put into a page.  What an earlier boot of the machine left
 * is forgotten.  0, or negative and *err (-ENOSPC: the disk is full). */
MUST_USE int read_area_open(const char *path, size_t bytes, struct read_area **ret,
                            struct err *err);
void read_area_close(struct read_area **a);

/* Page-aligned; valid until it is closed. */
void *read_area_memory(const struct read_area *a);

#endif
