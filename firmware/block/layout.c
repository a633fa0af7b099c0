/* How the bytes as received are rendered from the fields.  Pure; used by the builder (network
 * thread of the receiver) and by readers, where a layout is a stranger's bytes.
 *
 *   0x01 PRI          decimal facility × 8 + severity
 *   0x02 TIME         followed by u8 form (enum time_form), u8 fraction digits, i16 minutes east
 *   0x03 … 0x08       HOSTNAME APP_NAME PROCID MSGID STRUCTURED_DATA MESSAGE
 *   0x00 b            the byte b < 0x10 itself
 *   0x10 … 0xff       the byte itself
 *
 * 0x09 … 0x0f unescaped, a reference twice, and a cut sequence are errors.
 */
#include "block/layout.h"

#define LITERAL_FIRST 0x10 /* bytes below it are escaped */
#define TIME_MAX                                                                    \
    sizeof(((struct layout_time_cache *)0)->text) /* over the longest rendered time \
                                                   */

/* ---- times ---- */

static char *put_digits(char *p, unsigned v, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--, v /= 10)
        p[i - 1] = (char)('0' + v % 10);
    return p + digits;
}

static char *put_month(char *p, unsigned month)
{
    memcpy(p, &"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * (month - 1)], 3);
    return p + 3;
}

static char *put_clock(char *p, const struct civil *c, unsigned digits)
{
    p = put_digits(p, c->hour, 2);
    *p++ = ':';
    p = put_digits(p, c->minute, 2);
    *p++ = ':';
    p = put_digits(p, c->second, 2);
    if (digits > 0) {
        unsigned v = c->microsecond;
        for (unsigned i = digits; i < 6; i++)
            v /= 10;
        *p++ = '.';
        p = put_digits(p, v, digits);
    }
    return p;
}

static char *put_bsd_date(char *p, const struct civil *c, unsigned form)
{
    p = put_month(p, c->month);
    *p++ = ' ';
    if (form == TIME_FORM_BSD_ZERO || c->day >= 10) {
        p = put_digits(p, c->day, 2);
    } else {
        *p++ = ' ';
        p = put_digits(p, c->day, 1);
    }
    *p++ = ' ';
    if (form == TIME_FORM_BSD_YEAR) {
        p = put_digits(p, (unsigned)c->year, 4);
        *p++ = ' ';
    }
    return p;
}

static char *put_iso_date(char *p, const struct civil *c, unsigned form)
{
    p = put_digits(p, (unsigned)c->year, 4);
    *p++ = '-';
    p = put_digits(p, c->month, 2);
    *p++ = '-';
    p = put_digits(p, c->day, 2);
    *p++ = form == TIME_FORM_ISO_BLANK ? ' ' : 'T';
    return p;
}

static char *put_offset(char *p, int offset_min)
{
    unsigned minutes = (unsigned)(offset_min < 0 ? -offset_min : offset_min);
    *p++ = offset_min < 0 ? '-' : '+';
    p = put_digits(p, minutes / 60, 2);
    *p++ = ':';
    return put_digits(p, minutes % 60, 2);
}

/* Bytes written to `out`, or 0 for what no such text can say. */
static size_t render_time(int64_t us, unsigned form, unsigned digits, int offset_min,
                          char out[TIME_MAX])
{
    int64_t local;
    struct civil c;
    if (us == TIME_NONE || form == TIME_FORM_NONE || form >= TIME_FORM_COUNT || digits > 6 ||
        offset_min <= -6000 || offset_min >= 6000 || (form == TIME_FORM_ISO_Z && offset_min != 0) ||
        __builtin_add_overflow(us, offset_min * US_PER_MINUTE, &local))
        return 0;
    civil_from_us(local, &c);
    if (c.year < 0 || c.year > 9999)
        return 0;
    bool is_bsd = form == TIME_FORM_BSD || form == TIME_FORM_BSD_ZERO || form == TIME_FORM_BSD_YEAR;
    char *p = is_bsd ? put_bsd_date(out, &c, form) : put_iso_date(out, &c, form);
    p = put_clock(p, &c, digits);
    if (form == TIME_FORM_ISO_Z)
        *p++ = 'Z';
    else if (form == TIME_FORM_ISO_OFFSET)
        p = put_offset(p, offset_min);
    return (size_t)(p - out);
}

static size_t render_pri(const struct record *r, char out[8])
{
    unsigned pri = r->facility * 8u + r->severity;
    unsigned digits = pri < 10 ? 1 : pri < 100 ? 2 : pri < 1000 ? 3 : 4;
    return (size_t)(put_digits(out, pri, digits) - out);
}

/* ---- deriving ---- */

struct segment {
    size_t from, to; /* in raw */
    unsigned reference;
};

struct segments {
    struct segment s[LAYOUT_REFERENCES];
    unsigned n;
};

/* Where `field` lies in raw; false for null, empty and elsewhere. */
static bool locate(struct view raw, struct view field, struct segment *ret)
{
    if (field.p == NULL || field.n == 0 || raw.p == NULL)
        return false;
    uintptr_t from = (uintptr_t)field.p - (uintptr_t)raw.p;
    if (from > raw.n || field.n > raw.n - from)
        return false;
    ret->from = from;
    ret->to = from + field.n;
    return true;
}

/* Insert in order; what overlaps a segment already there stays literal text. */
static void add_segment(struct segments *all, struct view raw, struct view field,
                        unsigned reference)
{
    struct segment s = {.reference = reference};
    if (!locate(raw, field, &s))
        return;
    unsigned at = all->n;
    while (at > 0 && all->s[at - 1].from >= s.to)
        at--;
    if (at > 0 && all->s[at - 1].to > s.from)
        return;
    memmove(&all->s[at + 1], &all->s[at], (all->n - at) * sizeof(s));
    all->s[at] = s;
    all->n++;
}

/* The digits are those that render_pri would write. */
static bool pri_renders(const struct record *r)
{
    const char *p = r->pri_text.p;
    unsigned pri = r->facility * 8u + r->severity, v = 0;
    if (r->pri_text.n == 0 || r->pri_text.n > 4 || (p[0] == '0' && r->pri_text.n > 1))
        return false;
    for (size_t i = 0; i < r->pri_text.n; i++) {
        unsigned digit = (unsigned)(uint8_t)p[i] - '0';
        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    return v == pri;
}

/* The digits of a fraction: "123" of 123456 with three. */
static bool fraction_renders(const char *p, unsigned microsecond, unsigned digits)
{
    unsigned v = microsecond;
    for (unsigned i = digits; i < 6; i++)
        v /= 10;
    bool is_same = true;
    for (unsigned i = digits; i > 0; i--, v /= 10)
        is_same &= p[i - 1] == (char)('0' + v % 10);
    return is_same;
}

/* The cache has the text of the whole second; a fraction is compared by itself. */
static bool time_renders(const struct record *r, struct layout_time_cache *cache)
{
    struct view text = r->time_text;
    if (text.p == NULL || text.n > TIME_MAX || r->reported_at_us < INT64_MIN + US_PER_SECOND)
        return false; /* no time, or one that is before any year */
    int64_t fraction = r->reported_at_us % US_PER_SECOND;
    fraction += fraction < 0 ? US_PER_SECOND : 0;
    if (cache->n == 0 || cache->us != r->reported_at_us - fraction || cache->form != r->time_form ||
        cache->digits != r->time_digits || cache->offset_min != r->time_offset_min) {
        cache->us = r->reported_at_us - fraction;
        cache->form = r->time_form;
        cache->digits = r->time_digits;
        cache->offset_min = r->time_offset_min;
        cache->n = (uint8_t)render_time(cache->us, r->time_form, r->time_digits, r->time_offset_min,
                                        cache->text);
    }
    if (cache->n == 0 || cache->n != text.n)
        return false;
    if (cache->digits == 0)
        return memcmp(text.p, cache->text, text.n) == 0;
    /* everything up to the point, the digits, and what follows them */
    const char *point = memchr(cache->text, '.', cache->n);
    size_t before = (size_t)(point - cache->text) + 1, after = before + cache->digits;
    return memcmp(text.p, cache->text, before) == 0 &&
           fraction_renders(text.p + before, (unsigned)fraction, cache->digits) &&
           memcmp(text.p + after, cache->text + after, text.n - after) == 0;
}

struct encoder {
    uint8_t *bytes; /* LAYOUT_MAX_BYTES of them */
    size_t n;
    bool is_full;
};

static inline void encode_literal(struct encoder *e, const char *p, size_t n)
{
    if (UNLIKELY(n > LAYOUT_MAX_BYTES)) {
        e->is_full = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t b = (uint8_t)p[i];
        if (UNLIKELY(LAYOUT_MAX_BYTES - e->n < (b < LITERAL_FIRST ? 2u : 1u))) {
            e->is_full = true;
            return;
        }
        if (UNLIKELY(b < LITERAL_FIRST))
            e->bytes[e->n++] = 0;
        e->bytes[e->n++] = b;
    }
}

static inline void encode_reference(struct encoder *e, const struct record *r, unsigned reference)
{
    if (UNLIKELY(LAYOUT_MAX_BYTES - e->n < (reference == LAYOUT_TIME ? 5u : 1u))) {
        e->is_full = true;
        return;
    }
    e->bytes[e->n++] = (uint8_t)reference;
    if (reference == LAYOUT_TIME) {
        uint16_t offset = (uint16_t)r->time_offset_min;
        e->bytes[e->n++] = r->time_form;
        e->bytes[e->n++] = r->time_digits;
        e->bytes[e->n++] = (uint8_t)offset;
        e->bytes[e->n++] = (uint8_t)(offset >> 8);
    }
}

int layout_derive(const struct record *r, struct buf *out)
{
    struct layout_time_cache cache = {.n = 0};
    return layout_derive_cached(r, out, &cache);
}

/* The fields in an order that is not the usual one, or that overlap. */
static void find_segments(const struct record *r, bool has_pri, bool has_time, struct segments *all)
{
    all->n = 0;
    add_segment(all, r->raw, r->message, LAYOUT_MESSAGE);
    if (has_pri)
        add_segment(all, r->raw, r->pri_text, LAYOUT_PRI);
    if (has_time)
        add_segment(all, r->raw, r->time_text, LAYOUT_TIME);
    add_segment(all, r->raw, r->hostname, LAYOUT_HOSTNAME);
    add_segment(all, r->raw, r->app_name, LAYOUT_APP_NAME);
    add_segment(all, r->raw, r->procid, LAYOUT_PROCID);
    add_segment(all, r->raw, r->msgid, LAYOUT_MSGID);
    add_segment(all, r->raw, r->structured_data, LAYOUT_STRUCTURED_DATA);
}

/* The next field, with the literal text before it.  False: it begins before `*at`. */
static inline __attribute__((always_inline)) bool encode_next(struct encoder *e, size_t *at,
                                                              const struct record *r,
                                                              struct view field, unsigned reference)
{
    struct segment s;
    if (!locate(r->raw, field, &s))
        return true; /* elsewhere: what stands in raw for it is literal text */
    if (UNLIKELY(s.from < *at))
        return false;
    encode_literal(e, r->raw.p + *at, s.from - *at);
    encode_reference(e, r, reference);
    *at = s.to;
    return true;
}

/* The fields in the order of RFC 5424, which nearly every message has, in one pass. */
static bool encode_in_order(struct encoder *e, const struct record *r, bool has_pri, bool has_time)
{
    size_t at = 0;
    if ((has_pri && !encode_next(e, &at, r, r->pri_text, LAYOUT_PRI)) ||
        (has_time && !encode_next(e, &at, r, r->time_text, LAYOUT_TIME)) ||
        !encode_next(e, &at, r, r->hostname, LAYOUT_HOSTNAME) ||
        !encode_next(e, &at, r, r->app_name, LAYOUT_APP_NAME) ||
        !encode_next(e, &at, r, r->procid, LAYOUT_PROCID) ||
        !encode_next(e, &at, r, r->msgid, LAYOUT_MSGID) ||
        !encode_next(e, &at, r, r->structured_data, LAYOUT_STRUCTURED_DATA) ||
        !encode_next(e, &at, r, r->message, LAYOUT_MESSAGE))
        return false;
    if (at < r->raw.n)
        encode_literal(e, r->raw.p + at, r->raw.n - at);
    return true;
}

/* In any other order, or overlapping. */
static void encode_in_any_order(struct encoder *e, const struct record *r, bool has_pri,
                                bool has_time)
{
    struct segments all;
    size_t at = 0;
    find_segments(r, has_pri, has_time, &all);
    for (unsigned i = 0; i < all.n && !e->is_full; i++) {
        encode_literal(e, r->raw.p + at, all.s[i].from - at);
        encode_reference(e, r, all.s[i].reference);
        at = all.s[i].to;
    }
    if (at < r->raw.n && !e->is_full)
        encode_literal(e, r->raw.p + at, r->raw.n - at);
}

int layout_derive_cached(const struct record *r, struct buf *out, struct layout_time_cache *cache)
{
    struct segment message;
    if (r->message.n > 0 && !locate(r->raw, r->message, &message))
        return -ENOSPC;
    if (buf_reserve(out, LAYOUT_MAX_BYTES) < 0)
        return -ENOSPC;
    struct encoder e = {.bytes = (uint8_t *)out->p + out->n};
    bool has_pri = r->pri_text.p != NULL && pri_renders(r), has_time = time_renders(r, cache);
    if (UNLIKELY(!encode_in_order(&e, r, has_pri, has_time))) {
        e.n = 0;
        e.is_full = false;
        encode_in_any_order(&e, r, has_pri, has_time);
    }
    if (e.is_full)
        return -ENOSPC;
    out->n += e.n;
    return 0;
}

/* ---- rendering ---- */

struct piece {
    unsigned reference; /* 0: the literal byte */
    uint8_t byte;
    uint8_t form, digits;
    int16_t offset_min;
};

/* 1 and the next piece; 0 at the end; -EBADMSG. */
static int next_piece(struct view *rest, struct piece *ret)
{
    const uint8_t *p = (const uint8_t *)rest->p;
    size_t used = 1;
    *ret = (struct piece){0};
    if (rest->n == 0)
        return 0;
    if (p[0] >= LITERAL_FIRST) {
        ret->byte = p[0];
    } else if (p[0] == 0) {
        if (rest->n < 2 || p[1] >= LITERAL_FIRST)
            return -EBADMSG;
        ret->byte = p[1];
        used = 2;
    } else {
        if (p[0] >= LAYOUT_REFERENCES)
            return -EBADMSG;
        ret->reference = p[0];
        if (p[0] == LAYOUT_TIME) {
            if (rest->n < 5)
                return -EBADMSG;
            ret->form = p[1];
            ret->digits = p[2];
            ret->offset_min = (int16_t)(uint16_t)(p[3] | p[4] << 8);
            used = 5;
        }
    }
    rest->p += used;
    rest->n -= used;
    return 1;
}

int layout_fields(struct view layout, unsigned *ret_fields)
{
    unsigned fields = 0;
    struct piece piece;
    int r;
    if (layout.n > LAYOUT_MAX_BYTES)
        return -EBADMSG;
    while ((r = next_piece(&layout, &piece)) > 0) {
        if (piece.reference == 0)
            continue;
        if (fields & 1u << piece.reference)
            return -EBADMSG;
        fields |= 1u << piece.reference;
    }
    if (r == 0)
        *ret_fields = fields;
    return r;
}

static struct view *text_field(struct record *r, unsigned reference)
{
    switch (reference) {
    case LAYOUT_HOSTNAME:
        return &r->hostname;
    case LAYOUT_APP_NAME:
        return &r->app_name;
    case LAYOUT_PROCID:
        return &r->procid;
    case LAYOUT_MSGID:
        return &r->msgid;
    case LAYOUT_STRUCTURED_DATA:
        return &r->structured_data;
    default:
        return &r->message;
    }
}

static int render_piece(const struct piece *piece, struct record *fields, struct buf *out)
{
    char text[TIME_MAX];
    switch (piece->reference) {
    case 0:
        return buf_add_char(out, (char)piece->byte);
    case LAYOUT_PRI:
        return buf_add(out, text, render_pri(fields, text));
    case LAYOUT_TIME: {
        size_t n = render_time(fields->reported_at_us, piece->form, piece->digits,
                               piece->offset_min, text);
        return n > 0 ? buf_add(out, text, n) : -EBADMSG;
    }
    default: {
        struct view v = *text_field(fields, piece->reference);
        return v.p ? buf_add_view(out, v) : -EBADMSG;
    }
    }
}

/* Where a reference was rendered, as offsets, for *out moves while it grows. */
struct places {
    size_t from[LAYOUT_REFERENCES], n[LAYOUT_REFERENCES];
    struct piece time;
};

static int render(struct view layout, const struct record *fields, struct buf *out,
                  struct places *ret)
{
    size_t before = out->n;
    unsigned needs = 0;
    struct record copy = *fields;
    struct piece piece;
    int r = layout_fields(layout, &needs);
    while (r >= 0 && (r = next_piece(&layout, &piece)) > 0) {
        size_t from = out->n;
        r = render_piece(&piece, &copy, out);
        ret->from[piece.reference] = from - before;
        ret->n[piece.reference] = out->n - from;
        if (piece.reference == LAYOUT_TIME)
            ret->time = piece;
    }
    if (r < 0)
        out->n = before;
    return r;
}

int layout_render(struct view layout, const struct record *fields, struct buf *out)
{
    struct places places;
    return render(layout, fields, out, &places);
}

int layout_place(struct view layout, const struct record *fields, struct buf *out,
                 struct record *ret)
{
    struct places places = {.n = {0}};
    size_t before = out->n;
    int r = render(layout, fields, out, &places);
    if (r < 0)
        return r;
    *ret = *fields;
    const char *start = (out->p ? out->p : "") + before;
    ret->raw = view_of(start, out->n - before);
    ret->pri_text = ret->time_text = VIEW_NULL;
    for (unsigned reference = LAYOUT_PRI; reference < LAYOUT_REFERENCES; reference++) {
        struct view v = view_of(start + places.from[reference], places.n[reference]);
        if (v.n == 0)
            continue;
        if (reference == LAYOUT_PRI)
            ret->pri_text = v;
        else if (reference == LAYOUT_TIME)
            ret->time_text = v;
        else
            *text_field(ret, reference) = v;
    }
    ret->time_form = places.time.form;
    ret->time_digits = places.time.digits;
    ret->time_offset_min = places.time.offset_min;
    return 0;
}
