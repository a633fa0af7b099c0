/* The senders ever heard, what administrators say of them, and messages parsed again.  What is
 * shown comes as JSON, as the API has it: the command line shows the same members. */
#ifndef AZEKURA_STORE_SOURCE_H
#define AZEKURA_STORE_SOURCE_H

#include "base/buf.h"
#include "base/clock.h"
#include "store/connection.h"

#define SOURCE_FILTER_MAX 200 /* bytes of a text that sources are looked for by */

enum source_order { SOURCE_BUSIEST, SOURCE_SILENT, SOURCE_NAME, SOURCE_ADDRESS, SOURCE_NEW };
/* SOURCE_ALL; those that nobody has acknowledged; not heard for an hour; whose messages show that
 * zone, charset or clock are wrong, or that were not understood. */
enum source_only { SOURCE_ALL, SOURCE_ONLY_NEW, SOURCE_ONLY_SILENT, SOURCE_ONLY_UNHEALTHY };

struct source_question {
    int64_t from_us, to_us; /* of the counts; TIME_NONE: open */
    const char *filter;     /* in address, name or note, without case; NULL: all */
    const char *address;    /* this one alone; NULL: all */
    enum source_only only;
    enum source_order order;
    int limit;
};

struct source_answer {
    int64_t total; /* that the question is about */
    int64_t news;  /* all that nobody has acknowledged, whatever the question; up to 10,000 */
    int rows;
};
/* One source: a JSON object, valid inside the callback. */
typedef void (*source_json_fn)(void *context, const char *json);
/* 0, or negative and *err. */
MUST_USE int source_read(PGconn *c, const struct source_question *q, source_json_fn each,
                         void *context, struct source_answer *ret, struct err *err);
/* The same as rows with the columns source, name, setting, zone, charset, source_group, is_new,
 * last_heard, arrived, formats, for a table (PQclear).  0, or negative and *err. */
MUST_USE int source_table(PGconn *c, const struct source_question *q, PGresult **ret,
                          struct err *err);
/* One source, a row a member: name, value.  -ENOENT. */
MUST_USE int source_members(PGconn *c, const char *address, PGresult **ret, struct err *err);
/* Its last message that was not understood and its last with bytes that are no UTF-8, as a JSON
 * object {"last_raw", "last_invalid"}, appended.  Looked for within 2 s. */
MUST_USE int source_recent(PGconn *c, const char *address, struct buf *out, struct err *err);

/* `addresses`: PostgreSQL's array literal, NULL: all.  Returns how many were new, or negative. */
MUST_USE int64_t source_acknowledge(PGconn *c, const char *actor, const char *addresses,
                                    struct err *err);

/* New sources, and of all sources together the messages with invalid UTF-8 and with a skewed clock
 * since they are counted. */
struct source_sums {
    int64_t sources, news, invalid_utf8, skewed;
};
MUST_USE int source_sums(PGconn *c, struct source_sums *ret, struct err *err);

#endif
