/* azekura-keeper: keeps the store in order.  One thread. */
#include <signal.h>
#include <sys/signalfd.h>

#include "keeper/keeper.h"

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
    keeper_run(&config, stop_descriptor());
    return 0;
}
