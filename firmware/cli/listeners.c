/* `azekura listeners`: where the receiver listens, to whom, how fast, and whom it turned away. */
#include "store/listener.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/retention.h"
#include "cli/table.h"
#include "cli/when.h"

#define NUMBER_MAX INT32_MAX /* the limits of rate and burst are the database's */
#define BURST_DEFAULT "10000"

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

/* ---- show ---- */

static int print_allow(struct cli *cli, const char *title, struct err *err)
{
    int rc = table_report(cli, title, REPORT_LISTENER_ALLOW, NULL, allow_columns,
                          ARRAY_LEN(allow_columns), err);
    if (rc == 0)
        puts("messages are taken from everybody");
    return rc;
}

static int print_all(struct cli *cli, struct err *err)
{
    int64_t age_us = TIME_NONE;
    char age[WHEN_MAX];
    int rc = table_receiver_age(cli, &age_us, err);
    if (rc < 0)
        return rc;
    if (age_us != TIME_NONE && age_us > REPORT_SILENT_US) {
        when_format_age(age_us, age);
        printf("the receiver does not run: this is what it said %s ago\n", age);
    }
    rc = table_report(cli, NULL, REPORT_RECEIVER_LISTENERS, NULL, table_listeners,
                      table_listeners_n, err);
    if (rc == 0)
        puts("the receiver has not reported since the database was started");
    if (rc >= 0)
        rc = print_allow(cli, "Messages are taken from:", err);
    if (rc >= 0)
        rc = table_report(cli, "Limits of each sender in a network:", REPORT_SENDER_LIMITS, NULL,
                          limit_columns, ARRAY_LEN(limit_columns), err);
    if (rc >= 0)
        rc = table_report(cli, "Turned away:", REPORT_REFUSED_SENDERS, NULL, refused_columns,
                          ARRAY_LEN(refused_columns), err);
    return rc;
}

static int print_all_json(struct cli *cli, struct err *err)
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
    int rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(members) && rc >= 0; i++) {
        putchar(i == 0 ? '{' : ',');
        rc = table_json(cli, members[i].key, members[i].what, NULL, err);
    }
    puts("}");
    return rc;
}

static int show(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_json = false;
    int code = table_begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc = is_json ? print_all_json(cli, &err) : print_all(cli, &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

static int show_list(struct cli *cli, int argc, char **argv, enum listener_list list)
{
    struct err err;
    bool is_json = false, is_allow = list == LISTENER_ALLOW;
    enum report what = is_allow ? REPORT_LISTENER_ALLOW : REPORT_SENDER_LIMITS;
    int code = table_begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc;
    if (is_json) {
        rc = table_json(cli, NULL, what, NULL, &err);
        putchar('\n');
    } else if (is_allow) {
        rc = print_allow(cli, NULL, &err);
    } else {
        rc = table_report(cli, NULL, what, NULL, limit_columns, ARRAY_LEN(limit_columns), &err);
        if (rc == 0)
            puts("no network has limits of its own: receiver.rate_limit and receiver.rate_burst "
                 "hold for all");
    }
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- change ---- */

struct wish {
    struct listener_row row;
    enum listener_list list;
    bool is_added;
};

/* What is wrong with it.  Whether it may be tried again, forced. */
static bool is_forced_wanted(const PGresult *faults, bool is_yes)
{
    const char *message = PQgetvalue(faults, 0, 3);
    char *visible = rule_cli_visible(message);
    bool is_shut_out = strcmp(PQgetvalue(faults, 0, 2), "shuts_out") == 0;
    bool is_wanted = false;
    if (is_shut_out) {
        puts(visible);
        is_wanted = rule_cli_ask("Go on?", is_yes);
        if (!is_wanted)
            puts("nothing was changed");
    } else {
        (void)cli_usage("%s", visible);
    }
    free(visible);
    return is_wanted;
}

static int put(struct cli *cli, const struct wish *w, bool is_forced, PGresult **ret_faults,
               struct err *err)
{
    return w->is_added ? listener_add_row(cli->db, cli_actor(), w->list, &w->row, is_forced,
                                          ret_faults, err)
                       : listener_remove_row(cli->db, cli_actor(), w->list, &w->row, is_forced,
                                             ret_faults, err);
}

static int change(struct cli *cli, const struct wish *w, bool is_yes)
{
    struct err err;
    PGresult *faults = NULL;
    int rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = put(cli, w, false, &faults, &err);
    if (rc > 0) {
        bool is_shut_out = strcmp(PQgetvalue(faults, 0, 2), "shuts_out") == 0;
        bool is_wanted = is_forced_wanted(faults, is_yes);
        PQclear(faults);
        faults = NULL;
        if (!is_wanted)
            return is_shut_out ? CLI_NOTHING : CLI_USAGE;
        rc = put(cli, w, true, &faults, &err);
        if (rc > 0)
            (void)is_forced_wanted(faults, false);
        PQclear(faults);
    }
    if (rc < 0)
        return cli_fail(rc, &err);
    return rc > 0 ? CLI_USAGE : CLI_OK;
}

static int check_number(const char *name, const char *text)
{
    uint64_t n;
    return !text || view_u64(view_str(text), NUMBER_MAX, &n) == 0
               ? CLI_OK
               : cli_usage("--%s %s: it is not a whole number", name, text);
}

static int change_allow(struct cli *cli, int argc, char **argv, bool is_added)
{
    struct err err;
    struct wish w = {.list = LISTENER_ALLOW, .is_added = is_added};
    bool is_yes = false;
    const struct option_spec specs[] = {
        {"listener", &w.row.listener, NULL},
        {"yes", NULL, &is_yes},
        {"note", &w.row.note, NULL},
    };
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs) - !is_added, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("listeners allow %s: name one network, such as 192.0.2.0/24", argv[0]);
    w.row.network = argv[1];
    return change(cli, &w, is_yes);
}

static int change_limit(struct cli *cli, int argc, char **argv, bool is_added)
{
    struct err err;
    struct wish w = {.list = LISTENER_LIMITS, .is_added = is_added, .row.burst = BURST_DEFAULT};
    const struct option_spec specs[] = {
        {"rate", &w.row.rate, NULL},
        {"burst", &w.row.burst, NULL},
    };
    int rc = options_parse(argc, argv, specs, is_added ? ARRAY_LEN(specs) : 0, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("listeners limit %s: name one network, such as 192.0.2.0/24", argv[0]);
    if (is_added && !w.row.rate)
        return cli_usage("listeners limit add: --rate is missing, messages a second; 0: no limit");
    w.row.network = argv[1];
    int code = check_number("rate", w.row.rate);
    if (code == CLI_OK)
        code = check_number("burst", w.row.burst);
    return code == CLI_OK ? change(cli, &w, false) : code;
}

int cli_listeners(struct cli *cli, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool is_allow = strcmp(what, "allow") == 0, is_limit = strcmp(what, "limit") == 0;
    if (!is_allow && !is_limit)
        return show(cli, argc, argv);
    argc--;
    argv++;
    const char *how = argc > 1 && strncmp(argv[1], "--", 2) != 0 ? argv[1] : "";
    bool is_list = strcmp(how, "list") == 0, is_add = strcmp(how, "add") == 0;
    enum listener_list list = is_allow ? LISTENER_ALLOW : LISTENER_LIMITS;
    if (!*how || is_list)
        return show_list(cli, argc - is_list, argv + is_list, list);
    if (!is_add && strcmp(how, "remove") != 0)
        return cli_usage("listeners %s: there is no \"%s\", only list, add and remove", what, how);
    return is_allow ? change_allow(cli, argc - 1, argv + 1, is_add)
                    : change_limit(cli, argc - 1, argv + 1, is_add);
}
