/* The receiver's parser in the server (parser.h), and azekura.parse_message(). */
#include "pgext/parser.h"

#include "utils/array.h"

#include "base/limits.h"
#include "base/zone.h"
#include "syslog/charset.h"

PGEXT_FUNCTION(azekura_parse_message);

#define NAME_MAX_BYTES 64
#define MARKS_MAX 8

struct parser {
    char zone_name[NAME_MAX_BYTES + 1], charset_name[NAME_MAX_BYTES + 1]; /* as asked for */
    struct zone *zone;
    struct buf scratch; /* malloc's, as is the zone */
    struct syslog_context syslog;
    MemoryContextCallback callback;
};

static void free_parser(void *arg)
{
    struct parser *p = arg;
    zone_free(&p->zone);
    buf_free(&p->scratch);
}

static void keep_name(char out[NAME_MAX_BYTES + 1], struct view name, const char *what)
{
    if (name.n > NAME_MAX_BYTES || memchr(name.p, 0, name.n))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("the name of a %s has at most %d characters", what, NAME_MAX_BYTES)));
    memcpy(out, name.p, name.n);
    out[name.n] = 0;
}

struct parser *parser_open(MemoryContext context, struct view zone, struct view charset)
{
    struct err err = {0};
    struct parser *p = MemoryContextAllocZero(context, sizeof(*p));
    keep_name(p->zone_name, view_is_null(zone) ? VIEW("UTC") : zone, "zone");
    keep_name(p->charset_name, view_is_null(charset) ? VIEW("") : charset, "charset");
    p->scratch = (struct buf)BUF_INIT(3 * (MESSAGE_MAX_BYTES_LIMIT + HEADER_FIELD_MAX_BYTES) + 64);
    p->callback.func = free_parser;
    p->callback.arg = p;
    MemoryContextRegisterResetCallback(context, &p->callback);
    if (zone_load(p->zone_name, &p->zone, &err) < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", err.message)));
    p->syslog.zone = p->zone;
    p->syslog.scratch = &p->scratch;
    if (p->charset_name[0]) {
        const struct charset *c = charset_find(view_str(p->charset_name));
        if (c == NULL || charset_prepare(c) < 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("there is no charset \"%s\"", p->charset_name)));
        /* as the receiver has it: of UTF-8 there is nothing to decode */
        p->syslog.charset = charset_is_utf8(c) ? NULL : c;
    }
    return p;
}

bool parser_is_of(const struct parser *p, struct view zone, struct view charset)
{
    return view_eq(view_str(p->zone_name), view_is_null(zone) ? VIEW("UTC") : zone) &&
           view_eq(view_str(p->charset_name), view_is_null(charset) ? VIEW("") : charset);
}

void parser_parse(struct parser *p, int64_t received_at_us, struct view raw, struct record *ret)
{
    p->syslog.received_at_us = received_at_us;
    syslog_parse(&p->syslog, raw, ret);
}

Datum parser_marks(uint8_t flags)
{
    Datum names[MARKS_MAX];
    int n = 0;
    for (unsigned bit = 1; bit < 256; bit <<= 1) {
        const char *name = flags & bit ? record_flag_name(bit) : NULL;
        if (name)
            names[n++] = CStringGetTextDatum(name);
    }
    if (n == 0)
        return PointerGetDatum(construct_empty_array(TEXTOID));
    return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* ---- parse_message ---- */

static Datum text_or_null(struct view v, bool *ret_is_null)
{
    *ret_is_null = view_is_null(v);
    return *ret_is_null ? 0 : text_of_view(v);
}

/* parse_message(raw, received_at, zone, charset) → the fields that come from the bytes, and marks
 */
Datum azekura_parse_message(PG_FUNCTION_ARGS)
{
    TupleDesc desc;
    if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "azekura.parse_message() must return a row");
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_NULL();
    struct view zone = PG_ARGISNULL(2) ? VIEW_NULL : view_of_argument(fcinfo, 2);
    struct view charset = PG_ARGISNULL(3) ? VIEW_NULL : view_of_argument(fcinfo, 3);
    struct parser *p = fcinfo->flinfo->fn_extra;
    if (p == NULL || !parser_is_of(p, zone, charset)) {
        /* one that is not of these names stays until the query ends: they are few */
        p = parser_open(fcinfo->flinfo->fn_mcxt, zone, charset);
        fcinfo->flinfo->fn_extra = p;
    }
    bytea *raw = PG_GETARG_BYTEA_PP(0);
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(1);
    if (TIMESTAMP_NOT_FINITE(at) || VARSIZE_ANY_EXHDR(raw) > MESSAGE_MAX_BYTES_LIMIT)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("a message has at most %d bytes and a time", MESSAGE_MAX_BYTES_LIMIT)));
    struct record r;
    parser_parse(p, us_of_timestamp(at), view_of(VARDATA_ANY(raw), VARSIZE_ANY_EXHDR(raw)), &r);
    Datum values[11] = {0};
    bool nulls[11] = {false};
    nulls[0] = r.reported_at_us == TIME_NONE;
    values[0] = TimestampTzGetDatum(timestamp_of_us(r.reported_at_us));
    values[1] = Int16GetDatum(r.facility);
    values[2] = Int16GetDatum(r.severity);
    const struct view texts[] = {r.hostname, r.app_name,        r.procid,
                                 r.msgid,    r.structured_data, r.message};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        values[3 + i] = text_or_null(texts[i], &nulls[3 + i]);
    values[9] = CStringGetTextDatum(record_format_name(r.format));
    values[10] = parser_marks(r.flags);
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
