/* Checks of what is typed and pasted (tls_check.h). */
#include "store/tls_check.h"

#include <ctype.h>

#include "base/ip.h"
#include "base/limits.h"

#define LABEL_MAX 63
#define BEGIN "-----BEGIN "
#define END "-----END "
#define DASHES "-----"

static bool is_alnum(char c)
{
    return isalnum((unsigned char)c) && !((unsigned char)c & 0x80);
}

/* Letters, digits and hyphens inside, as RFC 1123 has it; underscores are in use. */
static bool is_label(struct view label)
{
    if (label.n == 0 || label.n > LABEL_MAX || label.p[0] == '-' || label.p[label.n - 1] == '-')
        return false;
    for (size_t i = 0; i < label.n; i++)
        if (!is_alnum(label.p[i]) && label.p[i] != '-' && label.p[i] != '_')
            return false;
    return true;
}

bool tls_is_name(struct view name)
{
    struct ip ip;
    if (view_is_null(name) || name.n == 0 || name.n > TLS_NAME_MAX_BYTES)
        return false;
    if (ip_parse(name, &ip) == 0)
        return true;
    bool has_letter = false;
    for (size_t i = 0; i < name.n; i++)
        has_letter = has_letter || isalpha((unsigned char)name.p[i]);
    if (!has_letter) /* a broken address, not a name */
        return false;
    if (view_starts_with(name, VIEW("*.")))
        name = view_of(name.p + 2, name.n - 2);
    for (;;) {
        const char *dot = memchr(name.p, '.', name.n);
        size_t n = dot ? (size_t)(dot - name.p) : name.n;
        if (!is_label(view_of(name.p, n)))
            return false;
        if (!dot)
            return true;
        name = view_of(name.p + n + 1, name.n - n - 1);
    }
}

/* Where `what` begins in `v` from `at` on; v.n: nowhere. */
static size_t find(struct view v, size_t at, const char *what)
{
    const char *p = at < v.n ? memmem(v.p + at, v.n - at, what, strlen(what)) : NULL;
    return p ? (size_t)(p - v.p) : v.n;
}

/* The block that begins at `at`: its end, and what it is ("CERTIFICATE").  0, or -EINVAL. */
static int read_block(struct view pem, size_t at, size_t *ret_end, struct view *ret_label)
{
    size_t label = at + strlen(BEGIN), label_end = find(pem, label, DASHES);
    if (label_end - label > 40 || label_end == pem.n)
        return -EINVAL;
    *ret_label = view_of(pem.p + label, label_end - label);
    char end[80];
    int n = snprintf(end, sizeof(end), END "%.*s" DASHES, VIEW_ARG(*ret_label));
    size_t found = find(pem, label_end, end), next = find(pem, label_end, BEGIN);
    if (found == pem.n || next < found)
        return -EINVAL;
    *ret_end = found + (size_t)n;
    return 0;
}

int tls_split_pem(struct view pem, struct buf *ret_certificates, struct buf *ret_keys,
                  struct err *err)
{
    unsigned blocks = 0, certificates = 0;
    /* at once: no half of a key stays behind where a growing buffer was */
    if (buf_reserve(ret_certificates, pem.n + 64) < 0 || buf_reserve(ret_keys, pem.n + 64) < 0)
        return err_set_field(err, EINVAL, "bad_value", "pem",
                             "pem: it has %zu bytes, more than %zu", pem.n, ret_keys->max);
    for (size_t at = find(pem, 0, BEGIN); at < pem.n;) {
        size_t end;
        struct view label;
        blocks++;
        if (read_block(pem, at, &end, &label) < 0)
            return err_set_field(err, EINVAL, "bad_value", "pem",
                                 "pem: block %u begins and has no end of its kind", blocks);
        bool is_key = memmem(label.p, label.n, "PRIVATE KEY", 11) !=
                      NULL; /* PGP's has more behind */
        struct buf *to = is_key ? ret_keys : ret_certificates;
        certificates += view_eq(label, VIEW("CERTIFICATE"));
        (void)buf_add(to, pem.p + at, end - at);
        (void)buf_add_char(to, '\n');
        at = find(pem, end, BEGIN);
    }
    if (certificates == 0)
        return err_set_field(err, EINVAL, "bad_value", "pem",
                             "pem: there is no certificate in it (a block that begins "
                             "-----BEGIN CERTIFICATE-----)");
    if (certificates > TLS_CHAIN_MAX)
        return err_set_field(err, EINVAL, "bad_value", "pem",
                             "pem: there are %u certificates in it, more than %d", certificates,
                             TLS_CHAIN_MAX);
    return 0;
}

int tls_fingerprint(struct view text, char ret[TLS_FINGERPRINT_TEXT_MAX])
{
    char digits[TLS_FINGERPRINT_TEXT_MAX];
    size_t n = 0;
    text = view_trim(text);
    for (const char *const *prefix = (const char *const[]){"SHA256:", "sha256:", "SHA-256:", NULL};
         *prefix; prefix++) {
        if (view_starts_with(text, view_str(*prefix))) {
            text = view_of(text.p + strlen(*prefix), text.n - strlen(*prefix));
            break;
        }
    }
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == ':' || c == ' ')
            continue;
        if (n == sizeof(digits) - 1 || c >= 0x80 || !isxdigit(c))
            return -EINVAL;
        digits[n++] = (char)tolower(c);
    }
    if (n != sizeof(digits) - 1)
        return -EINVAL;
    digits[n] = 0;
    memcpy(ret, digits, sizeof(digits));
    return 0;
}

bool tls_is_base64(struct view text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            continue;
        if (!is_alnum(c) && c != '+' && c != '/' && c != '=')
            return false;
        n++;
    }
    return n > 0;
}
