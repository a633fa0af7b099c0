/* A certificate's names, by OpenSSL's own comparisons.  Pure. */
#include "net/tls_peer.h"

#include <strings.h>
#include <time.h>

#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "base/ip.h"

/* What a stranger wrote ends up in logs and pages: anything but printable ASCII becomes '?'. */
static void copy_printable(char out[TLS_NAME_MAX], const unsigned char *p, int n)
{
    size_t length = n < 0 ? 0 : MIN((size_t)n, (size_t)TLS_NAME_MAX - 1);
    for (size_t i = 0; i < length; i++)
        out[i] = p[i] >= ' ' && p[i] < 0x7f ? (char)p[i] : '?';
    out[length] = '\0';
}

static bool address_name(const ASN1_OCTET_STRING *octets, char out[TLS_NAME_MAX])
{
    struct ip ip = {0};
    int n = ASN1_STRING_length(octets);
    if (n != 4 && n != 16)
        return false;
    ip.family = n == 4 ? 4 : 6;
    memcpy(ip.bytes, ASN1_STRING_get0_data(octets), (size_t)n);
    char text[IP_TEXT_MAX];
    size_t length = ip_format(&ip, text);
    copy_printable(out, (const unsigned char *)text, (int)length);
    return length > 0;
}

/* The first of a type among the alternative names. */
static bool alternative_name(X509 *x, int type, char out[TLS_NAME_MAX])
{
    GENERAL_NAMES *all = X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
    bool is_found = false;
    for (int i = 0; i < sk_GENERAL_NAME_num(all) && !is_found; i++) {
        const GENERAL_NAME *g = sk_GENERAL_NAME_value(all, i);
        if (g->type != type)
            continue;
        if (type == GEN_IPADD) {
            is_found = address_name(g->d.iPAddress, out);
        } else {
            copy_printable(out, ASN1_STRING_get0_data(g->d.ia5), ASN1_STRING_length(g->d.ia5));
            is_found = out[0] != '\0';
        }
    }
    GENERAL_NAMES_free(all);
    return is_found;
}

static bool common_name(X509 *x, char out[TLS_NAME_MAX])
{
    const X509_NAME *subject = X509_get_subject_name(x);
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0)
        return false;
    const ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    unsigned char *utf8 = NULL;
    int n = ASN1_STRING_to_UTF8(&utf8, value);
    if (n < 0)
        return false;
    copy_printable(out, utf8, n);
    OPENSSL_free(utf8);
    return out[0] != '\0';
}

static void subject_name(X509 *x, char out[TLS_NAME_MAX])
{
    char text[TLS_NAME_MAX] = "";
    X509_NAME_oneline(X509_get_subject_name(x), text, sizeof(text));
    copy_printable(out, (const unsigned char *)text, (int)strlen(text));
}

static int64_t to_us(const ASN1_TIME *t, int64_t unreadable)
{
    struct tm tm;
    if (!t || ASN1_TIME_to_tm(t, &tm) != 1)
        return unreadable;
    return (int64_t)timegm(&tm) * US_PER_SECOND;
}

void tls_peer_of(X509 *x, struct tls_peer *ret)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    memset(ret, 0, sizeof(*ret));
    if (!alternative_name(x, GEN_DNS, ret->name) && !alternative_name(x, GEN_IPADD, ret->name) &&
        !common_name(x, ret->name))
        subject_name(x, ret->name);
    if (X509_digest(x, EVP_sha256(), digest, &n) == 1 && 2 * n < TLS_FINGERPRINT_MAX) {
        for (unsigned i = 0; i < n; i++)
            (void)snprintf(ret->fingerprint + 2 * i, 3, "%02x", digest[i]);
    }
    ret->not_before_us = to_us(X509_get0_notBefore(x), INT64_MIN);
    ret->not_after_us = to_us(X509_get0_notAfter(x), INT64_MAX);
}

bool tls_peer_is(X509 *x, const char *name)
{
    struct ip ip;
    char common[TLS_NAME_MAX], dns[TLS_NAME_MAX];
    if (ip_parse(view_str(name), &ip) == 0)
        return X509_check_ip_asc(x, name, 0) == 1;
    if (name[0] == '*' && name[1] == '.')
        return X509_check_host(x, name + 1, 0, X509_CHECK_FLAG_SINGLE_LABEL_SUBDOMAINS, NULL) == 1;
    if (X509_check_host(x, name, 0, 0, NULL) == 1)
        return true;
    /* a common name that is no host name, as devices have: "Router 7" */
    return !alternative_name(x, GEN_DNS, dns) && common_name(x, common) &&
           strcasecmp(common, name) == 0;
}
