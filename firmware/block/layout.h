/* A layout says how the bytes as received are rendered from the fields: literal text between
 * references to PRI, time, hostname, app_name, …, message.  Messages of one program share it, so a
 * block keeps each layout once and one index a row; the bytes as received cost nothing.
 *
 * "<34>Oct 11 22:14:15 fw01 su[123]: failed"  →  "<" PRI ">" TIME(bsd, +540) " " HOSTNAME " "
 *                                                 APP_NAME "[" PROCID "]: " MESSAGE
 *
 * Encoding: bytes 0x01…0x0A are references (TIME is followed by form, digits, offset), 0x00 escapes
 * a literal byte below 0x10; everything else is literal. */
#ifndef AZEKURA_LAYOUT_H
#define AZEKURA_LAYOUT_H

#include "base/record.h"
#include "base/buf.h"

#define LAYOUT_MAX_BYTES 512

/* Derive the layout of a record from where its views stand in r->raw; appended to *out.  Fields
 * whose views do not lie inside raw, and PRI or time texts that would render differently, become
 * literal text.  0; -ENOSPC when it would be longer than LAYOUT_MAX_BYTES or when `message` lies
 * outside raw (it was cleaned), or `out` has no room for so many: then the row keeps its raw bytes.
 */
MUST_USE int layout_derive(const struct record *r, struct buf *out);

/* The text of the last time that was rendered: messages come in order, and most devices write whole
 * seconds.  Zeroed it is empty. */
struct layout_time_cache {
    int64_t us; /* a whole second; fractions are compared apart */
    uint8_t form, digits;
    int16_t offset_min;
    uint8_t n; /* bytes of text; 0: nothing is cached */
    char text[48];
};

/* layout_derive for many records one after another. */
MUST_USE int layout_derive_cached(const struct record *r, struct buf *out,
                                  struct layout_time_cache *cache);

/* Render fields through a layout, appended to *out.  0, -EBADMSG for a layout that does not parse
 * or names a null field, -ENOSPC. */
MUST_USE int layout_render(struct view layout, const struct record *fields, struct buf *out);

/* The references, as bits of what layout_fields gives and as bytes in the encoding. */
enum layout_reference {
    LAYOUT_PRI = 1,
    LAYOUT_TIME = 2,
    LAYOUT_HOSTNAME = 3,
    LAYOUT_APP_NAME = 4,
    LAYOUT_PROCID = 5,
    LAYOUT_MSGID = 6,
    LAYOUT_STRUCTURED_DATA = 7,
    LAYOUT_MESSAGE = 8,
    LAYOUT_REFERENCES
};

/* Check that a layout parses, and which fields it needs: bit 1 << LAYOUT_….  0, or -EBADMSG.  No
 * reference stands in a layout twice, which bounds what can come out of it. */
MUST_USE int layout_fields(struct view layout, unsigned *ret_fields);

/* As layout_render, and *ret: `fields` with raw, and each text view that the layout names, standing
 * in the rendered bytes (valid until *out changes), so that layout_derive gives the same layout
 * again. */
MUST_USE int layout_place(struct view layout, const struct record *fields, struct buf *out,
                          struct record *ret);

#endif
