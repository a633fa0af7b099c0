/* Counting requests, and writing Prometheus text. */
#include "web/metrics.h"

#include <stdatomic.h>

#define ROUTES_MAX 96
#define CLASSES 6 /* 0 unused, 1xx … 5xx */

static atomic_ullong counts[ROUTES_MAX + 1][CLASSES]; /* the last row: pages */
static atomic_ullong malformed;

void metrics_count(const struct route *route, int status)
{
    CHECK(routes_n <= ROUTES_MAX);
    size_t row = route ? (size_t)(route - routes) : ROUTES_MAX;
    int class = status / 100;
    if (class >= 1 && class < CLASSES)
        atomic_fetch_add(&counts[row][class], 1);
}

void metrics_count_malformed(void)
{
    atomic_fetch_add(&malformed, 1);
}

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void value(struct buf *out, const char *name, const char *type, const char *help, int64_t n)
{
    head(out, name, type, help);
    buf_printf(out, "%s %lld\n", name, (long long)n);
}

void metrics_write_web(struct buf *out, int tails, int exports, int64_t uptime_us)
{
    head(out, "azekura_build_info", "gauge", "Version of the product.");
    buf_printf(out, "azekura_build_info{version=\"%s\"} 1\n", AZEKURA_VERSION);
    head(out, "azekura_web_requests_total", "counter", "Requests answered, by class of status.");
    for (size_t row = 0; row <= ROUTES_MAX; row++) {
        for (int class = 1; class < CLASSES; class ++) {
            unsigned long long n = atomic_load(&counts[row][class]);
            bool is_page = row == ROUTES_MAX;
            if (n > 0)
                buf_printf(out,
                           "azekura_web_requests_total{method=\"%s\",path=\"%s\",status=\"%dxx\"} "
                           "%llu\n",
                           is_page ? "GET" : routes[row].method, is_page ? "/" : routes[row].path,
                           class, n);
        }
    }
    value(out, "azekura_web_malformed_total", "counter", "Requests that could not be read.",
          (int64_t)atomic_load(&malformed));
    value(out, "azekura_web_tails", "gauge", "Live views open.", tails);
    value(out, "azekura_web_exports", "gauge", "Exports running.", exports);
    value(out, "azekura_web_uptime_seconds", "gauge", "Since the web daemon started.",
          uptime_us / US_PER_SECOND);
}

static void by_listener(struct buf *out, const char *name, const char *help,
                        const struct ledger_totals *t, size_t offset)
{
    head(out, name, "counter", help);
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        int64_t n;
        memcpy(&n, (const char *)&t->by_listener[l] + offset, sizeof(n));
        buf_printf(out, "%s{listener=\"%s\"} %lld\n", name, listener_name(l), (long long)n);
    }
}

void metrics_write_ledger(struct buf *out, const struct ledger_totals *t)
{
    by_listener(out, "azekura_messages_arrived_total", "Messages cut from the sockets.", t,
                offsetof(struct ledger_counts, arrived));
    by_listener(out, "azekura_messages_stored_total", "Messages stored.", t,
                offsetof(struct ledger_counts, stored));
    by_listener(out, "azekura_messages_truncated_total", "Stored messages that were cut.", t,
                offsetof(struct ledger_counts, truncated));
    by_listener(out, "azekura_message_bytes_total", "Bytes of the messages that arrived.", t,
                offsetof(struct ledger_counts, bytes));
    head(out, "azekura_messages_refused_total", "counter", "Messages refused, by reason.");
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        for (enum reason r = 0; r < REASON_COUNT; r++)
            buf_printf(out, "azekura_messages_refused_total{listener=\"%s\",reason=\"%s\"} %lld\n",
                       listener_name(l), reason_name(r), (long long)t->by_listener[l].refused[r]);
    }
    head(out, "azekura_kernel_dropped_total", "counter",
         "Messages the kernel dropped before the receiver saw them.");
    for (unsigned l = 0; l < LISTENER_COUNT; l++)
        buf_printf(out, "azekura_kernel_dropped_total{listener=\"%s\"} %lld\n", listener_name(l),
                   (long long)t->kernel_dropped[l]);
}

void metrics_write_receiver(struct buf *out, const struct ledger_receiver *r)
{
    value(out, "azekura_queue_messages", "gauge", "Messages received and not yet stored.",
          r->queued);
    value(out, "azekura_queue_bytes", "gauge", "Memory of closed blocks that wait.",
          r->queue_bytes);
    value(out, "azekura_connections", "gauge", "Open TCP and TLS connections of senders.",
          r->connections);
    value(out, "azekura_udp_buffer_bytes", "gauge", "Receive buffer granted by the kernel.",
          r->udp_buffer_bytes);
    head(out, "azekura_receiver_age_seconds", "gauge", "Age of the receiver's last report.");
    buf_printf(out, "azekura_receiver_age_seconds %lld.%06lld\n",
               (long long)(r->age_us / US_PER_SECOND), (long long)(r->age_us % US_PER_SECOND));
}

void metrics_write_certificate(struct buf *out, int64_t days_left)
{
    value(out, "azekura_tls_certificate_days_left", "gauge",
          "Whole days until the certificate of the listener for TLS expires.", days_left);
}

/* In sum: a label for each source would be as many series as anybody can send from. */
void metrics_write_sources(struct buf *out, const struct source_sums *s)
{
    value(out, "azekura_sources", "gauge", "Sources ever heard.", s->sources);
    value(out, "azekura_sources_new", "gauge", "Of them: new, up to 10,000.", s->news);
    value(out, "azekura_source_invalid_utf8_messages", "gauge",
          "Messages with bytes that are no UTF-8, of all sources, as they are counted now.",
          s->invalid_utf8);
    value(out, "azekura_source_skewed_messages", "gauge",
          "Messages whose own time is more than five minutes off, of all sources, as they are "
          "counted now.",
          s->skewed);
}
