/* The reader of CEF, on any bytes (pairs_check.h). */
#include "pairs_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pairs_check_reader(pairs_cef, "CEF:", data, size);
    return 0;
}
