/* The receiver's detail as Prometheus text: a table of members and the names they have there. */
#include "web/metrics.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>

#include "web/body.h"

#define LABEL_MAX 32   /* of a listener, a stage or a reason */
#define ENTRIES_MAX 64 /* of a list or an object of reasons */

/* `path`: members, one in the other; those of a list are given with the label `label` that its
 * members' "name" says.  A member that is missing, null or no number is left out. */
static const struct metric {
    const char *path, *label, *name, *type, *help;
} metrics[] = {
    {"listeners.received", "listener", "azekura_listener_messages_total", "counter",
     "Messages cut from a listener's sockets since the receiver started."},
    {"listeners.bytes", "listener", "azekura_listener_bytes_total", "counter",
     "Bytes read from a listener's sockets since the receiver started."},
    {"listeners.connections", "listener", "azekura_listener_connections", "gauge",
     "Open connections of a listener."},
    {"listeners.buffer_bytes", "listener", "azekura_listener_buffer_bytes", "gauge",
     "Receive buffer granted by the kernel."},
    {"listeners.buffer_used", "listener", "azekura_listener_buffer_used_bytes", "gauge",
     "Of the receive buffer: in use."},
    {"listeners.kernel_dropped", "listener", "azekura_listener_kernel_dropped_total", "counter",
     "Datagrams the kernel dropped since the receiver started."},
    {"listeners.flood_dropped", "listener", "azekura_listener_flood_dropped_total", "counter",
     "Of azekura_listener_kernel_dropped_total: those of flooding senders."},
    {"listeners.flooding_sources", "listener", "azekura_listener_flooding_sources", "gauge",
     "Senders whose flood is kept apart from the others now."},
    {"stages.units", "stage", "azekura_stage_units", "gauge", "Units of messages in a stage."},
    {"stages.messages", "stage", "azekura_stage_messages", "gauge", "Messages in a stage."},
    {"stages.bytes", "stage", "azekura_stage_bytes", "gauge", "Bytes in a stage."},
    {"stages.limit_bytes", "stage", "azekura_stage_limit_bytes", "gauge",
     "Bytes a stage may have."},
    {"journal.bytes", NULL, "azekura_journal_bytes", "gauge", "Size of the receiver's journal."},
    {"journal.used", NULL, "azekura_journal_used_bytes", "gauge", "Of the journal: in use."},
    {"spool.bytes", NULL, "azekura_spool_bytes", "gauge", "Bytes in the spool."},
    {"spool.max_bytes", NULL, "azekura_spool_max_bytes", "gauge", "Bytes the spool may have."},
    {"spool.units", NULL, "azekura_spool_units", "gauge", "Units of messages in the spool."},
    {"spool.messages", NULL, "azekura_spool_messages", "gauge", "Messages in the spool."},
    {"spool.torn", NULL, "azekura_spool_torn_records", "gauge",
     "Records cut off because they were torn when the receiver or the machine died."},
    {"spool.aside", NULL, "azekura_spool_aside_files", "gauge",
     "Files of the spool that were set aside because they are damaged."},
    {"tls.handshakes", NULL, "azekura_tls_handshakes_total", "counter",
     "TLS handshakes completed."},
    {"tls.resumed", NULL, "azekura_tls_resumed_total", "counter", "Of them: resumed sessions."},
    {"tls.open", NULL, "azekura_tls_connections", "gauge", "Open TLS connections."},
    {"tls.half_open", NULL, "azekura_tls_half_open", "gauge", "TLS handshakes going on."},
    {"tls.failed", "reason", "azekura_tls_failed_total", "counter",
     "TLS handshakes that failed, by reason."},
    {"connections.turned_away", "reason", "azekura_connections_turned_away_total", "counter",
     "Connections that were not taken, by reason."},
    {"connections.idle_closed", NULL, "azekura_connections_idle_closed_total", "counter",
     "Connections closed because nothing came."},
    {"connections.slow_closed", NULL, "azekura_connections_slow_closed_total", "counter",
     "Connections closed because a message was not finished in time."},
    {"senders.known", NULL, "azekura_senders_known", "gauge",
     "Senders the receiver remembers now."},
    {"senders.limited", NULL, "azekura_senders_limited", "gauge",
     "Senders over their rate limit now."},
    {"senders.refused", NULL, "azekura_senders_refused", "gauge",
     "Senders that are not allowed, heard lately."},
    {"gaps.missing", NULL, "azekura_sequence_missing_total", "counter",
     "Messages missing by their sequence numbers since the receiver started."},
    {"gaps.repeated", NULL, "azekura_sequence_repeated_total", "counter",
     "Messages that came again, by their sequence numbers, since the receiver started."},
    {"machine.softnet_dropped", NULL, "azekura_machine_softnet_dropped_total", "counter",
     "Packets of all programs that the machine dropped before any socket, a processor's queue "
     "being "
     "full, since the receiver started."},
    {"machine.udp_buffers_full", NULL, "azekura_machine_udp_buffers_full_total", "counter",
     "Datagrams of all programs for which a receive buffer was full, ours among them, since the "
     "receiver started."},
    {"machine.udp_damaged", NULL, "azekura_machine_udp_damaged_total", "counter",
     "Datagrams of all programs with a wrong checksum or without memory since the receiver "
     "started."},
    {"threads.lanes", NULL, "azekura_receiver_lanes", "gauge", "Receiving threads."},
    {"threads.packers", NULL, "azekura_receiver_packers", "gauge", "Threads that pack blocks."},
};

/* Nothing in it needs escaping, and it is short. */
static bool is_label(const char *text)
{
    size_t n = 0;
    for (; text && text[n]; n++)
        if (n == LABEL_MAX || !(isalnum((unsigned char)text[n]) || text[n] == '_'))
            return false;
    return n > 0;
}

static void add_number(struct buf *out, const struct metric *m, const char *label,
                       const cJSON *number)
{
    if (!cJSON_IsNumber(number) || !isfinite(number->valuedouble))
        return;
    if (label)
        buf_printf(out, "%s{%s=\"%s\"} %.0f\n", m->name, m->label, label, number->valuedouble);
    else
        buf_printf(out, "%s %.0f\n", m->name, number->valuedouble);
}

static void add_metric(struct buf *out, const struct metric *m, const cJSON *detail)
{
    char outer[32];
    const char *dot = strchr(m->path, '.');
    const cJSON *item;
    int entries = 0;
    snprintf(outer, sizeof(outer), "%.*s", (int)(dot - m->path), m->path);
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(detail, outer);
    if (!object)
        return;
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, dot + 1);
    if (!m->label) {
        add_number(out, m, NULL, member);
        return;
    }
    const cJSON *list = cJSON_IsArray(object) ? object : member;
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name");
        const char *label = cJSON_IsArray(object) ? cJSON_GetStringValue(name) : item->string;
        if (is_label(label) && entries++ < ENTRIES_MAX)
            add_number(out, m, label,
                       cJSON_IsArray(object) ? cJSON_GetObjectItemCaseSensitive(item, dot + 1)
                                             : item);
    }
}

/* 1 for a listener that is open everywhere it should be, as far as that is known. */
static void add_up(struct buf *out, const cJSON *detail, bool is_current)
{
    const cJSON *listeners = cJSON_GetObjectItemCaseSensitive(detail, "listeners"), *item;
    buf_add_str(out, "# HELP azekura_listener_up A listener is open at all its addresses.\n"
                     "# TYPE azekura_listener_up gauge\n");
    cJSON_ArrayForEach(item, listeners)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
        bool is_bound = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(item, "bound")) > 0;
        bool has_error = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(item, "error"));
        if (is_label(name) && (is_bound || has_error))
            buf_printf(out, "azekura_listener_up{listener=\"%s\"} %d\n", name,
                       is_current && !has_error);
    }
}

static void add_spool_state(struct buf *out, const cJSON *detail)
{
    static const char *const states[] = {"idle", "filling", "draining", "full"};
    const char *state = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(detail, "spool"), "state"));
    if (!state)
        return;
    buf_add_str(out, "# HELP azekura_spool_state What the spool is doing: one of them is 1.\n"
                     "# TYPE azekura_spool_state gauge\n");
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        buf_printf(out, "azekura_spool_state{state=\"%s\"} %d\n", states[i],
                   strcmp(states[i], state) == 0);
}

void metrics_write_detail(struct buf *out, struct view text, bool is_current)
{
    cJSON *detail = body_parse(text);
    if (!detail)
        return;
    for (size_t i = 0; i < ARRAY_LEN(metrics) && is_current; i++)
        add_metric(out, &metrics[i], detail);
    add_up(out, detail, is_current);
    if (is_current)
        add_spool_state(out, detail);
    cJSON_Delete(detail);
}
