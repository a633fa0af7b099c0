/* `azekura receiver` and `azekura listeners`: what the receiver does, where it listens, to whom. */
#include "cli/cli.h"

#include "cli/options.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/when.h"

#define SILENT_US (10 * US_PER_SECOND) /* a receiver that reports does so every second */

static const struct table_column listener_columns[] = {
    {"name", "LISTENER", TABLE_TEXT},        {"wanted", "WANTED", TABLE_TEXT},
    {"bound", "LISTENS ON", TABLE_TEXT},     {"received", "MESSAGES", TABLE_NUMBER},
    {"bytes", "BYTES", TABLE_BYTES},         {"connections", "CONNECTIONS", TABLE_NUMBER},
    {"buffer_bytes", "BUFFER", TABLE_BYTES}, {"kernel_dropped", "DROPPED", TABLE_NUMBER},
    {"error", "ERROR", TABLE_TEXT},
};
static const struct table_column stage_columns[] = {
    {"name", "STAGE", TABLE_TEXT},          {"units", "UNITS", TABLE_NUMBER},
    {"messages", "MESSAGES", TABLE_NUMBER}, {"bytes", "BYTES", TABLE_BYTES},
    {"limit_bytes", "LIMIT", TABLE_BYTES},
};
static const struct table_column fact_columns[] = {
    {"name", "NAME", TABLE_TEXT},
    {"value", "VALUE", TABLE_TEXT},
};
static const struct table_column allow_columns[] = {
    {"network", "NETWORK", TABLE_TEXT},
    {"listener", "LISTENER", TABLE_TEXT},
    {"hits", "SENDERS", TABLE_NUMBER},
    {"note", "NOTE", TABLE_TEXT},
};
static const struct table_column limit_columns[] = {
    {"network", "NETWORK", TABLE_TEXT},
    {"rate", "MESSAGES/S", TABLE_NUMBER},
    {"burst", "BURST", TABLE_NUMBER},
};
static const struct table_column refused_columns[] = {
    {"address", "ADDRESS", TABLE_TEXT},
    {"listener", "LISTENER", TABLE_TEXT},
    {"count", "COUNT", TABLE_NUMBER},
    {"last_at", "LAST", TABLE_TIME},
    {"first_payload", "FIRST MESSAGE", TABLE_TEXT},
};

/* Options of both, and a connection.  CLI_OK, or the exit code of a complaint. */
static int begin(struct cli *cli, int argc, char **argv, bool *ret_is_json)
{
    struct err err;
    const char *format = NULL;
    bool is_json = false;
    const struct option_spec specs[] = {{"format", &format, NULL}, {"json", NULL, &is_json}};
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("%s: unexpected argument \"%s\"", argv[0], argv[1]);
    int code = table_format(format, is_json, ret_is_json);
    if (code != 0)
        return code;
    rc = cli_connect(cli, "azekura", &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* How old the receiver's last word is; TIME_NONE: there is none.  Negative and *err. */
static int read_age(struct cli *cli, int64_t *ret_us, struct err *err)
{
    PGresult *r = NULL;
    int rc = report_rows(cli->db, REPORT_RECEIVER_DETAIL, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret_us = PQntuples(r) > 0 ? store_number(r, 0, PQfnumber(r, "age_us")) : TIME_NONE;
    PQclear(r);
    return 0;
}

int cli_receiver(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_json = false;
    int64_t age_us = TIME_NONE;
    int code = begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc = read_age(cli, &age_us, &err);
    if (rc == 0 && is_json) {
        rc = table_json(cli, NULL, REPORT_RECEIVER_DETAIL, NULL, &err);
        putchar('\n');
    } else if (rc == 0 && age_us != TIME_NONE) {
        char age[WHEN_MAX];
        when_format_age(age_us, age);
        printf("reported %s ago%s\n", age, age_us > SILENT_US ? ": it does not run" : "");
        rc = table_report(cli, "", REPORT_RECEIVER_LISTENERS, NULL, listener_columns,
                          ARRAY_LEN(listener_columns), &err);
        if (rc >= 0)
            rc = table_report(cli, "", REPORT_RECEIVER_STAGES, NULL, stage_columns,
                              ARRAY_LEN(stage_columns), &err);
        if (rc >= 0)
            rc = table_report(cli, "", REPORT_RECEIVER_FACTS, NULL, fact_columns,
                              ARRAY_LEN(fact_columns), &err);
    } else if (rc == 0) {
        puts("the receiver has not reported since the database was started");
    }
    if (rc < 0)
        return cli_fail(rc, &err);
    return age_us != TIME_NONE && age_us <= SILENT_US ? CLI_OK : CLI_NOTHING;
}

static int print_listeners(struct cli *cli, struct err *err)
{
    int rc = table_report(cli, NULL, REPORT_RECEIVER_LISTENERS, NULL, listener_columns,
                          ARRAY_LEN(listener_columns), err);
    if (rc == 0)
        puts("the receiver has not reported since the database was started");
    if (rc >= 0)
        rc = table_report(cli, "Messages are taken from:", REPORT_LISTENER_ALLOW, NULL,
                          allow_columns, ARRAY_LEN(allow_columns), err);
    if (rc == 0)
        puts("\nMessages are taken from everybody.");
    if (rc >= 0)
        rc = table_report(cli, "Limits of each sender in a network:", REPORT_SENDER_LIMITS, NULL,
                          limit_columns, ARRAY_LEN(limit_columns), err);
    if (rc >= 0)
        rc = table_report(cli, "Turned away:", REPORT_REFUSED_SENDERS, NULL, refused_columns,
                          ARRAY_LEN(refused_columns), err);
    return rc;
}

int cli_listeners(struct cli *cli, int argc, char **argv)
{
    static const struct {
        const char *key;
        enum report what;
    } members[] = {
        {"listeners", REPORT_RECEIVER_LISTENERS},
        {"allow", REPORT_LISTENER_ALLOW},
        {"limits", REPORT_SENDER_LIMITS},
        {"refused_senders", REPORT_REFUSED_SENDERS},
    };
    struct err err;
    bool is_json = false;
    int code = begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc = 0;
    if (!is_json) {
        rc = print_listeners(cli, &err);
    } else {
        for (size_t i = 0; i < ARRAY_LEN(members) && rc >= 0; i++) {
            putchar(i == 0 ? '{' : ',');
            rc = table_json(cli, members[i].key, members[i].what, NULL, &err);
        }
        puts("}");
    }
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}
