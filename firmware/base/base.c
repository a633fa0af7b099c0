/* CHECK() and memory that never fails to come. */
#include "base/base.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

void check_failed(const char *file, int line, const char *cond)
{
    fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, cond);
    abort();
}

void *xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    CHECK(p != NULL);
    return p;
}

void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    CHECK(p != NULL);
    return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
    size_t bytes;
    CHECK(!__builtin_mul_overflow(n, size, &bytes));
    p = realloc(p, bytes ? bytes : 1);
    CHECK(p != NULL);
    return p;
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;
    char *s = NULL;
    va_start(ap, fmt);
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    CHECK(n >= 0);
    return s;
}

void base_claim_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}
