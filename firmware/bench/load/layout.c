/* The layouts of messages.
 *
 *   loggen   <38>2026-03-09T10:41:07 localhost prg00000[1234]: seq: 0000000000, thread: 0000,
 * runid: 1773020467, stamp: 2026-03-09T10:41:07 PADDPADD…\n        byte for byte as loggen's; in
 * RFC 5424's form with a byte order mark before the text; the LF is part of it compact  <38>Mar  9
 * 10:41:07 h0000 b[1]: r=RRRRRRRR t=000 s=0000000000 n=NNNNNNNNNNN PADD… RRRRRRRR: the run in
 * hexadecimal, t: the stream, s: the number, n: the time; with
 *            --sequence: <38>Mar  9 10:41:07 h00000 b: seq=RUN-STREAM-NUMBER n=… PADD…
 *   mix      mix.c
 *
 * With --sequence every message has " seq=RUN-STREAM-NUMBER": RUN 16 hexadecimal digits, STREAM 5
 * and NUMBER 10 decimal ones. */
#include "bench/load/layout.h"

#define SEQUENCE_BYTES (5 + 16 + 1 + 5 + 1 + LAYOUT_NUMBER_DIGITS) /* " seq=…" */
#define BOM "\xEF\xBB\xBF"

struct layout {
    const struct load_options *o;
    const struct load_more *more;
    struct template *mix; /* one a mix_sources, in the form asked for */
    int64_t run_id;
};

size_t layout_slot_bytes(unsigned kind)
{
    static const uint8_t bytes[] = {LAYOUT_NUMBER_DIGITS, LAYOUT_STAMP_DIGITS, 3, 4, 5};
    return kind < TIME_FORMS ? time_form_bytes[kind] : bytes[kind - TIME_FORMS];
}

static int note_slot(struct layout_text *t, unsigned kind, size_t at)
{
    if (t->slots_n == LAYOUT_SLOTS_MAX || at > UINT16_MAX)
        return -ENOSPC;
    t->slots[t->slots_n++] = (struct layout_slot){.at = (uint16_t)at, .kind = (uint8_t)kind};
    return 0;
}

/* Zeros where the slot will be, and the time as it is now. */
static int add_slot(struct layout_text *t, unsigned kind, const struct time_texts *now)
{
    size_t n = layout_slot_bytes(kind);
    if (note_slot(t, kind, t->text.n) < 0 || buf_reserve(&t->text, n) < 0)
        return -ENOSPC;
    if (kind < TIME_FORMS)
        memcpy(t->text.p + t->text.n, now->text[kind], n);
    else
        memset(t->text.p + t->text.n, '0', n);
    t->text.n += n;
    return 0;
}

static int add_sequence(const struct layout *l, struct layout_text *t)
{
    if (buf_printf(&t->text, "seq=%016llx-", (unsigned long long)l->o->run) < 0 ||
        add_slot(t, SLOT_STREAM_5, NULL) < 0 || buf_add_char(&t->text, '-') < 0 ||
        add_slot(t, SLOT_NUMBER, NULL) < 0)
        return -ENOSPC;
    return 0;
}

/* PADDPADD… until the text has n bytes. */
static int add_padding(struct buf *b, size_t n)
{
    if (b->n >= n)
        return 0;
    size_t pad = n - b->n;
    if (buf_reserve(b, pad) < 0)
        return -ENOSPC;
    for (size_t i = 0; i < pad; i++)
        b->p[b->n + i] = "PADD"[i % 4];
    b->n = n;
    return 0;
}

static int loggen_head(const struct layout *l, const struct time_texts *now, struct layout_text *t)
{
    const char *sdata = l->more->sdata ? l->more->sdata : "-";
    if (l->o->format == LOAD_RFC5424)
        return buf_add_str(&t->text, "<38>1 ") < 0 || add_slot(t, FORM_ZONED, now) < 0 ||
                       buf_printf(&t->text, " localhost prg00000 1234 - %s " BOM, sdata) < 0
                   ? -ENOSPC
                   : 0;
    return buf_add_str(&t->text, "<38>") < 0 || add_slot(t, FORM_ISO, now) < 0 ||
                   buf_add_str(&t->text, " localhost prg00000[1234]: ") < 0
               ? -ENOSPC
               : 0;
}

static int render_loggen(const struct layout *l, const struct time_texts *now, int64_t size,
                         struct layout_text *t)
{
    struct buf *b = &t->text;
    if (loggen_head(l, now, t) < 0 || buf_add_str(b, "seq: ") < 0 ||
        add_slot(t, SLOT_NUMBER, NULL) < 0 || buf_add_str(b, ", thread: ") < 0 ||
        add_slot(t, SLOT_STREAM_4, NULL) < 0 ||
        buf_printf(b, ", runid: %-10lld, stamp: ", (long long)l->run_id) < 0 ||
        add_slot(t, FORM_ISO, now) < 0 || buf_add_char(b, ' ') < 0)
        return -ENOSPC;
    if (l->o->has_sequence && (add_sequence(l, t) < 0 || buf_add_char(b, ' ') < 0))
        return -ENOSPC;
    /* loggen itself sends a head that is too long for the size without its line feed */
    if (l->more->is_compat && size < (int64_t)b->n)
        return 0;
    if (size > 0)
        b->n = MIN(b->n, (size_t)size - 1); /* the blank before the padding */
    return add_padding(b, size > 0 ? (size_t)size - 1 : 0) < 0 ? -ENOSPC : buf_add_char(b, '\n');
}

static int render_compact(const struct layout *l, const struct time_texts *now, int64_t size,
                          struct layout_text *t)
{
    struct buf *b = &t->text;
    bool is_5424 = l->o->format == LOAD_RFC5424, has_sequence = l->o->has_sequence;
    if (buf_add_str(b, is_5424 ? "<38>1 " : "<38>") < 0 ||
        add_slot(t, is_5424 ? FORM_UTC : FORM_BSD, now) < 0 || buf_add_str(b, " h") < 0 ||
        add_slot(t, has_sequence ? SLOT_STREAM_5 : SLOT_STREAM_4, NULL) < 0)
        return -ENOSPC;
    if (has_sequence) {
        if (buf_add_str(b, is_5424 ? " b - - - " : " b: ") < 0 || add_sequence(l, t) < 0)
            return -ENOSPC;
        if (size > 0 && size < (int64_t)b->n + 3 + LAYOUT_STAMP_DIGITS)
            return add_padding(b, (size_t)size);
    } else if (buf_printf(b, "%sr=%08llx t=", is_5424 ? " b 1 - - " : " b[1]: ",
                          (unsigned long long)(l->o->run & 0xffffffff)) < 0 ||
               add_slot(t, SLOT_STREAM_36, NULL) < 0 || buf_add_str(b, " s=") < 0 ||
               add_slot(t, SLOT_NUMBER, NULL) < 0) {
        return -ENOSPC;
    }
    if (buf_add_str(b, " n=") < 0 || add_slot(t, SLOT_STAMP, NULL) < 0)
        return -ENOSPC;
    if (size > (int64_t)b->n && buf_add_char(b, ' ') < 0)
        return -ENOSPC;
    return add_padding(b, (size_t)size);
}

/* Shorten to at most n bytes, not within a character; slots that are cut are none. */
static void cut(struct layout_text *t, size_t n)
{
    struct buf *b = &t->text;
    if (b->n <= n)
        return;
    while (n > 0 && ((unsigned char)b->p[n] & 0xc0) == 0x80)
        n--;
    b->n = n;
    while (t->slots_n > 0) {
        const struct layout_slot *last = &t->slots[t->slots_n - 1];
        if (last->at + layout_slot_bytes(last->kind) <= n)
            break;
        t->slots_n--;
    }
}

static int render_mix(const struct layout *l, struct random *r, const struct time_texts *now,
                      int64_t size, struct layout_text *t)
{
    struct template_times times;
    struct buf *b = &t->text;
    if (template_render(&l->mix[mix_draw(r) - mix_sources], r, now, b, &times) < 0)
        return -ENOSPC;
    for (size_t i = 0; i < times.n; i++)
        if (note_slot(t, times.times[i].form, times.times[i].at) < 0)
            return -ENOSPC;
    size_t tail = l->o->has_sequence ? SEQUENCE_BYTES : 0;
    if (size > 0)
        cut(t, (size_t)size - tail);
    if (tail > 0 && (buf_add_char(b, ' ') < 0 || add_sequence(l, t) < 0))
        return -ENOSPC;
    if (size > (int64_t)b->n && buf_add_char(b, ' ') < 0)
        return -ENOSPC;
    return add_padding(b, (size_t)size);
}

int layout_render(const struct layout *l, struct random *r, const struct time_texts *now,
                  int64_t size, struct layout_text *out)
{
    buf_clear(&out->text);
    out->text.max = LOAD_SIZE_MAX + LOAD_SDATA_MAX + 1024;
    out->slots_n = 0;
    switch (l->o->layout) {
    case LOAD_LOGGEN:
        return render_loggen(l, now, size, out);
    case LOAD_COMPACT:
        return render_compact(l, now, size, out);
    default:
        return render_mix(l, r, now, size, out);
    }
}

int64_t layout_min(const struct layout *l)
{
    int64_t tail = l->o->has_sequence ? SEQUENCE_BYTES : 0;
    int64_t sdata = l->more->sdata ? (int64_t)strlen(l->more->sdata) : 1;
    switch (l->o->layout) {
    case LOAD_LOGGEN:
        return (l->o->format == LOAD_RFC5424 ? 139 + sdata : 127) + tail;
    case LOAD_COMPACT:
        return LOAD_COMPACT_MIN + (l->o->format == LOAD_RFC5424 && !l->o->has_sequence ? 12 : 0);
    default:
        return tail > 0 ? tail + 20 : 1;
    }
}

int layout_new(const struct load_options *o, const struct load_more *more, struct layout **ret,
               struct err *err)
{
    struct layout *l = xcalloc(1, sizeof(*l));
    l->o = o;
    l->more = more;
    /* ten digits, as the times that loggen takes for it */
    l->run_id = more->run_id >= 0 ? more->run_id
                                  : 1000000000 + (int64_t)(o->run % UINT64_C(9000000000));
    l->mix = xcalloc(mix_sources_n, sizeof(*l->mix));
    for (size_t i = 0; i < mix_sources_n; i++) {
        const struct mix_source *m = &mix_sources[i];
        const char *source = o->format == LOAD_RFC5424 ? m->rfc5424 : m->own;
        CHECK(template_compile(source, &l->mix[i], err) == 0);
    }
    if (o->layout == LOAD_LOGGEN && more->sdata && strlen(more->sdata) > LOAD_SDATA_MAX) {
        layout_free(&l);
        return err_set_field(err, EINVAL, "bad_value", "sdata",
                             "the structured data has more than %d bytes", LOAD_SDATA_MAX);
    }
    *ret = l;
    return 0;
}

void layout_free(struct layout **pl)
{
    if (*pl == NULL)
        return;
    free((*pl)->mix);
    free(*pl);
    *pl = NULL;
}
