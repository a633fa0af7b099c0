/* Reports to the database, once a second and after a change. */
#include "receiver/status.h"

/* The other two have buffers that the kernel chooses for each connection. */
static void add_buffer(struct buf *list, const char *comma, int k, uint64_t udp_buffer_bytes)
{
    if (k == LISTENER_UDP)
        (void)buf_printf(list, "%s%llu", comma, (unsigned long long)udp_buffer_bytes);
    else
        (void)buf_printf(list, "%snull", comma);
}

int status_listeners(PGconn *c, struct shared *s, const struct unit_patience *p, uint64_t *seen,
                     struct err *err)
{
    struct listening_state of[LISTENER_COUNT];
    struct lane_counts counts;
    struct buf lists[4];
    uint64_t version;
    if (!shared_listening(s, *seen, of, &version))
        return 0;
    shared_counts(s, &counts);
    for (unsigned i = 0; i < ARRAY_LEN(lists); i++) {
        lists[i] = BUF_INIT(LISTENER_COUNT * LISTENING_MAX * (IP_TEXT_MAX + 8));
        (void)buf_add_char(&lists[i], '{');
    }
    uint64_t udp_each = counts.datagrams.buffer_bytes / MAX(1u, of[LISTENER_UDP].bound_n);
    const char *comma = "";
    for (int k = 0; k < LISTENER_COUNT; k++) {
        for (unsigned i = 0; i < of[k].bound_n; i++, comma = ",") {
            char address[IP_TEXT_MAX];
            (void)ip_format(&of[k].bound[i].ip, address);
            (void)buf_printf(&lists[0], "%s%s", comma, listener_name((uint8_t)k));
            (void)buf_printf(&lists[1], "%s%s", comma, address);
            (void)buf_printf(&lists[2], "%s%u", comma, of[k].bound[i].port);
            add_buffer(&lists[3], comma, k, udp_each);
        }
    }
    const char *values[1 + ARRAY_LEN(lists)] = {s->config.state_dir};
    for (unsigned i = 0; i < ARRAY_LEN(lists); i++) {
        (void)buf_add_char(&lists[i], '}');
        CHECK(!lists[i].is_full);
        values[1 + i] = buf_str(&lists[i]);
    }
    int rc = unit_query(c,
                        "select azekura.report_listeners($1, $2::text[], $3::inet[], $4::integer[],"
                        " $5::bigint[])",
                        ARRAY_LEN(values), values, p, NULL, err);
    for (unsigned i = 0; i < ARRAY_LEN(lists); i++)
        buf_free(&lists[i]);
    if (rc == 0)
        *seen = version;
    return rc;
}

int status_detail(PGconn *c, struct shared *s, const struct spool_status *spool,
                  const struct unit_patience *p, struct err *err)
{
    struct buf text = BUF_INIT(DETAIL_MAX_BYTES);
    struct detail d;
    detail_gather(s, spool, &d);
    CHECK(detail_format(&d, &text) == 0);
    const char *values[] = {s->config.state_dir, buf_str(&text)};
    int rc = unit_query(c, "select azekura.report_receiver_detail($1, $2::jsonb)",
                        ARRAY_LEN(values), values, p, NULL, err);
    buf_free(&text);
    return rc;
}

int status_equation(PGconn *c, struct shared *s, const struct unit_patience *p, struct err *err)
{
    static const char sql[] =
        "select azekura.report_receiver($1, $2::uuid, $3::timestamptz, $4::bigint, $5::bigint,"
        " $6::bigint, $7::bigint, $8::bigint, $9::integer, $10::bigint, $11::bigint, $12::bigint)";
    /* what is done first: what arrived grows meanwhile.  What earlier runs left in journal and
     * spool has arrived, too: it is queued until it is stored. */
    uint64_t stored = atomic_load(&s->stored) + atomic_load(&s->inherited_stored),
             lost = atomic_load(&s->lost) + atomic_load(&s->inherited_lost),
             benchmark_done = atomic_load(&s->benchmark_done) +
                              atomic_load(&s->inherited_benchmark_done);
    struct lane_counts sum;
    shared_counts(s, &sum);
    const struct intake_counts *in = &sum.intake;
    uint64_t arrived = in->arrived + atomic_load(&s->inherited),
             benchmark_arrived = in->benchmark_arrived + atomic_load(&s->inherited_benchmark);
    CHECK(arrived >= stored + lost + in->refused);
    CHECK(benchmark_arrived >= benchmark_done + in->benchmark_refused);
    uint64_t connections = 0;
    for (int k = 0; k < LISTENER_COUNT; k++)
        connections += sum.streams.connections[k];
    char run[UNIT_RUN_TEXT_MAX], started[RFC3339_MAX], numbers[9][24];
    unit_run_text(ledger_run(s->ledger), run);
    (void)rfc3339_format(s->started_at_us, started);
    const uint64_t values[9] = {
        arrived,
        stored,
        in->refused + lost,
        arrived - stored - lost - in->refused,
        atomic_load(&s->queued_bytes),
        connections,
        sum.datagrams.buffer_bytes,
        in->kernel_dropped,
        benchmark_arrived - benchmark_done - in->benchmark_refused,
    };
    const char *parameters[12] = {s->config.state_dir, run, started};
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        snprintf(numbers[i], sizeof(numbers[i]), "%llu", (unsigned long long)values[i]);
        parameters[3 + i] = numbers[i];
    }
    return unit_query(c, sql, ARRAY_LEN(parameters), parameters, p, NULL, err);
}
