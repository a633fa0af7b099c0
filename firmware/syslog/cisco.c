/* Cisco's forms: IOS, IOS-XE, NX-OS, ASA and FTD, WLC, IOS-XR.  What they share is the mnemonic
 * "%FACILITY-SEVERITY-NAME:"; what stands before it is any of
 *
 *   82:                           sequence number
 *   cisco-sw2:                    origin-id, or a relay's host without colon
 *   RP/0/RSP0/CPU0:               node (IOS-XR)
 *   *Mar 10 11:22:33.123 UTC:     time; "*": the clock is not set, ".": it has lost its source
 *   00:20:10:  1d02h:  3w4d:      time since start
 *   *spamApTask1:  ifmgr[123]:    task (WLC), process (IOS-XR)
 *
 * in almost any order.  A text whose head holds anything else is not of this form.  A relay may
 * have put a time and a host in front: the device's own follow.  Switches for small offices have a
 * letter for the severity ("%LINK-W-Down:"), ACI has "[" after the name, controllers of access
 * points
 * "#" for "%". */
#include "base/ip.h"
#include "syslog/parse.h"
#include "syslog/timestamp.h"

#define HEAD_MAX_BYTES 256 /* the mnemonic begins within these */
#define MNEMONIC_MAX_BYTES 96

struct head {
    struct cursor c; /* ends at the mnemonic */
    struct syslog_cache *cache;
    struct view host, pid;
    struct view host2; /* after `host`: sound only where another time follows */
    struct view relay; /* the host before the first of two times */
    struct timestamp time;
    enum timestamp_result result;
    bool is_untrusted; /* "*" before the time */
    bool has_sequence, has_node;
};

static bool is_severity(char ch)
{
    return (ch >= '0' && ch <= '7') || ch == 'I' || ch == 'W' || ch == 'E' || ch == 'N' ||
           ch == 'A' || ch == 'C' || ch == 'F' || ch == 'D';
}

/* "%A-…-5-NAME" up to the colon; ret_end is after the colon and its blank. */
static bool match_mnemonic(const char *p, const char *end, struct view *ret, const char **ret_end)
{
    const char *limit = end - p > MNEMONIC_MAX_BYTES ? p + MNEMONIC_MAX_BYTES : end;
    bool has_severity = false;
    const char *q = p + 1;
    for (; q < limit && *q != ':' && *q != ' '; q++) {
        if (!is_letter(*q) && !is_digit(*q) && *q != '_' && *q != '-' && *q != '/')
            return false;
        if (*q == '-' && limit - q > 3 && q[2] == '-' && is_severity(q[1]) && q > p + 2)
            has_severity = true;
    }
    *ret = view_of(p, (size_t)(q - p));
    if (q < limit && *q == ' ')
        q++;
    if (has_severity && q < limit && q[-1] == ' ' && *q == '[') {
        *ret_end = q;
        return true;
    }
    if (!has_severity || q == limit || *q != ':')
        return false;
    q++;
    if (q < end && *q == ' ')
        q++;
    *ret_end = q;
    return true;
}

/* The first mnemonic that begins a word; the head ends before it and a "*" in front of it. */
static const char *find_mnemonic(const struct cursor *text, char sign, struct view *ret,
                                 const char **ret_end)
{
    const char *p = text->p, *limit = p + MIN(cursor_left(text), (size_t)HEAD_MAX_BYTES);
    while (p < limit && (p = memchr(p, sign, (size_t)(limit - p))) != NULL) {
        bool has_star = p > text->p && p[-1] == '*';
        const char *before = has_star ? p - 1 : p;
        bool begins_word = before == text->p || before[-1] == ' ' || before[-1] == ':';
        if (begins_word && match_mnemonic(p, text->end, ret, ret_end))
            return before;
        p++;
    }
    return NULL;
}

static bool take_sequence(struct head *h)
{
    size_t n = 0;
    while (n < cursor_left(&h->c) && n < 12 && is_digit(h->c.p[n]))
        n++;
    if (h->has_sequence || n == 0 || n >= cursor_left(&h->c) || h->c.p[n] != ':' ||
        (cursor_left(&h->c) > n + 1 && is_digit(h->c.p[n + 1])))
        return false;
    h->has_sequence = true;
    h->c.p += n + 1;
    return true;
}

static bool take_time(struct head *h)
{
    struct cursor at = h->c;
    bool is_marked = cursor_at(&at, '*') || cursor_at(&at, '.');
    if (is_marked)
        at.p++;
    struct cursor zone = {at.p, at.end + 2}; /* a zone word may look ahead to ": %" */
    struct timestamp t;
    enum timestamp_result result = timestamp_scan(&zone, h->cache, &t);
    if (result == TIMESTAMP_ABSENT || zone.p > at.end)
        return false;
    if (h->result != TIMESTAMP_ABSENT) { /* what was there before is the relay's */
        h->relay = view_is_null(h->host) ? h->relay : h->host;
        h->host = h->host2;
        h->host2 = VIEW_NULL;
    }
    h->is_untrusted = is_marked && *h->c.p == '*';
    h->time = t;
    h->result = result;
    h->c.p = zone.p;
    return true;
}

/* "00:20:10", "1d02h", "3w4d", "1y5w", up to the colon. */
static bool take_uptime(struct head *h)
{
    struct view word = peek_token(&h->c);
    struct ip ip;
    if (word.n < 5 || word.p[word.n - 1] != ':' || ip_parse(view_of(word.p, word.n - 1), &ip) == 0)
        return false;
    for (size_t i = 0; i + 1 < word.n; i++) {
        if (!is_digit(word.p[i]) && (i == 0 || memchr(":.dhwy", word.p[i], 6) == NULL))
            return false;
    }
    h->c.p += word.n;
    return true;
}

static bool take_word(struct head *h)
{
    struct view word = peek_token(&h->c);
    if (word.n == 0)
        return false; /* a line end */
    const char *colon = memchr(word.p, ':', word.n);
    if (*word.p == '*') { /* a task */
        if (colon == NULL)
            return false;
        h->c.p = colon + 1;
        return true;
    }
    if (!h->has_node && (memcmp(word.p, "RP/", MIN(word.n, 3u)) == 0 ||
                         memcmp(word.p, "LC/", MIN(word.n, 3u)) == 0)) {
        if (colon == NULL)
            return false;
        h->has_node = true;
        h->c.p = colon + 1;
        return true;
    }
    struct view name = word;
    if (name.p[name.n - 1] == ':')
        name.n--;
    const char *open = memchr(name.p, '[', name.n);
    if (open && name.p[name.n - 1] == ']' && h->has_node && view_is_null(h->pid)) {
        h->pid = view_of(open + 1, (size_t)(name.p + name.n - open) - 2);
        h->c.p += word.n;
        return true;
    }
    if (all_digits(name)) { /* a counter */
        h->c.p += word.n;
        return true;
    }
    bool may_be_host = name.n > 0 && (is_letter(name.p[0]) || is_digit(name.p[0])) &&
                       open == NULL && memchr(name.p, '=', name.n) == NULL;
    if (!may_be_host || !view_is_null(h->host2))
        return false;
    if (view_is_null(h->host))
        h->host = name;
    else
        h->host2 = name;
    h->c.p += word.n;
    return true;
}

static bool take_head(struct head *h)
{
    for (;;) {
        while (h->c.p < h->c.end && (is_blank(*h->c.p) || *h->c.p == ':'))
            h->c.p++;
        if (h->c.p == h->c.end)
            return true;
        if (!take_sequence(h) && !take_time(h) && !take_uptime(h) && !take_word(h))
            return false;
    }
}

static bool parse(const struct parse *in, char sign, struct record *r)
{
    struct view mnemonic;
    const char *after;
    const char *at = find_mnemonic(&in->text, sign, &mnemonic, &after);
    if (at == NULL)
        return false;
    struct head h = {.c = {in->text.p, at}, .cache = &in->ctx->cache};
    if (!take_head(&h) || !view_is_null(h.host2))
        return false;
    if (view_is_null(h.host))
        h.host = h.relay;
    if (!in->has_pri && h.result == TIMESTAMP_ABSENT)
        return false;
    timestamp_apply(&h.time, h.result, in->ctx, r);
    if (h.is_untrusted)
        r->flags |= RECORD_BAD_TIME;
    r->hostname = h.host;
    r->procid = h.pid.n > 0 ? h.pid : VIEW_NULL;
    r->app_name = mnemonic;
    r->message = view_of(after, (size_t)(in->text.end - after));
    return true;
}

bool cisco_parse(const struct parse *in, struct record *r)
{
    return parse(in, '%', r);
}

bool cisco_parse_task(const struct parse *in, struct record *r)
{
    return parse(in, '#', r);
}
