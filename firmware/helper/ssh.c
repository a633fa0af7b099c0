/* SSH: off until it is switched on, and then by key alone. */
#include <openssl/evp.h>

#include "base/utf8.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"

#define KEYS_FILE "/data/config/authorized_keys"
#define ON_FILE "/data/config/ssh" /* it is there: SSH is on */
#define RUN_KEYS "/run/azekura/ssh/authorized_keys"
#define RUN_ON "/run/azekura/ssh/enabled"
#define DAEMON "/etc/ssh/sshd_config.d/azekura.conf"

static const char daemon_settings[] =
    "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin "
    "prohibit-password\nAuthorizedKeysFile " RUN_KEYS "\nAllowTcpForwarding no\n"
    "AllowAgentForwarding no\nX11Forwarding no\nMaxAuthTries 3\n"
    "HostKey /data/ssh/ssh_host_ed25519_key\n";

/* The key type again, as the first string of the blob (RFC 4253 §6.6). */
static bool blob_is_of(struct view base64, const char *type)
{
    unsigned char *blob = xmalloc(base64.n + 4);
    size_t n = strlen(type);
    int got = base64.n % 4 ? -1
                           : EVP_DecodeBlock(blob, (const unsigned char *)base64.p, (int)base64.n);
    bool is_good = got > (int)(4 + n + 16) && blob[0] == 0 && blob[1] == 0 && blob[2] == 0 &&
                   blob[3] == n && memcmp(blob + 4, type, n) == 0;
    /* of RSA: e, then the modulus with its length in bytes */
    if (is_good && strcmp(type, "ssh-rsa") == 0) {
        size_t at = 4 + n, e_n = (size_t)blob[at + 2] << 8 | blob[at + 3];
        at += 4 + e_n;
        is_good = at + 4 < (size_t)got && ((size_t)blob[at + 2] << 8 | blob[at + 3]) >= 256;
    }
    free(blob);
    return is_good;
}

int ssh_key_check(struct view line, const char **ret_why)
{
    static const char *const types[] = {"ssh-ed25519",
                                        "sk-ssh-ed25519@openssh.com",
                                        "ecdsa-sha2-nistp256",
                                        "ecdsa-sha2-nistp384",
                                        "ecdsa-sha2-nistp521",
                                        "sk-ecdsa-sha2-nistp256@openssh.com",
                                        "ssh-rsa"};
    *ret_why = "is no line of text with at most 4096 bytes";
    if (line.n == 0 || line.n > SSH_KEY_MAX_BYTES || !utf8_is_clean(line))
        return -EINVAL;
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < ' ' || line.p[i] == 0x7f)
            return -EINVAL;
    const char *blank = memchr(line.p, ' ', line.n);
    size_t type_n = blank ? (size_t)(blank - line.p) : line.n;
    *ret_why = "does not begin with a type of key such as ssh-ed25519";
    for (size_t i = 0; i < ARRAY_LEN(types) && blank; i++) {
        if (!view_eq(view_of(line.p, type_n), view_str(types[i])))
            continue;
        struct view rest = view_of(blank + 1, line.n - type_n - 1);
        const char *end = memchr(rest.p, ' ', rest.n);
        *ret_why = "is no whole public key (RSA needs 2048 bits)";
        return blob_is_of(view_of(rest.p, end ? (size_t)(end - rest.p) : rest.n), types[i])
                   ? 0
                   : -EINVAL;
    }
    return -EINVAL;
}

bool ssh_is_on(struct helper *h)
{
    return place_exists(h, ON_FILE);
}

int ssh_apply(struct helper *h, struct err *err)
{
    struct buf keys = BUF_INIT(SSH_KEYS_MAX * (SSH_KEY_MAX_BYTES + 1));
    int r = place_read(h, KEYS_FILE, &keys, err);
    if (r == 0 || r == -ENOENT)
        r = place_write(h, RUN_KEYS, buf_view(&keys), 0644, err);
    buf_free(&keys);
    if (r == 0)
        r = place_write(h, DAEMON, view_str(daemon_settings), 0644, err);
    if (r == 0)
        r = ssh_is_on(h) ? place_write(h, RUN_ON, VIEW(""), 0644, err)
                         : place_remove(h, RUN_ON, err);
    return r;
}

COMMAND(ssh_get)
{
    struct buf b = BUF_INIT(SSH_KEYS_MAX * (SSH_KEY_MAX_BYTES + 1));
    (void)r;
    cJSON_AddBoolToObject(reply->result, "enabled", ssh_is_on(h));
    cJSON *list = cJSON_AddArrayToObject(reply->result, "keys");
    int e = place_read(h, KEYS_FILE, &b, err);
    for (char *p = (char *)buf_str(&b); e == 0 && *p;) {
        size_t n = strcspn(p, "\n");
        bool is_last = p[n] == '\0';
        p[n] = '\0';
        cJSON_AddItemToArray(list, cJSON_CreateString(p));
        p += n + !is_last;
    }
    buf_free(&b);
    return e == -ENOENT ? 0 : e;
}

static int save_keys(struct helper *h, const cJSON *keys, struct err *err)
{
    struct buf lines = BUF_INIT(SSH_KEYS_MAX * (SSH_KEY_MAX_BYTES + 1));
    size_t i = 0;
    int e = 0;
    for (const cJSON *v = keys->child; v && e == 0; v = v->next, i++) {
        const char *why, *text = cJSON_GetStringValue(v);
        char at[32];
        struct view line = view_trim(view_str(text ? text : ""));
        snprintf(at, sizeof(at), "keys[%zu]", i);
        if (ssh_key_check(line, &why) < 0)
            e = err_set_field(err, EINVAL, "bad_value", at, "%s %s", at, why);
        else
            buf_printf(&lines, "%.*s\n", VIEW_ARG(line));
    }
    if (e == 0)
        e = place_write(h, KEYS_FILE, buf_view(&lines), 0644, err);
    buf_free(&lines);
    return e;
}

COMMAND(ssh_set)
{
    bool is_on = request_flag(r, "enabled");
    const cJSON *keys = request_item(r, "keys");
    (void)reply;
    if (is_on && (keys ? !keys->child : !place_exists(h, KEYS_FILE)))
        return err_set_field(err, EINVAL, "missing", "keys",
                             "keys: SSH needs at least one key, since no password opens it");
    int e = keys ? save_keys(h, keys, err) : 0;
    if (e == 0)
        e = is_on ? place_write(h, ON_FILE, VIEW("on\n"), 0644, err)
                  : place_remove(h, ON_FILE, err);
    if (e == 0)
        e = ssh_apply(h, err);
    if (e == 0)
        e = firewall_load(h, err);
    return e < 0 ? e
                 : RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/systemctl", is_on ? "restart" : "stop",
                       "ssh.service");
}
