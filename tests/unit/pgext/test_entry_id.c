#include "pgext/entry_id.c"

#include <criterion/criterion.h>

Test(entry_id, what_is_written_is_read_back)
{
    static const struct entry_id ids[] = {
        {0, 0},  {1, 2},        {INT64_C(1773144000123456), 42}, {INT64_MAX, UINT64_MAX},
        {-1, 7}, {INT64_MIN, 1}};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        char text[ENTRY_ID_BYTES];
        struct entry_id back;
        entry_id_format(ids[i], text);
        cr_assert_eq(entry_id_parse(view_of(text, sizeof(text)), &back), 0, "%.33s", text);
        cr_assert_eq(back.at_us, ids[i].at_us);
        cr_assert_eq(back.seq, ids[i].seq);
    }
}

Test(entry_id, the_text_is_sixteen_digits_a_dash_and_sixteen_digits)
{
    char text[ENTRY_ID_BYTES + 1] = {0};
    entry_id_format((struct entry_id){0x1f, 0xabc}, text);
    cr_assert_str_eq(text, "000000000000001f-0000000000000abc");
}

Test(entry_id, the_order_of_texts_is_the_order_of_messages)
{
    static const struct entry_id rising[] = {{5, 9}, {5, 10}, {6, 0}, {600, 1}, {601, UINT64_MAX}};
    for (size_t i = 1; i < ARRAY_LEN(rising); i++) {
        char a[ENTRY_ID_BYTES], b[ENTRY_ID_BYTES];
        entry_id_format(rising[i - 1], a);
        entry_id_format(rising[i], b);
        cr_assert_lt(memcmp(a, b, sizeof(a)), 0);
        cr_assert_lt(entry_id_compare(rising[i - 1], rising[i]), 0);
        cr_assert_gt(entry_id_compare(rising[i], rising[i - 1]), 0);
    }
    cr_assert_eq(entry_id_compare(rising[0], rising[0]), 0);
}

Test(entry_id, anything_else_is_refused)
{
    static const char *const bad[] = {
        "",
        "-",
        "000000000000001f-0000000000000ab",
        "000000000000001f-0000000000000abcd",
        "000000000000001f_0000000000000abc",
        "000000000000001F-0000000000000abc",
        "000000000000001g-0000000000000abc",
        "000000000000001f-0000000000000ab ",
        "+00000000000001f-0000000000000abc",
    };
    struct entry_id id;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_assert_eq(entry_id_parse(view_str(bad[i]), &id), -EINVAL, "%s", bad[i]);
    cr_assert_eq(entry_id_parse(VIEW_NULL, &id), -EINVAL);
}
