/* Passwords that a client sends: the brake on wrong ones, and how many are hashed at once.  Used
 * wherever a password is looked at, so that no door is wider than the log-in. */
#ifndef AZEKURA_WEB_PASSWORD_H
#define AZEKURA_WEB_PASSWORD_H

#include "web/request.h"

/* Count the try (account_login_begin); `account` NULL: no account can have the name that was sent.
 * Connected.  0 to go on, or the reply has been given (-1). */
MUST_USE int password_begin_try(struct request *rq, const char *account, const char *address);
/* A turn at the hashing of passwords; false: too many wait already, the reply has been given. */
MUST_USE bool password_begin_hashing(struct request *rq);
void password_end_hashing(struct request *rq);
/* Is it the account's password?  The try is counted and stays so until account_login_done().  It
 * takes as long whether or not there is such an account; the connection is given back meanwhile.
 * 1 or 0; or the reply has been given (-1). */
MUST_USE int password_check(struct request *rq, const char *account, const char *address,
                            struct view password);

#endif
