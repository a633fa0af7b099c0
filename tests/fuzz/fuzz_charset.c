/* Any bytes in any charset: clean UTF-8 of at most three times the length, ASCII left as it is, and
 * the same answer each time; guessing keeps within its bounds.  The first byte chooses the charset.
 */
#include "base/utf8.h"
#include "syslog/charset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_decoded(const struct charset *c, struct view in)
{
    struct buf out = BUF_INIT(3 * in.n + 64), again = BUF_INIT(3 * in.n + 64);
    size_t undecodable = SIZE_MAX;
    int bad = charset_decode(c, in, &out);
    CHECK(bad >= 0 && (size_t)bad <= in.n);
    CHECK(out.n <= 3 * in.n && utf8_is_clean(buf_view(&out)));
    if (!charset_applies(c, in) && utf8_is_clean(in))
        CHECK(charset_is_utf8(c) || view_eq(buf_view(&out), in) ||
              strncmp(charset_name(c), "UTF-16", 6) == 0);
    int rc = charset_text(c, in, &again, &undecodable);
    CHECK(rc == 0 || rc == 1);
    CHECK(rc == 1 ? undecodable == (size_t)bad && view_eq(buf_view(&out), buf_view(&again))
                  : again.n == 0 && in.n - utf8_clean_prefix(in) <= 3);
    buf_free(&out);
    buf_free(&again);
}

/* Message by message, as lines have them. */
static void check_guess(struct view in)
{
    struct charset_guess g = {0};
    while (in.n > 0) {
        const char *end = memchr(in.p, '\n', in.n);
        size_t n = end ? (size_t)(end - in.p) : in.n;
        charset_guess_add(&g, view_of(in.p, n));
        n += end != NULL;
        in = view_of(in.p + n, in.n - n);
    }
    unsigned percent = 0;
    const struct charset *c = charset_guess(&g, &percent);
    CHECK(c ? percent >= 1 && percent <= 100 && !charset_is_utf8(c) : percent == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t charsets;
    while (charset_at(charsets))
        charsets++;
    if (size == 0)
        return 0;
    struct view in = view_of((const char *)data + 1, size - 1);
    check_decoded(charset_at(data[0] % charsets), in);
    check_guess(in);
    (void)charset_find(view_of((const char *)data, MIN(size, (size_t)40)));
    return 0;
}
