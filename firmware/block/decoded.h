/* A column as block_load leaves it: checked, so that the accessors need not.  Private to block/. */
#ifndef AZEKURA_BLOCK_DECODED_H
#define AZEKURA_BLOCK_DECODED_H

#include "block/block.h"

struct seq_run {
    uint64_t seq;
    uint32_t row; /* the first one */
};

/* Only the members of the column's kind are set. */
struct block_decoded {
    int64_t *times;    /* TIMES, REPORTED: a row each */
    uint8_t *bytes;    /* LISTENERS … FLAGS: a row each */
    uint16_t *rows;    /* dictionaries: entry of each row */
    uint32_t entries;  /* dictionaries; entry 0 of a text dictionary is null */
    uint32_t *offsets; /* dictionaries: entry e > 0 is text[offsets[e - 1]] … [offsets[e]];
                        * texts: the k-th is text[offsets[k]] … [offsets[k + 1]] */
    const char *text;
    uint32_t *order;         /* texts: the row of the k-th (grouping.h); NULL: row k */
    uint32_t *place;         /* texts: which is row i's; NULL with order */
    uint8_t *nulls;          /* texts: bit i set: row i is null; NULL: none is */
    struct ip *sources;      /* SOURCES: entries of them */
    uint16_t *layout_fields; /* LAYOUTS: what layout_fields gives for each entry */
    struct seq_run *runs;    /* SEQ */
    uint32_t runs_n;
};

#endif
