/* Header, checksum and compression of a column. */
#include <criterion/criterion.h>

#include "block/column.h"
#include "unit/block/block_support.h"

static struct buf seal(enum block_column column, struct view text)
{
    struct buf sealed;
    struct content c;
    ZSTD_CCtx *zstd = column_zstd_new();
    content_init(&c);
    content_u8(&c, 1);
    content_text(&c, text);
    column_seal(zstd, column, &c, &sealed);
    content_done(&c);
    ZSTD_freeCCtx(zstd);
    return sealed;
}

Test(column, content_comes_back_stored_and_compressed)
{
    static const size_t sizes[] = {1, 10, 100, 5000, 300000};
    struct arena a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        for (unsigned is_random = 0; is_random < 2; is_random++) {
            uint64_t seed = 5;
            char *text = arena_alloc(&a, sizes[i]);
            for (size_t k = 0; k < sizes[i]; k++)
                text[k] = is_random ? (char)chance(&seed) : "log line "[k % 9];
            struct buf sealed = seal(COLUMN_MESSAGE, view_of(text, sizes[i]));
            struct view content;
            struct err err;
            cr_assert_leq(sealed.n, COLUMN_HEADER_BYTES + 1 + sizes[i], "never larger than stored");
            cr_assert(is_random || sizes[i] < 1000 || sealed.n < sizes[i] / 10, "%zu bytes",
                      sealed.n);
            cr_assert_eq(column_open(buf_view(&sealed), COLUMN_MESSAGE, 1u << 20,
                                     (struct block_memory){support_alloc, &a}, &content, &err),
                         0, "%s", err.message);
            cr_assert(content.n == sizes[i] + 1 && memcmp(content.p + 1, text, sizes[i]) == 0);
            buf_free(&sealed);
        }
    }
    arena_done(&a);
}

/* What one connection sent is sent by others, too: a text of 256 KiB before is found again. */
Test(column, what_was_said_256_kib_before_is_found_again)
{
    static const char *const words[] = {"connection",  " from ", " port ",
                                        " closed by ", " user ", "="};
    struct arena a = ARENA_INIT;
    uint64_t seed = 9;
    size_t once = 256u << 10, n = 0;
    char *text = arena_alloc(&a, 5 * once);
    while (n < once) {
        char piece[64];
        int bytes = snprintf(piece, sizeof(piece), "%s%u", words[chance(&seed) % ARRAY_LEN(words)],
                             (unsigned)chance(&seed) * 7919u % 100000u);
        size_t k = MIN((size_t)bytes, once - n);
        memcpy(text + n, piece, k);
        n += k;
    }
    for (unsigned i = 1; i < 5; i++)
        memcpy(text + i * once, text, once);
    struct buf one = seal(COLUMN_MESSAGE, view_of(text, once));
    struct buf five = seal(COLUMN_MESSAGE, view_of(text, 5 * once));
    cr_assert_lt(five.n, 2 * one.n, "%zu bytes once, %zu five times", one.n, five.n);
    buf_free(&one);
    buf_free(&five);
    arena_done(&a);
}

Test(column, every_flipped_bit_and_every_cut_is_noticed)
{
    struct arena a = ARENA_INIT;
    struct block_memory memory = {support_alloc, &a};
    char text[400];
    memset(text, 'x', sizeof(text));
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        struct buf sealed = seal(COLUMN_MESSAGE, view_of(text, is_long ? sizeof(text) : 3));
        struct view content;
        struct err err;
        for (size_t bit = 0; bit < sealed.n * 8; bit++) {
            sealed.p[bit / 8] = (char)(sealed.p[bit / 8] ^ 1 << bit % 8);
            cr_assert_eq(
                column_open(buf_view(&sealed), COLUMN_MESSAGE, 1000, memory, &content, &err),
                -EBADMSG, "bit %zu", bit);
            cr_assert_str_eq(err.code, "damaged_block");
            cr_assert_str_eq(err.field, "message");
            sealed.p[bit / 8] = (char)(sealed.p[bit / 8] ^ 1 << bit % 8);
        }
        for (size_t n = 0; n < sealed.n; n++)
            cr_assert_eq(
                column_open(view_of(sealed.p, n), COLUMN_MESSAGE, 1000, memory, &content, &err),
                -EBADMSG, "%zu bytes", n);
        buf_free(&sealed);
    }
    arena_done(&a);
}

Test(column, a_column_in_the_place_of_another_is_noticed)
{
    struct arena a = ARENA_INIT;
    struct view content;
    struct err err;
    struct buf sealed = seal(COLUMN_HOSTNAME, VIEW("fw01"));
    cr_assert_eq(column_open(buf_view(&sealed), COLUMN_APP_NAME, 1000,
                             (struct block_memory){support_alloc, &a}, &content, &err),
                 -EBADMSG);
    cr_assert(strstr(err.message, "app_name") != NULL, "%s", err.message);
    buf_free(&sealed);
    arena_done(&a);
}

static void *no_memory(void *context, size_t n)
{
    (void)context;
    cr_assert_fail("%zu bytes were allocated", n);
    return NULL;
}

Test(column, what_unpacks_to_more_than_the_limit_is_refused_before_memory_is_taken)
{
    char *zeros = xcalloc(1, 1u << 20);
    struct buf sealed = seal(COLUMN_MESSAGE, view_of(zeros, 1u << 20));
    struct view content;
    struct err err;
    cr_assert_lt(sealed.n, 1000);
    cr_assert_eq(column_open(buf_view(&sealed), COLUMN_MESSAGE, 1u << 19,
                             (struct block_memory){no_memory, NULL}, &content, &err),
                 -EBADMSG);
    cr_assert(strstr(err.message, "1048577 bytes is out of 1..524288") != NULL, "%s", err.message);
    buf_free(&sealed);
    free(zeros);
}

Test(column, names_are_those_of_the_table)
{
    cr_assert_str_eq(block_column_name(COLUMN_TIMES), "times");
    cr_assert_str_eq(block_column_name(COLUMN_LISTENERS), "listener");
    cr_assert_str_eq(block_column_name(COLUMN_STRUCTURED_DATA), "structured_data");
    cr_assert_str_eq(block_column_name(COLUMN_SEQ), "seq");
}
