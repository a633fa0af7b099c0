/* `azekura events`: what happened to the box, newest first. */
#include "store/event.h"

#include "base/record.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/when.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MAX 100000 /* as many as are kept */
#define LINE_MAX_BYTES 65536

struct events {
    const struct zone *zone;
    enum event_language language;
    bool is_json;
};

static void add_params(struct buf *out, const struct event_params *p)
{
    buf_add_char(out, '{');
    for (int i = 0; i < p->n; i++) {
        buf_add_str(out, i > 0 ? "," : "");
        text_add_json(out, view_str(p->text[2 * i]));
        buf_add_char(out, ':');
        text_add_json(out, view_str(p->text[2 * i + 1]));
    }
    buf_add_char(out, '}');
}

static void add_json(struct buf *out, const struct event_row *r, struct view sentence)
{
    char at[RFC3339_MAX];
    rfc3339_format(r->at_us, at);
    buf_printf(out,
               "{\"id\":\"%lld\",\"at\":\"%s\",\"severity\":\"%s\",\"kind\":", (long long)r->id, at,
               severity_name((unsigned)r->severity));
    text_add_json(out, view_str(r->kind));
    buf_add_str(out, ",\"text\":");
    text_add_json(out, sentence);
    buf_add_str(out, ",\"params\":");
    add_params(out, &r->params);
    buf_add_char(out, '}');
}

static void print_event(void *context, const struct event_row *r)
{
    const struct events *e = context;
    struct buf sentence = BUF_INIT(LINE_MAX_BYTES), line = BUF_INIT(LINE_MAX_BYTES * 8);
    event_text(r->kind, &r->params, e->zone, e->language, &sentence);
    if (e->is_json) {
        add_json(&line, r, buf_view(&sentence));
    } else {
        char at[WHEN_MAX];
        when_format(r->at_us, e->zone, at);
        buf_printf(&line, "%.19s %-7s ", at, severity_name((unsigned)r->severity));
        text_add_visible(&line, buf_view(&sentence));
    }
    puts(buf_str(&line));
    buf_free(&sentence);
    buf_free(&line);
}

static int list(struct cli *cli, const char *from, const char *to, struct event_filter *f,
                int limit, struct events *e)
{
    struct err err;
    int rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &f->from_us, &f->to_us, &err);
    if (rc == 0) {
        e->zone = cli_zone(cli);
        rc = event_read(cli->db, f, limit, print_event, e, &err);
    }
    if (rc < 0)
        return cli_fail(rc, &err);
    return rc > 0 ? CLI_OK : CLI_NOTHING;
}

int cli_events(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = NULL, *to = NULL, *severity = NULL, *kind = "", *limit_text = NULL;
    const char *language = "en", *format = "text";
    const struct option_spec specs[] = {
        {"from", &from, NULL},         {"to", &to, NULL},
        {"severity", &severity, NULL}, {"kind", &kind, NULL},
        {"limit", &limit_text, NULL},  {"language", &language, NULL},
        {"format", &format, NULL},
    };
    uint64_t limit = LIMIT_DEFAULT;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("events: unexpected argument \"%s\"", argv[1]);
    if (limit_text && (view_u64(view_str(limit_text), LIMIT_MAX, &limit) < 0 || limit == 0))
        return cli_usage("--limit %s: write a number of 1..%d", limit_text, LIMIT_MAX);
    int least = severity ? severity_parse(view_str(severity)) : 7;
    if (least < 0)
        return cli_usage(
            "--severity %s: write one of emerg, alert, crit, err, warning, notice, info, "
            "debug",
            severity);
    if (strcmp(language, "en") != 0 && strcmp(language, "ja") != 0)
        return cli_usage("--language %s: write en or ja", language);
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return cli_usage("--format %s: write text or json", format);
    struct event_filter f = {.max_severity = least, .kind_prefix = kind};
    struct events e = {.language = strcmp(language, "ja") == 0 ? EVENT_JA : EVENT_EN,
                       .is_json = strcmp(format, "json") == 0};
    return list(cli, from, to, &f, (int)limit, &e);
}
