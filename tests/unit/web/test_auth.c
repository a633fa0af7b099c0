#include <criterion/criterion.h>

#include "web/auth.h"

Test(auth, the_cookie_is_found_by_its_whole_name)
{
    static const struct {
        const char *header, *value;
    } cases[] = {
        {NULL, NULL},
        {"", NULL},
        {"azekura_session=abc", "abc"},
        {"azekura_session=", ""},
        {"a=1; azekura_session=abc; b=2", "abc"},
        {"a=1;azekura_session=abc", "abc"},
        {"xazekura_session=abc", NULL},
        {"azekura_sessionx=abc", NULL},
        {"azekura_session", NULL},
        {"a=azekura_session=abc", NULL},
        {"azekura_session=one; azekura_session=two", "one"},
        {";;; ;azekura_session=abc;", "abc"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(
            view_eq(auth_cookie(view_str(cases[i].header), AUTH_COOKIE), view_str(cases[i].value)),
            "%s", cases[i].header ? cases[i].header : "no header");
}

Test(auth, the_actor_says_what_kind_it_is)
{
    char actor[AUTH_ACTOR_MAX];
    struct identity who = {.name = "admin"};
    auth_actor(&who, actor);
    cr_expect_str_eq(actor, "account:admin");
    who.is_token = true;
    auth_actor(&who, actor);
    cr_expect_str_eq(actor, "token:admin");
}
