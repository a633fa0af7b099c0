/* What the mapped files of the receiver share: numbers in them are little-endian and unaligned, and
 * stores reach the page cache in the order in which they are made, which is all that a reader after
 * kill -9 needs. */
#ifndef AZEKURA_RECEIVER_MAPPED_H
#define AZEKURA_RECEIVER_MAPPED_H

#include <endian.h>
#include <stdatomic.h>

#include "base/base.h"

/* The stores before are done before the stores after, for a reader of the file after kill -9: what
 * a CPU has executed is in the page cache, so only the compiler must not reorder them. */
static inline void in_order(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

static inline uint16_t get16(const unsigned char *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return le16toh(v);
}

static inline void put16(unsigned char *p, uint16_t v)
{
    v = htole16(v);
    memcpy(p, &v, 2);
}

static inline uint32_t get32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return le32toh(v);
}

static inline void put32(unsigned char *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, 4);
}

static inline uint64_t get64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return le64toh(v);
}

static inline void put64(unsigned char *p, uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, 8);
}

static inline void add64(unsigned char *p, uint64_t v)
{
    put64(p, get64(p) + v);
}

/* The identity of this boot of the machine: pages that were in memory only are torn in another one.
 * 0, or -errno. */
#define MAPPED_BOOT_BYTES 16
MUST_USE int mapped_boot_id(uint8_t ret[MAPPED_BOOT_BYTES]);

enum { MAPPED_REASON_MAX = 128 };
/* On a full disk: delete what was set aside, so that a new file has room.  True: it is gone, and
 * the reason says so; "" is none. */
bool mapped_give_up_aside(const char *aside_path, char reason[MAPPED_REASON_MAX]);

#endif
