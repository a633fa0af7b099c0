/* Asking the receiver about certificates (tls_admin.h).  What is asked and its entry in the audit
 * log are one statement, azekura.ask_tls(). */
#include "store/tls_admin.h"

#include "base/buf.h"
#include "base/limits.h"
#include "store/array.h"
#include "store/list_version.h"
#include "store/report.h"
#include "store/retention_hand.h"
#include "store/tls_check.h"

#define TEXT_CHARACTERS_MAX 64 /* X.520's bounds of a common name and an organisation */
#define LIST_MAX_BYTES (1u << 20)
#define NOTE_CHARACTERS_MAX 200
#define PASSWORD_MAX_BYTES 1024

static int ask(PGconn *c, const char *sql, int n, const char *const *values, int64_t *ret,
               struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, sql, n, values, &r, err);
    if (rc < 0)
        return rc;
    int64_t id = store_number(r, 0, 0);
    PQclear(r);
    if (id == 0)
        return err_set(err, EEXIST, "too_many",
                       "16 requests wait for the receiver already; see that it runs");
    *ret = id;
    return 0;
}

/* A copy that is wiped when it goes. */
static char *copy(struct view v)
{
    return view_is_null(v) ? NULL : xasprintf("%.*s", VIEW_ARG(v));
}

static void wipe(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

/* ---- csr, self-signed ---- */

static int check_subject(const struct tls_subject *s, struct err *err)
{
    int rc = hand_check_text(s->common_name, TEXT_CHARACTERS_MAX, "common_name", err);
    if (rc == 0 && !view_is_null(s->organization))
        rc = hand_check_text(s->organization, TEXT_CHARACTERS_MAX, "organization", err);
    if (rc < 0)
        return rc;
    struct view at = s->country;
    if (!view_is_null(at) &&
        (at.n != 2 || at.p[0] < 'A' || at.p[0] > 'Z' || at.p[1] < 'A' || at.p[1] > 'Z'))
        return err_set_field(err, EINVAL, "bad_value", "country",
                             "country: \"%.*s\" is no code of two capital letters like JP",
                             (int)MIN(at.n, (size_t)32), at.p);
    if (!view_is_null(s->key) && !view_eq(s->key, VIEW("ec-p256")) &&
        !view_eq(s->key, VIEW("rsa-3072")))
        return err_set_field(err, EINVAL, "bad_value", "key",
                             "key: \"%.*s\" is not ec-p256 or rsa-3072",
                             (int)MIN(s->key.n, (size_t)32), s->key.p);
    if (s->names_n > TLS_NAMES_MAX)
        return err_set_field(err, EINVAL, "bad_value", "names",
                             "names: there are %zu, more than %d", s->names_n, TLS_NAMES_MAX);
    if (s->names_n == 0 && !tls_is_name(s->common_name))
        return err_set_field(err, EINVAL, "bad_value", "names",
                             "names: without any common_name must be a DNS name or an address, "
                             "since senders look there for the one they call");
    for (size_t i = 0; i < s->names_n; i++) {
        if (!tls_is_name(s->names[i]))
            return err_set_field(err, EINVAL, "bad_value", "names",
                                 "names: number %zu, \"%.*s\", is no DNS name or address", i + 1,
                                 (int)MIN(s->names[i].n, (size_t)64), s->names[i].p);
    }
    return 0;
}

static int ask_subject(PGconn *c, const char *actor, const char *kind, const struct tls_subject *s,
                       int64_t *ret, struct err *err)
{
    int rc = check_subject(s, err);
    if (rc < 0)
        return rc;
    struct buf names = BUF_INIT(TLS_NAMES_MAX * (TLS_NAME_MAX_BYTES + 4) + 8);
    const struct view *list = s->names_n > 0 ? s->names : &s->common_name;
    for (size_t i = 0; i < MAX(s->names_n, (size_t)1); i++) {
        char name[TLS_NAME_MAX_BYTES + 1];
        snprintf(name, sizeof(name), "%.*s", VIEW_ARG(list[i]));
        array_add_text(&names, name);
    }
    array_end(&names);
    CHECK(!names.is_full);
    char *texts[] = {copy(s->common_name), copy(s->organization), copy(s->country), copy(s->key)};
    const char *values[] = {actor,
                            kind,
                            texts[0],
                            buf_str(&names),
                            texts[1],
                            texts[2],
                            texts[3] ? texts[3] : "ec-p256"};
    rc = ask(c,
             "select azekura.ask_tls($1, $2, jsonb_strip_nulls(jsonb_build_object('common_name',"
             " $3::text, 'names', to_jsonb($4::text[]), 'organization', $5::text, 'country',"
             " $6::text, 'key', $7::text)), null, null, null)",
             7, values, ret, err);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    buf_free(&names);
    return rc;
}

int tls_ask_csr(PGconn *c, const char *actor, const struct tls_subject *s, int64_t *ret,
                struct err *err)
{
    return ask_subject(c, actor, "csr", s, ret, err);
}

int tls_ask_self_signed(PGconn *c, const char *actor, const struct tls_subject *s, int64_t *ret,
                        struct err *err)
{
    return ask_subject(c, actor, "self_signed", s, ret, err);
}

/* ---- install ---- */

static void wipe_buf(struct buf *b)
{
    if (b->p)
        explicit_bzero(b->p, b->cap);
    buf_free(b);
}

static int check_upload(const struct tls_upload *u, struct err *err)
{
    if (view_is_null(u->pem) == view_is_null(u->pkcs12_base64))
        return err_set_field(err, EINVAL, "bad_value", "pem",
                             "pem, pkcs12_b64: one of them must be there, not both");
    if (u->pem.n + u->pkcs12_base64.n + u->key_pem.n > TLS_PEM_MAX_BYTES)
        return err_set_field(err, EINVAL, "bad_value", "pem",
                             "pem: certificate and key have more than %d bytes", TLS_PEM_MAX_BYTES);
    if (!view_is_null(u->pkcs12_base64) && !view_is_null(u->key_pem))
        return err_set_field(err, EINVAL, "bad_value", "key_pem",
                             "key_pem: a PKCS#12 file brings its own key");
    if (!view_is_null(u->pkcs12_base64) && !tls_is_base64(u->pkcs12_base64))
        return err_set_field(err, EINVAL, "bad_value", "pkcs12_b64",
                             "pkcs12_b64: it is not base64");
    if (u->password.n > PASSWORD_MAX_BYTES)
        return err_set_field(err, EINVAL, "bad_value", "password",
                             "password: it has %zu bytes, more than %d", u->password.n,
                             PASSWORD_MAX_BYTES);
    return 0;
}

/* The upload's certificates and keys apart. */
static int split_upload(const struct tls_upload *u, struct buf *certificates, struct buf *keys,
                        struct err *err)
{
    int rc = tls_split_pem(u->pem, certificates, keys, err);
    if (rc < 0 || view_is_null(u->key_pem))
        return rc;
    if (keys->n > 0)
        return err_set_field(err, EINVAL, "bad_value", "key_pem",
                             "key_pem: there is a private key in pem already");
    if (!memmem(u->key_pem.p, u->key_pem.n, "PRIVATE KEY-----", 16))
        return err_set_field(err, EINVAL, "bad_value", "key_pem",
                             "key_pem: there is no private key in it (a block that begins "
                             "-----BEGIN PRIVATE KEY----- or -----BEGIN ENCRYPTED PRIVATE "
                             "KEY-----)");
    buf_add_view(keys, u->key_pem);
    return 0;
}

int tls_ask_install(PGconn *c, const char *actor, const struct tls_upload *u, int64_t *ret,
                    struct err *err)
{
    struct buf certificates = BUF_INIT(TLS_PEM_MAX_BYTES + 256),
               keys = BUF_INIT(TLS_PEM_MAX_BYTES + 256);
    int rc = check_upload(u, err);
    if (rc == 0 && !view_is_null(u->pem))
        rc = split_upload(u, &certificates, &keys, err);
    if (rc == 0) {
        char *pkcs12 = copy(u->pkcs12_base64), *password = copy(u->password);
        const char *values[] = {actor, certificates.n > 0 ? buf_str(&certificates) : NULL,
                                keys.n > 0 ? buf_str(&keys) : NULL, pkcs12,
                                keys.n > 0 || pkcs12 ? password : NULL};
        rc = ask(c,
                 "select azekura.ask_tls($1, 'install', jsonb_strip_nulls(jsonb_build_object("
                 "'pem', $2::text)), $3, $4, $5)",
                 5, values, ret, err);
        wipe(pkcs12);
        wipe(password);
    }
    buf_free(&certificates);
    wipe_buf(&keys);
    return rc;
}

/* ---- authorities ---- */

int tls_ask_client_ca(PGconn *c, const char *actor, struct view pem, int64_t *ret, struct err *err)
{
    struct buf certificates = BUF_INIT(TLS_PEM_MAX_BYTES + 256),
               keys = BUF_INIT(TLS_PEM_MAX_BYTES + 256);
    int rc = tls_split_pem(pem, &certificates, &keys, err);
    if (rc == 0 && keys.n > 0)
        rc = err_set_field(err, EINVAL, "bad_value", "pem",
                           "pem: there is a private key in it; an authority's key has no business "
                           "here, and whoever saw it can make certificates");
    if (rc == 0) {
        const char *values[] = {actor, buf_str(&certificates)};
        rc = ask(c,
                 "select azekura.ask_tls($1, 'client_ca_add', jsonb_build_object('pem', $2::text),"
                 " null, null, null)",
                 2, values, ret, err);
    }
    buf_free(&certificates);
    wipe_buf(&keys);
    return rc;
}

int tls_ask_client_ca_removal(PGconn *c, const char *actor, struct view fingerprint, int64_t *ret,
                              struct err *err)
{
    char text[TLS_FINGERPRINT_TEXT_MAX];
    PGresult *r = NULL;
    if (tls_fingerprint(fingerprint, text) < 0)
        return err_set(err, ENOENT, "not_found",
                       "\"%.*s\" is no SHA-256 fingerprint of 64 hexadecimal digits",
                       (int)MIN(fingerprint.n, (size_t)100), fingerprint.p);
    const char *values[] = {text, actor};
    int rc = store_query(c,
                         "select exists (select from azekura.tls_client_ca where fingerprint = $1)",
                         1, values, &r, err);
    if (rc < 0)
        return rc;
    bool is_there = strcmp(PQgetvalue(r, 0, 0), "t") == 0;
    PQclear(r);
    if (!is_there)
        return err_set(err, ENOENT, "not_found",
                       "the receiver has no authority with fingerprint %s", text);
    return ask(c,
               "select azekura.ask_tls($2, 'client_ca_remove', jsonb_build_object('fingerprint',"
               " $1::text), null, null, null)",
               2, values, ret, err);
}

/* ---- who may send ---- */

static int check_allowed(const struct tls_allowed *a, size_t number, struct buf *kinds,
                         struct buf *values, struct buf *notes, struct err *err)
{
    char value[TLS_NAME_MAX_BYTES + 1], fingerprint[TLS_FINGERPRINT_TEXT_MAX];
    struct err why;
    if (a->is_fingerprint) {
        if (tls_fingerprint(a->value, fingerprint) < 0)
            return err_set_field(err, EINVAL, "bad_value", "allowed",
                                 "allowed: number %zu, \"%.*s\", is no SHA-256 fingerprint of 64 "
                                 "hexadecimal digits",
                                 number, (int)MIN(a->value.n, (size_t)100), a->value.p);
        memcpy(value, fingerprint, sizeof(fingerprint));
    } else {
        if (a->value.n > TLS_NAME_MAX_BYTES ||
            hand_check_text(a->value, TLS_NAME_MAX_BYTES, "value", &why) < 0 ||
            view_trim(a->value).n != a->value.n)
            return err_set_field(err, EINVAL, "bad_value", "allowed",
                                 "allowed: number %zu is no name of 1..%d bytes without blanks "
                                 "around it",
                                 number, TLS_NAME_MAX_BYTES);
        snprintf(value, sizeof(value), "%.*s", VIEW_ARG(a->value));
    }
    if (a->note.n > 0 && hand_check_text(a->note, NOTE_CHARACTERS_MAX, "note", &why) < 0)
        return err_set_field(err, EINVAL, "bad_value", "allowed", "allowed: number %zu, %s", number,
                             why.message);
    char *note = xasprintf("%.*s", VIEW_ARG(a->note));
    array_add_text(kinds, a->is_fingerprint ? "fingerprint" : "name");
    array_add_text(values, value);
    array_add_text(notes, note);
    free(note);
    return 0;
}

static int check_twice(PGconn *c, const char *kinds, const char *list, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select a.value from unnest($1::text[], $2::text[]) a(kind, value)"
                         " group by a.kind, a.value having count(*) > 1 limit 1",
                         2, (const char *const[]){kinds, list}, &r, err);
    if (rc == 0 && PQntuples(r) > 0)
        rc = err_set_field(err, EINVAL, "bad_value", "allowed",
                           "allowed: \"%.100s\" stands there twice", PQgetvalue(r, 0, 0));
    PQclear(r);
    return rc;
}

/* Who connected by TLS within the last hour and would not be let in any more: -EEXIST, and who. */
static int check_shut_out(PGconn *c, const char *kinds, const char *list, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select heard, outside, who from azekura.tls_shut_out($1::text[], "
                         "$2::text[])",
                         2, (const char *const[]){kinds, list}, &r, err);
    if (rc < 0)
        return rc;
    int64_t heard = store_number(r, 0, 0), outside = store_number(r, 0, 1);
    if (outside > 0 && outside == heard)
        rc = err_set_field(err, EEXIST, "would_shut_out", "force",
                           "this list would shut out every sender that connected by TLS within the "
                           "last hour, %lld in all: %s",
                           (long long)heard, PQgetvalue(r, 0, 2));
    else if (outside > 0)
        rc = err_set_field(err, EEXIST, "would_shut_out", "force",
                           "this list would shut out %lld of the %lld senders that connected by "
                           "TLS within the last hour: %s",
                           (long long)outside, (long long)heard, PQgetvalue(r, 0, 2));
    PQclear(r);
    return rc;
}

/* Whether the receiver has an authority.  1, 0, or negative and *err. */
static int has_authority(PGconn *c, struct err *err)
{
    PGresult *r = NULL;
    int rc = report_rows(c, REPORT_TLS_CLIENT_CAS, NULL, &r, err);
    if (rc == 0)
        rc = PQntuples(r) > 0;
    PQclear(r);
    return rc;
}

int tls_check_clients(PGconn *c, const char *clients, struct err *err)
{
    PGresult *r = NULL;
    if (strcmp(clients, "none") == 0)
        return 0;
    int rc = has_authority(c, err);
    if (rc != 0)
        return MIN(rc, 0);
    rc = store_query(c,
                     "select exists (select from azekura.tls_allowed where kind = 'fingerprint')",
                     0, NULL, &r, err);
    if (rc == 0 && strcmp(PQgetvalue(r, 0, 0), "t") != 0)
        rc = err_set_field(err, EINVAL, "bad_value", "receiver.tls_clients",
                           "receiver.tls_clients: with %s senders' certificates are checked, but "
                           "there is neither an authority nor an allowed fingerprint to check them "
                           "by: add one first",
                           clients);
    PQclear(r);
    return rc;
}

static int check_something_left(PGconn *c, const char *clients, const struct tls_allowed *list,
                                size_t n, struct err *err)
{
    bool has_fingerprint = strcmp(clients, "none") == 0;
    for (size_t i = 0; i < n && !has_fingerprint; i++)
        has_fingerprint = list[i].is_fingerprint;
    int rc = has_fingerprint ? 1 : has_authority(c, err);
    if (rc == 0)
        rc = err_set_field(err, EINVAL, "bad_value", "allowed",
                           "allowed: receiver.tls_clients is %s, and without a fingerprint here or "
                           "an authority there is nothing to check senders' certificates by",
                           clients);
    return MIN(rc, 0);
}

int tls_set_allowed(PGconn *c, const char *actor, const char *clients,
                    const struct tls_allowed *list, size_t n, bool is_forced, struct err *err)
{
    struct buf kinds = BUF_INIT(LIST_MAX_BYTES), values = BUF_INIT(LIST_MAX_BYTES),
               notes = BUF_INIT(LIST_MAX_BYTES);
    int64_t rc = 0;
    if (n > TLS_ALLOWED_MAX)
        rc = err_set_field(err, EINVAL, "bad_value", "allowed",
                           "allowed: there are %zu, more than %d", n, TLS_ALLOWED_MAX);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = check_allowed(&list[i], i + 1, &kinds, &values, &notes, err);
    array_end(&kinds);
    array_end(&values);
    array_end(&notes);
    if (rc == 0 && (kinds.is_full || values.is_full || notes.is_full))
        rc = err_set(err, E2BIG, "too_large", "the list is larger than %u bytes", LIST_MAX_BYTES);
    if (rc == 0)
        rc = check_twice(c, buf_str(&kinds), buf_str(&values), err);
    if (rc == 0)
        rc = check_something_left(c, clients, list, n, err);
    if (rc == 0 && n > 0 && !is_forced)
        rc = check_shut_out(c, buf_str(&kinds), buf_str(&values), err);
    if (rc == 0) {
        const char *parameters[] = {actor, buf_str(&kinds), buf_str(&values), buf_str(&notes)};
        rc = store_execute(c,
                           "select azekura.set_tls_allowed($1, $2::text[], $3::text[], $4::text[])",
                           4, parameters, err);
    }
    buf_free(&kinds);
    buf_free(&values);
    buf_free(&notes);
    return rc < 0 ? (int)rc : 0;
}

static struct view cell(const PGresult *r, int row, int column)
{
    return view_of(PQgetvalue(r, row, column), (size_t)PQgetlength(r, row, column));
}

/* The list is locked. */
static int change_allowed(PGconn *c, const char *actor, const char *clients,
                          const struct tls_allowed *one, bool is_added, bool is_forced,
                          struct err *err)
{
    PGresult *r = NULL;
    char fingerprint[TLS_FINGERPRINT_TEXT_MAX];
    struct tls_allowed wanted = *one;
    if (one->is_fingerprint && tls_fingerprint(one->value, fingerprint) == 0)
        wanted.value = view_str(fingerprint);
    int rc = report_rows(c, REPORT_TLS_ALLOWED, NULL, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    size_t n = 0;
    struct tls_allowed *list = xcalloc((size_t)rows + 1, sizeof(*list));
    for (int i = 0; i < rows; i++) {
        struct tls_allowed *a = &list[n];
        *a = (struct tls_allowed){.is_fingerprint = strcmp(PQgetvalue(r, i, 0), "name") != 0,
                                  .value = cell(r, i, 1),
                                  .note = cell(r, i, 2)};
        n += a->is_fingerprint != wanted.is_fingerprint || !view_eq(a->value, wanted.value);
    }
    if (is_added)
        list[n++] = wanted;
    else if (n == (size_t)rows)
        rc = err_set_field(err, ENOENT, "not_found", "allowed", "the list has no %s \"%.*s\"",
                           wanted.is_fingerprint ? "fingerprint" : "name",
                           (int)MIN(wanted.value.n, (size_t)100), wanted.value.p);
    if (rc == 0)
        rc = tls_set_allowed(c, actor, clients, list, n, is_forced, err);
    free(list);
    PQclear(r);
    return rc;
}

int tls_change_allowed(PGconn *c, const char *actor, const char *clients,
                       const struct tls_allowed *one, bool is_added, bool is_forced,
                       struct err *err)
{
    int rc = list_version_begin(c, LIST_TLS_ALLOWED, NULL, err);
    if (rc < 0)
        return rc;
    int64_t locked = store_execute(c, "lock table azekura.tls_allowed in share row exclusive mode",
                                   0, NULL, err);
    rc = locked < 0 ? (int)locked
                    : change_allowed(c, actor, clients, one, is_added, is_forced, err);
    return list_version_end(c, rc, err);
}

int64_t tls_tidy(PGconn *c, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, "select azekura.tidy_tls()", 0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int64_t n = store_number(r, 0, 0);
    PQclear(r);
    return n;
}
