/* azekura-keeper: keeps the store in order.  One thread. */
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "keeper/keeper.h"

static volatile bool stop;
static sigset_t waiting_mask; /* while waiting, SIGTERM and SIGINT come through */

static void on_signal(int number)
{
    (void)number;
    stop = true;
}

static void wait_us(int64_t us)
{
    struct timespec ts = {us / US_PER_SECOND, us % US_PER_SECOND * 1000};
    (void)ppoll(NULL, 0, &ts, &waiting_mask);
}

/* Signals are blocked outside wait_us, so that none can come between the look at `stop` and the
 * wait. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    CHECK(sigprocmask(SIG_BLOCK, &blocked, &waiting_mask) == 0);
    sigdelset(&waiting_mask, SIGTERM);
    sigdelset(&waiting_mask, SIGINT);
    CHECK(sigaction(SIGTERM, &action, NULL) == 0 && sigaction(SIGINT, &action, NULL) == 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
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
    catch_signals();
    keeper_run(&config, &stop, wait_us);
    return 0;
}
