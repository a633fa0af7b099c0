#include <criterion/criterion.h>

#include "bench/load/template.h"

static struct buf render(const char *source, uint64_t seed)
{
    struct template t;
    struct err err;
    struct random r;
    struct time_texts now = {0};
    struct buf out = BUF_INIT(4096);
    random_seed(&r, seed);
    time_texts_update(&now, INT64_C(1773144000123456));
    cr_assert_eq(template_compile(source, &t, &err), 0, "%s", err.message);
    cr_assert_eq(template_render(&t, &r, &now, &out, NULL), 0);
    return out;
}

Test(template, text_and_times_are_rendered)
{
    struct buf out = render("<34>{time} h {iso}Z end", 1);
    cr_assert_str_eq(buf_str(&out), "<34>Mar 10 12:00:00 h 2026-03-10T12:00:00Z end");
    buf_free(&out);
}

Test(template, every_template_of_the_mix_compiles_and_the_same_seed_gives_the_same_message)
{
    cr_assert_geq(mix_sources_n, 20);
    for (size_t i = 0; i < 2 * mix_sources_n; i++) {
        const char *source = i % 2 ? mix_sources[i / 2].rfc5424 : mix_sources[i / 2].own;
        struct buf a = render(source, 7), b = render(source, 7), c = render(source, 8);
        cr_assert(view_eq(buf_view(&a), buf_view(&b)), "%s", source);
        cr_assert_not(view_eq(buf_view(&a), buf_view(&c)), "%s", source);
        cr_assert_eq(a.p[0], '<');
        cr_assert(a.n >= 40 && a.n <= 600, "%zu bytes: %s", a.n, source);
        cr_assert_null(strstr(buf_str(&a), "{w"), "%s", buf_str(&a));
        if (i % 2)
            cr_assert_not_null(strstr(buf_str(&a), ">1 2026-03-10T12:00:00"), "%s", buf_str(&a));
        buf_free(&a);
        buf_free(&b);
        buf_free(&c);
    }
}

Test(template, a_message_is_drawn_as_often_as_its_weight_says)
{
    struct random r;
    int64_t seen[64] = {0}, all = 0;
    random_seed(&r, 11);
    for (size_t i = 0; i < mix_sources_n; i++)
        all += mix_sources[i].weight;
    for (int64_t i = 0; i < 100 * all; i++)
        seen[mix_draw(&r) - mix_sources]++;
    for (size_t i = 0; i < mix_sources_n; i++) {
        int64_t expected = 100 * (int64_t)mix_sources[i].weight;
        cr_assert(seen[i] > expected * 8 / 10 && seen[i] < expected * 12 / 10, "%zu: %lld of %lld",
                  i, (long long)seen[i], (long long)expected);
    }
}

Test(template, every_form_of_the_time_is_written_in_the_zone_asked_for)
{
    static const struct {
        const char *source, *text;
    } cases[] = {
        {"{time}", "Mar 10 21:00:00"},
        {"{iso}", "2026-03-10T21:00:00"},
        {"{zoned}", "2026-03-10T21:00:00+09:00"},
        {"{utc}", "2026-03-10T12:00:00Z"},
        {"{date} {clock}", "2026-03-10 21:00:00"},
        {"{slash}", "2026/03/10 21:00:00"},
        {"{blank}", "2026-03-10 21:00:00"},
        {"{web}", "10/Mar/2026:21:00:00 +0900"},
        {"{epoch}", "1773144000"},
        {"{cisco}", "Mar 10 2026 21:00:00"},
        {"a {{b}", "a {b}"},
    };
    struct time_texts now = {.offset_s = 9 * 3600};
    cr_assert(time_texts_update(&now, INT64_C(1773144000123456)));
    cr_assert_not(time_texts_update(&now, INT64_C(1773144000999999)), "the same second");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct template t;
        struct err err;
        struct random r;
        struct buf out = BUF_INIT(4096);
        random_seed(&r, 1);
        cr_assert_eq(template_compile(cases[i].source, &t, &err), 0, "%s", err.message);
        cr_assert_eq(template_render(&t, &r, &now, &out, NULL), 0);
        cr_assert_str_eq(buf_str(&out), cases[i].text);
        buf_free(&out);
    }
}

Test(template, numbers_stay_within_their_bound_and_reach_both_ends)
{
    struct random r;
    bool is_seen[10] = {0};
    random_seed(&r, 3);
    for (int i = 0; i < 1000; i++) {
        uint32_t n = random_below(&r, 10);
        cr_assert_lt(n, 10);
        is_seen[n] = true;
    }
    for (int i = 0; i < 10; i++)
        cr_assert(is_seen[i], "%d", i);
}

Test(template, faults_are_named)
{
    static const struct {
        const char *source, *said;
    } cases[] = {
        {"a {ip", "{ is never closed"},
        {"a {nonsense}", "unknown field {nonsense}"},
        {"a {int:0}", "unknown field {int:0}"},
        {"a {hex:65}", "unknown field {hex:65}"},
        {"a {word:none}", "unknown field {word:none}"},
        {"a {time:1}", "unknown field {time:1}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct template t;
        struct err err;
        cr_assert_eq(template_compile(cases[i].source, &t, &err), -EINVAL, "%s", cases[i].source);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s", err.message);
    }
}
