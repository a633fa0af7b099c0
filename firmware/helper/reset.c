/* Back to how the box left the factory: logs, settings, accounts, certificates and keys go.
 *
 * The command writes a marker and restarts; at boot, before anything uses /data, what the marker
 * asks for is erased, and the marker goes last: a cut at any moment begins the erasing anew.  The
 * machine's identity (machine-id) and the state of the slots (/data/rauc) stay: it is the same box.
 */
#include "config/log.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"

#define MARKER "/data/config/factory-reset"
#define WORD "ERASE"
#define KEEP_NETWORK "keep-network\n"

COMMAND(factory_reset)
{
    (void)reply;
    if (strcmp(request_text(r, "confirm"), WORD) != 0)
        return err_set_field(err, EINVAL, "bad_value", "confirm",
                             "confirm: type " WORD " to erase all logs and settings");
    struct view how = request_flag(r, "keep_network") ? VIEW(KEEP_NETWORK) : VIEW("all\n");
    int e = place_write(h, MARKER, how, 0600, err);
    if (e == 0)
        e = RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/systemctl", "--no-block", "reboot");
    if (e < 0 && place_remove(h, MARKER, NULL) < 0)
        err_prefix(err, "the box will be erased at its next start: ");
    return e;
}

int reset_apply(struct helper *h, struct err *err)
{
    static const char *const folders[] = {"/data/postgresql", "/data/azekura", "/data/tls",
                                          "/data/ssh", "/data/log/journal"};
    static const char *const keep[] = {"factory-reset", "machine-id", NULL};
    static const char *const keep_network[] = {"factory-reset", "machine-id", "network.json", NULL};
    struct buf b = BUF_INIT(64);
    int r = place_read(h, MARKER, &b, err);
    bool network = view_eq(buf_view(&b), VIEW(KEEP_NETWORK));
    buf_free(&b);
    if (r == -ENOENT)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(folders) && r == 0; i++)
        r = place_empty(h, folders[i], NULL, err);
    if (r == 0)
        r = place_empty(h, "/data/config", network ? keep_network : keep, err);
    if (r == 0)
        r = place_remove(h, MARKER, err);
    if (r == 0)
        log_line(LOG_WARNING, "factory settings: logs and settings are erased");
    return r;
}
