#include "store/tls_check.h"

#include <criterion/criterion.h>

#include "base/limits.h"

Test(tls_check, names_are_dns_names_and_addresses)
{
    static const struct {
        const char *name;
        bool is_name;
    } cases[] = {
        {"logs.example.net", true},
        {"logs", true},
        {"*.example.net", true},
        {"fw_01.example.net", true},
        {"xn--p8j.example", true},
        {"192.0.2.1", true},
        {"2001:db8::1", true},
        {"", false},
        {".", false},
        {"logs.", false},
        {"logs..net", false},
        {"-logs.net", false},
        {"logs-.net", false},
        {"*.*.net", false},
        {"*", false},
        {"a.*.net", false},
        {"192.0.2.256", false},
        {"192.0.2.0/24", false},
        {"1234", false},
        {"logs example", false},
        {"logs\n.net", false},
        {"ログ.example", false},
        {"a123456789012345678901234567890123456789012345678901234567890123.net", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(tls_is_name(view_str(cases[i].name)), cases[i].is_name, "\"%s\"",
                     cases[i].name);
    char long_name[TLS_NAME_MAX_BYTES + 2];
    for (size_t i = 0; i < sizeof(long_name); i++)
        long_name[i] = i % 50 == 49 ? '.' : 'a';
    cr_expect(tls_is_name(view_of(long_name, TLS_NAME_MAX_BYTES)));
    cr_expect_not(tls_is_name(view_of(long_name, TLS_NAME_MAX_BYTES + 1)));
    cr_expect_not(tls_is_name(VIEW_NULL));
}

#define CERT(text) "-----BEGIN CERTIFICATE-----\n" text "\n-----END CERTIFICATE-----\n"
#define KEY(kind) "-----BEGIN " kind "-----\nk\n-----END " kind "-----\n"

Test(tls_check, private_keys_are_taken_out_of_pem)
{
    static const struct {
        const char *pem, *certificates, *keys;
    } cases[] = {
        {CERT("a"), CERT("a"), ""},
        {CERT("a") CERT("b"), CERT("a") CERT("b"), ""},
        {"Bag Attributes\n" CERT("a") "subject=x\n" KEY("PRIVATE KEY") "tail", CERT("a"),
         KEY("PRIVATE KEY")},
        {KEY("EC PRIVATE KEY") CERT("a"), CERT("a"), KEY("EC PRIVATE KEY")},
        {KEY("PGP PRIVATE KEY BLOCK") CERT("a"), CERT("a"), KEY("PGP PRIVATE KEY BLOCK")},
        {KEY("ENCRYPTED PRIVATE KEY") CERT("a"), CERT("a"), KEY("ENCRYPTED PRIVATE KEY")},
        {KEY("RSA PRIVATE KEY") CERT("a") KEY("PRIVATE KEY"), CERT("a"),
         KEY("RSA PRIVATE KEY") KEY("PRIVATE KEY")},
        {KEY("EC PARAMETERS") CERT("a"), KEY("EC PARAMETERS") CERT("a"), ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err;
        struct buf certificates = BUF_INIT(4096), keys = BUF_INIT(4096);
        int rc = tls_split_pem(view_str(cases[i].pem), &certificates, &keys, &err);
        cr_expect_eq(rc, 0, "%zu: %s", i, rc < 0 ? err.message : "");
        cr_expect_str_eq(buf_str(&certificates), cases[i].certificates, "%zu", i);
        cr_expect_str_eq(buf_str(&keys), cases[i].keys, "%zu", i);
        buf_free(&certificates);
        buf_free(&keys);
    }
}

Test(tls_check, pem_without_end_or_certificate_is_refused)
{
    static const struct {
        const char *pem, *said;
    } cases[] = {
        {"", "no certificate"},
        {"hello", "no certificate"},
        {KEY("PRIVATE KEY"), "no certificate"},
        {"-----BEGIN CERTIFICATE-----\na\n", "block 1 begins and has no end"},
        {"-----BEGIN CERTIFICATE", "block 1 begins and has no end"},
        {"-----BEGIN CERTIFICATE-----\na\n-----END PRIVATE KEY-----\n", "block 1"},
        {CERT("a") "-----BEGIN PRIVATE KEY-----\n" CERT("b"), "block 2"},
        {CERT("1") CERT("2") CERT("3") CERT("4") CERT("5") CERT("6") CERT("7") CERT("8") CERT("9")
             CERT("10") CERT("11"),
         "11 certificates in it, more than 10"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err;
        struct buf certificates = BUF_INIT(4096), keys = BUF_INIT(4096);
        cr_expect_eq(tls_split_pem(view_str(cases[i].pem), &certificates, &keys, &err), -EINVAL,
                     "%zu", i);
        cr_expect(strstr(err.message, cases[i].said), "%zu: %s", i, err.message);
        buf_free(&certificates);
        buf_free(&keys);
    }
}

Test(tls_check, every_beginning_of_pem_is_read_without_harm)
{
    static const char whole[] = KEY("PRIVATE KEY") CERT("a") CERT("b");
    for (size_t n = 0; n < sizeof(whole); n++) {
        struct err err;
        char *copy = xmalloc(n + 1); /* an exact end, for the sanitizer */
        memcpy(copy, whole, n);
        struct buf certificates = BUF_INIT(4096), keys = BUF_INIT(4096);
        int rc = tls_split_pem(view_of(copy, n), &certificates, &keys, &err);
        cr_expect(rc == 0 || err.message[0], "%zu", n);
        buf_free(&certificates);
        buf_free(&keys);
        free(copy);
    }
}

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

Test(tls_check, fingerprints_are_taken_as_people_paste_them)
{
    static const struct {
        const char *text;
        bool is_good;
    } cases[] = {
        {HEX, true},
        {" " HEX "\n", true},
        {"0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF", true},
        {"01:23:45:67:89:AB:CD:EF:01:23:45:67:89:ab:cd:ef:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:"
         "AB:CD:EF",
         true},
        {"SHA256:" HEX, true},
        {"SHA-256: " HEX, true},
        {"", false},
        {HEX "0", false},
        {"g123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", false},
        {"0123456789abcdef", false},
        {"SHA1:0123456789abcdef0123456789abcdef01234567", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[TLS_FINGERPRINT_TEXT_MAX] = "untouched";
        int rc = tls_fingerprint(view_str(cases[i].text), text);
        cr_expect_eq(rc, cases[i].is_good ? 0 : -EINVAL, "\"%s\"", cases[i].text);
        cr_expect_str_eq(text, cases[i].is_good ? HEX : "untouched", "\"%s\"", cases[i].text);
    }
}

Test(tls_check, base64_is_told_from_anything_else)
{
    static const struct {
        const char *text;
        bool is_base64;
    } cases[] = {{"UEtDUw==", true}, {"UE\r\ntD Uw==", true}, {"", false},
                 {"  \n", false},    {"UE-D_w", false},       {"UE\"tD", false}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(tls_is_base64(view_str(cases[i].text)), cases[i].is_base64, "\"%s\"",
                     cases[i].text);
}
