/* How a unit is written for the server: COPY data and array parameters.  Pure; for unit.c. */
#ifndef AZEKURA_STORE_UNIT_ENCODE_H
#define AZEKURA_STORE_UNIT_ENCODE_H

#include "store/unit.h"

/* Parameters of azekura.count_unit(), in its order, as array literals. */
enum { COUNT_PARAMETERS = 8 };
struct count_parameters {
    struct buf text[COUNT_PARAMETERS];
};
/* 0, or -ENOSPC; free with count_parameters_free in any case. */
MUST_USE int count_parameters_make(const struct unit_row *rows, size_t n,
                                   struct count_parameters *ret);
void count_parameters_free(struct count_parameters *p);

#endif
