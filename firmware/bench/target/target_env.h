/* target.env: what a driver says of the collector it runs, once that takes messages.  Lines
 * KEY=VALUE; targets/README.md has the keys. */
#ifndef AZEKURA_BENCH_TARGET_ENV_H
#define AZEKURA_BENCH_TARGET_ENV_H

#include "base/view.h"
#include "bench/target/target.h"

#define TARGET_ENV_MAX_BYTES 65536
#define TARGET_FILES_MAX 16
#define TARGET_TEXT_MAX 512

struct target_env {
    char name[64], version[64], stores[64];
    char api[TARGET_TEXT_MAX], token_file[TARGET_TEXT_MAX];
    char postgresql[TARGET_TEXT_MAX]; /* a libpq connection string; rows of a table systemevents */
    char source_network[64];
    char report[TARGET_TEXT_MAX];  /* JSON with counts, of a target that keeps nothing */
    char control[TARGET_TEXT_MAX]; /* syslog-ng's control socket, which tells what it took */
    char files[TARGET_FILES_MAX][TARGET_TEXT_MAX];  /* of messages */
    char config[TARGET_FILES_MAX][TARGET_TEXT_MAX]; /* its configuration, for the digest */
    size_t files_n, config_n;
    struct target_port ports[TARGET_TRANSPORTS][TARGET_PORTS_MAX];
    size_t ports_n[TARGET_TRANSPORTS];
    struct target_pids pids;
};

/* 0, or -EINVAL and *err naming the line: an unknown key, a value that is not what it should be,
 * more of one kind than there is room for, no address at all. */
MUST_USE int target_env_parse(struct view text, struct target_env *ret, struct err *err);
/* "127.0.0.1:5514", "[::1]:5514"; for the two unix transports a path. */
MUST_USE int target_port_parse(enum target_transport transport, struct view text,
                               struct target_port *ret);

#endif
