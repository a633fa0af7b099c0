#include <criterion/criterion.h>

#include "store/account.h"

Test(secret, names_and_passwords_have_their_limits)
{
    static const struct {
        const char *name;
        bool is_good;
    } names[] = {{"a", true},
                 {"admin@example.net", true},
                 {"A-Z_0.9", true},
                 {"", false},
                 {"a b", false},
                 {"ä", false},
                 {"a'--", false},
                 {"a\n", false},
                 {"0123456789012345678901234567890123456789012345678901234567890123", true},
                 {"01234567890123456789012345678901234567890123456789012345678901234", false}};
    struct err err;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        cr_expect((account_check_name(view_str(names[i].name), &err) == 0) == names[i].is_good,
                  "%s", names[i].name);
    char longest[PASSWORD_MAX_BYTES + 1];
    memset(longest, 'x', sizeof(longest));
    cr_expect(account_check_password(view_of(longest, PASSWORD_MAX_BYTES), &err) == 0);
    cr_expect(account_check_password(view_of(longest, PASSWORD_MAX_BYTES + 1), &err) == -EINVAL);
    cr_expect(account_check_password(VIEW("123456789"), &err) == -EINVAL);
    cr_expect_str_eq(err.field, "password");
    cr_expect(account_check_password(VIEW("1234567890"), &err) == 0);
    cr_expect(account_check_password(VIEW("12345\0007890"), &err) == -EINVAL);
    cr_expect(account_check_password(VIEW("\xff 34567890"), &err) == -EINVAL);
}

Test(secret, a_password_matches_its_own_hash_alone)
{
    char one[PASSWORD_HASH_MAX], two[PASSWORD_HASH_MAX];
    struct err err;
    struct view password = VIEW("correct horse battery");
    cr_assert(account_hash_password(password, one, &err) == 0);
    cr_assert(account_hash_password(password, two, &err) == 0);
    cr_expect(strncmp(one, "$argon2id$v=19$m=65536,t=3,p=1$", 31) == 0, "%s", one);
    cr_expect(strcmp(one, two) != 0, "each has a salt of its own");
    cr_expect(account_password_matches(password, one) && account_password_matches(password, two));
    cr_expect(!account_password_matches(VIEW("correct horse batterz"), one));
    cr_expect(!account_password_matches(VIEW(""), one));
    cr_expect(!account_password_matches(password, NULL));
    cr_expect(!account_password_matches(password, "$argon2id$garbage"));
}

Test(secret, secrets_are_long_distinct_and_of_url_characters)
{
    char a[SECRET_TEXT_MAX], b[SECRET_TEXT_MAX];
    uint8_t hash[32], other[32];
    account_new_secret(a);
    account_new_secret(b);
    cr_expect(strlen(a) == 43 && strlen(b) == 43 && strcmp(a, b) != 0);
    cr_expect(strspn(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == 43);
    account_secret_hash(view_str(a), hash);
    account_secret_hash(view_str(b), other);
    cr_expect(memcmp(hash, other, 32) != 0);
    account_secret_hash(VIEW("abc"), hash);
    cr_expect(hash[0] == 0xba && hash[31] == 0xad, "it is SHA-256");
}

Test(secret, comparison_takes_the_whole_text)
{
    cr_expect(account_secret_eq(VIEW("abc"), VIEW("abc")));
    cr_expect(!account_secret_eq(VIEW("abc"), VIEW("abd")));
    cr_expect(!account_secret_eq(VIEW("abc"), VIEW("ab")));
    cr_expect(!account_secret_eq(VIEW(""), VIEW("")), "nothing is no secret");
    cr_expect(!account_secret_eq(VIEW_NULL, VIEW("")));
}

Test(secret, roles_have_names)
{
    enum role r;
    cr_expect(role_parse(VIEW("admin"), &r) == 0 && r == ROLE_ADMIN);
    cr_expect(role_parse(VIEW("viewer"), &r) == 0 && r == ROLE_VIEWER);
    cr_expect(role_parse(VIEW("none"), &r) == -EINVAL && role_parse(VIEW("Admin"), &r) == -EINVAL);
    cr_expect_str_eq(role_name(ROLE_OPERATOR), "operator");
    cr_expect_str_eq(role_name((enum role)99), "none");
}
