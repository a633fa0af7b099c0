/* azekura-bench peers: other collectors, unpacked where they disturb nothing.  The work is done by
 * targets/peers.sh. */
#include <unistd.h>

#include "bench/share.h"
#include "bench/target/target_command.h"

int peers_command(int argc, char **argv)
{
    char script[SHARE_PATH_MAX];
    struct err err;
    const char *share_dir = NULL;
    char *args[8] = {script};
    int n = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--share") == 0 && i + 1 < argc) {
            share_dir = argv[++i];
        } else if (n < (int)ARRAY_LEN(args) - 1) {
            args[n++] = argv[i];
        } else {
            fputs("azekura-bench peers: too many arguments; see azekura-bench peers --help\n",
                  stderr);
            return 2;
        }
    }
    if (share_find(share_dir, "targets/peers.sh", script, &err) < 0) {
        fprintf(stderr, "azekura-bench: %s\n", err.message);
        return 3;
    }
    execv(script, args);
    fprintf(stderr, "azekura-bench: cannot run %s: %s\n", script, strerror(errno));
    return 3;
}
