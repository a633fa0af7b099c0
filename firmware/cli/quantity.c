/* Numbers as people write them. */
#include "cli/quantity.h"

#include "base/record.h"

#define DIGITS_MAX 32

/* The number text begins with; *ret_rest: what is behind it, blanks aside. */
static bool read_number(struct view text, double *ret, struct view *ret_rest)
{
    char digits[DIGITS_MAX];
    size_t n = 0, points = 0;
    while (n < text.n && n < sizeof(digits) - 1 &&
           ((text.p[n] >= '0' && text.p[n] <= '9') || text.p[n] == '.')) {
        points += text.p[n] == '.';
        digits[n] = text.p[n];
        n++;
    }
    digits[n] = 0;
    if (n == 0 || points > 1 || n == points || n == sizeof(digits) - 1)
        return false;
    *ret = strtod(digits, NULL);
    *ret_rest = view_trim(view_of(text.p + n, text.n - n));
    return true;
}

int quantity_number(struct view text, double *ret, struct err *err)
{
    struct view rest;
    double n;
    if (!read_number(text, &n, &rest) || rest.n > 0)
        return err_set(err, EINVAL, "bad_value", "\"%.*s\" is not a number like 2000 or 0.5",
                       (int)MIN(text.n, (size_t)64), text.p);
    *ret = n;
    return 0;
}

int quantity_bytes(struct view text, double *ret, struct err *err)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {
        {"", 1},         {"B", 1},        {"kB", 1e3},     {"MB", 1e6},
        {"GB", 1e9},     {"TB", 1e12},    {"PB", 1e15},    {"KiB", 0x1p10},
        {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PiB", 0x1p50},
    };
    struct view rest;
    double n;
    if (read_number(text, &n, &rest)) {
        for (size_t i = 0; i < ARRAY_LEN(units); i++) {
            if (view_eq_nocase(rest, view_str(units[i].name))) {
                *ret = n * units[i].bytes;
                return 0;
            }
        }
    }
    return err_set(err, EINVAL, "bad_value",
                   "\"%.*s\" is not a size like 240GB, 1.5 TB or 500GiB (kB to PB are powers of "
                   "ten, KiB to PiB of 1024)",
                   (int)MIN(text.n, (size_t)64), text.p);
}

static struct view without_unit(struct view text, struct view unit)
{
    if (unit.n > 0 && text.n > unit.n &&
        view_eq_nocase(view_of(text.p + text.n - unit.n, unit.n), unit))
        return view_trim(view_of(text.p, text.n - unit.n));
    return text;
}

int quantity_percent(struct view text, double *ret, struct err *err)
{
    return quantity_number(without_unit(text, VIEW("%")), ret, err);
}

const char *quantity_of_setting(const struct setting *s, const char *text,
                                char out[QUANTITY_VALUE_MAX])
{
    struct view v = view_trim(view_str(text)), unit = view_str(s->unit);
    double bytes;
    struct err err;
    snprintf(out, QUANTITY_VALUE_MAX, "%s", text);
    if (s->type != SETTING_INT)
        return out;
    if (view_eq(unit, VIEW("bytes")) && quantity_bytes(v, &bytes, &err) == 0 && bytes < 9e18) {
        snprintf(out, QUANTITY_VALUE_MAX, "%lld", (long long)(bytes + 0.5));
        return out;
    }
    for (unsigned i = 0; view_eq(unit, VIEW("severity")) && i < 8; i++) {
        if (view_eq(v, view_str(severity_name(i)))) {
            snprintf(out, QUANTITY_VALUE_MAX, "%u", i);
            return out;
        }
    }
    v = without_unit(v, unit);
    snprintf(out, QUANTITY_VALUE_MAX, "%.*s", (int)MIN(v.n, (size_t)QUANTITY_VALUE_MAX - 1), v.p);
    return out;
}
