/* azekura-keeper: keeps the store in order.  The chores run in the main thread, the load of the box
 * is sampled in another one. */
#include <signal.h>
#include <sys/signalfd.h>

#include "keeper/keeper.h"
#include "keeper/load.h"

/* Readable from the first SIGTERM or SIGINT on; the signal is never read, so it stays so. */
static int stop_descriptor(void)
{
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    CHECK(sigprocmask(SIG_BLOCK, &stops, NULL) == 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    int fd = signalfd(-1, &stops, SFD_CLOEXEC);
    CHECK(fd >= 0);
    return fd;
}

int main(int argc, char **argv)
{
    struct config config;
    struct err err;
    int r = config_command_line(argc, argv,
                                "makes day partitions, merges small blocks, forgets what is over",
                                &config, &err);
    if (r < 0)
        fprintf(stderr, "azekura-keeper: %s\n", err.message);
    if (r != 0)
        return r < 0 ? 2 : 0;
    int stop_fd = stop_descriptor();
    struct load *load = load_start(&config, stop_fd);
    keeper_run(&config, stop_fd);
    load_join(&load);
    return 0;
}
