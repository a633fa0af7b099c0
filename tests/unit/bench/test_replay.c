#include <criterion/criterion.h>
#include <unistd.h>

#include "bench/load/replay.h"

static const char lines[] = "<13>Feb 10 10:11:12 hosta sshd[77]: hello world\n"
                            "<14>1 2024-01-02T03:04:05Z h5 app 12 id [a b=\"c\\\"]\"][d] "
                            "\xEF\xBB\xBFtext here\n"
                            "bad line\n"
                            "<165>1 2024-01-02T03:04:05Z h6 app - - - no mark\n"
                            "<30>Feb 10 10:11:12 hostb cron: without number\n";

static const char *file(const char *text)
{
    static char name[] = "/tmp/azekura-replay-XXXXXX";
    memcpy(name + sizeof(name) - 7, "XXXXXX", 6);
    int fd = mkstemp(name);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return name;
}

static void expect(const struct load_options *o, const struct load_more *more, const char *text)
{
    struct replay *r;
    struct err err;
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 20);
    int64_t number = 0, first;
    int n;
    time_texts_update(&now, INT64_C(1773144000000000));
    cr_assert_eq(replay_open(o, more, &r, &err), 0, "%s", err.message);
    while ((n = replay_next(r, &now, 2, number, &out)) > 0 && number < 9)
        number++;
    cr_assert_eq(n, more->is_looped ? 1 : 0);
    cr_assert_str_eq(buf_str(&out), text);
    if (!more->is_raw && !more->is_looped) {
        cr_assert_eq(replay_invalid(r, &first), 1);
        cr_assert_eq(first, 3);
    }
    buf_free(&out);
    replay_free(&r);
    unlink(more->file);
}

Test(replay, lines_are_sent_with_the_time_of_now_and_keep_what_they_say)
{
    struct load_options o = {.layout = LOAD_FILE, .connections = 1};
    struct load_more more = {.file = file(lines)};
    expect(&o, &more,
           "<13>Mar 10 12:00:00 hosta sshd[77]: hello world\n"
           "<14>Mar 10 12:00:00 h5 app[12]: text here\n"
           "<165>Mar 10 12:00:00 h6 app: no mark\n"
           "<30>Mar 10 12:00:00 hostb cron: without number\n");
}

Test(replay, as_rfc5424_they_have_a_right_count_and_header)
{
    struct load_options o = {.transport = TARGET_TCP,
                             .layout = LOAD_FILE,
                             .connections = 1,
                             .format = LOAD_RFC5424,
                             .framing = LOAD_OCTETS};
    struct load_more more = {.file = file(lines)};
    expect(&o, &more,
           "65 <13>1 2026-03-10T12:00:00+00:00 hosta sshd 77 - - \xEF\xBB\xBFhello world\n"
           "74 <14>1 2026-03-10T12:00:00+00:00 h5 app 12 id [a b=\"c\\\"]\"][d] "
           "\xEF\xBB\xBFtext here\n"
           "57 <165>1 2026-03-10T12:00:00+00:00 h6 app - - - \xEF\xBB\xBFno mark\n"
           "67 <30>1 2026-03-10T12:00:00+00:00 hostb cron - - - \xEF\xBB\xBFwithout number\n");
}

Test(replay, with_loggens_quirks_they_are_rebuilt_as_it_does)
{
    struct load_options o = {.layout = LOAD_FILE, .connections = 1};
    struct load_more more = {
        .file = file("<13>Feb 10 10:11:12 hosta sshd[77]: hello world\nx\nx\n"), .is_compat = true};
    struct replay *r;
    struct err err;
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 20);
    time_texts_update(&now, INT64_C(1773144000000000));
    cr_assert_eq(replay_open(&o, &more, &r, &err), 0);
    cr_assert_eq(replay_next(r, &now, 0, 0, &out), 1);
    cr_assert_str_eq(buf_str(&out), "<38>Mar 10 12:00:00 hosta sshd[77]: hello world\n");
    replay_free(&r);
    o.format = LOAD_RFC5424;
    buf_clear(&out);
    cr_assert_eq(replay_open(&o, &more, &r, &err), 0);
    cr_assert_eq(replay_next(r, &now, 0, 0, &out), 1);
    cr_assert_str_eq(buf_str(&out), "000000058 <13> 2026-03-10T12:00:00 hosta sshd 77 - - "
                                    "\xEF\xBB\xBFhello world\n");
    replay_free(&r);
    unlink(more.file);
    buf_free(&out);
}

Test(replay, as_they_are_they_are_sent_byte_for_byte_and_over_and_over)
{
    struct load_options o = {.layout = LOAD_FILE, .connections = 1, .framing = LOAD_OCTETS};
    struct load_more more = {.file = file("one\ntwo"), .is_raw = true, .is_looped = true};
    expect(&o, &more, "one\ntwo\none\ntwo\none\ntwo\none\ntwo\none\ntwo\n");
}

Test(replay, words_at_the_start_of_a_line_are_dropped_and_marks_added)
{
    struct load_options o = {.layout = LOAD_FILE,
                             .connections = 1,
                             .has_sequence = true,
                             .run = UINT64_C(0x0123456789abcdef)};
    struct load_more more = {.file = file("a b <13>Feb 10 10:11:12 h t: x\n1\n2\n"),
                             .skip_tokens = 2};
    struct replay *r;
    struct err err;
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 20);
    time_texts_update(&now, INT64_C(1773144000000000));
    cr_assert_eq(replay_open(&o, &more, &r, &err), 0);
    cr_assert_eq(replay_next(r, &now, 3, 17, &out), 1);
    cr_assert_str_eq(buf_str(&out),
                     "<13>Mar 10 12:00:00 h t: x seq=0123456789abcdef-00003-0000000017\n");
    cr_assert_eq(replay_next(r, &now, 3, 18, &out), 0);
    replay_free(&r);
    unlink(more.file);
    buf_free(&out);
}

Test(replay, a_file_without_messages_is_not_read_for_ever)
{
    struct load_options o = {.layout = LOAD_FILE, .connections = 1};
    struct load_more more = {.file = file("nothing\n"), .is_looped = true};
    struct replay *r;
    struct err err;
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 20);
    cr_assert_eq(replay_open(&o, &more, &r, &err), 0);
    cr_assert_eq(replay_next(r, &now, 0, 0, &out), 0);
    replay_free(&r);
    unlink(more.file);
    more.file = "/nonexistent/file";
    cr_assert_eq(replay_open(&o, &more, &r, &err), -ENOENT);
    cr_assert_not_null(strstr(err.message, "cannot open /nonexistent/file"), "%s", err.message);
}

Test(replay, no_prefix_of_a_line_is_read_past_its_end)
{
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        size_t all = strcspn(line, "\n");
        for (size_t n = 0; n <= all; n++) {
            char *exact = xmalloc(n + 1); /* the sanitizer sees what is beyond */
            struct replay_line parsed;
            memcpy(exact, line, n);
            (void)!replay_parse(view_of(exact, n), &parsed);
            free(exact);
        }
    }
}

static struct replay *open_named(const char *name, struct load_options *o, struct load_more *more)
{
    struct replay *r;
    struct err err;
    *o = (struct load_options){.layout = LOAD_FILE, .connections = 1};
    *more = (struct load_more){.file = name};
    cr_assert_eq(replay_open(o, more, &r, &err), 0, "%s", err.message);
    return r;
}

Test(replay, bytes_of_every_value_are_kept)
{
    static const char line[] = "<13>Feb 10 10:11:12 h a: one\0two\xff";
    struct replay_line l;
    struct load_options o = {.layout = LOAD_FILE};
    struct load_more more = {0};
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 16);
    time_texts_update(&now, INT64_C(1773144000000000));
    cr_assert_eq(replay_parse(view_of(line, sizeof(line) - 1), &l), 0);
    cr_assert_eq(replay_rebuild(&l, &o, &more, &now, &out), 0);
    cr_assert_eq(out.n, sizeof(line));
    cr_assert(memcmp(out.p + 25, "one\0two\xff\n", 9) == 0, "%.*s", (int)out.n, out.p);
    buf_free(&out);
}

Test(replay, a_line_without_end_is_not_read_at_a_stretch)
{
    struct load_options o;
    struct load_more more;
    struct replay *r = open_named("/dev/zero", &o, &more);
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 20);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(replay_next(r, &now, 0, 0, &out), -EAGAIN);
    buf_free(&out);
    replay_free(&r);
}

Test(replay, a_pipe_is_read_as_far_as_it_has_come)
{
    static const char first[] = "<13>Feb 10 10:11:12 h a: one\n<13>Feb 10 10:11:12 h a: t";
    struct load_options o;
    struct load_more more;
    struct time_texts now = {0};
    struct buf out = BUF_INIT(1 << 20);
    char name[32];
    int fds[2];
    cr_assert_eq(pipe(fds), 0);
    snprintf(name, sizeof(name), "/dev/fd/%d", fds[0]);
    struct replay *r = open_named(name, &o, &more);
    cr_assert_eq(replay_next(r, &now, 0, 0, &out), -EAGAIN);
    cr_assert_eq(write(fds[1], first, sizeof(first) - 1), (ssize_t)sizeof(first) - 1);
    cr_assert_eq(replay_next(r, &now, 0, 0, &out), 1);
    cr_assert_eq(replay_next(r, &now, 0, 1, &out), -EAGAIN);
    cr_assert_eq(write(fds[1], "wo", 2), 2);
    close(fds[1]);
    cr_assert_eq(replay_next(r, &now, 0, 1, &out), 1);
    cr_assert_eq(replay_next(r, &now, 0, 2, &out), 0);
    cr_assert_not_null(strstr(buf_str(&out), "a: one\n"));
    cr_assert_not_null(strstr(buf_str(&out), "a: two\n"));
    close(fds[0]);
    buf_free(&out);
    replay_free(&r);
}

Test(replay, a_folder_is_no_file)
{
    struct load_options o = {.layout = LOAD_FILE, .connections = 1};
    struct load_more more = {.file = "/tmp"};
    struct replay *r;
    struct err err;
    cr_assert_lt(replay_open(&o, &more, &r, &err), 0);
    cr_assert_str_eq(err.message, "cannot open /tmp: Is a directory");
}
