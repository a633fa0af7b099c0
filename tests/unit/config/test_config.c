#include <criterion/criterion.h>

#include "config/config.h"

static int load(const char *text, struct config *c, struct err *err)
{
    char path[] = "/tmp/azekura-test-config-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    int r = config_load(c, path, err);
    remove(path);
    return r;
}

static int set(struct config *c, const char *name, const char *value, struct err *err)
{
    const struct setting *s = config_find(view_str(name), err);
    cr_assert_not_null(s, "%s", name);
    return config_set(c, s, view_str(value), err);
}

Test(config, every_setting_has_help_in_both_languages_and_a_default_within_its_limits)
{
    struct config c;
    config_defaults(&c);
    for (size_t i = 0; i < config_settings_n; i++) {
        const struct setting *s = &config_settings[i];
        struct buf text = BUF_INIT(1000);
        cr_assert(s->help_en[0] && s->help_ja[0], "%s", s->name);
        config_get(&c, s, &text);
        cr_assert_str_eq(buf_str(&text), s->default_value, "%s", s->name);
        buf_free(&text);
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(s->name, config_settings[j].name);
    }
}

Test(config, a_file_is_read_with_comments_blanks_and_without_a_last_newline)
{
    struct config c;
    struct err err;
    config_defaults(&c);
    cr_assert_eq(load("# comment\n\n  store.flush_ms=250 \r\nlisten.udp = [::]:0\nlisten.tcp "
                      "=\nbox.name = 箱 一",
                      &c, &err),
                 0, "%s", err.message);
    cr_assert_eq(c.flush_ms, 250);
    cr_assert_str_eq(c.syslog_udp, "[::]:0");
    cr_assert_str_eq(c.syslog_tcp, "");
    cr_assert_str_eq(c.box_name, "箱 一");
}

Test(config, a_capacity_is_all_of_it_or_enough_to_live_in)
{
    struct config c;
    struct err err;
    config_defaults(&c);
    cr_expect_eq(load("storage.capacity_bytes = 200000000\n", &c, &err), 0);
    cr_expect_eq(c.capacity_bytes, 200000000);
    cr_expect_eq(load("storage.capacity_bytes = 0\n", &c, &err), 0);
    cr_expect_eq(c.capacity_bytes, 0);
}

Test(config, a_file_with_one_fault_changes_nothing_and_names_the_line)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"store.flush_ms = 250\nstore.flush = 1\n",
         "line 2: unknown setting \"store.flush\", did you mean \"store.flush_ms\""},
        {"store.flush_ms = 250\n\nnonsense\n", "line 3: expected \"name = value\""},
        {"store.flush_ms = 9\n", "store.flush_ms: \"9\" is out of 10..60000 ms"},
        {"store.flush_ms = -9223372036854775809\n", "is out of 10..60000 ms"},
        {"store.flush_ms = 1e3\n", "\"1e3\" is not a whole number"},
        {"store.flush_ms =\n", "is not a whole number"},
        {"storage.capacity_bytes = 500\n", "\"500\" is below 200000000 bytes (200 MB)"},
        {"storage.capacity_bytes = 199999999\n", "0 is the whole file system"},
        {"listen.udp = localhost:514\n", "is not ADDRESS:PORT"},
        {"listen.tls = 0.0.0.0:1,0.0.0.0:2,0.0.0.0:3,0.0.0.0:4,0.0.0.0:5\n",
         "has more than 4 addresses"},
        {"listen.tcp = 10.0.0.1:514, 10.0.0.1:514\n", "names 10.0.0.1:514 twice"},
        {"receiver.threads = 17\n", "is out of 0..16 threads"},
        {"receiver.tls_min_version = 1.1\n", "is none of 1.2|1.3"},
        {"listen.http =\n", "is 0 bytes long, allowed are 1..64"},
        {"time.zone = Mars/Olympus\n", "time.zone: \"Mars/Olympus\" is not a time zone"},
        {"time.zone = ../../etc/passwd\n", "is not a time zone"},
        {"box.name = a\tb\n", "control character"},
        {"zzzzzzzzzzzzzzzzzzzz = 1\n", "unknown setting \"zzzzzzzzzzzzzzzzzzzz\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct config c, before;
        struct err err;
        config_defaults(&c);
        before = c;
        cr_assert_lt(load(cases[i].text, &c, &err), 0, "%s", cases[i].text);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s: %s", cases[i].text,
                           err.message);
        cr_assert_eq(memcmp(&c, &before, sizeof(c)), 0, "%s", cases[i].text);
    }
}

Test(config, a_missing_file_is_named)
{
    struct config c;
    struct err err;
    config_defaults(&c);
    cr_assert_lt(config_load(&c, "/nonexistent/azekura.conf", &err), 0);
    cr_assert_str_eq(err.message,
                     "cannot read /nonexistent/azekura.conf: No such file or directory");
}

Test(config, limits_are_inclusive)
{
    struct config c;
    struct err err;
    config_defaults(&c);
    cr_assert_eq(set(&c, "store.flush_ms", "10", &err), 0);
    cr_assert_eq(set(&c, "store.flush_ms", "60000", &err), 0);
    cr_assert_lt(set(&c, "store.flush_ms", "60001", &err), 0);
    cr_assert_eq(c.flush_ms, 60000, "unchanged by a bad value");
    cr_assert_str_eq(err.field, "store.flush_ms");
}

Test(config, host_names_are_names_and_not_addresses_of_pages)
{
    static const struct {
        const char *value;
        bool is_good;
    } cases[] = {
        {"", true},
        {"logs.example.org", true},
        {"logs.example.org, logs_2.lan", true},
        {"http://logs.example.org", false},
        {"logs.example.org:8080", false},
        {"logs.example.org;logs.lan", false},
        {"倉.example", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct config c;
        struct err err;
        config_defaults(&c);
        cr_assert_eq(set(&c, "web.host_names", cases[i].value, &err) == 0, cases[i].is_good, "%s",
                     cases[i].value);
        cr_assert_str_eq(c.web_host_names, cases[i].is_good ? cases[i].value : "");
        if (!cases[i].is_good)
            cr_assert_not_null(strstr(err.message, cases[i].value), "%s", err.message);
    }
}

Test(config, the_command_line_says_what_is_wrong_with_it)
{
    static const struct {
        const char *argv[4];
        const char *said;
    } cases[] = {
        {{"x", "--confg", "y", NULL}, "unknown option --confg"},
        {{"x", "--config", NULL}, "--config needs a value"},
        {{"x", "stray", NULL}, "unexpected argument \"stray\""},
        {{"x", "--config", "/nonexistent", NULL}, "cannot read /nonexistent"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct config c;
        struct err err;
        int argc = 0;
        while (cases[i].argv[argc])
            argc++;
        extern int optind;
        optind = 0;
        cr_assert_lt(config_command_line(argc, (char **)(uintptr_t)cases[i].argv, "test", &c, &err),
                     0);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s", err.message);
    }
}
