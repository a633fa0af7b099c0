/* Addresses with ports as settings hold them, and networks as lists of senders do: what is taken is
 * written and read again as the same. */
#include "config/addresses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(struct view text)
{
    struct addresses list = {0}, again = {0};
    char why[ADDRESSES_WHY_MAX] = "";
    if (addresses_parse(text, &list, why) < 0) {
        CHECK(why[0] && list.n == 0);
        return;
    }
    CHECK(list.n <= LISTENER_ADDRESSES_MAX);
    char all[LISTENER_ADDRESSES_MAX * (ADDRESS_TEXT_MAX + 2)];
    size_t n = 0;
    for (unsigned i = 0; i < list.n; i++) {
        for (unsigned k = 0; k < i; k++)
            CHECK(!address_eq(&list.all[i], &list.all[k]));
        if (i > 0) {
            memcpy(all + n, ", ", 2);
            n += 2;
        }
        n += address_format(&list.all[i], all + n);
    }
    CHECK(addresses_parse(view_of(all, n), &again, why) == 0 && again.n == list.n);
    for (unsigned i = 0; i < list.n; i++)
        CHECK(address_eq(&list.all[i], &again.all[i]));
}

static void check_network(struct view text)
{
    struct ip_network network, again;
    char written[IP_TEXT_MAX + 4];
    if (ip_network_parse(text, &network) < 0)
        return;
    CHECK(network.prefix <= (network.address.family == 4 ? 32 : 128));
    CHECK(ip_in_network(&network.address, &network));
    size_t n = ip_format(&network.address, written);
    n += (size_t)snprintf(written + n, sizeof(written) - n, "/%u", network.prefix);
    CHECK(ip_network_parse(view_of(written, n), &again) == 0);
    CHECK(again.prefix == network.prefix && ip_eq(&again.address, &network.address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view text = view_of((const char *)data, size);
    check_list(text);
    check_network(text);
    return 0;
}
