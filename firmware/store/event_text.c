/* The sentences of events: the table of event.def with its {parameters} put in.  Pure. */
#include "store/event.h"

const struct event_type event_types[EVENT_KINDS] = {
#define EVENT(symbol, name, severity, en, ja) [EVENT_##symbol] = {name, severity, en, ja},
#include "store/event.def"
#undef EVENT
};

int event_kind_of(const char *name)
{
    for (int i = 0; i < EVENT_KINDS; i++) {
        if (strcmp(event_types[i].name, name) == 0)
            return i;
    }
    return -1;
}

static const char *find_param(const struct event_params *p, struct view name)
{
    for (int i = 0; i < p->n; i++) {
        if (view_eq(view_str(p->text[2 * i]), name))
            return p->text[2 * i + 1];
    }
    return NULL;
}

/* Three digits and a decimal prefix: 301 MB, 12.1 M. */
static void add_scaled(struct buf *out, uint64_t n, const char *unit)
{
    static const char prefixes[] = {0, 'k', 'M', 'G', 'T', 'P', 'E'};
    double x = (double)n;
    size_t i = 0;
    while (x >= 999.5 && i + 1 < ARRAY_LEN(prefixes)) {
        x /= 1000;
        i++;
    }
    if (i == 0)
        buf_printf(out, "%llu", (unsigned long long)n);
    else
        buf_printf(out, "%.*f", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
    if (i > 0 || *unit)
        buf_add_char(out, ' ');
    if (prefixes[i])
        buf_add_char(out, prefixes[i]);
    buf_add_str(out, unit);
}

static void add_time(struct buf *out, int64_t us, const struct zone *zone)
{
    int32_t offset = zone ? zone_offset(zone, us) : 0;
    struct civil c;
    civil_from_us(us + offset * US_PER_SECOND, &c);
    buf_printf(out, "%04d-%02u-%02u %02u:%02u:%02u", c.year, c.month, c.day, c.hour, c.minute,
               c.second);
    int32_t minutes = (offset < 0 ? -offset : offset) / 60;
    if (minutes == 0)
        buf_add_str(out, " UTC");
    else
        buf_printf(out, " %c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/* What the keeper keeps as a code (programs compare it) and people read in their language. */
static void add_word(struct buf *out, struct view code, enum event_language language)
{
    static const struct {
        const char *code, *en, *ja;
    } words[] = {
        {"ok", "within the budget", "予算内"},
        {"away", "not available", "応答なし"},
        {"hanging", "not answering", "処理が進まない"},
        {"slow", "slower than what comes", "受信に追い付かない"},
        {"watch", "near the budget", "予算に近い状態"},
        {"over_forecast", "likely to pass the budget", "予算を超える見込み"},
        {"over", "over the budget", "予算超過"},
        {"keep_days", "older than allowed", "保存日数の超過"},
        {"quota", "quota of the group", "グループの割り当て"},
        {"trim", "budget of the month", "月の予算"},
        {"borrow", "another month borrowed", "ほかの月への融通"},
        {"guard", "storage nearly full", "ストレージの上限"},
        {"request", "asked for", "手動の操作"},
        {"box", "this box", "この装置"},
        {"azekura", "a private instance", "専用インスタンス"},
        {"pass", "passed", "合格"},
        {"fail", "failed its goal", "不合格"},
        {"invalid", "not valid", "無効"},
        {"complete", "complete", "完了"},
        {"incomplete", "stopped before its end", "途中で停止"},
        {"failed", "could not be carried out", "実行できませんでした"},
        {"it was confirmed", "it was confirmed", "確認されました"},
        {"it is back in step", "it is back in step", "正しい時刻に戻りました"},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (view_eq(code, view_str(words[i].code))) {
            buf_add_str(out, language == EVENT_JA ? words[i].ja : words[i].en);
            return;
        }
    }
    buf_add_view(out, code); /* of a newer program */
}

static void add_value(struct buf *out, struct view type, const char *value, const struct zone *zone,
                      enum event_language language)
{
    uint64_t n;
    int64_t us;
    struct view v = view_str(value);
    if (!value)
        buf_add_char(out, '?');
    else if (view_eq(type, VIEW("bytes")) && view_u64(v, INT64_MAX, &n) == 0)
        add_scaled(out, n, "B");
    else if (view_eq(type, VIEW("count")) && view_u64(v, INT64_MAX, &n) == 0)
        add_scaled(out, n, "");
    else if (view_eq(type, VIEW("days")) && language == EVENT_EN)
        buf_printf(out, "%s %s", value, view_eq(v, VIEW("1")) ? "day" : "days");
    else if (view_eq(type, VIEW("word")))
        add_word(out, v, language);
    else if (view_eq(type, VIEW("time")) && rfc3339_parse(v, &us) == 0)
        add_time(out, us, zone);
    else if (view_eq(type, VIEW("day")) && v.n == 8 && view_u64(v, 99999999, &n) == 0)
        buf_printf(out, "%.4s-%.2s-%.2s", value, value + 4, value + 6);
    else
        buf_add_view(out, v);
}

/* What a newer or older program kept: the name and all there is. */
static void add_unknown(struct buf *out, const char *kind, const struct event_params *p)
{
    buf_add_str(out, kind);
    for (int i = 0; i < p->n; i++)
        buf_printf(out, "%s%s=%s", i == 0 ? ": " : ", ", p->text[2 * i], p->text[2 * i + 1]);
}

void event_text(const char *kind, const struct event_params *params, const struct zone *zone,
                enum event_language language, struct buf *out)
{
    int k = event_kind_of(kind);
    if (k < 0) {
        add_unknown(out, kind, params);
        return;
    }
    const char *p = language == EVENT_JA ? event_types[k].ja : event_types[k].en;
    for (;;) {
        size_t n = strcspn(p, "{");
        buf_add(out, p, n);
        p += n;
        if (!*p)
            return;
        size_t inside = strcspn(++p, "}");
        struct view name = view_of(p, strcspn(p, ":}"));
        struct view type = name.n < inside ? view_of(p + name.n + 1, inside - name.n - 1)
                                           : VIEW("");
        add_value(out, type, find_param(params, name), zone, language);
        p += inside + 1;
    }
}
