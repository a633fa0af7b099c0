/* `azekura`: reads the options before the command, finds the configuration and runs the command. */
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static void print_help(void)
{
    printf("azekura: the command line of the log appliance\n\n"
           "usage: azekura [--config FILE | --state DIR] COMMAND …\n\n"
           "  --config FILE  read settings from FILE\n"
           "  --state DIR    read settings from DIR/azekura.conf\n"
           "  --help         this text; azekura help COMMAND says more of one\n"
           "  --version      the version\n\n"
           "Without --config and --state: /etc/azekura/azekura.conf, /var/lib/azekura/azekura.conf "
           "or\n"
           "~/.local/state/azekura/azekura.conf, whichever exists first.\n\n"
           "commands:\n");
    for (size_t i = 0; i < cli_commands_n; i++)
        printf("  %-11s %s\n", cli_commands[i].name, cli_commands[i].summary);
    printf("  %-11s %s\n\n", "help", "say more of a command");
    printf("Exit codes: 0 done or found; 1 nothing found, or a check failed; 2 an argument or "
           "value that\n"
           "cannot be; 3 the database is away, refuses us or fails.\n");
}

static const struct cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < cli_commands_n; i++)
        if (strcmp(cli_commands[i].name, name) == 0)
            return &cli_commands[i];
    return NULL;
}

static int command_help(const struct cli_command *c)
{
    printf("azekura %s: %s\n\nusage:\n", c->name, c->summary);
    for (const char *p = c->usage; *p;) {
        size_t n = strcspn(p, "\n");
        printf("  azekura %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    if (c->help[0])
        printf("\n%s", c->help);
    return CLI_OK;
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return CLI_OK;
    }
    const struct cli_command *c = find_command(argv[1]);
    return c ? command_help(c)
             : cli_usage("there is no command \"%s\"; see azekura --help", argv[1]);
}

/* Options in front of the command.  Returns the index of the command, or -1 after a complaint. */
static int read_options(int argc, char **argv, const char **config, const char **state,
                        bool *wants_help, bool *wants_version)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char **value = NULL;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            *wants_help = true;
        else if (strcmp(argv[i], "--version") == 0)
            *wants_version = true;
        else if (strncmp(argv[i], "--config", 8) == 0 && (argv[i][8] == 0 || argv[i][8] == '='))
            value = config;
        else if (strncmp(argv[i], "--state", 7) == 0 && (argv[i][7] == 0 || argv[i][7] == '='))
            value = state;
        else
            return cli_usage("unknown option %s; see azekura --help", argv[i]), -1;
        if (!value)
            continue;
        const char *equals = strchr(argv[i], '=');
        if (!equals && i + 1 == argc)
            return cli_usage("%s needs a value", argv[i]), -1;
        *value = equals ? equals + 1 : argv[++i];
    }
    if (*config && *state)
        return cli_usage("--config and --state exclude each other"), -1;
    return i;
}

/* The path of the configuration, to be freed; NULL after a complaint. */
static char *find_config(const char *config, const char *state)
{
    if (config)
        return xstrdup(config);
    if (state)
        return xasprintf("%s/azekura.conf", state);
    const char *home = getenv("HOME");
    char *places[] = {xstrdup("/etc/azekura/azekura.conf"),
                      xstrdup("/var/lib/azekura/azekura.conf"),
                      xasprintf("%s/.local/state/azekura/azekura.conf", home ? home : "")};
    char *found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        struct stat st;
        if (!found && stat(places[i], &st) == 0)
            found = places[i];
        else
            free(places[i]);
    }
    if (!found)
        cli_usage("there is no configuration in /etc/azekura, /var/lib/azekura or "
                  "%s/.local/state/azekura; say where with --state DIR or --config FILE",
                  home ? home : "~");
    return found;
}

static int run(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
    struct err err;
    config_defaults(&cli->config);
    int rc = cli->config_path ? config_load(&cli->config, cli->config_path, &err) : 0;
    if (rc < 0) {
        cli_fail(rc, &err);
        return CLI_USAGE;
    }
    int code = command->run(cli, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        /* a reader that has seen enough (head) is no fault */
        struct pollfd reader = {.fd = STDOUT_FILENO, .events = POLLOUT};
        bool has_left = poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR);
        if (!has_left) {
            fputs("azekura: cannot write the whole output\n", stderr);
            code = CLI_NOTHING;
        }
    }
    PQfinish(cli->db);
    zone_free(&cli->zone);
    return code;
}

int main(int argc, char **argv)
{
    const char *config = NULL, *state = NULL;
    bool wants_help = false, wants_version = false;
    base_claim_standard_files();
    signal(SIGPIPE, SIG_IGN);
    int at = read_options(argc, argv, &config, &state, &wants_help, &wants_version);
    if (at < 0)
        return CLI_USAGE;
    if (wants_version) {
        printf("azekura %s\n", AZEKURA_VERSION);
        return CLI_OK;
    }
    if (wants_help || (at < argc && strcmp(argv[at], "help") == 0))
        return help(argc - at, argv + at);
    if (at == argc) {
        print_help();
        return CLI_USAGE;
    }
    const struct cli_command *command = find_command(argv[at]);
    if (!command)
        return cli_usage("there is no command \"%s\"; see azekura --help", argv[at]);
    for (int i = at + 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0)
            return command_help(command);
    struct cli cli = {.config_path = NULL};
    if (command->needs_no_box)
        return run(&cli, command, argc - at, argv + at);
    char *path = find_config(config, state);
    if (!path)
        return CLI_USAGE;
    cli.config_path = path;
    int code = run(&cli, command, argc - at, argv + at);
    free(path);
    return code;
}
