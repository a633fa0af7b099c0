/* The parameters of azekura.count_rates() for a unit: one call a minute of arrival, in the
 * transaction that stores the unit.  Pure; unit.c makes the calls.
 *
 * What is stored comes from the counts of the unit's blocks, what arrived and was refused from its
 * ledger rows, what the kernel dropped from its drops. */
#ifndef AZEKURA_STORE_UNIT_RATES_H
#define AZEKURA_STORE_UNIT_RATES_H

#include "base/buf.h"
#include "block/counts.h"
#include "store/unit.h"

struct unit_rates_block {
    const struct block_counts *counts;
    uint64_t stored_bytes; /* of the block, as claim_unit() is told */
    uint8_t source_group;  /* the benchmark's block counts in no name and in no disk bytes */
};

enum { UNIT_RATES_PARAMETERS = 7 };

struct unit_rates_call {
    int64_t minute_us;
    struct buf text[UNIT_RATES_PARAMETERS];
    const char *values[UNIT_RATES_PARAMETERS]; /* for PQexecParams, borrowed from `text` */
};

struct unit_rates {
    struct unit_rates_call *calls; /* by minute */
    size_t n;
};

/* The statement whose parameters a call's `values` are. */
extern const char unit_rates_sql[];

/* Cannot fail: names beyond RATE_NAMES_A_UNIT of the whole unit go to the others.  The caller owns
 * *ret; unit_rates_free. */
void unit_rates_make(const struct unit_rates_block *blocks, size_t blocks_n,
                     const struct unit_row *rows, size_t rows_n, const struct unit_drop *drops,
                     size_t drops_n, struct unit_rates *ret);
void unit_rates_free(struct unit_rates *r);

#endif
