/* Replaying a file.  What loggen gets wrong (the severity lost, structured data lost, a wrong octet
 * count and header) is right here unless its quirks are asked for. */
#include "bench/replay.h"

#define BOM "\xEF\xBB\xBF"

struct replay {
    const struct load_options *o;
    const struct load_more *more;
    FILE *file;
    char *line; /* LOAD_SIZE_MAX + 2 bytes */
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

static int rebuild_5424(const struct replay_line *l, bool is_compat, const struct time_texts *now,
                        struct buf *out)
{
    bool has_version = l->is_rfc5424 || !is_compat;
    const char *time = now->text[is_compat ? FORM_ISO : FORM_ZONED];
    return buf_printf(out, "<%.*s>%s %s %.*s %.*s %.*s %.*s %.*s " BOM "%.*s\n", VIEW_ARG(l->pri),
                      has_version ? "1" : "", time, VIEW_ARG(l->host), VIEW_ARG(l->app),
                      VIEW_ARG(l->procid), VIEW_ARG(l->msgid), VIEW_ARG(l->sdata),
                      VIEW_ARG(l->text));
}

int replay_rebuild(const struct replay_line *l, const struct load_options *o,
                   const struct load_more *more, const struct time_texts *now, struct buf *out)
{
    if (o->format == LOAD_RFC5424)
        return rebuild_5424(l, more->is_compat, now, out);
    struct view pri = more->is_compat ? VIEW("38") : l->pri;
    bool has_procid = !view_eq(l->procid, VIEW("-"));
    return buf_printf(out, "<%.*s>%s %.*s %.*s%s%.*s%s: %.*s\n", VIEW_ARG(pri), now->text[FORM_BSD],
                      VIEW_ARG(l->host), VIEW_ARG(l->app), has_procid ? "[" : "",
                      has_procid ? (int)l->procid.n : 0, l->procid.p, has_procid ? "]" : "",
                      VIEW_ARG(l->text));
}

int replay_open(const struct load_options *o, const struct load_more *more, struct replay **ret,
                struct err *err)
{
    bool is_input = strcmp(more->file, "-") == 0;
    if (is_input && (o->connections != 1 || more->is_looped))
        return err_set_field(err, EINVAL, "bad_value", "read-file",
                             "standard input is read once: by one connection, not with "
                             "--loop-reading");
    FILE *file = is_input ? stdin : fopen(more->file, "re");
    if (file == NULL)
        return err_set_field(err, errno, "bad_value", "read-file", "cannot open %s: %s", more->file,
                             strerror(errno));
    struct replay *r = xcalloc(1, sizeof(*r));
    *r = (struct replay){.o = o,
                         .more = more,
                         .file = file,
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
    if (r->file != stdin)
        fclose(r->file);
    free(r->line);
    buf_free(&r->message);
    free(r);
    *pr = NULL;
}

/* A line with its line feed; one that is too long is none.  1, 0 at the end, negative errno. */
static int read_line(struct replay *r, struct view *ret)
{
    size_t n = 0;
    int c;
    bool is_long = false;
    while ((c = getc_unlocked(r->file)) != EOF) {
        if (n < LOAD_SIZE_MAX + 1)
            r->line[n++] = (char)c;
        else
            is_long = true;
        if (c == '\n')
            break;
    }
    if (c == EOF && ferror(r->file))
        return -(errno ? errno : EIO);
    if (n == 0)
        return 0;
    r->line_number++;
    if (is_long)
        n = 0;
    else if (r->line[n - 1] != '\n')
        r->line[n++] = '\n';
    *ret = view_of(r->line, n);
    return 1;
}

static bool make(struct replay *r, struct view line, const struct time_texts *now)
{
    struct replay_line parsed;
    buf_clear(&r->message);
    if (line.n == 0)
        return false;
    if (r->more->is_raw)
        return buf_add_view(&r->message, line) == 0;
    line.n--;
    for (int64_t i = 0; i < r->more->skip_tokens; i++)
        (void)token(&line);
    return replay_parse(line, &parsed) == 0 &&
           replay_rebuild(&parsed, r->o, r->more, now, &r->message) == 0;
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
    for (;;) {
        struct view line = VIEW_NULL;
        int n = read_line(r, &line);
        if (n < 0)
            return n;
        if (n == 0) {
            if (!r->more->is_looped || !r->has_sent)
                return 0;
            rewind(r->file);
            r->line_number = 0;
            r->has_sent = false;
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
