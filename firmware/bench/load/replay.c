/* Replaying a file.  What loggen gets wrong (the severity lost, structured data lost, a wrong octet
 * count and header) is right here unless its quirks are asked for. */
#include "bench/load/replay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOM "\xEF\xBB\xBF"

enum {
    READ_BYTES = 64 << 10,
    READS_A_CALL = 16, /* then the caller looks whether to go on: a line may be without end */
};

struct replay {
    const struct load_options *o;
    const struct load_more *more;
    int fd;
    bool is_regular, is_at_end;
    char *bytes; /* READ_BYTES, of which at…n were not looked at yet */
    size_t at, n;
    int reads_left;
    char *line; /* LOAD_SIZE_MAX + 2 bytes: what has come of a line */
    size_t line_n;
    bool is_long; /* it has more than that */
    bool is_torn; /* the last line has no line feed */
    struct buf message;
    int64_t line_number, invalid, first_invalid;
    bool has_sent; /* since the beginning of the file: a file without messages is not read for ever
                    */
};

/* Up to the next blank, which is dropped. */
static struct view token(struct view *rest)
{
    const char *blank = rest->n ? memchr(rest->p, ' ', rest->n) : NULL;
    struct view t = view_of(rest->p, blank ? (size_t)(blank - rest->p) : rest->n);
    size_t used = t.n + (blank != NULL);
    *rest = view_of(rest->p + used, rest->n - used);
    return t;
}

static int parse_pri(struct view *rest, struct view *ret)
{
    const char *end = rest->n && rest->p[0] == '<' ? memchr(rest->p, '>', rest->n) : NULL;
    uint64_t n;
    if (end == NULL)
        return -EINVAL;
    *ret = view_of(rest->p + 1, (size_t)(end - rest->p) - 1);
    if (ret->n > 3 || view_u64(*ret, 191, &n) < 0)
        return -EINVAL;
    *rest = view_of(end + 1, rest->n - ret->n - 2);
    return rest->n > 0 ? 0 : -EINVAL;
}

/* "[a b="c"][d]" or "-"; a bracket within quotes does not end it. */
static int parse_sdata(struct view *rest, struct view *ret)
{
    size_t i = 0;
    bool is_quoted = false;
    if (rest->n == 0 || rest->p[0] != '[') {
        *ret = token(rest);
        return view_eq(*ret, VIEW("-")) ? 0 : -EINVAL;
    }
    for (; i < rest->n; i++) {
        char c = rest->p[i];
        if (c == '\\' && is_quoted)
            i++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (c == ']' && !is_quoted && (i + 1 == rest->n || rest->p[i + 1] != '['))
            break;
    }
    if (i >= rest->n)
        return -EINVAL;
    *ret = view_of(rest->p, i + 1);
    *rest = view_of(rest->p + i + 1, rest->n - i - 1);
    if (rest->n > 0 && rest->p[0] == ' ')
        *rest = view_of(rest->p + 1, rest->n - 1);
    return 0;
}

static int parse_5424(struct view rest, struct replay_line *ret)
{
    ret->is_rfc5424 = true;
    (void)token(&rest); /* version */
    (void)token(&rest); /* time */
    ret->host = token(&rest);
    ret->app = token(&rest);
    ret->procid = token(&rest);
    ret->msgid = token(&rest);
    if (ret->msgid.n == 0 || parse_sdata(&rest, &ret->sdata) < 0)
        return -EINVAL;
    if (view_starts_with(rest, VIEW(BOM)))
        rest = view_of(rest.p + 3, rest.n - 3);
    ret->text = rest;
    return 0;
}

static int parse_3164(struct view rest, struct replay_line *ret)
{
    if (rest.n < 17 || rest.p[15] != ' ')
        return -EINVAL;
    rest = view_of(rest.p + 16, rest.n - 16);
    ret->host = token(&rest);
    const char *colon = rest.n ? memchr(rest.p, ':', rest.n) : NULL;
    struct view tag = colon ? view_of(rest.p, (size_t)(colon - rest.p)) : VIEW("-");
    const char *bracket = tag.n ? memchr(tag.p, '[', tag.n) : NULL;
    ret->app = bracket ? view_of(tag.p, (size_t)(bracket - tag.p)) : tag;
    ret->procid = VIEW("-");
    if (bracket && tag.p[tag.n - 1] == ']')
        ret->procid = view_of(bracket + 1, (size_t)(tag.p + tag.n - bracket) - 2);
    ret->msgid = ret->sdata = VIEW("-");
    if (colon)
        rest = view_of(colon + 1, (size_t)(rest.p + rest.n - colon) - 1);
    ret->text = rest.n > 0 && rest.p[0] == ' ' ? view_of(rest.p + 1, rest.n - 1) : rest;
    return ret->host.n > 0 && ret->app.n > 0 ? 0 : -EINVAL;
}

int replay_parse(struct view line, struct replay_line *ret)
{
    *ret = (struct replay_line){.is_rfc5424 = false};
    if (parse_pri(&line, &ret->pri) < 0)
        return -EINVAL;
    if (line.p[0] >= 'A' && line.p[0] <= 'Z')
        return parse_3164(line, ret);
    if (line.p[0] >= '0' && line.p[0] <= '9')
        return parse_5424(line, ret);
    return -EINVAL;
}

/* Views, for a line may hold any byte. */
static int add_views(struct buf *out, const struct view *views, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (buf_add_view(out, views[i]) < 0)
            return -ENOSPC;
    return 0;
}

static int rebuild_5424(const struct replay_line *l, bool is_compat, struct view app,
                        const struct time_texts *now, struct buf *out)
{
    struct view version = l->is_rfc5424 || !is_compat ? VIEW(">1 ") : VIEW("> ");
    struct view time = view_str(now->text[is_compat ? FORM_ISO : FORM_ZONED]);
    const struct view blank = VIEW(" ");
    const struct view parts[] = {VIEW("<"), l->pri,   version,       time,      blank,     l->host,
                                 blank,     app,      blank,         l->procid, blank,     l->msgid,
                                 blank,     l->sdata, VIEW(" " BOM), l->text,   VIEW("\n")};
    return add_views(out, parts, ARRAY_LEN(parts));
}

int replay_rebuild(const struct replay_line *l, const struct load_options *o,
                   const struct load_more *more, const struct time_texts *now, struct buf *out)
{
    bool is_compat = more->is_compat;
    bool is_nothing = view_eq(l->procid, VIEW("-"));
    /* loggen has a "-" of RFC 5424 in brackets, and no name where a line has none */
    bool has_procid = !is_nothing || (is_compat && l->is_rfc5424);
    bool is_nameless = is_compat && !l->is_rfc5424 && view_eq(l->app, VIEW("-"));
    struct view app = is_nameless ? VIEW("") : l->app;
    if (o->format == LOAD_RFC5424)
        return rebuild_5424(l, is_compat, app, now, out);
    const struct view parts[] = {VIEW("<"),
                                 is_compat ? VIEW("38") : l->pri,
                                 VIEW(">"),
                                 view_str(now->text[FORM_BSD]),
                                 VIEW(" "),
                                 l->host,
                                 VIEW(" "),
                                 app,
                                 has_procid ? VIEW("[") : VIEW(""),
                                 has_procid ? l->procid : VIEW(""),
                                 has_procid ? VIEW("]: ") : VIEW(": "),
                                 l->text,
                                 VIEW("\n")};
    return add_views(out, parts, ARRAY_LEN(parts));
}

/* A named pipe is not waited for here, nor where it is read: replay_wait() does. */
static int open_file(const char *name, struct err *err)
{
    struct stat st;
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = fd < 0 || fstat(fd, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (error == 0)
        return fd;
    if (fd > STDIN_FILENO)
        close(fd);
    return err_set_field(err, error, "bad_value", "read-file", "cannot open %s: %s", name,
                         strerror(error));
}

int replay_open(const struct load_options *o, const struct load_more *more, struct replay **ret,
                struct err *err)
{
    bool is_input = strcmp(more->file, "-") == 0;
    if (is_input && (o->connections != 1 || more->is_looped))
        return err_set_field(err, EINVAL, "bad_value", "read-file",
                             "standard input is read once: by one connection, not with "
                             "--loop-reading");
    int fd = open_file(more->file, err);
    if (fd < 0)
        return fd;
    struct stat st;
    struct replay *r = xcalloc(1, sizeof(*r));
    *r = (struct replay){.o = o,
                         .more = more,
                         .fd = fd,
                         .is_regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode),
                         .bytes = xmalloc(READ_BYTES),
                         .line = xmalloc(LOAD_SIZE_MAX + 2),
                         .message = BUF_INIT(2 * LOAD_SIZE_MAX)};
    *ret = r;
    return 0;
}

void replay_free(struct replay **pr)
{
    struct replay *r = *pr;
    if (r == NULL)
        return;
    if (r->fd != STDIN_FILENO)
        close(r->fd);
    free(r->bytes);
    free(r->line);
    buf_free(&r->message);
    free(r);
    *pr = NULL;
}

void replay_wait(const struct replay *r, int ms)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    if (!r->is_regular)
        (void)poll(&p, 1, ms);
}

/* 1, 0 at the end, -EAGAIN, or another negative errno. */
static int refill(struct replay *r)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    if (r->is_at_end)
        return 0;
    if (r->reads_left-- == 0 || (!r->is_regular && poll(&p, 1, 0) == 0))
        return -EAGAIN;
    ssize_t n = read(r->fd, r->bytes, READ_BYTES);
    if (n < 0)
        return errno == EINTR ? -EAGAIN : -errno;
    r->at = 0;
    r->n = (size_t)n;
    r->is_at_end = n == 0;
    return n > 0;
}

/* A line with its line feed; one that is too long is none.  1, 0 at the end, negative errno:
 * -EAGAIN when its end has not come yet. */
static int read_line(struct replay *r, struct view *ret)
{
    for (const char *lf = NULL; lf == NULL;) {
        int more = r->at < r->n ? 1 : refill(r);
        if (more < 0)
            return more;
        if (more == 0 && r->line_n == 0)
            return 0;
        if (more == 0)
            break;
        const char *p = r->bytes + r->at;
        lf = memchr(p, '\n', r->n - r->at);
        size_t used = lf ? (size_t)(lf - p) + 1 : r->n - r->at;
        size_t kept = MIN(used, LOAD_SIZE_MAX + 1 - r->line_n);
        memcpy(r->line + r->line_n, p, kept);
        r->line_n += kept;
        r->is_long |= kept < used;
        r->at += used;
    }
    r->line_number++;
    size_t n = r->is_long ? 0 : r->line_n;
    r->is_torn = n > 0 && r->line[n - 1] != '\n';
    if (r->is_torn)
        r->line[n++] = '\n';
    r->line_n = 0;
    r->is_long = false;
    *ret = view_of(r->line, n);
    return 1;
}

static bool rewind_file(struct replay *r)
{
    if (!r->more->is_looped || !r->has_sent || lseek(r->fd, 0, SEEK_SET) < 0)
        return false;
    r->is_at_end = false;
    r->line_number = 0;
    r->has_sent = false;
    return true;
}

static bool make(struct replay *r, struct view line, const struct time_texts *now)
{
    struct replay_line parsed;
    buf_clear(&r->message);
    if (line.n == 0)
        return false;
    bool is_good;
    if (r->more->is_raw) {
        is_good = buf_add_view(&r->message, line) == 0;
    } else {
        line.n--;
        for (int64_t i = 0; i < r->more->skip_tokens; i++)
            (void)token(&line);
        is_good = replay_parse(line, &parsed) == 0 &&
                  replay_rebuild(&parsed, r->o, r->more, now, &r->message) == 0;
    }
    /* loggen sends the last line as it is */
    if (is_good && r->is_torn && r->more->is_compat)
        r->message.n--;
    return is_good;
}

static int add_framed(struct replay *r, uint32_t stream, int64_t number, struct buf *out)
{
    const struct load_options *o = r->o;
    struct buf *m = &r->message;
    bool is_dgram = o->transport == TARGET_UDP || o->transport == TARGET_UNIX_DGRAM;
    bool is_padded = r->more->is_compat && o->format == LOAD_RFC5424;
    bool is_counted = is_padded ||
                      (o->framing == LOAD_OCTETS && (!is_dgram || r->more->is_dgram_counted));
    if (o->has_sequence) {
        m->n--;
        if (buf_printf(m, " seq=%016llx-%05u-%010lld\n", (unsigned long long)o->run, stream,
                       (long long)number) < 0)
            return -ENOSPC;
    }
    if (is_counted && !r->more->is_raw && buf_printf(out, is_padded ? "%09zu " : "%zu ", m->n) < 0)
        return -ENOSPC;
    return buf_add_view(out, buf_view(m)) < 0 ? -ENOSPC : 1;
}

int replay_next(struct replay *r, const struct time_texts *now, uint32_t stream, int64_t number,
                struct buf *out)
{
    r->reads_left = READS_A_CALL;
    for (;;) {
        struct view line = VIEW_NULL;
        int n = read_line(r, &line);
        if (n < 0)
            return n;
        if (n == 0) {
            if (!rewind_file(r))
                return 0;
        } else if (make(r, line, now)) {
            r->has_sent = true;
            return add_framed(r, stream, number, out);
        } else if (r->invalid++ == 0) {
            r->first_invalid = r->line_number;
        }
    }
}

int64_t replay_invalid(const struct replay *r, int64_t *ret_first)
{
    *ret_first = r->first_invalid;
    return r->invalid;
}
