/* Events: what happened to the box, as a person should know it.  A row of event.def is everything
 * there is to say about a kind: severity and a sentence in English and in Japanese, with {name} or
 * {name:type} where a parameter goes.
 *
 * event_add() is the one door: the page Events, the API and the daemon's own log hang on it, and so
 * will mail and other channels (they read azekura.event from the last id they have sent). */
#ifndef AZEKURA_STORE_EVENT_H
#define AZEKURA_STORE_EVENT_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/zone.h"
#include "store/connection.h"

enum event_kind {
#define EVENT(symbol, name, severity, en, ja) EVENT_##symbol,
#include "store/event.def"
#undef EVENT
    EVENT_KINDS,
};

struct event_type {
    const char *name; /* "retention.state" */
    uint8_t severity; /* of syslog, RFC 5424 §6.2.1 */
    const char *en, *ja;
};
extern const struct event_type event_types[EVENT_KINDS];
/* -1 when there is none of that name: an event of a newer or older program. */
int event_kind_of(const char *name);

#define EVENT_PARAMS_MAX 16
/* Names and values in turn, as text; numbers plain ("12100000"), times RFC 3339. */
struct event_params {
    const char *text[2 * EVENT_PARAMS_MAX];
    int n; /* pairs */
};

/* Keep an event (any of azekura's roles may), in the caller's transaction if there is one, and say
 * it in the daemon's log: as an error from severity 2 on (what an event tells is the box's state,
 * not a fault of the daemon), as a warning at 3 and 4.  0, or negative and *err. */
MUST_USE int event_add(PGconn *c, enum event_kind kind, const struct event_params *params,
                       struct err *err);

enum event_language { EVENT_EN, EVENT_JA };
/* Append the sentence.  Types of parameters: none (as is), bytes ("301 MB"), count ("12.1 M"), time
 * (in `zone`; NULL: UTC), day ("20261103" as "2026-11-03"), word (a code, in the language).  A
 * value that is not of its type stands as it is, one that is not there is "?".  Of an unknown kind:
 * its name and parameters. */
void event_text(const char *kind, const struct event_params *params, const struct zone *zone,
                enum event_language language, struct buf *out);

struct event_row {
    int64_t id, at_us;
    int severity;
    const char *kind; /* valid inside the callback, as the parameters are */
    struct event_params params;
};
typedef void (*event_row_fn)(void *context, const struct event_row *r);
struct event_filter {
    int64_t from_us, to_us;  /* TIME_NONE: open */
    int64_t before_id;       /* 0: from the newest on */
    int max_severity;        /* 7: all */
    const char *kind_prefix; /* "" or NULL: all; "retention." */
};
/* Newest first.  Returns how many (at most limit), or negative. */
MUST_USE int event_read(PGconn *c, const struct event_filter *f, int limit, event_row_fn each,
                        void *context, struct err *err);

/* The event's id, or negative; without saying it anywhere. */
MUST_USE int64_t event_keep(PGconn *c, enum event_kind kind, const struct event_params *params,
                            struct err *err);
/* Forget what is older than `older_us` (TIME_NONE: nothing by age) and all but the newest `most`.
 * Returns how many went, or negative. */
MUST_USE int64_t event_forget(PGconn *c, int64_t older_us, int64_t most, struct err *err);

/* A daemon says that it runs ("receiver", "keeper", "web") and under which process id; if its run
 * before did not say that it stopped, that is an event of its own (daemon.failed).  Said again by
 * the same process (after the database was away) it is none.  The keeper samples its CPU by this
 * id. */
MUST_USE int event_daemon_started(PGconn *c, const char *daemon, struct err *err);
MUST_USE int event_daemon_stopped(PGconn *c, const char *daemon, struct err *err);

/* This process as event_daemon_started() reports it: id of the machine's boot ("" when the kernel
 * does not tell), and when the process was started, in clock ticks since that boot (0: not told).
 */
#define EVENT_BOOT_MAX 64
void event_this_process(char ret_boot[EVENT_BOOT_MAX], int64_t *ret_started);
/* When a process of this machine was started, in the same ticks; 0: there is none, or not told. */
int64_t event_process_started(int32_t pid);

#endif
