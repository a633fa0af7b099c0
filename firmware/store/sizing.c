/* The arithmetic of "which storage do I need?". */
#include "store/sizing.h"

#define DAY_S 86400.0
#define MONTH_DAYS 30.44 /* mean of a year's twelve */

void sizing_compute(const struct sizing_input *in, struct sizing *ret)
{
    double stored = in->stored_bytes > 0 ? in->stored_bytes : in->message_bytes * SIZING_RATIO;
    double share = in->share_percent / 100, high_water = in->high_water_percent / 100;
    CHECK(share > 0 && high_water > 0);
    *ret = (struct sizing){.day_bytes = in->rate * DAY_S * stored};
    ret->month_bytes = ret->day_bytes * MONTH_DAYS;
    ret->storage_needed_bytes =
        MAX(ret->month_bytes / share, in->keep_days * ret->day_bytes / high_water);
    if (in->storage_bytes > 0 && ret->day_bytes > 0) {
        ret->history_days = in->storage_bytes * high_water / ret->day_bytes;
        ret->month_share_percent = ret->month_bytes / in->storage_bytes * 100;
    }
}
