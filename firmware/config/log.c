/* Log lines on stderr. */
#include "config/log.h"

#include <stdarg.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1024 };

void log_line(enum log_level level, const char *fmt, ...)
{
    static const char *const names[] = {"info", "warning", "error"};
    char line[LINE_MAX_BYTES];
    size_t n = rfc3339_format(clock_wall_us(), line);
    n += (size_t)snprintf(line + n, sizeof(line) - n, " %s: ", names[level]);
    va_list ap;
    va_start(ap, fmt);
    int len = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
    va_end(ap);
    size_t end = n + MIN((size_t)MAX(len, 0), sizeof(line) - n - 2);
    for (size_t i = n; i < end; i++) {
        if ((unsigned char)line[i] < ' ')
            line[i] = ' '; /* a peer's text must not begin a line of its own */
    }
    line[end] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, end + 1);
    (void)ignored; /* there is nowhere else to tell it */
}

bool log_limit_due(struct log_limit *l, int64_t now, uint64_t *ret_times)
{
    l->times++;
    if (now < l->next_mono_us)
        return false;
    *ret_times = l->times;
    l->times = 0;
    l->next_mono_us = now + US_PER_MINUTE;
    return true;
}
