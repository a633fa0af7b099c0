/* The door to what a benchmark sends to: which kind it is, and what all kinds have in common. */
#include "bench/target/target.h"

#include <fcntl.h>
#include <glob.h>
#include <openssl/evp.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/target/target_inside.h"

void target_run_text(uint64_t run, char ret[TARGET_RUN_TEXT])
{
    snprintf(ret, TARGET_RUN_TEXT, "%016llx", (unsigned long long)run);
}

/* ---- opening ---- */

/* "syslog-ng:maxperf" → the driver's name and its variant; a name is letters, digits, '-' alone, so
 * that no spec leaves the folder of drivers. */
static int split_spec(const char *spec, char *name, size_t name_size, char *variant,
                      size_t variant_size, struct err *err)
{
    const char *colon = strchr(spec, ':');
    size_t name_n = colon ? (size_t)(colon - spec) : strlen(spec);
    const char *rest = colon ? colon + 1 : "";
    size_t good = strspn(spec, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (name_n == 0 || good != name_n || name_n >= name_size || strlen(rest) >= variant_size ||
        strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789-,=+") != strlen(rest))
        return err_set(err, EINVAL, "bad_target",
                       "\"%.100s\" is not a target: box, azekura, sink, syslog-ng:maxperf, "
                       "syslog-ng:distro, rsyslog:file, rsyslog:pgsql",
                       spec);
    snprintf(name, name_size, "%.*s", (int)name_n, spec);
    snprintf(variant, variant_size, "%s", rest);
    return 0;
}

/* The digest of the configuration files; drivers leave out what differs each time. */
static void digest_config(const struct target_env *e, char ret[65])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_n = 0;
    char bytes[65536];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    CHECK(ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1);
    for (size_t i = 0; i < e->config_n; i++) {
        int fd = open(e->config[i], O_RDONLY | O_CLOEXEC);
        ssize_t n;
        while (fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
            EVP_DigestUpdate(ctx, bytes, (size_t)n);
        if (fd >= 0)
            close(fd);
    }
    CHECK(EVP_DigestFinal_ex(ctx, digest, &digest_n) == 1);
    EVP_MD_CTX_free(ctx);
    for (unsigned i = 0; i < digest_n && i < 32; i++)
        snprintf(ret + 2 * (size_t)i, 3, "%02x", digest[i]);
}

static int64_t receive_buffer(const struct target_pids *pids)
{
    struct udp_socket sockets[UDP_SOCKETS_MAX];
    int64_t least = -1;
    for (size_t i = 0; i < pids->syslog_n; i++) {
        int n = udp_drop_of(pids->syslog[i], sockets, ARRAY_LEN(sockets));
        for (int j = 0; j < n; j++) {
            int64_t bytes = sockets[j].port ? udp_drop_buffer_bytes(sockets[j].inode) : -1;
            if (bytes >= 0 && (least < 0 || bytes < least))
                least = bytes;
        }
    }
    return least;
}

static void take_facts(struct target *t)
{
    struct target_facts *f = &t->facts;
    snprintf(f->product, sizeof(f->product), "%s", t->env.name);
    snprintf(f->version, sizeof(f->version), "%s", t->env.version);
    snprintf(f->stores, sizeof(f->stores), "%s", t->env.stores);
    snprintf(f->source_network, sizeof(f->source_network), "%s", t->env.source_network);
    memcpy(f->ports, t->env.ports, sizeof(f->ports));
    memcpy(f->ports_n, t->env.ports_n, sizeof(f->ports_n));
    f->is_local = true;
    f->is_restartable = true;
    f->receive_buffer_bytes = receive_buffer(&t->env.pids);
    digest_config(&t->env, f->config_sha256);
}

static int open_started(struct target *t, const struct target_options *o,
                        const volatile sig_atomic_t *stop, struct err *err)
{
    char name[64], path[128];
    int rc = split_spec(o->spec, name, sizeof(name), t->variant, sizeof(t->variant), err);
    snprintf(path, sizeof(path), "targets/%s", name);
    if (rc == 0)
        rc = share_find(o->share_dir, path, t->driver, err);
    if (rc == 0)
        rc = target_driver_start(t, o, stop, err);
    if (rc < 0)
        return rc;
    take_facts(t);
    if (t->env.api[0])
        return target_api_open(t, t->env.api, t->env.token_file, err);
    if (t->env.postgresql[0])
        return target_sql_open(t, err);
    return t->env.files_n > 0 ? target_file_open(t, err) : target_sink_open(t, err);
}

int target_open(const struct target_options *o, const volatile sig_atomic_t *stop,
                struct target **ret, struct err *err)
{
    struct target *t = xcalloc(1, sizeof(*t));
    char absolute[4096];
    int rc = 0;
    snprintf(t->facts.name, sizeof(t->facts.name), "%s", o->spec);
    t->facts.receive_buffer_bytes = -1;
    if (strcmp(o->spec, "box") == 0) {
        rc = target_box_open(t, o, stop, err);
    } else if (!o->dir || (mkdir(o->dir, 0755) < 0 && errno != EEXIST) ||
               !realpath(o->dir, absolute)) {
        rc = err_set(err, errno, "bad_folder", "cannot use the folder %s of target %s: %s",
                     o->dir ? o->dir : "(none)", o->spec, strerror(errno));
    } else if (strlen(absolute) >= sizeof(t->dir)) {
        rc = err_set(err, ENAMETOOLONG, "bad_folder",
                     "the folder of target %s has a path of %zu "
                     "bytes, at most %zu are possible",
                     o->spec, strlen(absolute), sizeof(t->dir) - 1);
    } else {
        memcpy(t->dir, absolute, strlen(absolute) + 1);
        rc = open_started(t, o, stop, err);
    }
    if (rc < 0) {
        err_prefix(err, "target %.64s: ", o->spec);
        target_close(&t);
        return rc;
    }
    *ret = t;
    return 0;
}

void target_close(struct target **pt)
{
    struct target *t = *pt;
    if (!t)
        return;
    target_watch_stop(t);
    if (t->store)
        t->store->done(t);
    target_driver_stop(t);
    free(t);
    *pt = NULL;
}

int target_sweep(const char *out, const char *share_dir)
{
    char pattern[SHARE_PATH_MAX], lib[SHARE_PATH_MAX];
    glob_t found = {0};
    int n = 0;
    snprintf(pattern, sizeof(pattern), "%s/*/*/data", out);
    /* any driver can remove what any other left */
    if (share_find(share_dir, "targets/sink", lib, NULL) == 0 &&
        glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char dir[SHARE_PATH_MAX];
            snprintf(dir, sizeof(dir), "%s", found.gl_pathv[i]);
            *strrchr(dir, '/') = 0;
            n += target_driver_clean(lib, dir);
        }
    }
    globfree(&found);
    return n;
}

/* ---- what is asked of it ---- */

const struct target_facts *target_facts(const struct target *t)
{
    return &t->facts;
}

void target_pids(struct target *t, struct target_pids *ret)
{
    struct err err;
    if (t->pid > 0 && target_driver_look(t, &err) < 0)
        memset(&t->env.pids, 0, sizeof(t->env.pids)); /* what is known is no longer so */
    *ret = t->env.pids;
}

int64_t target_count_on(struct target_count *c, int64_t now)
{
    if (now < 0)
        return -1;
    if (now < c->last)
        c->before += c->last;
    c->last = now;
    return c->before + now;
}

int64_t target_kernel_dropped(struct target *t)
{
    struct udp_socket sockets[UDP_SOCKETS_MAX];
    int64_t sum = 0;
    for (size_t i = 0; i < t->env.pids.syslog_n; i++) {
        int n = udp_drop_of(t->env.pids.syslog[i], sockets, ARRAY_LEN(sockets));
        if (n < 0)
            return -1;
        for (int j = 0; j < n; j++)
            sum += (int64_t)sockets[j].dropped;
    }
    return target_count_on(&t->dropped, t->env.pids.syslog_n > 0 ? sum : -1);
}

int target_counters(struct target *t, struct target_counters *ret, struct err *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->kernel_dropped = ret->received = ret->stored = ret->queued = ret->truncated =
        ret->refused = ret->stored_bytes = -1;
    return t->store->counters(t, ret, err);
}

int target_read_back(struct target *t, uint64_t run, struct tally *tally,
                     const volatile sig_atomic_t *stop, struct err *err)
{
    return t->store->read_back(t, run, tally, stop, err);
}

int target_visible(struct target *t, uint64_t run, int64_t *ret, struct err *err)
{
    return t->store->visible(t, run, ret, err);
}

int target_forget(struct target *t, struct err *err)
{
    return t->store->forget(t, err);
}

int target_kill(struct target *t, const volatile sig_atomic_t *stop, struct err *err)
{
    if (!t->facts.is_restartable)
        return err_set(err, EPERM, "in_service", "%s is in service: nothing of it is killed",
                       t->facts.name);
    int rc = target_driver_look(t, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < t->env.pids.syslog_n; i++) {
        if (kill(t->env.pids.syslog[i], SIGKILL) < 0 && errno != ESRCH)
            return err_set(err, errno, "not_killed", "cannot kill process %d of %s: %s",
                           t->env.pids.syslog[i], t->facts.name, strerror(errno));
    }
    return target_driver_wait(t, stop, err);
}

int target_watch_start(struct target *t, uint64_t run, target_found_fn found, void *context,
                       struct err *err)
{
    CHECK(!t->is_watching);
    int rc = t->store->watch_start(t, run, found, context, err);
    t->is_watching = rc == 0;
    return rc;
}

void target_watch_stop(struct target *t)
{
    if (t->is_watching)
        t->store->watch_stop(t);
    t->is_watching = false;
}

int target_search(struct target *t, const char *query, int seconds, int64_t *ret_us, int64_t *ret_n,
                  struct err *err)
{
    if (!t->store->search)
        return err_set(err, ENOTSUP, "not_searchable", "%s cannot be searched", t->facts.name);
    return t->store->search(t, query, seconds, ret_us, ret_n, err);
}
