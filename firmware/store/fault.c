/* kill -9 at a chosen point.  Any thread. */
#include "store/fault.h"

#include "base/base.h"

#ifdef AZEKURA_FAULTS

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char wanted[64]; /* "": none; constant once read */
static _Atomic long left;

static void take_wish(const char *wish)
{
    snprintf(wanted, sizeof(wanted), "%s", wish);
    char *colon = strchr(wanted, ':');
    long n = colon ? strtol(colon + 1, NULL, 10) : 1;
    if (colon)
        *colon = '\0';
    atomic_store(&left, MAX(n, 1L));
}

static void read_wish(void)
{
    const char *wish = getenv("AZEKURA_FAULT");
    if (wish)
        take_wish(wish);
}

void fault_set(const char *wish)
{
    CHECK(pthread_once(&once, read_wish) == 0);
    take_wish(wish);
}

void fault_at(const char *point)
{
    CHECK(pthread_once(&once, read_wish) == 0);
    if (LIKELY(!wanted[0]) || strcmp(wanted, point) != 0 || atomic_fetch_sub(&left, 1) != 1)
        return;
    (void)kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

#endif
