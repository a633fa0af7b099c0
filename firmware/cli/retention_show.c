/* `azekura retention show`, `days` and `preview`: what is there, what will be, what would go. */
#include "cli/retention.h"

#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/text.h"
#include "cli/when.h"
#include "base/record.h"

#define BAR_COLUMNS 30   /* as long as the budget */
#define BAR_MAX 40       /* and what is over it, as far as there is room */
#define BAR_LINE_MAX 102 /* columns of a month's line with its bar */
#define DAYS_DEFAULT 31

/* ---- show ---- */

/* "7.5 %", "<0.1 %", "120 %": as the console says it. */
static const char *percent(int64_t part, int64_t whole, char out[TEXT_NUMBER_MAX])
{
    double p = whole > 0 ? (double)part / (double)whole * 100 : 0;
    if (p > 0 && p < 0.05)
        snprintf(out, TEXT_NUMBER_MAX, "<0.1 %%");
    else if (p < 99.95 && fabs(p - round(p)) >= 0.05)
        snprintf(out, TEXT_NUMBER_MAX, "%.1f %%", p);
    else
        snprintf(out, TEXT_NUMBER_MAX, "%.0f %%", p);
    return out;
}

/* "143 days", "less than a day": as the console says it. */
static const char *days_text(double days, char out[TEXT_NUMBER_MAX])
{
    char n[TEXT_NUMBER_MAX];
    if (days > 0 && days < 1)
        snprintf(out, TEXT_NUMBER_MAX, "less than a day");
    else
        snprintf(out, TEXT_NUMBER_MAX, "%s %s", text_number((int64_t)days, n),
                 (int64_t)days == 1 ? "day" : "days");
    return out;
}

/* Is there room for bars?  What is not a terminal has all. */
static bool has_room_for_bars(void)
{
    struct winsize w;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col == 0 || w.ws_col >= BAR_LINE_MAX;
}

/* "██████░░░·······│": used, what the forecast adds, room to the budget. */
static void print_bar(int64_t used, int64_t expected, int64_t budget)
{
    double scale = budget > 0 ? (double)BAR_COLUMNS / (double)budget : 0;
    int full = (int)MIN((double)used * scale + 0.5, (double)BAR_MAX);
    int more = (int)MIN((double)MAX(expected, used) * scale + 0.5, (double)BAR_MAX);
    full = used > 0 ? MAX(full, 1) : 0;
    more = MAX(more, full);
    for (int i = 0; i < BAR_MAX; i++) {
        if (i == BAR_COLUMNS)
            fputs("│", stdout);
        fputs(i < full ? "█" : i < more ? "░" : i < BAR_COLUMNS ? "·" : " ", stdout);
    }
}

static void print_storage(const struct rule_cli *c)
{
    const struct retention *r = &c->rule;
    char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], d[TEXT_NUMBER_MAX], e[TEXT_NUMBER_MAX];
    printf("%-10s %s%s; a month may use %lld %% = %s, all together %lld %% = %s\n", "storage",
           text_bytes(r->capacity_bytes, a),
           r->capacity_bytes < r->fs_total_bytes ? " (as set)" : "",
           (long long)c->config.month_share_percent, text_bytes(r->budget_bytes, b),
           (long long)c->config.high_water_percent, text_bytes(r->high_water_bytes, d));
    printf("%-10s %s: database %s, write-ahead log %s, receiver %s; %s free on disk\n", "used",
           text_bytes(retention_used_bytes(r), a), text_bytes(r->database_bytes, b),
           text_bytes(r->wal_bytes, d), text_bytes(r->spool_bytes, e),
           text_bytes(r->fs_free_bytes, (char[TEXT_NUMBER_MAX]){0}));
    printf("%-10s %s", "policy", retention_policy_names[r->policy]);
    if (r->policy == POLICY_SHED)
        printf(" (down to %s)", severity_name((unsigned)r->shed_floor));
    if (r->keep_days > 0)
        printf("; what is older than %lld days is deleted\n", (long long)r->keep_days);
    else
        puts("; nothing is deleted by age");
}

static void print_benchmark(const struct retention *r)
{
    struct use u;
    char bytes[TEXT_NUMBER_MAX], messages[TEXT_NUMBER_MAX];
    use_benchmark(r, &u);
    if (u.messages > 0)
        printf("%-10s %s messages, %s of the above, in no month; azekura retention delete --group "
               "benchmark removes them\n",
               "benchmark", text_number(u.messages, messages), text_bytes(u.bytes, bytes));
}

static const char *state_text(enum retention_state s)
{
    static const char *const texts[RETENTION_STATES] = {"ok", "watch: it will come near the budget",
                                                        "over_forecast: it will pass the budget",
                                                        "over: the budget is used up"};
    return texts[s];
}

/* "; the budget is reached on 2026-11-28 (2026-11-27 at the earliest, 2026-11-30 at the latest)" */
static void print_reached(const struct retention *r, const struct forecast *f)
{
    char day[DAY_TEXT_MAX];
    bool is_sure = f->reached_in_days >= 0 && f->reached_earliest == f->reached_latest;
    if (retention_month_bytes(r, r->month, -1) >= r->budget_bytes) {
        puts("; the budget is used up");
        return;
    }
    if (f->reached_earliest < 0) {
        puts("; the budget lasts");
        return;
    }
    if (f->reached_in_days < 0) {
        printf("; the budget is likely to last, else it is reached on %s or later\n",
               day_format(day_after(r->today, f->reached_earliest), day));
        return;
    }
    printf("; the budget is reached on %s",
           day_format(day_after(r->today, f->reached_in_days), day));
    if (!is_sure)
        printf(" (%s at the earliest, ", day_format(day_after(r->today, f->reached_earliest), day));
    if (!is_sure && f->reached_latest >= 0)
        printf("%s at the latest)", day_format(day_after(r->today, f->reached_latest), day));
    else if (!is_sure)
        fputs("perhaps not this month)", stdout);
    putchar('\n');
}

static void print_month(const struct retention *r, const struct forecast *f)
{
    char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], d[TEXT_NUMBER_MAX], month[DAY_TEXT_MAX];
    int64_t used = retention_month_bytes(r, r->month, -1);
    enum retention_state state = rule_state(r, f->basis == FORECAST_NONE ? -1 : f->bytes);
    printf("%-10s %s: %s of %s, %s of the storage; %s\n", "month", month_format(r->month, month),
           text_bytes(used, a), text_bytes(r->budget_bytes, b), percent(used, r->capacity_bytes, d),
           state_text(state));
    if (f->basis == FORECAST_NONE) {
        printf("%-10s none before a whole day is known\n", "forecast");
        return;
    }
    printf("%-10s %s at the end of the month (%s to %s, from %s)", "forecast",
           text_bytes(f->bytes, a), text_bytes(f->low, b), text_bytes(f->high, d),
           f->basis == FORECAST_WEEKDAYS ? "the same weekdays of the last four weeks"
                                         : "the days seen so far");
    print_reached(r, f);
}

static void print_history(struct rule_cli *c, const struct forecast *f)
{
    struct history h;
    char oldest[WHEN_MAX], days[TEXT_NUMBER_MAX], low[TEXT_NUMBER_MAX], high[TEXT_NUMBER_MAX];
    use_history(&c->rule, f, &h);
    if (h.oldest_us == TIME_NONE) {
        printf("%-10s none yet", "history");
    } else {
        when_format(h.oldest_us, cli_zone(c->cli), oldest);
        printf("%-10s %s, since %.10s", "history", days_text(h.days, days), oldest);
    }
    if (h.fits_days >= 0)
        printf("; %s fit at this rate (%s to %s)", days_text(h.fits_days, days),
               days_text(h.fits_low, low), days_text(h.fits_high, high));
    putchar('\n');
}

static void print_months(struct rule_cli *c, const struct forecast *f)
{
    struct month_use *months;
    char bytes[TEXT_NUMBER_MAX], messages[TEXT_NUMBER_MAX], text[DAY_TEXT_MAX];
    size_t n = use_by_month(&c->rule, &c->arena, &months);
    bool has_bars = has_room_for_bars();
    printf("\n%-8s %10s %18s %5s  %s\n", "MONTH", "STORED", "MESSAGES", "DAYS", "OF THE BUDGET");
    for (size_t i = 0; i < n; i++) {
        const struct month_use *m = &months[i];
        bool is_now = m->month == c->rule.month && f->basis != FORECAST_NONE;
        printf("%-8s %10s %18s %5d  ", month_format(m->month, text),
               text_bytes(m->all.bytes, bytes), text_number(m->all.messages, messages), m->days);
        if (has_bars)
            print_bar(m->all.bytes, is_now ? f->bytes : 0, c->rule.budget_bytes);
        printf(has_bars ? " %6s" : "%s", percent(m->all.bytes, c->rule.budget_bytes, bytes));
        if (is_now)
            printf(" → %s", percent(f->bytes, c->rule.budget_bytes, bytes));
        putchar('\n');
    }
}

static int print_notes(struct rule_cli *c, struct err *err)
{
    struct clock_doubt d;
    int rc = retention_read_clock(c->cli->db, &d, err);
    if (rc < 0)
        return rc;
    if (d.is_doubted)
        puts("\nThe clock jumped and is not trusted: nothing is deleted by date or budget.  See "
             "azekura retention clock.");
    for (size_t i = 0; i < c->rule.groups_n; i++) {
        const struct source_group *g = &c->rule.groups[i];
        int from = c->rule.shed_now[g->id].from;
        char *name = rule_cli_visible(g->name);
        if (from > 0 && from < 8)
            printf("\nMessages of group %s with severity %s and below are refused now.\n", name,
                   severity_name((unsigned)from));
        free(name);
    }
    return 0;
}

int retention_show(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct forecast f;
    struct rule_cli c = {.cli = cli};
    int rc = options_parse(argc, argv, NULL, 0, &err);
    if (rc > 0)
        return cli_usage("retention show: unexpected argument \"%s\"", argv[1]);
    if (rc == 0)
        rc = rule_cli_load(&c, &err);
    if (rc == 0) {
        use_forecast(&c.rule, &f);
        print_storage(&c);
        print_benchmark(&c.rule);
        print_month(&c.rule, &f);
        print_history(&c, &f);
        print_months(&c, &f);
        rc = print_notes(&c, &err);
    }
    arena_done(&c.arena);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- days ---- */

static void print_days(struct rule_cli *c, int32_t from, int32_t to)
{
    struct day_use *days;
    char text[DAY_TEXT_MAX], bytes[TEXT_NUMBER_MAX], messages[TEXT_NUMBER_MAX],
        raw[TEXT_NUMBER_MAX];
    size_t n = use_by_day(&c->rule, from, to, &c->arena, &days);
    printf("%-10s %10s %16s %10s\n", "DAY", "STORED", "MESSAGES", "RECEIVED");
    for (size_t i = 0; i < n; i++) {
        printf("%-10s %10s %16s %10s%s%s\n", day_format(days[i].day, text),
               text_bytes(days[i].all.bytes, bytes), text_number(days[i].all.messages, messages),
               text_bytes(days[i].all.raw_bytes, raw), days[i].is_held ? "  held" : "",
               days[i].is_open ? "  written to" : "");
    }
}

int retention_days(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from_text = NULL, *to_text = NULL;
    const struct option_spec specs[] = {{"from", &from_text, NULL}, {"to", &to_text, NULL}};
    int32_t from = 0, to = 0;
    struct rule_cli c = {.cli = cli};
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc > 0)
        return cli_usage("retention days: unexpected argument \"%s\"", argv[1]);
    if (rc == 0 && from_text)
        rc = rule_cli_day("from", from_text, &from, &err);
    if (rc == 0 && to_text)
        rc = rule_cli_day("to", to_text, &to, &err);
    if (rc == 0 && from_text && to_text && from > to)
        rc = err_set(&err, EINVAL, "usage", "--from %s is after --to %s", from_text, to_text);
    if (rc == 0)
        rc = rule_cli_load(&c, &err);
    if (rc == 0) {
        to = to > 0 ? to : MAX(c.rule.today, from);
        print_days(&c, from > 0 ? from : day_after(to, 1 - DAYS_DEFAULT), to);
    }
    arena_done(&c.arena);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

/* ---- preview ---- */

static void print_use(const struct use *u)
{
    char bytes[TEXT_NUMBER_MAX], messages[TEXT_NUMBER_MAX];
    printf("%s messages, %s", text_number(u->messages, messages), text_bytes(u->bytes, bytes));
}

/* Returns how many lines. */
static size_t print_deletions(struct rule_cli *c, const struct rule_plan *plan, const char *more)
{
    struct deletion_range *ranges;
    char from[DAY_TEXT_MAX], to[DAY_TEXT_MAX], name[GROUP_NAME_MAX];
    size_t n = use_deletions(plan, &c->arena, &ranges);
    for (size_t i = 0; i < n; i++) {
        const struct deletion_range *d = &ranges[i];
        char *group = rule_cli_visible(use_group_name(&c->rule, d->group, name));
        printf("  %s", day_format(d->from_day, from));
        if (d->to_day != d->from_day)
            printf(" to %s", day_format(d->to_day, to));
        printf("%s of group %s: ", more, group);
        print_use(&d->all);
        printf(" (%s)\n", rule_reason_names[d->reason]);
        free(group);
    }
    return n;
}

void rule_cli_print_plan(struct rule_cli *c, const struct rule_plan *plan,
                         const struct rule_plan *open)
{
    struct use sum = {plan->bytes, plan->messages, plan->raw_bytes};
    size_t n = print_deletions(c, plan, "");
    if (open) {
        n += print_deletions(c, open, ", what came up to now,");
        sum.bytes += open->bytes;
        sum.messages += open->messages;
    }
    if (n > 1) {
        fputs("  together ", stdout);
        print_use(&sum);
        putchar('\n');
    }
}

static void print_preview(struct rule_cli *c, enum retention_policy policy)
{
    struct rule_plan plan, open;
    char held[TEXT_NUMBER_MAX];
    rule_plan(&c->rule, policy, &c->arena, &plan);
    rule_plan_open(&c->rule, policy, &plan, &c->arena, &open);
    bool does_remove = plan.deletions_n > 0 || open.deletions_n > 0;
    int shed_from = use_shed_from(&c->rule, &plan);
    printf("%s%s would %s%s\n", retention_policy_names[policy],
           policy == c->rule.policy ? " (in force)" : "",
           does_remove ? "remove now" : "remove nothing now", does_remove ? ":" : "");
    rule_cli_print_plan(c, &plan, &open);
    if (shed_from >= 1 && shed_from <= 7)
        printf("  and refuse severity %s and below\n", severity_name((unsigned)shed_from));
    if (plan.held_bytes > 0)
        printf("  %s more should go, and are held\n", text_bytes(plan.held_bytes, held));
}

int retention_preview(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *policy = NULL;
    const struct option_spec specs[] = {{"policy", &policy, NULL}};
    struct rule_cli c = {.cli = cli};
    int only = -1;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc > 0)
        return cli_usage("retention preview: unexpected argument \"%s\"", argv[1]);
    for (int i = 0; policy && i < POLICIES; i++)
        only = strcmp(policy, retention_policy_names[i]) == 0 ? i : only;
    if (rc == 0 && policy && only < 0)
        return cli_usage("--policy %s: write trim, shed, borrow or warn", policy);
    if (rc == 0)
        rc = rule_cli_load(&c, &err);
    for (int i = 0; rc == 0 && i < POLICIES; i++) {
        if (only < 0 || only == i)
            print_preview(&c, (enum retention_policy)i);
    }
    arena_done(&c.arena);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}
