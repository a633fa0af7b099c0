/* Rings of messages.  payload_prepare() is on the way of every message: it copies digits and
 * compares two numbers, no more. */
#include "bench/load/payload.h"

#include <time.h>

#include "bench/load/loggen.h"

int32_t payload_zone(int64_t wall_us)
{
    time_t t = (time_t)(wall_us / US_PER_SECOND);
    struct tm local;
    return localtime_r(&t, &local) ? (int32_t)local.tm_gmtoff : 0;
}

static void put_digits(char *to, size_t digits, uint64_t n, unsigned base)
{
    for (size_t i = digits; i-- > 0; n /= base)
        to[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % base];
}

void payload_now(struct payload *p, int64_t wall_us)
{
    if (wall_us / US_PER_SECOND != p->now.second)
        p->now.offset_s = payload_zone(wall_us);
    time_texts_update(&p->now, wall_us);
    put_digits(p->stamp, sizeof(p->stamp), (uint64_t)wall_us, 36);
}

static void write_slow_slots(const struct payload *p, struct payload_message *m, uint32_t stream)
{
    char *message = p->bytes + m->at;
    for (size_t i = m->each_n; i < m->slots_n; i++) {
        char *to = message + m->slots[i].at;
        unsigned kind = m->slots[i].kind;
        if (kind < TIME_FORMS)
            memcpy(to, p->now.text[kind], time_form_bytes[kind]);
        else
            put_digits(to, layout_slot_bytes(kind), stream, kind == SLOT_STREAM_36 ? 36 : 10);
    }
    m->second = p->now.second;
    m->stream = stream;
}

void payload_prepare(struct payload *p, size_t at, size_t n, uint32_t stream, int64_t number)
{
    char digits[LAYOUT_NUMBER_DIGITS];
    CHECK(at + n <= p->n);
    put_digits(digits, sizeof(digits), (uint64_t)number, 10);
    for (struct payload_message *m = p->messages + at, *end = m + n; m < end; m++) {
        char *message = p->bytes + m->at;
        for (size_t i = 0; i < m->each_n; i++) {
            if (m->slots[i].kind == SLOT_NUMBER)
                memcpy(message + m->slots[i].at, digits, LAYOUT_NUMBER_DIGITS);
            else
                memcpy(message + m->slots[i].at, p->stamp, LAYOUT_STAMP_DIGITS);
        }
        if (UNLIKELY(m->second != p->now.second || m->stream != stream))
            write_slow_slots(p, m, stream);
        size_t i = LAYOUT_NUMBER_DIGITS - 1;
        while (++digits[i] > '9') {
            digits[i] = '0';
            if (i-- == 0)
                break;
        }
    }
}

static bool is_each(unsigned kind)
{
    return kind == SLOT_NUMBER || kind == SLOT_STAMP;
}

/* Slots of every message first; `shift` bytes of framing stand before the text. */
static void take_slots(struct payload_message *m, const struct layout_text *t, size_t shift)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < t->slots_n; i++) {
            if (is_each(t->slots[i].kind) != (pass == 0))
                continue;
            m->slots[m->slots_n] = t->slots[i];
            m->slots[m->slots_n++].at = (uint16_t)(t->slots[i].at + shift);
            m->each_n = (uint8_t)(m->each_n + (pass == 0));
        }
    }
    m->stream = UINT32_MAX;
    m->second = INT64_MIN;
}

struct maker {
    const struct load_options *o;
    const struct load_more *more;
    struct layout *layout;
    struct random random;
    struct layout_text text;
    struct buf bytes;
};

static int64_t draw_size(struct maker *k)
{
    const struct load_more *more = k->more;
    int64_t all = 0;
    for (size_t i = 0; i < more->sizes_n; i++)
        all += more->sizes[i].weight;
    if (all == 0)
        return k->o->size;
    int64_t at = random_below(&k->random, (uint32_t)all);
    size_t i = 0;
    while (at >= more->sizes[i].weight)
        at -= more->sizes[i++].weight;
    return more->sizes[i].bytes;
}

/* One message with its framing to the end of the bytes. */
static int make_message(struct maker *k, const struct time_texts *now, struct payload_message *m)
{
    bool is_dgram = k->o->transport == TARGET_UDP || k->o->transport == TARGET_UNIX_DGRAM;
    bool is_line = k->o->layout == LOAD_LOGGEN; /* has its own LF */
    bool has_count = k->o->framing == LOAD_OCTETS && (!is_dgram || k->more->is_dgram_counted);
    bool has_lf = k->o->framing == LOAD_LF && !is_dgram && !is_line;
    if (layout_render(k->layout, &k->random, now, draw_size(k), &k->text) < 0)
        return -ENOSPC;
    memset(m, 0, sizeof(*m));
    m->at = (uint32_t)k->bytes.n;
    /* loggen's count is the size asked for, however long the line became */
    size_t announced = k->more->is_compat && is_line && k->o->size > 0 ? (size_t)k->o->size
                                                                       : k->text.text.n;
    if (has_count && buf_printf(&k->bytes, "%zu ", announced) < 0)
        return -ENOSPC;
    take_slots(m, &k->text, k->bytes.n - m->at);
    if (buf_add_view(&k->bytes, buf_view(&k->text.text)) < 0 ||
        (has_lf && buf_add_char(&k->bytes, '\n') < 0))
        return -ENOSPC;
    /* loggen's buffer holds the count too: what does not fit goes without its end */
    if (k->more->is_compat && is_line)
        k->bytes.n = MIN(k->bytes.n, m->at + (size_t)LOGGEN_MESSAGE_MAX);
    m->n = (uint32_t)(k->bytes.n - m->at);
    return 0;
}

static int check_sizes(const struct maker *k, struct err *err)
{
    int64_t min = layout_min(k->layout);
    bool is_torn = k->more->is_compat && k->o->layout == LOAD_LOGGEN;
    for (size_t i = 0; i <= k->more->sizes_n; i++) {
        int64_t size = i < k->more->sizes_n ? k->more->sizes[i].bytes : k->o->size;
        if (size == 0 || (size >= min && size <= LOAD_SIZE_MAX) || (is_torn && size < min))
            continue;
        return err_set_field(
            err, EINVAL, "bad_value", "size",
            "a message of %lld bytes is out of %lld..%d, which the layout and what "
            "it contains allow",
            (long long)size, (long long)min, LOAD_SIZE_MAX);
    }
    return 0;
}

static int fill(struct maker *k, struct payload *p, unsigned threads)
{
    bool is_mix = k->o->layout == LOAD_MIX;
    size_t max = is_mix ? MAX(PAYLOAD_MIX_MESSAGES / threads, 1024u) : PAYLOAD_MESSAGES;
    size_t limit = (is_mix ? PAYLOAD_BYTES_MAX : PAYLOAD_BYTES_MAX / 8) / threads;
    k->bytes.max = PAYLOAD_BYTES_MAX + 2 * LOAD_SIZE_MAX;
    p->messages = xcalloc(max, sizeof(*p->messages));
    while (p->n < max && (p->n < 16 || k->bytes.n < limit)) {
        struct payload_message *m = &p->messages[p->n];
        if (make_message(k, &p->now, m) < 0)
            return -ENOSPC;
        if (p->n == 0 || m->n == p->uniform_bytes)
            p->uniform_bytes = m->n;
        else
            p->uniform_bytes = UINT32_MAX;
        p->n++;
    }
    if (p->uniform_bytes == UINT32_MAX)
        p->uniform_bytes = 0;
    return 0;
}

int payload_new(const struct load_options *o, const struct load_more *more, unsigned thread,
                unsigned threads, struct payload **ret, struct err *err)
{
    struct maker k = {.o = o, .more = more};
    int r = layout_new(o, more, &k.layout, err);
    if (r < 0)
        return r;
    if ((r = check_sizes(&k, err)) < 0) {
        layout_free(&k.layout);
        return r;
    }
    struct payload *p = xcalloc(1, sizeof(*p));
    random_seed(&k.random, o->seed + thread * UINT64_C(0x9e3779b97f4a7c15));
    payload_now(p, clock_wall_us());
    r = fill(&k, p, threads);
    p->bytes = k.bytes.p;
    buf_free(&k.text.text);
    layout_free(&k.layout);
    if (r < 0) {
        payload_free(&p);
        return err_set(err, -r, "too_large", "the messages do not fit in %u bytes",
                       PAYLOAD_BYTES_MAX);
    }
    *ret = p;
    return 0;
}

void payload_free(struct payload **pp)
{
    if (*pp == NULL)
        return;
    free((*pp)->bytes);
    free((*pp)->messages);
    free(*pp);
    *pp = NULL;
}
