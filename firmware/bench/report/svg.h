/* Graphs as inline SVG.  Pure; the page's style gives colours and strokes by class.  Lines are
 * stretched to the width there is, text is not, so that a graph is readable on a phone. */
#ifndef AZEKURA_BENCH_SVG_H
#define AZEKURA_BENCH_SVG_H

#include "base/buf.h"
#include "bench/report/answer.h"

#define SVG_SERIES_MAX 6

typedef struct figure (*svg_figure_fn)(double);

struct svg_series {
    struct words name;
    const char *line; /* class of its stroke: "syslog", "database", … */
    const double *y;  /* NAN: a gap */
    double mean, max; /* of all that was measured, not only of what is drawn */
};

struct svg_mark {
    double at;      /* 0…1 */
    char label[24]; /* "" none */
};

struct svg_chart {
    struct words title;
    svg_figure_fn figure; /* for its values */
    const double *x;      /* 0…1, ascending */
    size_t n;             /* of x and of each y */
    struct svg_series series[SVG_SERIES_MAX];
    size_t series_n;
    const struct svg_mark *marks; /* where something begins: a line and a label */
    size_t marks_n;
    struct words x_from, x_to; /* under both ends */
    double limit;              /* a line across, drawn where it is within reach; NAN none */
    struct words limit_name;
    bool has_points;  /* a dot at each value */
    double least_max; /* the axis reaches so far at least */
};

void svg_chart(const struct svg_chart *c, struct buf *out);
/* A bar of a share, 0…1, with the class of its colour. */
void svg_bar(double share, const char *class_name, struct buf *out);
/* The smallest of 1, 2, 2.5, 5 × 10^n that is not below `max`; 1 for what is not above 0. */
double svg_nice_max(double max);

#endif
