/* The certificate of the web console.
 *
 * /data/tls/web.pem holds key, certificate and chain in one file, which is replaced in one step: no
 * cut can leave a key without its certificate.  /data/tls/web.request.key is the key of a request
 * that waits for its certificate. */
#include <openssl/pem.h>

#include "base/clock.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"
#include "receiver/certificate.h"

#define WEB "/data/tls/web.pem"
#define REQUEST_KEY "/data/tls/web.request.key"
#define SELF_SIGNED_DAYS 3650
#define FILE_MAX (2 * TLS_PEM_MAX_BYTES)

static void wipe(struct buf *b)
{
    if (b->p)
        OPENSSL_cleanse(b->p, b->cap);
    buf_free(b);
}

int tls_apply(struct helper *h, struct err *err)
{
    struct certificate_subject s = {.common_name = "azekura", .organization = "", .country = ""};
    struct buf b = BUF_INIT(FILE_MAX);
    EVP_PKEY *key = NULL;
    if (place_exists(h, WEB))
        return 0;
    int r = certificate_key_new(CERTIFICATE_EC_P256, &key, err);
    if (r == 0)
        r = certificate_key_pem(key, &b, err);
    if (r == 0)
        r = certificate_self_signed(&s, key, clock_wall_us(), SELF_SIGNED_DAYS, &b, err);
    if (r == 0)
        r = place_write(h, WEB, buf_view(&b), 0600, err);
    EVP_PKEY_free(key);
    wipe(&b);
    return r;
}

COMMAND(tls_get)
{
    struct buf b = BUF_INIT(FILE_MAX);
    struct certificate_bundle bundle = {0};
    struct certificate_facts f = {0};
    char until[RFC3339_MAX];
    (void)r;
    int e = place_read(h, WEB, &b, err);
    if (e == -ENOENT)
        err_set(err, ENOENT, "no_certificate", "the console has no certificate yet");
    if (e == 0)
        e = certificate_bundle_pem(buf_view(&b), NULL, &bundle, err);
    if (e == 0)
        e = certificate_facts(sk_X509_value(bundle.chain, 0), &f, err);
    if (e == 0) {
        rfc3339_format(f.not_after_us, until);
        cJSON_AddStringToObject(reply->result, "subject", f.subject);
        cJSON_AddStringToObject(reply->result, "issuer", f.issuer);
        cJSON_AddStringToObject(reply->result, "fingerprint", f.fingerprint);
        cJSON_AddStringToObject(reply->result, "key", f.key);
        cJSON_AddStringToObject(reply->result, "not_after", until);
        cJSON_AddBoolToObject(reply->result, "self_signed", f.is_self_signed);
        cJSON_AddBoolToObject(reply->result, "request_waits", place_exists(h, REQUEST_KEY));
    }
    certificate_facts_free(&f);
    certificate_bundle_free(&bundle);
    wipe(&b);
    return e;
}

COMMAND(tls_request)
{
    const char *organization = request_text(r, "organization"),
               *country = request_text(r, "country");
    struct certificate_subject s = {.common_name = request_text(r, "common_name"),
                                    .organization = organization ? organization : "",
                                    .country = country ? country : ""};
    const cJSON *names = request_item(r, "names");
    struct buf key_pem = BUF_INIT(TLS_PEM_MAX_BYTES), request = BUF_INIT(TLS_PEM_MAX_BYTES);
    EVP_PKEY *key = NULL;
    for (const cJSON *v = names ? names->child : NULL; v; v = v->next) {
        const char *name = cJSON_GetStringValue(v);
        s.names[s.names_n++] = name ? name : "";
    }
    int e = certificate_subject_check(&s, err);
    if (e == 0)
        e = certificate_key_new(CERTIFICATE_EC_P256, &key, err);
    if (e == 0)
        e = certificate_key_pem(key, &key_pem, err);
    if (e == 0)
        e = certificate_request(&s, key, &request, err);
    if (e == 0)
        e = place_write(h, REQUEST_KEY, buf_view(&key_pem), 0600, err);
    if (e == 0)
        cJSON_AddStringToObject(reply->result, "request", buf_str(&request));
    EVP_PKEY_free(key);
    wipe(&key_pem);
    buf_free(&request);
    return e;
}

/* Put the new file in place and let nginx have it; when nginx will not, the old one comes back. */
static int take(struct helper *h, const struct buf *pem, struct err *err)
{
    struct buf old = BUF_INIT(FILE_MAX);
    int had = place_read(h, WEB, &old, NULL);
    int e = place_write(h, WEB, buf_view(pem), 0600, err);
    if (e == 0)
        e = RUN(h, RUN_QUICK_MS, NULL, err, "/usr/sbin/nginx", "-t", "-q");
    if (e == 0)
        e = RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/systemctl", "reload", "nginx.service");
    if (e < 0 && had == 0) {
        struct err back;
        if (place_write(h, WEB, buf_view(&old), 0600, &back) < 0)
            err_prefix(err, "the old certificate is not back (%s): ", back.message);
    }
    wipe(&old);
    return e;
}

COMMAND(tls_install)
{
    struct buf all = BUF_INIT(FILE_MAX), pem = BUF_INIT(FILE_MAX);
    struct certificate_bundle bundle = {0};
    const char *key = request_text(r, "key");
    (void)reply;
    buf_printf(&all, "%s\n", request_text(r, "certificate"));
    int e = 0;
    if (key)
        buf_add_str(&all, key);
    else if (!strstr(buf_str(&all), "PRIVATE KEY-----"))
        e = place_read(h, REQUEST_KEY, &all, err);
    if (e == -ENOENT)
        err_set_field(err, ENOENT, "missing", "key",
                      "key: there is none, and no request of this box waits for a certificate");
    if (e == 0)
        e = certificate_bundle_pem(buf_view(&all), NULL, &bundle, err);
    if (e == 0)
        e = certificate_bundle_check(&bundle, clock_wall_us(), err);
    if (e == 0)
        e = certificate_bundle_write(&bundle, &pem, err);
    if (e == 0)
        e = take(h, &pem, err);
    if (e == 0)
        e = place_remove(h, REQUEST_KEY, err);
    certificate_bundle_free(&bundle);
    wipe(&all);
    wipe(&pem);
    return e;
}
