/* Private keys, requests for certificates, and certificates that are signed by themselves. */
#include <ctype.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "base/ip.h"
#include "base/utf8.h"
#include "receiver/certificate.h"

enum { COMMON_NAME_LETTERS = 64, LABEL_BYTES = 63, SERIAL_BYTES = 16 };

static int openssl_error(struct err *err, const char *what)
{
    return err_set(err, EIO, "openssl", "%s: %s", what, certificate_openssl_reason());
}

/* ---- names ---- */

static bool is_address(const char *name, struct ip *ret)
{
    return ip_parse(view_str(name), ret) == 0;
}

/* Labels of letters, digits, '-' and '_', the first of which may be "*". */
static bool is_dns_name(const char *name)
{
    size_t n = strlen(name), label = 0;
    if (n == 0 || n > TLS_NAME_MAX_BYTES)
        return false;
    if (strncmp(name, "*.", 2) == 0)
        name += 2;
    for (const char *p = name; *p; p++) {
        bool is_edge = label == 0 || p[1] == '.' || p[1] == '\0';
        if (*p == '.') {
            if (label == 0)
                return false;
            label = 0;
        } else if (++label > LABEL_BYTES ||
                   !(isalnum((unsigned char)*p) || *p == '_' || (*p == '-' && !is_edge))) {
            return false;
        }
    }
    return label > 0;
}

bool certificate_is_name(const char *name)
{
    struct ip ip;
    return is_address(name, &ip) || is_dns_name(name);
}

static int bad(struct err *err, const char *field, const char *what, const char *value)
{
    return err_set_field(err, EINVAL, "bad_value", field, "%s, not '%.80s'", what, value);
}

/* A line of text of at most 64 letters (RFC 5280, ub-common-name and ub-organization-name). */
static bool is_line(const char *text)
{
    size_t letters = 0;
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
        letters += ((unsigned char)*p & 0xc0) != 0x80;
    }
    return letters <= COMMON_NAME_LETTERS && utf8_is_clean(view_str(text));
}

int certificate_subject_check(const struct certificate_subject *s, struct err *err)
{
    if (!s->common_name[0] || !is_line(s->common_name))
        return bad(err, "common_name", "the common name is a line of 1 to 64 letters",
                   s->common_name);
    if (!is_line(s->organization))
        return bad(err, "organization", "the organization is a line of at most 64 letters",
                   s->organization);
    if (s->country[0] && !(isupper((unsigned char)s->country[0]) &&
                           isupper((unsigned char)s->country[1]) && !s->country[2]))
        return bad(err, "country", "the country is a code of two capital letters, as JP",
                   s->country);
    if (s->names_n > TLS_NAMES_MAX)
        return err_set_field(err, EINVAL, "bad_value", "names",
                             "%zu names are more than the limit of %d", s->names_n, TLS_NAMES_MAX);
    for (size_t i = 0; i < s->names_n; i++)
        if (!certificate_is_name(s->names[i]))
            return bad(err, "names", "a name is a DNS name or an IP address", s->names[i]);
    return 0;
}

static GENERAL_NAME *general_name(const char *name)
{
    struct ip ip;
    GENERAL_NAME *g = GENERAL_NAME_new();
    CHECK(g);
    if (is_address(name, &ip)) {
        ASN1_OCTET_STRING *bytes = ASN1_OCTET_STRING_new();
        CHECK(bytes && ASN1_OCTET_STRING_set(bytes, ip.bytes, ip.family == 4 ? 4 : 16) == 1);
        GENERAL_NAME_set0_value(g, GEN_IPADD, bytes);
    } else {
        ASN1_IA5STRING *text = ASN1_IA5STRING_new();
        CHECK(text && ASN1_STRING_set(text, name, -1) == 1);
        GENERAL_NAME_set0_value(g, GEN_DNS, text);
    }
    return g;
}

static bool has_name(const struct certificate_subject *s, const char *name)
{
    for (size_t i = 0; i < s->names_n; i++)
        if (strcasecmp(s->names[i], name) == 0)
            return true;
    return false;
}

/* NULL: there is none, which only a common name that is no name can bring about. */
static X509_EXTENSION *names_extension(const struct certificate_subject *s)
{
    GENERAL_NAMES *all = GENERAL_NAMES_new();
    X509_EXTENSION *x = NULL;
    CHECK(all);
    if (certificate_is_name(s->common_name) && !has_name(s, s->common_name))
        CHECK(sk_GENERAL_NAME_push(all, general_name(s->common_name)) > 0);
    for (size_t i = 0; i < s->names_n; i++)
        CHECK(sk_GENERAL_NAME_push(all, general_name(s->names[i])) > 0);
    if (sk_GENERAL_NAME_num(all) > 0)
        x = X509V3_EXT_i2d(NID_subject_alt_name, 0, all);
    GENERAL_NAMES_free(all);
    return x;
}

static int set_subject(X509_NAME *name, const struct certificate_subject *s)
{
    const struct {
        const char *type, *value;
    } parts[] = {{"C", s->country}, {"O", s->organization}, {"CN", s->common_name}};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].value[0] &&
            X509_NAME_add_entry_by_txt(name, parts[i].type, MBSTRING_UTF8,
                                       (const unsigned char *)parts[i].value, -1, -1, 0) != 1)
            return -EINVAL;
    return 0;
}

/* ---- keys ---- */

static const char *const key_names[] = {
    [CERTIFICATE_EC_P256] = "ec-p256",
    [CERTIFICATE_RSA_3072] = "rsa-3072",
};

int certificate_key_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(key_names); i++)
        if (strcmp(name, key_names[i]) == 0)
            return (int)i;
    return -1;
}

int certificate_key_new(enum certificate_key kind, EVP_PKEY **ret, struct err *err)
{
    EVP_PKEY *key = kind == CERTIFICATE_RSA_3072 ? EVP_RSA_gen(3072) : EVP_EC_gen("P-256");
    if (!key)
        return openssl_error(err, "cannot make a private key");
    *ret = key;
    return 0;
}

static int take_text(BIO *b, bool is_written, struct buf *out, const char *what, struct err *err)
{
    char *text;
    int rc = is_written ? 0 : openssl_error(err, what);
    if (rc == 0) {
        long n = BIO_get_mem_data(b, &text);
        if (buf_add(out, text, (size_t)n) < 0)
            rc = err_set(err, ENOSPC, "too_large", "%s: it exceeds %zu bytes", what, out->max);
    }
    BIO_free(b);
    return rc;
}

int certificate_key_pem(EVP_PKEY *key, struct buf *out, struct err *err)
{
    BIO *b = BIO_new(BIO_s_secmem());
    CHECK(b);
    bool is_written = PEM_write_bio_PKCS8PrivateKey(b, key, NULL, NULL, 0, NULL, NULL) == 1;
    return take_text(b, is_written, out, "cannot write the private key", err);
}

/* ---- requests ---- */

static void push_extension(STACK_OF(X509_EXTENSION) * list, X509_EXTENSION *x)
{
    if (x)
        CHECK(sk_X509_EXTENSION_push(list, x) > 0);
}

/* What both a request and a certificate of ours say. */
static STACK_OF(X509_EXTENSION) * extensions(const struct certificate_subject *s, EVP_PKEY *key)
{
    STACK_OF(X509_EXTENSION) *list = sk_X509_EXTENSION_new_null();
    CHECK(list);
    /* without forward secrecy RSA also encrypts keys; we never do that, but some CAs ask for it */
    const char *usage = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
                            ? "critical,digitalSignature,keyEncipherment"
                            : "critical,digitalSignature";
    push_extension(list, names_extension(s));
    push_extension(list, X509V3_EXT_conf_nid(NULL, NULL, NID_key_usage, usage));
    push_extension(list, X509V3_EXT_conf_nid(NULL, NULL, NID_ext_key_usage, "serverAuth"));
    return list;
}

static void free_extensions(STACK_OF(X509_EXTENSION) * list)
{
    sk_X509_EXTENSION_pop_free(list, X509_EXTENSION_free);
}

int certificate_request(const struct certificate_subject *s, EVP_PKEY *key, struct buf *out,
                        struct err *err)
{
    int rc = certificate_subject_check(s, err);
    if (rc < 0)
        return rc;
    X509_REQ *r = X509_REQ_new();
    CHECK(r);
    STACK_OF(X509_EXTENSION) *list = extensions(s, key);
    if (set_subject(X509_REQ_get_subject_name(r), s) < 0 || X509_REQ_set_pubkey(r, key) != 1 ||
        X509_REQ_add_extensions(r, list) != 1 || X509_REQ_sign(r, key, EVP_sha256()) <= 0) {
        rc = openssl_error(err, "cannot make the certificate request");
    } else {
        BIO *b = BIO_new(BIO_s_mem());
        CHECK(b);
        bool is_written = PEM_write_bio_X509_REQ(b, r) == 1;
        rc = take_text(b, is_written, out, "cannot write the certificate request", err);
    }
    free_extensions(list);
    X509_REQ_free(r);
    return rc;
}

/* ---- certificates ---- */

static bool set_serial(X509 *x)
{
    unsigned char bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return false;
    bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40); /* positive, and of full length */
    BIGNUM *n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    bool is_set = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x));
    BN_free(n);
    return is_set;
}

static bool fill(X509 *x, const struct certificate_subject *s, EVP_PKEY *key, int64_t now_us,
                 int days)
{
    time_t now = (time_t)(now_us / US_PER_SECOND);
    return X509_set_version(x, X509_VERSION_3) == 1 && set_serial(x) &&
           set_subject(X509_get_subject_name(x), s) == 0 &&
           X509_set_issuer_name(x, X509_get_subject_name(x)) == 1 &&
           X509_time_adj_ex(X509_getm_notBefore(x), -1, 0, &now) &&
           X509_time_adj_ex(X509_getm_notAfter(x), days, 0, &now) && X509_set_pubkey(x, key) == 1;
}

static bool add_extensions(X509 *x, const struct certificate_subject *s, EVP_PKEY *key)
{
    STACK_OF(X509_EXTENSION) *list = extensions(s, key);
    bool is_added = true;
    /* a sender may take it as its authority, but nothing else can be signed with it */
    push_extension(list,
                   X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints, "critical,CA:FALSE"));
    for (int i = 0; i < sk_X509_EXTENSION_num(list); i++)
        is_added = is_added && X509_add_ext(x, sk_X509_EXTENSION_value(list, i), -1) == 1;
    free_extensions(list);
    return is_added;
}

int certificate_self_signed(const struct certificate_subject *s, EVP_PKEY *key, int64_t now_us,
                            int days, struct buf *out, struct err *err)
{
    int rc = certificate_subject_check(s, err);
    if (rc < 0)
        return rc;
    X509 *x = X509_new();
    CHECK(x);
    if (!fill(x, s, key, now_us, days) || !add_extensions(x, s, key) ||
        X509_sign(x, key, EVP_sha256()) <= 0)
        rc = openssl_error(err, "cannot make a certificate");
    else if (certificate_pem(x, out) < 0)
        rc = err_set(err, ENOSPC, "too_large", "the certificate exceeds %zu bytes", out->max);
    X509_free(x);
    return rc;
}
