#include <criterion/criterion.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/zone.h"

static struct zone *load(const char *name)
{
    struct zone *z = NULL;
    struct err err;
    cr_assert(zone_load(name, &z, &err) == 0, "%s: %s", name, err.message);
    return z;
}

static int64_t at(const char *text)
{
    int64_t us;
    cr_assert(rfc3339_parse(view_str(text), &us) == 0, "%s", text);
    return us;
}

/* "2026-10-25T02:30:00" */
static struct civil civil(const char *text)
{
    struct civil c = {0};
    int year, month, day, hour, minute, second;
    cr_assert(sscanf(text, "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second) == 6);
    c.year = year;
    c.month = (uint8_t)month;
    c.day = (uint8_t)day;
    c.hour = (uint8_t)hour;
    c.minute = (uint8_t)minute;
    c.second = (uint8_t)second;
    return c;
}

static const struct {
    const char *zone, *instant;
    int offset_s;
} offsets[] = {
    {"UTC", "2026-03-10T12:00:00Z", 0},
    {"Asia/Tokyo", "2026-03-10T12:00:00Z", 32400},
    {"Asia/Tokyo", "1950-08-01T00:00:00Z", 36000}, /* summer time after the war */
    {"Asia/Kolkata", "2026-03-10T12:00:00Z", 19800},
    {"Asia/Kathmandu", "2026-03-10T12:00:00Z", 20700},
    {"Europe/Prague", "2026-03-29T00:59:59Z", 3600},
    {"Europe/Prague", "2026-03-29T01:00:00Z", 7200},
    {"Europe/Prague", "2026-10-25T00:59:59Z", 7200},
    {"Europe/Prague", "2026-10-25T01:00:00Z", 3600},
    /* after the last transition of the file, by its rule */
    {"Europe/Prague", "2060-07-01T00:00:00Z", 7200},
    {"Europe/Prague", "2060-12-31T23:59:59Z", 3600},
    {"America/New_York", "2099-03-08T06:59:59Z", -18000},
    {"America/New_York", "2099-03-08T07:00:00Z", -14400},
    {"America/New_York", "2099-11-01T05:59:59Z", -14400},
    {"America/New_York", "2099-11-01T06:00:00Z", -18000},
    {"Australia/Sydney", "2060-01-01T00:00:00Z", 39600}, /* summer runs over the new year */
    {"Australia/Sydney", "2060-06-01T00:00:00Z", 36000},
    {"America/Sao_Paulo", "2026-01-10T00:00:00Z", -10800},
    {"Asia/Tokyo", "2060-01-01T00:00:00Z", 32400},
    {"Europe/London", "1970-01-01T00:00:00Z", 3600}, /* British standard time */
};

Test(zone, offsets_are_those_of_the_database_and_of_its_rules)
{
    for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
        struct zone *z = load(offsets[i].zone);
        int32_t got = zone_offset(z, at(offsets[i].instant));
        cr_expect(got == offsets[i].offset_s, "%s at %s: %d, should be %d", offsets[i].zone,
                  offsets[i].instant, got, offsets[i].offset_s);
        cr_expect_str_eq(zone_name(z), offsets[i].zone);
        zone_free(&z);
        cr_expect(z == NULL);
    }
}

static const struct {
    const char *name, *zone, *civil, *earlier, *later;
} instants[] = {
    {"plain", "Asia/Tokyo", "2026-03-10T21:10:43", "2026-03-10T12:10:43Z", "2026-03-10T12:10:43Z"},
    {"repeated hour", "Europe/Prague", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z",
     "2026-10-25T01:30:00Z"},
    {"skipped hour", "Europe/Prague", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z",
     "2026-03-29T01:30:00Z"},
    {"last before the repeat", "Europe/Prague", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z",
     "2026-10-24T23:59:59Z"},
    {"first after the repeat", "Europe/Prague", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z",
     "2026-10-25T02:00:00Z"},
    {"repeated, west", "America/New_York", "2026-11-01T01:00:00", "2026-11-01T05:00:00Z",
     "2026-11-01T06:00:00Z"},
    {"repeated, by the rule", "America/New_York", "2099-11-01T01:59:59", "2099-11-01T05:59:59Z",
     "2099-11-01T06:59:59Z"},
    {"skipped, by the rule", "America/New_York", "2099-03-08T02:00:00", "2099-03-08T07:00:00Z",
     "2099-03-08T07:00:00Z"},
    {"half an hour repeated", "Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00Z",
     "2026-04-04T15:15:00Z"},
    {"a day skipped", "Pacific/Apia", "2011-12-31T12:00:00", "2011-12-30T22:00:00Z",
     "2011-12-30T22:00:00Z"},
};

Test(zone, civil_times_give_the_instant_and_both_of_the_repeated_hour)
{
    for (size_t i = 0; i < ARRAY_LEN(instants); i++) {
        struct zone *z = load(instants[i].zone);
        struct civil c = civil(instants[i].civil);
        char text[RFC3339_MAX];
        rfc3339_format(zone_to_us(z, &c, false), text);
        cr_expect(zone_to_us(z, &c, false) == at(instants[i].earlier), "%s: earlier %s",
                  instants[i].name, text);
        rfc3339_format(zone_to_us(z, &c, true), text);
        cr_expect(zone_to_us(z, &c, true) == at(instants[i].later), "%s: later %s",
                  instants[i].name, text);
        zone_free(&z);
    }
}

Test(zone, of_a_repeated_hour_the_instant_nearer_to_another_one_is_chosen)
{
    static const struct {
        const char *near, *instant;
    } rows[] = {
        {"2026-10-25T00:30:01Z", "2026-10-25T00:30:00Z"},
        {"2026-10-25T01:30:01Z", "2026-10-25T01:30:00Z"},
        {"2026-10-25T01:00:00Z", "2026-10-25T00:30:00Z"}, /* in the middle: the earlier one */
        {"2026-10-25T01:00:01Z", "2026-10-25T01:30:00Z"},
        {"2020-01-01T00:00:00Z", "2026-10-25T00:30:00Z"},
        {"2030-01-01T00:00:00Z", "2026-10-25T01:30:00Z"},
    };
    struct zone *z = load("Europe/Prague");
    struct civil c = civil("2026-10-25T02:30:00"), plain = civil("2026-10-25T12:00:00");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        cr_expect(zone_to_us_near(z, &c, at(rows[i].near)) == at(rows[i].instant), "near %s",
                  rows[i].near);
        cr_expect(zone_to_us_near(z, &plain, at(rows[i].near)) == at("2026-10-25T11:00:00Z"),
                  "near %s", rows[i].near);
    }
    zone_free(&z);
}

Test(zone, instants_become_civil_times_and_back_through_a_whole_century)
{
    static const char *const names[] = {"Europe/Prague", "America/St_Johns", "Australia/Lord_Howe",
                                        "Africa/Casablanca"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct zone *z = load(names[i]);
        for (int64_t us = at("1971-01-01T00:00:00Z"); us < at("2090-01-01T00:00:00Z");
             us += 7177 * US_PER_SECOND) {
            struct civil c;
            civil_from_us(us + zone_offset(z, us) * US_PER_SECOND, &c);
            int64_t a = zone_to_us(z, &c, false), b = zone_to_us(z, &c, true);
            cr_assert(a == us || b == us, "%s: %lld", names[i], (long long)us);
            cr_assert(a <= b);
        }
        zone_free(&z);
    }
}

Test(zone, names_that_could_leave_the_folder_are_refused)
{
    static const char *const names[] = {
        "", "../etc/passwd", "/etc/passwd", "Asia/../../x", "Asia/To kyo", "Asia/Tokyo\n", "a.b"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct zone *z = NULL;
        struct err err = {0};
        cr_expect(zone_load(names[i], &z, &err) == -EINVAL, "\"%s\"", names[i]);
        cr_expect(z == NULL && strstr(err.message, "is not a name") != NULL, "\"%s\": %s", names[i],
                  err.message);
    }
}

Test(zone, unknown_zones_and_folders_say_so)
{
    struct zone *z = NULL;
    struct err err;
    cr_expect(zone_load("Asia/Atlantis", &z, &err) == -ENOENT);
    cr_expect_str_eq(err.message, "time zone \"Asia/Atlantis\" is not known");
    cr_expect(zone_load("Asia", &z, &err) == -ENOENT, "a folder");
    cr_expect(zone_load("zone1970_tab", &z, NULL) < 0, "no error wanted");
}

/* Files of our own in a folder of our own. */
static void write_zone(const char *dir, const void *p, size_t n)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/Own", dir);
    FILE *f = fopen(path, "w");
    cr_assert(f && fwrite(p, 1, n, f) == n);
    fclose(f);
}

static size_t build(char *out, const char *footer)
{
    static const char header[44] = "TZif2";
    size_t n = 0;
    char first[44], second[44];
    memcpy(first, header, 44);
    memcpy(second, header, 44);
    first[39] = second[39] = 1; /* typecnt */
    first[43] = second[43] = 4; /* charcnt */
    for (int i = 0; i < 2; i++) {
        memcpy(out + n, i ? second : first, 44);
        n += 44;
        memcpy(out + n, "\0\0\0\0\0\0LMT\0", 10);
        n += 10;
    }
    n += (size_t)snprintf(out + n, 256, "\n%s\n", footer);
    return n;
}

static const struct {
    const char *footer, *instant;
    int offset_s; /* INT32_MAX: the file is refused */
} footers[] = {
    {"JST-9", "2026-03-10T12:00:00Z", 32400},
    {"<+0330>-3:30", "2026-03-10T12:00:00Z", 12600},
    {"EST5EDT,M3.2.0,M11.1.0", "2026-07-01T00:00:00Z", -14400},
    {"EST5EDT4:30:15,M3.2.0,M11.1.0", "2026-07-01T00:00:00Z", -16215},
    {"AAA0BBB,J60/0,J300/0", "2028-02-29T23:59:59Z", 0}, /* day 60 is always 1 March */
    {"AAA0BBB,J60/0,J300/0", "2028-03-01T00:00:00Z", 3600},
    {"AAA0BBB,59/0,300/0", "2028-02-28T23:59:59Z", 0}, /* day 59 is 29 February in a leap year */
    {"AAA0BBB,59/0,300/0", "2028-02-29T00:00:00Z", 3600},
    {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T00:59:59Z",
     -7200}, /* Greenland: 23 h the day before */
    {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T01:00:00Z", -3600},
    {"", "2026-03-10T12:00:00Z", 0},
    {"X", "2026-03-10T12:00:00Z", INT32_MAX},
    {"EST5EDT", "2026-03-10T12:00:00Z", INT32_MAX},
    {"EST5EDT,M13.2.0,M11.1.0", "2026-03-10T12:00:00Z", INT32_MAX},
    {"EST5EDT,M3.2.0,M11.1.0x", "2026-03-10T12:00:00Z", INT32_MAX},
    {"EST999", "2026-03-10T12:00:00Z", INT32_MAX},
    {"<EST", "2026-03-10T12:00:00Z", INT32_MAX},
};

Test(zone, footers_give_the_offset_and_bad_files_are_refused)
{
    char dir[] = "/tmp/azk-zone-XXXXXX", path[64], bytes[512];
    cr_assert(mkdtemp(dir) != NULL);
    setenv("ZONEINFO_DIR", dir, 1);
    for (size_t i = 0; i < ARRAY_LEN(footers); i++) {
        write_zone(dir, bytes, build(bytes, footers[i].footer));
        struct zone *z = NULL;
        struct err err = {0};
        int r = zone_load("Own", &z, &err);
        if (footers[i].offset_s == INT32_MAX) {
            cr_expect(r == -EBADMSG && err.message[0], "\"%s\" should be refused",
                      footers[i].footer);
            continue;
        }
        cr_assert(r == 0, "\"%s\": %s", footers[i].footer, err.message);
        cr_expect(zone_offset(z, at(footers[i].instant)) == footers[i].offset_s, "\"%s\" at %s: %d",
                  footers[i].footer, footers[i].instant, zone_offset(z, at(footers[i].instant)));
        zone_free(&z);
    }
    size_t n = build(bytes, "JST-9");
    for (size_t cut = 0; cut < n; cut++) {
        struct zone *z = NULL;
        write_zone(dir, bytes, cut);
        cr_expect(zone_load("Own", &z, NULL) == -EBADMSG && z == NULL, "cut at %zu", cut);
        zone_free(&z);
    }
    snprintf(path, sizeof(path), "%s/Own", dir);
    unlink(path);
    rmdir(dir);
}
