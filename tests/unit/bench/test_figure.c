#include <criterion/criterion.h>

#include <math.h>

#include "bench/figure.h"

static void check(const char *name, struct figure f, const char *expected)
{
    cr_assert_str_eq(f.s, expected, "%s: \"%s\" instead of \"%s\"", name, f.s, expected);
}

Test(figure, a_reception_with_a_loss_is_never_100_percent_and_a_loss_never_0)
{
    static const struct {
        double sent, lost;
        const char *reception, *loss;
    } cases[] = {
        {72e6, 0, "100 %", "0 %"},
        {72e6, 216, "99.9997 % (−216)", "0.0003 %"},
        {72e6, 1, "99.999999 % (−1)", "0.000001 %"},
        {1e12, 1, "99.9999999999 % (−1)", "0.0000000001 %"},
        {3120000, 12480, "99.60 % (−12,480)", "0.4 %"},
        {1200000, 2640, "99.78 % (−2,640)", "0.2 %"},
        {1000, 500, "50.00 % (−500)", "50 %"},
        {1000, 1000, "0.00 % (−1,000)", "100 %"},
        /* found none: more lost than sent is no reception below 0 */
        {1000, 1500, "0.00 % (−1,500)", "150 %"},
        {1000000, 999999, "0.0001 % (−999,999)", "99.9999 %"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        check("reception", figure_reception(cases[i].sent, cases[i].lost), cases[i].reception);
        check("loss", figure_loss(cases[i].lost / cases[i].sent * 100), cases[i].loss);
    }
}

Test(figure, a_loss_of_one_is_seen_whatever_was_sent)
{
    for (double sent = 1; sent < 1e13; sent *= 7) {
        struct figure f = figure_reception(sent, 1), loss = figure_loss(100 / sent);
        cr_assert_neq(strncmp(f.s, "100 ", 4), 0, "%.0f: %s", sent, f.s);
        cr_assert_str_neq(f.s, "100.00 % (−1)");
        cr_assert_str_not_empty(strpbrk(loss.s, "123456789"), "%.0f: %s", sent, loss.s);
    }
}

Test(figure, numbers_have_separators_and_units)
{
    check("count", figure_count(1200000), "1,200,000");
    check("count", figure_count(999), "999");
    check("count", figure_count(1000), "1,000");
    check("count", figure_count(-12480), "−12,480");
    check("count", figure_count(-0.2), "0");
    check("rate", figure_rate(2.5), "2.5");
    check("rate", figure_rate(38000), "38,000");
    check("decimals", figure_decimals(1234.56, 1), "1,234.6");
    check("short", figure_short(20000), "20 k");
    check("short", figure_short(1500000), "1.5 M");
    check("short", figure_short(999.7), "1 k");
    check("short", figure_short(0), "0");
    check("percent", figure_percent(9.97), "10 %");
    check("percent", figure_percent(3.14), "3.1 %");
    check("percent", figure_percent(1200), "1,200 %");
    check("bytes", figure_bytes(512), "512 B");
    check("bytes", figure_bytes(999600), "1.00 MB");
    check("bytes", figure_bytes(12.34e9), "12.3 GB");
    check("ratio", figure_ratio(1.234), "×1.23");
}

Test(figure, durations_are_said_as_people_do)
{
    static const struct {
        double s;
        const char *text;
    } cases[] = {{0, "0 s"},    {1.14, "1.1 s"}, {60, "60 s"},    {90, "90 s"},      {120, "2 min"},
                 {3600, "1 h"}, {5400, "1.5 h"}, {86400, "24 h"}, {172800, "2 days"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check("duration", figure_duration(cases[i].s), cases[i].text);
    check("ms", figure_ms(1234), "1.23 ms");
    check("ms", figure_ms(850000), "850 ms");
    check("ms", figure_ms(3100000), "3.10 s");
    check("ms", figure_ms(999600), "1.00 s");
}

Test(figure, what_is_not_known_is_a_dash)
{
    check("count", figure_count(NAN), "–");
    check("count", figure_count(INFINITY), "–");
    check("count", figure_count(1e300), "–");
    check("reception", figure_reception(NAN, 1), "–");
    check("reception", figure_reception(0, 0), "–");
    check("reception", figure_reception(10, NAN), "–");
    check("loss", figure_loss(NAN), "–");
    check("bytes", figure_bytes(NAN), "–");
    check("ms", figure_ms(NAN), "–");
    check("short", figure_short(NAN), "–");
    check("ratio", figure_ratio(NAN), "–");
    check("duration", figure_duration(NAN), "–");
    check("percent", figure_percent(NAN), "–");
}
