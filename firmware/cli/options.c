/* Reading a command's arguments.  getopt_long was not taken: it takes "-word" for options, stops at
 * or reorders words by environment, and writes its own messages. */
#include "cli/options.h"

static const struct option_spec *find(const struct option_spec *specs, size_t n, const char *name,
                                      size_t name_n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(specs[i].name) == name_n && memcmp(specs[i].name, name, name_n) == 0)
            return &specs[i];
    return NULL;
}

int options_parse(int argc, char **argv, const struct option_spec *specs, size_t specs_n,
                  struct err *err)
{
    int words = 0;
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        char *arg = argv[i];
        if (only_words || strncmp(arg, "--", 2) != 0) {
            argv[++words] = arg;
            continue;
        }
        if (arg[2] == 0) {
            only_words = true;
            continue;
        }
        const char *name = arg + 2, *equals = strchr(name, '=');
        size_t n = equals ? (size_t)(equals - name) : strlen(name);
        const struct option_spec *s = find(specs, specs_n, name, n);
        if (!s && ((n == 5 && memcmp(name, "state", n) == 0) ||
                   (n == 6 && memcmp(name, "config", n) == 0)))
            return err_set(err, EINVAL, "usage",
                           "--%.*s stands before the command: azekura --%.*s %s …", (int)n, name,
                           (int)n, name, n == 5 ? "DIR COMMAND" : "FILE COMMAND");
        if (!s)
            return err_set(
                err, EINVAL, "usage",
                "unknown option --%.*s; see --help, and write -- before words that begin with --",
                (int)n, name);
        if (s->ret_flag) {
            if (equals)
                return err_set(err, EINVAL, "usage", "--%s takes no value", s->name);
            *s->ret_flag = true;
        } else if (equals) {
            *s->ret_value = equals + 1;
        } else if (i + 1 < argc) {
            *s->ret_value = argv[++i];
        } else {
            return err_set(err, EINVAL, "usage", "--%s needs a value", s->name);
        }
    }
    return words;
}
