/* How the functions of sql/migrations about sources say what is wrong: a row (code, field,
 * message), none or nulls where nothing is. */
#ifndef AZEKURA_STORE_SOURCE_FAULT_H
#define AZEKURA_STORE_SOURCE_FAULT_H

#include "store/connection.h"

/* 0; -EINVAL "bad_value", -ENOENT "not_found", -EEXIST for any other code, and *err. */
MUST_USE int source_fault(const PGresult *r, struct err *err);

#endif
