#include "helper/support.h"

#include <criterion/criterion.h>

Test(support_hide, secrets_are_taken_out_and_the_rest_stays)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"all is well\n", "all is well\n"},
        {"mail.Password = hunter2\nnext\n", "mail.Password (taken out)\nnext\n"},
        {"Authorization: Bearer abc", "Authorization (taken out)"},
        {"{\"token\":\"abc\"}\n", "{\"token (taken out)\n"},
        {"x postgres://me:pw@db/azekura y\n", "x postgres://(taken out)@db/azekura y\n"},
        {"see https://example.net/a@b\n", "see https://example.net/a@b\n"},
        {"hash $argon2id$v=19$x\n", "hash  (taken out)\n"},
        {"a\n-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\nb\n",
         "a\n(taken out)\nb\n"},
        {"a\n-----BEGIN PRIVATE KEY-----\nMHcC\n", "a\n(taken out)\n"},
        {"the setup code is ABCD-EFGH\n", "the setup code (taken out)\n"},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(4096);
        support_hide(view_str(cases[i].in), &b);
        cr_expect_str_eq(buf_str(&b), cases[i].out, "%s", cases[i].in);
        buf_free(&b);
    }
}
