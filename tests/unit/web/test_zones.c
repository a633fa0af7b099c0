#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "web/zones.h"

static char dir[64];

static void write_tab(const char *text)
{
    char path[128];
    snprintf(dir, sizeof(dir), "/tmp/azk-zones-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/zone.tab", dir);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    cr_assert(fputs(text, f) >= 0 && fclose(f) == 0);
    cr_assert(setenv("ZONEINFO_DIR", dir, 1) == 0);
}

static void done(void)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/zone.tab", dir);
    unlink(path);
    rmdir(dir);
    unsetenv("ZONEINFO_DIR");
}

static void expect(const char *tab, const char *want)
{
    struct err err;
    struct buf out = BUF_INIT(4096);
    struct json j = JSON_INIT(&out);
    write_tab(tab);
    cr_assert_eq(zones_add(&j, &err), 0, "%s", err.message);
    cr_expect_str_eq(buf_str(&out), want, "of %s: %s", tab, buf_str(&out));
    buf_free(&out);
    done();
}

Test(zones, are_those_of_zone_tab_and_utc_sorted)
{
    static const struct {
        const char *tab, *want;
    } cases[] = {
        {"", "\"UTC\""},
        {"# comment\tx\tNo/Where\nJP\t+353916+1394441\tAsia/Tokyo\n", "\"Asia/Tokyo\",\"UTC\""},
        {"US\t+404251-0740023\tAmerica/New_York\tEastern\nAD\t+4230+00131\tEurope/Andorra",
         "\"America/New_York\",\"Europe/Andorra\",\"UTC\""},
        {"XX\tonly two\n\n\t\t\nYY\tz\t\n", "\"UTC\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        expect(cases[i].tab, cases[i].want);
}

Test(zones, that_cannot_be_read_are_an_error_that_names_the_file)
{
    struct err err;
    struct buf out = BUF_INIT(4096);
    struct json j = JSON_INIT(&out);
    cr_assert(setenv("ZONEINFO_DIR", "/nowhere", 1) == 0);
    cr_expect_eq(zones_add(&j, &err), -EIO);
    cr_expect(strstr(err.message, "/nowhere/zone.tab"), "%s", err.message);
    unsetenv("ZONEINFO_DIR");
    buf_free(&out);
}
