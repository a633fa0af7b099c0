/* The table of settings: one row of settings.def is one setting; from it come the struct, the
 * parser, the range check, --help, the API schema and the form. */
#ifndef AZEKURA_CONFIG_H
#define AZEKURA_CONFIG_H

#include "base/err.h"
#include "base/view.h"
#include "base/buf.h"

enum setting_type {
    SETTING_STRING,
    SETTING_INT,
    SETTING_ADDRESS,
    SETTING_ZONE,
    SETTING_HOSTS,
    SETTING_CHOICE,
    SETTING_ADDRESSES, /* config/addresses.h */
};
enum setting_scope {
    SETTING_FILE, /* only in the configuration file: needed before the database can be asked */
    SETTING_LIVE, /* in the file or the database (the database wins); takes effect without restart
                   */
    SETTING_RESTART, /* the same; takes effect when the daemon starts again */
};

struct setting {
    const char *name; /* "store.flush_ms" */
    enum setting_type type;
    enum setting_scope scope;
    const char *default_value; /* as text */
    int64_t min, max;          /* INT: range; STRING: length in bytes */
    const char *unit;          /* "ms", "bytes", "messages", "" */
    const char *choices;       /* CHOICE: "trim|shed|borrow|warn" */
    const char *help_en, *help_ja;
    size_t offset; /* in struct config */
};

#define CONFIG_STRING_MAX 256
/* The least storage.capacity_bytes that is not 0 (the whole file system): below it not even an
 * empty database and the receiver's own files have room, and "500", meant as GB, would delete all
 * logs. */
#define STORAGE_CAPACITY_MIN_BYTES 200000000

struct config {
#define STRING(member, ...) char member[CONFIG_STRING_MAX];
#define INT(member, ...) int64_t member;
#define CHOICE(member, ...) char member[CONFIG_STRING_MAX];
#include "config/settings.def"
#undef STRING
#undef INT
#undef CHOICE
};

extern const struct setting config_settings[];
extern const size_t config_settings_n;

void config_defaults(struct config *c);
/* NULL with *err "unknown setting …, did you mean …" */
const struct setting *config_find(struct view name, struct err *err);
/* Check a value and put it into *c.  Negative and *err (code, field, sentence with value and
 * limit). */
MUST_USE int config_set(struct config *c, const struct setting *s, struct view value,
                        struct err *err);
/* The value as text. */
void config_get(const struct config *c, const struct setting *s, struct buf *out);
/* Read "name = value" lines; '#' starts a comment line.  All or nothing: *c is unchanged on
 * failure. *err says file and line. */
MUST_USE int config_load(struct config *c, const char *path, struct err *err);
/* The table of settings for --help. */
void config_help(FILE *out);

/* The command line every daemon has: --config FILE, --help, --version.  Loads the file into *c.
 * Returns 0 to go on, 1 when it printed help or version (exit 0), or negative and *err (exit 2). */
MUST_USE int config_command_line(int argc, char **argv, const char *what, struct config *c,
                                 struct err *err);

#endif
