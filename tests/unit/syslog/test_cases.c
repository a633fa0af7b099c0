/* Every case of tests/corpus/cases.jsonl that has input: what real devices send.  Its `hard` fields
 * must come out (or one of its `alt`), none of its `never` values may. */
#include <criterion/criterion.h>

#include <stdarg.h>

#include <cjson/cJSON.h>

#include "syslog/charset.h"
#include "syslog/syslog.h"
#include "unit/syslog/stream.h"

/* Cases that wait for another part; the test fails when one of them passes. */
struct skip {
    const char *id, *reason;
};
static const struct skip skips[] = {
    {NULL, NULL},
};

struct bytes {
    char *p;
    size_t n;
};

struct run {
    const char *id;
    int64_t received_at_us;
    struct zone *zone;
    struct buf scratch;
    char failure[2048]; /* the first one */
};

static struct bytes base64_decode(const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct bytes b = {xmalloc(strlen(text) + 1), 0};
    uint32_t bits = 0;
    int count = 0;
    for (; *text && *text != '='; text++) {
        const char *d = strchr(digits, *text);
        cr_assert(d != NULL, "base64 of a case");
        bits = bits << 6 | (uint32_t)(d - digits);
        if ((count += 6) >= 8)
            b.p[b.n++] = (char)(bits >> (count -= 8));
    }
    return b;
}

static const char *string_of(const cJSON *object, const char *name)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(v) ? v->valuestring : NULL;
}

static void PRINTF(2, 3) fail(struct run *run, const char *fmt, ...)
{
    if (run->failure[0])
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(run->failure, sizeof(run->failure), fmt, args);
    va_end(args);
}

/* ---- comparing a field ---- */

static struct view field_of(const struct record *r, const char *name)
{
    const struct {
        const char *name;
        struct view v;
    } fields[] = {
        {"hostname", r->hostname}, {"app_name", r->app_name},
        {"procid", r->procid},     {"msgid", r->msgid},
        {"message", r->message},   {"structured_data", r->structured_data},
    };
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].v;
    }
    cr_assert_fail("a case names the unknown field %s", name);
    return VIEW_NULL;
}

/* Runs of U+FFFD count as one. */
static struct bytes collapsed(struct view v)
{
    struct bytes b = {xmalloc(v.n + 1), 0};
    for (size_t i = 0; i < v.n; i++) {
        bool again = i >= 3 && v.n - i >= 3 && memcmp(v.p + i, "\xef\xbf\xbd", 3) == 0 &&
                     memcmp(v.p + i - 3, "\xef\xbf\xbd", 3) == 0;
        if (again)
            i += 2;
        else
            b.p[b.n++] = v.p[i];
    }
    return b;
}

static bool text_eq(struct view got, const char *want)
{
    if (want == NULL)
        return view_is_null(got);
    struct bytes a = collapsed(got), b = collapsed(view_str(want));
    bool is_equal = !view_is_null(got) && a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
    free(a.p);
    free(b.p);
    return is_equal;
}

/* structured_data, as received, against [{"id":…,"params":[[name,value]…]}…]: written back as text.
 */
static bool data_eq(struct view got, const cJSON *want)
{
    if (cJSON_IsNull(want))
        return view_is_null(got);
    struct buf expected = BUF_INIT(65536), actual = BUF_INIT(65536);
    const cJSON *element, *pair;
    cJSON_ArrayForEach(element, want)
    {
        buf_printf(&expected, "[%s", string_of(element, "id"));
        cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(element, "params"))
        {
            buf_printf(&expected, " %s=\"%s\"", cJSON_GetArrayItem(pair, 0)->valuestring,
                       cJSON_GetArrayItem(pair, 1)->valuestring);
        }
        buf_add_char(&expected, ']');
    }
    for (size_t i = 0; i < got.n; i++) {
        bool is_escape = got.p[i] == '\\' && i + 1 < got.n && strchr("\\\"]", got.p[i + 1]) != NULL;
        bool is_padding = got.p[i] == ' ' && i + 1 < got.n && got.p[i + 1] == ']';
        if (is_escape)
            i++;
        if (!is_padding)
            buf_add_char(&actual, got.p[i]);
    }
    bool is_equal = view_eq(buf_view(&expected), buf_view(&actual));
    buf_free(&expected);
    buf_free(&actual);
    return is_equal;
}

static bool value_eq(const struct record *r, const char *name, const cJSON *want)
{
    if (strcmp(name, "facility") == 0)
        return cJSON_IsNumber(want) && want->valueint == r->facility;
    if (strcmp(name, "severity") == 0)
        return cJSON_IsNumber(want) && want->valueint == r->severity;
    if (strcmp(name, "timestamp") == 0) {
        int64_t at;
        if (cJSON_IsNull(want))
            return r->reported_at_us == TIME_NONE;
        return rfc3339_parse(view_str(want->valuestring), &at) == 0 && at == r->reported_at_us;
    }
    if (strcmp(name, "structured_data") == 0 && !cJSON_IsString(want))
        return data_eq(r->structured_data, want);
    return text_eq(field_of(r, name), cJSON_IsString(want) ? want->valuestring : NULL);
}

static void check_record(struct run *run, const struct record *r, const cJSON *want)
{
    const cJSON *item, *value;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(want, "hard"))
    {
        const char *name = item->valuestring;
        const cJSON *expected = cJSON_GetObjectItemCaseSensitive(want, name);
        const cJSON *alternatives =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(want, "alt"), name);
        if (expected == NULL)
            continue; /* a word for a behaviour: "alive" */
        bool is_good = value_eq(r, name, expected);
        cJSON_ArrayForEach(value, alternatives) is_good = is_good || value_eq(r, name, value);
        if (!is_good) {
            char *text = cJSON_PrintUnformatted(expected);
            fail(run,
                 "%s: %s should be %s in \"%.*s\" (host \"%.*s\", app \"%.*s\", message \"%.*s\")",
                 run->id, name, text, VIEW_ARG(r->raw), VIEW_ARG(r->hostname),
                 VIEW_ARG(r->app_name), VIEW_ARG(r->message));
            free(text);
        }
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(want, "never"))
    {
        cJSON_ArrayForEach(value, item)
        {
            if (value_eq(r, item->string, value))
                fail(run, "%s: %s is the wrong value of other collectors", run->id, item->string);
        }
    }
}

/* ---- running a case ---- */

static void parse_one(struct run *run, struct view raw, struct record *r)
{
    struct syslog_context ctx = {
        .received_at_us = run->received_at_us, .zone = run->zone, .scratch = &run->scratch};
    syslog_parse(&ctx, raw, r);
    if (r->raw.n != raw.n || (raw.n > 0 && r->raw.p != raw.p))
        fail(run, "%s: raw is not what was sent", run->id);
}

static void check_stream(struct run *run, const struct stream *s, const cJSON *expect)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(expect, "messages");
    bool is_behaviour = list == NULL &&
                        cJSON_GetObjectItemCaseSensitive(expect, "behaviour") != NULL;
    size_t want = list ? (size_t)cJSON_GetArraySize(list) : 1;
    if (!is_behaviour && s->count != want)
        fail(run, "%s: %zu messages, should be %zu", run->id, s->count, want);
    for (size_t i = 0; i < s->count && run->failure[0] == '\0'; i++) {
        struct record r;
        parse_one(run, view_of(s->messages[i].p, s->messages[i].n), &r);
        check_record(run, &r, list ? cJSON_GetArrayItem(list, (int)i) : expect);
    }
}

/* The same answer for every cut of the stream into reads. */
static void check_splits(struct run *run, struct bytes in, const struct stream *whole)
{
    size_t step = in.n > 2000 ? 97 : 1;
    for (size_t first = 0; first < in.n; first += step) {
        struct stream s;
        stream_run(&s, in.p, in.n, first, MESSAGE_MAX_BYTES_DEFAULT, FRAME_AUTO);
        if (!stream_eq(&s, whole))
            fail(run, "%s: another answer when the first read is of %zu bytes", run->id, first);
        stream_close(&s);
    }
}

static void run_stream(struct run *run, struct bytes in, const cJSON *expect)
{
    struct stream s;
    stream_run(&s, in.p, in.n, in.n, MESSAGE_MAX_BYTES_DEFAULT, FRAME_AUTO);
    check_stream(run, &s, expect);
    check_splits(run, in, &s);
    stream_close(&s);
}

/* One datagram; then the same bytes by TCP, counted and with LF. */
static void run_datagram(struct run *run, struct bytes in, const cJSON *expect)
{
    struct record r;
    parse_one(run, view_of(in.p, in.n), &r);
    check_record(run, &r, expect);
    struct buf counted = BUF_INIT(1 << 20), delimited = BUF_INIT(1 << 20);
    buf_printf(&counted, "%zu ", in.n);
    buf_add(&counted, in.p, in.n);
    run_stream(run, (struct bytes){counted.p, counted.n}, expect);
    buf_add(&delimited, in.p, in.n);
    buf_add_char(&delimited, '\n');
    if (memchr(in.p, '\n', in.n) == NULL)
        run_stream(run, (struct bytes){delimited.p, delimited.n}, expect);
    buf_free(&counted);
    buf_free(&delimited);
}

static void run_prefixes(struct run *run, struct bytes in)
{
    for (size_t n = 0; n <= MIN(in.n, (size_t)1000); n++) {
        char *copy = xmalloc(n + 1); /* of just the size, for ASan */
        struct record r;
        char *exact = n ? xrealloc(copy, n, 1) : copy;
        memcpy(exact, in.p, n);
        parse_one(run, view_of(exact, n), &r);
        free(exact);
    }
}

/* With the sender's charset set, the text is exactly the preferred one, and the bytes are as sent.
 */
static void run_charset(struct run *run, struct bytes in, const char *charset, const cJSON *expect)
{
    struct syslog_context ctx = {
        .received_at_us = run->received_at_us, .zone = run->zone, .scratch = &run->scratch};
    struct record r;
    ctx.charset = charset_find(view_of(charset, strcspn(charset, " ")));
    cr_assert(ctx.charset != NULL, "%s", charset);
    syslog_parse(&ctx, view_of(in.p, in.n), &r);
    check_record(run, &r, expect);
    if (!view_eq(r.message, view_str(string_of(expect, "message"))))
        fail(run, "%s: as %s the message is \"%.*s\"", run->id, charset, VIEW_ARG(r.message));
    if (!(r.flags & RECORD_DECODED) || (r.flags & RECORD_INVALID_UTF8) || r.raw.p != in.p)
        fail(run, "%s: marks are %u", run->id, r.flags);
}

static void run_case(struct run *run, const cJSON *c)
{
    const cJSON *ctx = cJSON_GetObjectItemCaseSensitive(c, "ctx"), *segment;
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(c, "expect");
    const cJSON *segments = cJSON_GetObjectItemCaseSensitive(c, "segments_b64");
    const char *zone = string_of(ctx, "sender_tz");
    bool is_datagram = strcmp(string_of(c, "transport"), "udp") == 0;
    run->scratch = BUF_INIT(3 * MESSAGE_MAX_BYTES_DEFAULT + 64);
    cr_assert(rfc3339_parse(view_str(string_of(ctx, "received_at")), &run->received_at_us) == 0);
    cr_assert(zone_load(zone ? zone : string_of(ctx, "receiver_tz"), &run->zone, NULL) == 0);
    struct bytes in = base64_decode(string_of(c, "input_b64"));
    if (!is_datagram)
        segments = NULL;
    if (!is_datagram) {
        run_stream(run, in, expect);
    } else if (segments == NULL) {
        run_datagram(run, in, expect);
        if (string_of(ctx, "sender_charset"))
            run_charset(run, in, string_of(ctx, "sender_charset"), expect);
    }
    cJSON_ArrayForEach(segment, segments)
    {
        struct bytes part = base64_decode(segment->valuestring);
        run_datagram(run, part, expect);
        free(part.p);
    }
    run_prefixes(run, in);
    free(in.p);
    zone_free(&run->zone);
    buf_free(&run->scratch);
}

static const char *skip_reason(const char *id)
{
    for (const struct skip *s = skips; s->id; s++) {
        if (strcmp(s->id, id) == 0)
            return s->reason;
    }
    return NULL;
}

Test(cases, every_case_with_input_gives_its_hard_fields, .timeout = 200)
{
    FILE *f = fopen(AZEKURA_SOURCE_DIR "/tests/corpus/cases.jsonl", "r");
    cr_assert(f != NULL, "tests/corpus/cases.jsonl");
    char *line = NULL;
    size_t cap = 0, ran = 0;
    while (getline(&line, &cap, f) > 0) {
        cJSON *c = cJSON_Parse(line);
        cr_assert(c != NULL, "line %zu of cases.jsonl is not JSON", ran + 1);
        if (string_of(c, "input_b64")) {
            struct run run = {.id = string_of(c, "id")};
            const char *reason = skip_reason(run.id);
            run_case(&run, c);
            if (reason)
                cr_expect(run.failure[0], "%s passes now: take it from the skip table (%s)", run.id,
                          reason);
            else
                cr_expect(run.failure[0] == '\0', "%s", run.failure);
            ran++;
        }
        cJSON_Delete(c);
    }
    free(line);
    fclose(f);
    cr_assert(ran >= 100, "only %zu cases ran", ran);
}
