/* The benchmark seen from the box: GET /bench/box, GET and DELETE /bench/messages, GET, POST and
 * DELETE /bench/senders. */
#include "web/handlers.h"

#include <unistd.h>

#include "config/log.h"
#include "store/benchmark.h"
#include "web/bench_folder.h"
#include "web/bench_watch.h"
#include "web/body.h"
#include "web/json.h"
#include "web/params.h"
#include "web/retention_rule.h"

#define ANSWER_MAX_BYTES 16384

/* ---- the box ---- */

static void add_listeners(struct json *j, const struct benchmark_box *b)
{
    json_key(j, "listeners");
    json_begin(j, '[');
    for (size_t i = 0; i < b->listeners_n; i++) {
        const struct benchmark_listener *l = &b->listeners[i];
        json_begin(j, '{');
        json_key(j, "name");
        json_str(j, l->name);
        json_key(j, "address");
        json_str(j, l->address);
        json_key_int(j, "port", l->port);
        json_key(j, "receive_buffer_bytes");
        if (l->buffer_bytes < 0)
            json_str(j, NULL);
        else
            json_int(j, l->buffer_bytes);
        json_key_int(j, "kernel_dropped", l->kernel_dropped);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void add_pids(struct json *j, const struct benchmark_box *b)
{
    const struct {
        const char *key;
        int32_t pid;
    } pids[] = {{"receiver", b->receiver},
                {"keeper", b->keeper},
                {"web", b->web},
                {"postmaster", b->postmaster}};
    json_key(j, "pids");
    json_begin(j, '{');
    for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
        json_key(j, pids[i].key);
        if (pids[i].pid > 0)
            json_int(j, pids[i].pid);
        else
            json_str(j, NULL);
    }
    json_end(j, '}');
}

static void add_counts(struct json *j, const struct benchmark_counts *c)
{
    json_key(j, "benchmark");
    json_begin(j, '{');
    json_key_int(j, "arrived", c->counts.arrived);
    json_key_int(j, "stored", c->counts.stored);
    json_key_int(j, "queued", c->queued);
    json_key(j, "refused");
    json_begin(j, '{');
    for (enum reason r = 0; r < REASON_COUNT; r++)
        json_key_int(j, reason_name(r), c->counts.refused[r]);
    json_end(j, '}');
    json_end(j, '}');
}

static void add_kept(struct json *j, const struct benchmark_kept *k)
{
    json_begin(j, '{');
    json_key_int(j, "messages", k->messages);
    json_key_int(j, "bytes", k->bytes);
    json_key_time(j, "oldest", k->oldest_us);
    json_key_time(j, "newest", k->newest_us);
    json_end(j, '}');
}

void bench_box(struct request *rq)
{
    struct err err;
    struct params p;
    struct benchmark_box box;
    struct benchmark_counts counts;
    struct benchmark_kept kept;
    char client[IP_TEXT_MAX];
    params_parse(&p, &rq->arena, rq->query_string);
    request_address(rq, client);
    int64_t since_us = params_time(&p, "since", TIME_NONE);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = benchmark_read_box(rq->db, &box, &err);
    if (rc == 0)
        rc = benchmark_read_counts(rq->db, since_us, &counts, &err);
    if (rc == 0)
        rc = benchmark_read_kept(rq->db, &kept, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "version");
    json_str(&j, AZEKURA_VERSION);
    json_key(&j, "boot_id");
    json_str(&j, box.boot);
    json_key_int(&j, "hardware_threads", sysconf(_SC_NPROCESSORS_ONLN));
    add_listeners(&j, &box);
    add_pids(&j, &box);
    json_key(&j, "source_network");
    json_str(&j, BENCHMARK_NETWORK);
    json_key(&j, "client");
    json_str(&j, client);
    add_counts(&j, &counts);
    json_key(&j, "messages");
    add_kept(&j, &kept);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

/* ---- messages ---- */

void bench_messages(struct request *rq)
{
    struct err err;
    struct params p;
    struct benchmark_kept kept;
    params_parse(&p, &rq->arena, rq->query_string);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = benchmark_read_kept(rq->db, &kept, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    add_kept(&j, &kept);
    reply_json(rq, 200, NULL, &body);
}

void bench_messages_delete(struct request *rq)
{
    struct err err;
    struct retention_hand h;
    char text[24], running[BENCH_ID_MAX + 1];
    int64_t id = 0;
    int rc = rule_hand(rq, &h, &err);
    if (rc == 0 && bench_watch_any_lives(rq->web->bench, running))
        rc = err_set(&err, EEXIST, "running",
                     "the benchmark %s runs and has yet to read its messages back; wait for its "
                     "end, or stop it first",
                     running);
    if (rc == 0)
        rc = benchmark_request_deletion(&h, &id, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    log_line(LOG_INFO, "%s asks to delete the benchmark's messages, request %lld", h.actor,
             (long long)id);
    struct buf body = BUF_INIT(256);
    struct json j = JSON_INIT(&body);
    snprintf(text, sizeof(text), "%lld", (long long)id);
    json_begin(&j, '{');
    json_key(&j, "id");
    json_str(&j, text);
    json_end(&j, '}');
    reply_json(rq, 202, NULL, &body);
}

/* ---- senders ---- */

static void add_sender(struct json *j, const struct benchmark_sender *s)
{
    json_begin(j, '{');
    json_key(j, "address");
    json_str(j, s->address);
    json_key_time(j, "since", s->since_us);
    json_key_time(j, "until", s->until_us);
    json_key(j, "actor");
    json_str(j, s->actor);
    json_key_int(j, "device_messages", s->device_messages);
    json_key_time(j, "device_last_heard", s->device_heard_us);
    json_end(j, '}');
}

void bench_senders(struct request *rq)
{
    struct err err;
    struct params p;
    struct benchmark_sender list[BENCHMARK_SENDERS_MAX];
    params_parse(&p, &rq->arena, rq->query_string);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = benchmark_read_senders(rq->db, list, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "senders");
    json_begin(&j, '[');
    for (int i = 0; i < rc; i++)
        add_sender(&j, &list[i]);
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

void bench_sender_add(struct request *rq)
{
    struct err err;
    struct retention_hand h;
    struct view address;
    struct benchmark_sender made;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = body_only(body, "address", &err);
    if (rc == 0)
        rc = body_text(body, "address", IP_TEXT_MAX, &address, &err);
    if (rc == 0)
        rc = rule_hand(rq, &h, &err);
    if (rc == 0)
        rc = benchmark_add_sender(&h, address, &made, &err);
    cJSON_Delete(body);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf out = BUF_INIT(1024);
    struct json j = JSON_INIT(&out);
    add_sender(&j, &made);
    reply_json(rq, 201, NULL, &out);
}

void bench_sender_remove(struct request *rq)
{
    struct err err;
    struct retention_hand h;
    int rc = rule_hand(rq, &h, &err);
    if (rc == 0)
        rc = benchmark_remove_sender(&h, view_str(rq->id), &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    reply_empty(rq, 204, NULL);
}
