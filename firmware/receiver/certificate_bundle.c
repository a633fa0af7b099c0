/* What an administrator uploads: certificates and perhaps their key, parsed, put in order, checked.
 *
 * People upload what their authority sent them: the certificate, its chain in whichever order, with
 * the root or without, in one file or as PKCS #12.  All of that is taken; what would make senders
 * turn away (expired, of another key, not for servers) is refused with a sentence. */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "receiver/certificate.h"

enum { SECURITY_BITS = 112, DAY_TEXT = 10, PASSWORD_MAX_BYTES = 1024 };

void certificate_bundle_free(struct certificate_bundle *b)
{
    EVP_PKEY_free(b->key);
    sk_X509_pop_free(b->chain, X509_free);
    *b = (struct certificate_bundle){0};
}

static int bad(struct err *err, const char *code, const char *text)
{
    return err_set(err, EINVAL, code, "%s", text);
}

/* ---- parsing ---- */

struct password {
    const char *text; /* NULL: none */
    bool is_asked;
};

static int give_password(char *out, int size, int is_writing, void *context)
{
    (void)is_writing;
    struct password *p = context;
    p->is_asked = true;
    if (!p->text)
        return -1;
    size_t n = strlen(p->text);
    if (n > (size_t)size)
        return -1;
    memcpy(out, p->text, n);
    return (int)n;
}

/* 0 with *ret NULL: there is no key in it. */
static int parse_key(struct view pem, const char *password, EVP_PKEY **ret, struct err *err)
{
    static const char mark[] = "PRIVATE KEY-----";
    struct password p = {password, false};
    *ret = NULL;
    if (!pem.n || !memmem(pem.p, pem.n, mark, strlen(mark)))
        return 0;
    int rc = certificate_check_locks(pem, err);
    if (rc < 0)
        return rc;
    BIO *b = BIO_new_mem_buf(pem.p, (int)pem.n);
    CHECK(b);
    *ret = PEM_read_bio_PrivateKey(b, NULL, give_password, &p);
    BIO_free(b);
    const char *reason = certificate_openssl_reason();
    if (*ret)
        return 0;
    if (p.is_asked && !password)
        return bad(err, "bad_password", "the private key is encrypted: its password is needed");
    if (p.is_asked)
        return bad(err, "bad_password", "the password does not open the private key");
    return err_set(err, EINVAL, "bad_key", "the private key is damaged: %s", reason);
}

static int check_size(struct view in, const char *password, struct err *err)
{
    if (in.n > TLS_PEM_MAX_BYTES)
        return err_set(err, E2BIG, "too_large", "%zu bytes are more than the limit of %d", in.n,
                       TLS_PEM_MAX_BYTES);
    if (password && strlen(password) >= PASSWORD_MAX_BYTES)
        return err_set(err, E2BIG, "too_large", "the password is longer than %d bytes",
                       PASSWORD_MAX_BYTES - 1);
    return 0;
}

int certificate_bundle_pem(struct view pem, const char *password, struct certificate_bundle *ret,
                           struct err *err)
{
    struct certificate_bundle b = {0};
    int rc = check_size(pem, password, err);
    if (rc < 0)
        return rc;
    b.chain = sk_X509_new_null();
    CHECK(b.chain);
    ERR_clear_error();
    rc = parse_key(pem, password, &b.key, err);
    if (rc == 0)
        rc = certificate_parse_all(pem, TLS_CHAIN_MAX + 1, b.chain, err);
    if (rc < 0) {
        certificate_bundle_free(&b);
        return rc;
    }
    *ret = b;
    return 0;
}

int certificate_bundle_pkcs12(struct view der, const char *password, struct certificate_bundle *ret,
                              struct err *err)
{
    int rc = check_size(der, password, err);
    return rc < 0 ? rc : certificate_unlock_pkcs12(der, password, ret, err);
}

/* ---- order ---- */

X509 *certificate_bundle_match(const struct certificate_bundle *b, EVP_PKEY *key)
{
    X509 *found = NULL;
    for (int i = 0; !found && i < sk_X509_num(b->chain); i++)
        if (X509_check_private_key(sk_X509_value(b->chain, i), key) == 1)
            found = sk_X509_value(b->chain, i);
    ERR_clear_error();
    return found;
}

static bool has_signed(X509 *issuer, X509 *x)
{
    bool is = X509_check_issued(issuer, x) == X509_V_OK &&
              X509_verify(x, X509_get0_pubkey(issuer)) == 1;
    ERR_clear_error();
    return is;
}

/* Take the one that signed x out of `from`, or NULL. */
static X509 *take_issuer(STACK_OF(X509) * from, X509 *x)
{
    for (int i = 0; i < sk_X509_num(from); i++)
        if (has_signed(sk_X509_value(from, i), x))
            return sk_X509_delete(from, i);
    return NULL;
}

/* Copies of one certificate count once: some tools write the first one twice. */
static void take_copies(STACK_OF(X509) * from, X509 *x)
{
    for (int i = sk_X509_num(from) - 1; i >= 0; i--)
        if (X509_cmp(sk_X509_value(from, i), x) == 0)
            X509_free(sk_X509_delete(from, i));
}

static int named(struct err *err, X509 *x, const char *before, const char *after)
{
    struct certificate_facts f;
    struct err why;
    if (certificate_facts(x, &f, &why) < 0)
        return err_set(err, EINVAL, "bad_certificate", "%s", why.message);
    int rc = err_set(err, EINVAL, "bad_certificate", "%s%.200s%s", before, f.subject, after);
    certificate_facts_free(&f);
    return rc;
}

static int put_in_order(struct certificate_bundle *b, struct err *err)
{
    X509 *x = certificate_bundle_match(b, b->key);
    if (!x)
        return err_set(err, EINVAL, "bad_certificate",
                       "the private key belongs to none of the %d certificates",
                       sk_X509_num(b->chain));
    STACK_OF(X509) *ordered = sk_X509_new_null();
    CHECK(ordered && X509_up_ref(x) == 1);
    while (x) {
        take_copies(b->chain, x);
        bool is_root = X509_self_signed(x, 0) == 1 && sk_X509_num(ordered) > 0;
        if (is_root) { /* senders have it, or do not believe it */
            X509_free(x);
            break;
        }
        CHECK(sk_X509_push(ordered, x) > 0);
        x = X509_self_signed(x, 0) == 1 ? NULL : take_issuer(b->chain, x);
    }
    int rc = 0;
    if (sk_X509_num(b->chain) > 0)
        rc = named(err, sk_X509_value(b->chain, 0), "the certificate ",
                   " does not belong to the chain of the one that the private key is for");
    sk_X509_pop_free(b->chain, X509_free);
    b->chain = ordered;
    return rc;
}

/* ---- checks ---- */

static int check_dates(X509 *x, int64_t now_us, struct err *err)
{
    struct certificate_facts f;
    char day[RFC3339_MAX];
    int rc = certificate_facts(x, &f, err);
    if (rc < 0)
        return rc;
    bool is_early = now_us<f.not_before_us, is_late = now_us> f.not_after_us;
    (void)rfc3339_format(is_early ? f.not_before_us : f.not_after_us, day);
    if (is_late)
        rc = err_set(err, EINVAL, "bad_certificate", "the certificate %.200s has expired on %.*s",
                     f.subject, DAY_TEXT, day);
    else if (is_early)
        rc = err_set(err, EINVAL, "bad_certificate",
                     "the certificate %.200s is not valid before %.*s; is the clock right?",
                     f.subject, DAY_TEXT, day);
    certificate_facts_free(&f);
    return rc;
}

static int check_strength(X509 *x, struct err *err)
{
    EVP_PKEY *key = X509_get0_pubkey(x);
    int bits = key ? EVP_PKEY_get_bits(key) : 0, strength = 0;
    if (!key || EVP_PKEY_get_security_bits(key) < SECURITY_BITS)
        return named(err, x, "the key of the certificate ",
                     " is too weak: RSA needs 2048 bits, an elliptic curve 224");
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && bits > TLS_KEY_BITS_MAX)
        return err_set(err, EINVAL, "bad_certificate",
                       "an RSA key of %d bits is longer than the limit of %d", bits,
                       TLS_KEY_BITS_MAX);
    if (X509_self_signed(x, 0) != 1 &&
        (X509_get_signature_info(x, NULL, NULL, &strength, NULL) != 1 || strength < SECURITY_BITS))
        return named(err, x, "the certificate ",
                     " is signed with a digest that is not safe any more, as SHA-1");
    return 0;
}

/* What senders cannot use or do not understand, though it may be strong. */
static int check_use(X509 *x, struct err *err)
{
    EVP_PKEY *key = X509_get0_pubkey(x);
    char curve[64] = "";
    bool is_elliptic = EVP_PKEY_get_base_id(key) == EVP_PKEY_EC;
    if (is_elliptic && (EVP_PKEY_get_group_name(key, curve, sizeof(curve), NULL) != 1 ||
                        (strcmp(curve, "prime256v1") != 0 && strcmp(curve, "secp384r1") != 0 &&
                         strcmp(curve, "secp521r1") != 0)))
        return err_set(err, EINVAL, "bad_certificate",
                       "the key is of the curve %s, which TLS 1.3 does not know: use P-256, P-384 "
                       "or P-521",
                       *curve ? curve : "of its own");
    if (X509_check_purpose(x, X509_PURPOSE_SSL_SERVER, 0) != 1)
        return named(err, x, "the certificate ",
                     " may not be used by a server (its key usage says so)");
    if (X509_get_extension_flags(x) & (EXFLAG_CRITICAL | EXFLAG_INVALID))
        return named(err, x, "the certificate ",
                     " has a critical extension that senders do not know, or a damaged one");
    return 0;
}

int certificate_bundle_check(struct certificate_bundle *b, int64_t now_us, struct err *err)
{
    if (sk_X509_num(b->chain) <= 0)
        return bad(err, "bad_certificate", "there is no certificate in what was sent");
    if (!b->key)
        return bad(err, "bad_key", "there is no private key for the certificate");
    int rc = put_in_order(b, err);
    for (int i = 0; rc == 0 && i < sk_X509_num(b->chain); i++) {
        X509 *x = sk_X509_value(b->chain, i);
        rc = check_dates(x, now_us, err);
        if (rc == 0)
            rc = check_strength(x, err);
        if (rc == 0 && i > 0 && X509_check_ca(x) == 0)
            rc = named(err, x, "the certificate ", " may not sign others, but one is signed by it");
    }
    if (rc == 0)
        rc = check_use(sk_X509_value(b->chain, 0), err);
    ERR_clear_error();
    return rc;
}

int certificate_bundle_write(const struct certificate_bundle *b, struct buf *out, struct err *err)
{
    int rc = certificate_key_pem(b->key, out, err);
    for (int i = 0; rc == 0 && i < sk_X509_num(b->chain); i++)
        if (certificate_pem(sk_X509_value(b->chain, i), out) < 0)
            rc = err_set(err, ENOSPC, "too_large", "key and certificates exceed %zu bytes",
                         out->max);
    return rc;
}
