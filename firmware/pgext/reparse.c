/* azekura.reparse_preview() and azekura.reparse_block(): stored messages of a network parsed again
 * from their bytes, as the receiver would parse them now.
 *
 * What stays: the bytes, received_at, source, listener, sequence number (so the id), the order of
 * the rows, and the mark that a message was cut.  All else is what the parser says.  Preview and
 * block go through parse_again(), so that the one shows what the other does.
 *
 * A block whose messages all come out the same is left alone.  Else its rows, those of other
 * senders as they are, become a new block (exchange.h) in the calling transaction; two, where the
 * new text does not fit into one, as long as both begin within the piece. */
#include "pgext/pgext.h"

#include <sys/socket.h>

#include "executor/spi.h"
#include "utils/array.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "base/limits.h"
#include "block/senders.h"
#include "pgext/entry.h"
#include "pgext/exchange.h"
#include "pgext/parser.h"
#include "pgext/scan.h"

PGEXT_FUNCTION(azekura_reparse_preview);
PGEXT_FUNCTION(azekura_reparse_block);
PGEXT_FUNCTION(azekura_senders_in_network);

#define PREVIEW_MAX 10000
#define NETWORKS_MAX 4096

/* Whose messages. */
struct sources {
    struct ip_network in;
    struct ip_network *but_not;
    int but_not_n;
};

struct reparsing {
    struct sources sources;
    struct parser *parser;
    int64_t from_us, to_us;
    uint64_t messages, changed;
};

/* ---- whose ---- */

static struct ip_network network_of_inet(inet *i)
{
    struct ip_network n = {.prefix = (uint8_t)ip_bits(i)};
    n.address.family = ip_family(i) == PGSQL_AF_INET ? 4 : 6;
    memcpy(n.address.bytes, ip_addr(i), n.address.family == 4 ? 4 : 16);
    return n;
}

static struct sources sources_of_arguments(FunctionCallInfo fcinfo, int n)
{
    struct sources s = {.in = network_of_inet(PG_GETARG_INET_PP(n))};
    if (PG_ARGISNULL(n + 1))
        return s;
    Datum *list;
    bool *nulls;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(n + 1), INETOID, -1, false, TYPALIGN_INT, &list, &nulls,
                      &s.but_not_n);
    if (s.but_not_n > NETWORKS_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%d networks are more than %d", s.but_not_n, NETWORKS_MAX)));
    s.but_not = palloc((size_t)Max(s.but_not_n, 1) * sizeof(*s.but_not));
    for (int i = 0; i < s.but_not_n; i++) {
        if (nulls[i])
            ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                            errmsg("a network that is left alone is null")));
        s.but_not[i] = network_of_inet(DatumGetInetPP(list[i]));
    }
    return s;
}

static bool is_one_of(const struct sources *s, const struct ip *ip)
{
    if (!ip_in_network(ip, &s->in))
        return false;
    for (int i = 0; i < s->but_not_n; i++)
        if (ip_in_network(ip, &s->but_not[i]))
            return false;
    return true;
}

/* By entry of the block's dictionary of sources.  palloc'd. */
static bool *wanted_sources(const struct block_reader *r, const struct sources *s)
{
    uint32_t n = block_dictionary_size(r, COLUMN_SOURCES);
    bool *is_wanted = palloc(Max(n, 1) * sizeof(*is_wanted));
    for (uint32_t i = 0; i < n; i++) {
        struct ip ip;
        block_dictionary_source(r, i, &ip);
        is_wanted[i] = is_one_of(s, &ip);
    }
    return is_wanted;
}

static bool is_wanted_row(const struct block_reader *r, const bool *is_wanted, uint32_t row)
{
    const uint16_t *entries = block_dictionary_rows(r, COLUMN_SOURCES);
    return is_wanted[entries ? entries[row] : 0];
}

/* ---- parsing again ---- */

static void parse_again(struct reparsing *p, const struct record *old, struct record *ret)
{
    parser_parse(p->parser, old->received_at_us, old->raw, ret);
    ret->source = old->source;
    ret->listener = old->listener;
    ret->received_at_us = old->received_at_us;
    ret->flags |= old->flags & RECORD_TRUNCATED; /* of how it came, not of its bytes */
}

static bool is_same_text(struct view a, struct view b)
{
    return view_is_null(a) == view_is_null(b) && view_eq(a, b);
}

static bool is_same(const struct record *a, const struct record *b)
{
    return a->reported_at_us == b->reported_at_us && a->facility == b->facility &&
           a->severity == b->severity && a->format == b->format && a->flags == b->flags &&
           is_same_text(a->hostname, b->hostname) && is_same_text(a->app_name, b->app_name) &&
           is_same_text(a->procid, b->procid) && is_same_text(a->msgid, b->msgid) &&
           is_same_text(a->structured_data, b->structured_data) &&
           is_same_text(a->message, b->message);
}

/* ---- preview ---- */

/* A row of azekura.logs from a record. */
static Datum entry_of_record(const struct record *r, TupleDesc desc, uint64_t seq)
{
    Datum values[ENTRY_FIELDS] = {0};
    bool nulls[ENTRY_FIELDS] = {false};
    const struct {
        enum entry_field field;
        struct view text;
    } texts[] = {
        {ENTRY_HOSTNAME, r->hostname},
        {ENTRY_APP_NAME, r->app_name},
        {ENTRY_PROCID, r->procid},
        {ENTRY_MSGID, r->msgid},
        {ENTRY_STRUCTURED_DATA, r->structured_data},
        {ENTRY_MESSAGE, r->message},
        {ENTRY_LISTENER, view_str(listener_name(r->listener))},
        {ENTRY_FORMAT, view_str(record_format_name(r->format))},
    };
    char id[ENTRY_ID_BYTES];
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        nulls[texts[i].field] = view_is_null(texts[i].text);
        if (!nulls[texts[i].field])
            values[texts[i].field] = text_of_view(texts[i].text);
    }
    values[ENTRY_RECEIVED_AT] = TimestampTzGetDatum(timestamp_of_us(r->received_at_us));
    values[ENTRY_REPORTED_AT] = TimestampTzGetDatum(timestamp_of_us(r->reported_at_us));
    nulls[ENTRY_REPORTED_AT] = r->reported_at_us == TIME_NONE;
    nulls[ENTRY_SOURCE] = r->source.family == 0;
    if (!nulls[ENTRY_SOURCE])
        values[ENTRY_SOURCE] = entry_inet(&r->source);
    values[ENTRY_FACILITY] = Int16GetDatum(r->facility);
    values[ENTRY_SEVERITY] = Int16GetDatum(r->severity);
    entry_id_format((struct entry_id){r->received_at_us, seq}, id);
    values[ENTRY_ID] = text_of_view(view_of(id, sizeof(id)));
    return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

struct preview {
    struct reparsing reparsing;
    struct arena *arena;
    ReturnSetInfo *result;
    TupleDesc entry;
    MemoryContext row_context;
};

/* Whether the row counted: it may be of a network that is left alone, or its block be damaged. */
static bool preview_row(struct preview *p, struct scan_block *b, uint32_t row)
{
    struct record old, new;
    struct err err = {0};
    struct ip source;
    block_source(&b->reader, row, &source);
    if (!is_one_of(&p->reparsing.sources, &source))
        return false;
    MemoryContextReset(p->row_context);
    if (block_record(&b->reader, row, p->arena, &old, &err) < 0)
        return false; /* all its columns were loaded: a layout that contradicts them */
    uint64_t seq = block_seq(&b->reader, row);
    MemoryContext before = MemoryContextSwitchTo(p->row_context);
    parse_again(&p->reparsing, &old, &new);
    Datum values[4] = {entry_of_record(&old, p->entry, seq), parser_marks(old.flags),
                       entry_of_record(&new, p->entry, seq), parser_marks(new.flags)};
    bool nulls[4] = {false};
    tuplestore_putvalues(p->result->setResult, p->result->setDesc, values, nulls);
    MemoryContextSwitchTo(before);
    arena_clear(p->arena);
    return true;
}

struct arena_memory {
    struct arena arena;
    MemoryContextCallback callback;
};

static void free_arena(void *arg)
{
    arena_done(&((struct arena_memory *)arg)->arena);
}

static struct arena *new_arena(void)
{
    struct arena_memory *m = palloc0(sizeof(*m));
    m->callback.func = free_arena;
    m->callback.arg = m;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &m->callback);
    return &m->arena;
}

static struct view argument_or_null(FunctionCallInfo fcinfo, int n)
{
    return PG_ARGISNULL(n) ? VIEW_NULL : view_of_argument(fcinfo, n);
}

/* reparse_preview(network, but_not, zone, charset, limit) → before, before_marks, after,
 * after_marks; newest first */
Datum azekura_reparse_preview(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    int32_t limit = PG_ARGISNULL(4) ? 1000 : PG_GETARG_INT32(4);
    if (limit < 0 || limit > PREVIEW_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("limit %d is out of 0..%d", limit, PREVIEW_MAX)));
    if (PG_ARGISNULL(0))
        return (Datum)0;
    struct preview p = {.result = (ReturnSetInfo *)fcinfo->resultinfo, .arena = new_arena()};
    p.reparsing.sources = sources_of_arguments(fcinfo, 0);
    p.reparsing.parser =
        parser_open(CurrentMemoryContext, argument_or_null(fcinfo, 2), argument_or_null(fcinfo, 3));
    p.row_context =
        AllocSetContextCreate(CurrentMemoryContext, "azekura preview", ALLOCSET_DEFAULT_SIZES);
    p.entry = lookup_rowtype_tupdesc_copy(TupleDescAttr(p.result->setDesc, 0)->atttypid,
                                          TupleDescAttr(p.result->setDesc, 0)->atttypmod);
    entry_check_desc(p.entry);
    char network[IP_TEXT_MAX], query[IP_TEXT_MAX + 16];
    ip_format(&p.reparsing.sources.in.address, network);
    snprintf(query, sizeof(query), "source:%s/%u", network, p.reparsing.sources.in.prefix);
    struct scan_spec spec = {
        .query = query_of_text(view_str(query)),
        .from_us = RANGE_OPEN_FROM,
        .to_us = RANGE_OPEN_TO,
        .order = SCAN_DESC,
        .columns = (1u << BLOCK_COLUMNS) - 1,
        .wants_rows = true,
        .limit_us = (int64_t)azekura_time_limit_ms * 1000,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    struct scan *scan = scan_open(&spec);
    struct scan_block *b;
    uint32_t row;
    for (int32_t n = 0; n < limit && scan_next_row(scan, &b, &row);)
        n += preview_row(&p, b, row);
    scan_close(&scan);
    return (Datum)0;
}

/* ---- a block ---- */

enum outcome { UNCHANGED, WRITTEN, DAMAGED, FULL, GONE };
static const char *const outcomes[] = {"unchanged", "written", "damaged", "full", "gone"};

/* The block into x->old; false: it is not there. */
static bool find_block(struct exchange *x, Datum first_at, Datum first_seq)
{
    Oid types[3] = {INT2OID, TIMESTAMPTZOID, INT8OID};
    Datum values[3] = {x->group, first_at, first_seq};
    int e = SPI_execute_with_args("select *, ctid from azekura.log_block where source_group = $1"
                                  " and first_at = $2 and first_seq = $3",
                                  3, types, values, NULL, false, 1);
    if (e != SPI_OK_SELECT)
        elog(ERROR, "cannot read azekura.log_block: %s", SPI_result_code_string(e));
    SPITupleTable *table = SPI_tuptable;
    if (table->numvals == 0)
        return false;
    bool is_null;
    struct stored_block s;
    blocks_read_row(blocks_row_of(table->tupdesc), table->vals[0], &s);
    exchange_reserve(x, 1);
    exchange_take(x, &s,
                  SPI_getbinval(table->vals[0], table->tupdesc, SPI_fnumber(table->tupdesc, "ctid"),
                                &is_null));
    return true;
}

/* All rows of the block into new ones.  0, or -EBADMSG and *err. */
static int build_new(struct reparsing *p, struct exchange *x, struct block_reader *r,
                     struct err *err)
{
    int e = 0;
    for (int c = 0; c < BLOCK_COLUMNS && e >= 0; c++)
        e = block_load(r, c, err);
    if (e < 0)
        return e;
    bool *is_wanted = wanted_sources(r, &p->sources);
    for (uint32_t row = 0; row < r->messages; row++) {
        struct record old, new;
        if (row % 1024 == 0)
            CHECK_FOR_INTERRUPTS();
        e = block_record(r, row, &x->memory->arena, &old, err);
        if (e < 0)
            return e;
        const struct record *kept = &old;
        if (is_wanted_row(r, is_wanted, row) && old.received_at_us >= p->from_us &&
            old.received_at_us < p->to_us) {
            parse_again(p, &old, &new);
            p->messages++;
            if (!is_same(&old, &new)) {
                p->changed++;
                kept = &new;
            }
        }
        exchange_add(x, kept, block_seq(r, row));
    }
    if (p->changed > 0) /* compressing is most of the work */
        exchange_finish(x);
    return 0;
}

static enum outcome exchange_block(struct reparsing *p, struct exchange *x, struct err *err)
{
    struct block_reader reader;
    scan_reader_init(&reader, &x->old[0]);
    if (x->old[0].messages < 1 || x->old[0].messages > BLOCK_MAX_MESSAGES) {
        snprintf(err->message, sizeof(err->message), "%d messages are out of 1..%d",
                 x->old[0].messages, BLOCK_MAX_MESSAGES);
        return DAMAGED;
    }
    if (build_new(p, x, &reader, err) < 0)
        return DAMAGED;
    if (p->changed == 0)
        return UNCHANGED;
    CHECK(x->written == x->messages);
    if (timestamp_of_us(x->last_first_at_us) >= DatumGetTimestampTz(x->upper)) {
        snprintf(err->message, sizeof(err->message),
                 "its text does not fit into one block, and a second one would begin in the next "
                 "piece");
        return FULL;
    }
    exchange_swap(x);
    return WRITTEN;
}

static Datum outcome_row(FunctionCallInfo fcinfo, const struct reparsing *p, enum outcome outcome,
                         const struct err *err)
{
    TupleDesc desc;
    if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "azekura.reparse_block() must return a row");
    bool is_kept = outcome == DAMAGED || outcome == FULL;
    Datum values[4] = {
        Int64GetDatum((int64)p->messages),
        Int64GetDatum(is_kept ? 0 : (int64)p->changed),
        CStringGetTextDatum(outcomes[outcome]),
        is_kept ? CStringGetTextDatum(err->message) : 0,
    };
    bool nulls[4] = {false, false, false, !is_kept};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/* reparse_block(partition, first_at, first_seq, network, but_not, from, to, zone, charset) →
 * messages, changed, state, fault */
Datum azekura_reparse_block(PG_FUNCTION_ARGS)
{
    struct err err = {0};
    struct exchange x;
    enum outcome outcome = GONE;
    for (int i = 0; i < 4; i++)
        if (PG_ARGISNULL(i))
            ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                            errmsg("a block is named by its piece, first_at and first_seq, and "
                                   "messages by a network")));
    SPI_connect();
    struct reparsing p = {
        .sources = sources_of_arguments(fcinfo, 3),
        .parser = parser_open(CurrentMemoryContext, argument_or_null(fcinfo, 7),
                              argument_or_null(fcinfo, 8)),
    };
    range_of_arguments(fcinfo, 5, &p.from_us, &p.to_us);
    exchange_begin(&x, PG_GETARG_DATUM(0));
    if (find_block(&x, PG_GETARG_DATUM(1), PG_GETARG_DATUM(2)))
        outcome = exchange_block(&p, &x, &err);
    SPI_finish();
    PG_RETURN_DATUM(outcome_row(fcinfo, &p, outcome, &err));
}

/* senders_in_network(log_block.senders, network) */
Datum azekura_senders_in_network(PG_FUNCTION_ARGS)
{
    bytea *senders = PG_GETARG_BYTEA_PP(0);
    struct ip_network n = network_of_inet(PG_GETARG_INET_PP(1));
    PG_RETURN_BOOL(
        senders_in_network(view_of(VARDATA_ANY(senders), VARSIZE_ANY_EXHDR(senders)), &n));
}
