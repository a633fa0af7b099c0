/* How a unit is written for the server: COPY data and array parameters.  Pure; for unit.c. */
#ifndef AZEKURA_STORE_UNIT_ENCODE_H
#define AZEKURA_STORE_UNIT_ENCODE_H

#include "store/unit.h"

/* What the table will hold of a block, but for what PostgreSQL adds. */
uint64_t unit_stored_bytes(const struct block *b);

/* What the blocks of a unit are, for azekura.claim_unit(): source_groups, first_ats, messages,
 * raw_bytes, stored_bytes, as array literals of an element a block. */
enum { CLAIM_ARRAYS = 5 };
struct claim_arrays {
    struct buf text[CLAIM_ARRAYS];
};
void claim_arrays_make(const struct unit_block *blocks, size_t n, struct claim_arrays *ret);
void claim_arrays_free(struct claim_arrays *a);

/* Parameters of azekura.count_unit(), in its order, as array literals. */
enum { COUNT_PARAMETERS = 8 };
struct count_parameters {
    struct buf text[COUNT_PARAMETERS];
};
/* 0, or -ENOSPC; free with count_parameters_free in any case. */
MUST_USE int count_parameters_make(const struct unit_row *rows, size_t n,
                                   struct count_parameters *ret);
void count_parameters_free(struct count_parameters *p);

/* Parameters of azekura.count_gaps(), in its order: of the rows that have any. */
enum { GAP_PARAMETERS = 5 };
struct gap_parameters {
    struct buf text[GAP_PARAMETERS];
    size_t n; /* rows in it; 0: nothing to be counted */
};
/* 0, or -ENOSPC; free with gap_parameters_free in any case. */
MUST_USE int gap_parameters_make(const struct unit_row *rows, size_t n, struct gap_parameters *ret);
void gap_parameters_free(struct gap_parameters *p);

#endif
