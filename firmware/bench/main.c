/* azekura-bench: load generator and benchmark. */
#include "bench/load/load.h"
#include "bench/report/report.h"
#include "bench/run/run_command.h"
#include "bench/sink/sink.h"
#include "bench/suggest.h"
#include "bench/target/target_command.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

static const struct command commands[] = {
    {"run", run_command, "measure a collector by a profile (run --help)"},
    {"ladder", run_command, "run ladder: four rates by UDP, every loss named"},
    {"knee", run_command, "run knee: the highest rate without loss"},
    {"steady", run_command, "run steady: 20,000/s for ten minutes, 100,000/s for one"},
    {"soak", run_command, "run soak: one rate for hours"},
    {"mixed", run_command, "run mixed: reception and searches at once"},
    {"crash", run_command, "run crash: killed under load"},
    {"sngbench", run_command, "run sngbench: its matrix of connections and ports"},
    {"profiles", profiles_command,
     "list the profiles (--json), or the keys they may have (--keys)"},
    {"load", load_command, "send messages at a rate and count what the kernel took (load --help)"},
    {"loggen", load_command, "the same"},
    {"sink", sink_command, "take and count messages, store nothing"},
    {"peers", peers_command, "peers fetch: unpack other collectors to measure them beside"},
    {"target", target_command, "start a target alone, to look at it"},
    {"report", report_command, "render a run's report again"},
    {"compare", compare_command, "two runs side by side"},
};

static void print_help(FILE *out)
{
    fputs("azekura-bench: how many logs a second does a collector take, without loss?\n\n"
          "usage: azekura-bench COMMAND …\n\n",
          out);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("  --help     this text\n  --version  the version\n", out);
}

static int unknown(const char *name)
{
    const char *names[ARRAY_LEN(commands)];
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        names[i] = commands[i].name;
    const char *near = suggest_near(name, names, ARRAY_LEN(commands));
    if (near)
        fprintf(stderr, "azekura-bench: unknown command %s; did you mean %s?\n", name, near);
    else {
        fprintf(stderr, "azekura-bench: %s%s\n\n",
                *name ? "unknown command " : "a command is missing", name);
        print_help(stderr);
    }
    return 2;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    base_claim_standard_files();
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0) {
        puts("azekura-bench " AZEKURA_VERSION);
        return 0;
    }
    return unknown(name);
}
