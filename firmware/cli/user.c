/* `azekura user` */
#include "store/account.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/password.h"
#include "cli/when.h"

static void print_time(int64_t us, const struct zone *zone)
{
    char text[WHEN_MAX];
    if (us == TIME_NONE) {
        fputs("never", stdout);
        return;
    }
    when_format(us, zone, text);
    printf("%.19s", text);
}

struct listing {
    const struct zone *zone;
    int n;
};

static void print_row(void *context, const struct account_row *r)
{
    struct listing *l = context;
    if (l->n++ == 0)
        printf("%-24s %-9s %-20s %s\n", "NAME", "ROLE", "CREATED", "LAST LOG-IN");
    printf("%-24s %-9s ", r->name, role_name(r->role));
    print_time(r->created_at_us, l->zone);
    fputs("  ", stdout);
    print_time(r->last_login_us, l->zone);
    putchar('\n');
}

static int list(struct cli *cli, struct err *err)
{
    struct listing l = {.zone = cli_zone(cli)};
    int rc = account_list(cli->db, print_row, &l, err);
    if (rc < 0)
        return cli_fail(rc, err);
    return l.n > 0 ? CLI_OK : CLI_NOTHING;
}

static int add(struct cli *cli, const char *name, const char *role_text, struct err *err)
{
    char password[PASSWORD_MAX_BYTES + 1];
    int rc = setup_is_needed(cli->db, err);
    if (rc < 0)
        return cli_fail(rc, err);
    bool is_first = rc == 1;
    enum role role = is_first ? ROLE_ADMIN : ROLE_VIEWER;
    if (role_text && role_parse(view_str(role_text), &role) < 0)
        return cli_usage("--role %s: the roles are admin, operator and viewer", role_text);
    if (is_first && role != ROLE_ADMIN)
        return cli_usage(
            "--role %s: the first account must be an admin, or nobody could make others",
            role_text);
    rc = account_check_name(view_str(name), err);
    if (rc == 0)
        rc = password_read(name, password, err);
    if (rc == 0)
        rc = account_add(cli->db, cli_actor(), view_str(name), role, view_str(password), err);
    explicit_bzero(password, sizeof(password));
    if (rc < 0)
        return cli_fail(rc, err);
    printf("added %s %s\n", role_name(role), name);
    return CLI_OK;
}

static int set_password(struct cli *cli, const char *name, struct err *err)
{
    char password[PASSWORD_MAX_BYTES + 1], hash[PASSWORD_HASH_MAX];
    enum role role;
    int rc = account_find(cli->db, name, hash, &role, err);
    if (rc == 0)
        rc = err_set(err, ENOENT, "not_found", "there is no account \"%s\"", name);
    if (rc > 0)
        rc = password_read(name, password, err);
    if (rc == 0)
        rc = account_set_password(cli->db, cli_actor(), name, view_str(password), err);
    explicit_bzero(password, sizeof(password));
    if (rc < 0)
        return cli_fail(rc, err);
    printf("changed the password of %s; its sessions have ended\n", name);
    return CLI_OK;
}

static int remove_account(struct cli *cli, const char *name, struct err *err)
{
    int rc = account_remove(cli->db, cli_actor(), name, err);
    if (rc < 0)
        return cli_fail(rc, err);
    printf("removed %s\n", name);
    return CLI_OK;
}

int cli_user(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *role = NULL;
    const struct option_spec specs[] = {{"role", &role, NULL}};
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    const char *what = words > 0 ? argv[1] : "";
    int wanted = strcmp(what, "list") == 0 ? 1
                 : strcmp(what, "add") == 0 || strcmp(what, "remove") == 0 ||
                         strcmp(what, "password") == 0
                     ? 2
                     : 0;
    if (wanted == 0 || words != wanted)
        return cli_usage(
            "write user list, or user add, remove or password and one NAME; see azekura help user");
    if (role && strcmp(what, "add") != 0)
        return cli_usage("--role belongs to user add");
    int rc = cli_connect(cli, "azekura", &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (wanted == 1)
        return list(cli, &err);
    if (strcmp(what, "add") == 0)
        return add(cli, argv[2], role, &err);
    return strcmp(what, "remove") == 0 ? remove_account(cli, argv[2], &err)
                                       : set_password(cli, argv[2], &err);
}
