/* Which form a text has, and the parameters of structured data (RFC 5424 §6.3). */
#include "query/pairs_internal.h"

#include "base/utf8.h"

/* How far in a text a form may begin: what a relay has put before it is short. */
#define HEAD_BYTES 512

const char *pairs_form_name(enum pairs_form form)
{
    static const char *const names[] = {NULL, "kv", "cef", "leef", "json", "sd"};
    return (size_t)form < ARRAY_LEN(names) ? names[form] : NULL;
}

static struct view cut_name(struct view name)
{
    if (name.n > PAIRS_NAME_MAX)
        name.n = utf8_clean_prefix(view_of(name.p, PAIRS_NAME_MAX));
    return name;
}

bool pairs_give(struct pairs_sink *s, struct pair p)
{
    s->given++;
    if (s->fn == NULL)
        return false;
    p.name = cut_name(p.name);
    if (!view_is_null(p.alias))
        p.alias = cut_name(p.alias);
    return s->fn(s->context, &p) && s->given < PAIRS_MAX;
}

/* ---- structured data ---- */

/* Behind the closing quote of the value that begins at `at`; text.n + 1 when there is none. */
static size_t sd_value(struct pairs_sink *s, struct view text, size_t at, struct pair *p)
{
    size_t from = at, escapes = 0;
    for (; at < text.n && text.p[at] != '"'; at++)
        if (text.p[at] == '\\' && at + 1 < text.n && strchr("\"\\]", text.p[at + 1])) {
            escapes++;
            at++;
        }
    bool is_cut = at >= text.n;
    struct view written = pairs_between(text, from, MIN(at, text.n));
    p->value = written;
    if (escapes > 0 && s->fn) {
        char *to = pairs_scratch(s);
        size_t n = 0;
        for (size_t i = 0; i < written.n; i++) {
            if (written.p[i] == '\\' && i + 1 < written.n && strchr("\"\\]", written.p[i + 1]))
                i++;
            to[n++] = written.p[i];
        }
        p->value = pairs_take(s, n);
        p->written = written;
    }
    return is_cut ? text.n + 1 : at + 1;
}

/* One element, from behind its '[': behind its ']'. */
static size_t sd_element(struct pairs_sink *s, struct view text, size_t at, bool *ret_goes_on)
{
    size_t id_from = at;
    while (at < text.n && !pairs_is_blank(text.p[at]) && text.p[at] != ']')
        at++;
    struct view id = pairs_between(text, id_from, at);
    while (*ret_goes_on) {
        at = pairs_skip_blanks(text, at);
        if (at >= text.n || text.p[at] == ']')
            return at + 1;
        size_t name_from = at;
        while (at < text.n && !strchr("= ]\"", text.p[at]))
            at++;
        if (at + 1 >= text.n || text.p[at] != '=' || text.p[at + 1] != '"')
            return text.n; /* not structured data from here on */
        struct pair p = {.alias = pairs_between(text, name_from, at)};
        at = sd_value(s, text, at + 2, &p);
        char name[2 * PAIRS_NAME_MAX + 1];
        size_t n = MIN(id.n, (size_t)PAIRS_NAME_MAX), m = MIN(p.alias.n, (size_t)PAIRS_NAME_MAX);
        memcpy(name, id.p, n);
        name[n] = '.';
        memcpy(name + n + 1, p.alias.p, m);
        p.name = view_of(name, n + 1 + m);
        p.name.n = utf8_clean_prefix(p.name); /* an id cut inside a character */
        if (p.alias.n > 0)
            *ret_goes_on = pairs_give(s, p);
    }
    return at;
}

bool pairs_sd(struct pairs_sink *s, struct view text)
{
    bool goes_on = true;
    for (size_t at = 0; goes_on && at < text.n && text.p[at] == '[';)
        at = sd_element(s, text, at + 1, &goes_on);
    return goes_on;
}

/* "[junos@2636.1.1.1.2.40 …": an id as only structured data has. */
static bool is_sd(struct view text)
{
    if (text.n < 4 || text.p[0] != '[')
        return false;
    size_t at = 1;
    while (at < text.n && at < 64 && !strchr(" ]=\"", text.p[at]))
        at++;
    return at < text.n && (text.p[at] == ' ' || text.p[at] == ']') &&
           memchr(text.p, '@', at) != NULL;
}

/* ---- which form ---- */

/* `word` stands in the head of the text, at its start or behind a blank or colon: its offset, or
 * text.n. */
static size_t find_head(struct view text, struct view word)
{
    struct view head = view_of(text.p, MIN(text.n, (size_t)HEAD_BYTES));
    const char *p = head.n ? memmem(head.p, head.n, word.p, word.n) : NULL;
    size_t at = p ? (size_t)(p - text.p) : text.n;
    if (p && at > 0 && !pairs_is_blank(text.p[at - 1]) && text.p[at - 1] != ':')
        return text.n;
    return at;
}

/* A JSON object behind some text: "{" and a name in quotes.  Or an array of objects that is all. */
static size_t find_json(struct view text)
{
    if (text.n > 0 && text.p[0] == '[') {
        size_t next = pairs_skip_blanks(text, 1);
        return next < text.n && text.p[next] == '{' ? 0 : text.n;
    }
    for (size_t at = pairs_find(text, 0, '{'); at < text.n; at = pairs_find(text, at + 1, '{')) {
        size_t next = pairs_skip_blanks(text, at + 1);
        if (next < text.n && text.p[next] == '"' &&
            (at == 0 || pairs_is_blank(text.p[at - 1]) || text.p[at - 1] == ':'))
            return at;
        if (at == 0 && next < text.n && text.p[next] == '}')
            return 0;
    }
    return text.n;
}

static enum pairs_form read_form(struct pairs_sink *s, struct view text)
{
    static const struct {
        struct view word;
        enum pairs_form form;
        bool (*read)(struct pairs_sink *s, struct view text);
    } heads[] = {
        {{"CEF:", 4}, PAIRS_CEF, pairs_cef},
        {{"LEEF:", 5}, PAIRS_LEEF, pairs_leef},
    };
    size_t at;
    bool has_bar = memchr(text.p, '|', MIN(text.n, (size_t)HEAD_BYTES)) != NULL;
    for (size_t i = 0; has_bar && i < ARRAY_LEN(heads); i++) {
        at = find_head(text, heads[i].word);
        if (at < text.n) {
            heads[i].read(s, pairs_between(text, at, text.n));
            if (s->given > 0)
                return heads[i].form;
        }
    }
    if (is_sd(text)) {
        pairs_sd(s, text);
        if (s->given > 0)
            return PAIRS_SD;
    }
    at = find_json(text);
    if (at < text.n) {
        pairs_json(s, pairs_between(text, at, text.n));
        if (s->given > 0)
            return PAIRS_JSON;
    }
    pairs_kv(s, text);
    return s->given > 0 ? PAIRS_KV : PAIRS_NONE;
}

enum pairs_form pairs_of_message(struct view text, char *scratch, pair_fn fn, void *context)
{
    struct pairs_sink s = {.fn = fn, .context = context, .scratch = scratch};
    size_t from = view_is_null(text) ? text.n : pairs_skip_blanks(text, 0);
    return from < text.n ? read_form(&s, pairs_between(text, from, text.n)) : PAIRS_NONE;
}

enum pairs_form pairs_of_structured_data(struct view text, char *scratch, pair_fn fn, void *context)
{
    struct pairs_sink s = {.fn = fn, .context = context, .scratch = scratch};
    if (text.n > 0)
        pairs_sd(&s, text);
    return s.given > 0 ? PAIRS_SD : PAIRS_NONE;
}
