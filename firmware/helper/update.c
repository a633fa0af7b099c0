/* Updates, by RAUC, which checks signature and product itself.  Bundles are named, never given by
 * path: they lie in /data/azekura/updates, where the web server puts what is uploaded. */
#include <ctype.h>

#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"

#define FOLDER "/data/azekura/updates"
#define SUFFIX ".raucb"

static bool is_bundle_name(const char *name)
{
    size_t n = strlen(name), suffix = strlen(SUFFIX);
    if (n <= suffix || strcmp(name + n - suffix, SUFFIX) != 0 || !isalnum((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] >= 0x80 ||
            (!isalnum((unsigned char)name[i]) && !strchr("._+~-", name[i])))
            return false;
    return true;
}

/* The path of the bundle that is named, which is there. */
static int bundle_path(const struct helper *h, const struct request *r, char out[PLACE_PATH_MAX],
                       struct err *err)
{
    const char *name = request_text(r, "bundle");
    char path[PLACE_PATH_MAX];
    if (!is_bundle_name(name))
        return err_set_field(err, EINVAL, "bad_value", "bundle",
                             "bundle: \"%.64s\" is not the name of an update (NAME.raucb: letters, "
                             "digits and ._+~-)",
                             name);
    snprintf(path, sizeof(path), FOLDER "/%s", name);
    struct buf head = BUF_INIT(0);
    int e = place_read(h, path, &head, NULL); /* a plain file, whose bytes do not fit: -EFBIG */
    buf_free(&head);
    if (e != -EFBIG)
        return err_set_field(err, ENOENT, "bad_value", "bundle",
                             "bundle: no update named \"%s\" has been uploaded", name);
    place_path(h, path, out);
    return 0;
}

static void add_json(cJSON *result, const char *name, struct buf *b)
{
    cJSON *tree = cJSON_Parse(buf_str(b));
    cJSON_AddItemToObject(result, name, tree ? tree : cJSON_CreateNull());
    buf_free(b);
}

COMMAND(update_status)
{
    struct buf slots = BUF_INIT(HELPER_REPLY_MAX_BYTES / 2), progress = BUF_INIT(4096);
    (void)r;
    int e = RUN(h, RUN_QUICK_MS, &slots, err, "/usr/bin/rauc", "status", "--detailed",
                "--output-format=json");
    if (e == 0)
        e = RUN(h, RUN_QUICK_MS, &progress, err, "/usr/bin/busctl", "--json=short", "get-property",
                "de.pengutronix.rauc", "/", "de.pengutronix.rauc.Installer", "Progress");
    if (e == 0) {
        add_json(reply->result, "slots", &slots);
        add_json(reply->result, "progress", &progress);
    }
    buf_free(&slots);
    buf_free(&progress);
    return e;
}

COMMAND(update_info)
{
    char path[PLACE_PATH_MAX];
    struct buf b = BUF_INIT(HELPER_REPLY_MAX_BYTES / 2);
    int e = bundle_path(h, r, path, err);
    if (e == 0)
        e = RUN(h, RUN_QUICK_MS * 6, &b, err, "/usr/bin/rauc", "info", "--output-format=json",
                path);
    if (e == 0)
        add_json(reply->result, "bundle", &b);
    buf_free(&b);
    return e;
}

COMMAND(update_install)
{
    char path[PLACE_PATH_MAX];
    (void)reply;
    int e = bundle_path(h, r, path, err);
    return e < 0 ? e : RUN(h, RUN_SLOW_MS, NULL, err, "/usr/bin/rauc", "install", path);
}

COMMAND(update_mark)
{
    static const char *const marks[] = {"mark-good", "mark-bad", "mark-active"};
    const char *state = request_text(r, "state");
    const char *mark = marks[state[0] == 'g' ? 0 : state[0] == 'b' ? 1 : 2];
    (void)reply;
    return RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/rauc", "status", mark,
               request_text(r, "slot"));
}
