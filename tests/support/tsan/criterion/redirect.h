/* What the unit tests use of Criterion's redirections; see criterion.h. */
#ifndef AZEKURA_TESTS_TSAN_REDIRECT_H
#define AZEKURA_TESTS_TSAN_REDIRECT_H

#include <stdio.h>

/* From here on what the test writes to standard error is kept; failures are still printed. */
void cr_redirect_stderr(void);

/* What was kept, from its begin; the test's own until it ends. */
FILE *cr_get_redirected_stderr(void);

#endif
