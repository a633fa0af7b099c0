#include <criterion/criterion.h>

#include "cli/quantity.h"

Test(quantity, sizes_are_read_with_their_units_and_nothing_ambiguous)
{
    static const struct {
        const char *text;
        double bytes; /* -1: refused */
    } cases[] = {
        {"240GB", 240e9},
        {"240 GB", 240e9},
        {"1.5tb", 1.5e12},
        {"500GiB", 500 * 0x1p30},
        {"2TiB", 0x1p41},
        {"1kB", 1000},
        {"1KiB", 1024},
        {"1PB", 1e15},
        {"12", 12},
        {"12B", 12},
        {"0", 0},
        {".5MB", 5e5},
        {"240G", -1},
        {"1T", -1},
        {"GB", -1},
        {"", -1},
        {"-1GB", -1},
        {"1e9", -1},
        {"1,5TB", -1},
        {"1.2.3GB", -1},
        {".", -1},
        {"0x10", -1},
        {"1GB2", -1},
        {"nan", -1},
        {"99999999999999999999999999999999999999999GB", -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double bytes = -1;
        struct err err;
        int rc = quantity_bytes(view_str(cases[i].text), &bytes, &err);
        cr_expect(bytes == cases[i].bytes, "\"%s\": %f", cases[i].text, bytes);
        cr_expect(rc == (cases[i].bytes < 0 ? -EINVAL : 0), "\"%s\"", cases[i].text);
    }
}

Test(quantity, numbers_have_no_unit)
{
    static const struct {
        const char *text;
        double n;
    } cases[] = {{"2000", 2000}, {"0.5", 0.5}, {"7.", 7}, {" 1", -1}, {"1 ", 1},
                 {"1GB", -1},    {"-1", -1},   {"", -1},  {"inf", -1}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double n = -1;
        struct err err;
        int rc = quantity_number(view_str(cases[i].text), &n, &err);
        cr_expect(n == cases[i].n && rc == (cases[i].n < 0 ? -EINVAL : 0), "\"%s\": %f",
                  cases[i].text, n);
    }
}

Test(quantity, values_of_settings_are_read_as_people_write_them)
{
    static const struct {
        const char *setting, *text, *expected;
    } cases[] = {
        {"storage.capacity_bytes", "240GB", "240000000000"},
        {"storage.capacity_bytes", " 1.5 tb ", "1500000000000"},
        {"storage.capacity_bytes", "0", "0"},
        {"storage.capacity_bytes", "240G", "240G"}, /* for config_set() to refuse */
        {"storage.capacity_bytes", "-1", "-1"},
        {"retention.month_share_percent", "20 %", "20"},
        {"retention.month_share_percent", "20%", "20"},
        {"retention.month_share_percent", "%", "%"},
        {"retention.keep_days", "30 days", "30"},
        {"retention.keep_days", "30days", "30"},
        {"retention.keep_days", "30 hours", "30 hours"},
        {"retention.shed_severity", "debug", "7"},
        {"retention.shed_severity", "4", "4"},
        {"retention.shed_severity", "loud", "loud"},
        {"store.flush_ms", "500 ms", "500"},
        {"box.name", " 20 % ", " 20 % "},
        {"retention.over_budget", "trim", "trim"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char out[QUANTITY_VALUE_MAX];
        const struct setting *s = config_find(view_str(cases[i].setting), NULL);
        cr_expect_str_eq(quantity_of_setting(s, cases[i].text, out), cases[i].expected,
                         "%s \"%s\": \"%s\"", cases[i].setting, cases[i].text, out);
    }
}

Test(quantity, per_cent_may_have_its_sign)
{
    double n = 0;
    struct err err;
    cr_expect_eq(quantity_percent(VIEW("20 %"), &n, &err), 0);
    cr_expect(n == 20);
    cr_expect_eq(quantity_percent(VIEW("0.5"), &n, &err), 0);
    cr_expect(n == 0.5);
    cr_expect_eq(quantity_percent(VIEW("%"), &n, &err), -EINVAL);
    cr_expect_eq(quantity_percent(VIEW("5 %%"), &n, &err), -EINVAL);
}
