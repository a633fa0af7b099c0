/* The command lines `run PROFILE`, its short forms and `profiles`. */
#ifndef AZEKURA_BENCH_RUN_COMMAND_H
#define AZEKURA_BENCH_RUN_COMMAND_H

#include "base/base.h"

/* `argv` from "run", or from a profile's own command ("ladder"), on; the exit code (run.h). */
int run_command(int argc, char **argv);
int profiles_command(int argc, char **argv);

#endif
