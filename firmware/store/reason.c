/* The names of the reasons. */
#include "store/reason.h"

const char *reason_name(unsigned reason)
{
#define REASON_TEXT(id, name) #name,
    static const char *const names[REASON_COUNT] = {REASON_LIST(REASON_TEXT)};
#undef REASON_TEXT
    return reason < REASON_COUNT ? names[reason] : NULL;
}
