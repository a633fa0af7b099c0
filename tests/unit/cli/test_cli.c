/* What every command promises: exit codes by error, and help that is complete. */
#include "cli/cli.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>

Test(cli, an_error_has_its_exit_code, .init = cr_redirect_stderr)
{
    static const struct {
        int rc, expected;
    } cases[] = {{-EINVAL, CLI_USAGE},   {-ERANGE, CLI_USAGE},  {-ENOENT, CLI_NOTHING},
                 {-EEXIST, CLI_NOTHING}, {-EPERM, CLI_NOTHING}, {-EAGAIN, CLI_AWAY},
                 {-EACCES, CLI_AWAY},    {-EIO, CLI_AWAY},      {-ETIMEDOUT, CLI_AWAY},
                 {-EBADMSG, CLI_NOTHING}};
    struct err err = {.message = "a sentence"};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(cli_fail(cases[i].rc, &err), cases[i].expected, "%d", cases[i].rc);
}

Test(cli, every_command_has_usage_and_summary_and_its_usage_begins_with_its_name)
{
    cr_expect_geq(config_settings_n, 1);
    for (size_t i = 0; i < cli_commands_n; i++) {
        const struct cli_command *c = &cli_commands[i];
        cr_expect(c->run && c->summary[0], "%s", c->name);
        for (const char *line = c->usage; line;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
            cr_expect(strncmp(line, c->name, strlen(c->name)) == 0, "%s: %s", c->name, line);
    }
}

Test(cli, the_actor_names_the_user)
{
    cr_expect(strncmp(cli_actor(), "cli:", 4) == 0 && strlen(cli_actor()) > 4, "%s", cli_actor());
}
