/* Counts to JSON.  The writer thread. */
#include "receiver/detail.h"

void detail_gather(struct shared *s, const struct spool_status *spool, struct detail *ret)
{
    uint64_t version, done = atomic_load(&s->stored) + atomic_load(&s->lost) +
                             atomic_load(&s->inherited_stored) + atomic_load(&s->inherited_lost);
    memset(ret, 0, sizeof(*ret));
    ret->spool = *spool;
    (void)shared_listening(s, 0, ret->listening, &version);
    ret->packing_units = atomic_load(&s->packing_units);
    ret->packing_messages = atomic_load(&s->packing_messages);
    ret->packing_bytes = atomic_load(&s->packing_bytes);
    uint64_t pending = atomic_load(&s->pending_units);
    ret->writing_units = pending - MIN(pending, ret->packing_units);
    ret->writing_bytes = atomic_load(&s->queued_bytes);
    shared_counts(s, &ret->counts);
    /* what is left of the equation; taken at slightly different times, so never below zero */
    const struct intake_counts *in = &ret->counts.intake;
    uint64_t arrived = in->arrived + atomic_load(&s->inherited);
    uint64_t elsewhere = done + in->refused + in->open_messages + ret->packing_messages +
                         spool->messages;
    ret->writing_messages = ret->writing_units > 0 ? arrived - MIN(arrived, elsewhere) : 0;
    ret->open_limit_bytes = (uint64_t)shared_unit_max_bytes(s) * s->lanes_n;
    ret->packing_limit_bytes = (uint64_t)shared_unit_max_bytes(s) *
                               (builders_units(s->lanes_n) - s->lanes_n);
    ret->writing_limit_bytes = (uint64_t)s->config.queue_bytes;
    ret->journal_bytes = journal_bytes(s->journal);
    ret->journal_used_bytes = journal_used_bytes(s->journal);
    ret->lanes = ret->packers = s->lanes_n;
    struct machine_drops now;
    machine_drops_read("/proc", &now);
    ret->drops = machine_drops_since(&now, &s->drops_before);
}

/* ---- pieces of JSON; names are ours and need no escaping ---- */

static void add_string(struct buf *out, const char *text)
{
    (void)buf_add_char(out, '"');
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            (void)buf_printf(out, "\\%c", c);
        else if (c < 0x20)
            (void)buf_printf(out, "\\u%04x", c);
        else
            (void)buf_add_char(out, *p);
    }
    (void)buf_add_char(out, '"');
}

/* `after`: what stands before the name: "{" or ",". */
static void add_number(struct buf *out, const char *after, const char *name, uint64_t value)
{
    (void)buf_printf(out, "%s\"%s\":%llu", after, name, (unsigned long long)value);
}

static void add_null(struct buf *out, const char *name)
{
    (void)buf_printf(out, ",\"%s\":null", name);
}

/* Negative: not known. */
static void add_known(struct buf *out, const char *after, const char *name, int64_t value)
{
    if (value < 0)
        (void)buf_printf(out, "%s\"%s\":null", after, name);
    else
        add_number(out, after, name, (uint64_t)value);
}

/* ---- the parts ---- */

static void add_addresses(struct buf *out, const struct listening_state *l)
{
    (void)buf_add_str(out, ",\"bound\":[");
    for (unsigned i = 0; i < l->bound_n; i++) {
        char text[ADDRESS_TEXT_MAX];
        (void)address_format(&l->bound[i], text);
        if (i > 0)
            (void)buf_add_char(out, ',');
        add_string(out, text);
    }
    (void)buf_add_char(out, ']');
}

static void add_listener(struct buf *out, const struct detail *d, enum listener k)
{
    const struct listening_state *l = &d->listening[k];
    const struct datagrams_counts *u = &d->counts.datagrams;
    (void)buf_printf(out, "{\"name\":\"%s\",\"wanted\":", listener_name((uint8_t)k));
    add_string(out, l->wanted);
    add_addresses(out, l);
    (void)buf_add_str(out, ",\"error\":");
    if (l->error[0])
        add_string(out, l->error);
    else
        (void)buf_add_str(out, "null");
    add_number(out, ",", "received", d->counts.intake.received[k]);
    add_number(out, ",", "bytes", d->counts.intake.received_bytes[k]);
    if (k == LISTENER_UDP) {
        add_null(out, "connections");
        add_number(out, ",", "buffer_bytes", u->buffer_bytes);
        add_number(out, ",", "buffer_used", u->buffer_used + u->flood_buffer_used);
    } else {
        add_number(out, ",", "connections", d->counts.streams.connections[k]);
        add_null(out, "buffer_bytes"); /* the kernel chooses for each connection */
        add_null(out, "buffer_used");
    }
    add_number(out, ",", "kernel_dropped", k == LISTENER_UDP ? u->kernel_dropped : 0);
    add_number(out, ",", "flood_dropped", k == LISTENER_UDP ? u->kernel_dropped_flooded : 0);
    add_number(out, ",", "flooding_sources", k == LISTENER_UDP ? u->flooding_sources : 0);
    (void)buf_add_char(out, '}');
}

static void add_stage(struct buf *out, const char *name, uint64_t units, uint64_t messages,
                      uint64_t bytes, uint64_t limit_bytes)
{
    (void)buf_printf(out, "{\"name\":\"%s\"", name);
    add_number(out, ",", "units", units);
    add_number(out, ",", "messages", messages);
    add_number(out, ",", "bytes", bytes);
    add_number(out, ",", "limit_bytes", limit_bytes);
    (void)buf_add_char(out, '}');
}

static void add_stages(struct buf *out, const struct detail *d)
{
    const struct intake_counts *in = &d->counts.intake;
    (void)buf_add_str(out, ",\"stages\":[");
    add_stage(out, "open", in->open_units, in->open_messages, in->open_bytes, d->open_limit_bytes);
    (void)buf_add_char(out, ',');
    add_stage(out, "pack", d->packing_units, d->packing_messages, d->packing_bytes,
              d->packing_limit_bytes);
    (void)buf_add_char(out, ',');
    add_stage(out, "write", d->writing_units, d->writing_messages, d->writing_bytes,
              d->writing_limit_bytes);
    (void)buf_add_char(out, ',');
    add_stage(out, "spool", d->spool.units, d->spool.messages, d->spool.bytes, d->spool.max_bytes);
    (void)buf_add_str(out, "],\"journal\":");
    add_number(out, "{", "bytes", d->journal_bytes);
    add_number(out, ",", "used", d->journal_used_bytes);
    (void)buf_add_char(out, '}');
}

static void add_spool(struct buf *out, const struct spool_status *s)
{
    char at[RFC3339_MAX];
    (void)buf_printf(out, ",\"spool\":{\"state\":\"%s\"", spool_state_name(s->state));
    add_number(out, ",", "bytes", s->bytes);
    add_number(out, ",", "max_bytes", s->max_bytes);
    add_number(out, ",", "units", s->units);
    add_number(out, ",", "messages", s->messages);
    if (s->oldest_at_us == TIME_NONE) {
        add_null(out, "oldest_at");
    } else {
        (void)rfc3339_format(s->oldest_at_us, at);
        (void)buf_printf(out, ",\"oldest_at\":\"%s\"", at);
    }
    add_number(out, ",", "torn", s->torn_records);
    add_number(out, ",", "aside", s->aside_files);
    (void)buf_add_char(out, '}');
}

static void add_streams(struct buf *out, const struct streams_counts *s)
{
    uint64_t open = 0;
    for (int k = 0; k < LISTENER_COUNT; k++)
        open += s->connections[k];
    (void)buf_add_str(out, ",\"tls\":");
    add_number(out, "{", "handshakes", s->tls_handshakes);
    add_number(out, ",", "resumed", s->tls_resumed);
    add_number(out, ",", "open", s->connections[LISTENER_TLS]);
    add_number(out, ",", "half_open", s->half_open);
    (void)buf_add_str(out, ",\"failed\":");
    for (int i = 0; i < TLS_FAIL_COUNT; i++)
        add_number(out, i ? "," : "{", tls_failure_name((enum tls_failure)i), s->tls_failed[i]);
    (void)buf_add_str(out, "}},\"connections\":");
    add_number(out, "{", "open", open);
    (void)buf_add_str(out, ",\"turned_away\":");
    add_number(out, "{", "limit", s->turned_away_limit);
    add_number(out, ",", "source_limit", s->turned_away_source);
    add_number(out, ",", "descriptors", s->turned_away_descriptors);
    add_number(out, ",", "not_allowed", s->turned_away_not_allowed);
    (void)buf_add_char(out, '}');
    add_number(out, ",", "idle_closed", s->idle_closed);
    add_number(out, ",", "slow_closed", s->slow_closed);
    (void)buf_add_char(out, '}');
}

int detail_format(const struct detail *d, struct buf *out)
{
    const struct senders_counts *s = &d->counts.senders;
    (void)buf_add_str(out, "{\"listeners\":[");
    for (int k = 0; k < LISTENER_COUNT; k++) {
        if (k > 0)
            (void)buf_add_char(out, ',');
        add_listener(out, d, (enum listener)k);
    }
    (void)buf_add_char(out, ']');
    add_stages(out, d);
    add_spool(out, &d->spool);
    add_streams(out, &d->counts.streams);
    (void)buf_add_str(out, ",\"senders\":");
    add_number(out, "{", "known", s->known);
    add_number(out, ",", "limited", s->limited);
    add_number(out, ",", "refused", s->refused);
    (void)buf_add_str(out, "},\"gaps\":");
    add_number(out, "{", "missing", s->missing);
    add_number(out, ",", "repeated", s->repeated);
    (void)buf_add_str(out, "},\"threads\":");
    add_number(out, "{", "lanes", d->lanes);
    add_number(out, ",", "packers", d->packers);
    (void)buf_add_str(out, "},\"machine\":");
    add_known(out, "{", "softnet_dropped", d->drops.softnet);
    add_known(out, ",", "udp_buffers_full", d->drops.udp_buffers);
    add_known(out, ",", "udp_damaged", d->drops.udp_damaged);
    (void)buf_add_str(out, "}}");
    return out->is_full ? -ENOSPC : 0;
}
