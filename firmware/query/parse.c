/* The parser of the search language: recursive descent over the text, a character at a time.
 *
 *   either = both { "OR" both }
 *   both   = one { ["AND"] one }
 *   one    = "NOT" one | "-" term | term
 *   term   = "(" either ")" | [field ":"] pattern | field ":(" either ")"
 *   field  = a name of field.c | "kv." pattern
 *
 * People paste whole log lines into the search box.  So whatever can be read as text is text: an
 * error is only what nobody would want to be searched literally. */
#include "query/internal.h"

#include <stdarg.h>

#include "base/limits.h"
#include "base/utf8.h"

struct parser {
    struct arena *arena;
    struct view text;
    size_t at; /* next byte */
    unsigned depth, nodes;
    const struct query_field_info *field; /* inside field:( … ), else NULL */
    struct query_pattern name;            /* of the pair, where the field is query_field_pair */
    struct query_error *error;
};

struct node_list {
    struct query_node **nodes;
    size_t n, cap;
};

static int parse_either(struct parser *p, struct query_node **ret);
static int parse_one(struct parser *p, struct query_node **ret);

/* ---- errors and nodes ---- */

static int fail(struct parser *p, size_t at, size_t length, const char *fmt, ...) PRINTF(4, 5);
static int fail(struct parser *p, size_t at, size_t length, const char *fmt, ...)
{
    va_list args;
    *p->error = (struct query_error){.at = at, .length = length};
    va_start(args, fmt);
    vsnprintf(p->error->message, sizeof(p->error->message), fmt, args);
    va_end(args);
    /* a text cut by the size of the message still is UTF-8 */
    p->error->message[utf8_clean_prefix(view_str(p->error->message))] = 0;
    return -EINVAL;
}

static int new_node(struct parser *p, enum query_kind kind, size_t at, struct query_node **ret)
{
    if (++p->nodes > QUERY_MAX_NODES)
        return fail(p, at, p->at - at,
                    "the query has too many words and operators, at most %d are allowed",
                    QUERY_MAX_NODES);
    struct query_node *n = arena_alloc(p->arena, sizeof(*n));
    n->kind = kind;
    n->at = at;
    n->length = p->at - at;
    *ret = n;
    return 0;
}

static int enter(struct parser *p, size_t at)
{
    if (++p->depth > QUERY_MAX_DEPTH)
        return fail(p, at, 1,
                    "parentheses and NOT are nested too deeply here, at most %d levels are allowed",
                    QUERY_MAX_DEPTH);
    return 0;
}

static void list_add(struct parser *p, struct node_list *l, struct query_node *n)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 4;
        struct query_node **nodes = arena_alloc(p->arena, cap * sizeof(struct query_node *));
        if (l->n > 0)
            memcpy(nodes, l->nodes, l->n * sizeof(struct query_node *));
        l->nodes = nodes;
        l->cap = cap;
    }
    l->nodes[l->n++] = n;
}

/* One node for the list: its only member, or an AND or OR of all. */
static int list_finish(struct parser *p, struct node_list *l, enum query_kind kind, size_t at,
                       struct query_node **ret)
{
    if (l->n == 1) {
        *ret = l->nodes[0];
        return 0;
    }
    struct query_node *n = NULL;
    int rc = new_node(p, kind, at, &n);
    if (rc < 0)
        return rc;
    n->children = l->nodes;
    n->children_n = l->n;
    *ret = n;
    return 0;
}

/* ---- characters ---- */

/* Bytes of the blank at `at`: ASCII ones, the no-break space and the ideographic space that
 * Japanese keyboards give; 0 when it is none. */
static size_t blank_bytes(struct view t, size_t at)
{
    if (at >= t.n)
        return 0;
    if ((unsigned char)t.p[at] <= ' ')
        return 1;
    if (t.n - at >= 2 && memcmp(t.p + at, "\xc2\xa0", 2) == 0)
        return 2;
    return t.n - at >= 3 && memcmp(t.p + at, "\xe3\x80\x80", 3) == 0 ? 3 : 0;
}

static void skip_blanks(struct parser *p)
{
    size_t n;
    while ((n = blank_bytes(p->text, p->at)) > 0)
        p->at += n;
}

static bool at_end(const struct parser *p)
{
    return p->at >= p->text.n;
}

static char char_at(const struct parser *p, size_t at)
{
    return at < p->text.n ? p->text.p[at] : '\0';
}

/* A bare word ends here: end, blank, parenthesis or quote. */
static bool is_word_end(const struct parser *p, size_t at)
{
    return at >= p->text.n || blank_bytes(p->text, at) > 0 || strchr("()\"", p->text.p[at]) != NULL;
}

static size_t word_end(const struct parser *p, size_t at)
{
    while (!is_word_end(p, at))
        at++;
    return at;
}

static bool is_keyword(const struct parser *p, const char *keyword)
{
    size_t n = strlen(keyword);
    return p->text.n - p->at >= n && memcmp(p->text.p + p->at, keyword, n) == 0 &&
           is_word_end(p, p->at + n) && char_at(p, p->at + n) != '"';
}

/* A `-` that negates what follows.  "--force", "->" and a lonely "-" are text. */
static bool is_minus(const struct parser *p)
{
    size_t next = p->at + 1;
    return char_at(p, p->at) == '-' && next < p->text.n && blank_bytes(p->text, next) == 0 &&
           strchr("->)", p->text.p[next]) == NULL;
}

/* ---- words, phrases and patterns ---- */

static int read_quoted(struct parser *p, struct query_writer *w)
{
    size_t open = p->at++;
    size_t from = p->at;
    for (;; p->at++) {
        if (at_end(p))
            return fail(p, open, 1,
                        "the quote opened here is never closed; to search for a quote itself write "
                        "\"\\\"\"");
        char c = p->text.p[p->at], next = char_at(p, p->at + 1);
        bool is_escape = c == '\\' && (next == '"' || next == '\\');
        if (c != '"' && !is_escape)
            continue;
        if (p->at > from)
            query_writer_add(w, view_of(p->text.p + from, p->at - from));
        if (c == '"')
            break;
        from = ++p->at; /* the escaped character starts the next run */
    }
    p->at++;
    return 0;
}

/* Bare characters, wildcards and quoted parts; a quoted part belongs to the same pattern only next
 * to a wildcard, so that user="root" is a word and a phrase. */
static int read_pattern(struct parser *p, struct query_writer *w)
{
    bool is_first = true, after_wildcard = false, after_quote = false;
    while (!at_end(p)) {
        char c = p->text.p[p->at];
        bool is_wildcard = c == '*' || (c == '?' && w->is_value);
        if (c == '"') {
            if (!is_first && !after_wildcard)
                break;
            int rc = read_quoted(p, w);
            if (rc < 0)
                return rc;
        } else if (is_word_end(p, p->at) || (after_quote && !is_wildcard)) {
            break;
        } else if (is_wildcard) {
            query_writer_wildcard(w, c);
            p->at++;
        } else {
            size_t n = query_char_bytes(p->text, p->at);
            query_writer_add(w, view_of(p->text.p + p->at, n));
            p->at += n;
        }
        after_quote = c == '"';
        after_wildcard = is_wildcard;
        is_first = false;
    }
    return 0;
}

/* The node of a pattern in field `f`, or in any text when NULL. */
static int parse_pattern(struct parser *p, const struct query_field_info *f, size_t start,
                         struct query_node **ret)
{
    struct query_writer w = {.arena = p->arena, .is_value = f && f->type == QUERY_FIELD_VALUE};
    size_t value_at = p->at;
    int rc = read_pattern(p, &w);
    bool is_everything = query_writer_is_everything(&w);
    bool is_empty = !is_everything && w.text.n == 0 && w.pattern.pieces_n == 0 && !w.has_chars;
    struct query_pattern pattern = {0};
    if (rc == 0 && !is_everything && !is_empty)
        query_writer_finish(&w, &pattern);
    buf_free(&w.text);
    if (rc < 0)
        return rc;
    if (is_empty && f)
        return fail(p, value_at, p->at - value_at,
                    "the value of %s is empty; for messages without %s write -%s:*", f->name,
                    f->name, f->name);
    enum query_kind kind = f ? f->kind : QUERY_TEXT;
    if (is_everything || is_empty)
        kind = f ? QUERY_PRESENT : QUERY_ALL;
    rc = new_node(p, kind, start, ret);
    if (rc < 0)
        return rc;
    (*ret)->pattern = pattern;
    if (kind != QUERY_ALL)
        (*ret)->fields = f ? f->bit : FIELD_ANY_TEXT;
    return 0;
}

/* ---- fields ---- */

/* The plain text of a value that is no pattern: bare up to the word's end, or quoted. */
static int read_plain_value(struct parser *p, struct view *ret)
{
    if (char_at(p, p->at) != '"') {
        size_t end = word_end(p, p->at);
        *ret = view_of(p->text.p + p->at, end - p->at);
        p->at = end;
        return 0;
    }
    struct query_writer w = {.arena = p->arena};
    int rc = read_quoted(p, &w);
    if (rc == 0)
        *ret = arena_copy(p->arena, buf_view(&w.text));
    buf_free(&w.text);
    return rc;
}

static int parse_source(struct parser *p, struct view value, size_t value_at, size_t start,
                        struct query_node **ret)
{
    struct ip_network network;
    if (ip_network_parse(value, &network) < 0) {
        size_t shown = utf8_clean_prefix(view_of(value.p, MIN(value.n, (size_t)60)));
        return fail(
            p, value_at, p->at - value_at,
            "\"%.*s\" is not an address or network; write 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32",
            (int)shown, value.p);
    }
    int rc = new_node(p, QUERY_SOURCE, start, ret);
    if (rc == 0)
        (*ret)->network = network;
    return rc;
}

static int parse_plain_value(struct parser *p, const struct query_field_info *f, size_t start,
                             struct query_node **ret)
{
    size_t value_at = p->at;
    struct view value;
    int rc = read_plain_value(p, &value);
    if (rc < 0)
        return rc;
    if (view_eq(value, VIEW("*")) && f->kind != QUERY_MARK)
        return new_node(p, QUERY_ALL, start, ret); /* every message has one */
    if (f->type == QUERY_FIELD_SOURCE)
        return parse_source(p, value, value_at, start, ret);
    uint32_t bits;
    char message[200];
    if (query_field_bits(f, value, &bits, message, sizeof(message)) < 0)
        return fail(p, value_at, p->at - value_at, "%s", message);
    rc = new_node(p, f->kind, start, ret);
    if (rc == 0)
        (*ret)->bits = bits;
    return rc;
}

/* The value of kv.NAME: numbers, or a pattern that is the whole value. */
static int parse_pair_value(struct parser *p, size_t start, struct query_node **ret)
{
    size_t value_at = p->at;
    struct query_range range = {0};
    struct query_writer w = {.arena = p->arena, .is_value = true};
    struct query_pattern pattern = {0};
    char message[200];
    struct view bare = view_of(p->text.p + p->at, word_end(p, p->at) - p->at);
    int is_range = query_range_parse(bare, &range, message, sizeof(message));
    if (is_range < 0)
        return fail(p, value_at, bare.n, "%s", message);
    int rc = 0;
    if (is_range)
        p->at += bare.n;
    else
        rc = read_pattern(p, &w);
    bool is_everything = !is_range && query_writer_is_everything(&w);
    if (rc == 0 && !is_range && !is_everything)
        query_writer_finish(&w, &pattern);
    buf_free(&w.text);
    if (rc == 0)
        rc = new_node(p, QUERY_PAIR, start, ret);
    if (rc < 0)
        return rc;
    (*ret)->name = p->name;
    (*ret)->pattern = pattern;
    (*ret)->range = range;
    (*ret)->test = is_range        ? QUERY_TEST_NUMBER
                   : is_everything ? QUERY_TEST_PRESENT
                                   : QUERY_TEST_VALUE;
    return 0;
}

static int parse_value(struct parser *p, const struct query_field_info *f, size_t start,
                       struct query_node **ret)
{
    if (f->type == QUERY_FIELD_PAIR)
        return parse_pair_value(p, start, ret);
    if (f->type == QUERY_FIELD_VALUE || f->type == QUERY_FIELD_TEXT)
        return parse_pattern(p, f, start, ret);
    return parse_plain_value(p, f, start, ret);
}

static int parse_group(struct parser *p, struct query_node **ret)
{
    size_t open = p->at++;
    int rc = enter(p, open);
    if (rc < 0)
        return rc;
    skip_blanks(p);
    if (char_at(p, p->at) == ')')
        return fail(p, open, p->at + 1 - open,
                    "there is nothing between these parentheses; to search for them put the text "
                    "into quotes");
    if (at_end(p))
        return fail(p, open, 1, "the parenthesis opened here is never closed");
    rc = parse_either(p, ret);
    if (rc < 0)
        return rc;
    if (char_at(p, p->at) != ')')
        return fail(p, open, 1, "the parenthesis opened here is never closed");
    p->at++;
    p->depth--;
    return 0;
}

/* After "field:". */
static int parse_field(struct parser *p, const struct query_field_info *f, size_t start,
                       struct query_node **ret)
{
    size_t value_at = p->at;
    struct view name = view_of(p->text.p + start, MIN(value_at - 1 - start, (size_t)60));
    if (p->field)
        return fail(p, start, value_at - start,
                    "%.*s: cannot stand inside %s:( … ), whose words all belong to %s",
                    VIEW_ARG(name), p->field->name, p->field->name);
    if (char_at(p, p->at) == '(') {
        p->field = f;
        int rc = parse_group(p, ret);
        p->field = NULL;
        return rc;
    }
    if (at_end(p) || blank_bytes(p->text, p->at) > 0 || p->text.p[p->at] == ')')
        return fail(
            p, start, value_at - start,
            "a value must follow %.*s: without a blank; to search for this text put it into quotes",
            VIEW_ARG(name));
    return parse_value(p, f, start, ret);
}

/* "kv.NAME:" at the start of a word: 1, behind the colon and with the name in p->name; 0 with
 * nothing done when it is something else. */
static int read_pair_name(struct parser *p)
{
    size_t start = p->at;
    if (p->text.n - start < 4 || memcmp(p->text.p + start, "kv.", 3) != 0)
        return 0;
    struct query_writer w = {.arena = p->arena, .is_value = true};
    size_t pieces = 0;
    int rc = 0;
    p->at += 3;
    while (rc == 0 && !at_end(p) && p->text.p[p->at] != ':') {
        char c = p->text.p[p->at];
        if (c == '"') {
            rc = read_quoted(p, &w);
        } else if (is_word_end(p, p->at)) {
            break;
        } else if (c == '*' || c == '?') {
            query_writer_wildcard(&w, c);
            p->at++;
        } else {
            size_t n = query_char_bytes(p->text, p->at);
            query_writer_add(&w, view_of(p->text.p + p->at, n));
            p->at += n;
        }
        pieces++;
    }
    bool is_name = rc == 0 && char_at(p, p->at) == ':';
    struct query_pattern name;
    if (is_name && pieces > 0 && p->field == NULL) {
        query_writer_finish(&w, &name);
        p->name = name;
    }
    buf_free(&w.text);
    if (rc < 0)
        return rc;
    if (!is_name) {
        p->at = start;
        return 0;
    }
    if (pieces == 0)
        return fail(
            p, start, p->at + 1 - start,
            "the name of a pair must stand between kv. and the colon, as in kv.action:deny; "
            "to search for this text put it into quotes");
    p->at++;
    return 1;
}

/* "kv:x" and "kb.action:x" are nearly kv.NAME:VALUE. */
static int fail_near_pair(struct parser *p, size_t start, struct view name)
{
    if (view_eq(name, VIEW("kv")))
        return fail(p, start, name.n,
                    "kv needs the name of a pair, as in kv.action:deny; to search for this text "
                    "put it into quotes");
    bool is_near = name.n > 3 && name.p[2] == '.' && (name.p[0] == 'k' || name.p[1] == 'v');
    if (!is_near)
        return 0;
    return fail(p, start, name.n,
                "unknown field %.*s, did you mean kv.%.*s; to search for this text put it into "
                "quotes",
                VIEW_ARG(name), (int)(name.n - 3), name.p + 3);
}

/* "name:" at the start of a word: true, with the name. */
static bool is_field_like(const struct parser *p, struct view *ret_name)
{
    size_t end = p->at;
    while (end < p->text.n && ((p->text.p[end] >= 'a' && p->text.p[end] <= 'z') ||
                               p->text.p[end] == '_' || p->text.p[end] == '.'))
        end++;
    if (end == p->at || char_at(p, end) != ':')
        return false;
    *ret_name = view_of(p->text.p + p->at, end - p->at);
    return true;
}

/* ---- tags ---- */

/* A word like "sshd[123]:" or "kernel:", which the receiver has cut into app_name and procid. */
struct tag {
    struct view app_name, procid; /* procid.n == 0: none */
};

static bool is_tag(struct view word, struct tag *ret)
{
    struct tag t = {0};
    bool has_colon = word.n > 0 && word.p[word.n - 1] == ':';
    t.app_name = view_of(word.p, word.n - has_colon);
    const char *bracket = t.app_name.n ? memchr(t.app_name.p, '[', t.app_name.n) : NULL;
    if (bracket && t.app_name.p[t.app_name.n - 1] == ']') {
        t.procid = view_of(bracket + 1, (size_t)(t.app_name.p + t.app_name.n - 1 - (bracket + 1)));
        t.app_name.n = (size_t)(bracket - t.app_name.p);
        if (t.procid.n == 0)
            return false;
    } else if (!has_colon) {
        return false;
    }
    if (t.app_name.n == 0 || memchr(t.app_name.p, ':', t.app_name.n) || memchr(word.p, '*', word.n))
        return false;
    *ret = t;
    return true;
}

static int value_node(struct parser *p, unsigned field, struct view value, size_t start,
                      struct query_node **ret)
{
    int rc = new_node(p, QUERY_VALUE, start, ret);
    if (rc < 0)
        return rc;
    struct query_writer w = {.arena = p->arena, .is_value = true};
    query_writer_add(&w, value);
    query_writer_finish(&w, &(*ret)->pattern);
    buf_free(&w.text);
    (*ret)->fields = field;
    return 0;
}

/* `text` OR (app_name AND procid). */
static int parse_tag(struct parser *p, const struct tag *t, struct query_node *text,
                     struct query_node **ret)
{
    /* set where they are used, which gcc at -O3 does not see */
    struct query_node *app_name = NULL, *procid = NULL;
    struct node_list both = {0}, either = {0};
    int rc = value_node(p, FIELD_APP_NAME, t->app_name, text->at, &app_name);
    if (rc < 0)
        return rc;
    list_add(p, &both, app_name);
    if (t->procid.n > 0) {
        rc = value_node(p, FIELD_PROCID, t->procid, text->at, &procid);
        if (rc < 0)
            return rc;
        list_add(p, &both, procid);
    }
    list_add(p, &either, text);
    struct query_node *tag;
    rc = list_finish(p, &both, QUERY_AND, text->at, &tag);
    if (rc < 0)
        return rc;
    list_add(p, &either, tag);
    return list_finish(p, &either, QUERY_OR, text->at, ret);
}

/* ---- terms and operators ---- */

static int parse_word(struct parser *p, struct query_node **ret)
{
    size_t start = p->at;
    struct view name;
    int rc = read_pair_name(p);
    if (rc < 0)
        return rc;
    if (rc > 0)
        return parse_field(p, &query_field_pair, start, ret);
    if (is_field_like(p, &name)) {
        size_t value_at = start + name.n + 1;
        bool has_value = value_at < p->text.n && blank_bytes(p->text, value_at) == 0 &&
                         p->text.p[value_at] != ')';
        const struct query_field_info *f = query_field_find(name);
        if (f) {
            p->at = value_at;
            return parse_field(p, f, start, ret);
        }
        f = has_value && !p->field ? query_field_near(name) : NULL;
        if (f)
            return fail(
                p, start, name.n,
                "unknown field %.*s, did you mean %s; to search for this text put it into quotes",
                VIEW_ARG(name), f->name);
        rc = has_value && !p->field ? fail_near_pair(p, start, name) : 0;
        if (rc < 0)
            return rc;
    }
    if (p->field)
        return parse_value(p, p->field, start, ret);
    struct view word = view_of(p->text.p + start, word_end(p, start) - start);
    struct tag tag;
    bool has_tag = word.n > 0 && is_tag(word, &tag);
    rc = parse_pattern(p, NULL, start, ret);
    if (rc < 0 || !has_tag)
        return rc;
    return parse_tag(p, &tag, *ret, ret);
}

static int parse_term(struct parser *p, struct query_node **ret)
{
    if (char_at(p, p->at) == '(')
        return parse_group(p, ret);
    return parse_word(p, ret);
}

static int parse_not(struct parser *p, size_t operator_bytes, struct query_node **ret)
{
    size_t start = p->at;
    int rc = enter(p, start);
    if (rc < 0)
        return rc;
    p->at += operator_bytes;
    struct query_node *child;
    if (operator_bytes == 1) {
        rc = parse_term(p, &child);
    } else {
        skip_blanks(p);
        if (at_end(p) || p->text.p[p->at] == ')')
            return fail(
                p, start, operator_bytes,
                "NOT needs something after it; to search for the word itself write \"NOT\"");
        rc = parse_one(p, &child);
    }
    if (rc < 0)
        return rc;
    p->depth--;
    rc = new_node(p, QUERY_NOT, start, ret);
    if (rc < 0)
        return rc;
    (*ret)->children = arena_alloc(p->arena, sizeof(struct query_node *));
    (*ret)->children[0] = child;
    (*ret)->children_n = 1;
    return 0;
}

static int parse_one(struct parser *p, struct query_node **ret)
{
    if (is_keyword(p, "NOT"))
        return parse_not(p, 3, ret);
    if (is_keyword(p, "AND") || is_keyword(p, "OR")) {
        const char *word = p->text.p[p->at] == 'A' ? "AND" : "OR";
        return fail(p, p->at, strlen(word),
                    "%s needs something before it; to search for the word itself write \"%s\"",
                    word, word);
    }
    if (is_minus(p))
        return parse_not(p, 1, ret);
    return parse_term(p, ret);
}

/* After AND or OR was read at `at`: something must follow. */
static int expect_more(struct parser *p, size_t at, const char *word)
{
    skip_blanks(p);
    if (at_end(p) || p->text.p[p->at] == ')')
        return fail(p, at, strlen(word),
                    "%s needs something after it; to search for the word itself write \"%s\"", word,
                    word);
    return 0;
}

static int parse_both(struct parser *p, struct query_node **ret)
{
    size_t start = p->at;
    struct node_list l = {0};
    struct query_node *everything = NULL;
    for (;;) {
        struct query_node *n;
        int rc = parse_one(p, &n);
        if (rc < 0)
            return rc;
        size_t end = p->at;
        if (n->kind == QUERY_ALL)
            everything = n; /* adds nothing to what stands beside it */
        else
            list_add(p, &l, n);
        skip_blanks(p);
        size_t operator_at = p->at;
        bool has_and = is_keyword(p, "AND");
        if (has_and) {
            p->at += 3;
            rc = expect_more(p, operator_at, "AND");
            if (rc < 0)
                return rc;
        } else if (at_end(p) || p->text.p[p->at] == ')' || is_keyword(p, "OR")) {
            if (l.n == 0)
                list_add(p, &l, everything);
            p->at = end; /* the node ends where its last word does */
            rc = list_finish(p, &l, QUERY_AND, start, ret);
            p->at = operator_at;
            return rc;
        }
    }
}

static int parse_either(struct parser *p, struct query_node **ret)
{
    size_t start = p->at;
    struct node_list l = {0};
    for (;;) {
        struct query_node *n;
        int rc = parse_both(p, &n);
        if (rc < 0)
            return rc;
        list_add(p, &l, n);
        if (!is_keyword(p, "OR"))
            return list_finish(p, &l, QUERY_OR, start, ret);
        size_t operator_at = p->at;
        p->at += 2;
        rc = expect_more(p, operator_at, "OR");
        if (rc < 0)
            return rc;
    }
}

int query_parse(struct arena *a, struct view text, const struct query_node **ret,
                struct query_error *ret_error)
{
    struct parser p = {.arena = a, .text = text, .error = ret_error};
    if (text.n > QUERY_MAX_BYTES)
        return fail(&p, QUERY_MAX_BYTES, text.n - QUERY_MAX_BYTES,
                    "the query is %zu bytes long, at most %d are allowed", text.n, QUERY_MAX_BYTES);
    size_t clean = text.n ? utf8_clean_prefix(text) : 0;
    if (clean < text.n)
        return fail(&p, clean, 1, "the query is not valid UTF-8 text: byte %zu is 0x%02x",
                    clean + 1, (unsigned char)text.p[clean]);
    skip_blanks(&p);
    struct query_node *n;
    int rc;
    if (at_end(&p)) {
        rc = new_node(&p, QUERY_ALL, 0, &n);
    } else {
        rc = parse_either(&p, &n);
        if (rc == 0 && !at_end(&p))
            rc = fail(
                &p, p.at, 1,
                "this parenthesis was never opened; to search for it put the text into quotes");
    }
    if (rc < 0)
        return rc;
    *ret = n;
    return 0;
}
