/* Reading a password from the terminal without showing it, or from a pipe. */
#include "cli/password.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

static struct termios before; /* for the handler; set before it is installed */

static void restore(int sig)
{
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* One line without its end into ret, which holds PASSWORD_MAX_BYTES; a longer one is refused whole.
 */
static int read_line(char *ret, struct err *err)
{
    size_t n = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (c == 0 || n == PASSWORD_MAX_BYTES)
            return err_set_field(err, EINVAL, "bad_value", "password",
                                 c == 0 ? "the password contains a NUL byte"
                                        : "the password is longer than %d bytes",
                                 PASSWORD_MAX_BYTES);
        ret[n++] = (char)c;
    }
    if (c == EOF && n == 0)
        return err_set_field(err, EINVAL, "bad_value", "password", "no password was given");
    if (n > 0 && ret[n - 1] == '\r')
        n--;
    ret[n] = 0;
    return 0;
}

static int ask(const char *prompt, const char *account, char *ret, struct err *err)
{
    fprintf(stderr, "%s %s: ", prompt, account);
    fflush(stderr);
    int rc = read_line(ret, err);
    fputc('\n', stderr);
    return rc;
}

int password_read(const char *account, char ret[PASSWORD_MAX_BYTES + 1], struct err *err)
{
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &before) < 0)
        return read_line(ret, err);
    char again[PASSWORD_MAX_BYTES + 1] = "";
    struct termios quiet = before;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        signal(signals[i], restore);
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    int rc = ask("New password of", account, ret, err);
    if (rc == 0)
        rc = ask("Once more, password of", account, again, err);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        signal(signals[i], SIG_DFL);
    if (rc == 0 && strcmp(ret, again) != 0)
        rc = err_set_field(err, EINVAL, "bad_value", "password", "the two passwords differ");
    explicit_bzero(again, sizeof(again));
    return rc;
}
