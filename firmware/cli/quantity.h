/* Numbers as people write them: "2000", "1.5", "240GB". */
#ifndef AZEKURA_CLI_QUANTITY_H
#define AZEKURA_CLI_QUANTITY_H

#include "base/err.h"
#include "base/view.h"
#include "config/config.h"

/* A decimal number ≥ 0.  0, or -EINVAL and *err. */
MUST_USE int quantity_number(struct view text, double *ret, struct err *err);
/* The same with kB, MB, GB, TB, PB (powers of ten), KiB, MiB, GiB, TiB, PiB (of 1024), B or nothing
 * behind it, in any case of letters, a blank between.  "240G" is refused: it may mean either. */
MUST_USE int quantity_bytes(struct view text, double *ret, struct err *err);
/* The same with a "%" behind it, or not. */
MUST_USE int quantity_percent(struct view text, double *ret, struct err *err);

#define QUANTITY_VALUE_MAX 300
/* A setting's value as people write it → as the table of settings takes it: "240GB" for bytes, "20
 * %", "30 days", "warning" for a severity.  What is none of these is passed on as it is;
 * config_set() says what is wrong with it.  Returns out. */
const char *quantity_of_setting(const struct setting *s, const char *text,
                                char out[QUANTITY_VALUE_MAX]);

#endif
