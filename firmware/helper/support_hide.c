/* Taking secrets out of a text (support.h): rather a harmless line too much than a secret. */
#include <ctype.h>

#include "helper/support.h"

#define HIDDEN "(taken out)"

static const char *find_nocase(struct view v, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= v.n; i++)
        if (strncasecmp(v.p + i, word, n) == 0)
            return v.p + i;
    return NULL;
}

/* The end of the first word after which a value may be secret, or NULL. */
static const char *after_secret_word(struct view line)
{
    static const char *const words[] = {
        "password",      "passwd",      "passphrase",      "secret",     "token",      "bearer",
        "api_key",       "apikey",      "cookie",          "credential", "setup code", "setup-code",
        "authorization", "private_key", "azekura_session", "community"};
    const char *first = NULL;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const char *p = find_nocase(line, words[i]);
        if (p && (!first || p + strlen(words[i]) < first))
            first = p + strlen(words[i]);
    }
    return first;
}

/* scheme://USER:PASSWORD@host: the part to be taken out. */
static struct view url_user(struct view line)
{
    const char *p = line.n ? memmem(line.p, line.n, "://", 3) : NULL;
    if (!p)
        return VIEW_NULL;
    p += 3;
    size_t n = 0, left = line.n - (size_t)(p - line.p), at = 0;
    while (n < left && !isspace((unsigned char)p[n]) && p[n] != '/' && p[n] != '"') {
        if (p[n] == '@')
            at = n;
        n++;
    }
    return at ? view_of(p, at) : VIEW_NULL;
}

static void hide_line(struct view line, struct buf *out)
{
    const char *end = after_secret_word(line);
    const char *hash = find_nocase(line, "$argon2");
    if (!end && hash)
        end = hash;
    struct view user = url_user(line);
    if (user.p && (!end || user.p < end)) {
        buf_add(out, line.p, (size_t)(user.p - line.p));
        buf_add_str(out, HIDDEN);
        struct view rest = view_of(user.p + user.n, line.n - (size_t)(user.p + user.n - line.p));
        hide_line(rest, out);
    } else if (end) {
        buf_add(out, line.p, (size_t)(end - line.p));
        buf_add_str(out, " " HIDDEN);
    } else {
        buf_add_view(out, line);
    }
}

void support_hide(struct view in, struct buf *out)
{
    bool in_key = false;
    while (in.n) {
        const char *newline = memchr(in.p, '\n', in.n);
        size_t n = newline ? (size_t)(newline - in.p) : in.n;
        struct view line = view_of(in.p, n);
        if (find_nocase(line, "PRIVATE KEY-----")) {
            in_key = find_nocase(line, "-----BEGIN") && !find_nocase(line, "-----END");
            buf_add_str(out, in_key ? "" : HIDDEN "\n");
        } else if (!in_key) {
            hide_line(line, out);
            buf_add_str(out, newline ? "\n" : "");
        }
        n += newline != NULL;
        in = view_of(in.p + n, in.n - n);
    }
    if (in_key)
        buf_add_str(out, HIDDEN "\n");
}
