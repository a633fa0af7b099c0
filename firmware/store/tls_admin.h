/* What people ask for about certificates: the receiver has the keys and does it
 * (azekura.tls_request), the audit log has who asked and how it ended.  Reading: report.h. */
#ifndef AZEKURA_STORE_TLS_ADMIN_H
#define AZEKURA_STORE_TLS_ADMIN_H

#include "base/view.h"
#include "store/connection.h"

/* Who a certificate is for.  Views may be null but for common_name. */
struct tls_subject {
    struct view common_name;  /* 1…64 characters */
    const struct view *names; /* DNS names and addresses; none: common_name, if it is one */
    size_t names_n;
    struct view organization; /* 1…64 characters */
    struct view country;      /* two letters */
    struct view key;          /* "ec-p256" or "rsa-3072"; null: the first */
};

/* A certificate that somebody else has signed.  The private key may stand in `pem`, too; it then
 * goes the way of `key_pem`.  Without any it belongs to the pending request. */
struct tls_upload {
    struct view pem;     /* certificate and chain; null with pkcs12_base64 */
    struct view key_pem; /* null: none */
    struct view pkcs12_base64;
    struct view password; /* of the key or the PKCS#12 file; null: none */
};

/* Each asks the receiver and gives the number of the request.  0, or -EINVAL and *err with the
 * field, -EEXIST when too many wait already, or another of store_query()'s. */
MUST_USE int tls_ask_csr(PGconn *c, const char *actor, const struct tls_subject *s, int64_t *ret,
                         struct err *err);
MUST_USE int tls_ask_self_signed(PGconn *c, const char *actor, const struct tls_subject *s,
                                 int64_t *ret, struct err *err);
MUST_USE int tls_ask_install(PGconn *c, const char *actor, const struct tls_upload *u, int64_t *ret,
                             struct err *err);
MUST_USE int tls_ask_client_ca(PGconn *c, const char *actor, struct view pem, int64_t *ret,
                               struct err *err);
/* `fingerprint`: SHA-256, hexadecimal; -ENOENT when the receiver has none such. */
MUST_USE int tls_ask_client_ca_removal(PGconn *c, const char *actor, struct view fingerprint,
                                       int64_t *ret, struct err *err);

/* Senders let in by certificate; an empty list: whoever an authority vouches for. */
struct tls_allowed {
    bool is_fingerprint; /* else the name in the certificate */
    struct view value;
    struct view note; /* may be null */
};
/* The whole list anew.  `clients`: the value of receiver.tls_clients in force.  -EINVAL when what
 * is left has nothing to check certificates by, though they are.  `is_forced` false: a list that
 * would shut out senders who connected by TLS within the last hour is -EEXIST "would_shut_out", and
 * *err says whom. */
MUST_USE int tls_set_allowed(PGconn *c, const char *actor, const char *clients,
                             const struct tls_allowed *list, size_t n, bool is_forced,
                             struct err *err);

/* One of the list added (in place of what there is of the same value) or, `is_added` false, removed
 * (-ENOENT where it is not there); nobody's change in between is lost.  A fingerprint may have
 * colons.  Of a role that may lock the list; else as tls_set_allowed(). */
MUST_USE int tls_change_allowed(PGconn *c, const char *actor, const char *clients,
                                const struct tls_allowed *one, bool is_added, bool is_forced,
                                struct err *err);

/* Whether receiver.tls_clients may be `clients`: with "optional" and "required" the receiver needs
 * an authority or an allowed fingerprint to check certificates by, or nobody could connect.  0, or
 * -EINVAL and *err. */
MUST_USE int tls_check_clients(PGconn *c, const char *clients, struct err *err);

/* Close what no receiver took within five minutes, with the keys that came with it, and forget what
 * is old.  Returns how many rows went, or negative and *err. */
MUST_USE int64_t tls_tidy(PGconn *c, struct err *err);

#endif
