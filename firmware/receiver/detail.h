/* The receiver in numbers, stage by stage, as one JSON document (azekura.report_receiver_detail):
 *
 *   listeners   udp, tcp, tls: what is wanted, what is bound, why not, what came, what waits
 *   stages      open, pack, write, spool: units, messages and bytes on their way, and their limit
 *   journal, spool, tls, connections, senders, gaps, threads
 *   machine     what the network stack dropped before any socket, of all programs
 *
 * Counters are since the start; what can rise and fall is as it is now.  API and /metrics pass it
 * on as it is (firmware/web/openapi.json describes each member). */
#ifndef AZEKURA_RECEIVER_DETAIL_H
#define AZEKURA_RECEIVER_DETAIL_H

#include "receiver/shared.h"
#include "store/spool.h"

struct detail {
    struct lane_counts counts;
    struct listening_state listening[LISTENER_COUNT];
    struct spool_status spool;
    uint64_t packing_units, packing_messages, packing_bytes;
    uint64_t writing_units, writing_messages, writing_bytes; /* packed, in memory */
    uint64_t open_limit_bytes, packing_limit_bytes, writing_limit_bytes;
    uint64_t journal_bytes, journal_used_bytes;
    unsigned lanes, packers;
    struct machine_drops drops; /* since the start */
};

/* Any thread. */
void detail_gather(struct shared *s, const struct spool_status *spool, struct detail *ret);

/* Appended to *out; -ENOSPC when that is full. */
#define DETAIL_MAX_BYTES 32768
MUST_USE int detail_format(const struct detail *d, struct buf *out);

#endif
