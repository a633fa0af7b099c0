/* Messages as text for people and as JSON for programs. */
#include "cli/entry.h"

#include "base/record.h"
#include "cli/text.h"
#include "cli/when.h"

void entry_add_text(struct buf *out, const struct search_entry *e, const struct zone *zone)
{
    char at[WHEN_MAX];
    const char *facility = facility_name((unsigned)e->facility),
               *severity = severity_name((unsigned)e->severity);
    when_format(e->received_at_us, zone, at);
    buf_printf(out, "%s ", at);
    text_add_visible(out, e->source);
    buf_printf(out, " %s.%s", facility ? facility : "?", severity ? severity : "?");
    if (!view_is_null(e->hostname)) {
        buf_add_char(out, ' ');
        text_add_visible(out, e->hostname);
    }
    if (!view_is_null(e->app_name)) {
        buf_add_char(out, ' ');
        text_add_visible(out, e->app_name);
    }
    if (!view_is_null(e->procid)) {
        buf_add_str(out, view_is_null(e->app_name) ? " [" : "[");
        text_add_visible(out, e->procid);
        buf_add_char(out, ']');
    }
    if (!view_is_null(e->msgid)) {
        buf_add_char(out, ' ');
        text_add_visible(out, e->msgid);
    }
    if (!view_is_null(e->structured_data)) {
        buf_add_char(out, ' ');
        text_add_visible(out, e->structured_data);
    }
    buf_add_str(out, ": ");
    text_add_visible(out, e->message);
}

static void add_time(struct buf *out, const char *name, int64_t us)
{
    char at[RFC3339_MAX];
    buf_printf(out, "\"%s\":", name);
    if (us == TIME_NONE) {
        buf_add_str(out, "null");
        return;
    }
    rfc3339_format(us, at);
    buf_printf(out, "\"%s\"", at);
}

static void add_field(struct buf *out, const char *name, struct view v)
{
    buf_printf(out, ",\"%s\":", name);
    text_add_json(out, v);
}

void entry_add_json(struct buf *out, const struct search_entry *e)
{
    buf_add_char(out, '{');
    add_time(out, "received_at", e->received_at_us);
    buf_add_char(out, ',');
    add_time(out, "reported_at", e->reported_at_us);
    add_field(out, "source", e->source);
    add_field(out, "listener", e->listener);
    buf_printf(out, ",\"facility\":%d,\"severity\":%d", e->facility, e->severity);
    add_field(out, "hostname", e->hostname);
    add_field(out, "app_name", e->app_name);
    add_field(out, "procid", e->procid);
    add_field(out, "msgid", e->msgid);
    add_field(out, "structured_data", e->structured_data);
    add_field(out, "message", e->message);
    add_field(out, "format", e->format);
    add_field(out, "id", e->id);
    buf_add_char(out, '}');
}
