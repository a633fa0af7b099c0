/* Reading a password. */
#ifndef AZEKURA_CLI_PASSWORD_H
#define AZEKURA_CLI_PASSWORD_H

#include "base/err.h"
#include "store/account.h"

/* On a terminal: asked for twice, not shown, also when a signal ends the program the terminal is as
 * before. Piped: the first line of standard input.  0 and *ret, NUL-terminated, or -EINVAL and
 * *err. */
MUST_USE int password_read(const char *account, char ret[PASSWORD_MAX_BYTES + 1], struct err *err);

#endif
