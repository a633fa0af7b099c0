/* Cut a TCP or TLS byte stream into messages (RFC 6587): octet counting and non-transparent framing
 * (LF, NUL, CRLF), told apart frame by frame. */
#ifndef AZEKURA_FRAME_H
#define AZEKURA_FRAME_H

#include "base/base.h"
#include "base/view.h"

enum frame_result {
    FRAME_MESSAGE,   /* *ret_message is a whole message */
    FRAME_TRUNCATED, /* *ret_message is the kept head of a message longer than max_bytes */
    FRAME_BAD,       /* *ret_message is what a wrong octet count left; stored raw and counted */
    FRAME_MORE,      /* more bytes are needed */
};

/* The state of one connection: zero-initialised at its start. */
struct frame_state {
    uint64_t skip_bytes;    /* octets of an over-long counted message still to be dropped */
    bool skip_to_delimiter; /* dropping the tail of an over-long delimited message */
    uint64_t scanned_bytes; /* of an incomplete delimited message: no delimiter in these */
};

/* Cut the next frame out of `in` (everything received and not yet used).  Borrows `in`; never
 * allocates, blocks or logs; linear in the bytes received, however they are split.  *ret_used: bytes
 * to drop from the front of `in`, in all cases, FRAME_MORE included (*ret_message is a view into `in`
 * and valid until then).  `max_bytes`: longest message kept; the caller's buffer must hold
 * max_bytes + 16.  Empty delimited frames between messages are skipped as RFC 6587 trailers. */
enum frame_result frame_next(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used);

/* The connection has ended: what is left in `in` is a last message without trailer, or nothing. */
enum frame_result frame_last(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message);

#endif
