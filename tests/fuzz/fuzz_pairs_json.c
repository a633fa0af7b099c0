/* The reader of JSON objects, on any bytes (pairs_check.h). */
#include "pairs_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pairs_check_reader(pairs_json, "", data, size);
    return 0;
}
