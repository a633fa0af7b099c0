/* Log lines. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include "config/log.h"

static void catch_stderr(void)
{
    cr_redirect_stderr();
}

static void read_line(char *out, size_t n)
{
    fflush(stderr);
    FILE *f = cr_get_redirected_stderr();
    cr_assert_not_null(fgets(out, (int)n, f));
}

Test(log, a_line_has_time_level_and_text_and_cannot_be_broken_by_a_peer, .init = catch_stderr)
{
    char line[2048];
    log_line(LOG_WARNING, "from %s", "a\nb\x1b[1m");
    read_line(line, sizeof(line));
    cr_expect_str_eq(line + 27, " warning: from a b [1m\n");
    int64_t us;
    cr_expect_eq(rfc3339_parse(view_of(line, 27), &us), 0);
}

Test(log, a_long_line_is_cut_and_still_ends, .init = catch_stderr)
{
    char text[3000], line[4096];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    log_line(LOG_ERROR, "%s", text);
    read_line(line, sizeof(line));
    cr_expect_eq(strlen(line), 1023);
    cr_expect_eq(line[strlen(line) - 1], '\n');
}

Test(log, a_limited_line_comes_at_once_and_then_once_a_minute_with_the_number)
{
    struct log_limit l = {0};
    uint64_t times = 0;
    int64_t now = 5 * US_PER_SECOND;
    cr_expect(log_limit_due(&l, now, &times));
    cr_expect_eq(times, 1);
    for (int i = 0; i < 100; i++)
        cr_expect_not(log_limit_due(&l, now + i, &times));
    cr_expect(log_limit_due(&l, now + US_PER_MINUTE, &times));
    cr_expect_eq(times, 101);
}
