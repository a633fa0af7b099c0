/* azekura.facets(): the most frequent values of a field among matching messages. */
#include "pgext/pgext.h"

#include "common/hashfn.h"
#include "utils/hsearch.h"
#include "utils/snapmgr.h"

#include "pgext/entry.h"
#include "pgext/evaluate.h"
#include "query/pairs.h"

PGEXT_FUNCTION(azekura_facets);

/* distinct values counted at once: some 100 MB; a field with more has no most frequent values worth
 * it */
#define FACETS_MAX_VALUES 1000000

struct facet {
    struct view value; /* the key; in the table's context */
    int64_t count;
};

enum facets_kind { FACETS_FIELD, FACETS_PAIR, FACETS_MARK };

struct facets {
    enum facets_kind kind;
    enum entry_field field;        /* FIELD */
    const struct query_node *pair; /* PAIR: the name, as a query for its presence */
    const char *name;              /* of what is counted */
    HTAB *table;
    MemoryContext context;
};

static uint32 hash_value(const void *key, Size size)
{
    (void)size;
    const struct view *v = key;
    return hash_bytes((const unsigned char *)v->p, (int)v->n);
}

static int compare_value(const void *a, const void *b, Size size)
{
    (void)size;
    return view_eq(*(const struct view *)a, *(const struct view *)b) ? 0 : 1;
}

static void add(struct facets *f, struct view value, int64_t count)
{
    bool is_known;
    struct facet *e = hash_search(f->table, &value, HASH_ENTER, &is_known);
    if (!is_known) {
        if (hash_get_num_entries(f->table) > FACETS_MAX_VALUES)
            ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                            errmsg("%s has more than %d distinct values in this range", f->name,
                                   FACETS_MAX_VALUES),
                            errhint("Narrow the range of time or the query.")));
        char *copy = MemoryContextAlloc(f->context, value.n + 1);
        memcpy(copy, value.p, value.n);
        e->value = view_of(copy, value.n);
        e->count = 0;
    }
    e->count += count;
}

/* What a row counts towards: the entry of its dictionary, or the number itself. */
static uint32_t index_of_row(enum entry_field f, const struct scan_block *b,
                             const uint16_t *entries, uint32_t row)
{
    switch (f) {
    case ENTRY_FACILITY:
        return block_pri(&b->reader, row) >> 3;
    case ENTRY_SEVERITY:
        return block_pri(&b->reader, row) & 7;
    case ENTRY_LISTENER:
        return block_listener(&b->reader, row);
    case ENTRY_FORMAT:
        return block_format(&b->reader, row);
    default:
        return entries ? entries[row] : 0;
    }
}

static struct view value_of_index(enum entry_field f, enum block_column c,
                                  const struct scan_block *b, uint32_t index,
                                  char scratch[IP_TEXT_MAX])
{
    struct ip ip;
    switch (f) {
    case ENTRY_FACILITY:
        return view_str(facility_name(index));
    case ENTRY_SEVERITY:
        return view_str(severity_name(index));
    case ENTRY_LISTENER:
        return view_str(listener_name(index));
    case ENTRY_FORMAT:
        return view_str(record_format_name(index));
    case ENTRY_SOURCE:
        block_dictionary_source(&b->reader, index, &ip);
        return ip.family == 0 ? VIEW_NULL : view_of(scratch, ip_format(&ip, scratch));
    default:
        return block_dictionary_text(&b->reader, c, index);
    }
}

static void count_block(struct facets *f, struct scan_block *b)
{
    enum block_column c = (enum block_column)__builtin_ctz(entry_columns(1u << f->field));
    if (!scan_load(b, c))
        return;
    bool is_dictionary = f->field == ENTRY_SOURCE ||
                         (f->field >= ENTRY_HOSTNAME && f->field <= ENTRY_MSGID);
    uint32_t n = (uint32_t)b->stored.messages;
    uint32_t size = is_dictionary ? Max(block_dictionary_size(&b->reader, c), 1) : 256;
    const uint16_t *entries = is_dictionary ? block_dictionary_rows(&b->reader, c) : NULL;
    uint32_t *counts = palloc0(size * sizeof(*counts));
    for (uint32_t i = b->is_whole ? 0 : rows_next(b->rows, 0); i < n;
         i = b->is_whole ? i + 1 : rows_next(b->rows, i + 1))
        counts[index_of_row(f->field, b, entries, i)]++;
    for (uint32_t i = 0; i < size; i++) {
        char scratch[IP_TEXT_MAX];
        if (counts[i] == 0)
            continue;
        struct view value = value_of_index(f->field, c, b, i, scratch);
        if (value.p != NULL)
            add(f, value, counts[i]);
    }
    pfree(counts);
}

/* ---- marks ---- */

static void count_marks(struct facets *f, struct scan_block *b)
{
    int64_t counts[8] = {0};
    if (!scan_load(b, COLUMN_FLAGS))
        return;
    uint32_t n = (uint32_t)b->stored.messages;
    for (uint32_t i = b->is_whole ? 0 : rows_next(b->rows, 0); i < n;
         i = b->is_whole ? i + 1 : rows_next(b->rows, i + 1)) {
        for (unsigned flags = block_flags(&b->reader, i); flags != 0; flags &= flags - 1)
            counts[__builtin_ctz(flags)]++;
    }
    for (unsigned bit = 0; bit < 8; bit++) {
        struct view name = view_str(record_flag_name(1u << bit));
        if (counts[bit] > 0 && name.p != NULL)
            add(f, name, counts[bit]);
    }
}

/* ---- pairs ---- */

/* A value that a message has twice counts once: so many messages are found by it. */
#define FACETS_VALUES_A_MESSAGE 64

struct facets_message {
    struct facets *f;
    struct view values[FACETS_VALUES_A_MESSAGE];
    size_t n;
};

static bool count_pair(void *context, const struct pair *p)
{
    struct facets_message *m = context;
    struct view value = p->is_veiled ? p->written : p->value;
    if (!query_pair_is_named(&m->f->pair->name, p))
        return true;
    for (size_t i = 0; i < m->n; i++) {
        if (view_eq(m->values[i], value))
            return true;
    }
    if (m->n < FACETS_VALUES_A_MESSAGE)
        m->values[m->n++] = value;
    return true;
}

static void count_pairs(struct facets *f, struct scan_block *b)
{
    struct facets_message m = {.f = f};
    if (!scan_load(b, COLUMN_STRUCTURED_DATA) || !scan_load(b, COLUMN_MESSAGE))
        return;
    char *of_data = pairs_scratch_of_column(&b->reader, COLUMN_STRUCTURED_DATA);
    char *of_message = pairs_scratch_of_column(&b->reader, COLUMN_MESSAGE);
    for (uint32_t i = rows_next(b->rows, 0); i != UINT32_MAX; i = rows_next(b->rows, i + 1)) {
        m.n = 0;
        pairs_of_structured_data(block_text(&b->reader, COLUMN_STRUCTURED_DATA, i), of_data,
                                 count_pair, &m);
        pairs_of_message(block_text(&b->reader, COLUMN_MESSAGE, i), of_message, count_pair, &m);
        for (size_t k = 0; k < m.n; k++)
            add(f, m.values[k], 1);
    }
}

static void count(struct facets *f, struct scan_block *b)
{
    switch (f->kind) {
    case FACETS_FIELD:
        count_block(f, b);
        break;
    case FACETS_PAIR:
        count_pairs(f, b);
        break;
    case FACETS_MARK:
        count_marks(f, b);
        break;
    }
}

/* ---- the answer ---- */

static int compare_facets(const void *a, const void *b)
{
    const struct facet *x = *(struct facet *const *)a, *y = *(struct facet *const *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    int order = memcmp(x->value.p, y->value.p, Min(x->value.n, y->value.n));
    return order != 0 ? order : (x->value.n > y->value.n) - (x->value.n < y->value.n);
}

static void put_facets(struct facets *f, int64_t limit, ReturnSetInfo *result)
{
    int64_t n = hash_get_num_entries(f->table);
    struct facet **all = palloc((size_t)Max(n, 1) * sizeof(*all));
    HASH_SEQ_STATUS status;
    hash_seq_init(&status, f->table);
    int64_t filled = 0;
    for (struct facet *e; (e = hash_seq_search(&status)) != NULL;)
        all[filled++] = e;
    qsort(all, (size_t)n, sizeof(*all), compare_facets);
    for (int64_t i = 0; i < Min(n, limit); i++) {
        Datum values[2] = {text_of_view(all[i]->value), Int64GetDatum(all[i]->count)};
        bool nulls[2] = {false, false};
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
        pfree(DatumGetPointer(values[0]));
    }
}

static enum entry_field field_of_view(struct view name)
{
    static const enum entry_field known[] = {
        ENTRY_SOURCE,   ENTRY_LISTENER, ENTRY_FACILITY, ENTRY_SEVERITY, ENTRY_HOSTNAME,
        ENTRY_APP_NAME, ENTRY_PROCID,   ENTRY_MSGID,    ENTRY_FORMAT,
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (view_eq(name, view_str(entry_field_name(known[i]))))
            return known[i];
    }
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("there are no facets of \"%.*s\"", (int)Min(name.n, 100), name.p),
                    errhint("The field is one of source, listener, facility, severity, hostname, "
                            "app_name, procid, msgid, format, mark, kv.NAME.")));
}

/* kv."name":* */
static const struct query_node *query_of_name(struct view name)
{
    char *text = palloc(2 * name.n + 16);
    size_t n = (size_t)snprintf(text, 5, "kv.\"");
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '"' || name.p[i] == '\\')
            text[n++] = '\\';
        text[n++] = name.p[i];
    }
    memcpy(text + n, "\":*", 3);
    return query_of_text(view_of(text, n + 3));
}

static void facets_of_field(struct facets *f, struct view name)
{
    if (view_starts_with(name, VIEW("kv.")) && name.n > 3) {
        f->kind = FACETS_PAIR;
        f->pair = query_of_name(view_of(name.p + 3, name.n - 3));
        f->name = pnstrdup(name.p, Min(name.n, 100));
    } else if (view_eq(name, VIEW("mark"))) {
        f->kind = FACETS_MARK;
        f->name = "mark";
    } else {
        f->field = field_of_view(name);
        f->name = entry_field_name(f->field);
    }
}

/* Only messages that have the pair are looked at: the token index knows its name. */
static const struct query_node *with_pair(const struct query_node *q, const struct query_node *pair)
{
    struct query_node *both = palloc0(sizeof(*both));
    both->kind = QUERY_AND;
    both->children_n = 2;
    both->children = palloc(2 * sizeof(struct query_node *));
    both->children[0] = (struct query_node *)q;
    both->children[1] = (struct query_node *)pair;
    return both;
}

/* facets(field, query, from, to, limit) */
Datum azekura_facets(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    int64_t limit = PG_ARGISNULL(4) ? INT64_MAX : PG_GETARG_INT32(4);
    if (limit < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("limit %lld is negative", (long long)limit)));
    struct facets f = {.context = AllocSetContextCreate(CurrentMemoryContext, "azekura facets",
                                                        ALLOCSET_DEFAULT_SIZES)};
    facets_of_field(&f, view_of_argument(fcinfo, 0));
    HASHCTL info = {.keysize = sizeof(struct view),
                    .entrysize = sizeof(struct facet),
                    .hash = hash_value,
                    .match = compare_value,
                    .hcxt = f.context};
    f.table = hash_create("azekura facets", 1024, &info,
                          HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
    struct scan_spec spec = {
        .query = query_of_text(view_of_argument(fcinfo, 1)),
        .order = SCAN_BLOCKS,
        .limit_us = (int64_t)azekura_time_limit_ms * 1000,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    if (f.kind == FACETS_PAIR)
        spec.query = with_pair(spec.query, f.pair);
    range_of_arguments(fcinfo, 2, &spec.from_us, &spec.to_us);
    struct scan *scan = scan_open(&spec);
    for (struct scan_block *b; (b = scan_next_block(scan)) != NULL;)
        count(&f, b);
    scan_close(&scan);
    put_facets(&f, limit, result);
    return (Datum)0;
}
