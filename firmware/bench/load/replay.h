/* Messages read from a file (--read-file), line by line, sent as they are or with the time of now.
 * Every connection reads the file itself, all of it. */
#ifndef AZEKURA_BENCH_REPLAY_H
#define AZEKURA_BENCH_REPLAY_H

#include "bench/load/layout.h"

/* What a line says; views into it. */
struct replay_line {
    bool is_rfc5424;
    struct view pri, host, app, procid, msgid, sdata, text;
};
/* "<PRI>Mon DD HH:MM:SS HOST APP[PID]: TEXT" or "<PRI>1 TIME HOST APP PID MSGID SD TEXT", without
 * its line feed.  0, or -EINVAL. */
MUST_USE int replay_parse(struct view line, struct replay_line *ret);
/* The line with the time of now, its line feed included, in the form `o->format` asks for. */
MUST_USE int replay_rebuild(const struct replay_line *line, const struct load_options *o,
                            const struct load_more *more, const struct time_texts *now,
                            struct buf *out);

struct replay;

/* Borrows `o` and `more`.  0, or negative with *err. */
MUST_USE int replay_open(const struct load_options *o, const struct load_more *more,
                         struct replay **ret, struct err *err);
void replay_free(struct replay **pr);
/* Append the next message, framed, with the mark of `stream` and `number` when asked for.  1; 0 at
 * the end of the file; negative errno when it cannot be read; -EAGAIN when nothing has come of it
 * yet: a pipe is not waited for, and much that is no message is not read at a stretch.  Lines that
 * are none are counted. */
MUST_USE int replay_next(struct replay *r, const struct time_texts *now, uint32_t stream,
                         int64_t number, struct buf *out);
/* After -EAGAIN: until something comes, at most `ms`. */
void replay_wait(const struct replay *r, int ms);
/* How many lines were left out, and the number of the first of them. */
int64_t replay_invalid(const struct replay *r, int64_t *ret_first);

#endif
