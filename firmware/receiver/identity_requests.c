/* What people ask of the box's identity: a key and a request, a certificate to install, authorities
 * of senders.  Writer thread. */
#include <ctype.h>

#include "receiver/identity_inside.h"

enum { NAMES_TEXT_MAX = TLS_NAMES_MAX * (TLS_NAME_MAX_BYTES + 1) + 1 };

/* ---- csr, self_signed ---- */

struct wanted {
    struct certificate_subject subject;
    enum certificate_key key;
    char names[NAMES_TEXT_MAX];
};

static int take_wanted(const struct tls_request *r, struct wanted *ret, struct err *err)
{
    int key = r->key[0] ? certificate_key_of(r->key) : CERTIFICATE_EC_P256;
    if (key < 0)
        return err_set_field(err, EINVAL, "bad_value", "key",
                             "the key is ec-p256 or rsa-3072, not '%.40s'", r->key);
    *ret = (struct wanted){
        .key = (enum certificate_key)key,
        .subject = {.common_name = r->common_name,
                    .organization = r->organization,
                    .country = r->country},
    };
    if (strlen(r->names) >= sizeof(ret->names))
        return err_set_field(err, EINVAL, "bad_value", "names", "more than %d names, or too long",
                             TLS_NAMES_MAX);
    snprintf(ret->names, sizeof(ret->names), "%s", r->names);
    for (char *save = NULL, *p = strtok_r(ret->names, "\n", &save); p;
         p = strtok_r(NULL, "\n", &save)) {
        if (ret->subject.names_n == TLS_NAMES_MAX)
            return err_set_field(err, EINVAL, "bad_value", "names", "more than %d names",
                                 TLS_NAMES_MAX);
        ret->subject.names[ret->subject.names_n++] = p;
    }
    return certificate_subject_check(&ret->subject, err);
}

/* Nothing is asked of anybody yet: the key waits beside the request for the certificate. */
static int make_csr(struct identity *i, const struct tls_request *r, struct buf *answer,
                    struct err *err)
{
    struct wanted w;
    EVP_PKEY *key = NULL;
    struct buf file = BUF_INIT(TLS_PEM_MAX_BYTES);
    int rc = take_wanted(r, &w, err);
    if (rc == 0)
        rc = certificate_key_new(w.key, &key, err);
    if (rc == 0)
        rc = certificate_request(&w.subject, key, answer, err);
    CHECK(buf_reserve(&file, TLS_PEM_MAX_BYTES) == 0); /* no copy of the key stays behind */
    if (rc == 0)
        rc = certificate_key_pem(key, &file, err);
    if (rc == 0) {
        CHECK(buf_add_view(&file, buf_view(answer)) == 0);
        rc = identity_write(&i->folder, identity_pending_file, buf_view(&file), err);
    }
    identity_wipe(&file);
    EVP_PKEY_free(key);
    return rc;
}

static int answer_fingerprint(const struct identity *i, struct buf *answer)
{
    CHECK(i->has_facts && buf_add_str(answer, i->facts.fingerprint) == 0);
    return 0;
}

static int make_self_signed(struct identity *i, const struct tls_request *r, struct buf *answer,
                            struct err *err)
{
    struct wanted w;
    struct certificate_bundle b = {0};
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    EVP_PKEY *key = NULL;
    int rc = take_wanted(r, &w, err);
    if (rc == 0)
        rc = certificate_key_new(w.key, &key, err);
    if (rc == 0)
        rc = certificate_self_signed(&w.subject, key, clock_wall_us(), IDENTITY_SELF_SIGNED_DAYS,
                                     &pem, err);
    if (rc == 0)
        rc = certificate_bundle_pem(buf_view(&pem), NULL, &b, err);
    if (rc == 0) {
        b.key = key;
        key = NULL;
        rc = identity_install(i, &b, err);
    }
    certificate_bundle_free(&b);
    EVP_PKEY_free(key);
    buf_free(&pem);
    return rc < 0 ? rc : answer_fingerprint(i, answer);
}

/* ---- install ---- */

static int decode_base64(const char *text, struct buf *out, struct err *err)
{
    size_t n = strlen(text);
    int got = 0, last = 0;
    EVP_ENCODE_CTX *c = EVP_ENCODE_CTX_new();
    CHECK(c);
    int rc = buf_reserve(out, n + 64);
    EVP_DecodeInit(c);
    if (rc == 0 && (EVP_DecodeUpdate(c, (unsigned char *)out->p, &got, (const unsigned char *)text,
                                     (int)n) < 0 ||
                    EVP_DecodeFinal(c, (unsigned char *)out->p + got, &last) < 0))
        rc = -EINVAL;
    EVP_ENCODE_CTX_free(c);
    if (rc < 0)
        return err_set_field(err, EINVAL, "bad_value", "pkcs12_b64",
                             "the PKCS #12 file is not base64, or longer than %d bytes",
                             TLS_PEM_MAX_BYTES);
    out->n = (size_t)(got + last);
    return 0;
}

static int parse_upload(const struct tls_request *r, struct certificate_bundle *ret,
                        struct err *err)
{
    if (!r->pkcs12_base64)
        return certificate_bundle_pem(view_str(r->pem), r->password, ret, err);
    struct buf der = BUF_INIT(TLS_PEM_MAX_BYTES * 2);
    int rc = decode_base64(r->pkcs12_base64, &der, err);
    if (rc == 0)
        rc = certificate_bundle_pkcs12(buf_view(&der), r->password, ret, err);
    identity_wipe(&der);
    return rc;
}

/* Use the key of `from` (emptied) if one of b's certificates is for it. */
static void try_key(struct certificate_bundle *b, struct certificate_bundle *from)
{
    if (!b->key && from->key && certificate_bundle_match(b, from->key)) {
        b->key = from->key;
        from->key = NULL;
    }
    certificate_bundle_free(from);
}

/* The key that came with the certificate; else that of the pending request; else the present one,
 * for which a certificate may have been renewed. */
static int find_key(const struct identity *i, const struct tls_request *r,
                    struct certificate_bundle *b, struct err *err)
{
    struct certificate_bundle other = {0};
    if (b->key)
        return 0;
    if (r->key_pem) {
        int rc = certificate_bundle_pem(view_str(r->key_pem), r->password, &other, err);
        if (rc < 0)
            return rc;
        b->key = other.key; /* if it is another's, that is what will be said */
        other.key = NULL;
        certificate_bundle_free(&other);
        if (b->key)
            return 0;
        return err_set_field(err, EINVAL, "bad_key", "key_pem", "there is no private key in it");
    }
    static const char *const files[] = {identity_pending_file, identity_file};
    for (size_t n = 0; !b->key && n < ARRAY_LEN(files); n++)
        if (identity_read_bundle(i, files[n], &other, NULL) == 0)
            try_key(b, &other);
    if (b->key)
        return 0;
    return err_set_field(err, EINVAL, "bad_certificate", "pem",
                         "the certificate is neither for the pending request nor for the present "
                         "key: send its private key, too");
}

static void end_pending(struct identity *i)
{
    struct certificate_bundle now = {0}, pending = {0};
    if (identity_read_bundle(i, identity_file, &now, NULL) == 0 &&
        identity_read_bundle(i, identity_pending_file, &pending, NULL) == 0 && now.key &&
        pending.key && EVP_PKEY_eq(now.key, pending.key) == 1)
        identity_remove(&i->folder, identity_pending_file);
    certificate_bundle_free(&now);
    certificate_bundle_free(&pending);
}

static int install(struct identity *i, const struct tls_request *r, struct buf *answer,
                   struct err *err)
{
    struct certificate_bundle b = {0};
    int rc = parse_upload(r, &b, err);
    if (rc == 0 && sk_X509_num(b.chain) <= 0)
        rc = err_set_field(err, EINVAL, "bad_certificate", "pem",
                           "there is no certificate in what was sent");
    if (rc == 0)
        rc = find_key(i, r, &b, err);
    if (rc == 0)
        rc = identity_install(i, &b, err);
    certificate_bundle_free(&b);
    if (rc < 0)
        return rc;
    end_pending(i);
    return answer_fingerprint(i, answer);
}

/* ---- authorities of senders ---- */

static int read_cas(const struct identity *i, STACK_OF(X509) * ret, struct err *err)
{
    struct buf text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    int rc = identity_read(&i->folder, identity_cas_file, &text, err);
    if (rc == 0)
        rc = certificate_parse_all(buf_view(&text), TLS_CLIENT_CAS_MAX, ret, err);
    buf_free(&text);
    return rc == -ENOENT ? 0 : MIN(rc, 0);
}

static int write_cas(struct identity *i, STACK_OF(X509) * all, struct err *err)
{
    struct buf text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    int rc = 0;
    for (int n = 0; rc == 0 && n < sk_X509_num(all); n++)
        rc = certificate_pem(sk_X509_value(all, n), &text);
    if (rc < 0)
        rc = err_set(err, ENOSPC, "too_large", "all authorities together exceed %d bytes",
                     IDENTITY_FILE_MAX_BYTES);
    else if (text.n == 0)
        identity_remove(&i->folder, identity_cas_file);
    else
        rc = identity_write(&i->folder, identity_cas_file, buf_view(&text), err);
    buf_free(&text);
    if (rc == 0) {
        i->cas_seen = identity_mark_of(&i->folder, identity_cas_file);
        i->is_changed = i->is_report_due = true;
    }
    return rc;
}

static int find_cert(STACK_OF(X509) * all, const char *fingerprint)
{
    int found = -1;
    for (int n = 0; found < 0 && n < sk_X509_num(all); n++) {
        struct certificate_facts f;
        if (certificate_facts(sk_X509_value(all, n), &f, NULL) < 0)
            continue;
        if (strcmp(f.fingerprint, fingerprint) == 0)
            found = n;
        certificate_facts_free(&f);
    }
    return found;
}

/* Into `all`, unless it is there; its fingerprint into the answer. */
static int add_ca(STACK_OF(X509) * all, X509 *x, struct buf *answer, struct err *err)
{
    struct certificate_facts f;
    int rc = certificate_facts(x, &f, err);
    if (rc < 0)
        return rc;
    if (!f.is_authority)
        rc = err_set_field(err, EINVAL, "bad_certificate", "pem",
                           "%.200s is no authority: it may not sign certificates (a single sender "
                           "is let in by its fingerprint)",
                           f.subject);
    else if (f.not_after_us < clock_wall_us())
        rc = err_set_field(err, EINVAL, "bad_certificate", "pem",
                           "the authority %.200s has expired", f.subject);
    else if (find_cert(all, f.fingerprint) >= 0)
        rc = 0;
    else if (sk_X509_num(all) >= TLS_CLIENT_CAS_MAX)
        rc = err_set(err, ENOSPC, "too_many",
                     "there are %d authorities already, which is the limit", TLS_CLIENT_CAS_MAX);
    else
        CHECK(X509_up_ref(x) == 1 && sk_X509_push(all, x) > 0);
    if (rc == 0)
        (void)buf_printf(answer, "%s%s", answer->n ? "\n" : "", f.fingerprint);
    certificate_facts_free(&f);
    return rc;
}

/* Without anything to check certificates by no sender could connect. */
static int remove_ca(const struct identity *i, STACK_OF(X509) * all, const char *fingerprint,
                     struct err *err)
{
    int n = find_cert(all, fingerprint);
    if (n < 0)
        return err_set_field(err, ENOENT, "not_found", "fingerprint",
                             "there is no authority with the fingerprint '%.64s'", fingerprint);
    if (sk_X509_num(all) == 1 && i->fingerprints_n == 0 && i->clients != TLS_CLIENTS_NONE)
        return err_set_field(err, EINVAL, "in_use", "fingerprint",
                             "it is the last authority, no fingerprint is allowed, and "
                             "receiver.tls_clients is %s: set that to none first, or add another "
                             "authority",
                             i->clients == TLS_CLIENTS_REQUIRED ? "required" : "optional");
    X509_free(sk_X509_delete(all, n));
    return 0;
}

static int change_cas(struct identity *i, const struct tls_request *r, struct buf *answer,
                      struct err *err)
{
    STACK_OF(X509) *all = sk_X509_new_null(), *added = sk_X509_new_null();
    CHECK(all && added);
    int rc = read_cas(i, all, err);
    if (rc == 0 && r->kind == TLS_REQUEST_CLIENT_CA_REMOVE) {
        rc = remove_ca(i, all, r->fingerprint, err);
        (void)buf_add_str(answer, r->fingerprint);
    } else if (rc == 0) {
        rc = certificate_parse_all(view_str(r->pem), TLS_CLIENT_CAS_MAX, added, err);
        if (rc == 0)
            rc = err_set_field(err, EINVAL, "bad_certificate", "pem",
                               "there is no certificate in what was sent");
        for (int n = 0; rc >= 0 && n < sk_X509_num(added); n++)
            rc = add_ca(all, sk_X509_value(added, n), answer, err);
    }
    if (rc >= 0)
        rc = write_cas(i, all, err);
    sk_X509_pop_free(all, X509_free);
    sk_X509_pop_free(added, X509_free);
    return rc;
}

int identity_handle(struct identity *i, const struct tls_request *r, struct buf *answer,
                    struct err *err)
{
    switch (r->kind) {
    case TLS_REQUEST_CSR:
        i->is_report_due = true;
        return make_csr(i, r, answer, err);
    case TLS_REQUEST_SELF_SIGNED:
        return make_self_signed(i, r, answer, err);
    case TLS_REQUEST_INSTALL:
        return install(i, r, answer, err);
    case TLS_REQUEST_CLIENT_CA_ADD:
    case TLS_REQUEST_CLIENT_CA_REMOVE:
        return change_cas(i, r, answer, err);
    case TLS_REQUEST_UNKNOWN:
        break;
    }
    return err_set(err, EINVAL, "bad_value", "this receiver does not know such a request");
}
