/* `azekura config` */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/quantity.h"
#include "cli/retention.h"
#include "cli/text.h"
#include "store/setting.h"
#include "store/tls_admin.h"

static const char *effect(const struct setting *s)
{
    return s->scope == SETTING_LIVE      ? "takes effect at once"
           : s->scope == SETTING_RESTART ? "takes effect at the next start"
                                         : "only in the file";
}

static bool same_value(const struct config *a, const struct config *b, const struct setting *s)
{
    struct buf x = BUF_INIT(4096), y = BUF_INIT(4096);
    config_get(a, s, &x);
    config_get(b, s, &y);
    bool is_same = view_eq(buf_view(&x), buf_view(&y));
    buf_free(&x);
    buf_free(&y);
    return is_same;
}

static void print_value(const struct config *c, const struct setting *s)
{
    struct buf value = BUF_INIT(4096), visible = BUF_INIT(16384);
    config_get(c, s, &value);
    text_add_visible(&visible, buf_view(&value));
    fputs(buf_str(&visible), stdout);
    buf_free(&value);
    buf_free(&visible);
}

/* Names and origins of what the database holds. */
struct stored {
    bool *is_stored; /* by index in config_settings */
};

static void mark(void *context, const struct setting_row *r)
{
    struct stored *s = context;
    const struct setting *found = config_find(view_str(r->name), NULL);
    if (found)
        s->is_stored[found - config_settings] = true;
}

static int list(struct cli *cli, bool only_changed, struct err *err)
{
    struct config defaults, now;
    config_defaults(&defaults);
    struct stored stored = {xcalloc(config_settings_n, sizeof(bool))};
    int rc = cli_effective_config(cli, &now, err);
    if (rc >= 0)
        rc = setting_read(cli->db, mark, &stored, err);
    int shown = 0;
    for (size_t i = 0; rc >= 0 && i < config_settings_n; i++) {
        const struct setting *s = &config_settings[i];
        bool in_database = stored.is_stored[i] && s->scope != SETTING_FILE;
        bool is_default = same_value(&now, &defaults, s);
        if (only_changed && is_default)
            continue;
        printf("%s = ", s->name);
        print_value(&now, s);
        printf("%s%s  # %s", s->unit[0] ? " " : "", s->unit,
               in_database  ? "database"
               : is_default ? "default"
                            : "file");
        if (!is_default)
            printf(", default %s", s->default_value);
        printf("; %s\n", effect(s));
        shown++;
    }
    free(stored.is_stored);
    if (rc < 0)
        return cli_fail(rc, err);
    return shown > 0 ? CLI_OK : CLI_NOTHING;
}

static int get(struct cli *cli, const struct setting *s, struct err *err)
{
    struct config now;
    int rc = cli_effective_config(cli, &now, err);
    if (rc < 0)
        return cli_fail(rc, err);
    print_value(&now, s);
    putchar('\n');
    return CLI_OK;
}

/* value NULL: back to the file's or the default */
static int change(struct cli *cli, const struct setting *s, const char *value, bool is_yes,
                  struct err *err)
{
    struct setting_change c = {s->name, value};
    int rc = 0;
    if (rule_cli_is_rule_setting(s)) {
        struct rule_cli rule = {.cli = cli};
        rc = rule_cli_load_with(&rule, s, value, err);
        bool is_wanted = rc == 0 && rule_cli_is_wanted(&rule, is_yes);
        arena_done(&rule.arena);
        if (rc == 0 && !is_wanted)
            return CLI_NOTHING;
    }
    if (rc == 0 && strcmp(s->name, "receiver.tls_clients") == 0)
        rc = tls_check_clients(cli->db, value ? value : cli->config.tls_clients, err);
    if (rc == 0)
        rc = setting_write(cli->db, cli_actor(), &c, 1, err);
    if (rc < 0)
        return cli_fail(rc, err);
    struct config now;
    rc = cli_effective_config(cli, &now, err);
    if (rc < 0)
        return cli_fail(rc, err);
    printf("%s = ", s->name);
    print_value(&now, s);
    printf("; %s\n", effect(s));
    return CLI_OK;
}

/* A value is checked before the database is asked for anything. */
static int check_change(struct cli *cli, const struct setting *s, const char *value,
                        struct err *err)
{
    struct config scratch = cli->config;
    if (s->scope == SETTING_FILE)
        return err_set_field(err, EINVAL, "bad_value", s->name,
                             "%s: is needed before the database can be asked; set it in %s",
                             s->name, cli->config_path);
    return value ? config_set(&scratch, s, view_str(value), err) : 0;
}

int cli_config(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_yes = false;
    const struct option_spec specs[] = {{"yes", NULL, &is_yes}};
    char value[QUANTITY_VALUE_MAX];
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    const char *what = words > 0 ? argv[1] : "";
    bool is_list = strcmp(what, "list") == 0, is_diff = strcmp(what, "diff") == 0;
    bool is_get = strcmp(what, "get") == 0, is_reset = strcmp(what, "reset") == 0;
    bool is_set = strcmp(what, "set") == 0;
    if (!((is_list || is_diff) && words == 1) && !((is_get || is_reset) && words == 2) &&
        !(is_set && words == 3))
        return cli_usage("write config list, diff, get NAME, set NAME VALUE or reset NAME");
    const struct setting *s = NULL;
    if (words > 1 && !(s = config_find(view_str(argv[2]), &err)))
        return cli_usage("%s", err.message);
    const char *wanted = is_set ? quantity_of_setting(s, argv[3], value) : NULL;
    int rc = is_set || is_reset ? check_change(cli, s, wanted, &err) : 0;
    if (rc < 0)
        return cli_usage("%s", err.message);
    rc = cli_connect(cli, "azekura", &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (is_list || is_diff)
        return list(cli, is_diff, &err);
    return is_get ? get(cli, s, &err) : change(cli, s, wanted, is_yes, &err);
}
