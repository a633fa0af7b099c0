/* A setting that holds up to LISTENER_ADDRESSES_MAX addresses with ports: "0.0.0.0:514, [::1]:514".
 * Empty text is none.  No address with its port may stand there twice. */
#ifndef AZEKURA_ADDRESSES_H
#define AZEKURA_ADDRESSES_H

#include "base/ip.h"
#include "base/limits.h"

struct address {
    struct ip ip;
    uint16_t port; /* 0: any free one */
};

struct addresses {
    struct address all[LISTENER_ADDRESSES_MAX];
    unsigned n;
};

#define ADDRESSES_WHY_MAX 160

/* 0, or -EINVAL and the end of a sentence about the value in `why` ("is not …"); then *ret is
 * unchanged. */
MUST_USE int addresses_parse(struct view text, struct addresses *ret, char why[ADDRESSES_WHY_MAX]);

/* "ADDR:PORT" or "[V6]:PORT", NUL-terminated; its length. */
#define ADDRESS_TEXT_MAX (IP_TEXT_MAX + 9)
size_t address_format(const struct address *a, char out[ADDRESS_TEXT_MAX]);

static inline bool address_eq(const struct address *a, const struct address *b)
{
    return a->port == b->port && ip_eq(&a->ip, &b->ip);
}

#endif
