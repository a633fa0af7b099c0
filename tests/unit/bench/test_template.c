#include <criterion/criterion.h>

#include "bench/template.h"

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
    cr_assert_eq(template_render(&t, &r, &now, &out), 0);
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
    cr_assert_geq(mix_sources_n, 10);
    for (size_t i = 0; i < mix_sources_n; i++) {
        struct buf a = render(mix_sources[i], 7), b = render(mix_sources[i], 7),
                   c = render(mix_sources[i], 8);
        cr_assert(view_eq(buf_view(&a), buf_view(&b)), "%s", mix_sources[i]);
        cr_assert_not(view_eq(buf_view(&a), buf_view(&c)), "%s", mix_sources[i]);
        cr_assert_eq(a.p[0], '<');
        cr_assert(a.n >= 40 && a.n <= 400, "%zu bytes: %s", a.n, mix_sources[i]);
        cr_assert_null(memchr(a.p, '{', a.n), "%s", buf_str(&a));
        buf_free(&a);
        buf_free(&b);
        buf_free(&c);
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
