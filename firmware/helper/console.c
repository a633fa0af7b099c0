/* A code that is shown on the console of the box: who reads it there stands in front of it. */
#include "base/clock.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/subjects.h"

#define CODE_FILE "/run/azekura/console/code" /* the code, a blank, until when (RFC 3339) */

COMMAND(console_code)
{
    const char *code = request_text(r, "code");
    char line[128], until[RFC3339_MAX];
    (void)reply;
    if (!code)
        return place_remove(h, CODE_FILE, err);
    size_t n = strlen(code);
    if (n < 4 || strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != n)
        return err_set_field(err, EINVAL, "bad_value", "code",
                             "code: 4 to 32 capitals, digits and hyphens");
    rfc3339_format(clock_wall_us() + request_integer(r, "seconds", 3600) * US_PER_SECOND, until);
    snprintf(line, sizeof(line), "%s %s\n", code, until);
    return place_write(h, CODE_FILE, view_str(line), 0600, err);
}
