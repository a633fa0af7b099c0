/* Columns of a damaged or hostile database. */
#include <criterion/criterion.h>
#include <xxhash.h>

#include "base/limits.h"
#include "block/column.h"
#include "block/wire.h"
#include "unit/block/block_support.h"

/* A column with a right header and checksum around any content. */
static struct buf wrap(enum block_column column, struct view content)
{
    struct buf b = BUF_INIT(1u << 20);
    uint8_t header[COLUMN_HEADER_BYTES] = {COLUMN_VERSION, CODEC_STORED};
    wire_store(header + 2, content.n, 4);
    wire_store(header + 6,
               XXH64(content.p, content.n, (uint64_t)column << 48 | wire_fetch(header, 6)), 8);
    cr_assert_eq(buf_add(&b, header, sizeof(header)), 0);
    cr_assert_eq(buf_add_view(&b, content), 0);
    return b;
}

static int load(enum block_column column, struct view content, uint32_t messages, struct err *err)
{
    struct arena a = ARENA_INIT;
    struct block block = {.messages = messages};
    struct block_reader r;
    block.columns[COLUMN_TIMES] = wrap(COLUMN_TIMES, VIEW("\0\0\0\0\0\0\0\0\0\0"));
    buf_free(&block.columns[column]);
    block.columns[column] = wrap(column, content);
    support_reader(&r, &block, &a);
    int e = block_load(&r, column, err);
    block_free(&block);
    arena_done(&a);
    return e;
}

Test(load, contents_with_right_checksums_are_checked_all_the_same)
{
    static const struct {
        const char *name;
        enum block_column column;
        struct view content;
        uint32_t messages;
        bool is_good;
    } cases[] = {
        {"times of two rows", COLUMN_TIMES, VIEW("\1\0\0\0\0\0\0\0\0\1\0\5"), 2, true},
        {"a time that overflows", COLUMN_TIMES, VIEW("\xff\xff\xff\xff\xff\xff\xff\x7f\1\0"), 1,
         false},
        {"times cut off", COLUMN_TIMES, VIEW("\1\0\0\0\0\0\0\0\0\1\0"), 2, false},
        {"a byte too many", COLUMN_TIMES, VIEW("\1\0\0\0\0\0\0\0\0\1\0\5x"), 2, false},
        {"a constant byte", COLUMN_PRI, VIEW("\0\xbf"), 3, true},
        {"a PRI over 191", COLUMN_PRI, VIEW("\0\xc0"), 3, false},
        {"bytes of an unknown kind", COLUMN_PRI, VIEW("\2\1"), 1, false},
        {"too few bytes", COLUMN_FLAGS, VIEW("\1\1"), 2, false},
        {"an unknown listener", COLUMN_LISTENERS, VIEW("\0\3"), 1, false},
        {"an unknown format", COLUMN_FORMATS, VIEW("\0\xff"), 1, false},
        {"an unknown unit of time", COLUMN_REPORTED, VIEW("\0\4\0\0"), 1, false},
        {"whole seconds", COLUMN_REPORTED, VIEW("\0\1\2\0"), 1, true},
        {"one address", COLUMN_SOURCES, VIEW("\1\4\1\2\3\4\0\0"), 2, true},
        {"no address", COLUMN_SOURCES, VIEW("\0\0\0"), 2, false},
        {"an address of family 5", COLUMN_SOURCES, VIEW("\1\5\1\2\3\4\0\0"), 2, false},
        {"an address cut off", COLUMN_SOURCES, VIEW("\1\6\1\2\3"), 2, false},
        {"a row of an address beyond", COLUMN_SOURCES, VIEW("\1\4\1\2\3\4\1\0"), 2, false},
        {"1025 addresses", COLUMN_SOURCES, VIEW("\x81\x08"), 2, false},
        {"one name", COLUMN_HOSTNAME, VIEW("\1\2\0ab\0\0\1\1\0"), 2, true},
        {"the same, relative", COLUMN_HOSTNAME, VIEW("\1\2\0ab\1\0\1\1\2"), 2, true},
        {"a relative row before the first value", COLUMN_HOSTNAME, VIEW("\1\2\0ab\1\0\1\2\1"), 2,
         false},
        {"a relative value too many", COLUMN_HOSTNAME, VIEW("\1\2\0ab\1\0\1\1\1"), 2, false},
        {"a row of a name beyond", COLUMN_HOSTNAME, VIEW("\1\2\0ab\0\0\1\2\0"), 2, false},
        {"rows of an unknown mode", COLUMN_HOSTNAME, VIEW("\1\2\0ab\2\0\1\1\0"), 2, false},
        {"a name longer than the column", COLUMN_HOSTNAME, VIEW("\1\x7f\0ab\0\0\1\1\0"), 2, false},
        {"a name that is not UTF-8", COLUMN_HOSTNAME, VIEW("\1\2\0a\xff\0\0\1\1\0"), 2, false},
        {"a name with NUL", COLUMN_HOSTNAME, VIEW("\1\2\0a\0\0\0\1\1\0"), 2, false},
        {"names that share a character", COLUMN_HOSTNAME, VIEW("\2\1\0\xc3\xa9\0\0\1\1\0"), 2,
         false},
        {"65,536 names", COLUMN_HOSTNAME, VIEW("\x80\x80\4"), 2, false},
        {"text and null", COLUMN_STRUCTURED_DATA, VIEW("\0\1\0\3ab"), 2, true},
        {"text longer than the column", COLUMN_MESSAGE, VIEW("\0\1\0\4ab"), 2, false},
        {"text shorter than the column", COLUMN_MESSAGE, VIEW("\0\1\0\2ab"), 2, false},
        {"rows that share a character", COLUMN_MESSAGE, VIEW("\2\0\xc3\xa9"), 2, false},
        {"text that is not UTF-8", COLUMN_MESSAGE, VIEW("\2\0\xc3("), 2, false},
        {"raw bytes may be anything", COLUMN_RAW, VIEW("\2\0\xc3\0"), 2, true},
        {"a layout", COLUMN_LAYOUTS, VIEW("\1\2\0x\x08\0\1\0"), 2, true},
        {"a layout that does not parse", COLUMN_LAYOUTS, VIEW("\1\2\0x\x0f\0\1\0"), 2, false},
        {"two runs", COLUMN_SEQ, VIEW("\2\0\1\x10\1"), 2, true},
        {"no run", COLUMN_SEQ, VIEW("\0"), 2, false},
        {"runs over the rows", COLUMN_SEQ, VIEW("\2\0\2\x10\1"), 2, false},
        {"runs of too few rows", COLUMN_SEQ, VIEW("\1\0\1"), 2, false},
        {"an empty run", COLUMN_SEQ, VIEW("\2\0\2\x10\0"), 2, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = {.message = ""};
        int e = load(cases[i].column, cases[i].content, cases[i].messages, &err);
        cr_assert_eq(e, cases[i].is_good ? 0 : -EBADMSG, "%s: %d %s", cases[i].name, e,
                     err.message);
        if (e < 0)
            cr_assert(strstr(err.message, block_column_name(cases[i].column)) != NULL, "%s: %s",
                      cases[i].name, err.message);
    }
}

Test(load, absent_columns_have_their_defaults_and_times_and_sources_may_not_be_absent)
{
    struct arena a = ARENA_INIT;
    struct block block = {.messages = 3, .first_seq = 7};
    struct block_reader r;
    struct err err;
    support_reader(&r, &block, &a);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++) {
        bool is_needed = c == COLUMN_TIMES || c == COLUMN_SOURCES;
        cr_assert_eq(block_load(&r, c, &err), is_needed ? -EBADMSG : 0, "%s", block_column_name(c));
    }
    cr_assert_eq(block_reported(&r, 2), TIME_NONE);
    cr_assert_eq(block_pri(&r, 2), 13);
    cr_assert_eq(block_listener(&r, 2), LISTENER_UDP);
    cr_assert_eq(block_seq(&r, 2), 9);
    for (unsigned c = COLUMN_HOSTNAME; c <= COLUMN_STRUCTURED_DATA; c++)
        cr_assert_null(block_text(&r, c, 2).p, "%s", block_column_name(c));
    cr_assert(view_eq(block_text(&r, COLUMN_MESSAGE, 2), VIEW("")));
    cr_assert_eq(block_column_texts(&r, COLUMN_MESSAGE).all.n, 0);
    cr_assert_eq(block_column_texts(&r, COLUMN_MESSAGE).offsets[3], 0);
    cr_assert_eq(block_dictionary_size(&r, COLUMN_PROCID), 1);
    cr_assert_eq(block_dictionary_rows(&r, COLUMN_PROCID)[2], 0);
    arena_done(&a);
}

Test(load, a_block_of_no_or_too_many_messages_is_refused)
{
    static const uint32_t counts[] = {0, BLOCK_MAX_MESSAGES + 1, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        struct arena a = ARENA_INIT;
        struct block block = {.messages = counts[i]};
        struct block_reader r;
        struct err err;
        support_reader(&r, &block, &a);
        cr_assert_eq(block_load(&r, COLUMN_FLAGS, &err), -EBADMSG, "%u", counts[i]);
        arena_done(&a);
    }
}

/* A column with another row's count of messages is never more than refused. */
Test(load, a_wrong_number_of_messages_never_reads_beyond)
{
    uint64_t seed = 3;
    struct arena a = ARENA_INIT, reading = ARENA_INIT;
    struct block_builder *b = block_builder_new();
    struct block block;
    block_builder_clear(b, 1);
    for (unsigned i = 0; i < 300; i++) {
        struct record r = random_record(&seed, &a, 1773144000000000 + i);
        cr_assert_eq(block_builder_add(b, &r), 0);
    }
    block_builder_finish(b, &block);
    for (uint32_t messages = 1; messages < 700; messages += 7) {
        if (messages == 300)
            continue;
        struct block wrong = block;
        struct block_reader r;
        struct err err;
        wrong.messages = messages;
        support_reader(&r, &wrong, &reading);
        cr_assert_eq(block_verify(&r, &wrong, &err), -EBADMSG, "%u messages", messages);
        arena_clear(&reading);
    }
    block_free(&block);
    block_builder_free(&b);
    arena_done(&a);
    arena_done(&reading);
}
