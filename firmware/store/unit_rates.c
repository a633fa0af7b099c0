/* Counts of a unit as array parameters.  Pure; runs on the receiver's writer thread.
 *
 * A name's first character says what it is: '=' a value, '-' messages without one, '*' all other
 * values together.  What is in it is a peer's: it is quoted for the array and never part of SQL. */
#include "store/unit_rates.h"

enum dimension { /* as in sql/migrations/0008_rates.sql */
                 SOURCE = 1,
                 LISTENER = 5,
                 REFUSED = 6,
                 HOSTNAME_SEVERITY = 7,
                 APP_NAME_SEVERITY = 8,
};

enum parameter { MINUTE, DISK, DIMENSIONS, NAMES, SEVERITIES, MESSAGES, BYTES };

#define SEVERITY_COUNT 8
/* A call has at most so many rows: each name with each severity, the others, listeners, reasons. */
#define ROWS_MAX ((1 + 2 * SEVERITY_COUNT) * ((size_t)RATE_NAMES_A_UNIT + 2) + 32)
#define NAME_TEXT_MAX (2 * RATE_NAME_MAX_BYTES + 4) /* every byte escaped, quotes, comma, kind */
#define TEXT_MAX_BYTES (ROWS_MAX * NAME_TEXT_MAX)

const char unit_rates_sql[] =
    "select azekura.count_rates($1::timestamptz, $2::bigint, $3::smallint[], $4::text[],"
    " $5::smallint[], $6::bigint[], $7::bigint[])";

struct count {
    uint64_t messages, bytes;
};

/* What is known of a minute before its call can be written. */
struct minute {
    int64_t minute_us, last_at_us; /* TIME_NONE: no block */
    uint64_t disk_bytes;
    uint32_t names[COUNTS_BY]; /* values counted by themselves so far */
    struct count others[COUNTS_BY][SEVERITY_COUNT], none[COUNTS_BY][SEVERITY_COUNT];
    struct count listeners[LISTENER_COUNT];
    uint64_t refused[REASON_COUNT], dropped;
    struct buf text[UNIT_RATES_PARAMETERS];
};

struct minutes {
    struct minute *list;
    size_t n, cap;
};

static struct minute *find_minute(struct minutes *m, int64_t minute_us)
{
    for (size_t i = m->n; i-- > 0;)
        if (m->list[i].minute_us == minute_us)
            return &m->list[i];
    if (m->n == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 4;
        m->list = xrealloc(m->list, m->cap, sizeof(*m->list));
    }
    struct minute *new = &m->list[m->n++];
    *new = (struct minute){.minute_us = minute_us, .last_at_us = TIME_NONE};
    for (unsigned i = 0; i < UNIT_RATES_PARAMETERS; i++)
        new->text[i] = BUF_INIT(TEXT_MAX_BYTES);
    return new;
}

/* ---- rows ---- */

static void add_number(struct buf *out, uint64_t n)
{
    char text[24];
    int bytes = snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
    (void)buf_add(out, text, (size_t)bytes);
}

static void add_name(struct buf *out, char kind, struct view name)
{
    (void)buf_add_char(out, '"');
    (void)buf_add_char(out, kind);
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '"' || name.p[i] == '\\')
            (void)buf_add_char(out, '\\');
        (void)buf_add_char(out, name.p[i]);
    }
    (void)buf_add_char(out, '"');
}

static void add_row(struct minute *m, enum dimension dimension, char kind, struct view name,
                    unsigned severity, struct count count)
{
    if (count.messages == 0)
        return;
    for (unsigned i = DIMENSIONS; i <= BYTES; i++)
        (void)buf_add_char(&m->text[i], m->text[i].n == 0 ? '{' : ',');
    add_number(&m->text[DIMENSIONS], dimension);
    add_name(&m->text[NAMES], kind, name);
    add_number(&m->text[SEVERITIES], severity);
    add_number(&m->text[MESSAGES], count.messages);
    add_number(&m->text[BYTES], count.bytes);
}

static void add_count(struct count *to, const struct counts_row *r)
{
    to->messages += r->messages;
    to->bytes += r->bytes;
}

/* The severities of one name follow each other in a list. */
static bool is_new_name(const struct counts_row *rows, uint32_t i)
{
    return i == 0 || rows[i - 1].kind != COUNTS_VALUE || rows[i - 1].name.p != rows[i].name.p ||
           rows[i - 1].name.n != rows[i].name.n;
}

static void add_list(struct minute *m, const struct counts_minute *counts, unsigned by)
{
    static const enum dimension dimensions[COUNTS_BY] = {SOURCE, HOSTNAME_SEVERITY,
                                                         APP_NAME_SEVERITY};
    const struct counts_row *rows = counts->rows[by];
    for (uint32_t i = 0; i < counts->rows_n[by]; i++) {
        const struct counts_row *r = &rows[i];
        if (r->kind == COUNTS_NONE) {
            add_count(&m->none[by][r->severity], r);
            continue;
        }
        if (r->kind == COUNTS_VALUE && is_new_name(rows, i) && m->names[by] <= RATE_NAMES_A_UNIT)
            m->names[by]++;
        if (r->kind == COUNTS_OTHERS || m->names[by] > RATE_NAMES_A_UNIT)
            add_count(&m->others[by][r->severity], r);
        else
            add_row(m, dimensions[by], '=', r->name, r->severity,
                    (struct count){r->messages, r->bytes});
    }
}

static void add_block(struct minutes *to, const struct unit_rates_block *b)
{
    uint64_t bytes = 0, shared = 0;
    for (uint32_t i = 0; i < b->counts->minutes_n; i++)
        bytes += b->counts->minutes[i].bytes;
    for (uint32_t i = 0; i < b->counts->minutes_n; i++) {
        const struct counts_minute *counts = &b->counts->minutes[i];
        struct minute *m = find_minute(to, counts->minute_us);
        m->last_at_us = MAX(m->last_at_us, counts->last_at_us);
        /* what is stored is shared out by what was received; the last minute gets the rest */
        uint64_t disk = b->stored_bytes - shared;
        if (i + 1 < b->counts->minutes_n)
            disk = bytes == 0 ? 0
                              : (uint64_t)((double)b->stored_bytes * (double)counts->bytes /
                                           (double)bytes);
        m->disk_bytes += disk;
        shared += disk;
        for (unsigned by = 0; by < COUNTS_BY; by++)
            add_list(m, counts, by);
    }
}

static void add_ledger_row(struct minutes *to, const struct unit_row *r)
{
    struct minute *m = find_minute(to, r->minute_us);
    m->listeners[r->listener].messages += r->arrived;
    m->listeners[r->listener].bytes += r->bytes;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        m->refused[i] += r->refused[i];
}

/* ---- calls ---- */

static void add_sums(struct minute *m)
{
    static const enum dimension dimensions[COUNTS_BY] = {SOURCE, HOSTNAME_SEVERITY,
                                                         APP_NAME_SEVERITY};
    for (unsigned by = 0; by < COUNTS_BY; by++)
        for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
            add_row(m, dimensions[by], '-', VIEW_NULL, s, m->none[by][s]);
            add_row(m, dimensions[by], '*', VIEW_NULL, s, m->others[by][s]);
        }
    for (unsigned l = 0; l < LISTENER_COUNT; l++)
        add_row(m, LISTENER, '=', view_str(listener_name(l)), 0, m->listeners[l]);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        add_row(m, REFUSED, '=', view_str(reason_name(i)), 0, (struct count){m->refused[i], 0});
    add_row(m, REFUSED, '=', VIEW("kernel"), 0, (struct count){m->dropped, 0});
}

/* Whether there is anything to call for. */
static bool finish_minute(struct minute *m, struct unit_rates_call *ret)
{
    char at[RFC3339_MAX];
    add_sums(m);
    bool is_empty = m->text[DIMENSIONS].n == 0;
    (void)buf_add(&m->text[MINUTE], at,
                  rfc3339_format(m->last_at_us == TIME_NONE ? m->minute_us : m->last_at_us, at));
    add_number(&m->text[DISK], m->disk_bytes);
    ret->minute_us = m->minute_us;
    for (unsigned i = 0; i < UNIT_RATES_PARAMETERS; i++) {
        if (i >= DIMENSIONS)
            (void)buf_add_char(&m->text[i], '}');
        CHECK(!m->text[i].is_full);
        ret->values[i] = buf_str(&m->text[i]);
        ret->text[i] = m->text[i];
        if (is_empty)
            buf_free(&ret->text[i]);
    }
    return !is_empty;
}

static int by_minute(const void *a, const void *b)
{
    const struct minute *x = a, *y = b;
    return (x->minute_us > y->minute_us) - (x->minute_us < y->minute_us);
}

void unit_rates_make(const struct unit_rates_block *blocks, size_t blocks_n,
                     const struct unit_row *rows, size_t rows_n, const struct unit_drop *drops,
                     size_t drops_n, struct unit_rates *ret)
{
    struct minutes m = {0};
    for (size_t i = 0; i < blocks_n; i++)
        if (blocks[i].counts != NULL && blocks[i].source_group != SOURCE_GROUP_BENCHMARK)
            add_block(&m, &blocks[i]);
    for (size_t i = 0; i < rows_n; i++)
        add_ledger_row(&m, &rows[i]);
    for (size_t i = 0; i < drops_n; i++)
        find_minute(&m, drops[i].minute_us)->dropped += drops[i].dropped;

    *ret = (struct unit_rates){0};
    if (m.n > 0) {
        qsort(m.list, m.n, sizeof(*m.list), by_minute);
        ret->calls = xcalloc(m.n, sizeof(*ret->calls));
        for (size_t i = 0; i < m.n; i++)
            ret->n += finish_minute(&m.list[i], &ret->calls[ret->n]);
    }
    free(m.list);
}

void unit_rates_free(struct unit_rates *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (unsigned p = 0; p < UNIT_RATES_PARAMETERS; p++)
            buf_free(&r->calls[i].text[p]);
    free(r->calls);
    *r = (struct unit_rates){0};
}
