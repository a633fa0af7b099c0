/* The keys of a profile, one row each: name, kind, place, limits, meaning. */
#include "bench/run/profile.h"

#include <math.h>

#include "bench/suggest.h"

enum kind { TEXT, WHOLE, REAL, SECONDS, CHOICE, RATES };

struct key {
    const char *name;
    enum kind kind;
    size_t offset, bytes; /* bytes: of a TEXT */
    double min, max;
    const char *choices; /* CHOICE: by blanks, their number is the value */
    const char *meaning;
};

#define RUN(member) offsetof(struct profile, member), sizeof(((struct profile *)0)->member)
#define TEST(member) \
    offsetof(struct profile_test, member), sizeof(((struct profile_test *)0)->member)

static const struct key run_keys[] = {
    {"title.en", TEXT, RUN(title_en), 0, 0, NULL, "the title in English"},
    {"title.ja", TEXT, RUN(title_ja), 0, 0, NULL, "the title in Japanese"},
    {"what.en", TEXT, RUN(what_en), 0, 0, NULL, "what it finds out, in English"},
    {"what.ja", TEXT, RUN(what_ja), 0, 0, NULL, "what it finds out, in Japanese"},
    {"targets", TEXT, RUN(targets), 0, 0, NULL, "the targets the console offers"},
    {"options", TEXT, RUN(options), 0, 0, NULL, "the options that may change it"},
    {"runs", WHOLE, RUN(runs), 1, PROFILE_RUNS_MAX, NULL, "repetitions of every test"},
    {"warm_up", WHOLE, RUN(warm_up), 0, 1, NULL, "1: an unrecorded repetition first"},
    {"warm_up_percent", REAL, RUN(warm_up_percent), 0, 50, NULL,
     "of a trial's time that no rate is taken over"},
    {"goal_loss_percent", REAL, RUN(goal_loss_percent), -1, 100, NULL,
     "more loss is a failure; -1: it is only told"},
    {"drain", SECONDS, RUN(drain_s), 1, 86400, NULL,
     "at most so long until the store stopped growing"},
};

static const struct key test_keys[] = {
    {"transport", CHOICE, TEST(transport), 0, 0, "udp tcp tls unix-dgram unix-stream",
     "how messages are sent"},
    {"connections", WHOLE, TEST(connections), 1, LOAD_CONNECTIONS_MAX, NULL, "sockets that send"},
    {"ports", WHOLE, TEST(ports), 1, LOAD_PORTS_MAX, NULL,
     "ports of the target they are spread over, as far as it has them"},
    {"sources", WHOLE, TEST(sources), 1, 60000, NULL, "distinct addresses they send from"},
    {"size", WHOLE, TEST(size), 0, LOAD_SIZE_MAX, NULL, "bytes of a message; 0: as the layout has"},
    {"framing", CHOICE, TEST(framing), 0, 0, "lf octets", "what ends a message of a stream"},
    {"format", CHOICE, TEST(format), 0, 0, "rfc3164 rfc5424", "the header"},
    {"layout", CHOICE, TEST(layout), 0, 0, "mix loggen compact", "what the messages look like"},
    {"rate", RATES, TEST(rates), 0, LOAD_RATE_MAX, NULL,
     "messages/s, all connections together; 0: as fast as the target takes"},
    {"rates", RATES, TEST(rates), 0, LOAD_RATE_MAX, NULL, "the same, several: a test each"},
    {"rate_percent", REAL, TEST(rate_percent), 0, 200, NULL,
     "instead: of the lossless rate that an earlier test found"},
    {"time", SECONDS, TEST(time_s), 1, PROFILE_TIME_MAX_S, NULL, "how long it sends"},
    {"canaries", REAL, TEST(canaries), 0, 1000, NULL,
     "messages/s that are looked for, to measure the delay"},
    {"goal_syslog_percent", REAL, TEST(goal_syslog_percent), 0, 100000, NULL,
     "more of a core in the syslog process is a failure; 0: it is only told"},
    {"goal_database_percent", REAL, TEST(goal_database_percent), 0, 100000, NULL,
     "more of a core in the database is a failure; 0: it is only told"},
    {"find", CHOICE, TEST(find), 0, 0, "nothing knee", "knee: search the highest rate"},
    {"start_rate", REAL, TEST(start_rate), 1, LOAD_RATE_MAX, NULL, "knee: the first rate tried"},
    {"min_rate", REAL, TEST(min_rate), 1, LOAD_RATE_MAX, NULL, "knee: never less"},
    {"max_rate", REAL, TEST(max_rate), 1, LOAD_RATE_MAX, NULL, "knee: never more"},
    {"precision_percent", REAL, TEST(precision_percent), 0.1, 100, NULL,
     "knee: how near the answer must be"},
    {"short_time", SECONDS, TEST(short_time_s), 1, 3600, NULL, "knee: of a trial that searches"},
    {"searches", WHOLE, TEST(searches), 0, 64, NULL, "searches at once while it receives"},
    {"kills", WHOLE, TEST(kills), 0, 100, NULL, "SIGKILLs of the syslog process, spread evenly"},
    {"loggens", WHOLE, TEST(loggens), 0, 16, NULL,
     "loggen processes it stands for, a row of results.csv each"},
    {"loggen", TEXT, TEST(loggen), 0, 0, NULL, "their arguments as results.csv names them"},
    {"only", TEXT, TEST(only), 0, 0, NULL, "targets it is for"},
    {"except", TEXT, TEST(except), 0, 0, NULL, "targets it is not for"},
};

static const struct key *find(const struct key *keys, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

static int bad(struct err *err, const struct key *k, const char *value, const char *why)
{
    return err_set_field(err, EINVAL, "bad_value", k->name, "%s = %s: %s", k->name, value, why);
}

static int out_of_range(struct err *err, const struct key *k, const char *value)
{
    char why[96];
    snprintf(why, sizeof(why), "not a %snumber from %.10g to %.10g%s",
             k->kind == WHOLE ? "whole " : "", k->min, k->max,
             k->kind == SECONDS ? " in seconds, or with s, m, h, d" : "");
    return bad(err, k, value, why);
}

static int read_number(const struct key *k, const char *text, double *ret)
{
    char *end;
    if (text[strcspn(text, "xXnN")] != 0) /* neither hexadecimal nor "inf" and "nan" */
        return -EINVAL;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || errno != 0)
        return -EINVAL;
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    for (size_t i = 0; k->kind == SECONDS && i < ARRAY_LEN(units); i++)
        if (*end == units[i].unit) {
            value *= units[i].seconds;
            end++;
            break;
        }
    if (*end != 0 || !(value >= k->min && value <= k->max))
        return -EINVAL;
    if (k->kind == WHOLE && value != floor(value))
        return -EINVAL;
    *ret = value;
    return 0;
}

static int set_rates(const struct key *k, struct profile_rates *rates, const char *value,
                     struct err *err)
{
    struct profile_rates read = {.n = 0};
    char copy[512], *save = NULL;
    if (strlen(value) >= sizeof(copy))
        return bad(err, k, "…", "longer than 511 bytes");
    snprintf(copy, sizeof(copy), "%s", value);
    for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
        if (read.n == PROFILE_RATES_MAX)
            return bad(err, k, value, "more than 32 rates");
        if (read_number(k, word, &read.at[read.n]) < 0)
            return out_of_range(err, k, word);
        read.n++;
    }
    if (read.n == 0)
        return bad(err, k, value, "no rate");
    *rates = read;
    return 0;
}

/* The number of `value` among the words of `choices`, or -1. */
static int choice_number(const char *choices, const char *value)
{
    size_t n = strlen(value);
    int number = 0;
    for (const char *p = choices; n && *p; number++) {
        size_t word = strcspn(p, " ");
        if (word == n && memcmp(p, value, n) == 0)
            return number;
        p += word + (p[word] == ' ');
    }
    return -1;
}

static int set_key(const struct key *k, void *place, const char *value, struct err *err)
{
    char *at = (char *)place + k->offset;
    double number;
    switch (k->kind) {
    case TEXT:
        if (strlen(value) >= k->bytes)
            return err_set_field(err, EINVAL, "bad_value", k->name, "%s: longer than %zu bytes",
                                 k->name, k->bytes - 1);
        snprintf(at, k->bytes, "%s", value);
        return 0;
    case RATES:
        return set_rates(k, (struct profile_rates *)(void *)at, value, err);
    case CHOICE:
        number = choice_number(k->choices, strcmp(value, "unix") == 0 ? "unix-dgram" : value);
        if (number < 0) {
            char why[128];
            snprintf(why, sizeof(why), "not one of %s", k->choices);
            return bad(err, k, value, why);
        }
        *(int64_t *)(void *)at = (int64_t)number;
        return 0;
    case WHOLE:
        if (read_number(k, value, &number) < 0)
            return out_of_range(err, k, value);
        *(int64_t *)(void *)at = (int64_t)number;
        return 0;
    default:
        if (read_number(k, value, &number) < 0)
            return out_of_range(err, k, value);
        *(double *)(void *)at = number;
        return 0;
    }
}

int profile_set(struct profile *p, struct profile_test *t, const char *key, const char *value,
                struct err *err)
{
    const struct key *k = find(test_keys, ARRAY_LEN(test_keys), key);
    if (k != NULL)
        return set_key(k, t, value, err);
    k = find(run_keys, ARRAY_LEN(run_keys), key);
    if (k == NULL)
        return err_set_field(err, ENOENT, "unknown_key", key, "unknown key %s", key);
    return set_key(k, p, value, err);
}

bool profile_key_is_of_run(const char *key)
{
    return find(run_keys, ARRAY_LEN(run_keys), key) != NULL;
}

const char *profile_key_near(const char *key)
{
    const char *names[ARRAY_LEN(run_keys) + ARRAY_LEN(test_keys)];
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(run_keys); i++)
        names[n++] = run_keys[i].name;
    for (size_t i = 0; i < ARRAY_LEN(test_keys); i++)
        names[n++] = test_keys[i].name;
    return suggest_near(key, names, n);
}

static void print_table(FILE *out, const char *title, const struct key *keys, size_t n)
{
    fprintf(out, "%s\n", title);
    for (size_t i = 0; i < n; i++) {
        const struct key *k = &keys[i];
        fprintf(out, "  %-21s %s", k->name, k->meaning);
        if (k->kind == CHOICE)
            fprintf(out, " (%s)", k->choices);
        else if (k->kind == TEXT)
            fprintf(out, " (at most %zu bytes)", k->bytes - 1);
        else
            fprintf(out, " (%.10g … %.10g)", k->min, k->max);
        fputc('\n', out);
    }
}

void profile_print_keys(FILE *out)
{
    print_table(out, "keys of the run, before the first section:", run_keys, ARRAY_LEN(run_keys));
    print_table(out, "keys of a test, in its section or before the first for all:", test_keys,
                ARRAY_LEN(test_keys));
}

void profile_defaults(struct profile *p)
{
    *p = (struct profile){.runs = 1,
                          .warm_up_percent = 10,
                          .drain_s = 120,
                          .targets = "box azekura",
                          .defaults = {
                              .connections = 1,
                              .ports = 1,
                              .sources = 1,
                              .layout = LOAD_COMPACT,
                              .rates = {.at = {1000}, .n = 1},
                              .time_s = 60,
                              .canaries = 10,
                              .start_rate = 10000,
                              .min_rate = 100,
                              .max_rate = 2000000,
                              .precision_percent = 5,
                              .short_time_s = 10,
                          }};
}

/* `of`: the test or the run that the key belongs to. */
static void value_text(const struct key *k, const void *of, char *ret, size_t n)
{
    const char *at = (const char *)of + k->offset;
    snprintf(ret, n, "%s", "");
    const struct profile_rates *rates = (const struct profile_rates *)(const void *)at;
    size_t used = 0;
    switch (k->kind) {
    case TEXT:
        snprintf(ret, n, "%s", at);
        break;
    case CHOICE: {
        const char *word = k->choices;
        for (int64_t i = *(const int64_t *)(const void *)at; i > 0; i--)
            word += strcspn(word, " ") + 1;
        snprintf(ret, n, "%.*s", (int)strcspn(word, " "), word);
        break;
    }
    case WHOLE:
        snprintf(ret, n, "%lld", (long long)*(const int64_t *)(const void *)at);
        break;
    case RATES:
        for (size_t i = 0; i < rates->n && used < n; i++)
            used += (size_t)snprintf(ret + used, n - used, "%s%.10g", i ? "," : "", rates->at[i]);
        break;
    default:
        snprintf(ret, n, "%.10g", *(const double *)(const void *)at);
    }
}

void profile_value(const struct profile *p, const char *key, char *ret, size_t n)
{
    char other[512];
    const struct key *k = find(test_keys, ARRAY_LEN(test_keys), key);
    snprintf(ret, n, "%s", "");
    if (k == NULL) {
        k = find(run_keys, ARRAY_LEN(run_keys), key);
        if (k)
            value_text(k, p, ret, n);
        return;
    }
    value_text(k, p->tests_n ? &p->tests[0] : &p->defaults, ret, n);
    for (size_t i = 1; i < p->tests_n; i++) {
        value_text(k, &p->tests[i], other, sizeof(other));
        if (strcmp(ret, other) != 0)
            snprintf(ret, n, "%s", "");
    }
}

const char *profile_transport_name(int64_t transport)
{
    static const char *const names[TARGET_TRANSPORTS] = {"udp", "tcp", "tls", "unix-dgram",
                                                         "unix-stream"};
    return transport >= 0 && transport < TARGET_TRANSPORTS ? names[transport] : "";
}
