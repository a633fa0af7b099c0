/* What the files of retention_admin.h share. */
#ifndef AZEKURA_STORE_RETENTION_HAND_H
#define AZEKURA_STORE_RETENTION_HAND_H

#include "store/event.h"
#include "store/retention_admin.h"

MUST_USE int hand_begin(const struct retention_hand *h, struct err *err);
/* Commit when rc ≥ 0, else roll back: rc, or that of the commit. */
MUST_USE int hand_end(const struct retention_hand *h, int rc, struct err *err);
MUST_USE int hand_event(const struct retention_hand *h, enum event_kind kind,
                        const struct event_params *params, struct err *err);
/* 1…most characters of UTF-8, none of control. */
MUST_USE int hand_check_text(struct view text, size_t most, const char *field, struct err *err);

#endif
