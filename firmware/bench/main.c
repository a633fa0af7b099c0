/* azekura-bench: load generator and benchmark. */
#include "bench/load.h"

static const char usage[] =
    "azekura-bench: how many logs a second does a collector take, without loss?\n\n"
    "usage: azekura-bench COMMAND …\n\n"
    "  load       send messages at a rate and count what the kernel took (load --help)\n"
    "  --help     this text\n"
    "  --version  the version\n";

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "load") == 0)
        return load_command(argc - 1, argv + 1);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (strcmp(command, "--version") == 0) {
        puts("azekura-bench " AZEKURA_VERSION);
        return 0;
    }
    fprintf(stderr, "azekura-bench: %s%s\n\n%s",
            *command ? "unknown command " : "a command is missing", command, usage);
    return 2;
}
