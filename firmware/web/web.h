/* What all requests share: settings, connections, pages, counters, gates.  One a process, made by
 * server_start(). */
#ifndef AZEKURA_WEB_WEB_H
#define AZEKURA_WEB_WEB_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "config/config.h"
#include "web/files.h"
#include "web/news.h"
#include "web/pool.h"

#define WEB_WORKERS 48            /* requests at once; a stream holds one for as long as it lives */
#define WEB_TAILS_MAX 16          /* live streams: a third of the workers */
#define WEB_EXPORTS_MAX 4         /* exports: each holds a connection */
#define WEB_CONNECTIONS 10        /* to the database: searches use a core each */
#define WEB_BENCH_CHILDREN_MAX 2  /* azekura-bench asked for profiles, comparisons at once */
#define WEB_BENCH_DOWNLOADS_MAX 8 /* files of runs that are being sent */
#define WEB_HASHES_MAX 2          /* passwords hashed at once: 64 MiB each */
#define WEB_HASHES_WAITING 8      /* log-ins that may wait for their turn */

struct mg_context;
struct bench_watch;

struct web {
    struct config file;          /* as the configuration file says */
    struct config live;          /* with the database's settings over it */
    pthread_mutex_t config_lock; /* of `live` */
    struct pool *pool;
    struct news news;
    struct files files;
    struct mg_context *http;
    struct bench_watch *bench; /* benchmark runs */
    char machine[256];         /* this machine's name */
    int64_t started_mono_us;
    int listen_port;

    atomic_bool is_stopping;
    bool is_reported; /* the database knows that the web server runs; of the refresher's thread */
    atomic_int tails, exports, hashes_waiting, bench_children, bench_downloads;
    sem_t hashes;
    pthread_t refresher;
};

/* A copy of the settings in force. */
void web_config(struct web *w, struct config *ret);
/* Read the database's settings again.  0, or negative and *err: the old ones stay. */
MUST_USE int web_refresh_config(struct web *w, PGconn *db, struct err *err);

/* Take one of `max` places; false when all are taken.  Give it back with gate_leave(). */
bool gate_enter(atomic_int *gate, int max);
void gate_leave(atomic_int *gate);

#endif
