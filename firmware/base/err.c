/* Errors for people. */
#include "base/err.h"

#include <stdarg.h>

PRINTF(4, 0)
static void fill(struct err *err, const char *code, const char *field, const char *fmt, va_list ap)
{
    /* The arguments may point into *err itself, so the sentence is made aside. */
    char message[sizeof(err->message)];
    vsnprintf(message, sizeof(message), fmt, ap);
    snprintf(err->code, sizeof(err->code), "%s", code);
    snprintf(err->field, sizeof(err->field), "%s", field);
    memcpy(err->message, message, sizeof(message));
}

int err_set(struct err *err, int error, const char *code, const char *fmt, ...)
{
    CHECK(error > 0);
    if (err != NULL) {
        va_list ap;
        va_start(ap, fmt);
        fill(err, code, "", fmt, ap);
        va_end(ap);
    }
    return -error;
}

int err_set_field(struct err *err, int error, const char *code, const char *field, const char *fmt,
                  ...)
{
    CHECK(error > 0);
    if (err != NULL) {
        va_list ap;
        va_start(ap, fmt);
        fill(err, code, field, fmt, ap);
        va_end(ap);
    }
    return -error;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
    if (err == NULL)
        return;
    char prefix[sizeof(err->message)], message[sizeof(err->message)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(prefix, sizeof(prefix), fmt, ap);
    va_end(ap);
    memcpy(message, err->message, sizeof(message));
    size_t n = strnlen(prefix, sizeof(prefix));
    memcpy(err->message, prefix, n);
    snprintf(err->message + n, sizeof(err->message) - n, "%s", message);
}
