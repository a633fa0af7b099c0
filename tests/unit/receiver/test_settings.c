/* What an earlier run was told, for a start without the database. */
#include <criterion/criterion.h>

#include "receiver/settings.h"

static char folder[] = "/tmp/azk-settings-XXXXXX";
static struct state state;
static struct shared shared;
static struct config config;

static void set_up(void)
{
    struct err err = {0};
    cr_assert_not_null(mkdtemp(folder));
    config_defaults(&config);
    cr_assert_eq(state_open(&state, folder, &err), 0, "%s", err.message);
    cr_assert_eq(shared_init(&shared, &config, &err), 0);
}

static void tear_down(void)
{
    char command[96];
    shared_done(&shared);
    state_close(&state);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(settings, .init = set_up, .fini = tear_down);

static void write_kept(const char *name, struct view text)
{
    struct err err = {0};
    cr_assert_eq(state_write(&state, name, text, &err), 0, "%s", err.message);
}

Test(settings, source_groups_and_shed_levels_are_remembered_for_a_start_without_database)
{
    struct ip inside = {4, {10, 1, 2, 3}};
    write_kept("source_groups", VIEW("member 10.1.0.0/16 4\nshed 4 6\n"));
    settings_load_kept_rules(&shared, &state);
    struct sender_rules *r = shared_take_rules(&shared, 0);
    cr_assert_not_null(r);
    cr_expect_eq(groups_find(r->groups, &inside), 4);
    cr_expect_eq(r->groups->shed_from[4], 6);
    cr_expect_eq(r->groups->shed_from[0], GROUPS_SHED_NONE);
    sender_rules_free(&r);
}

/* Nothing but the network of the benchmark, which is the same for all. */
static void expect_only_benchmark(const char *what)
{
    struct ip benchmark = {4, {127, 66, 3, 4}}, other = {4, {10, 1, 2, 3}};
    struct sender_rules *r = shared_take_rules(&shared, 0);
    cr_assert_not_null(r, "%s", what);
    cr_expect_eq(r->groups->members.n, 1, "%s", what);
    cr_expect_eq(groups_find(r->groups, &benchmark), SOURCE_GROUP_BENCHMARK, "%s", what);
    cr_expect_eq(groups_find(r->groups, &other), 0, "%s", what);
    cr_expect_eq(r->groups->shed_from[4], GROUPS_SHED_NONE, "%s", what);
    sender_rules_free(&r);
}

Test(settings, a_first_start_knows_the_benchmark_and_no_other_source_group)
{
    settings_load_kept_rules(&shared, &state);
    expect_only_benchmark("first start");
}

Test(settings, source_groups_that_cannot_be_read_are_left_out_whole)
{
    static const char *const texts[] = {"member 10.1.0.0/16 4\nnonsense\n", "shed 4 9\n", "member"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        write_kept("source_groups", view_str(texts[i]));
        settings_load_kept_rules(&shared, &state);
        expect_only_benchmark(texts[i]);
    }
    struct buf large = BUF_INIT(2 * GROUPS_TEXT_MAX_BYTES);
    while (large.n <= GROUPS_TEXT_MAX_BYTES)
        (void)buf_add_str(&large, "member 10.1.0.0/16 4\n");
    write_kept("source_groups", buf_view(&large));
    settings_load_kept_rules(&shared, &state);
    expect_only_benchmark("larger than it can be");
    buf_free(&large);
}

Test(settings, settings_are_remembered_and_those_that_cannot_be_read_are_left_out)
{
    write_kept("settings", VIEW("store.flush_ms = 77\n"));
    settings_load_kept(&config, &state);
    cr_expect_eq(config.flush_ms, 77);
    write_kept("settings", VIEW("store.flush_ms = many\n"));
    settings_load_kept(&config, &state);
    cr_expect_eq(config.flush_ms, 77);
}

Test(settings, receiver_charset_may_be_any_charset_there_is)
{
    struct err err = {0};
    const struct setting *s = config_find(VIEW("receiver.charset"), &err);
    cr_assert_not_null(s);
    struct buf names = BUF_INIT(4096);
    for (size_t i = 0; charset_at(i); i++)
        (void)buf_printf(&names, "%s%s", i ? "|" : "", charset_name(charset_at(i)));
    cr_expect_str_eq(s->choices, buf_str(&names));
    buf_free(&names);
}

Test(settings, how_sources_are_read_is_remembered_for_a_start_without_database)
{
    struct ip inside = {4, {10, 1, 2, 3}};
    write_kept("senders", VIEW("everyone 0 1\nsource 10.1.0.0/16 Asia/Tokyo Shift_JIS counted\n"));
    settings_load_kept_rules(&shared, &state);
    cr_assert_not_null(shared.first_rules, "a replay needs them");
    struct source_setting x = sender_rules_setting_of(shared.first_rules, &inside);
    cr_assert(x.zone && x.charset);
    cr_expect_str_eq(zone_name(x.zone), "Asia/Tokyo");
    cr_expect_str_eq(charset_name(x.charset), "Shift_JIS");
    cr_expect_eq(x.framing, FRAME_COUNTED);
}

Test(settings, without_a_file_the_charset_is_that_of_the_settings)
{
    struct ip any = {4, {10, 1, 2, 3}};
    snprintf(shared.config.charset, sizeof(shared.config.charset), "EUC-JP");
    settings_load_kept_rules(&shared, &state);
    cr_expect_str_eq(charset_name(sender_rules_setting_of(shared.first_rules, &any).charset),
                     "EUC-JP");
}
