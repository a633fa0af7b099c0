/* Compile and render message templates.  Rendering is on the way of every message of a benchmark,
 * so it formats numbers itself instead of through printf. */
#include "bench/template.h"

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

void time_texts_update(struct time_texts *t, int64_t now_us)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t second = now_us / US_PER_SECOND;
    if (second == t->second)
        return;
    struct civil c;
    civil_from_us(second * US_PER_SECOND, &c);
    t->second = second;
    snprintf(t->bsd, sizeof(t->bsd), "%.3s %2u %02u:%02u:%02u", months + 3 * (c.month - 1),
             c.day % 32u, c.hour % 24u, c.minute % 60u, c.second % 61u);
    snprintf(t->iso, sizeof(t->iso), "%04d-%02u-%02uT%02u:%02u:%02u", c.year % 10000, c.month % 13u,
             c.day % 32u, c.hour % 24u, c.minute % 60u, c.second % 61u);
}

static int compile_number(struct view argument, uint64_t max, uint32_t *ret)
{
    uint64_t n;
    if (view_u64(argument, max, &n) < 0 || n == 0)
        return -EINVAL;
    *ret = (uint32_t)n;
    return 0;
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
    else if (view_eq(name, VIEW("time")))
        p->kind = PART_BSD;
    else if (view_eq(name, VIEW("iso")))
        p->kind = PART_ISO;
    else
        return -EINVAL;
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
        if (used > 0) {
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

int template_render(const struct template *t, struct random *r, const struct time_texts *now,
                    struct buf *out)
{
    for (size_t i = 0; i < t->parts_n; i++) {
        const struct template_part *part = &t->parts[i];
        struct view text = part->kind == PART_TEXT ? part->text
                           : part->kind == PART_WORD
                               ? view_str(part->words[random_below(r, part->words_n)])
                           : part->kind == PART_BSD ? view_str(now->bsd)
                           : part->kind == PART_ISO ? view_str(now->iso)
                                                    : VIEW_NULL;
        if (text.p != NULL) {
            if (buf_add_view(out, text) < 0)
                return -ENOSPC;
            continue;
        }
        if (buf_reserve(out, 64) < 0)
            return -ENOSPC;
        char *start = out->p + out->n, *end;
        switch (part->kind) {
        case PART_IP:
            end = put_ip(start, r, part->n);
            break;
        case PART_PORT:
            end = put_number(start, 1024 + random_below(r, 64512));
            break;
        case PART_INT:
            end = put_number(start, random_below(r, part->n));
            break;
        case PART_HEX:
            end = put_hex(start, r, part->n);
            break;
        case PART_MAC:
            end = put_mac(start, r);
            break;
        default:
            CHECK(false);
        }
        out->n += (size_t)(end - start);
    }
    return 0;
}
