/* The table of settings, made from settings.def, and everything that can be done with one row. */
#include "config/config.h"

#include <getopt.h>

#include "base/ip.h"
#include "base/limits.h"
#include "base/zone.h"
#include "config/addresses.h"

#define CONFIG_FILE_MAX_BYTES 65536

const struct setting config_settings[] = {
#define STRING(member, name_, type_, scope_, default_, min_, max_, unit_, en, ja) \
    {.name = name_,                                                               \
     .type = type_,                                                               \
     .scope = scope_,                                                             \
     .default_value = default_,                                                   \
     .min = min_,                                                                 \
     .max = max_,                                                                 \
     .unit = unit_,                                                               \
     .help_en = en,                                                               \
     .help_ja = ja,                                                               \
     .offset = offsetof(struct config, member)},
#define INT(member, name_, scope_, default_, min_, max_, unit_, en, ja) \
    {.name = name_,                                                     \
     .type = SETTING_INT,                                               \
     .scope = scope_,                                                   \
     .default_value = #default_,                                        \
     .min = min_,                                                       \
     .max = max_,                                                       \
     .unit = unit_,                                                     \
     .help_en = en,                                                     \
     .help_ja = ja,                                                     \
     .offset = offsetof(struct config, member)},
#define CHOICE(member, name_, scope_, default_, choices_, en, ja) \
    {.name = name_,                                               \
     .type = SETTING_CHOICE,                                      \
     .scope = scope_,                                             \
     .default_value = default_,                                   \
     .min = 1,                                                    \
     .max = CONFIG_STRING_MAX - 1,                                \
     .unit = "",                                                  \
     .choices = choices_,                                         \
     .help_en = en,                                               \
     .help_ja = ja,                                               \
     .offset = offsetof(struct config, member)},
#include "config/settings.def"
#undef STRING
#undef INT
#undef CHOICE
};
const size_t config_settings_n = ARRAY_LEN(config_settings);

void config_defaults(struct config *c)
{
    memset(c, 0, sizeof(*c));
    for (size_t i = 0; i < config_settings_n; i++)
        CHECK(config_set(c, &config_settings[i], view_str(config_settings[i].default_value),
                         NULL) == 0);
}

/* Levenshtein distance of two short names, at most `limit` + 1. */
static unsigned distance(struct view a, struct view b, unsigned limit)
{
    unsigned row[CONFIG_STRING_MAX];
    if (a.n >= ARRAY_LEN(row) || b.n >= ARRAY_LEN(row))
        return limit + 1;
    for (unsigned j = 0; j <= b.n; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a.n; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= b.n; j++) {
            unsigned change = diagonal + (a.p[i - 1] != b.p[j - 1]);
            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.n];
}

const struct setting *config_find(struct view name, struct err *err)
{
    const struct setting *closest = NULL;
    unsigned best = 6; /* further away is no help */
    for (size_t i = 0; i < config_settings_n; i++) {
        struct view candidate = view_str(config_settings[i].name);
        if (view_eq(name, candidate))
            return &config_settings[i];
        unsigned d = distance(name, candidate, best);
        if (d < best) {
            best = d;
            closest = &config_settings[i];
        }
    }
    char shown[64];
    snprintf(shown, sizeof(shown), "%.*s", VIEW_ARG(name));
    if (closest != NULL)
        (void)err_set_field(err, ENOENT, "unknown_setting", shown,
                            "unknown setting \"%s\", did you mean \"%s\"", shown, closest->name);
    else
        (void)err_set_field(err, ENOENT, "unknown_setting", shown, "unknown setting \"%s\"", shown);
    return NULL;
}

static int bad_value(struct err *err, const struct setting *s, struct view value, const char *what)
{
    char shown[80];
    snprintf(shown, sizeof(shown), "%.*s%s", (int)MIN(value.n, (size_t)60), value.p ? value.p : "",
             value.n > 60 ? "…" : "");
    return err_set_field(err, EINVAL, "bad_value", s->name, "%s: \"%s\" %s", s->name, shown, what);
}

static int set_int(struct config *c, const struct setting *s, struct view value, struct err *err)
{
    bool is_negative = value.n > 0 && value.p[0] == '-';
    struct view digits = is_negative ? view_of(value.p + 1, value.n - 1) : value;
    uint64_t magnitude;
    char range[128];
    snprintf(range, sizeof(range), "is out of %lld..%lld%s%s", (long long)s->min, (long long)s->max,
             s->unit[0] ? " " : "", s->unit);
    int r = view_u64(digits, INT64_MAX, &magnitude);
    if (r == -EINVAL)
        return bad_value(err, s, value, "is not a whole number");
    int64_t number = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    if (r < 0 || number < s->min || number > s->max)
        return bad_value(err, s, value, range);
    if (s->offset == offsetof(struct config, capacity_bytes) && number > 0 &&
        number < STORAGE_CAPACITY_MIN_BYTES)
        return bad_value(
            err, s, value,
            "is below 200000000 bytes (200 MB), the least; 0 is the whole file system");
    memcpy((char *)c + s->offset, &number, sizeof(number));
    return 0;
}

static bool has_control(struct view v)
{
    for (size_t i = 0; i < v.n; i++)
        if ((unsigned char)v.p[i] < 0x20 || v.p[i] == 0x7f)
            return true;
    return false;
}

static int check_address(const struct setting *s, struct view value, struct err *err)
{
    struct ip ip;
    uint16_t port;
    if (value.n == 0 && s->min == 0)
        return 0;
    if (ip_port_parse(value, &ip, &port) < 0)
        return bad_value(err, s, value,
                         "is not ADDRESS:PORT, like 0.0.0.0:5514 or [::]:5514, port 0..65535");
    if (ip_is_multicast(&ip))
        return bad_value(err, s, value, "is a multicast address: name one of this box");
    return 0;
}

static int check_addresses(const struct setting *s, struct view value, struct err *err)
{
    struct addresses parsed;
    char what[ADDRESSES_WHY_MAX];
    return addresses_parse(value, &parsed, what) < 0 ? bad_value(err, s, value, what) : 0;
}

static int check_zone(const struct setting *s, const char *name, struct err *err)
{
    struct zone *z = NULL;
    struct err why;
    if (zone_load(name, &z, &why) < 0)
        return err_set_field(err, EINVAL, "bad_value", s->name,
                             "%s: \"%s\" is not a time zone of this box: %s", s->name, name,
                             why.message);
    zone_free(&z);
    return 0;
}

/* What the web server compares Host headers with: a URL or a name with a port would never be met.
 */
static int check_hosts(const struct setting *s, struct view value, struct err *err)
{
    for (size_t i = 0; i < value.n; i++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._, ",
                    value.p[i]))
            return bad_value(err, s, value,
                             "is not a list of host names, like logs.example.org, logs.lan");
    }
    return 0;
}

static int check_choice(const struct setting *s, struct view value, struct err *err)
{
    char what[160];
    for (const char *p = s->choices; *p;) {
        size_t n = strcspn(p, "|");
        if (view_eq(view_of(p, n), value))
            return 0;
        p += n + (p[n] == '|');
    }
    snprintf(what, sizeof(what), "is none of %s", s->choices);
    return bad_value(err, s, value, what);
}

static int set_string(struct config *c, const struct setting *s, struct view value, struct err *err)
{
    char text[CONFIG_STRING_MAX], what[96];
    snprintf(what, sizeof(what), "is %zu bytes long, allowed are %lld..%lld", value.n,
             (long long)s->min, (long long)s->max);
    if ((int64_t)value.n < s->min || (int64_t)value.n > s->max || value.n >= sizeof(text))
        return bad_value(err, s, value, what);
    if (has_control(value))
        return err_set_field(err, EINVAL, "bad_value", s->name, "%s: contains a control character",
                             s->name);
    snprintf(text, sizeof(text), "%.*s", VIEW_ARG(value));
    int r = s->type == SETTING_ADDRESS     ? check_address(s, value, err)
            : s->type == SETTING_ADDRESSES ? check_addresses(s, value, err)
            : s->type == SETTING_ZONE      ? check_zone(s, text, err)
            : s->type == SETTING_HOSTS     ? check_hosts(s, value, err)
            : s->type == SETTING_CHOICE    ? check_choice(s, value, err)
                                           : 0;
    if (r == 0)
        memcpy((char *)c + s->offset, text, sizeof(text));
    return r;
}

int config_set(struct config *c, const struct setting *s, struct view value, struct err *err)
{
    return s->type == SETTING_INT ? set_int(c, s, value, err) : set_string(c, s, value, err);
}

void config_get(const struct config *c, const struct setting *s, struct buf *out)
{
    const char *at = (const char *)c + s->offset;
    if (s->type == SETTING_INT) {
        int64_t number;
        memcpy(&number, at, sizeof(number));
        buf_printf(out, "%lld", (long long)number);
    } else {
        buf_add_str(out, at);
    }
}

/* One line of a configuration file: nothing, a comment, or "name = value". */
static int load_line(struct config *c, struct view line, struct err *err)
{
    line = view_trim(line);
    if (line.n == 0 || line.p[0] == '#')
        return 0;
    const char *equals = memchr(line.p, '=', line.n);
    if (equals == NULL)
        return err_set(err, EINVAL, "bad_line", "expected \"name = value\"");
    struct view name = view_trim(view_of(line.p, (size_t)(equals - line.p)));
    struct view value = view_trim(view_of(equals + 1, line.n - (size_t)(equals + 1 - line.p)));
    const struct setting *s = config_find(name, err);
    return s == NULL ? -ENOENT : config_set(c, s, value, err);
}

static int read_file(const char *path, struct buf *out, struct err *err)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return err_set(err, errno, "unreadable", "cannot read %s: %s", path, strerror(errno));
    char chunk[4096];
    size_t n;
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && buf_add(out, chunk, n) == 0)
        ;
    int error = ferror(f) ? EIO : 0;
    fclose(f);
    if (out->is_full)
        return err_set(err, EFBIG, "too_long", "%s is longer than %d bytes", path,
                       CONFIG_FILE_MAX_BYTES);
    return error ? err_set(err, error, "unreadable", "cannot read %s: %s", path, strerror(error))
                 : 0;
}

int config_load(struct config *c, const char *path, struct err *err)
{
    struct buf text = BUF_INIT(CONFIG_FILE_MAX_BYTES);
    struct config next = *c;
    int r = read_file(path, &text, err);
    unsigned number = 0;
    for (struct view rest = buf_view(&text); r == 0 && rest.n > 0;) {
        const char *end = memchr(rest.p, '\n', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n;
        number++;
        r = load_line(&next, view_of(rest.p, n), err);
        if (r < 0)
            err_prefix(err, "%s line %u: ", path, number);
        n += end != NULL;
        rest = view_of(rest.p + n, rest.n - n);
    }
    buf_free(&text);
    if (r == 0)
        *c = next;
    return r;
}

void config_help(FILE *out)
{
    static const char *const scopes[] = {"configuration file only", "takes effect at once",
                                         "takes effect at restart"};
    for (size_t i = 0; i < config_settings_n; i++) {
        const struct setting *s = &config_settings[i];
        fprintf(out, "  %s = %s%s%s\n      %s", s->name, s->default_value, s->unit[0] ? " " : "",
                s->unit, s->help_en);
        if (s->type == SETTING_INT)
            fprintf(out, " (%lld..%lld)", (long long)s->min, (long long)s->max);
        if (s->type == SETTING_CHOICE)
            fprintf(out, " (%s)", s->choices);
        fprintf(out, "; %s\n", scopes[s->scope]);
    }
}

static void print_help(const char *program, const char *what)
{
    printf("%s: %s\n\n"
           "usage: %s [--config FILE]\n\n"
           "  --config FILE  read settings from FILE (\"name = value\" lines, # for comments)\n"
           "  --help         this text\n"
           "  --version      the version\n\n"
           "Settings, their defaults and limits:\n\n",
           program, what, program);
    config_help(stdout);
}

int config_command_line(int argc, char **argv, const char *what, struct config *c, struct err *err)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'V'},
                                            {0}};
    const char *path = NULL, *slash = strrchr(argv[0], '/');
    const char *program = slash ? slash + 1 : argv[0];
    int option;
    base_claim_standard_files();
    config_defaults(c);
    opterr = 0;
    while ((option = getopt_long(argc, argv, "+:c:hV", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            path = optarg;
            break;
        case 'h':
            print_help(program, what);
            return 1;
        case 'V':
            printf("%s %s\n", program, AZEKURA_VERSION);
            return 1;
        case ':':
            return err_set(err, EINVAL, "usage", "%s needs a value, see --help", argv[optind - 1]);
        default:
            return err_set(err, EINVAL, "usage", "unknown option %s, see --help", argv[optind - 1]);
        }
    }
    if (optind < argc)
        return err_set(err, EINVAL, "usage", "unexpected argument \"%s\", see --help",
                       argv[optind]);
    return path ? config_load(c, path, err) : 0;
}
