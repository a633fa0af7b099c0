#include "bench/figure.h"

#include <math.h>

static const struct figure unknown = {"–"};

/* The digits with a separator every three, in front of what follows the last of them. */
static struct figure separated(const char *digits)
{
    struct figure f;
    size_t n = 0, whole = strcspn(digits, "."), start = *digits == '-';
    for (size_t i = 0; digits[i] && n + 4 < sizeof(f.s); i++) {
        if (i == 0 && start) {
            memcpy(f.s, "−", 3);
            n = 3;
            continue;
        }
        if (i > start && i < whole && (whole - i) % 3 == 0)
            f.s[n++] = ',';
        f.s[n++] = digits[i];
    }
    f.s[n] = '\0';
    return f;
}

struct figure figure_decimals(double n, int decimals)
{
    char digits[32];
    if (!(fabs(n) < 1e18))
        return unknown;
    snprintf(digits, sizeof(digits), "%.*f", decimals, n);
    return separated(strspn(digits, "-0.") == strlen(digits) && *digits == '-' ? digits + 1
                                                                               : digits);
}

struct figure figure_count(double n)
{
    return figure_decimals(n, 0);
}

struct figure figure_rate(double messages_s)
{
    bool is_small = fabs(messages_s) < 10 && messages_s != floor(messages_s);
    return figure_decimals(messages_s, is_small ? 1 : 0);
}

/* Three digits that count: 1.23, 12.3, 123. */
static int three_digits(double n)
{
    return fabs(n) < 9.995 ? 2 : fabs(n) < 99.95 ? 1 : 0;
}

static struct figure scaled(double n, double step, const char *const *units, size_t units_n)
{
    struct figure f, out;
    size_t i = 0;
    if (!(fabs(n) < 1e20))
        return unknown;
    while (i + 1 < units_n && fabs(n) >= step * 0.9995) {
        n /= step;
        i++;
    }
    f = figure_decimals(n, i == 0 && n == floor(n) ? 0 : three_digits(n));
    snprintf(out.s, sizeof(out.s), "%.30s%s", f.s, units[i]);
    return out;
}

struct figure figure_short(double n)
{
    static const char *const units[] = {"", " k", " M", " G"};
    struct figure f;
    double v = n;
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(units) && fabs(v) >= 999.5) {
        v /= 1000;
        i++;
    }
    if (isnan(n))
        return unknown;
    snprintf(f.s, sizeof(f.s), "%.3g%s", v, units[i]);
    return f;
}

struct figure figure_bytes(double bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    return scaled(bytes, 1000, units, ARRAY_LEN(units));
}

/* Decimals that show the first digit of x that is not zero, and a second where it is a 1. */
static int decimals_of(double x, int least)
{
    int d = (int)-floor(log10(x));
    return MIN(15, MAX(least, d));
}

struct figure figure_loss(double percent)
{
    struct figure f, out;
    if (!(percent < 1e18))
        return unknown;
    if (percent <= 0)
        return (struct figure){"0 %"};
    int decimals = percent >= 10 ? 0 : decimals_of(percent, 1);
    /* the little that arrived is not rounded away either */
    while (percent < 100 && decimals < 12 && percent >= 100 - 0.5 * pow(10, -decimals))
        decimals++;
    f = figure_decimals(percent, decimals);
    snprintf(out.s, sizeof(out.s), "%.30s %%", f.s);
    return out;
}

struct figure figure_reception(double sent, double lost)
{
    struct figure f, out;
    if (isnan(lost) || !(sent > 0))
        return unknown;
    if (lost <= 0)
        return (struct figure){"100 %"};
    double loss = MIN(lost, sent) / sent * 100;
    int decimals = decimals_of(loss, 2);
    /* what is left over must not be rounded away */
    while (decimals < 12 && (loss <= 0.5 * pow(10, -decimals) ||
                             (loss < 100 && 100 - loss < 0.5 * pow(10, -decimals))))
        decimals++;
    f = figure_count(lost);
    snprintf(out.s, sizeof(out.s), "%.*f %% (−%.24s)", decimals, 100 - loss, f.s);
    return out;
}

struct figure figure_percent(double percent)
{
    struct figure f, out;
    if (!(fabs(percent) < 1e18))
        return unknown;
    f = figure_decimals(percent, fabs(percent) < 9.95 ? 1 : 0);
    snprintf(out.s, sizeof(out.s), "%.30s %%", f.s);
    return out;
}

static struct figure duration(double seconds, const char *const units[4])
{
    static const double scales[] = {86400, 3600, 60, 1};
    static const double least[] = {2, 1, 2, 0};
    struct figure f, out;
    size_t i = 0;
    if (isnan(seconds))
        return unknown;
    while (i < 3 && seconds / scales[i] < least[i])
        i++;
    double n = seconds / scales[i];
    f = figure_decimals(n, n == floor(n) || (i == 3 && n >= 100) ? 0 : 1);
    snprintf(out.s, sizeof(out.s), "%.30s %s", f.s, units[i]);
    return out;
}

struct figure figure_duration(double seconds)
{
    static const char *const units[] = {"days", "h", "min", "s"};
    return duration(seconds, units);
}

struct figure figure_duration_ja(double seconds)
{
    static const char *const units[] = {"日", "時間", "分", "秒"};
    return duration(seconds, units);
}

struct figure figure_ms(double us)
{
    struct figure f, out;
    if (isnan(us))
        return unknown;
    bool is_long = us >= 999500;
    double n = us / (is_long ? 1e6 : 1e3);
    f = figure_decimals(n, three_digits(n));
    snprintf(out.s, sizeof(out.s), "%.30s %s", f.s, is_long ? "s" : "ms");
    return out;
}

struct figure figure_ratio(double ratio)
{
    struct figure f, out;
    if (isnan(ratio))
        return unknown;
    f = figure_decimals(ratio, ratio < 99.95 ? 2 : 0);
    snprintf(out.s, sizeof(out.s), "×%.30s", f.s);
    return out;
}
