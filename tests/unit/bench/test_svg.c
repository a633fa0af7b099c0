#include <criterion/criterion.h>

#include <math.h>

#include "bench/figure.h"
#include "bench/report/svg.h"

Test(svg, an_axis_ends_at_a_round_number_that_is_not_below)
{
    static const struct {
        double max, expected;
    } cases[] = {{0, 1},     {-3, 1},      {NAN, 1},        {INFINITY, 1}, {1, 1},
                 {1.01, 2},  {2.1, 2.5},   {2.6, 5},        {5.1, 10},     {99, 100},
                 {100, 100}, {52000, 1e5}, {0.0004, 0.0005}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_assert_float_eq(svg_nice_max(cases[i].max), cases[i].expected, cases[i].expected * 1e-9,
                           "%g: %g", cases[i].max, svg_nice_max(cases[i].max));
}

static struct svg_chart chart(const double *x, const double *y, size_t n)
{
    return (struct svg_chart){
        .title = {"Loss & <gain>", "損失"},
        .figure = figure_short,
        .x = x,
        .n = n,
        .series = {{{"a", "あ"}, "main", y, 2, 4}},
        .series_n = 1,
        .x_from = {"0", "0"},
        .x_to = {"end", "終わり"},
        .limit = NAN,
    };
}

Test(svg, a_line_is_drawn_to_scale_and_broken_where_nothing_is_known)
{
    static const double x[] = {0, 0.25, 0.5, 0.75, 1}, y[] = {0, 5, NAN, 10, NAN};
    struct svg_chart c = chart(x, y, 5);
    struct buf out = BUF_INIT(65536);
    svg_chart(&c, &out);
    /* a lone value has some length, so that it is seen */
    cr_assert_not_null(strstr(buf_str(&out), "d=\"M0.0 1000.0L250.0 500.0M750.0 0.0h2\""), "%s",
                       buf_str(&out));
    cr_assert_not_null(strstr(buf_str(&out), "Loss &amp; &lt;gain&gt;"));
    cr_assert_null(strstr(buf_str(&out), "nan"));
    buf_free(&out);
}

Test(svg, a_limit_is_drawn_only_within_reach)
{
    static const double x[] = {0, 1}, y[] = {40, 90};
    struct svg_chart c = chart(x, y, 2);
    struct buf out = BUF_INIT(65536);
    c.limit = 1200;
    c.limit_name = (struct words){"all cores", "全コア"};
    svg_chart(&c, &out);
    cr_assert_null(strstr(buf_str(&out), "all cores"));
    buf_clear(&out);
    c.limit = 100;
    svg_chart(&c, &out);
    cr_assert_not_null(strstr(buf_str(&out), "all cores"));
    buf_free(&out);
}

Test(svg, a_small_share_is_still_seen_and_none_is_not)
{
    struct buf out = BUF_INIT(4096);
    svg_bar(1e-9, "gone", &out);
    cr_assert_not_null(strstr(buf_str(&out), "class=\"gone\" width=\"0.600%\""), "%s",
                       buf_str(&out));
    buf_clear(&out);
    svg_bar(0, "gone", &out);
    cr_assert_null(strstr(buf_str(&out), "gone"));
    buf_clear(&out);
    svg_bar(7, "left", &out);
    cr_assert_not_null(strstr(buf_str(&out), "width=\"100.000%\""));
    buf_free(&out);
}
