/* The order in which texts are stored: the rows of one app_name together, in the order of its
 * entries in the dictionary, and within one app_name the rows as they came.  Messages of one
 * program are alike, so their text takes a sixth less than in the order of arrival, and compresses
 * quicker.  Private to block/. */
#ifndef AZEKURA_BLOCK_GROUPING_H
#define AZEKURA_BLOCK_GROUPING_H

#include "base/base.h"

/* `entries` of app_name (null included) and the entry of each of n rows, each below `entries`;
 * `starts` is scratch for `entries` numbers.  True and ret_order[k], the row whose text is the
 * k-th; or false when that is the order of the rows, with ret_order untouched.  A counting sort. */
bool grouping_order(const uint16_t *rows, uint32_t n, uint32_t entries, uint32_t *starts,
                    uint32_t *ret_order);

#endif
