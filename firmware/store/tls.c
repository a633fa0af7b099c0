/* Certificates in the database, the receiver's side. */
#include "store/tls.h"

#include "base/clock.h"
#include "store/array.h"
#include "store/connection.h"

enum { ARRAY_MAX_BYTES = 4 << 20, NAME_LINE_MAX = 256 };

static const char *const kind_names[] = {
    [TLS_REQUEST_CSR] = "csr",
    [TLS_REQUEST_SELF_SIGNED] = "self_signed",
    [TLS_REQUEST_INSTALL] = "install",
    [TLS_REQUEST_CLIENT_CA_ADD] = "client_ca_add",
    [TLS_REQUEST_CLIENT_CA_REMOVE] = "client_ca_remove",
};

static enum tls_request_kind kind_of(const char *name)
{
    unsigned i = 0;
    while (i < TLS_REQUEST_UNKNOWN && strcmp(kind_names[i], name) != 0)
        i++;
    return (enum tls_request_kind)i;
}

/* ---- requests ---- */

enum column {
    ID,
    KIND,
    COMMON_NAME,
    NAMES,
    ORGANIZATION,
    COUNTRY,
    KEY,
    PEM,
    FINGERPRINT,
    KEY_PEM,
    PKCS12_BASE64,
    PASSWORD,
};

static const char *text_or(const PGresult *r, enum column column, const char *absent)
{
    return PQgetisnull(r, 0, (int)column) ? absent : PQgetvalue(r, 0, (int)column);
}

int tls_request_next(PGconn *c, const struct unit_patience *p, struct tls_request *ret,
                     struct err *err)
{
    PGresult *r = NULL;
    int rc = unit_query(c,
                        "select id, kind, common_name, names, organization, country, key, pem,"
                        " fingerprint, key_pem, pkcs12_base64, password"
                        " from azekura.next_tls_request()",
                        0, NULL, p, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) == 0) {
        PQclear(r);
        return 0;
    }
    *ret = (struct tls_request){
        .id = store_number(r, 0, ID),
        .kind = kind_of(text_or(r, KIND, "")),
        .common_name = text_or(r, COMMON_NAME, ""),
        .names = text_or(r, NAMES, ""),
        .organization = text_or(r, ORGANIZATION, ""),
        .country = text_or(r, COUNTRY, ""),
        .key = text_or(r, KEY, ""),
        .pem = text_or(r, PEM, ""),
        .fingerprint = text_or(r, FINGERPRINT, ""),
        .key_pem = text_or(r, KEY_PEM, NULL),
        .pkcs12_base64 = text_or(r, PKCS12_BASE64, NULL),
        .password = text_or(r, PASSWORD, NULL),
        .result = r,
    };
    return 1;
}

void tls_request_done(struct tls_request *r)
{
    /* libpq hands out its own memory, which PQclear() does not wipe */
    for (int column = PEM; r->result && column <= PASSWORD; column++)
        explicit_bzero(PQgetvalue(r->result, 0, column), (size_t)PQgetlength(r->result, 0, column));
    PQclear(r->result);
    *r = (struct tls_request){0};
}

int tls_answer(PGconn *c, const struct unit_patience *p, int64_t id, const char *answer,
               const char *error, struct err *err)
{
    struct number_text number = number_text(id);
    const char *values[] = {number.text, answer, error};
    return unit_query(c, "select azekura.answer_tls($1, $2, $3)", ARRAY_LEN(values), values, p,
                      NULL, err);
}

/* ---- reports ---- */

static void add_lines(struct buf *list, const char *lines)
{
    while (*lines) {
        char line[NAME_LINE_MAX];
        size_t n = strcspn(lines, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)n, lines);
        array_add_text(list, line);
        lines += n + (lines[n] == '\n');
    }
    array_end(list);
}

static int query_with_names(PGconn *c, const struct unit_patience *p, const char *sql, int n,
                            const char **values, const char *names, struct err *err)
{
    struct buf list = BUF_INIT(ARRAY_MAX_BYTES);
    add_lines(&list, names);
    CHECK(!list.is_full);
    values[2] = buf_str(&list);
    int rc = unit_query(c, sql, n, values, p, NULL, err);
    buf_free(&list);
    return rc;
}

int tls_report_certificate(PGconn *c, const struct unit_patience *p, const char *receiver,
                           const struct tls_certificate_report *r, struct err *err)
{
    static const char sql[] =
        "select azekura.report_tls_certificate($1, $2, $3::text[], $4, $5::timestamptz,"
        " $6::timestamptz, $7, $8, $9::boolean, $10)";
    char from[RFC3339_MAX] = "", to[RFC3339_MAX] = "";
    const char *values[10] = {receiver};
    if (!r)
        return unit_query(c, sql, ARRAY_LEN(values), values, p, NULL, err);
    (void)rfc3339_format(r->not_before_us, from);
    (void)rfc3339_format(r->not_after_us, to);
    const char *given[10] = {receiver,       r->subject, NULL,
                             r->issuer,      from,       to,
                             r->fingerprint, r->key,     r->is_self_signed ? "true" : "false",
                             r->pem};
    return query_with_names(c, p, sql, ARRAY_LEN(given), given, r->names, err);
}

int tls_report_csr(PGconn *c, const struct unit_patience *p, const char *receiver,
                   const struct tls_certificate_report *r, int64_t made_at_us, struct err *err)
{
    static const char sql[] =
        "select azekura.report_tls_csr($1, $2, $3::text[], $4, $5::timestamptz, $6)";
    char made_at[RFC3339_MAX];
    const char *values[6] = {receiver};
    if (!r)
        return unit_query(c, sql, ARRAY_LEN(values), values, p, NULL, err);
    (void)rfc3339_format(made_at_us, made_at);
    const char *given[6] = {receiver, r->subject, NULL, r->key, made_at, r->pem};
    return query_with_names(c, p, sql, ARRAY_LEN(given), given, r->names, err);
}

int tls_report_client_cas(PGconn *c, const struct unit_patience *p, const char *receiver,
                          const struct tls_certificate_report *all, size_t n, struct err *err)
{
    enum { FINGERPRINTS, SUBJECTS, FROM, TO, PEMS, LISTS };
    struct buf lists[LISTS];
    const char *values[1 + LISTS] = {receiver};
    for (int i = 0; i < LISTS; i++)
        lists[i] = BUF_INIT(ARRAY_MAX_BYTES);
    for (size_t i = 0; i < n; i++) {
        char time[RFC3339_MAX];
        array_add_text(&lists[FINGERPRINTS], all[i].fingerprint);
        array_add_text(&lists[SUBJECTS], all[i].subject);
        (void)rfc3339_format(all[i].not_before_us, time);
        array_add_text(&lists[FROM], time);
        (void)rfc3339_format(all[i].not_after_us, time);
        array_add_text(&lists[TO], time);
        array_add_text(&lists[PEMS], all[i].pem);
    }
    for (int i = 0; i < LISTS; i++) {
        array_end(&lists[i]);
        CHECK(!lists[i].is_full);
        values[1 + i] = buf_str(&lists[i]);
    }
    int rc = unit_query(c,
                        "select azekura.report_tls_client_cas($1, $2::text[], $3::text[],"
                        " $4::timestamptz[], $5::timestamptz[], $6::text[])",
                        ARRAY_LEN(values), values, p, NULL, err);
    for (int i = 0; i < LISTS; i++)
        buf_free(&lists[i]);
    return rc;
}

/* ---- who may send ---- */

int tls_read_allowed(PGconn *c, const struct unit_patience *p, tls_allowed_fn each, void *context,
                     struct err *err)
{
    PGresult *r = NULL;
    struct number_text most = number_text(TLS_ALLOWED_MAX);
    const char *values[] = {most.text};
    int rc = unit_query(c,
                        "select kind, value from azekura.tls_allowed order by kind, value"
                        " limit $1::int",
                        ARRAY_LEN(values), values, p, &r, err);
    if (rc < 0)
        return rc;
    int n = PQntuples(r);
    for (int i = 0; i < n; i++)
        each(context, PQgetvalue(r, i, 0), PQgetvalue(r, i, 1));
    PQclear(r);
    return n;
}
