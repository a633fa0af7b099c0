/* Which source group a sender belongs to, and which severities of a group are refused for now
 * (azekura.source_group_member, azekura.benchmark_sender and azekura.shed).
 *
 * A set is made by the writer thread from the database, or at the start from what an earlier run
 * was told; then it is sealed as a part of struct sender_rules and not changed any more. */
#ifndef AZEKURA_RECEIVER_GROUPS_H
#define AZEKURA_RECEIVER_GROUPS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/ip.h"
#include "base/limits.h"
#include "receiver/networks.h"

enum { GROUPS_SHED_NONE = 8 }; /* above every severity */

/* People's, and those of the benchmark's group. */
#define GROUP_MEMBERS_MAX (SOURCE_PREFIXES_MAX + BENCHMARK_SENDERS_MAX + 1)
_Static_assert(GROUP_MEMBERS_MAX <= NETWORKS_MAX, "a member's number fits");

struct groups {
    uint8_t shed_from[SOURCE_GROUPS_MAX]; /* this severity and those below it in weight (greater
                                             numbers) are refused; GROUPS_SHED_NONE: none */
    struct networks members;              /* value: the group */
};

/* Every sender in group 0, nothing shed; sealed as it is. */
MUST_USE struct groups *groups_new(void);
void groups_free(struct groups **g);

/* "192.0.2.0/24" and a group of 0…SOURCE_GROUPS_MAX-1.  0, or negative and *err (-EINVAL: the
 * text or number is none; -ENOSPC: over GROUP_MEMBERS_MAX); then nothing has changed. */
MUST_USE int groups_add(struct groups *g, struct view network, struct view group, struct err *err);
/* Severity 1…7.  The most severe one wins where a group is named twice.  Of the benchmark's group
 * nothing is shed (-EINVAL): what it sends has to count as arrived and stored, or as lost. */
MUST_USE int groups_shed(struct groups *g, struct view group, struct view severity,
                         struct err *err);
/* To be called once after the last member was added: groups_find() needs it. */
void groups_seal(struct groups *g);

/* The group of the longest prefix that contains the address; 0 where none does.  A binary search:
 * callers keep the answer with the sender. */
uint8_t groups_find(const struct groups *g, const struct ip *source);
static inline bool groups_refuse(const struct groups *g, uint8_t group, uint8_t severity)
{
    return severity >= g->shed_from[group];
}

/* As text for STATE/receiver/senders, a line each: "member 192.0.2.0/24 3", "shed 3 6". */
void groups_format(const struct groups *g, struct buf *out);
#define GROUPS_TEXT_MAX_BYTES (GROUP_MEMBERS_MAX * 64 + SOURCE_GROUPS_MAX * 16)
/* One such line; -EINVAL and *err when it is none. */
MUST_USE int groups_parse_line(struct groups *g, struct view line, struct err *err);
/* Add what the text says and seal.  0, or negative and *err, which names the line; then some lines
 * may have been added. */
MUST_USE int groups_parse(struct groups *g, struct view text, struct err *err);

#endif
