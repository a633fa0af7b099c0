/* The settings at boot (apply.h). */
#include "helper/apply.h"

#include "config/log.h"
#include "helper/subjects.h"

int apply_all(struct helper *h)
{
    static const struct {
        const char *what;
        int (*apply)(struct helper *h, struct err *err);
    } parts[] = {
        {"factory settings", reset_apply}, /* first: it takes away what the others read */
        {"host name", hostname_apply},
        {"time zone", timezone_apply},
        {"time servers", ntp_apply},
        {"network", network_apply},
        {"SSH", ssh_apply},
        {"packet filter", firewall_apply},
        {"certificate of the console", tls_apply},
    };
    int failures = 0;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct err err;
        if (parts[i].apply(h, &err) < 0) {
            log_line(LOG_ERROR, "%s: %s; going on without it", parts[i].what, err.message);
            failures++;
        }
    }
    return failures;
}
