/* `azekura-bench target SPEC` and `azekura-bench peers fetch`. */
#ifndef AZEKURA_BENCH_TARGET_COMMAND_H
#define AZEKURA_BENCH_TARGET_COMMAND_H

/* `argv` from "target" on; the exit code. */
int target_command(int argc, char **argv);
/* `argv` from "peers" on: fetches other collectors into a private folder (targets/peers.sh). */
int peers_command(int argc, char **argv);

#endif
