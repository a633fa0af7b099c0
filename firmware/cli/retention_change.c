/* `azekura retention group`, `hold`, `delete` and `receipts`. */
#include "cli/retention.h"

#include <poll.h>

#include "cli/options.h"
#include "cli/quantity.h"
#include "cli/text.h"
#include "cli/when.h"

#define ANSWER_SECONDS 60 /* the keeper answers at once; then it is not running */
#define RECEIPTS_DEFAULT 20
#define RECEIPTS_MAX 100000
#define MEMBERS_SHOWN 4 /* of a group in the table; a line is for reading */

/* ---- groups ---- */

struct members {
    struct member {
        int group;
        char *prefix;
    } * list;
    size_t n;
};

static void add_member(void *context, int group, const char *prefix)
{
    struct members *m = context;
    m->list = xrealloc(m->list, m->n + 1, sizeof(*m->list));
    m->list[m->n++] = (struct member){group, xstrdup(prefix)};
}

static void members_done(struct members *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->list[i].prefix);
    free(m->list);
}

static void print_group(const struct retention *r, const struct source_group *g,
                        const struct members *m)
{
    char bytes[TEXT_NUMBER_MAX], quota[32] = "none", keep[32] = "as set";
    char *name = rule_cli_visible(g->name);
    if (g->quota_percent >= 0)
        snprintf(quota, sizeof(quota), "%.4g %%", g->quota_percent);
    if (g->keep_days > 0)
        snprintf(keep, sizeof(keep), "%lld days", (long long)g->keep_days);
    else if (g->keep_days == 0)
        snprintf(keep, sizeof(keep), "for ever");
    printf("%s%*s %10s %8s %10s ", name, MAX(24 - text_columns(view_str(name)), 0), "",
           text_bytes(retention_month_bytes(r, r->month, g->id), bytes), quota, keep);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (m->list[i].group != g->id)
            continue;
        if (shown < MEMBERS_SHOWN)
            printf("%s%s", shown++ > 0 ? ", " : " ", m->list[i].prefix);
        else
            more++;
    }
    if (more > 0)
        printf(", and %zu more (retention groups %s)", more, name);
    puts(g->is_retired                     ? " removed, until its messages are gone"
         : g->id == 0                      ? " every other sender"
         : g->id == SOURCE_GROUP_BENCHMARK ? " (built in, counts to no month)"
                                           : "");
    free(name);
}

int retention_groups(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct members m = {NULL, 0};
    struct rule_cli c = {.cli = cli};
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc > 1)
        return cli_usage("retention groups: unexpected argument \"%s\"", argv[2]);
    const char *only = rc == 1 ? argv[1] : NULL;
    int id = -1;
    if (rc >= 0)
        rc = rule_cli_load(&c, &err);
    if (rc == 0 && only)
        rc = retention_find_group(cli->db, view_str(only), &id, &err);
    if (rc == 0)
        rc = retention_read_members(cli->db, add_member, &m, &err);
    for (size_t i = 0; rc >= 0 && only && i < m.n; i++) {
        if (m.list[i].group == id)
            puts(m.list[i].prefix);
    }
    if (rc >= 0 && !only) {
        printf("%-24s %10s %8s %10s  %s\n", "GROUP", "THIS MONTH", "QUOTA", "KEPT", "SENDERS");
        for (size_t i = 0; i < c.rule.groups_n; i++)
            print_group(&c.rule, &c.rule.groups[i], &m);
    }
    members_done(&m);
    arena_done(&c.arena);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

struct group_options {
    const char *quota, *keep_days, *rename;
    bool has_no_networks, is_yes;
};

/* What the options say, over what is in *w. */
static int apply_options(const struct group_options *o, struct group_wish *w, struct err *err)
{
    uint64_t days;
    if (o->quota && strcmp(o->quota, "none") == 0)
        w->quota_percent = -1;
    else if (o->quota && quantity_percent(view_str(o->quota), &w->quota_percent, err) < 0)
        return err_prefix(err, "--quota: "), -EINVAL;
    if (o->keep_days && strcmp(o->keep_days, "none") == 0)
        w->keep_days = -1;
    else if (o->keep_days && view_u64(view_str(o->keep_days), 36600, &days) < 0)
        return err_set(err, EINVAL, "usage", "--keep-days %s: write a number of 0..36600, or none",
                       o->keep_days);
    else if (o->keep_days)
        w->keep_days = (int64_t)days;
    if (o->rename)
        w->name = view_str(o->rename);
    return 0;
}

static int group_add(const struct retention_hand *h, const struct group_options *o,
                     struct group_wish *w, struct err *err)
{
    int id, rc = apply_options(o, w, err);
    return rc < 0 ? rc : retention_add_group(h, w, &id, err);
}

/* What is not said stays as it is. */
static int group_set(struct cli *cli, const struct retention_hand *h, const struct group_options *o,
                     struct group_wish *w, bool *ret_is_refused, struct err *err)
{
    struct rule_cli c = {.cli = cli};
    struct members m = {NULL, 0};
    struct view *kept = NULL;
    int rc = rule_cli_load(&c, err);
    int id = rc == 0 ? use_group_id(&c.rule, w->name) : -1;
    if (rc == 0 && id < 0)
        rc = err_set(err, ENOENT, "not_found", "there is no group \"%.*s\"", (int)w->name.n,
                     w->name.p);
    for (size_t i = 0; rc == 0 && i < c.rule.groups_n; i++) {
        if (c.rule.groups[i].id == id) {
            w->quota_percent = c.rule.groups[i].quota_percent;
            w->keep_days = c.rule.groups[i].keep_days;
        }
    }
    if (rc == 0 && w->members_n == 0 && !o->has_no_networks)
        rc = retention_read_members(cli->db, add_member, &m, err);
    if (m.n > 0) {
        kept = xcalloc(m.n, sizeof(*kept));
        for (size_t i = 0; i < m.n; i++) {
            if (m.list[i].group == id)
                kept[w->members_n++] = view_str(m.list[i].prefix);
        }
        w->members = kept;
    }
    if (rc >= 0)
        rc = apply_options(o, w, err);
    for (size_t i = 0; rc >= 0 && i < c.rule.groups_n; i++) {
        if (c.rule.groups[i].id == id) {
            c.rule.groups[i].quota_percent = w->quota_percent;
            c.rule.groups[i].keep_days = w->keep_days;
        }
    }
    if (rc >= 0 && !rule_cli_is_wanted(&c, o->is_yes))
        *ret_is_refused = true;
    else if (rc >= 0)
        rc = retention_set_group(h, id, w, err);
    free(kept);
    members_done(&m);
    arena_done(&c.arena);
    return rc;
}

static int group_remove(const struct retention_hand *h, struct view name, struct err *err)
{
    int id, rc = retention_find_group(h->db, name, &id, err);
    return rc < 0 ? rc : retention_remove_group(h, id, err);
}

int retention_group(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct group_options o = {NULL, NULL, NULL, false, false};
    bool is_refused = false;
    const struct option_spec specs[] = {{"quota", &o.quota, NULL},
                                        {"keep-days", &o.keep_days, NULL},
                                        {"rename", &o.rename, NULL},
                                        {"no-networks", NULL, &o.has_no_networks},
                                        {"yes", NULL, &o.is_yes}};
    struct retention_hand h;
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    const char *what = words > 0 ? argv[1] : "";
    bool is_add = strcmp(what, "add") == 0, is_set = strcmp(what, "set") == 0;
    bool is_remove = strcmp(what, "remove") == 0;
    bool has_options = o.quota || o.keep_days || o.rename || o.has_no_networks;
    if (words < 2 || !(is_add || is_set || is_remove) ||
        (is_remove && (words > 2 || has_options)) || (is_add && (o.rename || o.has_no_networks)) ||
        (o.has_no_networks && words > 2))
        return cli_usage(
            "write retention group add NAME [NETWORK …], set NAME [NETWORK …] or remove "
            "NAME; see azekura help retention");
    struct view *members = xcalloc((size_t)words, sizeof(*members));
    struct group_wish w = {.name = view_str(argv[2]), .quota_percent = -1, .keep_days = -1};
    for (int i = 3; i <= words; i++)
        members[w.members_n++] = view_str(argv[i]);
    w.members = members;
    int rc = rule_cli_hand(cli, &h, &err);
    if (rc == 0)
        rc = is_add   ? group_add(&h, &o, &w, &err)
             : is_set ? group_set(cli, &h, &o, &w, &is_refused, &err)
                      : group_remove(&h, w.name, &err);
    free(members);
    return rc < 0 ? cli_fail(rc, &err) : is_refused ? CLI_NOTHING : CLI_OK;
}

/* ---- holds ---- */

struct hold_printer {
    struct rule_cli *c;
};

static void print_hold(void *context, const struct hold_row *h)
{
    struct hold_printer *p = context;
    char from[WHEN_MAX], to[WHEN_MAX], bytes[TEXT_NUMBER_MAX], name[GROUP_NAME_MAX];
    const struct zone *zone = cli_zone(p->c->cli);
    when_format(h->from_us, zone, from);
    when_format(h->to_us, zone, to);
    char *group =
        rule_cli_visible(h->group < 0 ? "all" : use_group_name(&p->c->rule, h->group, name));
    char *reason = rule_cli_visible(h->reason), *actor = rule_cli_visible(h->actor);
    printf("%-4lld %.19s  %.19s  %s%*s %10s  %s (%s)\n", (long long)h->id, from, to, group,
           MAX(16 - text_columns(view_str(group)), 0), "", text_bytes(h->bytes, bytes), reason,
           actor);
    free(group);
    free(reason);
    free(actor);
}

int retention_holds(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct rule_cli c = {.cli = cli};
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc > 0)
        return cli_usage("retention holds: unexpected argument \"%s\"", argv[1]);
    if (rc == 0)
        rc = rule_cli_load(&c, &err);
    if (rc == 0) {
        printf("%-4s %-19s  %-19s  %-16s %10s  %s\n", "ID", "FROM", "TO", "GROUP", "PINNED",
               "REASON");
        rc = retention_read_holds(cli->db, print_hold, &(struct hold_printer){&c}, &err);
    }
    arena_done(&c.arena);
    return rc < 0 ? cli_fail(rc, &err) : rc > 0 ? CLI_OK : CLI_NOTHING;
}

static int hold_add(struct cli *cli, const char *from, const char *to, const char *group,
                    const char *reason, struct err *err)
{
    struct retention_hand h;
    struct hold_wish w = {.group = -1, .reason = view_str(reason)};
    int64_t id = 0;
    int rc = rule_cli_hand(cli, &h, err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &w.from_us, &w.to_us, err);
    if (rc == 0 && group)
        rc = retention_find_group(cli->db, view_str(group), &w.group, err);
    if (rc == 0)
        rc = retention_add_hold(&h, &w, &id, err);
    if (rc < 0)
        return cli_fail(rc, err);
    printf("%lld\n", (long long)id);
    return CLI_OK;
}

int retention_hold(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = NULL, *to = NULL, *group = NULL;
    const struct option_spec specs[] = {
        {"from", &from, NULL}, {"to", &to, NULL}, {"group", &group, NULL}};
    struct retention_hand h;
    uint64_t id;
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    if (words == 2 && strcmp(argv[1], "add") == 0 && from && to)
        return hold_add(cli, from, to, group, argv[2], &err);
    if (words != 2 || strcmp(argv[1], "remove") != 0 || from || to || group)
        return cli_usage(
            "write retention hold add --from T --to T [--group G] REASON, or remove ID");
    if (view_u64(view_str(argv[2]), INT64_MAX, &id) < 0)
        return cli_usage("retention hold remove %s: write the number that retention holds shows",
                         argv[2]);
    int rc = rule_cli_hand(cli, &h, &err);
    if (rc == 0)
        rc = retention_remove_hold(&h, (int64_t)id, &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- receipts ---- */

static void print_receipt(void *context, const struct receipt_row *r)
{
    struct cli *cli = context;
    char at[WHEN_MAX], from[WHEN_MAX], to[WHEN_MAX], bytes[TEXT_NUMBER_MAX],
        messages[TEXT_NUMBER_MAX];
    when_format(r->at_us, cli_zone(cli), at);
    when_format(r->from_us, cli_zone(cli), from);
    when_format(r->to_us, cli_zone(cli), to);
    char *group = rule_cli_visible(r->group ? r->group : "several");
    char *actor = rule_cli_visible(r->actor), *reason = rule_cli_visible(r->reason);
    printf("%-6lld %.19s  %.16s to %.16s  %-16s %16s messages %10s  %s, %s\n", (long long)r->id, at,
           from, to, group, text_number(r->messages, messages), text_bytes(r->bytes, bytes), reason,
           actor);
    free(group);
    free(actor);
    free(reason);
}

int retention_receipts(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *limit_text = NULL;
    const struct option_spec specs[] = {{"limit", &limit_text, NULL}};
    uint64_t limit = RECEIPTS_DEFAULT;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc > 0)
        return cli_usage("retention receipts: unexpected argument \"%s\"", argv[1]);
    if (limit_text && (view_u64(view_str(limit_text), RECEIPTS_MAX, &limit) < 0 || limit == 0))
        return cli_usage("--limit %s: write a number of 1..%d", limit_text, RECEIPTS_MAX);
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = retention_read_receipts(cli->db, 0, 0, (int)limit, print_receipt, cli, &err);
    return rc < 0 ? cli_fail(rc, &err) : rc > 0 ? CLI_OK : CLI_NOTHING;
}

/* ---- delete ---- */

/* The answer of the keeper; "waiting" when none came in time. */
static int wait_for_answer(struct cli *cli, int64_t id, struct deletion_answer *a, struct err *err)
{
    int64_t until_us = clock_mono_us() + ANSWER_SECONDS * US_PER_SECOND;
    int rc;
    do {
        (void)poll(NULL, 0, 100);
        rc = retention_read_request(cli->db, id, a, err);
    } while (rc == 0 && strcmp(a->state, "waiting") == 0 && clock_mono_us() < until_us);
    return rc;
}

static int delete_planned(struct rule_cli *c, struct deletion_wish *w, bool is_yes, struct err *err)
{
    struct rule_plan plan;
    struct retention_hand h = {.db = c->cli->db, .actor = cli_actor()};
    struct deletion_answer a;
    int64_t id;
    rule_plan_request(&c->rule, w->from_day, w->to_day, w->group, &c->arena, &plan);
    if (plan.deletions_n == 0) {
        puts("nothing of these days can be deleted: they are empty, held or written to");
        return CLI_NOTHING;
    }
    puts("would remove:");
    rule_cli_print_plan(c, &plan, NULL);
    w->messages = plan.messages;
    if (!rule_cli_ask("Delete this for good?", is_yes)) {
        puts("nothing was deleted");
        return CLI_NOTHING;
    }
    int rc = retention_request_deletion(&h, w, &id, err);
    if (rc == 0)
        rc = wait_for_answer(c->cli, id, &a, err);
    if (rc < 0)
        return cli_fail(rc, err);
    if (strcmp(a.state, "done") == 0) {
        rc = retention_read_receipts(c->cli->db, 0, a.receipt, 1, print_receipt, c->cli, err);
        return rc < 0 ? cli_fail(rc, err) : CLI_OK;
    }
    if (strcmp(a.state, "refused") == 0)
        rc = err_set(err, EPERM, "refused", "refused: %s", a.message);
    else
        rc = err_set(err, EAGAIN, "keeper_away",
                     "the keeper has not answered for %d s; it deletes when it runs again",
                     ANSWER_SECONDS);
    return cli_fail(rc, err);
}

int retention_delete(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = NULL, *to = NULL, *group = NULL;
    bool is_yes = false;
    const struct option_spec specs[] = {
        {"from", &from, NULL}, {"to", &to, NULL}, {"group", &group, NULL}, {"yes", NULL, &is_yes}};
    struct rule_cli c = {.cli = cli};
    struct deletion_wish w = {.group = -1};
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    /* of the benchmark's messages nobody wants some days */
    bool is_benchmark = group && strcmp(group, "benchmark") == 0 && !from && !to;
    if (is_benchmark) {
        from = "1970-01-01";
        to = "9999-12-31";
    }
    if (words > 0 || !from || !to)
        return cli_usage("write retention delete --from DAY --to DAY [--group G] [--yes], or"
                         " retention delete --group benchmark [--yes]");
    int rc = rule_cli_day("from", from, &w.from_day, &err);
    if (rc == 0)
        rc = rule_cli_day("to", to, &w.to_day, &err);
    if (rc == 0 && w.from_day > w.to_day)
        rc = err_set(&err, EINVAL, "usage", "--from %s is after --to %s", from, to);
    if (rc == 0)
        rc = rule_cli_load(&c, &err);
    if (rc == 0 && group)
        rc = retention_find_group(cli->db, view_str(group), &w.group, &err);
    int code = rc < 0 ? cli_fail(rc, &err) : delete_planned(&c, &w, is_yes, &err);
    arena_done(&c.arena);
    return code;
}
