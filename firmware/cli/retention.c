/* `azekura retention`: its subcommands, and those of them that are short. */
#include "cli/retention.h"

#include <unistd.h>

#include "cli/options.h"
#include "cli/quantity.h"
#include "cli/text.h"
#include "cli/when.h"
#include "store/setting.h"

int rule_cli_load(struct rule_cli *r, struct err *err)
{
    return rule_cli_load_with(r, NULL, NULL, err);
}

/* The value that is in the file, or the default. */
static int set_back(struct config *c, const struct config *file, const struct setting *s,
                    struct err *err)
{
    struct buf value = BUF_INIT(CONFIG_STRING_MAX);
    config_get(file, s, &value);
    int rc = config_set(c, s, buf_view(&value), err);
    buf_free(&value);
    return rc;
}

int rule_cli_load_with(struct rule_cli *r, const struct setting *s, const char *value,
                       struct err *err)
{
    int rc = cli_connect(r->cli, "azekura", err);
    if (rc == 0)
        rc = cli_effective_config(r->cli, &r->config, err);
    if (rc == 0 && s)
        rc = value ? config_set(&r->config, s, view_str(value), err)
                   : set_back(&r->config, &r->cli->config, s, err);
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

static bool has_form_of_day(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    while (form[i] && (form[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i]))
        i++;
    return !form[i] && !text[i];
}

int rule_cli_day(const char *option, const char *text, int32_t *ret, struct err *err)
{
    if (day_parse(view_str(text), ret) == 0)
        return 0;
    if (has_form_of_day(text))
        return err_set(err, EINVAL, "usage",
                       strncmp(text, "1970", 4) < 0
                           ? "--%s %s: days begin with 1970-01-01"
                           : "--%s %s: there is no such day in the calendar",
                       option, text);
    return err_set(err, EINVAL, "usage", "--%s %s: write a day like 2026-11-30", option, text);
}

char *rule_cli_visible(const char *text)
{
    struct buf b = BUF_INIT(16384);
    text_add_visible(&b, view_str(text));
    char *copy = xstrdup(buf_str(&b));
    buf_free(&b);
    return copy;
}

bool rule_cli_ask(const char *what, bool is_yes)
{
    char line[16] = "";
    if (is_yes)
        return true;
    printf("%s  Write yes: ", what);
    fflush(stdout);
    bool is_wanted = fgets(line, sizeof(line), stdin) && strcmp(line, "yes\n") == 0;
    if (!is_wanted && !isatty(STDIN_FILENO))
        puts("\n(to go on without being asked: --yes)");
    return is_wanted;
}

bool rule_cli_is_wanted(struct rule_cli *r, bool is_yes)
{
    struct rule_plan plan, open;
    rule_plan(&r->rule, r->rule.policy, &r->arena, &plan);
    rule_plan_open(&r->rule, r->rule.policy, &plan, &r->arena, &open);
    if (plan.deletions_n == 0 && open.deletions_n == 0)
        return true;
    puts("with this the box would remove at once:");
    rule_cli_print_plan(r, &plan, &open);
    bool is_wanted = rule_cli_ask("Go on?", is_yes);
    if (!is_wanted)
        puts("nothing was changed");
    return is_wanted;
}

/* ---- set ---- */

static const char *const rule_settings[] = {
    "retention.month_share_percent", "retention.over_budget",  "retention.keep_days",
    "storage.high_water_percent",    "storage.capacity_bytes", "retention.shed_severity"};

bool rule_cli_is_rule_setting(const struct setting *s)
{
    for (size_t i = 0; i < ARRAY_LEN(rule_settings); i++)
        if (strcmp(s->name, rule_settings[i]) == 0)
            return true;
    return false;
}

/* "over_budget" or "retention.over_budget"; of settings of the rule alone. */
static const struct setting *find_rule_setting(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(rule_settings); i++) {
        const char *full = rule_settings[i];
        if (strcmp(name, full) == 0 || strcmp(name, strchr(full, '.') + 1) == 0)
            return config_find(view_str(full), NULL);
    }
    return NULL;
}

static int retention_set(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_yes = false;
    const struct option_spec specs[] = {{"yes", NULL, &is_yes}};
    char value[QUANTITY_VALUE_MAX];
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    const struct setting *s = words > 0 ? find_rule_setting(argv[1]) : NULL;
    if (words != 2 || !s)
        return cli_usage("retention set: write a NAME and a VALUE; NAME is month_share_percent, "
                         "over_budget, keep_days, high_water_percent, capacity_bytes or "
                         "shed_severity");
    struct config scratch = cli->config;
    if (config_set(&scratch, s, view_str(quantity_of_setting(s, argv[2], value)), &err) < 0)
        return cli_usage("%s", err.message);
    struct rule_cli c = {.cli = cli};
    struct setting_change change = {s->name, value};
    int rc = rule_cli_load_with(&c, s, value, &err);
    bool is_wanted = rc == 0 && rule_cli_is_wanted(&c, is_yes);
    if (is_wanted)
        rc = setting_write(cli->db, cli_actor(), &change, 1, &err);
    arena_done(&c.arena);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (is_wanted)
        printf("%s = %s%s%s\n", s->name, value, s->unit[0] ? " " : "", s->unit);
    return is_wanted ? CLI_OK : CLI_NOTHING;
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
    if (argc < 2 || strncmp(argv[1], "--", 2) == 0)
        return retention_show(cli, argc, argv);
    for (size_t i = 0; i < ARRAY_LEN(subcommands); i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].run(cli, argc - 1, argv + 1);
    }
    return cli_usage("there is no retention %s; see azekura help retention", argv[1]);
}
