/* A thread that does nothing but send and receive on loopback is either charged for all of the time
 * it runs, or for all but a good part.  Others only take time away: the best of some short slices
 * counts. */
#include "bench/run/softirq.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SLICES 50
#define SLICE_NS 1000000
#define WHOLE 0.95 /* of a slice; without soft interrupts it is about two thirds */

static bool is_apart;

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A socket that is connected to itself. */
static int open_loop(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 &&
        (bind(fd, (struct sockaddr *)&a, n) < 0 || getsockname(fd, (struct sockaddr *)&a, &n) < 0 ||
         connect(fd, (struct sockaddr *)&a, n) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The part of a slice that the thread is charged for; 0 when nothing can be sent. */
static double charged(int fd)
{
    char bytes[100] = "";
    int64_t begin = now_ns(CLOCK_MONOTONIC), used = now_ns(CLOCK_THREAD_CPUTIME_ID), end;
    do {
        if (send(fd, bytes, sizeof(bytes), 0) < 0 || recv(fd, bytes, sizeof(bytes), 0) < 0)
            return 0;
        end = now_ns(CLOCK_MONOTONIC);
    } while (end - begin < SLICE_NS);
    return (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - used) / (double)(end - begin);
}

static void find_out(void)
{
    double best = 0;
    int fd = open_loop();
    if (fd < 0)
        return;
    for (int i = 0; i < SLICES && best < WHOLE; i++) {
        double part = charged(fd);
        best = MAX(best, part);
    }
    close(fd);
    is_apart = best > 0 && best < WHOLE;
}

bool softirq_is_apart(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return is_apart;
}
