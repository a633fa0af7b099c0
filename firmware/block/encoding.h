/* What writer and reader of the columns must agree on beyond README.md's byte tables.  Private to
 * block/. */
#ifndef AZEKURA_BLOCK_ENCODING_H
#define AZEKURA_BLOCK_ENCODING_H

#include "block/block.h"

/* Facility user, severity notice: what a message without PRI gets. */
#define DEFAULT_PRI 13
#define MAX_PRI 191

enum rows_mode { ROWS_ABSOLUTE = 0, ROWS_RELATIVE = 1 };
enum bytes_kind { BYTES_CONSTANT = 0, BYTES_PLAIN = 1 };

/* The value of every row of an absent byte column. */
static inline uint8_t encoding_default(enum block_column c)
{
    return c == COLUMN_PRI ? DEFAULT_PRI : 0;
}

/* reported_at is kept as the distance to received_at in the coarsest unit that it is a whole number
 * of: most devices write whole seconds, and then the distance is a small number or the same one. */
enum time_unit { UNIT_NONE = 0, UNIT_SECOND = 1, UNIT_MILLISECOND = 2, UNIT_MICROSECOND = 3 };

static inline int64_t encoding_unit_us(unsigned unit)
{
    return unit == UNIT_SECOND ? 1000000 : unit == UNIT_MILLISECOND ? 1000 : 1;
}

static inline unsigned encoding_unit_of(int64_t us)
{
    if (us == TIME_NONE)
        return UNIT_NONE;
    if (us % 1000 != 0)
        return UNIT_MICROSECOND;
    return us % 1000000 != 0 ? UNIT_MILLISECOND : UNIT_SECOND;
}

/* Whole units since the epoch, rounded down. */
static inline uint64_t encoding_in_units(int64_t us, unsigned unit)
{
    int64_t each = encoding_unit_us(unit);
    return (uint64_t)(us / each - (us % each < 0));
}

#endif
