/* An error that an administrator or API client will read: a code of the module and one sentence
 * that names what, where and the offending value.  Every function with a last parameter `struct err
 * *err` fills it exactly when it returns a negative value; NULL is allowed. */
#ifndef AZEKURA_ERR_H
#define AZEKURA_ERR_H

#include "base/base.h"

struct err {
    char code[32];     /* stable, lower_case: "bad_value", "database_away" */
    char field[64];    /* the setting or parameter at fault, or "" */
    char message[512]; /* one sentence, no full stop */
};

/* Fill *err and return -error, to be used as `return err_set(err, EINVAL, "bad_value", "…");`. */
int err_set(struct err *err, int error, const char *code, const char *fmt, ...) PRINTF(4, 5);
/* The same, naming the field. */
int err_set_field(struct err *err, int error, const char *code, const char *field, const char *fmt,
                  ...) PRINTF(5, 6);
/* Put "cannot apply settings: " before the message while passing it on. */
void err_prefix(struct err *err, const char *fmt, ...) PRINTF(2, 3);

#endif
