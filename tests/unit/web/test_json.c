#include <criterion/criterion.h>

#include <cjson/cJSON.h>
#include <math.h>

#include "web/json.h"

Test(json, commas_stand_between_and_nowhere_else)
{
    struct buf b = BUF_INIT(1000);
    struct json j = JSON_INIT(&b);
    json_begin(&j, '{');
    json_key(&j, "a");
    json_begin(&j, '[');
    json_end(&j, ']');
    json_key(&j, "b");
    json_begin(&j, '[');
    json_int(&j, -1);
    json_bool(&j, true);
    json_str(&j, NULL);
    json_begin(&j, '{');
    json_end(&j, '}');
    json_end(&j, ']');
    json_key(&j, "c");
    json_time(&j, 0);
    json_key(&j, "d");
    json_time(&j, TIME_NONE);
    json_end(&j, '}');
    cr_expect_str_eq(buf_str(&b), "{\"a\":[],\"b\":[-1,true,null,{}],\"c\":\"1970-01-01T00:00:00."
                                  "000000Z\",\"d\":null}");
    buf_free(&b);
}

Test(json, any_text_comes_back_as_it_was)
{
    static const char *const texts[] = {"",
                                        "plain",
                                        "\"",
                                        "\\",
                                        "a\\\"b",
                                        "\n\r\t\b\f\x01\x1f\x7f",
                                        "</script><script>",
                                        "応答なし",
                                        "\xf0\x9f\x94\xa5",
                                        "\\u0041",
                                        "/"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct buf b = BUF_INIT(1000);
        struct json j = JSON_INIT(&b);
        json_str(&j, texts[i]);
        cJSON *back = cJSON_Parse(buf_str(&b));
        cr_assert(cJSON_IsString(back), "%s", buf_str(&b));
        cr_expect_str_eq(back->valuestring, texts[i]);
        for (size_t k = 0; k < b.n; k++)
            cr_expect((unsigned char)b.p[k] >= ' ', "no control character is written: %s",
                      buf_str(&b));
        cJSON_Delete(back);
        buf_free(&b);
    }
}

Test(json, a_full_buffer_is_seen_at_the_end)
{
    struct buf b = BUF_INIT(10);
    struct json j = JSON_INIT(&b);
    json_begin(&j, '[');
    json_str(&j, "longer than ten bytes");
    json_end(&j, ']');
    cr_expect(b.is_full);
    buf_free(&b);
}

Test(json, a_real_number_is_written_with_nine_digits_and_what_is_none_is_null)
{
    static const struct {
        double n;
        const char *text;
    } cases[] = {{0, "0"},           {0.1, "0.1"},
                 {-1.5, "-1.5"},     {12345678.9, "12345678.9"},
                 {1e30, "1e+30"},    {1.0 / 3, "0.333333333"},
                 {NAN, "null"},      {INFINITY, "null"},
                 {-INFINITY, "null"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(100);
        struct json j = JSON_INIT(&b);
        json_real(&j, cases[i].n);
        cr_expect_str_eq(buf_str(&b), cases[i].text);
        buf_free(&b);
    }
}
