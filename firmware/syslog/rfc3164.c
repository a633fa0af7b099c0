/* RFC 3164 and its relatives: [TIME] [HOST] [TAG[[PID]]:] text, as senders really write it.
 *
 *   with time:  the first word is the host, unless it is a tag ("sshd[12]:"), or cannot be a host
 *               ("ID=7", "[x]", "{…"): then there is none
 *   no time:    a host only when a tag with process number follows; a tag only when the first word
 *               ends like one
 *   tag:        any length and character; ends at ": " or "]:"; "name[digits]" also without colon
 *
 * A wrong guess hides text from where people look for it, so what is not certain stays in the
 * message. */
#include "base/ip.h"
#include "base/limits.h"
#include "base/record.h"
#include "syslog/tag.h"
#include "syslog/timestamp.h"

/* "last message repeated 3 times", "Last message 'text' repeated 3 times". */
static bool is_repeated(const struct cursor *c)
{
    if (LIKELY(cursor_left(c) < 22 || (*c->p | 0x20) != 'l') ||
        memcmp(c->p + 1, "ast message ", 12) != 0)
        return false;
    return c->p[13] == '\'' || memcmp(c->p + 13, "repeated ", 9) == 0;
}

/* "Message forwarded from HOST: " (AIX), then the tag. */
static void skip_forwarded(struct cursor *c)
{
    static const char text[] = "Message forwarded from ";
    if (cursor_left(c) > sizeof(text) - 1 && *c->p == 'M' &&
        memcmp(c->p, text, sizeof(text) - 1) == 0)
        c->p += sizeof(text) - 1;
}

static bool is_hex(struct view v)
{
    for (size_t i = 0; i < v.n; i++) {
        if (!is_digit(v.p[i]) && (v.p[i] < 'a' || v.p[i] > 'f'))
            return false;
    }
    return true;
}

/* "U7PG2,00005e005302,v4.0.66": UniFi's model, hardware address, version. */
static bool is_unifi_model(struct view v)
{
    const char *comma = memchr(v.p, ',', v.n);
    return comma && v.p + v.n - comma > 14 && comma[13] == ',' && is_hex(view_of(comma + 1, 12));
}

/* "00005e005302,USW-Flex-6.2.14:" after the host, which says no more of it. */
static void skip_unifi_model(struct cursor *c)
{
    struct view word = peek_token(c);
    if (LIKELY(word.n < 16 || word.p[12] != ',' || word.p[word.n - 1] != ':' ||
               !is_hex(view_of(word.p, 12))))
        return;
    c->p += word.n;
    skip_blanks(c);
}

/* The word at the cursor is "host:" when "name[123]:" or "%%10NAME/…" follows. */
static bool is_host_with_colon(const struct cursor *c, struct view word)
{
    struct view name = view_of(word.p, word.n - 1);
    struct cursor next = {word.p + word.n, c->end};
    struct tag tag;
    skip_blanks(&next);
    if (!tag_is_host(name))
        return false;
    if (cursor_starts(&next, VIEW("%%")) || is_unifi_model(name))
        return true;
    word = peek_token(&next);
    if (UNLIKELY(tag_is_ipv6(name)))
        return tag_match_word(word, &tag);
    return tag_match_bracket(word, &tag) && !view_is_null(tag.pid) && tag.end[-1] == ':';
}

/* "[192.0.2.1]" or "[fe80::1]", and UniFi's ("U7LT,00005e005301,v4.0"): a host in brackets. */
static bool take_bracketed_host(struct cursor *c, struct view word, struct record *r)
{
    struct view inner = VIEW_NULL;
    struct ip ip;
    if (word.n > 4 && word.p[0] == '[' && word.p[word.n - 1] == ']') {
        inner = view_of(word.p + 1, word.n - 2);
        if (ip_parse(inner, &ip) < 0)
            return false;
    } else if (word.n > 4 && memcmp(word.p, "(\"", 2) == 0 &&
               memcmp(word.p + word.n - 2, "\")", 2) == 0) {
        inner = view_of(word.p + 2, word.n - 4);
        if (!tag_is_host(inner))
            return false;
    } else {
        return false;
    }
    r->hostname = inner;
    c->p += word.n;
    skip_blanks(c);
    return true;
}

/* 'bigip1,Hostname="…",…' (F5): a host before the names. */
static bool take_host_before_names(struct cursor *c, struct view word, struct record *r)
{
    const char *comma = memchr(word.p, ',', word.n);
    const char *equals = comma ? memchr(comma, '=', (size_t)(word.p + word.n - comma)) : NULL;
    if (equals == NULL || equals + 1 == word.p + word.n || equals[1] != '"' ||
        !tag_is_plain_host(view_of(word.p, (size_t)(comma - word.p))))
        return false;
    r->hostname = view_of(word.p, (size_t)(comma - word.p));
    c->p = comma + 1;
    return true;
}

static bool has_letter(struct view v)
{
    for (size_t i = 0; i < v.n; i++) {
        if (is_letter(v.p[i]))
            return true;
    }
    return false;
}

/* The same host, once with its domain: "h1.example.com h1". */
static bool is_same_host(struct view a, struct view b)
{
    struct view longer = a.n > b.n ? a : b;
    struct view shorter = a.n > b.n ? b : a;
    return (longer.n == shorter.n || longer.p[shorter.n] == '.') &&
           view_eq_nocase(view_of(longer.p, shorter.n), shorter) && has_letter(shorter);
}

/* "192.0.2.1 fw1 app[12]: …": a relay put an address in front of the device's name. */
static void prefer_name(struct cursor *c, struct view again, struct record *r)
{
    struct cursor next = {again.p + again.n, c->end};
    struct tag tag;
    struct ip ip;
    bool is_name = false;
    for (size_t i = 0; i < again.n; i++)
        is_name = is_name || is_digit(again.p[i]) || again.p[i] == '-' || again.p[i] == '.';
    skip_blanks(&next);
    if (!is_name || !has_letter(again) || !tag_is_plain_host(again))
        return;
    struct view word = peek_token(&next);
    if (word.n < 5 || word.p[word.n - 1] != ':' || !tag_match_bracket(word, &tag) ||
        view_is_null(tag.pid) || ip_parse(r->hostname, &ip) < 0)
        return;
    r->hostname = again;
    *c = next;
}

static void take_host(struct cursor *c, struct record *r)
{
    skip_forwarded(c);
    struct view word = peek_token(c);
    struct tag tag;
    if (word.n == 0 || is_repeated(c))
        return;
    if (word.n > 1 && word.p[word.n - 1] == ',')
        word.n--; /* "idrac-1, Category: …" */
    if (word.n == 1 && *word.p == '-') {
        c->p++; /* no host, said with RFC 5424's nil */
        skip_blanks(c);
        return;
    }
    if (UNLIKELY(!tag_is_plain_host(word)) && !tag_is_ipv6(word)) {
        if (word.p[word.n - 1] == ':' && is_host_with_colon(c, word)) {
            r->hostname = view_of(word.p, word.n - 1);
            c->p += word.n;
            skip_blanks(c);
            return;
        }
        if (tag_match_word(word, &tag))
            return;
        if (!tag_is_host(word)) {
            if (!take_bracketed_host(c, word, r))
                take_host_before_names(c, word, r);
            return;
        }
        if (tag_is_level(word)) {
            c->p += word.n; /* "user.warning host NSM[1]: …" */
            skip_blanks(c);
            word = peek_token(c);
            if (!tag_is_host(word) || tag_match_word(word, &tag))
                return;
        }
    }
    r->hostname = word;
    c->p += word.n;
    if (cursor_at(c, ','))
        c->p++;
    skip_blanks(c);
    struct view again = peek_token(c);
    bool may_be_same = again.n > 0 && (*again.p | 0x20) == (*word.p | 0x20);
    if ((UNLIKELY(may_be_same) && (view_eq(again, word) || is_same_host(again, word))) ||
        view_eq(again, VIEW(":"))) { /* "host host app:", "host : text" */
        c->p += again.n;
        skip_blanks(c);
    } else if (UNLIKELY(again.n > 12 && again.p[12] == ',')) {
        skip_unifi_model(c);
    } else if (is_digit(*word.p)) {
        prefer_name(c, again, r);
    }
}

/* "80BE052F336C0": the number of a device. */
static bool is_serial(struct view v)
{
    size_t digits = 0;
    for (size_t i = 0; i < v.n; i++) {
        if (!is_digit(v.p[i]) && !is_upper(v.p[i]))
            return false;
        digits += is_digit(v.p[i]);
    }
    return v.n >= 6 && digits > 0;
}

/* WatchGuard, after the host: [SERIAL] [(2026-03-10T11:45:00)] name: text.  Number and name of the
 * host may be the other way round. */
static bool match_watchguard_tag(const struct cursor *c, struct record *r, struct tag *ret)
{
    struct cursor at = *c;
    struct view skipped = VIEW_NULL, word = peek_token(&at);
    if (word.n > 0 && *word.p != '(') {
        skipped = word;
        at.p += word.n;
        skip_blanks(&at);
        word = peek_token(&at);
    }
    bool has_time = word.n >= 21 && word.p[0] == '(' && word.p[word.n - 1] == ')' &&
                    is_digit(word.p[1]) && word.p[11] == 'T';
    if (has_time) {
        at.p += word.n;
        skip_blanks(&at);
        word = peek_token(&at);
    }
    if (word.n == 0 || !tag_match_word(word, ret))
        return false;
    struct cursor text = {ret->end, c->end};
    skip_blanks(&text);
    if (!has_time && (!is_serial(skipped) || !cursor_starts(&text, VIEW("msg_id="))))
        return false;
    if (is_serial(r->hostname) && !view_is_null(skipped) && !is_serial(skipped))
        r->hostname = skipped;
    return true;
}

/* Tags by which few devices are known. */
static bool match_odd_tag(const struct cursor *c, struct record *r, struct tag *ret)
{
    struct view word = peek_token(c);
    if (cursor_starts(c, VIEW("CISE_"))) { /* Cisco ISE: a category, no colon */
        *ret = (struct tag){word, VIEW_NULL, word.p + word.n};
        return word.n <= HEADER_FIELD_MAX_BYTES;
    }
    if (cursor_starts(c, VIEW("kernel:["))) { /* no blank before the time since start */
        *ret = (struct tag){view_of(c->p, 6), VIEW_NULL, c->p + 7};
        return true;
    }
    bool may_be = *c->p == '(' || is_upper(*c->p) || is_digit(*c->p);
    return may_be && match_watchguard_tag(c, r, ret);
}

static void take_tag(struct cursor *c, bool may_have_words, struct record *r)
{
    struct view word = peek_token(c);
    struct tag tag;
    if (word.n == 0 || is_repeated(c))
        return;
    if (may_have_words && tag_is_severity_word(word) && word.p[word.n - 1] != ':') {
        /* "host notice tmsh[123]: …": the severity in words, then the tag */
        struct cursor next = {word.p + word.n, c->end};
        skip_blanks(&next);
        struct view after = peek_token(&next);
        if (after.n == 0 || !tag_match_bracket(after, &tag))
            return;
    } else if (!tag_match_word(word, &tag) &&
               !(may_have_words && (tag_match_words(c, &tag) || match_odd_tag(c, r, &tag)))) {
        return;
    }
    r->app_name = tag.name;
    r->procid = tag.pid;
    c->p = tag.end;
    if (cursor_at(c, ' '))
        c->p++;
}

/* "<13>" that a relay left where the device had it. */
static bool skip_inner_pri(struct cursor *c)
{
    const char *p = c->p + 1;
    if (!cursor_at(c, '<'))
        return false;
    while (p < c->end && p - c->p < 4 && is_digit(*p))
        p++;
    if (p == c->end || *p != '>' || p == c->p + 1)
        return false;
    c->p = p + 1;
    return true;
}

/* The header of RFC 5424 behind that of a relay, or one that a device writes after an RFC 3164's
 * own: its fields are taken, when they are whole. */
static bool take_inner_5424(struct cursor at, const struct parse *in, struct record *r)
{
    if (at.p < at.end && *at.p == '<' && !skip_inner_pri(&at))
        return false;
    if (LIKELY(cursor_left(&at) < 24 || *at.p != '1' || at.p[1] != ' '))
        return false;
    struct parse inner = {.ctx = in->ctx, .text = at, .has_pri = true};
    struct record device = *r;
    device.hostname = VIEW_NULL;
    device.reported_at_us = TIME_NONE;
    device.flags &= (uint8_t)~RECORD_BAD_TIME;
    if (!rfc5424_parse(&inner, &device) || device.reported_at_us == TIME_NONE ||
        view_is_null(device.hostname) || view_is_null(device.app_name))
        return false;
    *r = device;
    r->format = FORMAT_RFC5424;
    return true;
}

/* A relay may put its own header in front of the device's: then another time follows its host, and
 * host and tag after that.  Text that happens to begin with a time has no tag there. */
static void take_inner_header(struct cursor *c, const struct parse *in, struct record *r)
{
    if (LIKELY(cursor_left(c) < 16 || (*c->p != '<' && (c->p[3] != ' ' || !is_upper(*c->p)))))
        return;
    struct cursor at = *c;
    struct timestamp t;
    if (*at.p == '<' && !skip_inner_pri(&at))
        return;
    struct record inner = {.reported_at_us = TIME_NONE, .flags = r->flags};
    enum timestamp_result result = timestamp_scan(&at, &in->ctx->cache, &t);
    if (result != TIMESTAMP_GOOD || !cursor_at(&at, ' '))
        return;
    skip_blanks(&at);
    timestamp_apply(&t, result, in->ctx, &inner);
    take_host(&at, &inner);
    struct tag tag;
    if (view_is_null(inner.hostname) || !tag_match_word(peek_token(&at), &tag))
        return;
    r->reported_at_us = inner.reported_at_us;
    r->flags = inner.flags;
    r->time_text = inner.time_text;
    r->time_form = inner.time_form;
    r->time_digits = inner.time_digits;
    r->time_offset_min = inner.time_offset_min;
    r->hostname = inner.hostname;
    *c = at;
}

/* Without a time the first word is the host only when what follows can be nothing but the
 * beginning of a message: "web-1 sshd[12]: …", "fw-1 CEF:0|…". */
static void take_certain_host(struct cursor *c, struct record *r)
{
    struct view word = peek_token(c);
    struct cursor next = {word.p + word.n, c->end};
    struct tag tag;
    skip_blanks(&next);
    struct view model = peek_token(&next);
    if (model.n > 16 && model.p[12] == ',' && model.p[model.n - 1] == ':' &&
        is_hex(view_of(model.p, 12))) {
        skip_unifi_model(&next); /* "Switch-1 00005e005301,USW_FLEX_MINI-1.8.6.694: …" */
    } else if (!cursor_starts(&next, VIEW("CEF:")) && !cursor_starts(&next, VIEW("LEEF:")) &&
               !cursor_starts(&next, VIEW("MSWinEventLog"))) {
        struct view after = peek_token(&next);
        if (after.n < 5 || after.p[after.n - 1] != ':' || after.p[after.n - 2] != ']' ||
            !tag_match_bracket(after, &tag) || !all_digits(tag.pid))
            return;
        bool is_word = true;
        for (size_t i = 0; i < word.n; i++)
            is_word = is_word && (is_letter(word.p[i]) || word.p[i] == '/');
        if (is_word)
            return; /* "backup job[12]: …" */
    }
    if (!tag_is_host(word) || tag_match_word(word, &tag))
        return;
    r->hostname = word;
    *c = next;
}

static void skip_after_time(struct cursor *c)
{
    if (cursor_at(c, ':'))
        c->p++;
    skip_blanks(c);
}

/* "1773140400 host name[12]: …": without host and process it is only a number. */
static bool take_epoch(struct cursor *c, struct record *r)
{
    struct cursor at = *c;
    struct tag tag;
    int64_t at_us;
    if (LIKELY(at.p == at.end || !is_digit(*at.p)) || !timestamp_epoch(&at, &at_us))
        return false;
    struct view host = peek_token(&at);
    struct cursor next = {host.p + host.n, at.end};
    skip_blanks(&next);
    struct view word = peek_token(&next);
    if (!tag_is_plain_host(host) || !tag_match_bracket(word, &tag) || tag.end[-1] != ':')
        return false;
    r->reported_at_us = at_us;
    *c = at;
    return true;
}

/* "83: *Mar 10 11:45:00.123: text": Cisco's number and mark of the clock, where no mnemonic
 * follows. */
static enum timestamp_result scan_marked(struct cursor *c, const struct parse *in,
                                         struct timestamp *t, struct record *r)
{
    struct cursor at = *c;
    size_t digits = 0;
    while (digits < 12 && digits < cursor_left(&at) && is_digit(at.p[digits]))
        digits++;
    if (digits > 0 &&
        (cursor_left(&at) < digits + 2 || at.p[digits] != ':' || at.p[digits + 1] != ' '))
        return TIMESTAMP_ABSENT;
    at.p += digits > 0 ? digits + 2 : 0;
    bool has_star = cursor_at(&at, '*');
    if (has_star || cursor_at(&at, '.'))
        at.p++;
    enum timestamp_result result = at.p == c->p ? TIMESTAMP_ABSENT
                                                : timestamp_scan(&at, &in->ctx->cache, t);
    if (result == TIMESTAMP_ABSENT)
        return result;
    if (has_star)
        r->flags |= RECORD_BAD_TIME;
    *c = at;
    return result;
}

/* "0-PPE-0 :": NetScaler's packet engine, where it was told to leave the host out. */
static bool is_engine(const struct cursor *c)
{
    struct view word = peek_token(c);
    return word.n > 0 && memmem(word.p, word.n, "PPE-", 4) != NULL;
}

/* "[2026-03-10 11:45:00]". */
static enum timestamp_result scan_bracketed(struct cursor *c, struct timestamp *t)
{
    const char *close = memchr(c->p, ']', MIN(cursor_left(c), (size_t)48));
    struct cursor at = {c->p + 1, close};
    struct syslog_cache none = {0}; /* what it remembers looks beyond the bracket */
    if (close == NULL)
        return TIMESTAMP_ABSENT;
    enum timestamp_result result = timestamp_scan(&at, &none, t);
    if (result == TIMESTAMP_ABSENT || at.p != close)
        return TIMESTAMP_ABSENT;
    c->p = close + 1;
    return result;
}

bool rfc3164_parse(const struct parse *in, struct record *r)
{
    struct cursor c = in->text;
    struct timestamp t;
    skip_blanks(&c);
    if (UNLIKELY(cursor_starts(&c, VIEW(": ")))) {
        struct cursor after = {c.p + 2, c.end};
        if (timestamp_scan(&after, &in->ctx->cache, &t) != TIMESTAMP_ABSENT)
            c.p += 2;
    }
    if (UNLIKELY(cursor_starts(&c, VIEW("1 "))) && cursor_left(&c) > 20 && is_upper(c.p[2])) {
        struct cursor after = {c.p + 2, c.end};
        if (timestamp_scan(&after, &in->ctx->cache, &t) != TIMESTAMP_ABSENT)
            c.p += 2; /* RFC 5424's version before RFC 3164's time */
    }
    enum timestamp_result result = timestamp_scan(&c, &in->ctx->cache, &t);
    if (UNLIKELY(result == TIMESTAMP_ABSENT && cursor_at(&c, '[') && in->has_pri))
        result = scan_bracketed(&c, &t);
    if (result == TIMESTAMP_ABSENT && !in->has_pri)
        return false;
    if (UNLIKELY(result == TIMESTAMP_ABSENT && c.p < c.end && !is_letter(*c.p)))
        result = scan_marked(&c, in, &t, r);
    if (result != TIMESTAMP_ABSENT) {
        skip_after_time(&c);
        const struct cursor host = c;
        struct timestamp own;
        enum timestamp_result again = TIMESTAMP_ABSENT;
        if (c.p < c.end && (is_digit(*c.p) || is_upper(*c.p)))
            again = timestamp_scan(&c, &in->ctx->cache, &own);
        if (again != TIMESTAMP_ABSENT) {
            /* a relay put its time in front: the second one is the device's */
            t = own;
            result = again;
            skip_after_time(&c);
        }
        timestamp_apply(&t, result, in->ctx, r);
        if (LIKELY(!t.has_slashes || !is_engine(&c)))
            take_host(&c, r);
        if (UNLIKELY(t.has_slashes && is_engine(&c)))
            r->format = FORMAT_NETSCALER;
        if (UNLIKELY(c.p < c.end && (*c.p == '1' || *c.p == '<'))) {
            if (meraki_take(c, r)) {
                r->format = FORMAT_MERAKI;
                return true;
            }
            if (take_inner_5424(c, in, r))
                return true;
        }
        take_inner_header(&c, in, r);
        bool has_list = !view_is_null(r->hostname) && c.p < c.end &&
                        r->hostname.p[r->hostname.n] == ','; /* "idrac-1, Category: …" */
        if (LIKELY(!has_list))
            take_tag(&c, true, r);
        if (UNLIKELY(view_is_null(r->app_name) && t.has_year && in->has_pri) &&
            rfc5424_take_unversioned(host, r)) {
            r->format = FORMAT_RFC5424;
            return true;
        }
    } else if (take_epoch(&c, r)) {
        take_host(&c, r);
        take_tag(&c, false, r);
    } else {
        take_certain_host(&c, r);
        take_tag(&c, false, r);
    }
    if (UNLIKELY(cursor_at(&c, '\xef')))
        skip_bom(&c);
    r->message = cursor_rest(&c);
    return true;
}
