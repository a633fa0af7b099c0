/* Texts of one program together. */
#include "block/grouping.h"

static bool is_sorted(const uint16_t *rows, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && rows[i - 1] <= rows[i])
        i++;
    return i >= n;
}

bool grouping_order(const uint16_t *rows, uint32_t n, uint32_t entries, uint32_t *starts,
                    uint32_t *ret_order)
{
    if (is_sorted(rows, n))
        return false;
    memset(starts, 0, entries * sizeof(*starts));
    for (uint32_t i = 0; i < n; i++)
        starts[rows[i]]++;
    uint32_t at = 0;
    for (uint32_t e = 0; e < entries; e++) {
        uint32_t rows_of_entry = starts[e];
        starts[e] = at;
        at += rows_of_entry;
    }
    for (uint32_t i = 0; i < n; i++)
        ret_order[starts[rows[i]]++] = i;
    return true;
}
