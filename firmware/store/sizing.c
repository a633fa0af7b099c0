/* The arithmetic of "which storage do I need?". */
#include "store/sizing.h"

#define DAY_S 86400.0
#define MONTH_DAYS 30.44 /* mean of a year's twelve */

int sizing_check(const struct sizing_input *in, struct err *err)
{
    const struct {
        const char *field, *unit;
        double value, least, most;
    } figures[] = {
        {"rate", "messages a second", in->rate, 0, SIZING_RATE_MAX},
        {"bytes", "bytes a message", in->message_bytes, 0, SIZING_BYTES_MAX},
        {"stored_bytes", "bytes a message", in->stored_bytes, 0, SIZING_BYTES_MAX},
        {"days", "days", in->keep_days, 0, SIZING_DAYS_MAX},
        {"storage", "bytes", in->storage_bytes, 0, SIZING_STORAGE_MAX},
        {"share", "%", in->share_percent, 1, SIZING_SHARE_MAX},
        {"high_water", "%", in->high_water_percent, 30, SIZING_HIGH_WATER_MAX},
    };
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        double v = figures[i].value;
        if (!(v >= figures[i].least && v <= figures[i].most))
            return err_set_field(err, EINVAL, "bad_value", figures[i].field,
                                 "%s: %.15g is out of %.15g..%.15g %s", figures[i].field, v,
                                 figures[i].least, figures[i].most, figures[i].unit);
    }
    return 0;
}

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
