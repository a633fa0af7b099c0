/* `azekura ledger`: arrived = stored + refused, as a table. */
#include "store/ledger.h"

#include "base/record.h"
#include "store/gap.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"

#define DEFAULT_ROWS 20
#define ROWS_MAX 100000

static void print_line(const char *name, const char *listener, const struct ledger_counts *c)
{
    char arrived[TEXT_NUMBER_MAX], stored[TEXT_NUMBER_MAX], refused[TEXT_NUMBER_MAX],
        bytes[TEXT_NUMBER_MAX];
    printf("%-40s %-8s %16s %16s %14s %12s%s\n", name, listener, text_number(c->arrived, arrived),
           text_number(c->stored, stored), text_number(ledger_refused(c), refused),
           text_bytes(c->bytes, bytes), ledger_is_balanced(c) ? "" : "  UNBALANCED");
}

static void print_row(void *context, const struct ledger_row *r)
{
    bool *is_balanced = context;
    print_line(r->source, r->listener, &r->counts);
    *is_balanced = *is_balanced && ledger_is_balanced(&r->counts);
}

static void print_reasons(const struct ledger_totals *t)
{
    char n[TEXT_NUMBER_MAX];
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (t->all.refused[i] > 0)
            printf("refused, %s: %s\n", reason_name(i), text_number(t->all.refused[i], n));
    if (t->all.truncated > 0)
        printf("stored but cut at the longest message: %s\n", text_number(t->all.truncated, n));
    for (unsigned i = 0; i < LISTENER_COUNT; i++)
        if (t->kernel_dropped[i] > 0)
            printf("dropped by the kernel before they arrived, %s: %s\n", listener_name(i),
                   text_number(t->kernel_dropped[i], n));
}

static int print_gaps(struct cli *cli, int64_t from_us, int64_t to_us, struct err *err)
{
    struct gap_totals g;
    char missing[TEXT_NUMBER_MAX], repeated[TEXT_NUMBER_MAX];
    int rc = gap_read_totals(cli->db, from_us, to_us, &g, err);
    if (rc == 0 && (g.all.missing > 0 || g.all.repeated > 0))
        printf("lost on the way here, by sequence numbers: %s (came again: %s); see azekura gaps\n",
               text_number(g.all.missing, missing), text_number(g.all.repeated, repeated));
    return rc;
}

static int print_ledger(struct cli *cli, int64_t from_us, int64_t to_us, int limit, struct err *err)
{
    struct ledger_totals t;
    int rc = ledger_read(cli->db, from_us, to_us, 0, NULL, NULL, &t, err);
    if (rc < 0)
        return cli_fail(rc, err);
    bool is_balanced = ledger_is_balanced(&t.all);
    printf("%-40s %-8s %16s %16s %14s %12s\n", "SOURCE", "LISTENER", "ARRIVED", "STORED", "REFUSED",
           "BYTES");
    print_line("all", "all", &t.all);
    for (unsigned i = 0; i < LISTENER_COUNT; i++)
        if (t.by_listener[i].arrived > 0)
            print_line("all", listener_name(i), &t.by_listener[i]);
    rc = ledger_read(cli->db, from_us, to_us, limit, print_row, &is_balanced, &t, err);
    if (rc < 0)
        return cli_fail(rc, err);
    if (rc == limit)
        printf("(the busiest %d sources; --limit shows more)\n", limit);
    print_reasons(&t);
    rc = print_gaps(cli, from_us, to_us, err);
    if (rc < 0)
        return cli_fail(rc, err);
    struct ledger_receiver r;
    rc = ledger_read_receiver(cli->db, &r, err);
    if (rc < 0)
        return cli_fail(rc, err);
    if (rc > 0 && r.queued > 0) {
        char n[TEXT_NUMBER_MAX];
        printf("waiting in the receiver, not yet in the table: %s\n", text_number(r.queued, n));
    }
    if (!is_balanced) {
        printf("arrived = stored + refused does not hold\n");
        return CLI_NOTHING;
    }
    return CLI_OK;
}

int cli_ledger(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = NULL, *to = NULL, *limit_text = NULL;
    const struct option_spec specs[] = {
        {"from", &from, NULL}, {"to", &to, NULL}, {"limit", &limit_text, NULL}};
    int64_t from_us, to_us;
    uint64_t limit = DEFAULT_ROWS;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc > 0)
        return cli_usage("ledger: unexpected argument \"%s\"", argv[1]);
    if (limit_text && (view_u64(view_str(limit_text), ROWS_MAX, &limit) < 0 || limit == 0))
        return cli_usage("--limit %s: write a number of 1..%d", limit_text, ROWS_MAX);
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &from_us, &to_us, &err);
    return rc < 0 ? cli_fail(rc, &err) : print_ledger(cli, from_us, to_us, (int)limit, &err);
}
