/* Compile and render message templates.  Rendering is on the way of every message of a benchmark,
 * so it formats numbers itself instead of through printf. */
#include "bench/load/template.h"

#include <stdarg.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void random_seed(struct random *r, uint64_t seed)
{
    for (size_t i = 0; i < ARRAY_LEN(r->s); i++)
        r->s[i] = splitmix(&seed);
}

static inline uint64_t rotate(uint64_t x, unsigned k)
{
    return x << k | x >> (64 - k);
}

uint64_t random_next(struct random *r)
{
    uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

const uint8_t time_form_bytes[TIME_FORMS] = {15, 19, 25, 20, 10, 8, 19, 19, 26, 10, 20};

static void put_text(struct time_texts *t, enum time_form form, const char *format, ...)
    PRINTF(3, 4);
static void put_text(struct time_texts *t, enum time_form form, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(t->text[form], TIME_TEXT_MAX, format, list);
    va_end(list);
    CHECK(n == time_form_bytes[form]);
}

bool time_texts_update(struct time_texts *t, int64_t now_us)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t second = now_us / US_PER_SECOND;
    if (second == t->second)
        return false;
    struct civil u, c;
    civil_from_us(second * US_PER_SECOND, &u);
    civil_from_us((second + t->offset_s) * US_PER_SECOND, &c);
    t->second = second;
    const char *month = months + 3 * (c.month - 1);
    char sign = t->offset_s < 0 ? '-' : '+';
    int minutes = (t->offset_s < 0 ? -t->offset_s : t->offset_s) / 60;
    int year = c.year % 10000;
    put_text(t, FORM_BSD, "%.3s %2u %02u:%02u:%02u", month, c.day, c.hour, c.minute, c.second);
    put_text(t, FORM_DATE, "%04d-%02u-%02u", year, c.month, c.day);
    put_text(t, FORM_CLOCK, "%02u:%02u:%02u", c.hour, c.minute, c.second);
    put_text(t, FORM_ISO, "%.10sT%.8s", t->text[FORM_DATE], t->text[FORM_CLOCK]);
    put_text(t, FORM_BLANK, "%.10s %.8s", t->text[FORM_DATE], t->text[FORM_CLOCK]);
    put_text(t, FORM_ZONED, "%.19s%c%02d:%02d", t->text[FORM_ISO], sign, minutes / 60 % 100,
             minutes % 60);
    put_text(t, FORM_UTC, "%04d-%02u-%02uT%02u:%02u:%02uZ", u.year % 10000, u.month, u.day, u.hour,
             u.minute, u.second);
    put_text(t, FORM_SLASH, "%04d/%02u/%02u %.8s", year, c.month, c.day, t->text[FORM_CLOCK]);
    put_text(t, FORM_WEB, "%02u/%.3s/%04d:%.8s %c%02d%02d", c.day, month, year, t->text[FORM_CLOCK],
             sign, minutes / 60 % 100, minutes % 60);
    put_text(t, FORM_EPOCH, "%010lld", (long long)(second % 10000000000));
    put_text(t, FORM_CISCO, "%.3s %02u %04d %.8s", month, c.day, year, t->text[FORM_CLOCK]);
    return true;
}

static const char *const time_names[TIME_FORMS] = {
    [FORM_BSD] = "time",  [FORM_ISO] = "iso",     [FORM_ZONED] = "zoned", [FORM_UTC] = "utc",
    [FORM_DATE] = "date", [FORM_CLOCK] = "clock", [FORM_SLASH] = "slash", [FORM_BLANK] = "blank",
    [FORM_WEB] = "web",   [FORM_EPOCH] = "epoch", [FORM_CISCO] = "cisco",
};

static int compile_number(struct view argument, uint64_t max, uint32_t *ret)
{
    uint64_t n;
    if (view_u64(argument, max, &n) < 0 || n == 0)
        return -EINVAL;
    *ret = (uint32_t)n;
    return 0;
}

static int compile_time(struct view name, struct template_part *p)
{
    for (uint32_t i = 0; i < TIME_FORMS; i++) {
        if (view_eq(name, view_str(time_names[i]))) {
            p->kind = PART_TIME;
            p->n = i;
            return 0;
        }
    }
    return -EINVAL;
}

/* The inside of one {…}. */
static int compile_field(struct view inside, struct template_part *p)
{
    const char *colon = memchr(inside.p, ':', inside.n);
    struct view name = colon ? view_of(inside.p, (size_t)(colon - inside.p)) : inside;
    struct view argument = colon ? view_of(colon + 1, inside.n - name.n - 1) : VIEW_NULL;
    if (view_eq(name, VIEW("ip"))) {
        p->kind = PART_IP;
        return argument.p ? compile_number(argument, 223, &p->n) : 0;
    }
    if (view_eq(name, VIEW("int"))) {
        p->kind = PART_INT;
        return compile_number(argument, UINT32_MAX, &p->n);
    }
    if (view_eq(name, VIEW("hex"))) {
        p->kind = PART_HEX;
        return compile_number(argument, 64, &p->n);
    }
    if (view_eq(name, VIEW("word"))) {
        p->kind = PART_WORD;
        p->words = mix_words(argument, &p->words_n);
        return p->words ? 0 : -EINVAL;
    }
    if (argument.p != NULL)
        return -EINVAL;
    if (view_eq(name, VIEW("port")))
        p->kind = PART_PORT;
    else if (view_eq(name, VIEW("mac")))
        p->kind = PART_MAC;
    else
        return compile_time(name, p);
    return 0;
}

int template_compile(const char *source, struct template *ret, struct err *err)
{
    struct view rest = view_str(source);
    memset(ret, 0, sizeof(*ret));
    while (rest.n > 0) {
        if (ret->parts_n == TEMPLATE_MAX_PARTS)
            return err_set(err, EINVAL, "bad_template", "template has more than %d parts: %s",
                           TEMPLATE_MAX_PARTS, source);
        struct template_part *p = &ret->parts[ret->parts_n++];
        const char *open = memchr(rest.p, '{', rest.n);
        size_t used = open ? (size_t)(open - rest.p) : rest.n;
        if (rest.n >= 2 && rest.p[0] == '{' && rest.p[1] == '{') {
            *p = (struct template_part){.kind = PART_TEXT, .text = view_of(rest.p, 1)};
            used = 2;
        } else if (used > 0) {
            *p = (struct template_part){.kind = PART_TEXT, .text = view_of(rest.p, used)};
        } else {
            const char *close = memchr(rest.p, '}', rest.n);
            if (close == NULL)
                return err_set(err, EINVAL, "bad_template", "{ is never closed: %s", source);
            used = (size_t)(close - rest.p) + 1;
            if (compile_field(view_of(rest.p + 1, used - 2), p) < 0)
                return err_set(err, EINVAL, "bad_template", "unknown field %.*s in template: %s",
                               (int)used, rest.p, source);
        }
        rest = view_of(rest.p + used, rest.n - used);
    }
    return 0;
}

static char *put_number(char *p, uint32_t n)
{
    char digits[10];
    unsigned k = 0;
    do
        digits[k++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (k > 0)
        *p++ = digits[--k];
    return p;
}

static char *put_ip(char *p, struct random *r, uint32_t first)
{
    uint64_t bits = random_next(r);
    p = put_number(p, first ? first : 1 + (uint32_t)(bits >> 56) % 223);
    for (unsigned i = 0; i < 3; i++) {
        *p++ = '.';
        p = put_number(p, (uint32_t)(bits >> (8 * i)) & 0xff);
    }
    return p;
}

static char *put_hex(char *p, struct random *r, uint32_t digits)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < digits; i++, bits >>= 4) {
        if (i % 16 == 0)
            bits = random_next(r);
        *p++ = "0123456789abcdef"[bits & 15];
    }
    return p;
}

static char *put_mac(char *p, struct random *r)
{
    uint64_t bits = random_next(r);
    for (unsigned i = 0; i < 6; i++, bits >>= 8) {
        if (i > 0)
            *p++ = ':';
        *p++ = "0123456789abcdef"[bits >> 4 & 15];
        *p++ = "0123456789abcdef"[bits & 15];
    }
    return p;
}

static char *put_field(char *p, const struct template_part *part, struct random *r)
{
    switch (part->kind) {
    case PART_IP:
        return put_ip(p, r, part->n);
    case PART_PORT:
        return put_number(p, 1024 + random_below(r, 64512));
    case PART_INT:
        return put_number(p, random_below(r, part->n));
    case PART_HEX:
        return put_hex(p, r, part->n);
    case PART_MAC:
        return put_mac(p, r);
    default:
        CHECK(false); /* the rest is text */
    }
}

static struct view part_text(const struct template_part *part, struct random *r,
                             const struct time_texts *now)
{
    switch (part->kind) {
    case PART_TEXT:
        return part->text;
    case PART_WORD:
        return view_str(part->words[random_below(r, part->words_n)]);
    case PART_TIME:
        return view_of(now->text[part->n], time_form_bytes[part->n]);
    default:
        return VIEW_NULL;
    }
}

int template_render(const struct template *t, struct random *r, const struct time_texts *now,
                    struct buf *out, struct template_times *ret_times)
{
    if (ret_times != NULL)
        ret_times->n = 0;
    for (size_t i = 0; i < t->parts_n; i++) {
        const struct template_part *part = &t->parts[i];
        struct view text = part_text(part, r, now);
        if (part->kind == PART_TIME && ret_times != NULL && ret_times->n < TEMPLATE_TIMES_MAX) {
            ret_times->times[ret_times->n].at = out->n;
            ret_times->times[ret_times->n++].form = (enum time_form)part->n;
        }
        if (text.p != NULL) {
            if (buf_add_view(out, text) < 0)
                return -ENOSPC;
            continue;
        }
        if (buf_reserve(out, 64) < 0)
            return -ENOSPC;
        char *start = out->p + out->n;
        out->n += (size_t)(put_field(start, part, r) - start);
    }
    return 0;
}
