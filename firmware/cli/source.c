/* `azekura source`: who sends, what is said of them, and how their messages are understood. */
#include "store/source.h"

#include "base/ip.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/source_reparse.h"
#include "cli/table.h"
#include "store/array.h"
#include "store/retention_admin.h"
#include "store/source_setting.h"

#define ROWS_DEFAULT 100
#define ROWS_MAX 10000
#define JSON_MAX_BYTES (32u << 20)
#define MEMBERS_MAX_BYTES 4096
#define ADDRESSES_MAX_BYTES 65536

/* The number of a word in "a|b|c"; a complaint is an exit code below 0. */
static int choice(const char *option, const char *text, const char *words, int absent)
{
    int n = 0;
    if (!text)
        return absent;
    for (const char *at = words; *at; n++) {
        size_t length = strcspn(at, "|");
        if (view_eq(view_of(at, length), view_str(text)))
            return n;
        at += length + (at[length] == '|');
    }
    return -cli_usage("--%s %s: it is one of %s", option, text, words);
}

/* ---- list, show ---- */

static void print_json(void *context, const char *json)
{
    bool *is_first = context;
    printf("%s%s", *is_first ? "" : ",", json);
    *is_first = false;
}

static int print_list(struct cli *cli, const struct source_question *q, bool is_json,
                      struct err *err)
{
    static const struct table_column columns[] = {
        {"source", "SOURCE", TABLE_TEXT},
        {"name", "NAME", TABLE_TEXT},
        {"is_new", "NEW", TABLE_TEXT},
        {"setting", "ROW", TABLE_TEXT},
        {"zone", "ZONE", TABLE_TEXT},
        {"charset", "CHARSET", TABLE_TEXT},
        {"source_group", "GROUP", TABLE_TEXT},
        {"arrived", "MESSAGES", TABLE_NUMBER},
        {"last_heard", "LAST HEARD", TABLE_TIME},
        {"formats", "FORMATS", TABLE_TEXT},
    };
    bool is_first = true;
    struct source_answer answer;
    PGresult *r = NULL;
    int rc;
    if (is_json) {
        printf("{\"sources\":[");
        rc = source_read(cli->db, q, print_json, &is_first, &answer, err);
        puts("]}");
        return rc < 0 ? rc : answer.rows;
    }
    rc = source_table(cli->db, q, &r, err);
    if (rc == 0)
        rc = table_print(r, columns, ARRAY_LEN(columns), cli_zone(cli));
    PQclear(r);
    return rc;
}

static int list(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = "-1d", *to = NULL, *limit_text = NULL, *only = NULL, *order = NULL;
    const char *format = NULL, *filter = NULL;
    bool has_json = false, is_json = false;
    const struct option_spec specs[] = {
        {"from", &from, NULL},     {"to", &to, NULL},         {"limit", &limit_text, NULL},
        {"only", &only, NULL},     {"order", &order, NULL},   {"filter", &filter, NULL},
        {"format", &format, NULL}, {"json", NULL, &has_json},
    };
    uint64_t limit = ROWS_DEFAULT;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("source list: unexpected argument \"%s\"", argv[1]);
    if (limit_text && (view_u64(view_str(limit_text), ROWS_MAX, &limit) < 0 || limit == 0))
        return cli_usage("--limit %s is out of 1..%d", limit_text, ROWS_MAX);
    int which = choice("only", only, "all|new|silent|unhealthy", SOURCE_ALL);
    int by = choice("order", order, "busiest|silent|name|address|new", SOURCE_BUSIEST);
    if (which < 0 || by < 0)
        return CLI_USAGE;
    int code = table_format(format, has_json, &is_json);
    if (code != 0)
        return code;
    struct source_question q = {.only = (enum source_only)which,
                                .order = (enum source_order)by,
                                .filter = filter && *filter ? filter : NULL,
                                .limit = (int)limit};
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &q.from_us, &q.to_us, &err);
    if (rc == 0)
        rc = print_list(cli, &q, is_json, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    return rc > 0 ? CLI_OK : CLI_NOTHING;
}

static int print_one(struct cli *cli, const char *address, bool is_json, struct err *err)
{
    static const struct table_column columns[] = {
        {"name", "MEMBER", TABLE_TEXT},
        {"value", "VALUE", TABLE_TEXT},
    };
    PGresult *r = NULL;
    int rc;
    if (is_json) {
        bool is_first = true;
        struct source_answer answer;
        int64_t now_us = clock_wall_us();
        struct source_question q = {
            .from_us = now_us - US_PER_DAY, .to_us = now_us, .address = address, .limit = 1};
        rc = source_read(cli->db, &q, print_json, &is_first, &answer, err);
        if (rc == 0 && answer.rows == 0)
            rc = err_set_field(err, ENOENT, "not_found", "address", "%s was never heard", address);
        else if (rc == 0)
            putchar('\n');
        return rc;
    }
    rc = source_members(cli->db, address, &r, err);
    if (rc == 0)
        (void)table_print(r, columns, ARRAY_LEN(columns), cli_zone(cli));
    PQclear(r);
    return rc;
}

static int show(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct ip ip;
    char address[IP_TEXT_MAX];
    const char *format = NULL;
    bool has_json = false, is_json = false;
    const struct option_spec specs[] = {{"format", &format, NULL}, {"json", NULL, &has_json}};
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("source show: name one address, such as 192.0.2.1");
    if (ip_parse(view_str(argv[1]), &ip) < 0)
        return cli_usage("source show: \"%s\" is not an address, such as 192.0.2.1", argv[1]);
    ip_format(&ip, address);
    int code = table_format(format, has_json, &is_json);
    if (code != 0)
        return code;
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = print_one(cli, address, is_json, &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- rows ---- */

static int settings(struct cli *cli, int argc, char **argv)
{
    static const struct table_column columns[] = {
        {"network", "NETWORK", TABLE_TEXT},
        {"name", "NAME", TABLE_TEXT},
        {"zone", "ZONE", TABLE_TEXT},
        {"charset", "CHARSET", TABLE_TEXT},
        {"framing", "FRAMING", TABLE_TEXT},
        {"sources", "SOURCES", TABLE_NUMBER},
        {"changed_by", "CHANGED BY", TABLE_TEXT},
        {"note", "NOTE", TABLE_TEXT},
    };
    struct err err;
    bool is_json = false;
    int code = table_begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc = is_json ? table_json(cli, NULL, REPORT_SOURCE_SETTINGS, NULL, &err)
                     : table_report(cli, NULL, REPORT_SOURCE_SETTINGS, NULL, columns,
                                    ARRAY_LEN(columns), &err);
    if (is_json)
        putchar('\n');
    else if (rc == 0)
        puts("nothing is said of any source");
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* "none" takes back what was said. */
static void add_member(struct buf *out, const char *name, const char *value)
{
    if (!value)
        return;
    array_add_text(out, name);
    array_add_text(out, strcmp(value, "none") == 0 || !*value ? NULL : value);
}

static int find_group(struct cli *cli, const char *name, char out[16], struct err *err)
{
    int id;
    out[0] = 0;
    if (strcmp(name, "none") == 0)
        return 0;
    int rc = retention_find_group(cli->db, view_str(name), &id, err);
    if (rc == 0)
        snprintf(out, 16, "%d", id);
    return rc;
}

static int set(struct cli *cli, int argc, char **argv)
{
    struct err err;
    char id[16];
    const char *name = NULL, *zone = NULL, *charset = NULL, *framing = NULL, *group = NULL;
    const char *note = NULL;
    const struct option_spec specs[] = {
        {"name", &name, NULL},       {"zone", &zone, NULL},   {"charset", &charset, NULL},
        {"framing", &framing, NULL}, {"group", &group, NULL}, {"note", &note, NULL},
    };
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("source set: name one network or address, such as 192.0.2.0/24");
    if (zone && *zone && strcmp(zone, "none") != 0 &&
        (rc = source_zone_check(view_str(zone), &err)) < 0)
        return cli_fail(rc, &err);
    struct buf members = BUF_INIT(MEMBERS_MAX_BYTES);
    add_member(&members, "name", name);
    add_member(&members, "zone", zone);
    add_member(&members, "charset", charset);
    add_member(&members, "framing", framing);
    add_member(&members, "note", note);
    array_end(&members);
    if (members.is_full) {
        buf_free(&members);
        return cli_usage("source set: the values are longer than any can be");
    }
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0 && group)
        rc = find_group(cli, group, id, &err);
    if (rc == 0) {
        struct source_hand h = {cli->db, cli_actor(), NULL};
        rc = source_setting_change(&h, argv[1], buf_str(&members), group ? id : NULL, &err);
    }
    buf_free(&members);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

static int unset(struct cli *cli, int argc, char **argv)
{
    struct err err;
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("source unset: name the network of a row, such as 192.0.2.0/24");
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0) {
        struct source_hand h = {cli->db, cli_actor(), NULL};
        rc = source_setting_remove(&h, argv[1], &err);
    }
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

static int acknowledge(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_all = false;
    const struct option_spec specs[] = {{"all", NULL, &is_all}};
    int n = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (n < 0)
        return cli_fail(n, &err);
    if (is_all == (n > 0))
        return cli_usage("source acknowledge: name addresses, or --all");
    struct buf list = BUF_INIT(ADDRESSES_MAX_BYTES);
    for (int i = 1; i <= n; i++) {
        struct ip ip;
        char text[IP_TEXT_MAX];
        if (ip_parse(view_str(argv[i]), &ip) < 0) {
            buf_free(&list);
            return cli_usage("source acknowledge: \"%s\" is not an address", argv[i]);
        }
        ip_format(&ip, text);
        array_add_text(&list, text);
    }
    array_end(&list);
    int64_t rc = list.is_full ? err_set(&err, EINVAL, "bad_value", "there are too many addresses")
                              : cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = source_acknowledge(cli->db, cli_actor(), is_all ? NULL : buf_str(&list), &err);
    buf_free(&list);
    if (rc < 0)
        return cli_fail((int)rc, &err);
    printf("%lld of them were new\n", (long long)rc);
    return CLI_OK;
}

int cli_source(struct cli *cli, int argc, char **argv)
{
    static const struct {
        const char *name;
        cli_run_fn run;
    } commands[] = {
        {"list", list},
        {"show", show},
        {"settings", settings},
        {"set", set},
        {"unset", unset},
        {"acknowledge", acknowledge},
        {"preview", source_cli_preview},
        {"reparse", source_cli_reparse},
    };
    if (argc < 2 || strncmp(argv[1], "--", 2) == 0)
        return list(cli, argc, argv);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(cli, argc - 1, argv + 1);
    return cli_usage("source: there is no \"%s\", only list, show, settings, set, unset, "
                     "acknowledge, preview and reparse",
                     argv[1]);
}
