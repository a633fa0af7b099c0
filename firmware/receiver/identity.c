/* The box's identity towards senders by TLS: which certificate is in use, what people ask for, what
 * others have changed in the folder, and the warnings before it ends.
 *
 * Crash story.  identity.pem is written beside, tried out as net/tls would use it, and renamed;
 * then last_good.pem is written the same way.  Killed before the rename nothing has happened, after
 * it the new one is in use; last_good.pem may be the one before, which only serves if identity.pem
 * is damaged later.  A request that was done and not answered is done again: making a key, a
 * certificate or a list anew is harmless. */
#include "receiver/identity.h"

#include <ctype.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/log.h"
#include "receiver/identity_inside.h"
#include "store/event.h"

const char identity_file[] = "identity.pem", identity_good_file[] = "last_good.pem",
           identity_pending_file[] = "pending.pem", identity_cas_file[] = "client_cas.pem",
           identity_allowed_file[] = "allowed", identity_warned_file[] = "warned";

enum {
    REQUESTS_A_TURN = 16,
    ALLOWED_MAX_BYTES = TLS_ALLOWED_MAX * (TLS_NAME_MAX_BYTES + 16),
    HOST_NAME_MAX_BYTES = 256,
    FINGERPRINT_DIGITS = 64,
    /* a file that is being written is looked at again before anybody is told */
    SETTLED_SECONDS = 1,
};

/* ---- what is in use ---- */

static int64_t wall_ns(void)
{
    return clock_wall_us() * 1000;
}

int identity_read_bundle(const struct identity *i, const char *name, struct certificate_bundle *ret,
                         struct err *err)
{
    struct buf text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    int rc = identity_read(&i->folder, name, &text, err);
    if (rc == 0)
        rc = certificate_bundle_pem(buf_view(&text), NULL, ret, err);
    identity_wipe(&text);
    return rc;
}

/* Whether net/tls could use a file of the folder, with its key. */
static int try_file(const struct identity *i, const char *name, struct err *err)
{
    char path[STATE_PATH_MAX];
    struct tls_context *c = NULL;
    identity_path(&i->folder, name, path);
    struct tls_options o = {
        .certificate = path,
        .key = path,
        .clients = TLS_CLIENTS_NONE,
        .min_version = TLS_VERSION_1_2,
    };
    int rc = tls_context_new(&o, &c, err);
    if (rc == 0)
        tls_context_drop(&c);
    return rc;
}

static void take_facts(struct identity *i, struct certificate_facts *f)
{
    if (!i->has_facts || strcmp(i->facts.fingerprint, f->fingerprint) != 0) {
        i->warned_days = INT_MAX;
        i->is_report_due = true;
    }
    if (i->has_facts)
        certificate_facts_free(&i->facts);
    i->facts = *f;
    i->has_facts = true;
}

/* Use a file of the folder from now on, if its certificate and key can be.  Its dates may be what
 * they are: an expired certificate serves senders that do not check it. */
static int use_file(struct identity *i, const char *name, struct err *err)
{
    struct certificate_bundle b = {0};
    struct certificate_facts f;
    int rc = identity_read_bundle(i, name, &b, err);
    if (rc == 0 && (!b.key || sk_X509_num(b.chain) <= 0))
        rc = err_set(err, EINVAL, "bad_certificate", "it holds no %s",
                     b.key ? "certificate" : "private key");
    if (rc == 0 && X509_check_private_key(sk_X509_value(b.chain, 0), b.key) != 1)
        rc = err_set(err, EINVAL, "bad_certificate",
                     "its private key does not belong to its first certificate");
    if (rc == 0)
        rc = try_file(i, name, err);
    if (rc == 0)
        rc = certificate_facts(sk_X509_value(b.chain, 0), &f, err);
    if (rc == 0) {
        take_facts(i, &f);
        identity_path(&i->folder, name, i->in_use);
    }
    (void)certificate_openssl_reason();
    certificate_bundle_free(&b);
    return rc;
}

static void keep_good(struct identity *i)
{
    struct buf text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    struct err err = {0};
    int rc = identity_read(&i->folder, identity_file, &text, &err);
    if (rc == 0)
        rc = identity_write(&i->folder, identity_good_file, buf_view(&text), &err);
    if (rc < 0)
        log_line(LOG_WARNING, "no copy of the TLS certificate is kept: %s", err.message);
    identity_wipe(&text);
}

int identity_install(struct identity *i, struct certificate_bundle *b, struct err *err)
{
    static const char new_file[] = "identity.pem.new";
    struct buf text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    CHECK(buf_reserve(&text, IDENTITY_FILE_MAX_BYTES) == 0);
    int rc = certificate_bundle_check(b, clock_wall_us(), err);
    if (rc == 0)
        rc = certificate_bundle_write(b, &text, err);
    if (rc == 0)
        rc = identity_write_new(&i->folder, identity_file, buf_view(&text), err);
    identity_wipe(&text);
    if (rc < 0)
        return rc;
    rc = try_file(i, new_file, err);
    if (rc == 0)
        rc = identity_take_new(&i->folder, identity_file, err);
    if (rc < 0) {
        identity_remove(&i->folder, new_file);
        return rc;
    }
    rc = use_file(i, identity_file, err);
    if (rc < 0)
        return rc;
    i->seen = identity_mark_of(&i->folder, identity_file);
    i->is_changed = true;
    keep_good(i);
    return 0;
}

/* ---- the first certificate ---- */

/* The names of the list that may stand in a certificate. */
static void add_wanted_names(char *list, struct certificate_subject *s)
{
    char *save = NULL;
    for (char *p = strtok_r(list, ", ", &save); p; p = strtok_r(NULL, ", ", &save))
        if (s->names_n < TLS_NAMES_MAX && certificate_is_name(p))
            s->names[s->names_n++] = p;
}

static int make_first(struct identity *i, const char *names, struct err *err)
{
    char host[HOST_NAME_MAX_BYTES] = "";
    char *list = xstrdup(names);
    struct certificate_bundle b = {0};
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    if (gethostname(host, sizeof(host) - 1) < 0 || strlen(host) > 64 || !certificate_is_name(host))
        snprintf(host, sizeof(host), "azekura");
    struct certificate_subject s = {.common_name = host, .organization = "", .country = ""};
    add_wanted_names(list, &s);
    int rc = certificate_key_new(CERTIFICATE_EC_P256, &b.key, err);
    if (rc == 0)
        rc = certificate_self_signed(&s, b.key, clock_wall_us(), IDENTITY_SELF_SIGNED_DAYS, &pem,
                                     err);
    if (rc == 0) {
        b.chain = sk_X509_new_null();
        CHECK(b.chain);
        rc = MIN(certificate_parse_all(buf_view(&pem), 1, b.chain, err), 0);
    }
    if (rc == 0)
        rc = identity_install(i, &b, err);
    if (rc == 0)
        log_line(LOG_INFO,
                 "there was no TLS certificate: one signed by itself was made for %s (SHA-256 %s)",
                 i->facts.subject, i->facts.fingerprint);
    certificate_bundle_free(&b);
    buf_free(&pem);
    free(list);
    return rc;
}

/* ---- who is let in ---- */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Cut the text of the file into two sorted lists. */
static void cut_allowed(struct identity *i)
{
    char *text = xstrdup(buf_str(&i->allowed)), *save = NULL;
    free(i->names);
    free(i->fingerprints);
    i->names = xcalloc(TLS_ALLOWED_MAX, sizeof(*i->names));
    i->fingerprints = xcalloc(TLS_ALLOWED_MAX, sizeof(*i->fingerprints));
    i->names_n = i->fingerprints_n = 0;
    buf_clear(&i->allowed);
    CHECK(buf_add(&i->allowed, text, strlen(text) + 1) == 0);
    free(text);
    for (char *p = strtok_r(i->allowed.p, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
        char *value = strchr(p, ' ');
        bool is_name = value && strncmp(p, "name ", 5) == 0;
        bool is_fingerprint = value && strncmp(p, "fingerprint ", 12) == 0 &&
                              strlen(value + 1) == FINGERPRINT_DIGITS &&
                              strspn(value + 1, "0123456789abcdef") == FINGERPRINT_DIGITS;
        if (is_name && i->names_n < TLS_ALLOWED_MAX)
            i->names[i->names_n++] = value + 1;
        else if (is_fingerprint && i->fingerprints_n < TLS_ALLOWED_MAX)
            i->fingerprints[i->fingerprints_n++] = value + 1;
    }
    qsort(i->names, i->names_n, sizeof(*i->names), compare_lines);
    qsort(i->fingerprints, i->fingerprints_n, sizeof(*i->fingerprints), compare_lines);
}

static int load_allowed(struct identity *i, struct err *err)
{
    buf_clear(&i->allowed);
    int rc = identity_read(&i->folder, identity_allowed_file, &i->allowed, err);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    cut_allowed(i);
    return 0;
}

static void add_allowed(void *context, const char *kind, const char *value)
{
    struct buf *text = context;
    if (strpbrk(value, "\r\n") || (strcmp(kind, "name") != 0 && strcmp(kind, "fingerprint") != 0))
        log_line(LOG_WARNING, "a sender in the database's list of certificates is left out");
    else
        (void)buf_printf(text, "%s %s\n", kind, value);
}

/* The database's list, kept for a start without it. */
static int read_allowed(struct identity *i, PGconn *c, const struct unit_patience *p,
                        struct err *err)
{
    struct buf text = BUF_INIT(ALLOWED_MAX_BYTES), kept = BUF_INIT(ALLOWED_MAX_BYTES);
    int rc = tls_read_allowed(c, p, add_allowed, &text, err);
    if (rc >= 0) {
        int read = identity_read(&i->folder, identity_allowed_file, &kept, NULL);
        bool is_same = (read == 0 || read == -ENOENT) && kept.n == text.n &&
                       (text.n == 0 || memcmp(kept.p, text.p, text.n) == 0);
        if (!is_same) {
            struct err why = {0};
            if (identity_write(&i->folder, identity_allowed_file, buf_view(&text), &why) < 0)
                log_line(LOG_WARNING,
                         "the list of senders' certificates is not kept for the next start: %s",
                         why.message);
            buf_clear(&i->allowed);
            CHECK(buf_add_view(&i->allowed, buf_view(&text)) == 0);
            cut_allowed(i);
            i->is_changed = true;
        }
    }
    buf_free(&text);
    buf_free(&kept);
    return MIN(rc, 0);
}

/* ---- life ---- */

/* identity.pem, else the last good one. */
static int use_best(struct identity *i, struct err *err)
{
    struct err why = {0};
    int rc = use_file(i, identity_file, err);
    if (rc == 0) {
        struct identity_mark good = identity_mark_of(&i->folder, identity_good_file);
        if (good.inode == 0)
            keep_good(i);
        return 0;
    }
    if (use_file(i, identity_good_file, &why) < 0) {
        err_prefix(err, "%s/%s: ", i->folder.path, identity_file);
        return rc;
    }
    log_line(LOG_WARNING, "%s/%s cannot be used: %s; using the last good one", i->folder.path,
             identity_file, err ? err->message : "");
    return 0;
}

int identity_open(const struct state *state, struct identity **ret, struct err *err)
{
    static const char suffix[] = "/receiver";
    struct identity *i = xcalloc(1, sizeof(*i));
    size_t n = strlen(state->folder);
    i->allowed = BUF_INIT(ALLOWED_MAX_BYTES + 1);
    i->warned_days = INT_MAX;
    CHECK(n > strlen(suffix) && strcmp(state->folder + n - strlen(suffix), suffix) == 0);
    snprintf(i->receiver, sizeof(i->receiver), "%.*s", (int)(n - strlen(suffix)), state->folder);
    int rc = identity_folder_open(&i->folder, state, err);
    if (rc == 0)
        rc = load_allowed(i, err);
    if (rc < 0) {
        identity_close(&i);
        return rc;
    }
    /* what there is can be shown before anybody listens; what is wrong with it is said then */
    if (identity_mark_of(&i->folder, identity_file).inode != 0)
        (void)!use_file(i, identity_file, NULL);
    *ret = i;
    return 0;
}

void identity_close(struct identity **pi)
{
    struct identity *i = *pi;
    if (!i)
        return;
    if (i->has_facts)
        certificate_facts_free(&i->facts);
    buf_free(&i->allowed);
    free(i->names);
    free(i->fingerprints);
    free(i);
    *pi = NULL;
}

void identity_set_clients(struct identity *i, enum tls_clients clients)
{
    i->clients = clients;
}

int identity_load(struct identity *i, const char *names, struct tls_options *ret, struct err *err)
{
    struct identity_mark now = identity_mark_of(&i->folder, identity_file);
    int rc = 0;
    i->is_changed = false;
    if (now.inode == 0 && identity_mark_of(&i->folder, identity_good_file).inode == 0)
        rc = make_first(i, names, err);
    else if (!i->is_wanted || !i->has_facts)
        rc = use_best(i, err);
    if (rc < 0)
        return rc;
    if (!i->is_wanted) {
        i->seen = identity_mark_of(&i->folder, identity_file);
        i->cas_seen = identity_mark_of(&i->folder, identity_cas_file);
    }
    i->is_wanted = true;
    i->is_changed = false;
    identity_path(&i->folder, identity_cas_file, i->client_cas);
    bool has_cas = identity_mark_of(&i->folder, identity_cas_file).inode != 0;
    ret->certificate = ret->key = i->in_use;
    ret->client_cas = has_cas ? i->client_cas : NULL;
    ret->allowed_names = i->names;
    ret->allowed_names_n = i->names_n;
    ret->allowed_fingerprints = i->fingerprints;
    ret->allowed_fingerprints_n = i->fingerprints_n;
    return 0;
}

/* ---- events ---- */

/* An event that cannot be kept is in the log all the same.  True: it is kept. */
static bool tell(PGconn *c, const struct unit_patience *p, enum event_kind kind,
                 const struct event_params *params)
{
    struct err err = {0};
    if (c)
        store_set_patience(c, p->answer_us / 1000);
    if (c && event_add(c, kind, params, &err) == 0)
        return true;
    log_line(LOG_WARNING, "%s (%s %s): its event is not kept: %s", event_types[kind].name,
             params->text[0], params->text[1], c ? err.message : "the database is away");
    return false;
}

static void tell_installed(const struct identity *i, PGconn *c, const struct unit_patience *p)
{
    char until[RFC3339_MAX];
    (void)rfc3339_format(i->facts.not_after_us, until);
    struct event_params params = {
        {"subject", i->facts.subject, "issuer", i->facts.issuer, "until", until}, 3};
    (void)tell(c, p, EVENT_TLS_INSTALLED, &params);
}

/* ---- the files ---- */

static void say_bad(struct identity *i, PGconn *c, const struct unit_patience *p, const char *name,
                    const struct identity_mark *mark, const struct err *why)
{
    char path[STATE_PATH_MAX];
    if (i->is_bad_said && identity_mark_eq(mark, &i->bad))
        return;
    if (wall_ns() - mark->changed_ns < SETTLED_SECONDS * 1000 * US_PER_SECOND)
        return; /* it may still be being written */
    i->bad = *mark;
    i->is_bad_said = true;
    identity_path(&i->folder, name, path);
    struct event_params params = {
        {"path", path, "why", why->message[0] ? why->message : "it is gone"}, 2};
    (void)tell(c, p, EVENT_TLS_FILE_BAD, &params);
}

/* Somebody else has replaced identity.pem? */
static void look_at_identity(struct identity *i, PGconn *c, const struct unit_patience *p)
{
    struct identity_mark now = identity_mark_of(&i->folder, identity_file);
    struct err err = {0};
    char before[sizeof(i->facts.fingerprint)];
    if (identity_mark_eq(&now, &i->seen))
        return;
    snprintf(before, sizeof(before), "%s", i->has_facts ? i->facts.fingerprint : "");
    if (use_file(i, identity_file, &err) < 0) {
        /* what the lanes have stays in use; a next context is made of the last good one */
        if (use_file(i, identity_good_file, NULL) == 0 && strcmp(before, i->facts.fingerprint) != 0)
            i->is_changed = true;
        say_bad(i, c, p, identity_file, &now, &err);
        return;
    }
    i->seen = now;
    keep_good(i);
    if (strcmp(before, i->facts.fingerprint) == 0)
        return;
    i->is_changed = true;
    tell_installed(i, c, p);
}

static void look_at_cas(struct identity *i, PGconn *c, const struct unit_patience *p)
{
    struct identity_mark now = identity_mark_of(&i->folder, identity_cas_file);
    struct buf text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    STACK_OF(X509) *all = sk_X509_new_null();
    struct err err = {0};
    CHECK(all);
    if (!identity_mark_eq(&now, &i->cas_seen)) {
        int rc = identity_read(&i->folder, identity_cas_file, &text, &err);
        if (rc == 0)
            rc = certificate_parse_all(buf_view(&text), TLS_CLIENT_CAS_MAX, all, &err);
        if (rc >= 0 || rc == -ENOENT) {
            i->cas_seen = now;
            i->is_changed = i->is_report_due = true;
        } else {
            say_bad(i, c, p, identity_cas_file, &now, &err);
        }
    }
    sk_X509_pop_free(all, X509_free);
    buf_free(&text);
}

/* ---- the end of a certificate ---- */

static int load_warned(const struct identity *i)
{
    struct buf text = BUF_INIT(256);
    int days = INT_MAX;
    size_t n = strlen(i->facts.fingerprint);
    if (identity_read(&i->folder, identity_warned_file, &text, NULL) == 0 && text.n > n &&
        memcmp(text.p, i->facts.fingerprint, n) == 0)
        days = (int)strtol(buf_str(&text) + n, NULL, 10);
    buf_free(&text);
    return days;
}

int identity_due_warning(struct identity *i, int64_t now_us)
{
    static const int steps[] = {0, 1, 7, 14, 30};
    int64_t left_us = i->facts.not_after_us - now_us;
    size_t at = 0;
    while (at < ARRAY_LEN(steps) && left_us > steps[at] * US_PER_DAY)
        at++;
    if (at == ARRAY_LEN(steps))
        return -1;
    if (i->warned_days == INT_MAX)
        i->warned_days = load_warned(i);
    return i->warned_days <= steps[at] ? -1 : steps[at];
}

void identity_warned(struct identity *i, int days)
{
    char text[128];
    struct err err = {0};
    i->warned_days = days;
    int n = snprintf(text, sizeof(text), "%s %d\n", i->facts.fingerprint, days);
    if (identity_write(&i->folder, identity_warned_file, view_of(text, (size_t)n), &err) < 0)
        log_line(LOG_WARNING, "%s; a warning of the certificate's end may come again", err.message);
}

static void warn_of_expiry(struct identity *i, PGconn *c, const struct unit_patience *p)
{
    char until[RFC3339_MAX];
    int step = identity_due_warning(i, clock_wall_us());
    if (step < 0)
        return;
    struct number_text days = number_text(step);
    (void)rfc3339_format(i->facts.not_after_us, until);
    struct event_params params = {{"subject", i->facts.subject, "until", until, "days", days.text},
                                  3};
    if (tell(c, p, step == 0 ? EVENT_TLS_EXPIRED : EVENT_TLS_EXPIRES, &params))
        identity_warned(i, step);
}

static void look(struct identity *i, PGconn *c, const struct unit_patience *p)
{
    i->look_mono_us = clock_mono_us() + IDENTITY_LOOK_US;
    if (!i->is_wanted)
        return;
    look_at_identity(i, c, p);
    look_at_cas(i, c, p);
    if (i->has_facts && c)
        warn_of_expiry(i, c, p);
}

/* ---- reports ---- */

/* The certificates of the file in use, without the key. */
static int chain_pem(const struct identity *i, struct buf *out, struct err *err)
{
    struct certificate_bundle b = {0};
    const char *name = strrchr(i->in_use, '/') + 1;
    int rc = identity_read_bundle(i, name, &b, err);
    for (int n = 0; rc == 0 && n < sk_X509_num(b.chain); n++)
        if (certificate_pem(sk_X509_value(b.chain, n), out) < 0)
            rc = err_set(err, ENOSPC, "too_large", "the chain exceeds %zu bytes", out->max);
    certificate_bundle_free(&b);
    return rc;
}

static struct tls_certificate_report report_of(struct certificate_facts *f, struct buf *pem)
{
    return (struct tls_certificate_report){
        .subject = f->subject,
        .names = buf_str(&f->names),
        .issuer = f->issuer,
        .fingerprint = f->fingerprint,
        .key = f->key,
        .pem = buf_str(pem),
        .not_before_us = f->not_before_us,
        .not_after_us = f->not_after_us,
        .is_self_signed = f->is_self_signed,
    };
}

static int report_certificate(struct identity *i, PGconn *c, const struct unit_patience *p,
                              struct err *err)
{
    struct buf pem = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    struct err why = {0};
    int rc;
    if (i->has_facts && chain_pem(i, &pem, &why) == 0) {
        struct tls_certificate_report r = report_of(&i->facts, &pem);
        rc = tls_report_certificate(c, p, i->receiver, &r, err);
    } else {
        rc = tls_report_certificate(c, p, i->receiver, NULL, err);
    }
    buf_free(&pem);
    return rc;
}

static int report_csr(struct identity *i, PGconn *c, const struct unit_patience *p, struct err *err)
{
    struct buf file = BUF_INIT(IDENTITY_FILE_MAX_BYTES), pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct certificate_facts f;
    int rc;
    int64_t made_at_us = identity_mark_of(&i->folder, identity_pending_file).changed_ns / 1000;
    if (identity_read(&i->folder, identity_pending_file, &file, NULL) == 0 &&
        certificate_request_facts(buf_view(&file), &f, &pem, NULL) == 0) {
        struct tls_certificate_report r = report_of(&f, &pem);
        rc = tls_report_csr(c, p, i->receiver, &r, made_at_us, err);
        certificate_facts_free(&f);
    } else {
        rc = tls_report_csr(c, p, i->receiver, NULL, 0, err);
    }
    identity_wipe(&file);
    buf_free(&pem);
    return rc;
}

static int report_cas(struct identity *i, PGconn *c, const struct unit_patience *p, struct err *err)
{
    struct certificate_facts facts[TLS_CLIENT_CAS_MAX];
    struct buf pems[TLS_CLIENT_CAS_MAX], text = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    struct tls_certificate_report reports[TLS_CLIENT_CAS_MAX];
    size_t n = 0;
    STACK_OF(X509) *all = sk_X509_new_null();
    CHECK(all);
    if (identity_read(&i->folder, identity_cas_file, &text, NULL) == 0)
        (void)!certificate_parse_all(buf_view(&text), TLS_CLIENT_CAS_MAX, all, NULL);
    for (int k = 0; k < sk_X509_num(all); k++) {
        pems[n] = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
        if (certificate_facts(sk_X509_value(all, k), &facts[n], NULL) < 0)
            continue;
        CHECK(certificate_pem(sk_X509_value(all, k), &pems[n]) == 0);
        reports[n] = report_of(&facts[n], &pems[n]);
        n++;
    }
    int rc = tls_report_client_cas(c, p, i->receiver, reports, n, err);
    for (size_t k = 0; k < n; k++) {
        certificate_facts_free(&facts[k]);
        buf_free(&pems[k]);
    }
    sk_X509_pop_free(all, X509_free);
    buf_free(&text);
    return rc;
}

static int report(struct identity *i, PGconn *c, const struct unit_patience *p, struct err *err)
{
    int rc = report_certificate(i, c, p, err);
    if (rc == 0)
        rc = report_csr(i, c, p, err);
    if (rc == 0)
        rc = report_cas(i, c, p, err);
    if (rc == 0)
        i->is_report_due = false;
    return rc;
}

/* ---- serving ---- */

static int serve_one(struct identity *i, PGconn *c, const struct unit_patience *p,
                     struct tls_request *r, struct err *err)
{
    struct buf answer = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct err why = {0};
    char before[sizeof(i->facts.fingerprint)];
    snprintf(before, sizeof(before), "%s", i->has_facts ? i->facts.fingerprint : "");
    int done = identity_handle(i, r, &answer, &why);
    if (done < 0)
        log_line(LOG_INFO, "a request for certificates is refused: %s", why.message);
    else if (i->has_facts && strcmp(before, i->facts.fingerprint) != 0)
        tell_installed(i, c, p);
    /* what there is now is to be seen by whoever waits for the answer */
    int rc = done == 0 && i->is_report_due ? report(i, c, p, err) : 0;
    if (rc == 0)
        rc = tls_answer(c, p, r->id, buf_str(&answer), done < 0 ? why.message : NULL, err);
    buf_free(&answer);
    return rc;
}

static int serve_requests(struct identity *i, PGconn *c, const struct unit_patience *p,
                          struct err *err)
{
    int rc = 1;
    for (int n = 0; rc == 1 && n < REQUESTS_A_TURN; n++) {
        struct tls_request r;
        rc = tls_request_next(c, p, &r, err);
        if (rc != 1)
            break;
        int served = serve_one(i, c, p, &r, err);
        tls_request_done(&r);
        if (served < 0)
            rc = served;
    }
    return MIN(rc, 0);
}

int identity_serve(struct identity *i, PGconn *c, const struct unit_patience *p, bool has_news,
                   struct err *err)
{
    int rc = 0;
    bool is_due = clock_mono_us() >= i->look_mono_us;
    if (c && has_news) {
        i->is_report_due = true;
        rc = read_allowed(i, c, p, err);
        if (rc == 0)
            rc = serve_requests(i, c, p, err);
    }
    if (rc == 0 && (has_news || is_due))
        look(i, c, p);
    if (rc == 0 && c && i->is_report_due)
        rc = report(i, c, p, err);
    if (rc < 0)
        return rc;
    return i->is_changed && i->is_wanted;
}
