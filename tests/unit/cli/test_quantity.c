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
