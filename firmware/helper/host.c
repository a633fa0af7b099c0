/* The name of the box. */
#include <ctype.h>

#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/subjects.h"

#define NAME_FILE "/data/config/hostname"
#define NAME_OTHERWISE "azekura"

bool host_is_name(const char *name, size_t max)
{
    size_t n = strlen(name), label = 0;
    if (n == 0 || n > max)
        return false;
    for (size_t i = 0; i <= n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c == '.' || c == '\0') {
            if (label == 0 || label > 63 || name[i - 1] == '-')
                return false;
            label = 0;
        } else if (c < 0x80 && (isalnum(c) || (c == '-' && label > 0))) {
            label++;
        } else {
            return false;
        }
    }
    return true;
}

/* The name as it is set; what is unreadable or no name is as if none were set: the box must boot.
 */
static void load(struct helper *h, char out[65])
{
    struct buf b = BUF_INIT(256);
    snprintf(out, 65, "%s", NAME_OTHERWISE);
    if (place_read(h, NAME_FILE, &b, NULL) == 0) {
        struct view v = view_trim(buf_view(&b));
        char name[65];
        if (v.n < sizeof(name)) {
            memcpy(name, v.p, v.n);
            name[v.n] = '\0';
            if (host_is_name(name, 64))
                memcpy(out, name, sizeof(name));
        }
    }
    buf_free(&b);
}

int hostname_apply(struct helper *h, struct err *err)
{
    char name[65], hosts[512], line[80];
    load(h, name);
    int n = snprintf(line, sizeof(line), "%s\n", name);
    int r = place_write(h, "/etc/hostname", view_of(line, (size_t)n), 0644, err);
    if (r < 0)
        return r;
    size_t label = strcspn(name, ".");
    n = snprintf(hosts, sizeof(hosts),
                 "127.0.0.1 localhost\n127.0.1.1 %s%s%.*s\n::1 localhost ip6-localhost "
                 "ip6-loopback\nff02::1 ip6-allnodes\nff02::2 ip6-allrouters\n",
                 name, name[label] ? " " : "", name[label] ? (int)label : 0, name);
    return place_write(h, "/etc/hosts", view_of(hosts, (size_t)n), 0644, err);
}

COMMAND(hostname_get)
{
    char name[65];
    (void)r, (void)err;
    load(h, name);
    cJSON_AddStringToObject(reply->result, "name", name);
    return 0;
}

COMMAND(hostname_set)
{
    const char *name = request_text(r, "name");
    (void)reply;
    if (!host_is_name(name, 64))
        return err_set_field(err, EINVAL, "bad_value", "name",
                             "name: \"%.64s\" is not a host name: letters, digits and hyphens, "
                             "at most 64",
                             name);
    int e = place_write(h, NAME_FILE, view_str(name), 0644, err);
    if (e == 0)
        e = hostname_apply(h, err);
    return e < 0 ? e : RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/hostname", "-F", "/etc/hostname");
}
