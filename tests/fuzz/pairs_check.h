/* What holds for every reader of pairs, on any bytes: values lie in the text or in the scratch, are
 * clean UTF-8, and no more than PAIRS_MAX come.  Memory of exactly the text's size, for
 * AddressSanitizer. */
#ifndef AZEKURA_FUZZ_PAIRS_CHECK_H
#define AZEKURA_FUZZ_PAIRS_CHECK_H

#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "query/pairs_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pairs_check {
    struct view text;
    const char *scratch;
    size_t n;
};

static bool pairs_check_lies_in(struct view v, const char *p, size_t n)
{
    return v.p >= p && v.p + v.n <= p + n;
}

static bool pairs_check_pair(void *context, const struct pair *p)
{
    struct pairs_check *c = context;
    struct view both[] = {p->value, p->written};
    CHECK(++c->n <= PAIRS_MAX);
    CHECK(p->name.p && p->name.n <= PAIRS_NAME_MAX && utf8_is_clean(p->name));
    CHECK(p->alias.n <= PAIRS_NAME_MAX && (!p->alias.p || utf8_is_clean(p->alias)));
    CHECK(p->value.p && (!p->is_veiled || p->written.p));
    for (size_t i = 0; i < 2; i++)
        CHECK(!both[i].p ||
              (utf8_is_clean(both[i]) && (pairs_check_lies_in(both[i], c->text.p, c->text.n) ||
                                          pairs_check_lies_in(both[i], c->scratch, c->text.n))));
    return true;
}

/* `head` stands before what the fuzzer gives. */
static void pairs_check_reader(bool (*read)(struct pairs_sink *s, struct view text),
                               const char *head, const uint8_t *data, size_t size)
{
    struct buf clean = BUF_INIT(1 << 22);
    CHECK(buf_add_str(&clean, head) == 0);
    CHECK(utf8_clean(view_of((const char *)data, size), &clean) == 0);
    char *exact = xmalloc(clean.n + !clean.n), *scratch = xmalloc(clean.n + !clean.n);
    memcpy(exact, buf_view(&clean).p, clean.n);
    struct pairs_check c = {.text = view_of(exact, clean.n), .scratch = scratch};
    struct pairs_sink s = {.fn = pairs_check_pair, .context = &c, .scratch = scratch};
    struct pairs_sink asking = {.fn = NULL};
    if (clean.n > 0) {
        read(&s, c.text);
        CHECK(s.used <= clean.n && s.given == c.n);
        read(&asking, c.text);
        CHECK((asking.given > 0) == (c.n > 0));
    }
    free(exact);
    free(scratch);
    buf_free(&clean);
}

#endif
