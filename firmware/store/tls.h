/* What the receiver does about certificates, in the database: what people ask of it, what it
 * answers, and what it has (azekura.tls_request and the reports beside it).  Reading for the
 * console is in report.h, asking in tls_admin.h.
 *
 * All run as azekura_receiver, with unit_query()'s patience and errors. */
#ifndef AZEKURA_STORE_TLS_H
#define AZEKURA_STORE_TLS_H

#include "store/unit.h"

enum tls_request_kind {
    TLS_REQUEST_CSR,
    TLS_REQUEST_SELF_SIGNED,
    TLS_REQUEST_INSTALL,
    TLS_REQUEST_CLIENT_CA_ADD,
    TLS_REQUEST_CLIENT_CA_REMOVE,
    TLS_REQUEST_UNKNOWN, /* of a newer database */
};

/* Text is "" where there is none. */
struct tls_request {
    int64_t id;
    enum tls_request_kind kind;
    const char *common_name, *organization, *country, *key;
    const char *names; /* one a line */
    const char *pem, *fingerprint;
    const char *key_pem, *pkcs12_base64, *password; /* secret; NULL where there is none */
    PGresult *result;                               /* holds the text */
};

/* The oldest one that waits.  1 and *ret (tls_request_done), 0: none, or negative and *err. */
MUST_USE int tls_request_next(PGconn *c, const struct unit_patience *p, struct tls_request *ret,
                              struct err *err);
/* Wipes what is secret. */
void tls_request_done(struct tls_request *r);
/* `error` NULL: it is done, and `answer` says what came of it; else the sentence why not. */
MUST_USE int tls_answer(PGconn *c, const struct unit_patience *p, int64_t id, const char *answer,
                        const char *error, struct err *err);

/* A certificate or request as it is shown.  Names: one a line. */
struct tls_certificate_report {
    const char *subject, *names, *issuer, *fingerprint, *key, *pem;
    int64_t not_before_us, not_after_us;
    bool is_self_signed;
};
/* `receiver`: its state folder.  NULL: it has none. */
MUST_USE int tls_report_certificate(PGconn *c, const struct unit_patience *p, const char *receiver,
                                    const struct tls_certificate_report *r, struct err *err);
/* The pending request; of *r subject, names, key and pem. */
MUST_USE int tls_report_csr(PGconn *c, const struct unit_patience *p, const char *receiver,
                            const struct tls_certificate_report *r, int64_t made_at_us,
                            struct err *err);
MUST_USE int tls_report_client_cas(PGconn *c, const struct unit_patience *p, const char *receiver,
                                   const struct tls_certificate_report *all, size_t n,
                                   struct err *err);

/* The list of senders that are let in, sorted: `each` gets "name" or "fingerprint", and the value.
 * Returns how many, or negative. */
typedef void (*tls_allowed_fn)(void *context, const char *kind, const char *value);
MUST_USE int tls_read_allowed(PGconn *c, const struct unit_patience *p, tls_allowed_fn each,
                              void *context, struct err *err);

#endif
