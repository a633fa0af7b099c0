/* Rows of the database as a table for people, or as JSON for programs. */
#ifndef AZEKURA_CLI_TABLE_H
#define AZEKURA_CLI_TABLE_H

#include "cli/cli.h"
#include "store/report.h"

enum table_kind {
    TABLE_TEXT,
    TABLE_NUMBER, /* "1,234", to the right; null: "-" */
    TABLE_BYTES,  /* "3.4 GB", to the right */
    TABLE_LIST,   /* of texts, as JSON: "a, b" */
    TABLE_TIME,   /* RFC 3339, shown in the box's zone to the second */
};
struct table_column {
    const char *name;    /* of the result; missing there: the program is broken */
    const char *heading; /* "NETWORK" */
    enum table_kind kind;
};

/* Columns as wide as they need; what is a stranger's is made visible.  The last one is not padded.
 * Nothing for no rows.  Returns how many rows. */
int table_print(const PGresult *r, const struct table_column *columns, size_t n,
                const struct zone *zone);
/* Both at once: ask and print, with `title` above where there are rows.  Returns rows, or negative
 * and *err. */
MUST_USE int table_report(struct cli *cli, const char *title, enum report what,
                          const char *const *values, const struct table_column *columns, size_t n,
                          struct err *err);

/* A report as a member `key` of a JSON object that the caller opens and closes (NULL: alone);
 * negative and *err. */
MUST_USE int table_json(struct cli *cli, const char *key, enum report what,
                        const char *const *values, struct err *err);

/* --format text|json, and --json: 0 and *ret, or the exit code of a complaint. */
int table_format(const char *format, bool is_json_flag, bool *ret_is_json);

/* The arguments of a command that only shows: --format and --json; and a connection.  CLI_OK, or
 * the exit code of a complaint. */
int table_begin(struct cli *cli, int argc, char **argv, bool *ret_is_json);

/* How old the receiver's last word is; TIME_NONE: there is none.  0, or negative and *err. */
MUST_USE int table_receiver_age(struct cli *cli, int64_t *ret_us, struct err *err);

/* Of REPORT_RECEIVER_LISTENERS. */
extern const struct table_column table_listeners[];
extern const size_t table_listeners_n;

#endif
