/* What a block builder is made of: shared by builder.c (rows in) and finish.c (columns out).
 * Private to block/. */
#ifndef AZEKURA_BLOCK_BUILDING_H
#define AZEKURA_BLOCK_BUILDING_H

#include "block/column.h"
#include "block/dict.h"
#include "block/layout.h"
#include "block/token_filter.h"

/* A text column: the rows' text one after another, and its length + 1 a row; 0 is null. */
struct texts {
    struct buf text;
    uint32_t *lengths;
};

/* Consecutive rows with consecutive sequence numbers. */
struct run {
    uint64_t seq;
    uint32_t row;
};

enum builder_dict {
    DICT_SOURCES, /* family byte and address */
    DICT_HOSTNAME,
    DICT_APP_NAME,
    DICT_PROCID,
    DICT_MSGID,
    DICT_LAYOUTS, /* null: the row keeps its raw bytes */
    BUILDER_DICTS
};

enum builder_texts { TEXTS_STRUCTURED_DATA, TEXTS_MESSAGE, TEXTS_RAW, BUILDER_TEXTS };

struct block_builder {
    uint32_t n; /* rows */
    uint64_t next_seq;
    uint64_t raw_bytes;
    size_t text_bytes; /* kept text of all columns, ≤ BLOCK_MAX_TEXT_BYTES */
    uint8_t severities, listeners;
    uint32_t facilities;
    /* a row each, BLOCK_MAX_MESSAGES of them */
    int64_t *times, *reported;
    uint8_t *listener, *pri, *format, *flags;
    uint32_t *raw_lengths; /* bytes as received */
    struct run *runs;
    uint32_t runs_n;
    struct dict dicts[BUILDER_DICTS];
    struct ip last_source; /* of row n - 1 */
    struct texts texts[BUILDER_TEXTS];
    struct buf layout; /* of the row being added */
    struct layout_time_cache time_cache;
    struct buf cleaned; /* text fields of a row that were not clean UTF-8 */
    /* finish.c's */
    struct content content;
    uint64_t *numbers;  /* BLOCK_MAX_MESSAGES */
    uint16_t *relative; /* the rows of a dictionary, BLOCK_MAX_MESSAGES */
    uint32_t *order;    /* of the texts, by grouping.h; BLOCK_MAX_MESSAGES */
    uint32_t *starts;   /* scratch, BLOCK_MAX_MESSAGES; a dictionary has no more entries */
    bool is_grouped;    /* `order` says it; else it is the rows' own */
    struct token_filter tokens;
    ZSTD_CCtx *zstd;
};

#endif
