/* The time zone of the box, and the servers that its clock follows. */
#include "base/ip.h"
#include "base/zone.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/strict.h"
#include "helper/subjects.h"

#define ZONE_FILE "/data/config/timezone"
#define NTP_FILE "/data/config/ntp"
#define SOURCES "/etc/chrony/sources.d/azekura.sources"

static void load_zone(struct helper *h, char out[SOURCE_ZONE_MAX_BYTES + 1])
{
    struct buf b = BUF_INIT(256);
    struct zone *zone = NULL;
    snprintf(out, SOURCE_ZONE_MAX_BYTES + 1, "UTC");
    if (place_read(h, ZONE_FILE, &b, NULL) == 0) {
        struct view v = view_trim(buf_view(&b));
        char name[SOURCE_ZONE_MAX_BYTES + 1];
        snprintf(name, sizeof(name), "%.*s", VIEW_ARG(v));
        if (zone_load(name, &zone, NULL) == 0)
            memcpy(out, name, sizeof(name));
    }
    zone_free(&zone);
    buf_free(&b);
}

int timezone_apply(struct helper *h, struct err *err)
{
    char zone[SOURCE_ZONE_MAX_BYTES + 1], line[128];
    load_zone(h, zone);
    snprintf(line, sizeof(line), "/usr/share/zoneinfo/%s", zone);
    int r = place_link(h, "/etc/localtime", line, err);
    snprintf(line, sizeof(line), "%s\n", zone);
    return r < 0 ? r : place_write(h, "/etc/timezone", view_str(line), 0644, err);
}

COMMAND(timezone_set)
{
    struct zone *zone = NULL;
    const char *name = request_text(r, "zone");
    (void)reply;
    if (zone_load(name, &zone, NULL) < 0)
        return err_set_field(err, EINVAL, "bad_value", "zone",
                             "zone: \"%.64s\" is no time zone such as Asia/Tokyo", name);
    zone_free(&zone);
    int e = place_write(h, ZONE_FILE, view_str(name), 0644, err);
    return e < 0 ? e : timezone_apply(h, err);
}

static bool is_server(const char *name)
{
    struct ip ip;
    if (ip_parse(view_str(name), &ip) == 0)
        return !ip_is_multicast(&ip);
    /* digits and dots alone are a broken address */
    return host_is_name(name, 253) && strspn(name, "0123456789.") != strlen(name);
}

/* Append the servers of the file, a line each, as `prefix`SERVER`suffix`; returns how many. */
static size_t each_server(struct helper *h, const char *prefix, const char *suffix,
                          struct buf *lines, cJSON *list)
{
    struct buf b = BUF_INIT(4096);
    size_t n = 0;
    if (place_read(h, NTP_FILE, &b, NULL) == 0)
        for (char *p = (char *)buf_str(&b); *p && n < NTP_SERVERS_MAX;) {
            size_t len = strcspn(p, "\n");
            bool is_last = p[len] == '\0';
            p[len] = '\0';
            if (is_server(p)) {
                n++;
                if (lines)
                    buf_printf(lines, "%s%s%s\n", prefix, p, suffix);
                if (list)
                    cJSON_AddItemToArray(list, cJSON_CreateString(p));
            }
            p += len + !is_last;
        }
    buf_free(&b);
    return n;
}

int ntp_apply(struct helper *h, struct err *err)
{
    struct buf lines = BUF_INIT(8192);
    if (each_server(h, "server ", " iburst", &lines, NULL) == 0)
        buf_add_str(&lines, "pool 2.debian.pool.ntp.org iburst\n");
    int r = place_write(h, SOURCES, buf_view(&lines), 0644, err);
    buf_free(&lines);
    return r;
}

COMMAND(ntp_set)
{
    struct buf lines = BUF_INIT(4096);
    size_t i = 0;
    int e = 0;
    (void)reply;
    for (const cJSON *v = request_item(r, "servers")->child; v && e == 0; v = v->next, i++) {
        const char *name = cJSON_GetStringValue(v);
        char at[32];
        snprintf(at, sizeof(at), "servers[%zu]", i);
        if (!name || !is_server(name))
            e = err_set_field(err, EINVAL, "bad_value", at,
                              "%s: \"%.64s\" is neither a host name nor an address", at,
                              name ? name : "");
        else
            buf_printf(&lines, "%s\n", name);
    }
    if (e == 0)
        e = place_write(h, NTP_FILE, buf_view(&lines), 0644, err);
    buf_free(&lines);
    if (e == 0)
        e = ntp_apply(h, err);
    return e < 0 ? e : RUN(h, RUN_QUICK_MS, NULL, err, "/usr/bin/chronyc", "reload", "sources");
}

COMMAND(clock_get)
{
    char zone[SOURCE_ZONE_MAX_BYTES + 1];
    struct buf tracking = BUF_INIT(4096);
    (void)r, (void)err;
    load_zone(h, zone);
    cJSON_AddStringToObject(reply->result, "zone", zone);
    each_server(h, "", "", NULL, cJSON_AddArrayToObject(reply->result, "servers"));
    if (RUN(h, RUN_QUICK_MS, &tracking, NULL, "/usr/bin/chronyc", "-n", "-c", "tracking") == 0)
        cJSON_AddStringToObject(reply->result, "tracking", buf_str(&tracking));
    buf_free(&tracking);
    return 0;
}
