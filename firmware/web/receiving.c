/* GET /ledger: what arrived and what became of it. */
#include "web/receiving.h"

#include "base/limits.h"
#include "store/gap.h"
#include "web/handlers.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

#define ANSWER_MAX_BYTES (16u << 20) /* 10,000 rows of some hundred bytes */
#define DEFAULT_SPAN_US US_PER_DAY
#define ROWS_MAX 10000

/* The parameters from and to, with their defaults; and a connection.  0, or the reply has been
 * given. */
static int begin(struct request *rq, struct params *p, int64_t from_us, int64_t to_us)
{
    struct err err;
    params_check_range(p, from_us, to_us);
    int rc = params_done(p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    return rc;
}

static void add_range(struct json *j, int64_t from_us, int64_t to_us)
{
    json_key(j, "from");
    json_time(j, from_us);
    json_key(j, "to");
    json_time(j, to_us);
}

static void add_counts(struct json *j, const struct ledger_counts *c)
{
    json_key(j, "arrived");
    json_int(j, c->arrived);
    json_key(j, "stored");
    json_int(j, c->stored);
    json_key(j, "refused");
    json_int(j, ledger_refused(c));
    json_key(j, "reasons");
    json_begin(j, '{');
    for (enum reason r = 0; r < REASON_COUNT; r++) {
        json_key(j, reason_name(r));
        json_int(j, c->refused[r]);
    }
    json_end(j, '}');
    json_key(j, "bytes");
    json_int(j, c->bytes);
    json_key(j, "truncated");
    json_int(j, c->truncated);
}

void receiving_add_totals(struct json *j, const struct ledger_totals *t)
{
    int64_t dropped = 0;
    json_key(j, "total");
    json_begin(j, '{');
    add_counts(j, &t->all);
    json_end(j, '}');
    json_key(j, "by_listener");
    json_begin(j, '{');
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        json_key(j, listener_name(l));
        json_begin(j, '{');
        add_counts(j, &t->by_listener[l]);
        json_end(j, '}');
    }
    json_end(j, '}');
    json_key(j, "kernel_dropped");
    json_begin(j, '{');
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        json_key(j, listener_name(l));
        json_int(j, t->kernel_dropped[l]);
        dropped += t->kernel_dropped[l];
    }
    json_key(j, "total");
    json_int(j, dropped);
    json_end(j, '}');
}

void receiving_add_receiver(struct json *j, const struct ledger_receiver *r)
{
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"age_us", r->age_us},
        {"arrived", r->arrived},
        {"stored", r->stored},
        {"refused", r->refused},
        {"queued", r->queued},
        {"queue_bytes", r->queue_bytes},
        {"connections", r->connections},
        {"udp_buffer_bytes", r->udp_buffer_bytes},
        {"kernel_dropped", r->kernel_dropped},
    };
    json_begin(j, '{');
    json_key(j, "receiver");
    json_str(j, r->receiver);
    json_key(j, "run");
    json_str(j, r->run);
    json_key(j, "started_at");
    json_time(j, r->started_at_us);
    json_key(j, "at");
    json_time(j, r->at_us);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        json_key(j, numbers[i].key);
        json_int(j, numbers[i].value);
    }
    json_end(j, '}');
}

static void add_ledger_row(void *context, const struct ledger_row *r)
{
    struct json *j = context;
    json_begin(j, '{');
    json_key(j, "listener");
    json_str(j, r->listener);
    json_key(j, "source");
    json_str(j, r->source);
    add_counts(j, &r->counts);
    json_end(j, '}');
}

static void add_gap_counts(struct json *j, const char *key, const struct gap_counts *c)
{
    json_key(j, key);
    json_begin(j, '{');
    json_key_int(j, "missing", c->missing);
    json_key_int(j, "repeated", c->repeated);
    json_end(j, '}');
}

static void add_gaps(struct json *j, const struct gap_totals *t)
{
    json_key(j, "gaps");
    json_begin(j, '{');
    for (unsigned l = 0; l < LISTENER_COUNT; l++)
        add_gap_counts(j, listener_name(l), &t->by_listener[l]);
    add_gap_counts(j, "total", &t->all);
    json_end(j, '}');
}

void receiving_ledger(struct request *rq)
{
    struct params p;
    struct ledger_totals totals;
    struct ledger_receiver receiver;
    struct gap_totals gaps;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    int64_t to_us = params_time(&p, "to", clock_wall_us());
    int64_t from_us = params_time(&p, "from", to_us - DEFAULT_SPAN_US);
    int limit = (int)params_int(&p, "limit", 0, ROWS_MAX, 1000);
    if (begin(rq, &p, from_us, to_us) < 0)
        return;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    add_range(&j, from_us, to_us);
    json_key(&j, "rows");
    json_begin(&j, '[');
    int rows = ledger_read(rq->db, from_us, to_us, limit, add_ledger_row, &j, &totals, &err);
    json_end(&j, ']');
    int rc = rows < 0 ? rows : gap_read_totals(rq->db, from_us, to_us, &gaps, &err);
    int has_receiver = rc < 0 ? rc : ledger_read_receiver(rq->db, &receiver, &err);
    if (has_receiver < 0) {
        buf_free(&body);
        reply_err(rq, has_receiver, &err);
        return;
    }
    json_key(&j, "rows_complete");
    json_bool(&j, rows < limit);
    receiving_add_totals(&j, &totals);
    add_gaps(&j, &gaps);
    json_key(&j, "receiver");
    if (has_receiver)
        receiving_add_receiver(&j, &receiver);
    else
        json_str(&j, NULL);
    json_key(&j, "balanced");
    json_bool(&j, ledger_is_balanced(&totals.all) &&
                      (!has_receiver || ledger_receiver_is_balanced(&receiver)));
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}
