/* A profile: what a run does, as a text file in profiles/.
 *
 *     title.en = …            keys of the run: titles, what it is for, repetitions
 *     rates = 5000 10000      keys of a test before the first section hold for all tests
 *
 *     [tcp]                   one section a test, its name in brackets; keys as above
 *     transport = tcp
 *
 * A line is empty, a comment ("#…"), a section or "key = value".  Every key is one row of the
 * tables in profile_keys.c, with its limits; `azekura-bench profiles --keys` prints them. */
#ifndef AZEKURA_BENCH_PROFILE_H
#define AZEKURA_BENCH_PROFILE_H

#include "base/err.h"
#include "bench/load/load.h"

#define PROFILE_TESTS_MAX 64
#define PROFILE_RATES_MAX 32
#define PROFILE_FILE_MAX_BYTES 65536
#define PROFILE_RUNS_MAX 100
#define PROFILE_TIME_MAX_S 604800 /* a week */

struct profile_rates {
    double at[PROFILE_RATES_MAX];
    size_t n;
};

struct profile_test {
    char name[64];                             /* of its section, unique */
    int64_t transport;                         /* enum target_transport */
    int64_t connections, ports, sources, size; /* ports: connections are spread over so many */
    int64_t framing, format, layout;
    struct profile_rates
        rates;           /* messages/s; 0: as fast as the target takes; several: a test each */
    double rate_percent; /* of the lossless rate an earlier test of the run found; 0: rates */
    double time_s;       /* sending, warm-up included */
    double canaries;     /* messages/s that are looked for, to measure the delay; 0: none */
    /* search for the highest rate (knee.h); time_s is then the confirming trial's */
    int64_t find; /* enum profile_find */
    double start_rate, min_rate, max_rate, precision_percent, short_time_s;
    double goal_syslog_percent,
        goal_database_percent; /* of a core; more is a failure; 0: it is only told */
    int64_t searches;          /* threads that search while it receives */
    int64_t kills;             /* of the target's syslog process, spread over the time */
    int64_t loggens;  /* how many loggen processes it stands for: rows of results.csv; 0: none */
    char loggen[160]; /* loggen's arguments as results.csv names them; "": made from the keys */
    char only[256], except[256]; /* targets it is (not) for, by blanks; "": all, none */
};

enum profile_find { PROFILE_FIND_NOTHING, PROFILE_FIND_KNEE };

struct profile {
    char name[32]; /* the file's, without ".profile" */
    char title_en[96], title_ja[192], what_en[400], what_ja[800];
    char targets[256];            /* what the web console offers: "box azekura" */
    char options[256];            /* the options of the command line that may change it */
    int64_t runs;                 /* repetitions of every test */
    int64_t warm_up;              /* 1: an unrecorded one before (run 0) */
    double warm_up_percent;       /* of a trial's time that no rate is taken over */
    double goal_loss_percent;     /* more is a failure; -1: loss is only told */
    double drain_s;               /* at most so long until the store stopped growing */
    struct profile_test defaults; /* keys before the first section */
    struct profile_test tests[PROFILE_TESTS_MAX];
    size_t tests_n;
};

/* Read `text`; `file` is its name in messages.  0; -EINVAL naming file, line, key and limit. */
MUST_USE int profile_parse(const char *file, const char *text, struct profile *ret,
                           struct err *err);
/* NAME.profile of the folder `folder`, or the file NAME where it has a '/'.  -ENOENT with what
 * there is and what was perhaps meant. */
MUST_USE int profile_load(const char *folder, const char *name, struct profile *ret,
                          struct err *err);
/* The names of the profiles of `folder`, sorted, in *ret (to be freed, each and all); how many. */
size_t profile_list(const char *folder, char ***ret);
void profile_list_free(char **names, size_t n);

/* Change `key` of the run, or of every test, as the command line says.  -EINVAL where `options` has
 * not the name, or the value cannot be. */
MUST_USE int profile_override(struct profile *p, const char *key, const char *value,
                              struct err *err);
/* A test of several rates becomes one each.  -E2BIG over PROFILE_TESTS_MAX. */
MUST_USE int profile_expand(struct profile *p, struct err *err);

/* "20,000 msg/s by UDP" for a test with one rate. */
void profile_test_title(const struct profile_test *t, char *ret, size_t n);
void profile_test_title_ja(const struct profile_test *t, char *ret, size_t n);
/* Is `word` one of `words`, separated by blanks? */
bool profile_has_word(const char *words, const char *word);
/* Is the test for the target? */
bool profile_test_is_for(const struct profile_test *t, const char *target);

/* profile_keys.c: set one key of a run or a test from text.  -ENOENT: no such key; -EINVAL. */
MUST_USE int profile_set(struct profile *p, struct profile_test *t, const char *key,
                         const char *value, struct err *err);
void profile_defaults(struct profile *p);
/* The key nearest to a wrong one, or NULL. */
const char *profile_key_near(const char *key);
bool profile_key_is_of_run(const char *key);
void profile_print_keys(FILE *out);
/* The value of a key as its option would be written, for forms: "60"; "" where tests differ. */
void profile_value(const struct profile *p, const char *key, char *ret, size_t n);
/* "udp" of enum target_transport, … */
const char *profile_transport_name(int64_t transport);

#endif
