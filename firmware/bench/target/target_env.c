/* Reading target.env. */
#include "bench/target/target_env.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "base/ip.h"

#define PID_MAX 4194304 /* Linux: 2^22 */

static void set_inet(struct target_port *p, const struct ip *ip, uint16_t port)
{
    if (ip->family == 4) {
        struct sockaddr_in *in = (struct sockaddr_in *)&p->address;
        in->sin_family = AF_INET;
        in->sin_port = htons(port);
        memcpy(&in->sin_addr, ip->bytes, 4);
        p->address_len = sizeof(*in);
    } else {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&p->address;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        memcpy(&in6->sin6_addr, ip->bytes, 16);
        p->address_len = sizeof(*in6);
    }
}

int target_port_parse(enum target_transport transport, struct view text, struct target_port *ret)
{
    struct target_port port = {.address_len = 0};
    if (transport == TARGET_UNIX_DGRAM || transport == TARGET_UNIX_STREAM) {
        struct sockaddr_un *un = (struct sockaddr_un *)&port.address;
        if (text.n == 0 || text.n >= sizeof(un->sun_path) || text.p[0] != '/')
            return -EINVAL;
        un->sun_family = AF_UNIX;
        memcpy(un->sun_path, text.p, text.n);
        port.address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + text.n + 1);
    } else {
        struct ip ip;
        uint16_t number;
        if (ip_port_parse(text, &ip, &number) < 0 || number == 0)
            return -EINVAL;
        set_inet(&port, &ip, number);
    }
    *ret = port;
    return 0;
}

static int set_text(struct view value, char *to, size_t size)
{
    if (value.n == 0 || value.n >= size || memchr(value.p, 0, value.n))
        return -EINVAL;
    memcpy(to, value.p, value.n);
    to[value.n] = 0;
    return 0;
}

static int add_text(struct view value, char list[][TARGET_TEXT_MAX], size_t *n)
{
    if (*n == TARGET_FILES_MAX)
        return -E2BIG;
    int rc = set_text(value, list[*n], TARGET_TEXT_MAX);
    *n += rc == 0;
    return rc;
}

static int add_pid(struct view value, int32_t *list, size_t *n)
{
    uint64_t pid;
    if (*n == TARGET_PIDS_MAX)
        return -E2BIG;
    if (view_u64(value, PID_MAX, &pid) < 0 || pid == 0)
        return -EINVAL;
    list[(*n)++] = (int32_t)pid;
    return 0;
}

static int add_port(struct target_env *e, enum target_transport transport, struct view value)
{
    size_t *n = &e->ports_n[transport];
    if (*n == TARGET_PORTS_MAX)
        return -E2BIG;
    int rc = target_port_parse(transport, value, &e->ports[transport][*n]);
    *n += rc == 0;
    return rc;
}

static int set(struct target_env *e, struct view key, struct view value)
{
    static const char *const transports[TARGET_TRANSPORTS] = {
        [TARGET_UDP] = "udp",
        [TARGET_TCP] = "tcp",
        [TARGET_TLS] = "tls",
        [TARGET_UNIX_DGRAM] = "unix_dgram",
        [TARGET_UNIX_STREAM] = "unix_stream",
    };
    const struct {
        const char *key;
        char *to;
        size_t size;
    } texts[] = {
        {"name", e->name, sizeof(e->name)},
        {"version", e->version, sizeof(e->version)},
        {"stores", e->stores, sizeof(e->stores)},
        {"api", e->api, sizeof(e->api)},
        {"token_file", e->token_file, sizeof(e->token_file)},
        {"postgresql", e->postgresql, sizeof(e->postgresql)},
        {"source_network", e->source_network, sizeof(e->source_network)},
        {"report", e->report, sizeof(e->report)},
        {"control", e->control, sizeof(e->control)},
    };
    for (int i = 0; i < TARGET_TRANSPORTS; i++) {
        if (view_eq(key, view_str(transports[i])))
            return add_port(e, (enum target_transport)i, value);
    }
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (view_eq(key, view_str(texts[i].key)))
            return set_text(value, texts[i].to, texts[i].size);
    }
    if (view_eq(key, VIEW("file")))
        return add_text(value, e->files, &e->files_n);
    if (view_eq(key, VIEW("config")))
        return add_text(value, e->config, &e->config_n);
    if (view_eq(key, VIEW("pid_syslog")))
        return add_pid(value, e->pids.syslog, &e->pids.syslog_n);
    if (view_eq(key, VIEW("pid_database")))
        return add_pid(value, e->pids.database, &e->pids.database_n);
    if (view_eq(key, VIEW("pid_other")))
        return add_pid(value, e->pids.other, &e->pids.other_n);
    return -ENOENT;
}

int target_env_parse(struct view text, struct target_env *ret, struct err *err)
{
    if (text.n > TARGET_ENV_MAX_BYTES)
        return err_set(err, EINVAL, "bad_driver", "target.env has %zu bytes, at most %d are read",
                       text.n, TARGET_ENV_MAX_BYTES);
    memset(ret, 0, sizeof(*ret));
    for (int line_n = 1; text.n > 0; line_n++) {
        const char *end = memchr(text.p, '\n', text.n);
        struct view line = view_of(text.p, end ? (size_t)(end - text.p) : text.n);
        text = view_of(text.p + line.n, text.n - line.n);
        if (end)
            text = view_of(text.p + 1, text.n - 1);
        if (line.n == 0 || line.p[0] == '#')
            continue;
        const char *equals = memchr(line.p, '=', line.n);
        size_t key_n = equals ? (size_t)(equals - line.p) : line.n;
        int rc = equals ? set(ret, view_of(line.p, key_n), view_of(equals + 1, line.n - key_n - 1))
                        : -EINVAL;
        if (rc < 0)
            return err_set(err, EINVAL, "bad_driver", "line %d of target.env: \"%.*s\": %s", line_n,
                           (int)MIN(line.n, 200), line.p,
                           rc == -ENOENT  ? "no such key"
                           : rc == -E2BIG ? "too many of them"
                                          : "not a value of this key");
    }
    size_t ports = 0;
    for (int i = 0; i < TARGET_TRANSPORTS; i++)
        ports += ret->ports_n[i];
    if (ports == 0 || ret->name[0] == 0)
        return err_set(err, EINVAL, "bad_driver", "target.env has no %s",
                       ports == 0 ? "address (udp=, tcp=, …)" : "name=");
    return 0;
}
