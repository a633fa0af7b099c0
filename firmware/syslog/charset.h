/* Texts that are not UTF-8: what devices' charsets are called, decoding them, and guessing which
 * one a text is in.
 *
 * Decoding goes by tables that are made of the C library's iconv once a process and charset
 * (charset_prepare), so that the way of a message neither allocates nor keeps a state between
 * messages. */
#ifndef AZEKURA_CHARSET_H
#define AZEKURA_CHARSET_H

#include "base/buf.h"
#include "base/view.h"

/* Constant and static.  NULL stands for UTF-8 wherever one is taken. */
struct charset;

#define CHARSET_NAME_MAX 16 /* bytes of a canonical name, its NUL included */

/* By any usual name, upper or lower case, with or without "-" and "_": "Shift_JIS", "cp932",
 * "sjis", "latin1", ….  NULL: there is none.  UTF-8 is one, too, and not NULL. */
const struct charset *charset_find(struct view name);
/* The canonical name; of NULL "UTF-8". */
const char *charset_name(const struct charset *c);
/* The list, in the order in which people should see it; NULL at the end. */
const struct charset *charset_at(size_t i);
/* What people call it: which texts it is for. */
const char *charset_label_en(const struct charset *c);
const char *charset_label_ja(const struct charset *c);
bool charset_is_utf8(const struct charset *c);

/* Make its tables, which takes up to 20 ms; any thread.  0, or -errno when the C library does not
 * know the charset (-EINVAL) or memory is short; decoding then is that of broken UTF-8.  Decoding
 * does it by itself when nobody did. */
MUST_USE int charset_prepare(const struct charset *c);

/* Whether a text has bytes that it makes a difference for: none of plain ASCII. */
bool charset_applies(const struct charset *c, struct view in);
/* Decode to clean UTF-8 (utf8.h), appended to *out, which may become three times as long as `in`.
 * Returns the number of bytes that were none (replaced by U+FFFD), or -ENOSPC. */
MUST_USE int charset_decode(const struct charset *c, struct view in, struct buf *out);

/* The text of a message that has bytes which its charset makes a difference for, appended to *out.
 * What is UTF-8 more probably than a text of this charset is left to the caller, nothing appended:
 * valid UTF-8 that the charset cannot decode, that a charset of one byte a letter would make
 * nonsense of, or that is longer letters throughout, the last of which may be cut.  Returns 1 and
 * the number of bytes that were none in *ret_undecodable; 0: take it as UTF-8; -ENOSPC. */
MUST_USE int charset_text(const struct charset *c, struct view in, struct buf *out,
                          size_t *ret_undecodable);
/* UTF-16 with a byte order mark, which no UTF-8 begins with: its charset whatever is set; else
 * NULL. */
const struct charset *charset_by_mark(struct view in);

/* ---- guessing ---- */

enum { CHARSET_CANDIDATES = 16 };

/* What is known so far; zeroed it is nothing.  Private to charset_guess.c. */
struct charset_guess {
    uint32_t bits[CHARSET_CANDIDATES]; /* of information, in sixteenths: what the text would be as
                                          one of that charset */
    uint32_t bad[CHARSET_CANDIDATES];  /* bytes that are none in it */
    uint32_t bytes;                    /* beyond ASCII */
    uint32_t messages, escapes, wide_le, wide_be; /* with characters of ISO-2022-JP, of UTF-16 */
};

/* Look at a message, as received; of a long one at its first 2,048 bytes. Those that are clean
 * UTF-8 and no ISO-2022-JP teach nothing.  Costs some ns for each byte and candidate. */
void charset_guess_add(struct charset_guess *g, struct view raw);
/* The best guess and how sure it is, 1…100; NULL: nothing is probable, it is broken UTF-8, or there
 * was too little to see (never by one byte). */
const struct charset *charset_guess(const struct charset_guess *g, unsigned *ret_percent);

#endif
