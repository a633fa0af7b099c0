/* Header, checksum and compression of one column.
 *
 *   0  u8   version of the format, 1
 *   1  u8   codec: 0 stored, 1 one zstd frame
 *   2  u32  bytes of the content
 *   6  u64  XXH64 of the stored content; its seed is the column's number and the six bytes above,
 * so that a damaged header or a column in another one's place is found too 14       content
 */
#include "block/column.h"

#include <pthread.h>
#include <stdarg.h>
#include <xxhash.h>

#include "base/limits.h"
#include "block/wire.h"

/* Entropy tables for a part cost some 60 bytes: not worth it for a short one. */
#define FLUSH_BYTES 1024
/* More than a window is compressed in one call: streaming through zstd's ring buffer is slower
 * there than what tables of their own would save. */
#define WHOLE_BYTES (384u << 10)

/* How zstd looks for repetitions, by measurement (README.md, "Figures"): the fast strategy, with a
 * table that just stays in the first-level cache and matches of seven bytes and more: a smaller one
 * forgets too soon that several senders say the same.  A target length
 * would be quicker still, but takes entropy coding away, which is what digits need. */
#define ZSTD_LEVEL 1
#define ZSTD_HASH_LOG 13
#define ZSTD_MIN_MATCH 7

static const char *const names[BLOCK_COLUMNS] = {
    "times",    "reported", "sources", "listener",        "pri",     "formats", "flags", "hostname",
    "app_name", "procid",   "msgid",   "structured_data", "message", "layouts", "raw",   "seq"};

const char *block_column_name(enum block_column c)
{
    return names[c];
}

void content_init(struct content *c)
{
    *c = (struct content){.bytes = BUF_INIT(2 * (size_t)BLOCK_MAX_TEXT_BYTES)};
}

void content_clear(struct content *c)
{
    buf_clear(&c->bytes);
    c->parts_n = 0;
}

void content_done(struct content *c)
{
    buf_free(&c->bytes);
}

uint8_t *content_room(struct content *c, size_t n)
{
    CHECK(buf_reserve(&c->bytes, n) == 0);
    uint8_t *p = (uint8_t *)c->bytes.p + c->bytes.n;
    c->bytes.n += n;
    return p;
}

void content_u8(struct content *c, uint8_t v)
{
    *content_room(c, 1) = v;
}

void content_u64(struct content *c, uint64_t v)
{
    wire_store(content_room(c, 8), v, 8);
}

void content_varint(struct content *c, uint64_t v)
{
    uint8_t bytes[WIRE_VARINT_MAX];
    unsigned n = wire_varint(bytes, v);
    memcpy(content_room(c, n), bytes, n);
}

void content_cut(struct content *c)
{
    if (c->bytes.n == 0 || (c->parts_n > 0 && c->ends[c->parts_n - 1] == c->bytes.n))
        return;
    CHECK(c->parts_n < COLUMN_PARTS);
    c->ends[c->parts_n++] = c->bytes.n;
}

void content_text(struct content *c, struct view text)
{
    content_cut(c);
    if (text.n > 0)
        memcpy(content_room(c, text.n), text.p, text.n);
    content_cut(c);
}

static uint64_t checksum(enum block_column column, const uint8_t *header, struct view payload)
{
    return XXH64(payload.p, payload.n, (uint64_t)column << 48 | wire_fetch(header, 6));
}

/* Part by part: a flush ends a zstd block, and with it its entropy tables. */
static size_t compress_parts(ZSTD_CCtx *zstd, const struct content *c, ZSTD_outBuffer *to)
{
    ZSTD_inBuffer from = {c->bytes.p, 0, 0};
    size_t left = 0;
    for (unsigned i = 0; i < c->parts_n; i++) {
        ZSTD_EndDirective end = i + 1 == c->parts_n                     ? ZSTD_e_end
                                : c->ends[i] - from.size >= FLUSH_BYTES ? ZSTD_e_flush
                                                                        : ZSTD_e_continue;
        from.size = c->ends[i];
        do {
            left = ZSTD_compressStream2(zstd, to, &from, end);
            CHECK(!ZSTD_isError(left));
            CHECK(to->pos < to->size || left == 0);
        } while (end == ZSTD_e_continue ? from.pos < from.size : left > 0);
    }
    return to->pos;
}

/* One zstd frame into `out`, or 0 when it is not smaller than the content. */
static size_t compress(ZSTD_CCtx *zstd, const struct content *c, uint8_t *out, size_t cap)
{
    CHECK(!ZSTD_isError(ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only)));
    size_t n;
    if (c->bytes.n > WHOLE_BYTES) {
        n = ZSTD_compress2(zstd, out, cap, c->bytes.p, c->bytes.n);
        CHECK(!ZSTD_isError(n));
    } else {
        ZSTD_outBuffer to = {out, cap, 0};
        CHECK(!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(zstd, c->bytes.n)));
        n = compress_parts(zstd, c, &to);
    }
    return n < c->bytes.n ? n : 0;
}

ZSTD_CCtx *column_zstd_new(void)
{
    static const struct {
        ZSTD_cParameter parameter;
        int value;
    } settings[] = {
        {ZSTD_c_compressionLevel, ZSTD_LEVEL},
        {ZSTD_c_strategy, ZSTD_fast},
        {ZSTD_c_hashLog, ZSTD_HASH_LOG},
        {ZSTD_c_minMatch, ZSTD_MIN_MATCH},
        {ZSTD_c_targetLength, 0},
    };
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    CHECK(zstd != NULL);
    for (unsigned i = 0; i < ARRAY_LEN(settings); i++)
        CHECK(
            !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, settings[i].parameter, settings[i].value)));
    return zstd;
}

void column_seal(ZSTD_CCtx *zstd, enum block_column column, struct content *c, struct buf *ret)
{
    content_cut(c);
    size_t n = c->bytes.n;
    CHECK(n > 0 && n <= UINT32_MAX);
    /* Every flush may add a block header of three bytes and one of a raw block. */
    size_t cap = ZSTD_compressBound(n) + COLUMN_PARTS * 64;
    *ret = BUF_INIT(COLUMN_HEADER_BYTES + cap);
    CHECK(buf_reserve(ret, COLUMN_HEADER_BYTES + cap) == 0);
    uint8_t *header = (uint8_t *)ret->p, *payload = header + COLUMN_HEADER_BYTES;
    size_t stored = compress(zstd, c, payload, cap);
    wire_store(header, COLUMN_VERSION, 1);
    wire_store(header + 1, stored > 0 ? CODEC_ZSTD : CODEC_STORED, 1);
    wire_store(header + 2, n, 4);
    if (stored == 0) {
        memcpy(payload, c->bytes.p, n);
        stored = n;
    }
    wire_store(header + 6, checksum(column, header, view_of((char *)payload, stored)), 8);
    ret->n = COLUMN_HEADER_BYTES + stored;
    /* What was reserved for the worst case is not kept while the block waits to be written. */
    ret->p = xrealloc(ret->p, ret->n, 1);
    ret->cap = ret->n;
}

int column_damaged(struct err *err, enum block_column column, const char *fmt, ...)
{
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    return err_set_field(err, EBADMSG, "damaged_block", names[column],
                         "the column %s is damaged: %s", names[column], what);
}

/* A decompression context a thread, kept for ever: PostgreSQL may leave through longjmp at any
 * allocation, so a context may not belong to a call. */
static pthread_key_t zstd_key;
static pthread_once_t zstd_once = PTHREAD_ONCE_INIT;
static _Thread_local ZSTD_DCtx *zstd_mine;

static void zstd_forget(void *p)
{
    ZSTD_freeDCtx(p);
}

static void zstd_make_key(void)
{
    CHECK(pthread_key_create(&zstd_key, zstd_forget) == 0);
}

static ZSTD_DCtx *zstd_context(void)
{
    if (zstd_mine == NULL) {
        CHECK(pthread_once(&zstd_once, zstd_make_key) == 0);
        zstd_mine = ZSTD_createDCtx();
        CHECK(zstd_mine != NULL);
        CHECK(pthread_setspecific(zstd_key, zstd_mine) == 0);
    }
    return zstd_mine;
}

int column_open(struct view stored, enum block_column column, size_t max_bytes,
                struct block_memory memory, struct view *ret_content, struct err *err)
{
    if (stored.n <= COLUMN_HEADER_BYTES)
        return column_damaged(err, column, "%zu bytes are shorter than a header", stored.n);
    const uint8_t *header = (const uint8_t *)stored.p;
    struct view payload = view_of(stored.p + COLUMN_HEADER_BYTES, stored.n - COLUMN_HEADER_BYTES);
    unsigned version = header[0], codec = header[1];
    uint64_t n = wire_fetch(header + 2, 4);
    if (version != COLUMN_VERSION)
        return column_damaged(err, column, "format version %u is not %d", version, COLUMN_VERSION);
    if (codec > CODEC_ZSTD)
        return column_damaged(err, column, "codec %u is unknown", codec);
    if (n == 0 || n > max_bytes)
        return column_damaged(err, column, "a content of %llu bytes is out of 1..%zu",
                              (unsigned long long)n, max_bytes);
    if (wire_fetch(header + 6, 8) != checksum(column, header, payload))
        return column_damaged(err, column, "the checksum of %zu bytes does not match", payload.n);
    if (codec == CODEC_STORED && payload.n != n)
        return column_damaged(err, column, "%zu bytes are stored where %llu were announced",
                              payload.n, (unsigned long long)n);
    if (codec == CODEC_ZSTD && ZSTD_getFrameContentSize(payload.p, payload.n) != n)
        return column_damaged(err, column, "the zstd frame is not of %llu bytes",
                              (unsigned long long)n);
    ZSTD_DCtx *zstd = zstd_context();
    char *p = memory.alloc(memory.context, n);
    if (codec == CODEC_STORED) {
        memcpy(p, payload.p, n);
    } else {
        size_t got = ZSTD_decompressDCtx(zstd, p, n, payload.p, payload.n);
        if (ZSTD_isError(got))
            return column_damaged(err, column, "zstd: %s", ZSTD_getErrorName(got));
        if (got != n)
            return column_damaged(err, column, "%zu bytes came out where %llu were announced", got,
                                  (unsigned long long)n);
    }
    *ret_content = view_of(p, n);
    return 0;
}
