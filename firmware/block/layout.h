/* A layout says how the bytes as received are rendered from the fields: literal text between
 * references to PRI, time, hostname, app_name, …, message.  Messages of one program share it, so a
 * block keeps each layout once and one index a row; the bytes as received cost nothing.
 *
 * "<34>Oct 11 22:14:15 fw01 su[123]: failed"  →  "<" PRI ">" TIME(bsd, +540) " " HOSTNAME " "
 *                                                 APP_NAME "[" PROCID "]: " MESSAGE
 *
 * Encoding: bytes 0x01…0x0A are references (TIME is followed by form, digits, offset), 0x00 escapes a
 * literal byte below 0x10; everything else is literal. */
#ifndef AZEKURA_LAYOUT_H
#define AZEKURA_LAYOUT_H

#include "base/record.h"
#include "base/buf.h"

#define LAYOUT_MAX_BYTES 512

/* Derive the layout of a record from where its views stand in r->raw; appended to *out.  Fields whose
 * views do not lie inside raw, and PRI or time texts that would render differently, become literal
 * text.  0; -ENOSPC when it would be longer than LAYOUT_MAX_BYTES or when `message` lies outside raw
 * (it was cleaned): then the row keeps its raw bytes. */
MUST_USE int layout_derive(const struct record *r, struct buf *out);

/* Render fields through a layout, appended to *out.  0, -EBADMSG for a layout that does not parse or
 * names a null field, -ENOSPC. */
MUST_USE int layout_render(struct view layout, const struct record *fields, struct buf *out);

#endif
