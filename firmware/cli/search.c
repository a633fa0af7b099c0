/* `azekura search`: pages of the database's search, printed as they come. */
#include "store/search.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/entry.h"
#include "cli/options.h"
#include "cli/text.h"
#include "query/query.h"

#define DEFAULT_LIMIT 100
#define ID_MAX 64
/* Words joined to more than this are refused without being looked at. */
#define JOINED_MAX_BYTES (2 * QUERY_MAX_BYTES)

enum format { TEXT, JSON, RAW };

struct output {
    enum format format;
    const struct zone *zone;
    struct buf line;
    char last_id[ID_MAX]; /* the cursor of the next page */
};

static int print_entry(void *context, const struct search_entry *e, struct err *err)
{
    (void)err;
    struct output *o = context;
    buf_clear(&o->line);
    snprintf(o->last_id, sizeof(o->last_id), "%.*s", VIEW_ARG(e->id));
    if (o->format == TEXT) {
        entry_add_text(&o->line, e, o->zone);
    } else if (o->format == JSON) {
        entry_add_json(&o->line, e);
    } else {
        buf_add_view(&o->line, e->raw);
    }
    buf_add_char(&o->line, '\n');
    fwrite(o->line.p, 1, o->line.n, stdout);
    return ferror(stdout) ? 1 : 0;
}

/* The words with blanks between them, as they were typed. */
static void join_words(struct buf *out, int words, char **argv)
{
    for (int i = 1; i <= words; i++) {
        if (i > 1)
            buf_add_char(out, ' ');
        buf_add_str(out, argv[i]);
    }
}

static int parse_limit(const char *text, int64_t *ret)
{
    uint64_t n = 0;
    if (strcmp(text, "all") == 0) {
        *ret = INT64_MAX;
        return 0;
    }
    if (view_u64(view_str(text), INT64_MAX, &n) < 0 || n == 0)
        return -EINVAL;
    *ret = (int64_t)n;
    return 0;
}

/* Page after page until `limit` are printed or no more come.  Returns how many, or negative. */
static int64_t run_pages(struct cli *cli, struct search_request *q, int64_t limit, struct output *o,
                         struct err *err)
{
    int64_t found = 0;
    char cursor[ID_MAX] = "";
    struct search_scan scan;
    while (found < limit) {
        q->limit = (int)MIN(limit - found, (int64_t)SEARCH_LIMIT_MAX);
        q->cursor = cursor[0] ? cursor : NULL;
        scan = (struct search_scan){.is_complete = true};
        int n = search_run(cli->db, q, print_entry, o, &scan, err);
        if (n < 0)
            return n;
        found += n;
        if (scan.damaged > 0)
            fprintf(stderr,
                    "azekura: %lld damaged blocks were passed over; azekura verify names them\n",
                    (long long)scan.damaged);
        if (n < q->limit || ferror(stdout))
            break;
        memcpy(cursor, o->last_id, sizeof(cursor));
    }
    return found;
}

/* The sentence, the query, and a mark under the fault. */
static int fail_query(struct view query, const struct query_error *e)
{
    fprintf(stderr, "azekura: query: %s\n", e->message);
    bool is_one_line = utf8_is_clean(query) && query.n <= QUERY_MAX_BYTES &&
                       !memchr(query.p, '\n', query.n);
    if (is_one_line) {
        int before = text_columns(view_of(query.p, e->at));
        int marked = text_columns(view_of(query.p + e->at, e->length));
        fprintf(stderr, "  %.*s\n  %*s^", VIEW_ARG(query), before, "");
        while (--marked > 0)
            fputc('^', stderr);
        fputc('\n', stderr);
    }
    return CLI_USAGE;
}

/* Before the database is asked, so that the place of a fault can be shown. */
static int check_query(struct view query)
{
    struct arena arena = ARENA_INIT;
    const struct query_node *q;
    struct query_error e;
    int code = query_parse(&arena, query, &q, &e) < 0 ? fail_query(query, &e) : CLI_OK;
    arena_done(&arena);
    return code;
}

static int run(struct cli *cli, struct search_request *q, int64_t limit, struct output *o)
{
    struct err err;
    int64_t found = run_pages(cli, q, limit, o, &err);
    buf_free(&o->line);
    if (found < 0)
        return cli_fail((int)found, &err);
    return found > 0 ? CLI_OK : CLI_NOTHING;
}

/* What the options say, as text. */
struct arguments {
    const char *from, *to, *limit, *order, *format;
};

static int check_arguments(const struct arguments *a, int64_t *ret_limit, enum format *ret_format)
{
    if (a->limit && parse_limit(a->limit, ret_limit) < 0)
        return cli_usage("--limit %s: write a number from 1 on, or all", a->limit);
    if (strcmp(a->order, "asc") != 0 && strcmp(a->order, "desc") != 0)
        return cli_usage("--order %s: write asc (oldest first) or desc (newest first)", a->order);
    static const char *const formats[] = {"text", "json", "raw"};
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (strcmp(a->format, formats[i]) == 0) {
            *ret_format = (enum format)i;
            return CLI_OK;
        }
    }
    return cli_usage("--format %s: write text, json or raw", a->format);
}

static int search(struct cli *cli, const struct arguments *a, const char *query, int64_t limit,
                  enum format format)
{
    struct err err;
    struct search_request q = {.query = query,
                               .is_ascending = strcmp(a->order, "asc") == 0,
                               .only_raw = format == RAW,
                               .watch_fd = -1};
    int rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, a->from, a->to, &q.from_us, &q.to_us, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    struct output o = {.format = format, .zone = cli_zone(cli), .line = BUF_INIT(ENTRY_MAX_BYTES)};
    return run(cli, &q, limit, &o);
}

int cli_search(struct cli *cli, int argc, char **argv)
{
    struct err err;
    struct arguments a = {.order = "desc", .format = "text"};
    const struct option_spec specs[] = {{"from", &a.from, NULL},
                                        {"to", &a.to, NULL},
                                        {"limit", &a.limit, NULL},
                                        {"order", &a.order, NULL},
                                        {"format", &a.format, NULL}};
    int64_t limit = DEFAULT_LIMIT;
    enum format format = TEXT;
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0)
        return cli_fail(words, &err);
    int code = check_arguments(&a, &limit, &format);
    if (code != CLI_OK)
        return code;
    struct buf query = BUF_INIT(JOINED_MAX_BYTES);
    join_words(&query, words, argv);
    code = query.is_full ? cli_usage("the query is longer than %d bytes", QUERY_MAX_BYTES)
                         : check_query(buf_view(&query));
    if (code == CLI_OK)
        code = search(cli, &a, buf_str(&query), limit, format);
    buf_free(&query);
    return code;
}
