#include <criterion/criterion.h>

#include "bench/load/payload.h"

static struct load_options plain(enum load_layout layout, enum load_format format)
{
    return (struct load_options){.transport = TARGET_TCP,
                                 .layout = layout,
                                 .format = format,
                                 .seed = 7,
                                 .run = UINT64_C(0xf00dfeed12345678)};
}

static struct payload *make(const struct load_options *o, const struct load_more *more)
{
    struct payload *p;
    struct err err;
    cr_assert_eq(payload_new(o, more, 0, 1, &p, &err), 0, "%s", err.message);
    p->now.offset_s = 0;
    p->now.second = 0;
    time_texts_update(&p->now, INT64_C(1773144000123456));
    return p;
}

static void expect(const struct payload *p, size_t i, const char *text)
{
    const struct payload_message *m = &p->messages[i];
    cr_assert_eq(m->n, strlen(text), "%u bytes: %.*s", m->n, (int)m->n, p->bytes + m->at);
    cr_assert(memcmp(p->bytes + m->at, text, m->n) == 0, "\n%.*s\n%s", (int)m->n, p->bytes + m->at,
              text);
}

Test(payload, loggens_line_is_byte_for_byte_its_own)
{
    static const struct {
        enum load_format format;
        enum load_framing framing;
        int64_t size;
        const char *sdata, *text;
    } cases[] = {
        {LOAD_RFC3164, LOAD_LF, 127, NULL,
         "<38>2026-03-10T12:00:00 localhost prg00000[1234]: seq: 0000000041, thread: 0003, runid: "
         "1796053934, stamp: 2026-03-10T12:00:00\n"},
        {LOAD_RFC3164, LOAD_LF, 136, NULL,
         "<38>2026-03-10T12:00:00 localhost prg00000[1234]: seq: 0000000041, thread: 0003, runid: "
         "1796053934, stamp: 2026-03-10T12:00:00 PADDPADD\n"},
        {LOAD_RFC5424, LOAD_OCTETS, 150, NULL,
         "150 <38>1 2026-03-10T12:00:00+00:00 localhost prg00000 1234 - - \xEF\xBB\xBFseq: "
         "0000000041, thread: 0003, runid: 1796053934, stamp: 2026-03-10T12:00:00 PADDPADDP\n"},
        {LOAD_RFC5424, LOAD_LF, 157, "[a b=\"c\"]",
         "<38>1 2026-03-10T12:00:00+00:00 localhost prg00000 1234 - [a b=\"c\"] \xEF\xBB\xBFseq: "
         "0000000041, thread: 0003, runid: 1796053934, stamp: 2026-03-10T12:00:00 PADDPADD\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_options o = plain(LOAD_LOGGEN, cases[i].format);
        struct load_more more = {.run_id = 1796053934, .sdata = cases[i].sdata};
        o.framing = cases[i].framing;
        o.size = cases[i].size;
        struct payload *p = make(&o, &more);
        payload_prepare(p, 0, 4, 3, 41);
        expect(p, 0, cases[i].text);
        cr_assert_eq(p->uniform_bytes, p->messages[0].n);
        payload_free(&p);
    }
}

Test(payload, a_short_line_has_where_it_comes_from_and_fits_its_size)
{
    static const struct {
        enum load_format format;
        bool has_sequence;
        int64_t size;
        const char *text;
    } cases[] = {
        {LOAD_RFC3164, true, 80,
         "<38>Mar 10 12:00:00 h00012 b: seq=f00dfeed12345678-00012-0000000099PADDPADDPADDP\n"},
        {LOAD_RFC5424, true, 80,
         "<38>1 2026-03-10T12:00:00Z h00012 b - - - seq=f00dfeed12345678-00012-0000000099P\n"},
        {LOAD_RFC3164, false, 80,
         "<38>Mar 10 12:00:00 h0012 b[1]: r=12345678 t=00c s=0000000099 n=0abcdefghij PADD\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_options o = plain(LOAD_COMPACT, cases[i].format);
        struct load_more more = {.run_id = -1};
        o.size = cases[i].size;
        o.has_sequence = cases[i].has_sequence;
        struct payload *p = make(&o, &more);
        memcpy(p->stamp, "0abcdefghij", sizeof(p->stamp));
        payload_prepare(p, 5, 1, 12, 99);
        expect(p, 5, cases[i].text);
        payload_free(&p);
    }
}

Test(payload, numbers_count_on_over_every_carry_and_the_stream_changes_with_its_connection)
{
    struct load_options o = plain(LOAD_COMPACT, LOAD_RFC3164);
    struct load_more more = {.run_id = -1};
    o.size = 100;
    o.has_sequence = true;
    struct payload *p = make(&o, &more);
    static const int64_t starts[] = {0, 95, 990, 99995, 999999990, 9999999990};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        uint32_t stream = (uint32_t)(i * 11111);
        payload_prepare(p, 0, 20, stream, starts[i]);
        for (int64_t k = 0; k < 20; k++) {
            char mark[64];
            const struct payload_message *m = &p->messages[k];
            snprintf(mark, sizeof(mark), " seq=f00dfeed12345678-%05u-%010lld ", stream,
                     (long long)((starts[i] + k) % 10000000000));
            cr_assert_not_null(memmem(p->bytes + m->at, m->n, mark, strlen(mark)), "%s in %.*s",
                               mark, (int)m->n, p->bytes + m->at);
        }
    }
    payload_free(&p);
}

Test(payload, times_are_written_again_when_the_second_changes)
{
    static const enum load_layout layouts[] = {LOAD_LOGGEN, LOAD_COMPACT, LOAD_MIX};
    for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
        struct load_options o = plain(layouts[i], LOAD_RFC5424);
        struct load_more more = {.run_id = 1};
        o.size = layouts[i] == LOAD_MIX ? 0 : 200;
        struct payload *p = make(&o, &more);
        payload_prepare(p, 0, 100, 0, 0);
        time_texts_update(&p->now, INT64_C(1773230467000000)); /* the next day, 12:01:07 */
        payload_prepare(p, 0, 100, 0, 0);
        for (size_t k = 0; k < 100; k++) {
            const struct payload_message *m = &p->messages[k];
            cr_assert_null(memmem(p->bytes + m->at, m->n, "2026-03-10T12:00:00", 19), "%.*s",
                           (int)m->n, p->bytes + m->at);
            cr_assert_not_null(memmem(p->bytes + m->at, m->n, "2026-03-11T12:01:07", 19), "%.*s",
                               (int)m->n, p->bytes + m->at);
        }
        payload_free(&p);
    }
}

Test(payload, the_mix_has_the_size_asked_for_its_mark_and_whole_characters)
{
    static const int64_t sizes[] = {60, 100, 256, 2000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct load_options o = plain(LOAD_MIX, LOAD_RFC3164);
        struct load_more more = {.run_id = -1};
        o.size = sizes[i];
        o.has_sequence = true;
        struct payload *p = make(&o, &more);
        payload_prepare(p, 0, 1000, 2, 500);
        for (size_t k = 0; k < 1000; k++) {
            const struct payload_message *m = &p->messages[k];
            const char *text = p->bytes + m->at;
            cr_assert_eq(m->n, sizes[i] + 1, "%.*s", (int)m->n, text);
            cr_assert_eq(text[m->n - 1], '\n');
            const char *mark = memmem(text, m->n, " seq=f00dfeed12345678-00002-", 28);
            cr_assert_not_null(mark, "%.*s", (int)m->n, text);
            cr_assert(mark == text || ((unsigned char)mark[-1] & 0xc0) != 0xc0,
                      "a character is cut: %.*s", (int)m->n, text);
        }
        payload_free(&p);
    }
}

Test(payload, the_same_seed_gives_the_same_messages_and_threads_differ)
{
    struct load_options o = plain(LOAD_MIX, LOAD_RFC3164);
    struct load_more more = {.run_id = -1};
    struct payload *a = make(&o, &more), *b = make(&o, &more), *c;
    struct err err;
    cr_assert_eq(payload_new(&o, &more, 1, 2, &c, &err), 0);
    payload_prepare(a, 0, 50, 0, 0);
    payload_prepare(b, 0, 50, 0, 0);
    cr_assert(memcmp(a->bytes, b->bytes, a->messages[50].at) == 0);
    cr_assert(memcmp(a->bytes + 40, c->bytes + 40, 1000) != 0);
    cr_assert_eq(c->n, PAYLOAD_MIX_MESSAGES / 2, "threads share the memory");
    payload_free(&a);
    payload_free(&b);
    payload_free(&c);
}

Test(payload, sizes_are_drawn_by_their_weights)
{
    struct load_options o = plain(LOAD_MIX, LOAD_RFC3164);
    struct load_more more = {
        .run_id = -1, .sizes = {{100, 50}, {256, 30}, {1024, 20}}, .sizes_n = 3};
    o.transport = TARGET_UDP;
    struct payload *p = make(&o, &more);
    int64_t seen[3] = {0};
    for (size_t i = 0; i < p->n; i++)
        seen[p->messages[i].n == 100 ? 0 : p->messages[i].n == 256 ? 1 : 2]++;
    cr_assert_float_eq((double)seen[0] / (double)p->n, 0.5, 0.02);
    cr_assert_float_eq((double)seen[1] / (double)p->n, 0.3, 0.02);
    cr_assert_float_eq((double)seen[2] / (double)p->n, 0.2, 0.02);
    cr_assert_eq(p->uniform_bytes, 0);
    payload_free(&p);
}

Test(payload, a_size_the_layout_cannot_have_is_refused_with_its_bounds)
{
    static const struct {
        enum load_layout layout;
        enum load_format format;
        bool has_sequence;
        int64_t size;
        const char *said;
    } cases[] = {
        {LOAD_LOGGEN, LOAD_RFC3164, false, 126, "126 bytes is out of 127..65000"},
        {LOAD_LOGGEN, LOAD_RFC5424, false, 139, "139 bytes is out of 140..65000"},
        {LOAD_LOGGEN, LOAD_RFC3164, true, 160, "160 bytes is out of 165..65000"},
        {LOAD_COMPACT, LOAD_RFC3164, true, 79, "79 bytes is out of 80..65000"},
        {LOAD_MIX, LOAD_RFC3164, true, 50, "50 bytes is out of 58..65000"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_options o = plain(cases[i].layout, cases[i].format);
        struct load_more more = {.run_id = -1};
        struct payload *p;
        struct err err;
        o.size = cases[i].size;
        o.has_sequence = cases[i].has_sequence;
        cr_assert_eq(payload_new(&o, &more, 0, 1, &p, &err), -EINVAL, "case %zu", i);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s", err.message);
    }
}

Test(payload, the_smallest_size_of_every_layout_can_be_made)
{
    for (int i = 0; i < 12; i++) {
        struct load_options o = plain((enum load_layout)(i % 3), (enum load_format)(i / 3 % 2));
        struct load_more more = {.run_id = 1};
        struct layout *l;
        struct err err;
        o.has_sequence = i >= 6;
        cr_assert_eq(layout_new(&o, &more, &l, &err), 0);
        o.size = layout_min(l);
        struct payload *p = make(&o, &more);
        int64_t lf = o.layout == LOAD_LOGGEN ? 0 : 1;
        for (size_t k = 0; k < 100; k++)
            cr_assert_eq(p->messages[k].n, o.size + lf, "case %d: %u of %lld", i, p->messages[k].n,
                         (long long)o.size);
        payload_free(&p);
        layout_free(&l);
    }
}

Test(payload, with_loggens_quirks_a_short_size_has_no_line_feed_and_a_wrong_count)
{
    struct load_options o = plain(LOAD_LOGGEN, LOAD_RFC5424);
    struct load_more more = {.run_id = 1796053934, .is_compat = true};
    o.size = 120;
    o.framing = LOAD_OCTETS;
    struct payload *p = make(&o, &more);
    payload_prepare(p, 0, 1, 0, 0);
    expect(p, 0,
           "120 <38>1 2026-03-10T12:00:00+00:00 localhost prg00000 1234 - - \xEF\xBB\xBFseq: "
           "0000000000, thread: 0000, runid: 1796053934, stamp: 2026-03-10T12:00:00 ");
    payload_free(&p);
}

Test(payload, with_loggens_quirks_a_long_counted_message_loses_its_end)
{
    static const struct {
        int64_t size;
        uint32_t bytes;
        char last;
    } cases[] = {{8187, 8192, '\n'}, {8188, 8192, 'P'}, {8192, 8192, 'P'}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_options o = plain(LOAD_LOGGEN, LOAD_RFC5424);
        struct load_more more = {.run_id = 1796053934, .is_compat = true};
        o.size = cases[i].size;
        o.framing = LOAD_OCTETS;
        struct payload *p = make(&o, &more);
        const struct payload_message *m = &p->messages[1];
        cr_assert_eq(m->n, cases[i].bytes, "%lld: %u", (long long)o.size, m->n);
        char last = p->bytes[m->at + m->n - 1];
        cr_assert_eq(last == '\n', cases[i].last == '\n', "%lld: %c", (long long)o.size, last);
        payload_free(&p);
    }
}

Test(payload, a_run_that_is_drawn_has_ten_digits_as_loggens)
{
    static const uint64_t runs[] = {0, 1, 999999999, UINT64_C(9000000000), UINT64_MAX};
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        struct load_options o = plain(LOAD_LOGGEN, LOAD_RFC3164);
        struct load_more more = {.run_id = -1};
        o.run = runs[i];
        o.size = 127;
        struct payload *p = make(&o, &more);
        const char *id = strstr(p->bytes, "runid: ") + 7;
        cr_assert_eq(strspn(id, "0123456789"), 10, "%.12s", id);
        cr_assert_neq(id[0], '0');
        payload_free(&p);
    }
}
