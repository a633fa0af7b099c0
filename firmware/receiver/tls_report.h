/* Whose certificates senders showed, told to the database (azekura.tls_sender).  The writer thread.
 */
#ifndef AZEKURA_RECEIVER_TLS_REPORT_H
#define AZEKURA_RECEIVER_TLS_REPORT_H

#include "receiver/tls_senders.h"
#include "store/unit.h"

/* Tell what lanes have noted since the last call, a part of it if there is much; costs no statement
 * when there is nothing.  What the database does not take is given back.  0, or negative and *err.
 */
MUST_USE int tls_report_senders(PGconn *c, struct tls_senders *senders,
                                const struct unit_patience *p, struct err *err);

#endif
