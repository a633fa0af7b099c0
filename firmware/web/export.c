/* GET /logs/export: all messages of a search as CSV, JSON lines or the bytes as received.  The
 * search goes page by page with a cursor and holds no snapshot, so an export may take hours without
 * keeping the database from cleaning up; what arrives after it began is not in it, since `to` is
 * fixed. */
#include "web/handlers.h"

#include <time.h>

#include "base/limits.h"
#include "web/auth.h"
#include "web/csv.h"
#include "web/searching.h"

#define FIRST_PAGE_MESSAGES 1000
/* A page begins its first block anew: more than the messages of a block, so that most are read
 * once. */
#define PAGE_MESSAGES_MAX 65536
#define PAGE_MAX_BYTES (8u << 20) /* of memory a page: then it is sent and the search goes on */
#define CHUNK_MAX_BYTES (PAGE_MAX_BYTES + (8u << 20))
#define RETRY_S 10
#define DB_PATIENCE_US (60 * US_PER_SECOND) /* for a connection, once the export is under way */
#define DB_PAUSE_MS 500
/* The keeper cancels a search that is in the way of a deletion.  The page is read again, in steps
 * so short that he need not. */
#define CANCELS_MAX 50 /* one after another */
#define SHORT_STEP_MS 150

enum export_format { EXPORT_CSV, EXPORT_JSONL, EXPORT_RAW };

struct export
{
    enum export_format format;
    struct buf page;
    bool is_cut;
    char last_id[48];
    int64_t last_check_mono_us;
};

static void csv_int(struct buf *out, int n)
{
    buf_printf(out, "%d,", n);
}

static void csv_time(struct buf *out, int64_t us)
{
    char text[RFC3339_MAX];
    if (us != TIME_NONE)
        buf_add(out, text, rfc3339_format(us, text));
    buf_add_char(out, ',');
}

static void add_csv(struct buf *out, const struct search_entry *e)
{
    const struct view rest[] = {e->hostname,        e->app_name, e->procid, e->msgid,
                                e->structured_data, e->message,  e->format, e->id};
    csv_time(out, e->received_at_us);
    csv_time(out, e->reported_at_us);
    csv_cell(out, e->source);
    buf_add_char(out, ',');
    csv_cell(out, e->listener);
    buf_add_char(out, ',');
    csv_int(out, e->facility);
    csv_int(out, e->severity);
    for (size_t i = 0; i < ARRAY_LEN(rest); i++) {
        csv_cell(out, rest[i]);
        buf_add_str(out, i + 1 < ARRAY_LEN(rest) ? "," : "\r\n");
    }
}

static int add_entry(void *context, const struct search_entry *e, struct err *err)
{
    struct export *x = context;
    if (x->format == EXPORT_CSV) {
        add_csv(&x->page, e);
    } else if (x->format == EXPORT_JSONL) {
        struct json j = JSON_INIT(&x->page);
        searching_entry(&j, e);
        buf_add_char(&x->page, '\n');
    } else {
        buf_add_view(&x->page, e->raw);
        buf_add_char(&x->page, '\n');
    }
    if (x->page.is_full)
        return err_set(err, EIO, "too_large", "a message does not fit into %zu bytes", x->page.max);
    size_t n = MIN(e->id.n, sizeof(x->last_id) - 1);
    memcpy(x->last_id, e->id.p, n);
    x->last_id[n] = 0;
    x->is_cut = x->page.n > PAGE_MAX_BYTES;
    return x->is_cut;
}

/* Pages of about half the bytes a page may have: one that is cut has made the database work in
 * vain. */
static void adapt_page(struct search_request *q, const struct export *x, int n)
{
    if (x->is_cut)
        q->limit = MAX(n / 2, 1);
    else if (n == q->limit && x->page.n < PAGE_MAX_BYTES / 4)
        q->limit = MIN(q->limit * 2, PAGE_MESSAGES_MAX);
}

/* One try of a page: 1 there is more, 0 that was the last, negative and *err. */
static int try_page(struct request *rq, struct search_request *q, struct export *x, struct err *err)
{
    struct search_scan scan;
    buf_clear(&x->page);
    x->is_cut = false; /* also when nothing comes any more */
    int n = search_run(rq->db, q, add_entry, x, &scan, err);
    if (n < 0)
        return n;
    if (n == q->limit || x->is_cut) {
        q->cursor = x->last_id;
        adapt_page(q, x, n);
        return 1;
    }
    if (scan.is_complete)
        return 0;
    if (scan.resume[0] == 0)
        return err_set(err, EIO, "database_error",
                       "the search ended early without a place to go on");
    snprintf(x->last_id, sizeof(x->last_id), "%s", scan.resume);
    q->cursor = x->last_id;
    return 1;
}

/* A page as try_page(), tried again from where it began after it was cancelled. */
static int next_page(struct request *rq, struct search_request *q, struct export *x,
                     struct err *err)
{
    const int64_t time_limit_ms = q->time_limit_ms;
    char begin[sizeof(x->last_id)];
    int rc;
    snprintf(begin, sizeof(begin), "%s", x->last_id); /* what a page gives moves last_id on */
    for (int tries = 0;; tries++) {
        rc = try_page(rq, q, x, err);
        if (rc != -ETIMEDOUT || tries == CANCELS_MAX || atomic_load(&rq->web->is_stopping))
            break;
        snprintf(x->last_id, sizeof(x->last_id), "%s", begin);
        q->limit = MAX(q->limit / 2, 1);
        q->time_limit_ms = SHORT_STEP_MS;
    }
    q->time_limit_ms = time_limit_ms;
    return rc;
}

static int begin_stream(struct request *rq, enum export_format format)
{
    static const struct {
        const char *type, *extension;
    } kinds[] = {
        [EXPORT_CSV] = {"text/csv; charset=utf-8", "csv"},
        [EXPORT_JSONL] = {"application/x-ndjson", "jsonl"},
        [EXPORT_RAW] = {"application/octet-stream", "log"},
    };
    char headers[160];
    snprintf(headers, sizeof(headers),
             "Content-Disposition: attachment; filename=\"azekura-logs.%s\"\r\n",
             kinds[format].extension);
    int rc = reply_stream(rq, kinds[format].type, headers);
    if (rc == 0 &&
        format == EXPORT_CSV) /* the byte order mark: without it Excel guesses the charset */
        rc = reply_chunk(rq, VIEW("\xef\xbb\xbf"
                                  "received_at,reported_at,source,listener,facility,severity,"
                                  "hostname,app_name,procid,msgid,structured_data,message,format,"
                                  "id\r\n"));
    return rc;
}

/* The connection was given back while the client read.  An export of hours must not break off
 * because others have all of them for a moment. */
static int take_db_again(struct request *rq, int watch_fd, struct err *err)
{
    int64_t until_us = clock_mono_us() + DB_PATIENCE_US;
    struct timespec pause = {.tv_nsec = DB_PAUSE_MS * 1000000L};
    int rc;
    while ((rc = request_db(rq, err)) == -EAGAIN && clock_mono_us() < until_us &&
           !atomic_load(&rq->web->is_stopping) && !request_client_is_gone(watch_fd))
        nanosleep(&pause, NULL);
    return rc;
}

static void run(struct request *rq, struct search_request *q, struct export *x)
{
    struct err err;
    int more = next_page(rq, q, x, &err);
    if (more < 0) {
        reply_err(rq, more, &err); /* nothing has been sent: the error can still be told */
        return;
    }
    x->last_check_mono_us = clock_mono_us();
    int rc = begin_stream(rq, x->format);
    while (rc == 0) {
        rc = reply_chunk(rq, buf_view(&x->page));
        if (rc < 0 || more == 0 || atomic_load(&rq->web->is_stopping))
            break;
        if (!auth_is_still_allowed(rq, &x->last_check_mono_us) ||
            take_db_again(rq, q->watch_fd, &err) < 0)
            return; /* breaks off */
        more = next_page(rq, q, x, &err);
        if (more < 0)
            return;
    }
    if (rc == 0 && more == 0)
        rc = reply_stream_end(rq); /* NOLINT: a client that has gone need not be told */
}

void export_logs(struct request *rq)
{
    struct params p;
    struct search_request q = {.limit = FIRST_PAGE_MESSAGES, .is_ascending = true};
    struct export x = {.page = BUF_INIT(CHUNK_MAX_BYTES)};
    params_parse(&p, &rq->arena, rq->query_string);
    int format = params_choice(&p, "format", "csv|jsonl|raw", -1);
    searching_params(&p, &q, 0);
    if (q.to_us == TIME_NONE)
        q.to_us = clock_wall_us();
    x.format = (enum export_format)format;
    q.only_raw = x.format == EXPORT_RAW;
    if (!gate_enter(&rq->web->exports, WEB_EXPORTS_MAX)) {
        struct err err;
        (void)err_set(&err, EBUSY, "too_many_streams", "%d exports are running; try again later",
                      WEB_EXPORTS_MAX);
        reply_too_many(rq, RETRY_S, &err);
        return;
    }
    if (searching_begin(rq, &p, &q) == 0)
        run(rq, &q, &x);
    gate_leave(&rq->web->exports);
    buf_free(&x.page);
}
