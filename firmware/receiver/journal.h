/* The journal: the bytes of every message that was read and is not safe elsewhere yet, in a mapped
 * file that survives kill -9.
 *
 * A unit has a chain of segments of 1 MiB in it, from its first message until the database has
 * confirmed the unit or the spool has it.  What a killed receiver had counted in a page of the
 * ledger is read again from the page's chain by the next start, parsed into the same blocks, and
 * stored under the same key.  The format and what a crash at each step leaves is written above the
 * code in journal.c. */
#ifndef AZEKURA_RECEIVER_JOURNAL_H
#define AZEKURA_RECEIVER_JOURNAL_H

#include "receiver/ledger.h"

enum { JOURNAL_SEGMENT_BYTES = 1 << 20 };

struct journal;
struct journal_chain; /* the messages of a unit; one thread at a time has it, as the unit */

struct journal_found {
    uint64_t bytes;       /* of messages of an earlier run, to be replayed */
    uint64_t aside_bytes; /* of segments in use in a file that could not be trusted … */
    char aside_path[320]; /* … and was kept under this name; "" */
    char aside_reason[128];
};

/* Open or create the file, of `bytes` rounded down to whole segments.  What cannot be trusted (bad
 * header, or another boot without orderly stop) is set aside; one of another size is used as it
 * is while something in it waits, and made anew when nothing does.  When the disk has no room for
 * that, what was set aside is deleted, then the file is made smaller: journal_bytes() says how
 * large it is.  0, or negative and *err (not even 64 MiB fit on the disk: -ENOSPC). */
MUST_USE int journal_open(const char *path, int64_t bytes, struct journal **ret,
                          struct journal_found *ret_found, struct err *err);
/* `is_orderly`: written back to disk, the next boot may believe it. */
void journal_close(struct journal **j, bool is_orderly);

/* Any thread. */
bool journal_has_room(const struct journal *j, size_t segments);
size_t journal_used_bytes(const struct journal *j); /* of whole segments */
size_t journal_bytes(const struct journal *j);

/* ---- a lane: what it has read ---- */

/* The chain of a unit that has just been begun; takes no segment yet. */
MUST_USE struct journal_chain *journal_begin(struct journal *j, const struct ledger_page *page);
/* Write a message down: its row in the page, its source group (as the block it went into), an
 * enum intake_mark.  0: it is safe against kill -9 from here on, also when its row has not been
 * counted yet.  -ENOSPC: no segment is free, nothing was written. */
MUST_USE int journal_append(struct journal_chain *c, int row, uint8_t group, int64_t received_at_us,
                            uint8_t mark, struct view bytes);
/* The next entry of the chain is of the datagram with this tag (udp_tag()): it is written with the
 * entry in one store, so that the next start knows whether that datagram is in the journal. */
void journal_tag(struct journal_chain *c, uint32_t tag);
/* Of segments the chain has. */
size_t journal_chain_bytes(const struct journal_chain *c);

/* ---- any thread, after the unit was handed over ---- */

/* It is confirmed, or safe in the spool: the segments are free again.  NULL is allowed. */
void journal_release(struct journal_chain **c);

/* ---- at the start ---- */

/* The chain of a page of an earlier run, to be released like any other; NULL: it has none, or what
 * it has cannot be trusted (its head is missing). */
MUST_USE struct journal_chain *journal_recovered(struct journal *j, const struct ledger_page *page);
/* Free the segments that belong to none of the pages recovered: their unit was released. */
void journal_forget_rest(struct journal *j, const struct ledger_page *const *pages, unsigned n);

/* Whether the last entry of any segment has the tag, also of one that was freed and not used again.
 */
bool journal_has_tag(const struct journal *j, uint32_t tag);

struct journal_entry {
    uint16_t row;
    uint8_t group, mark;
    int64_t received_at_us;
    struct view bytes; /* valid until the next entry */
};
/* Every whole entry in the order in which it was written.  0, or -EBADMSG and *err at the first
 * damage: what was before it has been given, what follows is lost. */
typedef void (*journal_entry_fn)(void *context, const struct journal_entry *e);
MUST_USE int journal_replay(struct journal_chain *c, journal_entry_fn each, void *context,
                            struct err *err);

#endif
