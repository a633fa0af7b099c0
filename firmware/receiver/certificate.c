/* What a certificate says of itself. */
#include "receiver/certificate.h"

#include <ctype.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "base/clock.h"
#include "base/ip.h"

const char *certificate_openssl_reason(void)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return reason ? reason : "no reason given";
}

static void name_text(const X509_NAME *name, char out[CERTIFICATE_TEXT_MAX])
{
    BIO *b = BIO_new(BIO_s_mem());
    out[0] = '\0';
    if (!b)
        return;
    unsigned long flags = XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
    if (X509_NAME_print_ex(b, name, 0, flags) >= 0) {
        int n = BIO_read(b, out, CERTIFICATE_TEXT_MAX - 1);
        n = MAX(n, 0);
        /* no letter is cut in two */
        if (n == CERTIFICATE_TEXT_MAX - 1)
            while (n > 0 && ((unsigned char)out[n - 1] & 0x80) != 0)
                n--;
        out[n] = '\0';
    }
    BIO_free(b);
}

static int time_us(const ASN1_TIME *t, int64_t *ret)
{
    struct tm tm;
    if (!t || ASN1_TIME_to_tm(t, &tm) != 1)
        return -EINVAL;
    *ret = (int64_t)timegm(&tm) * US_PER_SECOND;
    return 0;
}

void certificate_key_name(EVP_PKEY *key, char out[32])
{
    static const struct {
        const char *openssl, *ours;
    } curves[] = {{"prime256v1", "ec-p256"}, {"secp384r1", "ec-p384"}, {"secp521r1", "ec-p521"}};
    char group[64] = "";
    const char *type = key ? EVP_PKEY_get0_type_name(key) : NULL;
    snprintf(out, 32, "%s", type ? type : "unknown");
    if (key && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA)
        snprintf(out, 32, "rsa-%d", EVP_PKEY_get_bits(key));
    else if (key && EVP_PKEY_get_group_name(key, group, sizeof(group), NULL) == 1)
        snprintf(out, 32, "ec-%.28s", group);
    for (size_t i = 0; i < ARRAY_LEN(curves); i++)
        if (strcmp(group, curves[i].openssl) == 0)
            snprintf(out, 32, "%s", curves[i].ours);
    for (char *p = out; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    ERR_clear_error();
}

static void add_name(const GENERAL_NAME *g, struct buf *out)
{
    if (g->type == GEN_DNS) {
        const unsigned char *p = ASN1_STRING_get0_data(g->d.dNSName);
        int n = ASN1_STRING_length(g->d.dNSName);
        if (n > TLS_NAME_MAX_BYTES)
            return;
        for (int i = 0; i < n; i++) /* printable, whatever it holds */
            if (p[i] <= ' ' || p[i] > '~')
                return;
        (void)buf_printf(out, "%.*s\n", n, (const char *)p);
    } else if (g->type == GEN_IPADD) {
        int n = ASN1_STRING_length(g->d.iPAddress);
        struct ip ip = {.family = n == 4 ? 4 : 6};
        char text[IP_TEXT_MAX];
        if (n != 4 && n != 16)
            return;
        memcpy(ip.bytes, ASN1_STRING_get0_data(g->d.iPAddress), (size_t)n);
        (void)ip_format(&ip, text);
        (void)buf_printf(out, "%s\n", text);
    }
}

/* Frees `all`, which may be NULL. */
static void add_names(GENERAL_NAMES *all, struct buf *out)
{
    for (int i = 0; all && i < sk_GENERAL_NAME_num(all); i++)
        add_name(sk_GENERAL_NAME_value(all, i), out);
    GENERAL_NAMES_free(all);
}

int certificate_facts(X509 *x, struct certificate_facts *ret, struct err *err)
{
    struct certificate_facts f = {.names = BUF_INIT(CERTIFICATE_NAMES_MAX_BYTES)};
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    name_text(X509_get_subject_name(x), f.subject);
    name_text(X509_get_issuer_name(x), f.issuer);
    if (time_us(X509_get0_notBefore(x), &f.not_before_us) < 0 ||
        time_us(X509_get0_notAfter(x), &f.not_after_us) < 0)
        return err_set(err, EINVAL, "bad_certificate", "the dates of the certificate %s are wrong",
                       f.subject);
    CHECK(X509_digest(x, EVP_sha256(), hash, &n) == 1 && n == 32);
    for (unsigned i = 0; i < n; i++)
        snprintf(f.fingerprint + (size_t)2 * i, 3, "%02x", hash[i]);
    certificate_key_name(X509_get0_pubkey(x), f.key);
    f.is_self_signed = X509_self_signed(x, 0) == 1;
    f.is_authority = X509_check_ca(x) > 0;
    add_names(X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL), &f.names);
    ERR_clear_error();
    *ret = f;
    return 0;
}

int certificate_request_facts(struct view text, struct certificate_facts *ret, struct buf *pem,
                              struct err *err)
{
    struct certificate_facts f = {.names = BUF_INIT(CERTIFICATE_NAMES_MAX_BYTES)};
    BIO *in = BIO_new_mem_buf(text.n ? text.p : "", (int)text.n), *out = BIO_new(BIO_s_mem());
    CHECK(in && out);
    X509_REQ *r = PEM_read_bio_X509_REQ(in, NULL, NULL, NULL);
    BIO_free(in);
    int rc = 0;
    if (!r) {
        rc = err_set(err, EINVAL, "bad_request", "the certificate request is damaged: %s",
                     certificate_openssl_reason());
    } else {
        char *p;
        STACK_OF(X509_EXTENSION) *all = X509_REQ_get_extensions(r);
        name_text(X509_REQ_get_subject_name(r), f.subject);
        certificate_key_name(X509_REQ_get0_pubkey(r), f.key);
        add_names(X509V3_get_d2i(all, NID_subject_alt_name, NULL, NULL), &f.names);
        sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
        CHECK(PEM_write_bio_X509_REQ(out, r) == 1);
        long n = BIO_get_mem_data(out, &p);
        if (buf_add(pem, p, (size_t)n) < 0)
            rc = err_set(err, ENOSPC, "too_large", "the certificate request exceeds %zu bytes",
                         pem->max);
    }
    X509_REQ_free(r);
    BIO_free(out);
    ERR_clear_error();
    if (rc < 0)
        buf_free(&f.names);
    else
        *ret = f;
    return rc;
}

void certificate_facts_free(struct certificate_facts *f)
{
    buf_free(&f->names);
}

static int too_many(int most, struct err *err)
{
    return err_set(err, E2BIG, "bad_certificate",
                   "more than %d certificates came at once, which is the limit", most);
}

/* Never asks at the terminal for a password. */
static int no_password(char *out, int size, int is_writing, void *context)
{
    (void)out;
    (void)size;
    (void)is_writing;
    (void)context;
    return -1;
}

int certificate_parse_all(struct view pem, int most, STACK_OF(X509) * ret, struct err *err)
{
    int n = 0, rc = 0;
    if (!pem.n)
        return 0;
    BIO *b = BIO_new_mem_buf(pem.p, (int)MIN(pem.n, (size_t)INT32_MAX));
    CHECK(b);
    for (;;) {
        X509 *x = PEM_read_bio_X509(b, NULL, no_password, NULL);
        if (!x)
            break;
        if (n == most || sk_X509_push(ret, x) <= 0) {
            X509_free(x);
            rc = too_many(most, err);
            break;
        }
        n++;
    }
    BIO_free(b);
    /* "no start line" is how the end is told */
    if (rc == 0 && ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        rc = err_set(err, EINVAL, "bad_certificate", "certificate %d is damaged: %s", n + 1,
                     certificate_openssl_reason());
    ERR_clear_error();
    return rc < 0 ? rc : n;
}

int certificate_pem(X509 *x, struct buf *out)
{
    BIO *b = BIO_new(BIO_s_mem());
    char *text;
    CHECK(b && PEM_write_bio_X509(b, x) == 1);
    long n = BIO_get_mem_data(b, &text);
    int rc = buf_add(out, text, (size_t)n);
    BIO_free(b);
    return rc;
}
