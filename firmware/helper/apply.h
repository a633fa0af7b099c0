/* At each boot: what is set in /data/config becomes the files that the services read. */
#ifndef AZEKURA_HELPER_APPLY_H
#define AZEKURA_HELPER_APPLY_H

#include "helper/helper.h"

/* All of it, starting no program; a part that fails is logged and does not keep the others from
 * being done.  Returns how many failed. */
MUST_USE int apply_all(struct helper *h);

#endif
