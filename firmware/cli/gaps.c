/* `azekura gaps`: what senders lost on the way here, by the sequence numbers of their messages. */
#include "store/gap.h"

#include "base/ip.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/text.h"

#define ROWS_DEFAULT 100
#define ROWS_MAX 100000

struct printing {
    bool is_json;
    int rows;
};

static void print_gap(void *context, const struct gap_row *r)
{
    struct printing *p = context;
    char missing[TEXT_NUMBER_MAX], repeated[TEXT_NUMBER_MAX];
    if (p->is_json)
        printf("%s{\"listener\":\"%s\",\"source\":\"%s\",\"missing\":%lld,\"repeated\":%lld}",
               p->rows > 0 ? "," : "", r->listener, r->source, (long long)r->counts.missing,
               (long long)r->counts.repeated);
    else if (p->rows == 0)
        printf("%-40s %-8s %16s %16s\n", "SOURCE", "LISTENER", "MISSING", "REPEATED");
    if (!p->is_json)
        printf("%-40s %-8s %16s %16s\n", r->source, r->listener,
               text_number(r->counts.missing, missing), text_number(r->counts.repeated, repeated));
    p->rows++;
}

static int print_gaps(struct cli *cli, int64_t from_us, int64_t to_us, const char *source,
                      int limit, bool is_json)
{
    struct err err;
    struct printing p = {.is_json = is_json};
    if (is_json)
        printf("{\"totals\":[");
    int rc = gap_read_sums(cli->db, from_us, to_us, source, limit, print_gap, &p, &err);
    if (is_json)
        puts("]}");
    if (rc < 0)
        return cli_fail(rc, &err);
    if (!is_json && rc == limit)
        printf("(the %d with the most missing; --limit shows more)\n", limit);
    return rc > 0 ? CLI_OK : CLI_NOTHING;
}

int cli_gaps(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = "-1d", *to = NULL, *limit_text = NULL, *source = NULL, *format = NULL;
    bool has_json = false, is_json = false;
    const struct option_spec specs[] = {
        {"from", &from, NULL},     {"to", &to, NULL},         {"limit", &limit_text, NULL},
        {"source", &source, NULL}, {"format", &format, NULL}, {"json", NULL, &has_json},
    };
    int64_t from_us, to_us;
    uint64_t limit = ROWS_DEFAULT;
    struct ip ip;
    char address[IP_TEXT_MAX];
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("gaps: unexpected argument \"%s\"", argv[1]);
    if (limit_text && (view_u64(view_str(limit_text), ROWS_MAX, &limit) < 0 || limit == 0))
        return cli_usage("--limit %s: write a number of 1..%d", limit_text, ROWS_MAX);
    if (source && ip_parse(view_str(source), &ip) < 0)
        return cli_usage("--source %s: it is not an address", source);
    if (source)
        ip_format(&ip, address);
    int code = table_format(format, has_json, &is_json);
    if (code != 0)
        return code;
    rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &from_us, &to_us, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    return print_gaps(cli, from_us, to_us, source ? address : NULL, (int)limit, is_json);
}
