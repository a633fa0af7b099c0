/* `azekura token` and `azekura setup-code` */
#include "store/account.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/when.h"

struct listing {
    const struct zone *zone;
    int n;
};

static void print_row(void *context, const struct token_row *r)
{
    struct listing *l = context;
    char created[WHEN_MAX], used[WHEN_MAX] = "never";
    struct buf name = BUF_INIT(4096); /* a name may hold anything */
    when_format(r->created_at_us, l->zone, created);
    if (r->last_used_us != TIME_NONE)
        when_format(r->last_used_us, l->zone, used);
    text_add_visible(&name, view_str(r->name));
    if (l->n++ == 0)
        printf("%-9s %-20s %-20s %s\n", "ROLE", "CREATED", "LAST USED", "NAME");
    printf("%-9s %-20.19s %-20.19s %s\n", role_name(r->role), created, used, buf_str(&name));
    buf_free(&name);
}

static int list(struct cli *cli, struct err *err)
{
    struct listing l = {.zone = cli_zone(cli)};
    int rc = token_list(cli->db, print_row, &l, err);
    if (rc < 0)
        return cli_fail(rc, err);
    return l.n > 0 ? CLI_OK : CLI_NOTHING;
}

static int create(struct cli *cli, const char *name, enum role role, struct err *err)
{
    char secret[SECRET_TEXT_MAX];
    int rc = token_create(cli->db, cli_actor(), view_str(name), role, secret, err);
    if (rc < 0)
        return cli_fail(rc, err);
    printf("%s\n", secret);
    explicit_bzero(secret, sizeof(secret));
    return CLI_OK;
}

static int remove_token(struct cli *cli, const char *name, struct err *err)
{
    int rc = token_remove(cli->db, cli_actor(), name, err);
    if (rc < 0)
        return cli_fail(rc, err);
    printf("removed the token %s\n", name);
    return CLI_OK;
}

int cli_token(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *role_text = NULL, *name = NULL;
    const struct option_spec specs[] = {{"role", &role_text, NULL}, {"name", &name, NULL}};
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    const char *what = words > 0 ? argv[1] : "";
    enum role role = ROLE_NONE;
    bool is_create = strcmp(what, "create") == 0, is_remove = strcmp(what, "remove") == 0;
    if (is_remove && words == 2)
        name = argv[2];
    if (is_create && (words != 1 || !name || !role_text))
        return cli_usage("write token create --name NAME --role admin, operator or viewer");
    if (is_create && role_parse(view_str(role_text), &role) < 0)
        return cli_usage("--role %s: the roles are admin, operator and viewer", role_text);
    if (is_remove && (words > 2 || !name))
        return cli_usage("write token remove NAME");
    if (!is_create && !is_remove && (strcmp(what, "list") != 0 || words != 1))
        return cli_usage("write token list, create or remove; see azekura help token");
    int rc = cli_connect(cli, "azekura", &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (is_create)
        return create(cli, name, role, &err);
    return is_remove ? remove_token(cli, name, &err) : list(cli, &err);
}

int cli_setup_code(struct cli *cli, int argc, char **argv)
{
    struct err err;
    char code[SETUP_CODE_MAX];
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc > 0)
        return cli_usage("setup-code: unexpected argument \"%s\"", argv[1]);
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = setup_new_code(cli->db, code, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    printf("%s\n", code);
    explicit_bzero(code, sizeof(code));
    return CLI_OK;
}
