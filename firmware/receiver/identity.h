/* Who this box is to senders over TLS, and whom it believes: its private key and certificates, the
 * authorities that senders' certificates come from, and the list of senders that are let in.
 *
 *   STATE/receiver/tls/ (0700)
 *     identity.pem     private key, certificate, and the chain to (not including) a root: one file,
 *                      replaced by a rename, so that key and certificate are never of two kinds
 *     pending.pem      key and request (CSR) of a certificate that has been asked for elsewhere
 *     last_good.pem    a copy of the last identity.pem that passed its checks
 *     client_cas.pem   authorities, one after the other
 *     allowed          "name NAME" or "fingerprint SHA-256" a line; empty: whoever has a
 * certificate
 *
 * Private keys never leave the folder.  What people ask for comes from azekura.tls_request, is done
 * by the writer thread, and what came of it is written back and shown in azekura.tls_certificate.
 * An identity.pem that something else replaced (a tool that renews certificates) is noticed within
 * IDENTITY_LOOK_US; a file that does not pass its checks is said in an event, and the old one stays
 * in use.  README.md has more. */
#ifndef AZEKURA_RECEIVER_IDENTITY_H
#define AZEKURA_RECEIVER_IDENTITY_H

#include "base/clock.h"
#include "net/tls.h"
#include "receiver/state.h"
#include "store/unit.h"

#define IDENTITY_LOOK_US (2 * US_PER_SECOND)

/* One of the receiver; used by one thread at a time (main before the threads run, then the
 * writer). */
struct identity;

/* Opens the folder, making it if it is missing.  0, or negative and *err. */
MUST_USE int identity_open(const struct state *state, struct identity **ret, struct err *err);
void identity_close(struct identity **i);

/* Whether senders have to show certificates: then the last that these are checked by cannot be
 * taken away. */
void identity_set_clients(struct identity *i, enum tls_clients clients);

/* Whenever a TLS context is to be made: fills in what is ours and whom we believe (`clients` and
 * `min_version` are the caller's).  The first time it makes a self-signed certificate, for the
 * host's name and `names` (DNS names and addresses, separated by commas or blanks; what is neither
 * is left out).  Where identity.pem cannot be used the last good one is given.  The text in *ret is
 * valid until the next call.  0, or negative and *err. */
MUST_USE int identity_load(struct identity *i, const char *names, struct tls_options *ret,
                           struct err *err);

/* Writer thread, after each connect, on NOTIFY azekura_tls and at least each IDENTITY_LOOK_US: do
 * what is asked for, look whether the files have changed, report, and warn of an expiry that comes
 * near.  Costs a stat and no statement when nothing is due.  `has_news`: the database said that
 * there is something to do.  `c` NULL: the database is away; then only the files are looked at.
 * Returns 1 when what identity_load() gives has changed, 0 when not, or negative and *err as
 * unit_query(). */
MUST_USE int identity_serve(struct identity *i, PGconn *c, const struct unit_patience *p,
                            bool has_news, struct err *err);

#endif
