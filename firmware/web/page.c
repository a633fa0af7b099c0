/* The console's pages and their files, out of the table (files.h). */
#include "web/handlers.h"

#include "web/request.h"

#define NOT_BUILT                                                                               \
    "<!doctype html><meta charset=\"utf-8\"><title>Azekura</title><p>The pages of the console " \
    "are not "                                                                                  \
    "installed: web.root holds no index.html. The API works."

void page_get(struct request *rq)
{
    if (strcmp(rq->method, "GET") != 0 && strcmp(rq->method, "HEAD") != 0) {
        reply_method(rq, "Allow: GET, HEAD\r\n", "GET, HEAD");
        return;
    }
    const struct file *f = files_find(&rq->web->files, rq->path);
    if (!f && strcmp(rq->path, "/") == 0) {
        reply_bytes(rq, 503, "text/html; charset=utf-8", NULL, VIEW(NOT_BUILT));
        return;
    }
    if (!f) {
        reply_error(rq, 404, "not_found", "", "there is no such page");
        return;
    }
    char headers[160];
    snprintf(headers, sizeof(headers), "ETag: %s\r\nCache-Control: %s\r\n", f->etag,
             f->is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
    struct view known = request_header(rq, "If-None-Match");
    if (!view_is_null(known) && memmem(known.p, known.n, f->etag, strlen(f->etag)))
        reply_empty(rq, 304, headers);
    else
        reply_bytes(rq, 200, f->type, headers, view_of(f->bytes, f->n));
}
