/* Arguments of a command. */
#include "cli/options.h"

#include <criterion/criterion.h>

#define WORDS_MAX 8

/* Splits at '|', parses with --from VALUE and --flag, and writes "words;from;flag" or the error. */
static const char *parsed(const char *line)
{
    static char out[1024];
    char copy[256], *argv[WORDS_MAX] = {"command"};
    const char *from = "-";
    bool flag = false;
    int argc = 1;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *p = copy, *word; *line && (word = strsep(&p, "|")) != NULL;)
        argv[argc++] = word;
    const struct option_spec specs[] = {{"from", &from, NULL}, {"flag", NULL, &flag}};
    struct err err;
    int words = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (words < 0) {
        snprintf(out, sizeof(out), "error: %s", err.message);
        return out;
    }
    size_t n = 0;
    for (int i = 1; i <= words; i++)
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%s ", argv[i]);
    snprintf(out + n, sizeof(out) - n, ";%s;%d", from, flag);
    return out;
}

Test(options, are_found_anywhere_and_words_keep_their_order)
{
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"", ";-;0"},
        {"a|b", "a b ;-;0"},
        {"--from|x|a", "a ;x;0"},
        {"a|--from|x|b", "a b ;x;0"},
        {"--from=x", ";x;0"},
        {"--from=", ";;0"},
        {"--from|-1h|a", "a ;-1h;0"},
        {"--from|--flag", ";--flag;0"},
        {"a|--flag", "a ;-;1"},
        {"-debug|-x", "-debug -x ;-;0"},
        {"-|a", "- a ;-;0"},
        {"a|--|--from|--", "a --from -- ;-;0"},
        {"--nosuch", "error: unknown option --nosuch"},
        {"--fro|x", "error: unknown option --fro;"},
        {"a|--state|/x", "error: --state stands before the command: azekura --state DIR"},
        {"--config=/x", "error: --config stands before the command: azekura --config FILE"},
        {"--from", "error: --from needs a value"},
        {"--flag=1", "error: --flag takes no value"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *got = parsed(cases[i].line);
        bool is_prefix = strncmp(cases[i].expected, "error", 5) == 0;
        cr_expect(is_prefix ? strncmp(got, cases[i].expected, strlen(cases[i].expected)) == 0
                            : strcmp(got, cases[i].expected) == 0,
                  "%s gave \"%s\"", cases[i].line, got);
    }
}
