/* GET /logs/tail: new messages as server-sent events.  When something was stored (news.h) the
 * newest messages are searched and those not yet sent go out, oldest first.  Blocks are stored a
 * little out of order (several listeners, retries), so each look reaches back over the time a block
 * may be late, and ids already sent are left out; following one cursor would lose the late ones. */
#include "web/handlers.h"

#include <time.h>

#include "base/limits.h"
#include "web/auth.h"
#include "web/searching.h"
#include "web/seen.h"

#define LOOK_MESSAGES 500
#define NEWS_PAUSE_US NEWS_FRESH_US
#define LOOK_PAUSE_MAX_US (500 * INT64_C(1000))
#define LOOK_SHARE 4                       /* a look may take a fifth of the time */
#define LOOK_ANYWAY_US (5 * US_PER_SECOND) /* whatever the count says */
#define HEARTBEAT_US (10 * US_PER_SECOND)
#define LATE_EXTRA_US (3 * US_PER_SECOND) /* beyond store.flush_ms: time to write a block */
#define LOOK_MAX_BYTES (8u << 20)
#define RETRY_S 10

struct tail {
    struct search_request q;
    struct seen seen;
    struct buf events[LOOK_MESSAGES]; /* one each, newest first */
    int events_n;
    size_t bytes;
    bool is_joined;    /* a message of an earlier look was met: nothing is left out */
    int64_t floor_us;  /* nothing before it is wanted */
    int64_t newest_us; /* received_at of the newest message sent */
    bool is_database_away;
    int64_t last_write_mono_us, last_check_mono_us, last_look_mono_us;
    int64_t stored; /* as counted before the last look */
};

static int add_event(void *context, const struct search_entry *e, struct err *err)
{
    struct tail *t = context;
    if (seen_has(&t->seen, e->id)) {
        t->is_joined = true;
        return 0;
    }
    struct buf *b = &t->events[t->events_n];
    buf_clear(b);
    buf_printf(b, "id: %.*s\ndata: ", VIEW_ARG(e->id));
    struct json j = JSON_INIT(b);
    searching_entry(&j, e); /* JSON has no line breaks, so it is one line of data */
    buf_add_str(b, "\n\n");
    if (b->is_full)
        return err_set(err, EIO, "too_large", "a message does not fit into %zu bytes", b->max);
    t->events_n++;
    t->bytes += b->n;
    t->newest_us = MAX(t->newest_us, e->received_at_us);
    seen_add(&t->seen, e->id);
    return t->bytes > LOOK_MAX_BYTES;
}

static int send(struct request *rq, struct tail *t, struct view bytes)
{
    t->last_write_mono_us = clock_mono_us();
    return reply_chunk(rq, bytes);
}

static int send_database_state(struct request *rq, struct tail *t, bool is_away)
{
    if (is_away == t->is_database_away)
        return 0;
    t->is_database_away = is_away;
    return send(rq, t,
                is_away ? VIEW("event: database\ndata: {\"state\":\"away\"}\n\n")
                        : VIEW("event: database\ndata: {\"state\":\"ok\"}\n\n"));
}

/* Search and send.  Negative: the stream ends. */
static int look(struct request *rq, struct tail *t)
{
    struct err err;
    struct config config;
    web_config(rq->web, &config);
    int64_t late_us = config.flush_ms * 2000 + LATE_EXTRA_US;
    t->q.from_us = MAX(t->floor_us, t->newest_us - late_us);
    t->q.limit = LOOK_MESSAGES;
    t->events_n = 0;
    t->bytes = 0;
    t->is_joined = false;
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = search_run(rq->db, &t->q, add_event, t, NULL, &err);
    request_release_db(rq);
    if (rc < 0)
        return rc == -ECANCELED ? rc : send_database_state(rq, t, true);
    bool is_cut = !t->is_joined && (rc == LOOK_MESSAGES || t->bytes > LOOK_MAX_BYTES);
    rc = send_database_state(rq, t, false);
    if (rc == 0 && is_cut)
        rc = send(rq, t, VIEW("event: skipped\ndata: {\"shown\":500}\n\n"));
    for (int i = t->events_n - 1; i >= 0 && rc == 0; i--)
        rc = send(rq, t, buf_view(&t->events[i]));
    return rc;
}

/* Something was stored since before the last look.  A database that does not say is looked at: that
 * tells the page. */
static bool has_news(struct request *rq, struct tail *t)
{
    int64_t stored, before = t->stored;
    if (news_stored(rq, &stored) < 0)
        return true;
    t->stored = stored;
    return stored != before || clock_mono_us() - t->last_look_mono_us > LOOK_ANYWAY_US;
}

/* How long to rest after it: many views over many messages leave time to those who search. */
static int64_t look_and_time(struct request *rq, struct tail *t, int *ret)
{
    int64_t begin = t->last_look_mono_us = clock_mono_us();
    *ret = look(rq, t);
    int64_t rest_us = LOOK_SHARE * (clock_mono_us() - begin);
    return t->is_database_away ? LOOK_PAUSE_MAX_US
                               : MAX(MIN(rest_us, LOOK_PAUSE_MAX_US), NEWS_PAUSE_US);
}

static void follow(struct request *rq, struct tail *t)
{
    int fd = t->q.watch_fd;
    t->last_check_mono_us = clock_mono_us();
    int rc = send(rq, t, VIEW("retry: 2000\n\n"));
    while (rc == 0 && !atomic_load(&rq->web->is_stopping) && !request_client_is_gone(fd) &&
           auth_is_still_allowed(rq, &t->last_check_mono_us)) {
        int64_t pause_us = NEWS_PAUSE_US;
        if (has_news(rq, t))
            pause_us = look_and_time(rq, t, &rc);
        if (rc == 0 && clock_mono_us() - t->last_write_mono_us > HEARTBEAT_US)
            rc = send(rq, t, VIEW(": alive\n\n"));
        struct timespec pause = {.tv_nsec = pause_us * 1000};
        nanosleep(&pause, NULL);
    }
    if (rc == 0)
        (void)!reply_stream_end(rq);
}

/* The id of the newest message the page has: where it broke off, or what it shows already. */
static const char *after_id(struct request *rq, struct params *p)
{
    const char *after = params_text(p, "after", 64, NULL);
    struct view last = request_header(rq, "Last-Event-ID");
    if (!view_is_null(last) && search_id_is_valid(last))
        return arena_strdup(&rq->arena, last);
    if (after && !search_id_is_valid(view_str(after)) && !p->is_bad) {
        p->is_bad = true;
        (void)err_set_field(&p->err, EINVAL, "bad_value", "after",
                            "after: \"%.64s\" is not the id of a message", after);
    }
    return p->is_bad ? NULL : after;
}

void tail_logs(struct request *rq)
{
    struct params p;
    struct tail *t = xcalloc(1, sizeof(*t));
    params_parse(&p, &rq->arena, rq->query_string);
    t->q = (struct search_request){
        .query = params_text(&p, "query", QUERY_MAX_BYTES, ""), .to_us = TIME_NONE, .watch_fd = -1};
    const char *after = after_id(rq, &p);
    t->floor_us = after ? search_id_time_us(view_str(after)) : clock_wall_us();
    t->newest_us = t->floor_us;
    t->stored = -1; /* the first look is without condition */
    if (after)
        seen_add(&t->seen, view_str(after));
    for (int i = 0; i < LOOK_MESSAGES; i++)
        t->events[i] = BUF_INIT(LOOK_MAX_BYTES);
    if (!gate_enter(&rq->web->tails, WEB_TAILS_MAX)) {
        struct err err;
        (void)err_set(&err, EBUSY, "too_many_streams", "%d live views are open; close one first",
                      WEB_TAILS_MAX);
        reply_too_many(rq, RETRY_S, &err);
    } else {
        if (searching_begin(rq, &p, &t->q) == 0 &&
            reply_stream(rq, "text/event-stream", NULL) == 0) {
            request_release_db(rq);
            follow(rq, t);
        }
        gate_leave(&rq->web->tails);
    }
    for (int i = 0; i < LOOK_MESSAGES; i++)
        buf_free(&t->events[i]);
    free(t);
}
