/* The check of a whole block notices whatever is wrong with it. */
#include <criterion/criterion.h>

#include "unit/block/block_support.h"

struct fixture {
    struct arena a;
    struct block block;
};

static void make(struct fixture *f)
{
    uint64_t seed = 99;
    struct block_builder *b = block_builder_new();
    *f = (struct fixture){.a = ARENA_INIT};
    block_builder_clear(b, 50);
    for (unsigned i = 0; i < 200; i++) {
        struct record r = random_record(&seed, &f->a, 1773144000000000 + i);
        r.severity %= 4;
        r.facility %= 20;
        r.listener %= 2;
        cr_assert_eq(block_builder_add(b, &r), 0);
    }
    block_builder_finish(b, &f->block);
    block_builder_free(&b);
}

static int verify(struct fixture *f, const struct block *meta, struct err *err)
{
    struct block_reader r;
    support_reader(&r, &f->block, &f->a);
    return block_verify(&r, meta, err);
}

Test(verify, each_wrong_metadatum_is_named)
{
    struct fixture f;
    struct err err;
    make(&f);
    cr_assert_eq(verify(&f, &f.block, &err), 0, "%s", err.message);
    for (unsigned i = 0; i < 10; i++) {
        static const char *const names[] = {"messages",  "first_at",   "last_at",    "first_seq",
                                            "raw_bytes", "severities", "facilities", "listeners",
                                            "senders",   "senders"};
        struct block wrong = f.block;
        switch (i) {
        case 0:
            wrong.messages++;
            break;
        case 1:
            wrong.first_at_us--;
            break;
        case 2:
            wrong.last_at_us++;
            break;
        case 3:
            wrong.first_seq++;
            break;
        case 4:
            wrong.raw_bytes--;
            break;
        case 5:
            wrong.severities ^= 1;
            break;
        case 6:
            wrong.facilities ^= 1u << 23;
            break;
        case 7:
            wrong.listeners ^= 4;
            break;
        case 8:
            wrong.senders.n -= 17;
            break;
        default:
            wrong.senders.n -= 1;
            break;
        }
        cr_assert_eq(verify(&f, &wrong, &err), -EBADMSG, "%s", names[i]);
        cr_assert(strstr(err.message, names[i]) != NULL, "%s: %s", names[i], err.message);
    }
    block_free(&f.block);
    arena_done(&f.a);
}

Test(verify, an_index_that_lacks_a_word_is_noticed)
{
    struct fixture f;
    struct err err;
    make(&f);
    memset(f.block.tokens.p, 0, 64);
    cr_assert_eq(verify(&f, &f.block, &err), -EBADMSG);
    cr_assert(strstr(err.message, "token index") != NULL, "%s", err.message);
    block_free(&f.block);
    arena_done(&f.a);
}

Test(verify, every_damaged_byte_of_every_column_is_noticed)
{
    struct fixture f;
    struct err err;
    make(&f);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++) {
        struct buf *column = &f.block.columns[c];
        for (size_t i = 0; i < column->n; i += 1 + column->n / 40) {
            column->p[i] ^= 0x10;
            cr_assert_eq(verify(&f, &f.block, &err), -EBADMSG, "%s, byte %zu", block_column_name(c),
                         i);
            cr_assert_str_eq(err.field, block_column_name(c));
            column->p[i] ^= 0x10;
        }
    }
    block_free(&f.block);
    arena_done(&f.a);
}
