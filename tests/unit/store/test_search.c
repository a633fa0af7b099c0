#include <criterion/criterion.h>

#include "store/search.h"

Test(search, the_servers_times_are_read)
{
    static const struct {
        const char *text;
        int64_t us;
    } cases[] = {
        {"1970-01-01 00:00:00+00", 0},
        {"1970-01-01 00:00:00.5+00", 500000},
        {"1970-01-01 00:00:01.000001+00", 1000001},
        {"2026-03-10 12:00:00.123456+00", INT64_C(1773144000123456)},
        {"1969-12-31 23:59:59.999999+00", -1},
        {"infinity", TIME_NONE},
        {"-infinity", TIME_NONE},
        {"", TIME_NONE},
        {"+00", TIME_NONE},
        {"2026-03-10 12:00:00+09", TIME_NONE},
        {"2026-03-10 12:00:00", TIME_NONE},
        {"12026-03-10 12:00:00+00", TIME_NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(store_time_parse(cases[i].text) == cases[i].us, "\"%s\": %lld", cases[i].text,
                  (long long)store_time_parse(cases[i].text));
}

Test(search, no_time_is_no_parameter)
{
    char text[RFC3339_MAX];
    cr_expect(store_time_param(TIME_NONE, text) == NULL);
    cr_expect_str_eq(store_time_param(1, text), "1970-01-01T00:00:00.000001Z");
}

Test(search, an_id_is_two_times_sixteen_hexadecimal_digits)
{
    static const struct {
        const char *text;
        bool is_valid;
    } cases[] = {
        {"00064ca9c4d34640-00000000000012d3", true},
        {"ffffffffffffffff-ffffffffffffffff", true},
        {"00064CA9C4D34640-00000000000012d3", false},
        {"00064ca9c4d34640_00000000000012d3", false},
        {"00064ca9c4d34640-00000000000012d", false},
        {"00064ca9c4d34640-00000000000012d30", false},
        {"", false},
        {"1 OR 1=1", false},
        {"0x064ca9c4d34640-00000000000012d3", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect(search_id_is_valid(view_str(cases[i].text)) == cases[i].is_valid, "%s",
                  cases[i].text);
    cr_expect(search_id_time_us(VIEW("000000000000000a-0000000000000000")) == 10);
}
