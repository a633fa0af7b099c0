/* The daemon's log. */
#include "web/log.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/clock.h"

void log_line(enum log_level level, const char *fmt, ...)
{
    static const char *const words[] = {"info", "warning", "error"};
    char line[1024], at[RFC3339_MAX];
    rfc3339_format(clock_wall_us(), at);
    int n = snprintf(line, sizeof(line), "%s %s: ", at, words[level]);
    va_list ap;
    va_start(ap, fmt);
    int more = vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
    va_end(ap);
    n = MIN(n + MAX(more, 0), (int)sizeof(line) - 2);
    for (int i = 0; i < n; i++) {
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    }
    line[n++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        return; /* nowhere left to say so */
}
