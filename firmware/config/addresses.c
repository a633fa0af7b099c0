/* Lists of addresses with ports, as settings hold them. */
#include "config/addresses.h"

#include <stdio.h>

static int add(struct addresses *list, struct view item, char why[ADDRESSES_WHY_MAX])
{
    struct address a = {0};
    if (ip_port_parse(item, &a.ip, &a.port) < 0) {
        snprintf(why, ADDRESSES_WHY_MAX,
                 "is not ADDRESS:PORT, like 0.0.0.0:5514 or [::]:5514, port 0..65535%s",
                 item.n == 0 ? " (an address is empty)" : "");
        return -EINVAL;
    }
    if (ip_is_multicast(&a.ip)) {
        snprintf(why, ADDRESSES_WHY_MAX,
                 "names %.*s, which is a multicast address: name one of this box, or 0.0.0.0 or "
                 "[::] for all of them",
                 VIEW_ARG(item));
        return -EINVAL;
    }
    if (list->n == LISTENER_ADDRESSES_MAX) {
        snprintf(why, ADDRESSES_WHY_MAX, "has more than %d addresses", LISTENER_ADDRESSES_MAX);
        return -EINVAL;
    }
    for (unsigned i = 0; i < list->n; i++) {
        if (!address_eq(&list->all[i], &a))
            continue;
        snprintf(why, ADDRESSES_WHY_MAX, "names %.*s twice", VIEW_ARG(item));
        return -EINVAL;
    }
    list->all[list->n++] = a;
    return 0;
}

int addresses_parse(struct view text, struct addresses *ret, char why[ADDRESSES_WHY_MAX])
{
    struct addresses list = {0};
    text = view_trim(text);
    for (bool has_more = text.n > 0; has_more;) {
        const char *comma = memchr(text.p, ',', text.n);
        size_t n = comma ? (size_t)(comma - text.p) : text.n;
        int rc = add(&list, view_trim(view_of(text.p, n)), why);
        if (rc < 0)
            return rc;
        has_more = comma != NULL;
        n += has_more;
        text = view_of(text.p + n, text.n - n);
    }
    *ret = list;
    return 0;
}

size_t address_format(const struct address *a, char out[ADDRESS_TEXT_MAX])
{
    char text[IP_TEXT_MAX];
    (void)ip_format(&a->ip, text);
    int n = snprintf(out, ADDRESS_TEXT_MAX, a->ip.family == 6 ? "[%s]:%u" : "%s:%u", text, a->port);
    return (size_t)n;
}
