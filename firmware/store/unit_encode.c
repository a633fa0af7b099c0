/* Units in PostgreSQL's formats.  Pure.
 *
 * COPY BINARY (PostgreSQL's documentation, "COPY, Binary Format"), all numbers big-endian:
 *   signature   11  "PGCOPY\n\377\r\n\0"
 *   flags        4  0
 *   extension    4  0
 *   row:  fields 2  27, then each: length 4 (-1: null), bytes
 *     timestamptz  8  µs since 2000-01-01T00:00:00Z
 *     bigint       8, integer 4, smallint 2; bytea: its bytes
 *   trailer      2  -1 */
#include "store/unit_encode.h"

#include <endian.h>

/* 2000-01-01 in µs since 1970-01-01 */
#define POSTGRES_EPOCH_US (INT64_C(946684800) * US_PER_SECOND)
#define ARRAY_MAX_BYTES ((size_t)8 << 20)

const char unit_copy_sql[] = "copy azekura.log_block (source_group, first_at, last_at, first_seq, "
                             "messages, "
                             "raw_bytes, severities, facilities,"
                             " listeners, senders, tokens, times, reported, sources, listener, "
                             "pri, formats, flags, hostname,"
                             " app_name, procid, msgid, structured_data, message, layouts, raw, "
                             "seq) from stdin (format binary)";

enum { COPY_FIELDS = 11 + BLOCK_COLUMNS };

void unit_run_text(const uint8_t run[UNIT_RUN_BYTES], char out[UNIT_RUN_TEXT_MAX])
{
    size_t n = 0;
    for (int i = 0; i < UNIT_RUN_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out[n++] = '-';
        n += (size_t)snprintf(out + n, UNIT_RUN_TEXT_MAX - n, "%02x", run[i]);
    }
}

/* ---- COPY ---- */

static void add_be16(struct buf *out, uint16_t v)
{
    uint16_t be = htobe16(v);
    (void)buf_add(out, &be, sizeof(be));
}

static void add_be32(struct buf *out, uint32_t v)
{
    uint32_t be = htobe32(v);
    (void)buf_add(out, &be, sizeof(be));
}

static void add_be64(struct buf *out, uint64_t v)
{
    uint64_t be = htobe64(v);
    (void)buf_add(out, &be, sizeof(be));
}

static void add_int2(struct buf *out, uint16_t v)
{
    add_be32(out, 2);
    add_be16(out, v);
}

static void add_int4(struct buf *out, uint32_t v)
{
    add_be32(out, 4);
    add_be32(out, v);
}

static void add_int8(struct buf *out, uint64_t v)
{
    add_be32(out, 8);
    add_be64(out, v);
}

static void add_time(struct buf *out, int64_t us)
{
    add_int8(out, (uint64_t)(us - POSTGRES_EPOCH_US));
}

static void add_bytes(struct buf *out, const struct buf *b)
{
    add_be32(out, (uint32_t)b->n);
    (void)buf_add(out, b->p ? b->p : "", b->n);
}

/* What is empty is absent: null. */
static void add_bytes_or_null(struct buf *out, const struct buf *b)
{
    if (b->n)
        add_bytes(out, b);
    else
        add_be32(out, UINT32_MAX);
}

static void add_row(struct buf *out, uint8_t source_group, const struct block *b)
{
    add_be16(out, COPY_FIELDS);
    add_int2(out, source_group);
    add_time(out, b->first_at_us);
    add_time(out, b->last_at_us);
    add_int8(out, b->first_seq);
    add_int4(out, b->messages);
    add_int8(out, b->raw_bytes);
    add_int2(out, b->severities);
    add_int4(out, b->facilities);
    add_int2(out, b->listeners);
    add_bytes(out, &b->senders);
    add_bytes_or_null(out, &b->tokens);
    for (unsigned i = 0; i < BLOCK_COLUMNS; i++)
        add_bytes_or_null(out, &b->columns[i]);
}

int unit_encode_blocks(const struct unit_block *blocks, size_t n, struct buf *out)
{
    static const char signature[11] = "PGCOPY\n\377\r\n"; /* with the NUL */
    size_t before = out->n;
    (void)buf_add(out, signature, sizeof(signature));
    add_be32(out, 0);
    add_be32(out, 0);
    for (size_t i = 0; i < n; i++)
        add_row(out, blocks[i].source_group, blocks[i].block);
    add_be16(out, UINT16_MAX);
    if (!out->is_full)
        return 0;
    out->n = before;
    return -ENOSPC;
}

/* ---- arrays ---- */

static void add_time_text(struct buf *out, int64_t us)
{
    char text[RFC3339_MAX];
    size_t n = rfc3339_format(us, text);
    (void)buf_add(out, text, n);
}

uint64_t unit_stored_bytes(const struct block *b)
{
    uint64_t n = b->senders.n + b->tokens.n;
    for (unsigned i = 0; i < BLOCK_COLUMNS; i++)
        n += b->columns[i].n;
    return n;
}

static void add_claim(struct buf *out, unsigned array, const struct unit_block *u)
{
    switch (array) {
    case 0:
        (void)buf_printf(out, "%u", u->source_group);
        return;
    case 1:
        add_time_text(out, u->block->first_at_us);
        return;
    case 2:
        (void)buf_printf(out, "%u", u->block->messages);
        return;
    case 3:
        (void)buf_printf(out, "%llu", (unsigned long long)u->block->raw_bytes);
        return;
    default:
        (void)buf_printf(out, "%llu", (unsigned long long)unit_stored_bytes(u->block));
    }
}

void claim_arrays_make(const struct unit_block *blocks, size_t n, struct claim_arrays *ret)
{
    for (unsigned i = 0; i < CLAIM_ARRAYS; i++) {
        struct buf *out = &ret->text[i];
        *out = BUF_INIT(SOURCE_GROUPS_MAX * (RFC3339_MAX + 1) + 3);
        (void)buf_add_char(out, '{');
        for (size_t k = 0; k < n; k++) {
            if (k)
                (void)buf_add_char(out, ',');
            add_claim(out, i, &blocks[k]);
        }
        (void)buf_add_char(out, '}');
        CHECK(!out->is_full);
    }
}

void claim_arrays_free(struct claim_arrays *a)
{
    for (unsigned i = 0; i < CLAIM_ARRAYS; i++)
        buf_free(&a->text[i]);
}

static void add_element(struct buf *out, unsigned parameter, const struct unit_row *r)
{
    char source[IP_TEXT_MAX];
    switch (parameter) {
    case 0:
        add_time_text(out, r->minute_us);
        return;
    case 1:
        (void)buf_add_str(out, listener_name(r->listener));
        return;
    case 2:
        (void)buf_add(out, source, ip_format(&r->source, source));
        return;
    case 3:
        (void)buf_printf(out, "%llu", (unsigned long long)r->arrived);
        return;
    case 4:
        (void)buf_printf(out, "%llu", (unsigned long long)r->stored);
        return;
    case 5:
        (void)buf_printf(out, "%llu", (unsigned long long)r->bytes);
        return;
    case 6:
        (void)buf_printf(out, "%llu", (unsigned long long)r->truncated);
        return;
    default:
        for (int i = 0; i < REASON_COUNT; i++)
            (void)buf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)r->refused[i]);
    }
}

int count_parameters_make(const struct unit_row *rows, size_t n, struct count_parameters *ret)
{
    bool is_full = false;
    for (unsigned i = 0; i < COUNT_PARAMETERS; i++) {
        struct buf *out = &ret->text[i];
        *out = BUF_INIT(ARRAY_MAX_BYTES);
        (void)buf_add_char(out, '{');
        for (size_t k = 0; k < n; k++) {
            if (k)
                (void)buf_add_char(out, ',');
            add_element(out, i, &rows[k]);
        }
        (void)buf_add_char(out, '}');
        is_full |= out->is_full;
    }
    return is_full ? -ENOSPC : 0;
}

void count_parameters_free(struct count_parameters *p)
{
    for (unsigned i = 0; i < COUNT_PARAMETERS; i++)
        buf_free(&p->text[i]);
}

static void add_gap_element(struct buf *out, unsigned parameter, const struct unit_row *r)
{
    if (parameter < 3)
        add_element(out, parameter, r); /* minute, listener, source */
    else
        (void)buf_printf(out, "%llu",
                         (unsigned long long)(parameter == 3 ? r->missing : r->repeated));
}

int gap_parameters_make(const struct unit_row *rows, size_t n, struct gap_parameters *ret)
{
    bool is_full = false;
    for (unsigned i = 0; i < GAP_PARAMETERS; i++) {
        struct buf *out = &ret->text[i];
        *out = BUF_INIT(ARRAY_MAX_BYTES);
        (void)buf_add_char(out, '{');
        ret->n = 0;
        for (size_t k = 0; k < n; k++) {
            if (rows[k].missing == 0 && rows[k].repeated == 0)
                continue;
            if (ret->n++ > 0)
                (void)buf_add_char(out, ',');
            add_gap_element(out, i, &rows[k]);
        }
        (void)buf_add_char(out, '}');
        is_full |= out->is_full;
    }
    return is_full ? -ENOSPC : 0;
}

void gap_parameters_free(struct gap_parameters *p)
{
    for (unsigned i = 0; i < GAP_PARAMETERS; i++)
        buf_free(&p->text[i]);
}
