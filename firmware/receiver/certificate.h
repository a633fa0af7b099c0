/* Keys, certificate requests and certificates, by OpenSSL; pure: bytes and a time in, bytes out.
 *
 *   certificate.c         what a certificate says of itself
 *   certificate_make.c    a key, a request (CSR), a certificate signed by itself
 *   certificate_bundle.c  what an administrator uploads: parsed, put in order, checked
 *   certificate_unlock.c  what of it is locked with a password
 *
 * Errors are sentences for the administrator and never hold a byte of a key. */
#ifndef AZEKURA_RECEIVER_CERTIFICATE_H
#define AZEKURA_RECEIVER_CERTIFICATE_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"

/* ---- what a certificate says ---- */

#define CERTIFICATE_TEXT_MAX 512 /* of subject and issuer; longer ones are cut */
#define CERTIFICATE_NAMES_MAX_BYTES 16384

struct certificate_facts {
    char subject[CERTIFICATE_TEXT_MAX]; /* "CN=log.example.net,O=Example", UTF-8 */
    char issuer[CERTIFICATE_TEXT_MAX];
    int64_t not_before_us, not_after_us; /* since the epoch */
    char fingerprint[65];                /* SHA-256, lower-case hex */
    char key[32];                        /* "ec-p256", "rsa-3072", "ed25519" */
    bool is_self_signed;
    bool is_authority; /* may sign certificates */
    struct buf names;  /* DNS names and addresses it is for, each ended by '\n'; buf_free */
};
/* "ec-p256", … of any key. */
void certificate_key_name(EVP_PKEY *key, char out[32]);
/* 0, or negative and *err when its times cannot be read. */
MUST_USE int certificate_facts(X509 *x, struct certificate_facts *ret, struct err *err);
void certificate_facts_free(struct certificate_facts *f);

/* The same of a request (CSR) in a PEM text: subject, key and names; `pem` gets the request alone.
 * 0, or negative and *err. */
MUST_USE int certificate_request_facts(struct view text, struct certificate_facts *ret,
                                       struct buf *pem, struct err *err);

/* The certificates of a PEM text appended to `ret` (a stack of the caller's, sk_X509_pop_free); all
 * else in it is passed over.  Returns how many, or negative and *err (damaged, more than `most`).
 */
MUST_USE int certificate_parse_all(struct view pem, int most, STACK_OF(X509) * ret,
                                   struct err *err);
/* Append as PEM: 0, or -ENOSPC. */
MUST_USE int certificate_pem(X509 *x, struct buf *out);

/* What OpenSSL says of its last error on this thread, and forget all of them. */
const char *certificate_openssl_reason(void);

/* ---- making ---- */

enum certificate_key { CERTIFICATE_EC_P256, CERTIFICATE_RSA_3072 };
/* "ec-p256", "rsa-3072"; -1: neither. */
int certificate_key_of(const char *name);

struct certificate_subject {
    const char *common_name;            /* UTF-8, 1…64 letters */
    const char *organization, *country; /* "": none; country: two letters */
    const char *names[TLS_NAMES_MAX];   /* DNS names and addresses */
    size_t names_n;                     /* the common name is added if it is one */
};
/* A DNS name ("*." may stand in front) or an IP address. */
bool certificate_is_name(const char *name);
/* 0, or -EINVAL and *err, whose field is the member at fault. */
MUST_USE int certificate_subject_check(const struct certificate_subject *s, struct err *err);

MUST_USE int certificate_key_new(enum certificate_key kind, EVP_PKEY **ret, struct err *err);
/* Appended as PEM (PKCS #8, not encrypted). */
MUST_USE int certificate_key_pem(EVP_PKEY *key, struct buf *out, struct err *err);
/* A request for a server's certificate, appended as PEM. */
MUST_USE int certificate_request(const struct certificate_subject *s, EVP_PKEY *key,
                                 struct buf *out, struct err *err);
/* A certificate signed by itself, valid from a day before now_us (clocks differ) for `days`. */
MUST_USE int certificate_self_signed(const struct certificate_subject *s, EVP_PKEY *key,
                                     int64_t now_us, int days, struct buf *out, struct err *err);

/* ---- what is uploaded ---- */

struct certificate_bundle {
    EVP_PKEY *key;          /* NULL: none came with it */
    STACK_OF(X509) * chain; /* the server's certificate first, once checked */
};
void certificate_bundle_free(struct certificate_bundle *b);

/* PEM of certificates in any order, and perhaps a private key, which may be encrypted with
 * `password` (NULL: none).  Never asks anybody.  0, or negative and *err. */
MUST_USE int certificate_bundle_pem(struct view pem, const char *password,
                                    struct certificate_bundle *ret, struct err *err);
/* A PKCS #12 file (.p12, .pfx). */
MUST_USE int certificate_bundle_pkcs12(struct view der, const char *password,
                                       struct certificate_bundle *ret, struct err *err);
/* Of the two above: whether the encrypted keys of a PEM text can be opened in bearable time; and a
 * PKCS #12 file opened, likewise.  0, or negative and *err. */
MUST_USE int certificate_check_locks(struct view pem, struct err *err);
MUST_USE int certificate_unlock_pkcs12(struct view der, const char *password,
                                       struct certificate_bundle *ret, struct err *err);
/* Put the chain in order, beginning with the certificate of the bundle's key and without the root,
 * and check that it can serve now: dates, use, strength, nothing that does not belong.  0, or
 * -EINVAL and *err. */
MUST_USE int certificate_bundle_check(struct certificate_bundle *b, int64_t now_us,
                                      struct err *err);
/* The first certificate that belongs to `key`, or NULL; valid as long as the bundle is. */
X509 *certificate_bundle_match(const struct certificate_bundle *b, EVP_PKEY *key);
/* Key, certificate and chain, appended as PEM. */
MUST_USE int certificate_bundle_write(const struct certificate_bundle *b, struct buf *out,
                                      struct err *err);

#endif
