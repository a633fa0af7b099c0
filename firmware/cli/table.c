/* Tables (table.h). */
#include "cli/table.h"

#include "cli/options.h"

#include "cli/text.h"
#include "cli/when.h"

#define CELL_MAX_BYTES 32768
#define JSON_MAX_BYTES (32u << 20)
#define COLUMNS_MAX 16

/* ["a","b"] without what is there for programs; escapes stay as they are. */
static void add_list(struct buf *out, struct view json)
{
    struct buf text = BUF_INIT(CELL_MAX_BYTES);
    bool is_inside = false;
    for (size_t i = 0; i < json.n; i++) {
        char c = json.p[i];
        if (c == '"')
            is_inside = !is_inside;
        else if (is_inside)
            buf_add_char(&text, c);
        else if (c == ',')
            buf_add_str(&text, ", ");
        if (is_inside && c == '\\' && i + 1 < json.n)
            buf_add_char(&text, json.p[++i]);
    }
    text_add_visible(out, buf_view(&text));
    buf_free(&text);
}

/* A cell as it is printed, in `out`. */
static void add_cell(struct buf *out, const PGresult *r, int row, const struct table_column *c,
                     const struct zone *zone)
{
    char text[MAX(TEXT_NUMBER_MAX, WHEN_MAX)];
    int64_t us;
    int column = PQfnumber(r, c->name);
    CHECK(column >= 0);
    const char *value = PQgetvalue(r, row, column);
    buf_clear(out);
    if (PQgetisnull(r, row, column)) {
        buf_add_char(out, '-');
        return;
    }
    switch (c->kind) {
    case TABLE_NUMBER:
        buf_add_str(out, text_number(store_number(r, row, column), text));
        return;
    case TABLE_BYTES:
        buf_add_str(out, text_bytes(store_number(r, row, column), text));
        return;
    case TABLE_TIME:
        if (rfc3339_parse(view_str(value), &us) == 0) {
            when_format(us, zone, text);
            buf_printf(out, "%.19s", text);
            return;
        }
        break;
    case TABLE_LIST:
        add_list(out, view_str(value));
        return;
    case TABLE_TEXT:
        break;
    }
    text_add_visible(out, view_str(value));
}

static bool is_right(const struct table_column *c)
{
    return c->kind == TABLE_NUMBER || c->kind == TABLE_BYTES;
}

static void print_cell(struct view text, const struct table_column *c, int width, bool is_last)
{
    int pad = MAX(0, width - text_columns(text));
    if (is_right(c))
        printf("%*s%.*s", pad, "", VIEW_ARG(text));
    else
        printf("%.*s%*s", VIEW_ARG(text), is_last ? 0 : pad, "");
    fputs(is_last ? "\n" : "  ", stdout);
}

int table_print(const PGresult *r, const struct table_column *columns, size_t n,
                const struct zone *zone)
{
    int widths[COLUMNS_MAX], rows = PQntuples(r);
    struct buf cell = BUF_INIT(CELL_MAX_BYTES);
    CHECK(n <= COLUMNS_MAX);
    for (size_t c = 0; c < n; c++) {
        widths[c] = text_columns(view_str(columns[c].heading));
        for (int row = 0; row < rows; row++) {
            add_cell(&cell, r, row, &columns[c], zone);
            widths[c] = MAX(widths[c], text_columns(buf_view(&cell)));
        }
    }
    for (size_t c = 0; c < n && rows > 0; c++)
        print_cell(view_str(columns[c].heading), &columns[c], widths[c], c + 1 == n);
    for (int row = 0; row < rows; row++) {
        for (size_t c = 0; c < n; c++) {
            add_cell(&cell, r, row, &columns[c], zone);
            print_cell(buf_view(&cell), &columns[c], widths[c], c + 1 == n);
        }
    }
    buf_free(&cell);
    return rows;
}

int table_report(struct cli *cli, const char *title, enum report what, const char *const *values,
                 const struct table_column *columns, size_t n, struct err *err)
{
    PGresult *r = NULL;
    int rc = report_rows(cli->db, what, values, &r, err);
    if (rc < 0)
        return rc;
    if (title && PQntuples(r) > 0)
        printf("\n%s\n", title);
    rc = table_print(r, columns, n, cli_zone(cli));
    PQclear(r);
    return rc;
}

int table_json(struct cli *cli, const char *key, enum report what, const char *const *values,
               struct err *err)
{
    struct buf out = BUF_INIT(JSON_MAX_BYTES);
    int rc = report_json(cli->db, what, values, &out, err);
    if (rc == 0 && key)
        printf("\"%s\":", key);
    if (rc == 0)
        fwrite(out.p, 1, out.n, stdout);
    buf_free(&out);
    return rc;
}

int table_format(const char *format, bool is_json_flag, bool *ret_is_json)
{
    if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return cli_usage("--format %s: write text or json", format);
    if (format && strcmp(format, "text") == 0 && is_json_flag)
        return cli_usage("--format text and --json exclude each other");
    *ret_is_json = is_json_flag || (format && strcmp(format, "json") == 0);
    return 0;
}

int table_begin(struct cli *cli, int argc, char **argv, bool *ret_is_json)
{
    struct err err;
    const char *format = NULL;
    bool is_json = false;
    const struct option_spec specs[] = {{"format", &format, NULL}, {"json", NULL, &is_json}};
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    if (rc > 0)
        return cli_usage("%s: unexpected argument \"%s\"", argv[0], argv[1]);
    int code = table_format(format, is_json, ret_is_json);
    if (code != 0)
        return code;
    rc = cli_connect(cli, "azekura", &err);
    return rc < 0 ? cli_fail(rc, &err) : CLI_OK;
}

const struct table_column table_listeners[] = {
    {"name", "LISTENER", TABLE_TEXT},        {"wanted", "WANTED", TABLE_TEXT},
    {"bound", "LISTENS ON", TABLE_TEXT},     {"received", "MESSAGES", TABLE_NUMBER},
    {"bytes", "BYTES", TABLE_BYTES},         {"connections", "CONNECTIONS", TABLE_NUMBER},
    {"buffer_bytes", "BUFFER", TABLE_BYTES}, {"kernel_dropped", "DROPPED", TABLE_NUMBER},
    {"error", "ERROR", TABLE_TEXT},
};
const size_t table_listeners_n = ARRAY_LEN(table_listeners);

int table_receiver_age(struct cli *cli, int64_t *ret_us, struct err *err)
{
    PGresult *r = NULL;
    int rc = report_rows(cli->db, REPORT_RECEIVER_DETAIL, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret_us = PQntuples(r) > 0 ? store_number(r, 0, PQfnumber(r, "age_us")) : TIME_NONE;
    PQclear(r);
    return 0;
}
