#include <criterion/criterion.h>

#include "config/addresses.h"

static const struct {
    const char *text;
    const char *all; /* as formatted, a space between */
} good[] = {
    {"", ""},
    {"  ", ""},
    {"0.0.0.0:5514", "0.0.0.0:5514"},
    {"[::]:0", "[::]:0"},
    {"192.0.2.1:514,[2001:db8::1]:6514", "192.0.2.1:514 [2001:db8::1]:6514"},
    {" 127.0.0.1:1 ,\t127.0.0.1:2", "127.0.0.1:1 127.0.0.1:2"},
    {"10.0.0.1:514,10.0.0.2:514,10.0.0.3:514,10.0.0.4:65535",
     "10.0.0.1:514 10.0.0.2:514 10.0.0.3:514 10.0.0.4:65535"},
    {"223.255.255.255:514,240.0.0.1:514,[fe80::1]:514",
     "223.255.255.255:514 240.0.0.1:514 [fe80::1]:514"},
    {"0.0.0.0:514,[::]:514", "0.0.0.0:514 [::]:514"},
};

Test(addresses, a_list_is_read_with_blanks_around_and_in_its_order)
{
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        struct addresses list = {.n = 99};
        char why[ADDRESSES_WHY_MAX], all[400] = "";
        cr_assert_eq(addresses_parse(view_str(good[i].text), &list, why), 0, "%s", good[i].text);
        for (unsigned j = 0; j < list.n; j++) {
            char one[ADDRESS_TEXT_MAX];
            size_t n = address_format(&list.all[j], one);
            cr_expect_eq(n, strlen(one));
            size_t used = strlen(all);
            snprintf(all + used, sizeof(all) - used, "%s%s", j ? " " : "", one);
        }
        cr_expect_str_eq(all, good[i].all, "\"%s\"", good[i].text);
    }
}

static const struct {
    const char *text, *why;
} bad[] = {
    {"localhost:514", "is not ADDRESS:PORT"},
    {"10.0.0.1", "is not ADDRESS:PORT"},
    {"10.0.0.1:65536", "is not ADDRESS:PORT"},
    {"::1:514", "is not ADDRESS:PORT"},
    {"10.0.0.1:514,", "(an address is empty)"},
    {",10.0.0.1:514", "(an address is empty)"},
    {"10.0.0.1:514,,10.0.0.2:514", "(an address is empty)"},
    {"10.0.0.1:514 10.0.0.2:514", "is not ADDRESS:PORT"},
    {"10.0.0.1:514,10.0.0.1:514", "names 10.0.0.1:514 twice"},
    {"[::1]:514,[0::1]:514", "names [0::1]:514 twice"},
    {"224.0.0.1:514", "names 224.0.0.1:514, which is a multicast address"},
    {"10.0.0.1:514, 239.255.255.255:514", "is a multicast address"},
    {"[ff02::1]:514", "is a multicast address"},
    {"[::ffff:224.0.0.1]:514", "is a multicast address"},
    {"0.0.0.0:1,0.0.0.0:2,0.0.0.0:3,0.0.0.0:4,0.0.0.0:5", "has more than 4 addresses"},
};

Test(addresses, what_is_wrong_with_a_list_is_said_and_nothing_is_changed)
{
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct addresses list = {.n = 99};
        char why[ADDRESSES_WHY_MAX] = "";
        cr_expect_lt(addresses_parse(view_str(bad[i].text), &list, why), 0, "%s", bad[i].text);
        cr_expect_not_null(strstr(why, bad[i].why), "%s: %s", bad[i].text, why);
        cr_expect_eq(list.n, 99);
    }
}
