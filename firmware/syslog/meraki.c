/* Meraki: "1 1773143100.123456789 MX84 flows src=192.0.2.1 …" after the PRI, or after another
 * header that a relay has put before it.  The number is the time in seconds since the epoch. */
#include "base/limits.h"
#include "syslog/timestamp.h"

/* What the kinds of messages begin with: small letters, digits, "_" and "-". */
static bool is_kind(struct view v)
{
    if (v.n < 4 || v.n > 64)
        return false;
    for (size_t i = 0; i < v.n; i++) {
        if (!is_digit(v.p[i]) && (v.p[i] < 'a' || v.p[i] > 'z') && v.p[i] != '_' && v.p[i] != '-')
            return false;
    }
    return true;
}

bool meraki_take(struct cursor c, struct record *r)
{
    int64_t at_us;
    if (LIKELY(cursor_left(&c) < 14 || c.p[0] != '1' || c.p[1] != ' '))
        return false;
    c.p += 2;
    if (!timestamp_epoch(&c, &at_us))
        return false;
    struct view host = peek_token(&c);
    if (host.n == 0 || host.n > HEADER_FIELD_MAX_BYTES || cursor_left(&c) == host.n)
        return false;
    struct cursor rest = {host.p + host.n + 1, c.end};
    if (*(rest.p - 1) != ' ' || !is_kind(peek_token(&rest)))
        return false;
    r->reported_at_us = at_us;
    r->time_text = VIEW_NULL;
    r->time_form = TIME_FORM_NONE;
    r->flags &= (uint8_t)~RECORD_BAD_TIME;
    r->hostname = host;
    r->message = cursor_rest(&rest);
    return true;
}

bool meraki_parse(const struct parse *in, struct record *r)
{
    return in->has_pri && meraki_take(in->text, r);
}
