/* The TLS identity: the first certificate, requests and uploads, files that others change, and a
 * start after each of it.  What the database says of it is in the scenarios tls_identity_*. */
#include <criterion/criterion.h>

#include <sys/stat.h>
#include <unistd.h>

#include "receiver/identity_inside.h"

static char folder[] = "/tmp/azk-identity-XXXXXX";
static struct state state;
static struct identity *identity;
static struct unit_patience patience = {US_PER_SECOND, NULL};

static void open_identity(void)
{
    struct err err = {0};
    cr_assert_eq(identity_open(&state, &identity, &err), 0, "%s", err.message);
}

static void begin(void)
{
    struct err err = {0};
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(state_open(&state, folder, &err), 0, "%s", err.message);
    open_identity();
}

static void end(void)
{
    char command[96];
    identity_close(&identity);
    state_close(&state);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(identity, .init = begin, .fini = end);

static struct tls_options load(void)
{
    struct tls_options o = {.clients = TLS_CLIENTS_NONE};
    struct tls_context *c = NULL;
    struct err err = {0};
    cr_assert_eq(identity_load(identity, "log.example.net, 192.0.2.7 not/a/name", &o, &err), 0,
                 "%s", err.message);
    cr_assert_eq(tls_context_new(&o, &c, &err), 0, "%s", err.message);
    tls_context_drop(&c);
    return o;
}

static int serve(bool has_news)
{
    identity->look_mono_us = 0; /* it is time to look */
    return identity_serve(identity, NULL, &patience, has_news, NULL);
}

static mode_t mode_of(const char *name)
{
    char path[STATE_PATH_MAX];
    struct stat st = {0};
    identity_path(&identity->folder, name, path);
    cr_assert_eq(stat(path, &st), 0, "%s", path);
    return st.st_mode & 07777;
}

static bool exists(const char *name)
{
    return identity_mark_of(&identity->folder, name).inode != 0;
}

static void put(const char *name, struct view text)
{
    struct err err = {0};
    cr_assert_eq(identity_write(&identity->folder, name, text, &err), 0, "%s", err.message);
    /* as if it had been written some time ago */
    identity->bad = (struct identity_mark){0};
}

static const char *fingerprint(void)
{
    static char text[65];
    snprintf(text, sizeof(text), "%s", identity->facts.fingerprint);
    return text;
}

static int handle(struct tls_request r, struct buf *answer, struct err *err)
{
    if (!r.common_name)
        r.common_name = "";
    const char **texts[] = {&r.organization, &r.country, &r.key, &r.names, &r.pem, &r.fingerprint};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (!*texts[i])
            *texts[i] = "";
    buf_clear(answer);
    return identity_handle(identity, &r, answer, err);
}

/* A certificate for the key of the pending request, appended as PEM. */
static void sign_pending(struct buf *out, int days)
{
    struct buf file = BUF_INIT(IDENTITY_FILE_MAX_BYTES);
    struct certificate_bundle b = {0};
    struct certificate_subject s = {.common_name = "log", .organization = "", .country = ""};
    cr_assert_eq(identity_read(&identity->folder, identity_pending_file, &file, NULL), 0);
    cr_assert_eq(certificate_bundle_pem(buf_view(&file), NULL, &b, NULL), 0);
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    cr_assert_eq(certificate_self_signed(&s, b.key, clock_wall_us(), days, &pem, NULL), 0);
    cr_assert_eq(buf_add_view(out, buf_view(&pem)), 0);
    certificate_bundle_free(&b);
    identity_wipe(&file);
    buf_free(&pem);
}

Test(identity, the_first_listener_gets_a_certificate_of_its_own_and_a_restart_the_same)
{
    cr_expect(!exists(identity_file));
    cr_expect_eq(serve(true), 0, "nobody listens: nothing is made");
    cr_expect(!exists(identity_file));
    struct tls_options o = load();
    cr_expect_str_eq(o.certificate, o.key);
    cr_expect_null(o.client_cas);
    cr_expect_eq(mode_of("."), 0700);
    cr_expect_eq(mode_of(identity_file), 0600);
    cr_expect_eq(mode_of(identity_good_file), 0600);
    cr_expect_not_null(strstr(buf_str(&identity->facts.names), "log.example.net\n192.0.2.7\n"));
    char first[65];
    snprintf(first, sizeof(first), "%s", fingerprint());
    cr_expect_eq(serve(false), 0, "nothing has changed since");
    identity_close(&identity);
    open_identity();
    (void)load();
    cr_expect_str_eq(fingerprint(), first);
}

Test(identity, a_certificate_for_the_pending_request_is_installed_and_the_request_is_over)
{
    struct buf answer = BUF_INIT(TLS_PEM_MAX_BYTES), pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct err err = {0};
    (void)load();
    struct tls_request csr = {.kind = TLS_REQUEST_CSR,
                              .common_name = "log.example.net",
                              .names = "log.example.net\nlog2.example.net",
                              .key = "ec-p256"};
    cr_assert_eq(handle(csr, &answer, &err), 0, "%s", err.message);
    cr_expect_not_null(strstr(buf_str(&answer), "BEGIN CERTIFICATE REQUEST"));
    cr_expect_null(strstr(buf_str(&answer), "PRIVATE"), "the key stays here");
    cr_expect_eq(mode_of(identity_pending_file), 0600);
    cr_expect_eq(serve(false), 0, "the present certificate stays in use");

    sign_pending(&pem, 90);
    struct tls_request up = {.kind = TLS_REQUEST_INSTALL, .pem = buf_str(&pem)};
    cr_assert_eq(handle(up, &answer, &err), 0, "%s", err.message);
    cr_expect_str_eq(buf_str(&answer), fingerprint());
    cr_expect(!exists(identity_pending_file));
    cr_expect_eq(serve(false), 1, "there is something new");
    (void)load();
    cr_expect_eq(serve(false), 0);

    /* renewed for the same key */
    struct certificate_bundle b = {0};
    struct certificate_subject s = {.common_name = "again", .organization = "", .country = ""};
    cr_assert_eq(identity_read_bundle(identity, identity_file, &b, &err), 0);
    buf_clear(&pem);
    cr_assert_eq(certificate_self_signed(&s, b.key, clock_wall_us(), 30, &pem, &err), 0);
    up.pem = buf_str(&pem);
    cr_assert_eq(handle(up, &answer, &err), 0, "%s", err.message);
    cr_expect_str_eq(identity->facts.subject, "CN=again");
    certificate_bundle_free(&b);
    buf_free(&answer);
    buf_free(&pem);
}

Test(identity, what_cannot_be_installed_leaves_everything_as_it_was)
{
    struct buf answer = BUF_INIT(TLS_PEM_MAX_BYTES), pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct certificate_subject s = {.common_name = "other", .organization = "", .country = ""};
    EVP_PKEY *key = NULL;
    (void)load();
    char before[65];
    snprintf(before, sizeof(before), "%s", fingerprint());
    struct identity_mark mark = identity_mark_of(&identity->folder, identity_file);
    cr_assert_eq(certificate_key_new(CERTIFICATE_EC_P256, &key, NULL), 0);
    cr_assert_eq(certificate_self_signed(&s, key, clock_wall_us(), 30, &pem, NULL), 0);
    const struct {
        const char *name;
        struct tls_request r;
        const char *says;
    } cases[] = {
        {"nothing", {.kind = TLS_REQUEST_INSTALL, .pem = ""}, "there is no certificate"},
        {"no key", {.kind = TLS_REQUEST_INSTALL, .pem = buf_str(&pem)}, "send its private key"},
        {"no key in key_pem",
         {.kind = TLS_REQUEST_INSTALL, .pem = buf_str(&pem), .key_pem = "hello"},
         "there is no private key"},
        {"no base64",
         {.kind = TLS_REQUEST_INSTALL, .pkcs12_base64 = "!!", .password = "x"},
         "not base64"},
        {"no PKCS #12",
         {.kind = TLS_REQUEST_INSTALL, .pkcs12_base64 = "aGVsbG8=", .password = "x"},
         "not a PKCS #12 file"},
        {"bad name", {.kind = TLS_REQUEST_CSR, .common_name = "a", .names = "a b"}, "DNS name"},
        {"bad key",
         {.kind = TLS_REQUEST_CSR, .common_name = "a", .key = "dsa-512"},
         "ec-p256 or rsa-3072"},
        {"no authority", {.kind = TLS_REQUEST_CLIENT_CA_ADD, .pem = buf_str(&pem)}, "no authority"},
        {"nothing to remove",
         {.kind = TLS_REQUEST_CLIENT_CA_REMOVE, .fingerprint = "00"},
         "there is no authority"},
        {"of a newer database", {.kind = TLS_REQUEST_UNKNOWN}, "does not know"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = {0};
        cr_expect_lt(handle(cases[i].r, &answer, &err), 0, "%s", cases[i].name);
        cr_expect_not_null(strstr(err.message, cases[i].says), "%s: %s", cases[i].name,
                           err.message);
        struct identity_mark now = identity_mark_of(&identity->folder, identity_file);
        cr_expect(identity_mark_eq(&now, &mark), "%s", cases[i].name);
    }
    cr_expect_str_eq(fingerprint(), before);
    cr_expect_eq(serve(false), 0);
    EVP_PKEY_free(key);
    buf_free(&answer);
    buf_free(&pem);
}

Test(identity, a_file_that_was_replaced_is_used_and_garbage_is_not)
{
    struct buf good = BUF_INIT(TLS_PEM_MAX_BYTES), answer = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct err err = {0};
    (void)load();
    struct tls_request own = {.kind = TLS_REQUEST_SELF_SIGNED, .common_name = "second"};
    cr_assert_eq(identity_read(&identity->folder, identity_file, &good, &err), 0);
    char first[65], second[65];
    snprintf(first, sizeof(first), "%s", fingerprint());
    cr_assert_eq(handle(own, &answer, &err), 0, "%s", err.message);
    snprintf(second, sizeof(second), "%s", fingerprint());
    (void)load();

    put(identity_file, buf_view(&good));
    cr_expect_eq(serve(false), 1);
    cr_expect_str_eq(fingerprint(), first);
    (void)load();

    static const char *const garbage[] = {
        "", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"};
    for (size_t i = 0; i < ARRAY_LEN(garbage); i++) {
        put(identity_file, view_str(garbage[i]));
        cr_expect_eq(serve(false), 0, "garbage %zu", i);
        cr_expect_str_eq(fingerprint(), first);
        struct tls_options o = load(); /* a context made now is of the last good one */
        cr_expect_not_null(strstr(o.certificate, identity_good_file), "%s", o.certificate);
    }
    /* a start finds the garbage */
    identity_close(&identity);
    open_identity();
    (void)load();
    cr_expect_str_eq(fingerprint(), first);
    /* and what is good again is used again */
    put(identity_file, buf_view(&good));
    (void)serve(false);
    struct tls_options o = load();
    cr_expect_not_null(strstr(o.certificate, identity_file), "%s", o.certificate);
    buf_free(&good);
    buf_free(&answer);
}

Test(identity, without_any_usable_file_the_reason_is_said)
{
    struct tls_options o = {0};
    struct err err = {0};
    put(identity_file, VIEW("garbage"));
    cr_expect_lt(identity_load(identity, "", &o, &err), 0);
    cr_expect_not_null(strstr(err.message, "identity.pem: it holds no private key"), "%s",
                       err.message);
}

Test(identity, authorities_are_added_once_and_removed_by_their_fingerprint)
{
    struct buf answer = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct err err = {0};
    char path[STATE_PATH_MAX], command[1200];
    (void)load();
    identity_path(&identity->folder, "ca.pem", path);
    snprintf(command, sizeof(command),
             "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 "
             "-subj /CN=Authority -keyout /dev/null -out %s 2>/dev/null",
             path);
    cr_assert_eq(system(command), 0);
    struct buf pem = BUF_INIT(TLS_PEM_MAX_BYTES);
    cr_assert_eq(identity_read(&identity->folder, "ca.pem", &pem, &err), 0);
    struct tls_request add = {.kind = TLS_REQUEST_CLIENT_CA_ADD, .pem = buf_str(&pem)};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(handle(add, &answer, &err), 0, "%s", err.message);
        cr_expect_eq(answer.n, 64);
        cr_expect_eq(serve(false), 1);
        cr_expect_not_null(load().client_cas);
    }
    char ca[65];
    snprintf(ca, sizeof(ca), "%s", buf_str(&answer));
    struct tls_request gone = {.kind = TLS_REQUEST_CLIENT_CA_REMOVE, .fingerprint = ca};
    identity_set_clients(identity, TLS_CLIENTS_REQUIRED);
    cr_expect_eq(handle(gone, &answer, &err), -EINVAL, "senders are checked by it alone");
    cr_expect_not_null(strstr(err.message, "receiver.tls_clients is required"), "%s", err.message);
    cr_expect(exists(identity_cas_file));
    identity_set_clients(identity, TLS_CLIENTS_NONE);
    cr_assert_eq(handle(gone, &answer, &err), 0, "%s", err.message);
    cr_expect(!exists(identity_cas_file), "it was there once");
    cr_expect_eq(serve(false), 1);
    cr_expect_null(load().client_cas);
    buf_free(&answer);
    buf_free(&pem);
}

#define F "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

Test(identity, the_list_of_senders_is_read_at_the_start)
{
    put(identity_allowed_file, VIEW("name b.example\nfingerprint " F "\nname a.example\n"
                                    "nonsense\nfingerprint 00FF\n"));
    identity_close(&identity);
    open_identity();
    struct tls_options o = load();
    cr_assert_eq(o.allowed_names_n, 2);
    cr_expect_str_eq(o.allowed_names[0], "a.example");
    cr_expect_str_eq(o.allowed_names[1], "b.example");
    cr_assert_eq(o.allowed_fingerprints_n, 1);
    cr_expect_str_eq(o.allowed_fingerprints[0], F);
}

Test(identity, each_warning_of_the_end_is_given_once_also_over_a_restart)
{
    (void)load();
    static const struct {
        double days_left;
        int due;
    } cases[] = {{31, -1}, {30, 30}, {20, -1},  {14, 14}, {13, -1}, {3, 7},
                 {2, -1},  {1, 1},   {0.5, -1}, {0, 0},   {-1, -1}, {-40, -1}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t now = identity->facts.not_after_us - (int64_t)(cases[i].days_left * 86400e6);
        cr_expect_eq(identity_due_warning(identity, now), cases[i].due, "%g days left",
                     cases[i].days_left);
        if (cases[i].due < 0)
            continue;
        identity_warned(identity, cases[i].due);
        identity_close(&identity);
        open_identity();
        (void)load();
        cr_expect_eq(identity_due_warning(identity, now), -1, "%g days left, a restart later",
                     cases[i].days_left);
    }
    /* of another certificate nothing has been said */
    struct buf answer = BUF_INIT(TLS_PEM_MAX_BYTES);
    struct tls_request own = {.kind = TLS_REQUEST_SELF_SIGNED, .common_name = "second"};
    cr_assert_eq(handle(own, &answer, NULL), 0);
    cr_expect_eq(identity_due_warning(identity, identity->facts.not_after_us), 0);
    buf_free(&answer);
}
