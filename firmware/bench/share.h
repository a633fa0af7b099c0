/* Where what belongs to the program lies: the drivers of targets (targets/) and the profiles.
 *
 *   DIR of --share, else $AZEKURA_BENCH_SHARE; else ../share/azekura/bench beside the program's
 * folder (installed, or the program folder of packaging/run.sh); else the source it was built from.
 */
#ifndef AZEKURA_BENCH_SHARE_H
#define AZEKURA_BENCH_SHARE_H

#include "base/err.h"

#define SHARE_PATH_MAX 1024

/* The path of "targets/azekura" or "profiles"; 0, or -ENOENT and where it was looked for. */
MUST_USE int share_find(const char *share_dir, const char *name, char ret[SHARE_PATH_MAX],
                        struct err *err);
/* The folder of the running program ("/usr/bin"); 0, or -errno. */
MUST_USE int share_program_dir(char ret[SHARE_PATH_MAX]);

#endif
