/* azekura-helper: does for the web server what needs root, and nothing else. */
#include <getopt.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "config/log.h"
#include "helper/apply.h"
#include "helper/client.h"
#include "helper/place.h"
#include "helper/server.h"
#include "helper/table.h"

#define CALL_TIMEOUT_MS 1800000

static void help(void)
{
    printf("Usage: azekura-helper [--root DIR] [--peer-user NAME]   serve requests at DIR%s\n"
           "       azekura-helper [--root DIR] --apply              write the files of a boot\n"
           "       azekura-helper [--root DIR] --call REQUEST       send one request, print the "
           "answer\n"
           "\n"
           "Does what needs root for the web console, from a fixed table.\n"
           "\n"
           "  --root DIR        all paths, those of programs too, are below DIR\n"
           "  --peer-user NAME  who may ask besides root (azekura-web)\n"
           "  --help, --version\n"
           "\n"
           "A request is {\"command\":NAME,\"actor\":WHO,\"arguments\":{...}}. Commands:\n",
           HELPER_SOCKET);
    for (size_t i = 0; i < commands_n; i++)
        printf("  %-17s %s\n", commands[i].name, commands[i].summary);
}

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

static int call(const struct helper *h, const char *request)
{
    char path[PLACE_PATH_MAX];
    struct buf out = BUF_INIT(HELPER_REPLY_MAX_BYTES + 1);
    struct err err;
    int fd;
    int r = client_ask(place_path(h, HELPER_SOCKET, path), view_str(request), CALL_TIMEOUT_MS, &out,
                       &fd, &err);
    if (r < 0)
        fprintf(stderr, "azekura-helper: %s\n", err.message);
    else
        printf("%s\n", buf_str(&out));
    /* what comes beside the answer, a bundle, goes to a standard output that is no terminal */
    char bytes[16384];
    for (ssize_t n; fd >= 0 && !isatty(1) && (n = read(fd, bytes, sizeof(bytes))) > 0;)
        if (fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n)
            r = -EIO;
    if (fd >= 0)
        close(fd);
    bool failed = r < 0 || strncmp(buf_str(&out), "{\"ok\":", 6) != 0;
    buf_free(&out);
    return failed;
}

static int serve(struct helper *h, const char *user)
{
    struct err err;
    int stop_fd = stop_descriptor();
    int listen_fd = server_listen(h, user, &err);
    if (listen_fd < 0) {
        fprintf(stderr, "azekura-helper: %s\n", err.message);
        return 1;
    }
    log_line(LOG_INFO, "azekura-helper %s serves %s%s", AZEKURA_VERSION, h->root, HELPER_SOCKET);
    server_run(h, listen_fd, stop_fd, user);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"root", required_argument, NULL, 'r'},
        {"peer-user", required_argument, NULL, 'u'},
        {"apply", no_argument, NULL, 'a'},
        {"call", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    struct helper h = {.root = "", .trial_until_us = TRIAL_NONE};
    const char *user = "azekura-web", *request = NULL;
    bool is_apply = false;
    base_claim_standard_files();
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 'r')
            h.root = strcmp(optarg, "/") == 0 ? "" : optarg;
        else if (o == 'u')
            user = optarg;
        else if (o == 'a')
            is_apply = true;
        else if (o == 'c')
            request = optarg;
        else if (o == 'h')
            return help(), 0;
        else if (o == 'v')
            return printf("azekura-helper %s\n", AZEKURA_VERSION), 0;
        else
            return 2;
    }
    size_t n = strlen(h.root);
    if (optind < argc || (n && (h.root[0] != '/' || h.root[n - 1] == '/' || n > 128))) {
        fprintf(stderr, "azekura-helper: --root is an absolute path of at most 128 bytes without a "
                        "slash at its end; see --help\n");
        return 2;
    }
    if (request)
        return call(&h, request);
    return is_apply ? apply_all(&h) != 0 : serve(&h, user);
}
