/* sngbench's input.txt as tests of a profile. */
#include "bench/run/sngbench.h"

#include <sys/stat.h>

#define LINE_ARGUMENTS_MAX 64
#define UNLIMITED_RATE 1000000.0 /* a connection: more is asked only to have no limit */

struct loggen {
    int64_t connections, size, rate, number;
    double time_s;
    int64_t transport, format, framing;
    int port;
};

void sngbench_params(struct view a, char *ret, size_t n)
{
    size_t used = 0;
    a = view_trim(a);
    for (size_t i = 0; i < a.n && used + 1 < n; i++)
        if (a.p[i] != '-')
            ret[used++] = a.p[i] == ' ' || a.p[i] == '=' ? '_' : a.p[i];
    if (n > 0)
        ret[used] = 0;
}

/* ---- one loggen's arguments ---- */

static int64_t number_of(const char *text, int64_t max)
{
    uint64_t n;
    return view_u64(view_str(text), (uint64_t)max, &n) == 0 ? (int64_t)n : -1;
}

static const struct {
    const char *short_name, *long_name;
    int takes; /* 0 nothing; else which number */
    int64_t max;
} known[] = {
    {"-I", "--interval", 1, PROFILE_TIME_MAX_S},
    {"-r", "--rate", 2, 1000000000},
    {"-s", "--size", 3, 8192},
    {"-n", "--number", 4, 1000000000},
    {"", "--active-connections", 5, LOAD_CONNECTIONS_MAX},
    {"-i", "--inet", 0, 0},
    {"-S", "--stream", 0, 0},
    {"-D", "--dgram", 0, 0},
    {"-U", "--use-ssl", 0, 0},
    {"-P", "--syslog-proto", 0, 0},
    {"-F", "--no-framing", 0, 0},
    {"-C", "--csv", 0, 0},
    {"-Q", "--quiet", 0, 0},
};

static int bad(struct err *err, const char *what, const char *why)
{
    return err_set(err, EINVAL, "bad_value", "loggen argument %s: %s", what, why);
}

static void set_number(struct loggen *l, int which, int64_t n)
{
    switch (which) {
    case 1:
        l->time_s = (double)n;
        break;
    case 2:
        l->rate = n;
        break;
    case 3:
        l->size = n;
        break;
    case 4:
        l->number = n;
        break;
    default:
        l->connections = n;
    }
}

static void set_flag(struct loggen *l, char flag)
{
    if (flag == 'D')
        l->transport = l->transport == TARGET_TLS ? TARGET_TLS : TARGET_UDP;
    else if (flag == 'S')
        l->transport = TARGET_TCP;
    else if (flag == 'U')
        l->transport = TARGET_TLS;
    else if (flag == 'P') {
        l->format = LOAD_RFC5424;
        l->framing = LOAD_OCTETS;
    } else if (flag == 'F')
        l->framing = LOAD_LF;
}

/* One option at words[*i]; *i is moved past its value. */
static int read_option(char **words, size_t n, size_t *i, struct loggen *l, struct err *err)
{
    char *word = words[*i], *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : strlen(word);
    for (size_t k = 0; k < ARRAY_LEN(known); k++) {
        bool is_short = strcmp(word, known[k].short_name) == 0;
        if (!is_short &&
            (strlen(known[k].long_name) != length || memcmp(word, known[k].long_name, length) != 0))
            continue;
        if (known[k].takes == 0) {
            set_flag(l, known[k].short_name[1]);
            return 0;
        }
        const char *text = value && !is_short ? value + 1 : *i + 1 < n ? words[++*i] : "";
        int64_t number = number_of(text, known[k].max);
        if (number < 0) {
            char why[96];
            snprintf(why, sizeof(why), "\"%.32s\" is not a whole number up to %lld", text,
                     (long long)known[k].max);
            return bad(err, known[k].long_name, why);
        }
        set_number(l, known[k].takes, number);
        return 0;
    }
    return bad(err, word, "is not one that a test of sngbench may have here");
}

static int read_loggen(struct view text, struct loggen *ret, struct err *err)
{
    char copy[512], *words[LINE_ARGUMENTS_MAX], *save = NULL;
    struct loggen l = {
        .connections = 1, .size = 256, .rate = 1000, .time_s = 10, .transport = TARGET_TCP};
    size_t n = 0, places = 0;
    if (text.n >= sizeof(copy))
        return bad(err, "list", "longer than 511 bytes");
    snprintf(copy, sizeof(copy), "%.*s", VIEW_ARG(text));
    for (char *w = strtok_r(copy, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (n == LINE_ARGUMENTS_MAX)
            return bad(err, "list", "more than 64 words");
        words[n++] = w;
    }
    for (size_t i = 0; i < n; i++) {
        if (words[i][0] == '-') {
            int rc = read_option(words, n, &i, &l, err);
            if (rc < 0)
                return rc;
        } else if (++places == 2) {
            l.port = (int)number_of(words[i], 65535);
            if (l.port < 1)
                return bad(err, words[i], "is not a port");
        } else if (places > 2)
            return bad(err, words[i], "stands after the port");
    }
    if (places < 2)
        return bad(err, "list", "no \"ADDRESS PORT\" at its end");
    if (l.connections < 1 || l.time_s < 1)
        return bad(err, "list", "needs at least one connection and one second");
    *ret = l;
    return 0;
}

/* ---- lines ---- */

static bool is_same(const struct loggen *a, const struct loggen *b)
{
    return a->connections == b->connections && a->size == b->size && a->rate == b->rate &&
           a->number == b->number && a->time_s == b->time_s && a->transport == b->transport &&
           a->format == b->format && a->framing == b->framing;
}

static const char *target_of(const char *configuration)
{
    if (strcmp(configuration, "czp_maxperf") == 0)
        return "syslog-ng:maxperf";
    return strcmp(configuration, "czp_distro") == 0 ? "syslog-ng:distro" : configuration;
}

static int add_test(struct profile *p, const char *target, const struct loggen *first,
                    int64_t loggens, int64_t ports, struct view arguments, struct err *err)
{
    if (p->tests_n == PROFILE_TESTS_MAX)
        return err_set(err, E2BIG, "too_many", "more than %d tests", PROFILE_TESTS_MAX);
    if (first->connections * loggens > LOAD_CONNECTIONS_MAX)
        return err_set(err, EINVAL, "bad_value", "more than %d connections", LOAD_CONNECTIONS_MAX);
    struct profile_test *t = &p->tests[p->tests_n++];
    *t = p->defaults;
    snprintf(t->name, sizeof(t->name), "line %zu", p->tests_n);
    t->transport = first->transport;
    t->format = first->format;
    t->framing = first->framing;
    t->layout = LOAD_LOGGEN;
    t->size = first->size;
    t->connections = first->connections * loggens;
    t->loggens = loggens;
    t->ports = MIN(ports, LOAD_PORTS_MAX);
    double rate =
        (double)first->rate >= UNLIMITED_RATE ? 0 : (double)first->rate * (double)t->connections;
    t->rates = (struct profile_rates){.at = {rate}, .n = 1};
    t->time_s = first->time_s;
    t->canaries = 0;
    t->find = PROFILE_FIND_NOTHING;
    t->except[0] = 0;
    snprintf(t->only, sizeof(t->only), "%s", target);
    if (loggens == 1)
        sngbench_params(arguments, t->loggen, sizeof(t->loggen));
    return 0;
}

static int read_line(struct profile *p, struct view line, struct err *err)
{
    struct loggen first = {0}, next;
    struct view rest = line, arguments = VIEW_NULL;
    char configuration[64];
    int64_t loggens = 0, ports = 0;
    int last_port = 0;
    const char *comma = memchr(rest.p, ',', rest.n);
    if (comma == NULL || comma == rest.p || (size_t)(comma - rest.p) >= sizeof(configuration))
        return err_set(err, EINVAL, "bad_line", "not \"CONFIGURATION,LOGGEN'S ARGUMENTS…\"");
    snprintf(configuration, sizeof(configuration), "%.*s", (int)(comma - rest.p), rest.p);
    while (comma != NULL) {
        rest = view_of(comma + 1, rest.n - (size_t)(comma + 1 - rest.p));
        comma = memchr(rest.p, ',', rest.n);
        struct view one = comma ? view_of(rest.p, (size_t)(comma - rest.p)) : rest;
        int rc = read_loggen(one, &next, err);
        if (rc < 0)
            return rc;
        if (loggens == 0) {
            first = next;
            arguments = one;
        } else if (!is_same(&first, &next))
            return err_set(err, EINVAL, "bad_line",
                           "the loggens of a line must differ in their port alone");
        if (next.port != last_port)
            ports++;
        last_port = next.port;
        if (++loggens > 16)
            return err_set(err, E2BIG, "too_many", "more than 16 loggens in a line");
    }
    return add_test(p, target_of(configuration), &first, loggens, ports, arguments, err);
}

/* A target that the file does not name takes every line once: those that differ in the
 * configuration alone are one test for it. */
static void open_to_others(struct profile *p)
{
    char named[sizeof(p->tests[0].except)] = "";
    for (size_t i = 0; i < p->tests_n; i++)
        if (!profile_has_word(named, p->tests[i].only) &&
            strlen(named) + strlen(p->tests[i].only) + 2 < sizeof(named)) {
            size_t n = strlen(named);
            snprintf(named + n, sizeof(named) - n, "%s%s", n ? " " : "", p->tests[i].only);
        }
    for (size_t i = 0; i < p->tests_n; i++) {
        struct profile_test *t = &p->tests[i];
        bool is_first = true;
        for (size_t j = 0; j < i; j++)
            is_first &= !(p->tests[j].connections == t->connections &&
                          p->tests[j].ports == t->ports && p->tests[j].loggens == t->loggens);
        if (!is_first)
            continue;
        /* all but the other configurations' targets */
        char own[sizeof(t->only)], *except = t->except;
        snprintf(own, sizeof(own), "%s", t->only);
        t->only[0] = 0;
        size_t used = 0;
        for (const char *w = named; *w;) {
            size_t n = strcspn(w, " ");
            if (!(n == strlen(own) && memcmp(w, own, n) == 0))
                used += (size_t)snprintf(except + used, sizeof(t->except) - used, "%s%.*s",
                                         used ? " " : "", (int)n, w);
            w += n + (w[n] == ' ');
        }
    }
}

int sngbench_parse(const char *file, const char *text, struct profile *p, struct err *err)
{
    int number = 0;
    p->tests_n = 0;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        struct view line = view_trim(view_of(at, n));
        number++;
        if (line.n > 0 && line.p[0] != '#') {
            int rc = read_line(p, line, err);
            if (rc < 0) {
                err_prefix(err, "%s, line %d: ", file, number);
                return rc;
            }
        }
        at += n + (at[n] == '\n');
    }
    if (p->tests_n == 0)
        return err_set(err, EINVAL, "no_tests", "%s: no test in it", file);
    open_to_others(p);
    return 0;
}

int sngbench_read(const char *path, struct profile *p, struct err *err)
{
    char *text = xcalloc(1, PROFILE_FILE_MAX_BYTES + 1);
    struct stat st;
    FILE *f = fopen(path, "re");
    int rc = 0;
    if (f == NULL || fstat(fileno(f), &st) < 0)
        rc = err_set(err, errno, "cannot_read", "cannot read %s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode) || st.st_size > PROFILE_FILE_MAX_BYTES)
        rc = err_set(err, EINVAL, "cannot_read", "%s: not a file of at most %d bytes", path,
                     PROFILE_FILE_MAX_BYTES);
    else {
        size_t n = fread(text, 1, PROFILE_FILE_MAX_BYTES, f);
        text[n] = 0;
        rc = sngbench_parse(path, text, p, err);
    }
    if (f)
        fclose(f);
    free(text);
    return rc;
}
