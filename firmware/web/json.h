/* Writing JSON (RFC 8259) into a buffer, commas taken care of.  A buffer that is full stays full
 * and is seen once at the end (buf.is_full). */
#ifndef AZEKURA_WEB_JSON_H
#define AZEKURA_WEB_JSON_H

#include "base/buf.h"
#include "base/clock.h"

struct json {
    struct buf *out;
    bool needs_comma;
};

#define JSON_INIT(buffer) ((struct json){.out = (buffer)})

void json_begin(struct json *j, char bracket);  /* '{' or '[' */
void json_end(struct json *j, char bracket);    /* '}' or ']' */
void json_key(struct json *j, const char *key); /* a name of ours: nothing in it needs escaping */
/* Text must be UTF-8; a null view gives null. */
void json_view(struct json *j, struct view text);
void json_str(struct json *j, const char *text); /* NULL gives null */
void json_int(struct json *j, int64_t n);
/* Nine digits of it; NaN and infinity give null. */
void json_real(struct json *j, double n);
void json_bool(struct json *j, bool b);
/* What is JSON already, as it stands. */
void json_raw(struct json *j, struct view text);
void json_time(struct json *j, int64_t us); /* RFC 3339 in UTC; TIME_NONE gives null */
/* A member: its key and its value. */
void json_key_int(struct json *j, const char *key, int64_t n);
void json_key_time(struct json *j, const char *key, int64_t us);

#endif
