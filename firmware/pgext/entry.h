/* Rows of blocks as rows of azekura.logs. */
#ifndef AZEKURA_ENTRY_H
#define AZEKURA_ENTRY_H

#include "pgext/scan.h"

/* Attributes of azekura.logs, from 0. */
enum entry_field {
    ENTRY_RECEIVED_AT,
    ENTRY_REPORTED_AT,
    ENTRY_SOURCE,
    ENTRY_LISTENER,
    ENTRY_FACILITY,
    ENTRY_SEVERITY,
    ENTRY_HOSTNAME,
    ENTRY_APP_NAME,
    ENTRY_PROCID,
    ENTRY_MSGID,
    ENTRY_STRUCTURED_DATA,
    ENTRY_MESSAGE,
    ENTRY_FORMAT,
    ENTRY_ID,
    ENTRY_FIELDS
};

#define ENTRY_ALL_FIELDS ((1u << ENTRY_FIELDS) - 1)

/* Makes Datums of rows.  Text of dictionary columns is made once a distinct value and block. */
struct entry_maker {
    uint32_t fields; /* bit of enum entry_field: wanted; the others become null */
    /* whose Datums these are; a block at the same address may be another one or read again */
    const struct scan_block *block;
    uint64_t load;
    Datum *dictionaries[BLOCK_COLUMNS]; /* of `block`, in its columns' context; 0: not made yet */
};

/* The columns that the fields are made from, bits of enum block_column. */
uint32_t entry_columns(uint32_t fields);
/* Values that are not a dictionary's are palloc'd in CurrentMemoryContext; the rest is valid until
 * the scan moves on.  For a block that matched as a whole without being opened, no field may be
 * wanted. */
void entry_make(struct entry_maker *m, const struct scan_block *b, uint32_t row,
                Datum values[ENTRY_FIELDS], bool nulls[ENTRY_FIELDS]);
Datum entry_inet(const struct ip *ip);

/* ERROR unless a row of `desc` has exactly the fields of azekura.logs. */
void entry_check_desc(TupleDesc desc);
/* The record that query_matches() reads, from a row of azekura.logs. */
struct record;
void entry_record(HeapTupleHeader row, struct record *ret);

/* The fields of one enum, for messages and tests: "received_at", … */
const char *entry_field_name(enum entry_field f);

#endif
