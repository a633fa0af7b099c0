/* TLS contexts for the lanes. */
#include "receiver/credentials.h"

#include "config/log.h"

struct credentials {
    struct shared *s;
    struct identity *identity;
    enum tls_clients clients;
    enum tls_version min_version;
    char names[CONFIG_STRING_MAX]; /* of the box, for a certificate of its own */
    bool is_wanted;                /* there is a TLS listener */
    bool is_made;                  /* the lanes have a context of what is said here */
    char said[512];                /* the last fault, so as not to say it again */
};

int credentials_open(struct shared *s, const struct state *state, struct credentials **ret,
                     struct err *err)
{
    struct credentials *c = xcalloc(1, sizeof(*c));
    c->s = s;
    int rc = identity_open(state, &c->identity, err);
    if (rc < 0) {
        free(c);
        return rc;
    }
    *ret = c;
    return 0;
}

void credentials_close(struct credentials **pc)
{
    if (!*pc)
        return;
    identity_close(&(*pc)->identity);
    free(*pc);
    *pc = NULL;
}

static void make(struct credentials *c)
{
    struct tls_options o = {.clients = c->clients, .min_version = c->min_version};
    struct tls_context *tls = NULL;
    struct err err = {0};
    if (!c->is_wanted)
        return;
    c->is_made = true; /* tried, at least: again when something is new */
    if (identity_load(c->identity, c->names, &o, &err) == 0 &&
        tls_context_new(&o, &tls, &err) == 0) {
        shared_put_tls(c->s, tls);
        c->said[0] = '\0';
        return;
    }
    if (strcmp(c->said, err.message) != 0)
        log_line(LOG_WARNING, "TLS for new connections stays as it was: %s", err.message);
    snprintf(c->said, sizeof(c->said), "%s", err.message);
}

static enum tls_clients clients_of(const char *choice)
{
    return strcmp(choice, "required") == 0   ? TLS_CLIENTS_REQUIRED
           : strcmp(choice, "optional") == 0 ? TLS_CLIENTS_OPTIONAL
                                             : TLS_CLIENTS_NONE;
}

void credentials_apply(struct credentials *c, const struct config *now)
{
    if (!c)
        return;
    enum tls_clients clients = clients_of(now->tls_clients);
    enum tls_version version = strcmp(now->tls_min_version, "1.3") == 0 ? TLS_VERSION_1_3
                                                                        : TLS_VERSION_1_2;
    if (clients != c->clients || version != c->min_version)
        c->is_made = false;
    c->clients = clients;
    identity_set_clients(c->identity, clients);
    c->min_version = version;
    c->is_wanted = now->syslog_tls[0] != '\0';
    snprintf(c->names, sizeof(c->names), "%s", now->web_host_names);
    if (!c->is_made)
        make(c);
}

int credentials_serve(struct credentials *c, PGconn *connection, const struct unit_patience *p,
                      bool has_news, struct err *err)
{
    int rc = identity_serve(c->identity, connection, p, has_news, err);
    if (rc > 0) {
        c->is_made = false;
        make(c);
    }
    return MIN(rc, 0);
}
