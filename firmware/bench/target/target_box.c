/* The running product: where it listens, whether it is this machine, and how it knows a benchmark's
 * messages from all others.
 *
 *   on this machine    the generator sends from 127.66.0.0/16, which nobody else can
 *   on another         the address the box sees is registered for as long as the run takes; a
 *                      probe, a message that is looked up again, confirms it or tells which it is
 */
#include <fcntl.h>
#include <netdb.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/target/target_api.h"

#define API_DEFAULT "http://127.0.0.1:8080"
#define PROBE_US (30 * US_PER_SECOND)
#define PROBE_AGAIN_US (3 * US_PER_SECOND) /* a datagram may be lost */
#define PROBE_PAUSE_MS 250
#define ENROLLED_PAUSE_MS                                                  \
    900 /* the receiver hears of new settings within it, if it is not busy \
         */

static void read_line_of(const char *path, char *ret, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, ret, size - 1);
    if (fd >= 0)
        close(fd);
    ret[n > 0 ? n : 0] = 0;
    ret[strcspn(ret, "\n")] = 0;
}

/* The same boot, and its receiver is a process we see (it may be in a container beside us). */
static bool is_here(const cJSON *box)
{
    char boot[64], path[64], comm[64];
    const cJSON *pids = cJSON_GetObjectItemCaseSensitive(box, "pids");
    read_line_of("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
    if (boot[0] == 0 || strcmp(boot, api_text(box, "boot_id", "")) != 0)
        return false;
    snprintf(path, sizeof(path), "/proc/%lld/comm", (long long)api_int(pids, "receiver", 0));
    read_line_of(path, comm, sizeof(comm));
    return strncmp(comm, "azekura-receiver", 15) == 0; /* the kernel keeps 15 bytes */
}

/* ---- where it listens ---- */

static int add_address(struct target *t, enum target_transport transport, const char *host,
                       const char *port, struct err *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV}, *found;
    int rc = getaddrinfo(host, port, &hints, &found);
    if (rc != 0)
        return err_set(err, EHOSTUNREACH, "bad_address", "\"%.100s\" port %.20s: %s", host, port,
                       gai_strerror(rc));
    size_t *n = &t->facts.ports_n[transport];
    if (*n < TARGET_PORTS_MAX) {
        struct target_port *p = &t->facts.ports[transport][(*n)++];
        memcpy(&p->address, found->ai_addr, found->ai_addrlen);
        p->address_len = found->ai_addrlen;
    }
    freeaddrinfo(found);
    return 0;
}

/* "HOST:PORT", "[V6]:PORT" of --syslog: UDP and TCP. */
static int add_chosen(struct target *t, const char *text, struct err *err)
{
    char host[256];
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    const char *begin = text;
    if (n > 2 && text[0] == '[' && text[n - 1] == ']') {
        begin++;
        n -= 2;
    }
    if (n == 0 || n >= sizeof(host) || !colon[1])
        return err_set_field(err, EINVAL, "bad_value", "syslog",
                             "--syslog \"%.100s\": HOST:PORT is needed", text);
    snprintf(host, sizeof(host), "%.*s", (int)n, begin);
    int rc = add_address(t, TARGET_UDP, host, colon + 1, err);
    return rc < 0 ? rc : add_address(t, TARGET_TCP, host, colon + 1, err);
}

static int add_listeners(struct target *t, const cJSON *box, const char *api_host_name,
                         struct err *err)
{
    static const struct {
        const char *name;
        enum target_transport transport;
    } kinds[] = {{"udp", TARGET_UDP}, {"tcp", TARGET_TCP}, {"tls", TARGET_TLS}};
    const cJSON *listener;
    int64_t buffer = -1;
    cJSON_ArrayForEach(listener, cJSON_GetObjectItemCaseSensitive(box, "listeners"))
    {
        const char *address = api_text(listener, "address", "");
        char port[16];
        bool is_any = !*address || strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
        snprintf(port, sizeof(port), "%d", (int)api_int(listener, "port", 0));
        buffer = MAX(buffer, api_int(listener, "receive_buffer_bytes", -1));
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
            if (strcmp(api_text(listener, "name", ""), kinds[i].name) != 0)
                continue;
            int rc = add_address(
                t, kinds[i].transport,
                is_any ? (t->facts.is_local ? "127.0.0.1" : api_host_name) : address, port, err);
            if (rc < 0)
                return rc;
        }
    }
    t->facts.receive_buffer_bytes = buffer;
    return 0;
}

/* ---- what the box calls us ---- */

static int send_probe(const struct target_facts *f, const char *word, struct err *err)
{
    char text[128];
    const struct target_port *p = &f->ports[f->ports_n[TARGET_UDP] ? TARGET_UDP : TARGET_TCP][0];
    int type = f->ports_n[TARGET_UDP] ? SOCK_DGRAM : SOCK_STREAM;
    int n =
        snprintf(text, sizeof(text), "<46>azekura-bench: probe %s: which address is this?\n", word);
    int fd = socket(p->address.ss_family, type | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = 5};
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    bool is_sent = fd >= 0 &&
                   connect(fd, (const struct sockaddr *)&p->address, p->address_len) == 0 &&
                   send(fd, text, (size_t)n, MSG_NOSIGNAL) == n;
    int error = errno;
    if (fd >= 0)
        close(fd);
    return is_sent ? 0
                   : err_set(err, error, "not_sent", "a message to the box cannot be sent: %s",
                             strerror(error));
}

/* 1 and the sender's address and the box's time of receiving it, 0 not found yet, negative. */
static int find_probe(const struct api *api, const char *word, char source[IP_TEXT_MAX],
                      int64_t *ret_received_us, struct err *err)
{
    char path[128];
    cJSON *page = NULL;
    snprintf(path, sizeof(path), "/logs?query=%s&limit=1", word);
    int rc = api_get(api, path, &page, err);
    if (rc < 0)
        return rc;
    const cJSON *entry = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(page, "entries"), 0);
    struct ip ip;
    rc = 0;
    if (entry && ip_parse(view_str(api_text(entry, "source", "")), &ip) == 0 &&
        rfc3339_parse(view_str(api_text(entry, "received_at", "")), ret_received_us) == 0) {
        ip_format(&ip, source);
        rc = 1;
    }
    cJSON_Delete(page);
    return rc;
}

/* Sends a message and looks it up: the sender as the box saw it, and how far its clock is ahead. */
static int probe(struct target *t, struct target_api_state *s, char source[IP_TEXT_MAX],
                 const volatile sig_atomic_t *stop, struct err *err)
{
    char word[32];
    uint64_t random;
    CHECK(getrandom(&random, sizeof(random), 0) == sizeof(random));
    snprintf(word, sizeof(word), "p%016llx", (unsigned long long)random);
    int64_t begin = clock_mono_us(), sent_mono = INT64_MIN / 2, sent_us = 0, received_us;
    const struct timespec pause = {.tv_nsec = PROBE_PAUSE_MS * 1000000L};
    while (clock_mono_us() - begin < PROBE_US) {
        if (clock_mono_us() - sent_mono > PROBE_AGAIN_US) {
            int rc = send_probe(&t->facts, word, err);
            if (rc < 0)
                return rc;
            sent_us = sent_us ? sent_us : clock_wall_us();
            sent_mono = clock_mono_us();
        }
        nanosleep(&pause, NULL);
        int rc = find_probe(s->api, word, source, &received_us, err);
        if (rc > 0)
            s->clock_ahead_us = received_us - sent_us;
        if (rc != 0)
            return rc < 0 ? rc : 0;
        if (stop && *stop)
            return err_set(err, EINTR, "stopped", "stopped");
    }
    return err_set(
        err, ETIMEDOUT, "not_found",
        "a message sent to the box is not found there after %lld s: is the way to its syslog "
        "port open? (--syslog HOST:PORT)",
        (long long)(PROBE_US / US_PER_SECOND));
}

/* The address we send from on the way to the box's receiver; "" when it is not to be known. */
static void own_address(const struct target_facts *f, char ret[IP_TEXT_MAX])
{
    struct sockaddr_storage own = {.ss_family = AF_UNSPEC};
    socklen_t n = sizeof(own);
    const struct target_port *p = &f->ports[f->ports_n[TARGET_UDP] ? TARGET_UDP : TARGET_TCP][0];
    int fd = socket(p->address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* sends nothing */
    bool is_good = fd >= 0 &&
                   connect(fd, (const struct sockaddr *)&p->address, p->address_len) == 0 &&
                   getsockname(fd, (struct sockaddr *)&own, &n) == 0;
    if (fd >= 0)
        close(fd);
    struct ip ip = ip_from_sockaddr((const struct sockaddr *)&own);
    ip_format(is_good ? &ip : &(struct ip){.family = 0}, ret);
}

static int enroll(struct target_api_state *s, const char *address, struct err *err)
{
    cJSON *body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "address", address);
    int rc = api_post(s->api, "/bench/senders", body, NULL, err);
    cJSON_Delete(body);
    if (rc == 0)
        snprintf(s->registered, sizeof(s->registered), "%s", address);
    return rc;
}

static int read_kept(const struct target_api_state *s, int64_t *ret, struct err *err)
{
    cJSON *kept = NULL;
    int rc = api_get(s->api, "/bench/messages", &kept, err);
    if (rc == 0)
        *ret = api_int(kept, "messages", 0);
    cJSON_Delete(kept);
    return rc;
}

/* Probes until one lies among the benchmark's messages: the receiver hears of a registered address
 * a moment after we do, and of what came before that nothing would be found there. */
static int be_taken(struct target *t, struct target_api_state *s, const volatile sig_atomic_t *stop,
                    struct err *err)
{
    char source[IP_TEXT_MAX] = "";
    int64_t before = 0, after = 0, begin = clock_mono_us();
    const struct timespec pause = {.tv_nsec = ENROLLED_PAUSE_MS * 1000000L};
    while (clock_mono_us() - begin < PROBE_US) {
        if (s->registered[0])
            nanosleep(&pause, NULL);
        int rc = read_kept(s, &before, err);
        if (rc == 0)
            rc = probe(t, s, source, stop, err);
        if (rc == 0)
            rc = read_kept(s, &after, err);
        if (rc < 0)
            return rc;
        bool is_seen = strcmp(source, s->registered) == 0;
        if (is_seen && after > before)
            return 0;
        if (!is_seen) {
            target_api_leave(s);
            rc = enroll(s, source, err);
        }
        if (rc < 0)
            return rc;
    }
    return err_set(err, ETIMEDOUT, "not_known",
                   "the box sees us as %s and does not put what comes from there among the "
                   "benchmark's messages, after %lld s",
                   source, (long long)(PROBE_US / US_PER_SECOND));
}

/* Where the API sees us as we see ourselves, nothing on the way changes addresses: we are known
 * before the probe, which then is the benchmark's as well and in no month.  Otherwise our own
 * address may be a device's on the box's side: only the probe tells. */
static int be_known(struct target *t, struct target_api_state *s, const char *client,
                    const volatile sig_atomic_t *stop, struct err *err)
{
    char own[IP_TEXT_MAX];
    own_address(&t->facts, own);
    int rc = own[0] && strcmp(own, client) == 0 ? enroll(s, own, err) : 0;
    if (rc == 0)
        rc = be_taken(t, s, stop, err);
    if (rc == 0)
        s->since_us = s->from_us = target_api_now_us(s) - 2 * US_PER_SECOND;
    return rc;
}

static void take_facts(struct target *t, const cJSON *box)
{
    struct target_facts *f = &t->facts;
    snprintf(f->product, sizeof(f->product), "Azekura");
    snprintf(f->version, sizeof(f->version), "%s", api_text(box, "version", "unknown"));
    snprintf(f->stores, sizeof(f->stores), "PostgreSQL, on the disk, searchable");
    f->is_box = true;
    f->is_local = is_here(box);
    if (f->is_local)
        snprintf(f->source_network, sizeof(f->source_network), "%s",
                 api_text(box, "source_network", "127.66.0.0/16"));
}

/* Reading back needs more than looking: said before the load is sent, not after an hour of it. */
static int check_role(const struct api *api, struct err *err)
{
    cJSON *session = NULL;
    int rc = api_get(api, "/session", &session, err);
    if (rc < 0)
        return rc;
    const char *role = api_text(session, "role", "");
    if (strcmp(role, "operator") != 0 && strcmp(role, "admin") != 0)
        rc = err_set(
            err, EACCES, "forbidden",
            "the token \"%.64s\" has the role %.16s, and what was stored is read back by an "
            "operator: azekura token create --role operator --name bench",
            api_text(session, "name", ""), role);
    cJSON_Delete(session);
    return rc;
}

int target_box_open(struct target *t, const struct target_options *o,
                    const volatile sig_atomic_t *stop, struct err *err)
{
    struct api *api;
    int rc = api_new(o->api ? o->api : API_DEFAULT, o->token_file, &api, err);
    if (rc < 0)
        return rc;
    struct target_api_state *s = target_api_attach(t, api);
    cJSON *box = NULL;
    char client[IP_TEXT_MAX];
    rc = check_role(api, err);
    if (rc == 0)
        rc = target_api_ask(s, &box, err);
    if (rc < 0)
        return rc;
    take_facts(t, box);
    snprintf(client, sizeof(client), "%s", api_text(box, "client", ""));
    rc = o->syslog ? add_chosen(t, o->syslog, err) : add_listeners(t, box, api_host(api), err);
    cJSON_Delete(box);
    if (rc < 0)
        return rc;
    if (t->facts.ports_n[TARGET_UDP] + t->facts.ports_n[TARGET_TCP] == 0)
        return err_set(err, ENOENT, "not_listening", "the box listens neither by UDP nor by TCP");
    if (!t->facts.is_local)
        rc = be_known(t, s, client, stop, err);
    return rc < 0 ? rc : target_api_begin(t, err);
}
