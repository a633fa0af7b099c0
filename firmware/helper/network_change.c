/* Changing the network without being locked out: commit-confirm.
 *
 *   /data/config/network.json        what is confirmed, and what each boot takes
 *   /data/config/network.trial.json  {"trial","boot","until_us","settings"}: in force until
 * confirmed
 *
 *   set       trial file, then the network      cut between: the next look gives the trial up
 *   confirm   network.json, then no trial file  cut between: trial and confirmed are the same
 *   give up   the network, then no trial file   cut between: is done again
 *
 * `until_us` is CLOCK_BOOTTIME of the boot named by `boot`: a clock that is set does not move it,
 * and in another boot the trial is over.  After a crash of the helper network_look() reads the
 * file. */
#include <openssl/rand.h>
#include <time.h>

#include "config/log.h"
#include "helper/network.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/strict.h"
#include "helper/subjects.h"

#define SETTINGS "/data/config/network.json"
#define TRIAL "/data/config/network.trial.json"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define FOLDER "/run/systemd/network"
#define PREFIX "70-azekura-"
#define FILES_MAX (2 * INTERFACES_MAX + 2)
#define RETRY_US US_PER_SECOND /* after the old network could not be had back */

static int64_t boottime_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec * US_PER_SECOND + t.tv_nsec / 1000;
}

/* "" when it cannot be read: then no trial is of this boot. */
static void boot_id(struct helper *h, char out[64])
{
    struct buf b = BUF_INIT(64);
    out[0] = '\0';
    if (place_read(h, BOOT_ID, &b, NULL) == 0)
        snprintf(out, 64, "%.*s", VIEW_ARG(view_trim(buf_view(&b))));
    buf_free(&b);
}

/* 0; -ENOENT: there is none; else negative and *err. */
static int load_json(struct helper *h, const char *path, cJSON **ret, struct err *err)
{
    struct buf b = BUF_INIT(HELPER_FILE_MAX_BYTES);
    int r = place_read(h, path, &b, err);
    if (r == 0 && (r = strict_parse(buf_view(&b), ret, err)) < 0)
        err_prefix(err, "%s: ", path);
    buf_free(&b);
    return r;
}

static int save_json(struct helper *h, const char *path, const cJSON *tree, struct err *err)
{
    char *text = cJSON_PrintUnformatted(tree);
    CHECK(text != NULL);
    int r = place_write(h, path, view_str(text), 0644, err);
    cJSON_free(text);
    return r;
}

/* The confirmed settings; automatic when there are none, or when they cannot be used, which is
 * logged: the box is to be reachable. */
static void load_confirmed(struct helper *h, struct network *ret)
{
    struct err err;
    cJSON *tree = NULL;
    int r = load_json(h, SETTINGS, &tree, &err);
    if (r == 0)
        r = network_parse(tree, ret, &err);
    if (r < 0)
        memset(ret, 0, sizeof(*ret));
    if (r < 0 && r != -ENOENT)
        log_line(LOG_ERROR, "%s cannot be used: %s; every card is set by DHCP", SETTINGS,
                 err.message);
    cJSON_Delete(tree);
}

/* ---- the files of systemd-networkd ---- */

static int put(struct helper *h, const char *name, const char *suffix, struct buf *b,
               char names[FILES_MAX][64], size_t *names_n, struct err *err)
{
    char path[PLACE_PATH_MAX];
    if (b->n == 0)
        return 0;
    CHECK(*names_n < FILES_MAX);
    snprintf(names[*names_n], 64, PREFIX "%s.%s", name, suffix);
    snprintf(path, sizeof(path), FOLDER "/%.63s", names[(*names_n)++]);
    int r = place_write(h, path, buf_view(b), 0644, err);
    buf_clear(b);
    return r;
}

/* Remove what the network before this one had. */
static int remove_others(struct helper *h, char names[FILES_MAX][64], size_t names_n,
                         struct err *err)
{
    char *found[FILES_MAX * 2], path[PLACE_PATH_MAX];
    size_t n = place_list(h, FOLDER, PREFIX, found, ARRAY_LEN(found));
    int r = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < names_n && strcmp(names[k], found[i]) != 0)
            k++;
        if (k == names_n && r == 0) {
            snprintf(path, sizeof(path), FOLDER "/%.200s", found[i]);
            r = place_remove(h, path, err);
        }
        free(found[i]);
    }
    return r;
}

static int render(struct helper *h, const struct network *n, struct err *err)
{
    static char names[FILES_MAX][64];
    size_t names_n = 0;
    struct buf network = BUF_INIT(HELPER_FILE_MAX_BYTES), netdev = BUF_INIT(1024);
    int r = 0;
    if (n->interfaces_n == 0) {
        r = network_render_automatic(n, &network, err);
        if (r == 0)
            r = put(h, "automatic", "network", &network, names, &names_n, err);
    }
    for (size_t i = 0; i < n->interfaces_n && r == 0; i++) {
        const char *name = n->interfaces[i].name;
        r = network_render(n, &n->interfaces[i], &network, &netdev, err);
        if (r == 0)
            r = put(h, name, "network", &network, names, &names_n, err);
        if (r == 0)
            r = put(h, name, "netdev", &netdev, names, &names_n, err);
    }
    if (r == 0)
        r = remove_others(h, names, names_n, err);
    buf_free(&network);
    buf_free(&netdev);
    return r;
}

static bool has(const struct network *n, const char *name)
{
    for (size_t i = 0; i < n->interfaces_n; i++)
        if (strcmp(n->interfaces[i].name, name) == 0)
            return true;
    return false;
}

/* From the network `before` to `n`, files and cards.  VLANs that are no more are deleted. */
static int bring_up(struct helper *h, const struct network *n, const struct network *before,
                    struct err *err)
{
    int r = render(h, n, err);
    for (size_t i = 0; i < before->interfaces_n && r == 0; i++)
        if (before->interfaces[i].vlan && !has(n, before->interfaces[i].name))
            (void)!RUN(h, RUN_QUICK_MS, NULL, NULL, "/usr/bin/networkctl", "delete",
                       before->interfaces[i].name);
    if (r == 0)
        r = RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/networkctl", "reload");
    for (size_t i = 0; i < n->interfaces_n && r == 0; i++)
        if (!n->interfaces[i].vlan) /* VLANs come with their card, some moments later */
            r = RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/networkctl", "reconfigure",
                    n->interfaces[i].name);
    return r;
}

/* ---- the trial ---- */

/* The trial's settings, or an empty network. */
static void load_trial(struct helper *h, struct network *ret, cJSON **ret_tree)
{
    *ret_tree = NULL;
    memset(ret, 0, sizeof(*ret));
    if (load_json(h, TRIAL, ret_tree, NULL) < 0 ||
        network_parse(cJSON_GetObjectItemCaseSensitive(*ret_tree, "settings"), ret, NULL) < 0)
        memset(ret, 0, sizeof(*ret));
}

static int give_up(struct helper *h, struct err *err)
{
    struct network *n = xcalloc(2, sizeof(*n));
    cJSON *tree;
    h->trial_is_given_up = true;
    load_confirmed(h, &n[0]);
    load_trial(h, &n[1], &tree);
    int r = bring_up(h, &n[0], &n[1], err);
    if (r == 0)
        r = place_remove(h, TRIAL, err);
    h->trial_is_given_up = r < 0;
    h->trial_until_us = r < 0 ? boottime_us() + RETRY_US : TRIAL_NONE;
    cJSON_Delete(tree);
    free(n);
    return r;
}

/* Whether the trial file speaks of this boot, and until when. */
static bool is_of_now(struct helper *h, const cJSON *tree, int64_t *ret_until_us)
{
    char now[64];
    const char *boot = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tree, "boot"));
    const cJSON *until = cJSON_GetObjectItemCaseSensitive(tree, "until_us");
    boot_id(h, now);
    if (h->trial_is_given_up || !boot || !*now || strcmp(boot, now) != 0 || !cJSON_IsNumber(until))
        return false;
    *ret_until_us = (int64_t)until->valuedouble;
    return *ret_until_us > boottime_us() &&
           *ret_until_us <= boottime_us() + TRIAL_MAX_S * US_PER_SECOND;
}

void network_look(struct helper *h)
{
    struct err err;
    cJSON *tree = NULL;
    int64_t until = TRIAL_NONE;
    h->trial_until_us = TRIAL_NONE;
    int r = load_json(h, TRIAL, &tree, &err);
    if (r == -ENOENT)
        return;
    if (r == 0 && is_of_now(h, tree, &until)) {
        h->trial_until_us = until;
    } else if (give_up(h, &err) == 0) {
        log_line(LOG_WARNING, "the network on trial was not confirmed: the one before is back");
    } else {
        log_line(LOG_ERROR, "the network before the trial is not back: %s; trying again",
                 err.message);
    }
    cJSON_Delete(tree);
}

int network_apply(struct helper *h, struct err *err)
{
    struct network *n = xcalloc(1, sizeof(*n));
    load_confirmed(h, n);
    int r = place_exists(h, TRIAL) ? place_remove(h, TRIAL, err) : 0;
    if (r == 0)
        r = render(h, n, err);
    free(n);
    return r;
}

static int check_cards(struct helper *h, const struct network *n, struct err *err)
{
    for (size_t i = 0; i < n->interfaces_n; i++) {
        char path[PLACE_PATH_MAX], at[64];
        snprintf(path, sizeof(path), "/sys/class/net/%s", n->interfaces[i].name);
        snprintf(at, sizeof(at), "interfaces[%zu].name", i);
        if (!n->interfaces[i].vlan && !place_exists(h, path))
            return err_set_field(err, EINVAL, "bad_value", at,
                                 "%s: this box has no network card \"%s\"", at,
                                 n->interfaces[i].name);
    }
    return 0;
}

static cJSON *new_trial(struct helper *h, const cJSON *settings, int64_t until_us)
{
    unsigned char random[16];
    char token[33], boot[64];
    CHECK(RAND_bytes(random, sizeof(random)) == 1);
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    boot_id(h, boot);
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddStringToObject(tree, "trial", token);
    cJSON_AddStringToObject(tree, "boot", boot);
    cJSON_AddNumberToObject(tree, "until_us", (double)until_us);
    cJSON_AddItemToObject(tree, "settings", cJSON_Duplicate(settings, true));
    return tree;
}

static int try_network(struct helper *h, const cJSON *settings, const struct network *n,
                       int64_t seconds, struct reply *reply, struct err *err)
{
    struct network *before = xcalloc(1, sizeof(*before));
    int64_t until = boottime_us() + seconds * US_PER_SECOND;
    cJSON *tree = new_trial(h, settings, until);
    load_confirmed(h, before);
    int r = save_json(h, TRIAL, tree, err);
    if (r == 0) {
        h->trial_until_us = until;
        r = bring_up(h, n, before, err);
        struct err back;
        if (r < 0 && give_up(h, &back) < 0)
            log_line(LOG_ERROR, "the network before is not back: %s; trying again", back.message);
    }
    if (r == 0) {
        cJSON_AddStringToObject(reply->result, "trial",
                                cJSON_GetObjectItem(tree, "trial")->valuestring);
        cJSON_AddNumberToObject(reply->result, "seconds", (double)seconds);
    }
    cJSON_Delete(tree);
    free(before);
    return r;
}

COMMAND(network_set)
{
    const cJSON *settings = request_item(r, "settings");
    struct network *n = xcalloc(1, sizeof(*n));
    int e = network_parse(settings, n, err);
    if (e == 0)
        e = check_cards(h, n, err);
    if (e == 0 && place_exists(h, TRIAL))
        e = err_set(err, EBUSY, "on_trial",
                    "a network is on trial already: confirm it or give it up first");
    if (e == 0)
        e = try_network(h, settings, n, request_integer(r, "confirm_seconds", TRIAL_DEFAULT_S),
                        reply, err);
    free(n);
    return e;
}

COMMAND(network_confirm)
{
    cJSON *tree = NULL;
    int64_t until;
    (void)reply;
    int e = load_json(h, TRIAL, &tree, err);
    if (e == -ENOENT || (e == 0 && !is_of_now(h, tree, &until)))
        e = err_set(err, ENOENT, "no_trial", "no network is on trial, or its time is over");
    const char *token = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tree, "trial"));
    if (e == 0 && (!token || strcmp(token, request_text(r, "trial")) != 0))
        e = err_set_field(err, EINVAL, "bad_value", "trial", "trial: another network is on trial");
    if (e == 0)
        e = save_json(h, SETTINGS, cJSON_GetObjectItemCaseSensitive(tree, "settings"), err);
    if (e == 0)
        e = place_remove(h, TRIAL, err);
    if (e == 0)
        h->trial_until_us = TRIAL_NONE;
    cJSON_Delete(tree);
    return e;
}

COMMAND(network_revert)
{
    (void)r, (void)reply;
    if (!place_exists(h, TRIAL))
        return err_set(err, ENOENT, "no_trial", "no network is on trial");
    return give_up(h, err);
}

COMMAND(network_get)
{
    cJSON *settings = NULL, *trial = NULL;
    int64_t until;
    (void)r, (void)err;
    if (load_json(h, SETTINGS, &settings, NULL) < 0)
        settings = cJSON_CreateObject();
    cJSON_AddItemToObject(reply->result, "settings", settings);
    if (load_json(h, TRIAL, &trial, NULL) == 0 && is_of_now(h, trial, &until)) {
        cJSON *o = cJSON_AddObjectToObject(reply->result, "trial");
        cJSON_AddNumberToObject(o, "seconds", (double)((until - boottime_us()) / US_PER_SECOND));
        cJSON_AddItemToObject(o, "settings",
                              cJSON_DetachItemFromObjectCaseSensitive(trial, "settings"));
    }
    cJSON_Delete(trial);
    struct buf links = BUF_INIT(HELPER_REPLY_MAX_BYTES / 2);
    if (RUN(h, RUN_QUICK_MS, &links, NULL, "/usr/bin/ip", "-json", "address", "show") == 0)
        cJSON_AddItemToObject(reply->result, "links", cJSON_Parse(buf_str(&links)));
    buf_free(&links);
    return 0;
}
