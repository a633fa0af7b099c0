/* Profiles: reading the files, the command line's changes, a test for every rate. */
#include "bench/run/profile.h"

#include <dirent.h>
#include <sys/stat.h>

#include "bench/figure.h"
#include "bench/suggest.h"

#define SUFFIX ".profile"
#define PROFILES_MAX 256

/* ---- reading ---- */

static bool is_name(struct view v)
{
    for (size_t i = 0; i < v.n; i++)
        if ((unsigned char)v.p[i] < ' ' || v.p[i] == ']')
            return false;
    return v.n > 0;
}

static int add_test(struct profile *p, struct view name, struct err *err)
{
    if (!is_name(name) || name.n >= sizeof(p->tests[0].name))
        return err_set(err, EINVAL, "bad_section",
                       "the name of a section is 1 to %zu printable bytes",
                       sizeof(p->tests[0].name) - 1);
    if (p->tests_n == PROFILE_TESTS_MAX)
        return err_set(err, EINVAL, "too_many", "more than %d sections", PROFILE_TESTS_MAX);
    struct profile_test *t = &p->tests[p->tests_n];
    *t = p->defaults;
    snprintf(t->name, sizeof(t->name), "%.*s", VIEW_ARG(name));
    for (size_t i = 0; i < p->tests_n; i++)
        if (strcmp(p->tests[i].name, t->name) == 0)
            return err_set(err, EINVAL, "twice", "section [%s] is there twice", t->name);
    p->tests_n++;
    return 0;
}

static int read_line(struct profile *p, struct view line, struct err *err)
{
    line = view_trim(line);
    if (line.n == 0 || line.p[0] == '#')
        return 0;
    if (line.p[0] == '[') {
        if (line.p[line.n - 1] != ']')
            return err_set(err, EINVAL, "bad_section", "a section needs a ']' at its end");
        return add_test(p, view_trim(view_of(line.p + 1, line.n - 2)), err);
    }
    const char *equals = memchr(line.p, '=', line.n);
    if (equals == NULL)
        return err_set(err, EINVAL, "bad_line",
                       "neither \"key = value\" nor a [section] nor a # comment");
    struct view key = view_trim(view_of(line.p, (size_t)(equals - line.p)));
    struct view value = view_trim(view_of(equals + 1, line.n - (size_t)(equals + 1 - line.p)));
    char key_text[64], value_text[1024];
    if (key.n == 0 || key.n >= sizeof(key_text) || value.n >= sizeof(value_text))
        return err_set(err, EINVAL, "bad_line",
                       "a key of 1 to %zu and a value of at most %zu bytes", sizeof(key_text) - 1,
                       sizeof(value_text) - 1);
    snprintf(key_text, sizeof(key_text), "%.*s", VIEW_ARG(key));
    snprintf(value_text, sizeof(value_text), "%.*s", VIEW_ARG(value));
    if (p->tests_n > 0 && profile_key_is_of_run(key_text))
        return err_set_field(err, EINVAL, "bad_place", key_text,
                             "%s belongs to the run: it must stand before the first section",
                             key_text);
    struct profile_test *t = p->tests_n ? &p->tests[p->tests_n - 1] : &p->defaults;
    int rc = profile_set(p, t, key_text, value_text, err);
    const char *near = rc == -ENOENT ? profile_key_near(key_text) : NULL;
    if (near != NULL)
        return err_set_field(err, EINVAL, "unknown_key", key_text,
                             "unknown key %s; did you mean %s?", key_text, near);
    return rc == -ENOENT ? -EINVAL : rc;
}

/* What the keys of one test must be to each other. */
static int check_test(const struct profile *p, const struct profile_test *t, struct err *err)
{
    static const int64_t least[] = {
        [LOAD_MIX] = 0, [LOAD_LOGGEN] = 127, [LOAD_COMPACT] = LOAD_COMPACT_MIN};
    if (t->size != 0 && t->size < least[t->layout])
        return err_set_field(err, EINVAL, "bad_value", "size",
                             "[%s] size = %lld: this layout has at least %lld bytes", t->name,
                             (long long)t->size, (long long)least[t->layout]);
    if (t->find == PROFILE_FIND_KNEE &&
        !(t->min_rate <= t->start_rate && t->start_rate <= t->max_rate))
        return err_set_field(err, EINVAL, "bad_value", "start_rate",
                             "[%s] start_rate = %.10g: not from min_rate %.10g to max_rate %.10g",
                             t->name, t->start_rate, t->min_rate, t->max_rate);
    if (t->ports > t->connections)
        return err_set_field(err, EINVAL, "bad_value", "ports",
                             "[%s] ports = %lld: more than its %lld connections", t->name,
                             (long long)t->ports, (long long)t->connections);
    if (t->loggens > t->connections)
        return err_set_field(err, EINVAL, "bad_value", "loggens",
                             "[%s] loggens = %lld: more than its %lld connections", t->name,
                             (long long)t->loggens, (long long)t->connections);
    if (t->rate_percent <= 0)
        return 0;
    for (const struct profile_test *e = p->tests; e < t; e++)
        if (e->find == PROFILE_FIND_KNEE)
            return 0;
    return err_set_field(err, EINVAL, "bad_value", "rate_percent",
                         "[%s] rate_percent: no test before it has find = knee", t->name);
}

static int check(const struct profile *p, struct err *err)
{
    if (p->tests_n == 0)
        return err_set(err, EINVAL, "no_tests", "it has no [section], so there is nothing to do");
    for (size_t i = 0; i < p->tests_n; i++)
        if (check_test(p, &p->tests[i], err) < 0)
            return -EINVAL;
    return 0;
}

int profile_parse(const char *file, const char *text, struct profile *ret, struct err *err)
{
    struct profile *p = xmalloc(sizeof(*p));
    profile_defaults(p);
    int rc = 0, number = 0;
    for (const char *at = text; rc == 0 && *at;) {
        size_t n = strcspn(at, "\n");
        number++;
        rc = read_line(p, view_of(at, n), err);
        at += n + (at[n] == '\n');
    }
    if (rc < 0)
        err_prefix(err, "%s, line %d: ", file, number);
    else if ((rc = check(p, err)) < 0)
        err_prefix(err, "%s: ", file);
    if (rc == 0)
        *ret = *p;
    free(p);
    return rc;
}

/* ---- files ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t profile_list(const char *folder, char ***ret)
{
    char **names = xcalloc(PROFILES_MAX, sizeof(*names));
    DIR *dir = opendir(folder);
    size_t n = 0;
    for (struct dirent *e; dir && n < PROFILES_MAX && (e = readdir(dir)) != NULL;) {
        size_t length = strlen(e->d_name), suffix = strlen(SUFFIX);
        if (e->d_name[0] == '.' || length <= suffix ||
            strcmp(e->d_name + length - suffix, SUFFIX) != 0)
            continue;
        names[n] = xstrdup(e->d_name);
        names[n++][length - suffix] = 0;
    }
    if (dir)
        closedir(dir);
    qsort(names, n, sizeof(*names), compare_names);
    *ret = names;
    return n;
}

void profile_list_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

static int no_such_profile(const char *folder, const char *name, struct err *err)
{
    char **names, known[300] = "";
    size_t n = profile_list(folder, &names), used = 0;
    const char *near = suggest_near(name, (const char *const *)names, n);
    char *hint = near ? xasprintf("; did you mean %s?", near) : xstrdup("");
    for (size_t i = 0; i < n && used < sizeof(known); i++)
        used +=
            (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", names[i]);
    int rc = err_set_field(err, ENOENT, "no_profile", "profile",
                           "there is no profile %s%s (there are: %s)", name, hint,
                           n ? known : "none");
    free(hint);
    profile_list_free(names, n);
    return rc;
}

/* The file's text, to be freed; NULL and *err. */
static char *read_file(const char *path, int *rc, struct err *err)
{
    FILE *f = fopen(path, "re");
    struct stat st;
    char *text = NULL;
    *rc = 0;
    if (f == NULL || fstat(fileno(f), &st) < 0)
        *rc = err_set(err, errno, "cannot_read", "cannot read %s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode) || st.st_size > PROFILE_FILE_MAX_BYTES)
        *rc = err_set(err, EINVAL, "cannot_read", "%s: not a file of at most %d bytes", path,
                      PROFILE_FILE_MAX_BYTES);
    if (*rc == 0) {
        text = xcalloc(1, PROFILE_FILE_MAX_BYTES + 1);
        size_t n = fread(text, 1, PROFILE_FILE_MAX_BYTES, f);
        if (ferror(f) || memchr(text, 0, n) != NULL) {
            *rc = err_set(err, EINVAL, "cannot_read", "%s: cannot be read, or holds a NUL", path);
            free(text);
            text = NULL;
        }
    }
    if (f)
        fclose(f);
    return text;
}

int profile_load(const char *folder, const char *name, struct profile *ret, struct err *err)
{
    bool is_path = strchr(name, '/') != NULL;
    char *path = is_path ? xstrdup(name) : xasprintf("%s/%s" SUFFIX, folder, name);
    int rc;
    char *text = read_file(path, &rc, err);
    if (text != NULL)
        rc = profile_parse(path, text, ret, err);
    else if (rc == -ENOENT && !is_path)
        rc = no_such_profile(folder, name, err);
    if (rc == 0) {
        const char *base = strrchr(path, '/') + 1, *dot = strrchr(base, '.');
        int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
        snprintf(ret->name, sizeof(ret->name), "%.*s", length, base);
    }
    free(text);
    free(path);
    return rc;
}

/* ---- the command line's changes ---- */

bool profile_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        if (n == length && n > 0 && memcmp(p, word, n) == 0)
            return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

int profile_override(struct profile *p, const char *key, const char *value, struct err *err)
{
    if (!profile_has_word(p->options, key))
        return err_set_field(err, EINVAL, "no_option", key,
                             "profile %s does not take --%s; it takes: %s", p->name, key,
                             p->options[0] ? p->options : "nothing");
    for (size_t i = 0; i < p->tests_n; i++) {
        int rc = profile_set(p, &p->tests[i], key, value, err);
        if (rc < 0) {
            err_prefix(err, "--");
            return -EINVAL;
        }
    }
    return check(p, err);
}

int profile_expand(struct profile *p, struct err *err)
{
    struct profile_test *all = xcalloc(PROFILE_TESTS_MAX, sizeof(*all));
    size_t n = 0;
    for (size_t i = 0; i < p->tests_n; i++) {
        const struct profile_test *t = &p->tests[i];
        for (size_t r = 0; r < t->rates.n; r++) {
            if (n == PROFILE_TESTS_MAX) {
                free(all);
                return err_set(err, E2BIG, "too_many", "more than %d tests", PROFILE_TESTS_MAX);
            }
            all[n] = *t;
            all[n].rates = (struct profile_rates){.at = {t->rates.at[r]}, .n = 1};
            n++;
            if (t->find != PROFILE_FIND_NOTHING || t->rate_percent > 0)
                break;
        }
    }
    memcpy(p->tests, all, n * sizeof(*all));
    p->tests_n = n;
    free(all);
    return 0;
}

/* ---- names ---- */

static void rate_title(const struct profile_test *t, bool is_ja, char *ret, size_t n)
{
    if (t->find == PROFILE_FIND_KNEE)
        snprintf(ret, n, "%s", is_ja ? "最大レート" : "highest rate");
    else if (t->rate_percent > 0)
        snprintf(ret, n, is_ja ? "最大レートの %.10g %%" : "%.10g %% of the highest rate",
                 t->rate_percent);
    else if (t->rates.at[0] > 0)
        snprintf(ret, n, is_ja ? "毎秒 %s 件" : "%s msg/s", figure_rate(t->rates.at[0]).s);
    else
        snprintf(ret, n, "%s", is_ja ? "速度制限なし" : "as fast as it takes");
}

void profile_test_title(const struct profile_test *t, char *ret, size_t n)
{
    static const char *const by[TARGET_TRANSPORTS] = {"UDP", "TCP", "TLS", "unix datagrams",
                                                      "a unix stream"};
    char rate[96], many[96] = "";
    rate_title(t, false, rate, sizeof(rate));
    if (t->loggens > 1)
        snprintf(many, sizeof(many), ", %lld × %lld connections to %s", (long long)t->loggens,
                 (long long)(t->connections / t->loggens),
                 t->ports > 1 ? "a port each" : "one port");
    else if (t->connections > 1)
        snprintf(many, sizeof(many), ", %lld connections", (long long)t->connections);
    snprintf(ret, n, "%s by %s%s%s%s", rate, by[t->transport], many,
             t->searches ? ", searches at once" : "", t->kills ? ", killed meanwhile" : "");
}

void profile_test_title_ja(const struct profile_test *t, char *ret, size_t n)
{
    static const char *const by[TARGET_TRANSPORTS] = {"UDP", "TCP", "TLS", "UNIX データグラム",
                                                      "UNIX ストリーム"};
    char rate[96], many[96] = "";
    rate_title(t, true, rate, sizeof(rate));
    if (t->loggens > 1)
        snprintf(many, sizeof(many), "、%lld × %lld 接続（%s）", (long long)t->loggens,
                 (long long)(t->connections / t->loggens),
                 t->ports > 1 ? "ポートは別々" : "同じポート");
    else if (t->connections > 1)
        snprintf(many, sizeof(many), "、%lld 接続", (long long)t->connections);
    snprintf(ret, n, "%s %s%s%s%s", by[t->transport], rate, many, t->searches ? "、検索と同時" : "",
             t->kills ? "、途中で強制終了" : "");
}

bool profile_test_is_for(const struct profile_test *t, const char *target)
{
    return (t->only[0] == 0 || profile_has_word(t->only, target)) &&
           !profile_has_word(t->except, target);
}
