/* Rows of blocks as rows of azekura.logs, and back as far as the query language needs it. */
#include "pgext/pgext.h"

#include <sys/socket.h>

#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pgext/entry.h"

static const struct {
    const char *name;
    enum block_column column;
} fields[ENTRY_FIELDS] = {
    [ENTRY_RECEIVED_AT] = {"received_at", COLUMN_TIMES},
    [ENTRY_REPORTED_AT] = {"reported_at", COLUMN_REPORTED},
    [ENTRY_SOURCE] = {"source", COLUMN_SOURCES},
    [ENTRY_LISTENER] = {"listener", COLUMN_LISTENERS},
    [ENTRY_FACILITY] = {"facility", COLUMN_PRI},
    [ENTRY_SEVERITY] = {"severity", COLUMN_PRI},
    [ENTRY_HOSTNAME] = {"hostname", COLUMN_HOSTNAME},
    [ENTRY_APP_NAME] = {"app_name", COLUMN_APP_NAME},
    [ENTRY_PROCID] = {"procid", COLUMN_PROCID},
    [ENTRY_MSGID] = {"msgid", COLUMN_MSGID},
    [ENTRY_STRUCTURED_DATA] = {"structured_data", COLUMN_STRUCTURED_DATA},
    [ENTRY_MESSAGE] = {"message", COLUMN_MESSAGE},
    [ENTRY_FORMAT] = {"format", COLUMN_FORMATS},
    [ENTRY_ID] = {"id", COLUMN_SEQ},
};

const char *entry_field_name(enum entry_field f)
{
    return fields[f].name;
}

void entry_check_desc(TupleDesc desc)
{
    static const Oid types[ENTRY_FIELDS] = {
        TIMESTAMPTZOID, TIMESTAMPTZOID, INETOID, TEXTOID, INT2OID, INT2OID, TEXTOID,
        TEXTOID,        TEXTOID,        TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID,
    };
    bool is_same = desc->natts == ENTRY_FIELDS;
    for (int f = 0; is_same && f < ENTRY_FIELDS; f++) {
        Form_pg_attribute a = TupleDescAttr(desc, f);
        is_same = !a->attisdropped && a->atttypid == types[f] &&
                  strcmp(NameStr(a->attname), fields[f].name) == 0;
    }
    if (!is_same)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the relation does not have the columns of azekura.logs"),
                        errhint("Only azekura.logs itself can be read through this server.")));
}

uint32_t entry_columns(uint32_t wanted)
{
    uint32_t columns = 0;
    for (int f = 0; f < ENTRY_FIELDS; f++) {
        if (wanted >> f & 1)
            columns |= 1u << fields[f].column;
    }
    if (wanted >> ENTRY_ID & 1)
        columns |= 1u << COLUMN_TIMES;
    return columns;
}

Datum entry_inet(const struct ip *ip)
{
    inet *v = palloc0(sizeof(inet));
    ip_family(v) = ip->family == 4 ? PGSQL_AF_INET : PGSQL_AF_INET6;
    ip_bits(v) = ip->family == 4 ? 32 : 128;
    memcpy(ip_addr(v), ip->bytes, ip->family == 4 ? 4 : 16);
    SET_INET_VARSIZE(v);
    return InetPGetDatum(v);
}

/* ---- from a block ---- */

static bool text_of_column(enum block_column c, const struct scan_block *b, uint32_t row,
                           Datum *ret)
{
    struct view v = block_text(&b->reader, c, row);
    if (v.p == NULL)
        return false;
    *ret = text_of_view(v);
    return true;
}

/* The Datum of a dictionary's entry, made at its first use in this block. */
static bool dictionary_datum(struct entry_maker *m, enum block_column c, const struct scan_block *b,
                             uint32_t row, Datum *ret)
{
    const uint16_t *rows = block_dictionary_rows(&b->reader, c);
    uint32_t entry = rows ? rows[row] : 0;
    if (m->dictionaries[c] == NULL)
        m->dictionaries[c] = MemoryContextAllocZero(
            b->columns_context, (size_t)block_dictionary_size(&b->reader, c) * sizeof(Datum) + 8);
    Datum *made = &m->dictionaries[c][entry];
    if (*made == 0) {
        MemoryContext old = MemoryContextSwitchTo(b->columns_context);
        if (c == COLUMN_SOURCES) {
            struct ip ip;
            block_dictionary_source(&b->reader, entry, &ip);
            if (ip.family != 0)
                *made = entry_inet(&ip);
        } else {
            struct view v = block_dictionary_text(&b->reader, c, entry);
            if (v.p != NULL)
                *made = text_of_view(v);
        }
        MemoryContextSwitchTo(old);
    }
    *ret = *made;
    return *made != 0;
}

static bool field_value(struct entry_maker *m, enum entry_field f, const struct scan_block *b,
                        uint32_t row, Datum *ret)
{
    const struct block_reader *r = &b->reader;
    switch (f) {
    case ENTRY_RECEIVED_AT:
        *ret = TimestampTzGetDatum(timestamp_of_us(block_time(r, row)));
        return true;
    case ENTRY_REPORTED_AT: {
        int64_t us = block_reported(r, row);
        *ret = TimestampTzGetDatum(timestamp_of_us(us));
        return us != TIME_NONE;
    }
    case ENTRY_LISTENER:
    case ENTRY_FORMAT: {
        const char *name = f == ENTRY_LISTENER ? listener_name(block_listener(r, row))
                                               : record_format_name(block_format(r, row));
        if (name == NULL)
            return false;
        *ret = CStringGetTextDatum(name);
        return true;
    }
    case ENTRY_FACILITY:
        *ret = Int16GetDatum(block_pri(r, row) >> 3);
        return true;
    case ENTRY_SEVERITY:
        *ret = Int16GetDatum(block_pri(r, row) & 7);
        return true;
    case ENTRY_STRUCTURED_DATA:
    case ENTRY_MESSAGE:
        return text_of_column(fields[f].column, b, row, ret);
    case ENTRY_ID: {
        char id[ENTRY_ID_BYTES];
        entry_id_format((struct entry_id){block_time(r, row), block_seq(r, row)}, id);
        *ret = text_of_view(view_of(id, sizeof(id)));
        return true;
    }
    default:
        return dictionary_datum(m, fields[f].column, b, row, ret);
    }
}

void entry_make(struct entry_maker *m, const struct scan_block *b, uint32_t row,
                Datum values[ENTRY_FIELDS], bool nulls[ENTRY_FIELDS])
{
    if (m->block != b || m->load != b->load) {
        memset(m->dictionaries, 0, sizeof(m->dictionaries));
        m->block = b;
        m->load = b->load;
    }
    for (int f = 0; f < ENTRY_FIELDS; f++) {
        values[f] = 0;
        nulls[f] = !(m->fields >> f & 1) || !field_value(m, f, b, row, &values[f]);
    }
}

/* ---- from a row ---- */

static struct view text_attribute(HeapTuple tuple, TupleDesc desc, enum entry_field f)
{
    bool is_null;
    Datum d = heap_getattr(tuple, f + 1, desc, &is_null);
    return is_null ? VIEW_NULL : view_of_text(DatumGetTextPP(d));
}

static int number_attribute(HeapTuple tuple, TupleDesc desc, enum entry_field f, int missing)
{
    bool is_null;
    Datum d = heap_getattr(tuple, f + 1, desc, &is_null);
    return is_null ? missing : DatumGetInt16(d);
}

static unsigned number_of_name(struct view name, unsigned n, const char *(*name_of)(unsigned))
{
    for (unsigned i = 0; i < n; i++) {
        const char *s = name_of(i);
        if (s && view_eq(name, view_str(s)))
            return i;
    }
    return n;
}

void entry_record(HeapTupleHeader row, struct record *ret)
{
    TupleDesc desc =
        lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
    ItemPointerSetInvalid(&tuple.t_self);
    entry_check_desc(desc);
    bool is_null;
    *ret = (struct record){.reported_at_us = TIME_NONE};
    Datum d = heap_getattr(&tuple, ENTRY_RECEIVED_AT + 1, desc, &is_null);
    ret->received_at_us = is_null ? 0 : us_of_timestamp(DatumGetTimestampTz(d));
    d = heap_getattr(&tuple, ENTRY_SOURCE + 1, desc, &is_null);
    if (!is_null) {
        inet *source = DatumGetInetPP(d);
        ret->source.family = ip_family(source) == PGSQL_AF_INET ? 4 : 6;
        memcpy(ret->source.bytes, ip_addr(source), ret->source.family == 4 ? 4 : 16);
    }
    ret->listener = (uint8_t)number_of_name(text_attribute(&tuple, desc, ENTRY_LISTENER),
                                            LISTENER_COUNT, listener_name);
    ret->format =
        (uint8_t)number_of_name(text_attribute(&tuple, desc, ENTRY_FORMAT), 32, record_format_name);
    ret->facility = (uint8_t)number_attribute(&tuple, desc, ENTRY_FACILITY, 255);
    ret->severity = (uint8_t)number_attribute(&tuple, desc, ENTRY_SEVERITY, 255);
    ret->hostname = text_attribute(&tuple, desc, ENTRY_HOSTNAME);
    ret->app_name = text_attribute(&tuple, desc, ENTRY_APP_NAME);
    ret->procid = text_attribute(&tuple, desc, ENTRY_PROCID);
    ret->msgid = text_attribute(&tuple, desc, ENTRY_MSGID);
    ret->structured_data = text_attribute(&tuple, desc, ENTRY_STRUCTURED_DATA);
    ret->message = text_attribute(&tuple, desc, ENTRY_MESSAGE);
    if (ret->message.p == NULL)
        ret->message = VIEW("");
    ReleaseTupleDesc(desc);
}
