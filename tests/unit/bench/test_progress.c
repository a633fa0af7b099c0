#include <criterion/criterion.h>

#include "bench/run/progress.h"

/* Columns of text whose letters have one each. */
static int columns(const char *text)
{
    int n = 0;
    for (const char *c = text; *c; c++)
        n += ((unsigned char)*c & 0xC0) != 0x80;
    return n;
}

Test(progress, a_line_never_is_wider_than_the_terminal_and_always_tells_the_time_left)
{
    static const struct {
        const char *step, *what, *line;
        int width;
    } cases[] = {
        {"2,000 msg/s by UDP, azekura", "", "[1/2] 2,000 msg/s by UDP, azekura | 14 s left", 79},
        {"2,000 msg/s by UDP, azekura", ": waiting until everything is stored",
         "[1/2] 2,000 msg/s by UDP, azekura: waiting until everything is sto… | 14 s left", 79},
        {"abc", "", "[1/2] abc | 14 s left", 21},
        {"abcd", "", "[1/2] ab… | 14 s left", 21},
        {"a…cd", "e", "[1/2] a…… | 14 s left", 21},
        {"abc", "", "… | 14 s left", 8},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct progress p = {.step_number = 1, .steps = 2, .total_s = 14};
        char line[640];
        snprintf(p.step_en, sizeof(p.step_en), "%s", cases[i].step);
        progress_line(&p, cases[i].what, cases[i].width, line, sizeof(line));
        cr_expect_str_eq(line, cases[i].line, "%zu: \"%s\"", i, line);
        cr_expect(columns(line) <= MAX(cases[i].width, 13), "%zu: %d columns", i, columns(line));
    }
}
