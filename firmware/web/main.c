/* azekura-web: the console and the API over HTTP. */
#include <signal.h>

#include "config/config.h"
#include "config/log.h"
#include "web/server.h"

/* Blocked in every thread that starts later; only wait_for_end() takes them. */
static void block_signals(sigset_t *ends)
{
    sigemptyset(ends);
    sigaddset(ends, SIGTERM);
    sigaddset(ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, ends, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void wait_for_end(const sigset_t *ends)
{
    int signal_number;
    while (sigwait(ends, &signal_number) != 0)
        ;
}

int main(int argc, char **argv)
{
    struct config config;
    struct web *web;
    struct err err;
    sigset_t ends;

    config_defaults(&config);
    int rc =
        config_command_line(argc, argv, "serves the console and the API over HTTP", &config, &err);
    if (rc > 0)
        return 0;
    if (rc < 0) {
        fprintf(stderr, "azekura-web: %s\n", err.message);
        return 2;
    }
    block_signals(&ends);
    if (server_start(&config, &web, &err) < 0) {
        fprintf(stderr, "azekura-web: %s\n", err.message);
        return 2;
    }
    log_line(LOG_INFO, "listening on %s, port %d", config.http, web->listen_port);
    wait_for_end(&ends);
    server_stop(&web);
    log_line(LOG_INFO, "stopped");
    return 0;
}
