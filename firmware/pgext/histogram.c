/* azekura.histogram(): matching messages a stretch of time, by severity. */
#include "pgext/pgext.h"

#include "utils/array.h"
#include "utils/snapmgr.h"

#include "base/limits.h"
#include "pgext/scan.h"

PGEXT_FUNCTION(azekura_histogram);

/* Bucket i reaches from bucket_at(i) up to bucket_at(i + 1); their widths differ by 1 µs at most.
 */
struct histogram {
    int64_t from_us, to_us;
    int32_t buckets;
    int64_t (*counts)[8];
};

static int64_t bucket_at(const struct histogram *h, int32_t i)
{
    return h->from_us + (int64_t)(((__int128)h->to_us - h->from_us) * i / h->buckets);
}

static int32_t bucket_of(const struct histogram *h, int64_t us)
{
    __int128 span = (__int128)h->to_us - h->from_us;
    int32_t i = (int32_t)(((__int128)us - h->from_us) * h->buckets / span);
    /* bucket_at() rounds down, so the true bucket may be the next one */
    if (i + 1 < h->buckets && us >= bucket_at(h, i + 1))
        i++;
    return Min(i, h->buckets - 1);
}

static void count_rows(struct histogram *h, struct scan_block *b, bool one_bucket)
{
    uint32_t n = (uint32_t)b->stored.messages;
    int64_t end = INT64_MIN;
    int64_t *counts = NULL;
    if (one_bucket) {
        counts = h->counts[bucket_of(h, b->stored.first_at_us)];
        end = INT64_MAX;
    }
    for (uint32_t i = b->is_whole ? 0 : rows_next(b->rows, 0); i < n;
         i = b->is_whole ? i + 1 : rows_next(b->rows, i + 1)) {
        int64_t us = one_bucket ? 0 : block_time(&b->reader, i);
        if (us >= end || counts == NULL) {
            int32_t bucket = bucket_of(h, us);
            counts = h->counts[bucket];
            end = bucket_at(h, bucket + 1);
        }
        counts[block_pri(&b->reader, i) & 7]++;
    }
}

static void count_block(struct histogram *h, struct scan_block *b)
{
    bool one_bucket = b->stored.first_at_us >= h->from_us && b->stored.last_at_us < h->to_us &&
                      bucket_of(h, b->stored.first_at_us) == bucket_of(h, b->stored.last_at_us);
    uint8_t severities = b->stored.severities;
    if (one_bucket && severities != 0 && (severities & (severities - 1)) == 0) {
        /* all rows in one bucket and of one severity: nothing more to read */
        int32_t bucket = bucket_of(h, b->stored.first_at_us);
        h->counts[bucket][__builtin_ctz(severities)] += b->matches;
        return;
    }
    if (scan_load(b, COLUMN_PRI) && (one_bucket || scan_load(b, COLUMN_TIMES)))
        count_rows(h, b, one_bucket);
}

/* An open end becomes that of what is stored. */
static void bound_range(struct scan_spec *spec)
{
    struct stored_block s;
    if (spec->from_us == RANGE_OPEN_FROM) {
        struct blocks *b =
            blocks_open(spec->snapshot, spec->user, spec->from_us, spec->to_us, false);
        if (blocks_next(b, &s)) {
            spec->from_us = s.first_at_us;
            blocks_free_tuple(&s);
        }
        blocks_close(b);
    }
    if (spec->to_us == RANGE_OPEN_TO) {
        struct blocks *b =
            blocks_open(spec->snapshot, spec->user, spec->from_us, spec->to_us, true);
        if (blocks_next(b, &s)) {
            spec->to_us = s.last_at_us + 1;
            blocks_free_tuple(&s);
        }
        blocks_close(b);
    }
}

static void put_buckets(const struct histogram *h, ReturnSetInfo *result)
{
    for (int32_t i = 0; i < h->buckets; i++) {
        Datum severities[8];
        int64_t count = 0;
        for (int s = 0; s < 8; s++) {
            severities[s] = Int64GetDatum(h->counts[i][s]);
            count += h->counts[i][s];
        }
        ArrayType *array = construct_array(severities, 8, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
                                           TYPALIGN_DOUBLE);
        Datum values[3] = {TimestampTzGetDatum(timestamp_of_us(bucket_at(h, i))),
                           Int64GetDatum(count), PointerGetDatum(array)};
        bool nulls[3] = {false, false, false};
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
        pfree(array);
    }
}

/* histogram(query, from, to, buckets) */
Datum azekura_histogram(PG_FUNCTION_ARGS)
{
    InitMaterializedSRF(fcinfo, 0);
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    int32_t buckets = PG_ARGISNULL(3) ? 60 : PG_GETARG_INT32(3);
    if (buckets < 1 || buckets > HISTOGRAM_BUCKETS_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%d buckets are out of 1..%d", buckets, HISTOGRAM_BUCKETS_MAX)));
    struct scan_spec spec = {
        .query = query_of_text(view_of_argument(fcinfo, 0)),
        .order = SCAN_BLOCKS,
        .limit_us = (int64_t)azekura_time_limit_ms * 1000,
        .snapshot = GetActiveSnapshot(),
        .user = GetUserId(),
    };
    range_of_arguments(fcinfo, 1, &spec.from_us, &spec.to_us);
    bound_range(&spec);
    if (spec.from_us == RANGE_OPEN_FROM || spec.to_us == RANGE_OPEN_TO)
        return (Datum)0; /* an open range over an empty store has no buckets */
    if (spec.from_us >= spec.to_us) {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the end of the range is not after its beginning"),
                        errdetail("from is %s, to is %s",
                                  pstrdup(timestamptz_to_str(timestamp_of_us(spec.from_us))),
                                  timestamptz_to_str(timestamp_of_us(spec.to_us)))));
    }
    struct histogram h = {spec.from_us, spec.to_us, buckets, NULL};
    h.counts = palloc0((size_t)buckets * sizeof(*h.counts));
    struct scan *scan = scan_open(&spec);
    for (struct scan_block *b; (b = scan_next_block(scan)) != NULL;)
        count_block(&h, b);
    scan_close(&scan);
    put_buckets(&h, result);
    return (Datum)0;
}
