/* What is locked with a password: private keys in PEM, and PKCS #12 files.
 *
 * A file says itself how often its password is to be hashed, and may say two thousand million
 * times: that would hold up the writer thread for an hour.  So it is looked at before anything is
 * derived, and all of a file together has one budget. */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

#include "receiver/certificate.h"

enum {
    ITERATIONS_MAX = 4000000, /* of one file; tools write 2,048 to 1,000,000 a lock, and 3 locks */
    DEPTH_MAX = 4,            /* of bags in bags */
};

/* ---- cost ---- */

struct budget {
    int64_t left;
};

static int spend(struct budget *b, int64_t iterations, struct err *err)
{
    if (iterations < 0 || iterations > b->left)
        return err_set(err, EINVAL, "bad_password",
                       "its password would have to be hashed more than %d times: write it again "
                       "with fewer iterations",
                       ITERATIONS_MAX);
    b->left -= iterations;
    return 0;
}

/* Negative: more than an int64_t. */
static int64_t number_of(const ASN1_INTEGER *a, int64_t absent)
{
    int64_t n = absent;
    return a && ASN1_INTEGER_get_int64(&n, a) != 1 ? -1 : n;
}

/* N × r × p: each costs about what an iteration of PBKDF2 does. */
static int64_t scrypt_cost(const X509_ALGOR *a)
{
    SCRYPT_PARAMS *p = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(SCRYPT_PARAMS), a->parameter);
    int64_t n = -1;
    if (p) {
        int64_t cost = number_of(p->costParameter, -1), block = number_of(p->blockSize, -1),
                lanes = number_of(p->parallelizationParameter, -1);
        bool is_bad = cost < 0 || block < 0 || lanes < 0 ||
                      __builtin_mul_overflow(cost, block, &n) ||
                      __builtin_mul_overflow(n, lanes, &n);
        n = is_bad ? -1 : n;
    }
    SCRYPT_PARAMS_free(p);
    return n;
}

static int64_t pbes2_cost(const X509_ALGOR *a)
{
    PBE2PARAM *pbe = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), a->parameter);
    int64_t n = 0; /* what is not understood is refused by OpenSSL, too */
    if (pbe && OBJ_obj2nid(pbe->keyfunc->algorithm) == NID_id_scrypt) {
        n = scrypt_cost(pbe->keyfunc);
    } else if (pbe && OBJ_obj2nid(pbe->keyfunc->algorithm) == NID_id_pbkdf2) {
        PBKDF2PARAM *k =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), pbe->keyfunc->parameter);
        n = k ? number_of(k->iter, 1) : 0;
        PBKDF2PARAM_free(k);
    }
    PBE2PARAM_free(pbe);
    return n;
}

static int spend_on(struct budget *b, const X509_ALGOR *a, struct err *err)
{
    int64_t n = 0;
    if (!a) /* there is nothing to be derived from */
        return 0;
    if (OBJ_obj2nid(a->algorithm) == NID_pbes2) {
        n = pbes2_cost(a);
    } else {
        PBEPARAM *p = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), a->parameter);
        n = p ? number_of(p->iter, 1) : 0;
        PBEPARAM_free(p);
    }
    ERR_clear_error();
    return spend(b, n, err);
}

int certificate_check_locks(struct view pem, struct err *err)
{
    struct budget budget = {ITERATIONS_MAX};
    BIO *bio = BIO_new_mem_buf(pem.p, (int)pem.n);
    char *name = NULL, *header = NULL;
    unsigned char *data = NULL;
    long n = 0;
    int rc = 0;
    CHECK(bio);
    while (rc == 0 && PEM_read_bio(bio, &name, &header, &data, &n) == 1) {
        const unsigned char *p = data;
        const X509_ALGOR *a = NULL;
        X509_SIG *sig = strcmp(name, PEM_STRING_PKCS8) == 0 ? d2i_X509_SIG(NULL, &p, n) : NULL;
        if (sig) {
            X509_SIG_get0(sig, &a, NULL);
            rc = spend_on(&budget, a, err);
        }
        X509_SIG_free(sig);
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_clear_free(data, (size_t)n);
    }
    BIO_free(bio);
    ERR_clear_error();
    return rc;
}

/* ---- PKCS #12 ---- */

struct opening {
    PKCS12 *file;
    const char *password; /* may be NULL, which is another one than "" */
    struct budget budget;
    struct certificate_bundle *to;
};

static int bad(struct err *err, const char *code, const char *text)
{
    return err_set(err, EINVAL, code, "%s", text);
}

/* Why OpenSSL could not take something out. */
static int locked(struct err *err)
{
    int reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    if (reason == ERR_R_UNSUPPORTED || reason == EVP_R_UNSUPPORTED_ALGORITHM)
        return bad(err, "bad_pkcs12",
                   "the PKCS #12 file is encrypted in an old way (RC2 or DES); write it again "
                   "with AES, or upload PEM");
    return bad(err, "bad_password", "the password does not open the PKCS #12 file");
}

static int check_mac(struct opening *o, const char *password, struct err *err)
{
    const ASN1_INTEGER *iterations = NULL;
    o->password = password ? password : "";
    if (!PKCS12_mac_present(o->file)) /* whether the password fits is seen when it is used */
        return 0;
    PKCS12_get0_mac(NULL, NULL, NULL, &iterations, o->file);
    int64_t n = number_of(iterations, 1);
    int rc = spend(&o->budget, n, err);
    if (rc < 0 || PKCS12_verify_mac(o->file, o->password, -1) == 1)
        return rc;
    if (*o->password)
        return locked(err);
    o->password = NULL; /* some tools mean that by no password */
    rc = spend(&o->budget, n, err);
    return rc < 0 || PKCS12_verify_mac(o->file, NULL, 0) == 1 ? rc : locked(err);
}

static int take_key(struct opening *o, const PKCS12_SAFEBAG *bag, bool is_locked, struct err *err)
{
    PKCS8_PRIV_KEY_INFO *unlocked = NULL;
    if (o->to->key)
        return 0;
    if (is_locked) {
        const X509_ALGOR *a = NULL;
        const X509_SIG *sig = PKCS12_SAFEBAG_get0_pkcs8(bag);
        if (sig)
            X509_SIG_get0(sig, &a, NULL);
        int rc = spend_on(&o->budget, a, err);
        if (rc < 0)
            return rc;
        unlocked = PKCS12_decrypt_skey(bag, o->password, -1);
        if (!unlocked)
            return locked(err);
    }
    o->to->key = EVP_PKCS82PKEY(is_locked ? unlocked : PKCS12_SAFEBAG_get0_p8inf(bag));
    PKCS8_PRIV_KEY_INFO_free(unlocked);
    ERR_clear_error();
    return o->to->key ? 0 : bad(err, "bad_key", "the private key in the PKCS #12 file is damaged");
}

static int take_certificate(struct opening *o, const PKCS12_SAFEBAG *bag, struct err *err)
{
    if (PKCS12_SAFEBAG_get_bag_nid(bag) != NID_x509Certificate)
        return 0;
    X509 *x = PKCS12_SAFEBAG_get1_cert(bag);
    ERR_clear_error();
    if (!x)
        return bad(err, "bad_certificate", "a certificate in the PKCS #12 file is damaged");
    CHECK(sk_X509_push(o->to->chain, x) > 0);
    if (sk_X509_num(o->to->chain) > TLS_CHAIN_MAX + 1)
        return err_set(err, E2BIG, "bad_pkcs12", "more than %d certificates came at once",
                       TLS_CHAIN_MAX + 1);
    return 0;
}

static int take_bags(struct opening *o, const STACK_OF(PKCS12_SAFEBAG) * bags, int depth,
                     struct err *err)
{
    int rc = 0;
    if (depth > DEPTH_MAX)
        return bad(err, "bad_pkcs12", "the PKCS #12 file has bags in bags in bags");
    for (int i = 0; rc == 0 && i < sk_PKCS12_SAFEBAG_num(bags); i++) {
        const PKCS12_SAFEBAG *bag = sk_PKCS12_SAFEBAG_value(bags, i);
        int kind = PKCS12_SAFEBAG_get_nid(bag);
        if (kind == NID_keyBag || kind == NID_pkcs8ShroudedKeyBag)
            rc = take_key(o, bag, kind == NID_pkcs8ShroudedKeyBag, err);
        else if (kind == NID_certBag)
            rc = take_certificate(o, bag, err);
        else if (kind == NID_safeContentsBag)
            rc = take_bags(o, PKCS12_SAFEBAG_get0_safes(bag), depth + 1, err);
    }
    return rc;
}

static int take_safe(struct opening *o, PKCS7 *safe, struct err *err)
{
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    if (PKCS7_type_is_data(safe)) {
        bags = PKCS12_unpack_p7data(safe);
        if (!bags)
            return bad(err, "bad_pkcs12", "the PKCS #12 file is damaged");
    } else if (PKCS7_type_is_encrypted(safe)) {
        const PKCS7_ENCRYPT *e = safe->d.encrypted;
        int rc = spend_on(&o->budget, e && e->enc_data ? e->enc_data->algorithm : NULL, err);
        if (rc < 0)
            return rc;
        bags = PKCS12_unpack_p7encdata(safe, o->password, -1);
        if (!bags)
            return locked(err);
    }
    int rc = take_bags(o, bags, 0, err);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return rc;
}

static int take_all(struct opening *o, struct err *err)
{
    STACK_OF(PKCS7) *safes = PKCS12_unpack_authsafes(o->file);
    int rc = 0;
    if (!safes)
        return bad(err, "bad_pkcs12", "the PKCS #12 file is damaged");
    for (int i = 0; rc == 0 && i < sk_PKCS7_num(safes); i++)
        rc = take_safe(o, sk_PKCS7_value(safes, i), err);
    sk_PKCS7_pop_free(safes, PKCS7_free);
    return rc;
}

int certificate_unlock_pkcs12(struct view der, const char *password, struct certificate_bundle *ret,
                              struct err *err)
{
    struct certificate_bundle b = {.chain = sk_X509_new_null()};
    CHECK(b.chain);
    ERR_clear_error();
    const unsigned char *p = (const unsigned char *)der.p;
    struct opening o = {
        .file = d2i_PKCS12(NULL, &p, (long)der.n), .budget = {ITERATIONS_MAX}, .to = &b};
    int rc = o.file ? check_mac(&o, password, err)
                    : bad(err, "bad_pkcs12", "this is not a PKCS #12 file");
    if (rc == 0)
        rc = take_all(&o, err);
    PKCS12_free(o.file);
    ERR_clear_error();
    if (rc < 0) {
        certificate_bundle_free(&b);
        return rc;
    }
    *ret = b;
    return 0;
}
