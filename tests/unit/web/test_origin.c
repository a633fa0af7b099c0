#include <criterion/criterion.h>

#include "web/origin.h"

Test(origin, a_host_is_allowed_by_address_or_known_name)
{
    static const struct {
        const char *host;
        bool is_allowed;
    } cases[] = {
        {NULL, true},
        {"127.0.0.1", true},
        {"127.0.0.1:8080", true},
        {"192.0.2.1:80", true},
        {"[::1]:8080", true},
        {"[2001:db8::1]", true},
        {"localhost", true},
        {"LOCALHOST:8080", true},
        {"localhost.", true},
        {"a.localhost", true},
        {"logbox", true},
        {"LogBox:8080", true},
        {"logbox.local", true},
        {"logbox.lan:1", true},
        {"logs.example.net", true},
        {"second.example:9", true},
        {"", false},
        {":8080", false},
        {"[::1", false},
        {"evil.example", false},
        {"logbox.evil.example", false},
        {"logboxx", false},
        {"localhost.evil.example", false},
        {"xlocalhost", false},
        {"127.0.0.1.evil.example", false},
        {"logs.example.net.evil.example", false},
        {"example.net", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(origin_host_is_allowed(view_str(cases[i].host), "logbox",
                                         "logs.example.net, second.example") == cases[i].is_allowed,
                  "Host: %s", cases[i].host ? cases[i].host : "none");
    cr_expect(!origin_host_is_allowed(VIEW("x"), "", ""), "without a name only addresses count");
}

Test(origin, only_the_same_host_and_port_is_the_same_origin)
{
    static const struct {
        const char *origin, *host;
        bool is_same;
    } cases[] = {
        {NULL, "a", true},
        {"http://127.0.0.1:8080", "127.0.0.1:8080", true},
        {"http://127.0.0.1:8080", "127.0.0.1:8081", false},
        {"https://logs.example", "logs.example", true},
        {"https://logs.example", "logs.example:443", true},
        {"https://logs.example:443", "logs.example", true},
        {"http://logs.example", "logs.example:80", true},
        {"https://logs.example", "logs.example:80", false},
        {"https://LOGS.example", "logs.Example", true},
        {"https://logs.example.evil", "logs.example", false},
        {"https://evil.example", "logs.example", false},
        {"null", "logs.example", false},
        {"null", "null", false},
        {"", "", false},
        {"file://", "", false},
        {"https://logs.example", NULL, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(origin_is_same(view_str(cases[i].origin), view_str(cases[i].host)) ==
                      cases[i].is_same,
                  "%s at %s", cases[i].origin ? cases[i].origin : "none",
                  cases[i].host ? cases[i].host : "none");
}

Test(origin, fetch_site_must_be_ours_or_the_users)
{
    cr_expect(origin_fetch_site_is_ours(VIEW_NULL));
    cr_expect(origin_fetch_site_is_ours(VIEW("same-origin")));
    cr_expect(origin_fetch_site_is_ours(VIEW("none")));
    cr_expect(!origin_fetch_site_is_ours(VIEW("same-site")));
    cr_expect(!origin_fetch_site_is_ours(VIEW("cross-site")));
    cr_expect(!origin_fetch_site_is_ours(VIEW("")));
}
