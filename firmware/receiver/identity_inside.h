/* What identity.c and identity_requests.c share. */
#ifndef AZEKURA_RECEIVER_IDENTITY_INSIDE_H
#define AZEKURA_RECEIVER_IDENTITY_INSIDE_H

#include "receiver/certificate.h"
#include "receiver/identity.h"
#include "receiver/identity_files.h"
#include "store/tls.h"

#define IDENTITY_SELF_SIGNED_DAYS 3650 /* it is trusted as it is: an end brings no safety */

extern const char identity_file[], identity_good_file[], identity_pending_file[],
    identity_cas_file[], identity_allowed_file[], identity_warned_file[];

struct identity {
    char receiver[STATE_PATH_MAX]; /* the state folder, as the database knows us */
    struct identity_folder folder;
    /* paths that identity_load() gives out */
    char in_use[STATE_PATH_MAX], client_cas[STATE_PATH_MAX];

    struct identity_mark seen, cas_seen; /* of the files when they were looked at last */
    struct identity_mark bad;            /* said to be bad already, if is_bad_said */
    bool is_bad_said;
    bool is_wanted;  /* a TLS context has been asked for */
    bool is_changed; /* since identity_serve() said so last */
    bool is_report_due;
    enum tls_clients clients;
    int64_t look_mono_us; /* next */

    bool has_facts;
    struct certificate_facts facts; /* of the certificate in use */
    int warned_days;                /* the last warning about it; INT_MAX: none */

    struct buf allowed; /* the file's text; NULs in place of line ends once it is cut */
    const char **names, **fingerprints;
    size_t names_n, fingerprints_n;
};

/* Check a bundle, put it in place and use it.  0, or negative and *err: then the old one stays. */
MUST_USE int identity_install(struct identity *i, struct certificate_bundle *b, struct err *err);
/* Key and certificates of a file of the folder: 0 (certificate_bundle_free), -ENOENT, or negative
 * and *err. */
MUST_USE int identity_read_bundle(const struct identity *i, const char *name,
                                  struct certificate_bundle *ret, struct err *err);

/* Do what is asked for.  0 and what came of it in *answer, or negative and *err. */
MUST_USE int identity_handle(struct identity *i, const struct tls_request *r, struct buf *answer,
                             struct err *err);

/* Days of the warning that is due about the certificate in use (30, 14, 7, 1; 0: it has ended), or
 * -1; and that it was given, which a restart remembers. */
int identity_due_warning(struct identity *i, int64_t now_us);
void identity_warned(struct identity *i, int days);

#endif
