/* Restarting and shutting down: systemd is told and answers at once, so that the caller gets his
 * answer, too. */
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"

COMMAND(restart)
{
    (void)r, (void)reply;
    return RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/systemctl", "--no-block", "reboot");
}

COMMAND(power_off)
{
    (void)r, (void)reply;
    return RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/systemctl", "--no-block", "poweroff");
}

COMMAND(services_restart)
{
    static const struct {
        const char *name, *unit;
    } units[] = {
        {"receiver", "azekura-receiver.service"},
        {"keeper", "azekura-keeper.service"},
        {"web", "azekura-web.service"},
        {"database", "postgresql.service"},
        {"nginx", "nginx.service"},
        {"chrony", "chrony.service"},
    };
    const char *name = request_text(r, "service");
    (void)reply;
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (strcmp(name, units[i].name) == 0)
            return RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/systemctl", "--no-block", "restart",
                       units[i].unit);
    return err_set_field(err, EINVAL, "bad_value", "service", "service: there is no %s", name);
}
