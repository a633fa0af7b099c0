/* Changing settings from a request. */
#ifndef AZEKURA_WEB_SETTINGS_H
#define AZEKURA_WEB_SETTINGS_H

#include "store/setting.h"
#include "web/request.h"

/* Write the changes, which have been checked, log them, and take them up in this server.  0, or
 * negative and *err. */
MUST_USE int settings_write(struct request *rq, const char *actor,
                            const struct setting_change *changes, size_t n, struct err *err);

#endif
