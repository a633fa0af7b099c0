/* Everything about a block that can be checked, for the tools and the tests. */
#include "block/decoded.h"

#include "base/limits.h"
#include "block/senders.h"
#include "block/token_scan.h"
#include "block/tokens.h"

static int wrong(struct err *err, const char *what, unsigned long long is,
                 unsigned long long should_be)
{
    return err_set(err, EBADMSG, "damaged_block", "%s of the block is %llu, but its rows say %llu",
                   what, is, should_be);
}

static int verify_times(const struct block_reader *r, const struct block *meta, struct err *err)
{
    if (meta->messages != r->messages)
        return wrong(err, "messages", meta->messages, r->messages);
    if (meta->first_at_us != block_time(r, 0))
        return wrong(err, "first_at", (unsigned long long)meta->first_at_us,
                     (unsigned long long)block_time(r, 0));
    if (meta->last_at_us != block_time(r, r->messages - 1))
        return wrong(err, "last_at", (unsigned long long)meta->last_at_us,
                     (unsigned long long)block_time(r, r->messages - 1));
    if (meta->first_seq != block_seq(r, 0))
        return wrong(err, "first_seq", meta->first_seq, block_seq(r, 0));
    return 0;
}

static int verify_bits(const struct block_reader *r, const struct block *meta, struct err *err)
{
    unsigned severities = 0, facilities = 0, listeners = 0;
    for (uint32_t i = 0; i < r->messages; i++) {
        uint8_t pri = block_pri(r, i);
        severities |= 1u << pri % 8;
        facilities |= 1u << pri / 8;
        listeners |= 1u << block_listener(r, i);
    }
    if (meta->severities != severities)
        return wrong(err, "severities", meta->severities, severities);
    if (meta->facilities != facilities)
        return wrong(err, "facilities", meta->facilities, facilities);
    if (meta->listeners != listeners)
        return wrong(err, "listeners", meta->listeners, listeners);
    return 0;
}

/* The list is sorted and distinct, and the rows have the same addresses. */
static int verify_senders(const struct block_reader *r, struct view senders, struct err *err)
{
    uint32_t entries = block_dictionary_size(r, COLUMN_SOURCES), listed = 0, used = 0;
    bool is_used[BLOCK_MAX_SOURCES] = {false};
    struct ip before = {0}, ip;
    size_t position = 0;
    for (; senders_next(senders, &position, &ip); before = ip, listed++)
        if (listed > 0 && memcmp(&before, &ip, sizeof(ip)) >= 0)
            return err_set(err, EBADMSG, "damaged_block",
                           "the senders of the block are not sorted at number %u", listed);
    if (position != senders.n)
        return err_set(err, EBADMSG, "damaged_block",
                       "the senders of the block are malformed at byte %zu", position);
    const uint16_t *rows = block_dictionary_rows(r, COLUMN_SOURCES);
    for (uint32_t i = 0; i < r->messages; i++)
        is_used[rows[i]] = true;
    for (uint32_t e = 0; e < entries; e++) {
        block_dictionary_source(r, e, &ip);
        if (!is_used[e] || ip.family == 0)
            continue;
        used++;
        struct ip_network host = {ip, ip.family == 4 ? 32 : 128};
        if (!senders_in_network(senders, &host)) {
            char text[IP_TEXT_MAX];
            ip_format(&ip, text);
            return err_set(err, EBADMSG, "damaged_block",
                           "the senders of the block lack %s, which a row has", text);
        }
    }
    return used == listed ? 0 : wrong(err, "number of senders", listed, used);
}

struct token_check {
    struct view index;
    bool is_missing;
};

static void check_token(void *context, uint64_t hash)
{
    struct token_check *t = context;
    uint64_t offset;
    uint32_t bytes;
    tokens_slice(t->index.n, hash, &offset, &bytes);
    if (bytes > 0 && !tokens_slice_may_contain(view_of(t->index.p + offset, bytes), hash))
        t->is_missing = true;
}

static int verify_tokens(const struct block_reader *r, struct view index, struct err *err)
{
    static const enum block_column fields[] = {COLUMN_HOSTNAME,        COLUMN_APP_NAME,
                                               COLUMN_PROCID,          COLUMN_MSGID,
                                               COLUMN_STRUCTURED_DATA, COLUMN_MESSAGE};
    struct token_check t = {index, false};
    for (unsigned f = 0; f < ARRAY_LEN(fields); f++) {
        for (uint32_t i = 0; i < r->messages; i++) {
            struct view text = block_text(r, fields[f], i);
            if (text.p == NULL)
                continue;
            tokens_of_text(text, check_token, &t);
            if (fields[f] <= COLUMN_MSGID)
                check_token(&t, token_of_value(fields[f], text));
            if (t.is_missing)
                return err_set(err, EBADMSG, "damaged_block",
                               "the token index lacks a word of %s in row %u",
                               block_column_name(fields[f]), i);
        }
    }
    return 0;
}

static int verify_raw(struct block_reader *r, const struct block *meta, struct err *err)
{
    /* Every column is loaded: nothing below allocates from the reader's memory. */
    struct buf out = BUF_INIT((size_t)BLOCK_MAX_TEXT_BYTES * 2);
    uint64_t raw_bytes = 0;
    int e = 0;
    for (uint32_t i = 0; i < r->messages && e == 0; i++) {
        buf_clear(&out);
        e = block_raw(r, i, &out, err);
        raw_bytes += out.n;
    }
    buf_free(&out);
    if (e < 0)
        return -EBADMSG;
    return raw_bytes == meta->raw_bytes ? 0 : wrong(err, "raw_bytes", meta->raw_bytes, raw_bytes);
}

int block_verify(struct block_reader *r, const struct block *meta, struct err *err)
{
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++) {
        int e = block_load(r, c, err);
        if (e < 0)
            return e;
    }
    int e = verify_times(r, meta, err);
    if (e == 0)
        e = verify_bits(r, meta, err);
    if (e == 0)
        e = verify_senders(r, buf_view(&meta->senders), err);
    if (e == 0)
        e = verify_tokens(r, buf_view(&meta->tokens), err);
    if (e == 0)
        e = verify_raw(r, meta, err);
    return e;
}
