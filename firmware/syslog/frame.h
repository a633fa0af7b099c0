/* Cut a TCP or TLS byte stream into messages (RFC 6587): octet counting and non-transparent framing
 * (LF, NUL, CRLF), told apart frame by frame.
 *
 * A frame that begins with a number is counted when a PRI follows ("52 <165>…").  When other text
 * follows, as in "27 packets dropped\n" or a counted message without PRI, the end of the frame
 * decides: a count is believed when it leads to the next frame (a PRI, or more counts that lead on)
 * and no LF comes before.
 *
 * A count that is too large is noticed when it leads into another frame (a line of the message
 * begins with a count and a PRI) and nothing begins at its end, or the connection ends before it:
 * the message then ends before that line.
 *
 * LF ends a delimited message.  NUL ends it when the next message follows or the connection has
 * been seen to end its messages so; else it is part of the text.
 *
 * The answer depends on the bytes alone, never on how they were split into reads. */
#ifndef AZEKURA_FRAME_H
#define AZEKURA_FRAME_H

#include "base/base.h"
#include "base/view.h"

enum frame_result {
    FRAME_MESSAGE,   /* *ret_message is a whole message */
    FRAME_TRUNCATED, /* *ret_message is the kept head of a message longer than max_bytes, or what
                        arrived of a counted message before its connection ended */
    FRAME_BAD,       /* *ret_message is what a wrong octet count left; stored raw and counted */
    FRAME_MORE,      /* more bytes are needed */
};

/* What a listener may be told about its senders. */
enum frame_mode {
    FRAME_AUTO = 0,  /* decide frame by frame */
    FRAME_COUNTED,   /* every frame has an octet count; what has none is FRAME_BAD */
    FRAME_DELIMITED, /* no frame has one: leading digits are text */
};

/* The state of one connection: zero-initialised at its start, then `mode` set where not automatic.
 */
struct frame_state {
    enum frame_mode mode;
    uint64_t skip_bytes;    /* octets of an over-long counted message still to be dropped */
    bool skip_to_delimiter; /* dropping the tail of an over-long delimited message */
    bool ends_with_nul;     /* NUL has been seen as a trailer */
    uint8_t last;           /* how the last message was framed; private */
    uint64_t scanned_bytes; /* of an incomplete delimited message: no delimiter in these */
};

/* Bytes beyond max_bytes that the caller's buffer must hold. */
#define FRAME_EXTRA_BYTES 16

/* Cut the next frame out of `in` (everything received and not yet used).  Borrows `in`; never
 * allocates, blocks or logs; linear in the bytes received, however they are split.  *ret_used:
 * bytes to drop from the front of `in`, in all cases, FRAME_MORE included (*ret_message is a view
 * into `in` and valid until then).  `max_bytes` (≥ 16): longest message kept; the caller's buffer
 * must hold max_bytes + FRAME_EXTRA_BYTES, and with so many in `in` the answer is never FRAME_MORE
 * with nothing used.  Empty delimited frames between messages are skipped as RFC 6587 trailers.  A
 * CR before the LF stays in the message: it is among the bytes received, and the parser leaves it
 * out of the text. */
enum frame_result frame_next(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used);

/* Nothing has followed for a while (the caller's patience, about a second): like frame_next, but a
 * message that ends here with NUL, or with the last octet of its count, is taken as whole. */
enum frame_result frame_idle(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used);

/* The connection has ended and frame_idle, called until then, answered FRAME_MORE: what is left in
 * `in` is a last message without trailer, or nothing (FRAME_MORE).  Of a count that led beyond the
 * end there may be several: call it with what is behind *ret_used until it answers FRAME_MORE. */
enum frame_result frame_last(struct frame_state *s, struct view in, size_t max_bytes,
                             struct view *ret_message, size_t *ret_used);

#endif
