/* What the handlers of the ledger and of the receiver share. */
#ifndef AZEKURA_WEB_RECEIVING_H
#define AZEKURA_WEB_RECEIVING_H

#include "store/ledger.h"
#include "web/json.h"

/* "total", "by_listener", "kernel_dropped" of the object that is open. */
void receiving_add_totals(struct json *j, const struct ledger_totals *t);
/* The receiver's part of the equation, an object. */
void receiving_add_receiver(struct json *j, const struct ledger_receiver *r);

#endif
