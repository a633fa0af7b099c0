/* Which vendor or form a message's text shows.  Runs for every message without RFC 5424's header,
 * so it looks at the first bytes, and further only where these leave one answer. */
#include "base/limits.h"
#include "base/record.h"
#include "syslog/tag.h"
#include "syslog/timestamp.h"

#define LOOK_BYTES 512 /* how far a name is looked for in a text of name=value */

static bool starts(struct view v, const char *text, size_t n)
{
    return v.n >= n && memcmp(v.p, text, n) == 0;
}
#define STARTS(v, literal) starts(v, "" literal, sizeof(literal) - 1)

static bool has(struct view v, const char *text, size_t n)
{
    return memmem(v.p, MIN(v.n, (size_t)LOOK_BYTES), text, n) != NULL;
}
#define HAS(v, literal) has(v, "" literal, sizeof(literal) - 1)

/* ---- name=value ---- */

/* What names are made of: ASCII letters, digits, "_", "-", ".". */
static const bool name_chars[256] = {
    ['-'] = true,         ['.'] = true,         ['_'] = true,
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
};

static size_t name_bytes(struct view v)
{
    size_t i = 0;
    while (i < v.n && name_chars[(unsigned char)v.p[i]])
        i++;
    return i;
}

static bool is_separator(char c)
{
    return is_blank(c) || c == ',' || c == ';' || c == '|';
}

/* Of the value at the beginning of v, its quotes included. */
static size_t value_bytes(struct view v)
{
    size_t i = 0;
    if (v.n > 0 && *v.p == '"') {
        for (i = 1; i < v.n && v.p[i] != '"'; i++)
            i += v.p[i] == '\\' && i + 1 < v.n;
        return MIN(i + 1, v.n);
    }
    while (i < v.n && !is_separator(v.p[i]))
        i++;
    return i;
}

static struct view after(struct view v, size_t n)
{
    return view_of(v.p + n, v.n - n);
}

/* The value of a name that a blank stands before, without its quotes; null where there is none. */
static struct view value_of(struct view text, struct view blank_name_equals)
{
    const char *at =
        memmem(text.p, MIN(text.n, (size_t)LOOK_BYTES), blank_name_equals.p, blank_name_equals.n);
    if (at == NULL)
        return VIEW_NULL;
    struct view v = after(text, (size_t)(at - text.p) + blank_name_equals.n);
    v.n = value_bytes(v);
    if (v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"')
        v = view_of(v.p + 1, v.n - 2);
    return v;
}

/* Does another name=value follow the first one, whose value begins v? */
static bool has_second_pair(struct view v)
{
    v = after(v, value_bytes(v));
    size_t i = 0;
    while (i < v.n && is_separator(v.p[i]))
        i++;
    if (i == 0)
        return false;
    v = after(v, i);
    size_t n = name_bytes(v);
    return n > 0 && n < v.n && v.p[n] == '=';
}

/* By its first name; FORMAT_KV: no vendor's own, or not certain. */
static enum record_format kv_vendor(struct view name, struct view m)
{
    struct view value = after(m, name.n + 1);
    switch (name.n) {
    case 2: /* id */
        if (view_eq(name, VIEW("id")) && HAS(m, " sn="))
            return FORMAT_SONICWALL;
        if (view_eq(name, VIEW("id")) && HAS(m, " sys=\"Secure"))
            return FORMAT_SOPHOS;
        break;
    case 4:
        if (view_eq(name, VIEW("date")) && STARTS(after(value, value_bytes(value)), " time=") &&
            (HAS(m, " devname=") || HAS(m, " devid=") || HAS(m, " logid=")))
            return FORMAT_FORTINET;
        break;
    case 6:
        if (view_eq(name, VIEW("logver")) && HAS(m, " dev"))
            return FORMAT_FORTINET;
        if (view_eq(name, VIEW("device")) &&
            (STARTS(value, "\"SFW\"") || HAS(m, " log_component=")))
            return FORMAT_SOPHOS;
        if (view_eq(name, VIEW("loguid")))
            return FORMAT_CHECKPOINT;
        break;
    case 11:
        if (view_eq(name, VIEW("device_name")) && HAS(m, " log_component="))
            return FORMAT_SOPHOS;
        break;
    default:
        break;
    }
    return HAS(m, "loguid=") ? FORMAT_CHECKPOINT : FORMAT_KV;
}

/* ---- the time in such a text ---- */

static void append(char *text, size_t *n, size_t max, struct view v)
{
    if (v.n > 0 && v.n <= max - *n) {
        memcpy(text + *n, v.p, v.n);
        *n += v.n;
    }
}

/* Take the time that is `date` + blank + `time` + blank + `zone`; the latter two may be null. */
static void apply_time(const struct parse *in, struct record *r, struct view date, struct view time,
                       struct view zone)
{
    char text[64];
    size_t n = 0;
    append(text, &n, sizeof(text), date);
    if (time.n > 0) {
        append(text, &n, sizeof(text), VIEW(" "));
        append(text, &n, sizeof(text), time);
    }
    if (zone.n > 0) {
        append(text, &n, sizeof(text), VIEW(" "));
        append(text, &n, sizeof(text), zone);
    }
    struct cursor c = {text, text + n};
    struct timestamp t;
    if (timestamp_iso(&c, &t) != TIMESTAMP_GOOD || !t.has_offset || c.p != c.end)
        return; /* without a zone it is not certain */
    timestamp_apply(&t, TIMESTAMP_GOOD, in->ctx, r);
    r->time_text = VIEW_NULL; /* it stands in the message */
    r->time_form = TIME_FORM_NONE;
    r->time_digits = 0;
}

static void take_body_time(const struct parse *in, struct record *r)
{
    struct view m = r->message;
    if (r->reported_at_us != TIME_NONE || (r->flags & RECORD_BAD_TIME))
        return;
    if (r->format == FORMAT_FORTINET && STARTS(m, "date=")) {
        struct view date = view_of(m.p + 5, value_bytes(after(m, 5)));
        apply_time(in, r, date, value_of(m, VIEW(" time=")), value_of(m, VIEW(" tz=")));
    } else if (r->format == FORMAT_SOPHOS && !view_is_null(value_of(m, VIEW(" timestamp=")))) {
        apply_time(in, r, value_of(m, VIEW(" timestamp=")), VIEW_NULL, VIEW_NULL);
    } else if (r->format == FORMAT_SOPHOS) {
        apply_time(in, r, value_of(m, VIEW(" date=")), value_of(m, VIEW(" time=")),
                   value_of(m, VIEW(" timezone=")));
    } else if (r->format == FORMAT_SONICWALL) {
        apply_time(in, r, value_of(m, VIEW(" time=")), VIEW_NULL, VIEW_NULL);
    }
}

/* ---- other texts ---- */

/* "1,2026/03/10 11:45:00,001234567890,TRAFFIC,…" */
static bool is_paloalto(struct view m)
{
    static const char *const types[] = {
        "TRAFFIC", "THREAT",        "CONFIG",     "SYSTEM",         "HIPMATCH",
        "USERID",  "GLOBALPROTECT", "DECRYPTION", "AUTHENTICATION", "CORRELATION",
        "GTP",     "SCTP",          "TUNNEL",     "IPTAG"};
    struct view field = m;
    if (m.n < 24 || !is_digit(m.p[0]))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const char *comma = memchr(field.p, ',', MIN(field.n, (size_t)32));
        if (comma == NULL)
            return false;
        if (i == 1 && field.p != comma && (field.n < 19 || field.p[4] != '/'))
            return false;
        field = after(field, (size_t)(comma - field.p) + 1);
    }
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        size_t n = strlen(types[i]);
        if (field.n > n && field.p[n] == ',' && memcmp(field.p, types[i], n) == 0)
            return true;
    }
    return false;
}

/* "01070727:5: …" */
static bool is_f5(struct view m)
{
    if (m.n < 11 || m.p[8] != ':' || !is_digit(m.p[9]) || m.p[10] != ':')
        return false;
    for (unsigned i = 0; i < 8; i++) {
        if (!is_digit(m.p[i]) && (m.p[i] < 'a' || m.p[i] > 'f'))
            return false;
    }
    return true;
}

static bool is_json(struct view m)
{
    while (m.n > 0 && (is_blank(m.p[m.n - 1]) || m.p[m.n - 1] == '\n' || m.p[m.n - 1] == '\r'))
        m.n--;
    return m.n >= 2 && m.p[0] == '{' && m.p[m.n - 1] == '}' &&
           (m.p[1] == '"' || m.p[1] == '}' || m.p[1] == ' ' || m.p[1] == '\n');
}

/* "UI_COMMIT: …", "RT_FLOW_SESSION_CREATE: …" */
static bool is_junos_event(struct view m)
{
    size_t n = 0, bars = 0;
    for (; n < m.n && (is_upper(m.p[n]) || is_digit(m.p[n]) || m.p[n] == '_'); n++)
        bars += m.p[n] == '_';
    return bars > 0 && n + 1 < m.n && m.p[n] == ':' && m.p[n + 1] == ' ';
}

/* The texts that begin with a letter, by what stands after their first name. */
static enum record_format format_of_words(struct view m)
{
    size_t n = name_bytes(m);
    struct view name = view_of(m.p, n);
    if (n == m.n)
        return FORMAT_RAW;
    switch (m.p[n]) {
    case '=': {
        if (view_eq(name, VIEW("msg_id")))
            return FORMAT_WATCHGUARD; /* text follows it */
        return has_second_pair(after(m, n + 1)) ? kv_vendor(name, m) : FORMAT_RAW;
    }
    case ',': {
        struct cursor c = {m.p, m.p + m.n};
        return tag_is_topics(peek_token(&c)) ? FORMAT_MIKROTIK : FORMAT_RAW;
    }
    case ':':
        if (view_eq(name, VIEW("CEF")) && n + 1 < m.n &&
            (is_digit(m.p[n + 1]) || m.p[n + 1] == ' '))
            return FORMAT_CEF;
        if (view_eq(name, VIEW("LEEF")) && n + 1 < m.n)
            return FORMAT_LEEF;
        if (view_eq(name, VIEW("ASM")))
            return FORMAT_F5;
        return FORMAT_RAW;
    case '[':
        return tag_is_interface(name) ? FORMAT_YAMAHA : FORMAT_RAW;
    case '\t':
    case ' ':
        return view_eq(name, VIEW("MSWinEventLog")) ? FORMAT_SNARE : FORMAT_RAW;
    default:
        return FORMAT_RAW;
    }
}

static enum record_format format_of_text(struct view m)
{
    if (m.n < 2)
        return FORMAT_RAW;
    if ((is_letter(*m.p) && (unsigned char)*m.p < 0x80) || *m.p == '_') {
        enum record_format f = format_of_words(m);
        return f == FORMAT_RAW && is_f5(m) ? FORMAT_F5 : f;
    }
    switch (*m.p) {
    case '{':
        return is_json(m) ? FORMAT_JSON : FORMAT_RAW;
    case '@':
        return STARTS(m, "@cee:") ? FORMAT_JSON : FORMAT_RAW;
    case '[':
        return STARTS(m, "[INSPECT] ") ? FORMAT_YAMAHA : FORMAT_RAW;
    case '%':
        return STARTS(m, "%%01") ? FORMAT_HUAWEI : STARTS(m, "%%10") ? FORMAT_H3C : FORMAT_RAW;
    case '0' ... '9':
        return is_paloalto(m) ? FORMAT_PALOALTO : is_f5(m) ? FORMAT_F5 : FORMAT_RAW;
    default:
        return FORMAT_RAW;
    }
}

/* ---- by the program ---- */

struct program {
    uint8_t n;
    char name[15];
};

static bool is_one_of(struct view app, const struct program *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (app.n == list[i].n && view_eq_nocase(app, view_of(list[i].name, list[i].n)))
            return true;
    }
    return false;
}

static bool is_vmware(struct view app)
{
    static const struct program apps[] = {
        {5, "hostd"},     {11, "hostd-probe"}, {4, "vpxa"},          {4, "vpxd"},
        {8, "vmkernel"},  {10, "vmkwarning"},  {4, "vobd"},          {10, "rhttpproxy"},
        {9, "esxupdate"}, {11, "vsanmgmtsvc"}, {12, "sdrsinjector"}, {3, "fdm"}};
    return is_one_of(app, apps, ARRAY_LEN(apps));
}

static bool is_junos_daemon(struct view app)
{
    static const struct program apps[] = {
        {3, "mgd"},   {3, "rpd"},  {8, "chassisd"}, {5, "mib2d"}, {5, "snmpd"}, {3, "dcd"},
        {5, "jsrpd"}, {4, "pfed"}, {4, "cosd"},     {5, "lacpd"}, {5, "l2cpd"}, {6, "eventd"},
        {4, "sshd"},  {3, "kmd"},  {6, "alarmd"},   {6, "craftd"}};
    return is_one_of(app, apps, ARRAY_LEN(apps));
}

static enum record_format format_of_app(struct view app, struct view m)
{
    switch (app.p[0]) {
    case '%':
        return STARTS(app, "%%01") ? FORMAT_HUAWEI : STARTS(app, "%%10") ? FORMAT_H3C : FORMAT_RAW;
    case 'C':
        return STARTS(app, "CISE_") ? FORMAT_CISCO : FORMAT_RAW;
    case 'R':
        if (STARTS(app, "RT_") && is_junos_event(m))
            return FORMAT_JUNIPER;
        return is_vmware(app) ? FORMAT_VMWARE : FORMAT_RAW;
    case 'f':
        if (view_eq(app, VIEW("filterlog")))
            return FORMAT_FILTERLOG;
        return is_vmware(app) ? FORMAT_VMWARE : FORMAT_RAW;
    case 'k':
        if (view_eq(app, VIEW("kernel")) && HAS(m, "IN=") && HAS(m, " OUT="))
            return FORMAT_IPTABLES;
        break;
    case 'F':
    case 'H':
    case 'V':
    case 'h':
    case 'v':
        if (is_vmware(app))
            return FORMAT_VMWARE;
        break;
    case 'r':
    case 's':
    case 'e':
        if (app.n >= 9 && is_vmware(app))
            return FORMAT_VMWARE;
        break;
    default:
        break;
    }
    if (m.n > 4 && *m.p == '%' && is_upper(m.p[1]) && is_junos_daemon(app))
        return FORMAT_JUNIPER;
    return m.n > 4 && is_upper(m.p[0]) && is_upper(m.p[1]) && is_junos_event(m) &&
                   is_junos_daemon(app)
               ? FORMAT_JUNIPER
               : FORMAT_RAW;
}

void body_recognise(const struct parse *in, struct record *r)
{
    enum record_format f = FORMAT_RAW;
    if (!view_is_null(r->app_name))
        f = format_of_app(r->app_name, r->message);
    if (f == FORMAT_RAW)
        f = format_of_text(r->message);
    if (f == FORMAT_RAW)
        return;
    r->format = f;
    take_body_time(in, r);
}
