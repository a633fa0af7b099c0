#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "bench/target/follow.h"

struct fixture {
    char path[64];
    int fd;
    struct follow f;
    struct buf got;
};

static int take(void *context, struct view text)
{
    struct fixture *x = context;
    return buf_add_view(&x->got, text);
}

static void begin(struct fixture *x)
{
    snprintf(x->path, sizeof(x->path), "/tmp/azk-follow-XXXXXX");
    x->fd = mkstemp(x->path);
    cr_assert_geq(x->fd, 0);
    fcntl(x->fd, F_SETFL, O_APPEND);
    x->got = BUF_INIT(16u << 20);
    follow_init(&x->f, x->path);
}

static void end(struct fixture *x)
{
    follow_done(&x->f);
    buf_free(&x->got);
    close(x->fd);
    unlink(x->path);
}

static void add(struct fixture *x, const char *text)
{
    cr_assert_eq(write(x->fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect(struct fixture *x, const char *text)
{
    buf_clear(&x->got);
    cr_assert_eq(follow_read(&x->f, take, x, NULL), 0);
    cr_expect_str_eq(buf_str(&x->got), text);
}

Test(follow, only_whole_lines_are_given_and_each_once)
{
    struct fixture x;
    begin(&x);
    expect(&x, "");
    add(&x, "one\ntw");
    expect(&x, "one\n");
    expect(&x, "");
    add(&x, "o\nthree\n");
    expect(&x, "two\nthree\n");
    end(&x);
}

Test(follow, a_file_that_was_emptied_begins_anew)
{
    struct fixture x;
    begin(&x);
    add(&x, "a long first line\n");
    expect(&x, "a long first line\n");
    cr_assert_eq(ftruncate(x.fd, 0), 0);
    expect(&x, "");
    add(&x, "new\n");
    expect(&x, "new\n");
    end(&x);
}

Test(follow, a_line_longer_than_a_piece_comes_in_pieces)
{
    struct fixture x;
    begin(&x);
    size_t n = FOLLOW_PIECE_BYTES * 2 + 100;
    char *line = xmalloc(n + 1);
    memset(line, 'x', n);
    line[n - 1] = '\n';
    line[n] = 0;
    add(&x, line);
    expect(&x, line);
    free(line);
    end(&x);
}

Test(follow, a_file_that_is_not_there_is_empty)
{
    struct fixture x;
    begin(&x);
    unlink(x.path);
    expect(&x, "");
    end(&x);
}

static int refuse(void *context, struct view text)
{
    (void)context, (void)text;
    return -ENOSPC;
}

Test(follow, what_the_reader_returns_and_a_stop_are_told)
{
    struct fixture x;
    volatile sig_atomic_t stop = 1;
    begin(&x);
    add(&x, "one\n");
    cr_expect_eq(follow_read(&x.f, take, &x, &stop), -EINTR);
    cr_expect_eq(follow_read(&x.f, refuse, &x, NULL), -ENOSPC);
    end(&x);
}
