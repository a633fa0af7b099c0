/* `azekura receiver`: what the receiver does, stage by stage. */
#include "cli/cli.h"

#include "cli/table.h"
#include "cli/text.h"
#include "cli/when.h"

static const struct table_column stage_columns[] = {
    {"name", "STAGE", TABLE_TEXT},          {"units", "UNITS", TABLE_NUMBER},
    {"messages", "MESSAGES", TABLE_NUMBER}, {"bytes", "BYTES", TABLE_BYTES},
    {"limit_bytes", "LIMIT", TABLE_BYTES},
};
static const struct table_column fact_columns[] = {
    {"name", "NAME", TABLE_TEXT},
    {"value", "VALUE", TABLE_TEXT},
};
int cli_receiver(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_json = false;
    int64_t age_us = TIME_NONE;
    int code = table_begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc = table_receiver_age(cli, &age_us, &err);
    if (rc == 0 && is_json) {
        rc = table_json(cli, NULL, REPORT_RECEIVER_DETAIL, NULL, &err);
        putchar('\n');
    } else if (rc == 0 && age_us != TIME_NONE) {
        char age[WHEN_MAX];
        when_format_age(age_us, age);
        printf("reported %s ago%s\n", age, age_us > REPORT_SILENT_US ? ": it does not run" : "");
        rc = table_report(cli, "", REPORT_RECEIVER_LISTENERS, NULL, table_listeners,
                          table_listeners_n, &err);
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
    return age_us != TIME_NONE && age_us <= REPORT_SILENT_US ? CLI_OK : CLI_NOTHING;
}
