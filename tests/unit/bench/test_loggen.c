#include <criterion/criterion.h>

#include "bench/load/loggen.h"

Test(loggen, the_last_line_is_to_the_letter)
{
    static const struct {
        enum loggen_form form;
        double seconds;
        int64_t messages, bytes;
        const char *text;
    } cases[] = {
        {LOGGEN_SYSLOG_NG, 0.500145, 2, 512,
         "average rate = 4.00 msg/sec, count=2, time=0.500145, (average) msg size=256, "
         "bandwidth=1.00 kB/sec"},
        {LOGGEN_SYSLOG_NG, 10, 3243650, 3243650 * 256,
         "average rate = 324365.00 msg/sec, count=3243650, time=10, (average) msg size=256, "
         "bandwidth=81091.25 kB/sec"},
        {LOGGEN_SYSLOG_NG, 0.5, 0, 0, "Total runtime = 0.5, count = 0"},
        {LOGGEN_AXO, 10, 10000, 2560000,
         "avg_rate=1000.00 msg/s, stdev_rate=1.50%, count=10000, time=10, avg_msg_size=256, "
         "bandwidth=250.00 KiB/s"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char line[LOGGEN_LINE_MAX];
        loggen_summary(cases[i].form, cases[i].seconds, cases[i].messages, cases[i].bytes, 1.5,
                       line);
        cr_assert_str_eq(line, cases[i].text);
    }
}

Test(loggen, progress_and_rows_are_to_the_letter)
{
    char line[LOGGEN_LINE_MAX];
    loggen_progress(LOGGEN_SYSLOG_NG, 1397, 1000.5, 0, line);
    cr_assert_str_eq(line, "count=1397, rate = 1000.50 msg/sec");
    loggen_progress(LOGGEN_AXO, 1397, 1000.5, 999, line);
    cr_assert_str_eq(line, "count=1397, rate=1000.50 msg/s, avg_rate=999.00 msg/s");
    loggen_csv(7, 500124, 0, 2, line);
    cr_assert_str_eq(line, "7;0.500124;0.00;2");
    loggen_csv(0, 12000007, 99.5, 2, line);
    cr_assert_str_eq(line, "0;12.000007;99.50;2");
}

Test(loggen, its_clock_looks_every_half_second)
{
    cr_assert_float_eq(loggen_clock(0.001), 0.5, 1e-9);
    cr_assert_float_eq(loggen_clock(10), 10, 1e-9);
    cr_assert_float_eq(loggen_clock(10.01), 10.5, 1e-9);
}
