#include "bench/report/svg.h"

#include <math.h>

#include "bench/figure.h"
#include "bench/report/html.h"

#define HEIGHT 168 /* pixels, with the marks' labels above and the axis below */
#define TOP 18
#define PLOT 130
#define UNITS 1000.0 /* of the plot's own coordinates */

double svg_nice_max(double max)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    if (!(max > 0) || isinf(max))
        return 1;
    double base = pow(10, floor(log10(max)));
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        if (max <= steps[i] * base * (1 + 1e-9))
            return steps[i] * base;
    return 10 * base;
}

static double greatest(const struct svg_chart *c)
{
    double max = c->least_max;
    for (size_t s = 0; s < c->series_n; s++)
        for (size_t i = 0; i < c->n; i++)
            if (c->series[s].y[i] > max)
                max = c->series[s].y[i];
    return max;
}

static void add_line(const struct svg_chart *c, const struct svg_series *s, double top,
                     struct buf *out)
{
    bool is_open = false;
    buf_printf(out, "<path class=\"line %s\" d=\"", s->line);
    for (size_t i = 0; i < c->n; i++) {
        if (isnan(s->y[i])) {
            is_open = false;
            continue;
        }
        double y = UNITS - MIN(s->y[i] / top, 1) * UNITS;
        buf_printf(out, "%c%.1f %.1f", is_open ? 'L' : 'M', c->x[i] * UNITS, y);
        /* a value between two gaps is a dot, which needs some length to be drawn */
        if (!is_open && (i + 1 == c->n || isnan(s->y[i + 1])))
            buf_add_str(out, "h2");
        is_open = true;
    }
    buf_add_str(out, "\"/>");
}

static void add_points(const struct svg_chart *c, const struct svg_series *s, double top,
                       struct buf *out)
{
    for (size_t i = 0; i < c->n; i++)
        if (!isnan(s->y[i]))
            buf_printf(out, "<circle class=\"point %s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"3.5\"/>",
                       s->line, c->x[i] * 100, TOP + PLOT - MIN(s->y[i] / top, 1) * PLOT);
}

/* Zero, half and the top: no more than three lines, labelled inside the plot. */
static void add_grid(const struct svg_chart *c, double top, struct buf *out)
{
    for (int i = 0; i <= 2; i++) {
        double y = TOP + PLOT - i * PLOT / 2.0;
        buf_printf(out, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y,
                   y);
        if (i > 0)
            buf_printf(out, "<text class=\"tick\" x=\"2\" y=\"%.1f\">%s</text>", y + 12,
                       c->figure(top * i / 2).s);
    }
    if (c->limit > 0 && c->limit <= top) {
        double y = TOP + PLOT - c->limit / top * PLOT;
        buf_printf(out, "<line class=\"limit\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y,
                   y);
    }
}

static void add_marks(const struct svg_chart *c, struct buf *out)
{
    for (size_t i = 0; i < c->marks_n; i++) {
        double x = c->marks[i].at * 100;
        buf_printf(out, "<line class=\"mark\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>", x,
                   x, TOP, TOP + PLOT);
        if (!c->marks[i].label[0])
            continue;
        buf_printf(out, "<text class=\"tick\" x=\"%.2f%%\" y=\"12\">", x);
        html_text(out, c->marks[i].label);
        buf_add_str(out, "</text>");
    }
}

static void add_ends(const struct svg_chart *c, struct buf *out)
{
    struct words ends[2] = {c->x_from, c->x_to};
    for (int i = 0; i < 2; i++)
        for (int ja = 0; ja < 2 && ends[i].en; ja++) {
            buf_printf(out, "<text class=\"tick %s\" x=\"%s\" y=\"%d\" text-anchor=\"%s\"%s>",
                       ja ? "ja" : "en", i ? "100%" : "0", HEIGHT - 6, i ? "end" : "start",
                       ja ? " lang=\"ja\"" : "");
            html_text(out, ja ? ends[i].ja : ends[i].en);
            buf_add_str(out, "</text>");
        }
}

static void add_caption(const struct svg_chart *c, double top, struct buf *out)
{
    buf_add_str(out, "<figcaption><strong>");
    html_words(out, c->title);
    buf_add_str(out, "</strong><ul class=\"legend\">");
    for (size_t i = 0; i < c->series_n; i++) {
        const struct svg_series *s = &c->series[i];
        buf_printf(out,
                   "<li><svg class=\"key\" width=\"22\" height=\"8\" aria-hidden=\"true\"><path "
                   "class=\"line %s\" d=\"M0 4H22\"/></svg> ",
                   s->line);
        html_words(out, s->name);
        if (!isnan(s->max)) {
            buf_add_str(out, " <span class=\"dim\">");
            html_words(out, (struct words){"max", "最大"});
            buf_printf(out, " %s", c->figure(s->max).s);
            if (!isnan(s->mean)) {
                buf_add_str(out, " · ");
                html_words(out, (struct words){"mean", "平均"});
                buf_printf(out, " %s", c->figure(s->mean).s);
            }
            buf_add_str(out, "</span>");
        }
        buf_add_str(out, "</li>");
    }
    if (c->limit > 0 && c->limit <= top) {
        buf_add_str(out,
                    "<li><svg class=\"key\" width=\"22\" height=\"8\" aria-hidden=\"true\"><path "
                    "class=\"limit\" d=\"M0 4H22\"/></svg> ");
        html_words(out, c->limit_name);
        buf_printf(out, " <span class=\"dim\">%s</span></li>", c->figure(c->limit).s);
    }
    buf_add_str(out, "</ul></figcaption>");
}

void svg_chart(const struct svg_chart *c, struct buf *out)
{
    double top = svg_nice_max(greatest(c));
    buf_add_str(out, "<figure class=\"chart\">");
    add_caption(c, top, out);
    buf_printf(out, "<svg class=\"plot\" width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"",
               HEIGHT);
    html_text(out, c->title.en);
    buf_add_str(out, "\">");
    add_grid(c, top, out);
    add_marks(c, out);
    buf_printf(out,
               "<svg x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %.0f %.0f\" "
               "preserveAspectRatio=\"none\" overflow=\"visible\">",
               TOP, PLOT, UNITS, UNITS);
    for (size_t i = 0; i < c->series_n; i++)
        add_line(c, &c->series[i], top, out);
    buf_add_str(out, "</svg>");
    for (size_t i = 0; i < c->series_n && c->has_points; i++)
        add_points(c, &c->series[i], top, out);
    add_ends(c, out);
    buf_add_str(out, "</svg></figure>");
}

void svg_bar(double share, const char *class_name, struct buf *out)
{
    share = share > 0 ? MIN(share, 1) : 0;
    buf_printf(out, "<svg class=\"bar\" width=\"100%%\" height=\"10\" aria-hidden=\"true\"><rect "
                    "class=\"rail\" width=\"100%%\" height=\"10\"/>");
    if (share > 0)
        buf_printf(out, "<rect class=\"%s\" width=\"%.3f%%\" height=\"10\"/>", class_name,
                   MAX(share * 100, 0.6));
    buf_add_str(out, "</svg>");
}
