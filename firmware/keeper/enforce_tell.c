/* Changes that the rule sees, and their events. */
#include "keeper/enforce_tell.h"

#include "store/event.h"

#define GUARD_QUIET_US (7 * US_PER_DAY) /* a full box deletes its oldest day every day: no news */

int tell_clock_doubted(PGconn *c, const struct clock_reference *ref, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    (void)rfc3339_format(ref->from_us, from);
    (void)rfc3339_format(ref->to_us, to);
    struct event_params params = {.text = {"from", from, "to", to}, .n = 2};
    return event_add(c, EVENT_CLOCK_DOUBTED, &params, err);
}

int tell_clock_trusted(PGconn *c, const char *why, struct err *err)
{
    struct event_params params = {.text = {"why", why}, .n = 1};
    return event_add(c, EVENT_CLOCK_TRUSTED, &params, err);
}

int tell_shed(PGconn *c, const char *group, int from, struct err *err)
{
    struct number_text severity = number_text(from);
    struct event_params params = {.text = {"group", group, "severity", severity.text},
                                  .n = from < 8 ? 2 : 1};
    return event_add(c, from < 8 ? EVENT_RETENTION_SHED : EVENT_RETENTION_SHED_ENDED, &params, err);
}

static int tell_state(PGconn *c, const struct retention *r, struct retention_status *status,
                      struct err *err)
{
    int64_t day_bytes[FORECAST_DAYS];
    struct forecast_input in;
    struct forecast f;
    retention_forecast_input(r, day_bytes, &in);
    forecast_month(&in, &f);
    enum retention_state before = status->state,
                         state = rule_state(r, f.basis == FORECAST_NONE ? -1 : f.bytes);
    bool is_first = status->month == 0;
    if (!is_first && state != before) {
        char month[16];
        snprintf(month, sizeof(month), "%04d-%02d", r->month / 100, r->month % 100);
        struct number_text used = number_text(retention_month_bytes(r, r->month, -1)),
                           budget = number_text(r->budget_bytes);
        struct event_params params = {
            .text = {"month", month, "from", retention_state_names[before], "to",
                     retention_state_names[state], "used", used.text, "budget", budget.text},
            .n = 5,
        };
        int rc = event_add(c, EVENT_RETENTION_STATE, &params, err);
        if (rc < 0)
            return rc;
    }
    status->month = r->month;
    status->state = state;
    return 0;
}

static int tell_guard(PGconn *c, const struct retention *r, int64_t guarded_us,
                      const struct retention_status *status, struct err *err)
{
    int64_t used = rule_used_bytes(r);
    bool is_news = status->guarded_us != TIME_NONE && status->guarded_us != guarded_us &&
                   (guarded_us == TIME_NONE || r->now_us - guarded_us > GUARD_QUIET_US);
    if (!is_news || used + rule_guard_margin_bytes(r) <= r->high_water_bytes ||
        r->capacity_bytes <= 0)
        return 0;
    struct number_text percent = number_text(used / MAX(r->capacity_bytes / 100, INT64_C(1))),
                       limit = number_text(r->high_water_bytes /
                                           MAX(r->capacity_bytes / 100, INT64_C(1)));
    struct event_params params = {.text = {"percent", percent.text, "limit", limit.text}, .n = 2};
    return event_add(c, EVENT_STORAGE_HIGH_WATER, &params, err);
}

static int tell_file_system(PGconn *c, const struct retention *r, struct retention_status *status,
                            struct err *err)
{
    int64_t limit = rule_free_limit_bytes(r);
    bool was_full = status->full_since_us != TIME_NONE;
    bool is_full = r->fs_free_bytes < (was_full ? limit + limit / 2 : limit);
    if (is_full == was_full)
        return 0;
    struct number_text free_bytes = number_text(r->fs_free_bytes),
                       foreign = number_text(
                           MAX(r->fs_total_bytes - r->fs_free_bytes - retention_used_bytes(r),
                               INT64_C(0)));
    struct event_params params = {.text = {"free", free_bytes.text, "foreign", foreign.text},
                                  .n = is_full ? 2 : 1};
    int rc = event_add(c, is_full ? EVENT_STORAGE_FULL : EVENT_STORAGE_ROOM_AGAIN, &params, err);
    if (rc == 0)
        status->full_since_us = is_full ? r->now_us : TIME_NONE;
    return rc;
}

static int tell_held(PGconn *c, const struct rule_plan *plan, struct retention_status *status,
                     struct err *err)
{
    bool is_held = plan->held_bytes > 0;
    if (is_held == status->is_held)
        return 0;
    if (is_held) {
        struct number_text bytes = number_text(plan->held_bytes);
        struct event_params params = {.text = {"bytes", bytes.text}, .n = 1};
        int rc = event_add(c, EVENT_RETENTION_HELD, &params, err);
        if (rc < 0)
            return rc;
    }
    status->is_held = is_held;
    return 0;
}

int tell_changes(PGconn *c, const struct retention *r, const struct rule_plan *plan,
                 int64_t guarded_us, struct retention_status *status, struct err *err)
{
    int rc = tell_file_system(c, r, status, err);
    if (rc == 0)
        rc = tell_guard(c, r, guarded_us, status, err);
    if (rc == 0)
        rc = tell_held(c, plan, status, err);
    return rc < 0 ? rc : tell_state(c, r, status, err);
}
