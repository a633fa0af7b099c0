/* Keys, requests, certificates made here, and uploads of every kind, good and bad. */
#include <criterion/criterion.h>

#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "receiver/certificate.h"

#define NOW_US (INT64_C(1796000000) * US_PER_SECOND) /* 2026-11-30 */

static EVP_PKEY *new_key(void)
{
    EVP_PKEY *key = NULL;
    cr_assert_eq(certificate_key_new(CERTIFICATE_EC_P256, &key, NULL), 0);
    return key;
}

enum issue_flags { IS_CA = 1, FOR_CLIENTS = 2, BY_SHA1 = 4 };

static void extend(X509 *x, int nid, const char *value)
{
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    cr_assert(e && X509_add_ext(x, e, -1) == 1);
    X509_EXTENSION_free(e);
}

/* A certificate for `key`, by an authority (NULL: by itself), valid from … to … days from NOW_US.
 */
static X509 *issue(const char *name, EVP_PKEY *key, X509 *ca, EVP_PKEY *ca_key, int from, int to,
                   int flags)
{
    X509 *x = X509_new();
    time_t now = (time_t)(NOW_US / US_PER_SECOND);
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1000 + rand() % 100000);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8,
                               (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(ca ? ca : x));
    X509_time_adj_ex(X509_getm_notBefore(x), from, 0, &now);
    X509_time_adj_ex(X509_getm_notAfter(x), to, 0, &now);
    X509_set_pubkey(x, key);
    extend(x, NID_basic_constraints, flags & IS_CA ? "critical,CA:TRUE" : "CA:FALSE");
    if (!(flags & IS_CA))
        extend(x, NID_ext_key_usage, flags & FOR_CLIENTS ? "clientAuth" : "serverAuth");
    cr_assert_gt(X509_sign(x, ca_key ? ca_key : key, flags & BY_SHA1 ? EVP_sha1() : EVP_sha256()),
                 0);
    return x;
}

/* A root, an authority below it, and a server's certificate below that. */
static struct {
    EVP_PKEY *root_key, *middle_key, *key, *other_key;
    X509 *root, *middle, *leaf, *foreign;
} pki;

static void make_pki(void)
{
    pki.root_key = new_key();
    pki.middle_key = new_key();
    pki.key = new_key();
    pki.other_key = new_key();
    pki.root = issue("Root", pki.root_key, NULL, NULL, -10, 900, IS_CA);
    pki.middle = issue("Middle", pki.middle_key, pki.root, pki.root_key, -10, 900, IS_CA);
    pki.leaf = issue("log.example.net", pki.key, pki.middle, pki.middle_key, -1, 90, 0);
    pki.foreign = issue("Foreign", pki.other_key, NULL, NULL, -10, 900, IS_CA);
}

static void free_pki(void)
{
    EVP_PKEY_free(pki.root_key);
    EVP_PKEY_free(pki.middle_key);
    EVP_PKEY_free(pki.key);
    EVP_PKEY_free(pki.other_key);
    X509_free(pki.root);
    X509_free(pki.middle);
    X509_free(pki.leaf);
    X509_free(pki.foreign);
}

TestSuite(certificate, .init = make_pki, .fini = free_pki);

static void add_key(struct buf *out, EVP_PKEY *key)
{
    cr_assert_eq(certificate_key_pem(key, out, NULL), 0);
}

static void add(struct buf *out, X509 *x)
{
    cr_assert_eq(certificate_pem(x, out), 0);
}

static int check_pem(const struct buf *pem, int64_t now_us, struct certificate_bundle *ret,
                     struct err *err)
{
    int rc = certificate_bundle_pem(buf_view(pem), NULL, ret, err);
    return rc < 0 ? rc : certificate_bundle_check(ret, now_us, err);
}

Test(certificate, a_chain_in_any_order_is_put_in_order_and_its_root_left_out)
{
    X509 *all[3] = {pki.root, pki.middle, pki.leaf};
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
        struct certificate_bundle b = {0};
        struct err err = {0};
        add(&pem, all[orders[i][0]]);
        add_key(&pem, pki.key);
        add(&pem, all[orders[i][1]]);
        add(&pem, all[orders[i][2]]);
        add(&pem, pki.leaf); /* and once more, as some tools do */
        cr_assert_eq(check_pem(&pem, NOW_US, &b, &err), 0, "order %zu: %s", i, err.message);
        cr_assert_eq(sk_X509_num(b.chain), 2, "order %zu", i);
        cr_expect_eq(X509_cmp(sk_X509_value(b.chain, 0), pki.leaf), 0, "order %zu", i);
        cr_expect_eq(X509_cmp(sk_X509_value(b.chain, 1), pki.middle), 0, "order %zu", i);
        certificate_bundle_free(&b);
        buf_free(&pem);
    }
}

Test(certificate, what_was_written_is_read_again)
{
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES), again = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct certificate_bundle b = {0}, c = {0};
    struct err err = {0};
    add(&pem, pki.middle);
    add(&pem, pki.leaf);
    add_key(&pem, pki.key);
    cr_assert_eq(check_pem(&pem, NOW_US, &b, &err), 0, "%s", err.message);
    cr_assert_eq(certificate_bundle_write(&b, &again, &err), 0);
    cr_assert_eq(check_pem(&again, NOW_US, &c, &err), 0, "%s", err.message);
    cr_expect_eq(EVP_PKEY_eq(c.key, pki.key), 1);
    cr_expect_eq(sk_X509_num(c.chain), 2);
    certificate_bundle_free(&b);
    certificate_bundle_free(&c);
    buf_free(&pem);
    buf_free(&again);
}

Test(certificate, what_would_make_senders_turn_away_is_refused_with_its_reason)
{
    EVP_PKEY *weak = EVP_RSA_gen(1024);
    X509 *weak_leaf = issue("weak", weak, NULL, NULL, -1, 90, 0);
    X509 *clients = issue("clients", pki.key, pki.middle, pki.middle_key, -1, 90, FOR_CLIENTS);
    X509 *sha1 = issue("old", pki.key, pki.middle, pki.middle_key, -1, 90, BY_SHA1);
    X509 *short_ca = issue("Short", pki.other_key, pki.root, pki.root_key, -10, -5, IS_CA);
    X509 *below = issue("below", pki.key, short_ca, pki.other_key, -1, 90, 0);
    X509 *no_ca = issue("NoCA", pki.other_key, pki.root, pki.root_key, -10, 90, 0);
    X509 *by_no_ca = issue("by no ca", pki.key, no_ca, pki.other_key, -1, 90, 0);
    const struct {
        const char *name;
        EVP_PKEY *key;
        X509 *first, *second;
        int days_on;
        const char *says;
    } cases[] = {
        {"expired", pki.key, pki.leaf, pki.middle, 91, "has expired on 2027-02-28"},
        {"not yet valid", pki.key, pki.leaf, pki.middle, -2, "is not valid before"},
        {"another key", pki.other_key, pki.leaf, pki.middle, 0, "belongs to none of the 2"},
        {"no key", NULL, pki.leaf, pki.middle, 0, "there is no private key"},
        {"no certificate", pki.key, NULL, NULL, 0, "there is no certificate"},
        {"a stranger in it", pki.key, pki.leaf, pki.foreign, 0, "CN=Foreign does not belong"},
        {"for clients", pki.key, clients, pki.middle, 0, "may not be used by a server"},
        {"weak key", weak, weak_leaf, NULL, 0, "is too weak"},
        {"SHA-1", pki.key, sha1, pki.middle, 0, "SHA-1"},
        {"expired authority", pki.key, below, short_ca, 0, "CN=Short has expired"},
        {"authority that is none", pki.key, by_no_ca, no_ca, 0, "may not sign others"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
        struct certificate_bundle b = {0};
        struct err err = {0};
        if (cases[i].key)
            add_key(&pem, cases[i].key);
        if (cases[i].first)
            add(&pem, cases[i].first);
        if (cases[i].second)
            add(&pem, cases[i].second);
        int64_t now = NOW_US + (int64_t)cases[i].days_on * US_PER_DAY;
        cr_expect_lt(check_pem(&pem, now, &b, &err), 0, "%s", cases[i].name);
        cr_expect_not_null(strstr(err.message, cases[i].says), "%s: %s", cases[i].name,
                           err.message);
        certificate_bundle_free(&b);
        buf_free(&pem);
    }
    X509 *made[] = {weak_leaf, clients, sha1, short_ca, below, no_ca, by_no_ca};
    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        X509_free(made[i]);
    EVP_PKEY_free(weak);
}

Test(certificate, damaged_or_too_large_text_is_refused_and_every_prefix_of_a_good_one_is_survived)
{
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct certificate_bundle b = {0};
    struct err err = {0};
    add_key(&pem, pki.key);
    add(&pem, pki.leaf);
    for (size_t n = 0; n < pem.n; n++)
        if (certificate_bundle_pem(view_of(pem.p, n), NULL, &b, &err) == 0)
            certificate_bundle_free(&b);
    char *middle = strstr(buf_str(&pem), "BEGIN CERTIFICATE") + 100;
    memcpy(middle, "!!!!", 4);
    cr_expect_lt(certificate_bundle_pem(buf_view(&pem), NULL, &b, &err), 0);
    cr_expect_not_null(strstr(err.message, "certificate 1 is damaged"), "%s", err.message);
    buf_clear(&pem);
    for (int i = 0; i < TLS_CHAIN_MAX + 2; i++)
        add(&pem, pki.leaf);
    cr_expect_eq(certificate_bundle_pem(buf_view(&pem), NULL, &b, &err), -E2BIG);
    static char large[TLS_PEM_MAX_BYTES + 1];
    cr_expect_eq(certificate_bundle_pem(view_of(large, sizeof(large)), NULL, &b, &err), -E2BIG);
    buf_free(&pem);
}

Test(certificate, an_encrypted_key_needs_its_password)
{
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    BIO *out = BIO_new(BIO_s_mem());
    char *text;
    cr_assert_eq(
        PEM_write_bio_PKCS8PrivateKey(out, pki.key, EVP_aes_256_cbc(), "secret", 6, NULL, NULL), 1);
    long n = BIO_get_mem_data(out, &text);
    cr_assert_eq(buf_add(&pem, text, (size_t)n), 0);
    add(&pem, pki.leaf);
    static const struct {
        const char *password, *says;
    } cases[] = {{NULL, "its password is needed"},
                 {"wrong", "does not open"},
                 {"", "does not open"},
                 {"secret", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct certificate_bundle b = {0};
        struct err err = {0};
        int rc = certificate_bundle_pem(buf_view(&pem), cases[i].password, &b, &err);
        if (cases[i].says)
            cr_expect(rc < 0 && strstr(err.message, cases[i].says), "case %zu: %s", i, err.message);
        else
            cr_expect(rc == 0 && EVP_PKEY_eq(b.key, pki.key) == 1, "%s", err.message);
        certificate_bundle_free(&b);
    }
    BIO_free(out);
    buf_free(&pem);
}

Test(certificate, a_pkcs12_file_is_opened_with_its_password)
{
    STACK_OF(X509) *others = sk_X509_new_null();
    sk_X509_push(others, pki.root);
    sk_X509_push(others, pki.middle);
    PKCS12 *p12 = PKCS12_create("secret", "log", pki.key, pki.leaf, others, 0, 0, 0, 0, 0);
    unsigned char *der = NULL;
    int n = i2d_PKCS12(p12, &der);
    struct view file = view_of((char *)der, (size_t)n);
    struct certificate_bundle b = {0};
    struct err err = {0};
    cr_assert_eq(certificate_bundle_pkcs12(file, "secret", &b, &err), 0, "%s", err.message);
    cr_assert_eq(certificate_bundle_check(&b, NOW_US, &err), 0, "%s", err.message);
    cr_expect_eq(sk_X509_num(b.chain), 2);
    certificate_bundle_free(&b);
    cr_expect_lt(certificate_bundle_pkcs12(file, "wrong", &b, &err), 0);
    cr_expect_str_eq(err.code, "bad_password");
    cr_expect_lt(certificate_bundle_pkcs12(file, NULL, &b, &err), 0);
    for (size_t at = 0; at < file.n; at += 7)
        if (certificate_bundle_pkcs12(view_of(file.p, at), "secret", &b, &err) == 0)
            certificate_bundle_free(&b);
    cr_expect_lt(certificate_bundle_pkcs12(VIEW("hello"), "secret", &b, &err), 0);
    cr_expect_str_eq(err.message, "this is not a PKCS #12 file");
    OPENSSL_free(der);
    PKCS12_free(p12);
    sk_X509_free(others);
}

static struct certificate_subject subject(void)
{
    return (struct certificate_subject){
        .common_name = "log.example.net",
        .organization = "例の会社",
        .country = "JP",
        .names = {"log.example.net", "192.0.2.7", "2001:db8::7", "*.logs.example.net"},
        .names_n = 4,
    };
}

Test(certificate, a_request_holds_its_names_and_is_signed_by_its_key)
{
    struct certificate_subject s = subject();
    for (int kind = 0; kind < 2; kind++) {
        EVP_PKEY *key = NULL;
        struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
        struct err err = {0};
        cr_assert_eq(certificate_key_new((enum certificate_key)kind, &key, &err), 0);
        cr_assert_eq(certificate_request(&s, key, &pem, &err), 0, "%s", err.message);
        BIO *in = BIO_new_mem_buf(pem.p, (int)pem.n);
        X509_REQ *r = PEM_read_bio_X509_REQ(in, NULL, NULL, NULL);
        cr_assert(r && X509_REQ_verify(r, key) == 1);
        STACK_OF(X509_EXTENSION) *all = X509_REQ_get_extensions(r);
        GENERAL_NAMES *names = X509V3_get_d2i(all, NID_subject_alt_name, NULL, NULL);
        cr_expect_eq(sk_GENERAL_NAME_num(names), 4, "the common name is there once");
        EXTENDED_KEY_USAGE *usage = X509V3_get_d2i(all, NID_ext_key_usage, NULL, NULL);
        cr_expect_eq(OBJ_obj2nid(sk_ASN1_OBJECT_value(usage, 0)), NID_server_auth);
        EXTENDED_KEY_USAGE_free(usage);
        GENERAL_NAMES_free(names);
        sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
        X509_REQ_free(r);
        BIO_free(in);
        buf_free(&pem);
        EVP_PKEY_free(key);
    }
}

Test(certificate, a_certificate_signed_by_itself_passes_our_own_checks)
{
    struct certificate_subject s = subject();
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct certificate_bundle b = {0};
    struct certificate_facts f;
    struct err err = {0};
    s.names_n = 2;
    s.common_name = "box";
    cr_assert_eq(certificate_self_signed(&s, pki.key, NOW_US, 30, &pem, &err), 0, "%s",
                 err.message);
    add_key(&pem, pki.key);
    cr_assert_eq(check_pem(&pem, NOW_US, &b, &err), 0, "%s", err.message);
    cr_assert_eq(sk_X509_num(b.chain), 1, "it is its own root, and stays");
    cr_assert_eq(certificate_facts(sk_X509_value(b.chain, 0), &f, &err), 0);
    cr_expect_str_eq(f.subject, "CN=box,O=例の会社,C=JP");
    cr_expect_str_eq(f.issuer, f.subject);
    cr_expect_str_eq(buf_str(&f.names), "box\nlog.example.net\n192.0.2.7\n");
    cr_expect(f.is_self_signed && !f.is_authority);
    cr_expect_eq(f.not_before_us, NOW_US - US_PER_DAY);
    cr_expect_eq(f.not_after_us, NOW_US + 30 * US_PER_DAY);
    cr_expect_eq(strlen(f.fingerprint), 64);
    certificate_facts_free(&f);
    certificate_bundle_free(&b);
    buf_free(&pem);
}

Test(certificate, what_a_request_may_not_hold_is_named)
{
    char long_name[300];
    memset(long_name, 'a', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    const struct {
        const char *common_name, *organization, *country, *name, *field;
    } cases[] = {
        {"box", "", "", "fw.example.net", NULL},
        {"箱", "O", "JP", "::1", NULL},
        {"", "", "", "a", "common_name"},
        {"a\nb", "", "", "a", "common_name"},
        {"\xff", "", "", "a", "common_name"},
        {long_name, "", "", "a", "common_name"},
        {"box", long_name, "", "a", "organization"},
        {"box", "", "jp", "a", "country"},
        {"box", "", "J", "a", "country"},
        {"box", "", "JPN", "a", "country"},
        {"box", "", "", "", "names"},
        {"box", "", "", "a b", "names"},
        {"box", "", "", "a,DNS:b", "names"},
        {"box", "", "", "a..b", "names"},
        {"box", "", "", ".a", "names"},
        {"box", "", "", "-a", "names"},
        {"box", "", "", "a-", "names"},
        {"box", "", "", "a.*.b", "names"},
        {"box", "", "", "倉.example", "names"},
        {"box", "", "", long_name, "names"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct certificate_subject s = {
            .common_name = cases[i].common_name,
            .organization = cases[i].organization,
            .country = cases[i].country,
            .names = {cases[i].name},
            .names_n = 1,
        };
        struct err err = {0};
        int rc = certificate_subject_check(&s, &err);
        if (cases[i].field)
            cr_expect(rc == -EINVAL && strcmp(err.field, cases[i].field) == 0,
                      "case %zu: %d, field '%s': %s", i, rc, err.field, err.message);
        else
            cr_expect_eq(rc, 0, "case %zu: %s", i, err.message);
    }
    struct certificate_subject s = subject();
    s.names_n = TLS_NAMES_MAX + 1;
    cr_expect_eq(certificate_subject_check(&s, NULL), -EINVAL);
    cr_expect_eq(certificate_key_of("ec-p256"), CERTIFICATE_EC_P256);
    cr_expect_eq(certificate_key_of("rsa-512"), -1);
}

/* A key that is said to be locked so, in PEM. */
static void add_locked(struct buf *out, X509_ALGOR *how)
{
    X509_SIG *sig = X509_SIG_new();
    X509_ALGOR *algorithm;
    ASN1_OCTET_STRING *content;
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    X509_SIG_getm(sig, &algorithm, &content);
    cr_assert(how && X509_ALGOR_copy(algorithm, how) == 1);
    cr_assert_eq(ASN1_OCTET_STRING_set(content, (const unsigned char *)"0123456789abcdef", 16), 1);
    cr_assert_eq(PEM_write_bio_PKCS8(bio, sig), 1);
    long n = BIO_get_mem_data(bio, &text);
    cr_assert_eq(buf_add(out, text, (size_t)n), 0);
    BIO_free(bio);
    X509_SIG_free(sig);
    X509_ALGOR_free(how);
}

Test(certificate, a_key_whose_password_takes_forever_to_try_is_refused_at_once)
{
    const EVP_CIPHER *cipher = EVP_aes_256_cbc();
    static unsigned char salt[8] = "saltsalt";
    const struct {
        const char *name;
        X509_ALGOR *how;
        const char *says;
    } cases[] = {
        {"PBKDF2", PKCS5_pbe2_set_iv(cipher, INT32_MAX, salt, 8, NULL, NID_hmacWithSHA256),
         "hashed more than"},
        {"PBKDF2 as OpenSSL does it",
         PKCS5_pbe2_set_iv(cipher, 2048, salt, 8, NULL, NID_hmacWithSHA256), "does not open"},
        {"scrypt", PKCS5_pbe2_set_scrypt(cipher, salt, 8, NULL, 1 << 14, 1, 10000),
         "hashed more than"},
        {"scrypt as OpenSSL does it", PKCS5_pbe2_set_scrypt(cipher, salt, 8, NULL, 1 << 14, 8, 1),
         "does not open"},
        {"DES", PKCS5_pbe_set(NID_pbe_WithSHA1And3_Key_TripleDES_CBC, INT32_MAX, salt, 8),
         "hashed more than"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
        struct certificate_bundle b = {0};
        struct err err = {0};
        add(&pem, pki.leaf);
        add_locked(&pem, cases[i].how);
        cr_expect_lt(certificate_bundle_pem(buf_view(&pem), "secret", &b, &err), 0, "%s",
                     cases[i].name);
        cr_expect_not_null(strstr(err.message, cases[i].says), "%s: %s", cases[i].name,
                           err.message);
        buf_free(&pem);
    }
}

Test(certificate, a_pkcs12_file_that_takes_forever_is_refused_at_once)
{
    static const unsigned char said[] = {2, 3, 1, 0, 1}, more[] = {2, 3, 0x7f, 0xff, 0xff};
    PKCS12 *p12 = PKCS12_create("secret", "log", pki.key, pki.leaf, NULL, 0, 0, 65537, 65537, 0);
    unsigned char *der = NULL;
    int n = i2d_PKCS12(p12, &der), places = 0;
    struct view file = view_of((char *)der, (size_t)n);
    struct certificate_bundle b = {0};
    struct err err = {0};
    cr_assert_eq(certificate_bundle_pkcs12(file, "secret", &b, &err), 0, "%s", err.message);
    certificate_bundle_free(&b);
    unsigned char *mac = memmem(der + n - sizeof(said), sizeof(said), said, sizeof(said));
    cr_assert_not_null(mac, "the file ends with how often its MAC is made");
    memcpy(mac, more, sizeof(more));
    cr_expect_lt(certificate_bundle_pkcs12(file, "secret", &b, &err), 0);
    cr_expect_not_null(strstr(err.message, "hashed more than"), "%s", err.message);
    /* the rest is under the MAC, so look at the file without it */
    for (unsigned char *at = der; (at = memmem(at, (size_t)(der + n - at), said, sizeof(said)));
         at++) {
        PKCS12 *bare;
        unsigned char *out = NULL;
        const unsigned char *p = der;
        memcpy(mac, said, sizeof(said));
        if (at == mac)
            break;
        memcpy(at, more, sizeof(more));
        bare = d2i_PKCS12(NULL, &p, n);
        memcpy(at, said, sizeof(said));
        cr_assert(bare && PKCS12_set_mac(bare, "secret", -1, NULL, 0, 1, EVP_sha256()) == 1);
        int m = i2d_PKCS12(bare, &out);
        err = (struct err){0};
        cr_expect_lt(certificate_bundle_pkcs12(view_of((char *)out, (size_t)m), "secret", &b, &err),
                     0);
        cr_expect_not_null(strstr(err.message, "hashed more than"), "%s", err.message);
        places++;
        OPENSSL_free(out);
        PKCS12_free(bare);
    }
    cr_expect_geq(places, 1, "the certificates' lock, at least");
    OPENSSL_free(der);
    PKCS12_free(p12);
}

Test(certificate, a_pkcs12_file_is_opened_without_mac_and_survived_when_damaged)
{
    PKCS12 *p12 = PKCS12_create("secret", "log", pki.key, pki.leaf, NULL, 0, 0, 16, -1, 0);
    unsigned char *der = NULL;
    int n = i2d_PKCS12(p12, &der);
    struct view file = view_of((char *)der, (size_t)n);
    struct certificate_bundle b = {0};
    struct err err = {0};
    cr_assert_eq(certificate_bundle_pkcs12(file, "secret", &b, &err), 0, "%s", err.message);
    cr_expect(EVP_PKEY_eq(b.key, pki.key) == 1 && sk_X509_num(b.chain) == 1);
    certificate_bundle_free(&b);
    cr_expect_lt(certificate_bundle_pkcs12(file, "wrong", &b, &err), 0);
    cr_expect_str_eq(err.code, "bad_password");
    for (int i = 0; i < n; i++) {
        der[i] ^= (unsigned char)(1 << i % 8);
        if (certificate_bundle_pkcs12(file, "secret", &b, &err) == 0)
            certificate_bundle_free(&b);
        der[i] ^= (unsigned char)(1 << i % 8);
    }
    OPENSSL_free(der);
    PKCS12_free(p12);
}

Test(certificate, what_no_sender_could_use_is_refused)
{
    static const struct {
        const char *curve, *says;
    } curves[] = {{"P-256", NULL},
                  {"P-384", NULL},
                  {"P-521", NULL},
                  {"secp256k1", "the curve secp256k1, which TLS 1.3 does not know"},
                  {"secp224r1", "the curve secp224r1"},
                  {"brainpoolP256r1", "the curve brainpoolP256r1"}};
    for (size_t i = 0; i < ARRAY_LEN(curves); i++) {
        struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
        struct certificate_bundle b = {0};
        struct err err = {0};
        EVP_PKEY *key = EVP_EC_gen(curves[i].curve);
        cr_assert_not_null(key);
        X509 *x = issue("log.example.net", key, pki.root, pki.root_key, -1, 90, 0);
        add(&pem, x);
        add_key(&pem, key);
        int rc = check_pem(&pem, NOW_US, &b, &err);
        if (curves[i].says)
            cr_expect(rc < 0 && strstr(err.message, curves[i].says), "%s: %s", curves[i].curve,
                      err.message);
        else
            cr_expect_eq(rc, 0, "%s: %s", curves[i].curve, err.message);
        certificate_bundle_free(&b);
        X509_free(x);
        EVP_PKEY_free(key);
        buf_free(&pem);
    }
    X509 *x = issue("log.example.net", pki.key, pki.root, pki.root_key, -1, 90, 0);
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct certificate_bundle b = {0};
    struct err err = {0};
    ASN1_OBJECT *unknown = OBJ_txt2obj("1.2.3.4", 1);
    ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
    cr_assert(ASN1_OCTET_STRING_set(value, (const unsigned char *)"\5", 2) == 1);
    X509_EXTENSION *e = X509_EXTENSION_create_by_OBJ(NULL, unknown, 1, value);
    cr_assert(e && X509_add_ext(x, e, -1) == 1 && X509_sign(x, pki.root_key, EVP_sha256()) > 0);
    add(&pem, x);
    add_key(&pem, pki.key);
    cr_expect_lt(check_pem(&pem, NOW_US, &b, &err), 0);
    cr_expect_not_null(strstr(err.message, "critical extension"), "%s", err.message);
    certificate_bundle_free(&b);
    X509_EXTENSION_free(e);
    ASN1_OCTET_STRING_free(value);
    ASN1_OBJECT_free(unknown);
    X509_free(x);
    buf_free(&pem);
}
