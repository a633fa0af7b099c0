/* `azekura retention`: its subcommands, and those of them that are short. */
#include "cli/retention.h"

#include "cli/options.h"
#include "cli/text.h"
#include "cli/when.h"
#include "store/setting.h"

int rule_cli_load(struct rule_cli *r, struct err *err)
{
    int rc = cli_connect(r->cli, "azekura", err);
    if (rc == 0)
        rc = cli_effective_config(r->cli, &r->config, err);
    if (rc == 0)
        rc = retention_load(r->cli->db, &r->config, clock_wall_us(), &r->arena, &r->rule, err);
    return rc;
}

int rule_cli_hand(struct cli *cli, struct retention_hand *ret, struct err *err)
{
    int rc = cli_connect(cli, "azekura", err);
    if (rc == 0)
        *ret = (struct retention_hand){.db = cli->db, .actor = cli_actor()};
    return rc;
}

int rule_cli_day(const char *option, const char *text, int32_t *ret, struct err *err)
{
    if (day_parse(view_str(text), ret) < 0)
        return err_set(err, EINVAL, "usage", "--%s %s: write a day like 2026-11-30", option, text);
    return 0;
}

char *rule_cli_visible(const char *text)
{
    struct buf b = BUF_INIT(16384);
    text_add_visible(&b, view_str(text));
    char *copy = xstrdup(buf_str(&b));
    buf_free(&b);
    return copy;
}

/* ---- set ---- */

/* "over_budget" or "retention.over_budget"; of settings of the rule alone. */
static const struct setting *find_rule_setting(const char *name)
{
    static const char *const names[] = {
        "retention.month_share_percent", "retention.over_budget",  "retention.keep_days",
        "storage.high_water_percent",    "storage.capacity_bytes", "retention.shed_severity"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0 || strcmp(name, strchr(names[i], '.') + 1) == 0)
            return config_find(view_str(names[i]), NULL);
    }
    return NULL;
}

static int retention_set(struct cli *cli, int argc, char **argv)
{
    struct err err;
    int words = options_parse(argc, argv, NULL, 0, &err);
    if (words < 0)
        return cli_fail(words, &err);
    const struct setting *s = words > 0 ? find_rule_setting(argv[1]) : NULL;
    if (words != 2 || !s)
        return cli_usage("retention set: write a NAME and a VALUE; NAME is month_share_percent, "
                         "over_budget, keep_days, high_water_percent, capacity_bytes or "
                         "shed_severity");
    struct config scratch = cli->config;
    if (config_set(&scratch, s, view_str(argv[2]), &err) < 0)
        return cli_usage("%s", err.message);
    struct setting_change change = {s->name, argv[2]};
    int rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = setting_write(cli->db, cli_actor(), &change, 1, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    printf("%s = %s%s%s\n", s->name, argv[2], s->unit[0] ? " " : "", s->unit);
    return CLI_OK;
}

/* ---- clock ---- */

static int retention_clock(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct clock_doubt d;
    int words = options_parse(argc, argv, NULL, 0, &err);
    if (words < 0)
        return cli_fail(words, &err);
    bool is_confirm = words == 1 && strcmp(argv[1], "confirm") == 0;
    if (words > 0 && !is_confirm)
        return cli_usage("write retention clock, or retention clock confirm");
    int rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = retention_read_clock(cli->db, &d, &err);
    if (rc == 0 && is_confirm)
        rc = retention_confirm_clock(&(struct retention_hand){.db = cli->db, .actor = cli_actor()},
                                     &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (!d.is_doubted) {
        puts("the clock is trusted");
        return CLI_OK;
    }
    char from[WHEN_MAX], to[WHEN_MAX];
    when_format(d.from_us, cli_zone(cli), from);
    when_format(d.to_us, cli_zone(cli), to);
    printf("the clock jumped from %.19s to %.19s; %s\n", from, to,
           is_confirm
               ? "it is trusted from now on"
               : "nothing is deleted by date or budget until azekura retention clock confirm");
    return is_confirm ? CLI_OK : CLI_NOTHING;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    cli_run_fn run;
} subcommands[] = {
    {"show", retention_show},         {"days", retention_days},     {"preview", retention_preview},
    {"set", retention_set},           {"groups", retention_groups}, {"group", retention_group},
    {"holds", retention_holds},       {"hold", retention_hold},     {"delete", retention_delete},
    {"receipts", retention_receipts}, {"clock", retention_clock},
};

int cli_retention(struct cli *cli, int argc, char **argv)
{
    if (argc < 2)
        return retention_show(cli, argc, argv);
    for (size_t i = 0; i < ARRAY_LEN(subcommands); i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].run(cli, argc - 1, argv + 1);
    }
    return cli_usage("there is no retention %s; see azekura help retention", argv[1]);
}
