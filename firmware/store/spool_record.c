/* Bodies of spool records: a unit field by field, little-endian, nothing aligned (spool.md). */
#include "store/spool_record.h"

#include <endian.h>

/* ---- writing ---- */

static void put8(struct buf *b, uint8_t v)
{
    (void)buf_add(b, &v, 1);
}

static void put32(struct buf *b, uint32_t v)
{
    v = htole32(v);
    (void)buf_add(b, &v, 4);
}

static void put64(struct buf *b, uint64_t v)
{
    v = htole64(v);
    (void)buf_add(b, &v, 8);
}

static void put_bytes(struct buf *b, struct view v)
{
    put32(b, (uint32_t)v.n);
    (void)buf_add(b, v.p, v.n);
}

static void put_row(struct buf *b, const struct unit_row *r)
{
    put64(b, (uint64_t)r->minute_us);
    put8(b, r->listener);
    put8(b, r->source.family);
    (void)buf_add(b, r->source.bytes, sizeof(r->source.bytes));
    const uint64_t counts[] = {r->arrived,   r->stored,  r->bytes,
                               r->truncated, r->missing, r->repeated};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        put64(b, counts[i]);
    put8(b, REASON_COUNT);
    for (size_t i = 0; i < REASON_COUNT; i++)
        put64(b, r->refused[i]);
}

static void put_counts(struct buf *b, const struct block_counts *c)
{
    put32(b, c->minutes_n);
    for (uint32_t m = 0; m < c->minutes_n; m++) {
        const struct counts_minute *minute = &c->minutes[m];
        put64(b, (uint64_t)minute->minute_us);
        put64(b, (uint64_t)minute->last_at_us);
        put32(b, minute->messages);
        put64(b, minute->bytes);
        for (int by = 0; by < COUNTS_BY; by++) {
            put32(b, minute->rows_n[by]);
            for (uint32_t i = 0; i < minute->rows_n[by]; i++) {
                const struct counts_row *r = &minute->rows[by][i];
                put8(b, r->kind);
                put8(b, r->severity);
                put32(b, r->messages);
                put64(b, r->bytes);
                put_bytes(b, r->name);
            }
        }
    }
}

static void put_block(struct buf *b, const struct unit_block *u)
{
    const struct block *k = u->block;
    put8(b, u->source_group);
    put64(b, (uint64_t)k->first_at_us);
    put64(b, (uint64_t)k->last_at_us);
    put64(b, k->first_seq);
    put32(b, k->messages);
    put64(b, k->raw_bytes);
    put8(b, k->severities);
    put32(b, k->facilities);
    put8(b, k->listeners);
    put_bytes(b, buf_view(&k->senders));
    put_bytes(b, buf_view(&k->tokens));
    put8(b, BLOCK_COLUMNS);
    for (int i = 0; i < BLOCK_COLUMNS; i++)
        put_bytes(b, buf_view(&k->columns[i]));
    put_counts(b, u->counts);
}

int spool_record_encode(const struct unit *u, struct buf *out)
{
    put_bytes(out, view_str(u->zone));
    put32(out, (uint32_t)u->rows_n);
    for (size_t i = 0; i < u->rows_n; i++)
        put_row(out, &u->rows[i]);
    put32(out, (uint32_t)u->drops_n);
    for (size_t i = 0; i < u->drops_n; i++) {
        put64(out, (uint64_t)u->drops[i].minute_us);
        put8(out, u->drops[i].listener);
        put64(out, u->drops[i].dropped);
    }
    put32(out, (uint32_t)u->blocks_n);
    for (size_t i = 0; i < u->blocks_n; i++)
        put_block(out, &u->blocks[i]);
    return out->is_full ? -ENOSPC : 0;
}

/* ---- reading ---- */

struct cursor {
    struct view in;
    size_t at;
    struct arena *a;
    const char *fault; /* NULL: none yet; after the first one everything reads as zero */
};

static const char *take(struct cursor *c, size_t n)
{
    static const char zeros[16];
    if (c->fault || n > c->in.n - c->at) {
        c->fault = c->fault ? c->fault : "it ends too early";
        CHECK(n <= sizeof(zeros));
        return zeros;
    }
    c->at += n;
    return c->in.p + c->at - n;
}

static uint8_t get8(struct cursor *c)
{
    return (uint8_t)*take(c, 1);
}

static uint32_t get32(struct cursor *c)
{
    uint32_t v;
    memcpy(&v, take(c, 4), 4);
    return le32toh(v);
}

static uint64_t get64(struct cursor *c)
{
    uint64_t v;
    memcpy(&v, take(c, 8), 8);
    return le64toh(v);
}

static struct view get_bytes(struct cursor *c)
{
    size_t n = get32(c);
    if (c->fault || n > c->in.n - c->at) {
        c->fault = c->fault ? c->fault : "a length goes beyond the end";
        return VIEW("");
    }
    c->at += n;
    return view_of(c->in.p + c->at - n, n);
}

/* How many elements follow, each of `least` bytes at least: so a wrong number asks for no memory
 * that the bytes there do not pay for. */
static uint32_t get_number(struct cursor *c, size_t least)
{
    uint32_t n = get32(c);
    if (c->fault || n > (c->in.n - c->at) / least) {
        c->fault = c->fault ? c->fault : "a number of elements goes beyond the end";
        return 0;
    }
    return n;
}

static void *get_array(struct cursor *c, size_t n, size_t size)
{
    return arena_alloc(c->a, MAX(n, (size_t)1) * size); /* n is bounded by the bytes there */
}

static void get_row(struct cursor *c, struct unit_row *r)
{
    r->minute_us = (int64_t)get64(c);
    r->listener = get8(c);
    r->source.family = get8(c);
    memcpy(r->source.bytes, take(c, sizeof(r->source.bytes)), sizeof(r->source.bytes));
    uint64_t *const counts[] = {&r->arrived,   &r->stored,  &r->bytes,
                                &r->truncated, &r->missing, &r->repeated};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        *counts[i] = get64(c);
    size_t reasons = get8(c);
    if (reasons > REASON_COUNT)
        c->fault = c->fault ? c->fault : "it has reasons of a newer version";
    for (size_t i = 0; i < reasons && !c->fault; i++)
        r->refused[i] = get64(c);
    if (r->listener >= LISTENER_COUNT || (r->source.family != 4 && r->source.family != 6))
        c->fault = c->fault ? c->fault : "a row's listener or source is not valid";
}

static void get_counts_rows(struct cursor *c, struct counts_minute *m, int by)
{
    m->rows_n[by] = get_number(c, 18);
    m->rows[by] = get_array(c, m->rows_n[by], sizeof(*m->rows[by]));
    for (uint32_t i = 0; i < m->rows_n[by] && !c->fault; i++) {
        struct counts_row *r = &m->rows[by][i];
        r->kind = get8(c);
        r->severity = get8(c);
        r->messages = get32(c);
        r->bytes = get64(c);
        r->name = get_bytes(c);
        if (r->kind > COUNTS_OTHERS || r->severity > 7)
            c->fault = c->fault ? c->fault : "a count's kind or severity is not valid";
    }
}

static const struct block_counts *get_counts(struct cursor *c)
{
    struct block_counts *k = get_array(c, 1, sizeof(*k));
    k->minutes_n = get_number(c, 28 + 4 * COUNTS_BY);
    k->minutes = get_array(c, k->minutes_n, sizeof(*k->minutes));
    for (uint32_t m = 0; m < k->minutes_n && !c->fault; m++) {
        struct counts_minute *minute = &k->minutes[m];
        minute->minute_us = (int64_t)get64(c);
        minute->last_at_us = (int64_t)get64(c);
        minute->messages = get32(c);
        minute->bytes = get64(c);
        for (int by = 0; by < COUNTS_BY; by++)
            get_counts_rows(c, minute, by);
    }
    return k;
}

/* Borrowed: never to be freed or appended to. */
static struct buf get_buf(struct cursor *c)
{
    struct view v = get_bytes(c);
    return (struct buf){.p = (char *)v.p, .n = v.n};
}

static void get_block(struct cursor *c, struct unit_block *u)
{
    struct block *k = get_array(c, 1, sizeof(*k));
    u->source_group = get8(c);
    k->first_at_us = (int64_t)get64(c);
    k->last_at_us = (int64_t)get64(c);
    k->first_seq = get64(c);
    k->messages = get32(c);
    k->raw_bytes = get64(c);
    k->severities = get8(c);
    k->facilities = get32(c);
    k->listeners = get8(c);
    k->senders = get_buf(c);
    k->tokens = get_buf(c);
    unsigned columns = get8(c);
    if (columns > BLOCK_COLUMNS)
        c->fault = c->fault ? c->fault : "it has columns of a newer version";
    for (unsigned i = 0; i < columns && !c->fault; i++)
        k->columns[i] = get_buf(c);
    if (u->source_group >= SOURCE_GROUPS_MAX || k->messages == 0 ||
        k->messages > BLOCK_MAX_MESSAGES)
        c->fault = c->fault ? c->fault : "a block's group or number of messages is not valid";
    u->block = k;
    u->counts = get_counts(c);
}

static void get_unit(struct cursor *c, struct unit *u)
{
    struct view zone = get_bytes(c);
    char *text = get_array(c, zone.n + 1, 1);
    memcpy(text, zone.p, zone.n);
    u->zone = zone.n > 0 ? text : NULL;
    u->rows_n = get_number(c, 75);
    struct unit_row *rows = get_array(c, u->rows_n, sizeof(*rows));
    for (size_t i = 0; i < u->rows_n && !c->fault; i++)
        get_row(c, &rows[i]);
    u->rows = rows;
    u->drops_n = get_number(c, 17);
    struct unit_drop *drops = get_array(c, u->drops_n, sizeof(*drops));
    for (size_t i = 0; i < u->drops_n && !c->fault; i++) {
        drops[i].minute_us = (int64_t)get64(c);
        drops[i].listener = get8(c);
        drops[i].dropped = get64(c);
        if (drops[i].listener >= LISTENER_COUNT)
            c->fault = c->fault ? c->fault : "a drop's listener is not valid";
    }
    u->drops = drops;
    u->blocks_n = get_number(c, 40);
    if (u->blocks_n > SOURCE_GROUPS_MAX) {
        c->fault = c->fault ? c->fault : "it has more blocks than groups";
        u->blocks_n = 0;
    }
    struct unit_block *blocks = get_array(c, u->blocks_n, sizeof(*blocks));
    for (size_t i = 0; i < u->blocks_n && !c->fault; i++)
        get_block(c, &blocks[i]);
    u->blocks = blocks;
}

int spool_record_decode(struct view body, struct arena *a, struct unit *ret, struct err *err)
{
    struct cursor c = {.in = body, .a = a};
    get_unit(&c, ret);
    if (!c.fault && c.at != body.n)
        c.fault = "something follows its end";
    return c.fault ? err_set(err, EBADMSG, "spool", "byte %zu of a unit: %s", c.at, c.fault) : 0;
}
