/* `azekura tls`: the certificate of the listener for TLS, and whose certificates are believed.  The
 * receiver has the keys: it is asked, and this waits for its answer. */
#include "store/tls_admin.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/retention.h"
#include "cli/table.h"
#include "cli/text.h"
#include "store/tls_check.h"

#define ANSWER_TRIES 150
#define ANSWER_PAUSE_MS 200 /* half a minute in all */
#define PASSWORD_FILE_MAX_BYTES 1024

static const struct table_column certificate_columns[] = {
    {"subject", "CERTIFICATE", TABLE_TEXT}, {"issuer", "ISSUER", TABLE_TEXT},
    {"names", "NAMES", TABLE_LIST},         {"key", "KEY", TABLE_TEXT},
    {"not_after", "EXPIRES", TABLE_TIME},   {"days_left", "DAYS", TABLE_NUMBER},
    {"fingerprint", "SHA-256", TABLE_TEXT},
};
static const struct table_column csr_columns[] = {
    {"subject", "SUBJECT", TABLE_TEXT},
    {"names", "NAMES", TABLE_LIST},
    {"key", "KEY", TABLE_TEXT},
    {"made_at", "MADE", TABLE_TIME},
};
static const struct table_column ca_columns[] = {
    {"subject", "AUTHORITY", TABLE_TEXT},
    {"not_after", "EXPIRES", TABLE_TIME},
    {"days_left", "DAYS", TABLE_NUMBER},
    {"fingerprint", "SHA-256", TABLE_TEXT},
};
static const struct table_column allowed_columns[] = {
    {"kind", "KIND", TABLE_TEXT},
    {"value", "VALUE", TABLE_TEXT},
    {"note", "NOTE", TABLE_TEXT},
};
static const struct table_column sender_columns[] = {
    {"source", "SOURCE", TABLE_TEXT},     {"name", "NAME", TABLE_TEXT},
    {"not_after", "EXPIRES", TABLE_TIME}, {"connections", "CONNECTIONS", TABLE_NUMBER},
    {"last_at", "LAST", TABLE_TIME},
};

/* ---- show ---- */

static int print_tls(struct cli *cli, struct err *err)
{
    int rc = table_report(cli, NULL, REPORT_TLS_CERTIFICATE, NULL, certificate_columns,
                          ARRAY_LEN(certificate_columns), err);
    if (rc == 0)
        puts("the receiver has no certificate yet: it makes one when listen.tls is set");
    if (rc >= 0)
        rc = table_report(cli, "A request for a certificate waits for its answer:", REPORT_TLS_CSR,
                          NULL, csr_columns, ARRAY_LEN(csr_columns), err);
    if (rc >= 0)
        rc = table_report(cli, "Authorities of senders:", REPORT_TLS_CLIENT_CAS, NULL, ca_columns,
                          ARRAY_LEN(ca_columns), err);
    if (rc >= 0)
        rc = table_report(cli, "Only these may send:", REPORT_TLS_ALLOWED, NULL, allowed_columns,
                          ARRAY_LEN(allowed_columns), err);
    if (rc >= 0)
        rc = table_report(cli, "Senders that showed a certificate:", REPORT_TLS_SENDERS, NULL,
                          sender_columns, ARRAY_LEN(sender_columns), err);
    return rc;
}

static int print_tls_json(struct cli *cli, struct err *err)
{
    static const struct {
        const char *key;
        enum report what;
    } members[] = {
        {"certificate", REPORT_TLS_CERTIFICATE}, {"pending_csr", REPORT_TLS_CSR},
        {"client_cas", REPORT_TLS_CLIENT_CAS},   {"allowed", REPORT_TLS_ALLOWED},
        {"senders", REPORT_TLS_SENDERS},
    };
    int rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(members) && rc >= 0; i++) {
        putchar(i == 0 ? '{' : ',');
        rc = table_json(cli, members[i].key, members[i].what, NULL, err);
    }
    puts("}");
    return rc;
}

/* ---- asking ---- */

/* What the receiver made of request `id`.  0 and the answer's text, to be freed (NULL: none), or
 * negative and *err. */
static int wait_for_answer(struct cli *cli, int64_t id, char **ret_answer, struct err *err)
{
    struct number_text number = number_text(id);
    for (int i = 0; i < ANSWER_TRIES; i++) {
        PGresult *r = NULL;
        int rc =
            report_rows(cli->db, REPORT_TLS_REQUEST, (const char *const[]){number.text}, &r, err);
        if (rc < 0)
            return rc;
        const char *state = PQntuples(r) > 0 ? PQgetvalue(r, 0, PQfnumber(r, "state")) : "";
        int answer = PQfnumber(r, "answer");
        bool is_done = strcmp(state, "done") == 0, is_refused = strcmp(state, "refused") == 0;
        if (is_done)
            *ret_answer = PQgetisnull(r, 0, answer) ? NULL : xstrdup(PQgetvalue(r, 0, answer));
        else if (is_refused)
            rc = err_set(err, ENOENT, "refused", "%s", PQgetvalue(r, 0, PQfnumber(r, "error")));
        PQclear(r);
        if (is_done || is_refused)
            return rc;
        nanosleep(&(struct timespec){.tv_nsec = ANSWER_PAUSE_MS * 1000000L}, NULL);
    }
    return err_set(err, ENOENT, "no_answer",
                   "the receiver has not answered request %lld within %d s: see that it runs; it "
                   "is refused after five minutes",
                   (long long)id, ANSWER_TRIES * ANSWER_PAUSE_MS / 1000);
}

/* Wait, then print `done`, or the pending request where that was asked for. */
static int finish(struct cli *cli, int rc, int64_t id, const char *done, struct err *err)
{
    char *answer = NULL;
    PGresult *csr = NULL;
    if (rc == 0)
        rc = wait_for_answer(cli, id, &answer, err);
    free(answer);
    if (rc == 0 && !done)
        rc = report_rows(cli->db, REPORT_TLS_CSR, NULL, &csr, err);
    if (rc == 0 && !done && PQntuples(csr) == 0)
        rc = err_set(err, ENOENT, "not_found", "the request for a certificate is gone again");
    if (rc == 0)
        fputs(done ? done : PQgetvalue(csr, 0, PQfnumber(csr, "pem")), stdout);
    PQclear(csr);
    return rc < 0 ? cli_fail(rc, err) : CLI_OK;
}

static int ask_subject(struct cli *cli, int argc, char **argv, bool is_csr)
{
    struct err err;
    const char *name = NULL, *organization = NULL, *country = NULL, *key = NULL, *names = NULL;
    const struct option_spec specs[] = {
        {"name", &name, NULL},       {"names", &names, NULL}, {"organization", &organization, NULL},
        {"country", &country, NULL}, {"key", &key, NULL},
    };
    struct view list[TLS_NAMES_MAX + 1];
    size_t n = 0;
    int64_t id = 0;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("tls %s: unexpected argument \"%s\"", argv[0], argv[1]);
    if (!name)
        return cli_usage("tls %s: --name is missing, the name by which senders call this box",
                         argv[0]);
    for (const char *at = names; at && *at && n < ARRAY_LEN(list);) {
        size_t length = strcspn(at, ",");
        list[n++] = view_trim(view_of(at, length));
        at += length + (at[length] == ',');
    }
    struct tls_subject s = {.common_name = view_str(name),
                            .names = list,
                            .names_n = n,
                            .organization = view_str(organization),
                            .country = view_str(country),
                            .key = view_str(key)};
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = is_csr ? tls_ask_csr(cli->db, cli_actor(), &s, &id, &err)
                    : tls_ask_self_signed(cli->db, cli_actor(), &s, &id, &err);
    return finish(cli, rc, id, is_csr ? NULL : "the receiver has a new certificate of its own\n",
                  &err);
}

/* A whole small file.  0, or -EINVAL and *err. */
static int read_file(const char *path, size_t max, struct buf *ret, struct err *err)
{
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, EINVAL, "bad_file", "%s: %s", path, strerror(errno));
    *ret = BUF_INIT(max + 1);
    ssize_t n = 0;
    if (buf_reserve(ret, max + 1) == 0) /* at once: it may be a key, and is wiped at the end */
        while ((n = read(fd, ret->p + ret->n, max + 1 - ret->n)) > 0)
            ret->n += (size_t)n;
    int error = errno;
    close(fd);
    if (n < 0)
        return err_set(err, EINVAL, "bad_file", "%s: %s", path, strerror(error));
    if (ret->n > max)
        return err_set(err, EINVAL, "too_large", "%s: it is larger than %zu bytes", path, max);
    return 0;
}

static void wipe(struct buf *b)
{
    if (b->p)
        explicit_bzero(b->p, b->cap);
    buf_free(b);
}

static void add_base64(struct buf *out, struct view v)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < v.n; i += 3) {
        size_t n = MIN(v.n - i, (size_t)3);
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? (unsigned char)v.p[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            buf_add_char(out, k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
}

/* The files of an upload, read; wiped by the caller. */
struct files {
    struct buf certificate, key, password, pkcs12;
};

static int read_upload(const char *certificate, const char *key, const char *password,
                       struct files *f, struct tls_upload *u, struct err *err)
{
    int rc = read_file(certificate, TLS_PEM_MAX_BYTES, &f->certificate, err);
    if (rc == 0 && key)
        rc = read_file(key, TLS_PEM_MAX_BYTES, &f->key, err);
    if (rc == 0 && password)
        rc = read_file(password, PASSWORD_FILE_MAX_BYTES, &f->password, err);
    if (rc < 0)
        return rc;
    struct view text = buf_view(&f->certificate);
    if (memmem(text.p, text.n, "-----BEGIN", 10)) {
        u->pem = text;
    } else {
        f->pkcs12 = BUF_INIT(TLS_PEM_MAX_BYTES * 2);
        (void)buf_reserve(&f->pkcs12, TLS_PEM_MAX_BYTES * 2);
        add_base64(&f->pkcs12, text);
        u->pkcs12_base64 = buf_view(&f->pkcs12);
    }
    u->key_pem = key ? buf_view(&f->key) : VIEW_NULL;
    if (password) {
        const char *end = f->password.p ? memchr(f->password.p, '\n', f->password.n) : NULL;
        u->password = view_of(f->password.p ? f->password.p : "",
                              end ? (size_t)(end - f->password.p) : f->password.n);
    }
    return 0;
}

static int install(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *key = NULL, *password = NULL;
    const struct option_spec specs[] = {{"key", &key, NULL}, {"password-file", &password, NULL}};
    struct files f = {0};
    struct tls_upload u = {0};
    int64_t id = 0;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage("tls install: name one file, with the certificate and its chain (PEM) or "
                         "PKCS#12");
    rc = read_upload(argv[1], key, password, &f, &u, &err);
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = tls_ask_install(cli->db, cli_actor(), &u, &id, &err);
    wipe(&f.certificate);
    wipe(&f.key);
    wipe(&f.password);
    wipe(&f.pkcs12);
    return finish(cli, rc, id, "the certificate is in use\n", &err);
}

static int authority(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct buf pem = BUF_INIT(0);
    int64_t id = 0;
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    bool is_add = rc == 2 && strcmp(argv[1], "add") == 0;
    if (!is_add && !(rc == 2 && strcmp(argv[1], "remove") == 0))
        return cli_usage("tls ca: write tls ca add FILE or tls ca remove FINGERPRINT");
    rc = is_add ? read_file(argv[2], TLS_PEM_MAX_BYTES, &pem, &err) : 0;
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = is_add ? tls_ask_client_ca(cli->db, cli_actor(), buf_view(&pem), &id, &err)
                    : tls_ask_client_ca_removal(cli->db, cli_actor(), view_str(argv[2]), &id, &err);
    wipe(&pem);
    return finish(cli, rc, id, is_add ? "added\n" : "removed\n", &err);
}

static int show(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *format = NULL;
    bool has_json = false, is_json = false;
    const struct option_spec specs[] = {{"format", &format, NULL}, {"json", NULL, &has_json}};
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("tls show: unexpected argument \"%s\"", argv[1]);
    int code = table_format(format, has_json, &is_json);
    if (code != 0)
        return code;
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = is_json ? print_tls_json(cli, &err) : print_tls(cli, &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- who may send ---- */

static int show_allowed(struct cli *cli, int argc, char **argv)
{
    struct err err;
    bool is_json = false;
    int code = table_begin(cli, argc, argv, &is_json);
    if (code != CLI_OK)
        return code;
    int rc;
    if (is_json) {
        rc = table_json(cli, NULL, REPORT_TLS_ALLOWED, NULL, &err);
        putchar('\n');
    } else {
        rc = table_report(cli, NULL, REPORT_TLS_ALLOWED, NULL, allowed_columns,
                          ARRAY_LEN(allowed_columns), &err);
        if (rc == 0)
            puts("whoever an authority of senders vouches for may send");
    }
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* Does it, and where that would shut somebody out asks first.  An enum of exit codes. */
static int put_allowed(struct cli *cli, const struct tls_allowed *a, bool is_added, bool is_yes)
{
    struct err err;
    struct config now;
    int rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_effective_config(cli, &now, &err);
    if (rc >= 0)
        rc = tls_change_allowed(cli->db, cli_actor(), now.tls_clients, a, is_added, false, &err);
    if (rc == -EEXIST && strcmp(err.code, "would_shut_out") == 0) {
        char *visible = rule_cli_visible(err.message);
        puts(visible);
        free(visible);
        if (!rule_cli_ask("Go on?", is_yes)) {
            puts("nothing was changed");
            return CLI_NOTHING;
        }
        rc = tls_change_allowed(cli->db, cli_actor(), now.tls_clients, a, is_added, true, &err);
    }
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

static int change_allowed(struct cli *cli, int argc, char **argv, bool is_added)
{
    struct err err;
    const char *note = NULL;
    bool is_yes = false;
    const struct option_spec specs[] = {{"yes", NULL, &is_yes}, {"note", &note, NULL}};
    char fingerprint[TLS_FINGERPRINT_TEXT_MAX];
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs) - !is_added, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc != 1)
        return cli_usage(
            "tls allow %s: write one name of a certificate, or its SHA-256 fingerprint", argv[0]);
    struct tls_allowed a = {.value = view_str(argv[1]), .note = view_str(note)};
    a.is_fingerprint = tls_fingerprint(a.value, fingerprint) == 0; /* no name is so long */
    return put_allowed(cli, &a, is_added, is_yes);
}

static int allow(struct cli *cli, int argc, char **argv)
{
    const char *how = argc > 1 && strncmp(argv[1], "--", 2) != 0 ? argv[1] : "";
    bool is_list = strcmp(how, "list") == 0, is_add = strcmp(how, "add") == 0;
    if (!*how || is_list)
        return show_allowed(cli, argc - is_list, argv + is_list);
    if (!is_add && strcmp(how, "remove") != 0)
        return cli_usage("tls allow: there is no \"%s\", only list, add and remove", how);
    return change_allowed(cli, argc - 1, argv + 1, is_add);
}

int cli_tls(struct cli *cli, int argc, char **argv)
{
    if (argc == 1 || strncmp(argv[1], "--", 2) == 0)
        return show(cli, argc, argv);
    const char *what = argv[1];
    if (strcmp(what, "show") == 0)
        return show(cli, argc - 1, argv + 1);
    if (strcmp(what, "csr") == 0 || strcmp(what, "self-signed") == 0)
        return ask_subject(cli, argc - 1, argv + 1, strcmp(what, "csr") == 0);
    if (strcmp(what, "install") == 0)
        return install(cli, argc - 1, argv + 1);
    if (strcmp(what, "ca") == 0)
        return authority(cli, argc - 1, argv + 1);
    if (strcmp(what, "allow") == 0)
        return allow(cli, argc - 1, argv + 1);
    return cli_usage("tls: there is no \"%s\", only show, csr, self-signed, install, ca, allow",
                     what);
}
