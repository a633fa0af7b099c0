/* The sorted list of the source addresses of a block. */
#include "block/senders.h"

bool senders_next(struct view senders, size_t *position, struct ip *ret)
{
    if (*position >= senders.n)
        return false;
    const char *p = senders.p + *position;
    size_t left = senders.n - *position - 1, n = p[0] == 4 ? 4 : 16;
    if ((p[0] != 4 && p[0] != 6) || left < n)
        return false;
    *ret = (struct ip){.family = (uint8_t)p[0]};
    memcpy(ret->bytes, p + 1, n);
    *position += 1 + n;
    return true;
}

bool senders_in_network(struct view senders, const struct ip_network *net)
{
    struct ip ip;
    size_t position = 0;
    while (senders_next(senders, &position, &ip))
        if (ip_in_network(&ip, net))
            return true;
    return position < senders.n;
}
