/* Passwords, random secrets and their hashes (account.h): nothing here knows the database.
 * Passwords go through argon2id because people choose them; session secrets, tokens and the setup
 * code are random, so that a plain SHA-256 of them gives nothing away. */
#include "store/account.h"

#include <argon2.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "base/utf8.h"

#define ARGON2_PASSES 3
#define ARGON2_KIB 65536
#define ARGON2_LANES 1
#define SALT_BYTES 16
#define HASH_BYTES 32
#define SECRET_BYTES 32

const char *role_name(enum role r)
{
    static const char *const names[] = {"none", "viewer", "operator", "admin"};
    return names[(unsigned)r < ARRAY_LEN(names) ? r : ROLE_NONE];
}

int role_parse(struct view text, enum role *ret)
{
    for (enum role r = ROLE_VIEWER; r <= ROLE_ADMIN; r++) {
        if (view_eq(text, view_str(role_name(r)))) {
            *ret = r;
            return 0;
        }
    }
    return -EINVAL;
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '@' || c == '-';
}

int account_check_name(struct view name, struct err *err)
{
    if (name.n < 1 || name.n > ACCOUNT_NAME_MAX)
        return err_set_field(err, EINVAL, "bad_value", "name",
                             "name: an account name has 1 to %d characters, this has %zu",
                             ACCOUNT_NAME_MAX, name.n);
    for (size_t i = 0; i < name.n; i++) {
        if (!is_name_char(name.p[i]))
            return err_set_field(err, EINVAL, "bad_value", "name",
                                 "name: an account name consists of letters, digits and . _ @ -; "
                                 "character %zu is something else",
                                 i + 1);
    }
    return 0;
}

int account_check_password(struct view password, struct err *err)
{
    if (password.n < PASSWORD_MIN_BYTES || password.n > PASSWORD_MAX_BYTES)
        return err_set_field(err, EINVAL, "bad_value", "password",
                             "password: it must have %d to %d bytes, this has %zu",
                             PASSWORD_MIN_BYTES, PASSWORD_MAX_BYTES, password.n);
    if (!utf8_is_clean(password))
        return err_set_field(err, EINVAL, "bad_value", "password",
                             "password: it must be UTF-8 text without NUL");
    return 0;
}

int account_hash_password(struct view password, char ret[PASSWORD_HASH_MAX], struct err *err)
{
    uint8_t salt[SALT_BYTES];
    if (RAND_bytes(salt, sizeof(salt)) != 1)
        return err_set(err, EIO, "no_random", "the system gives no random numbers");
    char hash[PASSWORD_HASH_MAX];
    int rc = argon2id_hash_encoded(ARGON2_PASSES, ARGON2_KIB, ARGON2_LANES, password.p, password.n,
                                   salt, sizeof(salt), HASH_BYTES, hash, sizeof(hash));
    if (rc != ARGON2_OK)
        return err_set(err, ENOMEM, "no_memory", "cannot hash the password: %s",
                       argon2_error_message(rc));
    memcpy(ret, hash, sizeof(hash));
    return 0;
}

bool account_password_matches(struct view password, const char *hash)
{
    if (!hash) {
        uint8_t salt[SALT_BYTES] = {0}, out[HASH_BYTES];
        (void)argon2id_hash_raw(ARGON2_PASSES, ARGON2_KIB, ARGON2_LANES, password.p, password.n,
                                salt, sizeof(salt), out, sizeof(out));
        OPENSSL_cleanse(out, sizeof(out));
        return false;
    }
    return argon2id_verify(hash, password.p, password.n) == ARGON2_OK;
}

void account_new_secret(char ret[SECRET_TEXT_MAX])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint8_t bytes[SECRET_BYTES];
    CHECK(RAND_bytes(bytes, sizeof(bytes)) == 1);
    size_t n = 0;
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bits = bits << 8 | bytes[i];
        for (have += 8; have >= 6; have -= 6)
            ret[n++] = digits[bits >> (have - 6) & 63];
    }
    if (have > 0)
        ret[n++] = digits[bits << (6 - have) & 63];
    ret[n] = 0;
    OPENSSL_cleanse(bytes, sizeof(bytes));
}

void account_secret_hash(struct view secret, uint8_t ret[32])
{
    SHA256((const unsigned char *)secret.p, secret.n, ret);
}

bool account_secret_eq(struct view a, struct view b)
{
    return a.n == b.n && a.n > 0 && CRYPTO_memcmp(a.p, b.p, a.n) == 0;
}
