/* A stored column: 14 bytes of header, then the content, compressed or not.  Private to block/; the
 * bytes are in README.md. */
#ifndef AZEKURA_BLOCK_COLUMN_H
#define AZEKURA_BLOCK_COLUMN_H

#include <zstd.h>

#include "block/block.h"

#define COLUMN_VERSION 1
#define COLUMN_HEADER_BYTES 14
#define COLUMN_PARTS \
    24 /* the most parts a content has: two number lists of eight planes, and text */

enum column_codec { CODEC_STORED = 0, CODEC_ZSTD = 1 };

/* The content of a column while it is put together: a chain of parts of different statistics (a
 * plane of numbers, text), each compressed with entropy tables of its own.
 *
 *     bytes  [ head | plane 0 | plane 1 | text ]
 *     ends        ^         ^         ^        ^
 */
struct content {
    struct buf bytes;
    size_t ends[COLUMN_PARTS];
    unsigned parts_n;
};

void content_init(struct content *c);
void content_clear(struct content *c);
void content_done(struct content *c);
void content_u8(struct content *c, uint8_t v);
void content_u64(struct content *c, uint64_t v);
void content_varint(struct content *c, uint64_t v);
/* n bytes to be filled by the caller before the next call. */
uint8_t *content_room(struct content *c, size_t n);
/* The next byte begins another part. */
void content_cut(struct content *c);
/* A part of its own, copied. */
void content_text(struct content *c, struct view text);

/* What column_seal compresses with; ZSTD_freeCCtx. */
MUST_USE ZSTD_CCtx *column_zstd_new(void);
/* Header and compressed (or, where that is not smaller, plain) content into *ret, which was empty.
 */
void column_seal(ZSTD_CCtx *zstd, enum block_column column, struct content *c, struct buf *ret);

/* Check header and checksum of a stored column and give its content, in memory of `memory`.  No
 * more than max_bytes are ever allocated.  0, or -EBADMSG with *err. */
MUST_USE int column_open(struct view stored, enum block_column column, size_t max_bytes,
                         struct block_memory memory, struct view *ret_content, struct err *err);
/* "the column NAME is damaged: …" */
int column_damaged(struct err *err, enum block_column column, const char *fmt, ...) PRINTF(3, 4);

#endif
