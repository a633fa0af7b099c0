/* One request on its way through a handler, and the replies to it.  A handler runs in a worker
 * thread, gives exactly one reply and returns. */
#ifndef AZEKURA_WEB_REQUEST_H
#define AZEKURA_WEB_REQUEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/ip.h"
#include "store/account.h"
#include "web/web.h"

struct mg_connection;
struct route;

struct request {
    struct web *web;
    struct mg_connection *conn;
    const struct route *route;    /* NULL: a page, or no such path */
    const char *method, *path;    /* the path decoded */
    const char *query_string;     /* NULL: none */
    const char *id;               /* the {id} of the path, in the arena */
    struct identity who;          /* role ROLE_NONE: not logged in */
    char secret[SECRET_TEXT_MAX]; /* of the session cookie that was used, else "" */
    struct view body;
    struct arena arena;
    PGconn *db; /* borrowed on first use, given back when a reply begins */
    int status; /* of the reply; 0: none yet */
};

/* A header of the request, VIEW_NULL when absent. */
struct view request_header(const struct request *rq, const char *name);
/* The peer is this machine and no proxy stands between: none of its headers is there. */
bool request_is_local(const struct request *rq);
/* Where the client is: the peer, or what a proxy on this machine says. */
void request_address(const struct request *rq, char out[IP_TEXT_MAX]);
/* Over HTTPS, as a proxy on this machine says. */
bool request_is_https(const struct request *rq);
/* The socket of the client, to notice that it hung up; -1 when it cannot be told. */
int request_socket(const struct request *rq);
bool request_client_is_gone(int fd);
/* Read the body into the arena: 0, or the reply has been given (-1). */
MUST_USE int request_read_body(struct request *rq);
/* A connection to the database, until something is written to the client.  0, or negative and *err.
 */
MUST_USE int request_db(struct request *rq, struct err *err);
/* Give the connection back earlier: what follows takes long and does not need it. */
void request_release_db(struct request *rq);

/* ---- replies ---- */

/* `headers`: more header lines, each ending in CRLF, or NULL. */
void reply_bytes(struct request *rq, int status, const char *type, const char *headers,
                 struct view body);
/* Sends and frees; a full buffer becomes an error. */
void reply_json(struct request *rq, int status, const char *headers, struct buf *body);
void reply_empty(struct request *rq, int status, const char *headers);
void reply_error(struct request *rq, int status, const char *code, const char *field,
                 const char *fmt, ...) PRINTF(5, 6);
/* 405; `headers` is the Allow line of the methods in `allowed`. */
void reply_method(struct request *rq, const char *headers, const char *allowed);
/* The error of a function that returned rc < 0: status by rc. */
void reply_err(struct request *rq, int rc, const struct err *err);
void reply_too_many(struct request *rq, int wait_s,
                    const struct err *err); /* 429 with Retry-After */

/* A reply of unknown length, in chunks.  Negative: the client is gone.  A stream that is not ended
 * properly breaks off, so that the client sees that it is not complete. */
MUST_USE int reply_stream(struct request *rq, const char *type, const char *headers);
MUST_USE int reply_chunk(struct request *rq, struct view bytes);
MUST_USE int reply_stream_end(struct request *rq);

int request_status_of(int rc, const struct err *err);

#endif
