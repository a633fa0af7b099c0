/* What another zone or charset would make of stored messages, and making it so. */
#include "cli/source_reparse.h"

#include <poll.h>

#include "cli/options.h"
#include "cli/table.h"
#include "store/reparse.h"
#include "store/source_setting.h"

#define PREVIEW_MAX_BYTES (64u << 20)
#define PREVIEW_LIMIT_MS 30000
#define LOOK_MS 200

static const char *said(const char *text)
{
    return text && *text && strcmp(text, "none") != 0 ? text : NULL;
}

/* ---- preview ---- */

static int print_preview(struct cli *cli, const char *json, struct err *err)
{
    static const struct table_column fields[] = {
        {"field", "FIELD", TABLE_TEXT},
        {"changed", "MESSAGES", TABLE_NUMBER},
    };
    static const struct table_column examples[] = {
        {"received_at", "RECEIVED", TABLE_TIME}, {"before_time", "TIME NOW", TABLE_TIME},
        {"after_time", "TIME THEN", TABLE_TIME}, {"before", "MESSAGE NOW", TABLE_TEXT},
        {"after", "MESSAGE THEN", TABLE_TEXT},
    };
    const char *values[] = {json};
    PGresult *r = NULL;
    int rc = report_rows(cli->db, REPORT_PREVIEW_COUNTS, values, &r, err);
    if (rc < 0)
        return rc;
    int64_t changed = store_number(r, 0, 1);
    printf("of the newest %lld messages %lld would change%s\n", (long long)store_number(r, 0, 0),
           (long long)changed,
           PQgetvalue(r, 0, 2)[0] == 't' ? "" : " (the time was up before 1,000 were found)");
    PQclear(r);
    if (changed > 0)
        rc = table_report(cli, NULL, REPORT_PREVIEW_FIELDS, values, fields, ARRAY_LEN(fields), err);
    if (rc >= 0 && changed > 0)
        rc = table_report(cli, "Such as:", REPORT_PREVIEW_EXAMPLES, values, examples,
                          ARRAY_LEN(examples), err);
    return rc;
}

int source_cli_preview(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *zone = NULL, *charset = NULL, *format = NULL;
    bool has_json = false, is_json = false;
    const struct option_spec specs[] = {
        {"zone", &zone, NULL},
        {"charset", &charset, NULL},
        {"format", &format, NULL},
        {"json", NULL, &has_json},
    };
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("source preview: name one network or address, such as 192.0.2.0/24");
    int code = table_format(format, has_json, &is_json);
    if (code != 0)
        return code;
    struct preview_question q = {.network = argv[1],
                                 .zone = said(zone),
                                 .charset = said(charset),
                                 .time_limit_ms = PREVIEW_LIMIT_MS};
    struct config config;
    struct buf json = BUF_INIT(PREVIEW_MAX_BYTES);
    if (q.zone)
        rc = source_zone_check(view_str(q.zone), &err);
    if (rc >= 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_effective_config(cli, &config, &err);
    if (rc == 0) {
        q.box_zone = config.time_zone;
        q.box_charset = config.charset;
        rc = reparse_preview(cli->db, &q, &json, &err);
    }
    if (rc == 0 && is_json)
        puts(buf_str(&json));
    else if (rc == 0)
        rc = print_preview(cli, buf_str(&json), &err);
    buf_free(&json);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- reparse ---- */

static int list(struct cli *cli, int argc, char **argv)
{
    static const struct table_column columns[] = {
        {"id", "ID", TABLE_TEXT},
        {"network", "NETWORK", TABLE_TEXT},
        {"zone", "ZONE", TABLE_TEXT},
        {"charset", "CHARSET", TABLE_TEXT},
        {"state", "STATE", TABLE_TEXT},
        {"progress", "DONE", TABLE_TEXT},
        {"messages", "MESSAGES", TABLE_NUMBER},
        {"changed", "CHANGED", TABLE_NUMBER},
        {"at", "ASKED", TABLE_TIME},
        {"actor", "BY", TABLE_TEXT},
        {"fault", "FAULT", TABLE_TEXT},
    };
    struct err err;
    bool is_json = false;
    int code = table_begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc = is_json ? table_json(cli, NULL, REPORT_REPARSE_REQUESTS, NULL, &err)
                     : table_report(cli, NULL, REPORT_REPARSE_REQUESTS, NULL, columns,
                                    ARRAY_LEN(columns), &err);
    if (is_json)
        putchar('\n');
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

static int cancel(struct cli *cli, int argc, char **argv)
{
    struct err err;
    uint64_t id = 0;
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1 || view_u64(view_str(argv[1]), INT64_MAX, &id) < 0)
        return cli_usage("source reparse cancel: give the number of one request");
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = reparse_cancel(cli->db, cli_actor(), (int64_t)id, &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* Until it is over; what came of it. */
static int wait_for(struct cli *cli, int64_t id, struct err *err)
{
    struct number_text n = number_text(id);
    for (;;) {
        PGresult *r = NULL;
        int rc =
            report_rows(cli->db, REPORT_REPARSE_REQUEST, (const char *const[]){n.text}, &r, err);
        if (rc < 0)
            return rc;
        if (PQntuples(r) == 0 || !PQgetisnull(r, 0, PQfnumber(r, "ended_at"))) {
            bool is_done = PQntuples(r) > 0 &&
                           strcmp(PQgetvalue(r, 0, PQfnumber(r, "state")), "done") == 0;
            if (PQntuples(r) > 0)
                printf("%s: of %lld messages %lld came out otherwise\n",
                       PQgetvalue(r, 0, PQfnumber(r, "state")),
                       (long long)store_number(r, 0, PQfnumber(r, "messages")),
                       (long long)store_number(r, 0, PQfnumber(r, "changed")));
            if (PQntuples(r) > 0 && !PQgetisnull(r, 0, PQfnumber(r, "fault")))
                puts(PQgetvalue(r, 0, PQfnumber(r, "fault")));
            PQclear(r);
            return is_done;
        }
        PQclear(r);
        (void)poll(NULL, 0, LOOK_MS);
    }
}

static int ask(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = NULL, *to = NULL;
    bool is_waiting = false;
    const struct option_spec specs[] = {
        {"from", &from, NULL}, {"to", &to, NULL}, {"wait", NULL, &is_waiting}};
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("source reparse: name one network or address, such as 192.0.2.0/24");
    int64_t id = 0;
    struct config config;
    struct reparse_wish w = {.network = argv[1]};
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &w.from_us, &w.to_us, &err);
    if (rc == 0)
        rc = cli_effective_config(cli, &config, &err);
    if (rc == 0) {
        w.box_zone = config.time_zone;
        w.box_charset = config.charset;
        rc = reparse_ask(cli->db, cli_actor(), &w, &id, &err);
    }
    if (rc == 0 && !is_waiting) {
        printf(
            "request %lld: the keeper does it, azekura source reparse list shows how far it is\n",
            (long long)id);
        return CLI_OK;
    }
    if (rc == 0)
        rc = wait_for(cli, id, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    return rc > 0 ? CLI_OK : CLI_NOTHING;
}

int source_cli_reparse(struct cli *cli, int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "list") == 0)
        return list(cli, argc - 1, argv + 1);
    if (strcmp(how, "cancel") == 0)
        return cancel(cli, argc - 1, argv + 1);
    return ask(cli, argc, argv);
}
