/* What people type and paste about certificates, looked at before the receiver is asked: pure. */
#ifndef AZEKURA_STORE_TLS_CHECK_H
#define AZEKURA_STORE_TLS_CHECK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/view.h"

/* A DNS name ("*." may stand in front of it) or an address, as it may stand in a certificate. */
bool tls_is_name(struct view name);
/* Take the private keys out of a PEM text: what is no key, and the keys, in two empty buffers of
 * the caller's, who wipes the second.  0, or -EINVAL and *err: a block does not end, or no
 * certificate is there, or more than TLS_CHAIN_MAX. */
MUST_USE int tls_split_pem(struct view pem, struct buf *ret_certificates, struct buf *ret_keys,
                           struct err *err);
/* SHA-256 as people paste it ("AB:CD:…", "ab cd …", "SHA256:…") as 64 digits in lower case.  0, or
 * -EINVAL. */
#define TLS_FINGERPRINT_TEXT_MAX 65
MUST_USE int tls_fingerprint(struct view text, char ret[TLS_FINGERPRINT_TEXT_MAX]);
/* Nothing but base64 and white space, and some of it. */
bool tls_is_base64(struct view text);

#endif
