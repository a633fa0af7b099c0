/* The reader of structured data, on any bytes (pairs_check.h). */
#include "pairs_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pairs_check_reader(pairs_sd, "", data, size);
    return 0;
}
