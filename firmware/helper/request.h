/* A request: {"command":"network.get","actor":"alice","arguments":{…}}, held against the table. */
#ifndef AZEKURA_HELPER_REQUEST_H
#define AZEKURA_HELPER_REQUEST_H

#include "helper/table.h"

struct request {
    const struct command *command;
    const char *actor; /* who asked, as the web server says */
    const cJSON *arguments;
    cJSON *tree; /* owns the above */
};

/* 0; -EBADMSG: malformed, which no client of ours sends, and the connection ends; -EINVAL: a value
 * is out of its limits, with *err for a person (the request is then filled, too).  After either of
 * 0 and -EINVAL it is to be freed. */
MUST_USE int request_parse(struct view packet, struct request *ret, struct err *err);
void request_free(struct request *r);

/* An argument that has been checked; NULL, `otherwise`, false: it was not given. */
const char *request_text(const struct request *r, const char *name);
int64_t request_integer(const struct request *r, const char *name, int64_t otherwise);
bool request_flag(const struct request *r, const char *name);
const cJSON *request_item(const struct request *r, const char *name);

#endif
