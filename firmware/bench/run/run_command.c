/* The command lines of runs: options, the plan without a run (--dry-run), the list of profiles. */
#include "bench/run/run_command.h"

#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/run/run.h"
#include "bench/share.h"
#include "bench/run/sngbench.h"
#include "bench/suggest.h"

#define OVERRIDES_MAX 32
#define COMMAND_MAX_BYTES 8192

struct line {
    struct run_options run;
    const char *profile, *targets, *input, *seed;
    struct {
        const char *key, *value;
    } overrides[OVERRIDES_MAX];
    size_t overrides_n;
    bool is_dry, is_sure, is_help;
};

enum option_kind { OVERRIDE, PLACE, FLAG };

struct option {
    const char *name, *value; /* value: its name in the help; NULL for a flag */
    enum option_kind kind;
    size_t offset; /* in struct line */
    const char *help;
};

#define IN_LINE(member) offsetof(struct line, member)

static const struct option options[] = {
    {"target", "SPEC[,SPEC…]", PLACE, IN_LINE(targets),
     "box, azekura (a private instance), syslog-ng:maxperf, syslog-ng:distro,\n"
     "rsyslog:file, rsyslog:pgsql, sink; several are compared (default azekura)"},
    {"time", "S", OVERRIDE, 0, "how long each trial sends: 60, 90s, 10m, 1h"},
    {"rates", "A,B,…", OVERRIDE, 0, "messages/s, a test each"},
    {"size", "N", OVERRIDE, 0, "bytes of a message"},
    {"runs", "N", OVERRIDE, 0, "repetitions of every test"},
    {"connections", "N", OVERRIDE, 0, "sockets that send"},
    {"transport", "T", OVERRIDE, 0, "udp, tcp, tls, unix-dgram, unix-stream"},
    {"sources", "N", OVERRIDE, 0, "distinct sender addresses"},
    {"layout", "L", OVERRIDE, 0, "mix (realistic messages), compact, loggen"},
    {"searches", "N", OVERRIDE, 0, "mixed: searches at once"},
    {"kills", "N", OVERRIDE, 0, "crash: how often it is killed"},
    {"short-time", "S", OVERRIDE, 0, "knee: of the trials that search"},
    {"start-rate", "R", OVERRIDE, 0, "knee: the first rate tried"},
    {"min-rate", "R", OVERRIDE, 0, "knee: never less"},
    {"max-rate", "R", OVERRIDE, 0, "knee: never more"},
    {"precision-percent", "P", OVERRIDE, 0, "knee: how near the answer must be"},
    {"input", "FILE", PLACE, IN_LINE(input), "sngbench: tests from its input.txt"},
    {"out", "DIR", PLACE, IN_LINE(run.out), "where the run's folder is made (default out)"},
    {"id", "ID", PLACE, IN_LINE(run.id), "the folder's name (default DATE_PROFILE)"},
    {"seed", "N", PLACE, IN_LINE(seed), "of everything random in messages (default 1)"},
    {"api", "URL", PLACE, IN_LINE(run.api), "box: its API (default http://127.0.0.1:8080)"},
    {"token-file", "FILE", PLACE, IN_LINE(run.token_file), "box: a token (default $AZEKURA_TOKEN)"},
    {"syslog", "HOST:PORT", PLACE, IN_LINE(run.syslog), "box: where it takes messages"},
    {"peers", "DIR", PLACE, IN_LINE(run.peers_dir), "where other collectors were unpacked"},
    {"share", "DIR", PLACE, IN_LINE(run.share_dir), "profiles and drivers of targets"},
    {"quiet", NULL, FLAG, IN_LINE(run.is_quiet), "no progress"},
    {"json", NULL, FLAG, IN_LINE(run.has_json), "the report on standard output"},
    {"dry-run", NULL, FLAG, IN_LINE(is_dry), "say what would be done, and end"},
    {"yes", NULL, FLAG, IN_LINE(is_sure), "do not ask before a box in service is loaded"},
    {"help", NULL, FLAG, IN_LINE(is_help), "this text"},
};

static void print_help(FILE *out)
{
    fputs("usage: azekura-bench run PROFILE [options]\n"
          "       azekura-bench ladder|knee|steady|soak|mixed|crash|sngbench [options]\n\n"
          "Measures how many messages a second a collector stores, and names every loss.\n\n",
          out);
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        char left[64];
        const char *help = options[i].help;
        snprintf(left, sizeof(left), "--%s%s%s", options[i].name, options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
        /* columns are letters, and "…" is one of three bytes */
        int wide = strstr(left, "…") ? 26 : 24;
        for (const char *label = left; *help; label = "") {
            size_t n = strcspn(help, "\n");
            fprintf(out, "  %-*s %.*s\n", *label ? wide : 24, label, (int)n, help);
            help += n + (help[n] == '\n');
        }
    }
    fputs(
        "\nProfiles are files: azekura-bench profiles [--json] lists them, PROFILE may be a path.\n"
        "Exit codes: 0 pass; 1 fail or invalid; 2 a wrong option or value; 3 could not run;\n"
        "130 stopped by a signal.\n",
        out);
}

static int usage_error(const char *fmt, ...) PRINTF(1, 2);
static int usage_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("azekura-bench: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return RUN_USAGE;
}

static const struct option *find_option(const char *name, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (strlen(options[i].name) == n && memcmp(options[i].name, name, n) == 0)
            return &options[i];
    return NULL;
}

static int unknown_option(const char *word)
{
    const char *names[ARRAY_LEN(options)];
    char name[64];
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        names[i] = options[i].name;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    const char *near = suggest_near(name, names, ARRAY_LEN(options));
    return usage_error("unknown option --%s%s%s%s", name, near ? "; did you mean --" : "",
                       near ? near : "", near ? "?" : "; see azekura-bench run --help");
}

static int read_option(int argc, char **argv, int *i, struct line *l)
{
    const char *word = argv[*i] + 2, *equals = strchr(word, '=');
    const struct option *o = find_option(word, strcspn(word, "="));
    if (o == NULL)
        return unknown_option(word);
    if (o->kind == FLAG) {
        if (equals)
            return usage_error("--%s takes no value", o->name);
        *(bool *)((char *)l + o->offset) = true;
        return 0;
    }
    const char *value = equals ? equals + 1 : *i + 1 < argc ? argv[++*i] : NULL;
    if (value == NULL || *value == 0)
        return usage_error("--%s needs a value: %s", o->name, o->value);
    if (o->kind == PLACE)
        *(const char **)(void *)((char *)l + o->offset) = value;
    else if (l->overrides_n == OVERRIDES_MAX)
        return usage_error("more than %d options", OVERRIDES_MAX);
    else {
        l->overrides[l->overrides_n].key = o->name;
        l->overrides[l->overrides_n++].value = value;
    }
    return 0;
}

static int read_line(int argc, char **argv, struct line *l)
{
    bool has_profile = strcmp(argv[0], "run") != 0;
    if (has_profile)
        l->profile = argv[0];
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0 && argv[i][2] != 0) {
            int code = read_option(argc, argv, &i, l);
            if (code != 0)
                return code;
        } else if (strcmp(argv[i], "-h") == 0)
            l->is_help = true;
        else if (argv[i][0] == '-')
            return usage_error("unknown option %s; see azekura-bench run --help", argv[i]);
        else if (l->profile)
            return usage_error("\"%s\" is one argument too many: the profile is %s", argv[i],
                               l->profile);
        else
            l->profile = argv[i];
    }
    if (!l->profile && !l->is_help)
        return usage_error("which profile? azekura-bench profiles lists them");
    return 0;
}

/* ---- targets ---- */

static const char *const specs[] = {
    "box",           "azekura", "syslog-ng:maxperf", "syslog-ng:distro", "rsyslog:file",
    "rsyslog:pgsql", "sink"};

/* Which variants a driver has is the driver's to say. */
static bool has_driver(const char *share_dir, const char *spec)
{
    char path[128], found[SHARE_PATH_MAX];
    struct err err;
    int n = (int)strcspn(spec, ":");
    snprintf(path, sizeof(path), "targets/%.*s", n, spec);
    return n > 0 && n < 64 && !strchr(spec, '/') && share_find(share_dir, path, found, &err) == 0;
}

static int no_target(const char *word)
{
    const char *near = suggest_near(word, specs, ARRAY_LEN(specs));
    struct buf all = BUF_INIT(512);
    for (size_t i = 0; i < ARRAY_LEN(specs); i++)
        buf_printf(&all, "%s%s", i ? ", " : "", specs[i]);
    int code = usage_error("--target: there is no target %s; %s%s%s", word,
                           near ? "did you mean " : "there are: ", near ? near : buf_str(&all),
                           near ? "?" : "");
    buf_free(&all);
    return code;
}

/* Split --target; the words live in *ret_copy, to be freed by the caller. */
static int read_targets(struct line *l, char **ret_copy)
{
    char *save = NULL;
    *ret_copy = xstrdup(l->targets ? l->targets : "azekura");
    for (char *word = strtok_r(*ret_copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (l->run.targets_n == PLAN_TARGETS_MAX)
            return usage_error("--target: more than %d targets", PLAN_TARGETS_MAX);
        bool is_known = false;
        for (size_t i = 0; i < ARRAY_LEN(specs); i++)
            is_known |= strcmp(word, specs[i]) == 0;
        if (!is_known &&
            (suggest_near(word, specs, ARRAY_LEN(specs)) || !has_driver(l->run.share_dir, word)))
            return no_target(word);
        for (size_t i = 0; i < l->run.targets_n; i++)
            if (strcmp(word, l->run.targets[i]) == 0)
                return usage_error("--target: %s is there twice", word);
        l->run.targets[l->run.targets_n++] = word;
    }
    return l->run.targets_n ? 0 : usage_error("--target: none is named");
}

static bool has_target(const struct line *l, const char *name)
{
    for (size_t i = 0; i < l->run.targets_n; i++)
        if (strcmp(l->run.targets[i], name) == 0)
            return true;
    return false;
}

static int check_box(const struct line *l, const struct profile *p)
{
    if (!has_target(l, "box"))
        return 0;
    for (size_t i = 0; i < p->tests_n; i++)
        if (p->tests[i].kills > 0)
            return usage_error(
                "profile %s kills the receiving process: not on a box in service; use "
                "--target azekura, a private instance beside it",
                p->name);
    if (l->is_sure || !isatty(STDIN_FILENO))
        return 0;
    char answer[16] = "";
    fprintf(stderr,
            "This loads a box in service: while it lasts real messages may be delayed or lost.\n"
            "Go on? [y/N] ");
    if (fgets(answer, sizeof(answer), stdin) == NULL || (answer[0] != 'y' && answer[0] != 'Y'))
        return usage_error("nothing was done");
    return 0;
}

/* ---- the profile, changed ---- */

static int read_seed(struct line *l)
{
    uint64_t seed = 1;
    if (l->seed && view_u64(view_str(l->seed), INT64_C(1) << 53, &seed) < 0)
        return usage_error("--seed %s: not a whole number up to 2^53", l->seed);
    l->run.seed = seed;
    return 0;
}

static int fail(const struct err *err)
{
    return usage_error("%s", err->message);
}

static int read_profile(struct line *l, struct profile *p)
{
    struct err err;
    char folder[SHARE_PATH_MAX] = "";
    bool is_path = strchr(l->profile, '/') != NULL;
    if ((!is_path && share_find(l->run.share_dir, "profiles", folder, &err) < 0) ||
        profile_load(folder, l->profile, p, &err) < 0)
        return fail(&err);
    if (l->input && !profile_has_word(p->options, "input"))
        return usage_error("profile %s does not take --input", p->name);
    if (l->input && sngbench_read(l->input, p, &err) < 0)
        return fail(&err);
    for (size_t i = 0; i < l->overrides_n; i++) {
        char key[64];
        snprintf(key, sizeof(key), "%s", l->overrides[i].key);
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        if (profile_override(p, key, l->overrides[i].value, &err) < 0)
            return fail(&err);
    }
    if (profile_expand(p, &err) < 0)
        return fail(&err);
    return read_seed(l);
}

/* ---- what would be done ---- */

static cJSON *plan_json(const struct line *l, const struct profile *p, const struct plan *plan)
{
    cJSON *o = cJSON_CreateObject(), *steps = cJSON_CreateArray();
    char title[160];
    facts_set_text(o, "profile", p->name);
    facts_set_number(o, "duration_s", ceil(plan->seconds));
    facts_set_number(o, "messages", plan->messages);
    facts_set_number(o, "bytes", plan->bytes);
    for (size_t i = 0; i < plan->n; i++) {
        cJSON *s = cJSON_CreateObject();
        profile_test_title(&p->tests[plan->steps[i].test], title, sizeof(title));
        facts_set_text(s, "name", title);
        facts_set_text(s, "target", l->run.targets[plan->steps[i].target]);
        facts_set_number(s, "test", (double)plan->steps[i].test + 1);
        facts_set_number(s, "run", plan->steps[i].run);
        facts_set_number(s, "duration_s", ceil(plan->steps[i].seconds));
        facts_set_number(s, "messages", plan->steps[i].messages);
        cJSON_AddItemToArray(steps, s);
    }
    facts_set(o, "steps", steps);
    return o;
}

static int dry_run(const struct line *l, const struct profile *p)
{
    struct plan plan;
    char title[160];
    plan_make(p, l->run.targets, l->run.targets_n, &plan);
    if (l->run.has_json) {
        cJSON *o = plan_json(l, p, &plan);
        char *text = cJSON_Print(o);
        puts(text ? text : "null");
        cJSON_free(text);
        cJSON_Delete(o);
    } else {
        printf("%s: %s\n\n", p->name, p->title_en);
        for (size_t i = 0; i < plan.n; i++) {
            const struct plan_step *s = &plan.steps[i];
            profile_test_title(&p->tests[s->test], title, sizeof(title));
            printf("%3zu  run %d  %-18s %s, about %s, %s messages\n", i + 1, s->run,
                   l->run.targets[s->target], title, figure_duration(ceil(s->seconds)).s,
                   figure_count(s->messages).s);
        }
        printf("\nIn all about %s, at most some %s messages, %s on the disk.\n",
               figure_duration(ceil(plan.seconds)).s, figure_count(plan.messages).s,
               figure_bytes(plan.bytes).s);
    }
    plan_free(&plan);
    return RUN_PASS;
}

/* The words of the command line as a shell takes them again. */
static void quote_command(int argc, char **argv, struct buf *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+%@";
    buf_add_str(out, "azekura-bench");
    for (int i = 0; i < argc; i++) {
        buf_add_char(out, ' ');
        if (argv[i][0] && strspn(argv[i], plain) == strlen(argv[i])) {
            buf_add_str(out, argv[i]);
            continue;
        }
        buf_add_char(out, '\'');
        for (const char *c = argv[i]; *c; c++)
            if (*c == '\'')
                buf_add_str(out, "'\\''");
            else
                buf_add_char(out, *c);
        buf_add_char(out, '\'');
    }
}

/* Drivers run elsewhere: what they are told must not depend on where we are.  *ret_path is to be
 * freed. */
static int make_absolute(const char *option, const char **place, char **ret_path)
{
    *ret_path = NULL;
    if (*place == NULL)
        return 0;
    *ret_path = realpath(*place, NULL);
    if (*ret_path == NULL)
        return usage_error("--%s %s: %s", option, *place, strerror(errno));
    *place = *ret_path;
    return 0;
}

static int run_line(struct line *l, struct profile *p, int argc, char **argv)
{
    char *targets = NULL, *peers = NULL, *share = NULL;
    int code = make_absolute("peers", &l->run.peers_dir, &peers);
    if (code == 0)
        code = make_absolute("share", &l->run.share_dir, &share);
    if (code == 0)
        code = read_profile(l, p);
    if (code == 0)
        code = read_targets(l, &targets);
    if (code == 0 && l->is_dry)
        code = dry_run(l, p);
    else if (code == 0 && (code = check_box(l, p)) == 0) {
        struct buf command = BUF_INIT(COMMAND_MAX_BYTES);
        quote_command(argc, argv, &command);
        l->run.profile = p;
        l->run.command = buf_str(&command);
        if (l->run.out == NULL)
            l->run.out = "out";
        code = (int)run_profile(&l->run);
        buf_free(&command);
    }
    free(targets);
    free(peers);
    free(share);
    return code;
}

int run_command(int argc, char **argv)
{
    struct line l = {0};
    int code = read_line(argc, argv, &l);
    if (code != 0)
        return code;
    if (l.is_help) {
        print_help(stdout);
        return 0;
    }
    struct profile *p = xmalloc(sizeof(*p));
    code = run_line(&l, p, argc, argv);
    free(p);
    return code;
}

/* ---- profiles ---- */

static cJSON *words_json(const char *words)
{
    cJSON *a = cJSON_CreateArray();
    char word[64];
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, " ");
        snprintf(word, sizeof(word), "%.*s", (int)n, w);
        if (n > 0)
            cJSON_AddItemToArray(a, cJSON_CreateString(word));
        w += n + (w[n] == ' ');
    }
    return a;
}

static cJSON *profile_json(struct profile *p, struct err *err)
{
    static const char *const target = "azekura";
    struct plan plan;
    char value[512];
    cJSON *o = cJSON_CreateObject(), *defaults = cJSON_CreateObject(), *option;
    facts_set_text(o, "name", p->name);
    facts_set_sentence(o, "title", p->title_en, p->title_ja);
    facts_set_sentence(o, "what", p->what_en, p->what_ja);
    cJSON *list = words_json(p->options);
    cJSON_ArrayForEach(option, list)
    {
        profile_value(p, option->valuestring, value, sizeof(value));
        if (value[0])
            facts_set_text(defaults, option->valuestring, value);
    }
    if (profile_expand(p, err) < 0) {
        cJSON_Delete(o);
        cJSON_Delete(list);
        cJSON_Delete(defaults);
        return NULL;
    }
    plan_make(p, &target, 1, &plan);
    facts_set_number(o, "duration_s", ceil(plan.seconds));
    facts_set_number(o, "messages", plan.messages);
    facts_set_number(o, "bytes", plan.bytes);
    facts_set(o, "targets", words_json(p->targets));
    facts_set(o, "options", list);
    facts_set(o, "defaults", defaults);
    plan_free(&plan);
    return o;
}

static int list_profiles(const char *folder, bool has_json)
{
    struct profile *p = xmalloc(sizeof(*p));
    struct err err;
    char **names;
    size_t n = profile_list(folder, &names);
    cJSON *all = cJSON_CreateArray();
    int code = RUN_PASS;
    for (size_t i = 0; i < n; i++) {
        cJSON *one = NULL;
        if (profile_load(folder, names[i], p, &err) < 0 || !(one = profile_json(p, &err))) {
            code = fail(&err);
            continue;
        }
        cJSON_AddItemToArray(all, one);
        if (!has_json)
            printf("%-10s %s (about %s, %s messages)\n", p->name, p->title_en,
                   figure_duration(facts_number(one, "duration_s")).s,
                   figure_count(facts_number(one, "messages")).s);
    }
    if (has_json) {
        char *text = cJSON_Print(all);
        puts(text ? text : "null");
        cJSON_free(text);
    }
    cJSON_Delete(all);
    profile_list_free(names, n);
    free(p);
    return code;
}

int profiles_command(int argc, char **argv)
{
    const char *share = NULL;
    bool has_json = false;
    struct err err;
    char folder[SHARE_PATH_MAX];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            has_json = true;
        else if (strcmp(argv[i], "--share") == 0 && i + 1 < argc)
            share = argv[++i];
        else if (strcmp(argv[i], "--keys") == 0) {
            profile_print_keys(stdout);
            return RUN_PASS;
        } else if (strcmp(argv[i], "--help") == 0) {
            puts("usage: azekura-bench profiles [--json] [--keys] [--share DIR]\n\n"
                 "  --json  titles, what they do, how long, how many messages and bytes, options\n"
                 "  --keys  every key a profile may have, with its limits");
            return RUN_PASS;
        } else
            return usage_error("unknown argument %s; see azekura-bench profiles --help", argv[i]);
    }
    if (share_find(share, "profiles", folder, &err) < 0)
        return fail(&err);
    return list_profiles(folder, has_json);
}
